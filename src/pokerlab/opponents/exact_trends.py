"""Aggression response trends without dice: two blueprints of limit, all their betting on each deal counted.

    winnings = exact_trend(load_blueprint("mine.blueprint"), load_blueprint("yours.blueprint"), deals=10_000)
    winnings.mean(axis=0)                                                    chips a hand, by factor

Only cards are drawn, each deal is played in both seats, and all factors share the deals: what one factor wins more than
another is known far better than from matches, and a walk over the betting serves all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokerlab.agents.blueprint import Blueprint
from pokerlab.bounds import DEALS, SEED
from pokerlab.errors import TrendsError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.match.blueprints import CHUNK, Dealer, Seating
from pokerlab.opponents.trend_kernels import CALLS, FOLDS, RAISES, Path, play_factors
from pokerlab.opponents.trends import FACTORS
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.threads import spread


def exact_trend(
    agent: Blueprint, opponent: Blueprint, deals: int, *, factors: Sequence[float] = FACTORS, seed: int = 0
) -> np.ndarray:
    """What an agent wins with each factor, [deals, factors] in chips a hand, mean of both seats."""
    DEALS.check(deals, error=TrendsError)
    SEED.check(seed, error=TrendsError)
    if not agent.rules.limit or (agent.rules, agent.bets) != (opponent.rules, opponent.bets):
        raise TrendsError("exact trends are of two blueprints of one limit game, with the same bets")
    seatings, dealer = [Seating((agent, opponent)), Seating((opponent, agent))], Dealer(agent, opponent, seed)
    ordered = np.sort(np.array(factors, float))  # the kernel sees by the outermost two where nothing has weight
    graph = seatings[0].graph
    kinds, paths = kinds_of(graph), [path_of(graph, len(ordered)) for _ in seatings]
    won: np.ndarray = np.empty((2, deals, len(ordered)))
    for at in range(0, deals, CHUNK):
        last = min(at + CHUNK, deals)
        _, codes, buckets = dealer.deal(last - at)
        tasks = [
            (seating.graph.arrays, kinds, seating.strategy, seat, ordered, buckets[seat], codes, paths[seat],
             won[seat, at:last])
            for seat, seating in enumerate(seatings)
        ]  # fmt: skip
        spread(lambda task: play_factors(*task), tasks)
    place = np.searchsorted(ordered, np.array(factors, float))
    return np.asarray(won.mean(axis=0)[:, place])


def kinds_of(graph: BettingGraph) -> np.ndarray:
    """Whether each edge of a graph folds, calls or raises."""
    kinds: np.ndarray = np.zeros(len(graph.arrays.child), np.int8)
    for node, actions in enumerate(graph.actions):
        for number, action in enumerate(actions):
            kinds[graph.arrays.first[node] + number] = {FOLD: FOLDS, CALL: CALLS}.get(action, RAISES)
    return kinds


def path_of(graph: BettingGraph, factors: int) -> Path:
    """Room for a walk."""
    depth = graph.depth + 1
    node, base, action = (np.zeros(depth, np.int64) for _ in range(3))
    return Path(node, base, action, np.zeros((depth, 3)), np.zeros((depth, 3, factors)), np.zeros((depth, factors)))
