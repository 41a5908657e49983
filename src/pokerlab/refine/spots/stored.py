"""Engines that keep regrets and averages in tiles (`Shape.tiles`), wherever these arrays are.

Discounted CFR with players in turn. The average weighs iterations but not the player's own reach, as the usual solvers
do: lines that are rarely played get a sensible strategy too.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from pokerlab.refine.spots.engine import Engine
from pokerlab.refine.spots.kernels import IMPROVE, Rates, Store
from pokerlab.refine.spots.shape import row_of
from pokerlab.refine.spots.tree import Node

STILL = Rates(np.float32(1), np.float32(1), np.float32(1))


class StoredEngine(Engine):
    """`stores[street][player]` are kept."""

    stores: dict[int, tuple[Store, Store]]

    @abstractmethod
    def _zeros(self, size: int) -> Any:
        """So many single-precision numbers, where the engine keeps them."""

    @abstractmethod
    def _host(self, array: Any) -> np.ndarray:
        """The same numbers where numpy can read them."""

    @abstractmethod
    def _write(self, array: Any, node: Node, rows: np.ndarray, board: int | None = None) -> None:
        """As `Shape.write`."""

    @abstractmethod
    def _walk(self, player: int, mode: int, rates: Rates = STILL) -> Any:
        """One pass for a player: a row of what its hands earn at the root."""

    def _keep(self) -> None:
        """Everything at its start."""
        streets = self.shape.streets
        self.stores = {street: (self._store(street, 0), self._store(street, 1)) for street in streets}
        self._write_locks()

    def _store(self, street: int, player: int) -> Store:
        size = self.shape.kept(street, player)
        locked = size if self.shape.locked(street, player) else 0
        return Store(self._zeros(size), self._zeros(size), self._zeros(locked))

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
                        before = self._host(self.shape.read(array, node, number))
                        self._write(array, node, np.where(fixed, new, before), number)

    def _arrays(self) -> dict[str, np.ndarray]:
        return {
            f"{name}_{street}_{player}": self._host(array)
            for street, stores in self.stores.items()
            for player, store in enumerate(stores)
            for name, array in (("regret", store.regret), ("strategy", store.strategy))
        }

    def average(self, node: Node, board: int | None = None) -> np.ndarray:
        return self._host(self.shape.read(self.stores[node.street][node.player].strategy, node, board))

    def follow(self, node: Node, average: np.ndarray) -> None:
        self._write(self.stores[node.street][node.player].strategy, node, average)

    def begin(self, iterations: int) -> None:
        self.iteration = iterations
        for player in range(2):
            regret = float(self.root(1 - player).sum()) * self.shape.spot.total  # about a pot's worth
            for stores in self.stores.values():
                kept = stores[player].strategy
                np.multiply(kept, np.float32(regret if iterations else 0), out=stores[player].regret)
                kept *= np.float32(iterations / (1 + self.scheme.gamma))
        self._write_locks()

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

    def _improve(self, rates: np.ndarray) -> None:
        """Iterations, the players in turn; the entrance learns with its player."""
        for row in rates:
            for player in range(2):
                earned = self._walk(player, IMPROVE, Rates(*row))
                if self.entrance is not None and self.entrance.player == player:
                    self.entrance.learn(self._host(earned)[: len(self.shape.holes[player])], row[0], row[1])
