"""A chunk of a match: some of its deals, played in whatever process has time for them.

Where agents without memory are tables they play in compiled code (`match.tables`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.errors import AgentFailed, PokerlabError
from pokerlab.game.rules import Rules
from pokerlab.match.play import play_match

Build = Callable[[str, Rules], Agent]


@dataclass(frozen=True)
class Entrant:
    """An agent of a tournament. `files` are digests of what it is made of, so that a changed agent is noticed."""

    name: str
    spec: str
    stateless: bool
    files: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """What to play: all that a worker needs, and no agents, which it builds for itself."""

    match: int
    start: int
    deals: int
    rules: Rules
    entrants: tuple[Entrant, ...]
    duplicate: bool
    seeds: tuple[int, int]  # of the match, and of the chunk where compiled code deals
    compiled: bool
    build: Build

    @property
    def at_table(self) -> str:
        return " against ".join(e.name for e in self.entrants)


def build_agent(spec: str, rules: Rules) -> Agent:
    """The agent of a spec, as on the command line."""
    from pokerlab.agents.spec import agent_of

    if spec.partition("?")[0] == "human":
        raise PokerlabError("a person cannot play in a tournament: its matches run at the same time")
    return agent_of(spec, rules)


def play_chunk(chunk: Chunk) -> tuple[int, int, np.ndarray]:
    """Play a chunk; its match, its first deal and the winnings by deal and player, in chips."""
    names = [e.name for e in chunk.entrants]
    try:
        if chunk.compiled:
            from pokerlab.match.tables import compiled_game, play_tables

            game = compiled_game(chunk.rules)
            assert game is not None
            tables = tuple(table_of(chunk.build, e, chunk.rules) for e in chunk.entrants)
            result = play_tables(game, tables, names, chunk.deals, duplicate=chunk.duplicate, seed=chunk.seeds[1])
        else:
            agents = [agent_of_entrant(chunk.build, e, chunk.rules) for e in chunk.entrants]
            result = play_match(
                chunk.rules, agents, chunk.deals, duplicate=chunk.duplicate, seed=chunk.seeds[0], start=chunk.start,
                names=names, progress=False,
            )  # fmt: skip
    except AgentFailed as error:
        raise AgentFailed(f"{chunk.at_table}: {error}") from error
    except PokerlabError as error:
        raise PokerlabError(f"{chunk.at_table}: {error}") from None
    if len(result.winnings) < chunk.deals:
        raise KeyboardInterrupt  # a match that is interrupted returns what was played; half a chunk is none
    # Thirds of chips leave rounding errors that would pass for significant wins of nothing.
    return chunk.match, chunk.start, result.winnings.round(9) + 0.0


@lru_cache(maxsize=64)
def agent_of_entrant(build: Build, entrant: Entrant, rules: Rules) -> Agent:
    return build(entrant.spec, rules)


@lru_cache(maxsize=64)
def table_of(build: Build, entrant: Entrant, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    from pokerlab.agents.table import tabulate
    from pokerlab.match.tables import compiled_game

    agent, game = agent_of_entrant(build, entrant, rules), compiled_game(rules)
    assert game is not None
    return tabulate(agent, game, 0), tabulate(agent, game, 1)
