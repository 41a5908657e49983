"""The report of many spots as files: a page whose tables sort and filter, comma-separated values, and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from pokerlab import page
from pokerlab.cards.deck import Deck
from pokerlab.cards.flops import KINDS
from pokerlab.notebook import Table
from pokerlab.refine.spots.aggregate import FIGURES, Aggregate, Decision, Mean, told
from pokerlab.refine.spots.frames import UNITS
from pokerlab.refine.spots.runouts import Runouts
from pokerlab.refine.spots.spot import PLAYERS
from pokerlab.writing import replacing

_DECK = Deck()
STYLE = """
.sorts thead th { cursor: pointer; user-select: none; position: sticky; top: 0; background: var(--paper); }
.sorts thead th:hover, .sorts thead th:focus-visible { color: var(--mark); }
.sorts thead th[aria-sort]::after { content: " \\2193"; }
.sorts thead th[aria-sort=ascending]::after { content: " \\2191"; }
.sorts { font-size: .92rem; } .sorts td, .sorts th { padding: .25rem .45rem; }
.sorts tbody tr:hover { background: var(--pale); }
tfoot td { font-weight: 600; border: 0; position: sticky; bottom: 0; background: var(--pale); }
.mix { min-width: 7rem; padding: 0 .3rem !important; }
.mix span { display: block; height: 1.05em; border-radius: 2px; }
.cards { font-weight: 600; letter-spacing: .02em; }
.cards .s { color: var(--ink); } .cards .h { color: var(--hearts); }
.cards .d { color: var(--diamonds); } .cards .c { color: var(--clubs); }
.filters-bar { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: 1rem 0 .2rem;
  padding: .7rem .9rem; background: var(--pale); border-radius: 6px; }
.filters-bar label { display: flex; flex-direction: column; font-size: .8rem; color: var(--quiet); }
.filters-bar input, .filters-bar select { font: inherit; font-size: .95rem; color: var(--ink); background: var(--paper);
  border: 1px solid var(--line); border-radius: 4px; padding: .2rem .4rem; min-width: 7rem; }
.tall .wide { overflow: visible; }
.tall { max-height: 36rem; overflow: auto; border: 1px solid var(--line); border-radius: 6px; }
tr[data-choose] { cursor: pointer; } .total td { font-weight: 600; }
"""
_SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


def write_report(report: Aggregate, folder: str | Path) -> list[str]:
    """Write the report's files into a folder; their names."""
    texts = {
        "boards.csv": _csv(report, Decision.table),
        "textures.csv": _csv(report, Decision.texture_table),
        "hands.csv": _csv(report, Decision.class_table),
        "report.json": json.dumps(report.summary(), indent=1) + "\n",
        "report.html": report_page(report, Path(folder).name),
    }
    for name, text in texts.items():
        with replacing(Path(folder) / name) as file:
            file.write(text.encode())
    return list(texts)


def _csv(report: Aggregate, table_of: Callable[[Decision], Table]) -> str:
    """A table of all decisions, with line and player in front; an action that a decision has not is empty there."""
    tables = [(each, table_of(each)) for each in report.decisions]
    columns = tuple(dict.fromkeys(column for _, table in tables for column in table.columns))
    rows = (
        (
            ", ".join(each.line),
            PLAYERS[each.player],
            *(dict(zip(table.columns, row, strict=True)).get(column) for column in columns),
        )
        for each, table in tables
        for row in table.rows
    )
    return Table("", ("line", "player", *columns), rows).csv()


def report_page(report: Aggregate, name: str) -> str:
    """The page."""
    seconds = sum(each.seconds for each in report.reports)
    worst = max(each.exploitability for each in report.reports)
    parts = [
        page.said(
            f"{len(report.reports):,} spots, solved in {seconds:,.0f} s, none exploitable for more than {worst:.2f} % "
            "of its pot. Means count each board for the deals that it stands for, and for how often play comes to the "
            "decision. Values are chips from the decision on, equities and frequencies per cent. A click on a column's "
            "head sorts, one on a texture filters."
        ),
        *map(page.said, filter(None, [report.told_left_out])),
        _controls(report),
    ]
    for each in report.decisions:
        parts += _decision(each)
    return page.page(f"Spots: {name}", parts, STYLE, page.SCRIPT)


def runouts_page(report: Runouts) -> str:
    """The page of every card that may come."""
    each, mean = report.decision, report.mean()
    colours = page.action_colours(each.actions)
    often = [f"{action} {100 * p:.1f} %" for action, p in zip(each.actions, mean.frequencies, strict=True)]
    rows = [
        f'<tr data-name="{row.name}" data-weight="{row.weight:.9g}" data-reach="1">'
        f"<td class=name>{_cards(row.board[-1:])}</td>"
        + _numbers(("weight", *FIGURES[1:]), (row.weight, *row.figures.ev, *row.figures.equity))
        + _mix(each.frequencies(row).tolist(), colours)
        + _numbers(each.actions, each.frequencies(row).tolist())
        + "</tr>"
        for row in each.rows
    ]
    means = "".join(_foot(column, "weight") for column in FIGURES[1:])
    foot = "<td class=name>mean</td><td data-sum=1></td>" + means + "<td></td>"
    foot += "".join(_foot(action, "weight") for action in each.actions)
    head = ("card", "weight", *FIGURES[1:], "mix", *each.actions)
    said = page.said(
        f"The first decision after each card that may come. Values are {UNITS[report.unit]} from there on, equities "
        "and frequencies per cent, the weight how likely the card is. A click on a column's head sorts."
    )
    parts = [said, page.legend(often, colours), page.table(head, rows, "sorts filters", foot=foot)]
    return page.page(report.title, parts, STYLE, page.SCRIPT)


def _controls(report: Aggregate) -> str:
    textures = [row.texture for each in report.decisions for row in each.rows]
    selects = []
    for kind, words in KINDS.items():
        present = [word for word in words if any(getattr(texture, kind) == word for texture in textures)]
        choices = "".join(f"<option>{word}</option>" for word in present)
        selects.append(
            f'<label>{kind}<select data-filter="{kind}"><option value="">all</option>{choices}</select></label>'
        )
    search = '<label>board<input data-filter="name" placeholder="such as Ks8" size="10" autocomplete="off"></label>'
    return f'<div class="filters-bar">{search}{"".join(selects)}</div>'


def _decision(each: Decision) -> list[str]:
    colours, mean = page.action_colours(each.actions), each.mean()
    often = [f"{action} {100 * p:.1f} %" for action, p in zip(each.actions, mean.frequencies, strict=True)]
    came = "" if mean.reach > 0.9995 else f" It comes up {100 * mean.reach:.1f} % of the time."
    return [
        f"<h2>{escape(each.title)}</h2>",
        page.said(
            f"On the mean oop has {mean.ev[0]:.2f} chips and an equity of {100 * mean.equity[0]:.1f} %, "
            f"ip {mean.ev[1]:.2f} and {100 * mean.equity[1]:.1f} %.{came}"
        ),
        page.legend(often, colours),
        "<h3>Boards</h3>", f'<div class="tall">{_boards(each, colours)}</div>',
        "<h3>Textures</h3>", _textures(each, colours),
        "<h3>Hands</h3>", _classes(each, colours),
    ]  # fmt: skip


def _columns(each: Decision) -> tuple[str, ...]:
    """The figures that are shown: not how likely play comes here where it always does."""
    return FIGURES[each.mean().reach > 0.9995 :]


def _boards(each: Decision, colours: Sequence[str]) -> str:
    columns = _columns(each)
    head = ("board", *KINDS, "weight", *columns, "mix", *each.actions)
    rows = []
    for row in each.rows:
        figures, often = row.figures, each.frequencies(row).tolist()
        words = " ".join(f'data-{kind}="{word}"' for kind, word in row.texture._asdict().items())
        board = _DECK.text(row.board)
        file = "" if row.name == board else f" {escape(row.name)}"  # a file is told from others on its board
        rows.append(
            f'<tr data-name="{board}{file}" data-weight="{row.weight:.9g}" data-reach="{figures.reach:.9g}" '
            f"{words}><td class=name>{_cards(row.board)}{file}</td>{page.cells(row.texture, left=4)}"
            + _number("weight", row.weight)
            + _numbers(columns, (figures.reach, *figures.ev, *figures.equity)[-len(columns) :])
            + _mix(often, colours)
            + _numbers(each.actions, often)
            + "</tr>"
        )
    means = "".join(_foot(column, "weight" if column == "reach" else "reach") for column in columns)
    foot = f"<td class=name data-count=1></td>{'<td></td>' * len(KINDS)}<td data-sum=1></td>{means}<td></td>" + "".join(
        _foot(action, "reach") for action in each.actions
    )
    return page.table(head, rows, "sorts filters", left=5, foot=foot)


def _foot(column: str, by: str) -> str:
    chips = column.startswith("ev")
    return f'<td data-mean="{by}" data-times="{1 if chips else 100}" data-places="{2 if chips else 1}"></td>'


def _textures(each: Decision, colours: Sequence[str]) -> str:
    columns = _columns(each)
    head = ("texture", "boards", "weight", *columns, "mix", *each.actions)

    def row(opened: str, word: str, mean: Mean) -> str:
        figures = _numbers(columns, (mean.reach, *mean.ev, *mean.equity)[-len(columns) :])
        often = _mix(mean.frequencies, colours) + _numbers(each.actions, mean.frequencies)
        counted = _number("", mean.boards) + _number("weight", mean.weight)
        return f"{opened}<td class=name>{word}</td>{counted}{figures}{often}</tr>"

    rows = [row("<tr class=total data-choose=all>", "all", each.mean())]
    rows += [row(f'<tr data-choose="{kind}" data-word="{word}">', word, mean) for kind, word, mean in each.by_texture()]
    return page.table(head, rows, "sorts")


def _classes(each: Decision, colours: Sequence[str]) -> str:
    head = ("hands", "share", "ev", "equity", "mix", *each.actions)
    rows = [
        f"<td class=name>{escape(one.name)}</td>{_numbers(head[1:4], (one.share, one.ev, one.equity))}"
        + _mix(one.frequencies, colours)
        + _numbers(each.actions, one.frequencies)
        for one in each.by_class()
    ]
    return page.table(head, rows, "sorts")


def _cards(board: Iterable[int]) -> str:
    texts = [_DECK.text([card]) for card in board]
    cards = " ".join(f'<span class="{text[1]}">{text[0]}{_SIGNS[text[1]]}</span>' for text in texts)
    return f'<span class="cards">{cards}</span>'


def _number(column: str, value: Any) -> str:
    known = value == value
    return f'<td data-v="{value:.9g}">{told(column, value)}</td>' if known else "<td></td>"


def _numbers(columns: Sequence[str], values: Iterable[float]) -> str:
    return "".join(_number(column, value) for column, value in zip(columns, values, strict=True))


def _mix(often: Sequence[float], colours: Sequence[str]) -> str:
    if not sum(often) > 0:
        return "<td></td>"
    return f'<td class=mix data-v="{often[-1]:.9g}"><span style="background: {page.cut(often, colours)}"></span></td>'
