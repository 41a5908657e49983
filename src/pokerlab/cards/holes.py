"""The 1,326 pairs of hole cards of a 52-card deck, in one order that every table of hands follows.

A pair low < high has the number high * (high - 1) / 2 + low, so that the pairs of the first n cards come first.
The 169 classes (pairs, suited, offsuit) are what is left of them before the flop when suits are forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from pokerlab.cards.deck import STANDARD_RANKS
from pokerlab.compiled import njit
from pokerlab.errors import CardError

COUNT = 1326
HOLES = np.array([(low, high) for high in range(52) for low in range(high)], dtype=np.uint8)  # (1326, 2)


@njit(cache=True)
def number(a, b):  # type: ignore[no-untyped-def]
    """The number of a pair of different cards."""
    return a * (a - 1) // 2 + b if a > b else b * (b - 1) // 2 + a


def hole_number(cards: tuple[int, ...]) -> int:
    """The number of a pair of hole cards, checked."""
    if len(cards) != 2 or cards[0] == cards[1] or not all(0 <= card < 52 for card in cards):
        raise CardError(f"hole cards are two different cards of 52, not {cards}")
    low, high = sorted(cards)
    return high * (high - 1) // 2 + low


def possible(cards: Sequence[int]) -> np.ndarray:
    """Which of the 1,326 hands have none of these cards."""
    free = np.ones(52, np.bool_)
    free[np.asarray(cards, np.int64)] = False
    return free[HOLES[:, 0]] & free[HOLES[:, 1]]


def compatible(weights: np.ndarray) -> np.ndarray:
    """For each hand, the weight of the hands in a range that share no card with it."""
    by_card = np.bincount(HOLES[:, 0], weights, 52) + np.bincount(HOLES[:, 1], weights, 52)
    return weights.sum() - by_card[HOLES[:, 0]] - by_card[HOLES[:, 1]] + weights


def renamed_holes(suits: Sequence[int] | np.ndarray) -> np.ndarray:
    """The number of each of the 1,326 hands after a permutation of suits (4), or after each of several (g, 4)."""
    cards = HOLES // 4 * 4 + np.asarray(suits)[..., HOLES % 4]
    low, high = np.minimum(cards[..., 0], cards[..., 1]), np.maximum(cards[..., 0], cards[..., 1])
    return high * (high - 1) // 2 + low


@lru_cache(maxsize=16)
def holes_of(deck: int, count: int) -> tuple[tuple[int, ...], ...]:
    """All hole cards, so many from a deck of this size, in the order of `HOLES`: by the highest card, then the next."""
    return tuple(sorted(combinations(range(deck), count), key=lambda hole: hole[::-1]))


def class_number(a: int, b: int) -> int:
    """Row * 13 + column of the usual chart, aces first: suited hands above the diagonal, offsuit ones below."""
    high, low = 12 - max(a, b) // 4, 12 - min(a, b) // 4
    return 13 * high + low if a % 4 == b % 4 else 13 * low + high


@lru_cache(maxsize=1)
def classes() -> np.ndarray:
    """The class (0..168, as in the chart) of each of the 1,326 pairs."""
    return np.array([class_number(int(a), int(b)) for a, b in HOLES], dtype=np.int16)


def class_name(number: int) -> str:
    """The name of a class: AA, AKs, AKo."""
    row, column = divmod(number, 13)
    high, low = STANDARD_RANKS[12 - min(row, column)], STANDARD_RANKS[12 - max(row, column)]
    return high + low + ("" if row == column else "s" if column > row else "o")
