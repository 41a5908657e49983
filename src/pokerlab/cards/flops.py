"""Flops up to suits, and what a player calls them: suits, pairs, the highest card, how connected they are.

Of the 22,100 flops 1,755 differ by more than suits; each stands for 4, 12 or 24. `texture_of("Ks 8h 3d")` is rainbow,
unpaired, king-high, disconnected; `flops_with("monotone ace-high")` are all flops of these words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pokerlab.cards.isomorphism import canonical_boards
from pokerlab.errors import CardError, shown

Cards = tuple[int, ...]

SUITS = ("rainbow", "two-tone", "monotone")
PAIRS = ("unpaired", "paired", "trips")
HIGH = tuple(
    f"{rank}-high"
    for rank in (
        "ace", "king", "queen", "jack", "ten", "nine", "eight", "seven", "six", "five", "four", "three", "two",
    )
)  # fmt: skip
CONNECTED = ("connected", "semi-connected", "disconnected")


class FlopTexture(NamedTuple):
    """The words of a flop, one of each kind."""

    suits: str
    pairs: str
    high: str
    connected: str


KINDS: dict[str, tuple[str, ...]] = dict(zip(FlopTexture._fields, (SUITS, PAIRS, HIGH, CONNECTED), strict=True))


class Flops(NamedTuple):
    """Boards, and how much each counts for; `alike`: each stands for those that only suits tell from it."""

    boards: tuple[Cards, ...]
    weights: np.ndarray  # float64
    alike: bool = True

    @property
    def shares(self) -> np.ndarray:
        """The weights, scaled to 1."""
        return np.asarray(self.weights / self.weights.sum())


@lru_cache(maxsize=1)
def every_flop() -> Flops:
    """All 1,755 flops up to suits, each with how many it stands for."""
    cards, times = canonical_boards((3,))
    weights = times.astype(np.float64)
    weights.setflags(write=False)
    return Flops(tuple(map(tuple, cards.tolist())), weights)


def texture_of(board: Sequence[int]) -> FlopTexture:
    """The words of a flop; of a longer board, those of its flop.

    Connected is a flop on which a straight is possible, semi-connected another with two cards that are neighbours, or
    one apart; aces are high and low.
    """
    flop = board[:3]
    ranks = sorted({card // 4 for card in flop})
    both = [-1, *ranks] if ranks[-1] == 12 else ranks  # the ace below the two as well
    apart = [high - low for i, low in enumerate(both) for high in both[i + 1 :]]
    straight = any(both[i + 2] - both[i] <= 4 for i in range(len(both) - 2))
    close = 0 if straight else 1 if min(apart, default=13) <= 2 else 2
    suits = len({card % 4 for card in flop})
    return FlopTexture(SUITS[3 - suits], PAIRS[3 - len(ranks)], HIGH[12 - ranks[-1]], CONNECTED[close])


def flops_with(words: str) -> Flops:
    """All flops up to suits with these words: one of each kind that is named, such as `monotone ace-high king-high`."""
    wanted: dict[str, set[str]] = {}
    for word in words.replace(",", " ").split():
        kind = next((kind for kind, known in KINDS.items() if word in known), None)
        if kind is None:
            known = "; ".join(", ".join(row) for row in KINDS.values())
            raise CardError(f"no word for flops: {shown(word)}; there are {known}")
        wanted.setdefault(kind, set()).add(word)
    boards, weights, _ = every_flop()
    textures = [texture_of(board)._asdict() for board in boards]
    fine = [all(texture[kind] in named for kind, named in wanted.items()) for texture in textures]
    if not any(fine):
        raise CardError(f"no flop is {words}")
    return Flops(tuple(board for board, has in zip(boards, fine, strict=True) if has), weights[fine])
