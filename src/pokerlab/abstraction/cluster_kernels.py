"""Compiled loops of clustering vectors: nearest centres, means and medians, and optimal cuts of a line.

All release the GIL and write only to the rows that they are given, so that chunks can run on threads in any order.
A *raw* distance is a sum over coordinates, of absolute or of squared differences.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.compiled import njit

_FAST = {"reassoc", "contract", "nsz"}  # sums may be reordered, so that they use vector instructions


@njit(cache=True, nogil=True, fastmath=_FAST)
def _absolutes(x, y):
    total = np.float32(0.0)
    for j in range(len(x)):
        total += abs(x[j] - y[j])
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _squares(x, y):
    total = np.float32(0.0)  # apart from `_absolutes`: with a flag inside, the loop runs at half the speed
    for j in range(len(x)):
        step = x[j] - y[j]
        total += step * step
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _project(x, axis):
    """x along an axis, and the size of the terms, which bounds the rounding error."""
    along = np.float32(0.0)
    size = np.float32(0.0)
    for j in range(len(x)):
        term = x[j] * axis[j]
        along += term
        size += abs(term)
    return along, size


@njit(cache=True, nogil=True)
def nearest_vectors(points, centres, order, keys, axis, squared, labels, distances):
    """Improve each point's label and raw distance to those of a closer centre, if there is one.

    Centres lie in the order of their projections `keys` on an axis, `order` has their numbers. The difference of two
    projections is at most the distance (the axis is of dual norm 1), so the search runs up and down from the point's
    own projection until projections alone are too far apart. Equal distances go to the smaller number.
    """
    k, width = centres.shape
    rounding = width * 2.0**-22
    most = max(abs(keys[0]), abs(keys[-1]))
    for i in range(len(points)):
        x = points[i]
        along, size = _project(x, axis)
        slack = rounding * (size + most)
        best, label = distances[i], -1
        middle = np.searchsorted(keys, along)
        for way in range(2):
            at = middle - way
            while 0 <= at < k:
                apart = abs(keys[at] - along) - slack
                if apart > 0.0 and (apart * apart if squared else apart) > best * (1.0 + rounding):
                    break
                distance = _squares(x, centres[at]) if squared else _absolutes(x, centres[at])
                if distance < best or (distance == best and 0 <= order[at] < label):
                    best, label = distance, order[at]
                at += 1 - 2 * way
        if label >= 0:
            labels[i] = label
            distances[i] = best


@njit(cache=True, nogil=True)
def means(points, weights, members, starts, first, last, centres):
    """Weighted means of clusters first..last, whose members lie from starts[g] to starts[g + 1]."""
    width = points.shape[1]
    total = np.empty(width)
    for g in range(first, last):
        total[:] = 0.0
        weight = 0.0
        for i in members[starts[g] : starts[g + 1]]:
            w = weights[i]
            weight += w
            for j in range(width):
                total[j] += w * points[i, j]
        for j in range(width):
            centres[g, j] = total[j] / weight


@njit(cache=True, nogil=True)
def medians(points, weights, members, starts, first, last, centres):
    """Weighted medians, coordinate by coordinate: the smallest value with half of the weight up to it."""
    for g in range(first, last):
        mine = members[starts[g] : starts[g + 1]]
        values = np.empty(len(mine), np.float32)
        half = 0.0
        for i in mine:
            half += weights[i] / 2
        for j in range(points.shape[1]):
            for n in range(len(mine)):
                values[n] = points[mine[n], j]
            reached = 0.0
            for n in np.argsort(values):
                reached += weights[mine[n]]
                if reached >= half:
                    centres[g, j] = values[n]
                    break


@njit(cache=True, nogil=True)
def _piece_cost(weight, moment, square, share, begin, end):
    """Cost of a piece begin..end, from prefix sums: squared distance to its share, or to its mean if share < 0."""
    w = weight[end] - weight[begin]
    if share >= 0.0:
        return (w - share) ** 2
    m = moment[end] - moment[begin]
    return max(0.0, square[end] - square[begin] - m * m / w)


@njit(cache=True, nogil=True)
def cut_line(weight, moment, square, share, costs, cuts):
    """Cut 0..n into pieces of least total cost: costs[j] of the best j + 1 pieces, cuts[j, e] where its last begins.

    Both costs have the Monge property, so the best begin of the last piece grows with its end; each layer is filled
    by divide and conquer over the ends, n log n steps a layer.
    """
    layers, ends = cuts.shape
    n = ends - 1
    before = np.empty(ends)
    after = np.empty(ends)
    stack = np.empty((64, 4), np.int64)
    for end in range(1, ends):
        before[end] = _piece_cost(weight, moment, square, share, 0, end)
        cuts[0, end] = 0
    costs[0] = before[n]
    for layer in range(1, layers):
        stack[0] = (layer + 1, n, layer, n - 1)
        depth = 1
        while depth:
            depth -= 1
            low, high, least, most = stack[depth]
            if low > high:
                continue
            end = (low + high) // 2
            best, where = np.inf, least
            for begin in range(least, min(most, end - 1) + 1):
                cost = before[begin] + _piece_cost(weight, moment, square, share, begin, end)
                if cost < best:
                    best, where = cost, begin
            after[end] = best
            cuts[layer, end] = where
            stack[depth] = (low, end - 1, least, where)
            stack[depth + 1] = (end + 1, high, where, most)
            depth += 2
        before, after = after, before
        costs[layer] = before[n]
