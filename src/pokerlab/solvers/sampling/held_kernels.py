"""Compiled walks of Monte Carlo CFR where one player is held to a model: restricted Nash and data biased responses.

As `kernels.external`, for two players. Of the held seat, `model` is what it is believed to do and `least` the part of
its probability, action by action, that it has no say in: places are those of a strategy in cells // 2. With `whole` the
model is played for a whole hand, with that probability, when the other walks (Ponsen, Lanctot and de Jong 2010).
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit
from pokerlab.solvers.sampling.kernels import FAST, add, collect, draw, match, next_block
from pokerlab.solvers.sampling.randomness import uniform


class Held(NamedTuple):
    """Who is held, for how many whole hands, to what, and how far at each decision."""

    seat: int
    whole: float
    model: np.ndarray  # [cells // 2] float32
    least: np.ndarray  # the same, at most the model's


@njit(**FAST)
def external_held(graph, cells, buckets, codes, count, held, single, rng, work):
    """`count` iterations: a walk for each player, on deals of its own, in which the held seat is not free."""
    actors, rounds, actions, firsts = graph.actor, graph.round, graph.actions, graph.first
    children, skips, payoff, pay = graph.child, graph.skip, graph.payoff, graph.pay
    nodes, bases, slots = work.node, work.base, work.slot
    rows, choices, into, values, odds = work.at, work.choices, work.into, work.value, work.odds
    seat, model, least, touched = held.seat, held.model, held.least, 0
    for d in range(count * 2):
        walker, code = d % 2, codes[d]
        forced = walker != seat and uniform(rng) < held.whole
        nodes[0], bases[0], slots[0] = 0, 0, 0
        met, slot, top = 0, 1, 1
        while top > 0:
            top -= 1
            node, base = nodes[top], bases[top]
            actor = actors[node]
            while actor >= 0 and actor != walker:
                k = actions[node]
                at = base + 2 * k * buckets[d, actor, rounds[node]]
                if forced:
                    for a in range(k):
                        odds[a] = model[at // 2 + a]
                else:
                    match(cells, at, k, odds, 0)
                    if actor == seat:
                        free = 1.0
                        for a in range(k):
                            free -= least[at // 2 + a]
                        for a in range(k):
                            odds[a] = least[at // 2 + a] + free * odds[a]
                    collect(cells, at, k, odds, 0, 1.0, single, rng)
                edge = firsts[node] + draw(odds, 0, k, rng)
                node, base = children[edge], base + skips[edge]
                actor = actors[node]
                touched += 1
            if actor < 0:
                values[slots[top]] = pay[payoff[node], code, walker]
                continue
            k, edge = actions[node], firsts[node]
            at = base + 2 * k * buckets[d, walker, rounds[node]]
            rows[met], choices[met], into[met] = at, k, slots[top]
            for a in range(k - 1, -1, -1):
                child = children[edge + a]
                if actors[child] < 0:
                    values[slot + a] = pay[payoff[child], code, walker]
                    continue
                nodes[top], bases[top], slots[top] = child, base + skips[edge + a], slot + a
                top += 1
            met += 1
            slot += k
        for i in range(met - 1, -1, -1):
            at, k = rows[i], choices[i]
            slot -= k
            match(cells, at, k, odds, 0)
            own, bound, free = 0.0, 0.0, 1.0
            for a in range(k):
                own += odds[a] * values[slot + a]
                if walker == seat:
                    bound += least[at // 2 + a] * values[slot + a]
                    free -= least[at // 2 + a]
            for a in range(k):
                add(cells, at + a, values[slot + a] - own, -np.inf, single, rng)
            values[into[i]] = bound + free * own
        work.winnings[walker] += values[0]
        touched += met
    work.touched[0] += touched


@njit(cache=True, nogil=True)
def take_seat(graph, seat, source, nodes, bases, target):
    """Copy what a seat does from one strategy in cells // 2 to another."""
    nodes[0], bases[0], top = 0, 0, 1
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        if graph.actor[node] == seat:
            size = graph.actions[node] * graph.buckets[node]
            target[base // 2 : base // 2 + size] = source[base // 2 : base // 2 + size]


@njit(cache=True, nogil=True)
def by_row(graph, counts, call, most, linear, nodes, bases, model, trust):
    """From counts of actions to a model, which calls where nothing was seen, and how far each action's row is trusted.

    `trust` is `most` times n / (n + 1) of n observations, or of `linear` ones n / 10, at most 1.
    """
    nodes[0], bases[0], top = 0, 0, 1
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        k = graph.actions[node]
        for row in range(graph.buckets[node]):
            at, seen = base // 2 + k * row, 0.0
            for a in range(k):
                seen += counts[at + a]
            share = min(seen / 10.0, 1.0) if linear else seen / (seen + 1.0)
            for a in range(k):
                model[at + a] = counts[at + a] / seen if seen > 0.0 else (1.0 if a == call[node] else 0.0)
                trust[at + a] = most * share * model[at + a]
