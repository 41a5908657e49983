"""Products with large payoffs: one matrix times the reach of many terminals at once, as BLAS products.

The matrix of a group falls into diagonal blocks: one a board, or a single one where states are buckets. For every
block the opponent's reach of all terminals is gathered into an array [terminals x width], multiplied, and added to the
gradient where the terminals are. Small blocks are shared among threads by the rows of the gradient that they add to; a
product with a large block keeps all cores busy by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from pokerlab.bounds import raising, room
from pokerlab.compiled import njit
from pokerlab.errors import GameTooLarge
from pokerlab.threads import spread

if TYPE_CHECKING:
    from pokerlab.form.payoff import Group

Matrix: TypeAlias = sparse.csr_array | np.ndarray

_QUIET = 2**18  # multiplications in a product up to which OpenBLAS starts no threads of its own
_SMALL = 2**15  # entries of a block up to which enough terminals fit into such a product
_ROOM = 2**22  # entries gathered at once for large blocks
_MOST = 2**28  # entries of all matrices
_TASKS = 16


class Diagonals(NamedTuple):
    """The matrices of all groups as dense diagonal blocks; group g has blocks first[g]:first[g+1]."""

    first: np.ndarray
    top: np.ndarray
    left: np.ndarray
    height: np.ndarray
    width: np.ndarray
    offset: np.ndarray  # of the block's entries in `data`, row after row
    data: np.ndarray


class Places(NamedTuple):
    """Where groups are placed: terms term[g]:term[g+1] of group g, by row; chunk[g] terms are multiplied at once."""

    term: np.ndarray
    row: np.ndarray
    column: np.ndarray
    scale: np.ndarray
    chunk: np.ndarray


def diagonal_blocks(matrix: Matrix) -> list[tuple[int, int, int, int]]:
    """The finest (top, left, height, width) of consecutive diagonal blocks that hold all entries."""
    if isinstance(matrix, np.ndarray):
        return [(0, 0, *matrix.shape)]
    full = np.flatnonzero(np.diff(matrix.indptr))
    if not len(full):
        return []
    starts = matrix.indptr[full]
    low, high = np.minimum.reduceat(matrix.indices, starts), np.maximum.reduceat(matrix.indices, starts)
    most, least = np.maximum.accumulate(high), np.minimum.accumulate(low[::-1])[::-1]
    cuts = np.concatenate(([0], 1 + np.flatnonzero(most[:-1] < least[1:]), [len(full)]))
    blocks = []
    for a, b in pairwise(cuts):
        top, left = int(full[a]), int(low[a:b].min())
        blocks.append((top, left, int(full[b - 1]) + 1 - top, int(high[a:b].max()) + 1 - left))
    return blocks


class Matrices:
    """The matrices of some groups as dense diagonal blocks, made when first wanted in a precision."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = groups
        self._known: dict[np.dtype, Diagonals] = {}

    def of(self, dtype: np.dtype) -> Diagonals:
        """In single or double precision."""
        if dtype not in self._known:
            size = sum(h * w for g in self._groups for _, _, h, w in diagonal_blocks(g.matrix))
            if size > room(_MOST):
                raise GameTooLarge(
                    f"the payoff's matrices have {size:,} entries as dense blocks; at most {room(_MOST):,} fit: take "
                    f"fewer ranks or buckets, sample it (--method external-sampling){raising(size / room(_MOST))}"
                )
            self._known[dtype] = self._made(dtype)
        return self._known[dtype]

    def _made(self, dtype: np.dtype) -> Diagonals:
        shapes, data, first = [], [np.zeros(0, dtype=dtype)], [0]
        for group in self._groups:
            blocks = diagonal_blocks(group.matrix)
            for top, left, height, width in blocks:
                block = group.matrix[top : top + height, left : left + width]
                block = block if isinstance(block, np.ndarray) else block.toarray()
                data.append(np.ascontiguousarray(block, dtype=dtype).ravel())
            shapes += blocks
            first.append(len(shapes))
        tops, lefts, heights, widths = np.array(shapes, dtype=np.int64).reshape(-1, 4).T.copy()
        offset = np.concatenate(([0], np.cumsum(heights * widths)))
        return Diagonals(np.array(first), tops, lefts, heights, widths, offset, np.concatenate(data))


def entries_of(matrix: Matrix) -> int:
    """Entries that a product has to touch."""
    return int(matrix.size)  # of a sparse one those that are stored


def dense_entries(groups: Sequence[Group]) -> int:
    """What one product has to touch when diagonal blocks are taken as dense."""
    return sum(len(g.rows) * sum(h * w for _, _, h, w in diagonal_blocks(g.matrix)) for g in groups)


@njit(cache=True, nogil=True)
def multiply_blocks(
    blocks: Diagonals, places: Places, transposed: bool, groups: np.ndarray, low: int, high: int,
    y: np.ndarray, out: np.ndarray, gathered: np.ndarray, product: np.ndarray,
) -> None:  # fmt: skip
    """out[low:high] += (A @ y)[low:high] for A the sum of some groups, or of their transposes.

    `places` are those of the operator wanted, `blocks` those of the one that is not transposed.
    """
    for g in groups:
        t0, t1 = places.term[g], places.term[g + 1]
        begin = t0 + np.searchsorted(places.row[t0:t1], low)
        end = t0 + np.searchsorted(places.row[t0:t1], high)
        for t in range(begin, end, places.chunk[g]):
            count = min(places.chunk[g], end - t)
            for b in range(blocks.first[g], blocks.first[g + 1]):
                height, width, at = blocks.height[b], blocks.width[b], blocks.offset[b]
                matrix = blocks.data[at : at + height * width].reshape(height, width)
                top, left = blocks.top[b], blocks.left[b]
                if transposed:
                    top, left, height, width = left, top, width, height
                source = gathered[: count * width].reshape(count, width)
                for i in range(count):
                    # Slices, so that the compiler need not think of negative indices and the loops vectorise.
                    at, scale, into = places.column[t + i] + left, places.scale[t + i], source[i]
                    reach = y[at : at + width]
                    for j in range(width):
                        into[j] = scale * reach[j]
                target = product[: count * height].reshape(count, height)
                if transposed:
                    np.dot(source, matrix, target)
                else:
                    np.dot(source, matrix.T, target)
                for i in range(count):
                    at, values = places.row[t + i] + top, target[i]
                    into = out[at : at + height]
                    for j in range(height):
                        into[j] += values[j]


class Product:
    """A payoff operator, or its transpose, ready to multiply plans in one precision."""

    def __init__(self, groups: Sequence[Group], blocks: Diagonals, transposed: bool, rows: int) -> None:
        self.blocks, self.transposed = blocks, transposed
        orders = [np.argsort(g.rows, kind="stable") for g in groups]

        def joined(parts: list[np.ndarray], dtype: type | np.dtype) -> np.ndarray:
            ordered = [part[order] for part, order in zip(parts, orders, strict=True)]
            return np.concatenate(ordered or [np.zeros(0)]).astype(dtype)

        areas = np.array([(blocks.height[a:b] * blocks.width[a:b]).max(initial=1) for a, b in pairwise(blocks.first)])
        widest = int(max(blocks.height.max(initial=1), blocks.width.max(initial=1)))
        counts = np.array([len(g.rows) for g in groups], dtype=np.int64)
        chunk = np.where(areas <= _SMALL, _QUIET // areas, max(1, _ROOM // widest)).astype(np.int64)
        self.places = Places(
            np.concatenate(([0], np.cumsum(counts))),
            joined([g.rows for g in groups], np.int64),
            joined([g.columns for g in groups], np.int64),
            joined([g.scales for g in groups], blocks.data.dtype),
            chunk,
        )
        self._quiet, self._loud = np.flatnonzero(areas <= _SMALL), np.flatnonzero(areas > _SMALL)
        room = np.minimum(chunk, counts) * widest
        self._room, self._loud_room = (int(room[part].max(initial=0)) for part in (self._quiet, self._loud))
        self.cuts = self._cut([groups[int(g)] for g in self._quiet], rows)

    def _cut(self, groups: Sequence[Group], rows: int) -> list[int]:
        """Rows at which the work can be cut: no term adds to both sides."""
        if not groups:
            return [0, rows]
        heights = [g.matrix.shape[0] for g in groups]
        work = [entries_of(g.matrix) for g in groups]
        begin = np.concatenate([g.rows for g in groups])
        end = np.concatenate([g.rows + h for g, h in zip(groups, heights, strict=True)])
        cost = np.concatenate([np.full(len(g.rows), float(w)) for g, w in zip(groups, work, strict=True)])
        order = np.argsort(begin, kind="stable")
        begin, end, cost = begin[order], np.maximum.accumulate(end[order]), np.cumsum(cost[order])
        free = np.flatnonzero(begin[1:] >= end[:-1])
        wanted = np.searchsorted(cost[free], np.arange(1, _TASKS) * cost[-1] / _TASKS)
        inner = {int(begin[1:][free[i]]) for i in wanted if i < len(free)}
        return [0, *sorted(inner), rows]

    @property
    def nbytes(self) -> int:
        """Bytes of its own arrays and of the matrices, which it shares with its transpose."""
        return sum(array.nbytes for array in (*self.places, *self.blocks))

    def into(self, y: np.ndarray, out: np.ndarray) -> None:
        """out = A @ y."""

        def work(part: tuple[int, int]) -> None:
            out[part[0] : part[1]] = 0.0
            self._add(self._quiet, part, y, out, np.empty((2, self._room), dtype=out.dtype))

        spread(work, pairwise(self.cuts))
        if len(self._loud):
            self._add(self._loud, (0, len(out)), y, out, self._rooms)

    def _add(self, groups: np.ndarray, part: tuple[int, int], y: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
        multiply_blocks(self.blocks, self.places, self.transposed, groups, *part, y, out, room[0], room[1])

    @cached_property
    def _rooms(self) -> np.ndarray:
        return np.empty((2, self._loud_room), dtype=self.blocks.data.dtype)
