"""Records to learn from, cut into pieces: the competition's logs, PHH files and hand stores, seen by who sat there.

A *match* is all hands of a file with the same opponents. The last part of each, by time, can be held out, so that what
was learnt can be tested on hands that were not; which these are follows from the file alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pokerlab.errors import CaseBaseError, LogError, PokerlabError, shown
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import Rules
from pokerlab.reading import opened
from pokerlab.records.logs import log_lines, read_log
from pokerlab.records.phh import read_phh
from pokerlab.records.record import LoggedHand, cut_comment, parse_state_line
from pokerlab.records.store import HandStore, file_digest

PIECE = 20_000  # hands read at once: what is lost when a process is killed
FOLDS = 5  # parts of the matches, for cross-validation
_NAMES = 20  # players listed to who asks for another


class Piece(NamedTuple):
    """Some hands of a source, and of each whether it is wanted and which fold its match is in.

    `first` and `last` are bytes of a log, with `line` the number of the first line, or hands of a store.
    """

    path: str
    kind: str
    digest: str
    first: int
    last: int
    line: int
    wanted: np.ndarray  # bool
    folds: np.ndarray  # uint8


class Source(NamedTuple):
    """A file: what kind it is, its digest, its game, its pieces, and who plays in it, with how many hands."""

    path: str
    kind: str
    digest: str
    rules: Rules
    pieces: tuple[Piece, ...]
    names: Counter[str]
    hands: int  # of the expert
    held_out: int


def kind_of(path: Path) -> str:
    """`log`, `phh` or `store`."""
    if path.suffix in (".phh", ".phhs"):
        return "phh"
    with opened(path, LogError) as file:
        return "store" if file.read(12)[8:] == b"DUCK" else "log"


def survey(path: str | Path, expert: str, game: Rules | str | None, hold_out: float, kept: bool = True) -> Source:
    """Look through a file: who plays, and its hands cut into pieces. With `kept` False those held out are wanted."""
    path = Path(path)
    kind, (digest, _) = kind_of(path), file_digest(path)
    named = rules_of(game) if game is not None else None
    if kind == "log":
        rules, marks, seatings = _survey_log(path, named)
    elif kind == "phh":
        rules, marks, seatings = _survey_phh(path, named)
    else:
        rules, marks, seatings = _survey_store(path, named)
    matches, codes = _matches(seatings, expert)
    mine = np.array([code >= 0 for code in codes], bool)
    learnt, folds = _split(codes, len(matches), hold_out)
    wanted = mine & (learnt if kept else ~learnt)
    pieces = []
    for number, (first, last, line) in enumerate(marks):
        span = slice(number * PIECE, (number + 1) * PIECE)
        if wanted[span].any():
            pieces.append(Piece(str(path), kind, digest, first, last, line, wanted[span], folds[span]))
    names = Counter(name for seating, times in Counter(seatings).items() for name in {*seating} for _ in range(times))
    return Source(str(path), kind, digest, rules, tuple(pieces), names, int(mine.sum()), int((mine & ~learnt).sum()))


Marks = list[tuple[int, int, int]]
Seatings = list[tuple[str, ...]]


def _survey_log(path: Path, named: Rules | None) -> tuple[Rules, Marks, Seatings]:
    rules = read_log(path, named).rules
    marks: list[tuple[int, int]] = []
    seatings: Seatings = []
    at = 0
    known: dict[bytes, tuple[str, ...]] = {}
    with opened(path, LogError) as file:
        for line, (raw, size) in enumerate(log_lines(file), 1):
            if raw.startswith(b"STATE:"):
                if len(seatings) % PIECE == 0:
                    marks.append((at, line))
                names = raw.rstrip(b"\r\n").rpartition(b":")[2]
                seating = known.get(names)
                if seating is None:
                    seating = known[names] = tuple(cut_comment(names.decode(errors="replace"))[0].split("|"))
                seatings.append(seating)
            at += size
    if not marks:
        raise LogError(f"{path} has no hands")
    ends = [first for first, _ in marks[1:]] + [at]
    return rules, [(first, end, line) for (first, line), end in zip(marks, ends, strict=True)], seatings


def _survey_phh(path: Path, named: Rules | None) -> tuple[Rules, Marks, Seatings]:
    records = list(read_phh(path))
    if not records:
        raise LogError(f"{path} has no hands")
    marks = [(first, min(first + PIECE, len(records)), 0) for first in range(0, len(records), PIECE)]
    return named or records[0].hand.rules, marks, [record.names for record in records]


def _survey_store(path: Path, named: Rules | None) -> tuple[Rules, Marks, Seatings]:
    with HandStore(path, read_only=True) as store:
        seatings = store.seatings()
        if not seatings:
            raise LogError(f"{path} has no hands")
        rules = named or next(store.hands(seatings[0][0], seatings[0][0] + 1)).hand.rules
    marks = [
        (seatings[at][0], seatings[min(at + PIECE, len(seatings)) - 1][0] + 1, 0)
        for at in range(0, len(seatings), PIECE)
    ]
    return rules, marks, [names for _, names in seatings]


def _matches(seatings: Seatings, expert: str) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """The opponents of each match, and the number of each hand's; -1 where the expert does not play."""
    matches: dict[tuple[str, ...], int] = {}
    known: dict[tuple[str, ...], int] = {}
    codes = np.empty(len(seatings), np.int64)
    for i, seating in enumerate(seatings):
        code = known.get(seating)
        if code is None:
            others = tuple(sorted(name for name in seating if name != expert))
            code = known[seating] = matches.setdefault(others, len(matches)) if expert in seating else -1
        codes[i] = code
    return list(matches), codes


def _split(codes: np.ndarray, matches: int, hold_out: float) -> tuple[np.ndarray, np.ndarray]:
    """Of each hand, whether it is learnt from (the first hands of its match) and its fold.

    Folds are whole matches; of fewer matches than folds, stretches of them.
    """
    learnt, folds = np.zeros(len(codes), bool), np.zeros(len(codes), np.uint8)
    for match in range(matches):
        hands = np.flatnonzero(codes == match)
        kept = len(hands) - int(len(hands) * hold_out)
        learnt[hands[:kept]] = True
        stretch = np.arange(len(hands)) * FOLDS // max(kept, 1)
        folds[hands] = match % FOLDS if matches >= FOLDS else np.minimum(stretch, FOLDS - 1)
    return learnt, folds


def wanted_hands(piece: Piece, rules: Rules, skip_bad: bool) -> Iterator[tuple[int, LoggedHand | LogError]]:
    """The wanted hands of a piece with their folds; in place of one that cannot be read, why (with `skip_bad`)."""
    read = {"log": _log_hands, "phh": _phh_hands, "store": _store_hands}[piece.kind]
    for number, record in read(piece, rules):
        if isinstance(record, LogError) and not skip_bad:
            raise record
        yield int(piece.folds[number]), record


Numbered = Iterator[tuple[int, LoggedHand | LogError]]


def _log_hands(piece: Piece, rules: Rules) -> Numbered:
    number, line, at = -1, piece.line - 1, piece.first
    with opened(piece.path, LogError) as file:
        file.seek(piece.first)
        for raw, size in log_lines(file):
            line, at = line + 1, at + size
            if raw.startswith(b"STATE:"):
                number += 1
                if piece.wanted[number]:
                    try:
                        yield number, parse_state_line(rules, raw.rstrip(b"\r\n").decode(), f"{piece.path}:{line}")
                    except LogError as error:
                        yield number, error
                    except UnicodeDecodeError:
                        yield number, LogError(f"{piece.path}:{line}: the line is not text")
            if at >= piece.last:
                break


def _phh_hands(piece: Piece, rules: Rules) -> Numbered:
    for number, record in enumerate(list(read_phh(piece.path))[piece.first : piece.last]):
        if piece.wanted[number]:
            yield number, record


def _store_hands(piece: Piece, rules: Rules) -> Numbered:
    with HandStore(piece.path, read_only=True) as store:
        try:
            for number, record in enumerate(store.hands(piece.first, piece.last, rules)):
                if piece.wanted[number]:
                    yield number, record
        except LogError:
            raise
        except PokerlabError as error:
            raise LogError(f"{piece.path}: {error}") from None


def check_expert(sources: Sequence[Source], expert: str) -> None:
    """Refuse an expert who does not play in any of the sources, and list who does."""
    names: Counter[str] = sum((source.names for source in sources), Counter())
    if expert in names:
        return
    most = sorted(names.items(), key=lambda item: (-item[1], item[0]))[:_NAMES]
    listed = ", ".join(f"{name if name.isprintable() else shown(name)} ({hands:,})" for name, hands in most)
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    raise CaseBaseError(f"{expert!r} has no hands in these records; with their hands, there are {listed}{more}")
