"""Progress on standard error, with the figure that matters: a bar at a terminal, a line now and then elsewhere.

Steps that cannot tell how far they are say what they are doing when it takes longer than a moment.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING

from pokerlab.errors import one_line, printable
from pokerlab.interrupts import uninterrupted

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 0.5  # seconds before a bar appears: short runs stay quiet
EVERY = 10.0  # seconds between lines where standard error is no terminal
SILENCE = 1.0  # seconds that a step may take before it says what it is


class Bar:
    """Used as a context; `shown` None means: as a bar at a terminal, and as lines elsewhere."""

    def __init__(self, title: str, shown: bool | None = None) -> None:
        terminal = sys.stderr.isatty()
        self._as_bar = terminal and _speaks() if shown is None else shown
        self._as_lines = shown is None and not terminal and _speaks()
        self._title, self._began = title, time.perf_counter()
        self._told = self._began
        self._bar: Progress | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, fraction: float, figure: str) -> None:
        """Say how much is done, and the figure beside it."""
        now = time.perf_counter()
        if self._as_lines and now - self._told >= EVERY:
            self._told = now
            done = f"{100 * min(1.0, fraction):.0f} %, {figure}" if fraction > 0 else figure
            _say(f"{self._title}: {done}, {now - self._began:,.0f} s")
        if not self._as_bar or now - self._began < PATIENCE:
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


@contextmanager
def announced(what: str) -> Iterator[None]:
    """Say what the block does, if that takes longer than a moment."""
    notice = _Notice(SILENCE, lambda: _say(f"{what} ..."))
    try:
        if _speaks():
            notice.start()
        yield
    finally:
        notice.cancel()


class _Notice(threading.Timer):
    """What will be said, unless it is cancelled before; nobody waits for it."""

    def __init__(self, seconds: float, say: Callable[[], None]) -> None:
        super().__init__(seconds, say)
        self.daemon = True

    def start(self) -> None:
        with uninterrupted():  # Ctrl-C while a thread begins can end as a RuntimeError of its locks
            super().start()


class Slow:
    """Steps of a kind, one within another or one after another, that say what they are once they take long together."""

    def __init__(self, what: str) -> None:
        self._what, self._depth, self._spent, self._began = what, 0, 0.0, 0.0
        self._notice: _Notice | None = None
        self._said = False

    def begin(self) -> None:
        """A step begins."""
        self._depth += 1
        if self._depth == 1:
            self._began = time.perf_counter()
            self._notice = _Notice(max(0.0, SILENCE - self._spent), self._tell)
            self._notice.start()

    def end(self) -> None:
        """It ends."""
        self._depth -= 1
        if self._depth == 0 and self._notice is not None:
            self._notice.cancel()
            self._spent += time.perf_counter() - self._began

    def _tell(self) -> None:
        if not self._said and _speaks():
            self._said = True
            _say(f"{self._what} ...")


def _speaks() -> bool:
    """Workers leave it to their parent."""
    return multiprocessing.parent_process() is None


def _say(message: str) -> None:
    with suppress(OSError, ValueError):  # standard error may be closed
        print(one_line(message), file=sys.stderr, flush=True)
