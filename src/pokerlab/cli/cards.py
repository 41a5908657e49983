"""`pokerlab equity` and `pokerlab range`: hands and ranges of hold'em against each other, and on boards."""

from __future__ import annotations

import click

from pokerlab.bounds import SAMPLES
from pokerlab.cli.number import Within
from pokerlab.cli.options import option
from pokerlab.cli.output import json_option, show

RANGES = """A range is written as in spots: hands such as AA, AKs, AKo, AK or AcKd, several by + and - (ATs+, 77-22,
T9s-54s), 20% or random, each with a weight after a colon where that is not 1 (AA:0.5), and commas between them
(docs/cards.md)."""


@click.command(epilog=RANGES)
@click.argument("ranges", nargs=-1, required=True)
@option("--board")
@click.option("--dead", default="", help='Cards that cannot come, such as "Ah 7c".')
@click.option("--samples", type=Within(SAMPLES), help="Estimate from so many random deals; by default only if need be.")
@option("--seed", "Of the samples.", default=0)
@json_option
def equity(ranges: tuple[str, ...], board: str, dead: str, samples: int | None, seed: int, as_json: bool) -> None:
    """What RANGES, a hand or a range a player, win against each other at showdown.

    Two are compared exactly, and three or more if there are not too many ways to deal them hands; otherwise deals are
    sampled, and the shares have 95 % intervals.
    """
    from pokerlab.cards.versus import equities

    won = equities(ranges, board, dead=dead, samples=samples, seed=seed)
    show(won.as_json(ranges), as_json, won.lines(ranges))


@click.command("range", epilog=RANGES)
@click.argument("text", metavar="RANGE")
@option("--board", "Also what the range has made and draws to there.")
@click.option("--versus", help="Also its equity against this range; with --board, of each kind of hand too.")
@json_option
def range_(text: str, board: str, versus: str | None, as_json: bool) -> None:
    """The chart of RANGE, how many hands it has, and what they are on a board."""
    from pokerlab.cards.range_report import range_report

    report = range_report(text, board, versus)
    show(report.as_json(), as_json, report.lines())
