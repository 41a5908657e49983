"""What the chips of a record are worth: whole chips inside, amounts of a currency at the edge.

Rules and hands know whole chips only. A file with cents is read with a chip for each cent, and `Money` says so, so that
what is shown and written is in the currency again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from pokerlab.game.rules import Rules

_CODE = 3  # letters of a currency's code, USD; anything else is a symbol


class Money(NamedTuple):
    """`scale` chips are one of the currency, which is a symbol ($), a code (USD) or nothing."""

    currency: str = ""
    scale: int = 1

    @property
    def is_code(self) -> bool:
        return len(self.currency) == _CODE and self.currency.isalpha()

    def number(self, chips: float) -> str:
        """Chips as a plain number of the currency, without zeros at the end."""
        text = f"{Decimal(str(chips)) / self.scale:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text

    def text(self, chips: float, signed: bool = False) -> str:
        """Chips as people write them: $4.50, -12 USD; cents are written with both digits or not at all."""
        if math.isnan(chips):
            return "unknown"
        amount = abs(chips) / self.scale
        number = f"{amount:,.2f}" if amount != int(amount) else f"{int(amount):,}"
        sign = "-" if chips < 0 else "+" if signed else ""
        if self.is_code:
            return f"{sign}{number} {self.currency}"
        return f"{sign}{self.currency}{number}"


CHIPS = Money()


def stakes(rules: Rules, money: Money = CHIPS) -> str:
    """The stakes as the table's sign has them: $3/$6, 50/100; +1 is an ante; of limit games the two bets."""
    return stakes_text(rules.raise_sizes if rules.limit else rules.blinds, 0 if rules.limit else rules.ante, money)


def stakes_text(amounts: Iterable[int], ante: int, money: Money) -> str:
    """The stakes of these bets, or blinds, in which the ante is contained."""
    text = "/".join(map(money.text, sorted({amount - ante for amount in amounts} - {0})))
    return f"{text}+{money.text(ante)}" if ante else text
