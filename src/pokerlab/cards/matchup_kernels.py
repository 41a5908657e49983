"""Compiled loop over boards: how often each of the 1,326 hands beats each other one."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import fill_board
from pokerlab.compiled import njit

HANDS = 1326
AT_ONCE = 256  # boards whose values stay in the processor's cache
_NEVER = 32767  # a value that nothing beats, for hands that the board makes impossible


@njit(cache=True, nogil=True)
def count_wins(tables, boards, counts):
    """How many boards, each counted `counts` times, each hand (row) wins against each other (column): int32.

    Boards with the same count should come together. Pairs of hands with a card in common are counted like any other.
    """
    wins = np.zeros((HANDS, HANDS), np.int32)
    values, row = np.empty((AT_ONCE, HANDS), np.int16), np.empty(HANDS, np.int16)
    start = 0
    while start < len(boards):
        times, size = np.int32(counts[start]), 0
        while size < AT_ONCE and start + size < len(boards) and counts[start + size] == times:
            fill_board(tables, boards[start + size], values[size])
            for hand in range(HANDS):
                if values[size, hand] == 0:
                    values[size, hand] = _NEVER
            size += 1
        for hand in range(HANDS):
            _wins_of(values[:size], hand, row)
            for other in range(HANDS):
                wins[hand, other] += times * row[other]
        start += size
    return wins


@njit(cache=True, nogil=True)
def _wins_of(values, hand, row):
    """On how many boards a hand beats each other one, in numbers so short that many are compared at a time."""
    row[:] = 0
    for board in range(len(values)):
        mine, theirs = values[board, hand], values[board]
        if mine != _NEVER:
            for other in range(HANDS):
                row[other] += theirs[other] < mine
