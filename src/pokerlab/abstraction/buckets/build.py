"""Building a card abstraction of hold'em, street by street, exact but for the samples that clusters are found on.

cards = build_buckets("169/potential:1000/potential:1000/kmeans:1000", perfect_recall=False)

With perfect recall streets are built forwards, since a hand is bucketed among those with its past; without, backwards,
since the next street's own buckets are what potential-aware clustering looks ahead to. With perfect recall it looks
ahead to clusters of the next street that were made for the purpose, one set for all parents where Gilpin, Sandholm and
Sorensen make one for each. What is built is kept in the cache folder, a street at a time.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pokerlab.abstraction.buckets import kernels
from pokerlab.abstraction.buckets.divide import Divided, Hands, by_strength, counts_of, shared_out
from pokerlab.abstraction.buckets.kernels import Lookup
from pokerlab.abstraction.buckets.lookup import CardAbstraction, load_buckets, suits_of
from pokerlab.abstraction.buckets.points import Clusters, flop_points, next_hands, places_of, turn_points
from pokerlab.abstraction.buckets.rivers import River, river_cuts
from pokerlab.abstraction.buckets.spec import STREETS, Bucketing, Spec, parse_spec
from pokerlab.abstraction.clustering import assign, cluster, clustering_errors, sample
from pokerlab.abstraction.spaces import Space
from pokerlab.abstraction.transport import Transport, multisets
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import Isomorphism, canonical_boards, isomorphism
from pokerlab.cards.sweep import MOST, forgetful, over_boards, strength_moments
from pokerlab.errors import AbstractionError
from pokerlab.files import cache_folder, read_arrays, write_arrays
from pokerlab.progress import Bar

PARTIAL, VERSION = "pokerlab buckets in the making", 1
VECTOR_SAMPLE, MULTISET_SAMPLE = 100_000, 20_000  # hands that clusters are found on
ERROR_SAMPLE = 1_000  # hands of a parent that its errors for the integer program are found on
AHEAD = Bucketing("potential", (200,))  # clusters to look ahead to with perfect recall
AHEAD_RIVER = Bucketing("kmeans", (200,))
ATOMS = 64  # into which a hand's flops are rounded before the flop


def build_buckets(
    spec: str | Spec, *, perfect_recall: bool | None = None, seed: int = 1, fresh: bool = False
) -> CardAbstraction:
    """The card abstraction of a spec: from the cache folder if it is there, unless `fresh`."""
    if isinstance(spec, str):
        spec = parse_spec(spec, perfect_recall=perfect_recall, seed=seed)
    path = cached_path(spec)
    if path.exists() and not fresh:
        try:
            return load_buckets(path)
        except AbstractionError:
            path.unlink()  # damaged: build it again
    builder = _Builder(spec, path, fresh)
    found = builder.build()
    found.save(path)
    builder.forget()
    return found


def cached_path(spec: Spec) -> Path:
    """Where the abstraction of a spec is kept."""
    told = f"{VERSION} {spec.text} {spec.recall} {spec.seed}"
    return cache_folder() / f"buckets-{hashlib.sha256(told.encode()).hexdigest()[:16]}.npz"


class _Builder:
    """Builds one abstraction; what is done of it survives an interruption."""

    def __init__(self, spec: Spec, path: Path, fresh: bool) -> None:
        self.spec, self.path, self.fresh = spec, path, fresh
        self.divided: dict[int, Divided] = {}
        self.began = time.perf_counter()

    def build(self) -> CardAbstraction:
        perfect = self.spec.perfect_recall
        river: River | None = None
        if not perfect:
            river = river_cuts(None, self.spec.streets[3], hole_ranks())
        ahead: Clusters | None = None
        for street in (0, 1, 2) if perfect else (2, 1, 0):
            how, hands = self.spec.streets[street], self._hands(street)
            if how.method in ("potential", "distribution"):
                if how.method == "potential" and perfect:
                    ahead = self._made_ahead(street + 1)
                worth = river.worth if river else river_cuts(None, AHEAD_RIVER, hole_ranks()).worth
                self.divided[street] = self._kept(street, lambda: self._clustered(street, how, hands, worth, ahead))  # noqa: B023
            else:
                self.divided[street] = by_strength(hands, how)
            if not perfect and street and self.spec.streets[street - 1].method == "potential":
                ahead = self._places(street, self.divided[street], river.worth if river else None, ahead)
        tables = [self.divided[street].buckets for street in range(3)]
        ranks = hole_ranks()
        cuts = np.zeros((1, 0), np.int32)
        lookup = Lookup(np.array([perfect]), tables[0], tables[1], tables[2], np.zeros(1, np.int32), cuts, ranks)
        if river is None:
            river = river_cuts(lookup, self.spec.streets[3], ranks)
        lookup = lookup._replace(first=river.first[:-1].astype(np.int32), cuts=river.cuts)
        counts = [int(self.divided[street].first[-1]) for street in range(3)] + [int(river.first[-1])]
        parents = self._parents(river) if perfect else ()
        seconds = time.perf_counter() - self.began
        deals = (*(self._deals(street) for street in range(3)), river.deals)
        return CardAbstraction(self.spec, (counts[0], counts[1], counts[2], counts[3]), lookup, parents, deals, seconds)

    def _deals(self, street: int) -> np.ndarray:
        divided = self.divided[street]
        _, weights = self._known(street)
        return np.bincount(divided.buckets, weights, int(divided.first[-1])).astype(np.int64)

    def _known(self, street: int) -> tuple[Isomorphism, np.ndarray]:
        """How hands of a street are indexed, and the deals that each stands for."""
        known = isomorphism((2, 3, 1)) if street == 2 and self.spec.perfect_recall else forgetful(street)
        return known, known.multiplicities(np.arange(known.sizes[-1]))

    def _hands(self, street: int) -> Hands:
        """All canonical hands of a street, with their buckets on the street before where the past is remembered."""
        moments = strength_moments(street)
        known, weights = self._known(street)
        indices = np.arange(len(weights))
        parents, count = np.zeros(len(indices), np.uint8), 1
        if self.spec.perfect_recall and street:
            before = self.divided[street - 1]
            count = int(before.first[-1])
            if street == 1:
                at = isomorphism((2,)).indices(known.unindex(indices)[:, :2])
            else:
                at, indices = ordered_turns()
            parents = before.buckets[at]
        return Hands(parents, count, weights, moments.mean[indices], moments.square[indices], indices)

    def _clustered(
        self, street: int, how: Bucketing, hands: Hands, worth: np.ndarray, ahead: Clusters | None
    ) -> Divided:
        """Buckets by clusters of points, each parent by itself."""
        title = f"{STREETS[street]}: {how.text}"
        points = _Points(street, how.method, worth, ahead)
        groups = list(_groups(hands))
        if how.total:
            most = min(how.counts[0] - hands.parent_count + 1, 2 + 3 * how.counts[0] // hands.parent_count)
            errors = []
            with Bar(f"{title}, errors") as bar:
                for p, (_, indices, _, weights) in enumerate(groups):
                    rows, times = sample(weights, ERROR_SAMPLE, self.spec.seed)
                    some = points.of(indices[rows])
                    options = {"distance": points.space, "seed": self.spec.seed, "iterations": 10}
                    errors.append(weights.sum() * clustering_errors(some, most, times, **options))
                    bar.show((p + 1) / len(groups), f"{p + 1} of {len(groups)} parents")
            counts = shared_out(np.array(errors), how)
        else:
            counts = counts_of(how, hands.parent_count)
        first = np.concatenate([[0], np.cumsum(counts)])
        buckets = np.empty(len(hands.mean), np.uint32)
        with Bar(title) as bar:
            for p, (rows, indices, inverse, weights) in enumerate(groups):

                def show(fraction: float, figure: str, done: float = p) -> None:
                    bar.show((done + fraction) / len(groups), figure)

                found = self._assigned(points, int(counts[p]), indices, weights, show)
                buckets[rows] = first[p] + found[inverse]
        return Divided(buckets, first)

    def _assigned(self, points: _Points, k: int, indices: np.ndarray, weights: np.ndarray, show) -> np.ndarray:  # type: ignore[no-untyped-def]
        """The cluster of each hand: found on a sample, assigned exactly."""
        rows, times = sample(weights, points.sample, self.spec.seed)
        some = points.of(indices[rows])
        found = cluster(
            some, k, times, distance=points.space, seed=self.spec.seed, iterations=25,
            progress=lambda part, figure: show(part / 2, figure),
        )  # fmt: skip
        labels, _ = assign(
            lambda first, last: points.of(indices[first:last]), found.centres, distance=points.space,
            count=len(indices), progress=lambda part, figure: show(0.5 + part / 2, figure),
        )  # fmt: skip
        return labels

    def _made_ahead(self, street: int) -> Clusters:
        """Clusters of a street for the one before to look ahead to, whatever hands' past."""
        worth = river_cuts(None, AHEAD_RIVER, hole_ranks()).worth
        further = self._made_ahead(street + 1) if street == 1 else None
        if street == 3:
            return Clusters(np.empty(0, np.int64), np.empty((0, 0), np.float32))  # the river is told by worth
        key = f"ahead-{street}"
        hands = Hands(
            np.zeros(forgetful(street).sizes[-1], np.uint8), 1,
            forgetful(street).multiplicities(np.arange(forgetful(street).sizes[-1])),
            *strength_moments(street), np.arange(forgetful(street).sizes[-1]),
        )  # fmt: skip
        divided = self._kept(key, lambda: self._clustered(street, AHEAD, hands, worth, further))
        return self._places(street, divided, worth, further)

    def _places(self, street: int, divided: Divided, worth: np.ndarray | None, ahead: Clusters | None) -> Clusters:
        """The places of buckets, from a sample of their hands."""
        assert worth is not None
        known = forgetful(street)
        rows, times = sample(known.multiplicities(np.arange(known.sizes[-1])), VECTOR_SAMPLE, self.spec.seed)
        if street == 2:
            vectors = turn_points(rows, worth)
        elif ahead is not None:
            vectors = ahead.places[ahead.labels[next_hands(1, rows)]].mean(axis=1)
        else:
            vectors = flop_points(rows)
        places = places_of(divided.buckets[rows], int(divided.first[-1]), vectors, times)
        return Clusters(divided.buckets, places)

    def _parents(self, river: River) -> tuple[np.ndarray, ...]:
        """The bucket on the street before of each bucket on flop, turn and river."""
        first = [self.divided[1].first, self.divided[2].first, river.first]
        if self.spec.streets[1].method == "lossless":
            raise AbstractionError("every hand by itself on the flop needs imperfect recall: its bucket is its past")
        return tuple(np.repeat(np.arange(len(each) - 1), np.diff(each)).astype(np.int32) for each in first)

    def _kept(self, key: int | str, make) -> Divided:  # type: ignore[no-untyped-def]
        """What `make` gives, or gave before an interruption."""
        path = self.path.with_name(f"{self.path.stem}-{key}.partial.npz")
        if path.exists() and not self.fresh:
            try:
                _, arrays = read_arrays(path, PARTIAL, VERSION, error=AbstractionError)
                return Divided(arrays["buckets"], arrays["first"])
            except (AbstractionError, KeyError):
                path.unlink()
        found = make()
        header = {"format": PARTIAL, "version": VERSION, "spec": self.spec.text, "street": key}
        write_arrays(path, header, found._asdict(), error=AbstractionError)
        return found

    def forget(self) -> None:
        """Remove what was only kept against an interruption."""
        for path in self.path.parent.glob(f"{self.path.stem}-*.partial.npz"):
            path.unlink()


class _Points:
    """Points of hands on a street, and the space that they lie in."""

    def __init__(self, street: int, method: str, worth: np.ndarray, ahead: Clusters | None) -> None:
        self.street, self.method, self.ahead = street, method, ahead
        self.worth = worth if method == "potential" else np.arange(MOST + 1) / MOST
        self.space: str | Space = "emd"
        self.sample = VECTOR_SAMPLE
        if method == "potential" and street < 2:
            assert ahead is not None
            self.space, self.sample = Transport(ahead.ground()), MULTISET_SAMPLE

    def of(self, indices: np.ndarray) -> np.ndarray:
        if self.street == 2:
            return turn_points(indices, self.worth)
        if self.street == 1:
            if self.method == "distribution":
                return flop_points(indices)
            assert self.ahead is not None
            return self.ahead.labels[next_hands(1, indices)]
        return self._before_the_flop()[indices]

    def _before_the_flop(self) -> np.ndarray:
        known = isomorphism((2, 3))
        every = np.arange(known.sizes[1])
        holes, deals = isomorphism((2,)).indices(known.unindex(every)[:, :2]), known.multiplicities(every)
        if self.method == "potential":
            assert self.ahead is not None
            count = len(self.ahead.places)
            flat = np.bincount(holes * count + self.ahead.labels, deals, 169 * count)
            return multisets(flat.reshape(169, count), ATOMS)
        raise AbstractionError("preflop: distribution is for flop and turn; before the flop use potential")


def _groups(hands: Hands) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """For each parent: its hands, their different indices, which of them each hand has, and the indices' weights."""
    order = np.argsort(hands.parents, kind="stable")
    ends = np.cumsum(np.bincount(hands.parents, minlength=hands.parent_count))
    for first, last in zip(np.concatenate([[0], ends[:-1]]), ends, strict=True):
        rows = order[first:last]
        indices, inverse = np.unique(hands.indices[rows], return_inverse=True)
        yield rows, indices, inverse, np.bincount(inverse, hands.weights[rows], len(indices))


def ordered_turns() -> tuple[np.ndarray, np.ndarray]:
    """For each hand on the turn with the flop remembered: its index on the flop, and with the order forgotten."""
    ordered, boards = isomorphism((2, 3, 1)), canonical_boards((3, 1)).cards
    flops, turns = np.empty(ordered.sizes[2], np.int32), np.empty(ordered.sizes[2], np.int32)
    suits = suits_of(False)
    over_boards(
        "turns by flop",
        boards,
        lambda at, end: kernels.ordered_turns(suits, boards[at:end], ordered.tables, flops, turns),
        chunk=1024,
    )
    return flops, turns


def hole_ranks() -> np.ndarray:
    """The rank by E[HS] before the flop, 0 to 168, of each of the 1,326 holes."""
    strength = strength_moments(0).mean
    ranks = np.argsort(np.argsort(strength, kind="stable"), kind="stable")
    return ranks[isomorphism((2,)).indices(HOLES)].astype(np.int16)
