"""Tables beside the published ones, with a verdict a row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pokerlab.errors import PokerlabError
from pokerlab.writing import replacing, why

MATCHES, SOLVER_DEPENDENT, DIFFERS = "matches", "solver-dependent", "differs"
COMPUTED = "computed"  # nothing was published to compare with

Figure = float | Mapping[str, float]


@dataclass(frozen=True)
class Row:
    """`paper` (None: not published) and `ours` are numbers, or numbers by column; `why` explains the verdict."""

    label: str
    paper: Figure | None
    ours: Figure
    verdict: str
    why: str = ""


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
            figures = (row.paper, row.ours) if published else (row.ours,)
            cells = [_cell(figure, column, self.digits) for column in self.columns for figure in figures]
            line = "  ".join(f"{cell:>{w}}" for cell, w in zip(cells, wide, strict=True))
            lines.append(f"  {row.label:<{width}}  {line}  {row.verdict}" + (f": {row.why}" if row.why else ""))
        return lines


def _cell(figure: Figure | None, column: str, digits: int | None) -> str:
    value = figure.get(column) if isinstance(figure, Mapping) else figure
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
                "rows": [
                    {"label": r.label, "paper": r.paper, "ours": r.ours, "verdict": r.verdict, "why": r.why}
                    for r in table.rows
                ],
            }
            for table in self.tables
        ]
        return {"paper": self.paper, "tables": tables, **{name: list(rows) for name, rows in self.notes.items()}}

    def lines(self) -> list[str]:
        lines = [self.paper]
        for table in self.tables:
            lines += ["", *table.lines()]
        return [*lines, "", *self.sentences] if self.sentences else lines

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
