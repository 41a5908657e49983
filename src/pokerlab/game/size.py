"""How large the catalogue's games are, without compiling the large ones."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.game.betting import Betting, start_betting
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.deal_counts import count_states, refuse_too_many
from pokerlab.game.rules import Rules


def catalog_sizes() -> list[dict[str, Any]]:
    """Players, betting nodes, infosets and game tree of every catalogue game; None where nobody could count them."""
    rows = []
    for name, (about, _) in CATALOG.items():
        rules = rules_of(name)
        betting = _betting_nodes(rules)
        states = _states(rules)
        infosets = sum(n * s for n, s in zip(betting[0], states, strict=True)) if betting else None
        rows.append({
            "game": name, "about": about, "players": rules.players, "cards": len(rules.deck),
            "betting_nodes": sum(betting[0]) if betting else None, "infosets": infosets,
            "tree_nodes": tree_nodes(rules),
        })  # fmt: skip
    return rows


def size_lines(rows: list[dict[str, Any]]) -> list[str]:
    """The rows of `catalog_sizes` as text."""
    lines = [f"{'game':<17} {'players':>7} {'betting nodes':>14} {'infosets':>10} {'game tree':>9}  what it is"]
    for row in rows:
        nodes = f"{row['betting_nodes']:,}" if row["betting_nodes"] is not None else "-"
        infosets, tree = _short(row["infosets"], 8), _short(row["tree_nodes"], 6)
        lines.append(f"{row['game']:<17} {row['players']:>7} {nodes:>14} {infosets:>10} {tree:>9}  {row['about']}")
    return [
        *lines,
        "infosets: of all players, suits forgotten where that loses nothing; game tree: decisions and ends",
        "with all cards told apart; changes go after a colon, as in leduc:ranks=13,suits=4",
    ]


def _short(count: int | None, digits: int) -> str:
    """A number in full up to so many digits."""
    return "-" if count is None else f"{count:,}" if count < 10**digits else f"{count:.1e}"


def tree_nodes(rules: Rules) -> int | None:
    """Decisions and ends of the whole game tree of real cards, suits and all; None for no-limit in whole chips."""
    betting = _betting_nodes(rules)
    if betting is None:
        return None
    left, ways, total = len(rules.deck), 1, 0
    for _ in range(rules.players):
        ways, left = ways * comb(left, rules.hole_cards), left - rules.hole_cards
    for dealt, decisions, ends in zip(rules.board_cards, *betting, strict=True):
        ways, left = ways * comb(left, dealt), left - dealt
        total += ways * (decisions + ends)
    return total


@lru_cache(maxsize=16)
def _betting_nodes(rules: Rules) -> tuple[list[int], list[int]] | None:
    """Decisions and ends of the betting tree by round; None for no-limit in whole chips."""
    if not rules.limit and not rules.bet_sizes:
        return None
    known: dict[tuple, np.ndarray] = {}

    def count(state: Betting) -> np.ndarray:
        here = np.zeros((2, rules.rounds), dtype=object)
        here[int(state.finished), state.round] = 1
        if state.finished:
            return here
        # The state but for its rules, whose hash would take longer than all the rest.
        s = state
        key = s.round, s.spent, s.folded, s.actor, s.waiting, s.raises, s.min_raise_to, s.dead, s.acted, s.before
        if key not in known:
            known[key] = sum((count(state.act(action)) for action in state.legal().actions()), here)
        return known[key]

    decisions, ends = count(start_betting(rules)).tolist()
    return decisions, ends


def _states(rules: Rules) -> list[int]:
    """Private states by round: up to suits where the deals are few enough to enumerate, else all of them."""
    try:
        refuse_too_many(rules)
        sizes = [(rules.hole_cards, *(n for n in rules.board_cards[: r + 1] if n)) for r in range(rules.rounds)]
        return [count_states(rules, groups) for groups in sizes]
    except PokerlabError:
        counts, left = [], len(rules.deck) - rules.hole_cards
        ways = comb(len(rules.deck), rules.hole_cards)
        for dealt in rules.board_cards:
            ways, left = ways * comb(left, dealt), left - dealt
            counts.append(ways)
        return counts
