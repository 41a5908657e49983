"""What all agents that are made of agents share: one game, all their files, and memories that are wiped together."""

from __future__ import annotations

from collections.abc import Sequence

from pokerlab.agents.agent import Agent
from pokerlab.agents.spec import agent_of
from pokerlab.errors import AgentError
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules
from pokerlab.registry import parts_of


class Several(Agent):
    """Made of `agents`, all of which play the same game."""

    def __init__(self, agents: Sequence[Agent], name: str = "") -> None:
        if not agents:
            raise AgentError(f"{name or type(self).__name__.lower()}: no agents are given to make it of")
        self.agents, self.name = tuple(agents), name
        self.stateless = all(agent.stateless for agent in agents)
        self.talks = any(agent.talks for agent in agents)
        self.files = tuple(dict.fromkeys(file for agent in agents for file in agent.files))
        self.rules = next((agent.rules for agent in agents if agent.rules is not None), None)
        if self.rules is not None:
            self.must_play(self.rules)

    def must_play(self, rules: Rules) -> None:
        super().must_play(rules)
        for agent in self.agents:
            agent.must_play(rules)

    def rehearse(self, view: View) -> None:
        for agent in self.agents:
            agent.rehearse(view)

    def observe(self, view: View) -> None:
        for agent in self.agents:
            if not agent.stateless:
                agent.observe(view)

    def reset(self) -> None:
        for agent in self.agents:
            agent.reset()


def agents_of(text: str) -> list[Agent]:
    """The agents of specs between bars."""
    return [agent_of(spec) for spec in parts_of(text)]


def opponents(view: View) -> tuple[str, ...]:
    """Who else sits at the table, whatever the seats; where that is not told, always the same strangers."""
    return tuple(sorted(name for seat, name in enumerate(view.names) if seat != view.seat))
