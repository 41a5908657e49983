"""Players who are held to a behaviour in part: their plans, best responses and steps of regret."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import naive
from pokerlab.errors import PokerlabError, SolverError
from pokerlab.form.game import BilinearGame
from pokerlab.form.held import HeldTreeplex
from pokerlab.form.treeplex import simplex
from pokerlab.solvers.lp import equilibrium
from pokerlab.solvers.regret import Learner, scheme_of
from pokerlab.solvers.run import solve
from random_games import random_game, random_treeplex


def held(seed):
    """A random treeplex, some of whose infosets are free and some fixed; with its own random numbers."""
    rng = np.random.default_rng(seed)
    tree = random_treeplex(rng)
    share = np.clip(rng.uniform(-0.4, 1.4, size=tree.infosets), 0, 1)
    behaviour = tree.random(rng)
    return rng, tree, behaviour, share, HeldTreeplex(tree, behaviour, share)


def within(tree, behaviour):
    """Whether a behaviour keeps to the hold, and is one."""
    tree.check(behaviour)
    return bool(np.all(behaviour[1:] >= tree.hold.least[1:] - 1e-12))


@given(st.integers(0, 10**6))
def test_its_behaviours_keep_to_the_hold(seed):
    rng, tree, behaviour, _share, bound = held(seed)
    gradient = rng.normal(size=tree.sequences)
    assert within(bound, bound.uniform())
    assert within(bound, bound.random(rng))
    assert within(bound, bound.best_response(gradient)[1])
    fixed = HeldTreeplex(tree, behaviour, np.ones(tree.infosets))
    assert fixed.uniform() == pytest.approx(behaviour)
    assert fixed.best_response(gradient)[1] == pytest.approx(behaviour)
    free = HeldTreeplex(tree, behaviour, np.zeros(tree.infosets))
    assert free.best_response(gradient)[0] == pytest.approx(tree.best_response(gradient)[0])


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_a_best_response_is_the_best_of_all_plans_within_linear_bounds(seed):
    rng, tree, behaviour, share, bound = held(seed)
    gradient = rng.normal(size=tree.sequences)
    value, response = bound.best_response(gradient)
    assert gradient @ tree.realize(response) == pytest.approx(value)
    rows, right = tree.constraints()
    above = np.concatenate(([0], tree.blocks.parent[tree.infoset_of[1:]]))
    bounds = -np.eye(tree.sequences)  # least(Ia) x(I) - x(Ia) <= 0
    bounds[np.arange(1, tree.sequences), above[1:]] += np.array(
        [share[i] * behaviour[s] for s, i in enumerate(tree.infoset_of)][1:]
    )
    best = linprog(-gradient, A_ub=bounds, b_ub=np.zeros(tree.sequences), A_eq=rows.toarray(), b_eq=right)
    assert value == pytest.approx(-best.fun, abs=1e-8)


@given(st.integers(0, 10**6))
def test_plans_are_what_is_spread_from_choices_that_are_not_negative(seed):
    rng, tree, _behaviour, _share, bound = held(seed)
    plan = tree.realize(bound.random(rng))
    above = np.concatenate(([0], tree.blocks.parent[tree.infoset_of[1:]]))
    chosen = plan - bound.hold.least * np.where(np.arange(tree.sequences) > 0, plan[above], 0.0)
    assert np.all(chosen >= -1e-12)
    assert bound.spread @ chosen == pytest.approx(plan)


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "pcfr+"])
def test_a_step_of_regret_is_that_of_plain_loops(method):
    for seed in range(8):
        rng, tree, _, share, bound = held(seed)
        scheme, learner = scheme_of(method), Learner(bound, np.float64)
        regret = learner.regret[:] = rng.normal(size=tree.sequences)
        choice, gradient = tree.random(rng), rng.normal(size=tree.sequences)
        free = bound.hold.free[tree.infoset_of]
        before = learner.behaviour[:] = np.where(tree.infoset_of < 0, 1.0, bound.hold.least + free * choice)
        learner.gradient[:] = gradient
        learner.improve(scheme, 3.0, 2.0)
        instant = np.array(naive.instant_regrets(tree, before.tolist(), gradient.tolist()))
        now, expected = regret.copy(), np.ones(tree.sequences)
        keep = {"cfr": (1, 1), "cfr+": (1, 0), "pcfr+": (1, 0), "dcfr": (3**1.5 / (3**1.5 + 1), 0.5)}[method]
        for i in range(tree.infosets):
            at = np.flatnonzero(tree.infoset_of == i)
            if share[i] == 1:
                expected[at] = before[at]
                continue
            worth = instant[at]  # up to a constant, what each action is worth
            own = worth - choice[at] @ worth
            total = regret[at] + own
            now[at] = total * np.where(total > 0, *keep)
            matched = np.maximum(now[at] + own * scheme.predictive, 0)
            share_of = matched / matched.sum() if matched.sum() > 0 else np.full(len(at), 1 / len(at))
            expected[at] = bound.hold.least[at] + (1 - share[i]) * share_of
        assert learner.regret[1:] == pytest.approx(now[1:])
        assert learner.behaviour[1:] == pytest.approx(expected[1:])
        assert learner.average[1:] == pytest.approx(2 * np.array(naive.realize(tree, expected))[1:])


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_programs_and_regret_agree_with_both_players_held(seed):
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    trees = [HeldTreeplex(tree, tree.random(rng), rng.uniform(0, 1, tree.infosets)) for tree in game.trees]
    both = BilinearGame(trees[0], game.A, trees[1], "held")
    optimum = equilibrium(both)
    for tree, plan in zip(trees, (optimum.x, optimum.y), strict=True):
        assert within(tree, tree.normalize(plan, tree.uniform()))
    assert solve(both, "lp").exploitability == pytest.approx(0, abs=1e-7)
    played = solve(both, "cfr+", iterations=400)
    assert played.value == pytest.approx(optimum.value, abs=1e-7 + 2 * played.exploitability)
    assert played.exploitability < 0.05


def test_fictitious_play_knows_held_players_and_others_refuse():
    rows = simplex(["a", "b"])
    game = random_game(np.random.default_rng(3))
    bound = HeldTreeplex(game.X, game.X.random(np.random.default_rng(4)), np.full(game.X.infosets, 0.5))
    half = BilinearGame(bound, game.A, game.Y, "half")
    played = solve(half, "fp", iterations=2000)
    assert played.value == pytest.approx(solve(half, "lp").value, abs=1e-7 + 2 * played.exploitability)
    for method in ("egt", "omd", "double-oracle", "range-of-skill"):
        with pytest.raises(SolverError, match="one is held"):
            solve(half, method, iterations=1)
    for share in (np.zeros(2), np.full(1, 1.5), np.full(1, np.nan)):
        with pytest.raises(PokerlabError, match="a share from 0 to 1"):
            HeldTreeplex(rows, rows.uniform(), share)
