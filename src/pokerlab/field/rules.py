"""A player of rules: the first whose conditions hold says a triple (Rubin 2013, section 2.1.1).

    rules                  limit or not, any number of players
    rules?size=50          in no-limit it bets half the pot

As r00lbot and Poki did before the flop, it sorts starting hands into groups (`preflop_groups`); later it goes by the
part of all hands that it beats. A condition is a pair (above, up to). `RULES` is all that it knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from pokerlab.agents.agent import Distribution
from pokerlab.cards.holes import hole_number
from pokerlab.cards.ranges import as_range
from pokerlab.cards.strength import hand_strength
from pokerlab.field.player import HoldemPlayer, Triple, owed, position
from pokerlab.field.preflop_groups import group_of
from pokerlab.game.betting import Betting
from pokerlab.game.hand import View

Interval = tuple[float, float]
ANY: Interval = (-inf, inf)
PREFLOP, FLOP, TURN, RIVER = range(4)
LATER = (FLOP, TURN, RIVER)


class Facts(NamedTuple):
    """What rules look at."""

    street: int
    hole: tuple[int, ...]
    group: int  # before the flop: 1 to 10
    strength: float  # afterwards: the chance to be ahead of everybody now
    bets: float  # to call
    opponents: int
    position: float  # 0 first, 1 last


def facts_of(view: View) -> Facts:
    """The facts of a view in which its seat is to act."""
    betting, street = view.betting, view.betting.round
    opponents = len(betting.survivors) - 1
    group = group_of(view.hole, opponents) if street == PREFLOP else 0
    hole = min(view.hole), max(view.hole)
    strength = hand_strength(hole, view.board) ** opponents if street else 0.0
    return Facts(
        street, view.hole, group, strength, bets_to_call(betting, view.seat), opponents, position(betting, view.seat)
    )


def bets_to_call(betting: Betting, seat: int) -> float:
    """In limit, what is owed in bets of the round; in no-limit, in pots that it was bet into."""
    chips = owed(betting, seat)
    if betting.rules.limit:
        return chips / betting.rules.raise_sizes[betting.round]
    return chips / max(betting.pot - chips, 1)


@dataclass(frozen=True)
class Rule:
    """If all of this holds, then play `then`. Intervals are open below and closed above."""

    then: Triple
    streets: tuple[int, ...] = (PREFLOP, *LATER)
    hands: str = "random"  # a range
    groups: Interval = ANY
    strength: Interval = ANY
    bets: Interval = ANY
    opponents: Interval = ANY
    position: Interval = ANY

    def holds(self, facts: Facts) -> bool:
        """Whether all conditions hold."""
        pairs = (
            (self.groups, facts.group), (self.strength, facts.strength), (self.bets, facts.bets),
            (self.opponents, facts.opponents), (self.position, facts.position),
        )  # fmt: skip
        if facts.street not in self.streets or not all(above < value <= most for (above, most), value in pairs):
            return False
        return self.hands == "random" or as_range(self.hands).weights[hole_number(facts.hole)] > 0


RULES: Sequence[Rule] = (
    # Before the flop. The first is Figure 2.1 of the thesis.
    Rule(Triple(0.0, 0.05, 0.95), (PREFLOP,), "AA", bets=(2, inf), opponents=(1, inf), position=(0.8, 1)),
    Rule(Triple(0.0, 0.1, 0.9), (PREFLOP,), groups=(0, 1)),
    Rule(Triple(0.0, 0.3, 0.7), (PREFLOP,), groups=(1, 3), bets=(-inf, 1)),
    Rule(Triple(0.0, 1.0, 0.0), (PREFLOP,), groups=(1, 3), bets=(1, 2)),
    Rule(Triple(0.3, 0.7, 0.0), (PREFLOP,), groups=(1, 3)),
    Rule(Triple(0.0, 0.6, 0.4), (PREFLOP,), groups=(3, 6), bets=(-inf, 0.5), opponents=(0, 1)),
    Rule(Triple(0.0, 1.0, 0.0), (PREFLOP,), groups=(3, 6), bets=(-inf, 1), opponents=(0, 1)),
    Rule(Triple(0.0, 1.0, 0.0), (PREFLOP,), groups=(3, 4), bets=(-inf, 1)),
    Rule(Triple(0.2, 0.8, 0.0), (PREFLOP,), groups=(4, 8), bets=(-inf, 0.5)),
    Rule(Triple(0.7, 0.3, 0.0), (PREFLOP,), groups=(6, 8), bets=(-inf, 1), opponents=(0, 1)),
    Rule(Triple(1.0, 0.0, 0.0), (PREFLOP,)),
    # Later: bet what is probably best, call with what may be, and bluff now and then in position.
    Rule(Triple(0.0, 0.1, 0.9), LATER, strength=(0.9, 1)),
    Rule(Triple(0.0, 0.25, 0.75), LATER, strength=(0.75, 1), bets=(-inf, 1)),
    Rule(Triple(0.0, 1.0, 0.0), LATER, strength=(0.75, 1)),
    Rule(Triple(0.0, 0.4, 0.6), LATER, strength=(0.6, 1), bets=(-inf, 0)),
    Rule(Triple(0.0, 1.0, 0.0), LATER, strength=(0.5, 1), bets=(-inf, 1)),
    Rule(Triple(0.5, 0.5, 0.0), LATER, strength=(0.5, 1)),
    Rule(Triple(0.0, 0.85, 0.15), LATER, bets=(-inf, 0), position=(0.8, 1)),
    Rule(Triple(0.0, 1.0, 0.0), LATER, bets=(-inf, 0)),
    Rule(Triple(0.4, 0.6, 0.0), (FLOP, TURN), strength=(0.3, 1), bets=(-inf, 1)),
    Rule(Triple(1.0, 0.0, 0.0)),
)


def advised(rules: Sequence[Rule], facts: Facts) -> Triple:
    """What the first rule says that holds; calling where there is none."""
    return next((rule.then for rule in rules if rule.holds(facts)), Triple(0.0, 1.0, 0.0))


class RulePlayer(HoldemPlayer):
    """Plays by rules; who knows others derives a class of this one."""

    name = "rules"
    known = RULES

    def __init__(self, size: float = 100.0, name: str = "") -> None:
        super().__init__(size, name=name)

    def act(self, view: View) -> Distribution:
        return self.acted(view, advised(self.known, facts_of(view)))
