"""The `pokerlab` command. Every command takes --json and then prints one JSON object on standard output."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from pokerlab.cli.output import INTERRUPTED
from pokerlab.errors import COMPLAINT, PokerlabError, one_line

# Each command's file in this folder: it is imported when the command is named, or its help is shown.
COMMANDS = {
    "ask": "blueprint", "buckets": "buckets", "cases": "cases", "counter": "counter", "dealer": "acpc",
    "equity": "cards", "evaluate": "solve", "evolve": "field", "games": "games", "hands": "hands", "imitate": "field",
    "jamfold": "jamfold", "join": "acpc", "match": "match", "paper": "paper", "play_match": "acpc",
    "preflop": "preflop", "range": "cards", "solve": "solve", "spot": "spot", "spots": "spots",
    "tournament": "tournament", "train": "blueprint", "trends": "opponents", "web": "web",
}  # fmt: skip
_PYTHON_NAMES = {"range": "range_"}  # of commands whose own name is Python's


class _Group(click.Group):
    """Bad input is one line on standard error and exit code 2, an agent that fails is one and 1: never a traceback."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return getattr(import_module(f"pokerlab.cli.{COMMANDS[name]}"), _PYTHON_NAMES.get(name, name))

    def main(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False
        warnings.showwarning = _warn
        try:
            sys.exit(super().main(*args, **kwargs) or 0)
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except click.exceptions.NoArgsIsHelpError as shown:
            click.echo(shown.format_message(), err=True)
            sys.exit(2)
        except click.ClickException as error:
            _complain(error.format_message(), 2)
        except PokerlabError as error:
            _complain(str(error), error.exit_code)
        except (KeyboardInterrupt, click.Abort):
            click.echo("interrupted: nothing was kept", err=True)
            sys.exit(INTERRUPTED)
        except MemoryError:
            _complain("out of memory: ask for less, or free some", 1)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(1)
        except OSError as error:  # a full disk under standard output, for example
            _abandon_output()
            _complain(f"{error.filename or 'standard output'}: {error.strerror or error}", 2)


def _abandon_output() -> None:
    """Let what could not be printed go, or the interpreter would try again at its end, and complain in its own way."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"{COMPLAINT}warning: {one_line(str(message))}", err=True)


def _complain(message: str, exit_code: int) -> None:
    click.echo(COMPLAINT + one_line(message), err=True)
    sys.exit(exit_code)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pokerlab")
def main() -> None:
    """Understand, build and field strategies for poker and other games of hidden information."""
