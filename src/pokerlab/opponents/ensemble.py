"""Experts who vote: Rubin (2013), section 4.2. Each is for its likeliest action, and most votes win."""

from __future__ import annotations

from collections import Counter

import numpy as np

from pokerlab.agents.agent import Answers, Distribution
from pokerlab.game.hand import View
from pokerlab.opponents.several import Several, agents_of


class Ensemble(Several):
    """Takes the action with strictly the most votes, or else that of the first of its agents.

    An agent to which several actions are equally likely is for the least: folding, then calling, then small raises.
    """

    def act(self, view: View) -> Distribution:
        votes = [likeliest(agent.act(view)) for agent in self.agents]
        (winner, most), *others = Counter(votes).most_common(2)
        return {votes[0] if others and others[0][1] == most else winner: 1.0}

    def answers(self, view: View) -> Answers:
        votes = []
        for agent in self.agents:
            answers = agent.answers(view)
            actions = np.array(sorted(answers))
            votes.append(actions[np.argmax([answers[action] for action in actions.tolist()], axis=0)])
        cast = np.array(votes)  # [agents, holes]
        actions = np.unique(cast)
        counts = (cast == actions[:, None, None]).sum(axis=1)  # [actions, holes]
        most = counts.max(axis=0)
        chosen = np.where((counts == most).sum(axis=0) == 1, actions[counts.argmax(axis=0)], cast[0])
        return {action: (chosen == action).astype(np.float64) for action in actions.tolist()}


def likeliest(odds: Distribution) -> int:
    """The likeliest action; of several the least."""
    return max(odds, key=lambda action: (odds[action], -action))


def ensemble(text: str, name: str = "") -> Ensemble:
    """For `ensemble:A|B|C`."""
    return Ensemble(agents_of(text), name)
