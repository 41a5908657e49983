"""A payoff of a user's own: one class, and every solver works with it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import pokerlab
from pokerlab.form.operators import Operator


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
