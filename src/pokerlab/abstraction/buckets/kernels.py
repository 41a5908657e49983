"""Compiled lookups of buckets, and the sweeps that count hands in them.

On the river a bucket is found by a rule: the key of a hand is its strength, and among equal strengths the rank of its
hole before the flop; a parent's cuts divide its keys among its children.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.cards.isomorphism_kernels import fill_holes, index_of, unindex_into
from pokerlab.cards.sweep_kernels import fill_strengths, next_strengths

TIES = 169  # ranks of holes, to tell hands of the same strength apart


class Lookup(NamedTuple):
    """The buckets of an abstraction: tables by canonical index, and cuts on the river."""

    perfect: np.ndarray  # bool[1]: whether buckets know their past
    preflop: np.ndarray  # uint32[169]
    flop: np.ndarray  # uint32[1,286,792]
    turn: np.ndarray  # uint32, by (2, 3, 1) with perfect recall, by (2, 4) without
    first: np.ndarray  # int32: the first child on the river of each turn bucket; one entry without recall
    cuts: np.ndarray  # int32 (parents, most children - 1): the lowest keys of the second child, the third, ...
    ranks: np.ndarray  # int16[1326]: of holes before the flop, 0 to 168


class Suits(NamedTuple):
    """Tables of isomorphism that the kernels need."""

    hole: tuple
    flop: tuple
    turn: tuple
    river: tuple


@njit(cache=True, nogil=True, inline="always")
def child(cuts, key):
    """Which of the ascending cuts' intervals a key falls in."""
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) >> 1
        if cuts[middle] <= key:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def fill_street(lookup, suits, board, indices, buckets):
    """The buckets of all holes on a board of none, three or four cards, -1 where a card clashes."""
    if len(board) == 0:
        fill_holes(suits.hole, board, indices)
        table = lookup.preflop
    elif len(board) == 3:
        fill_holes(suits.flop, board, indices)
        table = lookup.flop
    else:
        fill_holes(suits.turn, board, indices)
        table = lookup.turn
    for hole in range(1326):
        index = indices[hole]
        buckets[hole] = np.int32(table[index]) if index >= 0 else np.int32(-1)


@njit(cache=True, nogil=True)
def fill_river(lookup, tables, holes, board, parents, buckets):
    """The buckets of all holes on a board of five; `parents` are those of the turn."""
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.int16), np.empty(1326, np.int16)
    strengths = np.empty(1326, np.int16)
    fill_board(tables, board, values)
    n = sort_board(values, order, spare)
    fill_strengths(values, order, n, holes, strengths)
    rule_rivers(lookup, strengths, parents, buckets)


@njit(cache=True, nogil=True)
def rule_rivers(lookup, strengths, parents, buckets):
    """River buckets by the rule, from strengths on the river and turn buckets."""
    for hole in range(1326):
        if strengths[hole] < 0:
            buckets[hole] = -1
        else:
            parent = parents[hole] if lookup.perfect[0] else 0
            key = np.int32(strengths[hole]) * TIES + lookup.ranks[hole]
            buckets[hole] = lookup.first[parent] + child(lookup.cuts[parent], key)


@njit(cache=True, nogil=True)
def fill_deals(lookup, suits, strengths, deals, players, buckets):
    """Buckets [deals, players, 4] of dealt cards: two a player, then the board; `strengths` are those of all rivers."""
    cards = np.empty(7, np.uint8)
    for i in range(len(deals)):
        for j in range(5):
            cards[2 + j] = deals[i, 2 * players + j]
        for player in range(players):
            cards[0], cards[1] = deals[i, 2 * player], deals[i, 2 * player + 1]
            found = buckets[i, player]
            found[0] = lookup.preflop[index_of(suits.hole, cards, 2)]
            found[1] = lookup.flop[index_of(suits.flop, cards, 5)]
            found[2] = lookup.turn[index_of(suits.turn, cards, 6)]
            a, b = np.int64(max(cards[0], cards[1])), np.int64(min(cards[0], cards[1]))
            key = np.int32(strengths[index_of(suits.river, cards, 7)]) * TIES + lookup.ranks[a * (a - 1) // 2 + b]
            parent = found[2] if lookup.perfect[0] else 0
            found[3] = lookup.first[parent] + child(lookup.cuts[parent], key)


@njit(cache=True, nogil=True)
def ordered_turns(suits, boards, turn, flop_indices, turn_indices):
    """For hands on the turn with the flop remembered: their index on the flop, and the one with order forgotten."""
    ordered, flop, forgotten = np.empty(1326, np.int64), np.empty(1326, np.int64), np.empty(1326, np.int64)
    for board in boards:
        fill_holes(turn, board, ordered)
        fill_holes(suits.flop, board[:3], flop)
        fill_holes(suits.turn, board, forgotten)
        for hole in range(1326):
            if ordered[hole] >= 0:
                flop_indices[ordered[hole]] = flop[hole]
                turn_indices[ordered[hole]] = forgotten[hole]


@njit(cache=True, nogil=True)
def count_rivers(lookup, suits, tables, holes, boards, counts, deals):
    """Add to `deals` (parents, 1981) the deals in each turn bucket with each strength on the river."""
    runouts = np.empty((48, 1326), np.int16)
    indices, parents = np.empty(1326, np.int64), np.empty(1326, np.int32)
    for i in range(len(boards)):
        fill_street(lookup, suits, boards[i], indices, parents)
        next_strengths(tables, holes, boards[i], runouts)
        for row in range(48):
            for hole in range(1326):
                strength = runouts[row, hole]
                if strength >= 0:
                    deals[parents[hole] if lookup.perfect[0] else 0, strength] += counts[i]


@njit(cache=True, nogil=True)
def count_ties(lookup, suits, tables, holes, boards, counts, slots, deals):
    """Add to `deals` (slots, 169) the deals by rank of the hole, where `slots` (parents, 1981) gives a slot, not -1."""
    runouts = np.empty((48, 1326), np.int16)
    indices, parents = np.empty(1326, np.int64), np.empty(1326, np.int32)
    for i in range(len(boards)):
        fill_street(lookup, suits, boards[i], indices, parents)
        next_strengths(tables, holes, boards[i], runouts)
        for row in range(48):
            for hole in range(1326):
                strength = runouts[row, hole]
                if strength >= 0:
                    slot = slots[parents[hole] if lookup.perfect[0] else 0, strength]
                    if slot >= 0:
                        deals[slot, lookup.ranks[hole]] += counts[i]


@njit(cache=True, nogil=True)
def next_indices(now, after, indices, found):
    """For hands given by index, with the board's order forgotten: their indices [hands, cards] after each next card."""
    shown = now.rounds[2, 0]
    cards = np.empty(shown + 1, np.uint8)
    for i in range(len(indices)):
        unindex_into(now, indices[i], 1, cards)
        seen = np.int64(0)
        for j in range(shown):
            seen |= np.int64(1) << np.int64(cards[j])
        at = 0
        for card in range(52):
            if not seen >> card & 1:
                cards[shown] = card
                found[i, at] = index_of(after, cards, shown + 1)
                at += 1


@njit(cache=True, nogil=True)
def flop_quantiles(flop, river, strengths, indices, found):
    """For hands on the flop: evenly spaced quantiles of their strength over the 1,081 boards to come."""
    cards, counts = np.empty(7, np.uint8), np.zeros(1981, np.int64)
    width = found.shape[1]
    for i in range(len(indices)):
        unindex_into(flop, indices[i], 1, cards)
        seen = np.int64(0)
        for j in range(5):
            seen |= np.int64(1) << np.int64(cards[j])
        counts[:] = 0
        for high in range(52):
            if not seen >> high & 1:
                cards[5] = high
                for low in range(high):
                    if not seen >> low & 1:
                        cards[6] = low
                        counts[strengths[index_of(river, cards, 7)]] += 1
        strength, below = 0, counts[0]
        for level in range(width):
            while below * 2 * width <= (2 * level + 1) * 1081:
                strength += 1
                below += counts[strength]
            found[i, level] = strength
