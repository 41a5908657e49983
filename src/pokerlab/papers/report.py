"""Tables beside the published ones, with a verdict a row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pokerlab.errors import PokerlabError

MATCHES, SOLVER_DEPENDENT, DIFFERS = "matches", "solver-dependent", "differs"

Figure = float | Mapping[str, float]


@dataclass(frozen=True)
class Row:
    """`paper` and `ours` are numbers, or numbers by column; `why` explains a verdict that is not a match."""

    label: str
    paper: Figure
    ours: Figure
    verdict: str
    why: str = ""


@dataclass(frozen=True)
class Table:
    """A published table and ours, in one unit."""

    name: str
    unit: str
    columns: Sequence[str]
    rows: Sequence[Row]

    def lines(self) -> list[str]:
        width = max(len(row.label) for row in self.rows)
        heads = [f"{who} {column}" for column in self.columns for who in ("paper", "ours")]
        lines = [f"{self.name} ({self.unit})", f"  {'':<{width}}  " + "  ".join(f"{h:>11}" for h in heads)]
        for row in self.rows:
            cells = [_cell(figure, column) for column in self.columns for figure in (row.paper, row.ours)]
            line = f"  {row.label:<{width}}  " + "  ".join(f"{cell:>11}" for cell in cells) + f"  {row.verdict}"
            lines.append(line + (f": {row.why}" if row.why else ""))
        return lines


def _cell(figure: Figure, column: str) -> str:
    value = figure[column] if isinstance(figure, Mapping) else figure
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
            (folder / f"{self.paper}.json").write_text(json.dumps(self.as_json(), indent=1) + "\n")
            for name, draw in self.figures.items():
                draw(folder / name)
        except OSError as error:
            raise PokerlabError(f"cannot write to {folder}: {error.strerror or error}") from None
