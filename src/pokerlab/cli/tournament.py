"""`pokerlab tournament`: a round robin, its tables and its page."""

from __future__ import annotations

from pathlib import Path

import click

from pokerlab.bounds import HANDS, PROCESSES, SEED
from pokerlab.cli.match import AGENTS
from pokerlab.cli.number import Within
from pokerlab.cli.output import json_option, show


@click.command(epilog=AGENTS + " NAME=AGENT gives it a name of its own.")
@click.argument("agents", nargs=-1, required=True)
@click.option("--game", default="leduc", show_default=True, help="A name from `pokerlab games`, or a file.")
@click.option(
    "--hands", type=Within(HANDS), default=3000, show_default=True, help="Deals a match; in duplicate, in each seating."
)
@click.option("--duplicate/--no-duplicate", default=True, show_default=True, help="Every deal in every seating.")
@click.option("--seed", type=Within(SEED), default=0, show_default=True)
@click.option("--processes", type=Within(PROCESSES), help="How many to use; by default one a core.")
@click.option("--out", type=click.Path(file_okay=False), help="Folder of the tournament; by default one under results.")
@click.option("--resume/--fresh", default=True, help="Go on with what the folder holds (the default), or delete that.")
@json_option
def tournament(
    agents: tuple[str, ...], game: str, hands: int, duplicate: bool, seed: int, processes: int | None, out: str | None,
    resume: bool, as_json: bool,
) -> None:  # fmt: skip
    """Let every pair of AGENTS (in a game for three: every three) play a match, and rank them.

    Prints the crosstable, the total bankroll and both instant run-offs, and writes them into the folder as
    results.json, crosstable.csv, matches.csv and index.html. An interrupted tournament goes on when started again.
    """
    from pokerlab.match.tournament.play import plan_tournament, run_tournament
    from pokerlab.match.tournament.report import lines, summary, write
    from pokerlab.processes import local_processes

    executor = local_processes(processes)
    plan = plan_tournament(agents, game, hands, duplicate=duplicate, seed=seed)
    folder = Path(out) if out else Path("results") / plan.folder_name()
    try:
        standings = run_tournament(plan, folder, fresh=not resume, executor=executor)
    except KeyboardInterrupt:
        click.echo(f"finished hands are kept in {folder}: run the same command to go on", err=True)
        raise
    paths = write(plan, standings, folder)
    told = summary(plan, standings) | {"folder": str(folder)}
    show(told, as_json, [*lines(plan, standings), f"written to {paths[-1]} and beside it"])
