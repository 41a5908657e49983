"""Iterations on a spot: what is kept, and passes over it on one thread or several.

Discounted CFR with players in turn. The average weighs iterations but not the player's own reach, as the usual solvers
do: lines that are rarely played get a sensible strategy too. A board is worked on by one thread alone, and results are
added in one order, so that the number of threads changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np

from pokerlab.errors import SpotError
from pokerlab.form.kernels import discount
from pokerlab.refine.spots import boards as cards
from pokerlab.refine.spots import kernels
from pokerlab.refine.spots.gadget import Entrance, Gadget
from pokerlab.refine.spots.kernels import BEST, EXPECT, IMPROVE, Rates, Room, Store, Street
from pokerlab.refine.spots.lanes import LANES, aligned
from pokerlab.refine.spots.shape import MOST_CARDS, Shape, row_of
from pokerlab.solvers.regret import Scheme

# Found by trying (docs/spots.md): with the published beta of 0, lines once given up come back untrained.
SCHEMES = {"dcfr": Scheme(alpha=1.5, beta=0.2, gamma=5.0), "cfr+": Scheme(beta=-math.inf, gamma=1.0)}
_STILL = Rates(np.float32(1), np.float32(1), np.float32(1))


class Figures(NamedTuple):
    """What is known of a strategy: the players' expected chips from the pot, and those of their best responses."""

    ev: tuple[float, float]
    best: tuple[float, float]

    @property
    def exploitability(self) -> float:
        """The mean of what the players could gain, in chips; without rake (BR0 + BR1 - pot) / 2."""
        return (self.best[0] - self.ev[0] + self.best[1] - self.ev[1]) / 2


class SpotSolver:
    """The state of a solver. `gadget`, if given, stands in for the starting weights of its player."""

    def __init__(self, shape: Shape, *, method: str = "dcfr", threads: int = 1, gadget: Gadget | None = None) -> None:
        if method not in SCHEMES:
            raise SpotError(f"no method {method!r} for spots; there are {', '.join(SCHEMES)}")
        self.shape, self.scheme, self.threads = shape, SCHEMES[method], threads
        self.entrance = Entrance(gadget, shape) if gadget else None
        self.method, self.iteration = method, 0
        self.first, self.last = shape.spot.street, shape.layout.last
        self.views: dict[int, tuple[Street, Street]] = {}
        self._look()
        self.stores = {s: tuple(self._store(s, player) for player in range(2)) for s in shape.streets}
        self._write_locks()
        self.rooms = [{street: self._room(street) for street in shape.streets} for _ in range(threads)]
        self.earned = tuple(np.zeros_like(row) for row in shape.root)
        self.outs = [self._out(self.first + 1, player, None) for player in range(2)] if self.first < self.last else []
        self.deep = [self._deep_outs() for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def _look(self) -> None:
        """Every street as the two players see it."""
        shape = self.shape
        leaves = [np.zeros(0, dtype=np.int32)] * 2
        for street in shape.streets:
            hands = cards.hands_on(shape.boards[street], shape.holes, shape.changes, ranked=street == self.last)
            deals, sides = cards.deals_of(shape.boards[street], shape.changes), shape.layout.sides[street]
            self.views[street] = (
                Street(sides[0], sides[1], hands[0], hands[1], leaves[1], deals),
                Street(sides[1], sides[0], hands[1], hands[0], leaves[0], deals),
            )
            leaves = [side.leaves for side in sides]

    def _store(self, street: int, player: int) -> Store:
        size = self.shape.kept(street, player)
        locked = size if self.shape.locked(street, player) else 0
        return Store(aligned(size), aligned(size), aligned(locked))

    def _room(self, street: int) -> Room:
        views = self.views[street]
        most = max((view.my_side.rows + 1) * view.mine.width for view in views)
        widest = max(view.mine.width for view in views)
        return Room(aligned(most), aligned(most), aligned(3, widest * LANES), aligned(2, 52 * LANES))

    def _out(self, street: int, player: int, boards: int | None) -> np.ndarray:
        view = self.views[street][player]
        count = len(view.mine.alive) if boards is None else boards
        return aligned(count * view.my_side.roots * view.mine.width)

    def _deep_outs(self) -> list[np.ndarray]:
        """Of a flop, where all rivers after one turn are worked on together."""
        return [self._out(self.last, p, MOST_CARDS) for p in range(2)] if self.last - self.first == 2 else []

    def tiles(self, array: np.ndarray, node: int, board: int) -> np.ndarray:
        """A decision's part (tiles, actions, LANES) of an array laid out as regrets are; a view."""
        place = self.shape.layout.places[node]
        side = self.shape.layout.sides[place.street][place.player]
        width = len(self.shape.root[place.player])
        at = (board * (side.rows - side.roots) + place.row - side.roots) * width
        return array[at : at + place.actions * width].reshape(-1, place.actions, LANES)

    def _write_locks(self) -> None:
        """Fixed play is kept as regrets, which regret matching turns into itself."""
        for node, dealt, weights in self.shape.locks:
            store, hands = self.stores[node.street][node.player], self.shape.holes[node.player]
            rows = np.stack([row_of(row) for row in weights[:, hands]])
            fixed = np.broadcast_to(rows.sum(axis=0) > 0, rows.shape)
            for number, board in enumerate(self.shape.boards[node.street].boards):
                later = board[len(self.shape.spot.board) :]
                if all(want in (None, card) for want, card in zip(dealt, later, strict=True)):
                    for array, values in ((store.regret, rows), (store.locked, fixed)):
                        turned = values.reshape(len(values), -1, LANES).transpose(1, 0, 2)
                        self.tiles(array, node.index, number)[:] = turned

    def rates(self, count: int) -> np.ndarray:
        """Of the next iterations, a row each."""
        scheme, rule = self.scheme, discount.py_func
        times = range(self.iteration, self.iteration + count)
        rows = [(rule(t, scheme.alpha), rule(t, scheme.beta), (t / (t + 1)) ** scheme.gamma) for t in times]
        return np.array(rows, dtype=np.float32)

    def step(self, count: int = 1) -> None:
        """So many iterations, the players in turn."""
        rates = self.rates(count)
        if self.first == self.last and self.entrance is None:
            self._only_street(0, 2, IMPROVE, rates)
        else:
            for row in rates:
                for player in range(2):
                    earned = self.walk(player, IMPROVE, Rates(*row))
                    if self.entrance is not None and self.entrance.player == player:
                        self.entrance.learn(earned, Rates(*row))
        self.iteration += count

    def root(self, player: int) -> np.ndarray:
        """The row of weights that a player begins with."""
        return self.entrance.reach() if self.entrance and self.entrance.player == player else self.shape.root[player]

    def walk(self, player: int, mode: int, rates: Rates = _STILL) -> np.ndarray:
        """One pass for a player; what each of its hands earns at the root, summed over the opponent's weights."""
        if self.first == self.last:
            self._only_street(player, player + 1, mode, np.array([rates], dtype=np.float32))
            return self.earned[player].copy()
        self._descend(player, mode, [])
        self._next_boards(player, mode, rates)
        view, below = self.views[self.first][player], self.views[self.first + 1][player]
        keep, room = self.stores[self.first][player], self.rooms[0][self.first]
        kernels.finish_board(view, below, 0, self.outs[player], keep, room, mode, rates)
        return room.value[: view.mine.width].copy()

    def _only_street(self, first: int, last: int, mode: int, rates: np.ndarray) -> None:
        """Passes of a spot on its last street; what hands earn is left in `earned`."""
        views, stores, room = self.views[self.first], self.stores[self.first], self.rooms[0][self.first]
        sources = tuple(self._source(self.first, 1 - player, mode) for player in range(2))
        roots = self.root(0), self.root(1)
        kernels.only_street(views, stores, sources, roots, room, self.earned, first, last, mode, rates)

    def _source(self, street: int, player: int, mode: int) -> np.ndarray:
        """What the player's opponent follows: its regrets while it learns, else its average."""
        store = self.stores[street][1 - player]
        return store.regret if mode == IMPROVE else store.strategy

    def _descend(self, player: int, mode: int, path: Sequence[int]) -> None:
        """The opponent's reach on the first street, then on these boards of the streets after it."""
        room = self.rooms[0][self.first]
        root = self.root(1 - player)
        room.reach[: len(root)] = root
        kernels.go_down(self.views[self.first][player], 0, self._source(self.first, player, mode), room)
        for street, board in enumerate(path, self.first + 1):
            view, above, room = self.views[street][player], room, self.rooms[0][street]
            kernels.enter(view.their_leaves, above.reach, view.theirs.width, room.reach)
            kernels.go_down(view, board, self._source(street, player, mode), room)

    def _next_boards(self, player: int, mode: int, rates: Rates) -> None:
        """Passes on all boards of the second street, and those after them, shared among the threads."""
        count = len(self.shape.boards[self.first + 1].boards)
        pieces_each = 1 if self.threads == 1 else 3  # more even out the threads, but a call takes its time
        size = 1 if self.first + 1 < self.last else -(-count // (pieces_each * self.threads))
        pieces = iter([(start, min(start + size, count)) for start in range(0, count, size)])

        def work(thread: int) -> None:
            for start, end in pieces:  # a list's iterator: each piece goes to one thread
                self._boards(player, mode, rates, start, end, thread)

        others = [self._pool.submit(work, thread) for thread in range(1, self.threads)] if self._pool else []
        work(0)
        wait(others)
        for other in others:
            other.result()

    def _boards(self, player: int, mode: int, rates: Rates, start: int, end: int, thread: int) -> None:
        """Passes on boards `start` to `end` of the second street; the first street's reach is in the first room."""
        s, rooms = self.first + 1, self.rooms[thread]
        view, above, out = self.views[s][player], self.rooms[0][self.first].reach, self.outs[player]
        keep, source, room = self.stores[s][player], self._source(s, player, mode), rooms[s]
        if s == self.last:
            kernels.last_street(view, start, end, 0, keep, source, above, room, out, mode, rates)
            return
        below, keeps = self.views[s + 1][player], (keep, self.stores[s + 1][player])
        sources, both = (source, self._source(s + 1, player, mode)), (room, rooms[s + 1])
        deep = self.deep[thread][player]
        kernels.middle_street(view, below, start, end, keeps, sources, above, both, deep, out, mode, rates)

    def rows_at(self, player: int, path: Sequence[int]) -> Room:
        """The room of a pass that follows the averages, on the board that a path of boards leads to: its rows of
        `reach` are the opponent's, those of `value` what the player's sequences earn.
        """
        if not path:
            self.walk(player, EXPECT)
            return self.rooms[0][self.first]
        s, board = self.first + len(path), path[-1]
        self._descend(player, EXPECT, path[:-1])
        if s == self.first + 1:
            self._boards(player, EXPECT, _STILL, board, board + 1, 0)
        else:
            view, above = self.views[s][player], self.rooms[0][s - 1].reach
            keep, source, room = self.stores[s][player], self._source(s, player, EXPECT), self.rooms[0][s]
            out = self.deep[0][player]
            kernels.last_street(view, board, board + 1, board, keep, source, above, room, out, EXPECT, _STILL)
        return self.rooms[0][s]

    def chips(self, player: int, earned: np.ndarray) -> float:
        """A player's expected chips from the pot, given what its hands earn at the root."""
        mean = float(earned.astype(np.float64) @ self.shape.root[player]) / self.shape.matchups
        return mean + self.shape.spot.total / 2

    def exploitability(self) -> float:
        """The mean of what the players could gain on their averages, in chips."""
        if self.shape.spot.rake > 0:
            return self.figures().exploitability
        if self.first == self.last:  # both in one call: on a river calling takes as long as a pass
            self._only_street(0, 2, BEST, np.array([_STILL], dtype=np.float32))
            earned = list(self.earned)
        else:
            earned = [self.walk(player, BEST) for player in range(2)]
        best = sum(self.chips(player, values) for player, values in enumerate(earned))
        return (best - self.shape.spot.total) / 2

    def figures(self) -> Figures:
        """Expected chips and best responses of the averages."""
        ev = [self.chips(player, self.walk(player, EXPECT)) for player in range(2)]
        best = [self.chips(player, self.walk(player, BEST)) for player in range(2)]
        return Figures((ev[0], ev[1]), (best[0], best[1]))
