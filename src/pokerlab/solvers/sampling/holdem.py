"""Hold'em dealt for samplers: cards are shuffled, hands become buckets of a card abstraction, showdowns are ranked.

So are games of its family, with any deck of up to 13 ranks and 4 suits and with fewer rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from pokerlab.cards import evaluator
from pokerlab.cards.any_deck import among_52
from pokerlab.compiled import njit
from pokerlab.errors import AbstractionError, SolverError
from pokerlab.game.rules import Rules
from pokerlab.registry import others_code
from pokerlab.solvers.sampling.randomness import below


class Cards(Protocol):
    """What is needed of a card abstraction; `abstraction.buckets` makes such."""

    @property
    def counts(self) -> Sequence[int]:
        """Buckets in each round."""
        ...

    def deal_buckets(self, deals: np.ndarray, players: int = 2) -> np.ndarray:
        """Buckets [deals, players, rounds] of dealt cards: two for each player, then the board."""
        ...

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """Buckets of all the deck's holes, in hold'em 1,326, on the board of a round."""
        ...


class HoldemDeals:
    """Deals of hold'em for external and outcome sampling, any number of players, a card abstraction for each."""

    chunk = 2048

    def __init__(self, rules: Rules, cards: Cards | Sequence[Cards]) -> None:
        if not rules.holdem_family:
            raise SolverError(f"{rules.name or 'this game'} is not played as hold'em is: two cards each, and a board")
        self.rules, self._among_52 = rules, among_52(rules.deck)
        self.cards: tuple[Cards, ...] = tuple(cards) if isinstance(cards, Sequence) else (cards,) * rules.players
        if len(self.cards) != rules.players:
            raise AbstractionError(f"{rules.players} players need as many card abstractions, not {len(self.cards)}")
        self.buckets = [list(each.counts) for each in self.cards]
        if any(len(counts) != rules.rounds for counts in self.buckets):
            raise AbstractionError(f"{rules.rounds} rounds need as many numbers of buckets, not {self.buckets}")
        self.different = list({id(each): each for each in self.cards}.values())

    def fill(self, rng: np.ndarray, buckets: np.ndarray, codes: np.ndarray) -> None:
        players = self.rules.players
        deals = np.empty((len(codes), 2 * players + sum(self.rules.board_cards)), dtype=np.uint8)
        shuffle(rng, len(self.rules.deck), deals)
        showdowns(evaluator.tables(), self._among_52[deals], players, codes)
        for each in self.different:
            seats = [seat for seat in range(players) if self.cards[seat] is each]
            buckets[:, seats] = self._checked(each, deals)[:, seats]

    def _checked(self, cards: Cards, deals: np.ndarray) -> np.ndarray:
        """The buckets of deals, which kernels look up without a check: they may be made by others' code."""
        with others_code("the card abstraction failed", AbstractionError, type(cards)):
            buckets = np.asarray(cards.deal_buckets(deals, self.rules.players))
        shape = (len(deals), self.rules.players, self.rules.rounds)
        if buckets.shape != shape or buckets.dtype.kind not in "iu":
            raise AbstractionError(
                f"deal_buckets gave {buckets.dtype} of shape {buckets.shape}, not whole numbers of shape {shape}"
            )
        if (buckets < 0).any() or (buckets >= np.array(cards.counts)).any():
            raise AbstractionError(f"deal_buckets gave buckets outside 0 to below {list(cards.counts)}")
        return buckets


@njit(cache=True, nogil=True)
def shuffle(rng: np.ndarray, size: int, deals: np.ndarray) -> None:
    """Fill each row with different cards of a deck; a row depends on the generator alone, not on those before it."""
    deck = np.empty(size, np.uint8)
    for d in range(deals.shape[0]):
        for i in range(size):
            deck[i] = i
        for i in range(deals.shape[1]):
            j = i + below(rng, size - i)
            deck[i], deck[j] = deck[j], deck[i]
            deals[d, i] = deck[i]


@njit(cache=True, nogil=True)
def showdowns(tables: evaluator.Tables, deals: np.ndarray, players: int, codes: np.ndarray) -> None:
    """The code of each deal's showdown: a digit a player, in base `players`, of how many others it beats."""
    shown = deals.shape[1] - 2 * players
    hand, values = np.empty(2 + shown, np.uint8), np.empty(players, np.int64)
    for d in range(deals.shape[0]):
        for i in range(shown):
            hand[2 + i] = deals[d, 2 * players + i]
        for p in range(players):
            hand[0], hand[1] = deals[d, 2 * p], deals[d, 2 * p + 1]
            values[p] = evaluator.value_of(tables, hand)
        code, digit = 0, 1
        for p in range(players):
            for q in range(players):
                if values[p] > values[q]:
                    code += digit
            digit *= players
        codes[d] = code
