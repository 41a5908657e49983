"""What a dealer tells of a hand: lines to the seats, and the line of the log, from texts that are made once a hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pokerlab.game.betting import Betting
from pokerlab.game.hand import action_text, payoffs_of, strength_of
from pokerlab.game.rules import Rules
from pokerlab.game.wire import wire_rules
from pokerlab.records.record import chips_text, state_line


class Place:
    """A place in the betting of a hand, its text, and where the words of players have led from there."""

    __slots__ = ("after", "betting", "text")

    def __init__(self, betting: Betting, text: str = "") -> None:
        self.betting, self.text = betting, text
        self.after: dict[str, Place] = {}

    def act(self, action: int) -> Place:
        """Where an action leads; an IllegalAction where none does."""
        after = self.betting.act(action)
        return Place(after, self.text + action_text(self.betting, action, after))


class Telling:
    """One hand. Its lines are those that `matchstate` makes of the seats' views.

    With `show_folded` everybody sees all hole cards when the hand is over, and not only those of a showdown.
    """

    def __init__(self, rules: Rules, number: int, cards: tuple[int, ...], show_folded: bool = False) -> None:
        players, each, text = rules.players, rules.hole_cards, wire_rules(rules).deck.text(cards)
        self._rules, self._number, self._cards, self._show_folded = rules, number, cards, show_folded
        self._heads = [f"MATCHSTATE:{seat}:{number}:" for seat in range(players)]
        self._holes = [text[2 * each * seat : 2 * each * (seat + 1)] for seat in range(players)]
        self._board, board = cards[players * each :], text[2 * each * players :]
        streets = [board[2 * start : 2 * end] for start, end in pairwise((0, *rules.boards))]
        # As in the competition, a board dealt with the hole cards follows them without a separator.
        self._boards = ["/".join(streets[: count + 1]) for count in range(rules.rounds)]
        own = [f":{'|' * seat}{hole}{'|' * (players - 1 - seat)}" for seat, hole in enumerate(self._holes)]
        self._tails = [[cards + board for board in self._boards] for cards in own]

    def line(self, seat: int, betting: Betting, text: str) -> str:
        """What a seat is told after this betting, whose text is `text`."""
        if betting.actor is None:
            return f"{self._heads[seat]}{text}:{self._at_the_end(seat, betting)}{self._boards[betting.round]}"
        return self._heads[seat] + text + self._tails[seat][betting.round]

    def _at_the_end(self, seat: int, betting: Betting) -> str:
        shown = betting.survivors if betting.showdown else ()
        if self._show_folded or len(shown) == len(self._holes):
            return "|".join(self._holes)
        return "|".join([hole if other == seat or other in shown else "" for other, hole in enumerate(self._holes)])

    def payoffs(self, betting: Betting) -> tuple[float, ...]:
        """Net chips per seat when the betting is over."""
        each = self._rules.hole_cards
        return payoffs_of(
            betting, lambda seat: strength_of(self._rules, self._cards[seat * each : seat * each + each] + self._board)
        )

    def state(self, betting: Betting, text: str, payoffs: Sequence[float], names: Sequence[str]) -> str:
        """The line of the hand in a log."""
        cards = "|".join(self._holes) + self._boards[betting.round]
        return state_line(self._number, text, cards, chips_text(payoffs), names)
