"""What all commands share: --json, and printing either one JSON object or lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click


def json_option(command: Callable) -> Callable:
    """The option that every command takes."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(command)


def show(summary: dict[str, Any], as_json: bool, lines: Sequence[str]) -> None:
    """Print exactly one JSON object, or the lines."""
    click.echo(json.dumps(summary) if as_json else "\n".join(lines))
