"""Files of named arrays with a JSON header, written: a zip of arrays, each with its checksum.

What is too large to be made whole is written row by row, with a checksum for each, so that a row can be read alone
(`reading.ArrayFile`). A file is written under a temporary name and renamed, so that a crash or a full disk never leaves
half a file, nor harms the one that was there.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.interrupts import uninterrupted
from pokerlab.progress import announced
from pokerlab.writing import replacing, why

CHECKS = "_checks"  # after the name of an array: the checksums of its rows


class Rows(NamedTuple):
    """An array of this kind and shape, row by row."""

    kind: Any
    shape: tuple[int, ...]
    rows: Iterable[np.ndarray]


def write_arrays(
    path: str | Path,
    header: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    *,
    error: type[PokerlabError],
    rows: Mapping[str, Rows] | None = None,
    compressed: bool = False,
    keep: Path | None = None,
) -> None:
    """Write a file; an existing one is replaced only once the new one is complete, and has then the name `keep`."""
    try:
        with announced(f"writing {path}"), replacing(path, keep=keep) as file:
            pack_arrays(file, header, arrays, rows=rows, compressed=compressed)
    except OSError as problem:
        raise error(f"cannot write {path}: {why(problem)}") from None


def pack_arrays(
    file: BinaryIO,
    header: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    *,
    rows: Mapping[str, Rows] | None = None,
    compressed: bool = False,
) -> None:
    """Write the content of a file to an open one. Ctrl-C waits: inside a zip it would come out as an error of zips."""
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with uninterrupted(), zipfile.ZipFile(file, "w", kind) as archive:
        for name, array in {"header": text, **arrays}.items():
            _pack(archive, name, array)
        for name, each in (rows or {}).items():
            checks = np.zeros(each.shape[0], dtype=np.uint32)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                told = {"descr": np.dtype(each.kind).str, "fortran_order": False, "shape": each.shape}
                np.lib.format.write_array_header_1_0(member, told)
                for number, row in enumerate(each.rows):
                    data = np.ascontiguousarray(row, dtype=each.kind).tobytes()
                    checks[number] = zlib.crc32(data)
                    member.write(data)
            _pack(archive, f"{name}{CHECKS}", checks)


def _pack(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
