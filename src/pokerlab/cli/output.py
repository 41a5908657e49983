"""What all commands share: --json, printing either one JSON object or lines, and outputs that are tried at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from pokerlab.errors import printable
from pokerlab.terminal import Line, Piece, painted, plain, wants_colour
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


def show(summary: dict[str, Any], as_json: bool, lines: Sequence[Line]) -> None:
    """Print exactly one JSON object, or the lines, in colours at a terminal; names in them may be a stranger's."""
    if as_json:
        click.echo(json.dumps(summary))
        return
    colourful = wants_colour(sys.stdout.isatty())
    for line in lines:
        safe = _printable(line)
        click.echo(painted(safe) if colourful else plain(safe), color=colourful)


def _printable(line: Line) -> Line:
    if isinstance(line, str):
        return "\n".join(map(printable, line.split("\n")))
    return [Piece(printable(piece.text), piece.colour) for piece in line]


def warn(line: str) -> None:
    """Say something on standard error, on a line of its own."""
    click.echo(printable(line), err=True)
