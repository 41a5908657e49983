"""A player's infosets in the full game through the eyes of an abstraction: what `confine` tells apart."""

from __future__ import annotations

import numpy as np

from pokerlab.abstraction.small import Abstraction, PlayerAbstraction, parse_player
from pokerlab.errors import GraftingError
from pokerlab.form.compile import compile
from pokerlab.form.game import Game
from pokerlab.form.maps import Seen

Lens = str | PlayerAbstraction | np.ndarray  # an abstraction, or for each infoset its row within its block


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
    sight = seer.origin.sights[player]
    nodes = [origin.nodes[here] for here in origin.public.mine[player]]
    rows = np.concatenate([sight.seen[node.state.round] for node in nodes])
    tied = np.concatenate([sight.rows[node.state.round][sight.seen[node.state.round]] for node in nodes])
    kept = [np.array([a for a, action in enumerate(node.actions) if action in both(node.state)])
            for node in nodes]  # fmt: skip
    return Seen(rows, None if sight.recalls else tied, kept)
