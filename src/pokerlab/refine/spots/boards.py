"""The boards of a spot, street by street, and the players' hands on them.

Of cards that differ by a change of suits only, which neither the board nor any range can tell, one is solved (the way
back knows which hands stand for which). On the last street hands are kept in order of strength.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from pokerlab.cards.evaluator import board_values
from pokerlab.cards.holes import COUNT, HOLES, possible, renamed_holes
from pokerlab.refine.spots.kernels import Hands, NextBoards
from pokerlab.refine.spots.lanes import LANES

Suits = tuple[int, ...]  # suit s becomes suits[s]
Runouts = Mapping[tuple[int, ...], Sequence[int]]  # by board the cards that may come next, as many on all of a street

IDENTITY: Suits = (0, 1, 2, 3)


def change(card: int, suits: Suits) -> int:
    """A card with its suit changed."""
    return card // 4 * 4 + suits[card % 4]


def symmetries(board: Iterable[int], weights: Sequence[np.ndarray], fixed: Iterable[int] = ()) -> list[Suits]:
    """The changes of suits that leave the board, every array of 1,326 weights and each fixed card as they are."""
    cards, alike = frozenset(board), []
    for suits in permutations(range(4)):
        if frozenset(change(card, suits) for card in cards) != cards or any(change(c, suits) != c for c in fixed):
            continue
        holes = renamed_holes(suits)
        if all(np.array_equal(w[holes], w, equal_nan=True) for w in weights):
            alike.append(suits)
    return alike


@dataclass(frozen=True)
class Deal:
    """A card dealt to a board: the number of the board that is solved for it, and the suits that lead there."""

    card: int
    board: int
    suits: Suits


@dataclass(frozen=True)
class StreetBoards:
    """The boards that are solved on a street; `deals[i]` are those of board i of the street before."""

    boards: list[tuple[int, ...]]
    stabilisers: list[list[Suits]]
    parents: list[int]
    deals: list[list[Deal]]


def first_street(board: tuple[int, ...], suits: list[Suits]) -> StreetBoards:
    """The street that the spot begins on."""
    return StreetBoards([board], [suits], [0], [[Deal(-1, 0, IDENTITY)]])


def next_street(before: StreetBoards, drawn: Runouts | None = None) -> StreetBoards:
    """All boards with one more card, or those with the cards that are drawn."""
    after = StreetBoards([], [], [], [])
    for parent, (board, group) in enumerate(zip(before.boards, before.stabilisers, strict=True)):
        deals: dict[int, Deal] = {}
        for card in range(52) if drawn is None else drawn[board]:
            if card in board or card in deals:
                continue
            for suits in group:
                back = tuple(map(suits.index, IDENTITY))
                deals.setdefault(change(card, suits), Deal(change(card, suits), len(after.boards), back))
            after.boards.append((*board, card))
            after.stabilisers.append([suits for suits in group if change(card, suits) == card])
            after.parents.append(parent)
        after.deals.append([deals[card] for card in sorted(deals)])
    return after


def next_boards(boards: StreetBoards, changes: Sequence[Suits]) -> NextBoards:
    """The same as arrays; the suits of a deal by their place among `changes`."""
    every = [deal for deals in boards.deals for deal in deals]
    swap = [-1 if deal.suits == IDENTITY else changes.index(deal.suits) for deal in every]
    return NextBoards(
        np.searchsorted(boards.parents, np.arange(len(boards.deals) + 1)).astype(np.int64),
        np.cumsum([0, *map(len, boards.deals)]),
        np.array([deal.board for deal in every], dtype=np.int64),
        np.array(swap, dtype=np.int64),
    )


def width_of(hands: int) -> int:
    """Columns for so many hands: at least one more, and whole lanes."""
    return (hands // LANES + 1) * LANES


def hands_on(
    boards: StreetBoards, holes: Sequence[np.ndarray], changes: Sequence[Suits], *, ranked: bool
) -> tuple[Hands, Hands]:
    """Both players' hands on the boards of a street; `ranked` (on the last street) from worst to best."""
    count, widths = len(boards.boards), [width_of(len(hands)) for hands in holes]
    column = [_columns(hands) for hands in holes]
    visits = [np.zeros((count, width, 4), dtype=np.int16) for width in widths]
    alive = np.zeros((2, count), dtype=np.int64)
    groups: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for b, board in enumerate(boards.boards):
        strength = board_values(board) if ranked else possible(board)
        order = []
        for player, hands in enumerate(holes):
            clash = int((strength[hands] == 0).sum())
            listed = hands[np.roll(np.argsort(strength[hands], kind="stable"), -clash)]  # those that clash last
            alive[player, b] = n = len(hands) - clash
            order.append(strength[listed[:n]])
            visits[player][b, : len(hands), 0] = column[player][listed]
            visits[player][b, : len(hands), 1:3] = HOLES[listed]
            visits[player][b, : len(hands), 3] = column[1 - player][listed]
            visits[player][b, len(hands) :, 0] = np.arange(len(hands), widths[player])
        if ranked:
            for player in range(2):
                groups[player].append(_groups(order[player], order[1 - player]))
    first, second = (
        Hands(
            widths[player],
            visits[player] * np.int16(LANES),
            alive[player],
            np.concatenate([np.zeros((0, 3), dtype=np.int16), *groups[player]]),
            np.cumsum([0, *map(len, groups[player])]),
            swaps_of(holes[player], changes),
        )
        for player in range(2)
    )
    return first, second


def _columns(hands: np.ndarray) -> np.ndarray:
    """The column of each of the 1,326 hands; the last column, which is no hand's, for those that are not there."""
    column = np.full(COUNT, width_of(len(hands)) - 1, dtype=np.int16)
    column[hands] = np.arange(len(hands))
    return column


def swaps_of(hands: np.ndarray, changes: Sequence[Suits]) -> np.ndarray:
    """For every change of suits and every column, the column of the hand that it becomes."""
    width, column = width_of(len(hands)), _columns(hands)
    swaps = np.full((len(changes), width), width - 1, dtype=np.int16)
    for row, suits in enumerate(changes):
        swaps[row, : len(hands)] = column[renamed_holes(suits)[hands]]
    return swaps


def _groups(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Of the strengths of hands in order: where equal ones end, and where the opponent's worse and equal ones end."""
    values = np.unique(mine)
    ends = (
        np.searchsorted(mine, values, side="right"),
        np.searchsorted(theirs, values, side="left"),
        np.searchsorted(theirs, values, side="right"),
    )
    return np.stack(ends, axis=1).astype(np.int16)
