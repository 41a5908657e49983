"""Compiled earth mover's distances between small multisets of ground points, and the clustering loops on top.

A multiset is a sorted row of m equally heavy atoms, each the number of a ground point; ground distances are whole
numbers, so every sum is exact. As in `cluster_kernels`, loops release the GIL and write only to their own rows.
"""

# mypy: allow-untyped-defs

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np

from pokerlab.compiled import njit

_FAR = np.int64(1 << 40)  # beyond any whole-number distance
_TRIED = 2**31 - 1  # a bound that is never the least again


@njit(cache=True, nogil=True)
def _count(atoms, ids, counts):
    """Distinct atoms of a sorted row with their counts; returns how many."""
    n = 0
    for atom in atoms:
        if n and ids[n - 1] == atom:
            counts[n - 1] += 1
        else:
            ids[n] = atom
            counts[n] = 1
            n += 1
    return n


@njit(cache=True, nogil=True)
def _differ(left, lefts, right, rights, work):
    """Supplies and demands that remain when what two sorted multisets have in common stays where it is.

    Under a metric that costs nothing. Writes ids and counts to work[0..1] and work[2..3]; returns how many.
    """
    i, j, rows, columns = 0, 0, 0, 0
    while i < lefts or j < rights:
        here = left[0, i] if j == rights else right[0, j]
        if i < lefts:
            here = min(here, left[0, i])
        more = 0
        if i < lefts and left[0, i] == here:
            more += left[1, i]
            i += 1
        if j < rights and right[0, j] == here:
            more -= right[1, j]
            j += 1
        if more > 0:
            work[0, rows], work[1, rows] = here, more
            rows += 1
        elif more < 0:
            work[2, columns], work[3, columns] = here, -more
            columns += 1
    return rows, columns


@njit(cache=True, nogil=True)
def workspace(atoms):
    """Room for a transport between multisets of so many atoms: vectors, and two matrices (costs, flow)."""
    return np.empty((13, atoms), np.int32), np.empty((2, atoms, atoms), np.int32)


@njit(cache=True, nogil=True)
def transport(ground, rows, columns, limit, work, square):
    """Least cost to carry supplies to demands (work[0..3]), or a bound once that is known to reach `limit`.

    Successive shortest paths from all unfinished rows at once. The potentials stay feasible, so their value is a lower
    bound that grows with every path: most comparisons with a wrong centre end early.
    """
    sources, supply, sinks, demand, u, v, left, wanted = (
        work[0], work[1], work[2], work[3], work[4], work[5], work[6], work[7]
    )  # fmt: skip
    reach, come, done, rank, via = work[8], work[9], work[10], work[11], work[12]
    cost, flow = square[0], square[1]
    bound = np.int64(0)
    for r in range(rows):
        line = ground[sources[r]]
        least = line[sinks[0]]
        for c in range(columns):
            cost[r, c] = line[sinks[c]]
            least = min(least, cost[r, c])
        u[r] = least
        bound += np.int64(least) * supply[r]
    if bound >= limit:
        return bound
    for c in range(columns):
        least = cost[0, c] - u[0]
        for r in range(1, rows):
            least = min(least, cost[r, c] - u[r])
        v[c] = least
        bound += np.int64(least) * demand[c]
        wanted[c] = demand[c]
    waiting = 0
    for r in range(rows):
        left[r] = supply[r]
        for c in range(columns):
            flow[r, c] = 0
            if left[r] > 0 and wanted[c] > 0 and cost[r, c] == u[r] + v[c]:
                flow[r, c] = min(left[r], wanted[c])
                left[r] -= flow[r, c]
                wanted[c] -= flow[r, c]
        waiting += left[r]
    while waiting and bound < limit:
        end = _shortest_path(cost, flow, rows, columns, u, v, left, wanted, reach, come, done, rank, via)
        length = reach[end]
        for r in range(rows):
            if rank[r] >= 0:
                u[r] += length - rank[r]
                bound += np.int64(length - rank[r]) * supply[r]
        for c in range(columns):
            if done[c]:
                v[c] -= length - reach[c]
                bound -= np.int64(length - reach[c]) * demand[c]
        waiting -= _augment(flow, end, left, wanted, come, via)
    return bound


@njit(cache=True, nogil=True)
def _shortest_path(cost, flow, rows, columns, u, v, left, wanted, reach, come, done, rank, via):
    """Dijkstra's search over reduced costs, from rows with supply left to the nearest column that wants some.

    reach and come: a column's distance and the row before it; rank and via: a row's distance (-1: not reached) and the
    column before it (-1: a start).
    """
    for c in range(columns):
        reach[c] = 1 << 30
        done[c] = 0
    for r in range(rows):
        rank[r] = -1
        if left[r] > 0:
            rank[r], via[r] = 0, -1
            for c in range(columns):
                step = cost[r, c] - u[r] - v[c]
                if step < reach[c]:
                    reach[c], come[c] = step, r
    while True:
        end = -1
        for c in range(columns):
            if not done[c] and (end < 0 or reach[c] < reach[end]):
                end = c
        if wanted[end] > 0:
            return end
        done[end] = 1
        for r in range(rows):
            if rank[r] < 0 and flow[r, end] > 0:
                rank[r], via[r] = reach[end], end
                base = reach[end] - u[r]
                for c in range(columns):
                    step = base + cost[r, c] - v[c]
                    if step < reach[c]:
                        reach[c], come[c] = step, r


@njit(cache=True, nogil=True)
def _augment(flow, end, left, wanted, come, via):
    """Send as much as the path to `end` carries; returns how much."""
    amount, c = wanted[end], end
    while via[come[c]] >= 0:
        r = come[c]
        c = via[r]
        amount = min(amount, flow[r, c])
    amount = min(amount, left[come[c]])
    left[come[c]] -= amount
    wanted[end] -= amount
    c = end
    flow[come[c], c] += amount
    while via[come[c]] >= 0:
        r = come[c]
        c = via[r]
        flow[r, c] -= amount
        flow[come[c], c] += amount
    return amount


@njit(cache=True, nogil=True)
def nearest_multisets(atoms, ground, centres, closest, labels, distances):
    """Improve each multiset's label and raw earth mover's distance to those of a closer centre, exactly.

    A lower bound is what it costs to carry each atom to the closest one of the centre, closest[atom, centre]. Centres
    are tried in that order until the bound exceeds the best distance; equal distances go to the smaller number.
    """
    k, m = centres.shape
    work, square = workspace(m)
    point = np.empty((2, m), np.int32)
    counted = np.empty((k, 2, m), np.int32)
    sizes = np.empty(k, np.int64)
    for c in range(k):
        sizes[c] = _count(centres[c], counted[c, 0], counted[c, 1])
    bounds = np.empty(k, np.int32)
    for i in range(len(atoms)):
        size = _count(atoms[i], point[0], point[1])
        bounds[:] = 0
        for a in range(size):
            row, count = closest[point[0, a]], point[1, a]
            for c in range(k):
                bounds[c] += count * row[c]
        best, nearest = np.int64(min(distances[i], _FAR)), -1
        for _ in range(k):
            c = np.argmin(bounds)
            limit = best + 1 if c < nearest else best
            if bounds[c] >= limit:
                break
            bounds[c] = _TRIED
            rows, columns = _differ(point, size, counted[c], sizes[c], work)
            distance = transport(ground, rows, columns, limit, work, square)
            if distance < limit:
                best, nearest = distance, c
        if nearest >= 0:
            labels[i] = nearest
            distances[i] = best


@njit(cache=True, nogil=True)
def closest_atoms(ground, centres, closest):
    """closest[atom, c]: the ground distance from an atom to the closest one of centre c."""
    for a in range(len(ground)):
        for c in range(len(centres)):
            least = ground[a, centres[c, 0]]
            for atom in centres[c]:
                least = min(least, ground[a, atom])
            closest[a, c] = least


@njit(cache=True, nogil=True)
def multiset_medians(atoms, weights, members, starts, ground, first, last, centres):
    """Move every atom of centres first..last to the ground point that is best for what the members carry to it.

    With the transport plans held, no other place costs less; on a line this is the coordinate-wise median of the
    quantile vectors. Equal atoms of a centre take what comes to them in the order of the ground points.
    """
    m, places = atoms.shape[1], len(ground)
    work, square = workspace(m)
    left, right = np.empty((2, m), np.int32), np.empty((2, m), np.int32)
    mass, cost = np.empty((m, places)), np.empty(places)
    for g in range(first, last):
        mass[:] = 0.0
        rights = _count(centres[g], right[0], right[1])
        for i in members[starts[g] : starts[g + 1]]:
            lefts = _count(atoms[i], left[0], left[1])
            rows, columns = _differ(left, lefts, right, rights, work)
            transport(ground, rows, columns, _FAR, work, square)
            _deliver(right, rights, rows, columns, work, square[1], weights[i], mass)
        for unit in range(m):
            cost[:] = 0.0
            for a in range(places):
                w = mass[unit, a]
                if w > 0.0:
                    for b in range(places):
                        cost[b] += w * ground[a, b]
            best = np.argmin(cost)
            if cost[best] < cost[centres[g, unit]]:
                centres[g, unit] = best
        centres[g] = np.sort(centres[g])


@njit(cache=True, nogil=True)
def _deliver(right, rights, rows, columns, work, flow, weight, mass):
    """Add to mass[unit, atom] what each unit of a centre gets from one member's transport plan."""
    sources, sinks, demand = work[0], work[2], work[3]
    unit, column = 0, 0
    for j in range(rights):
        here = right[0, j]
        carried = column < columns and sinks[column] == here
        stays = right[1, j] - (demand[column] if carried else 0)
        for r in range(rows + 1):  # what stays comes between the rows below and above this place
            if stays and (r == rows or sources[r] > here):
                mass[unit : unit + stays, here] += weight
                unit += stays
                stays = 0
            if carried and r < rows:
                mass[unit : unit + flow[r, column], sources[r]] += weight
                unit += flow[r, column]
        column += carried
