"""One runner for everything that is solved step by step: games, sampled tables and spots.

A stepper makes iterations; the runner knows when to stop, what to show and when to keep what there is. Figures are
looked at at iterations that depend on nothing but their number, and Ctrl-C waits until a step is done, so that a run
that was interrupted and resumed ends exactly as one that was not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from pokerlab.bounds import EXPLOITABILITY, ITERATIONS, SECONDS
from pokerlab.errors import PokerlabError, SolverError
from pokerlab.interrupts import uninterrupted
from pokerlab.progress import Bar

CHECKPOINT_SECONDS = 50.0  # with the time to write one, a run that is killed loses no more than a minute
_FIRST_CHECKPOINT = 3.0  # seconds; later ones are as far apart as the run is old, and ten times as far as one takes
CHECK_EVERY = 10
_CHUNK_SECONDS = 0.2  # a call is not much longer, so that limits and Ctrl-C are answered soon


class Stepper(Protocol):
    """Something on its way. Same start and number of iterations: same state, bit for bit, however they are divided."""

    @property
    def iteration(self) -> int: ...

    @property
    def finished(self) -> bool:
        """Whether further steps would change nothing."""
        ...

    def step(self, count: int = 1) -> None:
        """So many iterations; none only compiles the kernels."""
        ...

    def state(self) -> dict[str, np.ndarray]:
        """Everything that later iterations depend on; good until the next step."""
        ...

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state; one that does not fit is an error and changes nothing."""
        ...


def fitting(
    state: Mapping[str, np.ndarray], key: str, shape: tuple[int | None, ...], dtype: np.typing.DTypeLike,
    finite: bool = True,
) -> np.ndarray:  # fmt: skip
    """An array of a saved state, of this shape (None: of any length); SolverError if there is none such."""
    array = state.get(key)
    lengths = () if array is None else array.shape
    fits = len(lengths) == len(shape) and all(want in (None, have) for have, want in zip(lengths, shape, strict=True))
    if array is None or not fits or array.dtype != dtype:
        raise SolverError(f"the saved state does not fit what is to go on ({key})")
    if finite and not np.isfinite(array).all():
        raise SolverError(f"the saved state has numbers that are none ({key})")
    return array


def put_back(arrays: Mapping[str, np.ndarray], state: Mapping[str, np.ndarray]) -> None:
    """Copy a state into a stepper's arrays; one that does not fit is an error and changes nothing."""
    fit = {
        key: fitting(state, key, array.shape, array.dtype, bool(np.isfinite(array).all()))
        for key, array in arrays.items()
    }
    for key, array in arrays.items():
        array[...] = fit[key]


class Point(NamedTuple):
    """A point of a run's trace; `figure` is what was measured: of games and spots their exploitability in chips."""

    iteration: int
    seconds: float
    figure: float

    @property
    def exploitability(self) -> float:
        return self.figure


@dataclass(frozen=True)
class Record:
    """How far a run is. `seconds` are those of iterations, scheduled checks and checkpoints.

    `stopped` says why it ended: `iterations`, `seconds`, `until`, `optimal`, `interrupted`, or the name of the figure
    that met its goal; of a checkpoint on the way it is `running`.
    """

    iterations: int = 0
    seconds: float = 0.0
    stopped: str = "running"
    trace: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Limits:
    """A run ends at the first that is met: iterations and seconds in all, the figure at most `goal`, or `until`."""

    iterations: int | None = None
    goal: float | None = None
    seconds: float | None = None
    until: Callable[[Point], bool] | None = None

    @property
    def none(self) -> bool:
        return self == Limits()

    def check(self, error: type[PokerlabError]) -> None:
        """Raise an error that names a limit which makes no sense; the goal is an exploitability."""
        ITERATIONS.check(self.iterations, error=error)
        EXPLOITABILITY.check(self.goal, error=error)
        SECONDS.check(self.seconds, error=error)


def every_so_many(iteration: int, every: int = CHECK_EVERY) -> int:
    """The first iteration after this one to look at: every ten (or 1, 25, ...), later every 5 %."""
    due = 0
    while due <= iteration:
        due += max(every, due // 20 if every > 1 else 1)
    return due


@dataclass(frozen=True)
class Gauge:
    """What is measured on the way, and when.

    After an iteration it is due at iteration `due(iteration)`; or, where `seconds` are given, every so often and at the
    end. What a caller measures by the clock does not count as time of the run.
    """

    measure: Callable[[], float]
    name: str = "exploitability"
    text: Callable[[float], str] = "{:.3g}".format
    due: Callable[[int], float] = every_so_many
    seconds: float | None = None


def run(
    stepper: Stepper,
    limits: Limits,
    gauge: Gauge | None = None,
    *,
    title: str,
    resumed: Record | None = None,
    keep: Callable[[Record], object] | None = None,
    keep_every: float | None = None,
    progress: bool | None = None,
    watch: Callable[[Record], bool] | None = None,
) -> Record:
    """Step until a limit is met. `keep` is called with how far the run is: soon, and ever more rarely up to every
    `keep_every` seconds (50).

    `resumed` is the record of the run that brought the stepper where it is. Ctrl-C ends the run; the iteration that it
    falls into is finished. `progress` None shows a bar for longer runs at a terminal, and lines elsewhere. `watch` is
    told how far the run is from moment to moment, and ends it as Ctrl-C does by answering true.
    """
    _warm_up(stepper, gauge)
    every = CHECKPOINT_SECONDS if keep_every is None else keep_every
    return _Run(stepper, limits, gauge, resumed or Record(), keep, every).go(title, progress, watch)


def _warm_up(stepper: Stepper, gauge: Gauge | None) -> None:
    """Compile or load the kernels before the clock starts."""
    stepper.step(0)
    if gauge is not None and gauge.seconds is None:
        gauge.measure()


class _Run:
    """A stepper on its way: clock, trace and checkpoints."""

    def __init__(
        self,
        stepper: Stepper,
        limits: Limits,
        gauge: Gauge | None,
        record: Record,
        keep: Callable[[Record], object] | None,
        keep_every: float,
    ) -> None:
        self.stepper, self.limits, self.gauge, self.keep, self.keep_every = stepper, limits, gauge, keep, keep_every
        self.seconds, self.trace, self.chunk = record.seconds, list(record.trace), 1
        self.began = self.kept_at = self.looked_at = record.seconds
        self.keeping = 0.0  # seconds that the last checkpoint took

    def go(self, title: str, progress: bool | None, watch: Callable[[Record], bool] | None) -> Record:
        with Bar(title, progress) as bar:
            try:
                while not (stopped := self._stop()):
                    if watch is not None and watch(self._record("running")):
                        raise KeyboardInterrupt
                    self._keep()
                    self._advance()
                    bar.show(self._fraction(), self._text())
            except KeyboardInterrupt:
                stopped = "interrupted"
        return self._record(stopped)

    def _record(self, stopped: str) -> Record:
        return Record(self.stepper.iteration, self.seconds, stopped, tuple(self.trace))

    def _stop(self) -> str:
        """Why to stop now, if there is a reason."""
        limits, at = self.limits, self.stepper.iteration
        stopped = ""
        if limits.seconds is not None and self.seconds >= limits.seconds:
            stopped = "seconds"
        if limits.iterations is not None and at >= limits.iterations:
            stopped = "iterations"
        if self.stepper.finished:
            stopped = "optimal"
        point = self._look(stopped != "")
        if point is not None and self.gauge and limits.goal is not None and point.figure <= limits.goal:
            return self.gauge.name
        if point is not None and limits.until is not None and limits.until(point):
            return "until"
        return stopped

    def _look(self, ending: bool) -> Point | None:
        """The figure at this iteration, measured now if that is due."""
        gauge, at = self.gauge, self.stepper.iteration
        if self.trace and self.trace[-1].iteration == at:
            return self.trace[-1]
        if gauge is None or not at:
            return None
        if gauge.seconds is not None:
            if not ending and self.seconds - self.looked_at < gauge.seconds:
                return None
            self.looked_at = self.seconds
            self.trace.append(Point(at, self.seconds, self._measured(gauge)))
        else:
            if gauge.due(at - 1) != at:
                return None
            began = time.perf_counter()
            figure = self._measured(gauge)
            self.seconds += time.perf_counter() - began
            self.trace.append(Point(at, self.seconds, figure))
        return self.trace[-1]

    def _measured(self, gauge: Gauge) -> float:
        figure = float(gauge.measure())
        if math.isnan(figure):  # what is kept from before is better than what would be kept now
            raise SolverError(f"after {self.stepper.iteration:,} iterations the {gauge.name} is no number any more")
        return figure

    def _advance(self) -> None:
        """Iterate for a moment, at most to where the next look is due."""
        stepper, at, most = self.stepper, self.stepper.iteration, self.limits.iterations
        due = self.gauge.due(at) if self.gauge and self.gauge.seconds is None else math.inf
        count = int(min(self.chunk, due - at, math.inf if most is None else most - at))
        with uninterrupted():
            began = time.perf_counter()
            stepper.step(count)
            took = time.perf_counter() - began
            self.seconds += took
        self.chunk = max(1, min(4 * self.chunk, int(_CHUNK_SECONDS * count / max(took, 1e-9))))

    def _keep(self) -> None:
        apart = max(_FIRST_CHECKPOINT, self.kept_at - self.began, 10 * self.keeping)
        if self.keep is None or self.seconds - self.kept_at < min(self.keep_every, apart):
            return
        began = time.perf_counter()
        self.keep(self._record("running"))
        self.keeping = time.perf_counter() - began
        self.seconds += self.keeping
        self.kept_at = self.seconds

    def _text(self) -> str:
        """What the bar says."""
        text = f"iteration {self.stepper.iteration:,}"
        return f"{text}  {self.gauge.text(self.trace[-1].figure)}" if self.gauge and self.trace else text

    def _fraction(self) -> float:
        """How far the nearest limit is; figures fall roughly as a power, so by their logarithm."""
        limits, done = self.limits, 0.0
        if limits.iterations:
            done = self.stepper.iteration / limits.iterations
        if limits.seconds:
            done = max(done, self.seconds / limits.seconds)
        if limits.goal and self.trace:
            start, now = self.trace[0].figure, self.trace[-1].figure
            if start > limits.goal and now > 0:
                done = max(done, math.log(start / now) / math.log(start / limits.goal))
        return done
