"""Linear maps from a small strategy space into a larger one, x_big = M @ x_small, with their way back.

A map makes a small game (payoff M1' A M2, gradient M' g) and lifts its solution to the big one. `confine` makes the
maps of grafts: it merges infosets (as perfect-recall abstraction does), leaves out bets, and fixes behaviour at
infosets that are not the player's to decide (an affine map, since the empty sequence is always 1). It does all at
once, which is more than one after the other: a player need recall only what it decided itself. Maps whose columns are
whole strategies are in `solvers/rows.py`, as they grow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.errors import ImperfectRecall, PokerlabError
from pokerlab.form.game import BilinearGame, Game, Tie, bilinear
from pokerlab.form.operators import WRITTEN, Composed
from pokerlab.form.payoff import payoff_of_matrix
from pokerlab.form.treeplex import Treeplex


@dataclass(frozen=True)
class Map:
    """x_big = matrix @ x_small; `lift` takes behaviour the same way, also where it is never reached.

    `tie` has the rows of the small treeplex that a player who forgets must play alike.
    """

    small: Treeplex
    big: Treeplex
    matrix: sparse.csr_array
    lift: Callable[[np.ndarray], np.ndarray]
    tie: Tie | None = None

    def pull(self, gradient: np.ndarray) -> np.ndarray:
        """The gradient over small sequences that a gradient over big ones amounts to."""
        return self.matrix.T @ gradient


def restrict(game: Game, first: Map | None = None, second: Map | None = None, name: str = "") -> BilinearGame:
    """The game in which the players are confined to the images of their maps (None: not confined).

    Its payoff is a product with the maps; it is written out where the game's own can be.
    """
    game = bilinear(game)
    for tree, given in zip(game.trees, (first, second), strict=True):
        if given is not None and given.big is not tree:
            raise PokerlabError("the map leads into another game's treeplex")
    payoff = Composed(game.A, *(None if given is None else given.matrix for given in (first, second)))
    x, tie = (game.X, game.ties[0]) if first is None else (first.small, first.tie)
    y, other = (game.Y, game.ties[1]) if second is None else (second.small, second.tie)
    written = payoff_of_matrix(payoff.to_sparse()) if game.A.entries <= WRITTEN else payoff
    return BilinearGame(x, written, y, name or f"{game.name}, restricted", (tie, other))


class Seen(NamedTuple):
    """Of each infoset the row (and, where that forgets, the tied row) in its block; of each block the actions kept."""

    rows: np.ndarray
    tied: np.ndarray | None
    kept: list[np.ndarray]


def confine(tree: Treeplex, seen: Seen, free: np.ndarray, behaviour: np.ndarray) -> Map:
    """The player decides the infosets in `free`, told apart as in `seen`, and plays `behaviour` elsewhere.

    Infosets that `behaviour`, or a bet that is not kept, never lets it reach are left out of the small treeplex.
    """
    image = np.zeros(tree.sequences, dtype=np.int64)
    weight = np.ones(tree.sequences)
    owned = np.zeros(tree.sequences, dtype=bool)
    parents: list[np.ndarray] = []
    actions: list[int] = []
    ties: list[np.ndarray] = []
    sequences = 1
    numbers = np.arange(tree.sequences)
    for b in range(len(tree)):
        here, above, first = tree.block(b, numbers), tree.above(b), tree.span(b).start
        image[here], weight[here] = image[above], weight[above] * behaviour[here]
        mine = np.flatnonzero(free[tree.span(b)] & (weight[above] > 0))
        if not len(mine):
            continue
        at, rows = first + mine, np.unique(seen.rows[first + mine], return_inverse=True)[1]
        kept, count = seen.kept[b], int(rows.max()) + 1
        owned[here[:, mine]], weight[here[:, mine]] = True, 0.0
        weight[here[kept][:, mine]] = weight[above[mine]]
        parents.append(_recalled(tree, at, rows, image[above[mine]]))
        image[here[kept][:, mine]] = sequences + count * np.arange(len(kept))[:, None] + rows
        actions.append(len(kept))
        sequences += count * len(kept)
        if seen.tied is not None:
            ties.append(seen.tied[at][np.unique(rows, return_index=True)[1]])
    small = Treeplex(parents, actions)
    matrix = sparse.csr_array((weight, (np.arange(tree.sequences), image)), shape=(tree.sequences, sequences))
    matrix.eliminate_zeros()

    def lifted(small: np.ndarray) -> np.ndarray:
        return np.where(owned, np.where(weight > 0, small[image], 0.0), behaviour)

    return Map(small, tree, matrix, lifted, Tie(np.concatenate(ties)) if ties else None)


def _recalled(tree: Treeplex, at: np.ndarray, rows: np.ndarray, above: np.ndarray) -> np.ndarray:
    """The sequence that leads to each row; one that is reached by two means that the player forgot what it did."""
    parent = np.zeros(rows.max() + 1, dtype=np.int64)
    parent[rows] = above
    wrong = np.flatnonzero(parent[rows] != above)
    if len(wrong):
        i = int(wrong[0])
        j = int(np.flatnonzero((rows == rows[i]) & (above != above[i]))[0])
        raise ImperfectRecall(f"{tree.name_of(int(at[i]))} and {tree.name_of(int(at[j]))} are merged "
                              "though the player did not have the same past")  # fmt: skip
    return parent
