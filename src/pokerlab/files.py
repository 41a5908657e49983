"""Files of named arrays with a JSON header, written, and the folder where computed tables are kept.

A file is a zip of arrays, each with its checksum. It is written under a temporary name and renamed, so that a crash
or a full disk never leaves half a file, nor harms the one that was there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pokerlab.errors import PokerlabError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` once it is complete, so that no half of it is ever seen."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_arrays(
    path: str | Path,
    header: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    *,
    error: type[PokerlabError],
    compressed: bool = False,
) -> None:
    """Write a file; an existing one is replaced only once the new one is complete."""
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    try:
        with replacing(Path(path)) as file:
            (np.savez_compressed if compressed else np.savez)(file, allow_pickle=False, header=text, **arrays)
    except OSError as problem:
        raise error(f"cannot write {path}: {problem.strerror or problem}") from None


def cache_folder() -> Path:
    """Where computed tables are kept: $POKERLAB_CACHE, or pokerlab in the user's cache folder. Safe to delete."""
    named = os.environ.get("POKERLAB_CACHE")
    base = os.environ.get("XDG_CACHE_HOME")
    folder = Path(named) if named else Path(base or Path.home() / ".cache") / "pokerlab"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise PokerlabError(f"cannot make the cache folder {folder}: {problem.strerror}; set POKERLAB_CACHE") from None
    return folder
