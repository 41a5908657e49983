"""The dealer of the competition's protocol: seeded hands for players who connect over TCP, one port a seat.

Rules of the official dealer, as in docs/protocol.md: seats rotate every hand, everybody is told of every event,
an unreadable or illegal action is a call, whoever is silent for too long or goes away ends the match.
A match deals the cards of `play.deals`, so that it can be compared with one played in process with the same seed.
"""

from __future__ import annotations

import contextlib
import re
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import Any

from pokerlab.bounds import HANDS, INVALID, SEED, WAIT
from pokerlab.errors import PokerlabError, shown
from pokerlab.game.betting import CALL, start_betting
from pokerlab.game.rules import Rules
from pokerlab.match.loop import rehearse
from pokerlab.match.play import deals
from pokerlab.match.protocol import LONGEST_LINE, Wire, answer_to, read_action
from pokerlab.match.telling import Place, Telling
from pokerlab.match.transactions import Transactions
from pokerlab.records.log_game import log_header
from pokerlab.records.logs import LogWriter
from pokerlab.records.record import score_line

_MOMENT = 0.001  # seconds that the others' news may wait for an actor's answer
_GLANCE_SECONDS = 0.1  # between two looks, while waiting for players, at whether they are still coming
_MOST_WARNINGS = 20  # reported about one player; a flood of bad lines must not become a flood of messages
_MOST_PLACES = 50_000  # in the betting that are remembered
_COMMENTS = "#", ";"  # lines that begin so
_LATE = (  # past the limit of a response, of a hand, of the match
    "did not answer within the limit of a response",
    "used up its time for the hand",
    "used up its time for the match",
)


@dataclass(frozen=True)
class Limits:
    """What a player may take before the match ends: seconds, and invalid actions in a row (None: any number)."""

    response: float = 600.0
    hand: float = 600.0
    match_a_hand: float = 7.0  # on average over the match
    start: float = 600.0  # until all are connected and have sent their version
    invalid: int | None = None

    def __post_init__(self) -> None:
        for name, seconds in (
            ("seconds of a response", self.response),
            ("seconds of a hand", self.hand),
            ("seconds a hand of the match", self.match_a_hand),
            ("seconds to start", self.start),
        ):
            WAIT.check(seconds, name)
        INVALID.check(self.invalid)


@dataclass(frozen=True)
class DealerResult:
    """How a match went: scores in chips by player, in the order of the ports, over the finished hands."""

    finished: bool
    reason: str  # why it did not finish; empty if it did
    at_fault: str | None  # the name of the player who ended it
    hands: int
    names: tuple[str, ...]
    scores: tuple[float, ...]
    warnings: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def line(self) -> str:
        """The SCORE line, last in the log of a finished match."""
        return score_line(self.scores, self.names)


class _Ended(Exception):
    """The match is over before its last hand."""

    def __init__(self, reason: str, player: int | None = None) -> None:
        super().__init__(reason)
        self.player = player


class _Player:
    """A player at the table: its connection, and what the limits leave it."""

    def __init__(self, wire: Wire, match_seconds: float) -> None:
        self.wire = wire
        self.hand_seconds, self.match_seconds = inf, match_seconds  # that it may still take
        self.invalid = self.warnings = 0


class Dealer:
    """Deals one match. The ports are open from the beginning; `run` waits for the players, plays and closes.

        dealer = Dealer(rules, hands=1000, seed=1)
        print(*dealer.ports)
        result = dealer.run()

    A port of 0 is any free one. `log` is a file in the competition's format, to which the match may `append`;
    `transactions` is one from which a match goes on that was broken off; `report` takes warnings, one a call. Seats
    rotate unless they are `fixed_seats`; with `show_folded` everybody sees all hole cards when a hand is over.
    """

    def __init__(
        self,
        rules: Rules,
        hands: int,
        seed: int = 0,
        *,
        names: Sequence[str] | None = None,
        ports: Sequence[int] | None = None,
        host: str = "127.0.0.1",
        limits: Limits | None = None,
        log: str | Path | None = None,
        append: bool = False,
        transactions: str | Path | None = None,
        fixed_seats: bool = False,
        show_folded: bool = False,
        name: str = "match",
        report: Callable[[str], None] = lambda message: None,
    ) -> None:
        self.rules, self.hands, self.seed, self.name = rules, hands, seed, name
        self.limits, self.report = limits or Limits(), report
        self.fixed_seats, self.show_folded = fixed_seats, show_folded
        self.names = tuple(names) if names is not None else tuple(f"p{seat + 1}" for seat in range(rules.players))
        self._check()
        rehearse(rules)
        self._start, self._places = Place(start_betting(rules)), 0
        self._scores, self._done = [0.0] * rules.players, 0
        self._match_seconds = self.limits.match_a_hand * hands  # for each player
        self._listeners: dict[int, socket.socket] = {}
        self._players: dict[int, _Player] = {}
        self._log: LogWriter | None = None
        self._transactions: Transactions | None = None
        try:
            self.ports = self._listen(host, [0] * rules.players if ports is None else ports)
            if log is not None:
                self._log = LogWriter(log, rules, self.names, hands, seed, self._header(), append=append)
            if transactions is not None:
                self._transactions = Transactions(transactions, self._identity())
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        players, names = self.rules.players, self.names
        HANDS.check(self.hands)
        SEED.check(self.seed)
        if len(names) != players or len(set(names)) < players:
            raise PokerlabError(f"{players} different names of players are needed, got {', '.join(names) or 'none'}")
        if not self.name.isprintable():
            raise PokerlabError(f"the name of a match is written in logs and must be printable, not {shown(self.name)}")
        for name in names:
            if not re.fullmatch(r"[^\s:|]+", name):
                raise PokerlabError(f"names are written in logs and cannot have spaces, ':' or '|' in them: {name!r}")

    def _listen(self, host: str, ports: Sequence[int]) -> tuple[int, ...]:
        if len(ports) != self.rules.players:
            raise PokerlabError(f"{self.rules.players} ports are needed, one a player, got {len(ports)}")
        for player, port in enumerate(ports):
            try:
                listener = self._listeners[player] = socket.create_server((host, port))
            except (OSError, OverflowError, TypeError, UnicodeError) as error:  # a host may be no text of the network's
                raise PokerlabError(f"cannot listen on {host}:{port}: {error}") from None
            listener.setblocking(False)  # or a connection that is taken back would stop the dealer
        return tuple(listener.getsockname()[1] for listener in self._listeners.values())

    def close(self) -> None:
        """Close ports, connections and files; `run` does it too. Players see the end of the match."""
        for listener in self._listeners.values():
            listener.close()
        for player in self._players.values():
            player.wire.close()
        if self._log is not None:
            self._log.__exit__(_Ended, None, None)
            self._log = None
        if self._transactions is not None:
            self._transactions.close()
            self._transactions = None

    def run(self, still_coming: Callable[[], str] = lambda: "") -> DealerResult:
        """Wait for the players and play. `still_coming` may say, while waiting, why a player will not come."""
        started, end = time.monotonic(), None
        log, self._log = self._log, None
        try:
            with log or contextlib.nullcontext():
                self._seat_players(started + self.limits.start, still_coming)
                self._begin(log)
                for number, cards in enumerate(deals(self.rules, self.seed, self.hands)):
                    self._play_hand(number, cards, log)
            if self._transactions is not None:
                self._transactions.over(score_line(self._scores, self.names))
        except _Ended as why:
            end = why
        finally:
            self.close()
        return DealerResult(
            finished=end is None,
            reason="" if end is None else str(end),
            at_fault=None if end is None or end.player is None else self.names[end.player],
            hands=self._done,
            names=self.names,
            scores=tuple(self._scores),
            warnings=sum(player.warnings for player in self._players.values()),
            seconds=time.monotonic() - started,
        )

    def _begin(self, log: LogWriter | None) -> None:
        """Begin the files. Of a match that goes on the log is written again, from the transactions."""
        past = self._transactions
        begins = 0 if log is None else log.begin(None if past is None else past.log_begins)
        if past is not None:
            past.begin(begins)
            if past.actions:
                self.report(f"the match goes on after {past.actions:,} actions")

    def _seat_players(self, deadline: float, still_coming: Callable[[], str]) -> None:
        with selectors.DefaultSelector() as selector:
            for player, listener in self._listeners.items():
                selector.register(listener, selectors.EVENT_READ, player)
            while selector.get_map():
                for key, _ in selector.select(_GLANCE_SECONDS):
                    with contextlib.suppress(OSError):
                        listener = self._listeners[key.data]
                        self._players[key.data] = _Player(Wire(listener.accept()[0]), self._match_seconds)
                        selector.unregister(listener)
                        listener.close()
                missing = [name for player, name in enumerate(self.names) if player not in self._players]
                if missing and time.monotonic() > deadline:
                    raise _Ended(f"{', '.join(missing)} did not connect within {self.limits.start:g} s")
                if missing and (reason := still_coming()):
                    raise _Ended(reason)
        for player in range(len(self.names)):
            line = self._line(player, deadline, lambda player: "did not send its version in time")
            if not re.match(r"VERSION:2\.[0-9]+\.[0-9]+(?![0-9.])", line):
                raise _Ended(f"{self.names[player]} should have sent VERSION:2.0.0, not {shown(line)}", player)

    def _line(self, player: int, deadline: float, late: Callable[[int], str]) -> str:
        """A player's next line that is not a comment; `late` says what it did when none comes in time."""
        try:
            while (line := self._players[player].wire.line(deadline))[:1] in _COMMENTS:
                pass
            return line
        except TimeoutError:
            raise _Ended(f"{self.names[player]} {late(player)}", player) from None
        except OSError:
            raise _Ended(f"{self.names[player]} disconnected", player) from None

    def _play_hand(self, number: int, cards: tuple[int, ...], log: LogWriter | None) -> None:
        for player in self._players.values():
            player.hand_seconds = self.limits.hand
        order = [self._player(seat, number) for seat in range(self.rules.players)]
        telling, place = Telling(self.rules, number, cards, self.show_folded), self._start
        now = self._transactions is None
        while (actor := place.betting.actor) is not None:
            past = None if self._transactions is None else self._transactions.again(number, place.betting)
            after, seconds = self._ask(order, telling, place) if past is None else (place.act(past[0]), past[1])
            player = self._players[order[actor]]
            player.hand_seconds -= seconds
            player.match_seconds -= seconds
            if past is None and self._transactions is not None:
                self._transactions.add(number, after.text[len(place.text) :].rstrip("/"), seconds)
                now = True
            place = after
        betting, text = place.betting, place.text
        payoffs = telling.payoffs(betting)
        if log is not None:
            # Before anybody is told: a hand that a player may know to be over is never lost.
            log.add(telling.state(betting, text, payoffs, [self.names[index] for index in order]), payoffs, order)
        for index, chips in zip(order, payoffs, strict=True):
            self._scores[index] += chips
        self._done += 1
        for seat, index in enumerate(order if now else ()):  # of what was played again nobody is told
            self._players[index].wire.later(telling.line(seat, betting, text))
        if self._done == self.hands:
            for index in order:
                # Who does not stay for the result of the last hand has nevertheless played it.
                with contextlib.suppress(_Ended):
                    self._send(index)

    def _player(self, seat: int, number: int) -> int:
        """Who sits in a position in hand `number`."""
        return seat if self.fixed_seats else (seat + number) % self.rules.players

    def _send(self, player: int) -> None:
        """Send a player the lines that wait for it."""
        try:
            self._players[player].wire.flush(self.limits.response)
        except TimeoutError:
            raise _Ended(f"{self.names[player]} does not read what it is sent", player) from None
        except OSError:
            raise _Ended(f"{self.names[player]} disconnected", player) from None

    def _ask(self, order: Sequence[int], telling: Telling, place: Place) -> tuple[Place, float]:
        """Tell everybody of the betting; where the actor's answer, made legal, leads, and its seconds.

        Whoever is not to act is told when the actor thinks for longer than a moment, or else together with what comes
        next: a packet and a process woken up for every line would take most of a fast match's time.
        """
        betting, text = place.betting, place.text
        actor = betting.actor
        assert actor is not None
        index, expected = order[actor], telling.line(actor, betting, text)
        player = self._players[index]
        wire = player.wire
        wire.later(expected)
        self._send(index)
        asked = time.monotonic()
        for seat, other in enumerate(order):
            if seat != actor:
                self._players[other].wire.later(telling.line(seat, betting, text))
        wire.longest = max(LONGEST_LINE, len(expected) + 64)
        if (line := wire.soon(_MOMENT)) is None:
            for other in self._players:
                self._send(other)
        limit = min(self.limits.response, player.hand_seconds, player.match_seconds)
        while line is None or (word := answer_to(expected, line)) is None:
            if line is not None and line[:1] not in _COMMENTS:
                self._warn(index, f"ignored: no answer to {shown(expected)}: {shown(line)}")
            line = self._line(index, asked + limit, self._late)
        used = time.monotonic() - asked
        if used > limit:
            raise _Ended(f"{self.names[index]} {self._late(index)}", index)
        after = place.after.get(word)
        if after is None:
            return self._read(index, place, word), used
        player.invalid = 0
        return after, used

    def _read(self, index: int, place: Place, word: str) -> Place:
        """Where a player's word leads. Those that need no comment are remembered."""
        player = self._players[index]
        action, complaint = read_action(place.betting, word)
        after = place.act(action)
        if not complaint:
            player.invalid = 0
            if self._places < _MOST_PLACES:
                self._places += 1
                place.after[word] = after
        elif action != CALL:
            self._warn(index, f"{complaint}, changed to {action}")
        else:
            self._warn(index, f"{complaint}, changed to a call")
            player.invalid += 1
            if self.limits.invalid is not None and player.invalid > self.limits.invalid:
                raise _Ended(f"{self.names[index]} sent {player.invalid} invalid actions in a row", index)
        return after

    def _late(self, index: int) -> str:
        player = self._players[index]
        left = self.limits.response, player.hand_seconds, player.match_seconds
        return _LATE[left.index(min(left))]

    def _warn(self, player: int, message: str) -> None:
        self._players[player].warnings += 1
        count = self._players[player].warnings
        if count <= _MOST_WARNINGS:
            self.report(f"{self.names[player]}: {message}")
        if count == _MOST_WARNINGS:
            self.report(f"{self.names[player]}: further warnings are counted, not shown")

    def _identity(self) -> list[str]:
        """What makes a match this one; its limits may be others when it goes on."""
        header = [line for line in self._header() if not line.startswith("#--t_")]
        return [*header, f"# players {' '.join(self.names)}", *(["# fixed seats"] if self.fixed_seats else [])]

    def _header(self) -> list[str]:
        first, *more = log_header(self.rules, self.name, self.hands, self.seed)
        limits = {"response": self.limits.response, "hand": self.limits.hand, "per_hand": self.limits.match_a_hand}
        ours = [f"#--t_{key} {round(1000 * seconds)}" for key, seconds in limits.items()]
        return [first, *ours, *(line for line in more if not line.startswith("#--t_"))]
