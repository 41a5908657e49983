"""A paper's report as one page, from the JSON that `pokerlab paper` leaves: published figures beside ours, verdicts.

A figure of ours stands above the published one, in the colour of its verdict; what is not simply a match says why.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from pokerlab.page import cells, said, table
from pokerlab.page import page as whole_page
from pokerlab.papers import PAPERS
from pokerlab.papers.report import HUES, figure_text, kind_of
from pokerlab.reading import Header, number, refuse

_STYLE = """
.beside td { vertical-align: top; } .beside small { display: block; color: var(--quiet); font-size: .8rem; }
.beside .why { white-space: normal; min-width: 16rem; max-width: 42rem; text-align: left; font-size: .87rem; }
.beside th:last-child, .beside td.verdicts { text-align: left; }
.verdict { display: inline-block; border-radius: 5px; padding: 0 .45em; white-space: nowrap; }
img { max-width: 100%; background: #fff; border-radius: 6px; }
"""


def page(told: Header, pictures: Sequence[bytes] = ()) -> str:
    """The whole page; `pictures` are SVG. What is no report is `reading.Damage`."""
    name = told.text("paper")
    tables = [Header(each) if isinstance(each, dict) else refuse("a table", each) for each in told.entries("tables")]
    parts = [said(name), _verdicts(tables)]
    for each in tables:
        parts += [f"<h2>{escape(each.text('name'))}</h2>", said(each.text("unit")), _table(each)]
    parts += [f'<p><img alt="A figure" src="data:image/svg+xml;base64,{_plain(one)}"></p>' for one in pictures]
    for other, rows in told.items():
        if isinstance(rows, list) and other not in ("tables", "files") and all(isinstance(row, dict) for row in rows):
            parts += [f"<h2>{escape(other.replace('_', ' ').capitalize())}</h2>", _notes(rows)]
    return whole_page(PAPERS[name].title if name in PAPERS else name, parts, _STYLE)


def _plain(picture: bytes) -> str:
    return base64.b64encode(picture).decode()


def _rows(told: Header) -> list[Header]:
    return [Header(row) if isinstance(row, dict) else refuse("a row", row) for row in told.entries("rows")]


def _published(row: Header) -> dict[str, Header]:
    """The cells of a row of which something was published."""
    given = row.get("cells", {})
    if not isinstance(given, dict):
        refuse("cells: a table", given)
    return {name: Header(cell) if isinstance(cell, dict) else refuse("a cell", cell) for name, cell in given.items()}


def _verdicts(tables: Sequence[Header]) -> str:
    """How many figures have each verdict."""
    counts = Counter(
        cell.text("verdict") for told in tables for row in _rows(told) for cell in _published(row).values()
    )
    told = [f"{_verdict(verdict)} {count}" for verdict, count in counts.most_common()]
    return f"<p>Figures beside published ones: {', '.join(told)}.</p>" if told else said("Nothing to compare with.")


def _hue(verdict: str) -> str:
    return f"{HUES[kind_of(verdict)]}33"


def _verdict(verdict: str) -> str:
    if kind_of(verdict) not in HUES:
        return ""
    return f'<span class=verdict style="background: {_hue(verdict)}">{escape(verdict)}</span>'


def _table(told: Header) -> str:
    columns = told.texts("columns")
    compared = any(_published(row) for row in _rows(told))
    head = ["", *columns, *(["verdict", "why"] if compared else ["remark"])]
    return table(head, (_row(row, columns, compared) for row in _rows(told)), "beside")


def _row(row: Header, columns: Sequence[str], compared: bool) -> str:
    ours, published, cells_of = row.table("ours"), row["paper"] or {}, _published(row)
    if not isinstance(published, dict):
        refuse("paper: a table", published)
    parts = [f"<td class=name>{escape(row.text('label'))}</td>"]
    parts += [_cell(ours.get(column), published.get(column), cells_of.get(column)) for column in columns]
    reasons = [row.text("why"), *_reasons(cells_of)]
    parts += [f"<td class=verdicts>{_verdict(row.text('verdict'))}</td>"] if compared else []
    return "".join(parts) + f"<td class=why>{'<br>'.join(escape(why) for why in reasons if why)}</td>"


def _reasons(cells_of: dict[str, Header]) -> Iterator[str]:
    """Of rows with several published figures, one line for each that does not simply match."""
    if len(cells_of) > 1:
        yield from (f"{name}: {cell.text('verdict')}: {why}" for name, cell in cells_of.items() if (why := cell["why"]))


def _cell(ours: Any, paper: Any, compared: Header | None) -> str:
    text = "" if ours is None else figure_text(number(ours, "ours"))
    if compared is None or paper is None:
        return f"<td>{text}</td>"
    look = f'style="background: {_hue(compared.text("verdict"))}"'
    return f"<td {look}>{text}<small>paper {figure_text(number(paper, 'paper'))}</small></td>"


def _notes(rows: Sequence[dict[str, Any]]) -> str:
    heads = list(dict.fromkeys(key for row in rows for key in row))
    return table(heads, (cells([_told(row.get(key)) for key in heads]) for row in rows))


def _told(value: Any) -> str:
    if isinstance(value, float):
        return figure_text(value)
    return "" if value is None else str(value)
