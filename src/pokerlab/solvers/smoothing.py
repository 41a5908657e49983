"""First-order methods on the dilated entropy: the excessive gap technique and optimistic mirror descent.

The dilated entropy d(x) sums the entropies of behaviour at the infosets, each times the probability of getting
there and a weight that grows with what lies below (Hoda et al. 2010, Kroer et al. 2020). Smoothed best responses
then come from one bottom-up pass, and both methods are a few of them an iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerlab.bounds import STEP_SIZE
from pokerlab.errors import SolverError
from pokerlab.form import kernels
from pokerlab.form.evaluate import evaluate_plans
from pokerlab.form.game import Game
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.stepper import PlainStepper


def entropy_weights(tree: Treeplex) -> np.ndarray:
    """One weight an infoset: the root of 1 plus what lies below the heaviest action, counted likewise.

    The root is ours: the papers' weights, which make d strongly convex, are without it. It did better for mirror
    descent on Leduc and as well for excessive gap (docs/lessons.md).
    """
    below = np.zeros(tree.sequences)
    weights = np.ones(tree.infosets)
    for b in reversed(range(len(tree))):
        weights[tree.span(b)] = 1 + tree.block(b, below).max(axis=0)
        np.add.at(below, tree.above(b), weights[tree.span(b)])
    return np.sqrt(weights)


class _Smooth:
    """Smoothed best responses of both players of a game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.weights = [entropy_weights(tree) for tree in game.trees]

    def respond(self, player: int, gradient: np.ndarray, mu: float) -> tuple[float, np.ndarray]:
        """max of gradient·x - mu d(x), and the plan that attains it."""
        tree = self.game.trees[player]
        behaviour = np.ones(tree.sequences)
        value = kernels.smooth_respond(tree.blocks, self.weights[player], mu, gradient.copy(), behaviour)
        return float(value), tree.realize(behaviour)


class ExcessiveGap(PlainStepper):
    """Nesterov's excessive gap technique.

    Keeps plans whose smoothed best-response values add up to at most 0, while the smoothing mu shrinks: then the
    true gap is at most mu times the size of d. The step tau is tried large and halved until the excessive gap
    condition holds, instead of being taken from the worst-case bound.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._smooth = _Smooth(game)
        starts = [tree.realize(tree.uniform()) for tree in game.trees]
        mu = 1.0
        while True:
            _, second = self._smooth.respond(1, game.gradient(1, (starts[0], starts[1])), mu)
            _, first = self._smooth.respond(0, game.gradient(0, (starts[0], second)), mu)
            if self._excess((first, second), (mu, mu)) <= 0:
                break
            mu *= 2
        self._arrays |= {"plan0": first, "plan1": second, "mu": np.array([mu, mu]), "tau": np.array([0.5])}

    def _excess(self, plans: tuple[np.ndarray, np.ndarray], mu: tuple[float, float]) -> float:
        """The sum of smoothed best-response values: the condition is that it is at most 0."""
        return sum(self._smooth.respond(p, self.game.gradient(p, plans), mu[p])[0] for p in range(2))

    def _once(self) -> None:
        mu = self._arrays["mu"]
        shrunk = int(mu[1] > mu[0])
        tau = min(0.5, 2 * float(self._arrays["tau"][0]))
        while tau > 1e-12:
            plans, smaller = self._shrink(shrunk, tau)
            # Rounding leaves a little excess where the two sides meet; it is far below any gap of interest.
            if self._excess(plans, smaller) <= 1e-14:
                self._arrays |= {"plan0": plans[0], "plan1": plans[1], "mu": np.array(smaller)}
                break
            tau /= 2
        self._arrays["tau"] = np.array([tau])

    def _shrink(self, p: int, tau: float) -> tuple[tuple[np.ndarray, np.ndarray], tuple[float, float]]:
        """One step that shrinks player p's smoothing by 1 - tau."""
        smooth, game, q = self._smooth, self.game, 1 - p
        mu = [float(m) for m in self._arrays["mu"]]
        mine, theirs = self._arrays[f"plan{p}"], self._arrays[f"plan{q}"]

        def gradient(player: int, other: np.ndarray) -> np.ndarray:
            return game.gradient(player, (other, other))

        slope = gradient(p, theirs)
        _, answer = smooth.respond(p, slope, mu[p])
        _, reply = smooth.respond(q, gradient(q, (1 - tau) * mine + tau * answer), mu[q])
        # The Bregman step from `answer` is a smoothed best response to both gradients: see docs/solvers.md.
        _, better = smooth.respond(p, slope + tau / (1 - tau) * gradient(p, reply), mu[p])
        pair = [mine, mine]
        pair[p] = (1 - tau) * mine + tau * better
        pair[q] = (1 - tau) * theirs + tau * reply
        mu[p] *= 1 - tau
        return (pair[0], pair[1]), (mu[0], mu[1])

    def plans(self) -> tuple[np.ndarray, ...]:
        return self._arrays["plan0"], self._arrays["plan1"]


class MirrorDescent(PlainStepper):
    """Mirror descent with the dilated entropy; optimistic unless told otherwise (Lee et al. 2021).

    With a fixed step size this is a smoothed best response to the sum of gradients so far; an optimist counts the
    last one twice. Players take turns; iteration t counts t^2 in the average. Without a step size, a few are tried.
    """

    def __init__(self, game: Game, step_size: float | None = None, optimistic: bool = True) -> None:
        super().__init__(game)
        self._smooth = _Smooth(game)
        self.optimistic = bool(optimistic)
        STEP_SIZE.check(step_size, error=SolverError)
        self.step_size = _good_step_size(game, self.optimistic) if step_size is None else float(step_size)
        for p, tree in enumerate(game.trees):
            plan = tree.realize(tree.uniform())
            self._arrays |= {f"plan{p}": plan, f"average{p}": np.zeros_like(plan), f"sum{p}": np.zeros_like(plan)}

    def _once(self) -> None:
        arrays, weight = self._arrays, (self.iteration + 1.0) ** 2
        for p in range(2):
            gradient = self.game.gradient(p, (arrays["plan0"], arrays["plan1"]))
            arrays[f"sum{p}"] = arrays[f"sum{p}"] + gradient
            ahead = arrays[f"sum{p}"] + gradient if self.optimistic else arrays[f"sum{p}"]
            arrays[f"plan{p}"] = self._smooth.respond(p, ahead, 1.0 / self.step_size)[1]
            arrays[f"average{p}"] = arrays[f"average{p}"] + weight * arrays[f"plan{p}"]

    def plans(self) -> tuple[np.ndarray, ...]:
        if not self.iteration:
            return self._arrays["plan0"], self._arrays["plan1"]
        return tuple(self._arrays[f"average{p}"] / self._arrays[f"average{p}"][0] for p in range(2))

    def parameters(self) -> dict[str, Any]:
        return {"step_size": self.step_size, "optimistic": self.optimistic}


def _good_step_size(game: Game, optimistic: bool) -> float:
    """Of step sizes a factor of two apart, around the scale of the payoffs, the best after a hundred iterations."""
    uniform = tuple(tree.realize(tree.uniform()) for tree in game.trees)
    scale = max(1e-9, evaluate_plans(game, uniform).exploitability)

    def reached(step_size: float) -> float:
        trial = MirrorDescent(game, step_size, optimistic)
        trial.step(100)
        return evaluate_plans(game, trial.plans()).exploitability

    return min((2.0**k / scale for k in range(-1, 6)), key=reached)
