"""How much a figure may move from one equilibrium to another: exploitability in the full game, from least to most.

The least is equation (15) of Waugh et al. (2009). The most is looked for by ascent: exploitability is convex, so that
its maximum over the equilibria lies at a corner, and going from a best response to the equilibrium that loses most to
it, and on to a best response to that, never goes down. Equilibria are a convex set: whatever lies between the two
figures is some equilibrium's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pokerlab.form.game import BilinearGame, Game, bilinear
from pokerlab.form.payoff import payoff_of_matrix
from pokerlab.form.treeplex import simplex
from pokerlab.solvers.lp import best_equilibrium, equilibrium

LEAST, MOST = "the least exploitable equilibrium", "the most exploitable found"
STARTS = 8  # random strategies of the opponent that ascents begin with, beside its responses to known equilibria
SEED = 2009


@dataclass(frozen=True)
class WorstCases:
    """What the first player's equilibrium strategies earn in the full game in the worst case: best, and worst found."""

    best: float
    worst: float


def worst_cases(game: Game, full: Game, slack: float = 0.0) -> WorstCases:
    """Of the equilibria of `game`, within `slack` of its value; `full` has the second player unabstracted."""
    optimum = equilibrium(game)
    best = best_equilibrium(game, full, optimum.value - slack)
    tree, rng = bilinear(full).Y, np.random.default_rng(SEED)
    answers = [_answer(full, x)[1] for x in (optimum.x, best.x)]
    answers += [tree.realize(tree.random(rng)) for _ in range(STARTS)]
    return WorstCases(best.value, min(_descend(game, full, optimum.value - slack, y) for y in answers))


def _descend(game: Game, full: Game, value: float, y: np.ndarray) -> float:
    """The worst case at which going from answers to equilibria and back comes to rest."""
    worst = np.inf
    while True:
        earned = bilinear(full).A @ y
        column = np.stack((np.zeros_like(earned), -earned), axis=1)
        losing = BilinearGame(bilinear(full).X, payoff_of_matrix(column), simplex(["as told"]))
        found, y = _answer(full, best_equilibrium(game, losing, value).x)
        if not found < worst:
            return worst
        worst = found


def _answer(full: Game, x: np.ndarray) -> tuple[float, np.ndarray]:
    """What a plan earns against its best response, and the response."""
    won, behaviour = full.trees[1].best_response(full.gradient(1, (x, x)))
    return -won, full.trees[1].realize(behaviour)
