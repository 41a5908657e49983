"""A second evaluator, by loops over bits and no tables: the twin of the one by tables, fast enough to see every hand.

The number is the category in its high bits and up to five ranks below it, four bits each, so that it orders
hands exactly as the tuples of `ranking.strength` do.
"""

import numpy as np
from numba import njit

_WHEEL = 0b1000000001111  # ace, and two to five


@njit(cache=True)
def value_of(cards, suits):
    """The value of 5 to 7 cards, each `rank * suits + suit`, of a deck of at most 13 ranks and 4 suits."""
    counts = np.zeros(13, np.int64)
    masks = np.zeros(4, np.int64)
    every = 0
    for card in cards:
        rank = card // suits
        counts[rank] += 1
        masks[card % suits] |= 1 << rank
        every |= 1 << rank
    flush = 0
    for s in range(suits):
        if _ones(masks[s]) >= 5:
            flush = masks[s]
    if flush:
        top = _straight_top(flush)
        if top >= 0:
            return (8 << 20) | (top << 16)
    quad, trip, pair, second, third = -1, -1, -1, -1, -1
    for rank in range(12, -1, -1):
        n = counts[rank]
        if n == 4 and quad < 0:
            quad = rank
        elif n == 3 and trip < 0:
            trip = rank
        elif n >= 2:  # a second set of trips plays as a pair
            if pair < 0:
                pair = rank
            elif second < 0:
                second = rank
            elif third < 0:
                third = rank
    if quad >= 0:
        return (7 << 20) | (quad << 16) | (_kickers(every & ~(1 << quad), 1) << 12)
    if trip >= 0 and pair >= 0:
        return (6 << 20) | (trip << 16) | (pair << 12)
    if flush:
        return (5 << 20) | _kickers(flush, 5)
    top = _straight_top(every)
    if top >= 0:
        return (4 << 20) | (top << 16)
    if trip >= 0:
        return (3 << 20) | (trip << 16) | (_kickers(every & ~(1 << trip), 2) << 8)
    if second >= 0:
        rest = every & ~(1 << pair) & ~(1 << second)
        return (2 << 20) | (pair << 16) | (second << 12) | (_kickers(rest, 1) << 8)
    if pair >= 0:
        return (1 << 20) | (pair << 16) | (_kickers(every & ~(1 << pair), 3) << 4)
    return _kickers(every, 5)


@njit(cache=True)
def _ones(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True)
def _straight_top(mask):
    runs = mask & (mask << 1) & (mask << 2) & (mask << 3) & (mask << 4)
    if runs:
        top = 12
        while not runs >> top & 1:
            top -= 1
        return top
    return 3 if mask & _WHEEL == _WHEEL else -1


@njit(cache=True)
def _kickers(mask, count):
    """The `count` highest ranks of a mask, four bits each, highest first."""
    value, taken, rank = 0, 0, 12
    while taken < count and rank >= 0:
        if mask >> rank & 1:
            value = value << 4 | rank
            taken += 1
        rank -= 1
    return value << 4 * (count - taken)
