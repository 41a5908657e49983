"""A payoff on a device: the matrices of `dense.py` live there, and so may the plans that are multiplied.

    game = replace(game, A=DevicePayoff(game.A))       any method; plans and gradients come and go
    product.apply(plan, gradient)                      of arrays that are on the device, as `solvers/on_device.py` does

Terms that add to the same rows by the same matrix are added up before the product, in one order: the same plans give
the same gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.device import Device, Source, record_of, this_device
from pokerlab.errors import DeviceError
from pokerlab.form.dense import Diagonals
from pokerlab.form.operators import Operator
from pokerlab.form.payoff import DensePayoff, Group

KERNELS = Source("pokerlab.form", "products.cu", ("gather", "scatter"))
TERMS = ("from", "to", "corner", "start", "column", "scale"), (("shift", "i8"), ("corners", "i4"), ("width", "i4"))
_ROOM = 2**28  # entries gathered at once
_COLUMNS = 256  # threads of a block
_GIB = 2**30


class Corners(NamedTuple):
    """Some places of a group's matrix, no two of which overlap: on the device."""

    corner: Any
    start: Any
    column: Any
    scale: Any
    many: int


class DeviceProduct:
    """A payoff operator, or its transpose, that multiplies plans which are on the device."""

    def __init__(self, device: Device, groups: Sequence[Group], blocks: Diagonals, data: Any, transposed: bool) -> None:
        self.device, self.blocks, self.data, self.transposed = device, blocks, data, transposed
        self.dtype = blocks.data.dtype
        self.launch = device.compile(KERNELS, {"SINGLE": int(self.dtype == np.float32)})
        self.groups = [self._placed(g, group) for g, group in enumerate(groups)]

    def _placed(self, g: int, group: Group) -> list[Corners]:
        order = np.argsort(group.rows, kind="stable")
        rows, columns, scales = group.rows[order], group.columns[order], group.scales[order]
        corners, starts = np.unique(rows, return_index=True)
        ends = np.append(starts[1:], len(rows))
        placed, most = list[Corners](), max(1, _ROOM // _widest(self.blocks, g))
        for some in _apart(corners, group.matrix.shape[0]):
            for part in np.split(some, range(most, len(some), most)):
                terms = np.concatenate([np.arange(starts[u], ends[u]) for u in part])
                sizes = np.cumsum([0, *(ends[part] - starts[part])])
                there = [
                    self.device.xp.asarray(array.astype(kind))
                    for array, kind in ((corners[part], np.int64), (sizes, np.int32), (columns[terms], np.int64))
                ]
                scale = self.device.xp.asarray(scales[terms].astype(self.dtype))
                placed.append(Corners(there[0], there[1], there[2], scale, len(part)))
        return placed

    def apply(self, y: Any, out: Any) -> None:
        """out = A @ y, for arrays on the device."""
        xp = self.device.xp
        out[...] = 0
        for (first, last), placed in zip(pairwise(self.blocks.first.tolist()), self.groups, strict=True):
            for b in range(first, last):
                height, width, at = (int(a[b]) for a in (self.blocks.height, self.blocks.width, self.blocks.offset))
                matrix = self.data[at : at + height * width].reshape(height, width)
                top, left = int(self.blocks.top[b]), int(self.blocks.left[b])
                if self.transposed:
                    top, left, height, width = left, top, width, height
                for some in placed:
                    source = xp.empty((some.many, width), self.dtype)
                    self._move("gather", some, y, source, left, width)
                    product = xp.matmul(source, matrix if self.transposed else matrix.T)
                    self._move("scatter", some, product, out, top, height)

    def _move(self, name: str, some: Corners, source: Any, target: Any, shift: int, width: int) -> None:
        arrays = some._asdict() | {"from": source, "to": target}
        record = record_of(self.device, TERMS, arrays, shift=shift, corners=some.many, width=width)
        threads = min(_COLUMNS, self.device.threads)
        self.launch(name, (some.many, -(-width // threads)), threads, 0, (record,))


class DevicePayoff(Operator):
    """A dense payoff whose products are made on a device."""

    large = True
    device: Device

    def __init__(self, payoff: DensePayoff, device: Device | None = None, shared: dict[Any, Any] | None = None) -> None:
        self.payoff = payoff
        self.device = device or this_device()
        self.shape, self.dtype = payoff.shape, payoff.dtype
        self._shared: dict[Any, Any] = {} if shared is None else shared  # matrices on the device, by precision

    @cached_property
    def product(self) -> DeviceProduct:
        blocks = self.payoff._matrices.of(self.dtype)
        with self.device.watched():
            if self.dtype not in self._shared:
                free = self.device.free()
                needed = blocks.data.nbytes + self.dtype.itemsize * _gathered(self.payoff.groups, blocks)
                if needed > free:
                    raise DeviceError(
                        f"the payoff's matrices and their products take {needed / _GIB:.2f} GiB on the device and "
                        f"{free / _GIB:.2f} GiB are free: take single precision, fewer buckets or device cpu"
                    )
                self._shared[self.dtype] = self.device.xp.asarray(blocks.data)
            data = self._shared[self.dtype]
            return DeviceProduct(self.device, self.payoff.groups, blocks, data, self.payoff._turned)

    @property
    def entries(self) -> int:
        return self.payoff.entries

    @property
    def nbytes(self) -> int:
        return self.payoff.nbytes

    @cached_property
    def T(self) -> DevicePayoff:
        return self._of(self.payoff.T)

    def __neg__(self) -> DevicePayoff:
        return self._of(-self.payoff)

    def astype(self, dtype: type[np.floating]) -> DevicePayoff:
        return self._of(self.payoff.astype(dtype))

    def _of(self, payoff: DensePayoff) -> DevicePayoff:
        return DevicePayoff(payoff, self.device, self._shared)

    def into(self, y: np.ndarray, out: np.ndarray) -> None:
        xp = self.device.xp
        with self.device.watched():
            there = xp.empty(len(out), self.dtype)
            self.product.apply(xp.asarray(y), there)
            out[...] = self.device.host(there)

    def to_sparse(self) -> sparse.csr_array:
        return self.payoff.to_sparse()


def _widest(blocks: Diagonals, g: int) -> int:
    """Rows or columns, of a group's blocks."""
    first, last = blocks.first[g : g + 2]
    return int(max(blocks.height[first:last].max(initial=1), blocks.width[first:last].max(initial=1)))


def _gathered(groups: Sequence[Group], blocks: Diagonals) -> int:
    """Entries, at most, that are gathered for a product and come out of it."""
    each = [(_widest(blocks, g), len(np.unique(group.rows))) for g, group in enumerate(groups)]
    return 2 * max((widest * min(many, max(1, _ROOM // widest)) for widest, many in each), default=0)


def _apart(corners: np.ndarray, height: int) -> list[np.ndarray]:
    """Numbers of corners, in lists in which no two are nearer than so many rows."""
    lists, ends = list[list[int]](), list[int]()
    for number, corner in enumerate(corners.tolist()):
        which = next((which for which, end in enumerate(ends) if corner >= end), len(lists))
        if which == len(lists):
            lists.append([])
            ends.append(0)
        lists[which].append(number)
        ends[which] = corner + height
    return [np.array(some) for some in lists]
