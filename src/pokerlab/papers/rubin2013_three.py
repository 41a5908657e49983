"""Hands of limit hold'em for three, many deals at once: for chapter 6 of Rubin (2013).

All hands that have come to the same betting are decided together, so that a strategy is looked up once for all of them.
Hands are drawn as at a table. Where two players begin a round and one of them may switch, what it wins from there on is
counted over all betting of both, once by its strategy for three and once by that for two. So the two are compared on
the same cards after the same betting, and hardly any dice are left: only of what is unlikely some is drawn, and counts
the more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple, Protocol

import numpy as np

from pokerlab.agents.blueprint import Blueprint
from pokerlab.cards.evaluator import evaluate
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.reuse import legal_letters, shares
from pokerlab.cases.sequences import readings
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.game.hand import Hand, View
from pokerlab.game.rules import Rules
from pokerlab.match.play import deals as dealt
from pokerlab.opponents.switching import carried_over, for_two

SEATS = 3
SEATINGS = tuple(permutations(range(SEATS)))  # who sits in each seat
_SIZES = (0, 3, 4, 5)  # of the board
_MOST_ACTIONS = 64  # of a hand
LEAST = 0.03  # what comes less often than that after the switch is drawn


class Strategy(Protocol):
    """Who can say what it does in many deals after one betting."""

    def odds(self, betting: Betting, actions: tuple[int, ...], seat: int, deals: np.ndarray) -> dict[int, np.ndarray]:
        """The probability of each action with the cards that a seat of three has in each of these deals.

        `betting` and `actions` are of the strategy's own game, where the seat may have another number.
        """
        ...


class ByBlueprint:
    """A blueprint, a part of whose play may be uniform."""

    def __init__(self, blueprint: Blueprint, cards: np.ndarray, uniform: float = 0.0) -> None:
        self.blueprint, self.uniform = blueprint, uniform
        self._buckets = blueprint.cards.deal_buckets(cards, SEATS)

    def odds(self, betting: Betting, actions: tuple[int, ...], seat: int, deals: np.ndarray) -> dict[int, np.ndarray]:
        node, base = self.blueprint.graph.follow(actions)
        choices = self.blueprint.graph.actions[node]
        table = self.blueprint.odds(node, base, self._buckets[deals, seat, betting.round])
        table = (1 - self.uniform) * table + self.uniform / len(choices)
        return dict(zip(choices, table.T, strict=True))


class ByCases:
    """A case base."""

    def __init__(self, agent: CasesAgent, cards: np.ndarray) -> None:
        self.agent = agent
        none: np.ndarray = np.zeros(len(cards), np.int64)
        self._cells = np.empty((len(cards), SEATS, len(_SIZES)), np.int64)
        for seat in range(SEATS):
            for street, size in enumerate(_SIZES):
                seen = np.hstack((cards[:, 2 * seat : 2 * seat + 2], cards[:, 2 * SEATS : 2 * SEATS + size]))
                self._cells[:, seat, street] = agent.base.cells[street].of_many(seen, none, none + 1)

    def odds(self, betting: Betting, actions: tuple[int, ...], seat: int, deals: np.ndarray) -> dict[int, np.ndarray]:
        (sequence,) = readings(betting.rules, actions, seat)
        cells, place = np.unique(self._cells[deals, seat, betting.round], return_inverse=True)
        legal = legal_letters(betting, self.agent.base.letters)
        none: np.ndarray = np.zeros(len(cells), np.int64)
        table = shares(self.agent.solutions(betting.round, [sequence], none, cells, legal))[place]
        raises = betting.legal().raises
        choices = {FOLD: 0, CALL: 1} | ({raises[0]: 2} if raises else {})
        return {action: table[:, letter] for action, letter in choices.items() if legal[letter]}


class Weights:
    """Who does not look at the cards: weights of fold, call and raise; where nothing of it is legal, it calls."""

    def __init__(self, fold: float, call: float, up: float) -> None:
        self.weights = fold, call, up

    def odds(self, betting: Betting, actions: tuple[int, ...], seat: int, deals: np.ndarray) -> dict[int, np.ndarray]:
        weights = {action: self.weights[min(action, 1) + 1] for action in betting.legal().actions()}
        total = sum(weights.values())
        if not total:
            return {CALL: np.ones(len(deals))}
        return {action: np.full(len(deals), weight / total) for action, weight in weights.items()}


class SwitchedOdds:
    """The odds of `opponents.switching.Switching`."""

    def __init__(self, three: Strategy, two: Strategy, smaller: Rules) -> None:
        self.three, self.two, self.smaller = three, two, smaller

    def maps(self, at: Place, seat: int) -> View | None:
        """The place in the game for two that a seat takes this one for; None: it decides as of three."""
        return for_two(at.view(seat), self.smaller)

    def odds_at(self, at: Place, seat: int, deals: np.ndarray) -> dict[int, np.ndarray]:
        small = self.maps(at, seat)
        if small is None:
            return self.three.odds(at.betting, at.actions, seat, deals)
        return carried_over(self.two.odds(small.betting, small.actions, seat, deals), at.view(seat))


class Place(NamedTuple):
    """A betting, and how it came about."""

    betting: Betting
    actions: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def after(self, action: int) -> Place:
        betting, actions = self.betting.act(action), (*self.actions, action)
        return Place(betting, actions, self.ends + (len(actions),) * (betting.round - self.betting.round))

    def view(self, seat: int) -> View:
        """As a seat sees it, cards left out."""
        legal = None if self.betting.actor is None else self.betting.legal()
        return View(
            self.betting.rules, seat, ((),) * SEATS, (), self.actions, self.ends, self.betting, legal
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Deals:
    """Cards of deals [deals, three holes and the board], and what each hand is worth at a showdown [deals, seats]."""

    rules: Rules
    cards: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, rules: Rules, count: int, seed: int, start: int = 0) -> Deals:
        """So many of a seed's deals, from number `start` on."""
        cards = np.array(list(dealt(rules, seed, count, start)), np.uint8)
        board = cards[:, 2 * SEATS :]
        values = [evaluate(np.hstack((cards[:, 2 * seat : 2 * seat + 2], board))) for seat in range(SEATS)]
        return cls(rules, cards, np.stack(values, axis=1))

    def payoffs(self, betting: Betting, deals: np.ndarray) -> np.ndarray:
        """Net chips [deals, seats] where the betting is over."""
        left, spent = list(betting.survivors), np.array(betting.spent, float)
        values = self.values[deals][:, left]
        best = values == values.max(axis=1, keepdims=True)
        net = np.tile(-spent, (len(deals), 1))
        net[:, left] += spent.sum() * best / best.sum(axis=1, keepdims=True)
        return net


class Hands:
    """Hands of three players, each of whom sits everywhere: hand h is deal h // 6 in seating h % 6."""

    def __init__(self, deals: Deals, players: Sequence[Strategy], seed: int = 0, least: float = LEAST) -> None:
        self.deals, self.players, self.least = deals, tuple(players), least
        self._rng = np.random.default_rng([seed, 6])
        self._dice = self._rng.random((len(deals.cards) * len(SEATINGS), _MOST_ACTIONS))
        self._who = np.tile(np.array(SEATINGS), (len(deals.cards), 1))

    @property
    def everything(self) -> np.ndarray:
        """The numbers of all hands."""
        return np.arange(len(self._who))

    def odds(self, at: Place, hands: np.ndarray) -> dict[int, np.ndarray]:
        """What whoever acts does in each of these hands."""
        seat = at.betting.actor
        assert seat is not None
        who = self._who[hands, seat]
        table = {action: np.zeros(len(hands)) for action in at.betting.legal().actions()}
        for player in np.unique(who).tolist():
            here = who == player
            answer = self.players[player].odds(at.betting, at.actions, seat, hands[here] // len(SEATINGS))
            for action, odds in answer.items():
                table[action][here] = odds
        return table

    def drawn(self, at: Place, hands: np.ndarray) -> Iterator[tuple[Place, np.ndarray]]:
        """The places after whatever is done here, and the hands that come there."""
        dice, below = self._dice[hands, len(at.actions)], np.zeros(len(hands))
        for action, odds in self.odds(at, hands).items():
            here = (dice >= below) & (dice < below + odds)
            below = below + odds
            if here.any():
                yield at.after(action), hands[here]

    def ends(self) -> Iterator[tuple[Place, np.ndarray]]:
        """All hands, drawn to their ends."""
        stack = [(Place(start_betting(self.deals.rules)), self.everything)]
        while stack:
            at, hands = stack.pop()
            if at.betting.actor is None:
                yield at, hands
            else:
                stack += self.drawn(at, hands)

    def records(self, names: Sequence[str]) -> Iterator[Hand]:
        """The same as records."""
        rules, shown = self.deals.rules, self.deals.rules.boards
        for at, hands in self.ends():
            for hand in hands.tolist():
                cards = tuple(self.deals.cards[hand // len(SEATINGS)].tolist())
                holes = tuple(cards[2 * seat : 2 * seat + 2] for seat in range(SEATS))
                board = cards[2 * SEATS : 2 * SEATS + shown[at.betting.round]]
                seated = tuple(names[who] for who in SEATINGS[hand % len(SEATINGS)])
                yield Hand(rules, holes, board, at.actions, at.ends, at.betting, seated)

    def switched(self, two: Strategy, smaller: Rules) -> tuple[np.ndarray, np.ndarray, float]:
        """What all win without and with switching by player 0, [deals, players] chips a hand; mean over the seatings.

        And in which part of the hands it could switch.
        """
        won: np.ndarray = np.zeros((2, len(self._who), SEATS))  # by seat
        mine, could = SwitchedOdds(self.players[0], two, smaller), 0
        stack = [(Place(start_betting(self.deals.rules)), self.everything)]
        while stack:
            at, hands = stack.pop()
            betting = at.betting
            if betting.actor is None:
                won[:, hands] = self.deals.payoffs(betting, hands // len(SEATINGS))
                continue
            if len(betting.survivors) == 2:
                for seat in betting.survivors:
                    here = self._who[hands, seat] == 0
                    if here.any() and mine.maps(at, seat) is not None:
                        other = next(one for one in betting.survivors if one != seat)
                        out = next(one for one in range(SEATS) if one not in betting.survivors)
                        both = self._rest(at, hands[here], seat, mine, np.ones((2, int(here.sum()))))
                        won[:, hands[here], seat] = both
                        won[:, hands[here], out] = -betting.spent[out]
                        won[:, hands[here], other] = betting.spent[out] - both
                        could, hands = could + int(here.sum()), hands[~here]
            if len(hands):
                stack += self.drawn(at, hands)
        by_player = np.zeros_like(won)
        for seat in range(SEATS):
            for version in range(2):
                by_player[version, self.everything, self._who[:, seat]] = won[version, :, seat]
        mean = by_player.reshape(2, len(self.deals.cards), len(SEATINGS), SEATS).mean(axis=2)
        return mean[0], mean[1], could / len(self._who)

    def _rest(self, at: Place, hands: np.ndarray, seat: int, mine: SwitchedOdds, reach: np.ndarray) -> np.ndarray:
        """What a seat wins on average from here on, [without and with switching, hands], over all betting.

        `reach` is how likely either version comes here. Where both are below `least`, the hand goes on with the chance
        of the likelier over it, and counts the more.
        """
        betting, deals = at.betting, hands // len(SEATINGS)
        if betting.actor is None:
            return np.tile(self.deals.payoffs(betting, deals)[:, seat], (2, 1))
        total = np.zeros((2, len(hands)))
        if betting.actor == seat:
            plain, small = mine.three.odds(betting, at.actions, seat, deals), mine.odds_at(at, seat, deals)
            odds = {a: np.stack([plain.get(a, total[0]), small.get(a, total[0])]) for a in {**plain, **small}}
        else:
            odds = {action: np.tile(each, (2, 1)) for action, each in self.odds(at, hands).items()}
        for action, each in odds.items():
            after, there = at.after(action), reach * each
            likely = there.max(axis=0)
            chance, rare = np.ones(len(hands)), likely < self.least
            if after.betting.actor is not None:
                chance[rare] = likely[rare] / self.least
            here = (likely > 0) & (self._rng.random(len(hands)) < chance)
            if here.any():
                rest = self._rest(after, hands[here], seat, mine, there[:, here] / chance[here])
                total[:, here] += each[:, here] / chance[here] * rest
        return total
