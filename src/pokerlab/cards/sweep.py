"""The strength of every hand on every board, exact, as tables by canonical index: E[HS] and E[HS^2] on each street.

turn = strength_moments(2)          E[HS] and E[HS^2] of the 13,960,050 hands on the turn, some seconds on two cores
flop = strength_moments(1)          the same of the 1,286,792 hands on the flop, added up from there
river = river_strengths()           2 * hands beaten + hands tied, of the 123,156,254 hands on the river

Streets are counted from 0, before the flop. A hand on the turn or the river is indexed with the order of the board's
cards forgotten, since strength does not know it: `isomorphism((2, 4))`, `isomorphism((2, 5))`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pokerlab.cache import keep, recalled_table
from pokerlab.cards import sweep_kernels as kernels
from pokerlab.cards.deck import STREETS
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import Isomorphism, canonical_boards, isomorphism
from pokerlab.errors import CardError, PokerlabError
from pokerlab.files import write_arrays
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar
from pokerlab.reading import of_kind
from pokerlab.threads import in_pieces, pieces

FORMAT, VERSION = "pokerlab strengths", 1
MOST = 1980  # the strength on the river of a hand that beats all 990 others
RUNOUTS = (2_118_760, 1_081, 46, 1)  # boards that a hand may see, by street
_CHUNK = 64  # turns a task


class Moments(NamedTuple):
    """Means over the boards to come of the strength on the river (0 to 1) and of its square, by canonical index."""

    mean: np.ndarray  # float64: E[HS]
    square: np.ndarray  # float64: E[HS^2]


def forgetful(street: int) -> Isomorphism:
    """The indexing of hands on a street, the order of the board's cards forgotten."""
    if street not in range(4):
        raise CardError(f"streets are 0 (before the flop) to 3 (river), not {street}")
    return isomorphism((2, street + 2) if street else (2,))


@lru_cache(maxsize=4)
def strength_moments(street: int) -> Moments:
    """E[HS] and E[HS^2] of all hands on a street; those of flop and turn are kept in the cache folder."""
    if street == 3:
        strengths = river_strengths() / MOST
        return Moments(strengths, strengths**2)
    if street == 0:
        return _before_the_flop()
    sums, squares = strength_sums(street)
    return Moments(sums / (MOST * RUNOUTS[street]), squares / (MOST**2 * RUNOUTS[street]))


@lru_cache(maxsize=1)
def river_strengths() -> np.ndarray:
    """2 * hands beaten + hands tied (0 to 1,980) of all hands on the river: uint16, 246 MB, made in seconds."""
    known, boards = forgetful(3), canonical_boards((5,)).cards
    strengths = np.zeros(known.sizes[-1], np.uint16)
    in_pieces(
        lambda at, end: kernels.sweep_rivers(tables(), known.tables, HOLES, boards[at:end], strengths),
        len(boards), 1024, "strengths on the river",
    )  # fmt: skip
    return strengths


def keep_strengths(executor: Executor) -> None:
    """Make the tables of turn and flop by an executor, where the cache folder has none yet."""
    strength_sums(1, executor)


def strength_sums(street: int, executor: Executor | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the boards to come of strengths and of their squares, of all hands on the flop or the turn: uint32.

    They are the moments times MOST * RUNOUTS and MOST^2 * RUNOUTS, and are kept in the cache folder.
    """
    name, header = f"strengths-{STREETS[street]}-{VERSION}.npz", {"format": FORMAT, "version": VERSION}
    size = forgetful(street).sizes[-1]
    kept = recalled_table(
        name, FORMAT, VERSION, 8 * size,
        lambda _, arrays: tuple(of_kind(arrays, name, np.uint32, size) for name in ("sums", "squares")),
    )  # fmt: skip
    if kept is not None:
        return kept[0], kept[1]
    sums, squares = turn_sums(executor) if street == 2 else flop_sums(*strength_sums(2, executor))
    keep(name, lambda path: write_arrays(path, header, {"sums": sums, "squares": squares}, error=PokerlabError))
    return sums, squares


def flop_sums(turn_sums: np.ndarray, turn_squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sums on the flop: of those on the turns that follow, each of which has half of a pair of cards to come."""
    known, turns, boards = forgetful(1), forgetful(2), canonical_boards((3,)).cards
    sums, squares = np.zeros((2, known.sizes[-1]), np.uint32)
    in_pieces(
        lambda at, end: kernels.add_turns(
            turns.tables, known.tables, boards[at:end], turn_sums, turn_squares, sums, squares
        ),
        len(boards), 16, "strengths on the flop",
    )  # fmt: skip
    return sums, squares


def turn_sums(executor: Executor | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The sums on the turn, on this process's threads or by an executor."""
    boards, title = len(canonical_boards((4,)).cards), "strengths on the turn"
    sums, squares = np.zeros((2, forgetful(2).sizes[-1]), np.uint32)
    if executor is None:
        in_pieces(lambda at, end: _sweep(at, end, sums, squares), boards, _CHUNK, title)
        return sums, squares
    tasks = pieces(boards, 16 * _CHUNK)
    with Bar(title) as bar, at_work(executor, _swept, tasks) as results:
        for done, (indices, *some) in enumerate(results, 1):
            sums[indices], squares[indices] = some
            bar.show(done / len(tasks), f"{done:,} of {len(tasks):,}")
    return sums, squares


def _swept(piece: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The indices of the hands on some turns that ever win, and their sums."""
    sums, squares = np.zeros((2, forgetful(2).sizes[-1]), np.uint32)
    _sweep(*piece, sums, squares)
    indices = np.flatnonzero(sums)
    return indices, sums[indices], squares[indices]


def _sweep(first: int, last: int, sums: np.ndarray, squares: np.ndarray) -> None:
    """Write the sums of all hands on these turns, which no other board has."""
    boards = canonical_boards((4,)).cards[first:last]
    kernels.sweep_turns(tables(), forgetful(2).tables, HOLES, boards, sums, squares)


def _before_the_flop() -> Moments:
    """From the flop: a hand's strength is its mean over flops."""
    known, flop = isomorphism((2, 3)), strength_moments(1)
    every = np.arange(known.sizes[1])
    hands = known.indices(known.unindex(every)[:, :2])
    deals = known.multiplicities(every)
    total = np.bincount(hands, deals, 169)
    return Moments(*(np.bincount(hands, deals * moment, 169) / total for moment in flop))
