"""Earth mover's distance between multisets of next-round clusters, whose own distances are given.

A flop hand is the multiset of the turn clusters that its 47 next cards lead to, all equally likely: a row of 47
cluster numbers, its *atoms*. Between two rows the earth mover's distance is the best one-to-one pairing of atoms. A
centre is such a row as well, each atom at the median (in the ground distance) of what the members pair with it; where
Ganzfried and Sandholm (2014) average histograms and approximate the distance, this is exact and stays small.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerlab.abstraction import transport_kernels as kernels
from pokerlab.abstraction.spaces import Features, Groups, Vectors
from pokerlab.errors import AbstractionError

FARTHEST = 1 << 20  # ground distances are whole numbers up to this, rounded up, which keeps the triangle inequality
MOST_ATOMS = 512  # so that sums stay below 2**31


class Transport:
    """The space of multisets over ground points with a distance matrix; give it to `cluster` as the distance."""

    def __init__(self, ground: np.ndarray) -> None:
        ground = np.asarray(ground, np.float64)
        _check_metric(ground)
        self._unit = FARTHEST / (float(ground.max()) or 1.0)  # whole numbers a unit of ground distance
        self._ground = np.ceil(np.round(ground * self._unit, 6)).astype(np.int32)
        self._strength = np.arange(len(ground), dtype=np.float64)

    @classmethod
    def between(cls, vectors: np.ndarray) -> Transport:
        """Ground points that are vectors under distance "emd", such as the centres of the next round."""
        (rows,) = Vectors(squared=False).features(vectors)
        exact = rows.astype(np.float64)
        space = cls(np.array([np.abs(exact - row).sum(axis=1) for row in exact]) / np.shape(vectors)[1])
        space._strength = exact.sum(axis=1)
        return space

    def features(self, points: np.ndarray) -> Features:
        points = np.asarray(points)
        if points.ndim != 2 or not 1 <= points.shape[1] <= MOST_ATOMS or points.dtype.kind not in "iu":
            raise AbstractionError(
                f"multisets must be rows of 1 to {MOST_ATOMS} whole numbers, not an array of shape {points.shape}, "
                f"{points.dtype}"
            )
        if points.size and not 0 <= points.min() <= points.max() < len(self._ground):
            raise AbstractionError(f"atoms must be ground points 0 to {len(self._ground) - 1}")
        return (np.sort(points.astype(np.int32), axis=1),)

    def points(self, rows: np.ndarray, width: int) -> np.ndarray:
        return rows

    def tables(self, centres: np.ndarray) -> tuple[Any, ...]:
        closest = np.empty((len(self._ground), len(centres)), np.int32)
        kernels.closest_atoms(self._ground, centres, closest)
        return self._ground, centres, closest

    def nearest(self, features: Features, tables: tuple[Any, ...], labels: np.ndarray, distances: np.ndarray) -> None:
        ground, centres, closest = tables
        kernels.nearest_multisets(features[0], ground, centres, closest, labels, distances)

    def middles(self, features: Features, groups: Groups, first: int, last: int, centres: np.ndarray) -> None:
        kernels.multiset_medians(
            features[0], groups.weights, groups.members, groups.starts, self._ground, first, last, centres
        )

    def scale(self, width: int) -> float:
        return 1.0 / (self._unit * width)

    def order(self, centres: np.ndarray) -> np.ndarray:
        """By the mean strength of the atoms: the sum of their vectors, or their numbers where there are none."""
        return np.argsort(self._strength[centres].sum(axis=1), kind="stable")

    def distance(self, left: np.ndarray, right: np.ndarray) -> float:
        """Earth mover's distance of two rows of equally many atoms."""
        features, (centre,) = self.features(np.atleast_2d(left)), self.features(np.atleast_2d(right))
        if features[0].shape != centre.shape or len(centre) != 1:
            raise AbstractionError("a distance is between two rows of equally many atoms")
        raw = np.full(1, np.inf)
        self.nearest(features, self.tables(centre), np.zeros(1, np.int32), raw)
        return float(raw[0]) * self.scale(centre.shape[1])


def multisets(histograms: np.ndarray, atoms: int) -> np.ndarray:
    """Histograms over ground points as rows of so many atoms: counts to the nearest, by largest remainder."""
    histograms = np.asarray(histograms, np.float64)
    if histograms.ndim != 2 or not np.all((histograms >= 0) & np.isfinite(histograms)):
        raise AbstractionError("multisets needs rows of counts that are not negative")
    if not 1 <= atoms <= MOST_ATOMS:
        raise AbstractionError(f"a multiset has 1 to {MOST_ATOMS} atoms, not {atoms}")
    totals = histograms.sum(axis=1, keepdims=True)
    if not (totals > 0).all():
        raise AbstractionError("multisets was given an empty histogram")
    exact = histograms / totals * atoms
    counts = np.floor(exact + 1e-9).astype(np.int64)
    by_remainder = np.argsort(np.argsort(counts - exact, axis=1, kind="stable"), axis=1, kind="stable")
    counts += by_remainder < atoms - counts.sum(axis=1, keepdims=True)
    places = np.tile(np.arange(histograms.shape[1], dtype=np.int32), len(histograms))
    return np.repeat(places, counts.ravel()).reshape(len(histograms), atoms)


def _check_metric(ground: np.ndarray) -> None:
    if ground.ndim != 2 or ground.shape[0] != ground.shape[1] or not len(ground):
        raise AbstractionError(f"ground distances must be a square matrix, not of shape {ground.shape}")
    if not (np.isfinite(ground).all() and (ground >= 0).all() and (np.diag(ground) == 0).all()):
        raise AbstractionError("ground distances must be finite, not negative, and zero from a point to itself")
    slack = 1e-6 * float(ground.max())
    if np.abs(ground - ground.T).max() > slack:
        raise AbstractionError("ground distances must be the same both ways")
    for by in np.unique(np.linspace(0, len(ground) - 1, 16).astype(int)):  # a sample: all triples would be many
        if (ground > ground[:, by, None] + ground[by] + slack).any():
            raise AbstractionError(f"ground distances break the triangle inequality: a way through {by} is shorter")
