"""The `pokerlab` command. Every command takes --json and then prints one JSON object on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

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


def _json_option(command: Callable) -> Callable:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")(command)


def _print(found: dict[str, Any], as_json: bool, lines: list[str]) -> None:
    click.echo(json.dumps(found) if as_json else "\n".join(lines))


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pokerlab")
def main() -> None:
    """Understand, build and field strategies for poker and other games of hidden information."""


@main.command()
@_json_option
def games(as_json: bool) -> None:
    """List the catalogue, with sizes."""
    from pokerlab.game.size import catalog_sizes

    rows = catalog_sizes()
    lines = [f"{'game':<17} {'players':>7} {'betting nodes':>14} {'infosets':>10}  what it is"]
    for row in rows:
        nodes = f"{row['betting_nodes']:,}" if row["betting_nodes"] is not None else "-"
        count = row["infosets"]
        infosets = "-" if count is None else f"{count:,}" if count < 10**8 else f"{count:.1e}"
        lines.append(f"{row['game']:<17} {row['players']:>7} {nodes:>14} {infosets:>10}  {row['about']}")
    lines.append("infosets: of all players, suits forgotten where that loses nothing; changes go after a colon,")
    lines.append("as in leduc:ranks=13,suits=4")
    _print({"games": rows}, as_json, lines)


@main.command()
@click.argument("game")
@click.option("--abstraction", default="FULL", show_default=True, help="Such as JQ.K-FULL, the player's first.")
@click.option("--method", default="cfr+", show_default=True, help="lp, cfr, cfr+, linear, dcfr or pcfr+.")
@click.option("--iterations", type=int, help="Stop after so many iterations.")
@click.option("--exploitability", type=float, help="Stop at this mean exploitability, in chips.")
@click.option("--seconds", type=float, help="Stop after so much time.")
@click.option("--averaging", type=click.Choice(["uniform", "linear", "quadratic"]), help="Of a regret method.")
@click.option("--alpha", type=float, help="Discount exponent of positive regret.")
@click.option("--beta", type=float, help="Discount exponent of negative regret.")
@click.option("--simultaneous", is_flag=True, help="Update both players at once instead of in turn.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the solution here; kept up to date on the way.")
@click.option("--resume", type=click.Path(dir_okay=False), help="Go on from a file written by --out.")
@_json_option
def solve(
    game: str, abstraction: str, method: str, iterations: int | None, exploitability: float | None,
    seconds: float | None, averaging: str | None, alpha: float | None, beta: float | None, simultaneous: bool,
    out: str | None, resume: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Solve GAME: a name from `pokerlab games`, or a game-definition file."""
    from pokerlab.form.compile import compile
    from pokerlab.solve.full import evaluate_in_full
    from pokerlab.solve.run import solve as run

    parameters: dict[str, Any] = {"averaging": averaging, "alpha": alpha, "beta": beta}
    if simultaneous:
        parameters["alternating"] = False
    given = {key: value for key, value in parameters.items() if value is not None}
    compiled = compile(game, abstraction)
    found = run(
        compiled, method, iterations=iterations, exploitability=exploitability, seconds=seconds,
        checkpoint=out, resume=resume, **given,
    )  # fmt: skip
    summary = found.summary()
    lines = [
        f"{found.method} on {compiled.name}, {summary['abstraction']}: stopped by {found.stopped} "
        f"after {found.iterations:,} iterations, {found.seconds:.3f} s",
        f"value to player 1   {found.value:+.9f} chips",
        f"exploitability      {found.exploitability:.3e} chips (mean of the seats)",
    ]
    if compiled.origin and not compiled.origin.abstraction.is_full:
        summary["full_exploitability"] = list(evaluate_in_full(found.strategy).exploitability)
        lines.append(_full_line(summary["full_exploitability"], compiled.origin.rules.small_bet))
    if out:
        lines.append(f"written to {out}")
    _print(summary, as_json, lines)


def _full_line(seats: list[float], small_bet: int) -> str:
    first, second = (1000 * seat / small_bet for seat in seats)
    return (f"in the full game    {seats[0]:.6f} and {seats[1]:.6f} chips exploitable "
            f"({first:.1f} and {second:.1f} mb/h) as player 1 and 2")  # fmt: skip


@main.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--game", help="Refuse the file unless it is a strategy of this game.")
@click.option("--strategy", "show", is_flag=True, help="Print the strategy itself too.")
@_json_option
def evaluate(file: str, game: str | None, show: bool, as_json: bool) -> None:
    """Value and exploitability of the strategy in FILE, recomputed."""
    from pokerlab.errors import StrategyFileError
    from pokerlab.form.evaluate import evaluate as measure
    from pokerlab.game.catalog import rules_of
    from pokerlab.solve.full import evaluate_in_full
    from pokerlab.solve.solution import load

    found = load(file)
    origin = found.game.origin
    assert origin is not None
    if game is not None and rules_of(game) != origin.rules:
        raise StrategyFileError(f"{file} is a strategy of {found.game.name}, not of {game}")
    here = measure(found.strategy)
    full = evaluate_in_full(found.strategy)
    summary = found.summary() | {
        "value": here.value,
        "exploitability": here.exploitability,
        "full_value": full.value,
        "full_exploitability": list(full.exploitability),
        "game_value": full.game_value,
    }
    lines = [
        f"{file}: {found.game.name}, {origin.abstraction.text}, by {found.method}",
        f"value to player 1   {here.value:+.9f} chips",
        f"exploitability      {here.exploitability:.3e} chips (mean of the seats)",
        f"value of the game   {full.game_value:+.9f} chips",
        _full_line(list(full.exploitability), origin.rules.small_bet),
    ]
    if show:
        lines.append(str(found.strategy))
        summary["strategy"] = [
            [{"betting": betting, "state": state, "actions": odds} for betting, state, odds in found.strategy.rows(p)]
            for p in range(2)
        ]
    _print(summary, as_json, lines)


@main.command()
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="A shorter run where the whole takes long.")
@click.option("--out", type=click.Path(file_okay=False), default="results", show_default=True,
              help="Folder for figures and the tables as JSON.")  # fmt: skip
@_json_option
def paper(name: str | None, quick: bool, out: str, as_json: bool) -> None:
    """Reproduce the tables of the paper NAME beside the published ones; without NAME, list the papers."""
    from pokerlab.papers import PAPERS, reproduce

    if name is None:
        _print({"papers": PAPERS}, as_json, [f"{key:<28} {about}" for key, about in PAPERS.items()])
        return
    report = reproduce(name, Path(out), quick=quick)
    _print(report.as_json(), as_json, report.lines())
