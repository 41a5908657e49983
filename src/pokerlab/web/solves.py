"""What is computed while tables are played: a queue, the process that works it off, and those who watch.

Spots are solved and agents trained, one at a time (worker.py). Each is a row of the ledger. A spot is kept as NAME.toml
and its result as NAME.solution in the folder of the server, as `pokerlab spot NAME.toml` would, an agent where
`pokerlab train NAME` keeps it. What was under way when the server ended is `stopped`, and goes on from its checkpoint
when that is asked for. What can be asked for is bounded: how many wait, how many files there may be, and for how long.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Slow
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import RLock, Thread
from typing import Any

from pokerlab.agents.blueprint_file import blueprint_path
from pokerlab.agents.recipes import RECIPES
from pokerlab.bounds import EXPLOITABILITY, ITERATIONS, Bound
from pokerlab.errors import AgentError, Crowded, HandMovedOn, NoSuchTable, PokerlabError, SpotError, shown
from pokerlab.processes import beside
from pokerlab.reading import is_file
from pokerlab.refine.spots.run import DEFAULT_EXPLOITABILITY
from pokerlab.refine.spots.spot import parse_spot
from pokerlab.web.ledger import Ledger, SolveRow
from pokerlab.web.look import MOST_FILES, solutions
from pokerlab.web.worker import NICENESS, Task, Training, reached, work
from pokerlab.writing import replacing

SPOT, AGENT = "spot", "agent"
WAITING, SOLVING, DONE, STOPPED, FAILED = "waiting", "solving", "done", "stopped", "failed"
MOST_WAITING, MOST_TOLD, MOST_WEIGHED = 16, 100, 4
SECONDS = Bound("seconds", 0, 86_400, whole=False, above=True)
DEFAULT_SECONDS = 3600.0
NAME = re.compile("[A-Za-z0-9][A-Za-z0-9 _-]{0,59}")
_PATIENCE = 240.0  # seconds that a spot may take to be weighed: on a busy machine kernels may have to be compiled
_GRACE = 5.0  # seconds that a solve is given to keep what it has when the server ends
_NOTHING = {"iterations": 0, "seconds": 0.0, "stopped": "", "exploitability": None, "trace": []}
_UNTRAINED = {"iterations": 0, "seconds": 0.0, "stopped": "", "stage": ""}


class Solves:
    """The solves of a ledger. The process is started when it is first needed, and again when it has died."""

    def __init__(self, ledger: Ledger, device: str = "cpu") -> None:
        self._ledger, self._lock, self._device = ledger, RLock(), device
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._listener: Thread | None = None
        self._asked: dict[int, Future[dict[str, Any]]] = {}
        self._question, self._closing = 0, False
        self._watchers: set[Callable[[dict[str, Any]], None]] = set()
        self._rows = {row.number: row for row in ledger.solves(MOST_TOLD)}
        for row in list(self._rows.values()):
            if row.state in (WAITING, SOLVING):
                told = row.told | reached(_task(row))
                self._become(row._replace(state=STOPPED, error="the server ended", told=told))

    def close(self) -> None:
        """Stop what is being solved, and keep what it has come to if that does not take long."""
        with self._lock:
            self._closing = True
            process, pipe, listener = self._process, self._pipe, self._listener
            solving = [row for row in self._rows.values() if row.state == SOLVING]
        if process is None or pipe is None or listener is None:
            return
        for row in solving:
            self._send("stop", row.number)
        until = time.monotonic() + _GRACE
        while any(self._rows[row.number].state == SOLVING for row in solving) and time.monotonic() < until:
            time.sleep(0.02)
        process.terminate()
        process.join()
        listener.join()
        pipe.close()

    # ---- asking

    def ask(
        self, name: str, spot: str, exploitability: float | None, iterations: int | None, seconds: float | None
    ) -> dict[str, Any]:
        """Put a spot into the queue; it is kept as a file of this name."""
        EXPLOITABILITY.check(exploitability, error=SpotError)
        ITERATIONS.check(iterations, error=SpotError)
        SECONDS.check(seconds, error=SpotError)
        if exploitability is None and iterations is None and seconds is None:
            exploitability = DEFAULT_EXPLOITABILITY
        self._check_name(name)
        parse_spot(spot, name)  # what is wrong with the text is said without waiting for anybody
        self.weigh(spot, name)
        with self._lock:
            self._check_name(name)
            self._check_room(SPOT)
            with replacing(f"{name}.toml") as file:
                file.write(spot.encode())
            goal = {"exploitability": exploitability, "iterations": iterations, "seconds": seconds or DEFAULT_SECONDS}
            return self._enqueue(SPOT, name, spot, goal)

    def train(self, name: str, seconds: float | None) -> dict[str, Any]:
        """Put an agent that is not trained yet into the queue; by default for as long as its recipe says."""
        SECONDS.check(seconds, error=AgentError)
        if name not in RECIPES:
            raise AgentError(f"there is no agent {shown(name)} to train; there are {', '.join(RECIPES)}")
        with self._lock:
            if is_file(blueprint_path(name)):
                raise HandMovedOn(f"{name} is trained already")
            same = [row for row in self._rows.values() if row.kind == AGENT and row.name == name]
            if any(row.state in (WAITING, SOLVING) for row in same):
                raise HandMovedOn(f"{name} is being trained, or waits for that, already")
            self._check_room(AGENT)
            return self._enqueue(AGENT, name, "", {"seconds": seconds or RECIPES[name].seconds})

    def _enqueue(self, kind: str, name: str, spot: str, goal: dict[str, float | int | None]) -> dict[str, Any]:
        number = max(self._rows, default=0) + 1
        told = dict(_NOTHING if kind == SPOT else _UNTRAINED)
        self._become(SolveRow(number, name, spot, goal, WAITING, told, "", time.time(), kind))
        self._next()
        return self._told(self._rows[number])

    def _check_name(self, name: str) -> None:
        if not NAME.fullmatch(name):
            raise SpotError(
                "a name has up to 60 letters, digits, spaces, - and _, and begins with a letter or digit", "name"
            )
        if any(Path(f"{name}{end}").exists() for end in (".toml", ".solution", ".checkpoint")):
            raise SpotError(f"there is a spot {name!r} already: give another name", "name")

    def _check_room(self, kind: str) -> None:
        if sum(row.state == WAITING for row in self._rows.values()) >= MOST_WAITING:
            raise Crowded(f"{MOST_WAITING} others are waiting already: stop one, or come back later")
        if kind == SPOT and max(len(solutions()), sum(1 for _ in Path().glob("*.toml"))) >= MOST_FILES:
            raise Crowded(f"there are {MOST_FILES} spots in the folder: move some elsewhere first")

    def weigh(self, spot: str, name: str = "spot") -> dict[str, Any]:
        """What a spot would take, and how large it is (worker.weighed)."""
        with self._lock:
            if len(self._asked) >= MOST_WEIGHED:
                raise Crowded("the server is busy with other spots: try again")
            self._question += 1
            number, future = self._question, Future[dict[str, Any]]()
            self._asked[number] = future
            self._send("weigh", number, spot, name)
        try:
            return future.result(_PATIENCE)
        except Slow:
            raise Crowded("the spot could not be looked at in time: try again") from None
        finally:
            with self._lock:
                self._asked.pop(number, None)

    def stop(self, number: int, kind: str = SPOT) -> dict[str, Any]:
        """End a solve or a training; what it has come to is kept."""
        with self._lock:
            row = self._row(number, kind)
            if row.state == WAITING:
                self._become(row._replace(state=STOPPED))
            elif row.state == SOLVING:
                self._send("stop", number)
            else:
                raise HandMovedOn(f"this one ({number}) is {row.state} already")
            return self._told(self._rows[number])

    def go_on(self, number: int, kind: str = SPOT) -> dict[str, Any]:
        """Put one that was stopped into the queue again; it goes on from its checkpoint, if there is one."""
        with self._lock:
            row = self._row(number, kind)
            if row.state != STOPPED:
                raise HandMovedOn(f"this one ({number}) is {row.state}: only what was stopped can go on")
            self._check_room(kind)
            self._become(row._replace(state=WAITING, error=""))
            self._next()
            return self._told(self._rows[number])

    # ---- telling

    def _row(self, number: int, kind: str = SPOT) -> SolveRow:
        row = self._rows.get(number)
        if row is None or row.kind != kind:
            raise NoSuchTable(f"there is no {'solve' if kind == SPOT else 'training'} {number}")
        return row

    def told(self, number: int) -> dict[str, Any]:
        """A solve as plain JSON."""
        return self._told(self._row(number))

    def _told(self, row: SolveRow) -> dict[str, Any]:
        file = f"{row.name}.solution"
        there = row.kind == SPOT and row.state in (DONE, STOPPED) and Path(file).exists()
        return {
            "number": row.number, "kind": row.kind, "name": row.name, "state": row.state, "error": row.error,
            "goal": row.goal, "asked": row.asked, "file": file if there else None, **row.told,
        }  # fmt: skip

    def spot(self, number: int) -> str:
        """The text of the spot that one is about."""
        return self._row(number).spot

    def all(self, kind: str = SPOT) -> list[dict[str, Any]]:
        """Those of a kind, the newest first."""
        return [self._told(row) for row in sorted(self._rows.values(), reverse=True) if row.kind == kind]

    def watch(self, heard: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Tell somebody of everything that becomes of solves, in any thread, until they call what this returns."""
        with self._lock:
            self._watchers.add(heard)
        return lambda: self._watchers.discard(heard)

    def _become(self, row: SolveRow, keep: bool = True) -> None:
        self._rows[row.number] = row
        ended = [number for number, old in self._rows.items() if old.state in (DONE, STOPPED, FAILED)]
        for number in sorted(ended)[: max(0, len(self._rows) - MOST_TOLD)]:
            del self._rows[number]
        if keep:
            self._ledger.save_solve(row)
        told = self._told(row)
        for heard in tuple(self._watchers):
            heard(told)

    # ---- the process

    def _next(self) -> None:
        """Hand the next one over, if none is being worked on."""
        if self._closing or any(row.state == SOLVING for row in self._rows.values()):
            return
        for row in sorted(self._rows.values()):
            if row.state == WAITING:
                self._become(row._replace(state=SOLVING))
                self._send("solve" if row.kind == SPOT else "train", *_task(row))
                return

    def _send(self, *message: Any) -> None:
        with self._lock:
            if self._process is None:
                self._process, self._pipe = beside(partial(work, self._device), NICENESS)
                self._listener = Thread(target=self._listen, args=(self._process, self._pipe), daemon=True)
                self._listener.start()
            assert self._pipe is not None
            with suppress(OSError):  # it has just died, and the thread that listens will say so
                self._pipe.send(message)

    def _listen(self, process: BaseProcess, pipe: Connection) -> None:
        """What the process tells, until it is no more."""
        while True:
            try:
                word, number, *about = pipe.recv()
            except (EOFError, OSError):
                break
            with self._lock:
                self._heard(word, number, about)
        process.join()
        with self._lock:
            self._died(process.exitcode)

    def _heard(self, word: str, number: int, about: list[Any]) -> None:
        asked, row = self._asked.get(number), self._rows.get(number)
        if word == "weighed" and asked is not None:
            asked.set_result(about[0])
        elif word == "unweighable" and asked is not None:
            asked.set_exception(SpotError(*about))
        elif word == "running" and row is not None:
            self._become(row._replace(told=about[0]), keep=False)
        elif word == "solved" and row is not None:
            ended = STOPPED if about[0]["stopped"] == "interrupted" else DONE
            self._become(row._replace(state=ended, told=about[0]))
            self._next()
        elif word == "failed" and row is not None:
            self._become(row._replace(state=FAILED, error=about[0]))
            self._next()

    def _died(self, code: int | None) -> None:
        """The process is no more: what it was at has failed, and the next spot gets a new one."""
        self._process = None
        for future in self._asked.values():
            if not future.done():
                future.set_exception(PokerlabError("the process that looks at spots has died: try again"))
        for row in list(self._rows.values()):
            if row.state == SOLVING:
                why = "the server ended" if self._closing else f"the process that solves died (exit code {code})"
                self._become(row._replace(state=STOPPED if self._closing else FAILED, error=why))
        self._next()


def _task(row: SolveRow) -> Task | Training:
    """What the process is asked for."""
    if row.kind == SPOT:
        return Task(row.number, row.name, row.spot, **row.goal)  # type: ignore[arg-type]
    return Training(row.number, row.name, **row.goal)  # type: ignore[arg-type]
