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
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np

from pokerlab.abstraction.buckets import kernels
from pokerlab.abstraction.buckets.divide import Divided, Division, Hands, by_strength, counts_of, most_children
from pokerlab.abstraction.buckets.kernels import Lookup
from pokerlab.abstraction.buckets.lookup import MOST_BYTES, CardAbstraction, load_buckets, small, spec_in, suits_of
from pokerlab.abstraction.buckets.points import Clusters, Points, places
from pokerlab.abstraction.buckets.rivers import River, Turns, river_cuts
from pokerlab.abstraction.buckets.spec import Bucketing, Spec, code_of, parse_spec
from pokerlab.abstraction.clustering import Progress, assign, cluster, clustering_errors, sample
from pokerlab.abstraction.one_dimension import child_counts
from pokerlab.cache import cache_folder, keep, recalled, recalled_table
from pokerlab.cards.deck import STREETS
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import Isomorphism, canonical_boards, isomorphism
from pokerlab.cards.sweep import forgetful, keep_strengths, strength_moments
from pokerlab.errors import AbstractionError, PokerlabError
from pokerlab.files import write_arrays
from pokerlab.processes import Executor
from pokerlab.progress import Bar
from pokerlab.reading import Header, is_file, of_kind, refuse
from pokerlab.threads import in_pieces

PARTIAL, VERSION = "pokerlab buckets in the making", 2
ERROR_SAMPLE = 1_000  # hands of a parent that its errors for the integer program are found on
AHEAD = Bucketing("potential", (200,))  # clusters to look ahead to with perfect recall
AHEAD_RIVER = Bucketing("kmeans", (200,))

T = TypeVar("T")


def build_buckets(
    spec: str | Spec,
    *,
    perfect_recall: bool | None = None,
    seed: int = 1,
    fresh: bool = False,
    executor: Executor | None = None,
) -> CardAbstraction:
    """The card abstraction of a spec: from the cache folder if it is there, unless `fresh`.

    Interrupted, it goes on from the last finished street when it is called again. An `executor` makes the strengths of
    all hands, if they are not kept yet.
    """
    if isinstance(spec, str):
        spec = parse_spec(spec, perfect_recall=perfect_recall, seed=seed)
    cards = None if fresh else cached_buckets(spec)
    if cards is None:
        if executor is not None:
            keep_strengths(executor)
        builder = _Builder(spec, fresh)
        cards = builder.build()
        if keep(builder.name, cards.save):
            builder.forget()
    return cards


def cached_buckets(spec: Spec) -> CardAbstraction | None:
    """The abstraction of a spec if it was built before."""
    return recalled(_cached_name(spec), load_buckets)


def find_buckets(file_or_spec: str, perfect_recall: bool | None = None, seed: int = 1) -> CardAbstraction:
    """The abstraction in a file, or the one of a spec that was built before."""
    if is_file(file_or_spec):
        return load_buckets(file_or_spec)
    try:
        spec = parse_spec(file_or_spec, perfect_recall=perfect_recall, seed=seed)
    except AbstractionError as problem:
        raise AbstractionError(f"no file {file_or_spec}, and as a spec: {problem}") from None
    cards = cached_buckets(spec)
    if cards is None:
        raise not_built(file_or_spec, spec)
    return cards


def not_built(text: str, spec: Spec) -> AbstractionError:
    """That the abstraction of a spec, given as this text, is to be built first."""
    given = f"{text} --recall {spec.recall}" + (f" --seed {spec.seed}" if spec.seed != 1 else "")
    return AbstractionError(f"not built yet: run `pokerlab buckets build {given}`")


def built() -> list[Spec]:
    """The abstractions that the cache folder has, by their texts."""
    specs = []
    for path in cache_folder().glob("buckets-*.npz"):
        with suppress(PokerlabError):  # damaged, of another version, or of code that is not there
            spec = spec_in(path)
            if _cached_name(spec) == path.name:
                specs.append(spec)
    return sorted(specs, key=lambda spec: (spec.text, spec.recall, spec.seed))


def cached_path(spec: Spec) -> Path:
    """Where the abstraction of a spec is kept."""
    return cache_folder() / _cached_name(spec)


def _cached_name(spec: Spec) -> str:
    told = f"{VERSION} {spec.text} {spec.recall} {spec.seed}{code_of(spec)}"
    return f"buckets-{hashlib.sha256(told.encode()).hexdigest()[:16]}.npz"


class _Builder:
    """Builds one abstraction; what is done of it survives an interruption."""

    def __init__(self, spec: Spec, fresh: bool) -> None:
        self.spec, self.name = spec, _cached_name(spec)
        self.divided: dict[int, Divided] = {}
        self.ahead: dict[int, Clusters] = {}
        self.stages: dict[str, float] = {}
        if fresh:
            self.forget()

    def build(self) -> CardAbstraction:
        perfect = self.spec.perfect_recall
        for street in (0, 1, 2) if perfect else (2, 1, 0):
            self.divided[street] = self._kept(STREETS[street], lambda: self._divide(street))  # noqa: B023
        preflop, flop, turn = (self.divided[street] for street in range(3))
        if perfect:
            turns = Turns(turn.buckets, turn.size)
            river = self._timed("river", lambda: river_cuts(self.spec.streets[3], hole_ranks(), turns))
        else:
            river = self._river
        lookup = Lookup(
            np.array([perfect]), preflop.buckets, flop.buckets, turn.buckets,
            river.first[:-1].astype(np.int32), river.cuts, hole_ranks(),
        )  # fmt: skip
        return CardAbstraction(
            spec=self.spec,
            counts=(preflop.size, flop.size, turn.size, int(river.first[-1])),
            lookup=lookup,
            parents=tuple(_parents(each) for each in (flop.first, turn.first, river.first)) if perfect else (),
            deals=(preflop.deals, flop.deals, turn.deals, river.deals),
            stages=self.stages,
        )

    def _divide(self, street: int) -> Divided:
        how = self.spec.streets[street]
        hands = self._remembered(street) if self.spec.perfect_recall and street else _hands(street)
        if how.method in ("potential", "distribution"):
            return self._clustered(street, how, hands)
        if street == 0 and how.method == "percentile":
            # 169 whole hands: quintiles by E[HS] alone are 0.51 points off at best. So strengths that are equal to
            # three digits are equal here, and E[HS^2] decides among them: 0.39 points.
            order = np.lexsort((hands.square, np.round(hands.mean, 3)))
            hands = hands._replace(mean=np.argsort(order) / len(order))
        return by_strength(hands, how)

    def _remembered(self, street: int) -> Hands:
        """The hands of a street with their buckets on the street before."""
        before = self.divided[street - 1]
        if street == 1:
            hands = _hands(1)
            holes = isomorphism((2,)).indices(forgetful(1).unindex(np.arange(len(hands.weights)))[:, :2])
            return hands._replace(parents=before.buckets[holes].astype(np.uint16), parent_count=before.size)
        weights, indices, parents = ordered_turns(before.buckets)
        return Hands(weights, *strength_moments(2), indices, parents, before.size)

    @cached_property
    def _river(self) -> River:
        """The river, past forgotten: the abstraction's own, or the one that recall looks ahead to."""
        how = AHEAD_RIVER if self.spec.perfect_recall else self.spec.streets[3]
        return self._timed(
            "river, ahead" if self.spec.perfect_recall else "river", lambda: river_cuts(how, hole_ranks())
        )

    def _ahead(self, street: int) -> Clusters:
        """The clusters on the next street, flop or turn, that potential-aware clustering looks ahead to."""
        street += 1
        if street not in self.ahead:
            if self.spec.perfect_recall:
                key = f"{STREETS[street]}, ahead"
                divided = self._kept(key, lambda: self._clustered(street, AHEAD, _hands(street)))
                how = AHEAD
            else:
                divided, how = self.divided[street], self.spec.streets[street]
            further = self._ahead(1) if street == 1 and how.method == "potential" else None
            spots = places(street, divided, self._river.worth, further, self.spec.seed)
            self.ahead[street] = Clusters(divided.buckets, spots)
        return self.ahead[street]

    def _clustered(self, street: int, how: Bucketing, hands: Hands) -> Divided:
        """Buckets by clusters of points, each parent by itself."""
        if how.method == "distribution":
            points = Points(street)
        elif street == 2:
            points = Points(street, worth=self._river.worth)
        else:
            points = Points(street, ahead=self._ahead(street))
        title = f"{STREETS[street]}: {how.text}"
        if how.total:
            counts = self._shared_out(points, how, hands, title)
        else:
            counts = counts_of(how, hands.parent_count)
        division = Division(hands, counts)
        with Bar(title) as bar:
            for parent, (rows, indices, inverse, weights) in enumerate(_groups(hands)):

                def show(fraction: float, figure: str, done: float = parent) -> None:
                    bar.show((done + fraction) / hands.parent_count, figure)

                if len(indices):
                    labels = self._assigned(points, int(counts[parent]), indices, weights, show)
                    division.fill(parent, rows, labels if inverse is None else labels[inverse])
        return division.done()

    def _shared_out(self, points: Points, how: Bucketing, hands: Hands, title: str) -> np.ndarray:
        """The children of each parent by the integer program, from errors on a sample of its hands."""
        most = most_children(how, hands.parent_count)
        errors = np.zeros((hands.parent_count, most))
        with Bar(f"{title}, errors") as bar:
            for parent, (_, indices, _, weights) in enumerate(_groups(hands)):
                if len(indices):
                    rows, times = sample(weights, max(ERROR_SAMPLE, 4 * most), self.spec.seed)
                    options = {"distance": points.space, "seed": self.spec.seed, "iterations": 10}
                    costs = clustering_errors(points.of(indices[rows]), most, times, **options)
                    errors[parent] = weights.sum() * costs
                bar.show((parent + 1) / len(errors), f"{parent + 1} of {len(errors)} parents")
        return child_counts(errors, how.counts[0])

    def _assigned(self, points: Points, k: int, indices: np.ndarray, weights: np.ndarray, show: Progress) -> np.ndarray:
        """The cluster of each hand: found on a sample, assigned exactly."""
        rows, times = sample(weights, points.sample(k), self.spec.seed)
        clustering = cluster(
            points.of(indices[rows]), k, times, distance=points.space, seed=self.spec.seed, iterations=25,
            progress=lambda part, figure: show(part / 2, figure),
        )  # fmt: skip
        labels, _ = assign(
            lambda first, last: points.of(indices[first:last]), clustering.centres, distance=points.space,
            count=len(indices), progress=lambda part, figure: show(0.5 + part / 2, figure),
        )  # fmt: skip
        return labels

    def _kept(self, key: str, make: Callable[[], Divided]) -> Divided:
        """What `make` gives, or gave before an interruption."""
        name = f"{self.name.removesuffix('.npz')}-{key.replace(', ', '-')}.partial.npz"
        kept = recalled_table(name, PARTIAL, VERSION, MOST_BYTES, _divided)
        if kept is not None:
            self.stages[key], divided = kept
            return divided
        divided = self._timed(key, make)
        header = {"format": PARTIAL, "version": VERSION, "spec": self.spec.text, "seconds": self.stages[key]}
        arrays = divided._asdict() | {"buckets": small(divided.buckets)}
        keep(name, lambda path: write_arrays(path, header, arrays, error=AbstractionError))
        return divided

    def _timed(self, key: str, make: Callable[[], T]) -> T:
        """What `make` gives; its time, without that of stages inside it, is noted."""
        began, others = time.perf_counter(), sum(self.stages.values())
        made = make()
        self.stages[key] = time.perf_counter() - began - (sum(self.stages.values()) - others)
        return made

    def forget(self) -> None:
        """Remove what was only kept against an interruption."""
        with suppress(OSError, PokerlabError):
            for path in cache_folder().glob(f"{self.name.removesuffix('.npz')}-*.partial.npz"):
                path.unlink()


def _divided(header: Header, arrays: Mapping[str, np.ndarray]) -> tuple[float, Divided]:
    """The seconds that a stage took, and what it came to, from its file."""
    first, deals = (of_kind(arrays, name, np.int64, None) for name in ("first", "deals"))
    buckets, ascending = arrays["buckets"], len(first) > 1 and first[0] == 0 and bool((np.diff(first) >= 0).all())
    if buckets.dtype.kind != "u" or buckets.ndim != 1 or not len(buckets):
        refuse("buckets: a number a hand", buckets)
    if not ascending or deals.shape != (first[-1],) or buckets.max() >= first[-1]:
        refuse("buckets that follow their parents", first)
    return header.number("seconds"), Divided(buckets.astype(np.uint32), first, deals)


def _hands(street: int) -> Hands:
    """All canonical hands of a street, the order of the board's cards and the past forgotten."""
    return Hands(multiplicities(forgetful(street)), *strength_moments(street))


def multiplicities(known: Isomorphism) -> np.ndarray:
    """How many deals each canonical hand stands for: uint8."""
    deals, step = np.empty(known.sizes[-1], np.uint8), 1 << 20
    for at in range(0, len(deals), step):
        deals[at : at + step] = known.multiplicities(np.arange(at, min(at + step, len(deals))))
    return deals


def _groups(hands: Hands) -> Iterator[tuple[np.ndarray | slice, np.ndarray, np.ndarray | None, np.ndarray]]:
    """For each parent: its hands, their different indices, which of them each hand has, and the indices' weights."""
    for rows in hands.groups():
        weights = hands.weights[rows]
        if hands.indices is None:
            yield rows, np.arange(len(hands.weights))[rows], None, weights
        else:
            indices, inverse = np.unique(hands.indices[rows], return_inverse=True)
            yield rows, indices, inverse, np.bincount(inverse, weights, len(indices))


def _parents(first: np.ndarray) -> np.ndarray:
    """The parent of each bucket."""
    return np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))


def ordered_turns(flop: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each hand on the turn with the flop remembered: deals, index with the order forgotten, bucket on the flop."""
    ordered, (boards, counts) = isomorphism((2, 3, 1)), canonical_boards((3, 1))
    weights, indices, parents = (np.zeros(ordered.sizes[2], kind) for kind in (np.uint8, np.int32, np.uint16))
    suits = suits_of(False)

    def work(at: int, end: int) -> None:
        kernels.ordered_turns(
            suits, ordered.tables, boards[at:end], counts[at:end], flop, weights, indices, parents
        )  # fmt: skip

    in_pieces(work, len(boards), 1024, "turns by flop")
    return weights, indices, parents


def hole_ranks() -> np.ndarray:
    """The rank by E[HS] before the flop, 0 to 168, of each of the 1,326 holes."""
    strength = strength_moments(0).mean
    ranks = np.argsort(np.argsort(strength, kind="stable"), kind="stable")
    return ranks[isomorphism((2,)).indices(HOLES)].astype(np.int16)
