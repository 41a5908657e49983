"""What all commands share: --json, printing either one JSON object or lines, and outputs that are tried at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from pokerlab.errors import printable
from pokerlab.writing import check_output


def json_option(command: Callable) -> Callable:
    """The option that every command takes."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(command)


class Output(click.Path):
    """A file to write to, tried when the command line is read, before any work; one that `grows` is a log."""

    def __init__(self, grows: bool = False) -> None:
        super().__init__(dir_okay=False)
        self.grows = grows

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        check_output(value, whole=not self.grows)
        return value


def show(summary: dict[str, Any], as_json: bool, lines: Sequence[str]) -> None:
    """Print exactly one JSON object, or the lines; names in them may be a stranger's."""
    told = (printable(part) for line in lines for part in line.split("\n"))
    click.echo(json.dumps(summary) if as_json else "\n".join(told))


def warn(line: str) -> None:
    """Say something on standard error, on a line of its own."""
    click.echo(printable(line), err=True)
