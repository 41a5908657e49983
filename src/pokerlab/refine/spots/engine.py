"""`solve_spot`: a hold'em spot solved to the first limit met, with progress, a memory check and Ctrl-C."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable

from pokerlab.errors import SpotError
from pokerlab.processes import cores
from pokerlab.progress import Bar
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.solution import SpotSolution
from pokerlab.refine.spots.solver import SpotSolver
from pokerlab.refine.spots.spot import Spot
from pokerlab.solvers.solution import Point
from pokerlab.threads import uninterrupted

DEFAULT_EXPLOITABILITY = 0.5  # per cent of the pot
CHECK_EVERY = 10
_CHUNK_SECONDS = 0.2  # a compiled call is not much longer, so that limits and Ctrl-C are answered soon


def memory_of(spot: Spot, *, threads: int | None = None, isomorphism: bool = True) -> int:
    """How many bytes solving a spot takes; nothing large is made to find out."""
    return Shape(spot, isomorphism=isomorphism).bytes(threads or cores())


def free_memory() -> int | None:
    """Bytes that programs can still have, where the system tells."""
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    return None


def solve_spot(
    spot: Spot,
    *,
    iterations: int | None = None,
    exploitability: float | None = None,
    seconds: float | None = None,
    until: Callable[[Point], bool] | None = None,
    method: str = "dcfr",
    threads: int | None = None,
    isomorphism: bool = True,
    memory: float | None = None,
    gadget: Gadget | None = None,
    progress: bool | None = None,
) -> SpotSolution:
    """Solve a spot by discounted CFR (`dcfr`) or `cfr+` until the first limit is met.

    `exploitability` is in per cent of the pot (without any limit: 0.5), `seconds` of solving. `memory` is the most to
    take, in GiB; by default what is free. `threads` changes the time but not the result; a river has one board and uses
    one. With a `gadget` its player may decline to enter (see gadget.py); then there are margins instead of an
    exploitability, and iterations or seconds must be given. Ctrl-C ends the run and returns what there is.
    """
    _check_limits(iterations, exploitability, seconds, threads, gadget is not None)
    shape = Shape(spot, isomorphism=isomorphism, symmetric=[gadget.alternatives] if gadget else ())
    boards = len(shape.boards[spot.street + 1].boards) if spot.street < shape.layout.last else 1
    workers = min(threads or cores(), boards)
    _check_memory(shape, workers, memory)
    solver = SpotSolver(shape, method=method, threads=workers, gadget=gadget)
    if iterations is None and seconds is None and until is None and exploitability is None:
        exploitability = DEFAULT_EXPLOITABILITY
    _warm_up(solver)
    return _Run(solver, iterations, exploitability, seconds, until).go(progress)


def _check_limits(
    iterations: int | None, exploitability: float | None, seconds: float | None, threads: int | None, gadget: bool
) -> None:
    least = (
        ("iterations", iterations, 1),
        ("exploitability", exploitability, 0),
        ("seconds", seconds, 0),
        ("threads", threads, 1),
    )
    for name, given, low in least:
        if given is not None and not given >= low:
            raise SpotError(f"{name} must be at least {low}, not {given}")
    if gadget and (exploitability is not None or (iterations is None and seconds is None)):
        raise SpotError("a spot behind a gadget is solved for iterations or seconds, not to an exploitability")


def _check_memory(shape: Shape, threads: int, limit: float | None) -> None:
    needed = shape.bytes(threads)
    most = limit * 2**30 if limit is not None else free_memory()
    if most is not None and needed > most:
        said = "allowed" if limit is not None else "free"
        raise SpotError(
            f"this spot takes {needed / 2**30:.2f} GiB and {most / 2**30:.2f} GiB are {said}: give fewer bet sizes, "
            "max_raises or narrower ranges, or start on a later street"
        )


def _warm_up(solver: SpotSolver) -> None:
    """Compile or load the kernels before the clock starts; say so when it takes a while."""
    notice = threading.Timer(1.0, print, ["compiling kernels (once, about half a minute) ..."], {"file": sys.stderr})
    notice.daemon = True
    notice.start()
    try:
        solver.exploitability()
    finally:
        notice.cancel()


class _Run:
    """A solver on its way: limits, clock and trace."""

    def __init__(
        self,
        solver: SpotSolver,
        iterations: int | None,
        exploitability: float | None,
        seconds: float | None,
        until: Callable[[Point], bool] | None,
    ) -> None:
        self.solver, self.until = solver, until
        self.iterations, self.exploitability, self.limit = iterations, exploitability, seconds
        self.clock, self.trace, self.chunk = 0.0, list[Point](), 1

    def go(self, progress: bool | None) -> SpotSolution:
        stopped = ""
        with Bar(f"{self.solver.method} on {self.solver.shape.spot.name}", progress) as self.bar:
            try:
                while not stopped:
                    self._advance()
                    stopped = self._stop()
            except KeyboardInterrupt:
                stopped = "interrupted"
        return SpotSolution(self.solver, self.clock, stopped, tuple(self.trace))

    def _next(self, iteration: int) -> int:
        """The first iteration after this one to look at: where a goal asks for it often, else ever more rarely."""
        if self.exploitability is not None or self.until is not None:
            return next_check(iteration)
        return CHECK_EVERY * 2 ** max(0, math.ceil(math.log2((iteration + 1) / CHECK_EVERY)))

    def _advance(self) -> None:
        """Iterate to the next check, in pieces that Ctrl-C does not tear and a time limit can end."""
        solver, check = self.solver, self._next(self.solver.iteration)
        target = check if self.iterations is None else min(check, self.iterations)
        while solver.iteration < target and (self.limit is None or self.clock < self.limit):
            count = min(self.chunk, target - solver.iteration)
            began = time.perf_counter()
            with uninterrupted():
                solver.step(count)
            took = time.perf_counter() - began
            self.clock += took
            self.chunk = max(1, int(_CHUNK_SECONDS * count / max(took, 1e-9)))
            self.bar.show(self._fraction(), self._figure())

    def _stop(self) -> str:
        """Why to stop now, if there is a reason; checks exploitability where it is due."""
        solver = self.solver
        if solver.entrance is None and solver.iteration == self._next(solver.iteration - 1):
            began = time.perf_counter()
            with uninterrupted():
                found = solver.exploitability()
            self.clock += time.perf_counter() - began
            self.trace.append(Point(solver.iteration, self.clock, found))
            self.bar.show(self._fraction(), self._figure())
            if self.exploitability is not None and 100 * found <= self.exploitability * solver.shape.spot.total:
                return "exploitability"
            if self.until is not None and self.until(self.trace[-1]):
                return "until"
        if self.iterations is not None and solver.iteration >= self.iterations:
            return "iterations"
        return "seconds" if self.limit is not None and self.clock >= self.limit else ""

    def _figure(self) -> str:
        """What the progress bar says."""
        said = f"iteration {self.solver.iteration:,}"
        if not self.trace:
            return said
        return f"{said}  {100 * self.trace[-1].exploitability / self.solver.shape.spot.total:.3f} % of the pot"

    def _fraction(self) -> float:
        """How far the nearest limit is; exploitability falls roughly as a power, so by its logarithm."""
        done = [self.solver.iteration / self.iterations if self.iterations else 0.0]
        done.append(self.clock / self.limit if self.limit else 0.0)
        goal = (self.exploitability or 0.0) * self.solver.shape.spot.total / 100
        if goal and self.trace and self.trace[0].exploitability > goal:
            start, now = self.trace[0].exploitability, max(self.trace[-1].exploitability, 1e-12)
            done.append(math.log(start / now) / math.log(start / goal))
        return max(done)


def next_check(iteration: int) -> int:
    """The first iteration after this one at which exploitability is checked: every ten, later every 5 %."""
    scheduled = 0
    while scheduled <= iteration:
        scheduled += max(CHECK_EVERY, scheduled // 20)
    return scheduled
