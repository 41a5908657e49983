"""How the buckets of two players come together: the matrices of an abstract game of hold'em.

deals = bucket_deals(build_buckets("range-of-skill"))                    both players with the same buckets
game = compile(rules_of("holdem-limit"), deals=deals)

Counted over all boards up to suits, or over a seeded sample of turns and all their rivers. With perfect recall the
matrices of earlier rounds are sums of the last one's.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pokerlab.abstraction.buckets.joint_kernels import add_boards
from pokerlab.abstraction.buckets.lookup import CardAbstraction
from pokerlab.cache import keep, recalled_table
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import canonical_boards
from pokerlab.errors import AbstractionError, ImperfectRecall
from pokerlab.files import write_arrays
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.deals import merger
from pokerlab.processes import cores
from pokerlab.reading import of_kind
from pokerlab.threads import in_pieces, in_rooms

FORMAT, VERSION = "pokerlab matrices", 1
HALVES = 2
_CHUNK = 32


class Counted(NamedTuple):
    """Pairs of holes by river buckets, and wins less losses of the first player, in each half of the boards."""

    joint: np.ndarray  # float64 [halves, ours, yours], of a part [ours, yours]
    sign: np.ndarray


def bucket_deals(
    ours: CardAbstraction, yours: CardAbstraction | None = None, *, boards: int | None = None, seed: int = 1
) -> BucketDeals:
    """The matrices of two abstractions with perfect recall; over all boards, or `boards` turns drawn by chance.

    Kept in the cache folder. `name` of a sampled one tells its error: the part of the probability that lies elsewhere
    in one half of the sample than in the other, divided by two.
    """
    yours = yours or ours
    name = _name(ours, yours)
    counted = _counted(ours, yours, boards, seed)
    if boards is not None:
        halves = [half / half.sum() for half in counted.joint]
        error = abs(halves[0] - halves[1]).sum() / 4
        name += f", {boards:,} turns sampled (error {100 * error:.2g} %)"
    return _deals(name, ours, yours, counted)


def sampled_folds(
    ours: CardAbstraction, yours: CardAbstraction, *, boards: int, seeds: Sequence[int]
) -> tuple[BucketDeals, Iterator[tuple[BucketDeals, BucketDeals]]]:
    """The matrices of several samples together; and, for each half of each sample, those of the rest and of that half.

    What is found in the rest and holds in the half that was left out is no chance of the sample.
    """
    samples = [_counted(ours, yours, boards, seed) for seed in seeds]
    parts = [Counted(sample.joint[half], sample.sign[half]) for sample in samples for half in range(HALVES)]
    total = Counted(*(np.sum(arrays, axis=0) for arrays in zip(*parts, strict=True)))
    name = _name(ours, yours)

    def folds() -> Iterator[tuple[BucketDeals, BucketDeals]]:
        for i, part in enumerate(parts):
            rest = Counted(total.joint - part.joint, total.sign - part.sign)
            told = f"{name}, fold {i + 1} of {len(parts)}"
            yield _deals(f"{told} left out", ours, yours, rest), _deals(told, ours, yours, part)

    return _deals(f"{name}, {boards * len(seeds):,} turns sampled", ours, yours, total), folds()


def _counted(ours: CardAbstraction, yours: CardAbstraction, boards: int | None, seed: int) -> Counted:
    """From the cache folder, or counted and put there."""
    for cards in (ours, yours):
        if not cards.perfect_recall:
            raise ImperfectRecall("buckets that forget their past have no matrices; use sampling, or perfect recall")
    if boards is not None and boards < HALVES:
        raise AbstractionError(f"a sample needs at least {HALVES} boards, not {boards}")
    told = [f"{c.spec.text} {c.spec.recall} {c.spec.seed}" for c in (ours, yours)]
    key = hashlib.sha256(f"{VERSION} {told} {boards} {seed if boards else ''}".encode()).hexdigest()[:16]
    name, header = f"matrices-{key}.npz", {"format": FORMAT, "version": VERSION, "of": told}
    shape = HALVES, ours.counts[3], yours.counts[3]
    counted = recalled_table(
        name, FORMAT, VERSION, 16 * math.prod(shape),
        lambda _, arrays: Counted(*(of_kind(arrays, name, np.float64, *shape) for name in Counted._fields)),
    )  # fmt: skip
    if counted is None:
        counted = made = count_pairs(ours, yours, boards, seed)
        keep(name, lambda path: write_arrays(path, header, made._asdict(), error=AbstractionError))
    return counted


def count_pairs(ours: CardAbstraction, yours: CardAbstraction, boards: int | None = None, seed: int = 1) -> Counted:
    """Count pairs of holes over turns and all their rivers, without the cache."""
    cards, counts = canonical_boards((3, 1))
    if boards is not None and boards < len(cards):
        drawn = np.random.default_rng(seed).choice(len(cards), boards, p=counts / counts.sum())
        cards, counts = cards[drawn], np.ones(boards, np.int64)
    sizes = np.array([_most_children(ours), _most_children(yours)])
    # Whole numbers, so that the threads' sums add up to the same in any order.
    sums = np.zeros((cores(), 2, HALVES, ours.counts[3], yours.counts[3]))

    def work(first: int, last: int, mine: np.ndarray) -> None:
        add_boards(
            tables(), HOLES, ours.lookup, ours.suits, yours.lookup, yours.suits, sizes, cards[first:last],
            counts[first:last], *mine[:, first // _CHUNK % HALVES],
        )  # fmt: skip

    in_pieces(in_rooms(sums, work), len(cards), _CHUNK, "bucket matrices")
    return Counted(*sums.sum(axis=0))


def _most_children(cards: CardAbstraction) -> int:
    return int(np.bincount(cards.parents[2]).max())


def _name(ours: CardAbstraction, yours: CardAbstraction) -> str:
    return ours.spec.text if ours is yours else f"{ours.spec.text} against {yours.spec.text}"


def _deals(name: str, ours: CardAbstraction, yours: CardAbstraction, counted: Counted) -> BucketDeals:
    """Shares of pairs; those of a sample's halves, where it has them, together."""
    joint, sign = (array.reshape(-1, *array.shape[-2:]).sum(axis=0) for array in counted)
    total = joint.sum()
    rounds = [joint / total]
    parents = [tuple([np.zeros(cards.counts[0], np.int64), *cards.parents]) for cards in (ours, yours)]
    for r in (3, 2, 1):
        rows, columns = (merger(parents[p][r], len(parents[p][r - 1])) for p in range(2))
        rounds.insert(0, rows.T @ rounds[0] @ columns)
    return BucketDeals(name, (parents[0], parents[1]), tuple(rounds), sign / total)
