"""Public outcomes for public-chance sampling: what all players see is sampled, private hands come as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from pokerlab.game.deals import Deals, canonical
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import ListedDeals, alias_table
from pokerlab.solvers.sampling.kernels import Graph, Rule
from pokerlab.solvers.sampling.public_kernels import Publics, VectorWork, public_chance


@runtime_checkable
class PublicSource(Protocol):
    """Public outcomes, and walks on them; safe to use from several threads at once."""

    chunk: int  # iterations that take well under a second
    hands: int  # the most private hands of a player

    @property
    def buckets(self) -> Sequence[Sequence[int]]:
        """How many buckets each player has in each round."""
        ...

    def walk(
        self, graph: Graph, cells: np.ndarray, count: int, rule: Rule, deals: np.ndarray, walks: np.ndarray,
        work: VectorWork,
    ) -> None:  # fmt: skip
        """`count` iterations: for each player a walk on an outcome of its own. `deals` and `walks` are generators."""
        ...


class ListedPublics:
    """The public outcomes of a small game, all listed."""

    chunk = 4096

    def __init__(self, source: ListedDeals) -> None:
        self.buckets = source.buckets
        self.publics = listed_publics(source)
        self.hands = int(np.diff(self.publics.start).max())

    def walk(
        self, graph: Graph, cells: np.ndarray, count: int, rule: Rule, deals: np.ndarray, walks: np.ndarray,
        work: VectorWork,
    ) -> None:  # fmt: skip
        public_chance(graph, cells, self.publics, count, rule, deals, walks, work)


def vector_work(graph: BettingGraph, hands: int, winnings: np.ndarray, touched: np.ndarray) -> VectorWork:
    """Scratch for walks with vectors over `hands` private hands."""
    levels, players, k = graph.depth + 1, graph.players, graph.most_actions
    return VectorWork(
        node=np.zeros(levels, dtype=np.int64), base=np.zeros(levels, dtype=np.int64),
        action=np.zeros(levels, dtype=np.int64), reach=np.ones((levels, players, hands)),
        value=np.zeros((levels, hands)), worth=np.zeros((levels, k, hands)), odds=np.zeros((levels, k, hands)),
        winnings=winnings, touched=touched,
    )  # fmt: skip


def listed_publics(source: ListedDeals) -> Publics:
    """The deals of a small game by public outcome: the board, up to suits."""
    deals, players = source.deals, source.deals.rules.players
    outcomes = _outcomes(deals)
    groups = int(outcomes.max()) + 1
    start, deal_start, members = [0], [0], []
    bucket: list[np.ndarray] = []
    prior: list[np.ndarray] = []
    dealt = np.empty((len(outcomes), players), dtype=np.int32)
    chance = np.array([deals.chance[outcomes == g].sum() for g in range(groups)])
    for g in range(groups):
        mine = np.flatnonzero(outcomes == g)
        at = slice(deal_start[-1], deal_start[-1] + len(mine))
        for p in range(players):
            _, first, place = np.unique(deals.dealt[mine, p], return_index=True, return_inverse=True)
            dealt[at, p] = place
            bucket.append(source.listed[mine[first], p].T)
            prior.append(np.bincount(place, deals.chance[mine]) / chance[g])
            start.append(start[-1] + len(first))
        members.append(mine)
        deal_start.append(at.stop)
    every = np.concatenate(members)
    keep, other = alias_table(chance)
    return Publics(
        start=np.array(start),
        bucket=np.ascontiguousarray(np.concatenate(bucket, axis=1)),
        prior=np.concatenate(prior),
        keep=keep,
        other=other,
        deal_start=np.array(deal_start),
        dealt=dealt,
        chance=deals.chance[every] / chance[outcomes[every]],
        code=source.codes[every],
    )


def _outcomes(deals: Deals) -> np.ndarray:
    """The number of each deal's board."""
    boards = []
    for state in deals.states[-1]:
        board = state[1:]
        boards.append(canonical(deals.rules, board) if deals.rules.suits_matter else board)
    number = {board: i for i, board in enumerate(dict.fromkeys(boards))}
    return np.array([number[boards[i]] for i in deals.dealt[:, 0]])
