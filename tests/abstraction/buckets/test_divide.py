"""Dividing hands by strength, on hands made up: each parent by itself, equal hands together, no deal lost."""

import numpy as np
import pytest

from pokerlab.abstraction.buckets import divide
from pokerlab.abstraction.buckets.divide import Hands, by_strength, strength_cuts
from pokerlab.abstraction.buckets.spec import DIVISIONS, Bucketing, parse_spec
from pokerlab.abstraction.one_dimension import child_counts, cut_errors, percentile, strength_clusters
from pokerlab.errors import AbstractionError


@pytest.fixture
def random():
    return np.random.default_rng(4)


def hands_of(random, n=3000, parents=4, shared=900):
    """Hands that share strengths, as those on the turn with the flop remembered do; parent 2 has none."""
    mean = random.integers(0, 500, shared) / 500
    square = np.clip(mean**2 + random.random(shared) * 0.1, 0, 1)
    which = random.choice([p for p in range(parents) if p != 2], n).astype(np.uint16)
    return Hands(
        random.integers(1, 25, n).astype(np.uint8), mean, square,
        random.integers(0, shared, n).astype(np.int32), which, parents,
    )  # fmt: skip


def test_groups(random):
    hands = hands_of(random)
    groups = list(hands.groups())
    assert [rows.tolist() for rows in groups] == [np.flatnonzero(hands.parents == p).tolist() for p in range(4)]
    forgetful = hands._replace(parents=None, indices=None)
    assert list(forgetful.groups()) == [slice(None)]


@pytest.mark.parametrize("method", ["percentile", "kmeans", "fixed"])
def test_each_parent_is_divided_by_itself(random, method):
    hands, how = hands_of(random), Bucketing(method, (3, 1, 2, 4))
    divided = by_strength(hands, how)
    assert divided.first.tolist() == [0, 3, 4, 6, 10]
    assert divided.size == 10
    mean, weights = hands.mean[hands.indices], hands.weights.astype(float)
    for parent, count in enumerate(how.counts):
        rows = np.flatnonzero(hands.parents == parent)
        mine = divided.buckets[rows].astype(int) - divided.first[parent]
        if not len(rows):
            assert divided.deals[divided.first[parent] : divided.first[parent + 1]].sum() == 0
            continue
        if method == "percentile":
            expected = percentile(mean[rows], weights[rows], count).labels
        elif method == "kmeans":
            expected = strength_clusters(mean[rows], weights[rows], count).labels
        else:
            expected = np.minimum((mean[rows] * count).astype(int), count - 1)
            whole = np.isclose(mean[rows] * count % 1, 0) | np.isclose(mean[rows] * count % 1, 1)
            mine, expected, rows = mine[~whole], expected[~whole], rows[~whole]  # rounding decides
        assert mine.tolist() == expected.tolist()
    assert divided.deals.tolist() == np.bincount(divided.buckets, weights, 10).tolist()


def test_without_parents_there_is_one(random):
    some = hands_of(random, n=900)
    hands = Hands(some.weights, some.mean, some.square)
    divided = by_strength(hands, Bucketing("percentile", (7,)))
    assert divided.buckets.tolist() == percentile(hands.mean, hands.weights, 7).labels.tolist()
    assert divided.deals.sum() == hands.weights.sum()
    alone = by_strength(hands, Bucketing("lossless"))
    assert alone.buckets.tolist() == list(range(900))
    assert alone.deals.tolist() == hands.weights.tolist()
    assert alone.size == 900


def test_nested(random):
    """By E[HS^2] into three, each of them by E[HS] into two."""
    hands, how = hands_of(random), Bucketing("nested", (3,), inner=2)
    divided = by_strength(hands, how)
    assert divided.first.tolist() == [0, 6, 12, 18, 24]
    mean, square, weights = hands.mean[hands.indices], hands.square[hands.indices], hands.weights.astype(float)
    for parent in (0, 1, 3):
        rows = np.flatnonzero(hands.parents == parent)
        outer = percentile(square[rows], weights[rows], 3).labels
        mine = divided.buckets[rows] - divided.first[parent]
        assert (mine // 2).tolist() == outer.tolist()
        for part in range(3):
            some = rows[outer == part]
            expected = percentile(mean[some], weights[some], 2).labels
            assert (mine[outer == part] % 2).tolist() == expected.tolist()


def test_a_total_is_shared_out_by_the_integer_program(random):
    hands = hands_of(random)
    spread = np.where(np.arange(4) == 3, 1.0, 0.02)[hands.parents]  # only the last parent has much to tell apart
    hands = hands._replace(mean=0.5 + (hands.mean[hands.indices] - 0.5) * spread * 0.9, indices=None)
    divided = by_strength(hands, Bucketing("kmeans", (20,), total=True))
    counts = np.diff(divided.first)
    assert counts.sum() == 20
    assert counts[3] > 10
    assert counts.min() >= 1
    histogram = divide._histogram(hands)
    assert histogram.sum() == hands.weights.sum()
    errors = np.array([cut_errors(np.arange(divide.BINS), row, 17) for row in histogram])
    assert errors[np.arange(4), counts - 1].sum() == pytest.approx(
        errors[np.arange(4), child_counts(errors, 20) - 1].sum()
    )


def test_a_large_total_is_not_cut_down(random):
    hands = hands_of(random, parents=4)
    divided = by_strength(hands, Bucketing("kmeans", (700,), total=True))
    assert np.diff(divided.first).sum() > 600  # as far as there are levels


def test_best_cuts_of_histograms(random):
    weights = random.integers(0, 9, (3, 50))
    cuts, counts = strength_cuts(weights, Bucketing("kmeans", (2, 5, 3)))
    assert counts.tolist() == [2, 5, 3]
    assert cuts.shape == (3, 4)
    assert (cuts[0, 1:] == 50).all()
    assert (cuts[2, 2:] == 50).all()
    values = np.repeat(np.arange(50), weights[1])
    expected = strength_clusters(values, None, 5).labels
    assert np.searchsorted(cuts[1], values, side="right").tolist() == expected.tolist()
    _, shared = strength_cuts(weights, Bucketing("kmeans", (9,), total=True))
    assert shared.sum() == 9


def test_errors(random):
    hands = hands_of(random)
    with pytest.raises(AbstractionError, match="2 numbers of children for 4 parents"):
        by_strength(hands, Bucketing("percentile", (3, 2)))
    with pytest.raises(AbstractionError, match="4 parents need at least as many"):
        by_strength(hands, Bucketing("kmeans", (3,), total=True))


@pytest.fixture
def halving(monkeypatch):
    """A user's way: the weakest half of the strengths, then half of the rest, and so on."""

    def halves(values, weights, count):
        return np.minimum((-np.log2(np.maximum(1 - values, 1e-9))).astype(int), count - 1)

    monkeypatch.setitem(DIVISIONS._rows, "halving", halves)


def test_a_users_way_of_dividing(random, halving):
    hands = hands_of(random)
    division = by_strength(hands, Bucketing("halving", (3,)))
    mean = hands.mean[hands.indices]
    mine = np.digitize(mean, [0.5, 0.75])
    expected = np.where(hands.parents == 2, 0, hands.parents * 3 + mine)
    assert division.buckets.tolist() == expected.tolist()
    assert parse_spec("169/halving:3/halving:3/halving:3").text == "lossless/halving:3/halving:3/halving:3"


def test_a_users_way_on_the_river(halving):
    weights = np.zeros((3, 101), np.int64)
    weights[0] = 1
    weights[1, [10, 80, 90]] = 4
    cuts, counts = strength_cuts(weights, Bucketing("halving", (3,)))
    assert counts.tolist() == [3, 3, 3]
    assert cuts.tolist() == [[50, 75], [80, 80], [101, 101]]


@pytest.mark.parametrize(
    "wrong",
    [lambda v, w, k: np.arange(len(v)), lambda v, w, k: -np.ones(len(v), int), lambda v, w, k: [0],
     lambda v, w, k: (np.arange(len(v)) == 0).astype(int), lambda v, w, k: np.zeros(len(v))],
)  # fmt: skip
def test_a_users_way_that_does_not_divide_is_an_error(random, monkeypatch, wrong):
    monkeypatch.setitem(DIVISIONS._rows, "wrong", wrong)
    with pytest.raises(AbstractionError, match=r"wrong must divide .* strengths into 0 to 2, ascending"):
        by_strength(hands_of(random), Bucketing("wrong", (3,)))
