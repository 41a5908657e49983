"""What an agent was worth in a hand, from what its seat saw of it: the reward of a bandit's arm.

money             chips won
showdown-divat    after a showdown EV(actual) - EV(baseline), equation (4.3) of Rubin (2013); money after a fold
luck              chips won less the luck that can be seen at a table: of cards that came after an all-in, and of the
                  agent's own hole cards

Only cards that the seat was shown are used. `showdown-divat` is biased, because the lucky and the unlucky come to
showdowns at different rates (`match.divat`); the other two are not.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerlab.cards.equity import STANDARD
from pokerlab.cards.preflop import preflop_equity
from pokerlab.cards.strength import hand_strength
from pokerlab.errors import AgentError
from pokerlab.game.hand import Hand, View
from pokerlab.match.divat import divat_difference
from pokerlab.match.variance import all_in_equity
from pokerlab.registry import Registry, is_function_of

Credit = Callable[[View], float]  # what its seat won, in chips, with some luck taken out


def seen_hand(view: View) -> Hand:
    """A hand as far as one seat knows its cards."""
    return Hand(view.rules, view.holes, view.board, view.actions, view.ends, view.betting, view.names)


def money(view: View) -> float:
    """Chips won."""
    return seen_hand(view).payoffs()[view.seat]


def showdown_divat(view: View) -> float:
    """DIVAT where everybody's cards were shown, money otherwise."""
    shown = view.betting.showdown and all(view.holes)
    return divat_difference(seen_hand(view))[view.seat] if shown else money(view)


class OwnCards:
    """Chips won, with the luck of all-ins taken out, and of one's own hole cards as far as money follows it.

    The share of the pot that the hole cards win from a random hand has a known mean, one half. What is taken out is its
    distance from this times a slope, that of a regression over the hands before: the slope does not know the hand, so
    that the mean is untouched.
    """

    def __init__(self) -> None:
        self._products = self._squares = 0.0

    def __call__(self, view: View) -> float:
        won = all_in_equity(seen_hand(view))[view.seat]
        if not view.hole:
            return won
        luck = _share(view) - 0.5
        slope = self._products / self._squares if self._squares else 0.0
        self._products += won * luck
        self._squares += luck**2
        return won - slope * luck


def _share(view: View) -> float:
    """The part of a pot that the hole cards win from a random hand."""
    rules = view.rules
    if rules.deck == STANDARD and rules.ranking == "poker" and len(view.hole) == 2:
        return preflop_equity(view.hole)
    return hand_strength(view.hole, (), rules.deck, rules.ranking)


CREDITS: Registry[Callable[[], Credit]] = Registry(
    "credit",
    {"money": lambda: money, "showdown-divat": lambda: showdown_divat, "luck": OwnCards},
    error=AgentError,
    wrong=is_function_of("nothing that makes a function of views"),
)
