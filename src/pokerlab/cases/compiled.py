"""A case base of two-player limit hold'em as a blueprint: what it retrieves after every betting in every cell.

Cells take the place of buckets, and the rows of the table are looked up once. With the blueprint comes what blueprints
have: answers for all hands on many boards, AIVAT, local best response, responses in its own abstract game, and exact
expectations over the betting. A probability is a byte. Counts that fit one are kept as they are, so that odds are those
of the retrieval to the last digit; larger ones, and pooled ones that fade, are within 1/255.

    agent = compiled_cases(CasesAgent(load_cases("expert.cases")))          also cases:FILE?compiled=true
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent, graph_of
from pokerlab.cards.holes import possible
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.explain import Explanation
from pokerlab.cases.features import Cells
from pokerlab.cases.sequences import LIMIT
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import View
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.threads import spread

_SIZES = (0, 3, 4, 5)  # of the board
_AT_ONCE = 64  # sequences looked up together
_BETS = "all"


class CaseCards:
    """The cells of a case base as a card abstraction."""

    def __init__(self, cells: Sequence[Cells]) -> None:
        self.cells = tuple(cells)
        self.counts = tuple(each.count for each in self.cells)

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """The cells of all 1,326 holes on a board of none, three, four or five cards, -1 where a card clashes."""
        cells = self.cells[_SIZES.index(len(board))].on_board(tuple(board), 0, 1)
        return np.where(possible(board), cells, -1).astype(np.int32)

    def deal_buckets(self, deals: np.ndarray, players: int = 2) -> np.ndarray:
        """Cells [deals, players, 4] of dealt cards: two for each player, then five."""
        buckets = np.empty((len(deals), players, len(_SIZES)), np.int32)
        none: np.ndarray = np.zeros(len(deals), np.int64)
        for player in range(players):
            for street, size in enumerate(_SIZES):
                hole, board = deals[:, 2 * player : 2 * player + 2], deals[:, 2 * players : 2 * players + size]
                buckets[:, player, street] = self.cells[street].of_many(np.hstack((hole, board)), none, none + 1)
        return buckets


class CompiledCases(BlueprintAgent):
    """Plays a case base by its table; `explain` still goes through the cases."""

    def __init__(self, agent: CasesAgent) -> None:
        super().__init__(compile_cases(agent), name=agent.name)
        self.files, self._agent = agent.files, agent

    def explain(self, view: View) -> Explanation:
        return self._agent.explain(view)


def cases_agent(base: str | Path, compiled: bool = False, **options: Any) -> Agent:
    """The agent `cases:FILE`, with options of `CasesAgent`; `compiled` makes a table of it first."""
    agent = CasesAgent(base, **options)
    return CompiledCases(agent) if compiled else agent


def compile_cases(agent: CasesAgent) -> Blueprint:
    """The blueprint that plays as an agent of two-player limit hold'em does."""
    rules = agent.base.rules
    if not (rules.holdem and rules.limit and rules.players == 2):
        raise AgentError(f"case bases compile for two-player limit hold'em, not for {rules.name or 'this game'}")
    if not agent.stateless:
        raise AgentError("an agent that goes on learning (retain) cannot be compiled")
    cards = CaseCards(agent.base.cells)
    graph = graph_of(rules, _BETS, "hand", cards.counts)
    strategy: np.ndarray = np.zeros(graph.cells // 2, np.uint8)
    rounds: list[list[tuple[str, int, int]]] = [[] for _ in cards.counts]
    for text, node, first in places(graph):
        rounds[graph.states[node].round].append((text, node, first))
    tasks = [
        (round, some[at : at + _AT_ONCE]) for round, some in enumerate(rounds) for at in range(0, len(some), _AT_ONCE)
    ]
    agent.indices  # noqa: B018 - made ready before threads ask for it

    def fill(task: tuple[int, list[tuple[str, int, int]]]) -> None:
        round, some = task
        count = cards.counts[round]
        cells, targets = np.tile(np.arange(count), len(some)), np.repeat(np.arange(len(some)), count)
        columns = [[{FOLD: 0, CALL: 1}.get(action, 2) for action in graph.actions[node]] for _, node, _ in some]
        legal = np.array([[letter in there for letter in range(len(LIMIT))] for there in columns])[targets]
        weights = agent.solutions(round, [text for text, _, _ in some], targets, cells, legal)
        for (_, _, first), there, rows in zip(
            some, columns, as_bytes(weights).reshape(len(some), count, -1), strict=True
        ):
            strategy[first : first + len(there) * count] = rows[:, there].ravel()

    spread(fill, tasks)
    about = {"cases": agent.base.cases, "decisions": agent.base.decisions, "experts": list(agent.base.experts)}
    return Blueprint(rules, _BETS, "hand", cards, strategy, {**about, "reuse": agent.reuse})


def places(graph: BettingGraph) -> Iterator[tuple[str, int, int]]:
    """Every betting sequence that somebody acts after, its node, and where its probabilities begin in a strategy."""
    arrays, stack = graph.arrays, [("", 0, 0)]
    while stack:
        text, node, base = stack.pop()
        state = graph.states[node]
        if state.actor is None:
            continue
        yield text, node, base // 2
        for number, action in enumerate(graph.actions[node]):
            edge = int(arrays.first[node]) + number
            child = int(arrays.child[edge])
            parts = "-" * (graph.states[child].round - state.round)
            letter = LIMIT[{FOLD: 0, CALL: 1}.get(action, 2)]
            stack.append((text + letter + parts, child, base + int(arrays.skip[edge])))


def as_bytes(weights: np.ndarray) -> np.ndarray:
    """Weights [n, actions] in a byte each, in the same proportions: unchanged where they are whole and fit."""
    most = weights.max(axis=1, keepdims=True)
    whole = (most <= 255) & (weights == weights.round()).all(axis=1, keepdims=True)
    return np.where(whole, weights, (255 * weights / most).round()).astype(np.uint8)
