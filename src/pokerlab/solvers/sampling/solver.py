"""Monte Carlo CFR as a method of `solve`: a sampler on a compiled game, so that its exploitability is exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pokerlab.errors import SolverError
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import BucketPairs, ListedDeals
from pokerlab.solvers.sampling.public import ListedPublics
from pokerlab.solvers.sampling.sampler import Sampler, plan_of

SAMPLERS = {
    "external-sampling": "external",
    "outcome-sampling": "outcome",
    "public-chance-sampling": "public",
}


class SamplingSolver:
    """Steps of Monte Carlo CFR on a game that was compiled from rules, of two players or more, tied or not."""

    finished = False

    def __init__(self, game: Game, method: str, **parameters: Any) -> None:
        origin = game.origin
        if origin is None:
            raise SolverError(f"{method} walks the rules of a game, and {game.name} was not compiled from rules")
        self.game = game
        plan = plan_of(SAMPLERS[method], **parameters)
        source: ListedDeals | BucketPairs | ListedPublics
        if origin.buckets is None:
            listed = ListedDeals(origin.deals, origin.abstraction)
            source = ListedPublics(listed) if plan.sampling == "public" else listed
        elif plan.sampling == "public":
            raise SolverError(f"{game.name} is a game of buckets, without public cards to sample: use another method")
        else:
            source = BucketPairs(origin.buckets)
        graph = BettingGraph(origin.rules, source.buckets, origin.abstraction)
        self.sampler = Sampler(graph, source, plan)
        self.every = 100 if plan.sampling == "public" else 1000
        self._slots = tuple(_slots(game, graph, player) for player in range(graph.players))

    @property
    def iteration(self) -> int:
        return self.sampler.iteration

    def step(self, count: int = 1) -> None:
        self.sampler.step(count)

    def plans(self) -> tuple[np.ndarray, ...]:
        return self.profile().plans()

    def profile(self) -> Profile:
        """The average strategy as behaviour; where it never went, the current one."""
        average = np.concatenate((self.sampler.average(np.float64), [1.0]))
        return Profile(self.game, tuple(average[slots] for slots in self._slots))

    def parameters(self) -> dict[str, Any]:
        return self.sampler.plan.parameters()

    def state(self) -> dict[str, np.ndarray]:
        return {key: array.copy() for key, array in self.sampler.state().items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.sampler.restore(state)


def _slots(game: Game, graph: BettingGraph, player: int) -> np.ndarray:
    """Where the average strategy has each sequence of a player; the empty one has the last place."""
    origin, tree = game.origin, game.trees[player]
    assert origin is not None
    slots = np.full(tree.sequences, graph.cells // 2, dtype=np.int64)
    bases, nodes = [0], [0]  # of the betting tree's nodes, parents first
    for here, node in enumerate(origin.nodes):
        if here:
            above = origin.nodes[node.parent]
            edge = int(graph.arrays.first[nodes[node.parent]]) + above.children.index(here)
            bases.append(bases[node.parent] + int(graph.arrays.skip[edge]))
            nodes.append(int(graph.arrays.child[edge]))
        if node.state.actor == player:
            rows, k = origin.sights[player].rows[node.state.round], len(node.actions)
            game.at_node(here, slots)[:] = bases[here] // 2 + k * rows + np.arange(k)[:, None]
    return slots
