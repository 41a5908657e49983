"""The betting before the flop: every line that the sizes allow, to a fold, to all chips in, or to a flop.

Lines and amounts are those of `game.betting`; sizes below the smallest legal raise become that, over the stack all-in,
and what is then the same is one action.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pokerlab.cards.deck import Deck
from pokerlab.errors import SpotError
from pokerlab.game.bet_sizes import Size, step_at
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.game.betting_tree import walk
from pokerlab.game.rules import UNLIMITED_RAISES, Rules
from pokerlab.refine.spots.tree import line_to

MAX_DECISIONS = 500
_BIG, _SMALL = 0, 1  # blind: who sits there


@dataclass(slots=True)
class Node:
    """A `decision` of `player`, a `fold` by `player`, a `showdown` with all chips in, or a `flop`.

    `put` are the chips of big and small blind in all.
    """

    index: int
    kind: str
    player: int
    put: tuple[int, ...]
    parent: int
    labels: tuple[str, ...] = ()
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class PreflopTree:
    """All nodes, parents before children; node 0 is the small blind's first decision."""

    nodes: tuple[Node, ...]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __getitem__(self, index: int) -> Node:
        return self.nodes[index]

    @cached_property
    def decisions(self) -> tuple[int, ...]:
        return tuple(node.index for node in self.nodes if node.kind == "decision")

    @cached_property
    def flops(self) -> tuple[int, ...]:
        """Where the flop is dealt, with chips left to bet."""
        return tuple(node.index for node in self.nodes if node.kind == "flop")

    def aggressor(self, index: int) -> int | None:
        """Who raised last before a flop, if anybody: the other one calls it, but nobody's after a limp."""
        parent = self.nodes[self.nodes[index].parent]
        return 1 - parent.player if parent.labels[parent.children.index(index)] == "call" else None

    def line(self, index: int) -> tuple[str, ...]:
        """The actions that lead to a node."""
        return line_to(self.nodes, index)

    def at(self, line: Sequence[str]) -> Node:
        """The node after these actions."""
        node = self.nodes[0]
        for word in line:
            if word not in node.labels:
                there = f"there are {', '.join(node.labels)}" if node.labels else f"that is a {node.kind} already"
                where = f"after {', '.join(self.line(node.index))}" if node.index else "at first"
                raise SpotError(f"no {word!r} {where}; {there}")
            node = self.nodes[node.children[node.labels.index(word)]]
        return node


def preflop_tree(
    stack: int, blinds: tuple[int, int], limp: bool, raises: Sequence[tuple[Size, ...]], limped: tuple[Size, ...]
) -> PreflopTree:
    """All lines. `raises` are by raises so far, `limped` the big blind's over a limp."""
    small, big = blinds
    rules = Rules(
        limit=False, blinds=(big, small), first=(_SMALL, _BIG, _BIG, _BIG), raise_sizes=(),
        max_raises=(UNLIMITED_RAISES,) * 4, stacks=(stack, stack), hole_cards=2, board_cards=(0, 3, 1, 1),
        deck=Deck(), name="preflop",
    )  # fmt: skip

    def considered(state: Betting) -> Sequence[int]:
        if state.actor is None or state.round:
            return ()
        over_limp = state.actor == _BIG and not state.raises
        offered = limped if over_limp else step_at(tuple(raises), state.raises)
        actions = state.actions(state.raises_to(offered, lifted=True))
        opening = state.actor == _SMALL and not state.raises
        return [action for action in actions if limp or action != CALL] if opening else actions

    nodes = list[Node]()
    for parent, _, state, actions in walk(start_betting(rules), considered):
        if len(nodes) >= 4 * MAX_DECISIONS:
            raise SpotError(f"the betting before the flop has more than {MAX_DECISIONS} decisions; give fewer sizes")
        player = nodes[parent].player if state.actor is None or state.round else state.actor
        kind = "flop" if state.round and state.actor is not None else "decision"
        if state.actor is None:
            kind = "fold" if True in state.folded else "showdown"
        labels = tuple(_label(state, action, stack) for action in actions)
        if parent >= 0:
            nodes[parent].children.append(len(nodes))
        nodes.append(Node(len(nodes), kind, player, state.spent, parent, labels))
    if not nodes[0].labels[1:]:
        raise SpotError("the small blind could only fold: let it limp, or give sizes to open with")
    return PreflopTree(tuple(nodes))


def _label(state: Betting, action: int, stack: int) -> str:
    """The players' words."""
    if action == FOLD:
        return "fold"
    if action == CALL:
        return "call" if state.legal().fold else "check"
    return "all-in" if action == stack else f"raise {action}"
