"""The `pokerlab` command. Every command takes --json and then prints one JSON object on standard output."""

from __future__ import annotations

import sys
from typing import Any

import click

from pokerlab.cli.acpc import dealer, join
from pokerlab.cli.blueprint import ask, train
from pokerlab.cli.buckets import buckets
from pokerlab.cli.games import games
from pokerlab.cli.hands import hands
from pokerlab.cli.match import match
from pokerlab.cli.paper import paper
from pokerlab.cli.solve import evaluate, solve
from pokerlab.cli.spot import spot
from pokerlab.cli.tournament import tournament
from pokerlab.errors import PokerlabError


class _Group(click.Group):
    """Bad input is one line on standard error and exit code 2, never a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False
        try:
            sys.exit(super().main(*args, **kwargs) or 0)
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except click.exceptions.NoArgsIsHelpError as shown:
            click.echo(shown.format_message(), err=True)
            sys.exit(2)
        except click.ClickException as error:
            _complain(error.format_message())
        except PokerlabError as error:
            _complain(str(error))
        except (KeyboardInterrupt, click.Abort):
            click.echo("interrupted", err=True)
            sys.exit(130)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(1)


def _complain(message: str) -> None:
    click.echo(f"pokerlab: {' '.join(message.split())}", err=True)
    sys.exit(2)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pokerlab")
def main() -> None:
    """Understand, build and field strategies for poker and other games of hidden information."""


for command in (games, solve, evaluate, train, ask, paper, match, tournament, dealer, join, hands, spot, buckets):
    main.add_command(command)
