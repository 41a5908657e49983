"""Agents that see cards in buckets: the same play with all hands of a bucket, on whatever board.

Who asks such an agent for its whole strategy asks once a line of betting and bucket, and looks buckets up board by
board; any other agent must be asked on every board again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from pokerlab.game.hand import View


class ByBucket(Protocol):
    """What an agent makes of the cards, and what it then does."""

    def buckets(self, board: tuple[int, ...]) -> np.ndarray:
        """The bucket of each of the deck's hole cards on the board of a round, in the order of `cards.holes.holes_of`.

        Those of holes that hold a card of the board mean nothing.
        """
        ...

    def odds(self, view: View) -> Mapping[int, np.ndarray] | None:
        """For each action, its probability in each bucket; None where more than the bucket matters.

        Neither the view's hole cards nor its board are looked at.
        """
        ...
