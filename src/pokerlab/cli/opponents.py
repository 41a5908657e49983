"""`pokerlab trends`: what more or less aggression wins from whom."""

from __future__ import annotations

import click

from pokerlab.cli.match import AGENTS
from pokerlab.cli.options import AGENT, executor_for, option
from pokerlab.cli.output import Output, json_option, keeping, show


@click.command(epilog=AGENTS)
@click.argument("agent", type=AGENT)
@click.argument("opponents", nargs=-1, required=True, type=AGENT)
@option("--game", default="holdem-limit", show_default=True)
@option("--hands", "For each factor, in both seats.", default=1000)
@option("--seed", "Cards, and agents' choices.", default=0)
@option("--score", default="aivat")
@option("--processes")
@option("--cluster")
@option("--out", "The trends' file, for adapting:AGENT?model=FILE.", required=True, type=Output())
@json_option
def trends(
    agent: str, opponents: tuple[str, ...], game: str, hands: int, seed: int, score: str, processes: int | None,
    cluster: str | None, out: str, as_json: bool,
) -> None:  # fmt: skip
    """Let AGENT play OPPONENTS with 21 factors of aggression, from defensive to aggressive.

    What is finished is kept in the file: an interrupted run goes on when started again.
    """
    from pokerlab.opponents.trends import learn_trends, trend_lines

    executor = executor_for(processes, cluster)
    with keeping(f"{out} has the finished matches, and the same command goes on"):
        learnt = learn_trends(agent, opponents, game, hands, out, seed=seed, score=score, executor=executor)
    show(learnt.as_json() | {"out": out}, as_json, [*trend_lines(learnt), f"written to {out}"])
