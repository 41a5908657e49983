"""A progress bar on standard error that shows the figure that matters."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from pokerlab.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 0.5  # seconds before a bar appears: short runs stay quiet


class Bar:
    """Used as a context; `shown` None means: only at a terminal."""

    def __init__(self, title: str, shown: bool | None = None) -> None:
        self._wanted = sys.stderr.isatty() if shown is None else shown
        self._title, self._began = title, time.perf_counter()
        self._bar: Progress | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, fraction: float, figure: str) -> None:
        """Update the bar: how much is done, and the figure beside it."""
        if not self._wanted or time.perf_counter() - self._began < PATIENCE:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False), BarColumn(),
                TextColumn("{task.fields[figure]}", markup=False),
                TimeElapsedColumn(), console=Console(stderr=True),
            )  # fmt: skip
            self._task = self._bar.add_task(printable(self._title), total=1.0, figure="")
            self._bar.start()
        self._bar.update(self._task, completed=min(1.0, fraction), figure=printable(figure))
