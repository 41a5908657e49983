"""`pokerlab match`: agents against each other."""

from __future__ import annotations

import click

from pokerlab.cli.options import AGENT, option
from pokerlab.cli.output import interrupted, json_option, keeping, larger_option, show

AGENTS = """An agent is fold, call, raise, probe, random, uniform (options as in raise?size=100), a file written by
`pokerlab solve --out`, `pokerlab train` or `pokerlab cases train`, also as table:FILE, blueprint:FILE and cases:FILE,
the name of an agent that `pokerlab train` has built (holdem-limit, holdem-limit-3p, holdem-nolimit), human, or
module:Class?option=value for your own."""


@click.command(epilog=AGENTS)
@click.argument("agents", nargs=-1, required=True, type=AGENT)
@option("--game", default="leduc", show_default=True)
@option("--hands")
@option("--duplicate/--no-duplicate", default=False)
@option("--seed", "Cards, and agents' choices.", default=0)
@option("--score", default="money")
@option("--log")
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

    logged = f"{log} has the hands that were played" if log else "nothing was kept"
    with keeping(logged):
        result, summary = play_specs(agents, game, hands, duplicate=duplicate, seed=seed, score=score, log=log)
    show(summary, as_json, match_lines(result, summary))
    if summary["hands"] < hands:
        interrupted(f"the result is that of {summary['hands']:,} of {hands:,} deals; {logged}")
