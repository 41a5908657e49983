"""The bilinear payoff x·A·y as an operator, in the manner of SciPy's LinearOperator.

A poker payoff is a sum over betting-tree terminals: a small matrix of private states (probability times
sign), scaled by the chips at stake and placed at the sequences that lead there. Terminals share few
matrices, so the whole is never written out. A plain matrix is the case of a single term. Small payoffs are multiplied
by one compiled loop (`kernels.multiply`), large ones by matrix products on all cores (`dense.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.errors import GameTooLarge
from pokerlab.form import kernels
from pokerlab.form.dense import Matrices, Matrix, Product, dense_entries, entries_of

_LARGE = 4_000_000  # entries from which a product takes longer than it takes to start one on threads
_WRITTEN = 50_000_000  # entries beyond which a payoff is not written out: gigabytes
_FILLED = 4  # of so many entries of a diagonal block at least one should not be zero


class Group(NamedTuple):
    """A matrix, and the terms that place it: corner rows, corner columns, scales."""

    matrix: Matrix
    rows: np.ndarray
    columns: np.ndarray
    scales: np.ndarray


class Payoff:
    """A sum of scaled, shifted copies of a few matrices; supports `A @ y`, `A.T`, `A.to_sparse()`."""

    def __init__(self, shape: tuple[int, int], groups: Sequence[Group], large: bool | None = None) -> None:
        self.shape = shape
        self.groups = [g for g in groups if len(g.rows)]
        self._large = large
        self._matrices = Matrices(self.groups)  # shared with the transpose and the negative
        self._turned = False

    @classmethod
    def of_matrix(cls, matrix: np.ndarray | sparse.sparray) -> Payoff:
        """The operator of a whole payoff matrix over sequences."""
        whole = sparse.csr_array(matrix, dtype=np.float64)
        return cls(whole.shape, [Group(whole, np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1))])

    @property
    def entries(self) -> int:
        """Payoff entries: what one product has to touch."""
        return sum(len(g.rows) * entries_of(g.matrix) for g in self.groups)

    @cached_property
    def large(self) -> bool:
        """Whether products are worth matrix products on all cores; `large` of the constructor decides if given."""
        if self._large is not None or self.entries < _LARGE:
            return bool(self._large)
        return dense_entries(self.groups) <= _FILLED * self.entries

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

    def product(self, dtype: type = np.float64) -> Product:
        """The operator of a large payoff, ready to multiply in single or double precision."""
        return Product(self.groups, self._matrices.of(np.dtype(dtype)), self._turned, self.shape[0])

    @cached_property
    def _product(self) -> Product:
        return self.product()

    @cached_property
    def T(self) -> Payoff:
        """The transposed operator."""
        turned = [g.matrix.T for g in self.groups]
        turned = [m if isinstance(m, np.ndarray) else sparse.csr_array(m) for m in turned]
        groups = [Group(m, g.columns, g.rows, g.scales) for m, g in zip(turned, self.groups, strict=True)]
        flipped = self._derived((self.shape[1], self.shape[0]), groups)
        flipped._turned = not self._turned
        flipped.__dict__["T"] = self
        return flipped

    def __neg__(self) -> Payoff:
        return self._derived(self.shape, [g._replace(scales=-g.scales) for g in self.groups])

    def _derived(self, shape: tuple[int, int], groups: list[Group]) -> Payoff:
        found = Payoff(shape, groups, self.large)
        found._matrices, found._turned = self._matrices, self._turned
        return found

    def __matmul__(self, y: np.ndarray) -> np.ndarray:
        if y.shape != (self.shape[1],):
            raise ValueError(f"payoff of shape {self.shape} cannot multiply a vector of shape {y.shape}")
        out = np.empty(self.shape[0])
        plan = np.ascontiguousarray(y, dtype=np.float64)
        if self.large:
            self._product.into(plan, out)
        else:
            kernels.multiply(self.terms, plan, out)
        return out

    def to_sparse(self) -> sparse.csr_array:
        """The whole matrix over sequences, written out: for LPs and small games."""
        if self.entries > _WRITTEN:
            raise GameTooLarge(
                f"a payoff of {self.entries:,} entries is too large to write out, as linear programs and maps do; "
                "regret methods such as cfr+ need not"
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
