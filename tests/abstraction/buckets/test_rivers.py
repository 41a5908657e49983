"""Cuts on the river, on deals made up; and the counting of deals against plain loops on a few boards."""

import numpy as np
import pytest

import naive_buckets as naive
from pokerlab.abstraction.buckets import kernels, rivers
from pokerlab.abstraction.buckets.kernels import BEYOND, HEIGHTS, KEYS, RANKS, Rivers
from pokerlab.abstraction.buckets.lookup import suits_of
from pokerlab.abstraction.buckets.rivers import RiverDeals, counted, river_cuts, turned_holes
from pokerlab.abstraction.buckets.spec import Bucketing
from pokerlab.abstraction.one_dimension import strength_clusters
from pokerlab.cards.evaluator import board_values, ranked_holes
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import canonical_boards, isomorphism
from pokerlab.cards.sweep_kernels import fill_strengths

PARENTS = 4


@pytest.fixture
def random():
    return np.random.default_rng(8)


@pytest.fixture
def keys(random, monkeypatch):
    """Weighted keys of each parent, heavy on a few strengths, ranks and heights; parent 1 has none."""
    made = {}
    for parent in (0, 2, 3):
        n = 2000
        strengths = np.where(random.random(n) < 0.5, random.choice([7, 990, 1980], n), random.integers(0, 1981, n))
        ranks = np.where(random.random(n) < 0.5, 40, random.integers(0, RANKS, n))
        made[parent] = (strengths * RANKS + ranks) * HEIGHTS + random.integers(2, 60, n), random.integers(1, 25, n)
    made[1] = np.zeros(0, np.int64), np.zeros(0, np.int64)
    deals = deals_of(made)
    monkeypatch.setattr(rivers, "all_rivers", lambda: None)
    monkeypatch.setattr(rivers, "river_deals", lambda *_: deals)
    return made


def deals_of(keys):
    """Numbers as `RiverDeals` has them, from the keys themselves."""
    every = np.concatenate([parent * 1981 * KEYS + mine for parent, (mine, _) in keys.items()])
    weights = np.concatenate([weights for _, weights in keys.values()])

    def table(level, width, numbers):
        counted = np.zeros((len(numbers), width), np.int64)
        for row, number in enumerate(numbers):
            some = every // level // width == number
            np.add.at(counted[row], every[some] // level % width, weights[some])
        return counted

    return RiverDeals(
        table(KEYS, 1981, np.arange(PARENTS)),
        lambda numbers: table(HEIGHTS, RANKS, numbers),
        lambda numbers: table(1, HEIGHTS, numbers),
    )


def naive_deals(river, keys):
    """The deals in each bucket, one key after the other."""
    deals = np.zeros(river.first[-1], np.int64)
    for parent, (mine, weights) in keys.items():
        for key, weight in zip(mine, weights, strict=True):
            deals[river.first[parent] + sum(cut <= key for cut in river.cuts[parent])] += weight
    return deals


@pytest.mark.parametrize(
    "text", ["percentile:5", "percentile:1+2+7+3", "fixed:6", "kmeans:4", "nested:3x2", "kmeans:1"]
)
def test_deals_are_those_that_the_cuts_make(keys, text):
    method, _, numbers = text.partition(":")
    outer, _, inner = numbers.partition("x")
    how = Bucketing(method, tuple(map(int, outer.split("+"))), int(inner or 1))
    river = river_cuts(how, None)
    assert np.diff(river.first).tolist() == (np.broadcast_to(how.counts, PARENTS) * how.inner).tolist()
    assert (np.diff(river.cuts, axis=1) >= 0).all()
    assert river.deals.tolist() == naive_deals(river, keys).tolist()
    for parent, count in enumerate(np.diff(river.first)):
        assert (river.cuts[parent, count - 1 :] == BEYOND).all()


def test_equal_shares_however_heavy_a_strength_is(keys):
    """Half the deals have one of three strengths, half of those one rank: then the height of the board decides."""
    river = river_cuts(Bucketing("percentile", (5,)), None)
    for parent in (0, 2, 3):
        mine = river.deals[river.first[parent] : river.first[parent + 1]]
        finest = max(np.bincount(keys[parent][0], keys[parent][1])) / keys[parent][1].sum()
        assert abs(mine / mine.sum() - 0.2).max() <= 2 * (rivers.NEAR / 5 + finest / 2)


def test_fixed_widths_and_clusters(keys):
    fixed = river_cuts(Bucketing("fixed", (4,)), None)
    assert fixed.cuts[0].tolist() == [495 * KEYS, 990 * KEYS, 1485 * KEYS]
    clustered = river_cuts(Bucketing("kmeans", (4,)), None)
    for parent in (0, 2, 3):
        strengths, weights = keys[parent][0] // KEYS, keys[parent][1]
        expected = np.bincount(strength_clusters(strengths, weights, 4).labels, weights)
        assert clustered.deals[4 * parent : 4 * parent + 4].tolist() == expected.tolist()


def test_a_total_is_shared_out(keys):
    river = river_cuts(Bucketing("kmeans", (13,), total=True), None)
    counts = np.diff(river.first)
    assert counts.sum() == 13
    assert counts[1] == 1
    assert river.deals.tolist() == naive_deals(river, keys).tolist()


def test_what_strengths_are_worth(keys, monkeypatch):
    one = {0: keys[0]}
    only = RiverDeals(deals_of(one).by_strength[:1], None, None)
    monkeypatch.setattr(rivers, "river_deals", lambda *_: only)
    river = river_cuts(Bucketing("kmeans", (3,)), None)
    strengths, weights = keys[0][0] // KEYS, keys[0][1]
    labels = np.searchsorted(river.cuts[0], keys[0][0], side="right")
    for bucket in range(3):
        mean = np.average(strengths[labels == bucket], weights=weights[labels == bucket]) / 1980
        assert river.worth[strengths[labels == bucket]] == pytest.approx(mean)


def strengths_on(board):
    order, _ = ranked_holes(board)
    strengths = np.empty(1326, np.int16)
    fill_strengths(board_values(board), order, len(order), HOLES, strengths)
    return strengths


def rivers_after(boards):
    """Strengths of those boards of five that may follow; the rest of the table is never touched and costs no memory."""
    five, every = isomorphism((5,)), canonical_boards((5,)).cards
    strengths = np.zeros((len(every), 1326), np.int16)
    for board in boards:
        for card in range(52):
            if card not in board:
                index = five.index([*board.tolist(), card])
                kernels.fill_all_rivers(rivers.tables(), HOLES, every[index : index + 1], strengths[index : index + 1])
    return Rivers(five.tables, every, strengths, turned_holes())


@pytest.fixture(scope="module")
def turns():
    boards = canonical_boards((4,)).cards[[11, 9_000, 16_400]].copy()
    return boards, rivers_after(boards)


def test_strengths_of_any_board_from_those_up_to_suits(random, turns):
    for board in turns[0]:
        other = np.array(naive.turned(random, board.tolist()), np.uint8)[random.permutation(4)]
        runouts = np.empty((48, 1326), np.int16)
        kernels.fill_rivers(turns[1], other, runouts)
        left = [card for card in range(52) if card not in other]
        for row, card in enumerate(left):
            assert np.array_equal(runouts[row], strengths_on([*other, card]))


def test_permutations_of_suits(random):
    table = turned_holes()
    for _ in range(30):
        board = random.permutation(52)[:5].astype(np.uint8)
        suits = random.permutation(4)
        other = (board // 4 * 4 + suits[board % 4]).astype(np.uint8)
        code = kernels.suits_onto(board, random.permutation(other))
        hole = HOLES[random.integers(1326)]
        to = [code >> 2 * suit & 3 for suit in range(4)]
        assert {card // 4 * 4 + to[card % 4] for card in board.tolist()} == {*other.tolist()}
        low, high = sorted(card // 4 * 4 + to[card % 4] for card in hole.tolist())
        high_before, low_before = int(hole.max()), int(hole.min())
        assert table[code, high_before * (high_before - 1) // 2 + low_before] == high * (high - 1) // 2 + low


def test_counting_against_plain_loops(random, turns):
    boards, known = turns
    turn, counts = suits_of(False).turn, np.array([5, 1, 12])
    table = np.resize(random.integers(0, 3, 9973).astype(np.uint32), 13_960_050)
    ranks = random.integers(0, RANKS, 1326).astype(np.int16)
    deals = np.zeros((3, 1981, RANKS, HEIGHTS), np.int64)
    for board, count in zip(boards, counts, strict=True):
        parents = [table[isomorphism((2, 4)).index([*hole, *board])] if not {*hole} & {*board} else 0 for hole in HOLES]
        for card in range(52):
            if card not in board:
                strengths, height = strengths_on([*board, card]), sum(int(c) // 4 for c in [*board, card])
                live = np.flatnonzero(strengths >= 0)
                np.add.at(deals, (np.array(parents)[live], strengths[live], ranks[live], height), count)
    by_strength = np.zeros((3, 1981), np.int64)
    kernels.count_rivers(turn, table, known, boards, counts, by_strength)
    assert np.array_equal(by_strength, deals.sum(axis=(2, 3)))
    slots = np.full((3, 1981), -1, np.int32)
    slots[[0, 1, 2], [0, 990, 1980]] = [0, 1, 2]
    by_rank = np.zeros((3, RANKS), np.int64)
    kernels.count_ties(turn, table, known, boards, counts, slots, ranks, np.empty((0, RANKS), np.int32), by_rank)
    expected = deals[[0, 1, 2], [0, 990, 1980]]
    assert np.array_equal(by_rank, expected.sum(axis=2))
    finer = np.where(expected.sum(axis=2) > 0, 1, -1).astype(np.int32)
    finer[finer > 0] = np.arange((finer > 0).sum())
    by_height = np.zeros((finer.max() + 1, HEIGHTS), np.int64)
    kernels.count_ties(turn, table, known, boards, counts, slots, ranks, finer, by_height)
    assert np.array_equal(by_height, expected[finer >= 0])
    together = counted("", boards, counts, (3, 1981), lambda *some: kernels.count_rivers(turn, table, known, *some))
    assert np.array_equal(together, by_strength)


def test_counting_without_a_past(random):
    boards = canonical_boards((5,)).cards[[3, 100_000]]
    strengths, ranks = np.array([strengths_on(board) for board in boards]), random.integers(0, RANKS, 1326)
    counted = np.zeros((1981, RANKS, HEIGHTS), np.int64)
    kernels.count_forgotten(boards, strengths, np.array([4, 24]), ranks.astype(np.int16), counted)
    expected = np.zeros_like(counted)
    for board, row, count in zip(boards, strengths, (4, 24), strict=True):
        live = np.flatnonzero(row >= 0)
        np.add.at(expected, (row[live], ranks[live], sum(int(card) // 4 for card in board)), count)
    assert np.array_equal(counted, expected)
