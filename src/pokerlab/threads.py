"""Work on threads, for compiled loops that let go of the interpreter.

Tasks write to places of their own and results come in order, so that the number of threads changes nothing. After an
error or Ctrl-C the tasks under way are finished, and no other is begun. Tasks that spread work themselves do it alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from queue import SimpleQueue
from typing import Any, TypeVar

from pokerlab.interrupts import uninterrupted
from pokerlab.processes import cores
from pokerlab.progress import Bar

Task = TypeVar("Task")
Result = TypeVar("Result")
Room = TypeVar("Room")

_NAME = "pokerlab worker"


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix=_NAME)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a fork has none of its parent's threads to wait for


def spread(
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    threads: int | None = None,
    show: Callable[[int], None] | None = None,
) -> list[Result]:
    """The results of `work` on every task, in order, on so many threads (by default one a core).

    `show` is told how many are done, from the first on.
    """
    given, count, results = list(tasks), threads or cores(), []
    # A task that waited for others in its own pool could wait forever.
    alone = len(given) < 2 or count < 2 or threading.current_thread().name.startswith(_NAME)
    with uninterrupted():  # threads are begun
        futures = [] if alone else [_pool(count).submit(work, task) for task in given]
    try:
        for result in map(work, given) if alone else (future.result() for future in futures):
            results.append(result)
            if show is not None:
                show(len(results))
    except BaseException:
        wait([future for future in futures if not future.cancel()])
        raise
    return results


def in_rooms(rooms: Iterable[Room], work: Callable[..., Result]) -> Callable[..., Result]:
    """`work` with a last argument: a room that no other task uses meanwhile. Tasks wait where there are few rooms."""
    free: SimpleQueue[Room] = SimpleQueue()
    for room in rooms:
        free.put(room)

    def in_one(*task: Any) -> Result:
        room = free.get()
        try:
            return work(*task, room)
        finally:
            free.put(room)

    return in_one


def pieces(count: int, size: int) -> list[tuple[int, int]]:
    """0..count cut into (first, last) of at most this size."""
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def in_pieces(
    work: Callable[[int, int], Result], count: int, size: int, title: str, shown: bool | None = None
) -> list[Result]:
    """The results of work(first, last) on pieces of 0..count, in order, under a bar."""
    with Bar(title, shown) as bar:

        def show(done: int) -> None:
            reached = min(done * size, count)
            bar.show(reached / count, f"{reached:,} of {count:,}")

        return spread(lambda piece: work(*piece), pieces(count, size), show=show)
