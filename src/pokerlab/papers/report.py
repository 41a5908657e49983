"""Tables beside the published ones, with a verdict a figure and the gravest of them a row."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pokerlab import plots
from pokerlab.errors import PokerlabError
from pokerlab.page import COLOURS
from pokerlab.papers.verdicts import COMPUTED, DIFFERS, FITTED, MATCHES, NOT_REACHED, TOO_ROUGH, Cell
from pokerlab.writing import replacing, why

MARKS = {
    MATCHES: "=",
    DIFFERS: "#",
    FITTED: "f",
    TOO_ROUGH: "?",
    NOT_REACHED: "-",
    COMPUTED: "",
}  # any other verdict: DEPENDS
DEPENDS = "~"
HUES = {  # on pages; what is only computed has none
    MATCHES: COLOURS[2],
    DIFFERS: COLOURS[1],
    FITTED: COLOURS[3],
    TOO_ROUGH: COLOURS[7],
    NOT_REACHED: COLOURS[7],
    DEPENDS: COLOURS[4],
}
_GRAVEST = (DIFFERS, NOT_REACHED, TOO_ROUGH, FITTED, DEPENDS, MATCHES)


@dataclass(frozen=True)
class Row:
    """Figures by column; `note` is a remark on a row of which nothing was published."""

    label: str
    cells: Mapping[str, Cell]
    note: str = ""

    @classmethod
    def computed(cls, label: str, figures: Mapping[str, float], note: str = "") -> Row:
        """A row of figures that the paper does not have."""
        return cls(label, {column: Cell(figure) for column, figure in figures.items()}, note)

    @property
    def ours(self) -> dict[str, float]:
        return {column: cell.ours for column, cell in self.cells.items()}

    @property
    def paper(self) -> dict[str, float] | None:
        """The published figures; None if there are none."""
        return {column: cell.paper.value for column, cell in self.published.items() if cell.paper} or None

    @property
    def published(self) -> dict[str, Cell]:
        """The cells that have a verdict to speak of."""
        return {column: cell for column, cell in self.cells.items() if cell.paper is not None}

    @property
    def verdict(self) -> str:
        verdicts = [cell.verdict for cell in self.published.values()]
        return min(verdicts, key=lambda verdict: _GRAVEST.index(kind_of(verdict)), default=COMPUTED)

    @property
    def why(self) -> str:
        """The reason, where one figure was published; else how many of them have each verdict."""
        cells = list(self.published.values())
        if len(cells) == 1:
            return "; ".join(filter(None, (cells[0].why, self.note)))
        counts = Counter(cell.verdict for cell in cells)
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) if len(counts) > 1 else ""
        return "; ".join(filter(None, (told, self.note)))

    def reasons(self) -> list[str]:
        """One line a figure that does not simply match, where several were published."""
        cells = self.published.items() if len(self.published) > 1 else ()
        return [f"{name}: {cell.verdict}: {cell.why}" for name, cell in cells if cell.why]

    def as_json(self) -> dict[str, Any]:
        cells = {column: cell.as_json() for column, cell in self.published.items()}
        plain = {"label": self.label, "paper": self.paper, "ours": self.ours, "verdict": self.verdict, "why": self.why}
        return plain | ({"cells": cells} if cells else {})


def kind_of(verdict: str) -> str:
    """A verdict, or DEPENDS for all those that name what they depend on."""
    return verdict if verdict in MARKS else DEPENDS


def mark(verdict: str) -> str:
    """One sign for a verdict, for tables that have no room for words."""
    return MARKS.get(verdict, DEPENDS)


LEGEND = "Signs below figures: = matches, ~ depends on what was varied, # differs, f fitted; the JSON has each reason."


@dataclass(frozen=True)
class Table:
    """A published table and ours, in one unit; `digits` after the point, or as many as a figure asks for."""

    name: str
    unit: str
    columns: Sequence[str]
    rows: Sequence[Row]
    digits: int | None = None

    def lines(self) -> list[str]:
        width = max(len(row.label) for row in self.rows)
        published = any(row.paper is not None for row in self.rows)
        whose = ("paper", "ours") if published else ("ours",)
        heads = [f"{who} {column}" if published else column for column in self.columns for who in whose]
        wide = [max(11, len(head)) for head in heads]
        titles = "  ".join(f"{head:>{w}}" for head, w in zip(heads, wide, strict=True))
        lines = [f"{self.name} ({self.unit})", f"  {'':<{width}}  {titles}"]
        for row in self.rows:
            figures = (row.paper or {}, row.ours) if published else (row.ours,)
            cells = [figure_text(figure.get(column), self.digits) for column in self.columns for figure in figures]
            line = "  ".join(f"{cell:>{w}}" for cell, w in zip(cells, wide, strict=True))
            lines.append(f"  {row.label:<{width}}  {line}  {row.verdict}" + (f": {row.why}" if row.why else ""))
            lines += [f"      {reason}" for reason in row.reasons()]
        return lines


def figure_text(value: float | None, digits: int | None = None) -> str:
    """A figure with so many digits after the point, or as many as it asks for; - where there is none."""
    if value is None:
        return "-"
    if digits is not None:
        return f"{value:.{digits}f}"
    if value and abs(value) < 0.01:
        return f"{value:.0e}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}".removesuffix("0")


@dataclass(frozen=True)
class Report:
    """A paper's tables; `notes` are lists of further findings by name, `figures` draw themselves to a file."""

    paper: str
    tables: Sequence[Table]
    notes: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    sentences: Sequence[str] = ()
    figures: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        tables = [
            {
                "name": table.name,
                "unit": table.unit,
                "columns": list(table.columns),
                "rows": [row.as_json() for row in table.rows],
            }
            for table in self.tables
        ]
        return {"paper": self.paper, "tables": tables, **{name: list(rows) for name, rows in self.notes.items()}}

    def lines(self) -> list[str]:
        lines = [self.paper]
        for table in self.tables:
            lines += ["", *table.lines()]
        return [*lines, "", *self.sentences] if self.sentences else lines

    def files(self, folder: Path) -> list[Path]:
        """What `write` writes into a folder: the tables first, and pictures where they can be drawn."""
        return [folder / f"{self.paper}.json", *(folder / name for name in self.figures if plots.can_draw())]

    def written(self, folder: Path) -> list[str]:
        """What was written, and why there are no pictures if there are none."""
        lines = [f"written to {file}" for file in self.files(folder)]
        return lines if plots.can_draw() or not self.figures else [*lines, plots.MISSING]

    def write(self, folder: Path) -> None:
        """The tables as JSON, and the figures, into a folder."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with replacing(folder / f"{self.paper}.json") as file:
                file.write((json.dumps(self.as_json(), indent=1) + "\n").encode())
            for name, draw in self.figures.items():
                draw(folder / name)
        except OSError as error:
            raise PokerlabError(f"cannot write to {folder}: {why(error)}") from None
