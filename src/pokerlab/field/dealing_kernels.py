"""Compiled deals to the end: what part of the pot a hand wins when everybody stays to the showdown."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import value_of
from pokerlab.compiled import njit
from pokerlab.solvers.sampling.randomness import below


@njit(cache=True, nogil=True)
def won_shares(tables, hole, board, opponents, trials, rng):
    """The sum of a hand's shares of the pot, ties split, over `trials` deals against so many random hands."""
    known, shown = 2 + len(board), len(board)
    deck, count = np.empty(52, np.int64), 0
    for card in range(52):
        free = card != hole[0] and card != hole[1]
        for other in board:
            free &= card != other
        if free:
            deck[count] = card
            count += 1
    cards = np.empty(7, np.int64)
    cards[2 : 2 + shown] = board
    needed, total = 7 - known + 2 * opponents, 0.0
    for _ in range(trials):
        for i in range(needed):
            j = i + below(rng, count - i)
            deck[i], deck[j] = deck[j], deck[i]
        come = 5 - shown
        cards[2 + shown :] = deck[:come]
        cards[:2] = hole
        mine, ties, lost = value_of(tables, cards), 1, False
        for other in range(opponents):
            cards[:2] = deck[come + 2 * other : come + 2 * other + 2]
            value = value_of(tables, cards)
            lost |= value > mine
            ties += value == mine
        if not lost:
            total += 1.0 / ties
    return total
