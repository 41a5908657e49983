"""A card abstraction of hold'em: the bucket of any hand on any board, and its file.

cards = load_buckets("range-of-skill.buckets")
cards.bucket(deck.cards("AsKd"), deck.cards("Qs Jh 2h"))         one hand
cards.board_buckets(deck.cards("Qs Jh 2h"))                      all 1,326 holes, -1 where a card clashes

Buckets of a street are numbered from 0. With perfect recall the parents of a bucket are the numbers that its hands had
on the streets before, so that a bucket on the river stands for a whole sequence of buckets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pokerlab.abstraction.buckets import kernels
from pokerlab.abstraction.buckets.kernels import BEYOND, RANKS, Lookup, Suits
from pokerlab.abstraction.buckets.spec import Spec, parse_spec
from pokerlab.cards.deck import STREETS
from pokerlab.cards.evaluator import first_bad, tables
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.cards.isomorphism import isomorphism
from pokerlab.cards.sweep import river_strengths
from pokerlab.errors import AbstractionError, CardError
from pokerlab.files import pack_arrays, write_arrays
from pokerlab.reading import Header, number, of_kind, read_arrays, reading, refuse

FORMAT, VERSION = "pokerlab buckets", 1
SIZES = (0, 3, 4, 5)  # of the board, by street
MOST_BYTES = 1 << 30  # of the tables of an abstraction: four bytes a hand on flop and turn, and the rest
DEALS = (  # of a hole and a board, by street: the order of the board's cards forgotten, or streets remembered
    (1_326, 25_989_600, 305_377_800, 2_809_475_760),
    (1_326, 25_989_600, 1_221_511_200, 56_189_515_200),
)


@dataclass(frozen=True, eq=False)
class CardAbstraction:
    """Buckets of all hands on all streets; `counts` says how many there are on each."""

    spec: Spec
    counts: tuple[int, int, int, int]
    lookup: Lookup
    parents: tuple[np.ndarray, ...]  # with perfect recall: of buckets on flop, turn and river, the bucket before
    deals: tuple[np.ndarray, ...]  # of each street: how many deals, of all there are, each bucket holds
    stages: dict[str, float] = field(default_factory=dict)  # seconds that each stage of building took

    @property
    def seconds(self) -> float:
        """That building took."""
        return sum(self.stages.values())

    def shares(self, street: int) -> np.ndarray:
        """The part of all deals that each bucket of a street has: float64."""
        return self.deals[street] / self.deals[street].sum()

    def shares_of_parent(self, street: int) -> np.ndarray:
        """The part of its parent's deals that each bucket has; without recall all deals are the parent's."""
        if not (street and self.perfect_recall):
            return self.shares(street)
        parents = self.parents[street - 1]
        return self.deals[street] / np.maximum(np.bincount(parents, self.deals[street]), 1)[parents]

    def path(self, street: int, bucket: int) -> tuple[int, ...]:
        """With perfect recall: which child of its parent, from 0, a bucket is on each street up to its own."""
        children = []
        while street:
            parents = self.parents[street - 1]
            children.append(bucket - int(np.searchsorted(parents, parents[bucket])))
            street, bucket = street - 1, int(parents[bucket])
        return (bucket, *reversed(children))

    @property
    def perfect_recall(self) -> bool:
        return self.spec.perfect_recall

    def bucket(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """The bucket of a hand on a board of none, three, four or five cards; three, then turn, then river."""
        number = int(self.board_buckets(board)[hole_number(tuple(hole))])
        if number < 0:
            raise CardError("a hole card is on the board")
        return number

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """The buckets of all 1,326 holes on a board, -1 where a card clashes: int32."""
        cards = np.array(board, np.int64)
        if len(cards) not in SIZES or len({*cards.tolist()}) < len(cards) or np.any((cards < 0) | (cards > 51)):
            raise CardError(f"a board is none, three, four or five different cards of 0 to 51, not {list(board)}")
        cards = cards.astype(np.uint8)
        indices, buckets = np.empty(1326, np.int64), np.empty(1326, np.int32)
        kernels.fill_street(self.lookup, self.suits, cards[:4], indices, buckets)
        if len(cards) == 5:
            parents, buckets = buckets, np.empty(1326, np.int32)
            kernels.fill_river(self.lookup, tables(), HOLES, cards, parents, buckets)
        return buckets

    def deal_buckets(self, deals: np.ndarray, players: int = 2) -> np.ndarray:
        """Buckets [deals, players, 4] of dealt cards, two for each player and then five: int32.

        Uses the table of all strengths on the river (246 MB, made at first use in seconds).
        """
        if deals.ndim != 2 or deals.shape[1] != 2 * players + 5 or deals.dtype.kind not in "iu":
            raise CardError(f"deals for {players} players have {2 * players + 5} cards each, not shape {deals.shape}")
        bad = first_bad(deals)
        if bad >= 0:
            raise CardError(f"deal {bad} has a card twice, or one that is not from 0 to 51: {deals[bad].tolist()}")
        buckets = np.empty((len(deals), players, 4), np.int32)
        cards = np.ascontiguousarray(deals, np.uint8)
        kernels.fill_deals(self.lookup, self.suits, river_strengths(), cards, players, buckets)
        return buckets

    @cached_property
    def suits(self) -> Suits:
        """Isomorphism tables for `kernels`."""
        return suits_of(self.perfect_recall)

    def save(self, path: str | Path) -> None:
        """Write the abstraction: one file, complete in itself."""
        write_arrays(path, *self._content(), error=AbstractionError, compressed=True)

    def pack(self, file: BinaryIO) -> None:
        """Write what would be that file to an open one."""
        pack_arrays(file, *self._content(), compressed=True)

    def _content(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        header = {
            "format": FORMAT, "version": VERSION, "spec": self.spec.text, "recall": self.spec.recall,
            "seed": self.spec.seed, "counts": list(self.counts), "stages": self.stages,
        }  # fmt: skip
        arrays = {name: small(array) for name, array in self.lookup._asdict().items()}
        arrays |= {f"parents{street}": array for street, array in enumerate(self.parents, 1)}
        arrays |= {f"deals{street}": array for street, array in enumerate(self.deals)}
        return header, arrays


def small(array: np.ndarray) -> np.ndarray:
    """Bucket numbers in two bytes where they fit."""
    return array.astype(np.uint16) if array.dtype == np.uint32 and array.max() < 1 << 16 else array


def suits_of(perfect_recall: bool) -> Suits:
    """Isomorphism tables for the kernels: turns with the flop remembered, or forgotten."""
    rounds = ((2,), (2, 3), (2, 3, 1) if perfect_recall else (2, 4), (2, 5))
    return Suits(*(isomorphism(each).tables for each in rounds))


def load_buckets(source: str | Path | bytes, where: str | Path | None = None) -> CardAbstraction:
    """Read an abstraction from a file, or from its bytes; every table is checked against the sizes that it must have.

    `where` is what to call it in messages.
    """
    header, arrays = read_arrays(source, FORMAT, VERSION, error=AbstractionError, most=MOST_BYTES, where=where)
    with reading(where or str(source), AbstractionError):
        cards = _abstraction(header, arrays)
        _check(cards)
    return cards


def spec_in(path: str | Path) -> Spec:
    """What the abstraction of a file is; its tables are not read."""
    header, _ = read_arrays(path, FORMAT, VERSION, error=AbstractionError, names=())
    with reading(path, AbstractionError):
        return _spec(header)


def _spec(header: Header) -> Spec:
    seed, recall = header.whole("seed"), header.text("recall")
    return parse_spec(header.text("spec"), perfect_recall=recall == "perfect", seed=seed)


def _abstraction(header: Header, arrays: Mapping[str, np.ndarray]) -> CardAbstraction:
    spec = _spec(header)
    counts = header.entries("counts")
    if len(counts) != 4 or not all(type(count) is int and 0 < count < 2**31 for count in counts):
        refuse("counts: four numbers of buckets", counts)
    tables = {name: _table(arrays, name) for name in ("preflop", "flop", "turn")}
    others = {name: np.ascontiguousarray(of_kind(arrays, name, *kind)) for name, kind in _OTHERS.items()}
    with_parents = (1, 2, 3) if spec.perfect_recall else ()
    return CardAbstraction(
        spec=spec,
        counts=(counts[0], counts[1], counts[2], counts[3]),
        lookup=Lookup(**tables, **others),
        parents=tuple(of_kind(arrays, f"parents{street}", np.int32, counts[street]) for street in with_parents),
        deals=tuple(of_kind(arrays, f"deals{street}", np.int64, counts[street]) for street in range(4)),
        stages={name: number(seconds, "stages") for name, seconds in header.table("stages").items()},
    )


def _table(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """Bucket numbers, which may be kept in two bytes."""
    kind = np.uint16 if name in arrays and arrays[name].dtype == np.uint16 else np.uint32
    return of_kind(arrays, name, kind, None).astype(np.uint32, copy=False)


_OTHERS: dict[str, tuple[Any, ...]] = {
    "perfect": (np.bool_, 1), "first": (np.int32, None), "cuts": (np.int32, None, None),
    "ranks": (np.int16, len(HOLES)),
}  # fmt: skip


def _check(cards: CardAbstraction) -> None:
    """That no lookup can miss its table, and that no deal is missing."""
    lookup, perfect = cards.lookup, cards.perfect_recall
    sizes = (169, 1_286_792, 55_190_538 if perfect else 13_960_050)
    for street, (table, size, count) in enumerate(zip(lookup[1:4], sizes, cards.counts, strict=False)):
        if table.shape != (size,) or table.max() >= count:
            raise AbstractionError(
                f"its {STREETS[street]} table has shape {table.shape} and goes up to {table.max():,}, where "
                f"{size:,} hands are in {count:,} buckets"
            )
    for street, (deals, count) in enumerate(zip(cards.deals, cards.counts, strict=True)):
        if deals.shape != (count,) or deals.min() < 0 or deals.sum() != DEALS[perfect][street]:
            raise AbstractionError(f"{deals.sum():,} deals are in its buckets of the {STREETS[street]}")
    for street, parents in enumerate(cards.parents, 1):
        if parents.shape != (cards.counts[street],) or (np.diff(parents) < 0).any():
            raise AbstractionError(f"its parents of the {STREETS[street]}'s buckets are not one for each, ascending")
        if parents[0] < 0 or parents[-1] >= cards.counts[street - 1]:
            raise AbstractionError(f"some parent of the {STREETS[street]}'s buckets is none")
    rows = cards.counts[2] if perfect else 1
    first = np.searchsorted(cards.parents[2], np.arange(rows)) if perfect else np.zeros(1, np.int64)
    if bool(lookup.perfect[0]) != perfect or not np.array_equal(lookup.first, first) or lookup.cuts.ndim != 2:
        raise AbstractionError("its river does not follow its turn")
    reach = np.diff(np.append(first, cards.counts[3]))[:, None]  # children of each parent
    beyond = np.arange(1, lookup.cuts.shape[1] + 1) >= reach
    if len(lookup.cuts) != rows or (lookup.cuts[beyond] < BEYOND).any() or (np.diff(lookup.cuts, axis=1) < 0).any():
        raise AbstractionError("its cuts on the river do not fit its buckets")
    if lookup.ranks.shape != (len(HOLES),) or not 0 <= lookup.ranks.min() <= lookup.ranks.max() < RANKS:
        raise AbstractionError("its ranks of holes are not 1,326 from 0 to 168")
