"""Compiled loops behind `any_deck`: strengths with a part of the 52 cards, on the last board and summed over boards."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import _FLUSH, fill_board, look_up, sort_board
from pokerlab.cards.isomorphism_kernels import fill_holes, index_of
from pokerlab.cards.sweep_kernels import fill_strengths
from pokerlab.compiled import njit


@njit(cache=True, nogil=True)
def fill_sums(tables, holes, inside, deck, board, last, sums):
    """Strengths (2 * hands beaten + hands tied) of all holes that are `inside` the deck, summed over the boards of
    `last` cards that follow a board of three or more; -1 for the others."""
    size = len(board)
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.int16), np.empty(1326, np.int16)
    strengths, whole = np.empty(1326, np.int16), np.empty(last, np.uint8)
    whole[:size] = board
    n = len(deck)
    sums[:] = 0
    # The cards to come are none, deck[i], or deck[i] and deck[j] with j < i.
    for i in range(n if size < last else 1):
        for j in range(i if size + 1 < last else 1):
            clash = False
            if size < last:
                whole[size] = deck[i]
            if size + 1 < last:
                whole[size + 1] = deck[j]
            for k in range(size):
                if (size < last and board[k] == deck[i]) or (size + 1 < last and board[k] == deck[j]):
                    clash = True
            if clash:
                continue
            fill_board(tables, whole, values)
            for hole in range(1326):
                if not inside[hole]:
                    values[hole] = 0
            met = sort_board(values, order, spare)
            fill_strengths(values, order, met, holes, strengths)
            for hole in order[:met]:
                sums[hole] += strengths[hole]
    for hole in range(1326):
        if not inside[hole]:
            sums[hole] = -1
    for k in range(size):
        card = np.int64(board[k])
        for other in range(52):
            if other != card:
                high, low = max(card, other), min(card, other)
                sums[high * (high - 1) // 2 + low] = -1


@njit(cache=True, nogil=True)
def sweep_sums(tables, holes, inside, deck, boards, times, last, step, totals, histogram):
    """Over boards that stand for so many each: sums of each hole added to `totals`, and counted by sum // step."""
    sums = np.empty(1326, np.int64)
    for row in range(len(boards)):
        fill_sums(tables, holes, inside, deck, boards[row], last, sums)
        for hole in range(1326):
            if sums[hole] >= 0:
                totals[hole] += times[row] * sums[hole]
                histogram[sums[hole] // step] += times[row]


@njit(cache=True, nogil=True)
def sweep_buckets(tables, holes, inside, deck, boards, last, step, cuts, suits, buckets):
    """The bucket of every hole on boards, by the index of hand and board up to suits: where sum // step is cut."""
    sums, indices = np.empty(1326, np.int64), np.empty(1326, np.int64)
    for row in range(len(boards)):
        fill_sums(tables, holes, inside, deck, boards[row], last, sums)
        fill_holes(suits, boards[row], indices)
        for hole in range(1326):
            if sums[hole] >= 0:
                buckets[indices[hole]] = np.searchsorted(cuts, sums[hole] // step, side="right")


@njit(cache=True, nogil=True)
def _value(tables, key, masks, a, b):
    """The value of a hole with a board whose key and ranks by suit are given."""
    key = key + tables.keys[a] + tables.keys[b]
    if not key & np.uint64(_FLUSH):
        return look_up(tables, key)
    suit = 0
    while not key >> np.uint64(35 + 4 * suit) & np.uint64(1):
        suit += 1
    mask = masks[suit]
    if a & 3 == suit:
        mask |= 1 << (a >> 2)
    if b & 3 == suit:
        mask |= 1 << (b >> 2)
    return tables.flushes[mask]


@njit(cache=True, nogil=True)
def last_strength(tables, deck, board, a, b, masks):
    """2 * hands beaten + hands tied of one hole on the last board; `masks` is room for four numbers."""
    key = tables.starts[len(board) + 2]
    masks[:] = 0
    gone = np.int64(1) << a | np.int64(1) << b
    for i in range(len(board)):
        card = np.int64(board[i])
        key += tables.keys[card]
        gone |= np.int64(1) << card
        masks[card & 3] |= 1 << (card >> 2)
    mine, strength = _value(tables, key, masks, a, b), 0
    for i in range(len(deck)):
        high = np.int64(deck[i])
        if gone >> high & 1:
            continue
        for j in range(i):
            low = np.int64(deck[j])
            if gone >> low & 1:
                continue
            theirs = _value(tables, key, masks, high, low)
            strength += 2 * (mine > theirs) + (mine == theirs)
    return strength


@njit(cache=True, nogil=True)
def fill_deals(tables, deck, deals, players, before, flop, flops, turn, turns, last, step, cuts, buckets):
    """Buckets [deals, players, 4] on none, three, four and the last so many cards, of cards among the 52.

    `before` has the bucket of each hole; `flop` and `turn` index hands up to suits for the tables `flops` and `turns`,
    of which one may be empty where no such board comes before the last.
    """
    hand, masks, board = np.empty(6, np.uint8), np.empty(4, np.int64), np.empty(last, np.uint8)
    for d in range(len(deals)):
        for i in range(last):
            board[i] = deals[d, 2 * players + i]
        for i in range(min(last, 4)):
            hand[2 + i] = board[i]
        for p in range(players):
            a, b = np.int64(deals[d, 2 * p]), np.int64(deals[d, 2 * p + 1])
            hand[0], hand[1] = a, b
            buckets[d, p, 0] = before[max(a, b) * (max(a, b) - 1) // 2 + min(a, b)]
            if len(flops):
                buckets[d, p, 1] = flops[index_of(flop, hand, 5)]
            if len(turns):
                buckets[d, p, 2] = turns[index_of(turn, hand, 6)]
            strength = last_strength(tables, deck, board, a, b, masks)
            buckets[d, p, 3] = np.searchsorted(cuts, strength // step, side="right")
