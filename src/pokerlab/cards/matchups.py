"""Every hand against every other before the flop: who wins how many of the 1,712,304 boards that may come.

Computed once, from the 134,459 boards that differ by more than suits (some 15 s on a core), and kept in the folder of
computed tables. With it the chances of any ranges before the flop are a product of a matrix and a vector.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from pokerlab.cache import keep, recalled_table
from pokerlab.cards import matchup_kernels as kernels
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES, classes, possible, renamed_holes
from pokerlab.cards.runouts import over_boards, runouts, symmetries
from pokerlab.errors import PokerlabError
from pokerlab.files import write_arrays
from pokerlab.reading import of_kind

FORMAT, VERSION = "pokerlab matchups", 1
BOARDS = comb(48, 5)
_CHUNK = 8192  # boards a task: each returns a matrix of 7 MB


@lru_cache(maxsize=1)
def class_matchups() -> tuple[np.ndarray, np.ndarray]:
    """[169, 169] how likely each pair of classes is dealt to two players, and the same times how often the first wins.

    With cards that one hand takes from the other.
    """
    merge = np.zeros((len(HOLES), 169))
    merge[np.arange(len(HOLES)), classes()] = 1.0
    apart = np.stack([possible(hole) for hole in HOLES]).astype(np.float64)
    dealt, won = merge.T @ apart @ merge, merge.T @ (_kept_wins() / BOARDS) @ merge
    return dealt / apart.sum(), won / apart.sum()


@lru_cache(maxsize=1)
def preflop_signs() -> np.ndarray:
    """[1326, 1326] the expected sign of a showdown: how often the first hand wins less how often it loses.

    0 where the hands have a card in common.
    """
    wins = _kept_wins()
    signs = (wins - wins.T) / BOARDS
    signs.flags.writeable = False
    return signs


def _kept_wins() -> np.ndarray:
    name, header, every = f"matchups-{VERSION}.npz", {"format": FORMAT, "version": VERSION}, len(HOLES)
    kept = recalled_table(
        name, FORMAT, VERSION, 4 * every**2, lambda _, arrays: of_kind(arrays, "wins", np.int32, every, every)
    )
    if kept is not None:
        return kept
    wins = counted_wins()
    keep(name, lambda path: write_arrays(path, header, {"wins": wins}, error=PokerlabError, compressed=True))
    return wins


def counted_wins() -> np.ndarray:
    """[1326, 1326] how many boards the first hand wins, computed anew: int32; 0 where a card is in common."""
    ready, suits = tables(), symmetries([])
    todo = runouts((), 5, suits)
    order = np.argsort(todo.counts, kind="stable")
    todo = todo._replace(boards=todo.boards[order], counts=todo.counts[order])
    parts = over_boards(
        lambda boards, counts: kernels.count_wins(ready, boards, counts), todo, "hands before the flop", chunk=_CHUNK
    )
    wins = sum(parts)
    # All boards are the chosen ones under all permutations of suits, each as often as the others.
    every = sum(wins[np.ix_(row, row)] for row in renamed_holes(suits)) // len(suits)
    return np.where((HOLES[:, None, :, None] == HOLES[None, :, None, :]).any(axis=(2, 3)), 0, every)
