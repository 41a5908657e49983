"""The usual chart of hands as text: 13 by 13 kinds, aces first, pairs on the diagonal and suited hands above it."""

from __future__ import annotations

from collections.abc import Sequence

from pokerlab.cards.deck import STANDARD_RANKS
from pokerlab.terminal import Line, Piece, plain

RANKS = STANDARD_RANKS[::-1]


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
