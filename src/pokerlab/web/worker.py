"""The process beside the server in which spots are weighed and solved and agents trained, one after another, so that no
table waits.

It hears `weigh`, `solve`, `train` and `stop` through a pipe and tells of everything through the same; when the pipe
ends, so does it. It works on one thread and lets others go first. What a run needs to go on is kept in a checkpoint.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from pokerlab.agents.blueprint_file import blueprint_path
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.training import checkpoint_of, train_recipe
from pokerlab.errors import PokerlabError, SpotError
from pokerlab.refine.spots.engine import engine_for
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.spot import Spot, parse_spot
from pokerlab.solvers.checkpoint import previous, record_in
from pokerlab.solvers.runner import Record

NICENESS = 10
_EVERY = 0.4  # seconds between two words about a solve
_POINTS = 200  # of a trace that is told


class Task(NamedTuple):
    """A spot to solve to the first limit met; `exploitability` is in per cent of the pot."""

    number: int
    name: str
    text: str
    exploitability: float | None
    iterations: int | None
    seconds: float

    @property
    def solution(self) -> Path:
        return Path(f"{self.name}.solution")

    @property
    def checkpoint(self) -> Path:
        return Path(f"{self.name}.checkpoint")

    def forget(self) -> None:
        """Nobody goes on from here: remove the checkpoint, and the one before it."""
        for path in (self.checkpoint, previous(self.checkpoint)):
            path.unlink(missing_ok=True)


class Training(NamedTuple):
    """An agent to be trained, by the name of its recipe, for so long in all."""

    number: int
    name: str
    seconds: float

    @property
    def checkpoint(self) -> Path:
        return checkpoint_of(blueprint_path(self.name))


def weighed(text: str, name: str, device: str) -> dict[str, Any]:
    """What a spot would take, and how large its betting is; SpotError where that is too much, or it makes no sense."""
    spot = parse_spot(text, name)
    shape = Shape(spot)
    kind = engine_for(device, shape, 1)
    needed, room = kind.needs(shape, 1), kind.room()
    if room is not None and needed > room:
        raise SpotError(
            f"this spot takes {needed / 2**30:.2f} GiB{kind.place} and {room / 2**30:.2f} GiB are free: give fewer bet "
            "sizes, max_raises or narrower ranges"
        )
    tree = spot.tree()
    hands = [int((spot.weights(player) > 0).sum()) for player in range(2)]
    return {"bytes": needed, "decisions": tree.decisions, "hands": hands, "actions": list(tree[0].labels)}


def told(spot: Spot, record: Record) -> dict[str, Any]:
    """How far a run is, as plain JSON: figures in per cent of the pot."""
    part = 100 / spot.total
    points = [(point.iteration, point.seconds, point.figure * part) for point in record.trace]
    thinned = points[:: max(1, len(points) // _POINTS)]
    return {
        "iterations": record.iterations, "seconds": record.seconds, "stopped": record.stopped,
        "exploitability": points[-1][2] if points else None,
        "trace": thinned if not points or thinned[-1] == points[-1] else [*thinned, points[-1]],
    }  # fmt: skip


def _walked(record: Record) -> dict[str, Any]:
    """How far a training is, as plain JSON."""
    return {"iterations": record.iterations, "seconds": record.seconds, "stopped": record.stopped, "stage": "walks"}


def reached(task: Task | Training) -> dict[str, Any]:
    """How far a run is that was killed, by its checkpoint; nothing where there is none to go on from."""
    with suppress(PokerlabError):
        record = record_in(task.checkpoint)
        return told(parse_spot(task.text, task.name), record) if isinstance(task, Task) else _walked(record)
    return {}


class Worker:
    """What goes on in the process, spots on the device. A thread listens, so that a solve hears that it is to stop."""

    def __init__(self, device: str, pipe: Connection) -> None:
        self._device = device
        self._pipe, self._tasks, self._to_stop = pipe, SimpleQueue[Task | Training](), set[int]()
        self._telling, self._said = threading.Lock(), 0.0

    def work(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            task = self._tasks.get()
            work = partial(self._solved, task) if isinstance(task, Task) else partial(self._trained, task)
            self._answer(("solved", "failed"), task.number, work)

    def _tell(self, *message: Any) -> None:
        with self._telling:
            self._pipe.send(message)

    def _listen(self) -> None:
        """Until the server lets go, or is no more."""
        try:
            while True:
                word, *about = self._pipe.recv()
                if word in ("solve", "train"):
                    self._to_stop.discard(about[0])
                    self._tasks.put(Task(*about) if word == "solve" else Training(*about))
                elif word == "stop":
                    self._to_stop.add(about[0])
                else:
                    number, text, name = about
                    self._answer(("weighed", "unweighable"), number, partial(weighed, text, name, self._device))
        except (EOFError, OSError):
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)  # nobody would hear anything any more

    def _answer(self, words: tuple[str, str], number: int, work: Callable[[], dict[str, Any]]) -> None:
        """Tell what comes of some work by the first word, or what is wrong by the second."""
        try:
            self._tell(words[0], number, work())
        except SpotError as error:
            self._tell(words[1], number, str(error), error.field)
        except (PokerlabError, MemoryError) as error:
            self._tell(words[1], number, str(error) or "there was not enough memory", "")

    def _watch(self, number: int, words: Callable[[Record], dict[str, Any]]) -> Callable[[Record], bool]:
        """What a run tells of itself from moment to moment; true when it is to stop."""

        def watch(record: Record) -> bool:
            if time.monotonic() - self._said > _EVERY:
                self._said = time.monotonic()
                self._tell("running", number, words(record))
            return number in self._to_stop

        return watch

    def _trained(self, task: Training) -> dict[str, Any]:
        """An agent trained as `pokerlab train` does it; cards are put into buckets first, which cannot be stopped."""
        self._tell("running", task.number, {"iterations": 0, "seconds": 0.0, "stopped": "", "stage": "cards"})
        run = train_recipe(
            RECIPES[task.name], seconds=task.seconds, threads=1, resume=True, progress=False,
            watch=self._watch(task.number, _walked),
        ).run  # fmt: skip
        return _walked(Record(run.iterations, run.seconds, run.stopped))

    def _solved(self, task: Task) -> dict[str, Any]:
        spot = parse_spot(task.text, task.name)
        solved = solve_spot(
            spot, exploitability=task.exploitability, iterations=task.iterations, seconds=task.seconds, threads=1,
            engine=self._device, checkpoint=task.checkpoint,
            resume=task.checkpoint if task.checkpoint.exists() else None, progress=False,
            watch=self._watch(task.number, partial(told, spot)),
        )  # fmt: skip
        solved.save(task.solution)
        if solved.stopped != "interrupted":
            task.forget()
        return told(spot, solved.record)


def work(device: str, pipe: Connection) -> None:
    """All that the process does."""
    Worker(device, pipe).work()
