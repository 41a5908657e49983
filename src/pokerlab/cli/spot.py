"""`pokerlab spot`: a hold'em spot, solved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pokerlab.cli.output import json_option, show

if TYPE_CHECKING:
    from pokerlab.refine.spots.solution import SpotSolution


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--exploitability", type=float, help="Stop at this per cent of the pot; 0.5 when there is no limit.")
@click.option("--seconds", type=float, help="Stop after so much time.")
@click.option("--iterations", type=int, help="Stop after so many iterations.")
@click.option("--method", default="dcfr", show_default=True, help="dcfr or cfr+.")
@click.option("--threads", type=int, help="By default one a core; the result does not depend on it.")
@click.option("--memory", type=float, metavar="GIB", help="Refuse to take more; by default what is free.")
@click.option("--line", default="", help='Show this decision, such as "check, bet 100" or "check, check, 7d".')
@click.option("--view", default="strategy", show_default=True, help="strategy, ev, range or the name of an action.")
@click.option(
    "--out", type=click.Path(dir_okay=False), help="Where to save; by default FILE with the ending .solution."
)
@json_option
def spot(
    file: str, exploitability: float | None, seconds: float | None, iterations: int | None, method: str,
    threads: int | None, memory: float | None, line: str, view: str, out: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Solve the spot in FILE (docs/spots.md says how to write one), print a decision as a chart and save the rest.

    FILE may also be a saved solution: then nothing is solved, and the decision at --line is shown.
    """
    from pokerlab.errors import SpotError
    from pokerlab.refine.spots.engine import solve_spot
    from pokerlab.refine.spots.locks import find_node
    from pokerlab.refine.spots.solution import load_spot_solution
    from pokerlab.refine.spots.spot import read_spot
    from pokerlab.refine.spots.view import check_view, grid_lines, node_json, title

    if _is_solution(file):
        if any(limit is not None for limit in (exploitability, seconds, iterations, out)):
            raise SpotError(f"{file} is solved already: limits and --out are for spot files")
        found, saved = load_spot_solution(file), None
    else:
        asked = read_spot(file)
        saved = out or str(Path(file).with_suffix(".solution"))
        if Path(saved) == Path(file):
            raise SpotError(f"the solution would replace the spot {file}: give --out another name")
        check_view(find_node(asked.tree(), line)[0].labels, view)  # before the work, not after it
        found = solve_spot(
            asked, exploitability=exploitability, seconds=seconds, iterations=iterations, method=method,
            threads=threads, memory=memory,
        )  # fmt: skip
        found.save(saved)
    node = found.node(line)
    chart = grid_lines(node, view)
    summary = found.summary() | {"saved": saved, "node": node_json(node)}
    show(summary, as_json, [*_figures(found), f"{title(node)}", *chart, *([f"saved to {saved}"] if saved else [])])


def _is_solution(file: str) -> bool:
    try:
        with open(file, "rb") as opened:
            return opened.read(2) == b"PK"
    except OSError:
        return False


def _figures(found: SpotSolution) -> list[str]:
    figures, spot = found.figures, found.spot
    why = found.stopped if found.stopped == "interrupted" else f"stopped by {found.stopped}"
    part = 100 * figures.exploitability / spot.total
    speed = f", {found.iterations / found.seconds:,.0f} a second" if found.seconds else ""
    return [
        f"{spot.name}: {why} after {found.iterations:,} iterations of {found.method}, "
        f"{found.seconds:.3f} s{speed}, {found.memory / 2**20:.1f} MiB",
        f"expected chips   oop {figures.ev[0]:.3f}   ip {figures.ev[1]:.3f}   of a pot of {spot.total}",
        f"exploitability   {figures.exploitability:.4f} chips, {part:.4f} % of the pot",
    ]
