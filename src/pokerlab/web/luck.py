"""Luck taken out of a person's hands by AIVAT: the agent's strategy is known, the person's is not.

The estimate looks at the person's cards, the board and the betting, and at what the agent may have held, never at what
it did hold: who sees it learns nothing of cards that were not shown. It is for two players in a game that compiles.
"""

from __future__ import annotations

from functools import lru_cache

from pokerlab.agents.agent import Agent
from pokerlab.agents.table import tabulate
from pokerlab.errors import PokerlabError
from pokerlab.form.strategy import Profile
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules
from pokerlab.match.aivat import Aivat
from pokerlab.match.tables import compiled_game


def can_tell(rules: Rules, agent: Agent) -> bool:
    """Whether hands of this game against this agent can have luck taken out."""
    return rules.players == 2 and not rules.holdem_family and agent.stateless and compiled_game(rules) is not None


def without_luck(hand: Hand, seat: int, agent: Agent) -> float:
    """What a hand that is over was worth to the person in `seat`, in chips."""
    return float(_estimator(agent, hand.rules, 1 - seat, hand.names)(hand)[seat])


@lru_cache(maxsize=64)
def _estimator(agent: Agent, rules: Rules, known: int, names: tuple[str, ...]) -> Aivat:
    """The agent's own play in the person's seat stands for a guess of theirs."""
    game = compiled_game(rules)
    if game is None:
        raise PokerlabError(f"{rules.name} does not compile: luck cannot be taken out of its hands")
    return Aivat(Profile(game, (tabulate(agent, game, 0, names), tabulate(agent, game, 1, names))), known=(known,))
