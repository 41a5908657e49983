"""A card abstraction that needs no tables: the higher hole card, and whether the hole pairs itself or the board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokerlab.cards.holes import HOLES


class RankCards:
    """Six buckets on each street: three groups of the higher card's rank, each with or without a pair."""

    counts = (6, 6, 6, 6)

    def buckets(self, holes: np.ndarray, boards: np.ndarray) -> np.ndarray:
        ranks, shown = holes.astype(np.int64) // 4, boards.astype(np.int64) // 4
        pair = (ranks[:, 0] == ranks[:, 1]) | (ranks[:, :, None] == shown[:, None, :]).any(axis=(1, 2))
        return (2 * (ranks.max(axis=1) // 5) + pair).astype(np.int32)

    def deal_buckets(self, deals: np.ndarray, players: int = 2) -> np.ndarray:
        dealt = np.empty((len(deals), players, 4), np.int32)
        for p in range(players):
            for street, size in enumerate((0, 3, 4, 5)):
                board = deals[:, 2 * players : 2 * players + size]
                dealt[:, p, street] = self.buckets(deals[:, 2 * p : 2 * p + 2], board)
        return dealt

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        held = self.buckets(HOLES, np.tile(np.array(board, np.uint8), (len(HOLES), 1)))
        held[np.isin(HOLES, board).any(axis=1)] = -1
        return held
