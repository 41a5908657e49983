"""`pokerlab preflop`: hold'em for two before the flop, solved."""

from __future__ import annotations

from pathlib import Path

import click

from pokerlab.bounds import MEMORY
from pokerlab.cli.number import Within
from pokerlab.cli.options import OF_THE_BLINDS, SPOT_METHOD, SPOT_METHODS, either, exploitability_option, option
from pokerlab.cli.output import Output, check_apart, interrupted, json_option, show


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@exploitability_option(OF_THE_BLINDS, 0.5)
@option("--seconds")
@option("--iterations")
@option("--method", f"One of {either(SPOT_METHODS)}.", type=SPOT_METHOD, show_default=SPOT_METHODS[0])
@option("--threads", "By default one a core; the result does not depend on it.")
@click.option("--max-memory", type=Within(MEMORY), help="Refuse to take more GiB; by default what is free.")
@option("--line", 'Such as "raise 200" ("": the first), or ranges where a flop is dealt; by default all decisions.')
@option("--board", "Of --spot.")
@click.option("--spot", type=Output(), metavar="PATH", help="Write the flop after --line on --board here, as a spot.")
@option("--out", "By default FILE with the ending .preflop.", type=Output())
@click.option("--checkpoint", type=Output(), help="Keep what --resume needs here, also on the way.")
@option("--resume", "From the file --checkpoint, which is then kept up to date.")
@json_option
def preflop(
    file: str, exploitability: float | None, seconds: float | None, iterations: int | None, method: str | None,
    threads: int | None, max_memory: float | None, line: str | None, board: str, spot: str | None, out: str | None,
    checkpoint: str | None, resume: bool, as_json: bool,
) -> None:  # fmt: skip
    """Solve the game before the flop in FILE (docs/preflop.md says how to write one), print charts and save it.

    FILE may also be a saved solution: then nothing is solved, and it is shown.
    """
    from pokerlab.errors import SpotError
    from pokerlab.reading import is_archive
    from pokerlab.refine.preflop.game import read_preflop
    from pokerlab.refine.preflop.run import solve_preflop
    from pokerlab.refine.preflop.solution import check_spot, load_preflop_solution, node_at, save_spot
    from pokerlab.refine.spots.engine import METHOD
    from pokerlab.writing import check_output

    if is_archive(file, SpotError):
        given = exploitability, seconds, iterations, method, threads, max_memory, out, checkpoint
        if resume or any(each is not None for each in given):
            raise SpotError(f"{file} is solved already: only --line, --board, --spot and --json are for solutions")
        check_apart({"FILE": file}, {"--spot": spot})
        solved, saved = load_preflop_solution(file), None
        nodes = [node_at(solved.game, line)] if line is not None else solved.decisions
        check_spot(solved.game, line, board, spot)
    else:
        asked = read_preflop(file)
        if line is not None:
            node_at(asked, line)  # before the work, not after it
        check_spot(asked, line, board, spot)
        saved = out or str(Path(file).with_suffix(".preflop"))
        check_apart({"FILE": file}, {"--out": saved, "--spot": spot, "--checkpoint": checkpoint})
        check_output(saved, SpotError)
        solved = solve_preflop(
            asked, exploitability=exploitability, seconds=seconds, iterations=iterations, method=method or METHOD,
            threads=threads, memory=max_memory, checkpoint=checkpoint, resume=resume,
        )  # fmt: skip
        solved.save(saved)
        nodes = [node_at(asked, line)] if line is not None else solved.decisions
    written = [path for path in (saved, spot) if path]
    if spot:
        save_spot(solved.spot(line or "", board), spot)
    charts = [text for node in nodes for text in ("", *solved.chart_lines(node))]
    summary = solved.summary() | {"saved": saved, "spot": spot, "nodes": [solved.node_json(node) for node in nodes]}
    show(summary, as_json, [*solved.lines(), *charts, *(f"written to {path}" for path in written)])
    if saved and solved.record.stopped == "interrupted":
        more = f", and --resume goes on from {checkpoint}" if checkpoint else "; --checkpoint would let it go on"
        interrupted(f"{saved} has the strategy so far{more}")
