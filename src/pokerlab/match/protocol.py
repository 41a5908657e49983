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
from pokerlab.game.hand import Hand, View, action_text, parse_hand
from pokerlab.game.rules import Rules
from pokerlab.game.wire import own_names, wire_cards, wire_rules

VERSION = "VERSION:2.0.0"
LONGEST_LINE = 4096  # of a player, in bytes; longer only where the state itself is
OVERLONG = "(a line that is too long)"
_CHUNK = 65536
_STATE = re.compile(r"MATCHSTATE:([0-9]{1,2}):([0-9]{1,10}):([^:]*):([^:]*)(?::(.*))?")
# Letters as the official dealer takes them; of an amount more digits change nothing: it is too much anyway.
_LETTERS = str.maketrans("FRbBkKC", "frrrccc")
_LIMIT = re.compile("[fcr]")
_NO_LIMIT = re.compile("[fc]|r *([+-]?)0*([0-9]{1,18})")
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
        self._head = self._betting = self._cards = ""  # the last line up to its betting, its betting, its cards

    def read(self, line: str) -> MatchState:
        """As parse_matchstate, for lines of a dealer."""
        state = self._go_on(line)
        if state is None:
            state = parse_matchstate(self.rules, line)
            self._head = line[: _head_of(line)]
            self._betting, self._cards = line[len(self._head) :].split(":")[:2]
        self._last = state
        return state

    def _go_on(self, line: str) -> MatchState | None:
        """The state of a line that adds actions, and perhaps a board, to the last one; None for any other."""
        last, head = self._last, self._head
        if last is None or not line.startswith(head):
            return None
        betting, _, cards = line[len(head) :].partition(":")
        text, known = self._betting, self._cards
        if not betting.startswith(text) or not cards.startswith(known):
            return None
        hand = last.hand
        try:
            board = self._deck.cards(cards[len(known) :].replace("/", ""))
            for word in _WORD.findall(betting, len(text)):
                before, action = hand.betting, read_action(hand, word)[0]
                hand = hand.act(action)
                text += action_text(before, action, hand.betting)
                for number in range(before.round + 1, hand.betting.round + 1):
                    dealt = board[: self.rules.board_cards[number]]
                    known += "/" + self._deck.text(dealt)
                    board = board[len(dealt) :]
                    if dealt:
                        hand = hand.deal(dealt)
        except (CardError, IllegalAction):
            return None
        # Whatever was read too generously shows here, and is then read again by the book.
        if hand.betting.showdown or text != betting or known != cards:
            return None
        self._betting, self._cards = betting, cards
        return MatchState(last.seat, last.number, hand, None)


def same_hand(line: str, later: str) -> bool:
    """Whether two lines tell one seat of one hand, so that the later one says all that the other did."""
    return later.startswith(line[: _head_of(line)])


def _head_of(line: str) -> int:
    """Where the betting begins in a MATCHSTATE line: behind its third colon."""
    return line.find(":", line.find(":", len("MATCHSTATE:")) + 1) + 1


def read_action(hand: Hand, text: str) -> tuple[int, str]:
    """The legal action that a player's text is taken for, and what was wrong with it: "" if nothing, else a sentence.

    As at the official dealer: what cannot be read or is illegal is a call; a raise too small or large goes to the
    nearest legal amount; what follows an action is ignored. Where the game has only certain bets, an amount
    between two of them goes to the lower one.
    """
    legal = hand.legal()
    match = (_LIMIT if hand.rules.limit else _NO_LIMIT).match(text[:1].translate(_LETTERS) + text[1:])
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


def answer_to(expected: str, line: str) -> str | None:
    """The action in a player's line if it answers the expected one, None if it answers another or none.

    Lines are compared as the states they tell of: the marks between rounds may be missing, numbers have zeros in front,
    actions be written in any letter that the official dealer knows.
    """
    if line.startswith(expected):
        # Where no colon follows the state, what does is not an action.
        rest = line[len(expected) :]
        return rest[1:] if rest[:1] in ("", ":") else "?" + rest
    asked, answered = _STATE.fullmatch(expected), _STATE.fullmatch(line)
    if asked is None or answered is None or _state_of(asked) != _state_of(answered):
        return None
    return answered[5] or ""


def _state_of(match: re.Match[str]) -> tuple[int, int, str, str]:
    betting = re.sub("(?<![0-9])0+(?=[0-9])", "", match[3].translate(_LETTERS))
    return int(match[1]), int(match[2]), betting.replace("/", ""), match[4].replace("/", "")


class Wire:
    """Lines over a socket: CRLF out, CRLF or LF in, never more in memory than a bounded piece of what comes."""

    def __init__(self, sock: socket.socket, longest: int = LONGEST_LINE) -> None:
        self.socket, self.longest = sock, longest
        # A line is answered before the next is sent: waiting to fill a packet would cost 40 ms an action.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines: deque[bytes] = deque()
        self._rest = self._unsent = b""

    def later(self, line: str) -> None:
        """Let a line wait for the next one that is sent, or for `flush`."""
        self._unsent += line.encode() + b"\r\n"

    def send(self, line: str, seconds: float | None = None) -> None:
        """Send one line, behind those that wait; TimeoutError when the other side does not read for so long."""
        self.later(line)
        self.flush(seconds)

    def flush(self, seconds: float | None = None) -> None:
        """Send what waits, if anything does."""
        if self._unsent:
            data, self._unsent = self._unsent, b""
            self.socket.settimeout(seconds)
            self.socket.sendall(data)

    def coming(self) -> str | None:
        """The next line where it has come already; it is not taken."""
        return self._text(self._lines[0]) if self._lines else None

    def wait(self, seconds: float) -> bool:
        """Whether something has come, or comes within so many seconds, for `line` to take or to fail at."""
        if not self._lines:
            try:
                self._receive(seconds)
            except TimeoutError:
                return False
            except OSError:
                return True
        return True

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
                return self._text(self._lines.popleft())
            self._receive(left)

    def _receive(self, seconds: float | None) -> None:
        self.socket.settimeout(seconds)
        data = self.socket.recv(_CHUNK)
        if not data:
            raise ConnectionError
        *lines, rest = (self._rest + data).split(b"\n")
        self._lines.extend(lines)
        self._rest = rest[: self.longest + 2]

    def _text(self, line: bytes) -> str:
        line = line.removesuffix(b"\r")
        return line.decode("latin-1") if len(line) <= self.longest else OVERLONG

    def close(self) -> None:
        self.socket.close()
