"""What a payoff x·A·y has to offer solvers, in the manner of SciPy's LinearOperator; and operators between maps.

A new kind of payoff (on another device, say) is one class: `into`, `T`, `-`, `astype`, `to_sparse` and its size. Regret
methods, first-order methods, oracles and evaluation need no more; linear programs write it out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from scipy import sparse

from pokerlab.device import Device
from pokerlab.form import kernels

WRITTEN = 50_000_000  # entries beyond which a payoff is not written out: gigabytes


class Operator(ABC):
    """A matrix over the sequences of two players that need not be written out."""

    shape: tuple[int, int]
    dtype: np.dtype = np.dtype(np.float64)
    device: Device | None = None  # where products are made, if not by the processor
    large = False  # whether a product takes so long that threads, single precision and rarer checks pay

    @property
    def terms(self) -> kernels.Terms | None:
        """Flat arrays, if whole iterations in one compiled call are the fastest way to work with it."""
        return None

    @property
    @abstractmethod
    def entries(self) -> int:
        """What one product has to touch."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes of the arrays that a product reads."""

    @property
    @abstractmethod
    def T(self) -> Operator:
        """The transposed operator."""

    @abstractmethod
    def __neg__(self) -> Operator: ...

    @abstractmethod
    def astype(self, dtype: type[np.floating]) -> Operator:
        """The same in single or double precision."""

    @abstractmethod
    def into(self, y: np.ndarray, out: np.ndarray) -> None:
        """out = A @ y, for contiguous arrays of the operator's precision."""

    @abstractmethod
    def to_sparse(self) -> sparse.csr_array:
        """The whole matrix, written out: for linear programs and small games."""

    def __matmul__(self, y: np.ndarray) -> np.ndarray:
        if y.shape != (self.shape[1],):
            raise ValueError(f"payoff of shape {self.shape} cannot multiply a vector of shape {y.shape}")
        out = np.empty(self.shape[0], dtype=self.dtype)
        self.into(np.ascontiguousarray(y, dtype=self.dtype), out)
        return out


class Composed(Operator):
    """rows.T @ A @ columns, one after the other: the payoff between two maps (None: not mapped)."""

    def __init__(self, A: Operator, rows: sparse.csr_array | None, columns: sparse.csr_array | None) -> None:
        self.A, self.rows, self.columns = A, rows, columns
        self.dtype, self.large = A.dtype, A.large
        height = A.shape[0] if rows is None else rows.shape[1]
        self.shape = height, A.shape[1] if columns is None else columns.shape[1]

    @property
    def entries(self) -> int:
        return self.A.entries + sum(m.nnz for m in (self.rows, self.columns) if m is not None)

    @property
    def nbytes(self) -> int:
        maps = [m for m in (self.rows, self.columns) if m is not None]
        return self.A.nbytes + sum(a.nbytes for m in maps for a in (m.data, m.indices, m.indptr))

    @cached_property
    def T(self) -> Composed:
        return Composed(self.A.T, self.columns, self.rows)

    def __neg__(self) -> Composed:
        return Composed(-self.A, self.rows, self.columns)

    def astype(self, dtype: type[np.floating]) -> Composed:
        rows, columns = (None if m is None else m.astype(dtype) for m in (self.rows, self.columns))
        return Composed(self.A.astype(dtype), rows, columns)

    @cached_property
    def _back(self) -> sparse.csr_array | None:
        return None if self.rows is None else sparse.csr_array(self.rows.T)

    def into(self, y: np.ndarray, out: np.ndarray) -> None:
        inner = y if self.columns is None else self.columns @ y
        if self._back is None:
            self.A.into(inner, out)
        else:
            out[:] = self._back @ (self.A @ inner)

    def to_sparse(self) -> sparse.csr_array:
        matrix = self.A.to_sparse()
        matrix = matrix if self.rows is None else self.rows.T @ matrix
        return matrix if self.columns is None else matrix @ self.columns
