"""An opponent that changes its style in the middle of a match: for seeing who notices, and how soon.

changing:holdem-limit|call?at=3000
"""

from __future__ import annotations

from collections.abc import Sequence

from pokerlab.agents.agent import Agent, Distribution
from pokerlab.bounds import HANDS
from pokerlab.errors import AgentError
from pokerlab.game.hand import View
from pokerlab.opponents.several import Several, agents_of


class Changing(Several):
    """Plays the first of its agents for `at` hands, the next for as many, and so on; the last one to the end."""

    def __init__(self, agents: Sequence[Agent], at: int, name: str = "") -> None:
        super().__init__(agents, name)
        HANDS.check(at, "at", error=AgentError)
        self.stateless, self.at, self.hands = False, at, 0

    @property
    def now(self) -> Agent:
        """Who plays the next hand."""
        return self.agents[min(self.hands // self.at, len(self.agents) - 1)]

    def playing(self, view: View) -> Agent:
        return self.now.playing(view)

    def act(self, view: View) -> Distribution:
        return self.now.act(view)

    def observe(self, view: View) -> None:
        super().observe(view)
        self.hands += 1

    def reset(self) -> None:
        super().reset()
        self.hands = 0


def changing(text: str, **options: object) -> Changing:
    """For `changing:A|B?at=3000`."""
    if "at" not in options:
        raise AgentError(f"changing:{text}: the hand of the change is expected, changing:A|B?at=3000")
    return Changing(agents_of(text), **options)  # type: ignore[arg-type]
