"""Translation of real bets for a player who knows fewer sizes: section 4.3 of Waugh et al. (2009).

A real bet is taken for the closest of h, p, d, a by ratio of chips; an absent h or d then becomes p, an
absent p becomes a, so that more sizes are always a refinement. What the player believes is a betting state
of its own, its *shadow* of the real one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pokerlab.abstraction.small import BETS
from pokerlab.game.betting import CALL, FOLD, Betting

Percentages = Sequence[float]


def closest_bet(real: Betting, action: int, sizes: Percentages) -> float:
    """The percentage among `sizes` that a real raise is taken for; all-in is always all-in."""
    assert real.actor is not None
    if action == real.rules.stacks[real.actor]:
        return math.inf
    bet = action - real.highest
    chips = {percent: real.raise_to(percent) - real.highest for percent in BETS.values()}

    def distance(percent: float) -> tuple[float, bool, float]:
        ratio = max(bet / chips[percent], chips[percent] / bet)
        return ratio, percent not in sizes, percent

    choice = min(BETS.values(), key=distance)
    if choice not in sizes and not math.isinf(choice):
        choice = BETS["p"]
    return choice if choice in sizes else math.inf


def into_shadow(
    real: Betting, action: int, shadow: Betting, sizes: Percentages | None, considered: Sequence[int]
) -> int:
    """The action in the shadow that a real action of the opponent is taken for.

    `sizes` are the percentages that the opponent has in the abstract game (None: all), `considered` its
    abstract raises in the shadow. A raise that has no counterpart there is taken for a call.
    """
    if action == FOLD:
        return FOLD if shadow.legal().fold else CALL
    if action == CALL:
        return CALL
    percent = percentage(real, action, real.rules.bet_sizes) if sizes is None else closest_bet(real, action, sizes)
    return nearest_raise(shadow, percent, considered)


def out_of_shadow(shadow: Betting, action: int, real: Betting, sizes: Percentages | None) -> int:
    """The legal real action that carries out an action chosen in the shadow by a player with these sizes.

    Calling what is believed to be all-in commits the whole stack: the real player then goes all-in itself.
    """
    legal = real.legal()
    assert shadow.actor is not None
    if action == FOLD:
        return FOLD if legal.fold else CALL
    if action == CALL:
        committed = shadow.highest >= shadow.rules.stacks[shadow.actor]
        return legal.raises[-1] if committed and legal.raises else CALL
    percent = percentage(shadow, action, shadow.rules.bet_sizes if sizes is None else sizes)
    return nearest_raise(real, percent, legal.raises)


def percentage(state: Betting, action: int, sizes: Percentages) -> float:
    """The smallest of `sizes` that makes this raise here; failing that, its fraction of the pot. All-in is all-in."""
    assert state.actor is not None
    if action == state.rules.stacks[state.actor]:
        return math.inf
    pot = state.pot + state.highest - state.spent[state.actor]
    found = (percent for percent in sizes if state.raise_to(percent) == action)
    return min(found, default=100 * (action - state.highest) / pot)


def nearest_raise(state: Betting, percent: float, raises: Sequence[int]) -> int:
    """The smallest of `raises` not below `percent` of the pot, the largest if none is, CALL if there are none."""
    wanted = state.raise_to(percent)
    return next((size for size in raises if size >= wanted), raises[-1] if raises else CALL)
