"""Work that splits, on local processes: one `map`-like seam, so that a cluster can take their place.

An executor is called with a function and tasks and yields results as they come, in any order. Builtin `map` is one.
Nothing is shared: functions are of a module, tasks and results can be pickled, and a result says which task it is of.
What all tasks need goes into the function, by `functools.partial`, which is sent once a worker.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.queues import SimpleQueue
from typing import Any

from pokerlab.bounds import PROCESSES
from pokerlab.errors import PokerlabError, WorkerDied

Executor = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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


def must_fit(size: float, what: str, instead: str, error: type[PokerlabError] = PokerlabError) -> None:
    """Refuse what takes more bytes than there are."""
    free = free_memory()
    if free is not None and size > free:
        raise error(f"{what} takes {size / 2**30:.2f} GiB and {free / 2**30:.2f} GiB are free: {instead}")


def local_processes(count: int | None = None) -> Executor:
    """An executor on `count` processes (by default one a core); 1 means this process, without starting another."""
    PROCESSES.check(count)
    most = count or cores()

    def spread(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterable[Any]:
        needed = min(most, len(tasks))
        return _on_pool(function, tasks, needed) if needed > 1 else map(function, tasks)

    return spread


@contextmanager
def at_work(executor: Executor | None, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Iterable[Any]]:
    """The results as they come, in this process if there is no executor; what is left at the block's end is dropped."""
    results = (executor or map)(function, tasks)
    try:
        yield results
    finally:
        getattr(results, "close", lambda: None)()


def _on_pool(function: Callable[[Any], Any], tasks: Sequence[Any], count: int) -> Iterator[Any]:
    context = get_context("spawn")  # forking would copy the locks of compiled code's threads
    lifeline, held = context.Pipe(duplex=False)
    sent, others = pickle.dumps(function), set(active_children())
    with _of_no_folder():  # semaphores too are looked after by an interpreter
        begun = context.SimpleQueue()  # of workers' process ids and the numbers of the tasks that they begin
        pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(lifeline, begun, sent))
        futures = [pool.submit(_work, number, task) for number, task in enumerate(tasks)]
        workers = set(active_children()) - others
    try:
        for future in as_completed(futures):
            yield future.result()
        pool.shutdown()
    except BrokenProcessPool:
        for worker in workers:
            worker.join()
        raise _died(workers, begun, tasks) from None
    finally:
        # After an error or Ctrl-C nobody wants what is still being worked on: cut the line rather than wait.
        held.close()
        pool.shutdown(cancel_futures=True)
        lifeline.close()


def beside(work: Callable[[Connection], None], niceness: int = 0) -> tuple[BaseProcess, Connection]:
    """A process that runs `work` beside this one, and the end of the pipe that it speaks through.

    It leaves Ctrl-C to this process, lets others go first by its `niceness`, and is to end when the pipe does.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_aside, args=(work, theirs, niceness), daemon=True)
    with _of_no_folder():
        process.start()
    theirs.close()
    return process, ours


def _aside(work: Callable[[Connection], None], pipe: Connection, niceness: int) -> None:
    os.environ.pop(_SAFE_PATH, None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(niceness)
    work(pipe)


@contextmanager
def _of_no_folder() -> Iterator[None]:
    """Interpreters that start in this block import nothing by accident from the folder that they start in."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _died(workers: Iterable[BaseProcess], begun: SimpleQueue, tasks: Sequence[Any]) -> WorkerDied:
    """Which worker died, how, and over what; the pool has stopped the others by SIGTERM."""
    at_work: dict[int, int] = {}
    while not begun.empty():
        pid, number = begun.get()
        at_work[pid] = number
    for worker in workers:
        if worker.exitcode and worker.exitcode != -signal.SIGTERM:
            how = f"exit code {worker.exitcode}" if worker.exitcode > 0 else f"killed by signal {-worker.exitcode}"
            task = tasks[at_work[worker.pid]] if worker.pid in at_work else None
            return WorkerDied(f"a worker process died, {how} ({_WHY})", task)
    return WorkerDied(f"a worker process died ({_WHY})")


_SAFE_PATH = "PYTHONSAFEPATH"
_WHY = "out of memory, or an agent that ends its process; a script of yours starts under `if __name__ == '__main__':`"
_sent = b""
_begun: SimpleQueue | None = None


def _begin(lifeline: Connection, begun: SimpleQueue, sent: bytes) -> None:
    """In each worker: leave Ctrl-C to the parent, and end when the parent lets go or is killed.

    Workers of a killed parent would otherwise wait for its next task forever.
    """
    global _begun, _sent
    _begun, _sent = begun, sent
    os.environ.pop(_SAFE_PATH, None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


@lru_cache(maxsize=1)
def _function() -> Callable[[Any], Any]:
    """Unpickled in the first task, whose caller is then told of what goes wrong."""
    function: Callable[[Any], Any] = pickle.loads(_sent)
    return function


def _work(number: int, task: Any) -> Any:
    assert _begun is not None
    _begun.put((os.getpid(), number))
    return _function()(task)


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
