"""A progress bar on standard error that shows the figure that matters: exploitability."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from pokerlab.solve.solution import Point

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_PATIENCE = 0.5  # seconds before a bar appears: short runs stay quiet


class Progress:
    """Used as a context; `shown` None means: only at a terminal."""

    def __init__(
        self,
        shown: bool | None,
        title: str,
        iterations: int | None,
        exploitability: float | None,
        seconds: float | None,
    ) -> None:
        self._wanted = sys.stderr.isatty() if shown is None else shown
        self._title, self._began = title, time.perf_counter()
        self._limits = iterations, exploitability, seconds
        self._start: float | None = None
        self._bar: Bar | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, point: Point) -> None:
        """Update the bar."""
        if self._start is None:
            self._start = point.exploitability
        if not self._wanted or time.perf_counter() - self._began < _PATIENCE:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[figure]}"),
                TimeElapsedColumn(), console=Console(stderr=True),
            )  # fmt: skip
            self._task = self._bar.add_task(self._title, total=1.0, figure="")
            self._bar.start()
        figure = f"iteration {point.iteration:,}  exploitability {point.exploitability:.2e} chips"
        self._bar.update(self._task, completed=self._fraction(point), figure=figure)

    def _fraction(self, point: Point) -> float:
        """How far the nearest limit is; exploitability falls roughly as a power, so by its logarithm."""
        iterations, exploitability, seconds = self._limits
        done = [0.0]
        if iterations:
            done.append(point.iteration / iterations)
        if seconds:
            done.append(point.seconds / seconds)
        if exploitability and self._start and self._start > exploitability and point.exploitability > 0:
            done.append(math.log(self._start / point.exploitability) / math.log(self._start / exploitability))
        return min(1.0, max(done))
