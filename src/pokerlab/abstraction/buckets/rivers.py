"""Buckets on the river: cuts in the strength of hands, for each bucket on the turn or for all hands together.

Deals are counted over all boards. A strength on the river has 1,981 values, so that one value may hold more deals than
a cut can be off; such a value is cut by the rank of the hole before the flop.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from pokerlab.abstraction.buckets import kernels
from pokerlab.abstraction.buckets.divide import counts_of, strength_cuts
from pokerlab.abstraction.buckets.kernels import TIES, Lookup
from pokerlab.abstraction.buckets.lookup import suits_of
from pokerlab.abstraction.buckets.spec import Bucketing
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import canonical_boards
from pokerlab.cards.sweep import MOST
from pokerlab.processes import cores
from pokerlab.progress import Bar

BEYOND = (MOST + 1) * TIES  # a key that no hand has
NEAR = 0.001  # of a parent's deals: a cut between two strengths may be this far from its place


class River(NamedTuple):
    """Cuts of each parent (ascending keys: strength * 169 + rank of the hole) and the first bucket of each parent."""

    cuts: np.ndarray  # int32 (parents, most children - 1)
    first: np.ndarray  # int64 (parents + 1)
    deals: np.ndarray  # int64: in each bucket
    worth: np.ndarray  # float64 (1981): for one parent, the mean strength (0 to 1) of the bucket of each strength


def river_cuts(lookup: Lookup | None, how: Bucketing, ranks: np.ndarray) -> River:
    """Divide the hands on the river: those of each turn bucket of `lookup`, or all together."""
    deals = _counted(lookup, None, ranks)
    below = np.concatenate([np.zeros((len(deals), 1), np.int64), np.cumsum(deals, axis=1)], axis=1)
    if how.method == "kmeans":
        strengths, counts = strength_cuts(deals.astype(float), how)
        cuts, under = strengths * TIES, np.take_along_axis(below, strengths, 1)
    else:
        counts = counts_of(how, len(deals)) * how.inner  # nested by E[HS^2] and E[HS]: one order on the river
        places = np.arange(1, counts.max()) / counts[:, None]  # of cuts, as parts of a parent
        if how.method == "fixed":
            strengths = np.minimum(np.ceil(places * (MOST + 1)).astype(np.int64), MOST + 1)
            cuts, under = strengths * TIES, np.take_along_axis(below, strengths, 1)
        else:
            cuts, under = _equal_cuts(lookup, below, places, ranks)
        cuts[places >= 1], under[places >= 1] = BEYOND, 0
    first = np.concatenate([[0], np.cumsum(counts)])
    cuts, under = np.maximum.accumulate(cuts, axis=1), np.maximum.accumulate(under, axis=1)
    inside = np.diff(np.concatenate([np.zeros_like(below[:, :1]), under, below[:, -1:]], axis=1), axis=1)
    for row, count in zip(inside, counts, strict=True):  # beyond a parent's last child there is nothing
        row[count - 1] = row[count - 1 :].sum()
    inside = inside[np.arange(inside.shape[1]) < counts[:, None]]
    return River(cuts.astype(np.int32), first, inside, _worth(deals, cuts))


def _worth(deals: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    strengths, total = np.arange(MOST + 1), deals.sum(axis=0)
    bucket = np.searchsorted(cuts[0], strengths * TIES + TIES // 2, side="right")
    mass = np.bincount(bucket, total)
    mean = np.bincount(bucket, total * strengths) / np.maximum(mass, 1)
    return mean[bucket] / MOST


def _equal_cuts(
    lookup: Lookup | None, below: np.ndarray, places: np.ndarray, ranks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Cuts where the part of a parent's deals below is as near as can be to its place, and the deals below them."""
    totals = np.maximum(below[:, -1:], 1)
    wanted = np.minimum(places, 1) * totals
    # The strength that a cut falls in, and the nearer of its two ends.
    at = np.array([np.searchsorted(row, want, side="right") - 1 for row, want in zip(below, wanted, strict=True)])
    at = np.minimum(at, MOST)
    low, high = np.take_along_axis(below, at, 1), np.take_along_axis(below, at + 1, 1)
    nearer = np.where(wanted - low <= high - wanted, at, at + 1)
    cuts, under = nearer * TIES, np.take_along_axis(below, nearer, 1)
    far = (np.minimum(wanted - low, high - wanted) > NEAR * totals) & (places < 1)
    if not far.any():
        return cuts, under
    rows, columns = np.nonzero(far)
    slots = np.full((len(below), MOST + 1), -1, np.int32)
    atoms = np.unique(rows * (MOST + 1) + at[rows, columns])
    slots.ravel()[atoms] = np.arange(len(atoms))
    by_rank = _counted(lookup, slots, ranks)
    inside = np.concatenate([np.zeros((len(atoms), 1), np.int64), np.cumsum(by_rank, axis=1)], axis=1)
    for row, column in zip(rows, columns, strict=True):
        strength = at[row, column]
        sums = below[row, strength] + inside[slots[row, strength]]
        rank = int(np.argmin(np.abs(sums - wanted[row, column])))
        cuts[row, column], under[row, column] = strength * TIES + rank, sums[rank]
    return cuts, under


def _counted(lookup: Lookup | None, slots: np.ndarray | None, ranks: np.ndarray) -> np.ndarray:
    """Deals by parent and strength, or where `slots` are given by slot and rank; over all boards, exact."""
    perfect = lookup is not None
    boards, counts = canonical_boards((3, 1) if perfect else (4,))
    if lookup is None:  # no buckets are asked for
        none, nobody = np.zeros(13_960_050, np.uint32), np.zeros(1, np.uint32)
        cuts = np.zeros((1, 0), np.int32)
        lookup = Lookup(np.array([False]), nobody, nobody, none, np.zeros(1, np.int32), cuts, ranks)
        parents = 1
    else:
        parents = int(lookup.turn.max()) + 1
    suits, threads = suits_of(perfect), cores()
    shape = (parents, MOST + 1) if slots is None else (int(slots.max()) + 1, TIES)
    found = np.zeros((threads, *shape), np.int64)
    chunk = 128
    starts = list(range(0, len(boards), chunk))

    def work(thread: int, at: int) -> None:
        some = boards[at : at + chunk], counts[at : at + chunk]
        if slots is None:
            kernels.count_rivers(lookup, suits, tables(), HOLES, *some, found[thread])
        else:
            kernels.count_ties(lookup, suits, tables(), HOLES, *some, slots, found[thread])

    with ThreadPoolExecutor(threads) as pool, Bar("rivers" if slots is None else "rivers, equal strengths") as bar:
        for done in range(0, len(starts), threads):
            batch = starts[done : done + threads]
            list(pool.map(work, range(len(batch)), batch))
            bar.show((done + len(batch)) / len(starts), f"{batch[-1]:,} of {len(boards):,} boards")
    return found.sum(axis=0)
