"""Compiled loops over the cards to come: shares of the pot at showdown, and hands beaten by a hand.

Before the flop two hands have 1,712,304 boards. `deck_shares` visits none of them: without a flush only ranks count,
and there are 6,175 sets of five ranks; flushes are put right suit by suit, by the ranks of that suit on the board.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import look_up, value_of
from pokerlab.cards.showdown_kernels import next_choice
from pokerlab.compiled import njit


@njit(cache=True)
def board_shares(tables, holes, board, live, come):
    """Each hand's shares, clear wins and pots won or shared [n, 3] over all boards that `come` of the `live` cards
    complete; and how many boards those are.
    """
    n, held = holes.shape
    first = held + len(board)
    cards = np.empty((n, first + come), np.int64)
    for p in range(n):
        cards[p, :held] = holes[p]
        cards[p, held:first] = board
    chosen = np.arange(come)
    values, shares, boards = np.empty(n, np.int64), np.zeros((n, 3)), 0
    while True:
        for p in range(n):
            for i in range(come):
                cards[p, first + i] = live[chosen[i]]
            values[p] = value_of(tables, cards[p])
        _share(values, 1.0, shares)
        boards += 1
        if not next_choice(chosen, len(live)):
            return shares, boards


@njit(cache=True)
def beaten(tables, hole, board, live):
    """How many hands of live cards a hand beats, ties and meets."""
    held = len(hole)
    cards = np.concatenate((hole, board))
    mine = value_of(tables, cards)
    chosen = np.arange(held)
    wins, ties, total = 0, 0, 0
    while True:
        for i in range(held):
            cards[i] = live[chosen[i]]
        theirs = value_of(tables, cards)
        wins += mine > theirs
        ties += mine == theirs
        total += 1
        if not next_choice(chosen, len(live)):
            return wins, ties, total


@njit(cache=True)
def _share(values, weight, shares):
    """Add a pot of `weight`, split among the best values, to their shares; clear wins and all pots beside it."""
    best, winners = values[0], 0
    for value in values:
        if value > best:
            best, winners = value, 1
        elif value == best:
            winners += 1
    for p in range(len(values)):
        if values[p] == best:
            shares[p, 0] += weight / winners
            shares[p, 2] += weight
            if winners == 1:
                shares[p, 1] += weight


@njit(cache=True)
def deck_shares(tables, holes, live):
    """As `board_shares` for hands of two, no board, five cards to come and a deck of 13 ranks by 4 suits.

    `live` says of each of the 52 cards whether it can come.
    """
    n = len(holes)
    keys, copies, own = np.empty(13, np.uint64), np.zeros(13, np.int64), np.empty(n, np.uint64)
    for rank in range(13):
        keys[rank] = tables.keys[4 * rank]  # of any suit: the look-up by ranks does not see it
    for card in range(52):
        copies[card // 4] += live[card]
    for p in range(n):
        own[p] = tables.starts[7] + tables.keys[holes[p, 0]] + tables.keys[holes[p, 1]]
    shares = np.zeros((n, 3))
    boards = _without_flushes(tables, own, keys, copies, shares)
    for suit in range(4):
        _put_flushes_right(tables, suit, holes, own, keys, live, copies, shares)
    return shares, boards


@njit(cache=True, nogil=True)
def matchups(tables, pairs, dead):
    """The first hand's share and both hands' clear wins [n, 3], of pairs of hands [n, 2, 2] before the flop."""
    odds, live = np.empty((len(pairs), 3)), np.empty(52, np.int64)
    for i in range(len(pairs)):
        live[:] = 1
        for card in dead:
            live[card] = 0
        for card in pairs[i].flat:
            live[card] = 0
        shares, boards = deck_shares(tables, pairs[i], live)
        odds[i, 0], odds[i, 1], odds[i, 2] = shares[0, 0] / boards, shares[0, 1] / boards, shares[1, 1] / boards
    return odds


@njit(cache=True)
def _without_flushes(tables, own, keys, copies, shares):
    values, boards = np.empty(len(own), np.int64), 0.0
    for a in range(13):
        for b in range(a, 13):
            for c in range(b, 13):
                for d in range(c, 13):
                    for e in range(d, 13):
                        ways = _ways(a, b, c, d, e, copies)
                        if ways == 0:
                            continue
                        board = keys[a] + keys[b] + keys[c] + keys[d] + keys[e]
                        for p in range(len(own)):
                            values[p] = look_up(tables, own[p] + board)
                        _share(values, ways, shares)
                        boards += ways
    return boards


@njit(cache=True)
def _ways(a, b, c, d, e, copies):
    """In how many ways live cards have these ranks: a product of binomials, one factor at a time."""
    ways, last, run = 1.0, -1, 0
    for rank in (a, b, c, d, e):
        run = run + 1 if rank == last else 1
        last = rank
        ways = ways * (copies[rank] - run + 1) / run
        if ways <= 0:
            return 0.0
    return ways


@njit(cache=True)
def _put_flushes_right(tables, suit, holes, own, keys, live, copies, shares):
    """Where three or more cards of `suit` give somebody a flush, take back the share by ranks and give the true one.

    Whoever has a flush has no full house or better: only two of the other cards could be of other suits.
    """
    n = len(holes)
    masks, held = np.zeros(n, np.int64), 0
    for p in range(n):
        count = 0
        for card in holes[p]:
            if card % 4 == suit:
                masks[p] |= 1 << card // 4
                count += 1
        held = max(held, count)
    mask_live, others = 0, copies.copy()
    for rank in range(13):
        if live[rank * 4 + suit]:
            mask_live |= 1 << rank
            others[rank] -= 1
    flushes, values = np.empty(n, np.int64), np.empty(n, np.int64)
    for mask in range(8192):
        if mask & ~mask_live:
            continue
        count, board = 0, np.uint64(0)
        for rank in range(13):
            if mask >> rank & 1:
                board += keys[rank]
                count += 1
        if count < 3 or count > 5 or count + held < 5:
            continue
        for p in range(n):
            flushes[p] = tables.flushes[mask | masks[p]]
        if count == 5:
            _correct(tables, own, board, 1.0, flushes, values, shares)
            continue
        for x in range(13):  # with a card of another suit, or two
            if count == 4:
                _correct(tables, own, board + keys[x], others[x], flushes, values, shares)
                continue
            twice = others[x] * (others[x] - 1) / 2
            _correct(tables, own, board + keys[x] + keys[x], twice, flushes, values, shares)
            for y in range(x):
                _correct(tables, own, board + keys[x] + keys[y], others[x] * others[y], flushes, values, shares)


@njit(cache=True)
def _correct(tables, own, board, ways, flushes, values, shares):
    """For a board with these ranks, which comes in so many ways: shares by ranks taken back, those by flushes given."""
    if ways == 0:
        return
    for p in range(len(own)):
        values[p] = look_up(tables, own[p] + board)
    _share(values, -ways, shares)
    for p in range(len(own)):
        if flushes[p]:
            values[p] = flushes[p]
    _share(values, ways, shares)
