"""Plain hand ranking: the best five of up to seven cards, or whole hands of three in Rhode Island.

Slow and obvious on purpose. A strength is a tuple; larger tuples win, equal ones split.
Hands of fewer than five cards have no straights or flushes, except in the `three-card` ranking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

Strength = tuple[int, ...]


def strength(cards: Sequence[tuple[int, int]], ranking: str = "poker", ranks: int = 13) -> Strength:
    """Strength of `cards`, pairs of (rank, suit), in a deck of `ranks` ranks.

    `ranking` is `poker`, or `three-card`: straight flush, three of a kind, straight, flush, pair, high card.
    """
    if ranking == "three-card":
        category, *kickers = _classify(cards, 3, ranks)
        order = (HIGH_CARD, PAIR, FLUSH, STRAIGHT, TRIPS, STRAIGHT_FLUSH)
        return (order.index(category), *kickers)
    if len(cards) <= 5:
        return _classify(cards, 5, ranks)
    return max(_classify(five, 5, ranks) for five in combinations(cards, 5))


def _classify(cards: Sequence[tuple[int, int]], run: int, ranks: int) -> Strength:
    """Category and kickers of one hand; straights and flushes need exactly `run` cards."""
    counts = Counter(rank for rank, _ in cards)
    # Most frequent first, then highest: the order in which poker compares hands.
    ordered = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    shape = [counts[rank] for rank in ordered]
    flush = len(cards) == run and len({suit for _, suit in cards}) == 1
    top = _straight_top(ordered, run, ranks)
    if top is not None:
        return (STRAIGHT_FLUSH if flush else STRAIGHT, top)
    if shape[0] == 4:
        category = QUADS
    elif shape[0] == 3 and len(shape) > 1 and shape[1] >= 2:
        category = FULL_HOUSE
    elif flush:
        category = FLUSH
    elif shape[0] == 3:
        category = TRIPS
    elif shape[0] == 2:
        category = TWO_PAIR if len(shape) > 1 and shape[1] == 2 else PAIR
    else:
        category = HIGH_CARD
    return (category, *ordered)


def _straight_top(ordered: Sequence[int], run: int, ranks: int) -> int | None:
    """Top rank of a straight of `run` different ranks, highest first, or None. An ace also plays low."""
    if len(ordered) != run:
        return None
    if ordered[0] - ordered[-1] == run - 1:
        return ordered[0]
    if ranks == 13 and ordered[0] == 12 and ordered[1] == run - 2:
        return run - 2
    return None
