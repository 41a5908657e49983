"""The one language of bet sizes, and the rule for how many chips a size makes.

    50, 50%          of the pot after calling, over the bet faced
    h, p, d          50 %, 100 %, 200 %, as in the tables of Waugh et al. (2009)
    120c             chips over the bet faced
    2.5x             times the bet faced
    3e, e            geometric: the part of the pot that, bet three times and called, puts the whole stack in; `e` is
                     for a bet a round, from this one to the last
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
_GEOMETRIC = re.compile(r"([0-9]{0,3})e")
_EXACT = 1e-9  # keeps a fraction that was computed from whole chips from losing one


class Size(NamedTuple):
    """One way to bet: `%` of the pot after calling or `c` chips over the bet faced, `x` times that bet, or `e`: equal
    parts of the pot, so many that the stack is in (0: a bet a round).
    """

    amount: float
    unit: str = "%"
    nearest: bool = False

    def __str__(self) -> str:
        if math.isinf(self.amount):
            return "all-in"
        if self.unit == "e":
            return f"{int(self.amount) or ''}e"
        return f"{'~' if self.nearest else ''}{str(float(self.amount)).removesuffix('.0')}{self.unit}"

    def over(self, pot: int, faced: int, behind: int = 0, rounds: int = 1) -> int:
        """Chips over the bet faced in this round, at least one, where `pot` is what it will be after calling, `behind`
        what the player has left then, and `rounds` are left with this one.
        """
        amount, unit, nearest = self
        if unit == "e":
            return max(1, _geometric(pot, behind, int(amount) or rounds))
        if nearest:
            parts = {"%": faced + amount / 100 * pot, "x": amount * faced, "c": faced + amount}
            return max(1, math.floor(parts[unit] + 0.5) - faced)
        exact = amount * pot / 100 if unit == "%" else amount if unit == "c" else (amount - 1) * faced
        return max(1, int(exact + _EXACT))


def _geometric(pot: int, behind: int, bets: int) -> int:
    """Chips of the first of so many bets f of the pot each: pot (1 + 2 f)^bets = pot + 2 behind."""
    if bets == 1 or not pot:
        return behind
    return int(pot * ((1 + 2 * behind / pot) ** (1 / bets) - 1) / 2 + _EXACT)


ALL_IN = Size(math.inf)
MOST_BETS = 20  # of a geometric size
NAMED = {"h": Size(50.0), "p": Size(100.0), "d": Size(200.0), "a": ALL_IN}
Steps = tuple[tuple[Size, ...], ...]  # by bets and raises so far in a round


def parse_size(word: str) -> Size:
    """Read one size."""
    text = word.strip().lower()
    if text in ("all-in", "allin"):
        return ALL_IN
    if text in NAMED:
        return NAMED[text]
    if geometric := _GEOMETRIC.fullmatch(text):
        bets = int(geometric[1] or 0)
        if geometric[1] and not 1 <= bets <= MOST_BETS:
            raise BetSizeError(f"{shown(word)} is no legal bet: a stack goes in over 1 to {MOST_BETS} bets")
        return Size(float(bets), "e")
    number = text.removeprefix("~")
    unit = number[-1:] if number[-1:] in ("%", "x", "c") else ""
    try:
        amount = float(number.removesuffix(unit))
    except ValueError:
        raise BetSizeError(
            "a bet size is 50 or 50% (of the pot), 120c (chips), 2.5x (of the bet faced), 3e (the stack in three bets) "
            f"or all-in, not {shown(word)}"
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
