"""A tree of betting that grows by one node a simulation, in compiled loops.

A node is a line of betting from the present decision on; where a round has ended, it has a child for each fifth that
the player's own hand then falls into. Where the player itself is to act, the child is taken whose mean lies highest
with some standard errors on top, more of them the more visits there were, and the node is worth the mean of its
children, each counted as often as it may be the best by their standard errors. Before that it is visited some times,
with all playing as their models do, as they do beyond the tree. Where another acts, its model does, and the node is
worth the mean of its children by visits.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import math

import numpy as np

from pokerlab.compiled import njit
from pokerlab.field.betting_kernels import ACTOR, ROUND, SPENT, faced, left_alone, net, raise_to, step
from pokerlab.field.player import CALLS, FOLDS, RAISES
from pokerlab.field.rollout_kernels import deal_board, draw_hands, drawn_kind, play_out, rank_rounds
from pokerlab.solvers.sampling.randomness import below

MEAN, ERROR, VISITS, SUM, SQUARES, WHOSE, CHOICES = range(7)  # of a node
OTHERS, MINE, NOBODYS = range(3)  # whose node it is; nobody's where one is left alone, and its value is certain
FIFTHS = 5
FIRST_VISITS = (
    8  # to a node of one's own before its actions are told apart, and to each of them before they are compared
)
DEEPEST = 80  # actions in a hand


@njit(cache=True, nogil=True)
def preferred(m1, s1, m2, s2):
    """Mean and deviation of two normals, each weighed by the chance that it is the larger."""
    a = math.sqrt(s1 * s1 + s2 * s2)
    if a < 1e-12:
        return (m1, s1) if m1 >= m2 else (m2, s2)
    first = 0.5 * (1 + math.erf((m1 - m2) / a / math.sqrt(2.0)))
    return m1 * first + m2 * (1 - first), math.sqrt((s1 * first) ** 2 + (s2 * (1 - first)) ** 2)


@njit(cache=True, nogil=True)
def back_up(nodes, children, node, won, spread):
    """Count a result in a node, and make its mean and error anew from its children, or from results without any."""
    row = nodes[node]
    row[VISITS] += 1
    row[SUM] += won
    row[SQUARES] += won * won
    n = row[VISITS]
    mean = row[SUM] / n
    # of few results the deviation is not known: one more at `spread` stands for that
    error = math.sqrt((max(row[SQUARES] - n * mean * mean, 0.0) + spread * spread) / (n + 1) / n)
    if row[WHOSE] == NOBODYS:
        error = 0.0
    best, unsure, tried = 0.0, 0.0, 0
    weight, total = 0.0, 0.0
    for i in range(FIFTHS):
        child = children[node, i]
        if child >= 0:
            m, s, visits = nodes[child, MEAN], nodes[child, ERROR], nodes[child, VISITS]
            best, unsure = preferred(best, unsure, m, s) if tried else (m, s)
            weight, total = weight + visits, total + visits * m
            tried += 1
    if row[WHOSE] == MINE and tried > 0 and tried == row[CHOICES]:
        mean, error = best, unsure
    elif row[WHOSE] == OTHERS and tried > 0:
        mean = total / weight
    row[MEAN], row[ERROR] = mean, error


@njit(cache=True, nogil=True)
def selected(nodes, children, node, facing, may_raise, errors):
    """The kind to try at one's own node: one tried too little, or the highest mean with so many standard errors."""
    best, most = CALLS, -np.inf
    for kind in range(3):
        if (kind == FOLDS and not facing) or (kind == RAISES and not may_raise):
            continue
        child = children[node, kind]
        if child < 0 or nodes[child, VISITS] < FIRST_VISITS:
            return kind
        hope = nodes[child, MEAN] + errors * nodes[child, ERROR] * math.sqrt(math.log(nodes[node, VISITS]))
        if hope > most:
            best, most = kind, hope
    return best


@njit(cache=True, nogil=True)
def _child(nodes, children, node, which, whose, count):
    """A child of a node, made if it was missing: its number, how many nodes there are then, and whether it is new."""
    if children[node, which] >= 0:
        return children[node, which], count, False
    children[node, which] = count
    nodes[count, WHOSE] = whose
    return count, count + 1, True


@njit(cache=True, nogil=True)
def grow(
    tables,
    holes,
    terms,
    start,
    mine,
    board,
    models,
    noise,
    weights,
    now,
    boards,
    trials,
    errors,
    rng,
    nodes,
    children,
    count,
):
    """Grow the tree by simulations; how many nodes it has then.

    As `roll_out`, but that every trial takes any of the `boards`; it adds a node at most. `nodes` [most, 7] and
    `children` [most, 5] have `count` nodes already, the first the root.
    """
    players, seat, first = len(terms.stacks), start[ACTOR], start[ROUND]
    alive = start[SPENT + players :] == 0
    running, spread = np.empty((players, 1326)), 0.0
    for player in range(players):
        running[player] = np.cumsum(weights[player])
        spread += start[SPENT + player]
    full, hands, shown = np.empty(5, np.uint8), np.zeros(players, np.int64), np.empty(players, np.int64)
    state, path, seen = start.copy(), np.empty(DEEPEST, np.int64), np.empty(boards, np.int64)
    all_ranks, all_values = np.empty((boards, 4, players, 1326)), np.empty((boards, 1326), np.int16)
    order, spare = np.empty(1326, np.uint16), np.empty(1326, np.uint16)
    hands[seat] = mine
    for b in range(boards):
        seen[b] = deal_board(board, holes[mine], full, rng)
        rank_rounds(tables, full, first, now, weights, alive, all_ranks[b], all_values[b], order, spare)
    for _ in range(trials):
        b = below(rng, boards)
        ranks, values = all_ranks[b], all_values[b]
        if not draw_hands(running, seat, alive, seen[b], holes, hands, rng):
            continue
        state[:] = start
        node, length, grown = 0, 1, False
        path[0] = 0
        while state[ACTOR] >= 0 and not grown and length < DEEPEST:
            round = state[ROUND]
            if state[ACTOR] == seat:
                facing, may_raise = faced(state, players), raise_to(terms, state) > 0
                nodes[node, CHOICES] = 1 + facing + may_raise
                if node > 0 and nodes[node, VISITS] < FIRST_VISITS:
                    break
                kind = selected(nodes, children, node, facing, may_raise, errors)
            else:
                kind = drawn_kind(ranks, hands, models, noise, state, players, rng)
                if kind == RAISES and raise_to(terms, state) == 0:
                    kind = CALLS
            step(terms, state, kind)
            over, new_round = state[ACTOR] < 0, state[ROUND] > round
            whose = OTHERS
            if over and (state[SPENT + players + seat] or left_alone(state, players) >= 0):
                whose = NOBODYS
            elif state[ACTOR] == seat and not new_round:
                whose = MINE
            node, count, grown = _child(nodes, children, node, kind, whose, count)
            path[length] = node
            length += 1
            if not grown and new_round and not over:
                fifth = min(np.int64(ranks[state[ROUND], seat, mine] * FIFTHS), FIFTHS - 1)
                whose = MINE if state[ACTOR] == seat else OTHERS
                node, count, grown = _child(nodes, children, node, fifth, whose, count)
                path[length] = node
                length += 1
        play_out(terms, state, ranks, hands, models, noise, rng)
        for player in range(players):
            shown[player] = values[hands[player]]
        won = net(state, players, shown, seat) + start[SPENT + seat]
        for i in range(length - 1, -1, -1):
            back_up(nodes, children, path[i], won, spread)
    return count
