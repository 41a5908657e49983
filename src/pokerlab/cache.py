"""The folder where what is slow to make is kept, and how work goes on where it cannot be read or written.

Nothing in it is needed: what is missing, damaged or not to be read is made again. Only what is damaged is removed.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np

from pokerlab.errors import COMPLAINT, PokerlabError, one_line
from pokerlab.reading import Header, is_damage, is_file, read_arrays, reading
from pokerlab.writing import why

T = TypeVar("T")

ADVICE = "POKERLAB_CACHE may name a folder that can be written"
_said: set[str] = set()


def cache_folder() -> Path:
    """$POKERLAB_CACHE, or pokerlab in the user's cache folder; it need not be there. Safe to delete."""
    named, base = os.environ.get("POKERLAB_CACHE"), os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(named) if named else Path(base or Path.home() / ".cache") / "pokerlab"
    except RuntimeError:
        raise PokerlabError("there is no home folder to keep computed tables in: set POKERLAB_CACHE") from None


def say_once(kind: str, message: str) -> None:
    """A word on standard error, the first time that there is one of this kind; workers leave it to their parent."""
    if kind not in _said and multiprocessing.parent_process() is None:
        _said.add(kind)
        with suppress(OSError, ValueError):
            print(COMPLAINT + one_line(message), file=sys.stderr, flush=True)


def recalled(name: str, read: Callable[[Path], T]) -> T | None:
    """What `read` makes of a kept file; None where there is none, or none that is whole and may be read."""
    try:
        path = cache_folder() / name
        return read(path) if path.exists() or is_file(path) else None
    except (OSError, PokerlabError) as problem:
        if isinstance(problem, PokerlabError) and is_damage(problem):
            say_once("damaged", f"{path} is damaged, and is made again")
            with suppress(OSError):
                path.unlink()
        else:
            say_once("read", f"what was kept is not used, and is made again ({why(problem)})")
        return None


def recalled_table(
    name: str, format: str, version: int, most: int, fits: Callable[[Header, dict[str, np.ndarray]], T]
) -> T | None:
    """The same of a file of arrays, of `most` bytes, of which `fits` makes something, or finds that it is damaged."""

    def read(path: Path) -> T:
        header, arrays = read_arrays(path, format, version, error=PokerlabError, most=most)
        with reading(path, PokerlabError):
            return fits(header, arrays)

    return recalled(name, read)


def keep(name: str, write: Callable[[Path], None]) -> bool:
    """Let `write` keep something for the next time; whether it could."""
    try:
        path = cache_folder() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    except (OSError, PokerlabError) as problem:
        reason = why(problem)
        say_once("keep", f"what was computed is not kept for the next time ({reason}); {ADVICE}")
        return False
    return True
