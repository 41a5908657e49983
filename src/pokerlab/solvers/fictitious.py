"""Fictitious play (Brown 1951) in sequence form: best responses to averages of realization plans.

Averaging plans rather than behaviour is what makes it converge in extensive games (Heinrich et al. 2015): it
weighs behaviour at an infoset by how often the player's own choices lead there. Of three and more players nothing
promises an equilibrium; in jam or fold it finds one (Ganzfried and Sandholm 2008).
"""

from __future__ import annotations

import numpy as np

from pokerlab.form.game import Game
from pokerlab.solvers.stepper import PlainStepper


class FictitiousPlay(PlainStepper):
    """Each iteration all players best-respond to the others' averages so far."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        for p, tree in enumerate(game.trees):
            self._arrays[f"average{p}"] = tree.realize(tree.uniform())

    def _once(self) -> None:
        plans = self.plans()
        step = 1.0 / (self.iteration + 2)
        for p, tree in enumerate(self.game.trees):
            _, response = tree.best_response(self.game.gradient(p, plans))
            average = self._arrays[f"average{p}"]
            self._arrays[f"average{p}"] = average + step * (tree.realize(response) - average)

    def plans(self) -> tuple[np.ndarray, ...]:
        return tuple(self._arrays[f"average{p}"] for p in range(len(self.game.trees)))
