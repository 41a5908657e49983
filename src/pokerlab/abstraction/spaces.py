"""Where points lie and how far apart they are: vectors under the Euclidean distance or the earth mover's distance.

For distributions on a line the earth mover's distance is the area between the cumulative functions, and so the mean
absolute difference of quantile vectors (`quantiles`) or of cumulative vectors (`cumulative`). The best centre is then
the coordinate-wise median, itself a distribution, and for the squared Euclidean distance the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pokerlab.abstraction import cluster_kernels as kernels
from pokerlab.errors import AbstractionError

Features = tuple[np.ndarray, ...]  # arrays with a row a point, the first of them the points themselves
GRID = 2.0**-16  # up to 256 multiples of this in [0, 1] add up exactly in single precision, in any order


@dataclass(frozen=True)
class Groups:
    """Members of each cluster: `members[starts[g] : starts[g + 1]]`, in the order of the points; weights of all."""

    members: np.ndarray
    starts: np.ndarray
    weights: np.ndarray


class Space(Protocol):
    """What `cluster` and `assign` ask of points. Distances are raw, times `scale` what people mean."""

    def features(self, points: np.ndarray) -> Features:
        """Points checked and laid out for the compiled loops."""

    def points(self, rows: np.ndarray, width: int) -> np.ndarray:
        """The way back: rows of the first feature as points of that width."""

    def tables(self, centres: np.ndarray) -> tuple[Any, ...]:
        """What `nearest` has to know of the centres."""

    def nearest(self, features: Features, tables: tuple[Any, ...], labels: np.ndarray, distances: np.ndarray) -> None:
        """Put a closer centre's number and distance in place of these, where there is one."""

    def middles(self, features: Features, groups: Groups, first: int, last: int, centres: np.ndarray) -> None:
        """Replace centres first..last by the best ones for their members."""

    def scale(self, width: int) -> float:
        """What a raw distance of 1 is worth for points of that width."""

    def order(self, centres: np.ndarray) -> np.ndarray:
        """Centres from weak to strong."""


@dataclass(frozen=True)
class Vectors:
    """Rows of real numbers; squared Euclidean distance to means, or mean absolute difference to medians."""

    squared: bool

    def features(self, points: np.ndarray) -> Features:
        points = np.asarray(points)
        if points.ndim != 2 or points.shape[1] == 0 or points.dtype.kind not in "fiu":
            raise AbstractionError(f"points must be rows of numbers, not of shape {points.shape} and {points.dtype}")
        if not np.isfinite(points).all():
            raise AbstractionError("points must be finite numbers")
        width = points.shape[1]
        rows = np.zeros((len(points), -(-width // 16) * 16), np.float32)  # whole vector registers
        rows[:, :width] = points
        return (rows,)

    def points(self, rows: np.ndarray, width: int) -> np.ndarray:
        return np.ascontiguousarray(rows[:, :width])

    def tables(self, centres: np.ndarray) -> tuple[Any, ...]:
        """Centres sorted along an axis of dual norm 1: that of their largest spread, or the sum of coordinates."""
        axis = np.ones(centres.shape[1])
        if self.squared:
            spread = centres - centres.mean(axis=0, dtype=np.float64)
            axis = np.linalg.eigh(spread.T @ spread)[1][:, -1]
        keys = centres @ axis
        order = np.argsort(keys, kind="stable").astype(np.int32)
        return np.ascontiguousarray(centres[order]), order, keys[order], axis.astype(np.float32)

    def nearest(self, features: Features, tables: tuple[Any, ...], labels: np.ndarray, distances: np.ndarray) -> None:
        centres, order, keys, axis = tables
        kernels.nearest_vectors(features[0], centres, order, keys, axis, self.squared, labels, distances)

    def middles(self, features: Features, groups: Groups, first: int, last: int, centres: np.ndarray) -> None:
        kernel = kernels.means if self.squared else kernels.medians
        kernel(features[0], groups.weights, groups.members, groups.starts, first, last, centres)

    def scale(self, width: int) -> float:
        return 1.0 if self.squared else 1.0 / width

    def order(self, centres: np.ndarray) -> np.ndarray:
        return np.argsort(centres.sum(axis=1, dtype=np.float64), kind="stable")


def quantiles(samples: np.ndarray) -> np.ndarray:
    """Rows of m equally likely outcomes in [0, 1] as quantile vectors, for distance "emd".

    Values are rounded to a grid of 2**-16, so that distances do not depend on the order in which a machine adds.
    """
    samples = np.asarray(samples)
    if samples.ndim != 2 or not np.all((samples >= 0) & (samples <= 1)):
        raise AbstractionError("quantiles needs rows of outcomes between 0 and 1")
    return np.sort(_on_grid(samples), axis=1)


def cumulative(histograms: np.ndarray) -> np.ndarray:
    """Rows of counts in n equal bins as cumulative vectors, for distance "emd".

    Distances are then fractions of the whole range: moving everything from the first bin to the last is (n - 1) / n.
    """
    histograms = np.asarray(histograms, np.float64)
    if histograms.ndim != 2 or not np.all((histograms >= 0) & np.isfinite(histograms)):
        raise AbstractionError("cumulative needs rows of counts that are not negative")
    sums = np.cumsum(histograms, axis=1)
    if not (histograms.shape[1] and (sums[:, -1] > 0).all()):
        raise AbstractionError("cumulative was given an empty histogram")
    return _on_grid(sums / sums[:, -1:])


def _on_grid(values: np.ndarray) -> np.ndarray:
    return (np.rint(values / GRID) * GRID).astype(np.float32)
