"""A look at a solution, as `pokerlab spot` takes it: which decision, whose hands, which of them, in which unit.

    look = Look("check, bet 100", view="equity", like="flush draw", unit="pot")
    look.lines(solved), look.table(solved).to_pandas(), look.summary(solved)

It can be checked against a spot before that is solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.errors import SpotError
from pokerlab.notebook import Table
from pokerlab.refine.spots.categories import check_filter, hands_like
from pokerlab.refine.spots.compare import Comparison, check_comparison, compare
from pokerlab.refine.spots.frames import (
    blocked,
    blocked_frame,
    blockers,
    blocking_cards,
    frame_json,
    frame_table,
    hand_json,
    node_frame,
    one_hand,
    unit_size,
)
from pokerlab.refine.spots.locks import find_decision
from pokerlab.refine.spots.solution import SpotNode, SpotSolution
from pokerlab.refine.spots.spot import PLAYERS, Spot
from pokerlab.refine.spots.tree import Node
from pokerlab.refine.spots.view import BLOCKERS, VIEWS, check_view, node_json, view_lines, views_of
from pokerlab.terminal import Line


@dataclass(frozen=True)
class Look:
    """`line` leads to the decision; `view` is one of `view.views_of`, by default the first; `hand` are hole cards of
    which all is told; `like` is a filter (`categories.hands_like`); `player` is `oop` or `ip`, by default who acts;
    `unit` one of `frames.UNITS`.
    """

    line: str = ""
    view: str | None = None
    hand: str = ""
    like: str = ""
    player: str | None = None
    unit: str = "chips"

    def check(self, spot: Spot, before: tuple[str, Spot] | None = None) -> None:
        """Raise SpotError for what no solution of this spot could show, or none beside that of another, named one."""
        if before is None:
            node, dealt = find_decision(spot, self.line)
            check_view(node.labels, self._view(node), acting=self._player(node) == node.player)
        else:
            check_comparison(before[1], spot, self.line, self.view or VIEWS[0], (before[0], spot.name))
            node, dealt = find_decision(spot, self.line)
            if self._player(node) != node.player:
                raise SpotError(f"two solutions are compared by the hands of who acts: that is {PLAYERS[node.player]}")
        check_filter(self.like)
        unit_size(spot, self.unit)
        if self.like and (self.hand or self.view == BLOCKERS):
            raise SpotError(f"a filter is for charts and lists of hands, not for {'a hand' if self.hand else BLOCKERS}")
        if self.hand:
            board = (*spot.board, *dealt)
            if self.view == BLOCKERS:
                blocking_cards(board, self.hand)
            else:
                for each in (spot, before[1]) if before else (spot,):
                    one_hand(each, board, self._player(node), self.hand)

    def _player(self, node: SpotNode | Node) -> int:
        return node.player if self.player is None else PLAYERS.index(self.player)

    def _view(self, node: SpotNode | Node) -> str:
        return self.view or views_of((), acting=self._player(node) == node.player)[0]

    def _hands(self, node: SpotNode) -> np.ndarray | None:
        """(1,326) which hands are looked at; None: all."""
        if self.hand:
            return one_hand(node.spot, node.board, self._player(node), self.hand)
        return self._like(node)

    def _like(self, node: SpotNode) -> np.ndarray | None:
        return hands_like(self.like, node.board) if self.like else None

    def between(self, before: SpotSolution, after: SpotSolution, names: tuple[str, str]) -> Comparison:
        """Two solutions side by side; `hand` keeps to one hand, `like` to some."""
        hands = self._hands(before.node(self.line))
        return compare(before, after, self.line, view=self.view or VIEWS[0], unit=self.unit, hands=hands, names=names)

    def lines(self, solved: SpotSolution) -> list[Line]:
        """As text."""
        node = solved.node(self.line)
        seen = view_lines(
            node, self._view(node), hand=self.hand, unit=self.unit, player=self._player(node), hands=self._like(node)
        )  # fmt: skip
        return [node.title, *seen]

    def table(self, solved: SpotSolution) -> Table:
        """A row a hand, with the columns of `frames.node_frame`; or a row a card that the waiting player may hold."""
        node = solved.node(self.line)
        if self.view == BLOCKERS:
            return frame_table(node.title, blocked_frame(blocked(node, self.hand)) if self.hand else blockers(node))
        frame = node_frame(node, player=self._player(node), unit=self.unit, hands=self._hands(node))
        return frame_table(node.title, frame)

    def summary(self, solved: SpotSolution) -> dict[str, Any]:
        """As plain JSON."""
        node = solved.node(self.line)
        player = self._player(node)
        told = node_json(node, unit=self.unit, player=player, hands=self._like(node))
        if self.view == BLOCKERS:
            return told | {"blockers": blocked(node, self.hand) if self.hand else frame_json(blockers(node))}
        return told | ({"hand": hand_json(node, self.hand, self.unit, player)} if self.hand else {})
