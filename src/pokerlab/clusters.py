"""Work that splits, on a cluster: Ray in the place of local processes, behind the same map-like seam.

    executor_of("4")                  four processes of this computer
    executor_of("ray")                the Ray that runs here or that RAY_ADDRESS names, or else one that is started
    executor_of("ray://head:10001")   a cluster, whose machines have pokerlab too

Workers read the files of whom they work for. What a task opens by name is asked for by that name; where the worker's
own file has another content, or is not there, it is fetched, and kept under its digest in the worker's cache folder.
The task of a worker that is lost is done again by another.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import pickle
import re
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from uuid import uuid4

from pokerlab import reading
from pokerlab.bounds import PROCESSES
from pokerlab.cache import cache_folder
from pokerlab.errors import PokerlabError, WorkerDied, shown
from pokerlab.processes import Executor, local_processes
from pokerlab.writing import replacing

RETRIES = 3  # of a task whose worker is lost
_PATIENCE = 5.0  # seconds in which a cluster must answer
_AHEAD = 4  # tasks that wait, for each processor of the cluster
_ADDRESS = re.compile(r"ray|(ray://)?[\w.-]+:[0-9]{1,5}", re.ASCII)
_FETCHED = "fetched"  # folder of the cache


def executor_of(where: str | int | None = None, most: int | None = None) -> Executor:
    """So many local processes (None: one a core), or a Ray cluster at an address, which is reached at once.

    `most` is how many tasks are worked on at a time, where that is to be fewer.
    """
    PROCESSES.check(most)
    if where is None:
        return local_processes(most)
    if re.fullmatch("[+-]?[0-9]{1,9}", str(where)):
        return local_processes(int(where) if most is None else min(int(where), most))
    if not _ADDRESS.fullmatch(str(where)):
        raise PokerlabError(f"a cluster is named ray, host:6379 or ray://host:10001, not {shown(where)}")
    return partial(_on_cluster, _reached(str(where)), most)


def _reached(address: str) -> ModuleType:
    """Ray, connected."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell others of itself
    try:
        import ray
    except ImportError:
        raise PokerlabError("a cluster is reached by Ray: pip install 'pokerlab[cluster]'") from None
    if ray.is_initialized():
        return ray
    quietly: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if address != "ray":
            _knock(address.removeprefix("ray://"))
            ray.init(address, **quietly)
        else:
            try:
                ray.init("auto", **quietly)  # RAY_ADDRESS, or what runs here
            except ConnectionError:
                ray.init("local", include_dashboard=False, **quietly)
    except Exception as problem:  # of Ray, of gRPC, of names that cannot be looked up
        told = (str(problem).strip() or type(problem).__name__).splitlines()[0]
        raise PokerlabError(f"cannot reach a Ray cluster at {shown(address)}: {told}") from None
    return ray


def _knock(address: str) -> None:
    """Raises where nobody answers, or somebody who is not a cluster: Ray itself would try for minutes, or for ever."""
    import grpc

    host, _, port = address.rpartition(":")
    socket.create_connection((host, int(port)), _PATIENCE).close()  # which says what is wrong
    if os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
        return  # it has keys of its own
    with grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)]) as channel:  # as Ray has it
        try:
            grpc.channel_ready_future(channel).result(_PATIENCE)
        except grpc.FutureTimeoutError:
            raise TimeoutError(f"who listens there does not answer as Ray in {_PATIENCE:g} seconds") from None


class _Wanted(NamedTuple):
    """What a worker asks for: a file of its `name`, or what is kept in the cache folder under it."""

    name: str
    kept: bool
    content: bool  # or only its digest

    @property
    def path(self) -> Path:
        return cache_folder() / self.name if self.kept else Path(self.name)


class _Post:
    """An actor between workers, who ask for files, and the one they work for, who alone can read them."""

    def __init__(self) -> None:
        self._asked: asyncio.Queue[_Wanted] = asyncio.Queue()
        self._answers: dict[_Wanted, asyncio.Future] = {}

    async def ask(self, wanted: _Wanted) -> Any:
        if wanted not in self._answers:
            self._answers[wanted] = asyncio.get_running_loop().create_future()
            await self._asked.put(wanted)
        return await self._answers[wanted]

    async def next(self) -> _Wanted:
        return await self._asked.get()

    async def answer(self, wanted: _Wanted, answer: Any) -> None:
        self._answers[wanted].set_result(answer)


def _on_cluster(
    ray: ModuleType, most: int | None, function: Callable[[Any], Any], tasks: Sequence[Any]
) -> Iterable[Any]:  # fmt: skip
    """The executor: results as they come, in any order."""
    post = ray.remote(_Post).options(num_cpus=0).remote()
    folders = [os.path.abspath(folder) for folder in sys.path]
    call, sent = uuid4().hex, ray.put(pickle.dumps((folders, pickle.dumps(function))))
    work = ray.remote(_work).options(num_cpus=1, max_retries=RETRIES)
    left, at_work = iter(tasks), dict[Any, Any]()
    try:
        wanted = post.next.remote()
        while True:
            room = (most or _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))) - len(at_work)
            # Pickled here, as for a process: what Ray unpickles could not be written to.
            at_work |= {work.remote(call, post, sent, pickle.dumps(task)): task for task in islice(left, max(0, room))}
            if not at_work:
                return
            (ready, *_), _ = ray.wait([wanted, *at_work], num_returns=1)
            if ready == wanted:
                _answer(ray, post, ray.get(wanted))
                wanted = post.next.remote()
            else:
                yield pickle.loads(_result(ray, ready, at_work.pop(ready)))
    finally:
        for unfinished in at_work:
            with suppress(Exception):  # it may just have ended
                ray.cancel(unfinished, force=True)
        ray.kill(post)


def _answer(ray: ModuleType, post: Any, wanted: _Wanted) -> None:
    """Tell the workers a file's digest, None if there is none, or its content and the digest of that."""
    answer: Any = None
    with suppress(OSError, ValueError):
        if wanted.path.is_file():
            answer = _digest(wanted.path)
            if wanted.content:
                data = wanted.path.read_bytes()
                answer = hashlib.sha256(data).hexdigest(), [ray.put(data)]  # in a list it is not fetched by the post
    post.answer.remote(wanted, answer)


def _result(ray: ModuleType, reference: Any, task: Any) -> bytes:
    errors = ray.exceptions
    try:
        result: bytes = ray.get(reference)
        return result
    except errors.RayTaskError as error:
        raise error.cause from None
    except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as error:
        told = str(error).splitlines()[0]
        raise WorkerDied(f"a worker of the cluster died, {RETRIES + 1} times over ({told})", task) from None


# In workers.

_functions: dict[str, Callable[[Any], Any]] = {}  # that of the last call
_digests: dict[tuple[str, int, int], str] = {}


def _work(call: str, post: Any, sent: bytes, task: bytes) -> bytes:
    if call not in _functions:
        _functions.clear()
        reading.read_through(_Files(post))
        folders, function = pickle.loads(sent)
        sys.path += [folder for folder in folders if folder not in sys.path]  # a user's own modules, where it has them
        _functions[call] = pickle.loads(function)
    return pickle.dumps(_functions[call](pickle.loads(task)))


class _Files:
    """Where a worker reads the files of whom it works for."""

    def __init__(self, post: Any) -> None:
        self._post, self._places = post, dict[str, Path]()

    def __call__(self, path: str | Path) -> Path:
        name = os.fspath(path)
        if name not in self._places:
            self._places[name] = self._place(Path(name))
        return self._places[name]

    def _place(self, path: Path) -> Path:
        kept = path.is_relative_to(cache_folder())
        wanted = _Wanted(str(path.relative_to(cache_folder()) if kept else path), kept, content=False)
        digest = self._ask(wanted)
        with suppress(OSError):
            if digest is None or (path.is_file() and _digest(path) == digest):
                return path
        copy = cache_folder() / _FETCHED / digest
        if not copy.is_file():
            import ray

            digest, (content,) = self._ask(wanted._replace(content=True))
            copy = cache_folder() / _FETCHED / digest
            copy.parent.mkdir(parents=True, exist_ok=True)
            with replacing(copy) as file:
                file.write(ray.get(content))
        return copy

    def _ask(self, wanted: _Wanted) -> Any:
        import ray

        return ray.get(self._post.ask.remote(wanted))


def _digest(path: Path) -> str:
    """Of a file's content, which is looked at again only where its size or time has changed."""
    told = path.stat()
    key = str(path.absolute()), told.st_size, told.st_mtime_ns
    if key not in _digests:
        with open(path, "rb") as file:
            _digests[key] = hashlib.file_digest(file, "sha256").hexdigest()
    return _digests[key]
