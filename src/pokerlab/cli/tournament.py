"""`pokerlab tournament`: a round robin, its tables and its page."""

from __future__ import annotations

from pathlib import Path

import click

from pokerlab.cli.match import AGENTS
from pokerlab.cli.options import AGENT, executor_for, option
from pokerlab.cli.output import json_option, keeping, show


@click.command(epilog=AGENTS + " NAME=AGENT gives it a name of its own.")
@click.argument("agents", nargs=-1, required=True, type=AGENT)
@option("--game", default="leduc", show_default=True)
@option("--hands", "In each match.")
@option("--duplicate/--no-duplicate", default=True)
@option("--seed", "Cards, and agents' choices.", default=0)
@option("--processes")
@option("--cluster")
@option("--out", "The tournament's folder; by default one under results.", type=click.Path(file_okay=False))
@option("--fresh", "What the folder holds of it is deleted.")
@json_option
def tournament(
    agents: tuple[str, ...], game: str, hands: int, duplicate: bool, seed: int, processes: int | None,
    cluster: str | None, out: str | None, fresh: bool, as_json: bool,
) -> None:  # fmt: skip
    """Let every pair of AGENTS (in a game for three: every three) play a match, and rank them.

    Prints the crosstable, the total bankroll and both instant run-offs, and writes them into the folder as
    results.json, crosstable.csv, matches.csv and index.html. An interrupted tournament goes on when started again.
    """
    from pokerlab.match.tournament.play import plan_tournament, run_tournament
    from pokerlab.match.tournament.report import lines, summary, write

    executor = executor_for(processes, cluster)
    plan = plan_tournament(agents, game, hands, duplicate=duplicate, seed=seed)
    folder = Path(out) if out else Path("results") / plan.folder_name()
    with keeping(f"{folder} has the finished hands, and the same command goes on"):
        standings = run_tournament(plan, folder, fresh=fresh, executor=executor)
    paths = write(plan, standings, folder)
    told = summary(plan, standings) | {"folder": str(folder)}
    show(told, as_json, [*lines(plan, standings), f"written to {paths[-1]} and beside it"])
