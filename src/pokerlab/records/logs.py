"""The competition's logs, read and written byte for byte.

# comments, of which the first name the game
STATE:number:betting:cards:payoffs:names    one a hand; payoffs and names in position order
SCORE:totals:names                          at the end, in seat order

for record in read_log("match.log"):
    print(record.number, record.names, record.payoffs, record.hand.betting_text())
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from pokerlab.errors import LogError, PokerlabError, printable, shown
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules
from pokerlab.reading import opened
from pokerlab.records.log_game import HEADER, find_rules, log_header
from pokerlab.records.record import (
    LONGEST_LINE,
    NEARLY,
    HandReader,
    LoggedHand,
    cut_comment,
    parse_names,
    parse_payoffs,
    parse_state_line,
    payoff_text,
    score_line,
)
from pokerlab.writing import Growing, replacing, undisturbed, why

_LONGEST_HEADER = 1 << 20
_SAMPLE = 50  # hands from which a game is guessed
_HEADER = HEADER.encode()


class LogReader(HandReader):
    """The hands of a log, read one by one while iterating.

    `rules` is the game; `header` the comment lines at the top. After a pass `hands` is the number of hands, `bad` the
    number of lines left out, `score` what the SCORE line says, as (name, chips) in seat order.
    """

    def __init__(
        self,
        path: str | Path,
        rules: Rules | str | None = None,
        skip_bad: bool = False,
        on_error: Callable[[LogError], None] | None = None,
    ) -> None:
        super().__init__(path, skip_bad, on_error)
        self.header, sample = _opening(self.path)
        self.rules = rules_of(rules) if rules is not None else find_rules(self.path, self.header, sample, _fits)
        self._start()

    def _start(self) -> None:
        self.hands, self.bad, self.bytes_read = 0, 0, 0
        self.score: tuple[tuple[str, float], ...] | None = None
        self._begin_match()

    def _begin_match(self) -> None:
        """Matches may be appended to a log; each has a header and a SCORE of its own."""
        self._totals: dict[str, float] = {}
        self._distinct = True

    def __iter__(self) -> Iterator[LoggedHand]:
        self._start()
        for number, line in _lines(self.path):
            self.bytes_read += len(line)
            record = self._tried(self._read, line, f"{self.path}:{number}")
            if record is not None:
                yield record

    def _read(self, raw: bytes, where: str) -> LoggedHand | None:
        if raw.startswith(_HEADER):
            self._begin_match()
        line = _text(raw)
        if line is None:
            problem = "too long" if len(raw) > LONGEST_LINE else "not text"
            raise LogError(f"{where}: the line is {problem}: {shown(raw[:200].decode('latin-1'))}")
        if not line or line[0] in "#;":
            return None
        if line.startswith("SCORE:"):
            self._read_score(line, where)
            return None
        record = parse_state_line(self.rules, line, where)
        self.hands += 1
        self._distinct = self._distinct and len(set(record.names)) == len(record.names)
        for name, chips in zip(record.names, record.payoffs, strict=True):
            self._totals[name] = self._totals.get(name, 0.0) + chips
        return record

    def _read_score(self, line: str, where: str) -> None:
        parts = line.split(":", 2)
        try:
            if len(parts) != 3:
                raise LogError(f"SCORE:totals:names expected, got {shown(line)}")
            totals = parse_payoffs(parts[1], self.rules.players)
            score = tuple(zip(parse_names(cut_comment(parts[2])[0], self.rules.players), totals, strict=True))
        except LogError as error:
            raise LogError(f"{where}: {error}") from None
        # Players of one name, and lines left out, make the sums something else.
        if self._distinct and not self.bad:
            for name, chips in score:
                won = self._totals.get(name, 0.0)
                if abs(won - chips) > NEARLY * (self.hands + 1):
                    raise LogError(
                        f"{where}: {name!r} scored {payoff_text(chips)}, but the hands add up to {payoff_text(won)}"
                    )
        self.score = score
        self._begin_match()


def read_log(
    path: str | Path,
    rules: Rules | str | None = None,
    skip_bad: bool = False,
    on_error: Callable[[LogError], None] | None = None,
) -> LogReader:
    """The hands of a log, to iterate over. `rules` None: the log tells its game.

    A bad line is a LogError with file and line; with `skip_bad` it is counted in `bad`, told to `on_error`, and the
    rest is read.
    """
    return LogReader(path, rules, skip_bad, on_error)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers."""
    with opened(path, LogError) as file:
        for number, (raw, _) in enumerate(log_lines(file), 1):
            yield number, raw


def log_lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Lines, and how many bytes they have. Of an overlong one only the beginning is kept: it may be no log at all."""
    while raw := file.readline(LONGEST_LINE + 1):
        size, last = len(raw), raw
        while not last.endswith(b"\n") and (last := file.readline(LONGEST_LINE)):
            size += len(last)
        yield raw, size


def _text(raw: bytes) -> str | None:
    if len(raw) > LONGEST_LINE:
        return None
    try:
        return raw.removesuffix(b"\n").removesuffix(b"\r").decode()
    except UnicodeDecodeError:
        # Comments are not ours to judge.
        return "#" if raw[:1] in b"#;" else None


def _opening(path: Path) -> tuple[tuple[str, ...], list[str]]:
    """The comments at the top of a log and its first STATE lines."""
    texts = (line for line in (_text(raw) for _, raw in islice(_lines(path), 10_000)) if line)
    header: list[str] = []
    sample: list[str] = []
    length = 0
    for line in texts:
        if line[0] in "#;" and not sample:
            header.append(line)
            length += len(line)
            if length > _LONGEST_HEADER:
                raise LogError(f"{path} begins with more comments than a log has")
        elif line.startswith("STATE:"):
            sample.append(line)
            if len(sample) == _SAMPLE:
                break
    return tuple(header), sample


def _fits(rules: Rules, line: str) -> bool:
    try:
        parse_state_line(rules, line)
    except PokerlabError:
        return False
    return True


class _Score:
    """The hands of a log as lines, and the line at its end: who has won how much, if all hands were of them."""

    def __init__(self, path: Path, rules: Rules, names: Sequence[str], wanted: bool) -> None:
        self.path, self.rules, self.hands = path, rules, 0
        self.names = parse_names("|".join(names), rules.players)
        self.totals: list[float] | None = [0.0] * rules.players if wanted else None

    def line(self, record: LoggedHand, seats: Sequence[int] | None = None) -> str:
        """The line of a hand. `seats` says who sits where, as indices of `names`; None: the record's names tell."""
        if record.hand.rules != self.rules or len(record.payoffs) != self.rules.players:
            raise LogError(f"hand {record.number} is of another game than {self.path}")
        names = parse_names("|".join(record.names), self.rules.players)
        if seats is None and len(set(self.names)) < len(names):
            # Players of one name are told apart by the rotation of the seats.
            seats = [(position + self.hands) % len(names) for position in range(len(names))]
        if sorted(names) != sorted(self.names):
            self.totals = None
        self.add(record.payoffs, [self.names.index(name) for name in names] if self.totals and seats is None else seats)
        return record.line()

    def add(self, payoffs: Sequence[float], seats: Sequence[int] | None) -> None:
        """A hand of players who sat in these seats, as indices of `names`."""
        if self.totals is not None and seats is not None:
            for player, chips in zip(seats, payoffs, strict=True):
                self.totals[player] += chips
        self.hands += 1

    def __iter__(self) -> Iterator[str]:
        if self.totals is not None:
            yield score_line(self.totals, self.names)


class LogWriter:
    """A log that is written hand by hand, as the official dealer does, so that a crash loses no finished one.

        with LogWriter("match.log", rules, ["Alice", "Bob"], hands=1000, seed=1) as log:
            log.write(record)

    `names` are in seat order. What the file held is gone when the match begins, and not before, or stays if the match
    is to `append` to it; while it is open no other match can be written to it. SCORE is written when the match ends
    without an error and all hands were of them.
    """

    def __init__(
        self,
        path: str | Path,
        rules: Rules,
        names: Sequence[str],
        hands: int = 0,
        seed: int = 0,
        header: Sequence[str] | None = None,
        score: bool = True,
        append: bool = False,
    ) -> None:
        self.path, self.planned, self.append = Path(path), hands, append
        self._score = _Score(self.path, rules, names, score)
        self._header = log_header(rules, printable(self.path.stem), hands, seed) if header is None else header
        self._begins: int | None = None  # at which byte of the file; None until the match begins
        self._file = Growing(path, LogError)

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.begin()
                self._file.put(self._score)
        finally:
            self._file.close(nothing_came=self._begins is None)

    def begin(self, again: int | None = None) -> int:
        """Put the header in the place of what the file held, or behind it; the first hand does so if nobody has.

        The answer is where the match begins. One that goes on is written `again` from there, if it is there.
        """
        if self._begins is None:
            header, kept = "".join(f"{line}\n" for line in self._header).encode(), self._file.size if self.append else 0
            if self.append and again is not None and self._bytes(again, len(header)) == header:
                kept = again
            self._file.cut(kept)
            if kept and self._bytes(kept - 1, 1) != b"\n":
                self._file.put([""])  # another's last line may have no end
            self._begins = self._file.size
            self._file.put(self._header)
        return self._begins

    def _bytes(self, at: int, count: int) -> bytes:
        with opened(self.path, LogError) as file:
            file.seek(at)
            return file.read(count)

    def write(self, record: LoggedHand, seats: Sequence[int] | None = None) -> None:
        """Add a hand. `seats` says who sits where, as indices of the names; None: the record's names tell."""
        self.begin()
        self._file.put([self._score.line(record, seats)])

    def add(self, line: str, payoffs: Sequence[float], seats: Sequence[int]) -> None:
        """Add a hand whose line is known, as `write` would have it."""
        self.begin()
        self._score.add(payoffs, seats)
        self._file.put([line])

    def watch(self, number: int, seating: int, hand: Hand, seats: Sequence[int]) -> None:
        """Add a hand as `play_match` tells of it; the hands of later seatings are numbered on."""
        named = hand._replace(names=tuple(self._score.names[agent] for agent in seats))
        self.write(LoggedHand(number + seating * self.planned, named, hand.payoffs()), seats)


def log_text(name: str, rules: Rules, names: Sequence[str], records: Iterable[LoggedHand]) -> str:
    """A whole log of a match between players of these names, as text."""
    records = list(records)
    told = _Score(Path(name), rules, names, bool(records))
    lines = [*log_header(rules, name, len(records)), *map(told.line, records), *told]
    return "".join(f"{line}\n" for line in lines)


def write_log(
    path: str | Path,
    rules: Rules | str,
    records: Iterable[LoggedHand],
    *,
    seed: int = 0,
    header: Sequence[str] | None = None,
    score: bool = True,
) -> int:
    """Write a whole log, under a temporary name first; returns the number of hands.

    `header` None: as `log_header` has it. A log of the official dealer comes back byte for byte from the header and
    the hands of its reader. SCORE is written if all hands are of the same players.
    """
    rules, path, records = rules_of(rules), Path(path), list(records)
    names = records[0].names if records else ("nobody",) * rules.players
    if header is None:
        header = log_header(rules, printable(path.stem), len(records), seed)
    told = _Score(path, rules, names, score and bool(records))
    try:
        with undisturbed(path, LogError), replacing(path) as file:
            for lines in (header, map(told.line, records), told):
                file.writelines(f"{line}\n".encode() for line in lines)
    except (OSError, UnicodeEncodeError) as error:
        raise LogError(f"cannot write {path}: {why(error)}") from None
    return len(records)
