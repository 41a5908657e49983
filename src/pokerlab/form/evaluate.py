"""Value, best response and exploitability of strategies: Definitions 2 and 3 of Waugh et al. (2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile


@dataclass(frozen=True)
class Evaluation:
    """`value` to player 0; `responses[i]` is what player i earns by best-responding to the other."""

    value: float
    responses: tuple[float, float]

    @property
    def exploitability(self) -> float:
        """Mean over the seats of what an opponent who knows the strategy gains; needs no game value."""
        return sum(self.responses) / 2

    def by_seat(self, game_value: float) -> tuple[float, float]:
        """Equations (7) and (8): each seat's exploitability, given the value of the game to player 0."""
        return self.responses[1] + game_value, self.responses[0] - game_value


def evaluate(profile: Profile) -> Evaluation:
    """Value and best-response values of a profile, exactly."""
    return evaluate_plans(profile.game, profile.plans())


def evaluate_plans(game: Game, plans: tuple[np.ndarray, ...]) -> Evaluation:
    """The same, from realization plans."""
    mine = game.gradient(0, plans)
    first, _ = game.X.best_response(mine)
    second, _ = game.Y.best_response(game.gradient(1, plans))
    # Not `mine @ plans[0]`: for vectors this short, waiting for BLAS threads can cost more than the whole check.
    return Evaluation(float((mine * plans[0]).sum()), (first, second))


def best_response(profile: Profile, player: int) -> tuple[float, np.ndarray]:
    """What `player` earns by best-responding to the other's strategy, and a behaviour that does."""
    game = profile.game
    return game.trees[player].best_response(game.gradient(player, profile.plans()))
