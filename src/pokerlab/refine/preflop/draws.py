"""The boards that stand for all: flops with weights, and after each a few turns and rivers, drawn by a seed.

Cards are drawn systematically: of those left, in order of rank, every n-th from a random start. Each is then drawn as
often as any other, and ranks are spread evenly.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from pokerlab.abstraction.flop_subsets import flops_of
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES
from pokerlab.cards.matchup_kernels import count_wins
from pokerlab.errors import CardError, SpotError
from pokerlab.refine.preflop.game import Preflop
from pokerlab.refine.spots.boards import Runouts

_MET = 22_100 / 17_296  # of all flops to those that two hands leave


@dataclass(frozen=True)
class Flop:
    """A flop that counts for `weight`, and the cards that may come after it.

    Weights add up to all flops over those that two hands leave, so that a pair of hands meets flops with a weight of 1
    in all where all flops are there, and about that where some stand for them.
    """

    cards: tuple[int, ...]
    weight: float
    runouts: Runouts

    @property
    def boards(self) -> np.ndarray:
        """(boards, 5) every flop, turn and river."""
        return np.array([(*board, card) for board in self.runouts if len(board) == 4 for card in self.runouts[board]])


def draw(game: Preflop) -> list[Flop]:
    """The flops of a game and what was drawn after them."""
    try:
        given = flops_of(game.flops)
    except CardError as error:
        raise SpotError(f"{game.name}, [boards]: flops: {error}") from None
    if any(len(board) != 3 for board in given.boards):
        raise SpotError(f"{game.name}, [boards]: flops have three cards")
    flops = []
    for number, (board, weight) in enumerate(zip(given.boards, given.shares, strict=True)):
        rng = np.random.default_rng([game.seed, number])
        runouts: dict[tuple[int, ...], list[int]] = {board: draw_cards(rng, board, game.turns)}
        for card in runouts[board]:
            runouts[*board, card] = draw_cards(rng, (*board, card), game.rivers)
        flops.append(Flop(board, float(weight) * _MET, runouts))
    return flops


def draw_cards(rng: np.random.Generator, board: tuple[int, ...], count: int) -> list[int]:
    """So many of the cards that a board leaves."""
    left = [card for card in range(52) if card not in board]
    start = rng.uniform(0, len(left) / count)
    return [left[min(int(start + i * len(left) / count), len(left) - 1)] for i in range(count)]


def drawn_signs(flops: list[Flop]) -> np.ndarray:
    """[1326, 1326] by how much more often the first hand wins on the boards that were drawn than it loses, by their
    weights. Where all boards are there, this is `cards.matchups.preflop_signs`.
    """
    signs = np.zeros((len(HOLES), len(HOLES)))
    for flop in flops:
        boards = flop.boards.astype(np.uint8)
        wins = count_wins(tables(), boards, np.ones(len(boards)))
        signs += flop.weight * (49 / 45) * (48 / 44) / len(boards) * (wins - wins.T)
    signs[(HOLES[:, None, :, None] == HOLES[None, :, None, :]).any(axis=(2, 3))] = 0
    return signs


def digest(flops: list[Flop]) -> str:
    """Tells draws apart."""
    told = repr([(flop.cards, flop.weight, sorted(flop.runouts.items())) for flop in flops])
    return hashlib.sha256(told.encode()).hexdigest()[:16]
