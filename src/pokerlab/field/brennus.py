"""A forest of game trees, one for each hand that the opponent may hold (Maitrepierre et al. 2008; Rubin 2013, 2.4.2).

    brennus
    brennus?seconds=0.01    in a hurry

For two players. A belief over the opponent's hole cards starts even and follows Bayes' rule after every action; how
likely a hand takes an action is said by five basis players (`formula.py`: tight or loose, passive or aggressive, and
neither), which are believed in as far as they foretold this opponent's play so far. The tree of the round is searched
for all hands at once, each with its own share of the pot at the end of it, or where the time is over. What to make of
the values is one of five basic strategies, chosen for each hand by UCB1. The thesis names neither basis players nor
strategies: these are ours.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.agents.agent import Distribution
from pokerlab.bounds import WEIGHT
from pokerlab.cards.evaluator import fill_board, tables
from pokerlab.cards.holes import COUNT, HOLES, hole_number, possible
from pokerlab.compiled import njit
from pokerlab.errors import AgentError
from pokerlab.field.formula import Style, triple_of
from pokerlab.field.habits import ordering
from pokerlab.field.player import (
    CALLS,
    FOLDS,
    RAISES,
    SECONDS,
    Clock,
    Deed,
    HoldemPlayer,
    Triple,
    boards_of,
    deeds,
    in_time,
    owed,
    pot_odds,
)
from pokerlab.field.rollout_kernels import deal_board
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import CALL, FOLD, Betting
from pokerlab.game.hand import View
from pokerlab.opponents.choosers import Arm, ucb1
from pokerlab.opponents.credit import money

BASIS = (Style(0.5, 0.5), Style(0.85, 0.15), Style(0.85, 0.85), Style(0.15, 0.15), Style(0.15, 0.85))
RUNOUTS = 60
PIECE = 20  # of them between two looks at the clock
LEAST = 0.01  # that anything is done with any hand
DOUBT = 1e-4  # the least that a basis player is believed in
KEPT = 0.98  # of what is believed of basis players, from hand to hand: opponents may change


class Basic(NamedTuple):
    """What a strategy adds to values, in parts of the pot, and how finely it tells them apart (0: the best alone)."""

    calling: float
    raising: float
    spread: float


BASICS = (
    Basic(0.0, 0.0, 0.0),  # as the forest says
    Basic(-0.15, -0.15, 0.0),  # tight
    Basic(0.0, -0.25, 0.0),  # passive
    Basic(0.0, 0.25, 0.0),  # aggressive
    Basic(0.0, 0.0, 0.15),  # mixed
)


@njit(cache=True, nogil=True)
def add_shares(tables, holes, mine, board, boards, rng, won, met):
    """Add, by every other hand [1326], what a hand wins from it on boards to come, and how often they meet."""
    values, full = np.empty(1326, np.int16), np.empty(5, np.uint8)
    a, b = holes[mine, 0], holes[mine, 1]
    for _ in range(boards):
        deal_board(board, holes[mine], full, rng)
        fill_board(tables, full, values)
        for hand in range(1326):
            clear = holes[hand, 0] != a and holes[hand, 0] != b and holes[hand, 1] != a and holes[hand, 1] != b
            if values[hand] and clear:
                met[hand] += 1
                won[hand] += 1.0 if values[hand] < values[mine] else 0.5 if values[hand] == values[mine] else 0.0


def shares(mine: int, board: tuple[int, ...], clock: Clock, rng: np.ndarray) -> np.ndarray:
    """[1326] a hand's share of the pot from every other, over boards to come; 0 where they share a card."""
    won, met = np.zeros(COUNT), np.zeros(COUNT)
    shown = np.array(board, np.uint8)
    for piece in in_time(RUNOUTS if len(board) < 5 else 1, PIECE, clock):
        add_shares(tables(), HOLES, mine, shown, piece, rng, won, met)
    return won / np.maximum(met, 1)


def likely(deed: Deed, board: tuple[int, ...]) -> np.ndarray:
    """[basis players, 1326] how likely each basis player does this with each hand."""
    strength, betting = ordering(board)[1], deed.before
    told = np.stack([triple[deed.kind] for triple in triples(betting, deed.seat, strength)])
    return np.maximum(told, LEAST)


def triples(betting: Betting, seat: int, strength: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Fold, call and raise of each basis player with each hand."""
    chips = owed(betting, seat)
    odds = pot_odds(chips, betting.pot) if chips else 0.0
    return [triple_of(strength, odds, betting.raises, 1, style, chips > 0) for style in BASIS]


class Forest(NamedTuple):
    """The trees of a round, one for each of the opponent's hands: whose they are, which round, the hand's `share` of
    the pot from each, how strong each is, the one size of raises, and until when there is time.
    """

    seat: int
    round: int
    share: np.ndarray
    strength: np.ndarray
    size: float
    clock: Clock

    def branches(self, betting: Betting) -> list[tuple[int, Betting]]:
        """What the actor may do, a raise of the one size among it, and where that leads."""
        raises = betting.legal().raises if betting.rules.limit else betting.raises_to([Size(self.size)], lifted=True)
        kinds = [(CALLS, CALL), *[(FOLDS, FOLD)] * betting.legal().fold, *[(RAISES, to) for to in raises[:1]]]
        return [(kind, betting.act(action)) for kind, action in kinds]

    def worth(self, betting: Betting, weights: np.ndarray) -> float:
        """Chips won on average over all hands in their trees, each weighted by how likely it came there."""
        seat = self.seat
        if betting.folded[seat]:
            return -betting.spent[seat] * float(weights.sum())
        if betting.folded[1 - seat]:
            return betting.spent[1 - seat] * float(weights.sum())
        # The rest is taken as checked down; also what there is no time for, a bet that was not called given back.
        if betting.actor is None or betting.round > self.round or self.clock.over:
            stake = min(betting.spent)
            return float((weights * (self.share * 2 * stake - stake)).sum())
        if betting.actor == seat:
            return max(self.worth(after, weights) for _, after in self.branches(betting))
        told, total = triples(betting, betting.actor, self.strength), 0.0
        branches = self.branches(betting)
        legal = {kind for kind, _ in branches}
        for kind, after in branches:
            taken = [kind] if kind != CALLS else [CALLS, *({FOLDS, RAISES} - legal)]  # what is not legal is called
            parts = np.stack([sum(triple[k] for k in taken) for triple in told])
            total += self.worth(after, weights * parts)
        return total


class Brennus(HoldemPlayer):
    """Believes by Bayes, searches a tree for every hand, and chooses among five ways to use what it finds."""

    name = "brennus"
    stateless, two_only = False, True

    def __init__(
        self, scale: float = 2.0, size: float = 100.0, seed: int = 0, seconds: float = SECONDS, name: str = ""
    ) -> None:
        super().__init__(size, seed, seconds, name)
        WEIGHT.check(scale, "scale", AgentError)
        self.scale = float(scale)
        self.reset()

    def reset(self) -> None:
        self.trust: dict[str, np.ndarray] = {}  # in each basis player, by opponent
        self.arms: dict[str, list[Arm]] = {}

    def belief(self, view: View) -> np.ndarray:
        """[basis players, 1326] how likely the opponent plays as each and holds each hand; adds up to 1."""
        trust = self.trust.get(_other(view), np.full(len(BASIS), 1 / len(BASIS)))
        weights, boards = trust[:, None] * possible((*view.hole, *view.board)), boards_of(view)
        for deed in deeds(view):
            if deed.seat != view.seat:
                weights = weights * likely(deed, boards[deed.before.round])
                weights /= weights.sum()
        return weights / weights.sum()

    def values(self, view: View) -> np.ndarray:
        """What fold, call and raise are worth over folding; -inf where they are not possible."""
        clock, weights, strength = Clock(self.seconds), self.belief(view), ordering(view.board)[1]
        share = shares(hole_number(view.hole), view.board, clock, self.stream(view))
        forest = Forest(view.seat, view.betting.round, share, strength, self.size, clock)
        spent = view.betting.spent[view.seat]
        means = np.full(3, -np.inf)
        for kind, after in forest.branches(view.betting):
            means[kind] = forest.worth(after, weights) + spent
        return means

    def chosen(self, view: View) -> int:
        """Which of the basic strategies is played in this hand."""
        arms = self.arms.setdefault(_other(view), [Arm() for _ in BASICS])
        return ucb1(arms, self.scale, np.random.default_rng(self.seed))

    def act(self, view: View) -> Distribution:
        basic, pot = BASICS[self.chosen(view)], view.betting.pot
        values = self.values(view) + pot * np.array([0.0, basic.calling, basic.raising])
        if not view.legal or not view.legal.fold:
            values[FOLDS] = -np.inf
        if basic.spread:
            odds = np.exp((values - values.max()) / (basic.spread * pot))
        else:
            odds = (values == values.max()).astype(float)
        return self.acted(view, Triple(*(odds / odds.sum()).tolist()))

    def observe(self, view: View) -> None:
        name, chosen = _other(view), self.chosen(view)
        trust = self.trust.get(name, np.full(len(BASIS), 1 / len(BASIS)))
        foretold = self.foretold(view)
        kept = trust**KEPT * foretold
        kept = np.maximum(kept / kept.sum(), DOUBT)
        self.trust[name] = kept / kept.sum()
        self.arms[name][chosen].add(money(view) / view.rules.small_bet)

    def foretold(self, view: View) -> np.ndarray:
        """[basis players] how likely each would have acted in a hand as the opponent did; the likeliest 1."""
        weights, boards = np.ones((len(BASIS), 1)) * possible((*view.hole, *view.board)), boards_of(view)
        chance = np.ones(len(BASIS))
        weights /= weights.sum(axis=1, keepdims=True)
        for deed in deeds(view):
            if deed.seat != view.seat:
                weights = weights * likely(deed, boards[deed.before.round])
                part = weights.sum(axis=1)
                chance *= part
                weights = weights / part[:, None]
        return chance / chance.max()


def _other(view: View) -> str:
    return view.names[1 - view.seat] if view.names else ""
