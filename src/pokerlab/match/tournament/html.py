"""A tournament as one self-contained page: no scripts, no fonts, nothing from elsewhere; plots are inline SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise

import numpy as np

from pokerlab.match.tournament.play import Plan
from pokerlab.match.tournament.standings import LEVEL, Cell, Round, RunOff, Standings

# Okabe and Ito's colours first, told apart by most colour-blind readers; when all are used, lines are dashed.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b", "#7f7f7f",
            "#6a3d9a", "#a6a600")  # fmt: skip
_DASHES = ("", "7 4", "2 3")
_GAIN, _LOSS = (33, 102, 172), (178, 24, 43)

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 1200px;
       margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; }
p { margin: .3rem 0 .7rem; max-width: 105ch; } .quiet { color: #5b5b5b; font-size: .9rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .38rem .7rem; text-align: right; border-bottom: 1px solid #e3e3e3; white-space: nowrap; }
th { font-weight: 600; } th.name, td.name { text-align: left; } thead th { border-bottom: 2px solid #9a9a9a; }
.heat td, .heat th { border: 2px solid #fff; text-align: center; line-height: 1.25; padding: .3rem; }
.heat td { min-width: 5rem; }
.heat td.name { text-align: left; } .heat th, .heat td.name { white-space: normal; overflow-wrap: anywhere; }
.heat th { max-width: 6rem; } .heat td.name { max-width: 14rem; } .heat td.self { background: #f1f1f1; }
.heat small { display: block; font-size: .78rem; } sup { line-height: 0; }
.dot { display: inline-block; width: .75em; height: .75em; border-radius: 50%; margin-right: .45em; }
.out { background: #f8dfe1; } .won { background: #dcebf7; font-weight: 600; } .gone { color: #b5b5b5; }
svg { width: 100%; height: auto; display: block; } svg text { font: 13px system-ui, sans-serif; fill: #333; }
"""


def page(plan: Plan, standings: Standings, headline: str) -> str:
    """The whole page."""
    s = standings
    title = escape(f"Tournament: {plan.rules.name}")
    sections = [
        (title, "h1", headline + ".", ""),
        ("Standings", "h2", "", _standings(s)),
        ("Crosstable", "h2", _about_crosstable(s), _heat(s)),
        (
            "Bankroll over hands",
            "h2",
            f"Won in all matches of an agent together, in {s.bets}; the bands are 95 % intervals.",
            _curves(s),
        ),
        (
            "Bankroll run-off",
            "h2",
            f"Each round removes the agent that won least a hand against those who are left ({s.unit}).",
            _run_off(s, s.bankroll_run_off, _bankroll_score),
        ),
        (
            "Series run-off",
            "h2",
            f"A match won significantly ({LEVEL:.0%} level, as starred) counts +1, one lost so −1, any other 0; equal "
            "series are decided by the bankroll in the pool.",
            _run_off(s, s.series_run_off, _series_score),
        ),
        *([("By match", "h2", "", _by_match(s))] if s.players > 2 else []),
        ("Agents", "h2", "", _agents(plan)),
    ]
    parts = [
        f"<{level}>{name}</{level}>" + (f"<p class=quiet>{escape(about)}</p>" if about else "") + content
        for name, level, about, content in sections
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head>\n<body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _about_crosstable(s: Standings) -> str:
    third = "" if s.players == 2 else " With more than two at a table: the mean over everyone else who sat there."
    tests = f"{len(s.records)} matches" if s.players == 2 else "all entries of the table"
    exact = " The last line of an entry is the exact expectation." if s.exact is not None else ""
    return (
        f"What the row won from the column, {s.unit}, ± half the 95 % interval.{third} Stars: not zero at 5, 1 and "
        f"0.1 % (two-sided t-test, Holm's correction over {tests}).{exact}"
    )


def _table(head: Sequence[str], rows: Sequence[str], kind: str = "", left: int = 1) -> str:
    """`left` columns have their heads flush left."""
    names = "".join(f"<th{' class=name' if i < left else ''}>{text}</th>" for i, text in enumerate(head))
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    table = f"<table class='{kind}'><thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    return f"<div class=wide>{table}</div>"


def _signed(value: float, form: str = "+.1f") -> str:
    """With a real minus sign."""
    return format(value, form).replace("-", "−")


def _name(s: Standings, a: int) -> str:
    dot = f'<span class=dot style="background:{_COLOURS[a % len(_COLOURS)]}"></span>'
    return f"<td class=name>{dot}{escape(s.agents[a])}</td>"


def _standings(s: Standings) -> str:
    head = ["agent", "rank", f"total bankroll, {s.unit}", f"won, {s.bets}", "bankroll run-off", "series run-off"]
    rows = []
    for a in sorted(range(len(s.agents)), key=lambda a: (s.ranks[a], a)):
        own = s.bankroll[a]
        ranks = f"<td>{s.bankroll_run_off.rank(a)}</td><td>{s.series_run_off.rank(a)}</td>"
        figures = (
            f"<td>{_signed(own.mean)} ± {_half(own.ci95)}</td><td>{_signed(s.curves[a].bankroll[-1], '+,.0f')}</td>"
        )
        rows.append(f"{_name(s, a)}<td>{s.ranks[a]}</td>{figures}{ranks}")
    return _table(head, rows)


def _half(ci95: float) -> str:
    return f"{ci95:.1f}" if math.isfinite(ci95) else "∞"


def _heat(s: Standings) -> str:
    agents = range(len(s.agents))
    most = max((abs(cell.mean) for cell in s.crosstable.values()), default=0.0) or 1.0
    rows = []
    for a in agents:
        cells = ["<td class=self></td>" if a == b else _heat_cell(s, a, b, most) for b in agents]
        rows.append(_name(s, a) + "".join(cells))
    return _table(["", *map(escape, s.agents)], rows, "heat")


def _heat_cell(s: Standings, a: int, b: int, most: float) -> str:
    cell = s.crosstable[a, b]
    # By the square root: one hopeless agent must not leave the others without colour.
    depth = 0.6 * math.sqrt(abs(cell.mean) / most)
    red, green, blue = (round(255 + depth * (c - 255)) for c in (_GAIN if cell.mean > 0 else _LOSS))
    text = f"{_signed(cell.mean)}<sup>{cell.stars}</sup><small>± {_half(cell.ci95)}</small>"
    if s.exact is not None and not math.isnan(s.exact[a, b]):
        text += f"<small>exact {_signed(s.exact[a, b])}</small>"
    return f"<td style='background:rgb({red},{green},{blue})' title='{_tooltip(s, a, b, cell)}'>{text}</td>"


def _tooltip(s: Standings, a: int, b: int, cell: Cell) -> str:
    who = f"{s.agents[a]} against {s.agents[b]}"
    return escape(f"{who}: p = {cell.p:.2g}, after Holm's correction {cell.adjusted:.2g}", quote=True)


def _run_off(s: Standings, run_off: RunOff, score: Callable[[Standings, Round, int], str]) -> str:
    """A row an agent, best first; a column a round."""
    head = ["agent", "rank", *(f"round {i}" for i in range(1, len(run_off.rounds) + 1))]
    rows = []
    for a in run_off.order:
        cells = [f"<td>{run_off.rank(a)}</td>"]
        for r in run_off.rounds:
            kind = "gone" if a not in r.pool else "out" if a == r.removed else "won" if len(r.pool) == 2 else ""
            cells.append(f"<td class='{kind}'>{score(s, r, a) if a in r.pool else 'out'}</td>")
        rows.append(_name(s, a) + "".join(cells))
    said = "".join(f"<p class=quiet>{escape(line)}.</p>" for line in run_off.ties(s.agents, "Tie"))
    return _table(head, rows) + said


def _bankroll_score(s: Standings, r: Round, a: int) -> str:
    # A pool too small for a table has no matches of its own: the scores of the round before decide there.
    half = f" ± {_half(s.within(r.pool)[a].ci95)}" if len(r.pool) >= s.players else ""
    return _signed(r.scores[a]) + half


def _series_score(s: Standings, r: Round, a: int) -> str:
    return _signed(r.scores[a], "+.0f") if r.scores[a] else "0"


def _by_match(s: Standings) -> str:
    rows = [
        f"{_name(s, a)}<td class=name>{escape(' and '.join(s.agents[b] for b in who if b != a))}</td>"
        f"<td>{_signed(cell.mean)} ± {_half(cell.ci95)}</td><td class=name>{cell.stars}</td>"
        for who, row in s.matches
        for a, cell in zip(who, row, strict=True)
    ]
    return _table(["agent", "against", s.unit, ""], rows, left=2)


def _agents(plan: Plan) -> str:
    rows = [
        f"<td class=name>{escape(e.name)}</td><td class=name>{escape(e.spec)}</td>"
        f"<td class=name>{'no' if e.stateless else 'yes'}</td>"
        for e in plan.entrants
    ]
    return _table(["name", "spec", "remembers"], rows, left=3)


_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 1040, 460, 80, 170, 16, 52


def _curves(s: Standings) -> str:
    """The agents' bankrolls as lines with bands, each named at its end."""
    most_deals = int(s.curves[0].deals[-1])
    reach = [(c.bankroll - _finite(c.ci95), c.bankroll + _finite(c.ci95)) for c in s.curves]
    ticks = _ticks(min(0.0, *(low.min() for low, _ in reach)), max(0.0, *(high.max() for _, high in reach)))
    low, high = ticks[0], ticks[-1]

    def x(deals: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * deals / most_deals

    def y(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low)

    def points(deals: Sequence[float], values: Sequence[float]) -> str:
        return " ".join(f"{x(d):.1f},{y(v):.1f}" for d, v in zip(deals, values, strict=True))

    heights = [(y(tick), _signed(tick, "+,.10g") if tick else "0") for tick in ticks]
    parts = _axes(s, heights, [(x(tick), f"{tick:,.10g}") for tick in _ticks(0, most_deals)])
    bottoms = _spread([y(curve.bankroll[-1]) for curve in s.curves])
    for a, (curve, (under, over)) in enumerate(zip(s.curves, reach, strict=True)):
        colour, dash = _COLOURS[a % len(_COLOURS)], _DASHES[a // len(_COLOURS) % len(_DASHES)]
        deals = [0, *curve.deals.tolist()]
        band = points([*deals, *deals[::-1]], [0, *over.tolist(), *under.tolist()[::-1], 0])
        line = points(deals, [0, *curve.bankroll.tolist()])
        end = f"{x(most_deals):.1f},{y(curve.bankroll[-1]):.1f} {x(most_deals) + 14:.1f},{bottoms[a]:.1f}"
        parts += [
            f'<polygon points="{band}" fill="{colour}" fill-opacity="0.18" stroke="none"/>',
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>',
            f'<polyline points="{end}" fill="none" stroke="{colour}" stroke-width="1"/>',
            f'<text x="{x(most_deals) + 18:.1f}" y="{bottoms[a] + 4:.1f}">{escape(_short(s.agents[a]))}</text>',
        ]
    label = f"Bankroll in {s.bets} over deals, by agent, with 95 % bands"
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">' + "\n".join(parts) + "</svg>"


def _axes(s: Standings, rows: Sequence[tuple[float, str]], columns: Sequence[tuple[float, str]]) -> list[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts = []
    for at, text in rows:
        colour = "#888" if text == "0" else "#e6e6e6"
        parts.append(f'<line x1="{_LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}" stroke="{colour}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{text}</text>')
    for at, text in columns:
        if at <= right + 1:
            parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{bottom}" y2="{bottom + 5}" stroke="#888"/>')
            parts.append(f'<text x="{at:.1f}" y="{bottom + 20}" text-anchor="middle">{text}</text>')
    middle = (_TOP + bottom) / 2
    turned = f'<text transform="translate(16 {middle:.0f}) rotate(-90)" text-anchor="middle">{s.bets}</text>'
    below = f'<text x="{(_LEFT + right) / 2:.0f}" y="{_HEIGHT - 8}" text-anchor="middle">deals of each match</text>'
    return [*parts, turned, below]


def _ticks(low: float, high: float) -> list[float]:
    """About six round numbers that enclose both."""
    span = (high - low) or 1.0
    size = 10.0 ** math.floor(math.log10(span / 5))
    step = next(size * m for m in (1, 2, 5, 10) if span / (size * m) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(low / step + span / step - 1e-9)
    return [step * i for i in range(first, max(last, first + 1) + 1)]


def _spread(heights: Sequence[float], gap: float = 17.0) -> list[float]:
    """The same heights, moved apart until labels at them do not overlap, and kept inside the plot."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    found = list(heights)
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + gap)
    excess = max(0.0, (found[order[-1]] if order else 0.0) - (_HEIGHT - 8))
    for i, at in enumerate(reversed(order)):
        found[at] = min(found[at], _HEIGHT - 8 - i * gap) if excess else found[at]
    return found


def _short(name: str) -> str:
    return name if len(name) <= 20 else f"{name[:8]}…{name[-11:]}"


def _finite(values: np.ndarray) -> np.ndarray:
    """Without the intervals that a single deal leaves open."""
    return np.where(np.isfinite(values), values, 0.0)
