"""Betting graphs that forget earlier rounds: rows belong to what the betting has come to, not to how it came there.

Three-player limit hold'em has 9.5 million ways to reach a decision on the river, but few states at the start of each
round: chips in the pot, and who is left. Here a row belongs to such a state, the actions since, and a bucket. That is
imperfect recall of the betting, as buckets may be of the cards; the walks of the samplers do not notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy

import numpy as np

from pokerlab.game.rules import Rules
from pokerlab.solvers.sampling.betting_graph import BettingGraph, Considered
from pokerlab.solvers.sampling.deals import DealSource
from pokerlab.solvers.sampling.kernels import Graph
from pokerlab.solvers.sampling.public import PublicSource
from pokerlab.solvers.sampling.sampler import Plan, Sampler


class ForgetfulGraph(BettingGraph):
    """A graph with a node, and one place in the table, for each way through a round from each state at its start.

    `sweep` is a spanning tree of it: kernels that visit every row of a table once take it instead of `arrays`.
    """

    sweep: Graph

    def __init__(self, rules: Rules, buckets: Sequence[Sequence[int]], choose: Considered | None = None) -> None:
        super().__init__(rules, buckets, choose)
        merged = self.arrays
        ids, children = _unrolled(merged)
        actions = merged.actions[ids]
        place = np.concatenate(([0], np.cumsum(2 * actions.astype(np.int64) * merged.buckets[ids])))
        edges = np.concatenate(([0], np.cumsum(actions)))
        parent = np.repeat(np.arange(len(ids)), actions)
        child = np.array([c for found in children for c in found], dtype=np.int32)
        self.states = [self.states[i] for i in ids]
        self.actions = [self.actions[i] for i in ids]
        self.cells, self.infosets = int(place[-1]), int(merged.buckets[ids].sum())
        self.arrays = Graph(
            actor=merged.actor[ids], round=merged.round[ids], actions=actions, buckets=merged.buckets[ids],
            first=edges[:-1].astype(np.int32), child=child, skip=place[child] - place[parent],
            payoff=merged.payoff[ids], pay=merged.pay,
        )  # fmt: skip
        first_way = np.zeros(len(child), dtype=bool)
        first_way[np.unique(child, return_index=True)[1]] = True
        end = int(np.flatnonzero(merged.actor[ids] < 0)[0])
        self.sweep = self.arrays._replace(child=np.where(first_way, child, np.int32(end)).astype(np.int32))


def _unrolled(merged: Graph) -> tuple[list[int], list[list[int]]]:
    """Nodes, as numbers of merged ones, with a node for each way through a round; and the nodes that follow each."""
    ids: list[int] = []
    children: list[list[int]] = []
    number: dict[int, int] = {}  # of the nodes that open a round
    opening = {0}
    for round in range(int(merged.round.max()) + 1):
        for start in sorted(node for node in opening if merged.round[node] == round):
            stack = [(start, -1)]
            while stack:
                node, parent = stack.pop()
                if parent >= 0:
                    children[parent].append(len(ids))
                else:
                    number[node] = len(ids)
                here = len(ids)
                ids.append(node)
                children.append([])
                first = int(merged.first[node])
                after = merged.child[first : first + int(merged.actions[node])].tolist()
                later = [c for c in after if merged.actor[c] >= 0 and merged.round[c] > round]
                opening.update(later)
                stack.extend((c, here) for c in reversed(after) if c not in later)
    return ids, [_following(merged, ids, number, here, found) for here, found in enumerate(children)]


def _following(merged: Graph, ids: list[int], number: dict[int, int], here: int, inside: list[int]) -> list[int]:
    """The nodes that follow `here` in the order of its actions: `inside` its round, or those that open a later one."""
    first = int(merged.first[ids[here]])
    known = {ids[c]: c for c in inside}
    after = merged.child[first : first + int(merged.actions[ids[here]])].tolist()
    return [known[c] if c in known else number[c] for c in after]


class ForgetfulSampler(Sampler):
    """A sampler on a forgetful graph: sweeps over the whole table follow the spanning tree."""

    def __init__(self, graph: ForgetfulGraph, source: DealSource | PublicSource, plan: Plan) -> None:
        super().__init__(graph, source, plan)
        self._spanned = copy(graph)
        self._spanned.arrays = graph.sweep

    def _discount(self, epoch: int) -> None:
        with self._sweeping():
            super()._discount(epoch)

    def average(self, kind: type = np.float32) -> np.ndarray:
        """The average strategy, as `Sampler.average`."""
        with self._sweeping():
            return super().average(kind)

    @contextmanager
    def _sweeping(self) -> Iterator[None]:
        """No walks are on their way when a table is swept."""
        walked, self.graph = self.graph, self._spanned
        try:
            yield
        finally:
            self.graph = walked
