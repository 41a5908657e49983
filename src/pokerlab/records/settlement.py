"""Who gets what at the end of a hand of people, where cards may stay hidden and the house takes its part.

Where the cards tell, they decide, and the file must agree: to the odd chip, and to a rake. Where cards stay hidden the
file is believed: its finishing stacks, or what it says was won. Who does not show against cards that are shown has
given up. What nobody tells is unknown, NaN, for those who were still in; who folded has lost what was put in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pokerlab.errors import LogError
from pokerlab.game.hand import Hand, split_pot
from pokerlab.records.money import Money
from pokerlab.records.record import NEARLY, check_payoffs

_MOST_RAKE = 0.1  # of the pot
Payoffs = tuple[float, ...]


def settle(
    hand: Hand, finishing: Sequence[float] | None, winnings: Sequence[float] | None, shown: set[int], money: Money
) -> tuple[Payoffs, bool]:
    """Net chips a seat, and whether they are other than the cards', or cannot be checked by them.

    `finishing` stacks and `winnings` are as the file tells; `shown` are the seats that showed their cards at the end.
    """
    survivors, stacks = hand.betting.survivors, hand.rules.stacks
    known = len(survivors) == 1 or all(hand.holes[seat] for seat in survivors)
    if finishing is not None:
        paid = tuple(after - before for after, before in zip(finishing, stacks, strict=True))
        return _as_told(hand, paid, known, money)
    if known:
        return hand.payoffs(), False
    if shown:
        return _against_muckers(hand, shown), True
    if winnings is not None and any(winnings):
        called = sorted(hand.betting.spent)[-2]
        paid = tuple(won - min(put, called) for won, put in zip(winnings, hand.betting.spent, strict=True))
        return _believed(hand, paid, money), True
    return tuple(math.nan if seat in survivors else -put for seat, put in enumerate(hand.betting.spent)), True


def _as_told(hand: Hand, paid: Payoffs, known: bool, money: Money) -> tuple[Payoffs, bool]:
    """Payoffs by finishing stacks."""
    if not known:
        return _believed(hand, paid, money), True
    ours = hand.payoffs()
    if _odd_chips(ours, paid, len(hand.betting.survivors)) or _raked(ours, paid, hand.betting.pot):
        return _believed(hand, paid, money), True
    return check_payoffs(hand, paid)


def _believed(hand: Hand, paid: Payoffs, money: Money) -> Payoffs:
    """What the file says, if it can be: nobody wins more than the others put in, and only the house takes chips."""
    spent = hand.betting.spent
    possible = all(-put - NEARLY <= chips <= sum(spent) - put + NEARLY for chips, put in zip(paid, spent, strict=True))
    if not possible or not -_MOST_RAKE * sum(spent) - NEARLY <= sum(paid) <= NEARLY:
        told = ", ".join(money.text(chips, signed=True) for chips in paid)
        raise LogError(f"what the players won or lost by their stacks or winnings, {told}, cannot be")
    return paid


def _odd_chips(ours: Payoffs, paid: Payoffs, winners: int) -> bool:
    """Whether whole payoffs are those of a pot that we cut into fractions."""
    cut, fractional = (any(chips != int(chips) for chips in payoffs) for payoffs in (ours, paid))
    return cut and not fractional and all(abs(a - b) < winners for a, b in zip(ours, paid, strict=True))


def _raked(ours: Payoffs, paid: Payoffs, pot: int) -> bool:
    """Whether the house took a little of the pot, and nobody got more than the cards say."""
    rake = -sum(paid)
    return NEARLY < rake <= _MOST_RAKE * pot and all(b <= a + NEARLY for a, b in zip(ours, paid, strict=True))


def _against_muckers(hand: Hand, shown: set[int]) -> Payoffs:
    """Payoffs where who hides cards loses to who shows them; of a pot in which nobody shows they are unknown."""
    spent, survivors = hand.betting.spent, hand.betting.survivors
    ranked = sorted({hand.strength(seat) for seat in shown})
    places = {seat: ranked.index(hand.strength(seat)) + 1 if seat in shown else 0 for seat in survivors}
    paid = list(split_pot(spent, places))
    for level in set(spent):
        inside = [seat for seat in survivors if spent[seat] >= level]
        if len(inside) > 1 and not shown.intersection(inside):
            for seat in inside:
                paid[seat] = math.nan
    return tuple(paid)
