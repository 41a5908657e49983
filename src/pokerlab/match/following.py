"""A player's side of the protocol: the lines of a dealer, read one after the other at the pace of a match."""

from __future__ import annotations

import re
from itertools import accumulate, chain
from typing import NamedTuple

from pokerlab.game.betting import Betting, start_betting
from pokerlab.game.hand import Cards, Hand, action_text
from pokerlab.game.rules import Rules
from pokerlab.game.wire import wire_rules
from pokerlab.match.protocol import MatchState, parse_matchstate, read_action

_WORD = re.compile("[fcr][0-9]*")
_NUMBER = re.compile("0|[1-9][0-9]{0,9}")
_MOST_PLACES = 50_000  # texts of betting that a player remembers


class _Place(NamedTuple):
    """Where a text of betting leads."""

    betting: Betting
    actions: tuple[int, ...]
    ends: tuple[int, ...]


class Follower:
    """Reads a dealer's lines as parse_matchstate does, but fast: betting that was read before is known by its text.

    Whatever is not written exactly as expected is left to parse_matchstate, to be read or refused by the book.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules, deck = rules, wire_rules(rules).deck
        self._cards = {deck.text([card]): card for card in range(len(deck))}
        self._seats = {str(seat): seat for seat in range(rules.players)}
        # Where in the text of each round's board its cards are: /7hAdTd/4s/Kc.
        starts = [0, *accumulate(1 + 2 * count for count in rules.board_cards[1:])]
        cards = [
            start + 1 + 2 * i for start, count in zip(starts, rules.board_cards[1:], strict=False) for i in range(count)
        ]
        self._boards = [(end, cards[:count]) for end, count in zip(starts, rules.boards, strict=True)]
        self._start = _Place(start_betting(rules), (), ())
        self._known = {"": self._start}
        self._last = ""  # the last text of betting: the next one may go on from there
        # The last texts of a seat's cards, and these: within a round every line has the same.
        self._own: tuple[str, int, tuple[Cards, ...]] = "", -1, ()
        self._told: tuple[str, int, int, tuple[tuple[Cards, ...], Cards]] = "", -1, -1, ((), ())

    def read(self, line: str) -> MatchState:
        """As parse_matchstate, for lines of a dealer."""
        state = self._as_expected(line)
        return parse_matchstate(self.rules, line) if state is None else state

    def _as_expected(self, line: str) -> MatchState | None:
        fields = line.split(":")
        if len(fields) != 5 or fields[0] != "MATCHSTATE":
            return None
        _, position, number, text, cards = fields
        seat, place = self._seats.get(position), self._known.get(text) or self._walked(text)
        if seat is None or place is None or not _NUMBER.fullmatch(number):
            return None
        self._last = text
        dealt = self._dealt(cards, seat, place.betting)
        if dealt is None:
            return None
        return MatchState(seat, int(number), Hand(self.rules, *dealt, place.actions, place.ends, place.betting), None)

    def _walked(self, text: str) -> _Place | None:
        """Where betting of this text leads, if it is legal and written as it should be."""
        start = self._last if text.startswith(self._last) and self._last in self._known else ""
        betting, actions, ends = self._known[start]
        words = [start]
        for word in _WORD.findall(text, len(start)):
            if betting.actor is None:
                return None
            action, _ = read_action(betting, word)
            before, betting = betting, betting.act(action)
            words.append(action_text(before, action, betting))
            actions += (action,)
            ends += (len(actions),) * (betting.round - before.round)
        # What was read too generously shows here.
        if "".join(words) != text:
            return None
        if len(self._known) >= _MOST_PLACES:
            self._known = {"": self._start}
        place = self._known[text] = _Place(betting, actions, ends)
        return place

    def _dealt(self, text: str, seat: int, betting: Betting) -> tuple[tuple[Cards, ...], Cards] | None:
        """Hole cards and board, if these are the ones that a seat is told of after this betting."""
        going_on = betting.actor is not None
        if going_on and self._told[:3] == (text, seat, betting.round):
            return self._told[3]
        hole_text, slash, rest = text.partition("/")
        board_text, (length, places) = slash + rest, self._boards[betting.round]
        if len(board_text) != length or board_text.count("/") != betting.round or self.rules.board_cards[0]:
            return None  # a board in the first round would be written right behind the hole cards
        card = self._cards
        try:
            board = tuple([card[board_text[i : i + 2]] for i in places])
            holes = self._holes(hole_text, seat, betting)
        except KeyError:
            return None
        dealt = [*chain.from_iterable(holes), *board]
        if not holes or len(set(dealt)) < len(dealt):
            return None
        if going_on:
            self._told = text, seat, betting.round, (holes, board)
        return holes, board

    def _holes(self, text: str, seat: int, betting: Betting) -> tuple[Cards, ...]:
        """Everybody's hole cards, () where they are not those that a seat is told of; unknown cards are KeyErrors."""
        over = betting.actor is None
        if not over and self._own[:2] == (text, seat):
            return self._own[2]
        card, each = self._cards, self.rules.hole_cards
        holes = tuple([tuple([card[hole[i : i + 2]] for i in range(0, len(hole), 2)]) for hole in text.split("|")])
        shown = {seat, *betting.survivors} if betting.showdown else {seat}
        for other, hole in enumerate(holes):
            # When a hand is over some dealers show what was folded.
            if len(hole) != (each if other in shown or (over and hole) else 0):
                return ()
        if len(holes) != self.rules.players:
            return ()
        if not over:
            self._own = text, seat, holes
        return holes


def same_hand(line: str, later: str) -> bool:
    """Whether two lines tell one seat of one hand, so that the later one says all that the other did."""
    return later.startswith(line[: _head_of(line)])


def _head_of(line: str) -> int:
    """Where the betting begins in a MATCHSTATE line: behind its third colon."""
    return line.find(":", line.find(":", len("MATCHSTATE:")) + 1) + 1
