"""The regret family: every scheme converges, agrees with plain recursion, and works through ties."""

from itertools import product

import numpy as np
import pytest

import pokerlab
from explicit_tree import ExplicitGame
from pokerlab.errors import SolverError
from pokerlab.solvers.regret import AVERAGING, SCHEMES, RegretSolver, Scheme, scheme_of

CROSS = list(product(SCHEMES, AVERAGING, [True, False]))


@pytest.mark.parametrize(("method", "averaging", "alternating"), CROSS)
def test_every_combination_converges_on_kuhn(method, averaging, alternating):
    found = pokerlab.solve("kuhn", method, iterations=3000, averaging=averaging, alternating=alternating)
    assert found.exploitability < 2e-2
    assert found.value == pytest.approx(-1 / 18, abs=2e-2)


@pytest.mark.parametrize("method", SCHEMES)
def test_named_schemes_solve_leduc(method):
    found = pokerlab.solve("leduc", method, exploitability=5e-3, iterations=20_000)
    assert found.stopped == "exploitability"
    assert pokerlab.evaluate(found.strategy).exploitability <= 5e-3
    assert found.value == pytest.approx(-0.0856064, abs=1e-2)


@pytest.mark.parametrize("method", SCHEMES)
@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize(("name", "iterations"), [("kuhn", 15), ("leduc", 3)])
def test_plain_recursion_over_histories_agrees(name, iterations, method, alternating):
    game = pokerlab.compile(name)
    scheme = scheme_of(method, alternating=alternating)
    solver = RegretSolver(game, scheme)
    solver.step(iterations)
    explicit = ExplicitGame(game.origin.rules)
    policy = explicit.cfr(iterations, scheme.alpha, scheme.beta, scheme.gamma, scheme.predictive, alternating)
    plans = solver.plans()
    for player, tree in enumerate(game.trees):
        reach = np.concatenate([plans[player][tree.blocks.parent]])
        for (betting, state, odds), r in zip(solver.profile().rows(player), reach, strict=True):
            if r > 1e-12:
                assert odds == pytest.approx(policy[player][betting, state], abs=1e-8)


@pytest.mark.parametrize("abstraction", ["FULL", "J.Q.K/~pair.nopair-J.Q.K/~pair.nopair"])
@pytest.mark.parametrize("single", [False, True])
def test_where_the_average_never_went_it_is_the_current_behaviour(abstraction, single):
    game = pokerlab.compile("leduc", abstraction)
    solver = RegretSolver(game, scheme_of("cfr+", single=single))
    solver.step(3)
    state, profile = solver.state(), solver.profile()
    for p, (tree, tie) in enumerate(zip(game.trees, game.ties, strict=True)):
        average = state[f"average{p}"][tie.arrays(tree).slot if tie else slice(None)]
        totals = np.bincount(tree.infoset_of[1:], weights=average[1:])
        unvisited = np.concatenate(([False], totals[tree.infoset_of[1:]] == 0))
        current = state[f"behaviour{p}"]
        assert np.any(unvisited & (current != tree.uniform()))
        assert profile[p][unvisited] == pytest.approx(current[unvisited], abs=1e-12)
        visited = np.flatnonzero(~unvisited)[1:]
        assert profile[p][visited] == pytest.approx(average[visited] / totals[tree.infoset_of[visited]], abs=1e-12)


def test_step_by_step_is_the_same_as_at_once():
    game = pokerlab.compile("leduc")
    once, stepwise = RegretSolver(game, SCHEMES["dcfr"]), RegretSolver(game, SCHEMES["dcfr"])
    once.step(50)
    for _ in range(50):
        stepwise.step()
    assert np.array_equal(once.plans()[0], stepwise.plans()[0])
    assert once.iteration == stepwise.iteration == 50


def test_ties_that_merge_nothing_new_change_nothing():
    """A tied game with one row an infoset is the untied game."""
    from dataclasses import replace

    from pokerlab.form.game import Tie

    game = pokerlab.compile("leduc", "JQ.K")
    rows = [Tie(np.concatenate([np.arange(n) for n in tree.blocks.n])) for tree in game.trees]
    tied = replace(game, ties=(rows[0], rows[1]))
    for method in SCHEMES:
        a, b = RegretSolver(game, SCHEMES[method]), RegretSolver(tied, SCHEMES[method])
        a.step(40)
        b.step(40)
        for p in range(2):
            assert a.profile()[p] == pytest.approx(b.profile()[p], abs=1e-9)


def test_imperfect_recall_is_solved_through_ties():
    game = pokerlab.compile("leduc", "J.Q.K/~pair.nopair-J.Q.K/~pair.nopair")
    assert all(game.ties)
    found = pokerlab.solve(game, "cfr+", iterations=2000)
    for player, tree in enumerate(game.trees):
        table = {}
        for (betting, _, odds), row in zip(found.strategy.rows(player), game.ties[player].row, strict=True):
            assert table.setdefault((betting, int(row)), odds) == odds
        assert len(table) < tree.infosets
    fresh = pokerlab.evaluate(pokerlab.uniform_profile(game)).exploitability
    assert found.exploitability < fresh / 2


def test_schemes_by_name_and_changes():
    assert scheme_of("dcfr", alpha=2.0) == Scheme(alpha=2.0, beta=0.0, gamma=2.0)
    assert scheme_of("cfr", averaging="quadratic").gamma == 2.0
    with pytest.raises(SolverError, match="no parameter 'delta'"):
        scheme_of("cfr", delta=1.0)
    with pytest.raises(SolverError, match="averaging must be"):
        scheme_of("cfr", averaging="cubic")
    with pytest.raises(SolverError, match="either averaging or gamma"):
        scheme_of("cfr", averaging="linear", gamma=1.0)
    with pytest.raises(SolverError, match="gamma: a number from 0 to 20 is needed, not inf"):
        scheme_of("cfr", gamma=float("inf"))
    with pytest.raises(SolverError, match="nan"):
        scheme_of("cfr", alpha=float("nan"))
