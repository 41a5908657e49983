"""Case bases: what an expert did, counted, one base a round; in memory and as a file.

A case is a betting sequence and a cell (`features.Cells`) with how often each action was taken there and what the hands
came to, in whole numbers. Nothing is normalised, so that bases merge in any order to the same bytes and learning goes
on. With `single` solutions every decision is a case of its own, as in the thesis's first systems; they say the same.

    base = load_cases("deepstack.cases")
    print(base.cases, base.decisions)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import lcm
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pokerlab.cases.features import Cells, Features
from pokerlab.cases.sequences import check_sequence, letters
from pokerlab.cases.similarity import Similarity
from pokerlab.errors import CaseBaseError, shown
from pokerlab.files import write_arrays
from pokerlab.game.rules import Rules, parse_rules
from pokerlab.reading import Damage, Header, of_kind, read_arrays, reading

FORMAT, VERSION = "pokerlab cases", 1
SOLUTIONS = ("vector", "single")


class Round(NamedTuple):
    """The cases of one round, by sequence and cell; actions are columns, in the order of `sequences.letters`."""

    sequences: np.ndarray  # bytes, ascending, each once
    rows: np.ndarray  # int32 [cases, 2]: number of the sequence, cell
    counts: np.ndarray  # int64 [cases, actions]: decisions
    outcomes: np.ndarray  # int64 [cases, actions]: sums of what the hands won, in parts of a chip (`CaseBase.parts`)

    @property
    def decisions(self) -> int:
        return int(self.counts.sum())


def empty_round(actions: int) -> Round:
    none: np.ndarray = np.zeros((0, actions), np.int64)
    return Round(np.zeros(0, "S1"), np.zeros((0, 2), np.int32), none, none)


def round_of(sequences: Sequence[str], cells: np.ndarray, actions: np.ndarray, won: np.ndarray, width: int) -> Round:
    """The cases of single decisions: their sequences, cells, numbers of actions and what their hands won, in parts."""
    if not len(cells):
        return empty_round(width)
    names, number = np.unique(np.array(sequences, "S"), return_inverse=True)
    counts: np.ndarray = np.zeros((len(cells), width), np.int64)
    outcomes = counts.copy()
    each = np.arange(len(cells))
    counts[each, actions], outcomes[each, actions] = 1, won
    return Round(names, np.column_stack((number, cells)).astype(np.int32), counts, outcomes)


def merged(parts: Iterable[Round], solutions: str = "vector") -> Round:
    """Cases of several rounds in one; equal ones are added up, unless solutions are single."""
    given = list(parts)
    names = np.unique(np.concatenate([part.sequences for part in given]))
    rows = np.concatenate([
        np.column_stack((np.searchsorted(names, part.sequences)[part.rows[:, 0]], part.rows[:, 1])) for part in given
    ])  # fmt: skip
    counts, outcomes = (np.concatenate([getattr(part, name) for part in given]) for name in ("counts", "outcomes"))
    if not len(rows):
        return empty_round(counts.shape[1])
    if solutions == "single":
        order = np.lexsort((*outcomes.T, *counts.T, rows[:, 1], rows[:, 0]))
        return Round(names, rows[order].astype(np.int32), counts[order], outcomes[order])
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    rows = rows[order]
    first = np.flatnonzero(np.r_[True, (np.diff(rows, axis=0) != 0).any(axis=1)])
    return Round(
        names,
        rows[first].astype(np.int32),
        np.add.reduceat(counts[order], first),
        np.add.reduceat(outcomes[order], first),
    )


def less(whole: Round, part: Round) -> Round:
    """What is left of a merged round without one of its parts: exact, since all are whole numbers."""
    rest = merged((whole, part._replace(counts=-part.counts, outcomes=-part.outcomes)))
    kept = rest.counts.any(axis=1)
    return rest._replace(rows=rest.rows[kept], counts=rest.counts[kept], outcomes=rest.outcomes[kept])


@dataclass(frozen=True, eq=False)
class CaseBase:
    """Cases of an expert in a game. `sources` says, by digest, which records it learnt from and what was refused."""

    rules: Rules
    rounds: tuple[Round, ...]
    features: Features = Features()  # noqa: RUF009 - frozen
    similarities: tuple[Similarity, ...] = ()  # by round; by default all as published
    solutions: str = "vector"
    experts: tuple[str, ...] = ()
    sources: tuple[dict[str, Any], ...] = ()
    about: dict[str, Any] = field(default_factory=dict)
    path: str = ""

    def __post_init__(self) -> None:
        if not self.similarities:
            object.__setattr__(self, "similarities", (Similarity(),) * self.rules.rounds)

    @property
    def parts(self) -> int:
        """Parts of a chip in which outcomes are counted, so that shared pots are whole numbers."""
        return lcm(*range(1, self.rules.players + 1))

    @property
    def unit(self) -> float:
        """Parts in a small bet or a big blind, in which outcomes are told."""
        return float(self.parts * self.rules.small_bet)

    @property
    def cases(self) -> int:
        return sum(len(each.rows) for each in self.rounds)

    @property
    def decisions(self) -> int:
        return sum(each.decisions for each in self.rounds)

    @property
    def letters(self) -> str:
        return letters(self.rules)

    @cached_property
    def cells(self) -> tuple[Cells, ...]:
        return tuple(Cells(self.rules, self.features, round) for round in range(self.rules.rounds))

    def plus(self, rounds: Sequence[Round]) -> CaseBase:
        """With more cases."""
        both = zip(self.rounds, rounds, strict=True)
        return replace(self, rounds=tuple(merged(pair, self.solutions) for pair in both))

    def save(self, path: str | Path) -> None:
        """Write it; an existing file is replaced only once the new one is complete."""
        header = {
            "format": FORMAT, "version": VERSION, "game": self.rules.text(), "name": self.rules.name,
            "features": self.features.as_json(), "similarities": [each.as_json() for each in self.similarities],
            "solutions": self.solutions, "experts": list(self.experts), "sources": list(self.sources),
            "about": self.about,
        }  # fmt: skip
        write_arrays(path, header, round_arrays(self.rounds), error=CaseBaseError)


def round_arrays(rounds: Sequence[Round], prefix: str = "") -> dict[str, np.ndarray]:
    """The arrays of rounds by name, as in a file: sequences as bytes, numbers in as few bytes as hold them."""
    arrays = {}
    for number, each in enumerate(rounds):
        arrays[f"{prefix}sequences{number}"] = _as_bytes(each.sequences)
        arrays[f"{prefix}rows{number}"] = each.rows
        arrays[f"{prefix}counts{number}"] = _short(each.counts)
        arrays[f"{prefix}outcomes{number}"] = _short(each.outcomes)
    return arrays


def _as_bytes(names: np.ndarray) -> np.ndarray:
    """[names, longest] bytes, filled up with zeros."""
    return np.ascontiguousarray(names).view(np.uint8).reshape(len(names), names.dtype.itemsize)


def _short(numbers: np.ndarray) -> np.ndarray:
    most = int(np.abs(numbers).max(initial=0))
    return numbers.astype(next(kind for kind in _KINDS if most <= np.iinfo(kind).max))


_KINDS = (np.int8, np.int16, np.int32, np.int64)


def rounds_from(
    arrays: Mapping[str, np.ndarray], cells: Sequence[Cells], width: int, prefix: str = ""
) -> tuple[Round, ...]:
    """The rounds of a file's arrays, checked: no look-up can miss its table."""
    rounds = []
    for number, each in enumerate(cells):
        names = of_kind(arrays, f"{prefix}sequences{number}", np.uint8, None, None)
        rows = of_kind(arrays, f"{prefix}rows{number}", np.int32, None, 2)
        counts, outcomes = (
            _long(arrays, f"{prefix}{name}{number}", len(rows), width) for name in ("counts", "outcomes")
        )
        sequences = np.ascontiguousarray(names).view(f"S{max(names.shape[1], 1)}").reshape(-1)
        if len(rows) and (rows.min() < 0 or (rows.max(axis=0) >= (len(sequences), each.count)).any()):
            raise Damage(f"a case of round {number + 1} has a feature that there is not")
        if len(rows) and not (counts.min() >= 0 and counts.max() <= _MOST and np.abs(outcomes).max() <= _MOST**2):
            raise Damage(f"a case of round {number + 1} has been met less than 0 times, or too often")
        if (sequences[:-1] >= sequences[1:]).any():
            raise Damage(f"the sequences of round {number + 1} are not in order")
        for name in sequences.tolist():
            check_sequence(each.rules, name.decode("ascii"), number)
        rounds.append(Round(sequences, rows, counts, outcomes))
    return tuple(rounds)


_MOST = 2**31  # decisions of a case; more would not be counted in a life


def _long(arrays: Mapping[str, np.ndarray], name: str, rows: int, width: int) -> np.ndarray:
    kind = arrays[name].dtype if name in arrays else np.int64
    return of_kind(arrays, name, kind if kind in _KINDS else np.int64, rows, width).astype(np.int64)


def load_cases(path: str | Path) -> CaseBase:
    """Read a case base; its arrays are checked against what they must be."""
    header, arrays = read_arrays(path, FORMAT, VERSION, error=CaseBaseError)
    with reading(path, CaseBaseError):
        rules = parse_rules(header.text("game"), header.text("name"))
        features = Features.from_json(header.table("features"))
        cells = [Cells(rules, features, round) for round in range(rules.rounds)]
        sources = tuple(_source(told) for told in header.entries("sources"))
        similarities = tuple(Similarity.from_json(told) for told in header.entries("similarities"))
        if len(similarities) != rules.rounds:
            raise Damage(f"it has similarities of {len(similarities)} rounds, not of {rules.rounds}")
        if header.text("solutions") not in SOLUTIONS:
            raise Damage(f"its solutions are one of {', '.join(SOLUTIONS)}, not {shown(header.text('solutions'))}")
        return CaseBase(
            rules=rules,
            rounds=rounds_from(arrays, cells, len(letters(rules))),
            features=features,
            similarities=similarities,
            solutions=header.text("solutions"),
            experts=tuple(header.texts("experts")),
            sources=sources,
            about=header.table("about"),
            path=str(Path(path).resolve()),
        )


def _source(told: Any) -> dict[str, Any]:
    """What a base says of records that it has learnt from."""
    given = Header({"hold_out": 0.0, "hands": 0, "held_out": 0, "refused": {}, **Header(source=told).table("source")})
    if not 0 <= given.number("hold_out") < 1:
        raise Damage(f"it has held out {given.number('hold_out')} of its records")
    given.text("digest"), given.whole("hands"), given.whole("held_out")
    refused = Header(given.table("refused"))
    for reason in refused:
        refused.whole(reason)
    return dict(told)


def merge_bases(bases: Sequence[CaseBase]) -> CaseBase:
    """One base that has learnt what all of them have; the order does not matter."""
    first, *others = bases
    for other in others:
        for what, mine, theirs in (
            ("game", first.rules, other.rules),
            ("features", first.features, other.features),
            ("similarities", first.similarities, other.similarities),
            ("solutions", first.solutions, other.solutions),
        ):
            if mine != theirs:
                told = (getattr(each, "name", None) or each for each in (mine, theirs))
                raise CaseBaseError(f"case bases of different {what} do not merge: {' and '.join(map(str, told))}")
    sources = sorted((source for base in bases for source in base.sources), key=lambda source: source["digest"])
    for one, two in pairwise(sources):
        if one["digest"] == two["digest"]:
            raise CaseBaseError(
                f"two of the case bases have learnt from the same records (sha256 {one['digest'][:12]})"
            )
    return replace(
        first,
        rounds=tuple(merged(rounds, first.solutions) for rounds in zip(*(base.rounds for base in bases), strict=True)),
        experts=tuple(sorted({expert for base in bases for expert in base.experts})),
        sources=tuple(sources),
        about={},
        path="",
    )
