"""A report on a card abstraction: sizes of buckets, the strengths in them, and how hands move between streets.

Everything is counted over all deals. Strengths are E[HS] before the river and the strength itself on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pokerlab.abstraction.buckets import kernels
from pokerlab.abstraction.buckets.kernels import Rivers
from pokerlab.abstraction.buckets.lookup import SIZES, CardAbstraction
from pokerlab.abstraction.buckets.rivers import Turns, all_rivers, counted, river_deals
from pokerlab.cards.deck import STREETS
from pokerlab.cards.isomorphism import canonical_boards
from pokerlab.cards.sweep import MOST, forgetful, strength_moments
from pokerlab.progress import announced

BINS = 200  # of strength, from 0 to 1
MOST_COUNTS = 30_000_000  # numbers in a table of strengths or of moves; larger ones are left out
BARS = " ▁▂▃▄▅▆▇█"
SHOWN = 12  # buckets of a street that the text shows, and the largest matrix of moves


@dataclass(frozen=True)
class StreetReport:
    """Buckets of one street. Arrays have a row a bucket."""

    name: str
    bucketing: str
    deals: np.ndarray  # int64
    shares: np.ndarray  # of all deals
    shares_of_parent: np.ndarray
    strengths: np.ndarray | None  # int64 (buckets, BINS): deals by strength; None where the table would be too large
    moves: np.ndarray | None  # without recall: int64 (buckets, buckets of the next street): deals that go there

    @property
    def empty(self) -> int:
        return int((self.deals == 0).sum())

    @cached_property
    def means(self) -> np.ndarray | None:
        """The mean strength in each bucket, to half a bin; NaN in an empty one."""
        return None if self.strengths is None else _moments(self.strengths)[0]

    @cached_property
    def spreads(self) -> np.ndarray | None:
        """The standard deviation of strength in each bucket."""
        return None if self.strengths is None else _moments(self.strengths)[1]

    @cached_property
    def explained(self) -> float | None:
        """The part of the variance of strength that lies between the buckets, not in them."""
        if self.strengths is None:
            return None
        spread = float(_moments(self.strengths.sum(axis=0, keepdims=True))[1][0])
        within = float(np.nansum(_moments(self.strengths)[1] ** 2 * self.shares))
        return 1 - within / spread**2 if spread else 1.0


@dataclass(frozen=True)
class Report:
    """A card abstraction and what is in its buckets."""

    cards: CardAbstraction
    streets: tuple[StreetReport, ...]

    def summary(self) -> dict[str, Any]:
        """Everything but histograms and matrices, as plain JSON."""
        return describe(self.cards) | {"streets": [_street_summary(street) for street in self.streets]}


def describe(cards: CardAbstraction) -> dict[str, Any]:
    """What an abstraction is, as plain JSON."""
    return {
        "spec": cards.spec.text,
        "recall": cards.spec.recall,
        "seed": cards.spec.seed,
        "buckets": dict(zip(STREETS, cards.counts, strict=True)),
        "seconds": round(cards.seconds, 1),
        "stages": {name: round(seconds, 1) for name, seconds in cards.stages.items()},
    }


def report(cards: CardAbstraction) -> Report:
    """Count strengths and moves: seconds, once the tables of strengths are there."""
    with announced("counting rivers"):
        rivers = all_rivers()
    strengths = [_strengths(cards, street) for street in range(3)] + [_river_strengths(cards, rivers)]
    return Report(cards, tuple(
        StreetReport(
            STREETS[street], cards.spec.streets[street].text, cards.deals[street], cards.shares(street),
            cards.shares_of_parent(street), strengths[street], _moves(cards, street, rivers),
        )
        for street in range(4)
    ))  # fmt: skip


def _strengths(cards: CardAbstraction, street: int) -> np.ndarray | None:
    shape = (cards.counts[street], BINS)
    if shape[0] * BINS > MOST_COUNTS:
        return None
    bins = np.minimum(strength_moments(street).mean * BINS, BINS - 1).astype(np.uint8)
    boards, counts = np.empty((1, 0), np.uint8), np.ones(1, np.int64)
    if street:
        boards, counts = canonical_boards(((3,), (3, 1) if cards.perfect_recall else (4,))[street - 1])
    suits, table, forgotten = cards.suits[street], cards.lookup[1 + street], forgetful(street).tables
    return counted(
        f"strengths on the {STREETS[street]}", boards, counts, shape,
        lambda some, times, deals: kernels.count_strengths(suits, table, forgotten, bins, some, times, deals),
    )  # fmt: skip


def _river_strengths(cards: CardAbstraction, rivers: Rivers) -> np.ndarray | None:
    """Buckets and bins both cut a parent's deals in the order of strength, so that only ends need to be compared."""
    if cards.counts[3] * BINS > MOST_COUNTS:
        return None
    turns = Turns(cards.lookup.turn, cards.counts[2]) if cards.perfect_recall else None
    by_parent = river_deals(rivers, cards.lookup.ranks, turns).by_strength
    parents = cards.parents[2] if cards.perfect_recall else np.zeros(cards.counts[3], np.int64)
    edges = np.searchsorted(np.minimum(np.arange(MOST + 1) * BINS // MOST, BINS - 1), np.arange(BINS + 1))
    below = np.concatenate([np.zeros_like(by_parent[:, :1]), np.cumsum(by_parent, axis=1)], axis=1)[:, edges]
    deals = cards.deals[3]
    ends = np.cumsum(deals) - np.concatenate([[0], np.cumsum(by_parent.sum(axis=1))])[parents]
    high, low = ends[:, None], (ends - deals)[:, None]
    below = below[parents]
    return np.maximum(np.minimum(high, below[:, 1:]) - np.maximum(low, below[:, :-1]), 0)


def _moves(cards: CardAbstraction, street: int, rivers: Rivers) -> np.ndarray | None:
    """How hands move on to the next street; with perfect recall a bucket's parent says it all."""
    if street == 3 or cards.perfect_recall or cards.counts[street] * cards.counts[street + 1] > MOST_COUNTS:
        return None
    boards, counts = canonical_boards(((3,), (3, 1), (4,))[street])
    shape = (cards.counts[street], cards.counts[street + 1])
    title, lookup, suits = f"from {STREETS[street]} to {STREETS[street + 1]}", cards.lookup, cards.suits
    if street == 2:
        return counted(
            title, boards, counts, shape,
            lambda some, times, moves: kernels.count_river_moves(lookup, suits, rivers, some, times, moves),
        )  # fmt: skip
    return counted(
        title, boards, counts, shape,
        lambda some, times, moves: kernels.count_moves(lookup, suits, SIZES[street], some, times, moves),
    )  # fmt: skip


def _moments(strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations of rows of deals by strength."""
    centres = (np.arange(BINS) + 0.5) / BINS
    total = strengths.sum(axis=1)
    with np.errstate(invalid="ignore"):
        means = strengths @ centres / total
        return means, np.sqrt(np.maximum(strengths @ centres**2 / total - means**2, 0))


def _street_summary(street: StreetReport) -> dict[str, Any]:
    least, *_, most = quantiles(street.shares_of_parent)
    means, spreads, explained = street.means, street.spreads, street.explained
    return {
        "street": street.name,
        "bucketing": street.bucketing,
        "buckets": len(street.deals),
        "empty": street.empty,
        "least_share_of_parent": least,
        "most_share_of_parent": most,
        "explained": None if explained is None else round(explained, 6),
        "deals": street.deals.tolist(),
        "mean": None if means is None else [None if np.isnan(mean) else round(float(mean), 4) for mean in means],
        "spread": None if spreads is None else [None if np.isnan(each) else round(float(each), 4) for each in spreads],
    }


def quantiles(values: np.ndarray) -> list[float]:
    """Least, quartiles and most."""
    return [float(value) for value in np.quantile(values, (0, 0.25, 0.5, 0.75, 1))]


def chosen(street: StreetReport, most: int) -> np.ndarray:
    """Some buckets from the weakest to the strongest, all if there are no more than `most`; empty ones are left out."""
    full = np.flatnonzero(street.deals)
    means = street.means
    order = full if means is None else full[np.argsort(means[full], kind="stable")]
    return order[np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(int))]


def spread_out(moves: np.ndarray) -> float:
    """How many buckets of the next street a hand's bucket leads to: the mean of 2 to the entropy of its moves."""
    totals = moves.sum(axis=1)
    odds = moves[totals > 0] / totals[totals > 0, None]
    bits = -(odds * np.log2(np.where(odds > 0, odds, 1))).sum(axis=1)
    return float(np.average(2**bits, weights=totals[totals > 0]))


def lines(report: Report) -> list[str]:
    """The report for a terminal."""
    explained = [street.explained for street in report.streets]
    text = [*heading(report.cards), "", *size_lines(report.cards, explained)]
    text.append("explained: part of the variance of strength (E[HS]) that lies between buckets; counted over all deals")
    for number, street in enumerate(report.streets):
        text += ["", *_street_lines(report, number, street)]
        if street.moves is not None:
            text += ["", *_move_lines(street, report.streets[number + 1].name)]
    return text


def heading(cards: CardAbstraction) -> list[str]:
    """What the abstraction is, in two lines."""
    stages = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in cards.stages.items())
    return [
        f"{cards.spec.text}, {cards.spec.recall} recall, seed {cards.spec.seed}",
        f"built in {cards.seconds:.0f} s ({stages})",
    ]


def size_lines(cards: CardAbstraction, explained: Sequence[float | None] = ()) -> list[str]:
    """The number of buckets and their sizes, a row a street."""
    whole = "parent" if cards.perfect_recall else "all"
    text = [f"{'street':<8} {'bucketing':<16} {'buckets':>9} {'empty':>6}   {f'share of {whole}: least':>22} "
            f"{'median':>8} {'most':>8}{'   explained' if explained else ''}"]  # fmt: skip
    for street, name in enumerate(STREETS):
        least, _, middle, _, most = quantiles(cards.shares_of_parent(street))
        part = explained[street] if explained else None
        text.append(
            f"{name:<8} {cards.spec.streets[street].text:<16} {cards.counts[street]:>9,} "
            f"{(cards.deals[street] == 0).sum():>6,}   {least:>22.3%} {middle:>8.3%} {most:>8.3%}"
            + (f"   {part:>9.2%}" if part is not None else "   -" if explained else "")
        )
    return text


def _street_lines(report: Report, number: int, street: StreetReport) -> list[str]:
    means, spreads = street.means, street.spreads
    if means is None or spreads is None or street.strengths is None:
        return [f"{street.name}: too many buckets to look into"]
    rows = chosen(street, SHOWN)
    some = "" if len(rows) == len(street.deals) else f" ({len(rows)} of {len(street.deals):,} from weak to strong)"
    paths = report.cards.perfect_recall and number > 0
    path = f"{'path':<12} " if paths else ""
    text = [f"{street.name}{some}", f"  {'bucket':>7} {path}{'deals':>14} {'share':>9} "
            f"{'E[HS]':>6} {'±':>6}  from 0 to 1"]  # fmt: skip
    for bucket in map(int, rows):
        path = f"{'.'.join(map(str, report.cards.path(number, bucket))):<12} " if paths else ""
        text.append(
            f"  {bucket:>7} {path}{street.deals[bucket]:>14,} {street.shares[bucket]:>9.3%} {means[bucket]:>6.3f} "
            f"{spreads[bucket]:>6.3f}  {_bars(street.strengths[bucket])}"
        )
    return text


def _bars(strengths: np.ndarray) -> str:
    columns = strengths.reshape(40, -1).sum(axis=1)
    heights = np.ceil(columns / columns.max() * (len(BARS) - 1)).astype(int)
    return "".join(BARS[height] for height in heights).rstrip()


def _move_lines(street: StreetReport, after: str) -> list[str]:
    moves = street.moves
    assert moves is not None
    text = [
        f"from {street.name} to {after}: a bucket leads to {spread_out(moves):.1f} of {moves.shape[1]:,} "
        "(2 to the entropy, on average)"
    ]
    if max(moves.shape) <= SHOWN:
        text.append("  " + " " * 7 + "".join(f"{column:>7}" for column in range(moves.shape[1])))
        for bucket, row in enumerate(moves / np.maximum(moves.sum(axis=1, keepdims=True), 1)):
            text.append(f"  {bucket:>7}" + "".join(f"{odds:>7.1%}" for odds in row))
    return text
