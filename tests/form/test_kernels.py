"""Every kernel against its naive twin, on random input."""

from dataclasses import replace

import numpy as np
import pytest

import naive
from pokerlab.form import kernels
from pokerlab.form.game import BilinearGame, Tie
from pokerlab.form.payoff import DensePayoff, Payoff
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.regret import SCHEMES, RegretSolver
from random_games import random_game, random_payoff, random_treeplex

SEEDS = range(25)


@pytest.mark.parametrize("seed", SEEDS)
def test_multiply(seed):
    rng = np.random.default_rng(seed)
    payoff = random_payoff(rng, (int(rng.integers(1, 30)), int(rng.integers(1, 30))))
    matrix = np.array(naive.dense(payoff))
    y, x = rng.normal(size=payoff.shape[1]), rng.normal(size=payoff.shape[0])
    assert payoff @ y == pytest.approx(matrix @ y, abs=1e-12)
    assert payoff.T @ x == pytest.approx(matrix.T @ x, abs=1e-12)
    assert -payoff @ y == pytest.approx(-matrix @ y, abs=1e-12)
    assert payoff.to_sparse().toarray() == pytest.approx(matrix, abs=1e-12)
    assert payoff.T.T is payoff


@pytest.mark.parametrize("seed", SEEDS)
def test_realize_and_respond(seed):
    rng = np.random.default_rng(seed)
    tree = random_treeplex(rng)
    behaviour = tree.random(rng)
    plan = tree.realize(behaviour)
    assert plan == pytest.approx(naive.realize(tree, behaviour), abs=1e-12)
    gradient = rng.normal(size=tree.sequences)
    value, response = tree.best_response(gradient)
    assert value == pytest.approx(naive.best_response_value(tree, gradient), abs=1e-12)
    assert gradient @ tree.realize(response) == pytest.approx(value, abs=1e-12)
    assert gradient @ plan <= value + 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_best_responses_share_among_equals(seed):
    rng = np.random.default_rng(seed)
    tree = random_treeplex(rng)
    gradient = rng.integers(-1, 2, tree.sequences).astype(float)
    value, response = tree.best_response(gradient)
    worth = np.array(naive.instant_regrets(tree, response, gradient))  # 0 where best, negative elsewhere
    assert value == pytest.approx(gradient @ tree.realize(response), abs=1e-12)
    for b in range(len(tree)):
        table, regrets = tree.block(b, response), tree.block(b, worth)
        best = regrets > -1e-9
        assert table == pytest.approx(best / best.sum(axis=0), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_smooth_responses(seed):
    """Against the maximum of gradient·x - mu·d(x) infoset by infoset, from the leaves up."""
    rng = np.random.default_rng(seed)
    tree = random_treeplex(rng)
    gradient, weights, mu = rng.normal(size=tree.sequences), rng.random(tree.infosets) + 0.5, float(rng.random() + 0.2)
    worth, expected = gradient.copy(), np.ones(tree.sequences)
    for b in reversed(range(len(tree))):
        for i, parent in enumerate(tree.above(b)):
            at = tree.block(b, np.arange(tree.sequences))[:, i]
            heat = mu * weights[tree.span(b)][i]
            odds = np.exp((worth[at] - worth[at].max()) / heat)
            expected[at] = odds / odds.sum()
            entropy = np.sum(expected[at] * np.log(expected[at])) + np.log(len(at))
            worth[parent] += expected[at] @ worth[at] - heat * entropy
    behaviour, room = np.ones(tree.sequences), gradient.copy()
    value = kernels.smooth_respond(tree.blocks, weights, mu, room, behaviour)
    assert behaviour == pytest.approx(expected, abs=1e-10)
    assert value == pytest.approx(worth[0], abs=1e-10)
    assert room == pytest.approx(worth, abs=1e-10)


def test_discounts():
    assert kernels.discount(5.0, np.inf) == 1.0
    assert kernels.discount(5.0, -np.inf) == 0.0
    assert kernels.discount(4.0, 1.5) == pytest.approx(8 / 9)
    assert kernels.discount(4.0, -0.5) == pytest.approx(0.5 / 1.5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("method", SCHEMES)
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("alternating", [False, True])
def test_iterations_are_the_naive_steps_put_together(seed, method, large, alternating):
    """Twelve iterations against the same recursion written with the twins above, compiled whole and step by step."""
    scheme, rng = replace(SCHEMES[method], alternating=alternating), np.random.default_rng(seed)
    game = random_game(rng)
    game = replace(game, A=(DensePayoff if large else Payoff)(game.A.shape, game.A.groups))
    matrix = np.array(naive.dense(game.A))
    solver = RegretSolver(game, scheme)
    solver.step(12)
    trees = game.trees
    behaviour = [tree.uniform() for tree in trees]
    regret = [np.zeros(tree.sequences) for tree in trees]
    average = [np.zeros(tree.sequences) for tree in trees]

    def factor(t, e):
        return float(e > 0) if np.isinf(e) else t**e / (t**e + 1)

    for t in range(1, 13):
        before = behaviour.copy()
        for p in range(2):
            plan = np.array(naive.realize(trees[1 - p], (behaviour if alternating else before)[1 - p]))
            gradient = matrix @ plan if p == 0 else -(matrix.T @ plan)
            instant = np.array(naive.instant_regrets(trees[p], behaviour[p], gradient))
            total = regret[p] + instant
            regret[p] = total * np.where(total > 0, factor(t, scheme.alpha), factor(t, scheme.beta))
            matched = regret[p] + (instant if scheme.predictive else 0.0)
            behaviour[p] = np.array(naive.match_regrets(trees[p], matched))
            average[p] += t**scheme.gamma * np.array(naive.realize(trees[p], behaviour[p]))
    for p, plan in enumerate(solver.plans()):
        assert plan == pytest.approx(average[p] / average[p][0], abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("method", SCHEMES)
@pytest.mark.parametrize("large", [False, True])
def test_iterations_with_ties(seed, method, large):
    """The same where infosets share rows: their instant regrets, and their plans in the average, add up."""
    scheme, rng = SCHEMES[method], np.random.default_rng(seed)
    game = random_game(rng)
    ties = tuple(Tie(np.concatenate([rng.integers(0, 2, n) for n in tree.blocks.n])) for tree in game.trees)
    game = replace(game, A=(DensePayoff if large else Payoff)(game.A.shape, game.A.groups), ties=ties)
    matrix, slots = (
        np.array(naive.dense(game.A)),
        [tie.arrays(tree).slot for tie, tree in zip(ties, game.trees, strict=True)],
    )
    solver = RegretSolver(game, scheme)
    solver.step(6)
    behaviour = [tree.uniform() for tree in game.trees]
    regret, average = ([np.zeros(slot.max() + 1) for slot in slots] for _ in range(2))

    def factor(t, e):
        return float(e > 0) if np.isinf(e) else t**e / (t**e + 1)

    for t in range(1, 7):
        for p, tree in enumerate(game.trees):
            plan = np.array(naive.realize(game.trees[1 - p], behaviour[1 - p]))
            gradient = matrix @ plan if p == 0 else -(matrix.T @ plan)
            instant = np.bincount(slots[p], naive.instant_regrets(tree, behaviour[p], gradient))
            total = regret[p] + instant
            regret[p] = total * np.where(total > 0, factor(t, scheme.alpha), factor(t, scheme.beta))
            matched = regret[p] + (instant if scheme.predictive else 0.0)
            behaviour[p] = np.array(naive.match_regrets(tree, matched[slots[p]]))
            average[p] += t**scheme.gamma * np.bincount(slots[p], naive.realize(tree, behaviour[p]))
    for p, tree in enumerate(game.trees):
        assert solver.state()[f"regret{p}"][1:] == pytest.approx(regret[p][1:], abs=1e-9)
        assert solver.profile()[p] == pytest.approx(tree.normalize(average[p][slots[p]], behaviour[p]), abs=1e-9)


def test_games_without_decisions():
    nobody = Treeplex([], [])
    game = BilinearGame(nobody, Payoff((1, 1), []), nobody, "nothing to do")
    solver = RegretSolver(game, SCHEMES["cfr+"])
    solver.step(3)
    assert [plan.tolist() for plan in solver.plans()] == [[1.0], [1.0]]


def test_smooth_responses_do_not_overflow():
    """Exponents are taken from the best action, whichever it is."""
    tree = Treeplex([np.zeros(2, np.int64)], [3])
    for best in range(3):
        gradient = np.zeros(tree.sequences)
        tree.block(0, gradient)[best] = 5000.0
        behaviour = np.ones(tree.sequences)
        value = kernels.smooth_respond(tree.blocks, np.ones(2), 1.0, gradient, behaviour)
        assert tree.block(0, behaviour)[best].tolist() == [1.0, 1.0]
        assert value == pytest.approx(2 * (5000 - np.log(3)))


def test_slots_of_tied_infosets():
    rng = np.random.default_rng(1)
    tree = random_treeplex(rng)
    rows = np.concatenate([np.arange(n) % 2 for n in tree.blocks.n])
    ties = Tie(rows).arrays(tree)
    seen = {}
    for s in range(1, tree.sequences):
        infoset = int(tree.infoset_of[s])
        block = int(np.searchsorted(tree.blocks.first, infoset, side="right")) - 1
        action = (s - tree.blocks.start[block]) // tree.blocks.n[block]
        assert seen.setdefault((block, int(action), int(rows[infoset])), int(ties.slot[s])) == ties.slot[s]
    assert sorted(seen.values()) == list(range(1, len(seen) + 1))
