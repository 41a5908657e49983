"""From hands to cases: the decisions of one seat with what it could see when it took them, and what came of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.cases.base import Round, merged, round_of
from pokerlab.cases.features import Cells, Features
from pokerlab.cases.sequences import decisions, letters
from pokerlab.game.hand import Hand, View
from pokerlab.game.rules import Rules


class _Column(NamedTuple):
    """The decisions of a round, one list a feature."""

    sequences: list[str]
    cards: list[tuple[int, ...]]
    spent: list[int]
    stacks: list[int]
    actions: list[int]
    won: list[int]


class Notes:
    """Decisions noted down hand by hand, which become cases all at once."""

    def __init__(self, rules: Rules, features: Features, parts: int) -> None:
        self.rules, self.features, self.parts = rules, features, parts
        self._number = {letter: number for number, letter in enumerate(letters(rules))}
        self._shown = [sum(rules.board_cards[: round + 1]) for round in range(rules.rounds)]
        self._columns = [_Column([], [], [], [], [], []) for _ in range(rules.rounds)]

    def add(self, hand: Hand | View, seat: int, won: float) -> None:
        """Note a seat's decisions in a finished hand that won it so many chips. Nobody else's cards are looked at."""
        hole, whole = hand.holes[seat], round(won * self.parts)
        for made in decisions(self.rules, hand.actions):
            if made.seat == seat:
                column = self._columns[made.round]
                column.sequences.append(made.sequence)
                column.cards.append((*hole, *hand.board[: self._shown[made.round]]))
                column.spent.append(made.spent)
                column.stacks.append(self.rules.stacks[seat])
                column.actions.append(self._number[made.letter])
                column.won.append(whole)

    def cases(self, solutions: str = "vector") -> tuple[Round, ...]:
        """What was noted, as cases."""
        return tuple(self._round(number, solutions) for number in range(self.rules.rounds))

    def _round(self, number: int, solutions: str) -> Round:
        column, width = self._columns[number], len(self._number)
        n = len(column.cards)
        held = self.rules.hole_cards + self._shown[number]
        cards = np.array(column.cards, np.uint8).reshape(n, held)
        cells = Cells(self.rules, self.features, number)
        where = cells.of_many(cards, np.array(column.spent, np.int64), np.array(column.stacks, np.int64))
        won, actions = np.array(column.won, np.int64), np.array(column.actions, np.int64)
        return merged([round_of(column.sequences, where, actions, won, width)], solutions)
