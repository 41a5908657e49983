"""Linear programs: known values, both players from one solve, and the best abstract equilibrium."""

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import ImperfectRecall, SolverError
from pokerlab.solvers.lp import best_equilibrium, equilibrium
from random_games import random_game


@pytest.mark.parametrize(
    ("name", "value"),
    [("kuhn", -1 / 18), ("leduc", -0.085606424), ("leduc-nl", -0.068993100), ("kuhn:ranks=2", 0.0)],
)
def test_known_values(name, value):
    solution = pokerlab.solve(name, "lp")
    assert solution.value == pytest.approx(value, abs=1e-8)
    assert solution.exploitability < 1e-9
    assert pokerlab.evaluate(solution.strategy).value == pytest.approx(value, abs=1e-8)


def test_matrix_games():
    assert pokerlab.solve(pokerlab.matrix_game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]), "lp").value == pytest.approx(0)
    found = pokerlab.solve(pokerlab.matrix_game([[3, 0], [1, 2]], ["up", "down"], ["left", "right"]), "lp")
    assert found.value == pytest.approx(1.5)
    assert found.strategy.at(0, "row", "-") == pytest.approx({"up": 0.25, "down": 0.75})
    assert found.strategy.at(1, "column", "-") == pytest.approx({"left": 0.5, "right": 0.5})


@pytest.mark.parametrize("seed", range(20))
def test_random_games_are_solved_exactly(seed):
    game = random_game(np.random.default_rng(seed))
    assert pokerlab.solve(game, "lp").exploitability < 1e-9


def test_best_equilibrium_is_an_equilibrium_and_the_least_exploitable_one_found():
    """Theorem 4, against equilibria that other solvers happen upon."""
    full = pokerlab.compile("leduc")
    for pair in ("J.Q.K-J.Q.K", "JQK-JQK", "FULL-J.QK"):
        small = pokerlab.compile("leduc", pair)
        wide = pokerlab.compile("leduc", pair.split("-")[0] + "-FULL")
        value = equilibrium(small).value
        best = best_equilibrium(small, wide, value)
        worst_in_small = -small.Y.best_response(-(small.A.T @ best.x))[0]
        assert worst_in_small == pytest.approx(value, abs=1e-7)
        worst_in_full = -wide.Y.best_response(-(wide.A.T @ best.x))[0]
        assert worst_in_full == pytest.approx(best.value, abs=1e-7)
        for method in ("lp", "cfr+", "pcfr+"):
            limit = {} if method == "lp" else {"exploitability": 1e-5}
            other = pokerlab.solve(small, method, **limit).strategy.plans()[0]
            assert -wide.Y.best_response(-(wide.A.T @ other))[0] <= best.value + 1e-3
        assert full.X.sequences == 337


def test_forgetting_players_are_refused():
    with pytest.raises(ImperfectRecall, match="use a regret method"):
        pokerlab.solve(pokerlab.compile("leduc", "J.Q.K/~pair.nopair"), "lp")


def test_best_equilibrium_needs_the_same_first_player():
    small, other = pokerlab.compile("leduc", "JQ.K"), pokerlab.compile("leduc")
    with pytest.raises(SolverError, match="same abstraction"):
        best_equilibrium(small, other, 0.0)


def test_from_the_basis_of_a_game_that_is_alike():
    """The same value and an equilibrium, in fewer steps; a basis of another shape is not used."""
    rng = np.random.default_rng(3)
    payoffs = rng.normal(size=(60, 50))
    game, alike = pokerlab.matrix_game(payoffs), pokerlab.matrix_game(payoffs + 0.01 * rng.normal(size=(60, 50)))
    before, cold = equilibrium(game), equilibrium(alike)
    warm = equilibrium(alike, before.basis)
    assert warm.value == pytest.approx(cold.value, abs=1e-9)
    assert (warm.x[1:] @ (alike.A.to_sparse() @ np.eye(51))[1:, 1:]).min() == pytest.approx(cold.value, abs=1e-8)
    assert warm.iterations < cold.iterations / 2
    assert equilibrium(game, before.basis).iterations == 0
    other = pokerlab.matrix_game(payoffs[:40])
    assert equilibrium(other, before.basis).iterations == equilibrium(other).iterations
