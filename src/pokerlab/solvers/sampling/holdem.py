"""Hold'em dealt for samplers: cards are shuffled, hands become buckets of a card abstraction, showdowns are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from pokerlab.cards import evaluator
from pokerlab.compiled import njit
from pokerlab.errors import AbstractionError, SolverError
from pokerlab.game.rules import Rules
from pokerlab.solvers.sampling.randomness import below


class Cards(Protocol):
    """What is needed of a card abstraction; `abstraction.buckets` makes such."""

    @property
    def counts(self) -> Sequence[int]:
        """Buckets on each street."""
        ...

    def deal_buckets(self, deals: np.ndarray, players: int = 2) -> np.ndarray:
        """Buckets [deals, players, 4] of dealt cards: two for each player, then five."""
        ...

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """Buckets of all 1,326 holes on a board of none, three, four or five cards."""
        ...


class HoldemDeals:
    """Deals of hold'em for external and outcome sampling, any number of players, a card abstraction for each."""

    chunk = 2048

    def __init__(self, rules: Rules, cards: Cards | Sequence[Cards]) -> None:
        if not rules.holdem:
            raise SolverError(f"{rules.name or 'this game'} is not hold'em with 52 cards")
        self.rules = rules
        self.cards: tuple[Cards, ...] = tuple(cards) if isinstance(cards, Sequence) else (cards,) * rules.players
        if len(self.cards) != rules.players:
            raise AbstractionError(f"{rules.players} players need as many card abstractions, not {len(self.cards)}")
        self.buckets = [list(each.counts) for each in self.cards]
        self.different = list({id(each): each for each in self.cards}.values())

    def fill(self, rng: np.ndarray, buckets: np.ndarray, codes: np.ndarray) -> None:
        players = self.rules.players
        deals = np.empty((len(codes), 2 * players + 5), dtype=np.uint8)
        shuffle(rng, deals)
        showdowns(evaluator.tables(), deals, players, codes)
        for each in self.different:
            seats = [seat for seat in range(players) if self.cards[seat] is each]
            buckets[:, seats] = each.deal_buckets(deals, players)[:, seats]


@njit(cache=True, nogil=True)
def shuffle(rng: np.ndarray, deals: np.ndarray) -> None:
    """Fill each row with different cards of 52; a row depends on the generator alone, not on those before it."""
    deck = np.empty(52, np.uint8)
    for d in range(deals.shape[0]):
        for i in range(52):
            deck[i] = i
        for i in range(deals.shape[1]):
            j = i + below(rng, 52 - i)
            deck[i], deck[j] = deck[j], deck[i]
            deals[d, i] = deck[i]


@njit(cache=True, nogil=True)
def showdowns(tables: evaluator.Tables, deals: np.ndarray, players: int, codes: np.ndarray) -> None:
    """The code of each deal's showdown: a digit a player, in base `players`, of how many others it beats."""
    hand, values = np.empty(7, np.uint8), np.empty(players, np.int64)
    for d in range(deals.shape[0]):
        for i in range(5):
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
