"""A payoff of a user's own: one class, and every solver works with it. Payoffs between maps, as plain matrices."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import pokerlab
from pokerlab.form.operators import Composed, Operator
from random_games import random_payoff


class Plain(Operator):
    """A whole matrix, as it is."""

    def __init__(self, matrix):
        self.matrix, self.shape, self.dtype = matrix, matrix.shape, matrix.dtype

    @property
    def entries(self):
        return self.matrix.size

    @property
    def nbytes(self):
        return self.matrix.nbytes

    @property
    def T(self):
        return Plain(self.matrix.T)

    def __neg__(self):
        return Plain(-self.matrix)

    def astype(self, dtype):
        return Plain(self.matrix.astype(dtype))

    def into(self, y, out):
        out[:] = self.matrix @ y

    def to_sparse(self):
        return sparse.csr_array(self.matrix)


LIMITS = {"lp": {}, "cfr+": {"iterations": 300}, "fp": {"iterations": 200}, "egt": {"iterations": 20},
          "omd": {"iterations": 200}, "double-oracle": {}, "range-of-skill": {}}  # fmt: skip


@pytest.mark.parametrize("method", LIMITS)
def test_every_method_solves_with_it(method):
    game = pokerlab.compile("kuhn")
    own = replace(game, A=Plain(game.A.to_sparse().toarray()))
    solution = pokerlab.solve(own, method, **LIMITS[method])
    measured = pokerlab.evaluate(replace(solution.strategy, game=game))
    assert measured.exploitability == pytest.approx(solution.exploitability, abs=1e-12)
    assert solution.exploitability < 0.05
    assert solution.value == pytest.approx(-1 / 18, abs=2 * solution.exploitability + 1e-9)


def test_single_precision_of_it():
    game = pokerlab.compile("leduc")
    own = replace(game, A=Plain(game.A.to_sparse().toarray()))
    solution = pokerlab.solve(own, "cfr+", exploitability=2e-3, single=True)
    assert solution.state["regret0"].dtype == np.float32
    assert pokerlab.evaluate(replace(solution.strategy, game=game)).exploitability <= 2e-3


@pytest.mark.parametrize("mapped", [(False, False), (True, False), (False, True), (True, True)])
def test_between_maps(mapped):
    rng = np.random.default_rng(1)
    inner = random_payoff(rng, (7, 9))
    maps = [sparse.csr_array(rng.random((n, m)) < 0.4, dtype=float) if on else None
            for n, m, on in ((7, 4, mapped[0]), (9, 5, mapped[1]))]  # fmt: skip
    operator, whole = Composed(inner, *maps), inner.to_sparse().toarray()
    if maps[0] is not None:
        whole = maps[0].toarray().T @ whole
    if maps[1] is not None:
        whole = whole @ maps[1].toarray()
    assert operator.shape == whole.shape
    assert operator.to_sparse().toarray() == pytest.approx(whole, abs=1e-12)
    kept = [m for m in maps if m is not None]
    assert operator.entries == inner.entries + sum(m.nnz for m in kept)
    assert operator.nbytes == inner.nbytes + sum(m.data.nbytes + m.indices.nbytes + m.indptr.nbytes for m in kept)
    assert not operator.large
    assert operator.terms is None
    for other, expected in ((operator, whole), (operator.T, whole.T), (-operator, -whole), (operator.T.T, whole)):
        y = rng.normal(size=expected.shape[1])
        assert other @ y == pytest.approx(expected @ y, abs=1e-12)
    single = operator.astype(np.float32)
    assert (single.dtype, single.large) == (np.float32, True)
    y = rng.normal(size=whole.shape[1])
    assert (single @ y).dtype == np.float32
    assert single @ y == pytest.approx(whole @ y, abs=1e-4)


def test_vectors_must_fit():
    operator = random_payoff(np.random.default_rng(1), (7, 9))
    for wrong in (np.zeros(7), np.zeros((9, 1)), np.zeros(10)):
        with pytest.raises(ValueError, match=r"payoff of shape \(7, 9\) cannot multiply a vector of shape"):
            operator @ wrong
