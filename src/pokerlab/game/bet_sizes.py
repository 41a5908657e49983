"""The one language of bet sizes, and the rule for how many chips a size makes.

    50, 50%          of the pot after calling, over the bet faced
    h, p, d          50 %, 100 %, 200 %, as in the tables of Waugh et al. (2009)
    120c             chips over the bet faced
    2.5x             times the bet faced
    all-in, allin, a everything
    ~50%             rounded to the nearest chip: how spots were once solved; elsewhere amounts are rounded down

Sizes are parted by spaces or commas. `|` parts those of the first bet or raise of a round from those of the second, and
so on; the last of these *steps* also stands for all that follow. `/` parts rounds.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from pokerlab.bounds import CHIPS
from pokerlab.errors import BetSizeError, shown

_WORD = re.compile(r"[^\s,]+(?:\s+[%xc](?![^\s,]))?")  # a number may stand apart from its unit
_EXACT = 1e-9  # keeps a fraction that was computed from whole chips from losing one


class Size(NamedTuple):
    """One way to bet: `%` of the pot after calling or `c` chips over the bet faced, or `x` times that bet."""

    amount: float
    unit: str = "%"
    nearest: bool = False

    def __str__(self) -> str:
        if math.isinf(self.amount):
            return "all-in"
        return f"{'~' if self.nearest else ''}{str(float(self.amount)).removesuffix('.0')}{self.unit}"

    def over(self, pot: int, faced: int) -> int:
        """Chips over the bet faced in this round, at least one, where `pot` is what it will be after calling."""
        amount, unit, nearest = self
        if nearest:
            parts = {"%": faced + amount / 100 * pot, "x": amount * faced, "c": faced + amount}
            return max(1, math.floor(parts[unit] + 0.5) - faced)
        exact = amount * pot / 100 if unit == "%" else amount if unit == "c" else (amount - 1) * faced
        return max(1, int(exact + _EXACT))


ALL_IN = Size(math.inf)
NAMED = {"h": Size(50.0), "p": Size(100.0), "d": Size(200.0), "a": ALL_IN}
Steps = tuple[tuple[Size, ...], ...]  # by bets and raises so far in a round


def parse_size(word: str) -> Size:
    """Read one size."""
    text = word.strip().lower()
    if text in ("all-in", "allin"):
        return ALL_IN
    if text in NAMED:
        return NAMED[text]
    number = text.removeprefix("~")
    unit = number[-1:] if number[-1:] in ("%", "x", "c") else ""
    try:
        amount = float(number.removesuffix(unit))
    except ValueError:
        raise BetSizeError(
            f"a bet size is 50 or 50% (of the pot), 120c (chips), 2.5x (of the bet faced) or all-in, not {shown(word)}"
        ) from None
    if not (unit == "x") < amount <= CHIPS.most:
        raise BetSizeError(
            f"{shown(word)} is no legal bet: bet sizes must be positive, multiples above 1, {CHIPS.most:,} at most"
        )
    return Size(amount, unit or "%", text != number)


def parse_sizes(text: str) -> tuple[Size, ...]:
    """Read sizes parted by spaces or commas; there may be none."""
    return tuple(parse_size(word) for word in _WORD.findall(text))


def parse_steps(text: str) -> Steps:
    """Read the steps of one round, `50 100 allin | 100 allin`."""
    steps = tuple(parse_sizes(step) for step in text.split("|"))
    if not all(steps):
        raise BetSizeError("bet sizes are expected at every step, not ''")
    return steps


def step_at(steps: Steps, raises: int) -> tuple[Size, ...]:
    """The sizes after so many bets and raises in a round."""
    return steps[min(raises, len(steps) - 1)]
