"""Strategies, or what they earn, as the rows of a matrix that grows; mixed and multiplied a few rows at a time.

Rows of hold'em are megabytes each and every product reads all of them, so only the rows that count are touched, on all
cores.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pokerlab.compiled import njit
from pokerlab.threads import spread

_GROWTH = 32  # rows that there is room for are more by so many at a time
_TASKS, _COLUMNS = 8, 2048  # columns are dealt out in so many tasks, and gone through so many at a time


class Rows:
    """Rows of one length and precision."""

    def __init__(self, width: int, real: type[np.floating]) -> None:
        self._room = np.empty((0, width), dtype=real)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def array(self) -> np.ndarray:
        """All rows."""
        return self._room[: self._count]

    def add(self, row: np.ndarray) -> None:
        if self._count == len(self._room):
            # Of large arrays the operating system moves pages, not contents.
            self._room.resize((self._count + _GROWTH, self._room.shape[1]), refcheck=False)
        self._room[self._count] = row
        self._count += 1

    def mixed(self, weights: np.ndarray, picks: np.ndarray | None = None) -> np.ndarray:
        """weights @ rows, of all rows or of those picked."""
        picks = np.arange(self._count) if picks is None else picks
        used = weights != 0
        mixture = np.empty(self._room.shape[1], dtype=self._room.dtype)
        given = weights[used].astype(self._room.dtype)
        spread(lambda part: mix(self._room, picks[used], given, *part, mixture), self._parts())
        return mixture

    def times(self, column: np.ndarray, picks: np.ndarray | None = None) -> np.ndarray:
        """rows @ column, of all rows or of those picked."""
        picks = np.arange(self._count) if picks is None else picks
        parts = self._parts()
        sums = np.zeros((len(parts), len(picks)))
        column = column.astype(self._room.dtype, copy=False)
        spread(lambda i: multiply(self._room, picks, column, *parts[i], sums[i]), range(len(parts)))
        return np.asarray(sums.sum(axis=0))

    def _parts(self) -> list[tuple[int, int]]:
        width = self._room.shape[1]
        tasks = min(_TASKS, 1 + width // _COLUMNS)
        return list(pairwise(width * i // tasks for i in range(tasks + 1)))


@njit(cache=True, nogil=True)
def mix(rows: np.ndarray, picks: np.ndarray, weights: np.ndarray, low: int, high: int, out: np.ndarray) -> None:
    """out = weights @ rows[picks], in columns low to high."""
    for start in range(low, high, _COLUMNS):
        end = min(start + _COLUMNS, high)
        into = out[start:end]
        into[:] = 0
        for i in range(len(picks)):
            source, weight = rows[picks[i], start:end], weights[i]
            for j in range(len(into)):
                into[j] += weight * source[j]


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def multiply(rows: np.ndarray, picks: np.ndarray, column: np.ndarray, low: int, high: int, out: np.ndarray) -> None:
    """out += rows[picks] @ column, over columns low to high; sums of at most 2,048 products in the rows' precision."""
    for start in range(low, high, _COLUMNS):
        end = min(start + _COLUMNS, high)
        factor = column[start:end]
        for i in range(len(picks)):
            source = rows[picks[i], start:end]
            total = factor[0] * source[0] - factor[0] * source[0]  # a zero of this precision
            for j in range(len(factor)):
                total += factor[j] * source[j]
            out[i] += total
