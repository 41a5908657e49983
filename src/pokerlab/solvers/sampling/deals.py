"""How chance is sampled: a source deals many hands at once into arrays, which the walks then consume.

So the walks know nothing of cards. A deal is, for each player and round, the bucket of what the player holds and sees,
and the code of the showdown: a digit a player, in base `players`, of how many others it beats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from pokerlab.abstraction.small import FULL, Abstraction
from pokerlab.compiled import njit
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.deals import Deals
from pokerlab.solvers.sampling.randomness import below, uniform


class DealSource(Protocol):
    """Deals by the batch. `fill` must be safe to call from several threads at once, each with its own generator."""

    chunk: int  # iterations that take well under a second

    @property
    def buckets(self) -> Sequence[Sequence[int]]:
        """How many buckets each player has in each round."""
        ...

    def fill(self, rng: np.ndarray, buckets: np.ndarray, codes: np.ndarray) -> None:
        """Deal len(codes) hands: int32 buckets [deals, players, rounds] and int32 codes [deals]."""
        ...


class ListedDeals:
    """Chance of a small game: all deals are listed, each with its probability (Walker's alias method)."""

    chunk = 16_384

    def __init__(self, deals: Deals, abstraction: Abstraction = FULL) -> None:
        players, rounds = deals.rules.players, deals.rules.rounds
        self.deals = deals
        seen = [abstraction.of(p).buckets(deals) for p in range(players)]
        self.buckets = [[int(row.max()) + 1 for row in rows] for rows in seen]
        self.listed = np.empty((len(deals.chance), players, rounds), dtype=np.int32)
        for p in range(players):
            state = deals.dealt[:, p]
            for r in range(rounds - 1, -1, -1):
                self.listed[:, p, r] = seen[p][r][state]
                state = deals.parents[r][state]
        self.codes = showdown_codes(deals.order)
        self._keep, self._other = alias_table(deals.chance)

    def fill(self, rng: np.ndarray, buckets: np.ndarray, codes: np.ndarray) -> None:
        pick_listed(self.listed, self.codes, self._keep, self._other, rng, buckets, codes)


class BucketPairs:
    """Chance of a game of buckets: a pair of last-round buckets, then who wins, right on average."""

    chunk = 4_096

    def __init__(self, deals: BucketDeals) -> None:
        last = deals.rounds - 1
        self.buckets = [deals.sizes(p) for p in range(2)]
        self._paths = tuple(np.empty((deals.sizes(p)[last], deals.rounds), np.int32) for p in range(2))
        for p, path in enumerate(self._paths):
            state = np.arange(len(path))
            for r in range(last, -1, -1):
                path[:, r] = state
                state = deals.parents[p][r][state]
        chance = deals.joint[last].astype(np.float64).ravel()
        self._wins = (0.5 + 0.5 * deals.showdown.ravel() / np.where(chance > 0, chance, 1.0)).astype(np.float32)
        self._keep, self._other = alias_table(chance)

    def fill(self, rng: np.ndarray, buckets: np.ndarray, codes: np.ndarray) -> None:
        first, second = self._paths
        pick_pairs(first, second, self._wins, self._keep, self._other, rng, buckets, codes)


def showdown_codes(strengths: np.ndarray) -> np.ndarray:
    """The code of each row of strengths [deals, players], larger is better."""
    players = strengths.shape[1]
    beats = (strengths[:, :, None] > strengths[:, None, :]).sum(axis=2)
    return (beats @ players ** np.arange(players)).astype(np.int32)


def alias_table(chance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Walker's table: draw i uniformly, keep it with probability keep[i], otherwise take other[i]."""
    n = len(chance)
    keep, other = np.asarray(chance, dtype=np.float64) * n / np.sum(chance), np.arange(n)
    small = [i for i in range(n) if keep[i] < 1]
    large = [i for i in range(n) if keep[i] >= 1]
    while small and large:
        i, j = small.pop(), large[-1]
        other[i] = j
        keep[j] -= 1 - keep[i]
        if keep[j] < 1:
            small.append(large.pop())
    keep[small + large] = 1.0  # what rounding has left over
    return keep, other


@njit(cache=True, nogil=True)
def pick_listed(
    listed: np.ndarray, listed_codes: np.ndarray, keep: np.ndarray, other: np.ndarray, rng: np.ndarray,
    buckets: np.ndarray, codes: np.ndarray,
) -> None:  # fmt: skip
    """Fill a batch with deals from a list."""
    n, players, rounds = listed.shape
    for d in range(codes.shape[0]):
        i = below(rng, n)
        if uniform(rng) >= keep[i]:
            i = other[i]
        for p in range(players):
            for r in range(rounds):
                buckets[d, p, r] = listed[i, p, r]
        codes[d] = listed_codes[i]


@njit(cache=True, nogil=True)
def pick_pairs(
    first: np.ndarray, second: np.ndarray, wins: np.ndarray, keep: np.ndarray, other: np.ndarray, rng: np.ndarray,
    buckets: np.ndarray, codes: np.ndarray,
) -> None:  # fmt: skip
    """Fill a batch with pairs of bucket sequences; the first player wins with the chance `wins`, else the second."""
    columns, rounds = second.shape
    for d in range(codes.shape[0]):
        i = below(rng, len(keep))
        if uniform(rng) >= keep[i]:
            i = other[i]
        row, column = i // columns, i % columns
        for r in range(rounds):
            buckets[d, 0, r] = first[row, r]
            buckets[d, 1, r] = second[column, r]
        codes[d] = 1 if uniform(rng) < wins[i] else 2
