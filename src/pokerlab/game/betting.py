"""The betting state machine: who acts, what is legal, and what an action leads to.

An action is an integer: FOLD, CALL (a check when nothing is owed), or the total chips that the player
will have put in over the whole hand ("raise to"), in limit games too. Semantics are those of the
competition's dealer: every raise, also an all-in below the minimum, lets the others raise again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import inf
from typing import NamedTuple

from pokerlab.errors import GameTooLarge, IllegalAction
from pokerlab.game.bet_sizes import Size
from pokerlab.game.rules import Rules

FOLD = -1
CALL = 0
MOST_ACTIONS = 64  # in a round, at the competition's dealer: with one more for each player there is no raise any more


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


_MOST_RAISES = 100_000  # to be written out in one place
_MOST_KNOWN = 200_000  # states remembered a game: all of a limit game's, the beaten paths of a no-limit one


class _Memory:
    """What a game's states remember: how many they are, and those that open a round, whichever way led there.

    `counts` is whether a round can come to `MOST_ACTIONS`: elsewhere states do not differ by how many there were.
    """

    __slots__ = ("count", "counts", "opened")

    def __init__(self, rules: Rules) -> None:
        self.count, self.opened = 0, dict[tuple, Betting]()
        raises = min(max(rules.max_raises), max(rules.stacks) // rules.small_bet)
        self.counts = (raises + 2) * rules.players > MOST_ACTIONS


class Betting:
    """An immutable state of the betting. `actor` is None when nobody has anything left to decide.

    States remember what their actions lead to, so that hands played on beaten paths cost little.
    """

    __slots__ = (
        "_after", "_legal", "_memory", "acted", "actor", "before", "dead", "folded", "highest", "min_raise_to",
        "raises", "round", "rules", "spent", "waiting",
    )  # fmt: skip

    def __init__(
        self,
        rules: Rules,
        round: int,
        spent: tuple[int, ...],
        folded: tuple[bool, ...],
        actor: int | None,
        waiting: int,
        raises: int,
        min_raise_to: int,
        dead: int,
        acted: int,
        before: int,
        memory: _Memory | None = None,
    ) -> None:
        self.rules, self.round, self.spent, self.folded, self.actor = rules, round, spent, folded, actor
        self.waiting = waiting  # players who still have to answer before the round ends
        self.raises = raises  # bets and raises in this round
        self.min_raise_to = min_raise_to
        self.acted = acted  # actions in this round, where they may become too many
        self.before = before  # the most that a player had put in before this round's bets; antes are no bets
        self.dead = dead  # chips in the pot that are nobody's
        self.highest = max(spent)
        self._legal: Legal | None = None
        self._after: dict[int, Betting] = {}
        self._memory = _Memory(rules) if memory is None else memory

    def _key(self) -> tuple:
        """What the rules make the rest of the betting depend on, and so not `before`."""
        return (
            self.rules, self.round, self.spent, self.folded, self.actor, self.waiting, self.raises,
            self.min_raise_to, self.dead, self.acted,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Betting) and self._key() == other._key())

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple:
        return Betting, (*self._key(), self.before)

    def __repr__(self) -> str:
        return f"Betting(round={self.round}, spent={self.spent}, folded={self.folded}, actor={self.actor})"

    @property
    def finished(self) -> bool:
        return self.actor is None

    @property
    def pot(self) -> int:
        return sum(self.spent) + self.dead

    @property
    def survivors(self) -> tuple[int, ...]:
        """Seats that have not folded."""
        return tuple(seat for seat, folded in enumerate(self.folded) if not folded)

    @property
    def showdown(self) -> bool:
        """Whether the hand is over with more than one player left, so that cards decide."""
        return self.finished and len(self.survivors) > 1

    @property
    def stake(self) -> int:
        """Of two players at the end: what the first wins by a fold, or what a showdown is for."""
        return -self.spent[0] if self.folded[0] else min(self.spent)  # who folds has put in less

    def can_act(self, seat: int) -> bool:
        """Whether a seat has neither folded nor put in its whole stack."""
        return not self.folded[seat] and self.spent[seat] < self.rules.stacks[seat]

    def legal(self) -> Legal:
        """What the actor may do."""
        if self._legal is None:
            if self.actor is None:
                raise IllegalAction("the betting is over: nobody is to act")
            self._legal = Legal(self.spent[self.actor] < self.highest, self._raises(self.actor))
        return self._legal

    def _raises(self, seat: int) -> range | tuple[int, ...]:
        rules, stack, highest = self.rules, self.rules.stacks[seat], self.highest
        if self._capped or stack <= highest:
            return ()
        for other, most in enumerate(rules.stacks):
            if other != seat and not self.folded[other] and self.spent[other] < most:
                break
        else:
            return ()
        if rules.limit:
            return (min(highest + rules.raise_sizes[self.round], stack),)
        lowest = min(self.min_raise_to, stack)
        if not rules.bet_sizes:
            return range(lowest, stack + 1)
        return tuple(sorted({amount for amount in self._amounts(rules.bet_sizes) if amount >= lowest}))

    @property
    def _capped(self) -> bool:
        """Whether the round has all the raises that it may have."""
        return self.raises >= self.rules.max_raises[self.round] or self.acted + self.rules.players > MOST_ACTIONS

    def raise_to(self, size: Size) -> int:
        """Total chips of the actor's bet of a size, legal or not; at or above the stack it is all-in."""
        (amount,) = self._amounts((size,))
        return amount

    def _amounts(self, sizes: Iterable[Size]) -> list[int]:
        assert self.actor is not None
        highest, stack = self.highest, self.rules.stacks[self.actor]
        pot, faced = self.pot + highest - self.spent[self.actor], highest - self.before
        behind, rounds = max(0, stack - highest), len(self.rules.first) - self.round
        return [
            stack if size.amount == inf else min(stack, highest + size.over(pot, faced, behind, rounds))
            for size in sizes
        ]

    def every_raise(self) -> tuple[int, ...]:
        """All legal raises, where they can be written out."""
        raises = self.legal().raises
        if len(raises) > _MOST_RAISES:
            raise GameTooLarge(
                f"{self.rules.name or 'this game'} has {len(raises):,} raises in one place, and {_MOST_RAISES:,} "
                "can be told apart; give bet sizes or smaller stacks"
            )
        return tuple(raises)

    def raises_to(self, sizes: Iterable[Size], *, lifted: bool = False) -> tuple[int, ...]:
        """The legal raises that sizes make, ascending, those that come out the same once.

        What is below the least legal raise is left out or, with `lifted`, becomes that.
        """
        legal = self.legal().raises
        if not legal:
            return ()
        amounts = set(self._amounts(sizes))
        if lifted:
            least, most = legal[0], legal[-1]
            amounts = {min(max(amount, least), most) for amount in amounts}
        return tuple([amount for amount in sorted(amounts) if amount in legal])

    def actions(self, raises: Sequence[int]) -> tuple[int, ...]:
        """Fold where there is something to fold to, call, and of the raises these."""
        return (FOLD, CALL, *raises) if self.legal().fold else (CALL, *raises)

    def act(self, action: int) -> Betting:
        """The state after the actor's action; raises IllegalAction with the rule that was broken."""
        after = self._after.get(action)
        if after is None:
            after = self._act(action)
            if self._memory.count < _MOST_KNOWN:
                self._memory.count += 1
                self._after[action] = after
        return after

    def _act(self, action: int) -> Betting:
        legal = self.legal()
        if action not in legal:
            raise IllegalAction(self._complaint(action, legal))
        seat, rules, stacks = self.actor, self.rules, self.rules.stacks
        assert seat is not None
        spent, folded, raises, min_raise_to = self.spent, self.folded, self.raises, self.min_raise_to
        if action == FOLD:
            folded = (*folded[:seat], True, *folded[seat + 1 :])
        else:
            chips = action if action > CALL else min(self.highest, stacks[seat])
            spent = (*spent[:seat], chips, *spent[seat + 1 :])
        actor, able, seats = None, 0, len(stacks)  # who can still act: the next, and how many but for this one
        for other in (*range(seat + 1, seats), *range(seat)):
            if not folded[other] and spent[other] < stacks[other]:
                actor, able = other if actor is None else actor, able + 1
        waiting, round = self.waiting - 1, self.round
        if action > CALL:
            waiting, raises, min_raise_to = able, raises + 1, max(min_raise_to, 2 * action - self.highest)
        if folded.count(False) == 1:
            actor = None
        elif waiting <= 0:
            if able + (not folded[seat] and spent[seat] < stacks[seat]) > 1 and round + 1 < len(rules.first):
                return _open_round(rules, round + 1, spent, folded, max(spent), self.dead, self._memory)
            # Nobody is left to bet against: the remaining cards are dealt and the hand is shown down.
            actor, round = None, len(rules.first) - 1
        return Betting(
            rules,
            round,
            spent,
            folded,
            actor,
            waiting,
            raises,
            min_raise_to,
            self.dead,
            self.acted + self._memory.counts,
            self.before,
            self._memory,
        )

    def _complaint(self, action: int, legal: Legal) -> str:
        if action == FOLD:
            return "fold is illegal: there is no bet to fold to"
        if action < FOLD:
            return f"{action} is not an action: fold is {FOLD}, call {CALL}, a raise the chips it goes to"
        if not legal.raises:
            return "raise is illegal: " + (
                f"round {self.round + 1} already has its {self.raises} raises" if self._capped
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


def _open_round(
    rules: Rules, number: int, spent: tuple[int, ...], folded: tuple[bool, ...], before: int, dead: int, memory: _Memory
) -> Betting:
    opened = memory.opened.get((number, spent, folded))
    if opened is None:
        seats, first = len(spent), rules.first[number]
        able = [s for s in (*range(first, seats), *range(first)) if not folded[s] and spent[s] < rules.stacks[s]]
        least = max(spent) + rules.least_bet
        opened = Betting(rules, number, spent, folded, able[0], len(able), 0, least, dead, 0, before, memory)
        if memory.count < _MOST_KNOWN:
            memory.opened[number, spent, folded] = opened
    return opened


@lru_cache(maxsize=64)
def start_betting(rules: Rules) -> Betting:
    """The state after blinds and hole cards, before the first action."""
    blinds = rules.blinds
    antes = blinds[0] if len(set(blinds)) == 1 else rules.ante
    return _open_round(rules, 0, blinds, (False,) * rules.players, antes, 0, _Memory(rules))
