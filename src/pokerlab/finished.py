"""A folder of finished pieces of some work: one file each, whole or not there, so that work stops and goes on anywhere.

Every file says by a digest which work it is a piece of, and a folder of other work is refused before anything is done.
Pieces of one work may be gathered from several machines.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.files import write_arrays
from pokerlab.reading import Header, read_arrays, reading
from pokerlab.writing import check_folder


class Kind(NamedTuple):
    """What pieces are: their format with its version, the ending of their names, the field of the digest, and what a
    folder of other work is said to have.
    """

    format: str
    version: int
    ending: str
    field: str
    others: str


class Finished:
    """The finished pieces, by name."""

    def __init__(
        self, path: str | Path, kind: Kind, digest: str, error: type[PokerlabError] = PokerlabError
    ) -> None:  # fmt: skip
        self.path, self.kind, self.digest, self.error = Path(path), kind, digest, error
        check_folder(self.path, error)
        for file in sorted(self.path.glob(f"*{kind.ending}")):
            self._read(file)
            break

    def file(self, name: str) -> Path:
        return self.path / f"{name}{self.kind.ending}"

    def has(self, name: str) -> bool:
        return self.file(name).exists()

    def read(self, name: str) -> tuple[Header, dict[str, np.ndarray]] | None:
        """A piece, None if it is not finished."""
        file = self.file(name)
        return self._read(file) if file.exists() else None

    def write(self, name: str, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """A piece is finished."""
        kind = self.kind
        told = {"format": kind.format, "version": kind.version, kind.field: self.digest, **header}
        write_arrays(self.file(name), told, arrays, error=self.error)

    def _read(self, file: Path) -> tuple[Header, dict[str, np.ndarray]]:
        header, arrays = read_arrays(file, self.kind.format, self.kind.version, error=self.error)
        with reading(file, self.error):
            digest = header.text(self.kind.field)
        if digest != self.digest:
            raise self.error(f"{self.path} has {self.kind.others} ({file.name}): choose another folder")
        return header, arrays
