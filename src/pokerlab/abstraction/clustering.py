"""Clustering of weighted points around k centres, and the exact assignment of any number of points to them.

Lloyd's algorithm from k-means++ seeds (Arthur and Vassilvitskii, 2007) in any of the spaces: "euclidean" (k-means),
"emd" (distributions on a line as quantile or cumulative vectors, k-medians) and `Transport` (multisets of next-round
clusters). The same seed gives the same clusters on any number of threads; centres are numbered from weak to strong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.abstraction.spaces import Features, Groups, Space, Vectors
from pokerlab.errors import AbstractionError
from pokerlab.threads import pieces, spread

Progress = Callable[[float, str], None]  # how much is done, and the figure beside it, as `progress.Bar.show`
Produce = Callable[[int, int], np.ndarray]  # points first..last; called from several threads

CHUNK = 1 << 11  # points a task, or 16 times as many where there are many
NAMED = {"euclidean": Vectors(squared=True), "emd": Vectors(squared=False)}


@dataclass(frozen=True)
class Clustering:
    """Centres (k rows), the label of each clustered point, and the weighted mean distance of points to their centre.

    `trace` has that mean after each round of Lloyd's algorithm. For "euclidean" distances are squared.
    """

    centres: np.ndarray
    labels: np.ndarray
    objective: float
    trace: tuple[float, ...]


def cluster(
    points: np.ndarray,
    k: int,
    weights: np.ndarray | None = None,
    *,
    distance: str | Space = "euclidean",
    seed: int = 0,
    restarts: int = 1,
    iterations: int = 50,
    tolerance: float = 1e-4,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Clustering:
    """At most k clusters of weighted points: fewer only where there are fewer than k distinct points.

    Stops when a round gains less than `tolerance` of the objective, or after so many iterations; the best of the
    restarts is returned. By default a thread a core.
    """
    space = _space(distance)
    features = space.features(points)
    count = len(features[0])
    weights = _weights(weights, count)
    if k < 1 or restarts < 1 or iterations < 0:
        raise AbstractionError(f"cluster needs k and restarts of 1 or more, not k = {k}, restarts = {restarts}")
    best: Clustering | None = None
    for restart in range(restarts):

        def show(fraction: float, figure: str, done: int = restart) -> None:
            if progress is not None:
                progress((done + fraction) / restarts, figure)

        run = _Run(space, features, weights, np.shape(points)[1], _checked(threads), show)
        centres = run.seeds(k, np.random.default_rng([seed, restart]))
        clustering = run.lloyd(centres, iterations, tolerance)
        if best is None or clustering.objective < best.objective:
            best = clustering
    assert best is not None
    return best


def assign(
    points: np.ndarray | Produce,
    centres: np.ndarray,
    *,
    distance: str | Space = "euclidean",
    count: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest centre of every point (the smallest number of equally near ones), and its distance (float32).

    Points may be a function of (first, last) that makes some of them at a time, with their `count`; it runs on the
    threads too, so that they never need to be in memory at once.
    """
    space = _space(distance)
    (rows, *_) = space.features(centres)
    if not len(rows):
        raise AbstractionError("assign needs at least one centre")
    if isinstance(points, np.ndarray):
        count = len(points)
    elif count is None:
        raise AbstractionError("assign needs the count of points that a function makes")
    width = np.shape(centres)[1]
    tables = space.tables(rows)
    labels = np.zeros(count, np.uint16 if len(rows) <= 1 << 16 else np.int32)
    distances = np.empty(count, np.float32)

    def piece(first: int, last: int) -> None:
        some = points[first:last] if isinstance(points, np.ndarray) else points(first, last)
        if some.shape != (last - first, width):
            raise AbstractionError(f"points {first} to {last} have shape {some.shape}, not {(last - first, width)}")
        raw, names = np.full(len(some), np.inf), np.zeros(len(some), np.int32)
        space.nearest(space.features(some), tables, names, raw)
        labels[first:last] = names
        distances[first:last] = raw * space.scale(width)

    def show(fraction: float) -> None:
        if progress is not None:
            progress(fraction, f"{fraction:.0%} of {count:,} points")

    _each(piece, count, _chunk(count), _checked(threads), show)
    return labels, distances


def clustering_errors(points: np.ndarray, most: int, weights: np.ndarray | None = None, **options: Any) -> np.ndarray:
    """The objective of the best clustering found with at most 1, 2, ... `most` clusters, for `child_counts`.

    It is a mean: give `child_counts` the parents' weights as well.
    """
    return np.minimum.accumulate([cluster(points, k, weights, **options).objective for k in range(1, most + 1)])


def sample(weights: np.ndarray, size: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a sample of `size` draws in proportion to weight, increasing, and how often each was drawn.

    Draws are evenly spaced along the cumulated weights, so that every stretch of rows gets its share to within one
    draw. If there are no more than `size` rows, all of them with their own weights.
    """
    weights = _weights(weights, len(weights))
    if size < 1:
        raise AbstractionError(f"a sample needs at least one draw, not {size}")
    if len(weights) <= size:
        return np.arange(len(weights)), weights
    heights = np.cumsum(weights)
    ticks = (np.arange(size) + np.random.default_rng(seed).random()) * (heights[-1] / size)
    rows = np.minimum(np.searchsorted(heights, ticks, side="right"), len(weights) - 1)
    rows, counts = np.unique(rows, return_counts=True)
    return rows, counts.astype(np.float64)


@dataclass
class _Run:
    """One restart: seeds, then Lloyd's rounds, on points of a space."""

    space: Space
    features: Features
    weights: np.ndarray
    width: int
    threads: int | None
    show: Progress

    def seeds(self, k: int, random: np.random.Generator) -> np.ndarray:
        """k-means++: each next centre is a point, drawn by weight times the distance to those chosen before."""
        distances = np.full(len(self.weights), np.inf)
        unused = np.zeros(len(self.weights), np.int32)
        mass, chosen = self.weights, []
        for _ in range(k):
            heights = np.cumsum(mass)
            if heights[-1] <= 0.0:
                break  # every distinct point is a centre already
            drawn = int(np.searchsorted(heights, random.random() * heights[-1], side="right"))
            chosen.append(min(drawn, int(np.flatnonzero(mass)[-1])) if drawn == len(mass) else drawn)
            self._nearest(self.features[0][chosen[-1:]], unused, distances)
            mass = self.weights * distances
            self.show(0.3 * len(chosen) / k, f"{len(chosen)} seeds")
        return self.features[0][chosen]

    def lloyd(self, centres: np.ndarray, iterations: int, tolerance: float) -> Clustering:
        """Assign, move centres, repeat. A centre without points takes the point that costs most."""
        scale, total = self.space.scale(self.width), float(self.weights.sum())
        trace: list[float] = []
        while True:
            labels, distances = np.zeros(len(self.weights), np.int32), np.full(len(self.weights), np.inf)
            self._nearest(centres, labels, distances)
            self._fill(centres, labels, distances)
            trace.append(float((self.weights * distances).sum()) * scale / total)
            self.show(0.3 + 0.7 * len(trace) / (iterations + 1), f"distance {trace[-1]:.6f}")
            if len(trace) > iterations or (len(trace) > 1 and trace[-2] - trace[-1] <= tolerance * trace[-2]):
                break
            centres = self._middles(centres, labels)
        order = self.space.order(centres)
        places = np.empty(len(order), np.int32)
        places[order] = np.arange(len(order))
        return Clustering(self.space.points(centres[order], self.width), places[labels], trace[-1], tuple(trace))

    def _nearest(self, centres: np.ndarray, labels: np.ndarray, distances: np.ndarray) -> None:
        tables = self.space.tables(centres)

        def piece(first: int, last: int) -> None:
            some = tuple(feature[first:last] for feature in self.features)
            self.space.nearest(some, tables, labels[first:last], distances[first:last])

        _each(piece, len(labels), _chunk(len(labels)), self.threads)

    def _middles(self, centres: np.ndarray, labels: np.ndarray) -> np.ndarray:
        members = np.argsort(labels, kind="stable")
        groups = Groups(members, np.searchsorted(labels[members], np.arange(len(centres) + 1)), self.weights)
        moved = centres.copy()

        def piece(first: int, last: int) -> None:
            self.space.middles(self.features, groups, first, last, moved)

        _each(piece, len(centres), max(1, len(centres) // 64), self.threads)
        return moved

    def _fill(self, centres: np.ndarray, labels: np.ndarray, distances: np.ndarray) -> None:
        sizes = np.bincount(labels, minlength=len(centres))
        empty = np.flatnonzero(sizes == 0)
        if not len(empty):
            return
        costly = iter(np.argsort(-self.weights * distances, kind="stable"))
        for g in empty:
            point = next(i for i in costly if sizes[labels[i]] > 1)
            sizes[labels[point]] -= 1
            labels[point], distances[point], sizes[g] = g, 0.0, 1
            centres[g] = self.features[0][point]


def _checked(threads: int | None) -> int | None:
    if threads is not None and threads < 1:
        raise AbstractionError(f"at least one thread is needed, not {threads}")
    return threads


def _each(
    work: Callable[[int, int], None],
    count: int,
    chunk: int,
    threads: int | None,
    show: Callable[[float], None] = lambda fraction: None,
) -> None:
    """Call work(first, last) for chunks of 0..count."""
    tasks = pieces(count, chunk)
    spread(lambda piece: work(*piece), tasks, threads, lambda done: show(done / len(tasks)))


def _chunk(count: int) -> int:
    return min(max(CHUNK, count // 16), 16 * CHUNK)


def _space(distance: str | Space) -> Space:
    if not isinstance(distance, str):
        return distance
    if distance not in NAMED:
        raise AbstractionError(f"no distance {distance!r}: there are {', '.join(NAMED)}, or a Transport")
    return NAMED[distance]


def _weights(weights: np.ndarray | None, count: int) -> np.ndarray:
    if not count:
        raise AbstractionError("there are no points")
    if weights is None:
        return np.ones(count)
    weights = np.asarray(weights, np.float64)
    if weights.shape != (count,) or not (np.isfinite(weights).all() and (weights > 0).all()):
        raise AbstractionError(f"weights must be {count} positive numbers, one a point")
    return weights
