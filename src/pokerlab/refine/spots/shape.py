"""The shape of a spot: betting, boards and hands, all that is small; and how much memory the rest will take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokerlab.refine.spots import boards as cards
from pokerlab.refine.spots.boards import IDENTITY, Runouts, StreetBoards, Suits
from pokerlab.refine.spots.keys import about
from pokerlab.refine.spots.lanes import LANES
from pokerlab.refine.spots.locks import lock_weights
from pokerlab.refine.spots.spot import Spot
from pokerlab.refine.spots.streets import Layout
from pokerlab.refine.spots.tree import Node

MOST_CARDS = 49
BOARDS_READY = 6  # that a solution's file keeps when it is looked at: those of a line, and a few more


class Shape:
    """`holes[player]` are the hands that are kept, by number; `root[player]` their weights, the largest scaled to 1.

    `symmetric` are more arrays over the 1,326 hands that a change of suits must leave alone to be made use of. With
    `drawn` cards these stand for all that may be dealt, and suits are told apart.
    """

    def __init__(
        self,
        spot: Spot,
        *,
        isomorphism: bool = True,
        symmetric: Sequence[np.ndarray] = (),
        drawn: Runouts | None = None,
    ) -> None:
        self.spot, self.tree, self.isomorphism = spot, spot.tree(), isomorphism and drawn is None
        counts = [] if drawn is None else [len(drawn[board]) for board in _first_of_each(spot.board, drawn)]
        self.layout = Layout(self.tree, spot.rake, spot.rake_cap, counts)
        self.most_cards = max(counts, default=MOST_CARDS)  # that can be dealt to a board
        self.streets = range(spot.street, self.layout.last + 1)
        with about("lock"):
            self.locks = [lock_weights(lock, spot) for lock in spot.locks]
        weights = [spot.weights(0), spot.weights(1)]
        self.holes = [np.flatnonzero(w) for w in weights]
        self.root = [row_of(w[hands] / w.max()) for w, hands in zip(weights, self.holes, strict=True)]
        self.matchups = spot.matchups / float(weights[0].max() * weights[1].max())
        group: list[Suits] = [IDENTITY]
        if self.isomorphism:
            asked = [*weights, *symmetric, *(row for _, _, lock in self.locks for row in lock)]
            fixed = [card for _, dealt, _ in self.locks for card in dealt if card is not None]
            group = cards.symmetries(spot.board, asked, fixed)
        self.changes = [suits for suits in group if suits != IDENTITY]
        self.boards: dict[int, StreetBoards] = {}
        boards = cards.first_street(spot.board, group)
        for street in self.streets:
            boards = cards.next_street(boards, drawn) if street > spot.street else boards
            self.boards[street] = boards

    def kept(self, street: int, player: int) -> int:
        """How many numbers are kept of a player's regrets on a street."""
        return len(self.boards[street].boards) * self.kept_each(street, player)

    def kept_each(self, street: int, player: int) -> int:
        """The same on each of its boards."""
        side = self.layout.sides[street][player]
        return (side.rows - side.roots) * len(self.root[player])

    def tiles(self, array: np.ndarray, node: Node) -> np.ndarray:
        """A decision's part (boards, tiles, actions, LANES) of an array of some or all boards, as they are kept and
        written; a view.
        """
        place = self.layout.places[node.index]
        side = self.layout.sides[place.street][place.player]
        width, first = len(self.root[place.player]), place.row - side.roots
        by_board = array.reshape(-1, self.kept_each(place.street, place.player))
        part = by_board[:, first * width : (first + place.actions) * width]
        return part.reshape(len(by_board), -1, place.actions, LANES)

    def read(self, array: np.ndarray, node: Node, board: int | None = None) -> np.ndarray:
        """The same (boards, actions, hands), or (actions, hands) on one board; a copy."""
        tiles = self.tiles(array, node)
        if board is not None:
            tiles = tiles[board]
        rows = tiles.swapaxes(-2, -3).reshape(*tiles.shape[:-3], len(node.labels), -1)
        return rows[..., : len(self.holes[node.player])]

    def write(self, array: np.ndarray, node: Node, rows: np.ndarray, board: int | None = None) -> None:
        """Write what `read` would give."""
        tiles = self.tiles(array, node)
        (tiles if board is None else tiles[board])[:] = self.laid(node, rows, array.dtype)

    def laid(self, node: Node, rows: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """A decision's rows (..., actions, hands) as tiles."""
        padded = np.zeros((*rows.shape[:-1], len(self.root[node.player])), dtype=dtype)
        padded[..., : rows.shape[-1]] = rows
        return padded.reshape(*rows.shape[:-1], -1, LANES).swapaxes(-2, -3)

    def locked(self, street: int, player: int) -> bool:
        return any((node.street, node.player) == (street, player) for node, _, _ in self.locks)

    def saving(self) -> int:
        """Memory that saving takes besides: what comes after each board is worth to both players, and some boards at a
        time with their rows.
        """
        worth = board = 0
        for street in self.streets:
            sides, boards = self.layout.sides[street], len(self.boards[street].boards)
            worth += sum(4 * boards * len(side.leaves) * len(row) for side, row in zip(sides, self.root, strict=True))
            board = max(board, sum(4 * side.rows * len(row) for side, row in zip(sides, self.root, strict=True)))
        return worth + (BOARDS_READY + 4) * board  # rows of reach and value of both players

    def bytes(self, threads: int = 1, each: int = 4) -> int:
        """Memory that solving takes: regrets, averages and locks of so many bytes each, hands by board, and space for
        every thread.
        """
        total = 0
        for street in self.streets:
            boards, sides = len(self.boards[street].boards), self.layout.sides[street]
            widths = [len(row) for row in self.root]
            for player, width in enumerate(widths):
                total += each * self.kept(street, player) * (2 + self.locked(street, player))
                total += boards * width * (14 if street == self.layout.last else 8)
                after = street - self.spot.street
                side_by_side = (0, boards, threads * self.most_cards)[after]
                total += 4 * side_by_side * sides[player].roots * width
            rows = max((side.rows + 1) * width for side, width in zip(sides, widths, strict=True))
            total += 4 * threads * (2 * rows + 3 * LANES * max(widths) + 2 * 52 * LANES)
        return total


def _first_of_each(board: tuple[int, ...], drawn: Runouts) -> list[tuple[int, ...]]:
    """A board of each street that cards are dealt to."""
    boards = []
    while len(board) < 5:
        boards.append(board)
        board = (*board, drawn[board][0])
    return boards


def row_of(weights: np.ndarray) -> np.ndarray:
    """Numbers of a player's hands as a row, whole lanes wide."""
    row = np.zeros(cards.width_of(len(weights)), dtype=np.float32)
    row[: len(weights)] = weights
    return row
