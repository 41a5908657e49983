"""Figures in README and docs, and where they say that they come from.

Above a table of figures, or a paragraph that has one with a unit of time, speed, memory or winnings, stands how a
reader gets it: `<!-- measured: COMMIT DATE: COMMAND -->`, or `<!-- printed: COMMAND -->` where the command gives the
same figures everywhere. A paper's page is its report's, and held to it by the tests of that paper.
"""

import re
from pathlib import Path
from typing import NamedTuple

from pokerlab.papers import PAPERS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").glob("*.md") if page.stem not in PAPERS)]
MARK = re.compile(r"<!-- (?:measured: (?P<commit>[0-9a-f]{7,}) (?P<date>\d{4}-\d\d-\d\d)|printed): (?P<command>.*) -->")
AMOUNT = r"(?<![\w.=])\d[\d,.]*(?: million| billion)?"
UNIT = r" (?:us|ms|s|mb/h|mbb/h|MB|MiB|GB|GiB)\b"
SPEED = r" [a-z' -]*(?:hands|indices|iterations|deals)(?:/s| a second)"
FIGURE = re.compile(rf"{AMOUNT}(?:{UNIT}|{SPEED})|\d\.\d\d+ chips")


class Block(NamedTuple):
    """A paragraph or a table, the page it is on, and what stands above it."""

    page: Path
    text: str
    mark: re.Match[str] | None

    @property
    def table(self) -> list[list[str]]:
        """Rows of cells, the header first; nothing if it is no table."""
        rows = [row for row in self.text.splitlines() if row.startswith("|")]
        cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
        return [row for row in cells if set("".join(row)) - set("-")]

    @property
    def of_figures(self) -> bool:
        if not self.table:
            return not self.text.startswith("#") and bool(FIGURE.search(self.text))
        for column in zip(*self.table[1:], strict=True):
            cells = [cell for cell in column if cell]
            if 2 * sum(bool(re.match(r"[-+±]?\d", cell)) for cell in cells) >= max(1, len(cells)):
                return True
        return False

    def __str__(self) -> str:
        return f"{self.page.name}: {self.text[:60]!r}"


def blocks(page: Path, text: str) -> list[Block]:
    """What is parted by empty lines, code left out; a list's items are one block."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    parted = []
    for piece in re.split(r"\n\s*\n", text):
        first, _, rest = piece.strip().partition("\n")
        mark = MARK.fullmatch(first)
        parted.append(Block(page, rest if mark else piece.strip(), mark))
    return parted


BLOCKS = [block for page in PAGES for block in blocks(page, page.read_text())]
MARKED = [block for block in BLOCKS if block.mark]


def agrees(cell: str, printed: str) -> bool:
    """Whether a cell is the one printed, whose `…` may be any text."""
    return bool(re.fullmatch(".*".join(re.escape(part) for part in printed.split("…")), cell))
