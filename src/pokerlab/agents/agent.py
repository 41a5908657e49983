"""What a player is: something that answers a view with a distribution over legal actions, and says what it is.

class Cautious(Agent):
    def act(self, view):
        return {FOLD: 1.0} if view.legal.fold else {CALL: 1.0}

`act` is all that an agent must have. What else it declares, others rely on: the game that it plays, whether it
remembers past hands, what it does with all hands at once, and which files it is made of.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import singledispatch
from itertools import chain
from typing import Any, Protocol

import numpy as np

from pokerlab.agents.by_bucket import ByBucket
from pokerlab.cards.holes import holes_of
from pokerlab.errors import AgentError, IllegalAction
from pokerlab.game.betting import Legal
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules

Distribution = Mapping[int, float]  # action -> probability; actions that are left out have none
Answers = Mapping[int, np.ndarray]  # action -> its probability with each of the deck's hole cards, see `answers`
Boards = Sequence[tuple[int, ...]]


class Spread(Mapping[int, float]):
    """A distribution with a rule for amounts: a few actions by name, and `each` for every one of many raises.

        Spread({CALL: 0.5}, view.legal.raises, 0.5 / len(view.legal.raises))

    No-limit has some 20,000 raises. They are written out only for who goes through them; `choose` and a look at one
    action do not. `raises` are neighbours: all of `view.legal.raises`, or a slice of it.
    """

    __slots__ = ("each", "named", "raises")

    def __init__(self, named: Mapping[int, float], raises: range | tuple[int, ...], each: float) -> None:
        self.named, self.raises, self.each = named, raises, each
        twice = [action for action in named if action in raises]
        if twice:
            raise IllegalAction(f"raises to {twice} are given a probability both by name and among the others")

    def __getitem__(self, action: int) -> float:
        return self.each if action in self.raises else self.named[action]

    def __iter__(self) -> Iterator[int]:
        return chain(self.named, self.raises)

    def __len__(self) -> int:
        return len(self.named) + len(self.raises)


class Explained(Protocol):
    """Why an agent decides as it does: for a person, and as plain JSON."""

    def lines(self) -> list[str]: ...

    def as_json(self) -> dict[str, Any]: ...


class Agent:
    """Base of all players. `stateless` ones answer equal views alike, whatever happened before.

    `rules` are those of the game that it plays, None for any game; `files` are what it was read from, so that a
    tournament notices when they change. One that `talks` does so at the terminal, where bars would be in its way.
    """

    name: str = ""
    stateless: bool = True
    talks: bool = False
    rules: Rules | None = None
    files: tuple[str, ...] = ()

    def act(self, view: View) -> Distribution:
        """What to do: probabilities of legal actions (`view.legal` is not None)."""
        raise IllegalAction(f"{self.title} does not say how it acts")

    def answers(self, view: View) -> Answers:
        """For each action, how likely a stateless agent takes it with each of the deck's hole cards.

        The order is that of `cards.holes.holes_of`, in hold'em the 1,326 of `HOLES`. The view's own cards do not
        matter, and numbers of hands that hold a card of the board mean nothing. Asked hand by hand, unless an agent
        knows better.
        """
        answers: dict[int, np.ndarray] = {}
        holes, board = holes_of(len(view.rules.deck), view.rules.hole_cards), set(view.board)
        hidden = ((),) * view.rules.players
        for number, hole in enumerate(holes):
            if board.isdisjoint(hole):
                held = view._replace(holes=(*hidden[: view.seat], hole, *hidden[view.seat + 1 :]))
                for action, odds in self.act(held).items():
                    answers.setdefault(action, np.zeros(len(holes)))[number] = odds
        return answers

    def guess(self, view: View) -> Answers:
        """`answers` where a rough one will do: for agents who think long about each view."""
        return self.answers(view)

    def on_boards(self, boards: Boards) -> Callable[[View], Answers]:
        """`answers` with an axis of boards, which take the place of the view's: (boards, holes) for each action."""

        def one_by_one(view: View) -> Answers:
            answers: dict[int, np.ndarray] = {}
            for number, board in enumerate(boards):
                for action, odds in self.answers(view._replace(board=board)).items():
                    answers.setdefault(action, np.zeros((len(boards), len(odds))))[number] = odds
            return answers

        return one_by_one

    def by_bucket(self, rules: Rules) -> ByBucket | None:
        """The same strategy by buckets of cards, where it is one of these: see `by_bucket.py`."""
        return None

    def explain(self, view: View) -> Explained | None:
        """Why it does what it does with this view, where it can tell."""
        return None

    def playing(self, view: View) -> Agent:
        """The stateless agent that it plays in a hand, which has not been dealt yet: `view` has no cards.

        Who remembers past hands, yet decides before the cards how to play the next, can be measured by this one. It is
        asked before `observe` tells of the hand.
        """
        if not self.stateless:
            raise AgentError(f"{self.title} remembers past hands: it has no fixed strategy")
        return self

    def rehearse(self, view: View) -> None:
        """Do what is slow the first time only, before a clock runs; `view` is one to act in. By default nothing is."""

    def observe(self, view: View) -> None:
        """A hand is over; `view` is what this player saw of it, with `view.seat` its seat."""

    def reset(self) -> None:
        """Forget everything: a new match begins."""

    @property
    def title(self) -> str:
        """Its name or, if it has none, its kind."""
        return self.name or type(self).__name__

    def must_play(self, rules: Rules) -> None:
        """Refuse a game that it does not play."""
        if self.rules is not None and self.rules != rules:
            raise AgentError(f"agent {self.title!r} plays {self.rules.name}, not {rules.name or 'this game'}")


def choose(distribution: Distribution, legal: Legal, uniform: float) -> int:
    """The action that a uniform number in [0, 1) picks; refuses distributions that are not ones of legal actions."""
    if len(distribution) == 1:
        ((action, probability),) = distribution.items()
        if probability == 1.0 and action in legal:
            return action
    return _pick(distribution, legal, uniform)


@singledispatch
def _pick(distribution: Distribution, legal: Legal, uniform: float) -> int:
    total, chosen = _walked(distribution, legal, uniform)
    return _whole(total, chosen)


@_pick.register
def _(distribution: Spread, legal: Legal, uniform: float) -> int:
    """As if all were written out, unless the number lies on the border of two amounts to its last digit."""
    raises, each = distribution.raises, distribution.each
    first = bisect_left(legal.raises, raises[0]) if raises else 0
    if not each >= 0.0 or (each > 0.0 and legal.raises[first : first + len(raises)] != raises):
        raise IllegalAction(f"it gives {raises} a probability of {each} each; legal raises are {legal.raises}")
    total, chosen = _walked(distribution.named, legal, uniform)
    if uniform >= total and each * len(raises) > 0.0:
        chosen = raises[int(min((uniform - total) / each, len(raises) - 1))]
    return _whole(total + each * len(raises), chosen)


def _walked(odds: Mapping[int, float], legal: Legal, uniform: float) -> tuple[float, int | None]:
    """The sum of probabilities, and the action in whose part of it the number lies, or else the last there is."""
    total, chosen = 0.0, None
    for action, probability in odds.items():
        if not probability >= 0.0 or (probability > 0.0 and action not in legal):
            raise IllegalAction(f"it gives illegal action {action} the probability {probability}")
        if probability > 0.0:
            if uniform >= total:
                chosen = action
            total += probability
    return total, chosen


def _whole(total: float, chosen: int | None) -> int:
    if chosen is None or not abs(total - 1.0) < 1e-6:
        raise IllegalAction(f"its probabilities add up to {total}, not 1")
    return chosen
