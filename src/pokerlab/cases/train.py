"""Learning a case base from records of hands: streaming, on all cores, the same whatever their number, restartable.

    trained = train_cases(["hands.log"], "DeepStack", "deepstack.cases", game="holdem-nolimit")
    print(trained.base.cases, trained.refused)

Beside the file, a folder `.parts` has what was learnt from each piece of the records, written whole or not at all; it
is used again after an interruption, and removed in the end.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import lcm
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pokerlab.cases.base import SOLUTIONS, CaseBase, Round, merged, round_arrays, rounds_from
from pokerlab.cases.features import Cells, Features
from pokerlab.cases.learn import Notes
from pokerlab.cases.sequences import letters
from pokerlab.cases.similarity import Similarity
from pokerlab.cases.sources import FOLDS, Piece, Source, check_expert, survey, wanted_hands
from pokerlab.errors import CaseBaseError, LogError
from pokerlab.files import write_arrays
from pokerlab.game.rules import Rules
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar
from pokerlab.reading import read_arrays, reading

HOLD_OUT = 0.2  # of each match, by time: what `score` tests on
_FORMAT, _VERSION = "pokerlab cases part", 1

HIDDEN = "the expert's cards are hidden: with showdowns only, a base would never fold"
OTHER_GAME = "the hand is of another game"
BAD = "the hand cannot be read"


class Lesson(NamedTuple):
    """What a worker needs to know beside its piece."""

    rules: Rules
    expert: str
    features: Features
    solutions: str
    folds: int
    skip_bad: bool

    def key(self) -> str:
        """A mark of everything that a part depends on but its piece."""
        told = [self.rules.text(), self.expert, self.features.as_json(), self.solutions, self.folds, self.skip_bad]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()


class Trained(NamedTuple):
    """A base that was learnt, its hands, and how many were refused for which reason.

    `folds` are its cases by part of the matches, where they were asked for.
    """

    base: CaseBase
    hands: int
    held_out: int
    refused: dict[str, int]
    folds: tuple[tuple[Round, ...], ...]


def train_cases(
    paths: Sequence[str | Path],
    expert: str,
    out: str | Path,
    *,
    game: Rules | str | None = None,
    features: Features = Features(),  # noqa: B008 - frozen
    similarity: Similarity = Similarity(),  # noqa: B008 - frozen
    solutions: str = "vector",
    hold_out: float = HOLD_OUT,
    by_fold: bool = False,
    skip_bad: bool = False,
    executor: Executor | None = None,
) -> Trained:
    """Learn what an expert does from logs, PHH files and hand stores, and write it to `out`."""
    if not 0 <= hold_out < 1:
        raise CaseBaseError(f"the part that is held out is from 0 to below 1, not {hold_out}")
    if solutions not in SOLUTIONS:
        raise CaseBaseError(f"solutions are one of {', '.join(SOLUTIONS)}, not {solutions!r}")
    sources = [survey(path, expert, game, hold_out) for path in paths]
    check_expert(sources, expert)
    sources = [source for source in sources if source.hands]
    rules = sources[0].rules
    for source in sources[1:]:
        if source.rules != rules:
            raise CaseBaseError(f"{source.path} is of another game than {sources[0].path}: name it, or leave it out")
    if len({source.digest for source in sources}) < len(sources):
        raise CaseBaseError("two of the files are the same: what is in them would count twice")
    lesson = Lesson(rules, expert, features, solutions, FOLDS if by_fold else 1, skip_bad)
    folder = Path(f"{out}.parts")
    refused, hands, parts = _learn(sources, lesson, folder, executor)
    folds = tuple(
        tuple(merged(rounds, solutions) for rounds in zip(*(part[fold] for part in parts), strict=True))
        for fold in range(lesson.folds)
    )
    base = CaseBase(
        rules=rules,
        rounds=tuple(merged(rounds, solutions) for rounds in zip(*folds, strict=True)),
        features=features,
        similarities=(similarity,) * rules.rounds,
        solutions=solutions,
        experts=(expert,),
        sources=tuple(
            {"digest": source.digest, "hold_out": hold_out, "hands": hands[source.digest].total(),
             "held_out": source.held_out, "refused": dict(sorted(refused[source.digest].items()))}
            for source in sorted(sources, key=lambda source: source.digest)
        ),
    )  # fmt: skip
    total = sum(refused.values(), Counter())
    learnt = sum(each.total() for each in hands.values())
    if not base.decisions:
        reasons = "; ".join(f"{count:,} refused because {reason}" for reason, count in total.items())
        raise CaseBaseError(f"nothing to learn from {expert!r} in these records: {reasons or 'it never has a choice'}")
    base.save(out)
    shutil.rmtree(folder, ignore_errors=True)
    return Trained(base, learnt, sum(s.held_out for s in sources), dict(total), folds if by_fold else ())


def _learn(
    sources: Sequence[Source], lesson: Lesson, folder: Path, executor: Executor | None
) -> tuple[dict[str, Counter[str]], dict[str, Counter[str]], list[tuple[tuple[Round, ...], ...]]]:
    """Refusals and hands by source, and what was learnt from each piece."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise CaseBaseError(f"cannot write {folder}: {problem.strerror}") from None
    key = lesson.key()
    pieces = [piece for source in sources for piece in source.pieces]
    places = {_place(folder, key, piece): piece for piece in pieces}
    todo = [(piece, place) for place, piece in places.items() if _part(place, lesson) is None]
    done = len(pieces) - len(todo)
    with Bar("learn") as bar, at_work(executor, partial(learn_piece, lesson), todo) as results:
        for _ in results:
            done += 1
            bar.show(done / len(pieces), f"{done:,} of {len(pieces):,} pieces")
    refused: dict[str, Counter[str]] = {source.digest: Counter() for source in sources}
    hands: dict[str, Counter[str]] = {source.digest: Counter() for source in sources}
    parts = []
    for place, piece in places.items():
        header, rounds = _part(place, lesson) or _missing(place)
        refused[piece.digest].update(header["refused"])
        hands[piece.digest]["learnt"] += header["hands"]
        parts.append(rounds)
    return refused, hands, parts


def _missing(place: Path) -> tuple[dict, tuple[tuple[Round, ...], ...]]:
    raise CaseBaseError(f"{place} has gone while learning went on")


def _place(folder: Path, key: str, piece: Piece) -> Path:
    """Where the part of a piece lies; its name has everything that it depends on."""
    told = [key, piece.digest, piece.first, piece.last, piece.wanted.tobytes().hex(), piece.folds.tobytes().hex()]
    return folder / f"{hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]}.part"


def _part(place: Path, lesson: Lesson) -> tuple[dict, tuple[tuple[Round, ...], ...]] | None:
    """A part that is there already; None if there is none, or half of one."""
    try:
        header, arrays = read_arrays(place, _FORMAT, _VERSION, error=CaseBaseError)
        with reading(place, CaseBaseError):
            cells = [Cells(lesson.rules, lesson.features, round) for round in range(lesson.rules.rounds)]
            width = len(letters(lesson.rules))
            folds = tuple(rounds_from(arrays, cells, width, f"{fold}-") for fold in range(lesson.folds))
            return {"hands": header.whole("hands"), "refused": header.table("refused")}, folds
    except CaseBaseError:
        return None


def collect(lesson: Lesson, piece: Piece) -> tuple[int, Counter[str], list[tuple[Round, ...]]]:
    """The hands and refusals of a piece, and the cases of each fold."""
    parts = lcm(*range(1, lesson.rules.players + 1))
    notes = [Notes(lesson.rules, lesson.features, parts) for _ in range(lesson.folds)]
    refused: Counter[str] = Counter()
    hands = 0
    for fold, record in wanted_hands(piece, lesson.rules, lesson.skip_bad):
        if isinstance(record, LogError):
            refused[BAD] += 1
        elif record.hand.rules != lesson.rules:
            refused[OTHER_GAME] += 1
        elif any(
            name == lesson.expert and not hole for name, hole in zip(record.names, record.hand.holes, strict=True)
        ):
            refused[HIDDEN] += 1
        else:
            hands += 1
            for seat, name in enumerate(record.names):
                if name == lesson.expert:
                    notes[fold % lesson.folds].add(record.hand, seat, record.payoffs[seat])
    return hands, refused, [note.cases(lesson.solutions) for note in notes]


def learn_piece(lesson: Lesson, task: tuple[Piece, Path]) -> Path:
    """Learn from one piece and write its part; in whatever process has time for it."""
    piece, place = task
    hands, refused, folds = collect(lesson, piece)
    arrays: dict[str, np.ndarray] = {}
    for fold, rounds in enumerate(folds):
        arrays |= round_arrays(rounds, f"{fold}-")
    header = {"format": _FORMAT, "version": _VERSION, "hands": hands, "refused": dict(refused)}
    write_arrays(place, header, arrays, error=CaseBaseError)
    return place
