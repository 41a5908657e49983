"""Translation of real bets for a player who knows fewer sizes, and of its own bets back into chips.

What the player believes is a betting state of its own, its *shadow* of the real one. In small games a real bet is
taken for the closest of h, p, d, a by ratio of chips (section 4.3 of Waugh et al. 2009); an absent h or d then becomes
p, an absent p becomes a, so that more sizes are always a refinement. In large games it is taken for one of its two
neighbours among the sizes of the shadow, with probabilities by a rule that has a name: `hard` and `soft` are equations
(3.3) to (3.5) of Rubin's thesis (2013), `pseudo-harmonic` is the mapping of Ganzfried and Sandholm (2013).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from pokerlab.errors import AbstractionError
from pokerlab.game.bet_sizes import ALL_IN, NAMED, Size
from pokerlab.game.betting import CALL, FOLD, Betting

NO_BET = -1  # what a very small bet can be taken for


def hard(bet: float, low: float, high: float) -> float:
    """The probability that a bet is taken for `low`, not `high`: 1 if it is closer by ratio, equation (3.3)."""
    return 1.0 if low * high > bet * bet else 0.0


def soft(bet: float, low: float, high: float) -> float:
    """The same by equations (3.4) and (3.5), normalised."""
    below, above = low / bet - low / high, bet / high - low / high
    return below / (below + above)


def pseudo_harmonic(bet: float, low: float, high: float) -> float:
    """The same by the pseudo-harmonic mapping; `low` may be 0, no bet at all."""
    return (high - bet) * (1 + low) / ((high - low) * (1 + bet))


TRANSLATIONS: dict[str, Callable[[float, float, float], float]] = {
    "hard": hard,
    "soft": soft,
    "pseudo-harmonic": pseudo_harmonic,
}


def translation_of(name: str) -> Callable[[float, float, float], float]:
    """A rule by its name."""
    if name not in TRANSLATIONS:
        raise AbstractionError(f"no translation {name!r}; there are {', '.join(TRANSLATIONS)}")
    return TRANSLATIONS[name]


def translate_bet(bet: float, sizes: Sequence[float], rule: str) -> dict[int, float]:
    """The numbers of the sizes that a bet is taken for, and how likely each is.

    Bet and sizes are fractions of the pot, sizes ascending. A bet above the largest size is that one. One below the
    smallest is that one too, but the pseudo-harmonic rule also knows NO_BET.
    """
    chance = translation_of(rule)
    if not sizes or not bet > 0:
        raise AbstractionError(f"a bet above 0 and sizes to take it for are needed, not {bet} and {list(sizes)}")
    above = bisect_right(sizes, bet)
    if (above and sizes[above - 1] == bet) or above == len(sizes):
        return {above - 1: 1.0}
    if not above and rule != "pseudo-harmonic":
        return {0: 1.0}
    low = chance(bet, sizes[above - 1] if above else 0.0, sizes[above])
    both = {above - 1 if above else NO_BET: low, above: 1.0 - low}
    return {number: odds for number, odds in both.items() if odds > 0}


def bet_fraction(state: Betting, action: int) -> float:
    """A raise as a fraction of the pot after calling."""
    assert state.actor is not None
    return (action - state.highest) / (state.pot + state.highest - state.spent[state.actor])


def taken_for(real: Betting, action: int, shadow: Betting, raises: Sequence[int], rule: str) -> dict[int, float]:
    """The actions in the shadow that a real action is taken for, and how likely each is; `raises` are considered there.

    All-in is always all-in. A raise where the shadow has none is taken for a call.
    """
    if action <= CALL or not raises:
        return {FOLD if action == FOLD and shadow.legal().fold else CALL: 1.0}
    assert real.actor is not None
    if real.rules.limit or action >= real.rules.stacks[real.actor]:
        return {raises[-1]: 1.0}
    if action in raises and shadow == real:
        return {action: 1.0}
    taken = translate_bet(bet_fraction(real, action), [bet_fraction(shadow, size) for size in raises], rule)
    return {CALL if number == NO_BET else raises[number]: odds for number, odds in taken.items()}


def carried_out(shadow: Betting, action: int, real: Betting, vary: float = 0.0) -> dict[int, float]:
    """The legal real actions that carry out an action chosen in the shadow, and how likely each is.

    A bet is the same fraction of the real pot; with `vary`, every whole amount up to that part of it below or above is
    as likely: equation (3.6). All-in is always all-in.
    """
    legal = real.legal()
    assert shadow.actor is not None
    assert real.actor is not None
    raises = legal.raises
    wanted = action if shadow == real and action in legal else out_of_shadow(shadow, action, real, ())
    fixed = not isinstance(raises, range) or action == shadow.rules.stacks[shadow.actor]
    if wanted <= CALL or action <= CALL or fixed or not vary:
        return {wanted: 1.0}
    assert isinstance(raises, range)
    spread = int(vary * (wanted - real.highest))
    amounts = range(max(raises[0], wanted - spread), min(raises[-1], wanted + spread) + 1)
    return dict.fromkeys(amounts, 1 / len(amounts))


def closest_bet(real: Betting, action: int, sizes: Sequence[Size]) -> Size:
    """The size among `sizes`, some of h, p, d, a, that a real raise is taken for; all-in is always all-in."""
    assert real.actor is not None
    if action == real.rules.stacks[real.actor]:
        return ALL_IN
    bet = action - real.highest
    chips = {size: real.raise_to(size) - real.highest for size in NAMED.values()}

    def distance(size: Size) -> tuple[float, bool, Size]:
        ratio = max(bet / chips[size], chips[size] / bet)
        return ratio, size not in sizes, size

    choice = min(chips, key=distance)
    if choice not in sizes and choice != ALL_IN:
        choice = NAMED["p"]
    return choice if choice in sizes else ALL_IN


def into_shadow(
    real: Betting, action: int, shadow: Betting, sizes: Sequence[Size] | None, considered: Sequence[int]
) -> int:
    """The action in the shadow that a real action of the opponent is taken for.

    `sizes` are those that the opponent has in the abstract game (None: all), `considered` its
    abstract raises in the shadow. A raise that has no counterpart there is taken for a call.
    """
    if action == FOLD:
        return FOLD if shadow.legal().fold else CALL
    if action == CALL:
        return CALL
    size = size_of(real, action, real.rules.bet_sizes) if sizes is None else closest_bet(real, action, sizes)
    return nearest_raise(shadow, size, considered)


def out_of_shadow(shadow: Betting, action: int, real: Betting, sizes: Sequence[Size] | None) -> int:
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
    size = size_of(shadow, action, shadow.rules.bet_sizes if sizes is None else sizes)
    return nearest_raise(real, size, legal.raises)


def size_of(state: Betting, action: int, sizes: Sequence[Size]) -> Size:
    """The smallest of `sizes` that makes this raise here; failing that, its fraction of the pot. All-in is all-in."""
    assert state.actor is not None
    if action == state.rules.stacks[state.actor]:
        return ALL_IN
    made = (size for size in sizes if state.raise_to(size) == action)
    return min(made, default=Size(100 * bet_fraction(state, action)))


def nearest_raise(state: Betting, size: Size, raises: Sequence[int]) -> int:
    """The smallest of `raises` not below this size, the largest if none is, CALL if there are none."""
    wanted = state.raise_to(size)
    if isinstance(raises, range):
        return min(max(wanted, raises[0]), raises[-1]) if raises else CALL
    return next((amount for amount in raises if amount >= wanted), raises[-1] if raises else CALL)
