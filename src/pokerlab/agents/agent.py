"""What a player is: something that answers a view with a distribution over legal actions.

class Cautious(Agent):
    def act(self, view):
        return {FOLD: 1.0} if view.legal.fold else {CALL: 1.0}
"""

from __future__ import annotations

from collections.abc import Mapping

from pokerlab.errors import IllegalAction
from pokerlab.game.betting import Legal
from pokerlab.game.hand import View

Distribution = Mapping[int, float]  # action -> probability; actions that are left out have none


class Agent:
    """Base of all players. `stateless` ones answer equal views alike, whatever happened before."""

    name: str = ""
    stateless: bool = True

    def act(self, view: View) -> Distribution:
        """What to do: probabilities of legal actions (`view.legal` is not None)."""
        raise IllegalAction(f"{type(self).__name__} does not say how it acts")

    def observe(self, view: View) -> None:
        """A hand is over; `view` is what this player saw of it, with `view.seat` its seat."""

    def reset(self) -> None:
        """Forget everything: a new match begins."""


def choose(distribution: Distribution, legal: Legal, uniform: float) -> int:
    """The action that a uniform number in [0, 1) picks; refuses distributions that are not ones of legal actions."""
    total = 0.0
    chosen = None
    for action, probability in distribution.items():
        if probability == 1.0 and len(distribution) == 1 and action in legal:
            return action
        if not probability >= 0.0 or (probability > 0.0 and action not in legal):
            raise IllegalAction(f"an agent gives illegal action {action} the probability {probability}")
        if chosen is None and probability > 0.0:
            total += probability
            if uniform < total:
                chosen = action
            else:
                last = action
        elif probability > 0.0:
            total += probability
    if not abs(total - 1.0) < 1e-6:
        raise IllegalAction(f"an agent's probabilities add up to {total}, not 1")
    return last if chosen is None else chosen
