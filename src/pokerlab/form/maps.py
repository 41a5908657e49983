"""Linear maps from a small strategy space into a larger one, x_big = M @ x_small, with their way back.

A map makes a small game (payoff M1' A M2, gradient M' g) and lifts its solution to the big one. Three kinds:
`tie_map` merges infosets (perfect-recall abstraction), `fix_map` fixes behaviour outside some infosets (an
affine map, since the empty sequence is always 1: grafts, frozen players), `column_map` mixes whole strategies
(restricted games of the double oracle).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from pokerlab.errors import ImperfectRecall, PokerlabError
from pokerlab.form.game import Game
from pokerlab.form.payoff import Payoff
from pokerlab.form.treeplex import Treeplex, simplex


@dataclass(frozen=True)
class Map:
    """x_big = matrix @ x_small; `lift` takes behaviour the same way, also where it is never reached."""

    small: Treeplex
    big: Treeplex
    matrix: sparse.csr_array
    lift: Callable[[np.ndarray], np.ndarray]

    def pull(self, gradient: np.ndarray) -> np.ndarray:
        """The gradient over small sequences that a gradient over big ones amounts to."""
        return self.matrix.T @ gradient


def restrict(game: Game, first: Map | None = None, second: Map | None = None, name: str = "") -> Game:
    """The game in which the players are confined to the images of their maps (None: not confined)."""
    for tree, given in zip(game.trees, (first, second), strict=True):
        if given is not None and given.big is not tree:
            raise PokerlabError("the map leads into another game's treeplex")
    payoff = game.A.to_sparse()
    if first is not None:
        payoff = first.matrix.T @ payoff
    if second is not None:
        payoff = payoff @ second.matrix
    x = game.X if first is None else first.small
    y = game.Y if second is None else second.small
    return Game(x, Payoff.of_matrix(payoff), y, name or f"{game.name}, restricted")


def tie_map(tree: Treeplex, row: np.ndarray) -> Map:
    """Merge infosets of the same block that share a row; needs, and checks, perfect recall."""
    image = np.zeros(tree.sequences, dtype=np.int64)
    parents: list[np.ndarray] = []
    sequences = 1
    for b, k in enumerate(tree.blocks.k):
        rows, above = row[tree.span(b)], image[tree.above(b)]
        parent = np.full(rows.max() + 1, -1, dtype=np.int64)
        parent[rows] = above
        wrong = np.flatnonzero(parent[rows] != above)
        if len(wrong):
            i = int(wrong[0])
            j = int(np.flatnonzero((rows == rows[i]) & (above != above[i]))[0])
            names = tree.describe(b)
            raise ImperfectRecall(
                f"after {names.public or 'the deal'!r} the infosets {names.states[j]!r} and {names.states[i]!r} "
                "are merged though the player did not have the same past; a map needs perfect recall"
            )
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
    if not plans:
        raise PokerlabError("a restricted game needs at least one strategy a player")
    columns = np.column_stack([np.zeros(tree.sequences), *plans])
    small = simplex([str(j) for j in range(len(plans))])
    matrix = sparse.csr_array(columns)
    return Map(small, tree, matrix, lambda behaviour: tree.normalize(matrix @ small.realize(behaviour)))
