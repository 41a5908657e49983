"""Dividing the hands of a street into buckets by their strength: equal widths, equal shares, nested, 1-D k-means.

Hands come with the bucket of their past, if that is remembered, and every parent is divided by itself. Nothing here
knows cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pokerlab.abstraction.buckets import kernels
from pokerlab.abstraction.buckets.spec import DIVISIONS, Bucketing
from pokerlab.abstraction.one_dimension import (
    best_cuts,
    child_counts,
    cut_errors,
    fixed_width,
    history,
    percentile,
    strength_clusters,
)
from pokerlab.errors import AbstractionError
from pokerlab.registry import others_code

BINS = 2048  # strengths are put on this grid to find the errors that the integer program weighs


class Hands(NamedTuple):
    """Canonical hands of one street. Those on the turn with the flop remembered share the entries of `mean`."""

    weights: np.ndarray  # uint8: deals that a hand stands for
    mean: np.ndarray  # E[HS], by index with the order of the board forgotten
    square: np.ndarray  # E[HS^2], likewise
    indices: np.ndarray | None = None  # int32: with the order forgotten, where hands are not numbered so themselves
    parents: np.ndarray | None = None  # uint16: buckets on the street before, if they are remembered
    parent_count: int = 1

    def groups(self) -> Iterator[np.ndarray | slice]:
        """The rows of each parent's hands."""
        if self.parents is None:
            yield slice(None)
            return
        ends = np.cumsum(np.bincount(self.parents, minlength=self.parent_count))
        at = np.concatenate([[0], ends[:-1]])
        rows = np.empty(len(self.parents), np.int32)
        kernels.group_rows(self.parents, at.copy(), rows)
        for first, end in zip(at, ends, strict=True):
            yield rows[first:end]

    def of(self, strengths: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
        """`mean` or `square` of some hands."""
        return strengths[rows if self.indices is None else self.indices[rows]]


class Divided(NamedTuple):
    """The bucket of each hand, the first bucket of each parent (one more at the end), and the deals in each bucket."""

    buckets: np.ndarray  # uint32
    first: np.ndarray  # int64 (parents + 1)
    deals: np.ndarray  # int64

    @property
    def size(self) -> int:
        return int(self.first[-1])


def counts_of(how: Bucketing, parents: int) -> np.ndarray:
    """The number of children of each parent."""
    if len(how.counts) not in (1, parents):
        raise AbstractionError(f"{how.text}: {len(how.counts)} numbers of children for {parents} parents")
    return np.broadcast_to(np.array(how.counts), parents)


class Division:
    """Buckets as they are filled, parent by parent."""

    def __init__(self, hands: Hands, counts: np.ndarray) -> None:
        self._weights = hands.weights
        self.first = np.concatenate([[0], np.cumsum(counts)])
        self._buckets = np.zeros(len(hands.weights), np.uint32)
        self._deals = np.zeros(self.first[-1], np.int64)

    def fill(self, parent: int, rows: np.ndarray | slice, labels: np.ndarray) -> None:
        """Put a parent's rows into its children 0, 1, ..."""
        first, end = self.first[parent : parent + 2]
        self._buckets[rows] = labels + first.astype(np.uint32)
        self._deals[first:end] = np.bincount(labels, self._weights[rows], end - first)

    def done(self) -> Divided:
        return Divided(self._buckets, self.first, self._deals)


def by_strength(hands: Hands, how: Bucketing) -> Divided:
    """Buckets of hands by one of the methods that only look at strength."""
    if how.method == "lossless":
        every = np.arange(len(hands.weights), dtype=np.uint32)
        return Divided(every, np.array([0, len(every)]), hands.weights.astype(np.int64))
    if how.total:
        counts = shared_cuts(_histogram(hands), how)
    else:
        counts = counts_of(how, hands.parent_count) * how.inner
    division = Division(hands, counts)
    levels, at = np.unique(hands.mean, return_inverse=True)  # sorted once: parents have far more hands than levels
    for parent, rows in enumerate(hands.groups()):
        if len(hands.weights[rows]):
            division.fill(parent, rows, _labels(hands, rows, levels, at, how, int(counts[parent])))
    return division.done()


def _labels(
    hands: Hands, rows: np.ndarray | slice, levels: np.ndarray, at: np.ndarray, how: Bucketing, count: int
) -> np.ndarray:
    """The children of a parent's hands, `at` levels of strength."""
    weights, mine = hands.weights[rows], hands.of(at, rows)
    if how.method != "nested":
        return _cut(levels, mine, weights, how, count)
    outer = percentile(hands.of(hands.square, rows), weights, count // how.inner).labels
    inner = np.full(count // how.inner, how.inner)
    return history(outer, inner, lambda some, parts: _cut(levels, mine[some], weights[some], how, parts))


def _cut(levels: np.ndarray, at: np.ndarray, weights: np.ndarray, how: Bucketing, count: int) -> np.ndarray:
    """The buckets of hands at some levels of strength."""
    heights = np.bincount(at, weights, len(levels))
    full = np.flatnonzero(heights)
    labels = np.zeros(len(levels), np.int32)
    labels[full] = _divided(levels[full], heights[full], how, count)
    return labels[at]


def _divided(values: np.ndarray, weights: np.ndarray, how: Bucketing, count: int) -> np.ndarray:
    """The buckets of ascending strengths, which must be what `DIVISIONS` promises."""
    cut = DIVISIONS["percentile" if how.method == "nested" else how.method]
    with others_code(f"bucketing {how.method!r} failed", AbstractionError, cut):
        labels = np.asarray(cut(values, weights, count))
    ascending = labels.shape == values.shape and labels.dtype.kind in "iu" and (np.diff(labels.astype(int)) >= 0).all()
    if not ascending or labels[0] < 0 or labels[-1] >= count:
        raise AbstractionError(f"{how.method} must divide {len(values)} strengths into 0 to {count - 1}, ascending")
    return labels


def by_width(values: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    return fixed_width(values, count).labels


def by_share(values: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    return percentile(values, weights, count).labels


def by_cluster(values: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    return strength_clusters(values, weights, count).labels


def _histogram(hands: Hands) -> np.ndarray:
    """Deals (parents, BINS) by strength."""
    deals = np.zeros((hands.parent_count, BINS))
    for row, rows in zip(deals, hands.groups(), strict=True):
        at = np.minimum(hands.of(hands.mean, rows) * BINS, BINS - 1).astype(np.int64)
        row[:] = np.bincount(at, hands.weights[rows], BINS)
    return deals


def shared_cuts(weights: np.ndarray, how: Bucketing) -> np.ndarray:
    """Children of each parent by the integer program, for the best 1-D clusters of histograms (parents, bins)."""
    most = most_children(how, len(weights))
    bins = np.arange(weights.shape[1])
    return child_counts(np.array([cut_errors(bins, row, most) for row in weights]), how.counts[0])


def most_children(how: Bucketing, parents: int) -> int:
    """How many children of one parent the integer program looks at: no more than some times the average."""
    total = how.counts[0]
    if total < parents:
        raise AbstractionError(f"{how.text}: {parents} parents need at least as many children")
    return min(total - parents + 1, 8 + 3 * total // parents)


def strength_cuts(weights: np.ndarray, how: Bucketing) -> tuple[np.ndarray, np.ndarray]:
    """Histograms (parents, bins) divided, by default into the best 1-D clusters: the bins where the second, third, ...
    bucket begins, and counts.

    Parents with fewer clusters than others have cuts beyond the last bin.
    """
    counts = shared_cuts(weights, how) if how.total else counts_of(how, len(weights))
    cuts = np.full((len(weights), max(int(counts.max()) - 1, 0)), weights.shape[1])
    for row, count, places in zip(weights, counts, cuts, strict=True):
        if how.method == "kmeans":
            best = best_cuts(np.arange(len(row)), row, int(count))
            places[: len(best)] = best
        elif len(full := np.flatnonzero(row)):
            labels = _divided(full / (len(row) - 1), row[full], how, int(count))
            begins = np.searchsorted(labels, np.arange(1, count))
            places[: count - 1] = np.append(full, len(row))[begins]
    return cuts, counts
