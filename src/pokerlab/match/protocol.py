"""The competition's protocol as text: MATCHSTATE lines both ways, actions, and lines over a socket.

    MATCHSTATE:position:hand:betting:cards          dealer to player, after every event
    MATCHSTATE:position:hand:betting:cards:action   player to dealer, when it is its turn

Cards have the competition's names (game/wire.py).
"""

from __future__ import annotations

import re
import socket
import struct
import time
from bisect import bisect_right
from collections import deque
from typing import NamedTuple

from pokerlab.errors import CardError, IllegalAction, ProtocolError, shown
from pokerlab.game.betting import CALL, FOLD, Betting
from pokerlab.game.hand import Hand, View, parse_hand
from pokerlab.game.rules import Rules
from pokerlab.game.wire import own_names, wire_cards

VERSION = "VERSION:2.0.0"
LONGEST_LINE = 4096  # of a player, in bytes; longer only where the state itself is
OVERLONG = "(a line that is too long)"
_CHUNK = 4096  # bytes; memory for so many is set aside at each reading
_LIMITS = socket.SO_SNDTIMEO, socket.SO_RCVTIMEO
_STATE = re.compile(r"MATCHSTATE:([0-9]{1,2}):([0-9]{1,10}):([^:]*):([^:]*)(?::(.*))?")
# Letters as the official dealer takes them; of an amount more digits change nothing: it is too much anyway.
_LETTERS = str.maketrans("FRbBkKC", "frrrccc")
_AMOUNT = re.compile(" *([+-]?)0*([0-9]{1,18})")


class MatchState(NamedTuple):
    """A MATCHSTATE line: what `seat` may know of hand `number`, and the action text if one is appended."""

    seat: int
    number: int
    hand: Hand  # cards that the seat may not see are ()
    action: str | None

    @property
    def view(self) -> View:
        """What the seat knows: what it was told."""
        return self.view_with(())

    def view_with(self, names: tuple[str, ...]) -> View:
        """The view of a seat that knows who sits where."""
        rules, holes, board, actions, ends, betting, _ = self.hand
        legal = betting.legal() if betting.actor == self.seat else None
        return View(rules, self.seat, holes, board, actions, ends, betting, legal, names)


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
    # Others' cards shown too early, or a number with leading zeros: all that is seen by writing the line again. When a
    # hand is over some dealers show what was folded.
    expected = matchstate_text(
        seat, number, hand.betting_text(), wire_cards(hand if hand.finished else hand.view(seat))
    )
    if line[: match.end(4)] != expected:
        raise ProtocolError(f"{shown(line)} should be {shown(expected)}")
    return MatchState(seat, number, hand, match[5])


def read_action(betting: Betting, text: str) -> tuple[int, str]:
    """The legal action that a player's text is taken for, and what was wrong with it: "" if nothing, else a sentence.

    As at the official dealer: what cannot be read or is illegal is a call; a raise too small or large goes to the
    nearest legal amount; what follows an action is ignored. Where the game has only certain bets, an amount
    between two of them goes to the lower one.
    """
    letter, limit = text[:1].translate(_LETTERS), betting.rules.limit
    if letter == "c":
        return CALL, ""
    legal = betting.legal()
    if letter == "f":
        return (FOLD, "") if legal.fold else (CALL, "fold is illegal: there is no bet to fold to")
    match = None if limit else _AMOUNT.match(text, 1)
    if letter != "r" or not (limit or match):
        return CALL, f"cannot read action {shown(text)}"
    if not legal.raises:
        return CALL, "raise is illegal now"
    if match is None:
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
        sock.settimeout(None)
        self._lines: deque[str] = deque()
        self._rest, self._unsent = "", list[str]()
        self._limits: list[float | None] = [None, None]  # of sending, of receiving

    def later(self, line: str) -> None:
        """Let a line wait for the next one that is sent, or for `flush`."""
        self._unsent.append(line)

    def send(self, line: str, seconds: float | None = None) -> None:
        """Send one line, behind those that wait; TimeoutError when the other side does not read for so long."""
        self.later(line)
        self.flush(seconds)

    def flush(self, seconds: float | None = None) -> None:
        """Send what waits, if anything does."""
        if self._unsent:
            if self._limits[0] != seconds:
                self._limit(0, seconds)
            data = "\r\n".join([*self._unsent, ""]).encode()
            self._unsent.clear()
            try:
                self.socket.sendall(data)
            except BlockingIOError:
                raise TimeoutError from None

    def _limit(self, which: int, seconds: float | None) -> None:
        """Let the system give up sending or receiving after so long.

        Python's own time-outs would ask it twice, each time: whether it can, and to do it.
        """
        self._limits[which] = seconds
        whole, part = divmod(0 if seconds is None else max(1, round(1e6 * seconds)), 10**6)  # 0 is without limit
        self.socket.setsockopt(socket.SOL_SOCKET, _LIMITS[which], struct.pack("ll", whole, part))

    def coming(self) -> str | None:
        """The next line where it has come already, with its end or a part of it; it is not taken."""
        return self._lines[0] if self._lines else None

    def soon(self, seconds: float) -> str | None:
        """The next line, as `line` has it, if it has come or comes within so many seconds."""
        if not self._lines:
            try:
                self._receive(seconds)
            except OSError:  # of which `line` will tell
                return None
        return self._taken() if self._lines else None

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
                return self._taken()
            self._receive(left)

    def _taken(self) -> str:
        line = self._lines.popleft().removesuffix("\r")
        return line if len(line) <= self.longest else OVERLONG

    def _receive(self, seconds: float | None) -> None:
        if self._limits[1] != seconds:
            self._limit(1, seconds)
        try:
            data = self.socket.recv(_CHUNK)
        except BlockingIOError:
            raise TimeoutError from None
        if not data:
            raise ConnectionError
        lines = (self._rest + data.decode("latin-1")).split("\n")
        self._rest = lines.pop()[: self.longest + 2]
        self._lines += lines

    def close(self) -> None:
        self.socket.close()
