"""What kind of player somebody is: sixteen frequencies, as in Rubin (2013), section 5.2.

Of all that a player decides in a round, how often it folds, checks, calls and bets or raises. A round in which it never
decided has zeros. Only the betting is looked at, which everybody sees.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.rules import Rules

KINDS = ("fold", "check", "call", "bet")
WINDOW = 300  # hands


def action_counts(rules: Rules, actions: tuple[int, ...]) -> np.ndarray:
    """How often each seat folded, checked, called and bet in each round: [seats, rounds, 4]."""
    counts: np.ndarray = np.zeros((rules.players, rules.rounds, len(KINDS)), np.int64)
    state = start_betting(rules)
    for action in actions:
        seat = state.actor
        assert seat is not None
        owed = state.highest > state.spent[seat]
        kind = 0 if action == FOLD else 1 + owed if action == CALL else 3
        counts[seat, state.round, kind] += 1
        state = state.act(action)
    return counts


def type_of(counts: np.ndarray) -> np.ndarray:
    """The frequencies [rounds, 4] of counts."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Manhattan distance of types."""
    return float(np.abs(one - other).sum())


class Window:
    """The last hands of a player."""

    def __init__(self, hands: int = WINDOW) -> None:
        self._last: deque[np.ndarray] = deque(maxlen=hands)

    def add(self, counts: np.ndarray) -> None:
        """One more hand, its counts [rounds, 4]; the oldest is forgotten."""
        self._last.append(counts)

    def __len__(self) -> int:
        return len(self._last)

    @property
    def full(self) -> bool:
        return len(self._last) == self._last.maxlen

    @property
    def type(self) -> np.ndarray:
        """The frequencies over these hands."""
        return type_of(np.sum(self._last, axis=0))
