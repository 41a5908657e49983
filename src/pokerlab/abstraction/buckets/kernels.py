"""Compiled lookups of buckets, and the sweeps that count hands in them.

On the river a bucket is found by a rule: the key of a hand is its strength, among equal strengths the rank of its hole
before the flop, and then the height of the board; a parent's cuts divide its keys among its children.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.cards.isomorphism_kernels import fill_holes, index_of, unindex_into
from pokerlab.cards.sweep_kernels import fill_strengths
from pokerlab.compiled import njit

RANKS = 169  # of holes before the flop, to tell hands of the same strength apart
HEIGHTS = 64  # of boards, the sum of their cards' ranks: 2 to 59
KEYS = RANKS * HEIGHTS  # of one strength
BEYOND = 1981 * KEYS  # a key that no hand has


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


@njit(cache=True, nogil=True, inline="always")
def river_key(strength, rank, height):
    """What orders the hands of a parent."""
    return (np.int32(strength) * RANKS + rank) * HEIGHTS + height


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
    rule_rivers(lookup, board, strengths, parents, buckets)


@njit(cache=True, nogil=True)
def rule_rivers(lookup, board, strengths, parents, buckets):
    """River buckets by the rule, from strengths on the river and turn buckets."""
    height = np.int32(0)
    for card in board:
        height += card >> 2
    for hole in range(1326):
        if strengths[hole] < 0:
            buckets[hole] = -1
        else:
            parent = parents[hole] if lookup.perfect[0] else 0
            key = river_key(strengths[hole], lookup.ranks[hole], height)
            buckets[hole] = lookup.first[parent] + child(lookup.cuts[parent], key)


@njit(cache=True, nogil=True)
def fill_deals(lookup, suits, strengths, deals, players, buckets):
    """Buckets [deals, players, 4] of dealt cards: two a player, then the board; `strengths` are those of all rivers."""
    cards = np.empty(7, np.uint8)
    for i in range(len(deals)):
        height = np.int32(0)
        for j in range(5):
            cards[2 + j] = deals[i, 2 * players + j]
            height += cards[2 + j] >> 2
        for player in range(players):
            cards[0], cards[1] = deals[i, 2 * player], deals[i, 2 * player + 1]
            mine = buckets[i, player]
            mine[0] = lookup.preflop[index_of(suits.hole, cards, 2)]
            mine[1] = lookup.flop[index_of(suits.flop, cards, 5)]
            mine[2] = lookup.turn[index_of(suits.turn, cards, 6)]
            a, b = np.int64(max(cards[0], cards[1])), np.int64(min(cards[0], cards[1]))
            strength = strengths[index_of(suits.river, cards, 7)]
            key = river_key(strength, lookup.ranks[a * (a - 1) // 2 + b], height)
            parent = mine[2] if lookup.perfect[0] else 0
            mine[3] = lookup.first[parent] + child(lookup.cuts[parent], key)


@njit(cache=True, nogil=True)
def group_rows(parents, at, rows):
    """Write the rows of each parent one after the other, in order; `at`, where each begins, becomes where it ends."""
    for row in range(len(parents)):
        parent = parents[row]
        rows[at[parent]] = row
        at[parent] += 1


@njit(cache=True, nogil=True)
def ordered_turns(suits, ordered, boards, counts, flop, weights, indices, parents):
    """For hands on the turn with the flop remembered: deals, the index with order forgotten, and the flop's bucket."""
    after, before, forgotten = np.empty(1326, np.int64), np.empty(1326, np.int64), np.empty(1326, np.int64)
    for i in range(len(boards)):
        fill_holes(ordered, boards[i], after)
        fill_holes(suits.flop, boards[i, :3], before)
        fill_holes(suits.turn, boards[i], forgotten)
        for hole in range(1326):
            index = after[hole]
            if index >= 0:
                weights[index] += np.uint8(counts[i])
                indices[index] = forgotten[hole]
                parents[index] = flop[before[hole]]


class Rivers(NamedTuple):
    """The strengths of all holes on all boards of five up to suits, to be looked up for any board."""

    five: tuple  # isomorphism of boards
    boards: np.ndarray  # uint8 (134,459, 5)
    strengths: np.ndarray  # int16 (134,459, 1326), -1 where a card clashes
    turned: np.ndarray  # int16 (256, 1326): the number of each hole after a permutation of suits, two bits a suit


@njit(cache=True, nogil=True)
def fill_all_rivers(tables, holes, boards, strengths):
    """Strengths of all holes on each board of five."""
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.int16), np.empty(1326, np.int16)
    for i in range(len(boards)):
        fill_board(tables, boards[i], values)
        n = sort_board(values, order, spare)
        fill_strengths(values, order, n, holes, strengths[i])


@njit(cache=True, nogil=True)
def suits_onto(board, other):
    """The permutation of suits, two bits a suit, that makes one board the other; there must be one."""
    masks = np.zeros((2, 4), np.int64)
    for i in range(len(board)):
        masks[0, board[i] & 3] |= np.int64(1) << (board[i] >> 2)
        masks[1, other[i] & 3] |= np.int64(1) << (other[i] >> 2)
    code, used = 0, 0
    for suit in range(4):
        to = 0
        while used >> to & 1 or masks[1, to] != masks[0, suit]:
            to += 1
        code |= to << 2 * suit
        used |= 1 << to
    return code


@njit(cache=True, nogil=True)
def fill_rivers(rivers, board, runouts):
    """Strengths of all holes on each river that follows a turn: int16 [48, 1326], -1 where a card clashes."""
    river, row = np.empty(5, np.uint8), 0
    river[:4] = board
    for card in range(52):
        if card != board[0] and card != board[1] and card != board[2] and card != board[3]:
            river[4] = card
            at = index_of(rivers.five, river, 5)
            strengths, turned = rivers.strengths[at], rivers.turned[suits_onto(river, rivers.boards[at])]
            for hole in range(1326):
                runouts[row, hole] = strengths[turned[hole]]
            row += 1


@njit(cache=True, nogil=True)
def fill_parents(suits, table, board, indices, parents):
    """The buckets of all holes on a turn, from the table of the turn; 0 where a card clashes."""
    fill_holes(suits, board, indices)
    for hole in range(1326):
        parents[hole] = table[max(indices[hole], 0)]


@njit(cache=True, nogil=True)
def count_rivers(suits, table, rivers, boards, counts, deals):
    """Add to `deals` (parents, 1981) the deals in each turn bucket with each strength on the river."""
    runouts = np.empty((48, 1326), np.int16)
    indices, parents = np.empty(1326, np.int64), np.empty(1326, np.int64)
    for i in range(len(boards)):
        fill_parents(suits, table, boards[i], indices, parents)
        fill_rivers(rivers, boards[i], runouts)
        for row in range(48):
            for hole in range(1326):
                strength = runouts[row, hole]
                if strength >= 0:
                    deals[parents[hole], strength] += counts[i]


@njit(cache=True, nogil=True)
def count_ties(suits, table, rivers, boards, counts, slots, ranks, finer, deals):
    """Add to `deals` (slots, 169) the deals by rank of the hole, where `slots` (parents, 1981) gives a slot, not -1.

    Or where `finer` (slots, 169) has rows: to (finer slots, 64) those by height of the board, where it gives a slot.
    """
    runouts = np.empty((48, 1326), np.int16)
    indices, parents = np.empty(1326, np.int64), np.empty(1326, np.int64)
    for i in range(len(boards)):
        fill_parents(suits, table, boards[i], indices, parents)
        fill_rivers(rivers, boards[i], runouts)
        row, seen, height = 0, 0, 0
        for card in boards[i]:
            seen |= np.int64(1) << np.int64(card)
            height += card >> 2
        for card in range(52):
            if seen >> card & 1:
                continue
            for hole in range(1326):
                strength = runouts[row, hole]
                if strength >= 0:
                    slot = slots[parents[hole], strength]
                    if slot >= 0 and len(finer) == 0:
                        deals[slot, ranks[hole]] += counts[i]
                    elif slot >= 0 and finer[slot, ranks[hole]] >= 0:
                        deals[finer[slot, ranks[hole]], height + (card >> 2)] += counts[i]
            row += 1


@njit(cache=True, nogil=True)
def count_forgotten(boards, strengths, counts, ranks, deals):
    """Add to `deals` (1981, 169, 64) the deals by strength, rank of the hole and height of the board; no past."""
    for i in range(len(strengths)):
        height = 0
        for card in boards[i]:
            height += card >> 2
        for hole in range(1326):
            strength = strengths[i, hole]
            if strength >= 0:
                deals[strength, ranks[hole], height] += counts[i]


@njit(cache=True, nogil=True)
def count_strengths(suits, table, forgotten, bins, boards, counts, deals):
    """Add to `deals` (buckets, bins) the hands on boards of a street; `bins` are by index with the order forgotten."""
    indices, others = np.empty(1326, np.int64), np.empty(1326, np.int64)
    for i in range(len(boards)):
        fill_holes(suits, boards[i], indices)
        fill_holes(forgotten, boards[i], others)
        for hole in range(1326):
            if indices[hole] >= 0:
                deals[table[indices[hole]], bins[others[hole]]] += counts[i]


@njit(cache=True, nogil=True)
def count_moves(lookup, suits, size, boards, counts, moves):
    """Add to `moves` (buckets, buckets) how hands go on from the first `size` cards of a board to all of it."""
    indices = np.empty(1326, np.int64)
    before, after = np.empty(1326, np.int32), np.empty(1326, np.int32)
    for i in range(len(boards)):
        fill_street(lookup, suits, boards[i, :size], indices, before)
        fill_street(lookup, suits, boards[i], indices, after)
        for hole in range(1326):
            if after[hole] >= 0:
                moves[before[hole], after[hole]] += counts[i]


@njit(cache=True, nogil=True)
def count_river_moves(lookup, suits, rivers, boards, counts, moves):
    """Add to `moves` (turn buckets, river buckets) how hands go on from boards of four cards."""
    runouts, indices = np.empty((48, 1326), np.int16), np.empty(1326, np.int64)
    before, after = np.empty(1326, np.int32), np.empty(1326, np.int32)
    board = np.empty(5, np.uint8)
    for i in range(len(boards)):
        board[:4] = boards[i]
        fill_street(lookup, suits, boards[i], indices, before)
        fill_rivers(rivers, boards[i], runouts)
        row = 0
        for card in range(52):
            if card != board[0] and card != board[1] and card != board[2] and card != board[3]:
                board[4] = card
                rule_rivers(lookup, board, runouts[row], before, after)
                for hole in range(1326):
                    if after[hole] >= 0:
                        moves[before[hole], after[hole]] += counts[i]
                row += 1


@njit(cache=True, nogil=True)
def next_indices(now, after, indices, later):
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
                later[i, at] = index_of(after, cards, shown + 1)
                at += 1


@njit(cache=True, nogil=True)
def flop_quantiles(flop, river, strengths, indices, levels):
    """For hands on the flop: evenly spaced quantiles of their strength over the 1,081 boards to come."""
    cards, counts = np.empty(7, np.uint8), np.zeros(1981, np.int64)
    width = levels.shape[1]
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
            levels[i, level] = strength
