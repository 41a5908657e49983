"""Bet abstractions of large games, as text: which raises are considered in each round.

    all                                                          every legal raise (limit)
    cap 3 2 2 2                                                  limit, with at most so many raises in each round
    100 allin / 50 100 allin | 100 allin | allin / ... / ...     no-limit: percentages of the pot after calling

In no-limit rounds are parted by `/`; in a round, `|` parts the sizes of the first bet or raise, the second, and so on;
the last of them also stands for all that follow. Sizes below the least legal raise are dropped, as are those that come
out the same. Where every round goes on to `allin`, no opponent can bet more than is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pokerlab.errors import AbstractionError
from pokerlab.game.betting import CALL, FOLD, Betting
from pokerlab.game.rules import Rules

Sizes = tuple[tuple[tuple[float, ...], ...], ...]  # by round, by raises so far, percentages


@dataclass(frozen=True)
class BetSizes:
    """Called with a betting state, the actions that are considered there; `text` says which those are."""

    text: str
    sizes: Sizes = ()
    caps: tuple[int, ...] = ()

    def __call__(self, state: Betting) -> tuple[int, ...]:
        if state.actor is None:
            return ()
        legal = state.legal()
        return (FOLD, CALL, *self._raises(state)) if legal.fold else (CALL, *self._raises(state))

    def _raises(self, state: Betting) -> tuple[int, ...]:
        legal = state.legal().raises
        if self.sizes:
            steps = self.sizes[state.round]
            wanted = {state.raise_to(percent) for percent in steps[min(state.raises, len(steps) - 1)]}
            return tuple(sorted(amount for amount in wanted if amount in legal))
        return () if self.caps and state.raises >= self.caps[state.round] else tuple(legal)


def parse_bet_sizes(text: str, rules: Rules) -> BetSizes:
    """Read a bet abstraction and check that it fits the rules."""
    if text == "all":
        if not rules.limit and not rules.bet_sizes:
            raise AbstractionError("no-limit needs bet sizes, as in '100 allin / 50 100 allin / 100 allin / 100 allin'")
        return BetSizes(text)
    if rules.limit:
        word, *numbers = text.split()
        if word != "cap" or len(numbers) != rules.rounds or not all(number.isdecimal() for number in numbers):
            raise AbstractionError(f"bets of limit games are 'all' or 'cap' and {rules.rounds} numbers, not {text!r}")
        return BetSizes(text, caps=tuple(map(int, numbers)))
    rounds = text.split("/")
    if len(rounds) != rules.rounds:
        raise AbstractionError(f"bet sizes {text!r} are for {len(rounds)} rounds, not {rules.rounds}")
    return BetSizes(text, tuple(tuple(_sizes(step, text) for step in part.split("|")) for part in rounds))


def _sizes(step: str, text: str) -> tuple[float, ...]:
    try:
        found = tuple(math.inf if word == "allin" else float(word) for word in step.split())
    except ValueError:
        found = ()
    if not found or not all(size > 0 for size in found):
        raise AbstractionError(f"bet sizes {text!r}: percentages above 0, or allin, are expected, not {step.strip()!r}")
    return found
