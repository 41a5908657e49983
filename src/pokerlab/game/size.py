"""How large the catalogue's games are, without compiling the large ones."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.game.betting import Betting, start_betting
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.deals import deals_of
from pokerlab.game.rules import UNLIMITED_STACK, Rules


def catalog_sizes() -> list[dict[str, Any]]:
    """Players, betting nodes and infosets of every catalogue game; None where nobody could count them."""
    rows = []
    for name, (about, _) in CATALOG.items():
        rules = rules_of(name)
        nodes = _decisions(rules)
        states = _states(rules)
        infosets = sum(n * s for n, s in zip(nodes, states, strict=True)) if nodes else None
        rows.append({
            "game": name, "about": about, "players": rules.players, "cards": len(rules.deck),
            "betting_nodes": sum(nodes) if nodes else None, "infosets": infosets,
        })  # fmt: skip
    return rows


def _decisions(rules: Rules) -> list[int] | None:
    """Decision nodes of the betting tree by round; None for no-limit in whole chips."""
    if not rules.limit and not rules.bet_sizes:
        return None
    known: dict[tuple, np.ndarray] = {}

    def count(state: Betting) -> np.ndarray:
        if state.finished:
            return np.zeros(rules.rounds, dtype=object)
        key = _signature(state)
        if key not in known:
            here = np.array([int(r == state.round) for r in range(rules.rounds)], dtype=object)
            known[key] = sum((count(state.act(action)) for action in state.legal().actions()), here)
        return known[key]

    return [int(nodes) for nodes in count(start_betting(rules))]


def _signature(state: Betting) -> tuple:
    """What the rest of the betting depends on: without stack limits, chips count only as differences."""
    spent: tuple[int, ...] = state.spent
    if all(stack == UNLIMITED_STACK for stack in state.rules.stacks):
        base = min(spent[seat] for seat in state.survivors)
        spent = tuple(0 if folded else chips - base for chips, folded in zip(spent, state.folded, strict=True))
    smallest_raise = state.min_raise_to - state.highest
    return state.round, spent, state.folded, state.actor, state.waiting, state.raises, smallest_raise


def _states(rules: Rules) -> list[int]:
    """Private states by round: up to suits where the deals are few enough to enumerate, else all of them."""
    try:
        return [len(states) for states in deals_of(rules).states]
    except PokerlabError:
        found, left, ways = [], len(rules.deck), 1
        ways, left = comb(left, rules.hole_cards), left - rules.hole_cards
        for dealt in rules.board_cards:
            ways, left = ways * comb(left, dealt), left - dealt
            found.append(ways)
        return found
