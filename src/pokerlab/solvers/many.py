"""Regret methods for three and more players. Nothing promises an equilibrium there; in small games they find one."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerlab.errors import SolverError
from pokerlab.form import kernels
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.solvers.regret import Scheme
from pokerlab.solvers.stepper import PlainStepper


class ManyRegretSolver(PlainStepper):
    """The schemes of `regret.py` from gradients alone, for any number of players."""

    def __init__(self, game: Game, scheme: Scheme) -> None:
        super().__init__(game)
        if scheme.single:
            raise SolverError(f"single precision is for two players; {game.name} has {len(game.trees)}")
        self.scheme = scheme
        for p, tree in enumerate(game.trees):
            self._arrays |= {f"regret{p}": np.zeros(tree.sequences), f"average{p}": np.zeros(tree.sequences)}
            self._arrays[f"behaviour{p}"] = tree.uniform()

    def _once(self) -> None:
        arrays, scheme, trees = self._arrays, self.scheme, self.game.trees
        t = self.iteration + 1.0
        keep, forgive = kernels.discount(t, float(scheme.alpha)), kernels.discount(t, float(scheme.beta))
        plans = [tree.realize(arrays[f"behaviour{p}"]) for p, tree in enumerate(trees)]
        before = list(plans)
        for p, tree in enumerate(trees):
            gradient = self.game.gradient(p, plans if scheme.alternating else before)
            blocks, instant = tree.blocks, np.zeros(tree.sequences)
            work = np.empty(int(blocks.n.max()))
            behaviour = arrays[f"behaviour{p}"].copy()
            kernels.instant_regrets(blocks, behaviour, gradient, instant, work)
            regret = arrays[f"regret{p}"] + instant
            regret *= np.where(regret > 0, keep, forgive)
            matched = regret + instant if scheme.predictive else regret
            kernels.match_regrets(blocks.start, blocks.n, blocks.k, matched, behaviour, work)
            plans[p] = tree.realize(behaviour)
            arrays |= {f"regret{p}": regret, f"behaviour{p}": behaviour}
            arrays[f"average{p}"] = arrays[f"average{p}"] + t**scheme.gamma * plans[p]

    def plans(self) -> tuple[np.ndarray, ...]:
        return self.profile().plans()

    def profile(self) -> Profile:
        trees = enumerate(self.game.trees)
        found = (tree.normalize(self._arrays[f"average{p}"], self._arrays[f"behaviour{p}"]) for p, tree in trees)
        return Profile(self.game, tuple(found))

    def parameters(self) -> dict[str, Any]:
        return self.scheme.parameters()
