"""Luck taken out of a person's hands: the agent's strategy is known, if it answers for all hands; the person's is not.

Known, it is AIVAT: by tables in a game that compiles (`match/aivat.py`), by ranges in hold'em for two
(`match/aivat_seat.py`). It looks at the person's cards, the board and the betting, and at what the agent may have held,
never at what it did hold. Unknown, or with three at the table, what is left out in hold'em is the luck of the person's
own two cards, and that of cards after an all-in, whose players have shown theirs. Who sees an estimate learns nothing
of cards that were not shown, and none is made before the hand is over. All are without bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Lock

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of
from pokerlab.agents.table import tabulate
from pokerlab.cards.matchups import preflop_signs
from pokerlab.cards.preflop import preflop_equity
from pokerlab.errors import PokerlabError
from pokerlab.form.strategy import Profile
from pokerlab.game.hand import Hand, new_hand
from pokerlab.game.rules import Rules
from pokerlab.match.aivat import Aivat
from pokerlab.match.aivat_seat import SeatAivat
from pokerlab.match.tables import compiled_game
from pokerlab.match.variance import all_in_equity
from pokerlab.processes import beside
from pokerlab.web.review import why_not

AIVAT, CARDS = "aivat", "cards"
_MOST_ANSWERS = 100  # actions of an agent, that it can be asked about all hands at once in a moment
_BETS = 2.0  # small bets or big blinds that two cards are taken to be about; any number leaves no bias
_making = Lock()


def way_of(rules: Rules, agents: Sequence[Agent]) -> str:
    """How luck is taken out of hands of this game against these agents: AIVAT, CARDS, or not at all (empty)."""
    if rules.players == 2 and not why_not(agents[0], rules):
        if rules.holdem and _few_answers(rules, agents[0]):
            return AIVAT
        if not rules.holdem_family and compiled_game(rules) is not None:
            return AIVAT
    return CARDS if rules.holdem else ""


@lru_cache(maxsize=256)
def _few_answers(rules: Rules, agent: Agent) -> bool:
    """Whether an agent chooses between few actions; no-limit has thousands of raises."""
    first = new_hand(rules)._replace(holes=((), ()))
    seat = first.betting.actor
    assert seat is not None
    return rules.limit or len(answers_of(agent, first.view(seat))) <= _MOST_ANSWERS


def is_ready(rules: Rules) -> bool:
    """Whether there is all that AIVAT needs: in hold'em the table of all pairs of hands. Another process makes it, and
    keeps it in the cache folder, when somebody first asks.
    """
    if not rules.holdem:
        return True
    with _making:
        return not _maker().is_alive()


@cache
def _maker() -> BaseProcess:
    """A process and not a thread, which could not be ended with the server while it computes."""
    return beside(_make)[0]


def _make(_pipe: Connection) -> None:
    preflop_signs()


def without_luck(hand: Hand, seat: int, agent: Agent) -> float:
    """What a hand that is over was worth to the person in `seat`, in chips, by AIVAT."""
    if hand.rules.holdem:
        return _seat_estimator(agent, hand.rules)(hand, seat)
    return float(_table_estimator(agent, hand.rules, 1 - seat, hand.names)(hand)[seat])


def without_lucky_cards(seen: Hand, seat: int) -> float:
    """The same without the luck of the person's own cards and of those after an all-in; `seen` has the cards that the
    person saw.
    """
    luck = _BETS * seen.rules.small_bet * (2 * preflop_equity(seen.holes[seat]) - 1)
    return float(all_in_equity(seen)[seat]) - luck


@lru_cache(maxsize=64)
def _seat_estimator(agent: Agent, rules: Rules) -> SeatAivat:
    return SeatAivat(rules, agent)


@lru_cache(maxsize=64)
def _table_estimator(agent: Agent, rules: Rules, known: int, names: tuple[str, ...]) -> Aivat:
    """The agent's own play in the person's seat stands for a guess of theirs."""
    game = compiled_game(rules)
    if game is None:
        raise PokerlabError(f"{rules.name} does not compile: luck cannot be taken out of its hands")
    return Aivat(Profile(game, (tabulate(agent, game, 0, names), tabulate(agent, game, 1, names))), known=(known,))
