"""What a hand counts in a match, by name: chips won, or chips with luck taken out (docs/variance.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pokerlab.agents.agent import Agent
from pokerlab.errors import PokerlabError
from pokerlab.game.rules import Rules
from pokerlab.match.divat import check_call, divat
from pokerlab.match.play import Score, by_hand
from pokerlab.match.variance import all_in_equity, mivat, money
from pokerlab.registry import Registry, is_function_of


def aivat(rules: Rules, agents: Sequence[Agent]) -> Score:
    """AIVAT of agents that can be asked what they do: by tables in a game that compiles, by ranges in hold'em."""
    from pokerlab.match.aivat import TableAivat
    from pokerlab.match.aivat_holdem import HoldemAivat
    from pokerlab.match.tables import compiled_game

    if rules.players == 2 and rules.holdem:
        return HoldemAivat(rules, agents)
    game = compiled_game(rules)
    if game is None:
        raise PokerlabError(
            f"AIVAT is for two players, in hold'em or a game that compiles, not for {rules.name or 'this one'}"
        )
    return TableAivat(game, agents)


SCORES: Registry[Callable[[Rules, Sequence[Agent]], Score]] = Registry(
    "score",
    {
        "money": lambda rules, agents: by_hand(money),
        "all-in": lambda rules, agents: by_hand(all_in_equity),
        "mivat": lambda rules, agents: by_hand(mivat),
        "check-call": lambda rules, agents: by_hand(lambda hand: divat(hand, check_call)),
        "aivat": aivat,
    },
    wrong=is_function_of("rules and agents"),
)
