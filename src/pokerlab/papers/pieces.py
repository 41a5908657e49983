"""What a reproduction has finished so far, a file a piece beside its results, so that a run that was stopped goes on.

Pieces are of one run, and no other works with them meanwhile. They say by a digest which sources they were computed by
and which trained agents they stand on: those of others are thrown away, and once the report is written all of them are,
so that the next run computes anew.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from pokerlab.cache import say_once
from pokerlab.errors import PokerlabError
from pokerlab.finished import Finished, Kind
from pokerlab.progress import Bar
from pokerlab.reading import Damage, Header, reading
from pokerlab.writing import check_folder, lock

P = ParamSpec("P")
T = TypeVar("T")

KIND = Kind("pokerlab piece", 1, ".piece", "work", "the pieces of other work")
_SOURCES = ("*.py", "*.cu", "*.cuh")
_BEGUN, _HELD = "begun", "at work"
_NAME, _DIGEST = 60, 8  # letters of a piece's name in that of its file, and digits of a digest


class OtherPieces(PokerlabError):
    """Pieces of other work, or damaged ones."""


class Pieces:
    """Those of a folder, which is there once there is one."""

    def __init__(self, folder: Path, work: str = "") -> None:
        self.folder, self.work = folder, work

    @property
    def count(self) -> int:
        """How many are finished, the beginning counted."""
        return sum(1 for _ in self.folder.glob(f"*{KIND.ending}"))

    @cached_property
    def _finished(self) -> Finished:
        """The folder, which is of this work now, and in which nobody else works until this run ends."""
        check_folder(self.folder, OtherPieces)
        self._held = (self.folder / _HELD).open("wb")
        if not lock(self._held):
            raise OtherPieces(f"another run of this paper is at work in {self.folder}: choose another folder")
        try:
            finished = Finished(self.folder, KIND, self.work, OtherPieces)
            if self.count > 1:
                say_once("pieces", f"{self.folder} has {self.count - 1} finished pieces of this run, which goes on")
        except OtherPieces:
            say_once("pieces", f"{self.folder} has pieces of other sources or agents: all is computed anew")
            self._empty()
            finished = Finished(self.folder, KIND, self.work, OtherPieces)
        if not self.count:
            finished.write(_BEGUN, {}, {})  # whose `place` is: it says which work, before there is another piece
        return finished

    def of(self, name: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `work` gives: arrays, numbers, texts, and tuples and dictionaries of these; kept by its name, which says
        all that tells it from other pieces of the run.
        """
        label = _plain(name)
        if (kept := self._read(label)) is not None:
            return kept[0]
        value, arrays = work(*args, **kwargs), list[np.ndarray]()
        told = {"name": name, "value": _folded(value, arrays)}
        self._finished.write(label, told, {str(number): array for number, array in enumerate(arrays)})
        return value

    def place(self, name: str) -> Path:
        """A folder for work that keeps files of its own, under this name."""
        folder = self._finished.path / _plain(name)
        folder.mkdir(exist_ok=True)
        return folder

    def _read(self, label: str) -> tuple[Any] | None:
        finished = self._finished
        try:
            kept = finished.read(label)
            if kept is None:
                return None
            with reading(finished.file(label), OtherPieces):
                header, arrays = kept
                return (_unfolded(header["value"], arrays),)
        except OtherPieces as problem:
            say_once("piece", f"{problem}; it is computed anew")
            return None

    def _empty(self) -> None:
        for there in self.folder.iterdir():
            if there.is_dir():
                shutil.rmtree(there, ignore_errors=True)
            elif there.name != _HELD:
                with suppress(OSError):  # then its work is told apart again, and refused
                    there.unlink()

    def clear(self) -> None:
        """All is done."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Part(NamedTuple):
    """A part of a run: how much is done where it begins, and a bar that tells what is being done."""

    pieces: Pieces
    bar: Bar
    title: str
    done: float

    def later(self, more: float) -> Part:
        """The same part, when more is done."""
        return self._replace(done=self.done + more)

    def tell(self, what: str) -> None:
        self.bar.show(self.done, f"{self.title}: {what}")

    def of(self, name: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """A piece of this part."""
        self.tell(name)
        return self.pieces.of(f"{self.title}: {name}", work, *args, **kwargs)


def _plain(name: str) -> str:
    """One that any file may have, and no other name gets."""
    return f"{re.sub(r'[^a-z0-9]+', '-', name.lower())[:_NAME]}-{_digest([name.encode()])[:_DIGEST]}"


def _folded(value: Any, arrays: list[np.ndarray]) -> Any:
    """JSON for a value; its arrays go into the list."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if type(value) is tuple:
        return [_folded(each, arrays) for each in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"table": {key: _folded(each, arrays) for key, each in value.items()}}
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise TypeError(f"a piece is made of arrays, numbers, texts, tuples and dictionaries, not of {type(value)}")


def _unfolded(told: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if isinstance(told, list):
        return tuple(_unfolded(each, arrays) for each in told)
    if not isinstance(told, dict):
        return told
    table = Header(told)
    if "table" in table:
        return {key: _unfolded(each, arrays) for key, each in table.table("table").items()}
    name = str(table.whole("array"))
    if name not in arrays:
        raise Damage(f"it has no array {name}")
    return arrays[name]


def work_of(what: object, *about: str, files: Iterable[Path] = ()) -> str:
    """A digest of all sources, also of the package of `what`, of what is told `about`, and of files that are there."""
    module = getattr(what, "__module__", "") or ""
    named = (__name__.partition(".")[0], module, module.partition(".")[0])
    sources = {path for name in named for path in _sources(sys.modules.get(name))}
    parts = [np.__version__.encode(), *(word.encode() for word in about)]
    for path in (*sorted(sources), *files):
        parts.append(_digest_of(path) if path.exists() else b"")
    return _digest(parts)


def _digest_of(path: Path) -> bytes:
    """Trained agents are large."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _sources(module: ModuleType | None) -> Iterable[Path]:
    """The files of a package, or the one of a module, if it has any."""
    for root in getattr(module, "__path__", ()):
        yield from (path for pattern in _SOURCES for path in Path(root).rglob(pattern))
    if file := getattr(module, "__file__", None):
        yield Path(file)


def _digest(parts: Iterable[bytes]) -> str:
    """Of parts and where they end."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:32]
