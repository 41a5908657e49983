"""Bet abstractions of large games, as text: which raises are considered in each round.

    all                                                          every legal raise (limit)
    cap 3 2 2 2                                                  limit, with at most so many raises in each round
    100 allin / 50 100 allin | 100 allin | allin / ... / ...     no-limit: sizes by round and step (game/bet_sizes.py)

Sizes below the least legal raise are dropped, as are those that come out the same. Where every round goes on to
`allin`, no opponent can bet more than is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from pokerlab.errors import AbstractionError, BetSizeError
from pokerlab.game.bet_sizes import Steps, parse_steps, step_at
from pokerlab.game.betting import Betting
from pokerlab.game.rules import Rules


@dataclass(frozen=True)
class Bets:
    """Called with a betting state, the actions that are considered there; `text` says which those are."""

    text: str
    sizes: tuple[Steps, ...] = ()  # by round
    caps: tuple[int, ...] = ()

    def __call__(self, state: Betting) -> tuple[int, ...]:
        return state.actions(self._raises(state)) if state.actor is not None else ()

    def _raises(self, state: Betting) -> tuple[int, ...]:
        if self.sizes:
            return state.raises_to(step_at(self.sizes[state.round], state.raises))
        return () if self.caps and state.raises >= self.caps[state.round] else state.every_raise()


def parse_bets(text: str, rules: Rules) -> Bets:
    """Read a bet abstraction and check that it fits the rules."""
    if text == "all":
        if not rules.limit and not rules.bet_sizes:
            raise AbstractionError("no-limit needs bet sizes, as in '100 allin / 50 100 allin / 100 allin / 100 allin'")
        return Bets(text)
    if rules.limit:
        word, *numbers = text.split() or [""]
        if word != "cap" or len(numbers) != rules.rounds or not all(number.isdecimal() for number in numbers):
            raise AbstractionError(f"bets of limit games are 'all' or 'cap' and {rules.rounds} numbers, not {text!r}")
        return Bets(text, caps=tuple(map(int, numbers)))
    rounds = text.split("/")
    if len(rounds) != rules.rounds:
        raise AbstractionError(f"bet sizes {text!r} are for {len(rounds)} rounds, not {rules.rounds}")
    try:
        return Bets(text, tuple(parse_steps(part) for part in rounds))
    except BetSizeError as error:
        raise AbstractionError(f"bet sizes {text!r}: {error}") from None
