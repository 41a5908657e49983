"""`pokerlab spot`: a hold'em spot, solved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pokerlab.bounds import MEMORY
from pokerlab.cli.number import Within
from pokerlab.cli.options import OF_THE_POT, SPOT_METHOD, SPOT_METHODS, either, exploitability_option, option
from pokerlab.cli.output import (
    Output,
    check_apart,
    csv_option,
    given,
    interrupted,
    json_option,
    show,
    show_csv,
    warn,
)
from pokerlab.errors import SpotError

_LOOKING = ("view", "hand", "like", "player", "compare")
_SOLVING = (
    "method", "threads", "device", "precision", "max_memory", "out", "full", "checkpoint", "resume", "dry_run",
)  # fmt: skip


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@exploitability_option(OF_THE_POT, 0.5)
@option("--seconds")
@option("--iterations")
@option("--method", f"One of {either(SPOT_METHODS)}.", type=SPOT_METHOD, show_default=SPOT_METHODS[0])
@option("--threads", "By default one a core; the result does not depend on it.")
@option("--device")
@option("--precision")
@click.option("--max-memory", type=Within(MEMORY), help="Refuse to take more GiB; by default what is free.")
@option("--line", 'Such as "check, bet 100" or "check, check, 7d".', default="")
@click.option(
    "--view",
    show_default="strategy, or ev of who waits",
    help="strategy, ev, equity, range, loss, blockers, an action, or ev or loss of one (loss call).",
)
@option("--hand", "Show all that is known of it, or with --view blockers what it blocks.", default="")
@click.option("--filter", "like", default="", help='Only hands such as "flush draw, top pair" (docs/spots.md).')
@click.option("--whose", "player", type=click.Choice(["oop", "ip"]), help="Whose hands; by default who acts.")
@click.option(
    "--unit",
    type=click.Choice(["chips", "bb", "pot"]),
    default="chips",
    show_default=True,
    help="Of values: chips, big blinds or the pot at the start.",
)
@click.option(
    "--compare",
    type=click.Path(dir_okay=False),
    metavar="SOLUTION",
    help="Show what changes at that decision from this solution to FILE's.",
)
@click.option("--tree", is_flag=True, help="List the decisions from --line on with their sizes, and solve nothing.")
@click.option("--runouts", is_flag=True, help="Of a solution: every card after --line, its values and what is done.")
@option("--html", "Of --runouts.")
@click.option("--dry-run", is_flag=True, help="Tell decisions, boards, memory and the time to expect; solve nothing.")
@option("--out", "By default FILE with the ending .solution.", type=Output())
@click.option(
    "--full", is_flag=True, help="Save regrets too, so that solving can go on from the solution; twice as large."
)
@click.option("--checkpoint", type=Output(), help="Keep what --resume needs here, also on the way.")
@option("--resume", "From the file --checkpoint, which is then kept up to date.")
@csv_option
@json_option
def spot(
    file: str, exploitability: float | None, seconds: float | None, iterations: int | None, method: str | None,
    threads: int | None, device: str, precision: str | None, max_memory: float | None, out: str | None, full: bool,
    checkpoint: str | None, resume: bool, compare: str | None, tree: bool, runouts: bool, html: str | None,
    dry_run: bool, as_csv: bool, as_json: bool, **looking: Any,
) -> None:  # fmt: skip
    """Solve the spot in FILE (docs/spots.md says how to write one), print a decision as a chart and save the rest.

    FILE may also be a saved solution: then the decision at --line is shown and nothing is solved, or solving goes on
    from one that was saved with --full if it is told how far.
    """
    if tree:
        return _tree(file, looking["line"], as_csv, as_json)
    if runouts:
        return _runouts(file, looking["line"], looking["unit"], html, as_csv, as_json)
    from pokerlab.reading import is_archive
    from pokerlab.refine.spots.engine import METHOD
    from pokerlab.refine.spots.forecast import forecast
    from pokerlab.refine.spots.look import Look
    from pokerlab.refine.spots.run import solve_spot
    from pokerlab.refine.spots.sixteen import SINGLE
    from pokerlab.refine.spots.solution import load_spot_solution
    from pokerlab.refine.spots.spot import read_spot
    from pokerlab.writing import check_output

    if html is not None:
        raise SpotError("--html is the page of --runouts")
    look, other = Look(**looking), load_spot_solution(compare) if compare else None
    before = (str(compare), other.spot) if other else None
    begun = load_spot_solution(file) if is_archive(file, SpotError) else None
    if begun and exploitability is None and seconds is None and iterations is None:
        if given(_SOLVING):
            raise SpotError(f"{file} is solved already: to go on, give --exploitability, --seconds or --iterations")
        solved, saved = begun, None
        look.check(solved.spot, before)
    else:
        if begun and (resume or dry_run):
            raise SpotError(f"{file} is a solution, which is gone on from without --resume and --dry-run")
        if begun and method not in (None, begun.method):
            raise SpotError(f"{file} is a solution of another method: {begun.method}, not {method}")
        if resume and checkpoint is None:
            raise SpotError("--resume needs --checkpoint: the file to go on from, and to keep up to date")
        asked = begun.spot if begun else read_spot(file)
        saved = out or (file if begun else str(Path(file).with_suffix(".solution")))
        grows = begun is not None and saved == file  # which is what goes on
        check_apart(
            {"FILE": None if grows else file, "--compare": compare}, {"--out": saved, "--checkpoint": checkpoint}
        )
        check_output(saved, SpotError)  # before the work, not after it
        look.check(asked, before)
        if dry_run:
            told = forecast(
                asked, exploitability=exploitability, seconds=seconds, iterations=iterations,
                method=method or METHOD, threads=threads, engine=device, precision=precision or SINGLE,
            )  # fmt: skip
            return show(told.summary(), as_json, told.lines())
        solved = solve_spot(
            asked, exploitability=exploitability, seconds=seconds, iterations=iterations,
            method=method or (begun.method if begun else METHOD), threads=threads, engine=device,
            isomorphism=begun.isomorphism if begun else True, precision=precision or SINGLE, memory=max_memory,
            checkpoint=checkpoint, resume=begun or (checkpoint if resume else None),
        )  # fmt: skip
        solved.save(saved, full=full or begun is not None)
    changes = look.between(other, solved, (str(compare), saved or file)) if other else None
    if as_json:
        seen = {"comparison": changes.summary()} if changes else {"node": look.summary(solved)}
        show(solved.summary() | {"saved": saved} | seen, as_json, [])
    elif as_csv:
        show_csv((changes.table() if changes else look.table(solved)).csv().splitlines())
    else:
        lines = changes.lines() if changes else look.lines(solved)
        show({}, as_json, [*solved.lines(look.unit), *lines, *([f"written to {saved}"] if saved else [])])
    if saved and solved.stopped == "interrupted":
        more = f", and --resume goes on from {checkpoint}" if checkpoint else "; --checkpoint would let it go on"
        interrupted(f"{saved} has the strategy so far{more}")


def _tree(file: str, line: str, as_csv: bool, as_json: bool) -> None:
    """The decisions of a spot, or of a solution's."""
    from pokerlab.reading import is_archive
    from pokerlab.refine.spots.solution import load_spot_solution
    from pokerlab.refine.spots.spot import read_spot
    from pokerlab.refine.spots.tree_list import tree_json, tree_lines, tree_table

    _refuse((*_LOOKING, "unit", "runouts", "html"), "--tree")
    asked = load_spot_solution(file).spot if is_archive(file, SpotError) else read_spot(file)
    if as_csv and not as_json:
        show_csv(tree_table(asked, line).csv().splitlines())
    else:
        show(tree_json(asked, line) if as_json else {}, as_json, tree_lines(asked, line))


def _refuse(names: Sequence[str], beside: str) -> None:
    """Refuse options that would show something else than this one does."""
    if others := given(names):
        raise SpotError(f"{beside} does nothing with {others}: leave that out")


def _runouts(file: str, line: str, unit: str, html: str | None, as_csv: bool, as_json: bool) -> None:
    """Every card that may come after a line of a solution."""
    from pokerlab.reading import is_archive
    from pokerlab.refine.spots.aggregate_page import runouts_page
    from pokerlab.refine.spots.runouts import runouts
    from pokerlab.refine.spots.solution import load_spot_solution
    from pokerlab.writing import replacing

    _refuse(_LOOKING, "--runouts")
    check_apart({"FILE": file}, {"--html": html})
    if not is_archive(file, SpotError):
        raise SpotError(f"--runouts looks at a solution, and {file} is none: solve the spot first")
    told = runouts(load_spot_solution(file), line, unit=unit)
    if html is not None:
        with replacing(html) as page:
            page.write(runouts_page(told).encode())
        warn(f"page written to {html}")
    if as_csv and not as_json:
        show_csv(told.table().csv().splitlines())
    else:
        show(told.summary() if as_json else {}, as_json, told.lines())
