import numpy as np
import pytest
from scipy.stats import wasserstein_distance

import naive_clustering as naive
from pokerlab.abstraction import clustering
from pokerlab.abstraction.clustering import assign, cluster, clustering_errors, sample
from pokerlab.abstraction.spaces import Vectors, cumulative, quantiles
from pokerlab.errors import AbstractionError

BOTH = ["euclidean", "emd"]


@pytest.fixture
def random():
    return np.random.default_rng(7)


def strengths(random, n, m=46):
    """Rows of m outcomes, as a turn hand's strengths on the river."""
    a, b = 0.5 + 4 * random.random((2, n, 1))
    return quantiles(random.beta(a, b, (n, m)))


def blobs(random, k, each, width=5):
    middles = np.eye(k, width) * 10
    return (middles[:, None] + random.normal(size=(k, each, width))).reshape(-1, width)


@pytest.mark.parametrize("distance", BOTH)
@pytest.mark.parametrize("structured", [True, False])
def test_nearest_centre_is_that_of_all_pairs(random, distance, structured):
    points = strengths(random, 900) if structured else random.normal(size=(900, 13)).astype(np.float32)
    centres = points[random.permutation(900)[:150]]
    labels, distances = assign(points, centres, distance=distance)
    every = naive.vector_distances(points, centres, distance == "euclidean")
    np.testing.assert_allclose(distances, every.min(axis=1), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(every[np.arange(900), labels], every.min(axis=1), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("distance", BOTH)
def test_equally_near_centres_give_the_smallest_number(random, distance):
    grid = np.array([[x, y] for x in range(6) for y in range(6)], np.float32)
    points = grid[:, None].repeat(2, axis=1).reshape(-1, 2) + 0.5
    centres = grid[random.permutation(36)]
    labels, _ = assign(points, centres, distance=distance)
    every = naive.vector_distances(points, centres, distance == "euclidean")
    assert labels.tolist() == every.argmin(axis=1).tolist()


@pytest.mark.parametrize("distance", BOTH)
def test_centres_are_the_best_of_their_members(random, distance):
    points, weights = strengths(random, 500, 6), random.integers(1, 9, 500).astype(float)
    clusters = cluster(points, 9, weights, distance=distance, seed=3, tolerance=0.0, iterations=200)
    every = naive.vector_distances(points, clusters.centres, distance == "euclidean")
    assert clusters.labels.tolist() == every.argmin(axis=1).tolist()
    assert clusters.objective == pytest.approx(np.average(every.min(axis=1), weights=weights), rel=1e-5)
    assert clusters.objective == clusters.trace[-1]
    assert (np.diff(clusters.trace) <= 0).all()
    assert (np.diff(clusters.centres.sum(axis=1)) >= 0).all()
    for g, centre in enumerate(clusters.centres):
        mine, heavy = points[clusters.labels == g], weights[clusters.labels == g]
        if distance == "euclidean":
            best = np.average(mine, axis=0, weights=heavy)
        else:
            best = [naive.weighted_median(column, heavy) for column in mine.T]
        np.testing.assert_allclose(centre, best, rtol=1e-5)


@pytest.mark.parametrize("distance", BOTH)
def test_separate_blobs_are_found(random, distance):
    points = blobs(random, 5, 40)
    clusters = cluster(points, 5, distance=distance, restarts=3)
    truth = np.repeat(np.arange(5), 40)
    assert len({(a, b) for a, b in zip(clusters.labels.tolist(), truth.tolist(), strict=True)}) == 5


def test_weights_count_as_copies(random):
    points, weights = strengths(random, 60, 5), random.integers(1, 5, 60)
    copies = np.repeat(points, weights, axis=0)
    start = points[:4]
    for squared in (True, False):
        ends = []
        for some, heavy in ((points, weights.astype(float)), (copies, np.ones(len(copies)))):
            space = Vectors(squared)
            run = clustering._Run(space, space.features(some), heavy, 5, 1, lambda fraction, figure: None)
            ends.append(run.lloyd(space.features(start)[0], 20, 0.0).centres)
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


@pytest.mark.parametrize("distance", BOTH)
def test_same_seed_same_clusters_on_any_number_of_threads(random, distance, monkeypatch):
    points = strengths(random, 3000, 12)
    one = cluster(points, 40, distance=distance, seed=11, threads=1)
    monkeypatch.setattr(clustering, "CHUNK", 333)
    two = cluster(points, 40, distance=distance, seed=11, threads=3)
    assert one.centres.tobytes() == two.centres.tobytes()
    assert one.labels.tolist() == two.labels.tolist()
    assert one.trace == two.trace
    assert cluster(points, 40, distance=distance, seed=12).centres.tobytes() != one.centres.tobytes()


def test_restarts_keep_the_best(random):
    points = blobs(random, 8, 10, width=8)
    single = [cluster(points, 8, seed=s).objective for s in range(5)]
    assert cluster(points, 8, seed=0, restarts=5).objective <= single[0]
    assert min(single) < max(single)  # so that restarts have something to choose from


@pytest.mark.parametrize("distance", BOTH)
def test_fewer_distinct_points_than_clusters(distance):
    points = np.array([[0.0, 1.0], [0.5, 0.5], [0.0, 1.0], [1.0, 1.0]])
    clusters = cluster(points, 10, distance=distance)
    assert len(clusters.centres) == 3
    assert clusters.objective == 0.0
    assert clusters.labels[0] == clusters.labels[2]


def test_a_centre_without_points_takes_the_costliest_one():
    points = np.array([[0.0], [0.1], [0.2], [5.0], [9.0]])
    space = Vectors(squared=True)
    run = clustering._Run(space, space.features(points), np.ones(5), 1, 1, lambda fraction, figure: None)
    far = space.features(np.array([[0.0], [100.0], [200.0]]))[0]
    clusters = run.lloyd(far, 20, 0.0)
    assert clusters.centres[:, 0] == pytest.approx([0.1, 5.0, 9.0])


def test_points_made_in_pieces(random, monkeypatch):
    monkeypatch.setattr(clustering, "CHUNK", 100)
    points = strengths(random, 950, 9)
    centres = cluster(points, 20, distance="emd").centres
    asked, shown = [], []

    def produce(first, last):
        asked.append((first, last))
        return points[first:last]

    labels, distances = assign(
        produce, centres, distance="emd", count=950, progress=lambda fraction, figure: shown.append(fraction)
    )
    whole = assign(points, centres, distance="emd")
    assert labels.tolist() == whole[0].tolist()
    assert distances.tolist() == whole[1].tolist()
    assert sorted(asked) == [(n, min(n + 100, 950)) for n in range(0, 950, 100)]
    assert shown[-1] == 1.0


def test_an_error_on_a_thread_is_raised(random, monkeypatch):
    monkeypatch.setattr(clustering, "CHUNK", 10)

    def produce(first, last):
        if first >= 500:
            raise KeyboardInterrupt
        return np.zeros((last - first, 3))

    with pytest.raises(KeyboardInterrupt):
        assign(produce, np.zeros((1, 3)), count=1000)


def test_progress_is_shown(random):
    shown = []
    cluster(
        strengths(random, 100, 4), 5, restarts=2, progress=lambda fraction, figure: shown.append((fraction, figure))
    )
    assert all(0 < fraction <= 1 for fraction, _ in shown)
    assert [fraction for fraction, _ in shown] == sorted(fraction for fraction, _ in shown)
    assert "seeds" in shown[0][1]
    assert "distance" in shown[-1][1]


def test_errors_for_child_counts_never_grow(random):
    points = blobs(random, 3, 20)
    errors = clustering_errors(points, 6, restarts=2)
    assert (np.diff(errors) <= 0).all()
    assert errors[2] < 0.2 * errors[1]


def test_quantile_vectors_give_the_earth_movers_distance(random):
    left, right = random.random((2, 7, 46))
    every = naive.vector_distances(quantiles(left), quantiles(right), squared=False)
    exact = [[wasserstein_distance(a, b) for b in right] for a in left]
    np.testing.assert_allclose(every, exact, atol=2**-16)


def test_cumulative_vectors_give_the_earth_movers_distance(random):
    left, right = random.integers(0, 9, (2, 7, 20)) + 1
    every = naive.vector_distances(cumulative(left), cumulative(right), squared=False)
    bins = np.arange(20) / 20
    exact = [[wasserstein_distance(bins, bins, a, b) for b in right] for a in left]
    np.testing.assert_allclose(every, exact, atol=2**-16)


def test_median_centres_are_distributions(random):
    assert (np.diff(cluster(strengths(random, 200), 9, distance="emd").centres, axis=1) >= 0).all()
    bars = cumulative(random.integers(0, 9, (200, 12)) + 1)
    centres = cluster(bars, 9, distance="emd").centres
    assert (np.diff(centres, axis=1) >= 0).all()
    assert (centres[:, -1] == 1).all()


def test_sample_is_in_proportion_to_weight(random):
    weights = random.integers(1, 25, 5000).astype(float)
    rows, counts = sample(weights, 800, seed=4)
    assert counts.sum() == 800
    assert (np.diff(rows) > 0).all()
    drawn = np.zeros(5000)
    drawn[rows] = counts
    expected = np.cumsum(weights) / weights.sum() * 800
    assert np.abs(np.cumsum(drawn) - expected).max() <= 1
    again = sample(weights, 800, seed=4)
    assert rows.tolist() == again[0].tolist()
    assert sample(weights, 800, seed=5)[0].tolist() != rows.tolist()
    everything = sample(weights, 9000)
    assert everything[1].tolist() == weights.tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cluster(np.zeros((0, 3)), 2), "no points"),
        (lambda: cluster(np.zeros(3), 2), "rows of numbers"),
        (lambda: cluster(np.array([[np.nan]]), 2), "finite"),
        (lambda: cluster(np.zeros((3, 2)), 0), "k = 0"),
        (lambda: cluster(np.zeros((3, 2)), 2, np.array([1.0, 0.0, 1.0])), "3 positive numbers"),
        (lambda: cluster(np.zeros((3, 2)), 2, distance="manhattan"), "no distance 'manhattan'"),
        (lambda: cluster(np.zeros((3, 2)), 2, threads=0), "at least one thread"),
        (lambda: assign(np.zeros((3, 2)), np.zeros((0, 2))), "at least one centre"),
        (lambda: assign(np.zeros((3, 2)), np.zeros((1, 3))), r"shape \(3, 2\), not \(3, 3\)"),
        (lambda: assign(lambda first, last: np.zeros((1, 2)), np.zeros((1, 2))), "count of points"),
        (lambda: sample(np.ones(3), 0), "at least one draw"),
        (lambda: quantiles(np.array([[0.5, 1.5]])), "between 0 and 1"),
        (lambda: cumulative(np.array([[0, 0]])), "empty histogram"),
        (lambda: cumulative(np.array([[1, -1]])), "not negative"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(AbstractionError, match=message):
        call()
