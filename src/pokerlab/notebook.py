"""Results as tables for a person: HTML in a notebook, a pandas frame when one is asked for."""

from __future__ import annotations

import csv
import io
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from html import escape
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from pokerlab.errors import PokerlabError

if TYPE_CHECKING:
    import pandas

MOST = 60  # rows that a notebook shows
_LEFT, _RIGHT = 'style="text-align: left"', 'style="text-align: right"'


class Table(NamedTuple):
    """Rows under the names of their columns; None is an empty cell. Rows may be made only as they are taken."""

    caption: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]

    def html(self) -> str:
        """The first rows; text is on the left, numbers are on the right."""
        rows = list(islice(self.rows, MOST + 1))
        sides = [_LEFT if any(isinstance(row[i], str) for row in rows) else _RIGHT for i in range(len(self.columns))]

        def line(kind: str, texts: Iterable[str]) -> str:
            cells = (f"<{kind} {side}>{text}</{kind}>" for side, text in zip(sides, texts, strict=True))
            return f"<tr>{''.join(cells)}</tr>"

        head, lines = line("th", map(escape, self.columns)), [line("td", map(_cell, row)) for row in rows[:MOST]]
        more = f"<p>the first {MOST} rows; to_pandas() has all of them</p>" if len(rows) > MOST else ""
        return (
            f'<table><caption {_LEFT}>{escape(self.caption)}</caption><thead>{head}</thead>\n<tbody>\n'
            + "\n".join(lines) + f"\n</tbody></table>{more}"
        )  # fmt: skip

    def csv(self) -> str:
        """All of it as comma-separated values; what is not known is empty."""
        text = io.StringIO()
        rows = ([None if value != value else value for value in row] for row in self.rows)
        csv.writer(text, lineterminator="\n").writerows(chain([self.columns], rows))
        return text.getvalue()

    def to_pandas(self) -> pandas.DataFrame:
        try:
            import pandas
        except ImportError:
            raise PokerlabError("to_pandas() needs pandas: pip install 'pokerlab[notebook]'") from None
        frame = pandas.DataFrame(list(self.rows), columns=list(self.columns))
        frame.attrs["caption"] = self.caption
        return frame


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else escape(str(value))


class Tabular(ABC):
    """Base of results that are looked at as a table."""

    @abstractmethod
    def table(self) -> Table: ...

    def to_pandas(self) -> pandas.DataFrame:
        """The whole table as a data frame."""
        return self.table().to_pandas()

    def _repr_html_(self) -> str:
        return self.table().html()
