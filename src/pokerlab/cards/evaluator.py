"""Ranking of five to seven cards by tables: a value from 1 to 7,462, larger wins, equal ones split.

Without a flush only ranks count. Every rank has a key such that the sums of the keys of five, six or seven ranks (at
most four alike) are all different; the sum is looked up in a table that rows displaced against each other keep small.
Suits are counted in the high bits of the same sum, four bits each, and a flush is looked up by the mask of its ranks.
Nobody with a flush among seven cards has a full house or better.

evaluate([deck.cards("AsKsQsJsTs2c3d"), ...])      values of many hands of one size
board_values(deck.cards("Qs Jh 2h 4c 7d"))          the values of all 1,326 holes on a board
category(value)                                     "flush"
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from pokerlab.cache import keep, recalled_table
from pokerlab.cards.ranking import strength
from pokerlab.compiled import njit
from pokerlab.errors import CardError
from pokerlab.files import write_arrays
from pokerlab.reading import Damage

# Sums of up to seven of these, none more than four times, tell how often each was taken (checked when tables are made).
_RANK_KEYS = np.array([0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181])
_SPAN = 1 << 23  # above the largest sum; hands of six and seven cards follow those of five
_ROW = 9  # a row of the displaced table is 512 sums
_FLUSH = 0x8888 << 32  # a suit's four bits start at 3, so that the fifth card of the suit sets the highest
_START = 0x3333 << 32
FORMAT, VERSION = "pokerlab evaluator", 1
_MOST_BYTES = 1 << 20
_DIGEST = "980b1389750be1b7ae1ca41208fd64e49689bb216da1965a791ec574e4601a99"  # of the tables

CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
    "straight flush",
)  # fmt: skip
LOWEST = (1, 1278, 4138, 4996, 5854, 5864, 7141, 7297, 7453)  # the lowest value of each category


class Tables(NamedTuple):
    """What the kernels need; about 400 kB."""

    keys: np.ndarray  # uint64[52]: rank key, and one of the suit in bits 32 to 47
    starts: np.ndarray  # uint64[8]: where the sum of so many cards starts
    rows: np.ndarray  # int32: displacement of each row
    values: np.ndarray  # int16: value by displaced sum
    flushes: np.ndarray  # int16[8192]: value of the flush in a mask of ranks, 0 where there is none


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables of the evaluator, kept in the cache folder: making them takes a second, reading them none."""
    name, header = f"evaluator-{VERSION}.npz", {"format": FORMAT, "version": VERSION}
    kept = recalled_table(name, FORMAT, VERSION, _MOST_BYTES, _checked)
    if kept is None:
        kept = make_tables()
        arrays = kept._asdict()
        keep(name, lambda path: write_arrays(path, header, arrays, error=CardError))
    return kept


def _checked(_header: Mapping[str, Any], arrays: dict[str, np.ndarray]) -> Tables:
    """Kernels look up in them without a check, so that only the very tables will do."""
    if set(arrays) != set(Tables._fields) or digest(ready := Tables(**arrays)) != _DIGEST:
        raise Damage("these are not the tables of the evaluator")
    return ready


def digest(tables: Tables) -> str:
    """What tells tables from all others."""
    told = hashlib.sha256()
    for name, array in tables._asdict().items():
        told.update(f"{name} {array.dtype.str} {array.shape} ".encode() + array.tobytes())
    return told.hexdigest()


def make_tables() -> Tables:
    """The tables, computed anew."""
    masks = [sum(1 << rank for rank in ranks) for ranks in combinations(range(13), 5)]
    fives = _multisets(5)
    tuples = [strength([(rank, i % 4) for i, rank in enumerate(ranks)]) for ranks in fives.tolist()]
    suited = [strength([(rank, 0) for rank in range(13) if mask >> rank & 1]) for mask in masks]
    place = {hand: i + 1 for i, hand in enumerate(sorted({*tuples, *suited}))}

    by_sum = np.zeros(_SPAN, np.int16)
    by_sum[_sums(fives)] = [place[hand] for hand in tuples]
    sums, values = [_sums(fives)], [by_sum[_sums(fives)]]
    for size in (6, 7):
        hands = _multisets(size)
        best = np.max([by_sum[_sums(hands[:, list(five)])] for five in combinations(range(size), 5)], axis=0)
        sums.append(_sums(hands) + (size - 5) * _SPAN)
        values.append(best)
    rows, packed = _displaced(np.concatenate(sums), np.concatenate(values))

    flushes = np.zeros(8192, np.int16)
    flushes[masks] = [place[hand] for hand in suited]
    for mask in range(8192):  # of more than five ranks the best five: any mask with one rank less has been seen
        if mask.bit_count() > 5:
            flushes[mask] = max(flushes[mask & ~(1 << rank)] for rank in range(13) if mask >> rank & 1)

    keys = [int(_RANK_KEYS[card // 4]) + (1 << 32 + 4 * (card % 4)) for card in range(52)]
    starts = [_START + max(size - 5, 0) * _SPAN for size in range(8)]
    return Tables(np.array(keys, np.uint64), np.array(starts, np.uint64), rows, packed, flushes)


def _multisets(size: int) -> np.ndarray:
    """All sets of `size` ranks with at most four alike, (n, size)."""
    ranks = np.array(list(combinations_with_replacement(range(13), size)), dtype=np.int64)
    return ranks[np.all(ranks[:, : size - 4] != ranks[:, 4:], axis=1)]


def _sums(ranks: np.ndarray) -> np.ndarray:
    return _RANK_KEYS[ranks].sum(axis=1)


def _displaced(sums: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the sparse table sums -> values, each shifted to the first place where it overlaps no other."""
    order = np.argsort(sums)
    sums, values = sums[order], values[order]
    if np.any(sums[1:] == sums[:-1]):
        raise AssertionError("two sets of ranks have one sum")
    first = np.searchsorted(sums, np.arange((3 * _SPAN >> _ROW) + 1) << _ROW)
    fullest = np.argsort(-np.diff(first), kind="stable")
    shifts, end = _first_fit(sums & ((1 << _ROW) - 1), first, fullest)
    rows = (shifts - (np.arange(len(shifts)) << _ROW)).astype(np.int32)
    packed = np.zeros(end, np.int16)
    packed[sums + rows[sums >> _ROW]] = values
    return rows, packed


@njit(cache=True)
def _first_fit(columns, first, fullest):
    shifts = np.zeros(len(first) - 1, np.int64)
    used = np.zeros(2 * len(columns) + (1 << 16), np.bool_)
    end, free = 0, 0
    for row in fullest:
        start, stop = first[row], first[row + 1]
        if start == stop:
            break
        while used[free]:
            free += 1
        shift = free - columns[start]
        while True:
            fits = True
            for i in range(start, stop):
                if used[shift + columns[i]]:
                    fits = False
                    break
            if fits:
                break
            shift += 1
        for i in range(start, stop):
            used[shift + columns[i]] = True
            end = max(end, shift + columns[i] + 1)
        shifts[row] = shift
    return shifts, end


@njit(cache=True, inline="always")
def look_up(tables, key):
    low = np.int64(key & np.uint64(0xFFFFFFFF))
    return tables.values[low + tables.rows[low >> _ROW]]


@njit(cache=True)
def value_of(tables, cards):
    """The value of an array of five to seven cards."""
    key = tables.starts[len(cards)]
    for card in cards:
        key += tables.keys[card]
    if key & np.uint64(_FLUSH):
        return _flush_value(tables, cards, key)
    return look_up(tables, key)


@njit(cache=True)
def _flush_value(tables, cards, key):
    suit = 0
    while not key >> np.uint64(35 + 4 * suit) & np.uint64(1):
        suit += 1
    mask = 0
    for card in cards:
        if card & 3 == suit:
            mask |= 1 << (card >> 2)
    return tables.flushes[mask]


@njit(cache=True, nogil=True)
def fill_values(tables, hands, values):
    """Values of hands (n, 5 to 7), into `values`."""
    size = hands.shape[1]
    start = tables.starts[size]
    for i in range(len(hands)):
        key = start
        for j in range(size):
            key += tables.keys[hands[i, j]]
        if key & np.uint64(_FLUSH):
            values[i] = _flush_value(tables, hands[i], key)
        else:
            values[i] = look_up(tables, key)


@njit(cache=True, nogil=True)
def first_bad(hands):
    """The first row with a card outside the deck or twice, or -1."""
    for i in range(len(hands)):
        seen, fine = np.uint64(0), True
        for j in range(hands.shape[1]):
            card = hands[i, j]
            bit = np.uint64(1) << np.uint64(card & 63)
            fine &= (0 <= card < 52) & (seen & bit == 0)
            seen |= bit
        if not fine:
            return i
    return -1


@njit(cache=True, nogil=True)
def fill_board(tables, board, values):
    """Values of all 1,326 holes with a board of three to five cards, into `values`; 0 where they share a card."""
    start, seen = tables.starts[len(board) + 2], np.int64(0)
    masks = np.zeros(4, np.int64)
    for card in board:
        start += tables.keys[card]
        seen |= np.int64(1) << np.int64(card)
        masks[card & 3] |= 1 << (card >> 2)
    at = 0
    for high in range(52):
        if seen >> high & 1:
            values[at : at + high] = 0
            at += high
            continue
        with_high = start + tables.keys[high]
        for low in range(high):
            if seen >> low & 1:
                values[at] = 0
            else:
                key = with_high + tables.keys[low]
                if key & np.uint64(_FLUSH):
                    suit = 0
                    while not key >> np.uint64(35 + 4 * suit) & np.uint64(1):
                        suit += 1
                    mask = masks[suit]
                    if high & 3 == suit:
                        mask |= 1 << (high >> 2)
                    if low & 3 == suit:
                        mask |= 1 << (low >> 2)
                    values[at] = tables.flushes[mask]
                else:
                    values[at] = look_up(tables, key)
            at += 1


@njit(cache=True, nogil=True)
def sort_board(values, order, spare):
    """The holes in ascending order of value, clashing ones left out, into `order`; returns how many there are.

    Values have 13 bits: one counting sort by the lower seven into `spare`, then one by the upper six.
    """
    low, high, clashes = np.zeros(128, np.int64), np.zeros(64, np.int64), 0
    for value in values:
        low[value & 127] += 1
        high[value >> 7] += 1
        clashes += value == 0
    low[0] -= clashes
    high[0] -= clashes
    for counts in (low, high):
        at = 0
        for i in range(len(counts)):
            counts[i], at = at, at + counts[i]
    for hole in range(len(values)):
        value = values[hole]
        if value:
            spare[low[value & 127]] = hole
            low[value & 127] += 1
    n = len(values) - clashes
    for i in range(n):
        hole = spare[i]
        top = values[hole] >> 7
        order[high[top]] = hole
        high[top] += 1
    return n


def evaluate(hands: Sequence[Sequence[int]] | np.ndarray) -> np.ndarray:
    """Values of many hands of five, six or seven cards each: int16[n]."""
    cards = np.ascontiguousarray(np.atleast_2d(hands))
    if cards.ndim != 2 or not 5 <= cards.shape[1] <= 7:
        raise CardError(f"hands are rows of five, six or seven cards, not an array of shape {cards.shape}")
    _check_cards(cards)
    values = np.empty(len(cards), np.int16)
    fill_values(tables(), cards.astype(np.uint8, copy=False), values)
    return values


def _check_cards(cards: np.ndarray) -> None:
    if cards.dtype.kind not in "iu":
        raise CardError(f"cards are whole numbers from 0 to 51, not {cards.dtype}")
    bad = first_bad(cards)
    if bad >= 0:
        raise CardError(f"hand {bad} has a card twice, or one that is not from 0 to 51: {cards[bad].tolist()}")


def board_values(board: Sequence[int]) -> np.ndarray:
    """Values of all 1,326 holes with a board of three to five cards; 0 where a card is on the board: int16[1326]."""
    cards = np.asarray(board)
    if cards.ndim != 1 or not 3 <= len(cards) <= 5:
        raise CardError(f"a board to rank holes on has three to five cards, not {len(cards)}")
    _check_cards(cards[None])
    values = np.empty(1326, np.int16)
    fill_board(tables(), cards.astype(np.uint8), values)
    return values


def ranked_holes(board: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The holes that a board leaves possible, worst first, and their values."""
    values, order = board_values(board), np.empty(1326, np.int16)
    n = sort_board(values, order, np.empty(1326, np.int16))
    return order[:n], values[order[:n]]


def category(value: int) -> str:
    """The name of a value's category: pair, flush, ..."""
    if not 1 <= value <= 7462:
        raise CardError(f"values of hands are from 1 to 7462, not {value}")
    return CATEGORIES[int(np.searchsorted(LOWEST, value, side="right")) - 1]


@lru_cache(maxsize=64)
def evaluator(ranks: int, suits: int, ranking: str, size: int) -> Callable[[tuple[int, ...]], Any]:
    """How to rank one hand of `size` cards of such a deck: by the tables where they hold, by its rules elsewhere.

    Nothing is compiled for it, so that the first showdown of a process comes as fast as any.
    """
    if ranking == "poker" and 5 <= size <= 7 and ranks <= 13 and suits <= 4:
        return _by_tables(ranks, suits, size)

    @lru_cache(maxsize=100_000)
    def plain(cards: tuple[int, ...]) -> Any:
        return strength([divmod(card, suits) for card in cards], ranking, ranks)

    return plain


def _by_tables(ranks: int, suits: int, size: int) -> Callable[[tuple[int, ...]], int]:
    """As `value_of`, in plain Python: a few microseconds a hand. Fewer ranks are the top ones, without a wheel."""
    ready, lowest = tables(), 13 - ranks
    keys = [int(ready.keys[(card // suits + lowest) * 4 + card % suits]) for card in range(ranks * suits)]
    start, rows, values = int(ready.starts[size]), ready.rows.data, ready.values.data

    def value(cards: tuple[int, ...]) -> int:
        key = start
        for card in cards:
            key += keys[card]
        if key & _FLUSH:
            suit = next(suit for suit in range(4) if key >> 35 + 4 * suit & 1)
            return int(ready.flushes[sum(1 << card // suits + lowest for card in cards if card % suits == suit)])
        low = key & 0xFFFFFFFF
        return values[low + rows[low >> _ROW]]

    return value
