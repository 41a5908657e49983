"""What clustering sees of a hand: its distribution of strengths on the river, or of next-street clusters.

Hands are given by canonical index with the board's order forgotten. A cluster of any street has a *place*: the mean
quantile vector of its hands' strength on the river, and the ground distance between clusters is the mean absolute
difference of their places. So each street's histograms are compared by what the clusters in them are worth (the
earth mover's distance of potential-aware abstraction), and not by the clusters' numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.abstraction.buckets import kernels
from pokerlab.abstraction.buckets.divide import Divided
from pokerlab.abstraction.clustering import sample
from pokerlab.abstraction.spaces import Space, quantiles
from pokerlab.abstraction.transport import Transport, multisets
from pokerlab.cards.isomorphism import isomorphism
from pokerlab.cards.sweep import MOST, forgetful, river_strengths

WIDTH = 46  # quantiles of a strength: one for each river that may follow a turn
NEXT = (0, 47, 46)  # cards that may come after the flop, after the turn
ATOMS = 64  # into which a hand's flops are rounded before the flop
VECTOR_SAMPLE, MULTISET_SAMPLE = 100_000, 20_000  # hands that clusters are found on, or
A_CLUSTER = 100  # so many for each cluster, if that is more


class Clusters(NamedTuple):
    """Clusters of a street: that of each canonical hand, and their places."""

    labels: np.ndarray  # by index, order forgotten
    places: np.ndarray  # float32 (clusters, WIDTH)

    def ground(self) -> np.ndarray:
        """Distances between the clusters' places."""
        places = self.places.astype(np.float64)
        return np.array([np.abs(places - place).mean(axis=1) for place in places])


def next_hands(street: int, indices: np.ndarray) -> np.ndarray:
    """Indices [hands, cards] on the next street after each card that may come; street 1 (flop) or 2 (turn)."""
    later = np.empty((len(indices), NEXT[street]), np.int64)
    hands = indices.astype(np.int64, copy=False)
    kernels.next_indices(forgetful(street).tables, forgetful(street + 1).tables, hands, later)
    return later


def turn_points(indices: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Quantile vectors of hands on the turn; `worth` (1981) is what each strength on the river counts for."""
    return quantiles(worth[river_strengths()[next_hands(2, indices)]])


def flop_points(indices: np.ndarray) -> np.ndarray:
    """Quantile vectors of hands on the flop, over the 1,081 boards to come."""
    strengths = np.empty((len(indices), WIDTH), np.int64)
    flop, river = forgetful(1).tables, forgetful(3).tables
    kernels.flop_quantiles(flop, river, river_strengths(), indices.astype(np.int64, copy=False), strengths)
    return quantiles(strengths / MOST)


def preflop_points(flop: Clusters) -> np.ndarray:
    """Multisets of the flop clusters that each of the 169 hands may come to."""
    known, count = isomorphism((2, 3)), len(flop.places)
    every = np.arange(known.sizes[1])
    holes, deals = isomorphism((2,)).indices(known.unindex(every)[:, :2]), known.multiplicities(every)
    counts = np.bincount(holes * count + flop.labels, deals, 169 * count)
    return multisets(counts.reshape(169, count), ATOMS)


class Points:
    """Points of hands on a street, and the space that they lie in."""

    def __init__(self, street: int, worth: np.ndarray | None = None, ahead: Clusters | None = None) -> None:
        """Without anything to look ahead to, points are distributions of strength on the river."""
        self._street, self._ahead = street, ahead
        self._worth = np.arange(MOST + 1) / MOST if worth is None else worth
        self.space: str | Space = "emd" if ahead is None else Transport(ahead.ground())
        self._sample = VECTOR_SAMPLE if ahead is None else MULTISET_SAMPLE

    def sample(self, clusters: int) -> int:
        """How many hands to find so many clusters on."""
        return max(self._sample, A_CLUSTER * clusters)

    def of(self, indices: np.ndarray) -> np.ndarray:
        """The points of some hands."""
        if self._street == 2:
            return turn_points(indices, self._worth)
        if self._ahead is None:
            return flop_points(indices)
        if self._street == 1:
            return self._ahead.labels[next_hands(1, indices)]
        return preflop_points(self._ahead)[indices]


def places(street: int, divided: Divided, worth: np.ndarray, ahead: Clusters | None, seed: int) -> np.ndarray:
    """The places of buckets on flop or turn, from a sample of their hands; of one that it misses, from one hand."""
    known = forgetful(street)
    rows, times = sample(known.multiplicities(np.arange(known.sizes[-1])), VECTOR_SAMPLE, seed)
    seen = np.bincount(divided.buckets[rows], minlength=divided.size) > 0
    if (divided.deals[~seen] > 0).any():
        buckets, hands = np.unique(divided.buckets, return_index=True)
        missed = hands[~seen[buckets]]
        rows, times = np.concatenate([rows, missed]), np.concatenate([times, np.ones(len(missed))])
    if street == 2:
        vectors = turn_points(rows, worth)
    elif ahead is None:
        vectors = flop_points(rows)
    else:
        vectors = ahead.places[ahead.labels[next_hands(1, rows)]].mean(axis=1)
    return places_of(divided.buckets[rows], divided.size, vectors, times)


def places_of(labels: np.ndarray, count: int, vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean vector of each cluster's hands."""
    total = np.maximum(np.bincount(labels, weights, count), 1e-300)
    columns = [np.bincount(labels, weights * column, count) / total for column in vectors.T.astype(np.float64)]
    return np.column_stack(columns).astype(np.float32)
