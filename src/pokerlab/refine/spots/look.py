"""A look at a solution, as `pokerlab spot` takes it: which decision, whose hands, which of them, in which unit.

    look = Look("check, bet 100", view="equity", like="flush draw", unit="pot")
    look.lines(solved), look.table(solved).to_pandas(), look.summary(solved)

It can be checked against a spot before that is solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pokerlab.cards.deck import Deck
from pokerlab.cards.ranges import as_range
from pokerlab.errors import CardError, SpotError
from pokerlab.notebook import Table
from pokerlab.refine.spots.categories import check_filter, hands_like
from pokerlab.refine.spots.compare import Comparison, check_comparison, compare
from pokerlab.refine.spots.frames import blocked, blockers, frame_json, frame_table, hand_json, node_frame, unit_size
from pokerlab.refine.spots.locks import find_decision
from pokerlab.refine.spots.solution import SpotNode, SpotSolution
from pokerlab.refine.spots.spot import PLAYERS, Spot
from pokerlab.refine.spots.view import check_view, node_json, view_lines
from pokerlab.terminal import Line


@dataclass(frozen=True)
class Look:
    """`line` leads to the decision; `view` is one of `view.views_of`; `hand` are hole cards of which all is told;
    `like` is a filter (`categories.hands_like`); `player` is `oop` or `ip`, by default who acts; `unit` one of
    `frames.UNITS`.
    """

    line: str = ""
    view: str = "strategy"
    hand: str = ""
    like: str = ""
    player: str | None = None
    unit: str = "chips"

    def check(self, spot: Spot, before: tuple[str, Spot] | None = None) -> None:
        """Raise SpotError for what no solution of this spot could show, or none beside that of another, named one."""
        if before is None:
            node, _ = find_decision(spot, self.line)
            check_view(node.labels, self.view, acting=self.player in (None, PLAYERS[node.player]))
        else:
            check_comparison(before[1], spot, self.line, self.view, (before[0], spot.name))
        check_filter(self.like)
        unit_size(spot, self.unit)
        if self.hand:
            try:
                Deck().cards(self.hand)
            except CardError as error:
                raise SpotError(f"a hand is two cards, such as AsKd: {error}") from None

    def _player(self, node: SpotNode) -> int:
        return node.player if self.player is None else PLAYERS.index(self.player)

    def between(self, before: SpotSolution, after: SpotSolution, names: tuple[str, str]) -> Comparison:
        """Two solutions side by side; `hand` keeps to one hand, `like` to some."""
        hands = hands_like(self.like, before.node(self.line).board) if self.like else None
        if self.hand:
            hands = as_range(Deck().cards(self.hand)).weights > 0
        return compare(before, after, self.line, view=self.view, unit=self.unit, hands=hands, names=names)

    def lines(self, solved: SpotSolution) -> list[Line]:
        """As text."""
        node = solved.node(self.line)
        hands = hands_like(self.like, node.board) if self.like else None
        seen = view_lines(
            node, self.view, hand=self.hand, unit=self.unit, player=self._player(node), hands=hands
        )  # fmt: skip
        return [node.title, *seen]

    def table(self, solved: SpotSolution) -> Table:
        """A row a hand, with the columns of `frames.node_frame`; or a row a card that the waiting player may hold."""
        node = solved.node(self.line)
        if self.view == "blockers":
            return frame_table(node.title, blockers(node))
        hands = hands_like(self.like, node.board) if self.like else None
        return frame_table(node.title, node_frame(node, player=self._player(node), unit=self.unit, hands=hands))

    def summary(self, solved: SpotSolution) -> dict[str, Any]:
        """As plain JSON."""
        node = solved.node(self.line)
        hands = hands_like(self.like, node.board) if self.like else None
        told = node_json(node, unit=self.unit, hands=hands)
        if self.view == "blockers":
            return told | {"blockers": blocked(node, self.hand) if self.hand else frame_json(blockers(node))}
        return told | ({"hand": hand_json(node, self.hand, self.unit)} if self.hand else {})
