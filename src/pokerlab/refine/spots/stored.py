"""Engines that keep regrets and averages in tiles (`Shape.tiles`), wherever these arrays are.

Discounted CFR with players in turn. The average weighs iterations but not the player's own reach, as the usual solvers
do: lines that are rarely played get a sensible strategy too.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from pokerlab.form.kernels import discount
from pokerlab.refine.spots.engine import Engine
from pokerlab.refine.spots.kernels import IMPROVE, Rates, Store
from pokerlab.refine.spots.shape import row_of
from pokerlab.refine.spots.sixteen import AVERAGE, REGRET, SINGLE, coded, plain, proportions
from pokerlab.refine.spots.tree import Node

STILL = Rates(*np.array([1, 1, 1, 1, 1, 0], dtype=np.float32))


_SINGLE = np.dtype(np.float32)


class StoredEngine(Engine):
    """`stores[street][player]` are kept."""

    stores: dict[int, tuple[Store, Store]]
    _summed = (0, 0.0, 0.0)  # an iteration, and the weights of regrets and averages up to it

    @abstractmethod
    def _zeros(self, size: int, dtype: Any = _SINGLE) -> Any:
        """So many numbers, where the engine keeps them."""

    @abstractmethod
    def _host(self, array: Any) -> np.ndarray:
        """The same numbers where numpy can read them."""

    @abstractmethod
    def _write(self, array: Any, node: Node, rows: np.ndarray, board: int | None = None) -> None:
        """As `Shape.write`."""

    @abstractmethod
    def _put(self, array: Any, begin: int, numbers: np.ndarray) -> None:
        """array[begin : begin + len(numbers)] = numbers"""

    @abstractmethod
    def _walk(self, player: int, mode: int, rates: Rates = STILL) -> Any:
        """One pass for a player: a row of what its hands earn at the root."""

    @property
    def keeps(self) -> str:
        return "CpuEngine"  # which was the first with these tiles, and stands in checkpoints

    def _keep(self) -> None:
        """Everything at its start."""
        streets = self.shape.streets
        self.stores = {street: (self._store(street, 0), self._store(street, 1)) for street in streets}
        self._write_locks()

    def _store(self, street: int, player: int) -> Store:
        size = self.shape.kept(street, player)
        locked = size if self.shape.locked(street, player) else 0
        regret, average = (_SINGLE, _SINGLE) if self.precision == SINGLE else (REGRET, AVERAGE)
        return Store(self._zeros(size, regret), self._zeros(size, average), self._zeros(locked, average))

    def _write_locks(self) -> None:
        """Fixed play is kept as regrets, which regret matching turns into itself; hands that are free keep theirs."""
        for node, dealt, weights in self.shape.locks:
            store, hands = self.stores[node.street][node.player], self.shape.holes[node.player]
            rows = weights[:, hands]
            fixed = np.broadcast_to(rows.sum(axis=0) > 0, rows.shape)  # of several locks the last that names a hand
            for number, board in enumerate(self.shape.boards[node.street].boards):
                later = board[len(self.shape.spot.board) :]
                if all(want in (None, card) for want, card in zip(dealt, later, strict=True)):
                    for array, new in ((store.regret, rows), (store.locked, fixed)):
                        before = plain(self._host(self.shape.read(array, node, number)))
                        self._write(array, node, coded(np.where(fixed, new, before), array.dtype), number)

    def _arrays(self) -> dict[str, np.ndarray]:
        return {name: self._host(array) for name, array in self._stored().items()}

    def _stored(self) -> dict[str, Any]:
        """Regrets and averages by name, where they are."""
        return {
            f"{name}_{street}_{player}": array
            for street, stores in self.stores.items()
            for player, store in enumerate(stores)
            for name, array in (("regret", store.regret), ("strategy", store.strategy))
        }

    def average(self, node: Node, board: int | None = None) -> np.ndarray:
        return plain(self._host(self.shape.read(self.stores[node.street][node.player].strategy, node, board)))

    def follow(self, node: Node, average: np.ndarray) -> None:
        kept = self.stores[node.street][node.player].strategy
        if self.precision != SINGLE:  # which keeps probabilities
            total = average.sum(axis=-2, keepdims=True)
            average = np.divide(average, total, out=np.zeros(average.shape, np.float32), where=total > 0)
        self._write(kept, node, coded(average, kept.dtype))

    def _part(self, array: Any, street: int, player: int, board: int) -> np.ndarray:
        """What is kept of a player on a board."""
        size = self.shape.kept_each(street, player)
        return self._host(array[board * size : (board + 1) * size])

    def probabilities(self, street: int, player: int, board: int) -> np.ndarray:
        side, width = self.shape.layout.sides[street][player], len(self.shape.root[player])
        kept = plain(self._part(self.stores[street][player].strategy, street, player, board))
        steps = np.zeros(kept.shape, dtype=AVERAGE)
        proportions(side.blocks, side.roots, width, kept, steps)
        return steps

    def regrets(self, street: int, player: int, board: int) -> np.ndarray:
        kept = self._part(self.stores[street][player].regret, street, player, board)
        return kept if kept.dtype == REGRET else coded(kept / np.float32(self._regret_scale()), REGRET)

    def take_up(self, street: int, player: int, board: int, steps: np.ndarray, regrets: np.ndarray | None) -> None:
        store, at = self.stores[street][player], board * self.shape.kept_each(street, player)
        if self.precision == SINGLE:
            steps = plain(steps) * np.float32(self._weights()[1] or 1)
            regrets = None if regrets is None else plain(regrets) * np.float32(self._regret_scale())
        self._put(store.strategy, at, steps)
        if regrets is not None:
            self._put(store.regret, at, regrets)

    def _regret_scale(self) -> float:
        """What a mean of half precision stands for in sums of single precision."""
        return (self._weights()[0] or 1) * self._unit()

    def begin(self, iterations: int) -> None:
        self.iteration = iterations
        for player in range(2):
            regret = float(self.root(1 - player).sum()) * self.shape.spot.total  # about a pot's worth
            if not iterations:
                for stores in self.stores.values():
                    stores[player].strategy[...] = stores[player].regret[...] = 0
            elif self.precision == SINGLE:
                for stores in self.stores.values():
                    kept = stores[player].strategy
                    np.multiply(kept, np.float32(regret), out=stores[player].regret)
                    kept *= np.float32(iterations / (1 + self.scheme.gamma))
            else:
                mean = np.float32(regret / self._weights()[0] / self._unit())
                for node in self.shape.tree:
                    if node.kind == "decision" and node.player == player:
                        kept = self.stores[node.street][player].regret
                        self._write(kept, node, coded(mean * self.average(node), REGRET))
        self._write_locks()

    def _weights(self) -> tuple[float, float]:
        """Of all iterations so far, each discounted as often as others came after it: in regrets, and in averages."""
        if self._summed[0] > self.iteration:
            self._summed = (0, 0.0, 0.0)
        done, regrets, averages = self._summed
        for t in range(done, self.iteration):
            regrets = regrets * float(discount.py_func(t, self.scheme.alpha)) + 1
            averages = averages * (t / (t + 1)) ** self.scheme.gamma + 1
        self._summed = (self.iteration, regrets, averages)
        return regrets, averages

    def _unit(self) -> float:
        """No less than a hand can gain or lose in an iteration: a power of two."""
        spot = self.shape.spot
        most = spot.total + 2 * max(spot.stacks)
        return float(2.0 ** np.ceil(np.log2(most * max(float(row.sum()) for row in self.shape.root))))

    def _rates(self, count: int) -> np.ndarray:
        """(iterations, 6) `Rates` of the next iterations. Means are kept in half precision: what was there counts for
        all iterations so far, what is added for one.
        """
        rows = np.ones((count, 6), dtype=np.float32)
        rows[:, :3], rows[:, 5] = self.rates(count), np.arange(self.iteration, self.iteration + count)
        if self.precision != SINGLE:
            (regrets, averages), scheme, unit = self._weights(), self.scheme, self._unit()
            for row, t in zip(rows, range(self.iteration, self.iteration + count), strict=True):
                above, below = (float(discount.py_func(t, exponent)) for exponent in (scheme.alpha, scheme.beta))
                before, average = regrets, averages * (t / (t + 1)) ** scheme.gamma
                regrets, averages = regrets * above + 1, average + 1
                row[:2], row[3] = np.array([above, below]) * before / regrets, 1 / (regrets * unit)
                row[2], row[4] = average / averages, 1 / averages
        return rows

    def root(self, player: int) -> np.ndarray:
        """The row of weights that a player begins with."""
        if self.entrance and self.entrance.player == player:
            return row_of(self.entrance.reach())
        return self.shape.root[player]

    def meet(self, player: int, weights: np.ndarray) -> None:
        """From now on a player begins with these weights of its hands, in their order."""
        self.shape.root[player] = row_of(weights)

    def learn(self, player: int, rates: Rates) -> np.ndarray:
        """A player's part of an iteration, as `rates` say: what each of its hands earns at the root meanwhile."""
        return self._host(self._walk(player, IMPROVE, rates))[: len(self.shape.holes[player])]

    def _improve(self, count: int) -> None:
        """Iterations, the players in turn; the entrance, which keeps sums, learns with its player."""
        for row, given in zip(self.rates(count), self._rates(count), strict=True):
            for player in range(2):
                earned = self._walk(player, IMPROVE, Rates(*given))
                if self.entrance is not None and self.entrance.player == player:
                    self.entrance.learn(self._host(earned)[: len(self.shape.holes[player])], row[0], row[1])
