"""Compiled walks of public-chance sampling (Johanson et al. 2012): only what all see is sampled.

A walk visits every betting sequence with vectors over private hands. Which hands there are, their buckets and how they
meet comes as `Publics`, which lists all deals of each public outcome, for any number of players.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit
from pokerlab.solvers.sampling.kernels import FAST, INLINE, Graph, Rule, add
from pokerlab.solvers.sampling.randomness import below, uniform


class Publics(NamedTuple):
    """Public outcomes. Hands of outcome g and player p are start[g * players + p] up to the next start."""

    start: np.ndarray
    bucket: np.ndarray  # [rounds, hands]
    prior: np.ndarray  # [hands] probability given the outcome
    keep: np.ndarray  # [outcomes] and
    other: np.ndarray  # Walker's table to draw one
    deal_start: np.ndarray  # [outcomes + 1]
    dealt: np.ndarray  # [deals, players] hands, counted within outcome and player
    chance: np.ndarray  # [deals] probability given the outcome
    code: np.ndarray  # [deals] of the showdown


class VectorWork(NamedTuple):
    """Scratch of one thread: a level for each action on the path, a vector over hands wherever one is needed."""

    node: np.ndarray  # [levels]
    base: np.ndarray
    action: np.ndarray  # [levels] being tried, -1 on arrival
    reach: np.ndarray  # [levels, players, hands]
    value: np.ndarray  # [levels, hands] of the walker
    worth: np.ndarray  # [levels, actions, hands] the walker's value of each action
    odds: np.ndarray  # [levels, actions, hands]
    winnings: np.ndarray  # [players]
    touched: np.ndarray  # [1]


@njit(**FAST)
def public_chance(
    graph: Graph, cells: np.ndarray, publics: Publics, count: int, rule: Rule, deal_rng: np.ndarray, rng: np.ndarray,
    work: VectorWork,
) -> None:  # fmt: skip
    """`count` iterations: for each player a walk on a public outcome that is drawn for it."""
    players = work.reach.shape[1]
    for d in range(count * players):
        g = below(deal_rng, publics.keep.shape[0])
        if uniform(deal_rng) >= publics.keep[g]:
            g = publics.other[g]
        _walk(graph, cells, publics, g, d % players, rule, rng, work)


@njit(**FAST)
def _walk(
    graph: Graph, cells: np.ndarray, publics: Publics, g: int, walker: int, rule: Rule, rng: np.ndarray,
    work: VectorWork,
) -> None:  # fmt: skip
    """One walk: update the walker's regrets and the average strategies of the others."""
    actors, rounds, actions, firsts = graph.actor, graph.round, graph.actions, graph.first
    children, skips, payoff, pay = graph.child, graph.skip, graph.payoff, graph.pay
    nodes, bases, tried, reach = work.node, work.base, work.action, work.reach
    value, worth, odds, bucket, prior = work.value, work.worth, work.odds, publics.bucket, publics.prior
    start, dealt, chance, code = publics.start, publics.dealt, publics.chance, publics.code
    players, single, floor = reach.shape[1], rule.single, rule.floor
    touched = 0
    group, first_deal, end_deal = g * players, publics.deal_start[g], publics.deal_start[g + 1]
    hands = start[group + walker + 1] - start[group + walker]
    reach[0, :, :] = 1.0
    nodes[0], bases[0], tried[0], level = 0, 0, -1, 0
    while level >= 0:
        node, base = nodes[level], bases[level]
        actor, k, r = actors[node], actions[node], rounds[node]
        if actor < 0:
            _terminal(pay, payoff[node], first_deal, end_deal, dealt, chance, code, walker, reach, value, level, hands)
            level -= 1
            continue
        first_hand = start[group + actor]
        count = start[group + actor + 1] - first_hand
        if tried[level] < 0:
            _match_hands(cells, base, k, bucket, r, first_hand, count, odds, level)
            for i in range(hands):
                value[level, i] = 0.0
            touched += count
        else:
            _back_up(value, worth, odds, level, tried[level], hands, actor == walker)
        tried[level] += 1
        a = tried[level]
        if a < k:
            edge = firsts[node] + a
            nodes[level + 1], bases[level + 1], tried[level + 1] = children[edge], base + skips[edge], -1
            if _pass_on(reach, odds, level, a, actor, walker, count):
                level += 1
            else:
                for i in range(hands):
                    value[level + 1, i] = 0.0
            continue
        for i in range(count):
            at = base + 2 * k * bucket[r, first_hand + i]
            for a in range(k):
                if actor == walker:
                    add(cells, at + a, worth[level, a, i] - value[level, i], -np.inf, single, rng)
                else:
                    amount = prior[first_hand + i] * reach[level, actor, i] * odds[level, a, i]
                    add(cells, at + k + a, amount, 0.0, single, rng)
        if actor == walker and floor > -np.inf:  # hands may share a row: only their sum counts
            for i in range(count):
                at = base + 2 * k * bucket[r, first_hand + i]
                for a in range(k):
                    cells[at + a] = max(cells[at + a], floor)
        level -= 1
    for i in range(hands):
        work.winnings[walker] += value[0, i]
    work.touched[0] += touched


@njit(**INLINE)
def _match_hands(
    cells: np.ndarray, base: int, k: int, bucket: np.ndarray, r: int, first: int, count: int, odds: np.ndarray,
    level: int,
) -> None:  # fmt: skip
    """Regret matching for every hand of the actor."""
    for i in range(count):
        at = base + 2 * k * bucket[r, first + i]
        total = 0.0
        for a in range(k):
            total += max(np.float64(cells[at + a]), 0.0)
        for a in range(k):
            odds[level, a, i] = max(np.float64(cells[at + a]), 0.0) / total if total > 0.0 else 1.0 / k


@njit(**INLINE)
def _back_up(value: np.ndarray, worth: np.ndarray, odds: np.ndarray, level: int, a: int, hands: int, own: bool) -> None:
    """Take over the values of the action that was tried last; other players' odds are in their reach."""
    for i in range(hands):
        if own:
            worth[level, a, i] = value[level + 1, i]
            value[level, i] += odds[level, a, i] * value[level + 1, i]
        else:
            value[level, i] += value[level + 1, i]


@njit(**INLINE)
def _pass_on(reach: np.ndarray, odds: np.ndarray, level: int, a: int, actor: int, walker: int, count: int) -> bool:
    """Reach of the next level; whether there is anything to learn there.

    Of two players, nothing if no hand of the other gets there; a third one's strategy is collected all the same.
    """
    for p in range(reach.shape[1]):
        if p != walker and p != actor:
            for i in range(reach.shape[2]):
                reach[level + 1, p, i] = reach[level, p, i]
    if actor == walker:
        return True
    gets_there = reach.shape[1] > 2
    for i in range(count):
        reach[level + 1, actor, i] = reach[level, actor, i] * odds[level, a, i]
        gets_there |= reach[level + 1, actor, i] > 0.0
    return gets_there


@njit(**INLINE)
def _terminal(
    pay: np.ndarray, number: int, first: int, end: int, dealt: np.ndarray, chance: np.ndarray, code: np.ndarray,
    walker: int, reach: np.ndarray, value: np.ndarray, level: int, hands: int,
) -> None:  # fmt: skip
    """The walker's value of every hand: sums over the listed deals first:end of the outcome."""
    for i in range(hands):
        value[level, i] = 0.0
    for d in range(first, end):
        weight = chance[d] * pay[number, code[d], walker]
        for p in range(reach.shape[1]):
            if p != walker:
                weight *= reach[level, p, dealt[d, p]]
        value[level, dealt[d, walker]] += weight
