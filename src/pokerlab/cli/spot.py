"""`pokerlab spot`: a hold'em spot, solved."""

from __future__ import annotations

from pathlib import Path

import click

from pokerlab.bounds import MEMORY
from pokerlab.cli.number import Within
from pokerlab.cli.options import OF_THE_POT, SPOT_METHOD, SPOT_METHODS, either, exploitability_option, option
from pokerlab.cli.output import Output, interrupted, json_option, show


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@exploitability_option(OF_THE_POT, 0.5)
@option("--seconds")
@option("--iterations")
@option("--method", f"One of {either(SPOT_METHODS)}.", type=SPOT_METHOD, show_default=SPOT_METHODS[0])
@option("--threads", "By default one a core; the result does not depend on it.")
@option("--device")
@click.option("--max-memory", type=Within(MEMORY), help="Refuse to take more GiB; by default what is free.")
@click.option("--line", default="", help='Show this decision, such as "check, bet 100" or "check, check, 7d".')
@click.option("--view", default="strategy", show_default=True, help="strategy, ev, range or the name of an action.")
@option("--out", "By default FILE with the ending .solution.", type=Output())
@click.option("--checkpoint", type=Output(), help="Keep what --resume needs here, also on the way.")
@option("--resume", "From the file --checkpoint, which is then kept up to date.")
@json_option
def spot(
    file: str, exploitability: float | None, seconds: float | None, iterations: int | None, method: str | None,
    threads: int | None, device: str, max_memory: float | None, line: str, view: str, out: str | None,
    checkpoint: str | None, resume: bool, as_json: bool,
) -> None:  # fmt: skip
    """Solve the spot in FILE (docs/spots.md says how to write one), print a decision as a chart and save the rest.

    FILE may also be a saved solution: then nothing is solved, and the decision at --line is shown.
    """
    from pokerlab.errors import SpotError
    from pokerlab.reading import is_archive
    from pokerlab.refine.spots.engine import METHOD
    from pokerlab.refine.spots.locks import find_decision
    from pokerlab.refine.spots.run import solve_spot
    from pokerlab.refine.spots.solution import load_spot_solution
    from pokerlab.refine.spots.spot import read_spot
    from pokerlab.refine.spots.view import check_view, grid_lines, node_json
    from pokerlab.writing import check_output

    if is_archive(file, SpotError):
        given = exploitability, seconds, iterations, method, threads, max_memory, out, checkpoint
        if resume or any(each is not None for each in given):
            raise SpotError(f"{file} is solved already: only --line, --view and --json are for solutions")
        solved, saved = load_spot_solution(file), None
    else:
        if resume and checkpoint is None:
            raise SpotError("--resume needs --checkpoint: the file to go on from, and to keep up to date")
        asked = read_spot(file)
        saved = out or str(Path(file).with_suffix(".solution"))
        if Path(saved) == Path(file):
            raise SpotError(f"the solution would replace the spot {file}: give --out another name")
        check_output(saved, SpotError)  # before the work, not after it
        check_view(find_decision(asked, line)[0].labels, view)
        solved = solve_spot(
            asked, exploitability=exploitability, seconds=seconds, iterations=iterations, method=method or METHOD,
            threads=threads, engine=device, memory=max_memory, checkpoint=checkpoint,
            resume=checkpoint if resume else None,
        )  # fmt: skip
        solved.save(saved)
    node = solved.node(line)
    chart = grid_lines(node, view)
    summary = solved.summary() | {"saved": saved, "node": node_json(node)}
    show(summary, as_json, [*solved.lines(), node.title, *chart, *([f"written to {saved}"] if saved else [])])
    if saved and solved.stopped == "interrupted":
        more = f", and --resume goes on from {checkpoint}" if checkpoint else "; --checkpoint would let it go on"
        interrupted(f"{saved} has the strategy so far{more}")
