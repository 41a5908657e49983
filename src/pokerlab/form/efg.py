"""Gambit's `.efg` files (https://gambitproject.readthedocs.io, "The extensive game (.efg) file format").

Nodes come in prefix order. An infoset, a chance event or an outcome is described where its number first appears;
later it may be named by number alone, and a description that is repeated must be the same. Outcomes at nodes
inside the tree are paid on the way, on top of what comes later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pokerlab.errors import EfgError, InfosetMismatch, NotTwoPlayers
from pokerlab.form.extensive import Chance, Decision, Node, Terminal, distinct, extensive_game, shown
from pokerlab.form.game import Game
from pokerlab.reading import read_bytes

_LONGEST = 256 << 20  # bytes of a file: the largest games that are solved have some tens of millions
# The quantifiers are possessive (`++`): a text without its closing quote is found out in one pass.
_TOKEN = re.compile(
    r"""(?P<space>\s++)
      | (?P<text>"(?:[^"\\]++|\\.)*+")
      | (?P<number>[+-]?(?:[0-9]++/[0-9]++|(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?))(?![^\s{},"])
      | (?P<word>[A-Za-z]++)
      | (?P<mark>[{},])""",
    re.VERBOSE | re.DOTALL,
)


class _Token(NamedTuple):
    kind: str  # text, number, word, mark or end
    text: str
    line: int


@dataclass(frozen=True)
class _Event:
    """An infoset or a chance event as described in the file; `odds` is empty for infosets."""

    name: str
    actions: tuple[str, ...]
    odds: tuple[float, ...]


@dataclass(frozen=True)
class _Outcome:
    name: str
    payoffs: tuple[float, ...]


@dataclass(slots=True)
class _Record:
    """A node as read. `player` is -1 for chance; `paid` is what the outcomes up to here add up to."""

    line: int
    paid: tuple[float, float]
    player: int = -1
    number: int = 0
    event: _Event | None = None
    children: list[_Record] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return self.event is None or len(self.children) == len(self.event.actions)


def read_efg(path: str | Path) -> Game:
    """The game of a Gambit file: two players, constant sum, perfect recall. Infosets are called by their names where
    a player's are all different and none is empty, else by their numbers.
    """
    data = read_bytes(path, most=_LONGEST, error=EfgError)
    # Labels of old files may be in any encoding; nothing depends on them.
    return parse_efg(data.decode("utf-8-sig", errors="replace"), str(path))


def parse_efg(text: str, name: str = "efg") -> Game:
    """The game of the text of a Gambit file; `name` is for error messages and becomes the game's."""
    reader = _Reader(text, name)
    reader.prologue()
    root = reader.tree()
    labels = reader.labels()

    def look(record: _Record) -> Node:
        where = f"line {record.line}"
        if record.event is None:
            return Terminal(*record.paid, where=where)
        if record.player < 0:
            return Chance(record.event.odds, record.children, where)
        infoset = labels[record.player, record.number]
        return Decision(record.player, infoset, record.event.actions, record.children, where)

    return extensive_game(root, name, look=look)


class _Reader:
    """A parser that is always one token ahead."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.position, self.line = 0, 1
        self.events: dict[tuple[int, int], _Event] = {}
        self.outcomes: dict[int, _Outcome] = {0: _Outcome("", (0.0, 0.0))}
        self.next = self._scan()

    def _scan(self) -> _Token:
        while self.position < len(self.text):
            match = _TOKEN.match(self.text, self.position)
            if match is None:
                rest = self.text[self.position : self.position + 20].split("\n")[0]
                problem = "a text without its closing quote" if rest.startswith('"') else "cannot read"
                raise EfgError(f"{self.name}, line {self.line}: {problem} {rest!r}")
            line, self.position = self.line, match.end()
            self.line += match.group().count("\n")
            if match.lastgroup != "space":
                return _Token(str(match.lastgroup), match.group(), line)
        return _Token("end", "the end of the file", self.line)

    def take(self, kind: str, what: str, text: str | None = None) -> str:
        """The next token, which must be of this kind (and text)."""
        token = self.next
        if token.kind != kind or text not in (None, token.text):
            raise EfgError(f"{self.name}, line {token.line}: expected {what}, found {shown([token.text])}")
        self.next = self._scan()
        return token.text

    def sees(self, kind: str, text: str | None = None) -> bool:
        return self.next.kind == kind and text in (None, self.next.text)

    def label(self, what: str) -> str:
        return re.sub(r'\\(["\\])', r"\1", self.take("text", what)[1:-1])

    def integer(self, what: str) -> int:
        line, text = self.next.line, self.take("number", what)
        if not re.fullmatch(r"\+?[0-9]{1,9}", text):
            raise EfgError(f"{self.name}, line {line}: {what} should be a whole number, not {text[:40]}")
        return int(text)

    def number(self, what: str) -> float:
        line, text = self.next.line, self.take("number", what)
        above, _, below = text.partition("/")
        if below and not float(below):
            raise EfgError(f"{self.name}, line {line}: {what} {text[:40]} divides by zero")
        # Both are floats: whole numbers of any length stay harmless, and overflow is infinite, which is refused later.
        return float(above) / float(below) if below else float(above)

    def prologue(self) -> None:
        """`EFG 2 R "title" { "player" "player" } "comment"`, the comment only if there is one."""
        self.take("word", "a Gambit file, which begins with EFG 2 R", "EFG")
        self.take("number", "version 2 of the format", "2")
        line = self.next.line
        if self.take("word", "the letter R") not in ("R", "D"):
            raise EfgError(f"{self.name}, line {line}: expected the letter R after EFG 2")
        self.label("the title of the game, in quotes")
        line, players = self.next.line, 0
        self.take("mark", "the players' names in { }", "{")
        while not self.sees("mark", "}"):
            self.label("a player's name in quotes, or }")
            players += 1
        self.take("mark", "}", "}")
        if players != 2:
            raise NotTwoPlayers(f"{self.name}, line {line}: players: {players}; only two-player games can be solved")
        if self.sees("text"):
            self.label("a comment")

    def tree(self) -> _Record:
        """All nodes; `waiting` are those on the way to the next one that still lack children."""
        waiting: list[_Record] = []
        while True:
            node = self._node(waiting[-1].paid if waiting else (0.0, 0.0))
            if waiting:
                waiting[-1].children.append(node)
            else:
                root = node
            waiting.append(node)
            while waiting and waiting[-1].whole:
                waiting.pop()
            if not waiting:
                self.take("end", "nothing more: every node has its children")
                return root

    def _node(self, paid: tuple[float, float]) -> _Record:
        record = _Record(self.next.line, paid)
        kind = self.take("word", "a node, which begins with c, p or t")
        if kind not in ("c", "p", "t"):
            raise EfgError(f"{self.name}, line {record.line}: a node begins with c, p or t, not {kind[:40]}")
        self.label("the node's name, in quotes (it may be empty)")
        if kind == "p":
            record.player = self.integer("the player's number") - 1
            if record.player not in (0, 1):
                raise NotTwoPlayers(f"{self.name}, line {record.line}: there is no player {record.player + 1}")
        if kind != "t":
            record.number = self.integer("the number of the infoset" if kind == "p" else "the number of the event")
            record.event = self._event(record)
        payoffs = self._outcome(record.line).payoffs
        record.paid = paid[0] + payoffs[0], paid[1] + payoffs[1]
        return record

    def _event(self, record: _Record) -> _Event:
        """The infoset or event of a node: described here, before, or both and then alike."""
        key, what = (record.player, record.number), "event" if record.player < 0 else "infoset"
        known = self.events.get(key)
        if not self.sees("text"):
            if known is None:
                raise EfgError(f"{self.name}, line {record.line}: {what} {record.number} is not described before")
            return known
        name = self.label(f"the {what}'s name")
        self.take("mark", "actions in { }", "{")
        actions: list[str] = []
        odds: list[float] = []
        while not (actions and self.sees("mark", "}")):
            actions.append(self.label("an action's name in quotes"))
            if record.player < 0:
                odds.append(self.number("the action's probability"))
        self.take("mark", "}", "}")
        event = _Event(name, distinct(actions), tuple(odds))
        if known is not None and known != event:
            raise InfosetMismatch(f"{self.name}, line {record.line}: {what} {record.number} was described otherwise "
                                  f"before, with {_summary(known)}, not {_summary(event)}")  # fmt: skip
        # The object of the first description is kept: equal actions are then the same tuple, and quickly compared.
        return self.events.setdefault(key, event)

    def _outcome(self, line: int) -> _Outcome:
        number = self.integer("the number of the outcome")
        if not self.sees("text"):
            if number not in self.outcomes:
                raise EfgError(f"{self.name}, line {line}: outcome {number} is not described before")
            return self.outcomes[number]
        if number == 0:
            raise EfgError(f"{self.name}, line {line}: outcome 0 is none, and has no name or payoffs")
        name = self.label("the outcome's name")
        self.take("mark", "payoffs in { }", "{")
        payoffs = []
        while not self.sees("mark", "}"):
            payoffs.append(self.number("a payoff"))
            if self.sees("mark", ","):
                self.take("mark", ",")
        self.take("mark", "}", "}")
        if len(payoffs) != 2:
            raise EfgError(f"{self.name}, line {line}: outcome {number} has {len(payoffs)} payoffs for 2 players")
        outcome = _Outcome(name, tuple(payoffs))
        if self.outcomes.setdefault(number, outcome) != outcome:
            raise EfgError(f"{self.name}, line {line}: outcome {number} was described otherwise before")
        return outcome

    def labels(self) -> dict[tuple[int, int], str]:
        """What to call each infoset."""
        names: dict[tuple[int, int], str] = {}
        for player in range(2):
            mine = {number: event.name for (owner, number), event in self.events.items() if owner == player}
            named = all(mine.values()) and len(set(mine.values())) == len(mine)
            names |= {(player, number): name if named else str(number) for number, name in mine.items()}
        return names


def _summary(event: _Event) -> str:
    parts: Sequence[str] = event.actions
    if event.odds:
        parts = [f"{action} {p:g}" for action, p in zip(event.actions, event.odds, strict=True)]
    return f"{event.name!r} {shown(parts)}"
