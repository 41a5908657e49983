"""Compiled indexing of deals up to suits, for `isomorphism.py` and for other kernels that deal cards.

What a suit got is a number: round by round the colex rank of its new ranks among those that it had left, in mixed
radix, first round lowest. How many cards each suit got in each round is the deal's *pattern*; a pattern up to the order
of suits is a *layout*. Suits that got equally many cards in every round are tied: their numbers are a multiset, ranked
by `multichoose`. A deal's index is its layout's offset plus one digit for each group of tied suits.

Other kernels call `index_of`, `unindex_into`, `multiplicity_of` and `fill_holes`; or, to have the index of every round
as cards come, `begin`, `deal` and `index_at`. Nothing here checks its input.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit

FIELD = (1 << 32) - 1  # the numbers of two suits share an integer, 32 bits each
FIRST, SPLITS, SPLIT_COUNT, PATTERNS, LAYOUTS, SIZE = range(6)  # columns of Tables.rounds
LAYOUT, ORDER = 4, 5  # columns of Tables.patterns, after the four suits' moduli
OFFSET, STRIDE, PLACE = 0, 1, 5  # columns of Tables.layouts, of which the last two begin four


class Tables(NamedTuple):
    """What the kernels need of one sequence of rounds.

    Row r of `rounds` is about the deal before round r: how many cards it has; where the patterns and the layouts begin
    that it can have; how many indices it has; and where the splits of round r begin in `splits`, and their number.
    The last row only says where layouts end.
    """

    rounds: np.ndarray  # [rounds + 2, 6]
    splits: np.ndarray  # how a round's cards fall on suits, by the sum of (cards + 1) ** suit, last suit left out
    patterns: np.ndarray  # [patterns, 6] how many numbers each suit can have; the layout; its order, two bits a suit
    layouts: np.ndarray  # [layouts, 9] first index; a step of each suit's group; the suit's place in its group, from 1
    counts: np.ndarray  # [layouts, rounds, 4] the cards that each suit gets
    choose: np.ndarray  # [14, 11] binomials
    subsets: np.ndarray  # [10, 1716] masks of so many of 13 ranks, in colex order


@njit(cache=True, nogil=True, forceinline=True)
def begin():
    """The state before the first round: ranks gone (16 bits a suit), the suits' numbers, and the pattern."""
    return 0, 0, 0, 0


@njit(cache=True, nogil=True, forceinline=True)
def deal(tables, state, r, cards, at):
    """The state after round r, given the one before; the round's cards are in `cards` from `at` on, in any order."""
    gone, low, high, pattern = state
    end = at + tables.rounds[r + 1, FIRST] - tables.rounds[r, FIRST]
    mask = 0
    for i in range(at, end):
        card = np.int64(cards[i])
        mask |= 1 << (((card & 3) << 4) + (card >> 2))
    row = tables.rounds[r, PATTERNS] + pattern
    for i in range(at, end):
        card = np.int64(cards[i])
        suit, rank = card & 3, card >> 2
        below = (1 << rank) - 1
        left = rank - _ones(gone >> (suit << 4) & below)
        digit = tables.choose[left, _ones(mask >> (suit << 4) & below) + 1] * np.int64(tables.patterns[row, suit])
        digit <<= (suit & 1) << 5
        low += 0 if suit & 2 else digit
        high += digit if suit & 2 else 0
    pattern = pattern * tables.rounds[r, SPLIT_COUNT] + _split(tables, r, cards, at)
    return gone | mask, low, high, pattern


@njit(cache=True, nogil=True, forceinline=True)
def _split(tables, r, cards, at):
    """How the cards of round r, those from `at` on, fall on the suits."""
    n = tables.rounds[r + 1, FIRST] - tables.rounds[r, FIRST]
    key, base = 0, n + 1
    for i in range(at, at + n):
        suit = np.int64(cards[i]) & 3
        key += (suit == 0) + base * ((suit == 1) + base * (suit == 2))
    return tables.splits[tables.rounds[r, SPLITS] + key]


@njit(cache=True, nogil=True, forceinline=True)
def index_at(tables, state, r):
    """The index of a deal whose last round was r."""
    _, low, high, pattern = state
    return _rank(tables, tables.rounds[r + 1, PATTERNS] + pattern, low, high)


@njit(cache=True, nogil=True, forceinline=True)
def _rank(tables, row, low, high):
    """The index of a deal by the row of its pattern and the suits' numbers."""
    layout, order = np.int64(tables.patterns[row, LAYOUT]), np.int64(tables.patterns[row, ORDER])
    a, b = _number(low, high, order & 3), _number(low, high, order >> 2 & 3)
    c, d = _number(low, high, order >> 4 & 3), _number(low, high, order >> 6)
    layouts = tables.layouts
    place_b, place_c, place_d = layouts[layout, PLACE + 1], layouts[layout, PLACE + 2], layouts[layout, PLACE + 3]
    for _ in range(2):  # tied suits by number, by exchanges of neighbours
        if place_b > 1:
            a, b = min(a, b), max(a, b)
        if place_d > 1:
            c, d = min(c, d), max(c, d)
        if place_c > 1:
            b, c = min(b, c), max(b, c)
    index = layouts[layout, OFFSET] + layouts[layout, STRIDE] * a
    index += layouts[layout, STRIDE + 1] * multichoose(b, place_b)
    index += layouts[layout, STRIDE + 2] * multichoose(c, place_c)
    return index + layouts[layout, STRIDE + 3] * multichoose(d, place_d)


@njit(cache=True, nogil=True)
def index_of(tables, cards, n):
    """The index of the first n of `cards`, where n ends a round."""
    state = begin()
    r = 0
    while tables.rounds[r, FIRST] < n:
        state = deal(tables, state, r, cards, tables.rounds[r, FIRST])
        r += 1
    return index_at(tables, state, r - 1)


@njit(cache=True, nogil=True, forceinline=True)
def multichoose(x, k):
    """How many multisets of k (at most 4) numbers below x there are: C(x + k - 1, k)."""
    if k == 1:
        return x
    if k == 2:
        return x * (x + 1) >> 1
    if k == 3:
        return x * (x + 1) * (x + 2) // 6
    return x * (x + 1) * (x + 2) * (x + 3) // 24


@njit(cache=True, nogil=True, forceinline=True)
def _ones(mask):
    """The number of bits set; the compiler makes it one instruction."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True, nogil=True, forceinline=True)
def _number(low, high, suit):
    return (high if suit & 2 else low) >> ((suit & 1) << 5) & FIELD


@njit(cache=True, nogil=True, forceinline=True)
def _unrank(tables, index, r):
    """The layout of an index of round r, and the numbers of its suits, ascending where tied."""
    layout, end = tables.rounds[r + 1, LAYOUTS], tables.rounds[r + 2, LAYOUTS]
    while end - layout > 1:
        middle = (layout + end) >> 1
        if tables.layouts[middle, OFFSET] <= index:
            layout = middle
        else:
            end = middle
    rest = index - tables.layouts[layout, OFFSET]
    low, high = 0, 0
    group, tied = 0, 0  # what is left of the digit of a group, and of its size
    for i in range(3, -1, -1):
        if tied == 0:
            tied = tables.layouts[layout, PLACE + i]
            group = rest // tables.layouts[layout, STRIDE + i]
            rest -= group * tables.layouts[layout, STRIDE + i]
        number = _largest(group, tied)
        group -= multichoose(number, tied)
        tied -= 1
        if i < 2:
            low |= number << (i << 5)
        else:
            high |= number << ((i & 1) << 5)
    return layout, low, high


@njit(cache=True, nogil=True, forceinline=True)
def _largest(rank, k):
    """The largest x with multichoose(x, k) <= rank."""
    if k == 1:
        return rank
    if k == 2:
        x = np.int64(np.sqrt(2.0 * rank))
    else:
        x = np.int64((6.0 * rank) ** (1 / 3) if k == 3 else (24.0 * rank) ** 0.25)
    while multichoose(x, k) > rank:
        x -= 1
    while multichoose(x + 1, k) <= rank:
        x += 1
    return x


@njit(cache=True, nogil=True)
def unindex_into(tables, index, r, out):
    """Write the canonical cards of an index of round r: spades get the most, high cards come first in a round."""
    layout, low, high = _unrank(tables, index, r)
    gone = 0
    for turn in range(r + 1):
        cards = 0
        for suit in range(4):
            k = tables.counts[layout, turn, suit]
            if k == 0:
                continue
            before = gone >> (suit << 4) & 0x1FFF
            number = _number(low, high, suit)
            modulus = tables.choose[13 - _ones(before), k]
            rest = number // modulus
            subset = np.int64(tables.subsets[k, number - rest * modulus])
            if suit < 2:
                low += (rest - number) << (suit << 5)
            else:
                high += (rest - number) << ((suit & 1) << 5)
            for _ in range(k):
                rank = _ones((subset & -subset) - 1)
                subset &= subset - 1
                taken = before
                while taken:  # ranks gone are passed over
                    rank += (taken & -taken) <= 1 << rank
                    taken &= taken - 1
                cards |= 1 << ((rank << 2) + suit)
                gone |= 1 << ((suit << 4) + rank)
        for i in range(tables.rounds[turn + 1, FIRST] - 1, tables.rounds[turn, FIRST] - 1, -1):
            out[i] = _ones((cards & -cards) - 1)
            cards &= cards - 1


@njit(cache=True, nogil=True)
def multiplicity_of(tables, index, r):
    """How many deals share an index of round r: 24 over the number of permutations of suits that change nothing."""
    layout, low, high = _unrank(tables, index, r)
    deals, run, last = 24, 1, low & FIELD
    for i in range(1, 4):
        number = _number(low, high, i)
        run = run + 1 if tables.layouts[layout, PLACE + i] > 1 and number == last else 1
        deals //= run
        last = number
    return deals


@njit(cache=True, nogil=True)
def fill_holes(tables, board, out):
    """Write the index of each of the 1,326 holes with a board, in the order of `holes.py`, -1 where a card clashes.

    The first round must be the hole. A suit's number depends on the hole only by the cards of that suit, so there
    are 92 numbers a suit; and the holes have ten patterns, by the suits that they have, each with its own sum.
    """
    numbers = np.empty((4, 92), np.int64)
    for suit in range(4):
        _fill_suit(tables, board, suit, numbers[suit])
    span, tail, r = 1, 0, 1
    while tables.rounds[r, FIRST] < len(board) + 2:
        span *= tables.rounds[r, SPLIT_COUNT]
        tail = tail * tables.rounds[r, SPLIT_COUNT] + _split(tables, r, board, tables.rounds[r, FIRST] - 2)
        r += 1
    tail += tables.rounds[r, PATTERNS]
    for a in range(4):
        for b in range(a, 4):
            key = (a == 0) + (b == 0) + 3 * ((a == 1) + (b == 1) + 3 * ((a == 2) + (b == 2)))
            _fill_pattern(tables, tables.splits[key] * span + tail, a, b, numbers, out)
    for dead in board:
        dead = np.int64(dead)
        for card in range(dead):
            out[(dead * (dead - 1) >> 1) + card] = -1
        for card in range(dead + 1, 52):
            out[(card * (card - 1) >> 1) + dead] = -1


@njit(cache=True, nogil=True)
def _fill_suit(tables, board, suit, numbers):
    """The numbers of a suit with a board: for no hole card of it, then for each rank, then for each pair of ranks."""
    for i in range(13):
        numbers[1 + i] = i
    for i in range(78):
        numbers[14 + i] = i
    numbers[0] = 0
    choose = tables.choose
    gone, modulus_0, modulus_1, modulus_2, r = 0, 1, 13, 78, 1
    while tables.rounds[r, FIRST] < len(board) + 2:
        mask, k = 0, 0
        for i in range(tables.rounds[r, FIRST] - 2, tables.rounds[r + 1, FIRST] - 2):
            card = np.int64(board[i])
            mask |= (card & 3 == suit) << (card >> 2)
        fresh = mask
        while fresh:
            rank = _ones((fresh & -fresh) - 1)
            fresh &= fresh - 1
            left = rank - _ones(gone & ((1 << rank) - 1))
            k += 1
            numbers[0] += modulus_0 * choose[left, k]
            # Each hole card below takes one rank away; where too few are left, hole and board clash.
            one, two = max(left - 1, 0), max(left - 2, 0)
            above, below = modulus_1 * choose[left, k], modulus_1 * choose[one, k]
            for i in range(13):
                numbers[1 + i] += below if i < rank else above
            above, between, below = modulus_2 * choose[left, k], modulus_2 * choose[one, k], modulus_2 * choose[two, k]
            at = 14
            for high in range(1, 13):
                for low in range(high):
                    numbers[at + low] += above if low >= rank else between if high >= rank else below
                at += high
        before = _ones(gone)
        modulus_0 *= choose[13 - before, k]
        modulus_1 *= choose[12 - before, k]
        modulus_2 *= choose[11 - before, k]
        gone |= mask
        r += 1


@njit(cache=True, nogil=True)
def _fill_pattern(tables, row, a, b, numbers, out):
    """Write the indices of all holes with a card of suit a and one of suit b, suited where they are the same."""
    layout, order = np.int64(tables.patterns[row, LAYOUT]), np.int64(tables.patterns[row, ORDER])
    low, high, stride_a, stride_b, tied = 0, 0, 0, 0, 0
    for i in range(4):
        suit = order >> (i << 1) & 3
        stride = tables.layouts[layout, STRIDE + i]
        if suit in (a, b):
            tied = max(tied, tables.layouts[layout, PLACE + i])
            stride_a = stride if suit == a else stride_a
            stride_b = stride if suit == b else stride_b
        elif suit < 2:
            low |= numbers[suit, 0] << (suit << 5)
        else:
            high |= numbers[suit, 0] << ((suit & 1) << 5)
    base = _rank(tables, row, low, high)
    if a == b:
        for i in range(1, 13):
            card = (i << 2) + a
            at = (card * (card - 1) >> 1) + a
            pair = 14 + (i * (i - 1) >> 1)
            for j in range(i):
                out[at + (j << 2)] = base + stride_a * numbers[a, pair + j]
        return
    for i in range(13):
        x, card = numbers[a, 1 + i], (i << 2) + a
        at = (card * (card - 1) >> 1) + b
        for j in range(i):
            out[at + (j << 2)] = base + _pair(x, numbers[b, 1 + j], stride_a, stride_b, tied)
        for j in range(i, 13):
            other = (j << 2) + b
            out[(other * (other - 1) >> 1) + card] = base + _pair(x, numbers[b, 1 + j], stride_a, stride_b, tied)


@njit(cache=True, nogil=True, forceinline=True)
def _pair(x, y, stride_x, stride_y, tied):
    if tied > 1:
        return stride_x * (min(x, y) + multichoose(max(x, y), 2))
    return stride_x * x + stride_y * y


@njit(cache=True, nogil=True)
def count_good(cards):
    """How many rows, from the first on, have no card twice."""
    for i in range(len(cards)):
        seen = 0
        for j in range(cards.shape[1]):
            seen |= 1 << np.int64(cards[i, j])
        if _ones(seen) < cards.shape[1]:
            return i
    return len(cards)


@njit(cache=True, nogil=True)
def index_rows(tables, cards, out):
    """Write to `out` the indices of each row of cards in its last rounds, as many as there are columns."""
    n, k = cards.shape
    rounds = 0
    while tables.rounds[rounds, FIRST] < k:
        rounds += 1
    skipped = rounds - out.shape[1]
    for i in range(n):
        state = begin()
        for r in range(rounds):
            state = deal(tables, state, r, cards[i], tables.rounds[r, FIRST])
            if r >= skipped:
                out[i, r - skipped] = index_at(tables, state, r)


@njit(cache=True, nogil=True)
def unindex_rows(tables, indices, r, out):
    for i in range(len(indices)):
        unindex_into(tables, indices[i], r, out[i])


@njit(cache=True, nogil=True)
def multiplicity_rows(tables, indices, r, out):
    for i in range(len(indices)):
        out[i] = multiplicity_of(tables, indices[i], r)
