"""DIVAT, the ignorant value assessment tool (Billings and Kan 2006): luck is what a baseline would have made of it.

A *baseline* says how a reasonable player who sees only its own cards and the board would bet. The value V of a hand is
its outcome if all follow the baseline to the end of the betting round and the pot is then shared by all-in equity, or,
with `rollout`, if they follow it to the end of the hand.

DIVAT as published sums V(after) - V(before) over the decisions, and drops the cards. That is unbiased (but for the
constant V before the deal) if V before a card is the mean of V after it. This holds for rollouts and for check-call. It
does not hold for bet-for-value with all-in equity: a baseline that bets its good cards makes more of the next round
than the equity before it says. `divat` is therefore equation (1) of `variance.py` with the same V; it differs from the
published sum by exactly that amount, and is unbiased for every baseline. `divat_difference` is the published sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from pokerlab.cards.equity import STANDARD
from pokerlab.cards.preflop import preflop_equity, preflop_percentile
from pokerlab.cards.strength import hand_strength
from pokerlab.errors import PokerlabError
from pokerlab.game.betting import CALL, FOLD, Betting
from pokerlab.game.hand import Hand
from pokerlab.match.variance import MOST_DEALS, SAMPLES, Chips, Value, all_deals, count_deals, events, luck, pot_share

Baseline = Callable[[Hand], int]  # what the actor would do


def check_call(hand: Hand) -> int:
    """The baseline for no-limit: never bet, never fold."""
    return CALL


@dataclass(frozen=True)
class BetForValue:
    """The baseline for limit: bets depend on hand strength alone, without bluffs or traps.

    The k-th bet of a round is made with a strength of at least `makes[k - 1]`. A bet is called unless the strength
    is below its price, chips to call over the pot: folding that part of all hands makes a bluff break even, the
    invariant frequency of Billings and Kan. Strength is the immediate hand rank. Before hold'em's flop it is the part
    of hands with less equity for betting, and equity itself for calling, since nobody is behind for good yet. The
    numbers are ours, and parameters: they matter for variance, never for bias.
    """

    makes: tuple[float, ...] = (0.58, 0.825, 0.93, 0.965)
    fold_offset: float = 0.0

    def __call__(self, hand: Hand) -> int:
        betting, legal = hand.betting, hand.legal()
        to_bet, to_call = _strengths(hand)
        if legal.raises and betting.raises < len(self.makes) and to_bet >= self.makes[betting.raises]:
            return legal.raises[0]
        assert betting.actor is not None
        owed = betting.highest - betting.spent[betting.actor]
        return FOLD if legal.fold and to_call < owed / betting.pot + self.fold_offset else CALL


def _strengths(hand: Hand) -> tuple[float, float]:
    """The actor's strength against a random hand, 0 to 1, for betting and for calling."""
    rules, seat = hand.rules, hand.actor
    assert seat is not None
    hole = hand.holes[seat]
    if not hand.board and rules.deck == STANDARD and rules.ranking == "poker" and len(hole) == 2:
        pair = hole[0], hole[1]
        return preflop_percentile(pair), preflop_equity(pair)
    strength = hand_strength(tuple(sorted(hole)), hand.board, rules.deck, rules.ranking)
    return strength, strength


def round_value(baseline: Baseline) -> Value:
    """V: all follow the baseline to the end of the betting round, then the pot is shared by equity."""
    if baseline is check_call:
        # Equity is its own expectation, and no chips go in after the first round: no need to enumerate.
        return Value(_called, _called)
    return Value(partial(_round, baseline))


def _round(baseline: Baseline, hand: Hand) -> Chips:
    start = hand.betting.round
    while hand.actor is not None and hand.betting.round == start:
        hand = hand.act(baseline(hand))
    return pot_share(hand)


def _called(hand: Hand) -> Chips:
    return pot_share(hand, called(hand.betting))


def called(betting: Betting) -> Betting:
    """The betting after all have checked or called to the end of the round."""
    start = betting.round
    while betting.actor is not None and betting.round == start:
        betting = betting.act(CALL)
    return betting


def rollout_value(baseline: Baseline) -> Value:
    """V: all follow the baseline to the end of the hand, over all cards to come. For small decks."""

    @lru_cache(maxsize=50_000)
    def value(hand: Hand) -> Chips:
        while (pending := hand.pending) or hand.actor is not None:
            if pending:
                if count_deals(hand) > MOST_DEALS:
                    raise PokerlabError(f"{count_deals(hand):,} deals are too many to roll out; leave `rollout` off")
                return tuple(np.mean([value(hand.dealt(cards)) for cards in all_deals(hand)], axis=0).tolist())
            hand = hand.act(baseline(hand))
        return hand.payoffs()

    return Value(value, value)


@lru_cache(maxsize=16)
def _value(limit: bool, baseline: Baseline | None, rollout: bool) -> Value:
    if baseline is None:
        baseline = BetForValue() if limit else check_call
    return rollout_value(baseline) if rollout else round_value(baseline)


def divat(
    hand: Hand,
    baseline: Baseline | None = None,
    *,
    rollout: bool = False,
    rng: np.random.Generator | None = None,
    samples: int = SAMPLES,
) -> Chips:
    """The payoff less what the cards gave a baseline, per seat: equation (1) of `variance.py`, hence unbiased.

    Assumes nothing of the players. `baseline` None: bet-for-value in limit, check-call in no-limit. Bet-for-value in
    hold'em needs an `rng`: expectations over flops and hole cards are then estimated from `samples` deals each.
    """
    return tuple(
        (hand.payoffs() - luck(hand, _value(hand.rules.limit, baseline, rollout), rng, samples).sum(axis=0)).tolist()
    )


def showdown_divat(
    hand: Hand,
    baseline: Baseline | None = None,
    *,
    rollout: bool = False,
    rng: np.random.Generator | None = None,
    samples: int = SAMPLES,
) -> Chips:
    """DIVAT after a showdown, money after a fold: for when folded cards stay unknown (Rubin 2013, section 4.3.2).

    **Biased**: luck has mean zero over all hands, not over those that end in a showdown, which the lucky and the
    unlucky reach at different rates. docs/variance.md has its bias in Leduc.
    """
    if not hand.betting.showdown:
        return hand.payoffs()
    return divat(hand, baseline, rollout=rollout, rng=rng, samples=samples)


def divat_difference(hand: Hand, baseline: Baseline | None = None, *, rollout: bool = False) -> Chips:
    """EV(actual actions) - EV(baseline actions), as published: the sum over decisions of V(after) - V(before).

    Leaves out the constant V before the deal, which seats that rotate cancel. Beyond that unbiased with `rollout`
    and for check-call; with bet-for-value and all-in equity it is not (see the module).
    """
    value = _value(hand.rules.limit, baseline, rollout).of
    total = np.zeros(hand.rules.players)
    for before, after in events(hand):
        if not before.pending:
            total += np.subtract(value(after), value(before))
    return tuple(total.tolist())
