"""The monotonicity properties of Waugh et al. (2009), Property 1, checked on solved abstractions.

Strong properties speak of every equilibrium, so any two equilibria can refute them; weak ones speak of the
least exploitable equilibrium of each abstraction. *Player* and *opponent* monotonicity are the cases in which
only one side's abstraction is refined.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import NamedTuple

from pokerlab.abstraction.small import parse_abstraction, player_refines
from pokerlab.game.rules import Rules


class Violation(NamedTuple):
    """A refinement that made player 1's strategy more exploitable."""

    side: str  # whose abstraction was refined: player, opponent or both
    coarser: str
    finer: str
    before: float
    after: float


def refined_side(finer: str, coarser: str, rules: Rules) -> str | None:
    """Whose abstraction `finer` refines strictly: player, opponent or both; None if it is no refinement."""
    fine, coarse = parse_abstraction(finer, rules).players, parse_abstraction(coarser, rules).players
    if not all(player_refines(a, b, rules) for a, b in zip(fine, coarse, strict=True)):
        return None
    strict = [not player_refines(b, a, rules) for a, b in zip(fine, coarse, strict=True)]
    return {(True, False): "player", (False, True): "opponent", (True, True): "both"}.get((strict[0], strict[1]))


def violations(exploitability: Mapping[str, float], rules: Rules, margin: float = 0.0) -> list[Violation]:
    """Every pair in which the finer abstraction's strategy is more exploitable by over `margin`, worst first."""
    violated = []
    for finer, coarser in permutations(exploitability, 2):
        before, after = exploitability[coarser], exploitability[finer]
        if after > before + margin and (side := refined_side(finer, coarser, rules)):
            violated.append(Violation(side, coarser, finer, before, after))
    return sorted(violated, key=lambda v: v.before - v.after)
