"""Hand reading: what a player may hold, by asking a strategy what it would have done with every hand so far.

Weights are over the 1,326 pairs of hole cards and of any scale. Bets that the strategy never makes are taken for those
that it does (`abstraction.translation`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from pokerlab.abstraction.translation import taken_for
from pokerlab.agents.agent import Distribution
from pokerlab.cards.holes import COUNT, HOLES
from pokerlab.game.betting import CALL, Betting, start_betting
from pokerlab.game.hand import View

RULE = "pseudo-harmonic"

Answer = Mapping[int, np.ndarray]  # real action -> its probability with each of the 1,326 hands


class Readable(Protocol):
    """A stateless agent that can be asked for all hands at once, as `BlueprintAgent` can."""

    name: str

    def act(self, view: View) -> Distribution:
        """As of any agent."""
        ...

    def act_with_all(self, view: View) -> Answer:
        """For every action that it may take, its probability with each hand, whatever cards the view has."""
        ...


def view_at(view: View, count: int, seat: int) -> View:
    """What a seat saw after the first `count` actions; its own cards only if it is the view's."""
    betting = start_betting(view.rules)
    for action in view.actions[:count]:
        betting = betting.act(action)
    shown = sum(view.rules.board_cards[: betting.round + 1])
    return View(
        view.rules,
        seat,
        tuple(hole if who == seat == view.seat else () for who, hole in enumerate(view.holes)),
        view.board[:shown],
        view.actions[:count],
        tuple(end for end in view.ends if end <= count)[: betting.round],
        betting,
        betting.legal() if betting.actor == seat else None,
    )


def likelihood(answer: Answer, betting: Betting, action: int) -> np.ndarray:
    """(1,326) how likely each hand takes a real action, which is translated if it is not among the answers."""
    if action in answer:
        return answer[action]
    known = sorted(amount for amount in answer if amount > CALL)
    found: np.ndarray = np.zeros(COUNT)
    for meant, odds in taken_for(betting, action, betting, known, RULE).items():
        found = found + odds * answer.get(meant, np.zeros(COUNT))
    return found


def narrowed(weights: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Weights after an action; one that no hand would have taken tells nothing."""
    found = weights * by
    return found / found.max() if found.max() > 0 else weights


def read_hands(strategy: Readable, view: View, seat: int) -> np.ndarray:
    """(1,326) weights of a seat that has played by `strategy` up to this view."""
    weights = np.where(np.isin(HOLES, view.board).any(axis=1), 0.0, 1.0)
    betting = start_betting(view.rules)
    for count, action in enumerate(view.actions):
        if betting.actor == seat:
            answer = strategy.act_with_all(view_at(view, count, seat))
            weights = narrowed(weights, likelihood(answer, betting, action))
        betting = betting.act(action)
    return weights
