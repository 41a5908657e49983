"""Work that splits, on local processes: one `map`-like seam, so that a cluster can take their place.

An executor is called with a function and tasks and yields results as they come, in any order. Builtin `map` is one.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from pokerlab.errors import PokerlabError

Executor = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def local_processes(count: int | None = None) -> Executor:
    """An executor on `count` processes (by default one a core); 1 means this process, without starting another."""
    if count is not None and count < 1:
        raise PokerlabError(f"at least one process is needed, not {count}")
    most = count or cores()

    def spread(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterable[Any]:
        needed = min(most, len(tasks))
        return _on_pool(function, tasks, needed) if needed > 1 else map(function, tasks)

    return spread


def _on_pool(function: Callable[[Any], Any], tasks: Sequence[Any], count: int) -> Iterator[Any]:
    context = get_context("spawn")  # forking would copy the locks of compiled code's threads
    lifeline, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(lifeline,))
    try:
        for future in as_completed([pool.submit(function, task) for task in tasks]):
            yield future.result()
        pool.shutdown()
    except BrokenProcessPool:
        raise PokerlabError(
            "a worker process died (out of memory, or an agent that ends its process; in a script of your own, start "
            "under `if __name__ == '__main__':`)"
        ) from None
    finally:
        # After an error or Ctrl-C nobody wants what is still being worked on: cut the line rather than wait.
        held.close()
        pool.shutdown(cancel_futures=True)
        lifeline.close()


def _begin(lifeline: Connection) -> None:
    """In each worker: leave Ctrl-C to the parent, and end when the parent lets go or is killed.

    Workers of a killed parent would otherwise wait for its next task forever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
