"""An agent that becomes more or less aggressive, as it suits the opponent: Rubin (2013), chapter 5.

    adapting:holdem-limit?model=mine.trends&top=3

It looks at the opponent's last 300 hands, takes the known opponent of the nearest type, and draws one of its `top`
factors for each hand, in proportion to what they gain over none (equation 5.1). Before it has seen 300 hands, and where
nothing gains, it plays as its agent does.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from pokerlab.agents.agent import Agent, Distribution
from pokerlab.bounds import SEED
from pokerlab.errors import AgentError
from pokerlab.game.hand import View
from pokerlab.opponents.aggression import Aggressified
from pokerlab.opponents.several import Several, agents_of, opponents
from pokerlab.opponents.trends import FACTORS, NULL, Trends, load_trends
from pokerlab.records.types import WINDOW, Window, action_counts


@dataclass
class Known:
    """What is known of an opponent: its last hands, how many there were, whom it is like, and what is played now."""

    window: Window
    hands: int = 0
    nearest: int | None = None  # among the opponents of the model; None: it is too early to say
    factor: int | None = None


class Adapting(Several):
    """A stateless agent with a factor of aggression for each hand, in a game for two."""

    def __init__(
        self,
        agent: Agent,
        model: Trends | str | Path,
        top: int = 1,
        window: int = WINDOW,
        seed: int = 0,
        name: str = "",
    ) -> None:
        super().__init__([agent], name)
        trends = model if isinstance(model, Trends) else load_trends(model)
        if not 1 <= top <= len(FACTORS) or window < 1:
            raise AgentError(f"top is from 1 to {len(FACTORS)} and a window 1 hand or more, not {top} and {window}")
        if not trends.complete:
            raise AgentError(f"{model}: some of its figures are still missing; learn the rest first")
        SEED.check(seed, error=AgentError)
        agent.must_play(trends.rules)
        self.rules, self.stateless = trends.rules, False
        self.trends, self.top, self.window, self.seed = trends, top, window, seed
        self.known: dict[tuple[str, ...], Known] = {}
        self._with = tuple(Aggressified(agent, factor, name) for factor in FACTORS)
        if not isinstance(model, Trends):
            self.files = (*self.files, str(Path(model).resolve()))

    def factor(self, view: View) -> int:
        """Which of the factors is played in this hand."""
        who = opponents(view)
        known = self.known.setdefault(who, Known(Window(self.window)))
        if known.factor is None:
            known.factor = NULL
            if known.window.full:
                known.nearest = self.trends.nearest(known.window.type)
                rng = np.random.default_rng([self.seed, known.hands, *(crc32(name.encode()) for name in who)])
                known.factor = drawn(self.trends.means[known.nearest], self.top, rng.random())
        return known.factor

    def playing(self, view: View) -> Agent:
        return self._with[self.factor(view)]

    def act(self, view: View) -> Distribution:
        return self._with[self.factor(view)].act(view)

    def observe(self, view: View) -> None:
        self.factor(view)
        known = self.known[opponents(view)]
        known.window.add(action_counts(view.rules, view.actions)[1 - view.seat])
        known.hands, known.factor = known.hands + 1, None

    def reset(self) -> None:
        super().reset()
        self.known.clear()


def drawn(means: np.ndarray, top: int, uniform: float) -> int:
    """One of the `top` factors, with probabilities in proportion to their gains over none: equation (5.1)."""
    best = np.argsort(-means, kind="stable")[:top]
    gains = np.maximum(means[best] - means[NULL], 0.0)
    if not gains.sum() > 0:
        return NULL
    return int(best[np.searchsorted(np.cumsum(gains) / gains.sum(), uniform, side="right")])


def adapting(text: str, **options: object) -> Adapting:
    """For `adapting:AGENT?model=FILE&top=N`."""
    agents = agents_of(text)
    if len(agents) != 1 or "model" not in options:
        raise AgentError(f"adapting:{text}: one agent and a model are expected, adapting:AGENT?model=FILE")
    return Adapting(agents[0], **options)  # type: ignore[arg-type]
