"""Compiled: a sampler's table as a strategy in one byte a probability, and what two such strategies win."""

# mypy: disable-error-code=no-untyped-def

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit
from pokerlab.solvers.sampling.kernels import next_block
from pokerlab.solvers.sampling.randomness import uniform


@njit(cache=True, nogil=True)
def fill_bytes(graph, call, cells, nodes, bases, mean, strategy):
    """The average strategy in units of 1/255, the row at cell c from strategy[c // 2] on. Returns how many were met.

    A row that no walk has met plays what its node does on average over all buckets; if there is none, it calls, which
    is action number call[node].
    """
    met = 0
    nodes[0], bases[0], top = 0, 0, 1
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        k = graph.actions[node]
        mean[:k] = 0.0
        for row in range(graph.buckets[node]):
            for a in range(k):
                mean[a] += cells[base + 2 * k * row + k + a]
        if mean[:k].sum() == 0.0:
            mean[call[node]] = 1.0
        for row in range(graph.buckets[node]):
            at = base + 2 * k * row
            total = 0.0
            for a in range(k):
                total += cells[at + k + a]
            met += total > 0.0
            if total > 0.0:
                for a in range(k):
                    strategy[at // 2 + a] = np.uint8(255.0 * cells[at + k + a] / total + 0.5)
            else:
                for a in range(k):
                    strategy[at // 2 + a] = np.uint8(255.0 * mean[a] / mean[:k].sum() + 0.5)
    return met


@njit(cache=True, nogil=True)
def empty_row(graph, nodes, bases, strategy):
    """A node at which some row of a strategy in bytes takes no action; -1 if there is none."""
    nodes[0], bases[0], top = 0, 0, 1
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        k = graph.actions[node]
        for row in range(graph.buckets[node]):
            at, total = base // 2 + k * row, 0
            for a in range(k):
                total += strategy[at + a]
            if total == 0:
                return node
    return -1


class Walk(NamedTuple):
    """Scratch of a walk over all betting of a deal."""

    node: np.ndarray  # [stack] places still to walk
    base: np.ndarray
    slot: np.ndarray  # where the value of a place goes
    reach: np.ndarray  # the other's probability of going there
    own: np.ndarray  # the seat's
    met: np.ndarray  # [decisions] nodes, in the order in which they were met
    at: np.ndarray  # [decisions] where the strategies have the row
    into: np.ndarray  # [decisions] where the value goes
    chance: np.ndarray  # [decisions] of being there
    value: np.ndarray  # [1 + decisions * most actions] 0 is the root's
    times: np.ndarray  # the same shape: what a value is multiplied with


@njit(cache=True, nogil=True, error_model="numpy")
def play_out(graph, pair, seat, buckets, codes, work, won, gain, least, explore, rng):
    """What a seat wins in each deal on average over all that is done, won[d]; and what each of its actions would gain.

    The seat plays pair[0] and the other pair[1], in bytes as above; buckets and codes are those of `sampling.deals`. To
    gain[i, 0], i the place of an action among the probabilities, is added what it is worth more than the row's mixture,
    times the probability of coming there if a part `explore` of the seat's play is uniform, and to gain[i, 1] the
    square of that. Without room for them (length 0) they are left out.

    Where the other comes with a probability p below `least`, the walk goes on with the chance p / least only, and what
    it finds counts the more: right on average.
    """
    actors, rounds, actions, firsts = graph.actor, graph.round, graph.actions, graph.first
    children, skips, payoff, pay = graph.child, graph.skip, graph.payoff, graph.pay
    nodes, bases, slots, reaches, owns = work.node, work.base, work.slot, work.reach, work.own
    met, rows, into, chances, values, times = work.met, work.at, work.into, work.chance, work.value, work.times
    gains = gain.shape[0] > 0
    times[0] = 1.0
    for d in range(codes.shape[0]):
        nodes[0], bases[0], slots[0], reaches[0], owns[0], top, count, slot = 0, 0, 0, 1.0, 1.0, 1, 0, 1
        while top > 0:
            top -= 1
            node, base, reach, own = nodes[top], bases[top], reaches[top], owns[top]
            actor, k, edge = actors[node], actions[node], firsts[node]
            at, who = base // 2 + k * buckets[d, actor, rounds[node]], 0 if actor == seat else 1
            met[count], rows[count], into[count], chances[count] = node, at, slots[top], reach * own
            count += 1
            total = 0.0
            for a in range(k):
                total += pair[who, at + a]
            for a in range(k):
                child, here, odds = children[edge + a], slot + a, pair[who, at + a] / total
                after = reach * odds if who == 1 else reach
                if actors[child] < 0:
                    values[here] = pay[payoff[child], codes[d], seat]
                    continue
                values[here], times[here] = 0.0, 1.0
                if after == 0.0 or not (gains or odds > 0.0):
                    continue  # it has no weight
                if who == 1 and after < least:
                    if uniform(rng) * least >= after:
                        continue
                    times[here], after = least / after, least
                nodes[top], bases[top], slots[top], reaches[top] = child, base + skips[edge + a], here, after
                owns[top] = own * ((1.0 - explore) * odds + explore / k) if who == 0 else own
                top += 1
            slot += k
        for i in range(count - 1, -1, -1):
            node, at = met[i], rows[i]
            k, who = actions[node], 0 if actors[node] == seat else 1
            slot -= k
            total, value = 0.0, 0.0
            for a in range(k):
                total += pair[who, at + a]
                value += pair[who, at + a] * values[slot + a]
            value /= total
            if gains and who == 0:
                for a in range(k):
                    more = chances[i] * (values[slot + a] - value)
                    gain[at + a, 0] += more
                    gain[at + a, 1] += more * more
            values[into[i]] = value * times[into[i]]
        won[d] = values[0]


@njit(cache=True, nogil=True)
def improve(graph, seat, sure, gain, nodes, bases, strategy):
    """Have a seat play the action that gained most, where it did by `sure` standard errors."""
    nodes[0], bases[0], top = 0, 0, 1
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        if graph.actor[node] != seat:
            continue
        k = graph.actions[node]
        for row in range(graph.buckets[node]):
            at, best = base // 2 + k * row, 0
            for a in range(1, k):
                if gain[at + a, 0] > gain[at + best, 0]:
                    best = a
            if gain[at + best, 0] > sure * np.sqrt(gain[at + best, 1]):
                for a in range(k):
                    strategy[at + a] = 255 if a == best else 0
