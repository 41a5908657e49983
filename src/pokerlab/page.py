"""One skeleton for all pages: head and style sheet, tables, pictures as inline SVG, the chart of hands; one palette.

Pages are self-contained: no fonts, nothing from elsewhere, no script but that of tables that sort and filter, of which
the page itself says that it is the only one; light or dark as the reader's system is.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape

# Okabe and Ito's colours first, told apart by most colour-blind readers; all are seen on white and on black.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#7f7f7f", "#9467bd", "#a6a600")
ACTIONS = {"fold": "#4a86b8", "check": "#4d9e63", "call": "#4d9e63", "all-in": "#8c1c1c"}
BETS = ("#e8a08a", "#dd7f68", "#cc5a4a", "#b23a34")  # from small to large
GAIN, LOSS = (33, 102, 172), (178, 24, 43)
BLUE = (45, 125, 196)  # of heat maps
SCALE = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))  # weak to strong (viridis)
RANKS = "AKQJT98765432"
MARK = '<meta name="generator" content="pokerlab">'  # by which a page is known for one of ours

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --quiet: #5b5b5b; --paper: #fff; --line: #dcdcdc; --axis: #8a8a8a;
        --mark: #1f6fb2; --soft: #1f6fb233; --pale: #f1f1f1; --hearts: #a81c1c; --diamonds: #174c9e; --clubs: #145a2a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --quiet: #a6a6a6; --paper: #16181b; --line: #33373c;
        --axis: #7d838a; --mark: #58a6e6; --soft: #58a6e633; --pale: #24272b; --hearts: #ff8a80; --diamonds: #82b1ff;
        --clubs: #7bd89a; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1160px;
       margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.3rem 0 .4rem; } h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p { margin: .3rem 0 .7rem; max-width: 105ch; } .quiet { color: var(--quiet); font-size: .9rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .36rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; } .name { text-align: left; } thead th, thead td { border-bottom: 2px solid var(--axis); }
svg { display: block; max-width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--quiet); }
.axis { stroke: var(--axis); } .rule { stroke: var(--line); }
@media (max-width: 560px) { body { margin: .8rem auto; padding: 0 .8rem; } h1 { font-size: 1.25rem; }
       h2 { margin-top: 1.6rem; } th, td { padding: .3rem .45rem; } .wide > svg { max-width: none; } }
"""


# Tables of class `sorts` are put in the order of the column whose head is clicked. Controls hide rows of tables of
# class `filters`: data-filter names a kind, whose word a row has as data-KIND, or is `name`, any part of a row's
# data-name. The foot has weighted means of the rows that are left, by data-weight, and times data-reach where a cell
# says so.
SCRIPT = r"""
"use strict";
const number = cell => cell.dataset.v === undefined ? NaN : Number(cell.dataset.v);
for (const table of document.querySelectorAll("table.sorts")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => row.cells[column];
      const compare = (one, two) => {
        const a = number(key(one)), b = number(key(two));
        if (Number.isNaN(a) && Number.isNaN(b)) {
          return (key(one).dataset.v === undefined && key(two).dataset.v === undefined)
            ? -key(one).textContent.localeCompare(key(two).textContent) : 0;
        }
        return Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b;
      };
      body.append(...[...body.rows].sort((one, two) => down ? compare(two, one) : compare(one, two)));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") {
      event.preventDefault(); sort(); } });
  });
}
const controls = [...document.querySelectorAll("[data-filter]")];
const shown = row => controls.every(control => {
  const wanted = control.value.replace(/\s/g, "").toLowerCase(), kind = control.dataset.filter;
  const mine = (row.dataset[kind] || "").toLowerCase();
  return !wanted || (kind === "name" ? mine.includes(wanted) : mine === wanted);
});
const renew = table => {
  let count = 0, weight = 0;
  const foot = table.tFoot && table.tFoot.rows[0];
  const sums = foot ? [...foot.cells].map(() => [0, 0]) : [];
  for (const row of table.tBodies[0].rows) {
    row.hidden = !shown(row);
    if (row.hidden) continue;
    count += 1;
    weight += Number(row.dataset.weight);
    if (foot) [...foot.cells].forEach((cell, i) => {
      const value = number(row.cells[i]);
      if (!cell.dataset.mean || Number.isNaN(value)) return;
      const much = Number(row.dataset.weight) * (cell.dataset.mean === "reach" ? Number(row.dataset.reach) : 1);
      sums[i][0] += much * value;
      sums[i][1] += much;
    });
  }
  if (!foot) return;
  [...foot.cells].forEach((cell, i) => {
    if (cell.dataset.mean) cell.textContent = sums[i][1] > 0
      ? (Number(cell.dataset.times) * sums[i][0] / sums[i][1]).toFixed(Number(cell.dataset.places)) : "";
    if (cell.dataset.sum) cell.textContent = (100 * weight).toFixed(1);
    if (cell.dataset.count) cell.textContent = count + (count === 1 ? " board" : " boards");
  });
};
const renewAll = () => document.querySelectorAll("table.filters").forEach(renew);
for (const control of controls) control.addEventListener("input", renewAll);
for (const row of document.querySelectorAll("tr[data-choose]")) row.addEventListener("click", () => {
  for (const control of controls) control.value = control.dataset.filter === row.dataset.choose ? row.dataset.word : "";
  renewAll();
});
renewAll();
"""


def source_of(script: str) -> str:
    """How a policy of content security names a script that may run: by its digest."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def page(title: str, parts: Iterable[str], style: str = "", script: str = "") -> str:
    """A whole page under its title, with `style` beside what all pages share, and a script if it needs one."""
    head = f'<meta charset="utf-8">{MARK}<title>{escape(title)}</title>'
    if script:
        policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {source_of(script)}; base-uri 'none'"
        head += f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        parts = [*parts, f"<script>{script}</script>"]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}<meta name="viewport" content="width=device-width, '
        f'initial-scale=1"><style>{STYLE}{style}</style></head>\n<body><main>\n<h1>{escape(title)}</h1>'
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def said(text: str) -> str:
    """A paragraph of explanation."""
    return f"<p class=quiet>{escape(text)}</p>"


def table(head: Sequence[str], rows: Iterable[str], kind: str = "", left: int = 1, foot: str = "") -> str:
    """Rows of `cells` or <td> elements, or whole <tr> elements, under a head, and the cells of a row below; the first
    `left` columns of the head are flush left.
    """
    names = "".join(
        f"<th{' class=name' if i < left else ''}>{escape(text)}</th>" if text else "<td></td>"
        for i, text in enumerate(head)
    )
    body = "\n".join(row if row.startswith("<tr") else f"<tr>{row}</tr>" for row in rows)
    last = f"\n<tfoot><tr>{foot}</tr></tfoot>" if foot else ""
    inside = f"<thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody>{last}"
    return scrolled(f"<table class='{kind}'>{inside}</table>")


def cells(texts: Iterable[str], left: int = 1) -> str:
    """The cells of a row of plain text."""
    return "".join(f"<td{' class=name' if i < left else ''}>{escape(text)}</td>" for i, text in enumerate(texts))


def svg(width: float, height: float, about: str, parts: Iterable[str]) -> str:
    """A picture, told to those who do not see it."""
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" aria-label="{escape(about)}">'
        f"{body}</svg>"
    )


def scrolled(inside: str) -> str:
    """What may be wider than the page, with a bar of its own; also for who has no mouse."""
    return f"<div class=wide tabindex=0>{inside}</div>"


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    """Words in a picture."""
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def upright(x: float, y: float, words: str) -> str:
    """Words beside an axis, read from below."""
    turned = f'transform="translate({x:.0f} {y:.0f}) rotate(-90)"'
    return f'<text {turned} text-anchor="middle">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "rule") -> str:
    """A straight line in a picture, an `axis` or a `rule`."""
    return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def action_colours(actions: Sequence[str]) -> list[str]:
    """The colour of each action: what is not named in ACTIONS is a bet, the redder the larger it is."""
    bets = [action for action in actions if action not in ACTIONS]
    reds = {bet: BETS[len(BETS) * i // len(bets)] for i, bet in enumerate(bets)}
    return [ACTIONS.get(action) or reds[action] for action in actions]


def scale_colour(part: float) -> tuple[int, ...]:
    """Red, green and blue of a place on the scale from weak (0) to strong (1)."""
    place = min(max(part, 0.0), 1.0) * (len(SCALE) - 1)
    low = min(int(place), len(SCALE) - 2)
    return tuple(round(a + (place - low) * (b - a)) for a, b in zip(SCALE[low], SCALE[low + 1], strict=True))


def legend(names: Iterable[str], colours: Iterable[str]) -> str:
    """What the colours stand for; needs no style sheet."""
    square = "display: inline-block; width: .8em; height: .8em; margin: 0 .4em 0 0"
    parts = (
        f'<span style="margin-right: 1.2em"><span style="{square}; background: {colour}"></span>{escape(name)}</span>'
        for name, colour in zip(names, colours, strict=True)
    )
    return f"<p>{''.join(parts)}</p>"


def chart(mixes: Sequence[Sequence[float] | None], colours: Sequence[str], tips: Sequence[str]) -> str:
    """The usual chart of 13 by 13 kinds of hands, pairs on the diagonal and suited hands above it.

    Each kind is cut into the colours by its mix, or empty (None), and tells its tip when pointed at. Needs no style
    sheet, so that a notebook shows it too.
    """
    rows = []
    for row in range(13):
        parts = []
        for column in range(13):
            kind = 13 * row + column
            high, low = RANKS[min(row, column)], RANKS[max(row, column)]
            name = high + low + ("" if row == column else "s" if column > row else "o")
            mix = mixes[kind]
            look = "background: #8881" if mix is None else f"background: {cut(mix, colours)}; color: #fff"
            parts.append(f'<td style="{look}; {_CELL}" title="{escape(tips[kind])}">{name}</td>')
        rows.append(f"<tr>{''.join(parts)}</tr>")
    return f'<table style="border-collapse: collapse"><tbody>\n{chr(10).join(rows)}\n</tbody></table>'


_CELL = "width: 2.6em; height: 2.2em; padding: 0; text-align: center; font-size: 12px; border: 1px solid #8884"


def cut(mix: Sequence[float], colours: Sequence[str]) -> str:
    """A background of stripes as wide as the parts of a mix."""
    stops, at = [], 0.0
    for share, colour in zip(mix, colours, strict=True):
        if share > 0.0005:
            stops.append(f"{colour} {100 * at:.1f}% {100 * (at + share):.1f}%")
        at += share
    return f"linear-gradient(to right, {', '.join(stops)})"
