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
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
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
from pokerlab.records.hand_stats import AgentStats, agent_stats
from pokerlab.records.logs import read_log
from pokerlab.records.phh import read_phh
from pokerlab.records.record import LoggedHand

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_VERSION = 1
_BLOCK = 20_000  # hands inserted at once
_TOLD = 5  # bad lines of a file that are told of; the others are counted
_TYPES = {
    np.int64: "BIGINT", np.uint8: "UTINYINT", np.uint16: "USMALLINT", np.float64: "DOUBLE", bool: "BOOLEAN",
    object: "VARCHAR",
}  # fmt: skip


class Ingested(NamedTuple):
    """What came of a file: `fresh` is False when its content was in the store already."""

    path: str
    games: str
    hands: int
    bad: int
    fresh: bool

    def line(self) -> str:
        """As text."""
        text = f"{self.path}: {self.hands:,} hand{'' if self.hands == 1 else 's'} of {self.games}"
        bad = f", {self.bad:,} bad lines left out" if self.bad else ""
        return text + bad + ("" if self.fresh else ", there already")


class HandStore:
    """A store in one file, made if it is not there (but not with `read_only`)."""

    def __init__(self, path: str | Path, read_only: bool = False) -> None:
        self.path = Path(path)
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
            return self._connection.execute(sql, parameters).fetchall()
        except duckdb.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    def _prepare(self, read_only: bool) -> None:
        tables = {name for (name,) in self.query("SELECT table_name FROM duckdb_tables()")}
        if not tables and not read_only:
            self._create()
        elif "pokerlab_store" not in tables:
            raise StoreError(f"{self.path} is a DuckDB file, but not a hand store")
        versions = [version for (version,) in self.query("SELECT version FROM pokerlab_store")]
        if versions != [_VERSION]:
            version = versions[0] if versions else None
            raise StoreError(f"{self.path} is a hand store of version {version}; this pokerlab reads {_VERSION}")

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
            "bad BIGINT, games VARCHAR)"
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
        """Take in a log, or a PHH file (.phh, .phhs), which always tells its own game.

        Content that is there already is left alone; a log that has grown since takes the place of its beginning.
        `progress` is told the fraction done and the hands so far.
        """
        path = Path(path)
        digest, size = file_digest(path)
        known = self.query("SELECT games, hands, bad FROM files WHERE sha256 = ?", [digest])
        if known:
            told, total, bad = known[0]
            return Ingested(str(path), told, total, bad, False)
        bad = 0

        def complain(error: LogError) -> None:
            nonlocal bad
            bad += 1
            if on_error is not None:
                on_error(error)

        history = path.suffix in (".phh", ".phhs")
        log = None if history else read_log(path, rules, skip_bad, complain)
        self.query("BEGIN")
        try:
            self._forget_beginning(path, size)
            first, total, games = self._next_hand(), 0, set[str]()
            for hands, *tables in columns(log or read_phh(path, skip_bad, complain), _BLOCK, self._game):
                for name, table in zip(("hands", "seats", "actions"), tables, strict=True):
                    table["hand"] += first + total
                    self._append(name, table)
                total += hands
                games.update(tables[0]["game"])
                progress(log.bytes_read / size if log else 1.0, total)
            told = ", ".join(sorted(games)) or (log.rules.name if log else "")
            self.query(
                "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?)",
                [digest, str(path.resolve()), size, first, total, bad, told],
            )
            self.query("COMMIT")
        except BaseException:
            # Also on Ctrl-C: a file is there as a whole or not at all.
            with suppress(StoreError):
                self.query("ROLLBACK")
            raise
        return Ingested(str(path), told, total, bad, True)

    def seatings(self) -> list[tuple[int, tuple[str, ...]]]:
        """Every hand's number in the store and who sat where, in order."""
        rows = self.query("SELECT hand, list(agent ORDER BY position) FROM seats GROUP BY hand ORDER BY hand")
        return [(hand, tuple(names)) for hand, names in rows]

    def hands(self, first: int, last: int, rules: Rules | str | None = None) -> Iterator[LoggedHand]:
        """The hands with numbers from `first` to below `last`, read back and replayed.

        The store has no stacks: where a game's name does not lead to its rules, `rules` must.
        """
        given = None if rules is None else rules_of(rules)
        payoffs = "SELECT hand, list(payoff ORDER BY position) AS payoffs, list(agent ORDER BY position) AS names"
        rows = self.query(
            f"SELECT game, number, betting, cards, adjusted, payoffs, names FROM hands JOIN ({payoffs} FROM seats "
            "WHERE hand >= ? AND hand < ? GROUP BY hand) USING (hand) ORDER BY hand",
            [first, last],
        )
        for game, number, betting, cards, adjusted, won, names in rows:
            hand = parse_hand(given or self._rules_of(game), betting, cards)
            yield LoggedHand(number, hand._replace(names=tuple(names)), tuple(won), adjusted)

    def _rules_of(self, game: str) -> Rules:
        """The rules of a stored game: those of its name, if they fit its definition."""
        ((definition,),) = self.query("SELECT definition FROM games WHERE game = ?", [game])
        try:
            rules = rules_of(game)
        except UnknownGame:
            rules = parse_rules(definition, game)
            if not rules.limit:
                raise StoreError(f"{self.path} does not have the stacks of {game}: name the game") from None
        if _without_stacks(rules) != definition:
            raise StoreError(f"the {game} in {self.path} has other rules than ours: name the game")
        return rules

    def _next_hand(self) -> int:
        ((following,),) = self.query("SELECT coalesce(max(hand) + 1, 0) FROM hands")
        return following

    def _append(self, name: str, table: Columns) -> None:
        # NumPy columns go in as they are; row by row it would take a hundred times longer.
        self._connection.register("block", table)
        try:
            self.query(f"INSERT INTO {name} SELECT * FROM block")
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

    def stats(self, agent: str | None = None) -> list[AgentStats]:
        """Figures of every agent in every game, the most hands first."""
        with reading(self.path, StoreError):
            rows = agent_stats(self.query, agent)
        if agent is not None and not rows:
            raise StoreError(f"{self.path} has no hands of {agent!r}")
        return rows


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


def _connect(path: Path, read_only: bool) -> DuckDBPyConnection:
    try:
        import duckdb
    except ImportError:
        raise StoreError("the hand store needs DuckDB: pip install 'pokerlab[store]'") from None
    try:
        # A store may be a stranger's: what it calls a table must not read other files.
        return duckdb.connect(str(path), read_only=read_only, config={"enable_external_access": "false"})
    except (duckdb.Error, RuntimeError) as error:  # of names that are no text it knows no more than that
        raise StoreError(f"cannot open {path} as a hand store: {' '.join(str(error).split())}") from None
