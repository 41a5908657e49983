"""Deals of a 52-card deck up to suits: canonical cards and a perfect index, both ways.

Cards are dealt in rounds, such as hole, flop, turn and river. Deals that differ by a permutation of suits, or by the
order of cards within a round, have one index; the indices of a round run from 0 without gaps. After Waugh, "A Fast and
Optimal Hand Isomorphism Algorithm" (2013), with a numbering of our own. Compiled callers take `Isomorphism.tables` and
the kernels of `isomorphism_kernels.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, product
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pokerlab.cards import isomorphism_kernels as kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import COUNT
from pokerlab.cards.isomorphism_kernels import Tables
from pokerlab.errors import CardError

DEALT = (2, 3, 1, 1)  # hole, flop, turn, river
MOST_CARDS = 9  # a suit's number must fit in 32 bits; enough for Omaha's (4, 3, 1, 1)


@dataclass(frozen=True)
class Isomorphism:
    """The canonical deals of a sequence of rounds; `isomorphism` makes one and remembers it.

    `(2, 3, 1, 1)` remembers the order of streets, `(2, 5)` forgets it, `(3,)` is a flop alone. The cards of a deal are
    given round after round, as many as end one of the rounds. Rounds are counted from 0; an index is one of the last
    round where no other is named.
    """

    rounds: tuple[int, ...]

    def __post_init__(self) -> None:
        if not all(n > 0 for n in self.rounds) or not 0 < sum(self.rounds) <= MOST_CARDS:
            raise CardError(f"rounds deal at least a card each and at most {MOST_CARDS} in all, not {self.rounds}")

    def __reduce__(self) -> tuple[object, ...]:
        return isomorphism, (self.rounds,)

    @cached_property
    def tables(self) -> Tables:
        """What the kernels need, for callers that are compiled themselves."""
        return _build(self.rounds)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of canonical deals of each round."""
        return tuple(self.tables.rounds[1:-1, kernels.SIZE].tolist())

    def index(self, cards: Sequence[int]) -> int:
        """The index of a deal."""
        return int(self.indices([cards])[0])

    def indices(self, cards: ArrayLike) -> np.ndarray:
        """The indices of deals, an array [n, cards]; int64 [n]."""
        return self._index(cards, last_only=True)[:, 0]

    def indices_by_round(self, cards: ArrayLike) -> np.ndarray:
        """The indices that deals [n, cards] have in each of their rounds; int64 [n, rounds]."""
        return self._index(cards, last_only=False)

    def cards(self, index: int, round: int = -1) -> tuple[int, ...]:
        """The canonical cards of an index: spades get the most, and high cards come first in a round."""
        return tuple(self.unindex([index], round)[0].tolist())

    def unindex(self, indices: ArrayLike, round: int = -1) -> np.ndarray:
        """The canonical cards of indices [n]; uint8 [n, cards]."""
        round, checked = self._checked_indices(indices, round)
        out = np.empty((len(checked), self._ends[round]), np.uint8)
        kernels.unindex_rows(self.tables, checked, round, out)
        return out

    def canonical(self, cards: Sequence[int]) -> tuple[int, ...]:
        """The canonical cards of a deal: the same for all deals with its index."""
        return self.cards(self.index(cards), self._ends.index(len(cards)))

    def multiplicity(self, index: int, round: int = -1) -> int:
        """How many deals, whatever the order of cards in a round, have this index."""
        return int(self.multiplicities([index], round)[0])

    def multiplicities(self, indices: ArrayLike, round: int = -1) -> np.ndarray:
        """How many deals have each of these indices [n]; int64 [n]."""
        round, checked = self._checked_indices(indices, round)
        out = np.empty(len(checked), np.int64)
        kernels.multiplicity_rows(self.tables, checked, round, out)
        return out

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """After how many cards each round ends."""
        return tuple(accumulate(self.rounds))

    def _index(self, cards: ArrayLike, last_only: bool) -> np.ndarray:
        checked = _checked_cards(cards)
        if checked.shape[1] not in self._ends:
            expected = " or ".join(map(str, self._ends))
            raise CardError(f"deals of rounds {self.rounds} have {expected} cards, not {checked.shape[1]}")
        columns = 1 if last_only else 1 + self._ends.index(checked.shape[1])
        out = np.empty((len(checked), columns), np.int64)
        kernels.index_rows(self.tables, checked, out)
        return out

    def _checked_indices(self, indices: ArrayLike, round: int) -> tuple[int, np.ndarray]:
        rounds = len(self.rounds)
        if not -rounds <= round < rounds:
            raise CardError(f"rounds of {self.rounds} are 0 to {rounds - 1}, not {round}")
        given = np.asarray(indices)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise CardError(f"indices are one row of integers, not {given.dtype} of shape {given.shape}")
        size, round = self.sizes[round], round % rounds
        wrong = given[(given < 0) | (given >= size)]
        if len(wrong):
            raise CardError(f"indices of round {round} of {self.rounds} are 0 to {size - 1}, not {wrong[0]}")
        return round, _for_kernel(given, np.int64)


@lru_cache(maxsize=64)
def isomorphism(rounds: tuple[int, ...]) -> Isomorphism:
    """The isomorphism of these rounds, made once."""
    return Isomorphism(rounds)


def hole_indices(board: Sequence[int], rounds: tuple[int, ...] = DEALT) -> np.ndarray:
    """The index of each of the 1,326 holes with a board, -1 where a card clashes; int64 in the order of `holes.HOLES`.

    The first of the rounds is the hole; `(2, 3, 1, 1)` with a board of four gives indices of the turn.
    """
    known = isomorphism(rounds)
    if rounds[0] != 2:
        raise CardError(f"the first round deals the two hole cards, not {rounds[0]}")
    checked = _checked_cards([board]) if len(board) else np.empty((1, 0), np.uint8)
    if len(board) + 2 not in known._ends:
        expected = " or ".join(str(end - 2) for end in known._ends)
        raise CardError(f"boards of rounds {rounds} have {expected} cards, not {len(board)}")
    out = np.empty(COUNT, np.int64)
    kernels.fill_holes(known.tables, checked[0], out)
    return out


class CanonicalBoards(NamedTuple):
    """All boards up to suits, in the order of their indices, and how many boards each stands for."""

    cards: np.ndarray  # uint8 [boards, cards]
    multiplicities: np.ndarray  # int64 [boards]


def canonical_boards(rounds: tuple[int, ...]) -> CanonicalBoards:
    """All canonical boards: `(3,)` are the 1,755 flops, `(5,)` forgets the order of streets, `(3, 1, 1)` has it."""
    known = isomorphism(rounds)
    every = np.arange(known.sizes[-1])
    return CanonicalBoards(known.unindex(every), known.multiplicities(every))


def _checked_cards(cards: ArrayLike) -> np.ndarray:
    """Deals as the kernels take them, uint8 [n, cards]."""
    try:
        deals = np.asarray(cards)
    except ValueError:
        raise CardError("deals are rows of cards, all with the same number of cards") from None
    if deals.ndim != 2 or deals.dtype.kind not in "iu":
        raise CardError(f"deals are rows of integers, one a card, not {deals.dtype} of shape {deals.shape}")
    if deals.size and (deals.min() < 0 or deals.max() > 51):
        raise CardError(f"cards are 0 to 51, not {deals[(deals < 0) | (deals > 51)][0]}")
    deals = _for_kernel(deals, np.uint8)
    good = kernels.count_good(deals)
    if good < len(deals):
        raise CardError(f"a card is dealt twice in deal {good}: {Deck().text(deals[good])!r}")
    return deals


def _for_kernel(array: np.ndarray, dtype: type) -> np.ndarray:
    """One kind of array for the kernels, so that they are compiled once."""
    made: np.ndarray = np.ascontiguousarray(array, dtype)
    return made if made.flags.writeable else made.copy()


_CHOOSE = np.array([[comb(n, k) for k in range(MOST_CARDS + 2)] for n in range(14)])


def _build(rounds: tuple[int, ...]) -> Tables:
    """The kernels' tables: patterns and layouts before the first round, then after each."""
    splits = [[split for split in product(range(n + 1), repeat=4) if sum(split) == n] for n in rounds]
    keys = [np.zeros((n + 1) ** 3, np.int64) for n in rounds]
    for n, key, ways in zip(rounds, keys, splits, strict=True):
        for i, split in enumerate(ways):
            key[split[0] + (n + 1) * (split[1] + (n + 1) * split[2])] = i
    counts = np.zeros((1, len(rounds), 4), np.int64)
    stages = [_Stage.of(counts)]
    for r, ways in enumerate(splits):
        counts = np.repeat(counts, len(ways), axis=0)
        counts[:, r] = np.tile(ways, (len(counts) // len(ways), 1))
        stages.append(_Stage.of(counts))
    table = np.zeros((len(rounds) + 2, 6), np.int64)
    table[:-1, kernels.FIRST] = _starts(rounds)
    table[:-1, kernels.SPLITS] = _starts([len(key) for key in keys])
    table[:-2, kernels.SPLIT_COUNT] = [len(ways) for ways in splits]
    table[:, kernels.PATTERNS] = _starts([len(stage.patterns) for stage in stages])
    table[:, kernels.LAYOUTS] = _starts([len(stage.layouts) for stage in stages])
    table[:-1, kernels.SIZE] = [stage.size for stage in stages]
    for stage, start in zip(stages, table[:, kernels.LAYOUTS], strict=False):
        stage.patterns[:, kernels.LAYOUT] += start
    subsets = np.zeros((MOST_CARDS + 1, 1716), np.int16)
    for k, row in enumerate(subsets):
        row[: comb(13, k)] = [mask for mask in range(1 << 13) if mask.bit_count() == k]
    return Tables(
        rounds=table,
        splits=np.concatenate(keys),
        patterns=np.concatenate([stage.patterns for stage in stages]),
        layouts=np.concatenate([stage.layouts for stage in stages]),
        counts=np.concatenate([stage.counts for stage in stages]),
        choose=_CHOOSE,
        subsets=subsets,
    )


def _starts(sizes: Sequence[int]) -> np.ndarray:
    return np.array([0, *accumulate(sizes)])


class _Stage(NamedTuple):
    """What `Tables` says about the deal before or after a round; layouts are numbered from 0, indices too."""

    patterns: np.ndarray
    layouts: np.ndarray
    counts: np.ndarray
    size: int

    @classmethod
    def of(cls, counts: np.ndarray) -> _Stage:
        """From the cards [patterns, rounds, 4] that each suit gets in each round."""
        before = np.cumsum(counts, axis=1) - counts
        moduli = _CHOOSE[13 - before, counts].prod(axis=1)
        # Suits in order of their cards a round, read as a decimal number; layouts in order of those.
        codes = np.einsum("prs,r->ps", counts, 10 ** np.arange(counts.shape[1])[::-1])
        suits = np.argsort(codes, axis=1, kind="stable")
        ordered, where, layouts = np.unique(
            np.take_along_axis(codes, suits, axis=1), axis=0, return_index=True, return_inverse=True
        )
        patterns = np.column_stack([moduli, layouts.reshape(-1), suits @ (1, 4, 16, 64)]).astype(np.int32)
        numbers = np.take_along_axis(moduli[where], suits[where], axis=1)  # that a suit of the layout can have
        places, strides = np.ones_like(ordered), np.ones_like(ordered)
        sizes = numbers.copy()  # of the group as far as this suit
        for i in range(1, 4):
            tied = ordered[:, i] == ordered[:, i - 1]
            places[:, i] = np.where(tied, places[:, i - 1] + 1, 1)
            strides[:, i] = np.where(tied, strides[:, i - 1], strides[:, i - 1] * sizes[:, i - 1])
            pairs = zip(numbers[:, i].tolist(), places[:, i].tolist(), strict=True)
            sizes[:, i] = [comb(n + k - 1, k) for n, k in pairs]
        totals = strides[:, 3] * sizes[:, 3]
        return cls(
            patterns,
            np.column_stack([np.cumsum(totals) - totals, strides, places]),
            np.take_along_axis(counts[where], suits[where][:, None, :], axis=2),
            int(totals.sum()),
        )
