"""Buckets on the river: cuts in the strength of hands, for each bucket on the turn or for all hands together.

Deals are counted over all boards. A strength on the river has 1,981 values, so that one value may hold more deals than
a cut can be off; such a value is cut by the rank of the hole before the flop, and then by the height of the board.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import NamedTuple

import numpy as np

from pokerlab.abstraction.buckets import kernels
from pokerlab.abstraction.buckets.divide import counts_of, strength_cuts
from pokerlab.abstraction.buckets.kernels import BEYOND, HEIGHTS, KEYS, RANKS, Rivers
from pokerlab.abstraction.buckets.lookup import suits_of
from pokerlab.abstraction.buckets.spec import Bucketing
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES, renamed_holes
from pokerlab.cards.isomorphism import canonical_boards, isomorphism
from pokerlab.cards.sweep import MOST
from pokerlab.processes import cores
from pokerlab.threads import in_pieces, in_rooms

NEAR = 0.002  # of a bucket's deals: a cut between two strengths may be this far from its place
CHUNK = 1024  # boards a task
MEMORY = 1 << 31  # bytes that threads may use to count apart: with many parents fewer threads count

Count = Callable[[np.ndarray, np.ndarray, np.ndarray], None]  # boards, how many each stands for, where to add


class Turns(NamedTuple):
    """Buckets on the turn, for a river that remembers them."""

    buckets: np.ndarray  # uint32, by index with the flop remembered
    size: int


class River(NamedTuple):
    """Cuts of each parent (ascending keys, see `kernels.river_key`) and the first bucket of each parent."""

    cuts: np.ndarray  # int32 (parents, most children - 1)
    first: np.ndarray  # int64 (parents + 1)
    deals: np.ndarray  # int64: in each bucket
    worth: np.ndarray  # float64 (1981): for one parent, the mean strength (0 to 1) of the bucket of each strength


class RiverDeals(NamedTuple):
    """Deals by parent and strength, and a way to count some of those by rank of the hole, and then by height."""

    by_strength: np.ndarray  # int64 (parents, 1981)
    by_rank: Callable[[np.ndarray], np.ndarray]  # of numbers parent * 1981 + strength: int64 (numbers, 169)
    by_height: Callable[[np.ndarray], np.ndarray]  # of numbers (parent * 1981 + strength) * 169 + rank: (numbers, 64)


def river_cuts(how: Bucketing, ranks: np.ndarray, turns: Turns | None = None) -> River:
    """Divide the hands on the river: those of each turn bucket, or without `turns` all together."""
    deals = river_deals(all_rivers(), ranks, turns)
    below = np.concatenate([np.zeros_like(deals.by_strength[:, :1]), np.cumsum(deals.by_strength, axis=1)], axis=1)
    if how.method not in ("fixed", "percentile", "nested"):
        strengths, counts = strength_cuts(deals.by_strength, how)
        cuts, under = strengths * KEYS, np.take_along_axis(below, strengths, 1)
    else:
        counts = counts_of(how, len(below)) * how.inner  # nested by E[HS^2] and E[HS]: one order on the river
        steps = np.arange(1, counts.max())
        if how.method == "fixed":
            strengths = np.minimum(-(-steps * MOST // counts[:, None]), MOST + 1)
            cuts, under = strengths * KEYS, np.take_along_axis(below, strengths, 1)
        else:
            cuts, under = _equal_cuts(deals, below, counts[:, None], np.minimum(steps / counts[:, None], 1))
        none = steps >= counts[:, None]  # parents with fewer children than others
        cuts[none], under[none] = BEYOND, np.broadcast_to(below[:, -1:], under.shape)[none]
    cuts, under = np.maximum.accumulate(cuts, axis=1), np.maximum.accumulate(under, axis=1)
    inside = np.diff(np.concatenate([below[:, :1], under, below[:, -1:]], axis=1), axis=1)
    inside = inside[np.arange(inside.shape[1]) < counts[:, None]]
    first = np.concatenate([[0], np.cumsum(counts)])
    return River(cuts.astype(np.int32), first, inside, _worth(deals.by_strength, cuts))


def _worth(deals: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    strengths, total = np.arange(MOST + 1), deals.sum(axis=0)
    bucket = np.searchsorted(cuts[0], strengths * KEYS + KEYS // 2, side="right")
    mass = np.bincount(bucket, total)
    mean = np.bincount(bucket, total * strengths) / np.maximum(mass, 1)
    return mean[bucket] / MOST


def _equal_cuts(
    deals: RiverDeals, below: np.ndarray, counts: np.ndarray, places: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Cuts where the part of a parent's deals below is as near as can be to its place, and the deals below them."""
    wanted, near = places * below[:, -1:], np.broadcast_to(NEAR * below[:, -1:] / counts, places.shape)
    # The strength that a cut falls in, and the nearer of its two ends.
    at = np.array([np.searchsorted(row, want, side="right") - 1 for row, want in zip(below, wanted, strict=True)])
    at = np.minimum(at, MOST)
    low, high = np.take_along_axis(below, at, 1), np.take_along_axis(below, at + 1, 1)
    closer = wanted - low <= high - wanted
    cuts, under = np.where(closer, at, at + 1) * KEYS, np.where(closer, low, high)
    rows, columns = np.nonzero(np.minimum(wanted - low, high - wanted) > near)
    atoms, key = rows * (MOST + 1) + at[rows, columns], at[rows, columns]
    wanted, near, low = wanted[rows, columns], near[rows, columns], low[rows, columns]
    for count, width, rest in ((deals.by_rank, RANKS, HEIGHTS), (deals.by_height, HEIGHTS, 1)):
        if not len(rows):
            break
        ids, which = np.unique(atoms, return_inverse=True)
        inside = np.cumsum(count(ids), axis=1)[which] + low[:, None]
        inside = np.concatenate([low[:, None], inside], axis=1)
        at = np.minimum((inside <= wanted[:, None]).sum(axis=1) - 1, width - 1)
        low, high = inside[np.arange(len(at)), at], inside[np.arange(len(at)), at + 1]
        closer = wanted - low <= high - wanted
        cuts[rows, columns] = (key * width + np.where(closer, at, at + 1)) * rest
        under[rows, columns] = np.where(closer, low, high)
        far = np.minimum(wanted - low, high - wanted) > near
        atoms, key = (atoms * width + at)[far], (key * width + at)[far]
        rows, columns, wanted, near, low = rows[far], columns[far], wanted[far], near[far], low[far]
    return cuts, under


def river_deals(rivers: Rivers, ranks: np.ndarray, turns: Turns | None = None) -> RiverDeals:
    """All deals by strength on the river: of each turn bucket, or without `turns` together."""
    return _with_recall(rivers, ranks, turns) if turns else _forgotten(rivers, ranks)


def _forgotten(rivers: Rivers, ranks: np.ndarray) -> RiverDeals:
    """Deals of all hands together."""
    deals = np.zeros((MOST + 1, RANKS, HEIGHTS), np.int64)
    kernels.count_forgotten(rivers.boards, rivers.strengths, canonical_boards((5,)).multiplicities, ranks, deals)
    by_rank, by_height = deals.sum(axis=2), deals.reshape(-1, HEIGHTS)
    return RiverDeals(by_rank.sum(axis=1)[None], lambda some: by_rank[some], lambda some: by_height[some])


def _with_recall(rivers: Rivers, ranks: np.ndarray, turns: Turns) -> RiverDeals:
    """Deals of each turn bucket; they are counted once by strength, and again where more is asked for."""
    suits, table = suits_of(True).turn, turns.buckets
    boards, counts = canonical_boards((3, 1))

    def ties(slots: np.ndarray, finer: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        return counted(
            "rivers, equal strengths", boards, counts, shape,
            lambda some, times, deals: kernels.count_ties(
                suits, table, rivers, some, times, slots.reshape(turns.size, MOST + 1), ranks, finer, deals
            ),
        )  # fmt: skip

    def by_rank(atoms: np.ndarray) -> np.ndarray:
        return ties(_slots(atoms, turns.size * (MOST + 1)), np.empty((0, RANKS), np.int32), (len(atoms), RANKS))

    def by_height(atoms: np.ndarray) -> np.ndarray:
        pairs = np.unique(atoms // RANKS)
        finer = _slots(np.searchsorted(pairs, atoms // RANKS) * RANKS + atoms % RANKS, len(pairs) * RANKS)
        slots = _slots(pairs, turns.size * (MOST + 1))
        return ties(slots, finer.reshape(-1, RANKS), (len(atoms), HEIGHTS))

    by_strength = counted(
        "rivers", boards, counts, (turns.size, MOST + 1),
        lambda some, times, deals: kernels.count_rivers(suits, table, rivers, some, times, deals),
    )  # fmt: skip
    return RiverDeals(by_strength, by_rank, by_height)


def _slots(numbers: np.ndarray, size: int) -> np.ndarray:
    """Which of the numbers each of 0..size is, or -1."""
    slots = np.full(size, -1, np.int32)
    slots[numbers] = np.arange(len(numbers))
    return slots


def counted(title: str, boards: np.ndarray, counts: np.ndarray, shape: tuple[int, int], count: Count) -> np.ndarray:
    """What `count` adds up over boards on all cores: int64 of this shape. Threads count apart."""
    threads = min(cores(), max(1, MEMORY // (8 * shape[0] * shape[1])))
    sums = np.zeros((threads, *shape), np.int64)

    def work(at: int, end: int, mine: np.ndarray) -> None:
        count(boards[at:end], counts[at:end], mine)

    in_pieces(in_rooms(sums, work), len(boards), CHUNK, title)
    return sums.sum(axis=0)


def all_rivers() -> Rivers:
    """The strengths of all holes on all boards of five: 356 MB, made in seconds."""
    known, boards = isomorphism((5,)), canonical_boards((5,)).cards
    strengths = np.empty((len(boards), len(HOLES)), np.int16)
    in_pieces(
        lambda at, end: kernels.fill_all_rivers(tables(), HOLES, boards[at:end], strengths[at:end]),
        len(boards), CHUNK, "strengths on the river",
    )  # fmt: skip
    return Rivers(known.tables, boards, strengths, turned_holes())


def turned_holes() -> np.ndarray:
    """The number of each hole after a permutation of suits: int16 (256, 1326), by the code of `kernels.suits_onto`."""
    table = np.zeros((256, len(HOLES)), np.int16)
    for suits in permutations(range(4)):
        table[sum(suit << 2 * i for i, suit in enumerate(suits))] = renamed_holes(suits)
    return table
