"""The usual chart of hands as text: 13 by 13 kinds, aces first, pairs on the diagonal and suited hands above it.

Of a strategy a cell has the two commonest actions with their percentages, as in `x62b38`, in the actions' colours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokerlab import page
from pokerlab.cards.deck import STANDARD_RANKS
from pokerlab.terminal import WIDTH, Line, Piece, plain

RANKS = STANDARD_RANKS[::-1]
_SYMBOLS = {"fold": "f", "check": "x", "call": "c", "all-in": "a"}


def chart_lines(cells: Sequence[Line]) -> list[Line]:
    """The chart of 169 cells, in the order of `holes.class_number`, under and beside the names of ranks."""
    wide = max(4, *(len(plain(cell)) for cell in cells)) + 1
    lines: list[Line] = ["  " + "".join(rank.rjust(wide) for rank in RANKS)]
    for row, rank in enumerate(RANKS):
        pieces = [Piece(f"{rank} ")]
        for cell in cells[13 * row : 13 * row + 13]:
            pieces.append(Piece(" " * (wide - len(plain(cell)))))
            pieces += [Piece(cell)] if isinstance(cell, str) else cell
        lines.append(pieces)
    return lines


def symbols(actions: Sequence[str]) -> list[str]:
    """A letter for each action: f, x, c and a for fold, check, call and all-in; b, d, e, ... for the sizes between."""
    sizes = iter("bdeghijklmnopqrstuvwyz")
    return [_SYMBOLS.get(action) or next(sizes, "?") for action in actions]


def mixed_cells(strategy: np.ndarray, actions: Sequence[str]) -> list[Line]:
    """A cell for each row (169, actions) of a strategy; a dot where it is nan: no such hand."""
    signs, colours = symbols(actions), page.action_colours(actions)
    return [_commonest(row, signs, colours) for row in strategy]


def _commonest(row: np.ndarray, signs: list[str], colours: list[str]) -> Line:
    """The two commonest actions, the commonest first; what rounds to nothing is left out."""
    if np.isnan(row[0]):
        return "."
    two = [int(action) for action in np.argsort(-row, kind="stable")[:2] if round(100 * row[action]) > 0]
    return [Piece(f"{signs[action]}{100 * row[action]:.0f}", colours[action]) for action in two]


def legend_lines(actions: Sequence[str], often: Sequence[float] | np.ndarray) -> list[Line]:
    """The letters in words, each with how often the whole range takes that action, a dash where that is not known; on
    as many lines as it takes.
    """
    lines: list[list[Piece]] = [[]]
    for sign, action, share, colour in zip(symbols(actions), actions, often, page.action_colours(actions), strict=True):
        words = f"{sign} {action} " + ("-" if np.isnan(share) else f"{100 * share:.1f} %")
        if sum(len(piece.text) for piece in lines[-1]) + 3 + len(words) > WIDTH:
            lines.append([])
        lines[-1] += [Piece("   ")] * bool(lines[-1]) + [Piece(words, colour)]
    return list(lines)
