"""Compiled counting of how two players' buckets on the river come together, and who wins, over boards.

On one board the holes are sorted by value; going up, a hole beats all below and loses to all above, counted by the
opponent's bucket, so that a row is added for each hole and no pair is looked at. Pairs that share a card are then
taken out card by card: 46 holes have it. Both figures share an integer: pairs below 2**32, wins less losses above.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.abstraction.buckets.kernels import fill_street, rule_rivers
from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.cards.sweep_kernels import fill_strengths
from pokerlab.compiled import njit

SIGN = np.int64(1) << 32


@njit(cache=True, nogil=True)
def _localise(parents, names, known):
    """Number the parents on a board from 0 in order of appearance; returns how many there are."""
    count = 0
    known[:] = -1
    for parent in parents:
        if parent >= 0 and known[parent] < 0:
            known[parent] = count
            names[count] = parent
            count += 1
    return count


@njit(cache=True, nogil=True)
def _local(lookup, parents, known, children, buckets, local):
    """River buckets as the local number of their parent and the child's place among its siblings."""
    for hole in range(1326):
        if buckets[hole] >= 0:
            parent = parents[hole]
            local[hole] = known[parent] * children + buckets[hole] - lookup.first[parent]


@njit(cache=True, nogil=True)
def add_river(values, order, n, holes, mine, theirs, width, pairs, sums, row, cards, count):
    """Add one board's pairs of holes, by local buckets, to `pairs`; the arrays after it are scratch."""
    below, level, total = sums[0], sums[1], sums[2]
    sums[:, :width] = 0
    count[:] = 0
    for i in range(n):
        hole = order[i]
        total[theirs[hole]] += 1
        for card in holes[hole]:
            held = cards[card, count[card]]
            held[0], held[1], held[2] = values[hole], mine[hole], theirs[hole]
            count[card] += 1
        pairs[mine[hole], theirs[hole]] -= 1  # nobody meets his own hole
    start = 0
    while start < n:
        value, end = values[order[start]], start
        while end < n and values[order[end]] == value:
            level[theirs[order[end]]] += 1
            end += 1
        for j in range(width):
            row[j] = (2 * below[j] + level[j] - total[j]) * SIGN + total[j]
        for i in range(start, end):
            mine_row = pairs[mine[order[i]]]
            for j in range(width):
                mine_row[j] += row[j]
        for i in range(start, end):
            bucket = theirs[order[i]]
            below[bucket] += level[bucket]
            level[bucket] = 0
        start = end
    for card in range(52):
        held, tied = cards[card], 0
        for i in range(count[card]):
            value, a, b = held[i, 0], held[i, 1], held[i, 2]
            while held[tied, 0] < value:
                tied += 1
            for j in range(tied):
                pairs[a, held[j, 2]] -= SIGN + 1
                pairs[held[j, 1], b] += SIGN - 1
            for j in range(tied, i):
                pairs[a, held[j, 2]] -= 1
                pairs[held[j, 1], b] -= 1


@njit(cache=True, nogil=True)
def add_boards(tables, holes, ours, our_suits, yours, your_suits, sizes, boards, counts, joint, sign):
    """Add to `joint` and `sign` [our buckets, your buckets] all pairs of holes on all rivers after turns.

    Board i stands for counts[i] boards; `sizes` are the most children of a turn bucket, ours and yours.
    """
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.int16), np.empty(1326, np.int16)
    strengths, indices = np.empty(1326, np.int16), np.empty(1326, np.int64)
    parents_a, parents_b = np.empty(1326, np.int32), np.empty(1326, np.int32)
    buckets = np.empty(1326, np.int32)
    mine, theirs = np.empty(1326, np.int64), np.empty(1326, np.int64)
    names_a, names_b = np.empty(1326, np.int64), np.empty(1326, np.int64)
    known_a, known_b = np.empty(len(ours.first), np.int64), np.empty(len(yours.first), np.int64)
    cards, count = np.empty((52, 52, 3), np.int32), np.zeros(52, np.int64)
    most_a, most_b = min(1326, len(ours.first)) * sizes[0], min(1326, len(yours.first)) * sizes[1]
    sums, row = np.zeros((3, most_b), np.int64), np.zeros(most_b, np.int64)
    space = np.zeros(most_a * most_b, np.int64)
    river = np.empty(5, np.uint8)
    for i in range(len(boards)):
        river[:4] = boards[i]
        fill_street(ours, our_suits, boards[i], indices, parents_a)
        fill_street(yours, your_suits, boards[i], indices, parents_b)
        height = _localise(parents_a, names_a, known_a) * sizes[0]
        width = _localise(parents_b, names_b, known_b) * sizes[1]
        pairs = space[: height * width].reshape((height, width))
        pairs[:] = 0
        for card in range(52):
            if card == river[0] or card == river[1] or card == river[2] or card == river[3]:
                continue
            river[4] = card
            fill_board(tables, river, values)
            n = sort_board(values, order, spare)
            fill_strengths(values, order, n, holes, strengths)
            rule_rivers(ours, river, strengths, parents_a, buckets)
            _local(ours, parents_a, known_a, sizes[0], buckets, mine)
            rule_rivers(yours, river, strengths, parents_b, buckets)
            _local(yours, parents_b, known_b, sizes[1], buckets, theirs)
            add_river(values, order, n, holes, mine, theirs, width, pairs, sums, row, cards, count)
        for a in range(height):
            first = ours.first[names_a[a // sizes[0]]] + a % sizes[0]
            for b in range(width):
                both = pairs[a, b]
                if both:
                    second = yours.first[names_b[b // sizes[1]]] + b % sizes[1]
                    met = both & (SIGN - 1)
                    joint[first, second] += counts[i] * met
                    sign[first, second] += counts[i] * ((both - met) >> 32)
