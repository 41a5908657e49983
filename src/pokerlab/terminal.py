"""Text at a terminal: how wide it may be, and pieces of it that have a colour where colours are seen."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_SHORTEST = 8  # columns of a name that is cut short
_LAST_COLUMN = 70  # where the last column of a line that is folded may begin
WIDTH = 100  # columns: nothing that a command prints of its own is wider


class Piece(NamedTuple):
    """A part of a line, in a colour of the palette (`#rrggbb`) or in none."""

    text: str
    colour: str = ""


Line = str | Sequence[Piece]


def plain(line: Line) -> str:
    """A line without its colours."""
    return line if isinstance(line, str) else "".join(piece.text for piece in line)


def painted(line: Line) -> str:
    """A line with its colours, as codes that terminals know."""
    return line if isinstance(line, str) else "".join(map(_painted, line))


def _painted(piece: Piece) -> str:
    if not piece.colour:
        return piece.text
    red, green, blue = (int(piece.colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"\x1b[38;2;{red};{green};{blue}m{piece.text}\x1b[0m"


def wants_colour(is_terminal: bool) -> bool:
    """Whether colours are seen: at a terminal that is not told otherwise (NO_COLOR, or one that knows none)."""
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def folded(line: str) -> list[str]:
    """A line cut at spaces where it is too wide, what follows under its last column; words are never cut."""
    if len(line) <= WIDTH:
        return [line]
    columns = [gap.end() for gap in re.finditer(r"\S {2,}(?=\S)", line) if gap.end() <= _LAST_COLUMN]
    indent = " " * (columns[-1] if columns else len(line) - len(line.lstrip()) + 4)
    options = {"break_long_words": False, "break_on_hyphens": False, "drop_whitespace": True}
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, **options)  # type: ignore[arg-type]


def listed(parts: Iterable[str], indent: int = 0, between: str = ", ") -> list[str]:
    """Parts one after another, never cut, on lines that are not too wide."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1] + between + part + between.rstrip()) <= WIDTH:
            lines[-1] += between + part
        else:
            lines[-1:] = [lines[-1] + between.rstrip(), " " * indent + part] if lines else [part]
    return lines


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Rows of cells under each other, each column as wide as it must be; the first `left` ones are flush left.

    Where that is too wide, these are cut short.
    """
    wide = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    while sum(wide) + 2 * (len(wide) - 1) > WIDTH and max(wide[:left]) > _SHORTEST:
        wide[wide.index(max(wide[:left]))] -= 1
    return [
        "  ".join(
            _short(cell, size).ljust(size) if i < left else cell.rjust(size)
            for i, (cell, size) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]


def _short(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 3] + "..."
