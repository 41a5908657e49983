"""Compiled: a sampler's table of regrets and sums as a strategy in one byte a probability."""

# mypy: disable-error-code=no-untyped-def

from __future__ import annotations

import numpy as np
from numba import njit

from pokerlab.solvers.sampling.kernels import next_block


@njit(cache=True, nogil=True)
def fill_bytes(graph, call, cells, nodes, bases, mean, found):
    """The average strategy in units of 1/255, the row at cell c from found[c // 2] on. Returns how many rows were met.

    A row that no walk has met plays what its node does on average over all buckets; if there is none, it calls, which
    is action number call[node].
    """
    met = 0
    nodes[0], bases[0], top = 0, 0, 1
    while top > 0:
        node, base, top = next_block(graph, nodes, bases, top)
        k = graph.actions[node]
        mean[:k] = 0.0
        for row in range(graph.buckets[node]):
            for a in range(k):
                mean[a] += cells[base + 2 * k * row + k + a]
        if mean[:k].sum() == 0.0:
            mean[call[node]] = 1.0
        for row in range(graph.buckets[node]):
            at = base + 2 * k * row
            total = 0.0
            for a in range(k):
                total += cells[at + k + a]
            met += total > 0.0
            if total > 0.0:
                for a in range(k):
                    found[at // 2 + a] = np.uint8(255.0 * cells[at + k + a] / total + 0.5)
            else:
                for a in range(k):
                    found[at // 2 + a] = np.uint8(255.0 * mean[a] / mean[:k].sum() + 0.5)
    return met
