import numpy as np
import pytest

import naive_clustering as naive
from pokerlab.abstraction import clustering
from pokerlab.abstraction.clustering import assign, cluster
from pokerlab.abstraction.spaces import quantiles
from pokerlab.abstraction.transport import Transport, multisets
from pokerlab.errors import AbstractionError


@pytest.fixture
def random():
    return np.random.default_rng(9)


def ground_points(random, count, width=6):
    return quantiles(random.beta(0.5 + 4 * random.random((count, 1)), 2, (count, width)))


def matrix(vectors):
    return np.abs(vectors[:, None].astype(np.float64) - vectors[None]).mean(axis=2)


def rows_of_atoms(random, n, m, places):
    """Rows around a place of their own, so that some are near and atoms repeat."""
    return np.clip(random.integers(0, places, (n, 1)) + random.integers(-3, 4, (n, m)), 0, places - 1)


def test_distance_is_that_of_the_linear_program(random):
    for _ in range(25):
        places, m = int(random.integers(2, 15)), int(random.integers(1, 10))
        ground = matrix(ground_points(random, places))
        left, right = random.integers(0, places, (2, m))
        distance = Transport(ground).distance(left, right)
        assert distance == pytest.approx(naive.mover_distance(left, right, ground), abs=2e-6 * ground.max())


def test_distance_of_full_size_rows(random):
    vectors = ground_points(random, 60)
    space = Transport.between(vectors)
    left, right = random.integers(0, 60, (2, 47))
    assert space.distance(left, right) == pytest.approx(naive.mover_distance(left, right, matrix(vectors)), abs=2e-6)


def test_on_a_line_it_is_the_distance_of_quantile_vectors(random):
    """Ground distance |i - j|: the distances, and so the nearest centres, of distance "emd"."""
    rows, centres = random.integers(0, 20, (200, 12)), np.sort(random.integers(0, 20, (15, 12)), axis=1)
    by_transport = assign(rows, centres, distance=Transport(np.abs(np.subtract.outer(range(20), range(20)))))
    by_quantiles = assign(np.sort(rows, axis=1), centres, distance="emd")
    np.testing.assert_allclose(by_transport[1], by_quantiles[1], atol=2e-5)
    every = naive.vector_distances(np.sort(rows, axis=1), centres, squared=False)
    np.testing.assert_allclose(every[np.arange(200), by_transport[0]], every.min(axis=1), atol=2e-5)


def test_nearest_centre_is_that_of_all_pairs(random):
    vectors = ground_points(random, 30)
    vectors = vectors[np.argsort(vectors.sum(axis=1))]
    space = Transport.between(vectors)
    rows, centres = rows_of_atoms(random, 60, 8, 30), rows_of_atoms(random, 12, 8, 30)
    centres[5] = centres[3]  # equally near: the smaller number
    labels, distances = assign(rows, centres, distance=space)
    every = np.array([[space.distance(row, centre) for centre in centres] for row in rows])
    assert labels.tolist() == every.argmin(axis=1).tolist()
    np.testing.assert_allclose(distances, every.min(axis=1), rtol=1e-6)
    by_program = [[naive.mover_distance(row, centre, matrix(vectors)) for centre in centres] for row in rows[:8]]
    np.testing.assert_allclose(every[:8], by_program, atol=2e-6)


def test_centres_move_to_the_best_place_for_what_they_get(random):
    """One cluster of rows of one atom: the centre is the weighted median in the ground distance, found at once."""
    ground = matrix(ground_points(random, 25))
    for _ in range(10):
        rows, weights = random.integers(0, 25, (9, 1)), random.integers(1, 6, 9).astype(float)
        clusters = cluster(rows, 1, weights, distance=Transport(ground))
        costs = weights @ ground[rows[:, 0]]
        assert costs[clusters.centres[0, 0]] == pytest.approx(costs.min(), abs=1e-5)


def test_one_cluster_on_a_line_is_at_the_medians(random):
    """On a line no centre is better than the medians of the quantile vectors; Lloyd's rounds come close to it."""
    line = Transport(np.abs(np.subtract.outer(range(30), range(30))))
    rows = np.sort(random.integers(0, 30, (41, 9)), axis=1)
    clusters = cluster(rows, 1, distance=line, tolerance=0.0)
    least = np.abs(rows - np.median(rows, axis=0)).mean()
    assert least - 1e-5 <= clusters.objective <= 1.05 * least


def test_rounds_never_add_to_the_objective(random):
    space = Transport.between(ground_points(random, 40))
    rows, weights = rows_of_atoms(random, 300, 10, 40), random.integers(1, 9, 300).astype(float)
    clusters = cluster(rows, 12, weights, distance=space, seed=2, tolerance=0.0)
    assert len(clusters.trace) > 2
    assert (np.diff(clusters.trace) <= 1e-12).all()
    labels, distances = assign(rows, clusters.centres, distance=space)
    assert labels.tolist() == clusters.labels.tolist()
    assert np.average(distances, weights=weights) == pytest.approx(clusters.objective, rel=1e-6)


def test_same_seed_same_clusters_on_any_number_of_threads(random, monkeypatch):
    space = Transport.between(ground_points(random, 40))
    rows = rows_of_atoms(random, 400, 10, 40)
    one = cluster(rows, 15, distance=space, seed=6, threads=1)
    monkeypatch.setattr(clustering, "CHUNK", 37)
    two = cluster(rows[:, ::-1], 15, distance=space, seed=6, threads=3)
    assert one.centres.tolist() == two.centres.tolist()
    assert one.trace == two.trace


def test_fewer_distinct_rows_than_clusters():
    clusters = cluster(np.array([[0, 1], [1, 0], [2, 2]]), 5, distance=Transport(1.0 - np.eye(3)))
    assert clusters.centres.tolist() == [[0, 1], [2, 2]]
    assert clusters.objective == 0.0


def test_multisets_of_histograms(random):
    assert multisets(np.array([[2, 0, 4], [1, 1, 1]]), 3).tolist() == [[0, 2, 2], [0, 1, 2]]
    assert multisets(np.array([[1, 1, 1]]), 4).tolist() == [[0, 0, 1, 2]]
    counts = random.integers(0, 9, (20, 6)) + np.eye(20, 6)
    rows = multisets(counts, 47)
    shares = np.array([np.bincount(row, minlength=6) for row in rows]) / 47
    assert np.abs(shares - counts / counts.sum(axis=1, keepdims=True)).max() < 1 / 47


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Transport(np.ones((2, 3))), "square matrix"),
        (lambda: Transport(np.ones((2, 2))), "zero from a point to itself"),
        (lambda: Transport(np.array([[0.0, 1.0], [2.0, 0.0]])), "both ways"),
        (lambda: Transport(np.array([[0, 1, 5], [1, 0, 1], [5, 1, 0]])), "triangle inequality"),
        (lambda: cluster(np.array([[0, 7]]), 1, distance=Transport(1.0 - np.eye(3))), "ground points 0 to 2"),
        (lambda: cluster(np.array([[0.5]]), 1, distance=Transport(1.0 - np.eye(3))), "whole numbers"),
        (lambda: Transport(1.0 - np.eye(3)).distance([0, 1], [0]), "equally many atoms"),
        (lambda: multisets(np.array([[0, 0]]), 3), "empty histogram"),
        (lambda: multisets(np.array([[1, 1]]), 9999), "1 to 512 atoms"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(AbstractionError, match=message):
        call()
