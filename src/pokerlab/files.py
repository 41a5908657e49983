"""Files of named arrays with a JSON header, and the folder where computed tables are kept.

A file is a zip of arrays, each with its checksum. It is written under a temporary name and renamed, so that a crash
or a full disk never leaves half a file, nor harms the one that was there.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
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


def read_arrays(
    path: str | Path, format: str, version: int, *, error: type[PokerlabError], oldest: int | None = None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of a file, which must be of this format and version, or one from `oldest` on."""
    kind = format.removeprefix("pokerlab ")
    article = "an" if kind[0] in "aeiou" else "a"
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        header = json.loads(arrays.pop("header").tobytes())
    except FileNotFoundError:
        raise error(f"no such file: {path}") from None
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error):
        raise error(f"{path} is not {article} {kind} file, or it is damaged or cut short") from None
    if not isinstance(header, dict) or header.get("format") != format:
        raise error(f"{path} is not a pokerlab {kind} file")
    if header.get("version") not in range(version if oldest is None else oldest, version + 1):
        raise error(f"{path} has format version {header.get('version')}; this pokerlab reads version {version}")
    return header, arrays


def format_of(path: str | Path) -> str:
    """What a file says that it is, such as `pokerlab strategy`; nothing else is read. "" where it says nothing."""
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes())
        return str(header["format"])
    except (OSError, ValueError, KeyError, EOFError, AttributeError, TypeError, zipfile.BadZipFile, zlib.error):
        return ""


def is_archive(path: str | Path) -> bool:
    """Whether a file is one of arrays, whole or damaged, and not text."""
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"PK"
    except OSError:
        return False


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
