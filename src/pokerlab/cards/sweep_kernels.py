"""Compiled sweeps over boards: the strength of every hole on every board, into tables by canonical index.

A strength on the river is 2 * hands beaten + hands tied, 0 to 1,980 of the 990 that an opponent may hold. Boards are
taken by number: what a loop over an array gives has no known layout, and all that it is passed to is compiled again.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.cards.isomorphism_kernels import fill_holes
from pokerlab.compiled import njit


@njit(cache=True, nogil=True)
def fill_strengths(values, order, n, holes, strengths):
    """Strengths on the river of the `n` holes in `order`, from their values; -1 for the others.

    Going up by value, a hole beats what lies below less what of it holds one of its cards: no pair is looked at.
    """
    below, level = np.zeros(52, np.int32), np.zeros(52, np.int32)
    strengths[:] = -1
    start = 0
    while start < n:
        value, end = values[order[start]], start
        while end < n and values[order[end]] == value:
            hole = order[end]
            level[holes[hole, 0]] += 1
            level[holes[hole, 1]] += 1
            end += 1
        # A hole is among the ties of both its cards, and no opponent of itself.
        all_below = 2 * start + (end - start) + 1
        for i in range(start, end):
            hole = order[i]
            a, b = holes[hole, 0], holes[hole, 1]
            strengths[hole] = all_below - 2 * (below[a] + below[b]) - level[a] - level[b]
        for i in range(start, end):
            hole = order[i]
            for card in holes[hole]:
                below[card] += level[card]
                level[card] = 0
        start = end


@njit(cache=True, nogil=True)
def sweep_rivers(tables, suits, holes, boards, strengths):
    """Strengths of all holes on boards of five cards, by index: uint16."""
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.int16), np.empty(1326, np.int16)
    on_board, indices = np.empty(1326, np.int16), np.empty(1326, np.int64)
    for row in range(len(boards)):
        board = boards[row]
        fill_board(tables, board, values)
        n = sort_board(values, order, spare)
        fill_strengths(values, order, n, holes, on_board)
        fill_holes(suits, board, indices)
        for hole in order[:n]:
            strengths[indices[hole]] = on_board[hole]


@njit(cache=True, nogil=True)
def next_strengths(tables, holes, board, runouts):
    """Strengths of all holes on each river that follows a turn: int16 [48, 1326], -1 where a card clashes."""
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.int16), np.empty(1326, np.int16)
    river = np.empty(5, np.uint8)
    river[:4] = board
    row = 0
    for card in range(52):
        if card != board[0] and card != board[1] and card != board[2] and card != board[3]:
            river[4] = card
            fill_board(tables, river, values)
            n = sort_board(values, order, spare)
            fill_strengths(values, order, n, holes, runouts[row])
            row += 1


@njit(cache=True, nogil=True)
def sweep_turns(tables, suits, holes, boards, sums, squares):
    """Sums of strengths and of their squares over the 46 rivers, for all holes on boards of four cards."""
    runouts, indices = np.empty((48, 1326), np.int16), np.empty(1326, np.int64)
    for row in range(len(boards)):
        board = boards[row]
        next_strengths(tables, holes, board, runouts)
        fill_holes(suits, board, indices)
        for hole in range(1326):
            if indices[hole] >= 0:
                total, square = 0, 0
                for river in range(48):
                    strength = np.int64(runouts[river, hole])
                    if strength >= 0:
                        total += strength
                        square += strength * strength
                sums[indices[hole]] = total
                squares[indices[hole]] = square


@njit(cache=True, nogil=True)
def add_turns(turn_suits, flop_suits, boards, turn_sums, turn_squares, sums, squares):
    """From the sums on the turn those on the flop: each of the 1,081 boards to come is that of two turns."""
    after, indices = np.empty(1326, np.int64), np.empty(1326, np.int64)
    total, square = np.empty(1326, np.int64), np.empty(1326, np.int64)
    turn = np.empty(4, np.uint8)
    for row in range(len(boards)):
        board = boards[row]
        turn[:3] = board
        total[:] = 0
        square[:] = 0
        for card in range(52):
            if card == board[0] or card == board[1] or card == board[2]:
                continue
            turn[3] = card
            fill_holes(turn_suits, turn, after)
            for hole in range(1326):
                if after[hole] >= 0:
                    total[hole] += turn_sums[after[hole]]
                    square[hole] += turn_squares[after[hole]]
        fill_holes(flop_suits, board, indices)
        for hole in range(1326):
            if indices[hole] >= 0:
                sums[indices[hole]] = total[hole] // 2
                squares[indices[hole]] = square[hole] // 2
