"""Compiled loops over boards: what each of the 1,326 hands beats and ties there, with card removal, in one sorted pass.

On one board the hands are sorted by value. Going up, a hand beats what lies below less what of it holds one of its two
cards, so that a running total, and one a card, do for all hands: no pair of hands is ever looked at.
"""

# mypy: allow-untyped-defs

# mypy: disable-error-code=no-untyped-def

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.compiled import njit

HANDS = 1326


@njit(cache=True, nogil=True)
def next_choice(chosen, n):
    """Step to the next ascending choice out of range(n); False after the last."""
    size = len(chosen)
    i = size - 1
    while i >= 0 and chosen[i] == n - size + i:
        i -= 1
    if i < 0:
        return False
    chosen[i] += 1
    for j in range(i + 1, size):
        chosen[j] = chosen[j - 1] + 1
    return True


@njit(cache=True, nogil=True)
def representatives(board, live, come, suits, boards, counts):
    """Boards with `come` of the `live` cards added, one for each set that the suit permutations `suits` make equal.

    `suits` is a group (its rows) and leaves board and live cards as they are. Fills `boards` and `counts` (how many are
    equal to each) and says how many there are.
    """
    shown, count = len(board), 0
    masks, chosen = np.zeros(4, np.int64), np.arange(come)
    while True:
        masks[:] = 0
        for i in range(come):
            card = live[chosen[i]]
            masks[card & 3] |= 1 << (card >> 2)
        key = masks[0] | masks[1] << 13 | masks[2] << 26 | masks[3] << 39
        equal, least = 0, True
        for s in suits:
            other = masks[0] << 13 * s[0] | masks[1] << 13 * s[1] | masks[2] << 13 * s[2] | masks[3] << 13 * s[3]
            if other < key:
                least = False
                break
            equal += other == key
        if least:
            boards[count, :shown] = board
            for i in range(come):
                boards[count, shown + i] = live[chosen[i]]
            counts[count] = len(suits) // equal
            count += 1
        if not next_choice(chosen, len(live)):
            return count


@njit(cache=True, nogil=True)
def add_showdowns(values, order, n, cards, weights, times, beaten, matched, below):
    """Add the weight of the hands that each hand beats, and that it beats or ties, `times` over; no card is shared.

    `order` has n hands by value, the weakest first; `below` (52 floats) is scratch for the running sums.
    """
    below[:] = 0.0
    total, start = 0.0, 0
    while start < n:
        value, end = values[order[start]], start
        while end < n and values[order[end]] == value:
            hand = order[end]
            beaten[hand] += times * (total - below[cards[hand, 0]] - below[cards[hand, 1]])
            end += 1
        for i in range(start, end):
            hand = order[i]
            weight = weights[hand]
            total += weight
            below[cards[hand, 0]] += weight
            below[cards[hand, 1]] += weight
        for i in range(start, end):
            hand = order[i]
            # Its own weight was added to the total, and taken away for each of its two cards.
            matched[hand] += times * (total - below[cards[hand, 0]] - below[cards[hand, 1]] + weights[hand])
        start = end


@njit(cache=True, nogil=True)
def range_showdowns(tables, boards, counts, cards, ours, theirs):
    """Of every hand [2, 1326] against `theirs`, then against `ours`: weight beaten, and beaten or tied, over boards."""
    values, order, spare = np.empty(HANDS, np.int16), np.empty(HANDS, np.uint16), np.empty(HANDS, np.uint16)
    below, first, second = np.zeros(52), np.zeros((2, HANDS)), np.zeros((2, HANDS))
    for i in range(len(boards)):
        fill_board(tables, boards[i], values)
        n = sort_board(values, order, spare)
        add_showdowns(values, order, n, cards, theirs, counts[i], first[0], first[1], below)
        add_showdowns(values, order, n, cards, ours, counts[i], second[0], second[1], below)
    return first, second


@njit(cache=True, nogil=True)
def range_samples(tables, boards, cards, ours, theirs):
    """On each board, the weight of pairs of hands: ours wins, ours wins or ties, all pairs; (boards, 3)."""
    values, order, spare = np.empty(HANDS, np.int16), np.empty(HANDS, np.uint16), np.empty(HANDS, np.uint16)
    below, beaten, matched = np.zeros(52), np.empty(HANDS), np.empty(HANDS)
    weights = np.zeros((len(boards), 3))
    for i in range(len(boards)):
        fill_board(tables, boards[i], values)
        n = sort_board(values, order, spare)
        beaten[:] = 0.0
        matched[:] = 0.0
        add_showdowns(values, order, n, cards, theirs, 1.0, beaten, matched, below)
        total = 0.0
        for hand in order[:n]:
            total += theirs[hand]
        for hand in order[:n]:  # `below` is now the weight of all hands with each card
            met = total - below[cards[hand, 0]] - below[cards[hand, 1]] + theirs[hand]
            weights[i, 0] += ours[hand] * beaten[hand]
            weights[i, 1] += ours[hand] * matched[hand]
            weights[i, 2] += ours[hand] * met
    return weights


@njit(cache=True, nogil=True)
def hand_showdowns(tables, boards, cards, mine, theirs):
    """On each board, the weight of hands that hand number `mine` beats, beats or ties, and meets: (boards, 3)."""
    values, against = np.empty(HANDS, np.int16), theirs.copy()
    a, b = cards[mine, 0], cards[mine, 1]
    for hand in range(HANDS):
        if cards[hand, 0] == a or cards[hand, 0] == b or cards[hand, 1] == a or cards[hand, 1] == b:
            against[hand] = 0.0
    weights = np.zeros((len(boards), 3))
    for i in range(len(boards)):
        fill_board(tables, boards[i], values)
        value, beaten, matched, met = values[mine], 0.0, 0.0, 0.0
        for hand in range(HANDS):
            if values[hand]:
                met += against[hand]
                beaten += against[hand] if values[hand] < value else 0.0
                matched += against[hand] if values[hand] <= value else 0.0
        weights[i, 0], weights[i, 1], weights[i, 2] = beaten, matched, met
    return weights
