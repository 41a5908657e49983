"""The tables, hands and solves of the web, in one SQLite file: all that the server knows, so that a restart loses
nothing.

A hand is its cards and its actions so far. Every change names the state that it starts from and is one transaction, so
that two tabs, or two servers, cannot both act in the same place.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, TypeVar

from pokerlab.errors import HandMovedOn, LedgerError, PokerlabError, shown
from pokerlab.reading import opened
from pokerlab.writing import check_output

Value = TypeVar("Value")

_OURS = 0x706B6C77  # SQLite's mark of whose a file is
_TABLES = """
CREATE TABLE tables (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, rules TEXT NOT NULL, agents TEXT NOT NULL, player TEXT NOT NULL,
    seed TEXT NOT NULL, opened REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE hands (
    table_id TEXT NOT NULL REFERENCES tables(id), number INTEGER NOT NULL, cards TEXT NOT NULL, actions TEXT NOT NULL,
    over INTEGER NOT NULL, chips REAL, luck_free REAL, PRIMARY KEY (table_id, number)
) WITHOUT ROWID;
"""
_SOLVES = """
CREATE TABLE solves (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, spot TEXT NOT NULL, goal TEXT NOT NULL, state TEXT NOT NULL,
    told TEXT NOT NULL, error TEXT NOT NULL, asked REAL NOT NULL
);
"""
_KINDS = "ALTER TABLE solves ADD COLUMN kind TEXT NOT NULL DEFAULT 'spot';"
_STEPS = (_TABLES, _SOLVES, _KINDS)  # what each version has added
_VERSION = len(_STEPS)


class TableRow(NamedTuple):
    """A table: its game by name and as a definition, the agents' specs, the player's name, and its secret."""

    id: str
    game: str
    rules: str
    agents: tuple[str, ...]
    player: str
    seed: str
    opened: float


class HandRow(NamedTuple):
    """A hand: all cards, hole cards seat by seat and then the board, and what was done so far.

    `chips` are what the player won, once it is `over`; `luck_free` is that with luck taken out, where it is known.
    """

    number: int
    cards: tuple[int, ...]
    actions: tuple[int, ...]
    over: bool = False
    chips: float | None = None
    luck_free: float | None = None


class SolveRow(NamedTuple):
    """What was asked of the process beside the server: its limits, what has become of it, and how far it is.

    Of kind `spot` it is a spot to be solved, by its name and text; of kind `agent` the name of one to be trained.
    """

    number: int
    name: str
    spot: str
    goal: dict[str, float | int | None]
    state: str
    told: dict[str, Any]
    error: str
    asked: float
    kind: str = "spot"


class Totals(NamedTuple):
    """Hands that are over, the chips that the player won in them, and these squared, summed."""

    hands: int
    chips: float
    squares: float


class Ledger:
    """The file, made if it is not there; for any number of threads."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if os.path.exists(self.path):
            with opened(self.path, LedgerError):  # a plain file, which may be read
                pass
        else:
            check_output(self.path, LedgerError)
        self._lock = RLock()
        with _told(self.path):
            self._database = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise

    def _prepare(self) -> None:
        (mark,), (version,) = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
        fresh = (mark, version) == (0, 0) and not self._all("SELECT 1 FROM sqlite_master LIMIT 1")
        if not fresh and mark != _OURS:
            raise LedgerError(f"{self.path} is not a file of `pokerlab web`")
        if not fresh and not 1 <= version <= _VERSION:
            raise LedgerError(f"{self.path} is of version {version}; this pokerlab reads {_VERSION}")
        if version < _VERSION:
            with self._transaction():
                for statement in filter(str.strip, "".join(_STEPS[version:]).split(";")):
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA application_id = {_OURS}")
                self._database.execute(f"PRAGMA user_version = {_VERSION}")
        self._database.execute("PRAGMA journal_mode = WAL")  # readers do not wait, and a killed server loses nothing
        self._database.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, _told(self.path):
            return self._database.execute(sql, values).fetchall()

    def _one(self, sql: str, values: Sequence[Any] = ()) -> Any:
        rows = self._all(sql, values)
        return rows[0] if rows else None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, _told(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    # ---- tables

    def open_table(self, table: TableRow, first: HandRow) -> None:
        """Add a table with its first hand."""
        with self._transaction():
            self._database.execute(
                "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?)",
                table._replace(agents=json.dumps(table.agents)),  # type: ignore[arg-type]
            )
            self._insert(table.id, first)

    def table(self, table_id: str) -> TableRow | None:
        row = self._one("SELECT * FROM tables WHERE id = ?", [table_id])
        with _told(self.path):
            return None if row is None else _table(row)

    def tables(self) -> list[tuple[TableRow, Totals]]:
        """All of them, the newest first, with what was won."""
        rows = self._all(
            "SELECT tables.*, count(chips), total(chips), total(chips * chips) FROM tables "
            "LEFT JOIN hands ON table_id = id AND over GROUP BY id ORDER BY opened DESC, id"
        )
        with _told(self.path):
            return [(_table(row[:7]), Totals(*row[7:])) for row in rows]

    # ---- hands

    def _insert(self, table_id: str, hand: HandRow) -> None:
        self._database.execute("INSERT INTO hands VALUES (?, ?, ?, ?, ?, ?, ?)", [table_id, *_stored(hand)])

    def add_hand(self, table_id: str, hand: HandRow) -> None:
        """The next hand, after one that is over."""
        with self._transaction():
            last = self.last_hand(table_id)
            if (last.number + 1, last.over) != (hand.number, True):
                raise HandMovedOn(f"hand {hand.number} was dealt already")
            self._insert(table_id, hand)

    def save_hand(self, table_id: str, before: HandRow, after: HandRow) -> None:
        """What has become of a hand that was `before`."""
        with self._transaction():
            if self.last_hand(table_id) != before:
                raise HandMovedOn(f"hand {before.number} has gone on from there")
            values = *_stored(after)[2:], table_id, after.number
            self._database.execute(
                "UPDATE hands SET actions = ?, over = ?, chips = ?, luck_free = ? WHERE table_id = ? AND number = ?",
                values,
            )

    def last_hand(self, table_id: str) -> HandRow:
        """The hand that is being played, or was last."""
        hands = self._hands(table_id, "ORDER BY number DESC LIMIT 1")
        if not hands:
            raise LedgerError(f"{self.path} is damaged: a table has no hands")
        return hands[0]

    def hand(self, table_id: str, number: int) -> HandRow | None:
        hands = self._hands(table_id, "AND number = ?", [number])
        return hands[0] if hands else None

    def finished(self, table_id: str, *, below: int | None = None, most: int = -1) -> list[HandRow]:
        """Hands that are over, in order: the last `most` of those with numbers below one."""
        bound = 2**62 if below is None else below
        return self._hands(table_id, "AND over AND number < ? ORDER BY number DESC LIMIT ?", [bound, most])[::-1]

    def totals(self, table_id: str) -> Totals:
        return Totals(*self._one(
            "SELECT count(chips), total(chips), total(chips * chips) FROM hands WHERE table_id = ? AND over", [table_id]
        ))  # fmt: skip

    def _hands(self, table_id: str, which: str, values: Sequence[Any] = ()) -> list[HandRow]:
        rows = self._all(
            f"SELECT number, cards, actions, over, chips, luck_free FROM hands WHERE table_id = ? {which}",
            [table_id, *values],
        )
        with _told(self.path):
            return [_hand(row) for row in rows]

    def without_luck(self, table_id: str, number: int, chips: float) -> None:
        """What a hand that is over was worth with luck taken out."""
        with self._transaction():
            self._database.execute(
                "UPDATE hands SET luck_free = ? WHERE table_id = ? AND number = ? AND over", [chips, table_id, number]
            )

    # ---- solves

    def save_solve(self, solve: SolveRow) -> None:
        """What is new, or what has become of it."""
        with self._transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO solves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                solve._replace(goal=json.dumps(solve.goal), told=json.dumps(solve.told)),  # type: ignore[arg-type]
            )

    def solves(self, most: int) -> list[SolveRow]:
        """The last ones, in the order in which they were asked for."""
        rows = self._all("SELECT * FROM solves ORDER BY number DESC LIMIT ?", [most])[::-1]
        with _told(self.path):
            return [_solve(row) for row in rows]


def _table(row: Sequence[Any]) -> TableRow:
    agents = json.loads(_of(str, row[3]))
    if not isinstance(agents, list) or not agents or not all(isinstance(spec, str) for spec in agents):
        raise TypeError("a table's agents are a list of texts")
    table_id, game, rules, player, seed = (_of(str, row[place]) for place in (0, 1, 2, 4, 5))
    return TableRow(table_id, game, rules, tuple(agents), player, seed, _of(float, row[6]))


def _hand(row: Sequence[Any]) -> HandRow:
    number, cards, actions, over, *rest = row
    chips, luck_free = (None if each is None else _of(float, each) for each in rest)
    if bool(over) != (chips is not None):
        raise TypeError("a hand has a result when it is over")
    return HandRow(_of(int, number), _whole(cards), _whole(actions), bool(over), chips, luck_free)


def _solve(row: Sequence[Any]) -> SolveRow:
    name, spot, state, error, kind = (_of(str, row[place]) for place in (1, 2, 4, 6, 8))
    goal, told = _object(row[3]), _object(row[5])
    return SolveRow(_of(int, row[0]), name, spot, goal, state, told, error, _of(float, row[7]), kind)


def _of(kind: type[Value], value: Any) -> Value:
    """A value of this kind; SQLite keeps any other in its place."""
    if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
        raise TypeError(f"{kind.__name__} expected, not {shown(value)}")
    return value


def _whole(text: Any) -> tuple[int, ...]:
    """A list of whole numbers."""
    numbers = json.loads(_of(str, text))
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise TypeError("a hand's cards and actions are whole numbers")
    return tuple(numbers)


def _object(text: Any) -> dict[str, Any]:
    told = json.loads(_of(str, text))
    if not isinstance(told, dict):
        raise TypeError("the figures of a solve are an object")
    return told


def _stored(hand: HandRow) -> list[Any]:
    return [hand.number, json.dumps(hand.cards), json.dumps(hand.actions), int(hand.over), hand.chips, hand.luck_free]


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(f"{path}: {error}") from error
    except PokerlabError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise LedgerError(f"{path} is damaged: {error}") from error
