"""Abstract strategies in the full game: cards by bucket, bets by translation.

The player follows the real betting with a *shadow*, the abstract betting state it believes in. Several
abstract actions may come out as the same real one; then the player has several shadows, each with the
probability that its own choices give it. A player whose shadow cannot follow checks and calls.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from pokerlab.abstraction.translation import into_shadow, out_of_shadow
from pokerlab.errors import AbstractionError
from pokerlab.form.compile import Origin, compile
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.game.betting import CALL

Shadow = tuple[int, np.ndarray]  # abstract node, and own reach of it for each private state


def lift(profile: Profile, full: Game | None = None) -> Profile:
    """The profile of the unabstracted game in which both play their abstract strategies."""
    origin = profile.game.origin
    if origin is None:
        raise AbstractionError(f"{profile.game.name} was not compiled from rules: there is no full game to lift to")
    if origin.abstraction.is_full:
        return profile
    full = compile(origin.rules) if full is None else full
    if full.origin is None or full.origin.rules != origin.rules or not full.origin.abstraction.is_full:
        raise AbstractionError(f"{full.name} is not the full game of {profile.game.name}")
    return Profile(full, tuple(_lift_player(profile, origin, full, full.origin, player) for player in range(2)))


def _lift_player(profile: Profile, origin: Origin, full: Game, target: Origin, player: int) -> np.ndarray:
    lifted = np.ones(full.trees[player].sequences)
    everyone = np.ones(len(target.deals.states[0]))
    stack: list[tuple[int, list[Shadow]]] = [(0, [(0, everyone)])]
    while stack:
        here, shadows = stack.pop()
        node = target.nodes[here]
        if node.state.finished:
            continue
        if node.state.actor == player:
            table, after = _decide(profile, origin, target, here, player, shadows)
            full.at_node(here, lifted)[:] = table
        else:
            after = _follow(origin, target, here, shadows)
        for action, child in zip(node.actions, node.children, strict=True):
            stack.append((child, _advance(origin, target, here, child, after[action])))
    return lifted


def _decide(
    profile: Profile, origin: Origin, target: Origin, here: int, player: int, shadows: list[Shadow]
) -> tuple[np.ndarray, dict[int, list[Shadow]]]:
    """The player's behaviour at a real node, actions by states, and its shadows after each action."""
    node = target.nodes[here]
    place = {action: a for a, action in enumerate(node.actions)}
    states = len(target.deals.states[node.state.round])
    weighted, plain = np.zeros((2, len(node.actions), states))
    after: dict[int, list[Shadow]] = defaultdict(list)
    sizes = origin.abstraction.players[player].bets
    for shadow, reach in shadows:
        believed = origin.nodes[shadow]
        for chance, action, child in zip(profile.at_node(shadow), believed.actions, believed.children, strict=True):
            real = action if believed.state == node.state else out_of_shadow(believed.state, action, node.state, sizes)
            weighted[place[real]] += reach * chance
            plain[place[real]] += chance / len(shadows)
            after[real].append((child, reach * chance))
    if not shadows:
        plain[place[CALL]] = 1.0
    total = weighted.sum(axis=0)
    return np.where(total > 0, weighted / np.where(total > 0, total, 1.0), plain), after


def _follow(origin: Origin, target: Origin, here: int, shadows: list[Shadow]) -> dict[int, list[Shadow]]:
    """The player's shadows after each of the opponent's real actions."""
    node = target.nodes[here]
    after: dict[int, list[Shadow]] = defaultdict(list)
    for shadow, reach in shadows:
        believed = origin.nodes[shadow]
        assert believed.state.actor is not None
        sizes = origin.abstraction.players[believed.state.actor].bets
        raises = [action for action in believed.actions if action > CALL]
        for action in node.actions:
            same = believed.state == node.state and action in believed.actions
            taken = action if same else into_shadow(node.state, action, believed.state, sizes, raises)
            after[action].append((believed.children[believed.actions.index(taken)], reach))
    return after


def _advance(origin: Origin, target: Origin, here: int, child: int, shadows: list[Shadow]) -> list[Shadow]:
    """Shadows that can follow to `child`, their reach spread over the states of its round."""
    before, now = target.nodes[here].state, target.nodes[child].state
    kept = []
    for shadow, reach in shadows:
        believed = origin.nodes[shadow].state
        if (believed.actor, believed.round) != (now.actor, now.round):
            continue
        for r in range(before.round, now.round):
            reach = reach[target.deals.parents[r + 1]]
        kept.append((shadow, reach))
    return kept
