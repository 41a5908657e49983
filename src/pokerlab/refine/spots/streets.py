"""The betting tree as arrays: on every street each player's sequences as rows and blocks, and its terminals in panels.

What is paid is centred: chips won from the pot, less chips put in from now on, less half of what lies there at the
start. Without rake the players' payoffs then add up to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pokerlab.refine.spots.kernels import Side
from pokerlab.refine.spots.lanes import LANES
from pokerlab.refine.spots.tree import CALL, FOLD, POSTFLOP, BettingTree, Node


@dataclass(frozen=True)
class Place:
    """Where a decision is kept: its street, player, the rows of both players that lead there, and its own first row."""

    street: int
    player: int
    rows: tuple[int, int]
    row: int
    actions: int


@dataclass
class _Lanes:
    """Terminals of one kind: rows and payments, a lane each; row -1 is the spare one."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    pays: list[tuple[float, ...]] = field(default_factory=list)

    def arrays(self, spare: Sequence[int], width: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows, kind by kind, filled up to whole panels with spare rows; and payments (panels, width, LANES), flat."""
        panels = -(-len(self.rows) // LANES)
        rows = np.tile(np.array(spare, dtype=np.int32), (panels * LANES, 1))
        pays = np.zeros((panels * LANES, width), dtype=np.float32)
        if self.rows:
            given = np.array(self.rows)
            rows[: len(given)] = np.where(given < 0, spare, given)
            pays[: len(self.rows)] = self.pays
        turned = pays.reshape(panels, LANES, width).transpose(0, 2, 1)
        return rows.T.flatten(), turned.flatten()


@dataclass
class _Half:
    """A player's part of a street while it is laid out."""

    roots: int
    rows: int
    blocks: list[tuple[int, int, int]] = field(default_factory=list)  # first row, parent row, actions
    leaves: list[int] = field(default_factory=list)
    facing: _Lanes = field(default_factory=_Lanes)
    faced: _Lanes = field(default_factory=_Lanes)
    fold: _Lanes = field(default_factory=_Lanes)

    def side(self, other: _Half) -> Side:
        mine, theirs = self.rows, other.rows  # the spare rows: one after the last, for lanes without a terminal
        facing, facing_pays = self.facing.arrays((theirs, mine, mine), 3)
        faced, faced_pays = self.faced.arrays((theirs, theirs, mine), 3)
        fold, fold_pays = self.fold.arrays((theirs, mine), 1)
        to = [facing[len(facing) // 3 :], faced[2 * len(faced) // 3 :], fold[len(fold) // 2 :]]
        return Side(
            np.array(self.blocks, dtype=np.int32).reshape(-1, 3),
            self.roots,
            self.rows,
            np.array(self.leaves, dtype=np.int32),
            np.setdiff1d(np.arange(mine, dtype=np.int32), np.concatenate(to)),
            facing,
            facing_pays,
            faced,
            faced_pays,
            fold,
            fold_pays,
        )


class Layout:
    """`sides[street][player]`, and `places[node]` of every decision.

    `drawn` are how many cards are dealt on the streets after the first, where that is not all: each then stands for as
    many more. Every pair of hands meets all cards but the board's and its own four with a chance of 1 in all; of cards
    drawn at random this is so on average.
    """

    def __init__(
        self, tree: BettingTree, rake: float = 0.0, cap: float = float("inf"), drawn: Sequence[int] = ()
    ) -> None:
        self.tree, self.rake, self.cap = tree, rake, cap
        self.places: dict[int, Place] = {}
        self.sides: dict[int, tuple[Side, Side]] = {}
        self.first, self.last = tree.start.street, len(POSTFLOP) - 1
        self.chances: dict[int, float] = {}  # of the cards dealt up to a street, both hands given
        chance, roots = 1.0, [0]
        for street in range(self.first, self.last + 1):
            self.chances[street] = chance
            roots = self._street(street, roots, chance)
            left, after = 52 - (street + 3), street - self.first
            chance /= (left - 4) * (drawn[after] if after < len(drawn) else left) / left

    def _street(self, street: int, roots: list[int], chance: float) -> list[int]:
        """Lay out a street that begins at these nodes; returns those where the next one does."""
        halves = _Half(len(roots), len(roots)), _Half(len(roots), len(roots))
        leaves: list[int] = []
        stack = [(node, (k, k)) for k, node in reversed(list(enumerate(roots)))]
        while stack:
            index, rows = stack.pop()
            node = self.tree[index]
            if node.kind == "decision":
                first = halves[node.player].rows
                count = len(node.children)
                halves[node.player].rows += count
                halves[node.player].blocks.append((first, rows[node.player], count))
                self.places[index] = Place(street, node.player, rows, first, count)
                after = [(first + a, rows[1]) if node.player == 0 else (rows[0], first + a) for a in range(count)]
                if street == self.last and CALL in node.labels:
                    self._answer(node, halves, after, chance)
                    after, children = after[2:], node.children[2:]
                else:
                    children = node.children
                stack += reversed(list(zip(children, after, strict=True)))
            elif node.kind == "fold":
                self._fold(node, halves, rows, chance)
            elif node.kind == "showdown" and street == self.last:
                self._showdown(node, halves, rows, chance)
            else:  # a card is dealt: to bet on, or all-in
                leaves.append(node.children[0] if node.kind == "deal" else index)
                for half, row in zip(halves, rows, strict=True):
                    half.leaves.append(row)
        self.sides[street] = halves[0].side(halves[1]), halves[1].side(halves[0])
        return leaves

    def _answer(self, node: Node, halves: tuple[_Half, _Half], after: list[tuple[int, int]], chance: float) -> None:
        """A bet is answered on the last street: folding and calling are taken together."""
        fold, call = (self.tree[node.children[node.labels.index(label)]] for label in (FOLD, CALL))
        me, other = node.player, 1 - node.player
        folded, called = after[0], after[1]
        win, lose = self.showdown_pays(call, me)
        halves[me].facing.rows.append((called[other], called[me], folded[me]))
        halves[me].facing.pays.append((win * chance, lose * chance, self.fold_pays(fold, me) * chance))
        win, lose = self.showdown_pays(call, other)
        halves[other].faced.rows.append((called[me], folded[me], called[other]))
        halves[other].faced.pays.append((win * chance, lose * chance, self.fold_pays(fold, other) * chance))

    def _showdown(self, node: Node, halves: tuple[_Half, _Half], rows: tuple[int, int], chance: float) -> None:
        for player, half in enumerate(halves):
            win, lose = self.showdown_pays(node, player)
            half.facing.rows.append((rows[1 - player], rows[player], -1))
            half.facing.pays.append((win * chance, lose * chance, 0.0))

    def _fold(self, node: Node, halves: tuple[_Half, _Half], rows: tuple[int, int], chance: float) -> None:
        for player, half in enumerate(halves):
            half.fold.rows.append((rows[1 - player], rows[player]))
            half.fold.pays.append((self.fold_pays(node, player) * chance,))

    def _rake(self, put: tuple[int, int]) -> float:
        """On what was called."""
        return min(self.rake * (self.tree.start.pot + 2 * min(put)), self.cap)

    def _paid(self, node: Node, player: int) -> float:
        """Chips put in from now on, and half the pot at the start."""
        start = self.tree.start
        return node.put[player] - start.bets[player] + (start.pot + sum(start.bets)) / 2

    def fold_pays(self, node: Node, player: int) -> float:
        """What a fold is worth to either player."""
        won = 0.0 if node.player == player else self.tree.start.pot + sum(node.put) - self._rake(node.put)
        return won - self._paid(node, player)

    def showdown_pays(self, node: Node, player: int) -> tuple[float, float]:
        """Half of the pot to be won, and what is lost otherwise: a showdown is worth win * S - lose * F."""
        won = self.tree.start.pot + sum(node.put) - self._rake(node.put)
        return won / 2, self._paid(node, player)
