"""Players that need no thought: the yardsticks of every table."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from pokerlab.agents.agent import Agent, Answers, Distribution, Spread
from pokerlab.agents.by_bucket import ByBucket
from pokerlab.bounds import PERCENT
from pokerlab.cards.holes import holes_of
from pokerlab.errors import AgentError
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import CALL, FOLD, Legal
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules

_ALWAYS_CALL: Distribution = {CALL: 1.0}
_ALWAYS_FOLD: Distribution = {FOLD: 1.0}
_MOST = 100_000  # actions that are written out
_FEW = 16  # raises that are sooner written out than ruled


class _Blind(Agent):
    """Does not look at its cards."""

    def answers(self, view: View) -> Answers:
        count, odds = len(holes_of(len(view.rules.deck), view.rules.hole_cards)), self.act(view)
        if len(odds) > _MOST:
            raise AgentError(
                f"{self.name} has {len(odds):,} actions here; {_MOST:,} can be written out: take fewer chips"
            )
        alike = {each: np.broadcast_to(each, count) for each in set(odds.values())}  # thousands of raises share one
        return {action: alike[each] for action, each in odds.items()}

    def by_bucket(self, rules: Rules) -> ByBucket:
        return _OneBucket(self, rules)


class _OneBucket:
    """All hands are one."""

    def __init__(self, agent: Agent, rules: Rules) -> None:
        self.agent, self.holes = agent, len(holes_of(len(rules.deck), rules.hole_cards))

    def buckets(self, board: tuple[int, ...]) -> np.ndarray:
        return np.zeros(self.holes, np.int64)

    def odds(self, view: View) -> Answers:
        return {action: np.array([odds]) for action, odds in self.agent.act(view).items()}


class Fold(_Blind):
    """Folds to any bet, checks otherwise."""

    name = "fold"

    def act(self, view: View) -> Distribution:
        return _ALWAYS_FOLD if _legal(view).fold else _ALWAYS_CALL


class Call(_Blind):
    """Checks and calls."""

    name = "call"

    def act(self, view: View) -> Distribution:
        return _ALWAYS_CALL


class Raise(_Blind):
    """Raises whenever it may: the minimum, or `size` per cent of the pot."""

    name = "raise"

    def __init__(self, size: float = 0.0) -> None:
        PERCENT.check(size, "size", AgentError)
        self.size = float(size)

    def act(self, view: View) -> Distribution:
        raises = _legal(view).raises
        return {sized_raise(view, raises, self.size): 1.0} if raises else _ALWAYS_CALL


class Probe(_Blind):
    """Calls or raises with equal probability and never folds: the opponent that models are probed with."""

    name = "probe"

    def act(self, view: View) -> Distribution:
        raises = _legal(view).raises
        return {CALL: 0.5, raises[0]: 0.5} if raises else _ALWAYS_CALL


class Random(_Blind):
    """Folds, calls or raises with equal probability; in no-limit it raises a uniformly random amount."""

    name = "random"

    def act(self, view: View) -> Distribution:
        legal = _legal(view)
        kinds = 1 + legal.fold + bool(legal.raises)
        return _spread(legal, 1 / kinds, 1 / kinds / max(1, len(legal.raises)))


class Uniform(_Blind):
    """Every legal action, each amount of a raise included, with equal probability."""

    name = "uniform"

    def act(self, view: View) -> Distribution:
        legal = _legal(view)
        each = 1 / (1 + legal.fold + len(legal.raises))
        return _spread(legal, each, each)


def _spread(legal: Legal, odds: float, each: float) -> Distribution:
    """These odds of folding and of calling, and `each` of every raise."""
    named = {FOLD: odds, CALL: odds} if legal.fold else {CALL: odds}
    if len(legal.raises) <= _FEW:
        named.update(dict.fromkeys(legal.raises, each))
        return named
    return Spread(named, legal.raises, each)


def _legal(view: View) -> Legal:
    assert view.legal is not None
    return view.legal


def sized_raise(view: View, raises: range | tuple[int, ...], percent: float) -> int:
    """The smallest legal raise of at least `percent` of the pot, else the largest."""
    return raises[min(bisect_left(raises, view.betting.raise_to(Size(percent))), len(raises) - 1)]


SIMPLE: dict[str, type[Agent]] = {agent.name: agent for agent in (Fold, Call, Raise, Probe, Random, Uniform)}
