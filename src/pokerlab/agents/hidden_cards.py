"""Hands of hold'em in which a player did not show its cards, to learn from: expectation over what it may have held.

As `solvers/hidden.py` does in compiled games, for counts by betting and bucket: every hole that shares no card with
what was seen counts for its part, in proportion to how likely the player would have played so with it, again and again
(`Counted.settle`). Holes that fall into the same buckets all the way count together.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokerlab.compiled import njit


class HiddenCards:
    """The ways in which the hands of a player may have been played: cells of its actions, by what it may have held."""

    def __init__(self) -> None:
        self._cells: list[np.ndarray] = []  # of each hand [ways, decisions]
        self._holes: list[np.ndarray] = []  # of each hand [ways] how many holes play it so

    def __len__(self) -> int:
        return len(self._cells)

    def add(self, decisions: Sequence[np.ndarray], possible: np.ndarray) -> None:
        """A hand: by decision the cell of the action that was taken, for every hole, and which holes there may be."""
        ways, holes = np.unique(np.stack([cells[possible] for cells in decisions], axis=1), axis=0, return_counts=True)
        self._cells.append(ways.astype(np.int32))
        self._holes.append(holes)

    def expected(self, model: np.ndarray) -> tuple[np.ndarray, float]:
        """How often each action was taken if the player plays so, and the log-likelihood of what was seen."""
        counts, likelihood = np.zeros(len(model)), 0.0
        for cells, holes in zip(self._cells, self._holes, strict=True):
            likelihood += add_expected(cells, holes, model, counts)
        return counts, likelihood


@njit(cache=True, nogil=True)
def add_expected(cells, holes, model, counts):
    """Add the actions of one hand to the counts, each way by its probability; the logarithm of that of any of them."""
    ways, decisions = cells.shape
    odds, total = np.empty(ways), 0.0
    for way in range(ways):
        chance = float(holes[way])
        for decision in range(decisions):
            chance *= model[cells[way, decision]]
        odds[way] = chance
        total += chance
    for way in range(ways):
        for decision in range(decisions):
            counts[cells[way, decision]] += odds[way] / total
    return np.log(total / holes.sum())
