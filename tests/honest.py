"""An agent of any game that does everything now and then, and more of it the better its card."""

from pokerlab.agents.agent import Agent
from pokerlab.game.betting import CALL, FOLD


class Honest(Agent):
    """The better the card the likelier it raises, the worse the likelier it folds."""

    name = "honest"

    def act(self, view):
        rank = view.rules.deck.rank(view.hole[0]) / (len(view.rules.deck.ranks) - 1)
        odds = {CALL: 1.0 + rank}
        if view.legal.fold:
            odds[FOLD] = 1.5 - rank
        if view.legal.raises:
            odds[view.legal.raises[0]] = 0.2 + 2 * rank
        total = sum(odds.values())
        return {action: each / total for action, each in odds.items()}
