"""The engine for the processor: compiled passes over what is kept of a spot, on one thread or several.

A board is worked on by one thread alone, and results are added in one order, so that the number of threads changes
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerlab.refine.spots import boards as cards
from pokerlab.refine.spots import crew, kernels
from pokerlab.refine.spots.engine import METHOD, Pass
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.kernels import BEST, EXPECT, IMPROVE, Rates, Room, Street
from pokerlab.refine.spots.lanes import LANES, aligned
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import SINGLE, bytes_each
from pokerlab.refine.spots.stored import STILL, StoredEngine
from pokerlab.refine.spots.tree import Node
from pokerlab.threads import spread

_TICKETS = 8  # a thread, where boards are rivers: more even out the threads, but each takes its time
_STILL = np.array([STILL], dtype=np.float32)


def room_for(views: tuple[Street, Street]) -> Room:
    """Space to work in on a street, for either player."""
    most = max((view.my_side.rows + 1) * view.mine.width for view in views)
    widest = max(view.mine.width for view in views)
    return Room(aligned(most), aligned(most), aligned(3, widest * LANES), aligned(2, 52 * LANES))


def pass_in(room: Room, shape: Shape, player: int, node: Node) -> Pass:
    """What a pass for a player has left of a decision in the room of its board."""
    place, width, other = shape.layout.places[node.index], len(shape.root[player]), len(shape.root[1 - player])
    first, count = (place.row, place.actions) if node.player == player else (place.rows[player], 1)
    earned = room.value[first * width : (first + count) * width].reshape(count, width)
    at = place.rows[1 - player] * other
    mine, theirs = (len(shape.holes[who]) for who in (player, 1 - player))
    return Pass(earned[:, :mine].copy(), room.reach[at : at + theirs].copy())


class CpuEngine(StoredEngine):
    """Threads have rooms of their own to work in."""

    def __init__(
        self, shape: Shape, *, method: str = METHOD, threads: int = 1, gadget: Gadget | None = None,
        precision: str = SINGLE,
    ) -> None:  # fmt: skip
        super().__init__(shape, method=method, threads=threads, gadget=gadget, precision=precision)
        self.first, self.last = shape.spot.street, shape.layout.last
        self.views: dict[int, tuple[Street, Street]] = {}
        self._look()
        self._keep()
        self.rooms = [{street: room_for(views) for street, views in self.views.items()} for _ in range(threads)]
        self.earned = tuple(np.zeros_like(row) for row in shape.root)
        self.outs = (
            tuple(self._out(self.first + 1, player, None) for player in range(2)) if len(shape.streets) > 1 else ()
        )
        self.deep = [self._deep_outs() for _ in range(threads)]

    @staticmethod
    def needs(shape: Shape, threads: int, precision: str = SINGLE) -> int:
        return shape.bytes(threads, bytes_each(precision))

    def _look(self) -> None:
        """Every street as the two players see it."""
        shape = self.shape
        leaves = [np.zeros(0, dtype=np.int32)] * 2
        for street in shape.streets:
            hands = cards.hands_on(shape.boards[street], shape.holes, shape.changes, ranked=street == self.last)
            deals, sides = cards.next_boards(shape.boards[street], shape.changes), shape.layout.sides[street]
            self.views[street] = (
                Street(sides[0], sides[1], hands[0], hands[1], leaves[1], deals),
                Street(sides[1], sides[0], hands[1], hands[0], leaves[0], deals),
            )
            leaves = [side.leaves for side in sides]

    def _out(self, street: int, player: int, boards: int | None) -> np.ndarray:
        view = self.views[street][player]
        count = len(view.mine.alive) if boards is None else boards
        return aligned(count * view.my_side.roots * view.mine.width)

    def _deep_outs(self) -> tuple[np.ndarray, np.ndarray]:
        """Of a flop, where all rivers after one turn are worked on together."""
        boards = self.shape.most_cards if self.last - self.first == 2 else 0
        return self._out(self.last, 0, boards), self._out(self.last, 1, boards)

    def _zeros(self, size: int, dtype: Any = np.float32) -> np.ndarray:
        return aligned(size, dtype=dtype)

    def _host(self, array: np.ndarray) -> np.ndarray:
        return array

    def _write(self, array: np.ndarray, node: Node, rows: np.ndarray, board: int | None = None) -> None:
        self.shape.write(array, node, rows, board)

    def _put(self, array: np.ndarray, begin: int, numbers: np.ndarray) -> None:
        array[begin : begin + len(numbers)] = numbers

    def step(self, count: int = 1) -> None:
        """So many iterations, the players in turn."""
        if not count:
            self.exploitability()
            return
        if self.entrance is None:
            self._passes(0, 2, IMPROVE, self._rates(count))
        else:
            self._improve(count)
        self.iteration += count

    def walk(self, player: int, *, best: bool) -> np.ndarray:
        return self._walk(player, BEST if best else EXPECT)[: len(self.shape.holes[player])]

    def walks(self, *, best: bool) -> Sequence[np.ndarray]:
        self._passes(0, 2, BEST if best else EXPECT, _STILL)  # in one call: on a river calling takes as long as a pass
        return [earned[: len(hands)].copy() for earned, hands in zip(self.earned, self.shape.holes, strict=True)]

    def _walk(self, player: int, mode: int, rates: Rates = STILL) -> np.ndarray:
        """One pass for a player: a row of what its hands earn at the root."""
        self._passes(player, player + 1, mode, np.array([rates], dtype=np.float32))
        return self.earned[player].copy()

    def _passes(self, first: int, last: int, mode: int, rates: np.ndarray) -> None:
        """Passes for players `first` to `last` in turn, an iteration a row of `rates`.

        What hands earn is left in `earned`.
        """
        kept, roots = self._kept(), (self.root(0), self.root(1))
        if self.first == self.last:
            streets, stores, sources = (each[0] for each in kept)
            room = self.rooms[0][self.first]
            kernels.only_street(streets, stores, sources, roots, room, self.earned, first, last, mode, rates)
            return
        desk, above = crew.desk(self.threads), self.rooms[0][self.first].reach
        boards = len(self.shape.boards[self.first + 1].boards)
        each = max(1, boards // (_TICKETS * self.threads)) if self.first + 1 == self.last else 1

        def work(thread: int) -> None:
            space = tuple(self.rooms[thread].values()), self.deep[thread], self.outs
            crew.serve(
                desk, thread, self.threads, each, *kept, roots, above, *space, self.earned, first, last, mode, rates
            )

        spread(work, range(self.threads), self.threads)

    def _kept(self) -> tuple[Any, Any, Any]:
        """By street and player: how it looks, what is kept of it, and what is kept of the opponent there."""
        sources = tuple((second, first) for first, second in self.stores.values())
        return tuple(self.views.values()), tuple(self.stores.values()), sources

    def _descend(self, player: int, mode: int, path: Sequence[int]) -> None:
        """The opponent's reach on the first street, then on these boards of the streets after it."""
        room = self.rooms[0][self.first]
        root = self.root(1 - player)
        room.reach[: len(root)] = root
        kernels.go_down(self.views[self.first][player], 0, self.stores[self.first][1 - player], room, mode)
        for street, board in enumerate(path, self.first + 1):
            view, above, room = self.views[street][player], room, self.rooms[0][street]
            kernels.enter(view.their_leaves, above.reach, view.theirs.width, room.reach)
            kernels.go_down(view, board, self.stores[street][1 - player], room, mode)

    def rows(self, player: int, node: Node, path: Sequence[int], *, best: bool = False) -> Pass:
        return pass_in(self._room_at(player, path, BEST if best else EXPECT), self.shape, player, node)

    def _room_at(self, player: int, path: Sequence[int], mode: int) -> Room:
        """The room of a pass on the board that a path of boards leads to: its rows of `reach` are the opponent's, those
        of `value` what the player's sequences earn.
        """
        if not path:
            self._walk(player, mode)
            return self.rooms[0][self.first]
        s, board = self.first + len(path), path[-1]
        self._descend(player, mode, path[:-1])
        if s == self.first + 1:
            rooms, deep, out = tuple(self.rooms[0].values()), self.deep[0][player], self.outs[player]
            above = self.rooms[0][self.first].reach
            crew.next_boards(*self._kept(), above, rooms, deep, out, player, board, board + 1, mode, STILL)
        else:
            view, above = self.views[s][player], self.rooms[0][s - 1].reach
            mine, theirs, room = self.stores[s][player], self.stores[s][1 - player], self.rooms[0][s]
            out = self.deep[0][player]
            kernels.last_street(view, board, board + 1, board, mine, theirs, above, room, out, mode, STILL)
        return self.rooms[0][s]
