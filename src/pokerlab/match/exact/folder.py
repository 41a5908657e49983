"""A folder of finished flops: one small file each, whole or not there, so that work stops and goes on anywhere.

Every file says which agent's best response it is of. Files of one agent may be gathered from several machines.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.files import write_arrays
from pokerlab.match.exact.tree import PublicTree
from pokerlab.reading import of_kind, read_arrays, reading
from pokerlab.writing import check_folder

FORMAT, VERSION = "pokerlab flop", 1


class Folder:
    """The finished flops of one agent, in a folder."""

    def __init__(self, path: str | Path, tree: PublicTree) -> None:
        self.path, self.tree, self.digest = Path(path), tree, tree.play.digest()
        check_folder(self.path)
        for file in sorted(self.path.glob("*.flop")):  # another agent's folder is refused before any work
            self._read(file)
            break

    def has(self, number: int) -> bool:
        return self._file(number).exists()

    def read(self, number: int) -> np.ndarray | None:
        """What a flop is worth, None if it is not finished."""
        file = self._file(number)
        return self._read(file) if file.exists() else None

    def write(self, number: int, worth: np.ndarray, seconds: float) -> None:
        header = {
            "format": FORMAT, "version": VERSION, "agent": self.digest, "game": self.tree.rules.text(),
            "seconds": seconds, "precision": np.dtype(self.tree.dtype).name,
        }  # fmt: skip
        write_arrays(self._file(number), header, {"worth": worth}, error=PokerlabError)

    def _file(self, number: int) -> Path:
        return self.path / f"{self.tree.rules.deck.text(self.tree.flops[number].board)}.flop"

    def _read(self, file: Path) -> np.ndarray:
        header, arrays = read_arrays(file, FORMAT, VERSION, error=PokerlabError)
        with reading(file, PokerlabError):
            if header.text("agent") != self.digest:
                raise PokerlabError(f"{self.path} has flops of another agent ({file.name}): choose another folder")
            lines = len(self.tree.seats[0][1].roots)
            worth: np.ndarray = of_kind(arrays, "worth", np.float64, 2, lines, int(self.tree.suits.kinds.max()) + 1)
            if not np.isfinite(worth).all():
                raise PokerlabError(f"{file}: what a hand is worth is no number")
        return worth
