"""The competition's protocol as text: MATCHSTATE lines both ways, actions, and lines over a socket.

    MATCHSTATE:position:hand:betting:cards          dealer to player, after every event
    MATCHSTATE:position:hand:betting:cards:action   player to dealer, when it is its turn

Cards have the competition's names (game/wire.py).
"""

from __future__ import annotations

import re
import socket
import time
from bisect import bisect_right
from collections import deque
from typing import NamedTuple

from pokerlab.errors import CardError, IllegalAction, ProtocolError, shown
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import Hand, View, parse_hand
from pokerlab.game.rules import Rules
from pokerlab.game.wire import own_names, wire_cards, wire_rules

VERSION = "VERSION:2.0.0"
LONGEST_LINE = 4096  # of a player, in bytes; longer only where the state itself is
OVERLONG = "(a line that is too long)"
_CHUNK = 65536
_STATE = re.compile(r"MATCHSTATE:([0-9]{1,2}):([0-9]{1,10}):([^:]*):([^:]*)(?::(.*))?")
_LIMIT = re.compile("[fcr]")
_NO_LIMIT = re.compile("[fc]|r *([+-]?)0*([0-9]{1,18})")  # more digits change nothing: it is too much anyway
_WORD = re.compile("[fcr][0-9]*")


class MatchState(NamedTuple):
    """A MATCHSTATE line: what `seat` may know of hand `number`, and the action text if one is appended."""

    seat: int
    number: int
    hand: Hand  # cards that the seat may not see are ()
    action: str | None

    @property
    def view(self) -> View:
        return self.hand.view(self.seat)


def matchstate(view: View, number: int) -> str:
    """The line, without its end, that tells a seat of hand `number`."""
    return matchstate_text(view.seat, number, view.betting_text(), wire_cards(view))


def matchstate_text(seat: int, number: int, betting: str, cards: str) -> str:
    return f"MATCHSTATE:{seat}:{number}:{betting}:{cards}"


def parse_matchstate(rules: Rules, line: str) -> MatchState:
    """Read a line of either side. A ProtocolError says what is wrong with it."""
    match = _STATE.fullmatch(line)
    if match is None:
        raise ProtocolError(f"not a MATCHSTATE line: {shown(line)}")
    seat, number, betting = int(match[1]), int(match[2]), match[3]
    if seat >= rules.players:
        raise ProtocolError(f"{shown(line)}: no position {seat} in a game for {rules.players}")
    try:
        hand = parse_hand(rules, betting, own_names(rules, match[4]))
    except (CardError, IllegalAction) as error:
        raise ProtocolError(f"{shown(line)} does not fit {rules.name or 'the game'}: {error}") from None
    known = {seat, *hand.betting.survivors} if hand.betting.showdown else {seat}
    if hand.pending or not all(hand.holes[each] for each in known):
        raise ProtocolError(f"{shown(line)}: cards are missing")
    # Others' cards shown too early, or a number with leading zeros: all that is seen by writing the line again.
    expected = matchstate(hand.view(seat), number)
    if line[: match.end(4)] != expected:
        raise ProtocolError(f"{shown(line)} should be {shown(expected)}")
    return MatchState(seat, number, hand, match[5])


class Follower:
    """Reads a dealer's lines one after the other, each from where the one before it ended if that is possible."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self._deck = rules, wire_rules(rules).deck
        self._last: MatchState | None = None
        self._line = ""

    def read(self, line: str) -> MatchState:
        """As parse_matchstate, for lines of a dealer."""
        self._last = self._go_on(line) or parse_matchstate(self.rules, line)
        self._line = line
        return self._last

    def _go_on(self, line: str) -> MatchState | None:
        """The state of a line that adds actions, and perhaps a board, to the last one; None for any other."""
        last, now, before = self._last, line.split(":"), self._line.split(":")
        if last is None or len(now) != 5 or now[1:3] != before[1:3]:
            return None
        if not now[3].startswith(before[3]) or not now[4].startswith(before[4]):
            return None
        hand = last.hand
        try:
            board = self._deck.cards(now[4][len(before[4]) :].replace("/", ""))
            for word in _WORD.findall(now[3], len(before[3])):
                hand = hand.act(read_action(hand, word)[0])
                if pending := hand.pending:
                    hand, board = hand.deal(board[:pending]), board[pending:]
        except (CardError, IllegalAction):
            return None
        # Whatever was read too generously shows here, and is then read again by the book.
        if hand.betting.showdown or matchstate(hand.view(last.seat), last.number) != line:
            return None
        return MatchState(last.seat, last.number, hand, None)


def read_action(hand: Hand, text: str) -> tuple[int, str]:
    """The legal action that a player's text is taken for, and what was wrong with it: "" if nothing, else a sentence.

    As at the official dealer: what cannot be read or is illegal is a call; a raise too small or large goes to the
    nearest legal amount; what follows an action is ignored. Where the game has only certain bets, an amount
    between two of them goes to the lower one.
    """
    legal = hand.legal()
    match = (_LIMIT if hand.rules.limit else _NO_LIMIT).match(text)
    if match is None:
        return CALL, f"cannot read action {shown(text)}"
    kind = match[0][0]
    if kind == "c":
        return CALL, ""
    if kind == "f":
        return (FOLD, "") if legal.fold else (CALL, "fold is illegal: there is no bet to fold to")
    if not legal.raises:
        return CALL, "raise is illegal now"
    if hand.rules.limit:
        return legal.raises[0], ""
    amount = int(match[1] + match[2])
    if amount in legal.raises:
        return amount, ""
    return legal.raises[max(0, bisect_right(legal.raises, amount) - 1)], f"raise to {amount} is illegal"


class Wire:
    """Lines over a socket: CRLF out, CRLF or LF in, never more in memory than a bounded piece of what comes."""

    def __init__(self, sock: socket.socket, longest: int = LONGEST_LINE) -> None:
        self.socket, self.longest = sock, longest
        # A line is answered before the next is sent: waiting to fill a packet would cost 40 ms an action.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines: deque[bytes] = deque()
        self._rest = b""

    def send(self, line: str, seconds: float | None = None) -> None:
        """Send one line; TimeoutError when the other side does not read for so long."""
        self.socket.settimeout(seconds)
        self.socket.sendall(line.encode() + b"\r\n")

    def line(self, deadline: float | None = None) -> str:
        """The next line, OVERLONG in the place of a long one.

        TimeoutError past the deadline (of time.monotonic), ConnectionError when the other side has closed. What
        it sent without an end of line is then lost.
        """
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            # Also when lines are waiting: a flood of them must not hold back the time-out.
            if left is not None and left <= 0:
                raise TimeoutError
            if self._lines:
                line = self._lines.popleft().removesuffix(b"\r")
                return line.decode("latin-1") if len(line) <= self.longest else OVERLONG
            self.socket.settimeout(left)
            data = self.socket.recv(_CHUNK)
            if not data:
                raise ConnectionError
            *lines, rest = (self._rest + data).split(b"\n")
            self._lines.extend(lines)
            self._rest = rest[: self.longest + 2]

    def close(self) -> None:
        self.socket.close()
