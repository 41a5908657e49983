"""Dividing a line of weighted strengths: equal widths, equal shares, and the best k-means there is; and child counts.

Cuts are found by dynamic programming, not by descent, so that they are optimal: squared distance to the mean for
k-means, and for percentiles the squared distance of each bucket's weight from its share. How many children each
parent bucket gets is the integer program of Gilpin, Sandholm and Sorensen (2007), solved exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pokerlab.abstraction.cluster_kernels import cut_line
from pokerlab.errors import AbstractionError

FINE = 1 << 14  # places for cuts that the dynamic program looks at: more than these are put on a grid first
MOST_CHOICES = 1 << 29  # parents times total children that the integer program remembers


@dataclass(frozen=True)
class Cuts:
    """Buckets of a line: bucket b holds the values from thresholds[b - 1] up to, but without, thresholds[b].

    Where a cut divides equal values, `ties` has the second key from which they are above it, elsewhere -inf.
    `labels` are the buckets of the values that were given.
    """

    thresholds: np.ndarray
    ties: np.ndarray
    labels: np.ndarray

    def bucket(self, values: np.ndarray, ties: np.ndarray | None = None) -> np.ndarray:
        """The bucket of each of any values."""
        return _bucket(self.thresholds, self.ties, np.asarray(values, np.float64), ties)


def fixed_width(values: np.ndarray, k: int, low: float = 0.0, high: float = 1.0) -> Cuts:
    """k buckets of equal width from low to high; some may be empty."""
    values, _ = _line(values, None)
    if k < 1 or not low < high:
        raise AbstractionError(f"fixed widths need k of 1 or more and low < high, not k = {k}, {low} to {high}")
    if values.min() < low or values.max() > high:
        raise AbstractionError(f"values from {values.min()} to {values.max()} are outside {low} to {high}")
    return _cuts(low + (high - low) * np.arange(1, k) / k, np.full(k - 1, -np.inf), values, None)


def percentile(values: np.ndarray, weights: np.ndarray | None, k: int, ties: np.ndarray | None = None) -> Cuts:
    """k buckets of weights as equal as can be (least squares), in the order of values.

    Equal values stay together unless a second key (`ties`) orders them. Where there are fewer than k distinct values
    there are fewer buckets, one a value. Of very many values (beyond `FINE`), cuts are found on a grid of weights
    and then each put where it is best.
    """
    values, weights = _line(values, weights)
    keys = values if ties is None else np.asarray(ties, np.float64)
    if keys.shape != values.shape or np.isnan(keys).any():
        raise AbstractionError(f"ties must be {len(values)} numbers, one a value")
    order = np.lexsort((keys, values)) if ties is not None else np.argsort(values, kind="stable")
    values_up, keys_up = values[order], keys[order]
    begins = np.flatnonzero(np.r_[True, (np.diff(values_up) > 0) | (np.diff(keys_up) > 0)])
    heights = np.r_[0.0, np.cumsum(weights[order])[np.r_[begins[1:], len(order)] - 1]]
    k = _checked(k, len(begins))
    places = np.arange(len(heights))
    if len(begins) > FINE:
        places = _some_places(heights, k)
    few = heights[places]
    _, positions = _optimal(few, few, few, heights[-1] / k, k)
    firsts = places[positions]
    if len(begins) > FINE:
        _even_out(heights, firsts)
    at, before = begins[firsts], begins[firsts] - 1
    divided = values_up[at] == values_up[before]
    thresholds = np.where(divided, values_up[at], _between(values_up[before], values_up[at]))
    return _cuts(thresholds, np.where(divided, _between(keys_up[before], keys_up[at]), -np.inf), values, ties)


def strength_clusters(values: np.ndarray, weights: np.ndarray | None, k: int) -> Cuts:
    """The best k-means clusters of numbers; fewer than k only where there are fewer distinct values.

    Exact for up to `FINE` distinct values; more are put on a grid of that many steps first.
    """
    values, weights = _line(values, weights)
    places, inverse = np.unique(values, return_inverse=True)
    if len(places) > FINE:
        step = (places[-1] - places[0]) / (FINE - 1)
        places, inverse = np.unique(np.rint((values - places[0]) / step) * step + places[0], return_inverse=True)
    cuts = best_cuts(places, np.bincount(inverse, weights), k)
    return _cuts(_between(places[cuts - 1], places[cuts]), np.full(len(cuts), -np.inf), values, None)


def best_cuts(values: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
    """Where the second, third, ... of the best k clusters of a histogram begin: positions in ascending values.

    Weights may be 0; a cut through a stretch of those is at its middle. There are fewer than k - 1 cuts where fewer
    than k values have weight. Takes k * n * log(n) steps and 4 * k * n bytes.
    """
    values, weights, full = _histogram(values, weights)
    if not len(full):
        return np.zeros(0, np.int64)
    _, positions = _optimal(*_moments(values[full], weights[full]), -1.0, _checked(k, len(full)))
    return np.searchsorted(values, _between(values[full[positions - 1]], values[full[positions]]))


def cut_errors(values: np.ndarray, weights: np.ndarray, most: int) -> np.ndarray:
    """The weighted squared error of the best 1, 2, ... `most` clusters of a histogram, for `child_counts`."""
    values, weights, full = _histogram(values, weights)
    errors = np.zeros(most)
    if len(full):
        costs, _ = _optimal(*_moments(values[full], weights[full]), -1.0, _checked(most, len(full)))
        errors[: len(costs)] = costs
    return errors


def child_counts(errors: np.ndarray, total: int, weights: np.ndarray | None = None) -> np.ndarray:
    """How many children each parent gets, at least 1 and at most `total` together, so that the error is least.

    errors[i, k - 1] is parent i's error with k children, inf where that cannot be; nothing is assumed of its shape.
    Of equally good answers one with the fewest children. Dynamic program over parents and children used so far.
    """
    errors = np.asarray(errors, np.float64)
    if errors.ndim != 2 or not errors.size or np.isnan(errors).any():
        raise AbstractionError(f"errors must be a table of parents by numbers of children, not of shape {errors.shape}")
    parents, most = errors.shape
    if total < parents:
        raise AbstractionError(f"{parents} parents need at least as many children, not {total}")
    total = min(total, errors.size)
    if parents * total > MOST_CHOICES:
        raise AbstractionError(f"{parents} parents with {total} children are too many for the integer program")
    if weights is not None:
        errors = errors * _line(np.zeros(parents), weights)[1][:, None]
    best = np.full(total + 1, np.inf)
    best[0] = 0.0
    choice = np.zeros((parents, total + 1), np.uint16 if most < 1 << 16 else np.int32)
    for i in range(parents):
        now = np.full(total + 1, np.inf)
        for k in range(1, min(most, total) + 1):
            tried = best[:-k] + errors[i, k - 1]
            better = tried < now[k:]
            now[k:][better] = tried[better]
            choice[i, k:][better] = k
        best = now
    used = int(np.argmin(best))
    if not np.isfinite(best[used]):
        raise AbstractionError(f"no numbers of children fit: some parent has no finite error with {total} together")
    counts = np.zeros(parents, np.int64)
    for i in range(parents - 1, -1, -1):
        counts[i] = choice[i, used]
        used -= counts[i]
    return counts


def history(parents: np.ndarray, counts: np.ndarray, divide: Callable[[np.ndarray, int], np.ndarray]) -> np.ndarray:
    """History bucketing: each parent divided by itself into its own number of children, numbered through.

    divide(rows, count) gives labels 0..count - 1 of a parent's rows; child c of parent p is bucket
    counts[0] + ... + counts[p - 1] + c. Parents without rows keep their numbers.
    """
    parents, counts = np.asarray(parents), np.asarray(counts)
    if counts.ndim != 1 or not (counts >= 1).all():
        raise AbstractionError("every parent needs a number of children of 1 or more")
    if parents.size and not 0 <= parents.min() <= parents.max() < len(counts):
        raise AbstractionError(f"parents must be 0 to {len(counts) - 1}, one for each number of children")
    first = np.r_[0, np.cumsum(counts)]
    buckets = np.empty(len(parents), np.int64)
    order = np.argsort(parents, kind="stable")
    ends = np.searchsorted(parents[order], np.arange(len(counts) + 1))
    for p in np.flatnonzero(np.diff(ends)):
        rows = order[ends[p] : ends[p + 1]]
        labels = np.asarray(divide(rows, int(counts[p])))
        if labels.shape != rows.shape or not 0 <= labels.min() <= labels.max() < counts[p]:
            raise AbstractionError(f"parent {p} was to be divided into {counts[p]} children")
        buckets[rows] = first[p] + labels
    return buckets


def _optimal(
    weight: np.ndarray, moment: np.ndarray, square: np.ndarray, share: float, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Least costs of 1..k pieces, and where the second, third, ... of k begin; from sums up to each place."""
    costs = np.empty(k)
    begins = np.zeros((k, len(weight)), np.int32)
    cut_line(weight, moment, square, share, costs, begins)
    positions = np.empty(k - 1, np.int64)
    end = len(weight) - 1
    for layer in range(k - 1, 0, -1):
        end = positions[layer - 1] = begins[layer, end]
    return costs, positions


def _moments(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of weight, weight * value and weight * value**2 up to each place, of values about their mean."""
    centred = values - np.average(values, weights=weights)
    return tuple(np.r_[0.0, np.cumsum(weights * centred**power)] for power in range(3))


def _some_places(heights: np.ndarray, k: int) -> np.ndarray:
    """Places evenly spaced by weight, on both sides of values that are heavier than a step, and by number."""
    by_weight = np.searchsorted(heights, np.linspace(0.0, heights[-1], FINE // 4)[1:])
    by_number = np.linspace(0, len(heights) - 1, max(FINE // 4, k + 1)).astype(np.int64)
    return np.unique(np.r_[by_weight, by_weight - 1, by_number])


def _even_out(heights: np.ndarray, cuts: np.ndarray) -> None:
    """Move each cut as near as can be to the middle of its neighbours, which never adds to the squares.

    A few sweeps do: what they leave is spread over many buckets.
    """
    places = np.r_[0, cuts, len(heights) - 1]
    for _ in range(30):
        before = places.copy()
        for j in range(1, len(places) - 1):
            low, high = places[j - 1], places[j + 1]
            middle = (heights[low] + heights[high]) / 2
            at = int(np.searchsorted(heights, middle))
            near = min((c for c in (at - 1, at) if low < c < high), key=lambda c: abs(heights[c] - middle))
            if abs(heights[near] - middle) < abs(heights[places[j]] - middle):
                places[j] = near
        if (places == before).all():
            break
    cuts[:] = places[1:-1]


def _between(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """A threshold for each pair: the middle, unless that rounds down to the lower value."""
    middle = below + (above - below) / 2
    return np.where(middle > below, middle, above)


def _cuts(thresholds: np.ndarray, seconds: np.ndarray, values: np.ndarray, ties: np.ndarray | None) -> Cuts:
    return Cuts(thresholds, seconds, _bucket(thresholds, seconds, values, ties))


def _bucket(thresholds: np.ndarray, seconds: np.ndarray, values: np.ndarray, ties: np.ndarray | None) -> np.ndarray:
    labels = np.searchsorted(thresholds, values, side="right").astype(np.int32)
    if np.isneginf(seconds).all():
        return labels
    if ties is None:
        raise AbstractionError("these cuts divide equal values: give the second key (ties) as well")
    for j in np.flatnonzero(~np.isneginf(seconds)):
        labels -= (values == thresholds[j]) & (ties < seconds[j])
    return labels


def _line(values: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise AbstractionError(f"values must be a row of finite numbers, not of shape {values.shape}")
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    if weights.shape != values.shape or not (np.isfinite(weights).all() and (weights > 0).all()):
        raise AbstractionError(f"weights must be {len(values)} positive numbers, one a value")
    return values, weights


def _histogram(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, weights, and the positions that have weight."""
    values, weights = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    if values.ndim != 1 or not np.isfinite(values).all() or (np.diff(values) <= 0).any():
        raise AbstractionError("values of a histogram must ascend")
    if weights.shape != values.shape or not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise AbstractionError(f"a histogram of {len(values)} values needs as many weights, none negative")
    return values, weights, np.flatnonzero(weights)


def _checked(k: int, distinct: int) -> int:
    if k < 1:
        raise AbstractionError(f"at least one bucket is needed, not {k}")
    return min(k, distinct)
