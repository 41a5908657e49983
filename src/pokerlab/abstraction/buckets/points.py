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
from pokerlab.abstraction.spaces import quantiles
from pokerlab.cards.sweep import MOST, forgetful, river_strengths

WIDTH = 46  # quantiles of a strength: one for each river that may follow a turn
NEXT = (0, 47, 46)  # cards that may come after the flop, after the turn


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
    found = np.empty((len(indices), NEXT[street]), np.int64)
    kernels.next_indices(forgetful(street).tables, forgetful(street + 1).tables, indices, found)
    return found


def turn_points(indices: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Quantile vectors of hands on the turn; `worth` (1981) is what each strength on the river counts for."""
    return quantiles(worth[river_strengths()[next_hands(2, indices)]])


def flop_points(indices: np.ndarray) -> np.ndarray:
    """Quantile vectors of hands on the flop, over the 1,081 boards to come."""
    found = np.empty((len(indices), WIDTH), np.int64)
    flop, river = forgetful(1).tables, forgetful(3).tables
    kernels.flop_quantiles(flop, river, river_strengths(), indices, found)
    return quantiles(found / MOST)


def places_of(labels: np.ndarray, count: int, vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean vector of each cluster's hands."""
    total = np.maximum(np.bincount(labels, weights, count), 1e-300)
    columns = [np.bincount(labels, weights * column, count) / total for column in vectors.T.astype(np.float64)]
    return np.column_stack(columns).astype(np.float32)
