"""A blueprint translated into the finer abstraction in which its subgames are refined: cards and bets."""

from __future__ import annotations

import numpy as np

from pokerlab.abstraction.small import player_refines
from pokerlab.errors import AbstractionError
from pokerlab.form.compile import Origin
from pokerlab.form.game import Game
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile
from pokerlab.game.betting import CALL
from pokerlab.refine.subgame import origin_of
from pokerlab.solvers.solution import same_game


def translate(blueprint: Profile, game: Game) -> Profile:
    """The blueprint's play in `game`, which has the same rules and an abstraction that refines the blueprint's.

    It is lifted to the full game, with its translation of bets that it does not know, and seen through the finer
    abstraction: every state there lies in one of the blueprint's buckets.
    """
    coarse, fine = origin_of(blueprint.game), origin_of(game)
    if coarse.rules != fine.rules:
        raise AbstractionError(f"the blueprint is of {blueprint.game.name}, not of {game.name}")
    if same_game(blueprint.game, game):
        return Profile(game, blueprint.behaviours)
    if fine.abstraction.is_full:
        return lift(blueprint, game)
    for mine, known in zip(fine.abstraction.players, coarse.abstraction.players, strict=True):
        if not player_refines(mine, known, fine.rules):
            raise AbstractionError(f"{mine.text} does not refine the blueprint's {known.text}")
    full = lift(blueprint)
    real = origin_of(full.game)
    places = {node.text: here for here, node in enumerate(real.nodes)}
    return Profile(game, tuple(_seen(full, real, places, game, fine, player) for player in range(2)))


def _seen(
    full: Profile, real: Origin, places: dict[str, int], game: Game, fine: Origin, player: int
) -> np.ndarray:  # fmt: skip
    """One player's behaviour at every infoset of `game`, as at some real state of each."""
    behaviour = np.ones(game.trees[player].sequences)
    sight = fine.sights[player]
    for here, node in enumerate(fine.nodes):
        if node.state.actor != player:
            continue
        there = places[node.text]
        sample = np.unique(sight.seen[node.state.round], return_index=True)[1]
        seen = game.at_node(here, behaviour)
        seen[:] = 0.0
        raises = [action for action in node.actions if action > CALL]
        for action, chances in zip(real.nodes[there].actions, full.at_node(there, sample), strict=True):
            # A size that is not legal here may have been carried out as one that the finer abstraction leaves out.
            nearest = next((size for size in raises if size >= action), raises[-1] if raises else CALL)
            seen[node.actions.index(action if action in node.actions else nearest)] += chances
    return behaviour
