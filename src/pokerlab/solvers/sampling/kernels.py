"""Compiled walks of Monte Carlo CFR (Lanctot et al. 2009) over a betting graph and a tied table.

A walk carries a node of the graph and the sum of the skips of its path, `base`; the row of bucket b begins at cell
base + 2 k b: k regrets, then k sums of the average strategy. Cards are dealt beforehand: `buckets[d, p, r]` is what
player p tells apart in round r of deal d, `codes[d]` the showdown (see betting_graph.py). Several threads may walk on
one table at once without locks: now and then an addition is lost, as in Hogwild (Niu et al. 2011).
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerlab.compiled import njit
from pokerlab.solvers.sampling.randomness import to_single, uniform

# Walks take arrays out of their tuples once, before the loops, and make no views: every reference to an array that is
# taken or dropped inside costs as much as a visit to a row, and threads would wait for one another's counts.
FAST: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
INLINE: dict[str, Any] = {**FAST, "inline": "always"}


class Graph(NamedTuple):
    """A betting graph as arrays, parents before children; see betting_graph.py."""

    actor: np.ndarray  # [nodes] -1 at terminals
    round: np.ndarray  # [nodes]
    actions: np.ndarray  # [nodes]
    buckets: np.ndarray  # [nodes] of the actor
    first: np.ndarray  # [nodes] edge of the first action
    child: np.ndarray  # [edges]
    skip: np.ndarray  # [edges] cells
    payoff: np.ndarray  # [nodes] number of the payoffs, -1 unless terminal
    pay: np.ndarray  # [numbers, codes, players]


class Rule(NamedTuple):
    """How walks update the table."""

    floor: float  # regrets are kept at or above it
    prune_below: float  # actions with less regret are only tried in some walks; minus infinity: in all
    try_chance: float  # of a walk that tries them
    explore: float  # how much of the walker's sampling policy is uniform, in outcome sampling
    learn: float  # step of the baselines; 0: none are used
    weighted: bool  # the average strategy counts the probability of third players out
    single: bool  # the table is in single precision, rounded at random


class Work(NamedTuple):
    """Scratch of one thread, and what it counts."""

    node: np.ndarray  # [stack] places still to walk
    base: np.ndarray
    slot: np.ndarray  # where the value of a place goes
    lead: np.ndarray  # [stack + 1, players] inverse probability of each player's sampled actions; the last is current
    at: np.ndarray  # [rows] those met on this walk, in order
    choices: np.ndarray  # their numbers of actions
    into: np.ndarray  # where their values go; in outcome sampling their actor
    value: np.ndarray  # [1 + rows * most actions] of each row's actions; 0 is the root's
    gain: np.ndarray  # the same shape: how much an action counts, one over the chance of trying it; 0 if pruned
    odds: np.ndarray  # [1 + rows * most actions] strategies
    chance: np.ndarray  # [rows, 2] in outcome sampling: of the walker's path up to the row, and of the action there
    chosen: np.ndarray  # [rows]
    winnings: np.ndarray  # [players] sum of the walks' values
    touched: np.ndarray  # [1] rows met in all


@njit(**INLINE)
def match(cells, at, k, odds, o):
    """Regret matching: odds[o:o + k] in proportion to positive regret, equal where there is none."""
    total = 0.0
    for a in range(k):
        regret = max(np.float64(cells[at + a]), 0.0)
        odds[o + a] = regret
        total += regret
    if total > 0.0:
        scale = 1.0 / total
        for a in range(k):
            odds[o + a] *= scale
    else:
        for a in range(k):
            odds[o + a] = 1.0 / k


@njit(**INLINE)
def draw(odds, o, k, rng):
    """A random action by odds[o:o + k]."""
    left = uniform(rng)
    chosen = 0
    for a in range(k):
        if odds[o + a] > 0.0 and left >= 0.0:  # rounding must not choose what is never played
            chosen = a
        left -= odds[o + a]
    return chosen


@njit(**INLINE)
def add(cells, at, amount, floor, single, rng):
    """Add to a cell and keep it at or above a floor.

    In single precision the sum is rounded at random, so that small addends are not lost.
    """
    total = max(cells[at] + amount, floor)
    if single:
        cells[at] = to_single(total, rng)
    else:
        cells[at] = total


@njit(**INLINE)
def collect(cells, at, k, odds, o, weight, single, rng):
    """Count a strategy in the average of its row."""
    for a in range(k):
        if odds[o + a] > 0.0:
            add(cells, at + k + a, weight * odds[o + a], 0.0, single, rng)


@njit(**INLINE)
def _third(lead, i, walker, actor):
    """One over the probability of the sampled actions of all but these two."""
    weight = 1.0
    for q in range(lead.shape[1]):
        if q != walker and q != actor:
            weight *= lead[i, q]
    return weight


@njit(**FAST)
def external(graph, cells, buckets, codes, count, rule, rng, work):
    """`count` iterations of external sampling: a walk for each player, on deals of its own.

    The walker tries all of its actions; chance and the others are sampled. The average strategy is collected where the
    others act, which they reach in proportion to their own probability of going there. Pruning leaves out actions of
    very negative regret, but in some walks; what is found beneath them then counts for the walks that did not look.
    """
    actors, rounds, actions, firsts = graph.actor, graph.round, graph.actions, graph.first
    children, skips, payoff, pay = graph.child, graph.skip, graph.payoff, graph.pay
    nodes, bases, slots, lead, gain = work.node, work.base, work.slot, work.lead, work.gain
    rows, choices, into, values, odds = work.at, work.choices, work.into, work.value, work.odds
    single, weighted, players, now = rule.single, rule.weighted, buckets.shape[1], work.lead.shape[0] - 1
    prunes, touched, low_gain = rule.prune_below > -np.inf, 0, 1.0
    for d in range(count * players):
        walker, code = d % players, codes[d]
        if prunes:
            low_gain = 1.0 / rule.try_chance if uniform(rng) < rule.try_chance else 0.0
        nodes[0], bases[0], slots[0], gain[0] = 0, 0, 0, 1.0
        lead[0, :] = 1.0
        met, slot, top = 0, 1, 1
        while top > 0:
            top -= 1
            node, base, weight = nodes[top], bases[top], gain[slots[top]]
            actor = actors[node]
            if weighted:
                lead[now, :] = lead[top, :]
            while actor >= 0 and actor != walker:
                k = actions[node]
                at = base + 2 * k * buckets[d, actor, rounds[node]]
                match(cells, at, k, odds, 0)
                third = _third(lead, now, walker, actor) if weighted else 1.0
                collect(cells, at, k, odds, 0, weight * third, single, rng)
                a = draw(odds, 0, k, rng)
                if weighted:
                    lead[now, actor] /= odds[a]
                edge = firsts[node] + a
                node, base = children[edge], base + skips[edge]
                actor = actors[node]
                touched += 1
            if actor < 0:
                values[slots[top]] = pay[payoff[node], code, walker]
                continue
            k, edge = actions[node], firsts[node]
            at = base + 2 * k * buckets[d, walker, rounds[node]]
            rows[met], choices[met], into[met] = at, k, slots[top]
            low = _low(cells, at, k, rule.prune_below) if prunes else -np.inf
            for a in range(k - 1, -1, -1):
                child = children[edge + a]
                gain[slot + a] = weight
                if actors[child] < 0:
                    values[slot + a] = pay[payoff[child], code, walker]
                    continue
                if cells[at + a] < low:
                    gain[slot + a] = low_gain
                    if low_gain == 0.0:
                        continue
                nodes[top], bases[top], slots[top] = child, base + skips[edge + a], slot + a
                if weighted:
                    lead[top, :] = lead[now, :]
                top += 1
            met += 1
            slot += k
        _settle(cells, rows, choices, into, values, gain, odds, met, slot, rule.floor, single, rng)
        work.winnings[walker] += values[0]
        touched += met
    work.touched[0] += touched


@njit(**INLINE)
def _low(cells, at, k, prune_below):
    """The regret below which actions are pruned: none where no regret is positive, for then all are played."""
    low = -np.inf
    for a in range(k):
        if cells[at + a] > 0.0:
            low = prune_below
    return low


@njit(**INLINE)
def _settle(cells, rows, choices, into, values, gain, odds, met, slot, floor, single, rng):
    """Back up values from the last row met to the first, and add the regrets."""
    for i in range(met - 1, -1, -1):
        at, k = rows[i], choices[i]
        slot -= k
        match(cells, at, k, odds, 0)
        value = 0.0
        for a in range(k):
            if odds[a] > 0.0:  # a pruned action is never played, and its value is not known
                value += odds[a] * values[slot + a]
        for a in range(k):
            if gain[slot + a] > 0.0:
                add(cells, at + a, gain[slot + a] * (values[slot + a] - value), floor, single, rng)
        values[into[i]] = value


@njit(**FAST)
def outcome(graph, cells, baselines, buckets, codes, count, rule, rng, work):
    """`count` iterations of outcome sampling: for each player a walk along a single path, on a deal of its own.

    The walker samples from its strategy mixed with uniform play, the others from their strategies. `baselines[p]` has
    an expected value for player p of every action of every row (Schmid et al. 2019); sampled values only correct it.
    """
    actors, rounds, actions, firsts = graph.actor, graph.round, graph.actions, graph.first
    children, skips, payoff, pay = graph.child, graph.skip, graph.payoff, graph.pay
    rows, choices, into, values, odds = work.at, work.choices, work.into, work.value, work.odds
    chance, chosen, lead, winnings = work.chance, work.chosen, work.lead, work.winnings
    single, players, touched = rule.single, buckets.shape[1], 0
    for d in range(count * players):
        walker, node, base, met, o, reach = d % players, np.int64(0), np.int64(0), 0, 0, 1.0
        lead[0, :] = 1.0
        while actors[node] >= 0:
            actor, k = actors[node], actions[node]
            at = base + 2 * k * buckets[d, actor, rounds[node]]
            match(cells, at, k, odds, o)
            rows[met], choices[met], into[met], chance[met, 0] = at, k, actor, reach
            if actor == walker:
                for a in range(k):
                    values[a] = rule.explore / k + (1.0 - rule.explore) * odds[o + a]
                a = draw(values, 0, k, rng)
                chance[met, 1] = values[a]
                reach *= values[a]
            else:
                weight = _third(lead, 0, walker, actor) if rule.weighted else 1.0
                collect(cells, at, k, odds, o, weight / reach, single, rng)
                a = draw(odds, o, k, rng)
                chance[met, 1] = odds[o + a]
                lead[0, actor] /= odds[o + a]
            chosen[met] = a
            met += 1
            o += k
            edge = firsts[node] + a
            node, base = np.int64(children[edge]), base + skips[edge]
        value = pay[payoff[node], codes[d], walker]
        for i in range(met - 1, -1, -1):
            at, k = rows[i], choices[i]
            o -= k
            value = _correct(baselines, walker, at // 2, k, chosen[i], value, chance[i, 1], odds, o, values, rule.learn)
            if into[i] == walker:
                for a in range(k):
                    add(cells, at + a, (values[a] - value) / chance[i, 0], rule.floor, single, rng)
        winnings[walker] += value
        touched += met
    work.touched[0] += touched


@njit(**INLINE)
def _correct(baselines, walker, at, k, chosen, value, chance, odds, o, values, learn):
    """Put a value on every action of a row, of which one was taken: equation (9) of Schmid et al. The row's value.

    Each action is worth its baseline; the one that was taken is corrected by what came of it, divided by its chance.
    """
    for a in range(k):
        values[a] = baselines[walker, at + a] if learn > 0.0 else 0.0
    if learn > 0.0:
        baselines[walker, at + chosen] += learn * (value - values[chosen])
    values[chosen] += (value - values[chosen]) / chance
    expected = 0.0
    for a in range(k):
        expected += odds[o + a] * values[a]
    return expected


@njit(**FAST)
def next_block(graph, nodes, bases, top):
    """Take a decision node off the stack and put those that follow it there: node, base and the new top."""
    top -= 1
    node, base = nodes[top], bases[top]
    first = graph.first[node]
    for a in range(graph.actions[node]):
        child = graph.child[first + a]
        if graph.actor[child] >= 0:
            nodes[top], bases[top] = child, base + graph.skip[first + a]
            top += 1
    return node, base, top


@njit(**FAST)
def discount(graph, cells, keep, forgive, fade, nodes, bases):
    """Multiply positive regrets by `keep`, negative ones by `forgive` and the average strategy by `fade`."""
    nodes[0], bases[0], top = 0, 0, 1
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        k = graph.actions[node]
        for row in range(graph.buckets[node]):
            at = base + 2 * k * row
            for a in range(k):
                cells[at + a] *= keep if cells[at + a] > 0.0 else forgive
                cells[at + k + a] *= fade


@njit(**FAST)
def average(graph, cells, out, nodes, bases):
    """The average strategy: out[at // 2 + a] is the probability of action a in the row at `at`.

    Rows that the average never met play by their regrets.
    """
    nodes[0], bases[0], top = 0, 0, 1
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        k = graph.actions[node]
        for row in range(graph.buckets[node]):
            at = base + 2 * k * row
            total = 0.0
            for a in range(k):
                total += cells[at + k + a]
            if total > 0.0:
                for a in range(k):
                    out[at // 2 + a] = cells[at + k + a] / total
            else:
                match(cells, at, k, out, at // 2)
