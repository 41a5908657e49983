"""Boards up to suits: of those that only a change of suits tells apart one is looked at, and counts for all.

A change of suits that leaves the cards on the board so far as they are leaves everything as it is, for an agent to
whom all suits are alike. Values that a hand has on the boards that follow, each counted as often as it stands for
others, add up to the right sum once they are averaged over these changes (`Suits.averaged`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from pokerlab.cards.holes import holes_of
from pokerlab.game.rules import Rules

_MOST_SUITS = 4  # whose changes are written out


class Dealt(NamedTuple):
    """Cards added to a board: all of it, how many boards it stands for, and the changes of suits that leave it."""

    board: tuple[int, ...]
    times: int
    group: np.ndarray  # numbers of changes


class Suits:
    """The changes of suits of a game's deck; without `alike` only the one that changes nothing."""

    def __init__(self, rules: Rules, alike: bool = True) -> None:
        suits, self.deck = len(rules.deck.suits), len(rules.deck)
        several = alike and suits <= _MOST_SUITS
        changes = np.array([*permutations(range(suits))] if several else [range(suits)])
        every = np.arange(self.deck)
        self.cards = every // suits * suits + changes[:, every % suits]  # (changes, cards)
        holes = holes_of(self.deck, rules.hole_cards)
        numbers = {hole: number for number, hole in enumerate(holes)}
        after = np.sort(self.cards[:, np.array(holes)], axis=2)
        self.holes = np.array([[numbers[tuple(hole)] for hole in row] for row in after.tolist()])  # (changes, holes)
        _, self.kinds = np.unique(self.holes.min(axis=0), return_inverse=True)  # hands that suits alone tell apart

    @property
    def every(self) -> np.ndarray:
        """The numbers of all changes."""
        return np.arange(len(self.cards))

    def leaving(self, rules: Rules, board: tuple[int, ...]) -> np.ndarray:
        """The changes that leave what each round has dealt of a board as it is."""
        fine, first = np.ones(len(self.cards), bool), 0
        for last in rules.boards[: rules.boards.index(len(board)) + 1]:
            dealt = board[first:last]
            fine &= (np.sort(self.cards[:, dealt], axis=1) == np.sort(dealt)).all(axis=1)
            first = last
        return np.flatnonzero(fine)

    def after(self, board: Sequence[int], group: np.ndarray, count: int) -> list[Dealt]:
        """All boards with `count` more cards, up to the changes of a group that leaves the board as it is."""
        live = [card for card in range(self.deck) if card not in board]
        sets = np.array([*combinations(live, count)], dtype=np.int64)
        keys = np.stack([self._keys(self.cards[change][sets]) for change in group])  # (changes, sets)
        least, same = keys[0] == keys.min(axis=0), keys == keys[0]  # the first change is the one of nothing
        return [
            Dealt((*board, *sets[i].tolist()), len(group) // int(same[:, i].sum()), group[same[:, i]])
            for i in np.flatnonzero(least)
        ]

    def _keys(self, sets: np.ndarray) -> np.ndarray:
        """A number for each set of cards."""
        return np.asarray(np.sort(sets, axis=1) @ (self.deck ** np.arange(sets.shape[1])))

    def averaged(self, values: np.ndarray, group: np.ndarray, axis: int) -> np.ndarray:
        """The mean of values over the changes of a group; hands are along `axis`."""
        if len(group) == 1:
            return values
        total = values.copy()
        for change in group[1:]:
            total += values.take(self.holes[change], axis=axis)
        return total / len(group)
