"""A folder of finished flops: what each is worth to a best response to one agent."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.finished import Finished, Kind
from pokerlab.match.exact.tree import PublicTree
from pokerlab.reading import of_kind, reading

KIND = Kind("pokerlab flop", 1, ".flop", "agent", "flops of another agent")


class Folder:
    """The finished flops of one agent, in a folder."""

    def __init__(self, path: str | Path, tree: PublicTree) -> None:
        self.tree, self.finished = tree, Finished(path, KIND, tree.play.digest())

    def has(self, number: int) -> bool:
        return self.finished.has(self._name(number))

    def read(self, number: int) -> np.ndarray | None:
        """What a flop is worth, None if it is not finished."""
        piece = self.finished.read(self._name(number))
        if piece is None:
            return None
        file = self.finished.file(self._name(number))
        with reading(file, PokerlabError):
            lines = len(self.tree.seats[0][1].roots)
            worth: np.ndarray = of_kind(piece[1], "worth", np.float64, 2, lines, int(self.tree.suits.kinds.max()) + 1)
        if not np.isfinite(worth).all():
            raise PokerlabError(f"{file}: what a hand is worth is no number")
        return worth

    def write(self, number: int, worth: np.ndarray, seconds: float) -> None:
        rules, precision = self.tree.rules.text(), np.dtype(self.tree.dtype).name
        header = {"game": rules, "seconds": seconds, "precision": precision}
        self.finished.write(self._name(number), header, {"worth": worth})

    def _name(self, number: int) -> str:
        return self.tree.rules.deck.text(self.tree.flops[number].board)
