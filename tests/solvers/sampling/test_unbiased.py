"""What walks add to the table is right on average: regrets are counterfactual regrets, averages are weighted by reach.

The table starts with regrets so large that walks do not change the strategy they stand for; what a million walks add,
divided by their number, is then compared with the exact half, entry by entry, within its own standard error.
"""

import numpy as np
import pytest

import naive
import pokerlab
from pokerlab.solvers.sampling.solver import SamplingSolver

HUGE = 1e11
BATCHES = 40

CASES = {
    "external": ("external-sampling", {}, 20_000),
    "pruned": ("external-sampling", {"prune": HUGE / 10}, 20_000),
    "outcome": ("outcome-sampling", {"explore": 0.5}, 40_000),
    "baselines": ("outcome-sampling", {"explore": 0.5, "baselines": True}, 40_000),
    "public": ("public-chance-sampling", {}, 500),
}


def random_start(solver, rng, never=0.25):
    """A random strategy, a share of the actions never played, as huge regrets; and as a profile of the game."""
    game, cells = solver.game, solver.sampler.cells
    behaviours = []
    for tree, slots in zip(game.trees, solver._slots, strict=True):
        weights = np.where(rng.random(tree.sequences) < never, 0.0, rng.exponential(size=tree.sequences))
        for start, _, n, k in zip(*tree.blocks[:4], strict=True):
            block = slots[start : start + n * k].reshape(k, n)
            for i in range(n):  # tied infosets meet the same cells again
                at = 2 * block[0, i]
                if not cells[at : at + k].any():
                    odds = weights[start + i : start + n * k : n]
                    odds = odds / odds.sum() if odds.sum() > 0 else np.full(k, 1 / k)
                    cells[at : at + k] = np.where(odds > 0, HUGE * odds, -HUGE)
        behaviour = np.ones(tree.sequences)
        current = np.concatenate((np.maximum(cells, 0) / HUGE, [1.0]))
        starts = np.concatenate((_regret_cells(tree, slots), [0]))
        behaviour[1:] = current[starts[:-1]]
        behaviours.append(behaviour)
    return pokerlab.Profile(game, tuple(behaviours))


def _regret_cells(tree, slots):
    """The cell of the regret of each sequence but the empty one."""
    cells = np.empty(tree.sequences - 1, dtype=np.int64)
    for start, _, n, k in zip(*tree.blocks[:4], strict=True):
        block = slots[start : start + n * k].reshape(k, n)
        cells[start - 1 : start - 1 + n * k] = (2 * block[0] + np.arange(k)[:, None]).ravel()
    return cells


def exact(solver, profile, walks_a_player):
    """Expected additions of one iteration: counterfactual regrets, and the chance of a state times reach."""
    game, expected = solver.game, np.zeros(len(solver.sampler.cells))
    plans = profile.plans()
    for player, (tree, slots) in enumerate(zip(game.trees, solver._slots, strict=True)):
        cells = _regret_cells(tree, slots)
        instant = naive.instant_regrets(tree, profile[player], game.gradient(player, plans))
        np.add.at(expected, cells, instant[1:])
        widths = np.zeros(tree.sequences - 1, dtype=np.int64)
        for start, _, n, k in zip(*tree.blocks[:4], strict=True):
            widths[start - 1 : start - 1 + n * k] = k
        chance = state_chances(game, player)
        np.add.at(expected, cells + widths, walks_a_player * chance * plans[player][1:])
    return expected


def state_chances(game, player):
    """The probability that the player is dealt the state of each sequence."""
    origin, tree = game.origin, game.trees[player]
    sight, deals, chances = origin.sights[player], origin.deals, []
    by_round, state = {}, deals.dealt[:, player]
    for r in range(origin.rules.rounds - 1, -1, -1):
        by_round[r] = np.bincount(sight.seen[r][state], deals.chance, sight.sizes[r])
        state = deals.parents[r][state]
    for node in origin.nodes:
        if node.state.actor == player:
            chances.append(np.tile(by_round[node.state.round], len(node.actions)))
    assert sum(map(len, chances)) == tree.sequences - 1
    return np.concatenate(chances)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    ("name", "abstraction"), [("kuhn", "FULL"), ("leduc", "J.QK/~pair.nopair-FULL"), ("kuhn-3p", "FULL")]
)
def test_additions_are_right_on_average(name, abstraction, case):
    method, options, walks = CASES[case]
    game = pokerlab.compile(name, abstraction)
    players = len(game.trees)
    # What a third player never does is never met, so that its probability cannot be counted out.
    weights = {"weighted": True} if players > 2 and case != "public" else {}
    solver = SamplingSolver(game, method, weighting="cfr", seed=1, **options, **weights)
    profile = random_start(solver, np.random.default_rng(2), 0.0 if weights else 0.25)
    expected = exact(solver, profile, players - 1)
    cells, means = solver.sampler.cells, []
    for _ in range(BATCHES):
        before = cells.copy()
        solver.step(walks)
        means.append((cells - before) / walks)
    mean, error = np.mean(means, axis=0), np.std(means, axis=0, ddof=1) / np.sqrt(BATCHES)
    off = np.abs(mean - expected)
    often = np.mean(np.array(means) != 0, axis=0) > 0.75  # the others are met too rarely to know their error
    assert (off[often] <= 5.5 * error[often] + 1e-4).all()
    assert (off[~often] <= 0.01).all()
    assert often.sum() > len(cells) / 2
    assert solver.sampler.values == pytest.approx(pokerlab.evaluate(profile).values, abs=0.05)
    moved = often & (error > 1e-4)
    if case == "public" and game.origin.rules.rounds == 1:  # nothing is left to chance
        assert not moved.any()
    else:
        assert moved.sum() > len(cells) / 4
        assert 0.3 < np.mean((off[moved] / error[moved]) ** 2) < 3


def test_baselines_take_variance_out():
    spread = {}
    for baselines in (False, True):
        solver = SamplingSolver(pokerlab.compile("leduc"), "outcome-sampling", weighting="cfr", baselines=baselines)
        random_start(solver, np.random.default_rng(3))
        solver.step(50_000)  # to learn the baselines
        cells, changes = solver.sampler.cells, []
        for _ in range(30):
            before = cells.copy()
            solver.step(1000)
            changes.append(cells - before)
        spread[baselines] = np.var(changes, axis=0).sum()
    assert spread[True] < 0.7 * spread[False]
