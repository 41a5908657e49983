"""Files of named arrays with a JSON header, written: a zip of arrays, each with its checksum.

It is written under a temporary name and renamed, so that a crash or a full disk never leaves half a file, nor harms the
one that was there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.interrupts import uninterrupted
from pokerlab.progress import announced
from pokerlab.writing import replacing, why


def write_arrays(
    path: str | Path,
    header: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    *,
    error: type[PokerlabError],
    compressed: bool = False,
    keep: Path | None = None,
) -> None:
    """Write a file; an existing one is replaced only once the new one is complete, and has then the name `keep`."""
    try:
        with announced(f"writing {path}"), replacing(path, keep=keep) as file:
            pack_arrays(file, header, arrays, compressed=compressed)
    except OSError as problem:
        raise error(f"cannot write {path}: {why(problem)}") from None


def pack_arrays(
    file: BinaryIO, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], *, compressed: bool = False
) -> None:
    """Write the content of a file to an open one. Ctrl-C waits: inside a zip it would come out as an error of zips."""
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with uninterrupted():
        (np.savez_compressed if compressed else np.savez)(file, allow_pickle=False, header=text, **arrays)
