"""`solve_spot`: a hold'em spot solved to the first limit met, with a memory check, progress, checkpoints and Ctrl-C."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from pokerlab.bounds import MEMORY, THREADS
from pokerlab.errors import SpotError, StrategyFileError
from pokerlab.interrupts import uninterrupted
from pokerlab.processes import cores, free_memory
from pokerlab.progress import announced
from pokerlab.reading import format_of
from pokerlab.refine.spots.engine import METHOD, Engine, engine_for
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.saved import FORMAT
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import HALF, SINGLE
from pokerlab.refine.spots.solution import SpotSolution, load_spot_solution
from pokerlab.refine.spots.spot import Spot
from pokerlab.solvers.checkpoint import keeper, load_checkpoint
from pokerlab.solvers.runner import CHECK_EVERY, Gauge, Limits, Point, Record, every_so_many, run
from pokerlab.writing import check_output

DEFAULT_EXPLOITABILITY = 0.5  # per cent of the pot


def memory_of(
    spot: Spot, *, threads: int | None = None, isomorphism: bool = True, engine: str = "cpu", precision: str = SINGLE
) -> int:
    """How many bytes solving a spot takes; nothing large is made to find out."""
    shape, workers = Shape(spot, isomorphism=isomorphism), threads or cores()
    return engine_for(engine, shape, workers, precision).needs(shape, workers, precision)


def solve_spot(
    spot: Spot,
    *,
    iterations: int | None = None,
    exploitability: float | None = None,
    seconds: float | None = None,
    until: Callable[[Point], bool] | None = None,
    method: str = METHOD,
    threads: int | None = None,
    isomorphism: bool = True,
    memory: float | None = None,
    gadget: Gadget | None = None,
    engine: str = "cpu",
    precision: str = SINGLE,
    checkpoint: str | Path | None = None,
    resume: SpotSolution | str | Path | None = None,
    progress: bool | None = None,
    watch: Callable[[Record], bool] | None = None,
) -> SpotSolution:
    """Solve a spot until the first limit is met.

    `method` is `dcfr-spot` (discounted CFR with a beta of 0.2 and a gamma of 5), `dcfr` (with those of its paper) or
    `cfr+`. `exploitability` is in per cent of the pot (without any limit: 0.5), `seconds` of solving. `memory` is the
    most to take, in GiB; by default what is free. `threads` changes the time but not the result; a river has one board
    and uses one. With a `gadget` its player may decline to enter (see gadget.py); then there are margins instead of an
    exploitability, and iterations or seconds must be given. `checkpoint` is a file kept up to date, with the one before
    beside it; `resume` such a file, or a solution, to go on from. `engine` is `cpu`, `cuda` (docs/gpu.md) or `auto`.
    In half `precision` regrets and averages take sixteen bits each instead of thirty-two (docs/spots.md).
    Ctrl-C ends the run and returns what there is; so does `watch`, which is told how far the run is, by answering true.
    """
    Limits(iterations, exploitability, seconds).check(SpotError)
    THREADS.check(threads, error=SpotError)
    MEMORY.check(memory, error=SpotError)
    if gadget and (exploitability is not None or (iterations is None and seconds is None)):
        raise SpotError("a spot behind a gadget is solved for iterations or seconds, not to an exploitability")
    if exploitability is None and iterations is None and seconds is None and until is None:
        exploitability = DEFAULT_EXPLOITABILITY
    if checkpoint is not None:
        check_output(checkpoint, StrategyFileError)
    with announced(f"laying out {spot.name}"):
        made = _engine(spot, method, threads, isomorphism, memory, gadget, engine, precision, checkpoint is not None)
    resumed = None
    if resume is not None:
        resumed = _resumed(made, resume)

    goal = None if exploitability is None else exploitability * spot.total / 100
    due = _ever_more_rarely if goal is None and until is None else every_so_many
    gauge = gauge_of(made.exploitability, spot.total, "pot", due)
    keep = keeper(made, checkpoint)
    record = run(
        made, Limits(iterations, goal, seconds, until), None if gadget else gauge, title=f"{method} on {spot.name}",
        resumed=resumed, keep=keep, progress=progress, watch=watch,
    )  # fmt: skip
    if keep is not None:
        keep(record)
    return SpotSolution(made, record)


def gauge_of(
    exploitability: Callable[[], float], whole: float, of: str, due: Callable[[int], float] = every_so_many
) -> Gauge:
    """Exploitability on the way, told in per cent of a whole."""

    def measure() -> float:
        with uninterrupted():  # threads that were left alone would write where the next pass does
            return exploitability()

    return Gauge(measure, text=lambda chips: f"{100 * chips / whole:.3f} % of the {of}", due=due)


def _resumed(engine: Engine, resume: SpotSolution | str | Path) -> Record:
    """Bring an engine to where a solution is, or what a file holds; the record by then."""
    if isinstance(resume, SpotSolution):
        return resume.bring(engine)
    if format_of(resume, StrategyFileError) == FORMAT:
        return load_spot_solution(resume).bring(engine)
    return load_checkpoint(engine, resume)


def _ever_more_rarely(iteration: int) -> int:
    """When to look where no limit asks for it: at 10 iterations, 20, 40, 80, ..."""
    return int(CHECK_EVERY * 2 ** max(0, math.ceil(math.log2((iteration + 1) / CHECK_EVERY))))


def _engine(
    spot: Spot, method: str, threads: int | None, isomorphism: bool, memory: float | None, gadget: Gadget | None,
    engine: str, precision: str, kept: bool,
) -> Engine:  # fmt: skip
    """An engine at its start, if it fits into memory; where it is `kept` in checkpoints, these pass through ours."""
    symmetric = [array for array in (gadget.alternatives, gadget.likely) if array is not None] if gadget else ()
    shape = Shape(spot, isomorphism=isomorphism, symmetric=symmetric)
    boards = len(shape.boards[spot.street + 1].boards) if spot.street < shape.layout.last else 1
    workers = min(threads or cores(), boards)
    kind = engine_for(engine, shape, workers, precision)
    needed, room = kind.needs(shape, workers, precision), kind.room()
    if not kind.place:
        needed += shape.saving()
    most = room if memory is None else memory * 2**30
    if most is not None and needed > most:
        said, other = "allowed" if memory is not None else "free", ", or take device cpu" if kind.place else ""
        other += "" if precision == HALF else ", or take half precision"
        raise SpotError(
            f"this spot takes {needed / 2**30:.2f} GiB{kind.place} and {most / 2**30:.2f} GiB are {said}: give fewer "
            f"bet sizes, max_raises or narrower ranges, or start on a later street{other}"
        )
    here = free_memory() if kind.place and kept else None
    if here is not None and needed > here:
        raise SpotError(
            f"a checkpoint of this spot passes through {needed / 2**30:.2f} GiB of memory and {here / 2**30:.2f} GiB "
            "are free: go without, or give fewer bet sizes, max_raises or narrower ranges"
        )
    return kind(shape, method=method, threads=workers, gadget=gadget, precision=precision)
