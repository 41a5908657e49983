"""Value, best response and exploitability of strategies: Definitions 2 and 3 of Waugh et al. (2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.notebook import Table, Tabular


@dataclass(frozen=True)
class Evaluation(Tabular):
    """`values[i]` is what player i earns, `responses[i]` what it would by best-responding to the others."""

    values: tuple[float, ...]
    responses: tuple[float, ...]

    @property
    def value(self) -> float:
        """To player 0."""
        return self.values[0]

    @property
    def exploitability(self) -> float:
        """Mean over the seats of what a player gains by best-responding; of two players, what an opponent who knows
        the strategy gains. Needs no game value.
        """
        return (sum(self.responses) - sum(self.values)) / len(self.responses)

    @property
    def bounds(self) -> tuple[float, float]:
        """Of two players: what player 0 is sure of by its strategy, and what player 1's strategy leaves it at most. The
        value of the game lies between the two.
        """
        return -self.responses[1], self.responses[0]

    def by_seat(self, game_value: float) -> tuple[float, float]:
        """Equations (7) and (8): each seat's exploitability, given the value of the game to player 0."""
        return self.responses[1] + game_value, self.responses[0] - game_value

    def table(self) -> Table:
        """A row a seat, in chips; `gain` is what its best response is worth to it."""
        rows = [(p, v, r, r - v) for p, (v, r) in enumerate(zip(self.values, self.responses, strict=True), 1)]
        caption = f"value {self.value:+.6g}, exploitability {self.exploitability:.6g} chips"
        return Table(caption, ("player", "value", "best response", "gain"), rows)


def evaluate(profile: Profile) -> Evaluation:
    """Value and best-response values of a profile, exactly."""
    return evaluate_plans(profile.game, profile.plans())


def evaluate_plans(game: Game, plans: Sequence[np.ndarray]) -> Evaluation:
    """The same, from realization plans."""
    values, responses = [], []
    for player, (tree, plan) in enumerate(zip(game.trees, plans, strict=True)):
        gradient = game.gradient(player, plans)
        # Not `gradient @ plan`: for vectors this short, waiting for BLAS threads can cost more than the whole check.
        values.append(float((gradient * plan).sum()))
        responses.append(tree.best_response(gradient)[0])
    return Evaluation(tuple(values), tuple(responses))


def best_response(profile: Profile, player: int) -> tuple[float, np.ndarray]:
    """What `player` earns by best-responding to the other's strategy, and a behaviour that does."""
    game = profile.game
    return game.trees[player].best_response(game.gradient(player, profile.plans()))
