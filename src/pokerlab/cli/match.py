"""`pokerlab match`: agents against each other."""

from __future__ import annotations

import click

from pokerlab.bounds import HANDS, SEED
from pokerlab.cli.number import Within
from pokerlab.cli.output import Output, json_option, larger_option, show

AGENTS = """An agent is fold, call, raise, probe, random, uniform (options as in raise?size=100), table:FILE for a
strategy written by `pokerlab solve --out`, holdem-limit, holdem-limit-3p or holdem-nolimit once `pokerlab train` has
built them, blueprint:FILE for a file that it wrote, cases:FILE for
one of `pokerlab cases train`, human, or module:Class?option=value for your own."""


@click.command(epilog=AGENTS)
@click.argument("agents", nargs=-1, required=True)
@click.option("--game", default="leduc", show_default=True, help="A name from `pokerlab games`, or a file.")
@click.option("--hands", type=Within(HANDS), default=3000, show_default=True, help="Deals; in duplicate, a seating.")
@click.option("--duplicate", is_flag=True, help="Play every deal in every assignment of agents to seats.")
@click.option("--seed", type=Within(SEED), default=0, show_default=True)
@click.option(
    "--score",
    default="money",
    show_default=True,
    help="What a hand counts: money, or chips with luck taken out by all-in, mivat, check-call or aivat.",
)
@click.option("--log", type=Output(grows=True), help="Write every hand here, in the competition's format.")
@larger_option
@json_option
def match(
    agents: tuple[str, ...],
    game: str,
    hands: int,
    duplicate: bool,
    seed: int,
    score: str,
    log: str | None,
    as_json: bool,
) -> None:
    """Play AGENTS against each other and print what each wins, with 95 % intervals.

    Two agents without memory in a game that compiles also get their exact expected winnings, and play in compiled
    code unless a log is asked for.
    """
    from pokerlab.match.by_spec import match_lines, play_specs

    result, summary = play_specs(agents, game, hands, duplicate=duplicate, seed=seed, score=score, log=log)
    show(summary, as_json, match_lines(result, summary))
