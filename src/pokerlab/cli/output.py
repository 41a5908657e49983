"""What all commands share: --json, printing either one JSON object or lines, Ctrl-C, and outputs tried at once."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from pokerlab.bounds import LARGER, larger_games
from pokerlab.cli.number import Within
from pokerlab.errors import PokerlabError, printable
from pokerlab.terminal import Line, Piece, folded, painted, plain, wants_colour
from pokerlab.writing import check_output, written_through

INTERRUPTED = 130  # exit code after Ctrl-C, as of other programs


def json_option(command: Callable) -> Callable:
    """The option that every command takes."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(command)


def csv_option(command: Callable) -> Callable:
    """For commands whose result is a table."""
    return click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values instead of text.")(command)


def larger_option(command: Callable) -> Callable:
    """For commands that compile games: limits of size, raised for as long as the command runs."""

    def allow(context: click.Context, _: click.Parameter, times: int) -> None:
        context.with_resource(larger_games(times))

    return click.option(
        "--larger", type=Within(LARGER), default=1, show_default=True, expose_value=False, callback=allow,
        help="Allow games so many times as large as usual; they may take much memory.",
    )(command)  # fmt: skip


def given(names: Collection[str]) -> str:
    """Those of these parameters that are on the command line, as options are written; empty if none is."""
    context = click.get_current_context()
    told = [name for name in names if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    return ", ".join(option.opts[0] for option in context.command.params if option.name in told)


def check_apart(read: Mapping[str, str | None], written: Mapping[str, str | None]) -> None:
    """Refuse to write over a file that is read, or two files into one, before the work; links are followed.

    Files are by what they are on the command line, None where there is none. A device takes whatever comes.
    """
    taken = {os.path.realpath(path): name for name, path in read.items() if path}
    for name, path in written.items():
        if path and not written_through(path):
            other = taken.setdefault(os.path.realpath(path), name)
            if other != name:
                raise PokerlabError(f"{name} would replace {other}, {path}: give {name} another name")


class Output(click.Path):
    """A file to write to, tried when the command line is read, before any work; one that `grows` is a log."""

    def __init__(self, grows: bool = False) -> None:
        super().__init__(dir_okay=False)
        self.grows = grows

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        check_output(value, whole=not self.grows)
        return value


def interrupted(kept: str) -> NoReturn:
    """End after Ctrl-C with its exit code, and say what was kept."""
    click.echo(f"interrupted: {printable(kept)}", err=True)
    raise click.exceptions.Exit(INTERRUPTED)


@contextmanager
def keeping(kept: str) -> Iterator[None]:
    """Should Ctrl-C end the block, say what was kept."""
    try:
        yield
    except KeyboardInterrupt:
        interrupted(kept)


def show(summary: dict[str, Any], as_json: bool, lines: Sequence[Line]) -> None:
    """Print exactly one JSON object, or the lines, in colours at a terminal and folded where they are too wide.

    Names in them may be a stranger's.
    """
    if as_json:
        click.echo(json.dumps(summary))
        return
    colourful = wants_colour(sys.stdout.isatty())
    for line in lines:
        if isinstance(line, str):
            click.echo("\n".join(part for told in line.split("\n") for part in folded(printable(told))))
        else:
            safe = [Piece(printable(piece.text), piece.colour) for piece in line]
            click.echo(painted(safe) if colourful else plain(safe), color=colourful)


def show_csv(lines: Sequence[str]) -> None:
    """Print comma-separated values, a row a line however wide it is."""
    for line in lines:
        click.echo(printable(line))


def warn(line: str) -> None:
    """Say something on standard error, on a line of its own."""
    click.echo(printable(line), err=True)
