"""Exact retrieval without a scan: the nearest cases of a situation are looked up in groups of equal betting.

Similarity is a sum of parts, and its betting part has few values. In limit these are nested levels, whose keys are
hashed; in no-limit bettings of one shape in order of distance, equation (3.7). In each group cases are added up cell by
cell, so that what is looked at depends on the cells of a round and not on the number of cases. Equally similar cases
are pooled. `tests/naive_cases.py` is the scan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pokerlab.cases import retrieve_kernels as kernels
from pokerlab.cases.base import CaseBase, Round
from pokerlab.cases.features import Cells
from pokerlab.cases.sequences import BETS, level_keys, shape
from pokerlab.cases.similarity import Similarity
from pokerlab.errors import CaseBaseError

Shapes = dict[str, tuple[list[int], np.ndarray]]  # groups of each shape, and the places of their bets by size
_MOST_RINGS = 200_000  # targets whose rings are remembered


class Retrieved(NamedTuple):
    """The cases nearest to a situation, added up: actions in the order of `sequences.letters`.

    `similarity` is that of the nearest by equation (3.1), `last` of the farthest that was pooled; `counts` and
    `outcomes` are weighted as `Similarity.fading` says.
    """

    counts: np.ndarray
    outcomes: np.ndarray
    similarity: float
    last: float


class Rings(NamedTuple):
    """Rings of candidates, the most similar betting first; `values` are betting similarities times their weight."""

    values: np.ndarray
    plus: np.ndarray
    minus: np.ndarray


class Index:
    """The cases of one round, made ready for retrieval."""

    def __init__(self, cells: Cells, cases: Round, similarity: Similarity) -> None:
        self.cells, self.cases = cells, cases
        self._names = [name.decode() for name in cases.sequences.tolist()]
        self._groups: dict[tuple[int, str], int] = {}
        members: list[np.ndarray] = []
        for level, of_sequence in enumerate(self._keys()):
            numbers: dict[str, int] = {}
            member = np.array([numbers.setdefault(key, len(numbers)) for key in of_sequence], np.int64)
            members.append(member + len(self._groups))
            self._groups |= {(level, key): number + len(self._groups) for key, number in numbers.items()}
        self.groups = _grouped(cases, members, len(self._groups), cells.count)
        self.measure_by(similarity)

    def measure_by(self, similarity: Similarity) -> None:
        """Retrieve by another similarity from now on."""
        self.similarity, cells = similarity, self.cells
        self._rings: dict[str, Rings] = {}
        hands, textures, commitments = cells.similarities(similarity)
        hand, betting, look, committed = _weights(cells, similarity)
        self._betting = betting
        self.measure = kernels.Measure(hand * hands, look * textures, committed * commitments, hand + look + committed)

    def _keys(self) -> list[list[str]]:
        """What the sequences share at each level, from the identical outwards to nothing."""
        rules, names = self.cells.rules, self._names
        if rules.limit:
            levels = [level_keys(rules, name) for name in names]
            return [*([keys[level] for keys in levels] for level in range(3)), [""] * len(names)]
        current = [name.rpartition("-")[2] for name in names]
        both = [f"{shape(name)}|{now}" for name, now in zip(names, current, strict=True)]
        return [names, both, current, list(map(shape, current)), [""] * len(names)]

    @property
    def empty(self) -> bool:
        return not len(self.cases.rows)

    def rings(self, sequence: str) -> Rings:
        """The candidates for a betting sequence."""
        rings = self._rings.get(sequence)
        if rings is None:
            if len(self._rings) >= _MOST_RINGS:
                self._rings.clear()
            rings = self._rings[sequence] = self._limit(sequence) if self.cells.rules.limit else self._bets(sequence)
        return rings

    def _limit(self, sequence: str) -> Rings:
        keys = (*level_keys(self.cells.rules, sequence), "")
        found = [(level, self._groups.get((level, key), -1)) for level, key in enumerate(keys)]
        return self._nested([(self.similarity.levels[level], group) for level, group in found if group >= 0])

    def _bets(self, sequence: str) -> Rings:
        """Betting of one shape by distance; then that whose current round has the same shape; then all other."""
        own, now = shape(sequence), sequence.rpartition("-")[2]
        rings = [(value, group, -1) for value, group in self._by_distance(own, sequence, self._shapes)]
        for value, group in self._by_distance(shape(now), now, self._rounds):
            inner = self._groups.get((1, f"{own}|{self._current[group]}"), -1)
            rings.append((self.similarity.same_round * value, group, inner))
        rings.append((0.0, self._groups[4, ""], self._groups.get((3, shape(now)), -1)))
        rings.sort(key=lambda ring: (-ring[0], ring[1]))
        values, plus, minus = zip(*rings, strict=True)
        return Rings(self._betting * np.array(values), np.array(plus, np.int64), np.array(minus, np.int64))

    def _nested(self, groups: Sequence[tuple[float, int]]) -> Rings:
        """Rings of groups each of which lies within the next."""
        values, plus, minus, inside = [], [], [], -1
        for value, group in groups:
            values.append(self._betting * value)
            plus.append(group)
            minus.append(inside)
            inside = group
        return Rings(np.array(values), np.array(plus, np.int64), np.array(minus, np.int64))

    def _by_distance(self, own: str, sequence: str, shapes: Shapes) -> list[tuple[float, int]]:
        """(similarity, group) of what has one shape."""
        if own not in shapes:
            return []
        groups, steps = shapes[own]
        distance = np.abs(steps - _steps(sequence)).sum(axis=1)
        return [
            (self.similarity.by_distance(step), group) for step, group in zip(distance.tolist(), groups, strict=True)
        ]

    @cached_property
    def _shapes(self) -> Shapes:
        """The sequences of each shape."""
        return self._by_shape(0)

    @cached_property
    def _rounds(self) -> Shapes:
        """The current rounds of each shape."""
        return self._by_shape(2)

    @cached_property
    def _current(self) -> dict[int, str]:
        """The current round of each group that has one."""
        return {group: key for (level, key), group in self._groups.items() if level == 2}

    def _by_shape(self, level: int) -> Shapes:
        members: dict[str, list[tuple[int, np.ndarray]]] = defaultdict(list)
        for (of_level, key), group in self._groups.items():
            if of_level == level:
                members[shape(key)].append((group, _steps(key)))
        return {
            own: ([group for group, _ in some], np.array([steps for _, steps in some])) for own, some in members.items()
        }

    def retrieve(self, sequence: str, cell: int) -> Retrieved:
        """The cases nearest to one situation."""
        counts, outcomes, sims = self.retrieve_many([sequence], np.zeros(1, np.int64), np.array([cell]))
        return Retrieved(counts[0], outcomes[0], float(sims[0, 0]), float(sims[0, 1]))

    def retrieve_many(
        self, sequences: Sequence[str], targets: np.ndarray, cells: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts and outcomes [n, actions] and similarities [n, first and last] of situations.

        `targets` are numbers of `sequences`, `cells` those of the situations.
        """
        if self.empty:
            raise CaseBaseError(f"the case base has no case of round {self.cells.round + 1}")
        rings = [self.rings(sequence) for sequence in sequences]
        first = np.cumsum([0, *(len(each.values) for each in rings)])
        values, plus, minus = (np.concatenate([getattr(each, name) for each in rings]) for name in Rings._fields)
        width, n = self.cases.counts.shape[1], len(cells)
        counts, outcomes, sims = np.zeros((n, width)), np.zeros((n, width)), np.empty((n, 2))
        how, whole = self.similarity, self.measure.total + self._betting
        kernels.gather_many(
            self.groups, self.measure, first, values, plus, minus, np.asarray(targets, np.int64),
            np.asarray(cells, np.int64), how.neighbours, how.ties == "weaker", how.fading / whole, counts, outcomes,
            sims,
        )  # fmt: skip
        return counts, outcomes, sims / whole


def indices_of(base: CaseBase) -> tuple[Index, ...]:
    """The rounds of a base, made ready."""
    return tuple(
        Index(cells, cases, similarity)
        for cells, cases, similarity in zip(base.cells, base.rounds, base.similarities, strict=True)
    )


def _weights(cells: Cells, similarity: Similarity) -> tuple[float, float, float, float]:
    """The weights of hand, betting, texture and commitment, 0 where there is but one class."""
    hand, betting, look, committed = similarity.weights
    _, textures, classes = cells.shape
    return hand, betting, look if textures > 1 else 0.0, committed if classes > 1 else 0.0


def _steps(sequence: str) -> np.ndarray:
    return np.array([BETS.find(letter) for letter in sequence], np.int64)


def _grouped(cases: Round, members: Sequence[np.ndarray], groups: int, cells: int) -> kernels.Groups:
    """Cases added up by group and cell; `members` has the groups of each sequence at every level."""
    if not len(cases.rows):
        return kernels.Groups(np.zeros(groups + 1, np.int64), np.zeros(0, np.int32), cases.counts, cases.outcomes)
    keys, counts, outcomes = [], [], []
    for member in members:
        key = member[cases.rows[:, 0]] * cells + cases.rows[:, 1]
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.r_[True, np.diff(key[order]) != 0])
        keys.append(key[order][first])
        counts.append(np.add.reduceat(cases.counts[order], first))
        outcomes.append(np.add.reduceat(cases.outcomes[order], first))
    every = np.concatenate(keys)
    starts = np.searchsorted(every, np.arange(groups + 1) * cells)
    return kernels.Groups(starts, (every % cells).astype(np.int32), np.concatenate(counts), np.concatenate(outcomes))
