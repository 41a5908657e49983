"""`pokerlab trends`: what more or less aggression wins from whom."""

from __future__ import annotations

import click

from pokerlab.bounds import HANDS, PROCESSES, SEED
from pokerlab.cli.match import AGENTS
from pokerlab.cli.number import Within
from pokerlab.cli.output import Output, json_option, show


@click.command(epilog=AGENTS)
@click.argument("agent")
@click.argument("opponents", nargs=-1, required=True)
@click.option("--game", default="holdem-limit", show_default=True, help="A name from `pokerlab games`, or a file.")
@click.option("--hands", type=Within(HANDS), default=1000, show_default=True, help="Deals a factor, in both seats.")
@click.option("--seed", type=Within(SEED), default=0, show_default=True)
@click.option("--score", default="aivat", show_default=True, help="What a hand counts, as in `pokerlab match`.")
@click.option("--processes", type=Within(PROCESSES), help="How many to use; by default one a core.")
@click.option("--out", required=True, type=Output(), help="Write the trends here, for adapting:AGENT?model=FILE.")
@json_option
def trends(
    agent: str, opponents: tuple[str, ...], game: str, hands: int, seed: int, score: str, processes: int | None,
    out: str, as_json: bool,
) -> None:  # fmt: skip
    """Let AGENT play OPPONENTS with 21 factors of aggression, from defensive to aggressive.

    What is finished is kept in the file: an interrupted run goes on when started again.
    """
    from pokerlab.opponents.trends import learn_trends, trend_lines
    from pokerlab.processes import local_processes

    executor = local_processes(processes)
    try:
        learnt = learn_trends(agent, opponents, game, hands, out, seed=seed, score=score, executor=executor)
    except KeyboardInterrupt:
        click.echo(f"finished matches are kept in {out}: run the same command to go on", err=True)
        raise
    show(learnt.as_json() | {"out": out}, as_json, [*trend_lines(learnt), f"written to {out}"])
