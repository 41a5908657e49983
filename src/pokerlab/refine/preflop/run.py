"""`solve_preflop`: the game before the flop solved to the first limit met, with a memory check, progress, checkpoints
and Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pokerlab.bounds import MEMORY, THREADS
from pokerlab.errors import SpotError, StrategyFileError
from pokerlab.processes import cores, free_memory
from pokerlab.progress import announced
from pokerlab.refine.preflop.draws import draw
from pokerlab.refine.preflop.game import Preflop
from pokerlab.refine.preflop.solution import PreflopSolution, solution_of
from pokerlab.refine.preflop.solver import Leaf, PreflopSolver, leaves_of
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.engine import METHOD, SCHEMES
from pokerlab.refine.spots.run import gauge_of
from pokerlab.solvers.checkpoint import keeper, load_checkpoint
from pokerlab.solvers.runner import Limits, run
from pokerlab.writing import check_output

DEFAULT_EXPLOITABILITY = 0.5  # per cent of the blinds


def memory_of(leaves: Sequence[Leaf]) -> int:
    """How many bytes solving takes; nothing large is made to find out."""
    return sum(CpuEngine.needs(leaf.shape, 1) for leaf in leaves)


def solve_preflop(
    game: Preflop,
    *,
    iterations: int | None = None,
    exploitability: float | None = None,
    seconds: float | None = None,
    method: str = METHOD,
    threads: int | None = None,
    memory: float | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    progress: bool | None = None,
) -> PreflopSolution:
    """Solve a game until the first limit is met.

    `exploitability` is in per cent of the blinds, small and big together (without any limit: 0.5); `memory` the most to
    take, in GiB; by default what is free. `threads` changes the time but not the result. `checkpoint` is a file kept up
    to date, with the one before beside it; `resume` goes on from it. Ctrl-C ends the run and returns what there is.
    """
    Limits(iterations, exploitability, seconds).check(SpotError)
    THREADS.check(threads, error=SpotError)
    MEMORY.check(memory, error=SpotError)
    if method not in SCHEMES:
        raise SpotError(f"no method {method!r} for spots; there are {', '.join(SCHEMES)}")
    if resume and checkpoint is None:
        raise SpotError("to resume, a checkpoint is needed: the file to go on from, and to keep up to date")
    if exploitability is None and iterations is None and seconds is None:
        exploitability = DEFAULT_EXPLOITABILITY
    if checkpoint is not None:
        check_output(checkpoint, StrategyFileError)
    with announced(f"laying out {game.name}"):
        leaves = leaves_of(game, draw(game)) if game.tree.flops else []
        _must_fit(memory_of(leaves), memory)
        solver = PreflopSolver(game, leaves, method=method, threads=threads or cores())
    resumed = load_checkpoint(solver, checkpoint) if resume and checkpoint is not None else None

    keep = keeper(solver, checkpoint)
    blinds = sum(game.blinds)
    record = run(
        solver,
        Limits(iterations, None if exploitability is None else exploitability * blinds / 100, seconds),
        gauge_of(solver.exploitability, blinds, "blinds"),
        title=f"{method} on {game.name}", resumed=resumed, keep=keep, progress=progress,
    )  # fmt: skip
    if keep is not None:
        keep(record)
    return solution_of(solver, record)


def _must_fit(needed: int, memory: float | None) -> None:
    most = free_memory() if memory is None else memory * 2**30
    if most is not None and needed > most:
        said = "allowed" if memory is not None else "free"
        raise SpotError(
            f"this game takes {needed / 2**30:.2f} GiB and {most / 2**30:.2f} GiB are {said}: draw fewer flops, turns "
            "or rivers, or give fewer sizes"
        )
