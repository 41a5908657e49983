"""The payoff of a game as an operator: a sum of small matrices, scaled and placed.

A poker payoff is a sum over betting-tree terminals: a small matrix of private states (probability times
sign), scaled by the chips at stake and placed at the sequences that lead there. Terminals share few
matrices, so the whole is never written out. A plain matrix is the case of a single term. Small payoffs are multiplied
by one compiled loop (`Payoff`), large ones by matrix products on all cores (`DensePayoff`); `payoff_of` chooses.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy import sparse

from pokerlab.bounds import raising, room
from pokerlab.errors import GameTooLarge
from pokerlab.form import kernels
from pokerlab.form.dense import Matrices, Matrix, Product, dense_entries, entries_of
from pokerlab.form.operators import WRITTEN, Operator

_LARGE = 4_000_000  # entries from which a product takes longer than it takes to start one on threads
_FILLED = 4  # of so many entries of a diagonal block at least one should not be zero


class Group(NamedTuple):
    """A matrix, and the terms that place it: corner rows, corner columns, scales."""

    matrix: Matrix
    rows: np.ndarray
    columns: np.ndarray
    scales: np.ndarray


class Placed(Operator):
    """A sum of scaled, shifted copies of a few matrices."""

    def __init__(self, shape: tuple[int, int], groups: Sequence[Group]) -> None:
        self.shape = shape
        self.groups = [g for g in groups if len(g.rows)]

    @property
    def entries(self) -> int:
        return sum(len(g.rows) * entries_of(g.matrix) for g in self.groups)

    @abstractmethod
    def _derived(self, shape: tuple[int, int], groups: list[Group], turned: bool) -> Self:
        """Another of the same kind, made from this one's groups or from their transposes."""

    @cached_property
    def T(self) -> Self:
        turned = [g.matrix.T for g in self.groups]
        turned = [m if isinstance(m, np.ndarray) else sparse.csr_array(m) for m in turned]
        groups = [Group(m, g.columns, g.rows, g.scales) for m, g in zip(turned, self.groups, strict=True)]
        flipped = self._derived((self.shape[1], self.shape[0]), groups, True)
        flipped.__dict__["T"] = self
        return flipped

    def __neg__(self) -> Self:
        return self._derived(self.shape, [g._replace(scales=-g.scales) for g in self.groups], False)

    def to_sparse(self) -> sparse.csr_array:
        if self.entries > room(WRITTEN):
            raise GameTooLarge(
                f"a payoff of {self.entries:,} entries is too large to write out, as linear programs do; "
                f"regret methods such as cfr+ need not{raising(self.entries / room(WRITTEN))}"
            )
        rows, columns, data = [], [], []
        for g in self.groups:
            coo = sparse.coo_array(g.matrix)
            rows.append((g.rows[:, None] + coo.row).ravel())
            columns.append((g.columns[:, None] + coo.col).ravel())
            data.append((g.scales[:, None] * coo.data).ravel())
        if not rows:
            return sparse.csr_array(self.shape)
        parts = (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns)))
        return sparse.csr_array(sparse.coo_array(parts, shape=self.shape))


class Payoff(Placed):
    """Multiplied by one compiled loop over all terms."""

    def _derived(self, shape: tuple[int, int], groups: list[Group], turned: bool) -> Payoff:
        return Payoff(shape, groups)

    def astype(self, dtype: type[np.floating]) -> Operator:
        return self if dtype == self.dtype else DensePayoff(self.shape, self.groups, dtype)

    def into(self, y: np.ndarray, out: np.ndarray) -> None:
        kernels.multiply(self.terms, y, out)

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.terms)

    @cached_property
    def terms(self) -> kernels.Terms:
        """The operator as flat arrays for the kernels."""

        def joined(parts: list[np.ndarray], kind: type) -> np.ndarray:
            return np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)

        groups, matrices = self.groups, [sparse.csr_array(g.matrix) for g in self.groups]
        sizes = np.array([m.nnz for m in matrices], dtype=np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        lines = [m.shape[0] for m in matrices]
        # Each matrix has its own indptr; shifted and without their last entries they join to a single one.
        indptr = [m.indptr[:-1] + at for m, at in zip(matrices, offsets, strict=False)]
        widths = np.array([m.shape[1] for m in matrices], dtype=np.int64)
        counts = np.array([len(g.rows) for g in groups], dtype=np.int64)
        return kernels.Terms(
            term=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            line=np.concatenate(([0], np.cumsum(lines))).astype(np.int64),
            width=widths,
            row=joined([g.rows for g in groups], np.int64),
            column=joined([g.columns for g in groups], np.int64),
            scale=joined([g.scales for g in groups], np.float64),
            indptr=joined([*indptr, offsets[-1:]], np.int64),
            indices=joined([m.indices for m in matrices], np.int64),
            data=joined([m.data for m in matrices], np.float64),
            gathered=np.empty(int((widths * counts).max(initial=0))),
            sums=np.empty(int(counts.max(initial=0))),
        )


class DensePayoff(Placed):
    """Multiplied by matrix products on all cores, in single or double precision."""

    large = True

    def __init__(self, shape: tuple[int, int], groups: Sequence[Group], dtype: type[np.floating] = np.float64) -> None:
        super().__init__(shape, groups)
        self.dtype = np.dtype(dtype)
        self._matrices = Matrices(self.groups)  # shared with the transpose, the negative and the other precision
        self._turned = False

    def _derived(self, shape: tuple[int, int], groups: list[Group], turned: bool) -> DensePayoff:
        other = DensePayoff(shape, groups, self.dtype.type)
        other._matrices, other._turned = self._matrices, self._turned ^ turned
        return other

    def astype(self, dtype: type[np.floating]) -> DensePayoff:
        other = self._derived(self.shape, self.groups, False)
        other.dtype = np.dtype(dtype)
        return other

    @cached_property
    def product(self) -> Product:
        """The operator ready to multiply."""
        return Product(self.groups, self._matrices.of(self.dtype), self._turned, self.shape[0])

    @property
    def nbytes(self) -> int:
        return self.product.nbytes

    def into(self, y: np.ndarray, out: np.ndarray) -> None:
        self.product.into(y, out)


def payoff_of(shape: tuple[int, int], groups: Sequence[Group]) -> Placed:
    """The operator of some groups, of the kind that multiplies them fastest."""
    plain = Payoff(shape, groups)
    if plain.entries < _LARGE or dense_entries(plain.groups) > _FILLED * plain.entries:
        return plain
    return DensePayoff(shape, groups)


def payoff_of_matrix(matrix: np.ndarray | sparse.sparray) -> Placed:
    """The operator of a whole payoff matrix over sequences."""
    whole = sparse.csr_array(matrix, dtype=np.float64)
    return payoff_of(whole.shape, [Group(whole, np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1))])
