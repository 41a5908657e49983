"""Compiled search for the most similar cases, among few candidates: the cells of the groups that a betting leads to.

Candidates come in *rings* of equal betting similarity, no case in two of them. A ring is a group of cases, added up
cell by cell, less a group inside it: levels of betting are nested, so that only the innermost counts for a case.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit

NEARLY = 1e-9  # similarities closer than this are equal


class Groups(NamedTuple):
    """Groups of cases: cells [first[g], first[g + 1]) in ascending order, with counts and outcomes."""

    first: np.ndarray  # int64
    cells: np.ndarray  # int32
    counts: np.ndarray  # int64 [., actions]
    outcomes: np.ndarray  # int64 [., actions]


class Measure(NamedTuple):
    """Local similarities, each times its weight in equation (3.1); `total` of those of a cell at most."""

    hands: np.ndarray
    textures: np.ndarray
    commitments: np.ndarray
    total: float


@njit(cache=True, nogil=True, forceinline=True)
def closeness(measure, cell, other):
    """How similar two cells are: the parts of hand, texture and commitment in equation (3.1)."""
    textures, committed = len(measure.textures), len(measure.commitments)
    a, b = cell // committed, other // committed
    return (
        measure.hands[a // textures, b // textures]
        + measure.textures[a % textures, b % textures]
        + measure.commitments[cell % committed, other % committed]
    )


@njit(cache=True, nogil=True, forceinline=True)
def decisions_in(groups, i, inner):
    """How many decisions a group has in a cell that the group inside it, there at `inner`, has not; -1 is nowhere."""
    added = 0
    for a in range(groups.counts.shape[1]):
        added += groups.counts[i, a]
        if inner >= 0:
            added -= groups.counts[inner, a]
    return added


@njit(cache=True, nogil=True)
def candidates(groups, measure, values, plus, minus, cell, neighbours, weaker, similar, at, inside):
    """Fill in the cells that may be among the nearest: their similarity, where they are, and in the group inside.

    Rings come in order of betting similarity. One that could not come up to what `neighbours` decisions before it have
    is left out, and so are those that follow.
    """
    n, best = 0, -np.inf
    for ring in range(len(values)):
        most = values[ring] + measure.total
        if neighbours == 1 and most < best - NEARLY:
            break
        first, last = groups.first[plus[ring]], groups.first[plus[ring] + 1]
        if neighbours > 1 and not weaker and last - first > 32:  # who drops ties may need more
            enough = 0
            for i in range(n):
                if similar[i] > most + NEARLY:
                    enough += decisions_in(groups, at[i], inside[i])
            if enough >= neighbours:
                break
        inner, end = 0, 0
        if minus[ring] >= 0:
            inner, end = groups.first[minus[ring]], groups.first[minus[ring] + 1]
        for i in range(first, last):
            other = groups.cells[i]
            value = values[ring] + closeness(measure, cell, other)
            while inner < end and groups.cells[inner] < other:
                inner += 1
            if neighbours == 1 and value < best - NEARLY:
                continue
            within = inner if inner < end and groups.cells[inner] == other else -1
            if within >= 0 and decisions_in(groups, i, within) == 0:
                continue
            best = max(best, value)
            similar[n], at[n], inside[n] = value, i, within
            n += 1
    return n


@njit(cache=True, nogil=True)
def gather(groups, measure, values, plus, minus, cell, neighbours, weaker, fading, counts, outcomes, room):
    """Add up the nearest cases until there are `neighbours` decisions; the similarities of the first and the last.

    Equally similar cases come together, or of them with `weaker` only those of the least cell, the weakest hand. Where
    one is added its weight falls with similarity by `fading`.
    """
    similar, at, inside = room
    n = candidates(groups, measure, values, plus, minus, cell, neighbours, weaker, similar, at, inside)
    if neighbours > 1:
        order = np.argsort(-similar[:n])
        best = similar[order[0]]
    else:
        best = similar[:n].max()
        order = np.flatnonzero(similar[:n] >= best - NEARLY)
    start, total, level = 0, 0, best
    while start < len(order) and total < neighbours:
        level, end, only = similar[order[start]], start, -1
        while end < len(order) and similar[order[end]] >= level - NEARLY:
            other = groups.cells[at[order[end]]]
            if weaker and (only < 0 or other < only):
                only = other
            end += 1
        weight = np.exp(-fading * (best - level))
        for place in range(start, end):
            i, within = at[order[place]], inside[order[place]]
            if only >= 0 and groups.cells[i] != only:
                continue
            for a in range(groups.counts.shape[1]):
                taken, won = groups.counts[i, a], groups.outcomes[i, a]
                if within >= 0:
                    taken, won = taken - groups.counts[within, a], won - groups.outcomes[within, a]
                counts[a] += weight * taken
                outcomes[a] += weight * won
                total += taken
        start = end
    return best, level


@njit(cache=True, nogil=True)
def gather_many(
    groups, measure, first, values, plus, minus, targets, cells, neighbours, weaker, fading, counts, outcomes, sims
):
    """`gather` of many situations; target t has the rings [first[t], first[t + 1])."""
    most = 0
    for t in range(len(first) - 1):
        size = 0
        for ring in range(first[t], first[t + 1]):
            size += groups.first[plus[ring] + 1] - groups.first[plus[ring]]
        most = max(most, size)
    room = np.empty(most, np.float64), np.empty(most, np.int64), np.empty(most, np.int64)
    for i in range(len(targets)):
        a, b = first[targets[i]], first[targets[i] + 1]
        sims[i, 0], sims[i, 1] = gather(
            groups, measure, values[a:b], plus[a:b], minus[a:b], cells[i], neighbours, weaker, fading, counts[i],
            outcomes[i], room,
        )  # fmt: skip
