import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

import naive_clustering as naive
from pokerlab.abstraction import one_dimension
from pokerlab.abstraction.one_dimension import (
    best_cuts,
    child_counts,
    cut_errors,
    fixed_width,
    history,
    percentile,
    strength_clusters,
)  # fmt: skip
from pokerlab.errors import AbstractionError


@pytest.fixture
def random():
    return np.random.default_rng(5)


def sizes(labels, weights):
    return np.bincount(labels, weights)


def test_fixed_widths():
    cuts = fixed_width(np.array([0.0, 0.19, 0.2, 0.55, 1.0]), 5)
    assert cuts.labels.tolist() == [0, 0, 1, 2, 4]
    np.testing.assert_allclose(cuts.thresholds, [0.2, 0.4, 0.6, 0.8])
    assert fixed_width(np.array([-3.0, 5.0]), 2, low=-5, high=5).labels.tolist() == [0, 1]


def test_percentiles_are_the_best_of_all_cuts(random):
    for _ in range(60):
        n = random.integers(1, 10)
        values = random.permutation(n) / n
        weights = random.integers(1, 20, n).astype(float)
        k = int(random.integers(1, n + 1))
        shares = sizes(percentile(values, weights, k).labels, weights)
        assert len(shares) == k
        assert (shares > 0).all()
        assert ((shares - weights.sum() / k) ** 2).sum() == pytest.approx(
            naive.least_share_error(weights[np.argsort(values)], k)
        )


def test_equal_values_stay_together_unless_a_second_key_orders_them():
    values = np.array([0.5, 0.5, 0.5, 0.5, 0.9])
    together = percentile(values, None, 2)
    assert together.labels.tolist() == [0, 0, 0, 0, 1]
    ties = np.array([4, 1, 3, 2, 0])
    apart = percentile(values, None, 2, ties=ties)
    assert apart.labels.tolist() in ([1, 0, 0, 0, 1], [1, 0, 1, 0, 1])
    assert apart.bucket(values, ties).tolist() == apart.labels.tolist()
    with pytest.raises(AbstractionError, match="second key"):
        apart.bucket(values)


def test_second_keys_give_the_best_cuts_too(random):
    for _ in range(30):
        n = int(random.integers(2, 10))
        values, ties = random.integers(0, 3, n) / 2, random.permutation(n)
        weights = random.integers(1, 20, n).astype(float)
        k = int(random.integers(1, n + 1))
        cuts = percentile(values, weights, k, ties)
        order = np.lexsort((ties, values))
        assert (np.diff(cuts.labels[order]) >= 0).all()
        error = ((sizes(cuts.labels, weights) - weights.sum() / k) ** 2).sum()
        assert error == pytest.approx(naive.least_share_error(weights[order], k))


def test_a_heavy_value_leaves_the_rest_divided_evenly():
    values, weights = np.arange(9.0), np.ones(9)
    weights[4] = 100.0
    assert sizes(percentile(values, weights, 5).labels, weights).tolist() == [2, 2, 100, 2, 2]


@pytest.mark.parametrize("k", [5, 1000])
def test_percentiles_of_many_values(random, k):
    n = 200_000
    values = random.beta(2, 3, n)
    values[: n // 500] = 0.25  # a value heavier than a thousandth
    weights = random.integers(1, 25, n).astype(float)
    shares = sizes(percentile(values, weights, k).labels, weights)
    assert len(shares) == k
    share = weights.sum() / k
    heavy = weights[values == 0.25].sum()
    # Every bucket but perhaps that of the heavy value gets its share to within few hands.
    off = np.sort(np.abs(shares - share))
    assert off[-2] < (0.001 if k == 5 else 0.05) * share
    assert off[-1] < max(0.001 * share, 2 * heavy - share)


def test_percentiles_of_many_light_values_beside_a_heavy_one():
    values = np.arange(40_000.0)
    weights = np.ones(40_000)
    weights[20_000] = 1e9
    shares = sizes(percentile(values, weights, 11).labels, weights)
    assert sorted(shares)[:-1] == pytest.approx([4000] * 10, rel=0.3)


def test_fewer_distinct_values_than_buckets_are_a_bucket_each():
    values = np.array([0.3, 0.1, 0.3, 0.2])
    assert percentile(values, None, 7).labels.tolist() == [2, 0, 2, 1]
    assert strength_clusters(values, None, 7).labels.tolist() == [2, 0, 2, 1]


def test_neighbouring_floats_are_told_apart():
    values = np.array([0.5, np.nextafter(0.5, 1)])
    assert percentile(values, None, 2).labels.tolist() == [0, 1]


def test_strength_clusters_are_the_best_of_all_cuts(random):
    for _ in range(60):
        n = int(random.integers(1, 10))
        values = np.sort(random.integers(0, 40, n)) / 40
        weights = random.integers(1, 9, n).astype(float)
        places, inverse = np.unique(values, return_inverse=True)
        masses = np.bincount(inverse, weights)
        k = int(random.integers(1, len(places) + 1))
        labels = strength_clusters(values, weights, k).labels
        cuts = np.flatnonzero(np.diff(labels)) + 1
        least = naive.least_error(places, masses, k)
        assert naive.squared_error(values, weights, cuts) == pytest.approx(least, abs=1e-12)
        errors = cut_errors(places, masses, 10)
        assert errors[: len(places)] == pytest.approx(
            [naive.least_error(places, masses, j + 1) for j in range(len(places))], abs=1e-12
        )
        assert not errors[len(places) :].any()


def test_cuts_of_a_histogram_with_empty_bins():
    weights = np.zeros(12)
    weights[[1, 2, 9, 10]] = 1.0
    cuts = best_cuts(np.arange(12.0), weights, 2)
    assert cuts.tolist() == [6]
    assert best_cuts(np.arange(12.0), weights, 9).tolist() == [2, 6, 10]
    assert best_cuts(np.arange(12.0), np.zeros(12), 3).tolist() == []
    assert cut_errors(np.arange(12.0), np.zeros(12), 3).tolist() == [0, 0, 0]


def test_a_grid_stands_for_very_many_values(random, monkeypatch):
    values = random.beta(2, 5, 3000)
    exact = strength_clusters(values, None, 12)
    monkeypatch.setattr(one_dimension, "FINE", 1000)
    gridded = strength_clusters(values, None, 12)
    np.testing.assert_allclose(gridded.thresholds, exact.thresholds, atol=0.005)


def test_child_counts_are_the_best_of_all(random):
    for _ in range(40):
        parents, most = random.integers(1, 5), random.integers(1, 5)
        errors = random.random((parents, most)).round(1)  # neither convex nor decreasing, with ties
        total = int(random.integers(parents, parents * most + 2))
        counts = child_counts(errors, total)
        assert counts.sum() <= total
        reached = errors[np.arange(parents), counts - 1].sum()
        assert reached == pytest.approx(naive.least_children(errors, total))


def test_child_counts_agree_with_an_integer_program(random):
    parents, most, total = 12, 9, 40
    errors = np.sort(random.random((parents, most)), axis=1)[:, ::-1] ** 3
    weights = random.random(parents) + 0.1
    counts = child_counts(errors, total, weights)
    one_each = np.kron(np.eye(parents), np.ones(most))
    children = np.tile(np.arange(1, most + 1), parents)
    program = milp(
        (errors * weights[:, None]).ravel(), integrality=np.ones(errors.size), bounds=(0, 1),
        constraints=[LinearConstraint(one_each, 1, 1), LinearConstraint(children[None], 0, total)],
    )  # fmt: skip
    assert weights @ errors[np.arange(parents), counts - 1] == pytest.approx(program.fun)


def test_child_counts_where_some_numbers_cannot_be():
    errors = np.array([[3.0, np.inf, np.inf], [5.0, 4.0, 0.0]])
    assert child_counts(errors, 5).tolist() == [1, 3]
    assert child_counts(errors, 100).tolist() == [1, 3]
    with pytest.raises(AbstractionError, match="no finite error"):
        child_counts(np.array([[np.inf, 1.0], [1.0, 1.0]]), 2)


def test_no_child_is_given_for_nothing():
    assert child_counts(np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]), 6).tolist() == [1, 2]


def test_history_divides_each_parent_into_its_own_number(random):
    parents = np.array([2, 0, 0, 2, 2, 0])
    strength = np.array([0.9, 0.1, 0.8, 0.2, 0.5, 0.4])

    def thirds(rows, count):
        return percentile(strength[rows], None, count).labels

    assert history(parents, np.array([2, 4, 3]), thirds).tolist()[0] == 8
    assert history(parents, np.array([3, 4, 3]), thirds).tolist() == [9, 0, 2, 7, 8, 1]
    with pytest.raises(AbstractionError, match="parent 0 was to be divided into 3"):
        history(parents, np.array([3, 4, 3]), lambda rows, count: np.full(len(rows), count))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fixed_width(np.array([0.5, 1.5]), 3), "outside 0.0 to 1.0"),
        (lambda: fixed_width(np.array([0.5]), 0), "k of 1 or more"),
        (lambda: percentile(np.array([]), None, 3), "finite numbers"),
        (lambda: percentile(np.array([np.nan]), None, 3), "finite numbers"),
        (lambda: percentile(np.array([0.5]), np.array([0.0]), 3), "1 positive numbers"),
        (lambda: percentile(np.array([0.5]), None, 0), "at least one bucket"),
        (lambda: percentile(np.array([0.5]), None, 1, np.array([1, 2])), "ties must be 1 numbers"),
        (lambda: best_cuts(np.array([1.0, 1.0]), np.ones(2), 2), "must ascend"),
        (lambda: best_cuts(np.array([1.0, 2.0]), np.array([1.0, -1.0]), 2), "none negative"),
        (lambda: child_counts(np.ones((3, 2)), 2), "3 parents need at least as many"),
        (lambda: child_counts(np.ones(3), 2), "table of parents"),
        (lambda: child_counts(np.ones((100_000, 10)), 1_000_000), "too many"),
        (lambda: history(np.array([3]), np.array([1, 2]), lambda r, c: r), "parents must be 0 to 1"),
        (lambda: history(np.array([0]), np.array([0]), lambda r, c: r), "1 or more"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(AbstractionError, match=message):
        call()
