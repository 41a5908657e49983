"""Compiled loops over the cards to come: shares of the pot at showdown, and hands beaten by a hand.

Before the flop two hands have 1,712,304 boards. `deck_shares` visits none of them: without a flush only ranks count,
and there are 6,175 multisets of five ranks; flushes are put right suit by suit, by the ranks of that suit on the board.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pokerlab.cards.evaluator import value_of
from pokerlab.cards.showdown_kernels import next_choice

MULTISETS = 6188  # of five of 13 ranks, in any number


@njit(cache=True)
def board_shares(tables, holes, board, live, come):
    """Each hand's shares and clear wins [n, 2] over all boards that `come` of the `live` cards complete; how many."""
    n, held = holes.shape
    first = held + len(board)
    cards = np.empty((n, first + come), np.int64)
    for p in range(n):
        cards[p, :held] = holes[p]
        cards[p, held:first] = board
    chosen = np.arange(come)
    values, shares, boards = np.empty(n, np.int64), np.zeros((n, 2)), 0
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
    """Add a pot of `weight`, split among the best values, to their shares; a clear win to the second column as well."""
    best, winners = values[0], 0
    for value in values:
        if value > best:
            best, winners = value, 1
        elif value == best:
            winners += 1
    for p in range(len(values)):
        if values[p] == best:
            shares[p, 0] += weight / winners
            if winners == 1:
                shares[p, 1] += weight


@njit(cache=True)
def _multiset(a, b, c, d, e):
    """The number of five ranks in ascending order, in the combinatorial number system."""
    b, c, d, e = b + 1, c + 2, d + 3, e + 4
    return (
        a
        + b * (b - 1) // 2
        + c * (c - 1) * (c - 2) // 6
        + d * (d - 1) * (d - 2) * (d - 3) // 24
        + e * (e - 1) * (e - 2) * (e - 3) * (e - 4) // 120
    )


@njit(cache=True)
def rank_values(tables):
    """Values of two ranks (row 13 * i + j) with five ranks on the board (column by `_multiset`), flushes aside."""
    table = np.zeros((169, MULTISETS), np.int16)
    cards, copies = np.empty(7, np.int64), np.zeros(13, np.int64)
    for a in range(13):
        for b in range(a, 13):
            for c in range(b, 13):
                for d in range(c, 13):
                    for e in range(d, 13):
                        if a == e:
                            continue
                        copies[:] = 0
                        ranks = (a, b, c, d, e)
                        for i in range(5):
                            cards[i] = ranks[i] * 4 + i % 4
                            copies[ranks[i]] += 1
                        at = _multiset(a, b, c, d, e)
                        for x in range(13):
                            for y in range(x + 1):
                                if copies[x] + (x == y) > 3 or copies[y] > 3:
                                    continue  # five of a rank
                                # At most two of the seven are of one suit, so that nothing is a flush.
                                cards[5], cards[6] = x * 4 + 1, y * 4 + 2
                                table[13 * x + y, at] = table[13 * y + x, at] = value_of(tables, cards)
    return table


@njit(cache=True)
def deck_shares(holes, live, ranked, flushes):
    """As `board_shares` for hands of two, no board, five cards to come and a deck of 13 ranks by 4 suits.

    `live` says of each of the 52 cards whether it can come; `ranked` is the table above, `flushes` the evaluator's.
    """
    n = len(holes)
    rows = np.empty(n, np.int64)
    for p in range(n):
        rows[p] = 13 * (holes[p, 0] // 4) + holes[p, 1] // 4
    copies = np.zeros(13, np.int64)
    for card in range(52):
        copies[card // 4] += live[card]
    shares = np.zeros((n, 2))
    boards = _without_flushes(rows, copies, ranked, shares)
    for suit in range(4):
        _put_flushes_right(suit, holes, rows, live, copies, ranked, flushes, shares)
    return shares, boards


@njit(cache=True, nogil=True)
def matchups(pairs, dead, ranked, flushes):
    """The first hand's share and both hands' clear wins [n, 3], of pairs of hands [n, 2, 2] before the flop."""
    found = np.empty((len(pairs), 3))
    live = np.empty(52, np.int64)
    for i in range(len(pairs)):
        live[:] = 1
        for card in dead:
            live[card] = 0
        for card in pairs[i].flat:
            live[card] = 0
        shares, boards = deck_shares(pairs[i], live, ranked, flushes)
        found[i, 0], found[i, 1], found[i, 2] = shares[0, 0] / boards, shares[0, 1] / boards, shares[1, 1] / boards
    return found


@njit(cache=True)
def _without_flushes(rows, copies, ranked, shares):
    values, boards = np.empty(len(rows), np.int64), 0.0
    for a in range(13):
        for b in range(a, 13):
            for c in range(b, 13):
                for d in range(c, 13):
                    for e in range(d, 13):
                        ways = _ways(a, b, c, d, e, copies)
                        if ways == 0:
                            continue
                        at = _multiset(a, b, c, d, e)
                        for p in range(len(rows)):
                            values[p] = ranked[rows[p], at]
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
def _put_flushes_right(suit, holes, rows, live, copies, ranked, flushes, shares):
    """Where three or more cards of `suit` give somebody a flush, take back the share by ranks and give the true one.

    Whoever has a flush has no full house or better: only two of the other cards could be of other suits.
    """
    n = len(holes)
    own, held = np.zeros(n, np.int64), 0
    for p in range(n):
        count = 0
        for card in holes[p]:
            if card % 4 == suit:
                own[p] |= 1 << card // 4
                count += 1
        held = max(held, count)
    mask_live, others = 0, copies.copy()
    for rank in range(13):
        if live[rank * 4 + suit]:
            mask_live |= 1 << rank
            others[rank] -= 1
    ranks, sorted_ranks, values = np.empty(5, np.int64), np.empty(5, np.int64), np.empty(n, np.int64)
    scratch = sorted_ranks, values
    for mask in range(8192):
        if mask & ~mask_live:
            continue
        count = 0
        for rank in range(13):
            if mask >> rank & 1:
                if count < 5:
                    ranks[count] = rank
                count += 1
        if count < 3 or count > 5 or count + held < 5:
            continue
        if count == 5:
            _correct(mask, ranks, 5, 0, 0, 1.0, own, rows, ranked, flushes, shares, scratch)
            continue
        for x in range(13):
            if count == 4:
                _correct(mask, ranks, 4, x, 0, others[x], own, rows, ranked, flushes, shares, scratch)
                continue
            _correct(mask, ranks, 3, x, x, others[x] * (others[x] - 1) / 2, own, rows, ranked, flushes, shares, scratch)
            for y in range(x):
                _correct(mask, ranks, 3, x, y, others[x] * others[y], own, rows, ranked, flushes, shares, scratch)


@njit(cache=True)
def _correct(mask, ranks, count, x, y, ways, own, rows, ranked, flushes, shares, scratch):
    """One set of ranks of the suit on the board, with x and y of other suits where it has fewer than five."""
    if ways == 0:
        return
    whole, values = scratch
    whole[:count] = ranks[:count]
    if count < 5:
        whole[4] = x
    if count < 4:
        whole[3] = y
    for i in range(count, 5):
        j = i
        while j > 0 and whole[j - 1] > whole[j]:
            whole[j - 1], whole[j] = whole[j], whole[j - 1]
            j -= 1
    at = _multiset(whole[0], whole[1], whole[2], whole[3], whole[4])
    for p in range(len(rows)):
        values[p] = ranked[rows[p], at]
    _share(values, -ways, shares)
    for p in range(len(rows)):
        flush = flushes[mask | own[p]]
        if flush:
            values[p] = flush
    _share(values, ways, shares)
