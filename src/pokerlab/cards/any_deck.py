"""Strengths in games that are played as hold'em is, with any deck of up to 13 ranks and 4 suits, and fewer streets.

Such a deck is a part of the 52 cards, its top ranks, so that the evaluator and the indexing of hands up to suits are
those of hold'em. A strength is 2 * hands beaten + hands tied on the last board; on a board before it the sum over the
boards to come. These are whole numbers, so that nothing is rounded.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import comb, perm
from typing import NamedTuple

import numpy as np

from pokerlab.cards import any_deck_kernels as kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import COUNT, HOLES, holes_of
from pokerlab.cards.isomorphism import canonical_boards
from pokerlab.errors import CardError
from pokerlab.threads import in_pieces


def among_52(deck: Deck) -> np.ndarray:
    """The number that each card of a deck has among the 52, where its ranks are the top ones: uint8."""
    ranks, suits = len(deck.ranks), len(deck.suits)
    if ranks > 13 or suits > 4:
        raise CardError(f"a deck of {ranks} ranks and {suits} suits is no part of the 52 cards")
    return np.array([4 * (card // suits + 13 - ranks) + card % suits for card in range(len(deck))], np.uint8)


class Boards(NamedTuple):
    """All boards of some size up to suits, as cards among the 52, and how many boards of the deck each stands for."""

    cards: np.ndarray  # uint8 [boards, size]
    times: np.ndarray  # int64 [boards]


@lru_cache(maxsize=4)
def strengths_of(deck: Deck, last: int) -> DeckStrengths:
    """The strengths of a deck with so many cards on the last board, remembered with what they have computed."""
    return DeckStrengths(deck, last)


class DeckStrengths:
    """Strengths of all holes of a deck, in the order of `holes_of`, on any board of up to `last` cards."""

    def __init__(self, deck: Deck, last: int) -> None:
        if not 3 <= last <= 5 or len(deck) < last + 4:
            raise CardError(f"the last board has three to five cards, and four are left; not {last} of {len(deck)}")
        self.deck, self.last, self.cards = deck, last, among_52(deck)
        pairs = self.cards[np.array(holes_of(len(deck), 2))].astype(np.int64)
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        self.numbers = high * (high - 1) // 2 + low  # of the deck's holes among the 1,326
        self.inside: np.ndarray = np.zeros(COUNT, bool)
        self.inside[self.numbers] = True

    def most(self, size: int) -> int:
        """What a hand that always wins has on a board of `size` cards."""
        return 2 * comb(len(self.deck) - 2 - self.last, 2) * comb(len(self.deck) - 2 - size, self.last - size)

    def sums(self, board: tuple[int, ...]) -> np.ndarray:
        """Of all holes on a board of the deck's cards, -1 where a card clashes: int64."""
        if not board:
            return self.before
        given = np.array(board, np.int64)
        if not 3 <= len(given) <= self.last or len({*board}) < len(board) or not (given >= 0).all():
            raise CardError(f"a board is none or three to {self.last} different cards of the deck, not {list(board)}")
        if given.max() >= len(self.deck):
            raise CardError(f"cards of this deck are 0 to {len(self.deck) - 1}, not {given.max()}")
        sums = np.empty(COUNT, np.int64)
        kernels.fill_sums(tables(), HOLES, self.inside, self.cards, self.cards[given], self.last, sums)
        return sums[self.numbers]

    @cached_property
    def before(self) -> np.ndarray:
        """The sums of all holes before the board."""
        _, totals = self.swept(3, self.most(3))
        # Each board of three cards, and with it the rest, comes in as many ways as three of its cards can be first;
        # holes that differ by suits alone have one total, which canonical boards have shared out among them.
        ranks, suited = np.sort(HOLES // 4, axis=1).astype(np.int64), HOLES[:, 0] % 4 == HOLES[:, 1] % 4
        _, kinds = np.unique(2 * (13 * ranks[:, 0] + ranks[:, 1]) + suited, return_inverse=True)
        shared = np.bincount(kinds, totals * self.inside) / np.maximum(np.bincount(kinds, self.inside), 1)
        return np.rint(shared[kinds][self.numbers] / comb(self.last, 3)).astype(np.int64)

    def boards(self, size: int) -> Boards:
        """All boards of a size up to suits."""
        every, times = canonical_boards((size,))
        suits, ranks = every % 4, every // 4
        present = (suits[:, :, None] == np.arange(4)).any(axis=1)  # [boards, 4]
        used = present.sum(axis=1)
        ours = (ranks >= 13 - len(self.deck.ranks)).all(axis=1) & (used <= len(self.deck.suits))
        renamed = np.cumsum(present, axis=1) - 1  # suits that are there, by the deck's first ones
        cards = 4 * ranks + np.take_along_axis(renamed, suits, axis=1)
        ways = np.array([perm(len(self.deck.suits), u) / perm(4, u) for u in range(5)])
        return Boards(cards[ours].astype(np.uint8), np.rint(times[ours] * ways[used[ours]]).astype(np.int64))

    def swept(self, size: int, step: int) -> tuple[np.ndarray, np.ndarray]:
        """Over all boards of a size: deals by sum // step, and each of the 1,326 holes' total over canonical boards."""
        boards, bins = self.boards(size), self.most(size) // step + 1

        def sweep(first: int, end: int) -> tuple[np.ndarray, np.ndarray]:
            histogram, totals = np.zeros(bins, np.int64), np.zeros(COUNT, np.int64)
            cards, times = boards.cards[first:end], boards.times[first:end]
            kernels.sweep_sums(
                tables(), HOLES, self.inside, self.cards, cards, times, self.last, step, totals, histogram
            )
            return histogram, totals

        parts = in_pieces(sweep, len(boards.cards), 64, f"strengths on boards of {size}")
        return np.sum([part for part, _ in parts], axis=0), np.sum([totals for _, totals in parts], axis=0)
