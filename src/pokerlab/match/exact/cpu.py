"""The engine for the processor: a panel of roots is a vector, and rows of hands stay in the cache.

Boards of the last round go through one compiled call, the others one by one.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np

from pokerlab.match.exact import kernels
from pokerlab.match.exact.boards import Dealt
from pokerlab.match.exact.engine import Engine
from pokerlab.match.exact.kernels import Boards, Room
from pokerlab.match.exact.street import Street
from pokerlab.match.exact.tree import PublicTree
from pokerlab.refine.spots.lanes import aligned


class Panels(NamedTuple):
    """A street as compiled loops want it: the chips of each step in panels, and room to work in."""

    street: Street
    pays: np.ndarray
    room: Room


class CpuEngine(Engine):
    """Compiled loops over panels of roots."""

    def __init__(self, tree: PublicTree) -> None:
        super().__init__(tree)
        self.holes, self.lanes, self.dtype = tree.holes, tree.lanes, tree.dtype
        self.seats = [{round: self._street(some) for round, some in streets.items()} for streets in tree.seats]
        self._known: dict[tuple[int, ...], Boards] = {}

    def worth(self, responder: int, reach: np.ndarray, dealt: Dealt) -> np.ndarray:
        round = self.tree.rules.boards.index(len(dealt.board))
        value = self._boards(responder, round, self._panels(reach.T), [dealt])
        return self._rows(value, len(reach))

    def forget(self) -> None:
        self._known.clear()

    def _boards(self, responder: int, round: int, reach: np.ndarray, boards: list[Dealt]) -> np.ndarray:
        """The sum over boards of what hands are worth at the roots of a round, [panel][hand][lane]."""
        value, street = np.zeros_like(reach), self.seats[responder][round].street
        if street.next_roots:
            for dealt in boards:
                onward = aligned(ceil(len(street.next_roots) / self.lanes) * self.holes * self.lanes, dtype=self.dtype)
                self._walk(responder, round, reach, [dealt], True, onward, onward)
                after = self._below(responder, round + 1, onward, dealt)
                self._walk(responder, round, reach, [dealt], False, after, value)
        else:
            for some in [boards] if self.tree.play.fixed else [[each] for each in boards]:
                self._walk(responder, round, reach, some, False, value, value)
        return value

    def _below(self, responder: int, round: int, reach: np.ndarray, dealt: Dealt) -> np.ndarray:
        """What hands are worth before a round's cards are dealt, the mean over them."""
        boards = self.tree.suits.after(dealt.board, dealt.group, self.tree.rules.board_cards[round])
        value = self._boards(responder, round, reach, boards).reshape(-1, self.holes, self.lanes)
        mean = self.tree.suits.averaged(value, dealt.group, 1) / self.tree.chances(round)
        return mean.astype(self.dtype).ravel()

    def _walk(
        self, responder: int, round: int, reach: np.ndarray, boards: list[Dealt], down: bool, onward: np.ndarray,
        value: np.ndarray,
    ) -> None:  # fmt: skip
        street, pays, room = self.seats[responder][round]
        kernels.walk_boards(
            street.program, pays, self._ready(boards), self.holes, len(street.roots), reach,
            self.tree.play.table(responder, round, boards[0].board), room, down, onward, value,
        )  # fmt: skip

    def _ready(self, boards: list[Dealt]) -> Boards:
        """Hands in order on some boards of a round, remembered for the other seat."""
        known = self._known.get(boards[0].board)
        if known is None or len(known.alive) != len(boards):
            known = self._known[boards[0].board] = self._sorted(boards)
        return known

    def _sorted(self, boards: list[Dealt]) -> Boards:
        tree = self.tree
        shape, whole = (len(boards), self.holes), len(boards[0].board) == tree.rules.boards[-1]
        order, ends, buckets = (np.zeros(shape, np.int64) for _ in range(3))
        alive, groups = np.zeros(len(boards), np.int64), np.zeros(len(boards), np.int64)
        for i, dealt in enumerate(boards):
            free = np.flatnonzero(tree.showdowns.possible(dealt.board))
            if whole:
                ranks = tree.showdowns.ranks(dealt.board)[free]
                by_rank = np.argsort(ranks, kind="stable")
                free, ranks = free[by_rank], ranks[by_rank]
                last = np.flatnonzero(np.append(ranks[1:] != ranks[:-1], True)) + 1
                ends[i, : len(last)], groups[i] = last, len(last)
            alive[i] = n = len(free)
            order[i, :n], buckets[i, :n] = free, tree.play.buckets(dealt.board)[free]
        times: np.ndarray = np.array([dealt.times for dealt in boards], self.dtype)
        return Boards(order, alive, tree.cards[order], buckets, ends, groups, times)

    def _panels(self, rows: np.ndarray) -> np.ndarray:
        """[rows][roots] as [panel][row][lane], flat."""
        panels = ceil(rows.shape[1] / self.lanes)
        out = aligned(panels, len(rows), self.lanes, dtype=self.dtype)
        for root in range(rows.shape[1]):
            out[root // self.lanes, :, root % self.lanes] = rows[:, root]
        return out.ravel()

    def _rows(self, value: np.ndarray, roots: int) -> np.ndarray:
        """[panel][hand][lane] as (roots, hands)."""
        panels = value.reshape(-1, self.holes, self.lanes)
        return np.ascontiguousarray(panels.transpose(0, 2, 1).reshape(-1, self.holes)[:roots])

    def _street(self, street: Street) -> Panels:
        slots, cards = street.slots, int(self.tree.cards.max()) + 2
        sizes = slots * self.holes, street.depth * self.holes, self.holes, cards, slots
        room = Room(*(aligned(size * self.lanes, dtype=self.dtype) for size in sizes))
        return Panels(street, self._panels(street.pays.T), room)
