"""One hand against all others at a showdown, over all cards to come: by enumeration, and by kernels for hold'em's kind.

Arrays are over the deck's hole cards, in the order of `cards.holes.holes_of`.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from pokerlab.cards.any_deck import strengths_of
from pokerlab.cards.evaluator import board_values, evaluator, tables
from pokerlab.cards.holes import COUNT, HOLES, holes_of
from pokerlab.cards.preflop import preflop_equity
from pokerlab.errors import PokerlabError
from pokerlab.game.hand import Cards
from pokerlab.game.rules import Rules
from pokerlab.match import kernels

MOST = 10_000_000  # hands on boards that are enumerated at once
_MOST_BOARDS = 10_000  # before the flop, that are gone through instead
_PREFLOP_BOARDS = 1000  # drawn to know a hand's chances before the flop
_MOST_SHARES = 4 * COUNT  # that are remembered


class Showdowns:
    """Of any two-player game with cards few enough. `exact` says whether chances before the board are."""

    exact = True

    def __init__(self, rules: Rules) -> None:
        self.rules, deck = rules, len(rules.deck)
        if comb(deck, rules.hole_cards) * comb(deck - rules.hole_cards, sum(rules.board_cards)) > MOST:
            raise PokerlabError(f"{rules.name or 'this game'} has too many cards to enumerate all showdowns")
        self.holes = holes_of(deck, rules.hole_cards)
        self.held = np.zeros((len(self.holes), deck), dtype=bool)
        for row, hole in zip(self.held, self.holes, strict=True):
            row[list(hole)] = True
        self._numbers = {hole: number for number, hole in enumerate(self.holes)}
        self._ranks: dict[Cards, np.ndarray] = {}
        self._shares: dict[tuple[int, Cards], np.ndarray] = {}

    def number(self, hole: Cards) -> int:
        """The place of hole cards in arrays."""
        return self._numbers[tuple(sorted(hole))]

    def possible(self, cards: Cards) -> np.ndarray:
        """Which hole cards have none of these."""
        return np.logical_not(self.held[:, list(cards)].any(axis=1))

    def ranks(self, board: Cards) -> np.ndarray:
        """Integers in the order of the hands' strength on a whole board; those of hands that it makes impossible mean
        nothing."""
        board = tuple(sorted(board))
        ranks = self._ranks.get(board)
        if ranks is None:
            deck, size = self.rules.deck, self.rules.hole_cards + len(board)
            strength = evaluator(len(deck.ranks), len(deck.suits), self.rules.ranking, size)
            free = self.possible(board)
            strengths = [strength(hole + board) if fits else None for hole, fits in zip(self.holes, free, strict=True)]
            order = {value: i for i, value in enumerate(sorted({*strengths} - {None}))}  # type: ignore[type-var]
            ranks = self._ranks[board] = np.array([order.get(value, 0) for value in strengths])
        return ranks

    def share(self, mine: int, board: Cards) -> np.ndarray:
        """What a hand wins of the pot from each, over the boards to come; 0 from hands that it cannot meet."""
        key = mine, board
        if key not in self._shares:
            if len(self._shares) >= _MOST_SHARES:
                self._shares.clear()
            self._shares[key] = self._share(mine, board)
        return self._shares[key]

    def _share(self, mine: int, board: Cards) -> np.ndarray:
        dead = {*self.holes[mine], *board}
        live = [card for card in range(len(self.rules.deck)) if card not in dead]
        won, met = np.zeros(len(self.holes)), np.zeros(len(self.holes))
        for more in combinations(live, sum(self.rules.board_cards) - len(board)):
            ranks, free = self.ranks(board + more), self.possible((*board, *more, *self.holes[mine]))
            won += free * (np.sign(ranks[mine] - ranks) + 1) / 2
            met += free
        return won / np.maximum(met, 1)

    def equity(self, mine: int) -> float:
        """A hand's share against any other, before the board."""
        others = self.possible(self.holes[mine])
        return float(self.share(mine, ())[others].mean())


class HoldemShowdowns(Showdowns):
    """Of games that are played as hold'em is, with any deck. Exact from the flop on; before it shares are over boards
    drawn for each hand, unless these are few enough."""

    def __init__(self, rules: Rules) -> None:
        deck, self.last = len(rules.deck), sum(rules.board_cards)
        self.rules, self.holes, self.known = rules, holes_of(deck, 2), strengths_of(rules.deck, self.last)
        self.held = np.zeros((len(self.holes), deck), dtype=bool)
        np.put_along_axis(self.held, np.array(self.holes), True, axis=1)
        self._numbers = {hole: number for number, hole in enumerate(self.holes)}
        self._shares = {}
        self.exact = comb(deck - 2, self.last) <= _MOST_BOARDS

    def ranks(self, board: Cards) -> np.ndarray:
        return board_values(self.known.cards[list(board)].tolist())[self.known.numbers].astype(np.int64)

    def equity(self, mine: int) -> float:
        if self.rules.holdem:
            return preflop_equity(self.holes[mine])
        return float(self.known.before[mine] / self.known.most(0))

    def _share(self, mine: int, board: Cards) -> np.ndarray:
        won, met, numbers = np.zeros(COUNT), np.zeros(COUNT), self.known.numbers
        boards = self.known.cards[self._boards(mine, board)]
        kernels.hand_shares(tables(), boards, HOLES, int(numbers[mine]), won, met)
        return won[numbers] / np.maximum(met[numbers], 1)

    def _boards(self, mine: int, board: Cards) -> np.ndarray:
        live = [card for card in range(len(self.rules.deck)) if card not in (*board, *self.holes[mine])]
        if board or self.exact:
            rest = np.array(list(combinations(live, self.last - len(board))), np.uint8)
        else:
            rng = np.random.default_rng(mine)
            drawn = rng.random((_PREFLOP_BOARDS, len(live))).argsort(axis=1)[:, : self.last]
            rest = np.array(live, np.uint8)[drawn]
        return np.hstack([np.tile(np.array(board, np.uint8), (len(rest), 1)), rest])


def showdowns_of(rules: Rules) -> Showdowns:
    """Those of a two-player game."""
    return HoldemShowdowns(rules) if rules.holdem_family else Showdowns(rules)
