"""Players that need no thought: the yardsticks of every table."""

from __future__ import annotations

from pokerlab.agents.agent import Agent, Distribution
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import CALL, FOLD, Legal
from pokerlab.game.hand import View

_ALWAYS_CALL: Distribution = {CALL: 1.0}
_ALWAYS_FOLD: Distribution = {FOLD: 1.0}


class Fold(Agent):
    """Folds to any bet, checks otherwise."""

    name = "fold"

    def act(self, view: View) -> Distribution:
        return _ALWAYS_FOLD if _legal(view).fold else _ALWAYS_CALL


class Call(Agent):
    """Checks and calls."""

    name = "call"

    def act(self, view: View) -> Distribution:
        return _ALWAYS_CALL


class Raise(Agent):
    """Raises whenever it may: the minimum, or `size` per cent of the pot."""

    name = "raise"

    def __init__(self, size: float = 0.0) -> None:
        self.size = float(size)

    def act(self, view: View) -> Distribution:
        raises = _legal(view).raises
        return {_sized(view, raises, self.size): 1.0} if raises else _ALWAYS_CALL


class Probe(Agent):
    """Calls or raises with equal probability and never folds: the opponent that models are probed with."""

    name = "probe"

    def act(self, view: View) -> Distribution:
        raises = _legal(view).raises
        return {CALL: 0.5, raises[0]: 0.5} if raises else _ALWAYS_CALL


class Random(Agent):
    """Folds, calls or raises with equal probability; in no-limit it raises a uniformly random amount."""

    name = "random"

    def act(self, view: View) -> Distribution:
        legal = _legal(view)
        kinds = 1 + legal.fold + bool(legal.raises)
        found = {FOLD: 1 / kinds} if legal.fold else {}
        found[CALL] = 1 / kinds
        found.update((amount, 1 / kinds / len(legal.raises)) for amount in legal.raises)
        return found


class Uniform(Agent):
    """Every legal action, each amount of a raise included, with equal probability."""

    name = "uniform"

    def act(self, view: View) -> Distribution:
        actions = list(_legal(view).actions())
        return dict.fromkeys(actions, 1 / len(actions))


def _legal(view: View) -> Legal:
    assert view.legal is not None
    return view.legal


def _sized(view: View, raises: range | tuple[int, ...], percent: float) -> int:
    """The smallest legal raise of at least `percent` of the pot, else the largest."""
    wanted = view.betting.raise_to(Size(percent))
    return next((amount for amount in raises if amount >= wanted), raises[-1])


# None of them looks at its cards.
SIMPLE: dict[str, type[Agent]] = {agent.name: agent for agent in (Fold, Call, Raise, Probe, Random, Uniform)}
