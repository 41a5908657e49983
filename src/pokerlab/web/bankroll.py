"""What a person has won at a table: the total, the mean a hand with its 95 % interval, and the curve over the hands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

from scipy.special import stdtrit

from pokerlab.game.rules import Rules, unit_of
from pokerlab.web.ledger import HandRow, Totals

_POINTS = 500  # of a curve


@lru_cache(maxsize=4096)
def _quantile(freedom: int) -> float:
    return float(stdtrit(freedom, 0.975))


def half_width(totals: Totals) -> float | None:
    """Half the width of the 95 % interval of the mean, in chips (Student's t); None before the second hand."""
    hands, chips, squares = totals
    if hands < 2:
        return None
    variance = max(0.0, (squares - chips * chips / hands) / (hands - 1))
    return _quantile(hands - 1) * math.sqrt(variance / hands)


def bankroll(rules: Rules, totals: Totals) -> dict[str, Any]:
    """As plain JSON; `mean` and `ci95` are in `unit`."""
    unit, size = unit_of(rules)
    width = half_width(totals)
    return {
        "hands": totals.hands, "chips": totals.chips, "unit": unit, "bet": rules.small_bet,
        "mean": totals.chips / totals.hands / size if totals.hands else None,
        "ci95": None if width is None else width / size,
    }  # fmt: skip


def totals_of(chips: Sequence[float]) -> Totals:
    return Totals(len(chips), sum(chips), sum(each * each for each in chips))


def curve(rules: Rules, hands: Sequence[HandRow], way: str) -> dict[str, Any]:
    """Points of the curve, at most some hundreds: after so many hands, chips won and their interval, and the same
    with luck taken out (`way` says how) up to the first hand for which that is not known.
    """
    won = [hand.chips or 0.0 for hand in hands]
    known = next((place for place, hand in enumerate(hands) if hand.luck_free is None), len(hands))
    free = [hand.luck_free or 0.0 for hand in hands[:known]]
    return {
        "bet": rules.small_bet, "hands": len(won), "money": _points(won), "luck_free": _points(free) if free else None,
        "bankroll": bankroll(rules, totals_of(won)),
        "without_luck": bankroll(rules, totals_of(free)) if free else None, "way": way,
    }  # fmt: skip


def _points(chips: Sequence[float]) -> list[list[float]]:
    """[hands, chips, half the width of the interval of their sum], the last hand always among them."""
    sums, squares = list(accumulate(chips)), list(accumulate(each * each for each in chips))
    step = max(1, math.ceil(len(chips) / _POINTS))
    places = sorted({*range(step - 1, len(chips), step), len(chips) - 1} - {-1})
    points = [[0.0, 0.0, 0.0]]
    for place in places:
        width = half_width(Totals(place + 1, sums[place], squares[place])) or 0.0
        points.append([place + 1, sums[place], width * (place + 1)])
    return points
