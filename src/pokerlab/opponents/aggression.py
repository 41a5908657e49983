"""Somewhat more aggressive, or more defensive: Rubin (2013), section 5.1.

    aggressify x   (f, c, r) -> (f, c - x c, r + x c)
    defensify x    (f, c, r) -> (f, c + x r, r - x r)

A factor below 0 defensifies by its size. Folds stay as they are. Where an agent has several raises their proportions
stay; where it has none that it may make, what it no longer calls goes to the smallest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pokerlab.agents.agent import Agent, Answers, Distribution
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD, Legal
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules


def shifted(odds: Mapping[int, Any], factor: float, legal: Legal) -> dict[int, Any]:
    """Odds of actions, or of each hand's, after aggressifying by a factor, or defensifying where it is below 0."""
    raises = {action: chance for action, chance in odds.items() if action not in (FOLD, CALL)}
    called = odds.get(CALL, 0.0)
    if not legal.raises or factor == 0 or (factor < 0 and not raises):
        return dict(odds)
    kept = {FOLD: odds[FOLD]} if FOLD in odds else {}
    raised = sum(raises.values())
    if factor < 0:
        less = {action: chance * (1 + factor) for action, chance in raises.items()}
        return {**kept, CALL: called - factor * raised, **less}
    moved = factor * called
    none = np.asarray(raised) <= 0
    scale = 1 + np.where(none, 0.0, moved / np.where(none, 1.0, raised))
    more = {action: chance * scale for action, chance in raises.items()}
    least = legal.raises[0]
    more[least] = more.get(least, 0.0) + np.where(none, moved, 0.0)
    return {**kept, CALL: called - moved, **more}


class Aggressified(Agent):
    """A stateless agent, more aggressive by a factor from -1 to 1."""

    def __init__(self, agent: Agent, factor: float, name: str = "") -> None:
        if not agent.stateless:
            raise AgentError(f"{agent.title} remembers past hands: only a fixed strategy can be made more aggressive")
        if not -1 <= factor <= 1:
            raise AgentError(f"a factor of aggression is from -1 to 1, not {factor}")
        self.agent, self.factor = agent, float(factor)
        self.name, self.rules, self.files = name, agent.rules, agent.files

    def must_play(self, rules: Rules) -> None:
        self.agent.must_play(rules)

    def act(self, view: View) -> Distribution:
        assert view.legal is not None
        odds = shifted(self.agent.act(view), self.factor, view.legal)
        return {action: float(chance) for action, chance in odds.items()}

    def answers(self, view: View) -> Answers:
        return shifted(self.agent.answers(view), self.factor, view.betting.legal())

    def rehearse(self, view: View) -> None:
        self.agent.rehearse(view)
