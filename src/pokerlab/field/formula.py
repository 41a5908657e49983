"""A player by formula: effective hand strength and pot odds in, a triple out (Loki-1, Poki FBS; Rubin 2013, 2.1.2).

    formula                            neither tight nor loose, neither passive nor aggressive
    formula?tight=0.9&aggressive=0.2   a rock; tight=0.1&aggressive=0.9 a maniac

It stays where its chance to win is above the pot odds of equation (2.3), and raises what is well above its fair share.
Both lines move with its style, and both are ramps, so that it cannot be read off exactly. The thesis gives no formula
between EHS and triple: the lines below are ours. `population` draws styles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerlab.agents.agent import Distribution
from pokerlab.bounds import SHARE
from pokerlab.cards.strength import hand_strength, potential
from pokerlab.errors import AgentError
from pokerlab.field.player import HoldemPlayer, Triple, owed, pot_odds
from pokerlab.field.preflop_groups import share_of
from pokerlab.game.hand import View

RAMP = 0.1  # a line is crossed within so much strength
BLUFFS = 0.06  # of the most aggressive: raises with anything


class Style(NamedTuple):
    """Tight (1) or loose (0), aggressive (1) or passive (0)."""

    tight: float = 0.5
    aggressive: float = 0.5


def triple_of(
    strength: Any, odds: float, raises: int, opponents: int, style: Style, faced: bool
) -> tuple[Any, Any, Any]:
    """Fold, call, raise with a strength, or with an array of them.

    `strength` is the chance to win from `opponents`, `odds` the pot odds (0 if nothing is owed), `raises` how many bets
    and raises the round has.
    """
    fair = 1 / (opponents + 1)
    stay = odds + 0.4 * (style.tight - 0.5) + 0.06 * max(raises - 1, 0)
    lift = fair + (1 - fair) * (0.45 - 0.4 * style.aggressive + 0.12 * raises)
    stays = np.clip((strength - stay) / RAMP + 0.5, 0, 1) if faced else np.ones_like(strength, dtype=float)
    lifts = np.clip((strength - lift) / RAMP + 0.5, 0, 1)
    bluffs = BLUFFS * style.aggressive
    return (
        (1 - stays) * (1 - bluffs),
        stays * (1 - lifts) * (1 - bluffs),
        stays * lifts * (1 - bluffs) + bluffs,
    )


def winning_chance(view: View) -> float:
    """EHS against all who are left, each with any hand: IHR^n + (1 - IHR^n) PPot, one card ahead.

    Equation (2.2), with the chance to be ahead of n opponents as Poki has it. Before the flop it is the share of the
    pot by roll-out.
    """
    opponents, hole = len(view.betting.survivors) - 1, (min(view.hole), max(view.hole))
    if not view.board:
        return share_of(hole, opponents)
    ahead = hand_strength(hole, view.board) ** opponents
    if len(view.board) == 5:
        return ahead
    return ahead + (1 - ahead) * float(potential(hole, view.board, cards=1).positive)


class FormulaPlayer(HoldemPlayer):
    """Plays by EHS and pot odds, in a style."""

    name = "formula"

    def __init__(self, tight: float = 0.5, aggressive: float = 0.5, size: float = 100.0, name: str = "") -> None:
        super().__init__(size, name=name)
        for value, what in ((tight, "tight"), (aggressive, "aggressive")):
            SHARE.check(value, what, AgentError)
        self.style = Style(float(tight), float(aggressive))

    def act(self, view: View) -> Distribution:
        betting, chips = view.betting, owed(view.betting, view.seat)
        odds = pot_odds(chips, betting.pot) if chips else 0.0
        opponents = len(betting.survivors) - 1
        fold, call, bet = triple_of(winning_chance(view), odds, betting.raises, opponents, self.style, chips > 0)
        return self.acted(view, Triple(float(fold), float(call), float(bet)))


def population(count: int, seed: int = 0) -> list[str]:
    """So many formula players of random styles, as specs."""
    styles = np.random.default_rng(seed).random((count, 2)).round(2).tolist()
    return [f"formula?tight={tight}&aggressive={aggressive}" for tight, aggressive in styles]
