"""What a hand counts in a match, by name: chips won, or chips with luck taken out (docs/variance.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pokerlab.agents.agent import Agent
from pokerlab.game.rules import Rules
from pokerlab.match.divat import check_call, divat
from pokerlab.match.play import Score, by_hand
from pokerlab.match.variance import all_in_equity, mivat, money
from pokerlab.registry import Registry

SCORES: Registry[Callable[[Rules, Sequence[Agent]], Score]] = Registry(
    "score",
    {
        "money": lambda rules, agents: by_hand(money),
        "all-in": lambda rules, agents: by_hand(all_in_equity),
        "mivat": lambda rules, agents: by_hand(mivat),
        "check-call": lambda rules, agents: by_hand(lambda hand: divat(hand, check_call)),
        "aivat": "pokerlab.match.aivat_holdem:HoldemAivat",
    },
)
