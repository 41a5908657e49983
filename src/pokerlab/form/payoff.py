"""The bilinear payoff x·A·y as an operator, in the manner of SciPy's LinearOperator.

A poker payoff is a sum over betting-tree terminals: a small matrix of private states (probability times
sign), scaled by the chips at stake and placed at the sequences that lead there. Terminals share few
matrices, so the whole is never written out. A plain matrix is the case of a single term.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.form import kernels


class Group(NamedTuple):
    """A matrix, and the terms that place it: corner rows, corner columns, scales."""

    matrix: sparse.csr_array
    rows: np.ndarray
    columns: np.ndarray
    scales: np.ndarray


class Payoff:
    """A sum of scaled, shifted copies of a few matrices; supports `A @ y`, `A.T`, `A.to_sparse()`."""

    def __init__(self, shape: tuple[int, int], groups: Sequence[Group]) -> None:
        self.shape = shape
        self.groups = [g for g in groups if len(g.rows)]

    @classmethod
    def of_matrix(cls, matrix: np.ndarray | sparse.sparray) -> Payoff:
        """The operator of a whole payoff matrix over sequences."""
        whole = sparse.csr_array(matrix, dtype=np.float64)
        return cls(whole.shape, [Group(whole, np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1))])

    @property
    def entries(self) -> int:
        """Payoff entries: what one product has to touch."""
        return sum(len(g.rows) * g.matrix.nnz for g in self.groups)

    @cached_property
    def terms(self) -> kernels.Terms:
        """The operator as flat arrays for the kernels."""

        def joined(parts: list[np.ndarray], kind: type) -> np.ndarray:
            return np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)

        groups = self.groups
        sizes = np.array([g.matrix.nnz for g in groups], dtype=np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        lines = [g.matrix.shape[0] for g in groups]
        # Each matrix has its own indptr; shifted and without their last entries they join to a single one.
        indptr = [g.matrix.indptr[:-1] + at for g, at in zip(groups, offsets, strict=False)]
        widths = np.array([g.matrix.shape[1] for g in groups], dtype=np.int64)
        counts = np.array([len(g.rows) for g in groups], dtype=np.int64)
        return kernels.Terms(
            term=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            line=np.concatenate(([0], np.cumsum(lines))).astype(np.int64),
            width=widths,
            row=joined([g.rows for g in groups], np.int64),
            column=joined([g.columns for g in groups], np.int64),
            scale=joined([g.scales for g in groups], np.float64),
            indptr=joined([*indptr, offsets[-1:]], np.int64),
            indices=joined([g.matrix.indices for g in groups], np.int64),
            data=joined([g.matrix.data for g in groups], np.float64),
            gathered=np.empty(int((widths * counts).max(initial=0))),
            sums=np.empty(int(counts.max(initial=0))),
        )

    @cached_property
    def T(self) -> Payoff:
        """The transposed operator."""
        flipped = Payoff(
            (self.shape[1], self.shape[0]),
            [Group(sparse.csr_array(g.matrix.T), g.columns, g.rows, g.scales) for g in self.groups],
        )
        flipped.__dict__["T"] = self
        return flipped

    def __neg__(self) -> Payoff:
        return Payoff(self.shape, [g._replace(scales=-g.scales) for g in self.groups])

    def __matmul__(self, y: np.ndarray) -> np.ndarray:
        if y.shape != (self.shape[1],):
            raise ValueError(f"payoff of shape {self.shape} cannot multiply a vector of shape {y.shape}")
        out = np.empty(self.shape[0])
        kernels.multiply(self.terms, np.ascontiguousarray(y, dtype=np.float64), out)
        return out

    def to_sparse(self) -> sparse.csr_array:
        """The whole matrix over sequences, written out: for LPs and small games."""
        rows, columns, data = [], [], []
        for g in self.groups:
            coo = g.matrix.tocoo()
            rows.append((g.rows[:, None] + coo.row).ravel())
            columns.append((g.columns[:, None] + coo.col).ravel())
            data.append((g.scales[:, None] * coo.data).ravel())
        if not rows:
            return sparse.csr_array(self.shape)
        parts = (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns)))
        return sparse.csr_array(sparse.coo_array(parts, shape=self.shape))
