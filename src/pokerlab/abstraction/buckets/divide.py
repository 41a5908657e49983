"""Dividing the hands of a street into buckets by their strength: equal widths, equal shares, nested, 1-D k-means.

Hands come with the bucket of their past (`parents`, all 0 where it is forgotten), and every parent is divided by
itself. Nothing here knows cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.abstraction.buckets.spec import Bucketing
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

BINS = 2048  # strengths are put on this grid to find the errors that the integer program weighs
MOST_CHILDREN = 64  # that the integer program gives to one parent


class Hands(NamedTuple):
    """Canonical hands of one street."""

    parents: np.ndarray  # int: bucket on the street before
    parent_count: int
    weights: np.ndarray  # deals that a hand stands for
    mean: np.ndarray  # E[HS]
    square: np.ndarray  # E[HS^2]
    indices: np.ndarray  # with the order of the board forgotten


class Divided(NamedTuple):
    """The bucket of each hand, and the first bucket of each parent (one more at the end)."""

    buckets: np.ndarray  # uint32
    first: np.ndarray  # int64 (parents + 1)


def counts_of(how: Bucketing, parents: int) -> np.ndarray:
    """The number of children of each parent."""
    if len(how.counts) not in (1, parents):
        raise AbstractionError(f"{how.text}: {len(how.counts)} numbers of children for {parents} parents")
    return np.broadcast_to(np.array(how.counts), parents)


def by_strength(hands: Hands, how: Bucketing) -> Divided:
    """Buckets of hands by one of the methods that only look at strength."""
    if how.method == "lossless":
        return Divided(np.arange(len(hands.mean), dtype=np.uint32), np.array([0, len(hands.mean)]))
    if how.total:
        counts = shared_out(
            np.array([cut_errors(np.arange(BINS), row, MOST_CHILDREN) for row in _histogram(hands)]), how
        )
    else:
        counts = counts_of(how, hands.parent_count) * how.inner

    def divide(rows: np.ndarray, count: int) -> np.ndarray:
        mean, weights = hands.mean[rows], hands.weights[rows]
        if how.method == "fixed":
            return fixed_width(mean, count).labels
        if how.method == "percentile":
            return percentile(mean, weights, count).labels
        if how.method == "kmeans":
            return strength_clusters(mean, weights, count).labels
        outer = percentile(hands.square[rows], weights, count // how.inner).labels
        inner = np.full(count // how.inner, how.inner)
        return history(outer, inner, lambda some, parts: percentile(mean[some], weights[some], parts).labels)

    buckets = history(hands.parents, counts, divide)
    return Divided(buckets.astype(np.uint32), np.concatenate([[0], np.cumsum(counts)]))


def _histogram(hands: Hands) -> np.ndarray:
    """Weights (parents, BINS) by strength."""
    at = np.minimum((hands.mean * BINS).astype(np.int64), BINS - 1)
    flat = np.bincount(hands.parents.astype(np.int64) * BINS + at, hands.weights, hands.parent_count * BINS)
    return flat.reshape(hands.parent_count, BINS)


def shared_out(errors: np.ndarray, how: Bucketing) -> np.ndarray:
    """Children of each parent by the integer program: `errors` (parents, k) are weighted, for 1, 2, ... children."""
    total = how.counts[0]
    if total < len(errors):
        raise AbstractionError(f"{how.text}: {len(errors)} parents need at least as many children")
    return child_counts(errors, total)


def strength_cuts(weights: np.ndarray, how: Bucketing) -> tuple[np.ndarray, np.ndarray]:
    """The best 1-D clusters of histograms (parents, bins): the bins where the second, third, ... begin, and counts.

    Parents with fewer clusters than others have cuts beyond the last bin.
    """
    bins = np.arange(weights.shape[1], dtype=float)
    if how.total:
        counts = shared_out(np.array([cut_errors(bins, row, MOST_CHILDREN) for row in weights]), how)
    else:
        counts = counts_of(how, len(weights))
    cuts = np.full((len(weights), max(int(counts.max()) - 1, 0)), weights.shape[1])
    for row, count, found in zip(weights, counts, cuts, strict=True):
        best = best_cuts(bins, row, int(count))
        found[: len(best)] = best
    return cuts, counts
