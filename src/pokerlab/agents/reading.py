"""Hand reading: what a player may hold, by asking an agent what it would have done with every hand so far.

Weights are over the 1,326 pairs of hole cards and of any scale. Bets that the agent never makes are taken for those
that it does (`abstraction.translation`).
"""

from __future__ import annotations

import numpy as np

from pokerlab.abstraction.translation import taken_for
from pokerlab.agents.agent import Agent, Answers
from pokerlab.agents.asked import answers_of
from pokerlab.cards.holes import COUNT, possible
from pokerlab.game.betting import CALL, Betting, start_betting
from pokerlab.game.hand import View

RULE = "pseudo-harmonic"


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
        view.names,
    )


def likelihood(answers: Answers, betting: Betting, action: int) -> np.ndarray:
    """(1,326) how likely each hand takes a real action, which is translated if it is not among the answers."""
    if action in answers:
        return answers[action]
    known = sorted(amount for amount in answers if amount > CALL)
    likely: np.ndarray = np.zeros(COUNT)
    for meant, odds in taken_for(betting, action, betting, known, RULE).items():
        likely = likely + odds * answers.get(meant, np.zeros(COUNT))
    return likely


def narrowed(weights: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Weights after an action; one that no hand would have taken tells nothing."""
    after = weights * by
    return after / after.max() if after.max() > 0 else weights


def read_hands(agent: Agent, view: View, seat: int) -> np.ndarray:
    """(1,326) weights of a seat that has played as a stateless agent does up to this view."""
    weights = possible(view.board).astype(np.float64)
    betting = start_betting(view.rules)
    for count, action in enumerate(view.actions):
        if betting.actor == seat:
            answers = answers_of(agent, view_at(view, count, seat))
            weights = narrowed(weights, likelihood(answers, betting, action))
        betting = betting.act(action)
    return weights
