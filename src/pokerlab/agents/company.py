"""Mixed company: some opponents in sampled hands are of a simple kind, raising or calling whatever they hold.

With three players an equilibrium promises nothing against players who do not play it, and two who always raise beat an
agent that was trained among its like only: it never met such hands, and folds. So in training an opponent is, with some
probability, of a kind that does the same from the first to the last decision of the hand (as in the restricted Nash
responses of Johanson, Zinkevich and Bowling 2007). A kind is a bucket that no hand falls in, whose rows are set
beforehand: walks need not know.
"""

from __future__ import annotations

import numpy as np

from pokerlab.compiled import njit
from pokerlab.errors import SolverError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.holdem import HoldemDeals
from pokerlab.solvers.sampling.kernels import Graph, next_block
from pokerlab.solvers.sampling.randomness import below, uniform
from pokerlab.solvers.sampling.sampler import Sampler

KINDS = np.array([[0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=np.float64)  # weights of fold, call, raise:
# one who calls, one who raises, one who does either, and one who does anything
SETTLED = 1e20  # regret of what a kind does: no sum of chips comes near it


class MixedDeals:
    """Deals of hold'em in which each player but the walker is of a simple kind with probability `share`."""

    def __init__(self, deals: HoldemDeals, share: float) -> None:
        if not 0 < share < 1:
            raise SolverError(f"the share of simple opponents must be above 0 and below 1, not {share}")
        self.deals, self.share, self.chunk = deals, float(share), deals.chunk
        self.buckets = [[count + len(KINDS) for count in counts] for counts in deals.buckets]
        self._first = np.array(deals.buckets, dtype=np.int32)

    def fill(self, rng: np.ndarray, buckets: np.ndarray, codes: np.ndarray) -> None:
        self.deals.fill(rng, buckets, codes)
        mix(rng, self._first, len(KINDS), self.share, buckets)


@njit(cache=True, nogil=True)
def mix(rng: np.ndarray, first: np.ndarray, kinds: int, share: float, buckets: np.ndarray) -> None:
    """Put players into the buckets of kinds, from first[player, round] on; walkers take turns from deal to deal."""
    deals, players, rounds = buckets.shape
    for d in range(deals):
        for player in range(players):
            if player != d % players and uniform(rng) < share:
                kind = below(rng, kinds)
                for r in range(rounds):
                    buckets[d, player, r] = first[player, r] + kind


def settle_kinds(sampler: Sampler) -> None:
    """Set the rows of the kinds in a sampler that has yet to start."""
    graph: BettingGraph = sampler.graph
    table = np.zeros((len(graph.actions), len(KINDS), graph.most_actions))
    for node, actions in enumerate(graph.actions):
        for kind, weights in enumerate(KINDS):
            row = [weights[{FOLD: 0, CALL: 1}.get(action, 2)] for action in actions]
            # One who would raise calls where no raise is left.
            table[node, kind, : len(row)] = row if any(row) else [action == CALL for action in actions]
    settle(graph.sweep, SETTLED * table, sampler.cells, *graph.stack())


@njit(cache=True, nogil=True)
def settle(graph: Graph, table: np.ndarray, cells: np.ndarray, nodes: np.ndarray, bases: np.ndarray) -> None:
    """Write table[node, kind] into the regrets of the last buckets of every node."""
    nodes[0], bases[0], top = 0, 0, 1
    kinds = table.shape[1]
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        k = graph.actions[node]
        for kind in range(kinds):
            at = base + 2 * k * (graph.buckets[node] - kinds + kind)
            for a in range(k):
                cells[at + a] = table[node, kind, a]
