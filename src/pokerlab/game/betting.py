"""The betting state machine: who acts, what is legal, and what an action leads to.

An action is an integer: FOLD, CALL (a check when nothing is owed), or the total chips that the player
will have put in over the whole hand ("raise to"), in limit games too. Semantics are those of the
competition's dealer: every raise, also an all-in below the minimum, lets the others raise again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from pokerlab.errors import IllegalAction
from pokerlab.game.rules import Rules

FOLD = -1
CALL = 0


class Legal(NamedTuple):
    """Legal actions: calling always is; `raises` are the raise-to amounts, ascending."""

    fold: bool
    raises: range | tuple[int, ...]

    def __contains__(self, action: object) -> bool:
        return action == CALL or (action == FOLD and self.fold) or action in self.raises

    def actions(self) -> Iterator[int]:
        """Fold, call, raises. In no-limit without bet sizes these are all whole amounts."""
        if self.fold:
            yield FOLD
        yield CALL
        yield from self.raises


class Betting(NamedTuple):
    """An immutable state of the betting. `actor` is None when nobody has anything left to decide."""

    rules: Rules
    round: int
    spent: tuple[int, ...]
    folded: tuple[bool, ...]
    actor: int | None
    waiting: int  # players who still have to answer before the round ends
    raises: int  # bets and raises in this round
    min_raise_to: int

    @property
    def finished(self) -> bool:
        return self.actor is None

    @property
    def highest(self) -> int:
        return max(self.spent)

    @property
    def pot(self) -> int:
        return sum(self.spent)

    @property
    def survivors(self) -> tuple[int, ...]:
        """Seats that have not folded."""
        return tuple(seat for seat, folded in enumerate(self.folded) if not folded)

    @property
    def showdown(self) -> bool:
        """Whether the hand is over with more than one player left, so that cards decide."""
        return self.finished and len(self.survivors) > 1

    def can_act(self, seat: int) -> bool:
        """Whether a seat has neither folded nor put in its whole stack."""
        return not self.folded[seat] and self.spent[seat] < self.rules.stacks[seat]

    def legal(self) -> Legal:
        """What the actor may do."""
        if self.actor is None:
            raise IllegalAction("the betting is over: nobody is to act")
        return Legal(self.spent[self.actor] < self.highest, self._raises(self.actor))

    def _raises(self, seat: int) -> range | tuple[int, ...]:
        rules, stack, highest = self.rules, self.rules.stacks[seat], self.highest
        others = sum(self.can_act(other) for other in range(rules.players)) - 1
        if self.raises >= rules.max_raises[self.round] or others < 1 or stack <= highest:
            return ()
        if rules.limit:
            return (min(highest + rules.raise_sizes[self.round], stack),)
        lowest = min(self.min_raise_to, stack)
        if not rules.bet_sizes:
            return range(lowest, stack + 1)
        sizes = {self.raise_to(percent) for percent in rules.bet_sizes}
        return tuple(sorted(size for size in sizes if size >= lowest))

    def raise_to(self, percent: float) -> int:
        """Total chips of the actor's bet of `percent` of the pot after calling, legal or not.

        Rounded down to whole chips, at least one; at or above the stack it is all-in.
        """
        assert self.actor is not None
        highest, stack = self.highest, self.rules.stacks[self.actor]
        if math.isinf(percent):
            return stack
        pot = self.pot + highest - self.spent[self.actor]
        # The small addend keeps a fraction that was computed from whole chips from losing one.
        return min(stack, highest + max(1, int(percent * pot / 100 + 1e-9)))

    def act(self, action: int) -> Betting:
        """The state after the actor's action; raises IllegalAction with the rule that was broken."""
        legal = self.legal()
        if action not in legal:
            raise IllegalAction(self._complaint(action, legal))
        seat, rules = self.actor, self.rules
        assert seat is not None
        spent, folded, waiting, raises = list(self.spent), list(self.folded), self.waiting - 1, self.raises
        min_raise_to = self.min_raise_to
        if action == FOLD:
            folded[seat] = True
        elif action == CALL:
            spent[seat] = min(self.highest, rules.stacks[seat])
        else:
            min_raise_to = max(min_raise_to, 2 * action - self.highest)
            spent[seat] = action
            raises += 1
        after = Betting(rules, self.round, tuple(spent), tuple(folded), seat, waiting, raises, min_raise_to)
        able = sum(after.can_act(other) for other in range(rules.players))
        if action > CALL:
            waiting = able - after.can_act(seat)
            after = after._replace(waiting=waiting)
        if sum(folded) == rules.players - 1:
            return after._replace(actor=None)
        if waiting > 0:
            return after._replace(actor=after._next(seat + 1))
        if able > 1 and self.round + 1 < rules.rounds:
            return _open_round(after, self.round + 1)
        # Nobody is left to bet against: the remaining cards are dealt and the hand is shown down.
        return after._replace(actor=None, round=rules.rounds - 1)

    def _next(self, seat: int) -> int:
        players = self.rules.players
        return next(s % players for s in range(seat, seat + players) if self.can_act(s % players))

    def _complaint(self, action: int, legal: Legal) -> str:
        if action == FOLD:
            return "fold is illegal: there is no bet to fold to"
        if action < FOLD:
            return f"{action} is not an action: fold is {FOLD}, call {CALL}, a raise the chips it goes to"
        if not legal.raises:
            capped = self.raises >= self.rules.max_raises[self.round]
            return "raise is illegal: " + (
                f"round {self.round + 1} already has its {self.raises} raises" if capped
                else "nobody is left who could answer it, or the stack is too short"
            )  # fmt: skip
        if isinstance(legal.raises, range):
            return f"raise to {action} is illegal: it must be {legal.raises[0]} to {legal.raises[-1]}"
        return f"raise to {action} is illegal: it must be {' or '.join(map(str, legal.raises))}"

    def text_of(self, action: int) -> str:
        """The competition's text of an action: f, c, r in limit, rN in no-limit."""
        if action == FOLD:
            return "f"
        if action == CALL:
            return "c"
        return "r" if self.rules.limit else f"r{action}"


def _open_round(state: Betting, number: int) -> Betting:
    rules = state.rules
    able = sum(state.can_act(seat) for seat in range(rules.players))
    fresh = state._replace(round=number, waiting=able, raises=0, min_raise_to=state.highest + max(1, *rules.blinds))
    return fresh._replace(actor=fresh._next(rules.first[number]))


def start_betting(rules: Rules) -> Betting:
    """The state after blinds and hole cards, before the first action."""
    state = Betting(rules, 0, rules.blinds, (False,) * rules.players, None, 0, 0, 0)
    return _open_round(state, 0)
