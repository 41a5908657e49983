"""All ways to complete a board, with suits that may be renamed counted together, and work over them on threads.

Renaming suits changes nothing if it leaves the cards on the table and the weights of all ranges as they are. Such
permutations are a group: of each set of boards that it makes equal one is visited, and counted as many times. Before
the flop this leaves 134,459 of 2,598,960 boards for ranges of whole kinds (AKs, QQ), and all where every suit matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import permutations
from math import comb
from typing import NamedTuple, TypeVar

import numpy as np

from pokerlab.cards import showdown_kernels as kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import renamed_holes
from pokerlab.errors import CardError
from pokerlab.threads import in_pieces

Cards = tuple[int, ...]
Result = TypeVar("Result")

_DECK = Deck()
CHUNK = 2048  # boards a task: some 50 ms, after which Ctrl-C is heard. Sums depend on it, so that it is fixed.


class Runouts(NamedTuple):
    """Boards, and what each stands for."""

    boards: np.ndarray  # uint8 (n, cards)
    counts: np.ndarray  # float (n,): how many boards each stands for
    suits: np.ndarray  # int64 (g, 4): the permutations of suits under which they are equal


def as_cards(cards: str | Iterable[int], *others: Cards) -> Cards:
    """Cards of the standard deck, as text or numbers; checked, also against `others` on the table."""
    given = _DECK.cards(cards) if isinstance(cards, str) else tuple(int(card) for card in cards)
    if not all(0 <= card < 52 for card in given):
        raise CardError(f"cards are numbers from 0 to 51, not {given}")
    every = (*given, *(card for other in others for card in other))
    if len({*every}) < len(every):
        raise CardError(f"a card is there twice: {_DECK.text(every)!r}")
    return given


def as_board(board: str | Iterable[int], *others: Cards, sizes: Sequence[int] = (0, 3, 4, 5)) -> Cards:
    """The cards of a board, checked: before the flop, on the flop, the turn or the river."""
    shown = as_cards(board, *others)
    if len(shown) not in sizes:
        wanted = ", ".join(map(str, sizes[:-1])) + " or " * (len(sizes) > 1) + str(sizes[-1])
        raise CardError(f"a board of {len(shown)} cards ({_DECK.text(shown)!r}); it must have {wanted}")
    return shown


@lru_cache(maxsize=1)
def _all_renamed() -> tuple[np.ndarray, np.ndarray]:
    """All 24 permutations of suits, and the number of each hand after each of them."""
    suits = np.array([*permutations(range(4))])
    return suits, renamed_holes(suits)


def symmetries(groups: Iterable[Cards], weights: Iterable[np.ndarray] = ()) -> np.ndarray:
    """The permutations of suits (g, 4) that leave each group of cards and each range's weights as they are."""
    suits, numbers = _all_renamed()
    right = np.ones(24, bool)
    for cards in groups:
        wanted = sorted(cards)
        right &= [sorted(card - card % 4 + s[card % 4] for card in cards) == wanted for s in suits.tolist()]
    for array in weights:
        right &= (array[numbers] == array).all(axis=1)
    return suits[right]


def symmetrised(sums: np.ndarray, suits: np.ndarray) -> np.ndarray:
    """Sums a hand (..., 1326) over all boards, from those over the boards that stand for them."""
    return np.mean([sums[..., row] for row in renamed_holes(suits)], axis=0)


def runouts(board: Cards, size: int, suits: np.ndarray, dead: Cards = ()) -> Runouts:
    """Every board of `size` cards that starts with `board` and has none of `dead`, up to the permutations `suits`."""
    live = np.array([card for card in range(52) if card not in {*board, *dead}], dtype=np.int64)
    most = comb(len(live), size - len(board))
    boards, counts = np.empty((most, size), np.uint8), np.empty(most)
    count = kernels.representatives(np.array(board, np.uint8), live, size - len(board), suits, boards, counts)
    return Runouts(boards[:count].copy(), counts[:count].copy(), suits)


def over_boards(
    work: Callable[[np.ndarray, np.ndarray], Result],
    todo: Runouts,
    title: str,
    shown: bool | None = None,
    chunk: int = CHUNK,
) -> list[Result]:
    """The results of `work` on chunks of boards and their counts, in order."""

    return in_pieces(
        lambda first, last: work(todo.boards[first:last], todo.counts[first:last]),
        len(todo.boards), chunk, title, shown,
    )  # fmt: skip
