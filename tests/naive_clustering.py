"""Slow, obvious twins of the clustering kernels: every partition, every pair, a linear program."""

from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog


def partitions(count, k):
    """All ways to cut 0..count into k runs, as the positions of the cuts."""
    return combinations(range(1, count), k - 1)


def squared_error(values, weights, cuts):
    pieces = zip(np.split(values, cuts), np.split(weights, cuts), strict=True)
    return sum(float((w * (v - np.average(v, weights=w)) ** 2).sum()) for v, w in pieces)


def least_error(values, weights, k):
    """The least squared error of k runs of ascending values."""
    return min(squared_error(values, weights, list(cuts)) for cuts in partitions(len(values), k))


def share_error(weights, cuts):
    sizes = np.array([w.sum() for w in np.split(weights, cuts)])
    return float(((sizes - weights.sum() / len(sizes)) ** 2).sum())


def least_share_error(weights, k):
    return min(share_error(weights, list(cuts)) for cuts in partitions(len(weights), k))


def least_children(errors, total):
    """The least sum of errors over all numbers of children."""
    parents, most = errors.shape
    choices = (c for c in product(range(1, most + 1), repeat=parents) if sum(c) <= total)
    return min(sum(errors[i, k - 1] for i, k in enumerate(c)) for c in choices)


def vector_distances(points, centres, squared):
    gaps = points[:, None, :].astype(np.float64) - centres[None]
    return (gaps**2).sum(axis=2) if squared else np.abs(gaps).mean(axis=2)


def weighted_median(values, weights):
    """The smallest value with half of the weight up to it."""
    return min(v for v in values if weights[values <= v].sum() >= weights.sum() / 2)


def mover_distance(left, right, ground):
    """Earth mover's distance of two rows of atoms as a linear program over flows."""
    n, m = len(left), len(right)
    out = np.kron(np.eye(n), np.ones(m))
    into = np.kron(np.ones(n), np.eye(m))
    masses = np.r_[np.full(n, 1 / n), np.full(m, 1 / m)]
    return linprog(ground[np.ix_(left, right)].ravel(), A_eq=np.r_[out, into], b_eq=masses).fun
