"""Compiled: what a strategy of limit wins with many factors of aggression at once, over all betting of a deal."""

# mypy: disable-error-code=no-untyped-def

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit

FOLDS, CALLS, RAISES = 0, 1, 2


class Path(NamedTuple):
    """Scratch of a walk: for each place on the way from the root, where it is and what is known of it so far."""

    node: np.ndarray
    base: np.ndarray
    action: np.ndarray  # the next one to follow
    odds: np.ndarray  # [depth, kinds] what the strategy has there
    weights: np.ndarray  # [depth, kinds, factors] the same with each factor; the other's are alike for all
    value: np.ndarray  # [depth, factors]


@njit(cache=True, nogil=True, error_model="numpy")
def play_factors(graph, kinds, strategy, seat, factors, buckets, codes, path, won):
    """won[d, x]: what a seat wins in deal d on average, if its strategy is more aggressive by factors[x].

    The strategy, of both seats, is in bytes; graph, buckets and codes are those of `sampling`. kinds[e] says whether an
    edge folds, calls or raises; a node has one of a kind at most.
    """
    actors, rounds, actions, firsts = graph.actor, graph.round, graph.actions, graph.first
    children, skips, payoff, pay = graph.child, graph.skip, graph.payoff, graph.pay
    nodes, bases, after, odds, weights, value = path
    n = factors.shape[0]
    for d in range(codes.shape[0]):
        top, entered = 0, True
        nodes[0], bases[0] = 0, 0
        while top >= 0:
            node, edge = nodes[top], firsts[nodes[top]]
            k = actions[node]
            if entered:
                at, total = bases[top] // 2 + k * buckets[d, actors[node], rounds[node]], 0.0
                odds[top, :] = 0.0
                for a in range(k):
                    total += strategy[at + a]
                for a in range(k):
                    odds[top, kinds[edge + a]] = strategy[at + a] / total
                weigh(odds[top], factors, actors[node] == seat and kinds[edge + k - 1] == RAISES, weights[top])
                after[top], entered = 0, False
                value[top, :] = 0.0
            a = after[top]
            if a == k:
                top -= 1
                if top >= 0:
                    kind = kinds[firsts[nodes[top]] + after[top]]
                    for x in range(n):
                        value[top, x] += weights[top, kind, x] * value[top + 1, x]
                    after[top] += 1
                continue
            child, kind = children[edge + a], kinds[edge + a]
            if weights[top, kind, 0] == 0.0 and weights[top, kind, n - 1] == 0.0:
                after[top] += 1
            elif actors[child] < 0:
                chips = pay[payoff[child], codes[d], seat]
                for x in range(n):
                    value[top, x] += weights[top, kind, x] * chips
                after[top] += 1
            else:
                nodes[top + 1], bases[top + 1] = child, bases[top] + skips[edge + a]
                top, entered = top + 1, True
        won[d, :] = value[0, :]


@njit(cache=True, nogil=True)
def weigh(odds, factors, moved, weights):
    """The odds of folding, calling and raising with each factor: see `aggression.shifted`. `moved`: it may raise."""
    for x in range(factors.shape[0]):
        part = factors[x] if moved else 0.0
        more = part * odds[CALLS] if part > 0.0 else part * odds[RAISES]
        weights[FOLDS, x] = odds[FOLDS]
        weights[CALLS, x] = odds[CALLS] - more
        weights[RAISES, x] = odds[RAISES] + more
