"""Running a sampler on a game of any size: limits, progress, checkpoints, Ctrl-C and resume.

For games that can be compiled, `solve` does this and knows their exploitability. Here nothing is known but what the
caller can measure: `measure(sampler)` is called now and then, and may end the run.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pokerlab.errors import SolverError
from pokerlab.progress import Bar
from pokerlab.solvers.sampling.checkpoint import load_checkpoint, save_checkpoint
from pokerlab.solvers.sampling.sampler import Sampler

CHECKPOINT_SECONDS = 50.0  # with the time to write one, a run that is killed loses no more than a minute
_CHUNK_SECONDS = 0.3


class Progress(NamedTuple):
    """A point of a run's trace; `figure` is what was measured."""

    iteration: int
    seconds: float
    figure: float


@dataclass(frozen=True)
class Run:
    """How a run went. `seconds` is the time of walks and checkpoints, without that of measuring.

    `stopped` is `iterations`, `seconds`, `goal` or `interrupted`; rates are those of this run, not of earlier ones.
    """

    sampler: Sampler
    iterations: int
    seconds: float
    stopped: str
    iterations_per_second: float
    touched_per_second: float
    trace: tuple[Progress, ...] = ()


def train(
    sampler: Sampler,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    measure: Callable[[Sampler], float] | None = None,
    measure_every: float = 60.0,
    goal: float | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_every: float = CHECKPOINT_SECONDS,
    resume: bool = False,
    progress: bool | None = None,
) -> Run:
    """Walk until `iterations` in all, `seconds` in all, or until what `measure` returns is at most `goal`.

    `checkpoint` is a file kept up to date every `checkpoint_every` seconds, with the one before beside it; with
    `resume` the run goes on from it if it is there. Ctrl-C ends the run, and what there is is kept.
    """
    for name, limit in (("iterations", iterations), ("seconds", seconds)):
        if limit is not None and not limit > 0:
            raise SolverError(f"{name} must be above 0, not {limit}")
    if iterations is None and seconds is None and goal is None:
        raise SolverError("give a limit: iterations, seconds, or a goal for what is measured")
    if goal is not None and measure is None:
        raise SolverError("a goal needs something to measure")
    if resume and checkpoint is None:
        raise SolverError("to resume, name the checkpoint")
    began = load_checkpoint(sampler, checkpoint) if resume and checkpoint and Path(checkpoint).exists() else 0.0
    _warm_up(sampler)
    return _Training(sampler, began, checkpoint, checkpoint_every, measure, measure_every).go(
        iterations, seconds, goal, progress
    )


def _warm_up(sampler: Sampler) -> None:
    """Compile or load the kernels before the clock starts; say so when it takes a while."""
    notice = threading.Timer(1.0, print, ["compiling kernels (once, some seconds) ..."], {"file": sys.stderr})
    notice.daemon = True
    notice.start()
    try:
        sampler.step(0)
    finally:
        notice.cancel()


class _Training:
    """A run on its way."""

    def __init__(
        self,
        sampler: Sampler,
        seconds: float,
        checkpoint: str | Path | None,
        checkpoint_every: float,
        measure: Callable[[Sampler], float] | None,
        measure_every: float,
    ) -> None:
        self.sampler, self.seconds, self.checkpoint, self.measure = sampler, seconds, checkpoint, measure
        self.checkpoint_every, self.measure_every = checkpoint_every, measure_every
        self.saved_at = self.measured_at = seconds
        self.trace: list[Progress] = []

    def go(self, iterations: int | None, seconds: float | None, goal: float | None, progress: bool | None) -> Run:
        s, started, first, touched = self.sampler, self.seconds, self.sampler.iteration, self.sampler.touched
        stopped, chunk = "", 10
        with Bar(f"{s.plan.sampling} sampling on {s.graph.rules.name or 'rules'}", progress) as bar:
            try:
                while not stopped:
                    if iterations is not None and s.iteration >= iterations:
                        stopped = "iterations"
                    elif seconds is not None and self.seconds >= seconds:
                        stopped = "seconds"
                    else:
                        chunk = self._advance(chunk, iterations)
                    if self.measure is not None and (stopped or self.seconds - self.measured_at >= self.measure_every):
                        point = self._measure()
                        if goal is not None and point.figure <= goal:
                            stopped = "goal"
                    if self.checkpoint is not None and self.seconds - self.saved_at >= self.checkpoint_every:
                        self._save()
                    bar.show(self._fraction(iterations, seconds), self._figure())
            except KeyboardInterrupt:
                stopped = "interrupted"
        took = max(self.seconds - started, 1e-9)
        if self.checkpoint is not None:
            self._save()
        return Run(
            s, s.iteration, self.seconds, stopped, (s.iteration - first) / took, (s.touched - touched) / took,
            tuple(self.trace),
        )  # fmt: skip

    def _advance(self, chunk: int, iterations: int | None) -> int:
        """Walk for a moment; the number of iterations that the next moment has."""
        count = chunk if iterations is None else min(chunk, iterations - self.sampler.iteration)
        began = time.perf_counter()
        self.sampler.step(count)
        took = time.perf_counter() - began
        self.seconds += took
        return max(1, min(4 * chunk, int(_CHUNK_SECONDS * count / max(took, 1e-9))))

    def _measure(self) -> Progress:
        assert self.measure is not None
        self.trace.append(Progress(self.sampler.iteration, self.seconds, float(self.measure(self.sampler))))
        self.measured_at = self.seconds
        return self.trace[-1]

    def _save(self) -> None:
        assert self.checkpoint is not None
        began = time.perf_counter()
        save_checkpoint(self.sampler, self.checkpoint, self.seconds)
        self.seconds += time.perf_counter() - began
        self.saved_at = self.seconds

    def _fraction(self, iterations: int | None, seconds: float | None) -> float:
        return max(
            self.sampler.iteration / iterations if iterations else 0.0, self.seconds / seconds if seconds else 0.0
        )

    def _figure(self) -> str:
        measured = self.trace[-1].figure if self.trace else math.nan
        figure = f"iteration {self.sampler.iteration:,}"
        return figure if math.isnan(measured) else f"{figure}  measured {measured:.3g}"
