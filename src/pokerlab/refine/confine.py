"""What a player decides in a graft's game, as a map into the full game.

`confine` is `fix_map` and `tie_map` of `form/maps.py` in one, and leaves out bets too. It is more than one after the
other: a player need recall only what it decided itself, so a graft may merge infosets that the base told apart earlier.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.abstraction.small import Abstraction, PlayerAbstraction, parse_player
from pokerlab.errors import GraftingError, ImperfectRecall
from pokerlab.form.compile import compile
from pokerlab.form.game import Game, Tie
from pokerlab.form.maps import Map
from pokerlab.form.treeplex import Treeplex
from pokerlab.refine.partition import infoset_name

Lens = str | PlayerAbstraction | np.ndarray  # an abstraction, or for each infoset its row within its block


class Seen(NamedTuple):
    """Of each infoset the row (and, where that forgets, the tied row) in its block; of each block the actions kept."""

    rows: np.ndarray
    tied: np.ndarray | None
    kept: list[np.ndarray]


class Spot(NamedTuple):
    """A map, and the rows tied in its small treeplex if the player forgets."""

    map: Map
    tie: Tie | None


def seen_by(game: Game, player: int, lens: Lens) -> Seen:
    """A player's infosets in the full game through the eyes of an abstraction."""
    tree, origin = game.trees[player], game.origin
    every = [np.arange(k) for k in tree.blocks.k]
    tie = game.ties[player]
    if isinstance(lens, np.ndarray):
        if lens.shape != (tree.infosets,):
            raise GraftingError(f"rows of shape {lens.shape} for {tree.infosets} infosets")
        return Seen(lens, None, every)
    if lens in ("FULL", PlayerAbstraction()):
        return Seen(np.arange(tree.infosets), None if tie is None else tie.row, every)
    if origin is None or not origin.abstraction.is_full:
        raise GraftingError(f"abstraction {lens!r} needs a full game compiled from rules, which {game.name} is not")
    view = lens if isinstance(lens, PlayerAbstraction) else parse_player(lens, origin.rules)
    both = Abstraction((view, view))
    seer = compile(origin.rules, both)
    assert seer.origin is not None
    found = seer.origin.sights[player]
    nodes = [origin.nodes[here] for here in origin.public.mine[player]]
    rows = np.concatenate([found.seen[node.state.round] for node in nodes])
    tied = np.concatenate([found.rows[node.state.round][found.seen[node.state.round]] for node in nodes])
    kept = [np.array([a for a, action in enumerate(node.actions) if action in both(node.state)])
            for node in nodes]  # fmt: skip
    return Seen(rows, None if found.recalls else tied, kept)


def confine(tree: Treeplex, seen: Seen, free: np.ndarray, behaviour: np.ndarray) -> Spot:
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

    def lifted(found: np.ndarray) -> np.ndarray:
        return np.where(owned, np.where(weight > 0, found[image], 0.0), behaviour)

    return Spot(Map(small, tree, matrix, lifted), Tie(np.concatenate(ties)) if ties else None)


def _recalled(tree: Treeplex, at: np.ndarray, rows: np.ndarray, above: np.ndarray) -> np.ndarray:
    """The sequence that leads to each row; one that is reached by two means that the player forgot what it did."""
    parent = np.zeros(rows.max() + 1, dtype=np.int64)
    parent[rows] = above
    wrong = np.flatnonzero(parent[rows] != above)
    if len(wrong):
        i = int(wrong[0])
        j = int(np.flatnonzero((rows == rows[i]) & (above != above[i]))[0])
        raise ImperfectRecall(f"{infoset_name(tree, int(at[i]))} and {infoset_name(tree, int(at[j]))} are merged "
                              "though the player did not have the same past")  # fmt: skip
    return parent
