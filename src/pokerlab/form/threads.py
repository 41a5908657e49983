"""Work on threads, for compiled loops that let go of the interpreter; and work that Ctrl-C does not tear apart."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from types import FrameType
from typing import TypeVar

from pokerlab.processes import cores

Task = TypeVar("Task")


@lru_cache(maxsize=1)
def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="pokerlab")


def spread(work: Callable[[Task], None], tasks: Iterable[Task]) -> None:
    """Do `work` on every task, on as many threads as there are cores; back when all are done.

    Tasks must not write to the same places: then the result does not depend on how they are spread.
    """
    given = list(tasks)
    if len(given) < 2 or cores() < 2:
        for task in given:
            work(task)
        return
    for future in [_pool(cores()).submit(work, task) for task in given]:
        future.result()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C until the end of the block, so that what it does is done as a whole or not at all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked and callable(before):
        before(*asked[0])
