"""A store of hands on DuckDB, to ask questions over millions of them.

    with HandStore("hands.duckdb") as store:
        store.ingest("match.log")
        for row in store.stats():
            print(row.agent, row.mean, row.ci95, row.unit)

Three flat tables, `hands`, `seats` and `actions`, beside `files` and `games`; docs/hands.md has their columns, and
DuckDB's own tools read them. A file is taken in by one transaction: all of it, once, or nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pokerlab.errors import LogError, StoreError, UnknownGame
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import parse_hand
from pokerlab.game.rules import Rules, parse_rules, unit_of
from pokerlab.progress import Bar
from pokerlab.reading import opened, reading
from pokerlab.records.hand_columns import ACTIONS, HANDS, KINDS, SEATS, Columns, columns
from pokerlab.records.hand_stats import AgentStats, Choice, agent_stats
from pokerlab.records.histories import HistoryReader, read_history, site_of
from pokerlab.records.logs import LogReader, read_log
from pokerlab.records.money import Money
from pokerlab.records.phh import PhhReader, read_phh
from pokerlab.records.record import LoggedHand

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_VERSION = 2
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]")
_NUMBERS = re.compile(r"(?<![A-Za-z0-9])p?[-+]?[0-9][0-9.,]*(?:[|][-0-9.]+)*")
# Who won is not known where the payoff is not.
_UNKNOWN = (
    "* REPLACE (CASE WHEN isnan(payoff) THEN NULL ELSE payoff END AS payoff, "
    "CASE WHEN payoff IS NULL OR isnan(payoff) THEN NULL ELSE won END AS won)"  # the new payoff, or the old
)
_BLOCK = 20_000  # hands inserted at once
_TOLD = 5  # bad lines of a file that are told of; the others are counted
_TYPES = {
    np.int64: "BIGINT", np.uint8: "UTINYINT", np.uint16: "USMALLINT", np.float64: "DOUBLE", bool: "BOOLEAN",
    object: "VARCHAR",
}  # fmt: skip


# What version 2 has more than version 1, with what holds of older hands.
_ADDED = {
    "hands": {"stacks": "VARCHAR", "stakes": "VARCHAR", "currency": "VARCHAR DEFAULT ''", "scale": "BIGINT DEFAULT 1"},
    "files": {"reasons": "VARCHAR DEFAULT '{}'"},
}


class Ingested(NamedTuple):
    """What came of a file: `fresh` is False when its content was in the store already."""

    path: str
    games: str
    hands: int
    bad: int
    fresh: bool
    reasons: dict[str, int] = {}  # noqa: RUF012 (never changed)  why hands were left out, and how many

    def line(self) -> str:
        """As text."""
        text = f"{self.path}: {self.hands:,} hand{'' if self.hands == 1 else 's'} of {self.games}"
        bad = f", {self.bad:,} bad lines left out" if self.bad else ""
        return text + bad + ("" if self.fresh else ", there already")

    def lines(self) -> list[str]:
        """As text, with the reasons why hands were left out."""
        return [self.line(), *(f"    {count:,}: {why}" for why, count in self.reasons.items())]


class HandStore:
    """A store in one file, made if it is not there (but not with `read_only`)."""

    def __init__(self, path: str | Path, read_only: bool = False) -> None:
        self.path = Path(path)
        _need_duckdb()
        if os.path.exists(self.path):
            with opened(self.path, StoreError):  # a plain file, which may be read
                pass
        elif read_only:
            raise StoreError(f"no hand store at {path}; `pokerlab hands ingest LOG --store {path}` makes one")
        self._connection = _connect(self.path, read_only)
        try:
            self._prepare(read_only)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> HandStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def query(self, sql: str, parameters: list[Any] | None = None) -> list[tuple]:
        """Rows of any SQL over the store."""
        import duckdb

        try:
            asked = self._connection.execute(sql, parameters)
            rows = None if asked is None else asked.fetchall()
        except (duckdb.Error, RuntimeError) as error:  # the latter of what is no text
            raise StoreError(f"{self.path}: {error}") from None
        if rows is None:
            raise StoreError(f"{self.path} is asked nothing: a query is needed, such as 'SELECT count(*) FROM hands'")
        return rows

    def _prepare(self, read_only: bool) -> None:
        tables = {name for (name,) in self.query("SELECT table_name FROM duckdb_tables()")}
        if not tables and not read_only:
            self._create()
        elif "pokerlab_store" not in tables:
            raise StoreError(f"{self.path} is a DuckDB file, but not a hand store")
        versions = [version for (version,) in self.query("SELECT version FROM pokerlab_store")]
        if versions == [1]:
            self._bring_up_to_date(read_only)
            return
        if versions != [_VERSION]:
            version = versions[0] if versions else None
            raise StoreError(f"{self.path} is a hand store of version {version}; this pokerlab reads {_VERSION}")

    def _bring_up_to_date(self, read_only: bool) -> None:
        """Give a store of version 1 the columns that it lacks; where it is only read, to this connection alone."""
        ((database,),) = self.query("SELECT current_database()")
        quoted = '"' + database.replace('"', '""') + '"'
        self.query("BEGIN")
        for table, added in _ADDED.items():
            if read_only:
                more = ", ".join(
                    f"CAST({kind.partition(' DEFAULT ')[2] or 'NULL'} AS {kind.partition(' ')[0]}) AS {name}"
                    for name, kind in added.items()
                )
                self.query(f"CREATE TEMP VIEW {table} AS SELECT *, {more} FROM {quoted}.main.{table}")
            else:
                for name, kind in added.items():
                    self.query(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
        if not read_only:
            self.query("UPDATE pokerlab_store SET version = ?", [_VERSION])
        self.query("COMMIT")

    def _create(self) -> None:
        def declared(types: dict[str, Any]) -> str:
            kind = f"ENUM ({', '.join(repr(kind) for kind in KINDS)})"
            return ", ".join(f"{name} {kind if name == 'kind' else _TYPES[types[name]]}" for name in types)

        self.query("BEGIN")
        self.query("CREATE TABLE pokerlab_store (version INTEGER)")
        self.query("INSERT INTO pokerlab_store VALUES (?)", [_VERSION])
        self.query("CREATE TABLE games (game VARCHAR, definition VARCHAR, unit VARCHAR, chips_a_unit DOUBLE)")
        self.query(
            "CREATE TABLE files (sha256 VARCHAR, path VARCHAR, bytes BIGINT, first_hand BIGINT, hands BIGINT, "
            "bad BIGINT, games VARCHAR, reasons VARCHAR)"
        )
        self.query(f"CREATE TABLE hands ({declared(HANDS)})")
        self.query(f"CREATE TABLE seats ({declared(SEATS)})")
        self.query(f"CREATE TABLE actions ({declared(ACTIONS)})")
        self.query("COMMIT")

    def ingest_all(
        self, paths: Sequence[str], rules: Rules | str | None, skip_bad: bool, tell: Callable[[str], None]
    ) -> list[Ingested]:
        """Take in files one after the other, with a bar; `tell` hears of the first bad lines of each."""
        files: list[Ingested] = []
        with Bar("ingest") as bar:
            for number, path in enumerate(paths):
                numbers = count()

                def complain(error: LogError, numbers: count = numbers) -> None:
                    if next(numbers) < _TOLD:
                        tell(f"skipped {error}")

                def progress(fraction: float, done: int, number: int = number) -> None:
                    earlier = sum(file.hands for file in files)
                    bar.show((number + fraction) / len(paths), f"{earlier + done:,} hands")

                files.append(self.ingest(path, rules, skip_bad, complain, progress))
                if (bad := next(numbers)) > _TOLD:
                    tell(f"skipped {bad - _TOLD:,} more lines of {path}")
        return files

    def ingest(
        self,
        path: str | Path,
        rules: Rules | str | None = None,
        skip_bad: bool = False,
        on_error: Callable[[LogError], None] | None = None,
        progress: Callable[[float, int], None] = lambda fraction, hands: None,
    ) -> Ingested:
        """Take in a log, a PHH file (.phh, .phhs) or a poker site's history, which always tell their own game.

        Content that is there already is left alone; a log that has grown since takes the place of its beginning.
        `progress` is told the fraction done and the hands so far.
        """
        path = Path(path)
        digest, size = file_digest(path)
        known = self.query("SELECT games, hands, bad, reasons FROM files WHERE sha256 = ?", [digest])
        if known:
            told, total, bad, why = known[0]
            return Ingested(str(path), told, total, bad, False, json.loads(why))
        reasons = Counter[str]()

        def complain(error: LogError) -> None:
            reasons[_reason(error, path)] += 1
            if on_error is not None:
                on_error(error)

        reader = _reader(path, rules, skip_bad, complain)
        names: dict[tuple[str, str], str] = {}  # a game is asked for once, for people's hands have rules of their own

        def game_of(rules: Rules) -> str:
            key = rules.name, _without_stacks(rules)
            if key not in names:
                names[key] = self._game(rules)
            return names[key]

        self.query("BEGIN")
        try:
            self._forget_beginning(path, size)
            first, total = self._next_hand(), 0
            for hands, *tables in columns(reader, _BLOCK, game_of):
                for name, table in zip(("hands", "seats", "actions"), tables, strict=True):
                    table["hand"] += first + total
                    self._append(name, table)
                total += hands
                progress(reader.bytes_read / size, total)
            told, bad = ", ".join(sorted({*names.values()})), reasons.total()
            if not told and isinstance(reader, LogReader):
                told = reader.rules.name
            self.query(
                "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [digest, str(path.resolve()), size, first, total, bad, told, json.dumps(reasons)],
            )
            self.query("COMMIT")
        except BaseException:
            # Also on Ctrl-C: a file is there as a whole or not at all.
            with suppress(StoreError):
                self.query("ROLLBACK")
            raise
        return Ingested(str(path), told, total, bad, True, dict(reasons))

    def seatings(self) -> list[tuple[int, tuple[str, ...]]]:
        """Every hand's number in the store and who sat where, in order."""
        rows = self.query("SELECT hand, list(agent ORDER BY position) FROM seats GROUP BY hand ORDER BY hand")
        return [(hand, tuple(names)) for hand, names in rows]

    def hands(self, first: int, last: int, rules: Rules | str | None = None) -> Iterator[LoggedHand]:
        """The hands with numbers from `first` to below `last`, read back and replayed.

        Stores of old have no stacks: where a game's name does not lead to its rules, `rules` must.
        """
        given = None if rules is None else rules_of(rules)
        return (record for _, record in self._records(given, "hand >= ? AND hand < ?", [first, last]))

    def all_ins(self) -> Iterator[tuple[int, LoggedHand]]:
        """The hands, with their numbers in the store, in which cards came after the last decision."""
        return self._records(None, "hand IN (SELECT hand FROM hands WHERE showdown AND betting LIKE '%/')", [])

    def _records(self, given: Rules | None, condition: str, parameters: list[Any]) -> Iterator[tuple[int, LoggedHand]]:
        payoffs = "SELECT hand, list(payoff ORDER BY position) AS payoffs, list(agent ORDER BY position) AS names"
        rows = self.query(
            f"SELECT hand, game, stacks, number, betting, cards, adjusted, payoffs, names, currency, scale FROM hands "
            f"JOIN ({payoffs} FROM seats WHERE {condition} GROUP BY hand) USING (hand) ORDER BY hand",
            parameters,
        )
        games: dict[tuple[str, str], Rules] = {}
        for index, game, stacks, number, betting, cards, adjusted, won, names, *money in rows:
            rules = given or games.get((game, stacks))
            if rules is None:
                rules = games[game, stacks] = self._rules_of(game, stacks)
            hand = parse_hand(rules, betting, cards)._replace(names=tuple(names))
            paid = tuple(math.nan if chips is None else chips for chips in won)
            yield index, LoggedHand(number, hand, paid, adjusted, money=Money(*money))

    def _rules_of(self, game: str, stacks: str | None) -> Rules:
        """The rules of a stored game: those of its name, if they fit its definition, with the stacks of the hand."""
        ((definition,),) = self.query("SELECT definition FROM games WHERE game = ?", [game])
        try:
            rules = rules_of(game, own=False)
        except UnknownGame:
            rules = parse_rules(definition, game)
            if not rules.limit and stacks is None:
                raise StoreError(f"{self.path} does not have the stacks of {game}: name the game") from None
        if _without_stacks(rules) != definition:
            raise StoreError(f"the {game} in {self.path} has other rules than ours: name the game")
        return rules if stacks is None else replace(rules, stacks=tuple(map(int, stacks.split())))

    def _next_hand(self) -> int:
        ((following,),) = self.query("SELECT coalesce(max(hand) + 1, 0) FROM hands")
        return following

    def _append(self, name: str, table: Columns) -> None:
        # NumPy columns go in as they are; row by row it would take a hundred times longer.
        self._connection.register("block", table)
        try:
            told = _UNKNOWN if name == "seats" else "*"
            self.query(f"INSERT INTO {name} SELECT {told} FROM block")
        finally:
            self._connection.unregister("block")

    def _game(self, rules: Rules) -> str:
        """The name under which a game is stored: its own, with a mark if another game has it already.

        Stacks are not part of it: at a table of people they change from hand to hand.
        """
        definition = _without_stacks(rules)
        mark = hashlib.sha256(definition.encode()).hexdigest()[:8]
        name = rules.name or f"game-{mark}"
        for candidate in (name, f"{name}#{mark}"):
            same_name = self.query("SELECT definition FROM games WHERE game = ?", [candidate])
            if same_name == [(definition,)]:
                return candidate
            if not same_name:
                self.query("INSERT INTO games VALUES (?, ?, ?, ?)", [candidate, definition, *unit_of(rules)])
                return candidate
        raise StoreError(f"two games of the name {name} with the same mark")

    def _forget_beginning(self, path: Path, size: int) -> None:
        """Remove what an earlier, shorter state of the same log put in."""
        earlier = self.query(
            "SELECT sha256, bytes, first_hand, hands FROM files WHERE path = ? AND bytes < ?",
            [str(path.resolve()), size],
        )
        for digest, length, first, hands in earlier:
            if file_digest(path, length)[0] == digest:
                for table in ("hands", "seats", "actions"):
                    self.query(f"DELETE FROM {table} WHERE hand >= ? AND hand < ?", [first, first + hands])
                self.query("DELETE FROM files WHERE sha256 = ?", [digest])

    def stats(
        self,
        agent: str | None = None,
        *,
        choice: Choice | None = None,
        instead: Iterable[tuple[int, int, float]] | None = None,
    ) -> list[AgentStats]:
        """Figures of every agent, or of one, in every game, the most hands first; `choice` has what else to choose.

        `instead` are payoffs, as (hand, position, chips), to be taken in the place of those that were paid.
        """
        choice = choice or Choice()
        choice = choice if agent is None else replace(choice, agent=agent)
        payoff, also = "payoff", ""
        if instead is not None:
            self.query("CREATE OR REPLACE TEMP TABLE instead (hand BIGINT, position UTINYINT, chips DOUBLE)")
            for row in instead:
                self.query("INSERT INTO instead VALUES (?, ?, ?)", list(row))
            payoff = "coalesce(chips, payoff)"
            also = "LEFT JOIN instead ON instead.hand = seats.hand AND instead.position = seats.position"
        with reading(self.path, StoreError):
            rows = agent_stats(self.query, choice, payoff, also)
        if choice.agent is not None and not rows:
            raise StoreError(f"{self.path} has no hands of {choice.agent!r}")
        return rows

    def table(self, sql: str) -> tuple[list[str], list[tuple]]:
        """The names of the columns, and the rows, of any SQL over the store."""
        rows = self.query(sql)
        return [column[0] for column in self._connection.description or ()], rows


def _without_stacks(rules: Rules) -> str:
    return "\n".join(line for line in rules.text().splitlines() if not line.startswith("stack "))


def file_digest(path: Path, size: int | None = None) -> tuple[str, int]:
    """SHA-256 of a file, or of its first bytes, and how many bytes that is."""
    digest, done = hashlib.sha256(), 0
    with opened(path, LogError) as file:
        while piece := file.read(1 << 20 if size is None else min(1 << 20, size - done)):
            digest.update(piece)
            done += len(piece)
    return digest.hexdigest(), done


def _need_duckdb() -> None:
    try:
        import duckdb  # noqa: F401 (is it there?)
    except ImportError:
        raise StoreError("the hand store needs DuckDB: pip install 'pokerlab[store]'") from None


def _reader(
    path: Path, rules: Rules | str | None, skip_bad: bool, complain: Callable[[LogError], None]
) -> LogReader | PhhReader | HistoryReader:
    """The hands of a file of whatever kind."""
    if path.suffix in (".phh", ".phhs"):
        return read_phh(path, skip_bad, complain)
    site = site_of(path)
    if site is not None:
        return read_history(path, site, skip_bad, complain)
    return read_log(path, rules, skip_bad, complain)


def _reason(error: LogError, path: Path) -> str:
    """Why a hand is left out, in words that it shares with others: without file, line, and what was given."""
    text = str(error).removeprefix(str(path)).partition(": ")[2] or str(error)
    return _NUMBERS.sub("N", _QUOTED.sub("...", text))


def _connect(path: Path, read_only: bool) -> DuckDBPyConnection:
    import duckdb

    try:
        # A store may be a stranger's: what it calls a table must not read other files.
        return duckdb.connect(str(path), read_only=read_only, config={"enable_external_access": "false"})
    except (duckdb.Error, RuntimeError) as error:  # of names that are no text it knows no more than that
        raise StoreError(f"cannot open {path} as a hand store: {' '.join(str(error).split())}") from None
