"""The plainest card abstraction: before the flop the 169 classes, after it what a hand has made, draws left aside.

Hands are told apart by the value of their best five cards, in so many parts that are about equally often dealt. It
needs no tables and no time to build, and is meant for trials; `abstraction.buckets` does better.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokerlab.cards.evaluator import board_values, evaluate
from pokerlab.cards.holes import classes
from pokerlab.errors import AbstractionError

SIZES = (0, 3, 4, 5)
_SAMPLE = 40_000  # deals by which the parts are cut


class MadeHands:
    """`count` buckets on each street after the first."""

    def __init__(self, count: int = 20, seed: int = 1) -> None:
        if not 2 <= count <= 1000:
            raise AbstractionError(f"made hands are told apart into 2 to 1,000 parts, not {count}")
        self.counts = (169, count, count, count)
        cards = np.random.default_rng(seed).random((_SAMPLE, 52)).argsort(axis=1)[:, :7]
        parts = np.arange(1, count) / count
        self._cuts = [np.quantile(evaluate(cards[:, : 2 + size]), parts) for size in SIZES[1:]]

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """The buckets of all 1,326 holes on a board of none, three, four or five cards, -1 where a card clashes."""
        if not len(board):
            return classes().astype(np.int32)
        values = board_values(board)
        bucket = np.searchsorted(self._cuts[SIZES.index(len(board)) - 1], values, side="right")
        return np.where(values > 0, bucket, -1).astype(np.int32)

    def deal_buckets(self, deals: np.ndarray, players: int = 2) -> np.ndarray:
        """Buckets [deals, players, 4] of dealt cards: two for each player, then five."""
        buckets = np.empty((len(deals), players, len(SIZES)), dtype=np.int32)
        board = deals[:, 2 * players :]
        for player in range(players):
            hole = deals[:, 2 * player : 2 * player + 2]
            high, low = hole.max(axis=1).astype(np.int64), hole.min(axis=1).astype(np.int64)
            buckets[:, player, 0] = classes()[high * (high - 1) // 2 + low]
            for street, size in enumerate(SIZES[1:], 1):
                values = evaluate(np.concatenate([hole, board[:, :size]], axis=1))
                buckets[:, player, street] = np.searchsorted(self._cuts[street - 1], values, side="right")
        return buckets
