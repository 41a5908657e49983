"""Betting graphs that forget most of earlier rounds: rows belong to what the betting came to, not to how it got there.

Three-player limit hold'em has 9.5 million ways to reach a decision on the river. What matters most of rounds that are
over is who is left, for how many chips, and who raised last before; here a row belongs to that, to the actions since
the round began, and to a bucket. That is imperfect recall of the betting, as buckets may be of the cards; the walks of
the samplers do not notice. (Without the last raiser, Leduc becomes 0.34 chips exploitable; with it nothing is lost.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokerlab.abstraction.small import FULL
from pokerlab.game.betting import CALL
from pokerlab.game.betting_tree import Considered
from pokerlab.game.rules import Rules
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.kernels import Graph


class ForgetfulGraph(BettingGraph):
    """A graph with a node, and one place in the table, for each way through a round from each state that opens it.

    `sweep` is a spanning tree of it: kernels that visit every row of a table once take it instead of `arrays`.
    """

    def __init__(self, rules: Rules, buckets: Sequence[Sequence[int]], considered: Considered = FULL) -> None:
        super().__init__(rules, buckets, considered)
        merged = self.arrays
        ids, children = _unrolled(self)
        actions = merged.actions[ids]
        place = np.concatenate(([0], np.cumsum(2 * actions.astype(np.int64) * merged.buckets[ids])))
        edges = np.concatenate(([0], np.cumsum(actions)))
        parent = np.repeat(np.arange(len(ids)), actions)
        child = np.array([c for row in children for c in row], dtype=np.int32)
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


def _unrolled(graph: BettingGraph) -> tuple[list[int], list[list[int]]]:
    """Nodes, as numbers of merged ones, with a node for each way through a round; and the nodes that follow each."""
    merged = graph.arrays
    ids: list[int] = []
    after: list[list[tuple[int, int | None]]] = []  # merged nodes; those that open a round with who raised last before
    inside: list[dict[int, int]] = []  # of those in the same round: the node
    number: dict[tuple[int, int], int] = {}  # of those that open a round
    opening = {(0, -1)}
    for round in range(int(merged.round.max()) + 1):
        for start, before in sorted(key for key in opening if merged.round[key[0]] == round):
            number[start, before] = len(ids)
            stack = [(start, -1, -1)]
            while stack:
                node, parent, raiser = stack.pop()
                here = len(ids)
                if parent >= 0:
                    inside[parent][node] = here
                ids.append(node)
                inside.append({})
                after.append([])
                for action, child in _edges(graph, node):
                    last = int(merged.actor[node]) if action > CALL else raiser
                    if merged.actor[child] >= 0 and merged.round[child] > round:
                        opening.add((child, last))
                        after[here].append((child, last))
                    else:
                        after[here].append((child, None))
                        stack.append((child, here, last))
    children = [
        [within[c] if last is None else number[c, last] for c, last in rows]
        for rows, within in zip(after, inside, strict=True)
    ]
    return ids, children


def _edges(graph: BettingGraph, node: int) -> list[tuple[int, int]]:
    first, actions = int(graph.arrays.first[node]), graph.actions[node]
    return list(zip(actions, graph.arrays.child[first : first + len(actions)].tolist(), strict=True))
