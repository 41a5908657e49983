"""A tournament's folder: a manifest that says which tournament it is, and one small file a finished chunk."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.errors import PokerlabError, PokerlabWarning
from pokerlab.interrupts import uninterrupted
from pokerlab.reading import Damage, Header, of_kind, read_bare, read_json, read_text, reading
from pokerlab.writing import check_folder, replacing, why

FORMAT = "pokerlab tournament"
VERSION = 1

Has = Callable[[int, int], bool]  # whether a tournament has a chunk of this match and first deal
RESULTS = ("results.json", "crosstable.csv", "matches.csv", "index.html")
_MANIFEST, _CHUNKS = "manifest.json", "chunks"
_LONGEST = 16 << 20  # bytes of a manifest
_NAMES_ONLY = {"game"}  # the rules themselves are compared; a file of them may have moved


@dataclass(frozen=True)
class Folder:
    """`path` with the manifest it holds."""

    path: Path
    manifest: Header

    @classmethod
    def open(cls, path: Path, manifest: dict[str, Any], has: Has) -> Folder:
        """For this tournament, which `has` such chunks: begun, or gone on with.

        Refuses the folder of another one, and files in the way that are no tournament's.
        """
        whole = {"format": FORMAT, "version": VERSION, **manifest}
        check_folder(path / _CHUNKS)
        check_folder(path)
        there = _read_manifest(path) if cls.at(path) else None
        other = [key for key in whole if key not in _NAMES_ONLY and there and there.get(key) != whole[key]]
        if there and other:
            what = ", ".join(_difference(key, there.get(key), whole[key]) for key in other)
            raise PokerlabError(
                f"{path} holds another tournament ({what}): go on with that one, choose another folder, "
                "or start afresh (--fresh), which deletes it"
            )
        if there is None:
            for stranger in (*(path / name for name in RESULTS), *_chunks(path, has)):
                if stranger.exists():
                    name = stranger.relative_to(path)
                    raise PokerlabError(f"{path} has a file {name} that is no tournament's: choose another folder")
            try:
                with replacing(path / _MANIFEST) as file:
                    file.write((json.dumps(whole, indent=1) + "\n").encode())
            except OSError as error:
                raise PokerlabError(f"cannot write to {path}: {why(error)}") from None
        return cls(path, there or Header(whole))

    @staticmethod
    def at(path: Path) -> bool:
        """Whether there is one; if it may not be looked at, reading it will say so."""
        try:
            os.stat(path / _MANIFEST)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, ValueError):
            return True
        return True

    @classmethod
    def existing(cls, path: Path) -> Folder:
        if not cls.at(path):
            raise PokerlabError(f"{path} is not the folder of a tournament: it has no {_MANIFEST}")
        return cls(path, _read_manifest(path))

    def delete(self, has: Has) -> None:
        """Delete the tournament: the chunks that it `has`, its results and its manifest.

        The manifest goes last: as long as it is there, the rest is known to be the tournament's.
        """
        try:
            for chunk in _chunks(self.path, has):
                chunk.unlink()
            for name in (*RESULTS, _MANIFEST):
                (self.path / name).unlink(missing_ok=True)
        except OSError as error:
            raise PokerlabError(f"cannot delete what is in {self.path}: {why(error)}") from None

    def _chunk(self, match: int, start: int) -> Path:
        return self.path / _CHUNKS / f"{match:05d}-{start:010d}.npz"

    def write(self, match: int, start: int, winnings: np.ndarray) -> None:
        """Keep a finished chunk, wholly or not at all."""
        path = self._chunk(match, start)
        try:
            with uninterrupted(), replacing(path) as file:
                np.savez_compressed(file, allow_pickle=False, winnings=winnings)
        except OSError as error:
            raise PokerlabError(f"cannot write {path}: {why(error)}") from None

    def read(self, match: int, start: int, count: int, players: int) -> np.ndarray | None:
        """A finished chunk; None where there is none, or a damaged one, of which a warning tells: it is played again.

        One that may not be read is an error: it may hold hours of play.
        """
        path = self._chunk(match, start)
        if not os.path.exists(path):
            return None
        try:
            winnings = of_kind(
                read_bare(path, most=8 * count * players, error=PokerlabError), "winnings", np.float64, count, players
            )
            if not (np.abs(winnings) < 2**53).all():
                raise Damage("its winnings are no numbers of chips")
        except Damage as problem:
            told = f"{path} is damaged ({problem}): its {count:,} deals have to be played again"
            warnings.warn(told, PokerlabWarning, stacklevel=2)
            return None
        return winnings


def _chunks(path: Path, has: Has) -> Iterator[Path]:
    """Files that have the names of a tournament's chunks."""
    for chunk in sorted((path / _CHUNKS).iterdir()):
        numbers = re.fullmatch(r"(\d{5,})-(\d{10,})\.npz", chunk.name)
        if numbers and has(int(numbers[1]), int(numbers[2])):
            yield chunk


def _read_manifest(path: Path) -> Header:
    text = read_text(path / _MANIFEST, most=_LONGEST, error=PokerlabError)
    with reading(path / _MANIFEST, PokerlabError):
        manifest = read_json(text)
    if manifest.get("format") != FORMAT or manifest.get("version") != VERSION:
        raise PokerlabError(f"{path / _MANIFEST} is not the manifest of a tournament that this pokerlab can read")
    return manifest


def _difference(key: str, there: Any, now: Any) -> str:
    if key != "agents":
        return f"{key}: {there} there, {now} now" if key != "rules" else "another game"
    old, new = ([a.get("name") for a in agents] if isinstance(agents, list) else [] for agents in (there, now))
    return f"agents: {' '.join(map(str, old))} there, {' '.join(new)} now" if old != new else "agents have changed"
