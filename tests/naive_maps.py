"""Plain maps into a treeplex: merged infosets, fixed infosets, whole strategies; `confine` is compared with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from pokerlab.form.maps import Map
from pokerlab.form.treeplex import Treeplex, simplex


def tie_map(tree: Treeplex, row: np.ndarray) -> Map:
    """Merge infosets of the same block that share a row; needs perfect recall."""
    image = np.zeros(tree.sequences, dtype=np.int64)
    parents: list[np.ndarray] = []
    sequences = 1
    for b, k in enumerate(tree.blocks.k):
        rows, above = row[tree.span(b)], image[tree.above(b)]
        parent = np.full(rows.max() + 1, -1, dtype=np.int64)
        parent[rows] = above
        assert np.array_equal(parent[rows], above), "merged though the player did not have the same past"
        tree.block(b, image)[:] = sequences + len(parent) * np.arange(k)[:, None] + rows
        parents.append(parent)
        sequences += k * len(parent)
    small = Treeplex(parents, tree.blocks.k.tolist())
    ones = np.ones(tree.sequences)
    matrix = sparse.csr_array((ones, (np.arange(tree.sequences), image)), shape=(tree.sequences, sequences))
    return Map(small, tree, matrix, lambda behaviour: behaviour[image])


def fix_map(tree: Treeplex, free: np.ndarray, behaviour: np.ndarray) -> Map:
    """Leave only the infosets marked in `free` to the player; elsewhere it plays `behaviour`."""
    image = np.zeros(tree.sequences, dtype=np.int64)
    weight = np.ones(tree.sequences)
    parents: list[np.ndarray] = []
    actions: list[int] = []
    sequences = 1
    for start, first, n, k in zip(*tree.blocks[:4], strict=True):
        above = tree.blocks.parent[first : first + n]
        mine = free[first : first + n]
        count = int(mine.sum())
        for a in range(k):
            here = np.arange(start + a * n, start + (a + 1) * n)
            image[here] = image[above]
            weight[here] = weight[above] * np.where(mine, 1.0, behaviour[here])
            image[here[mine]] = sequences + a * count + np.arange(count)
        if count:
            parents.append(image[above[mine]])
            actions.append(int(k))
            sequences += int(k) * count
    small = Treeplex(parents, actions)
    matrix = sparse.csr_array((weight, (np.arange(tree.sequences), image)), shape=(tree.sequences, sequences))
    owned = np.concatenate(([False], free[tree.infoset_of[1:]]))

    def lift(found: np.ndarray) -> np.ndarray:
        return np.where(owned, found[image], behaviour)

    return Map(small, tree, matrix, lift)


def column_map(tree: Treeplex, plans: Sequence[np.ndarray]) -> Map:
    """Mix whole strategies, given as realization plans."""
    columns = np.column_stack([np.zeros(tree.sequences), *plans])
    small = simplex([str(j) for j in range(len(plans))])
    matrix = sparse.csr_array(columns)
    return Map(small, tree, matrix, lambda behaviour: tree.normalize(matrix @ small.realize(behaviour)))
