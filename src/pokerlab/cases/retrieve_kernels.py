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


@njit(cache=True, nogil=True)
def next_level(groups, measure, values, plus, minus, cell, below):
    """The highest similarity of any candidate that is less than `below`; -inf if there is none."""
    best = -np.inf
    for ring in range(len(values)):
        if values[ring] + measure.total < best - NEARLY:
            break
        inner, end = 0, 0
        if minus[ring] >= 0:
            inner, end = groups.first[minus[ring]], groups.first[minus[ring] + 1]
        for i in range(groups.first[plus[ring]], groups.first[plus[ring] + 1]):
            other = groups.cells[i]
            similar = values[ring] + closeness(measure, cell, other)
            while inner < end and groups.cells[inner] < other:
                inner += 1
            if similar <= best or similar >= below:
                continue
            if inner < end and groups.cells[inner] == other and not more(groups, i, inner):
                continue
            best = similar
    return best


@njit(cache=True, nogil=True, forceinline=True)
def more(groups, i, inner):
    """Whether a group has decisions in a cell that the group inside it has not."""
    added = 0
    for a in range(groups.counts.shape[1]):
        added += groups.counts[i, a] - groups.counts[inner, a]
    return added > 0


@njit(cache=True, nogil=True)
def add_level(groups, measure, values, plus, minus, cell, level, only, weight, counts, outcomes):
    """Add up the candidates of one similarity, weighted; with `only` those in this cell. Returns their decisions.

    Also the least of their cells: that of the weakest hand.
    """
    added, least = 0, np.int64(-1)
    for ring in range(len(values)):
        if values[ring] + measure.total < level - NEARLY:
            break
        inner, end = 0, 0
        if minus[ring] >= 0:
            inner, end = groups.first[minus[ring]], groups.first[minus[ring] + 1]
        for i in range(groups.first[plus[ring]], groups.first[plus[ring] + 1]):
            other = groups.cells[i]
            while inner < end and groups.cells[inner] < other:
                inner += 1
            if abs(values[ring] + closeness(measure, cell, other) - level) > NEARLY or (only >= 0 and other != only):
                continue
            less, before = inner < end and groups.cells[inner] == other, added
            for a in range(groups.counts.shape[1]):
                taken, won = groups.counts[i, a], groups.outcomes[i, a]
                if less:
                    taken, won = taken - groups.counts[inner, a], won - groups.outcomes[inner, a]
                counts[a] += weight * taken
                outcomes[a] += weight * won
                added += taken
            if added > before and (least < 0 or other < least):
                least = np.int64(other)
    return added, least


@njit(cache=True, nogil=True)
def gather(groups, measure, values, plus, minus, cell, neighbours, weaker, fading, counts, outcomes):
    """Add up the nearest cases until there are `neighbours` decisions; the similarities of the first and the last."""
    best = next_level(groups, measure, values, plus, minus, cell, np.inf)
    level, total = best, 0
    while level > -np.inf:
        weight, only = np.exp(-fading * (best - level)), np.int64(-1)
        if weaker:
            _, only = add_level(groups, measure, values, plus, minus, cell, level, only, 0.0, counts, outcomes)
        added, _ = add_level(groups, measure, values, plus, minus, cell, level, only, weight, counts, outcomes)
        total += added
        if total >= neighbours:
            break
        following = next_level(groups, measure, values, plus, minus, cell, level - NEARLY)
        if following == -np.inf:
            break
        level = following
    return best, level


@njit(cache=True, nogil=True)
def gather_many(
    groups, measure, first, values, plus, minus, targets, cells, neighbours, weaker, fading, counts, outcomes, sims
):
    """`gather` of many situations; target t has the rings [first[t], first[t + 1])."""
    for i in range(len(targets)):
        a, b = first[targets[i]], first[targets[i] + 1]
        sims[i, 0], sims[i, 1] = gather(
            groups, measure, values[a:b], plus[a:b], minus[a:b], cells[i], neighbours, weaker, fading, counts[i],
            outcomes[i],
        )  # fmt: skip
