"""Compiled features of many hands at once: textures of boards, strength buckets by canonical index and on the river."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.cards.isomorphism_kernels import index_of
from pokerlab.cards.sweep_kernels import fill_strengths
from pokerlab.compiled import njit

_WHEEL = 0b1000000001111


@njit(cache=True, nogil=True)
def texture_of(board, n, by_levels):
    """The class of Table 3.5 of a board's first n cards."""
    suits, mask = np.zeros(4, np.int64), 0
    for i in range(n):
        suits[board[i] & 3] += 1
        mask |= 1 << (board[i] >> 2)
    flush, straight = 0, 0
    for suit in range(4):
        flush = max(flush, suits[suit])
    for low in range(-1, 9):
        run = mask & (_WHEEL if low < 0 else 0b11111 << low)
        count = 0
        while run:
            run &= run - 1
            count += 1
        straight = max(straight, count)
    return by_levels[min(max(flush - 2, 0), 2), min(max(straight - 2, 0), 2)]


@njit(cache=True, nogil=True)
def textures_of(boards, by_levels, out):
    for i in range(len(boards)):
        out[i] = texture_of(boards[i], boards.shape[1], by_levels)


@njit(cache=True, nogil=True)
def buckets_by_index(suits, table, cards, out):
    """Buckets of hands on the flop or the turn, from the table by canonical index; a hand is hole, then board."""
    for i in range(len(cards)):
        out[i] = table[index_of(suits, cards[i], cards.shape[1])]


@njit(cache=True, nogil=True)
def river_buckets(tables, buckets, cards, out):
    """Buckets of hands on the river; `buckets` has the one of each strength, 0 to 1,980."""
    values = np.empty(1326, np.int16)
    for i in range(len(cards)):
        fill_board(tables, cards[i, 2:], values)
        high, low = np.int64(max(cards[i, 0], cards[i, 1])), np.int64(min(cards[i, 0], cards[i, 1]))
        mine = values[(high * (high - 1) >> 1) + low]
        strength = 1  # the hand itself is among the holes once, and with both of its cards
        for value in values:
            strength += _won(mine, value)
        for own in (high, low):
            for card in range(own):
                strength -= _won(mine, values[(own * (own - 1) >> 1) + card])
            for card in range(own + 1, 52):
                strength -= _won(mine, values[(card * (card - 1) >> 1) + own])
        out[i] = buckets[strength]


@njit(cache=True, nogil=True, inline="always")
def _won(mine, theirs):
    """2 for a hole that is beaten, 1 for a tie, 0 also for one that the board has a card of."""
    return 2 * (0 < theirs < mine) + (theirs == mine)


@njit(cache=True, nogil=True)
def all_river_buckets(tables, holes, buckets, board, out):
    """Buckets of all 1,326 holes on a board of five; 0 where a card clashes."""
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.int16), np.empty(1326, np.int16)
    strengths = np.empty(1326, np.int16)
    fill_board(tables, board, values)
    n = sort_board(values, order, spare)
    fill_strengths(values, order, n, holes, strengths)
    for hole in range(1326):
        out[hole] = buckets[max(strengths[hole], 0)]
