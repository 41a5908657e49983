"""A tournament as one page, or several as one: standings, crosstable, bankrolls over hands, run-offs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise

import numpy as np

from pokerlab.match.tournament.play import Tournament
from pokerlab.match.tournament.standings import LEVEL, Cell, Round, RunOff, Standings
from pokerlab.page import COLOURS, GAIN, LOSS, cells, line, said, scrolled, svg, table, text, upright
from pokerlab.page import page as whole_page

_DASHES = ("", "7 4", "2 3")  # of lines, when all colours are used

_STYLE = """
.heat td, .heat th { border: 2px solid var(--paper); text-align: center; line-height: 1.25; padding: .3rem; }
.heat td { min-width: 5rem; }
.heat td.name { text-align: left; } .heat th, .heat td.name { white-space: normal; overflow-wrap: anywhere; }
.heat th { max-width: 6rem; } .heat td.name { max-width: 14rem; } .heat td.self { background: var(--pale); }
.heat small { display: block; font-size: .78rem; } sup { line-height: 0; }
.dot { display: inline-block; width: .75em; height: .75em; border-radius: 50%; margin-right: .45em; }
.out { background: #b2182b26; } .won { background: #2166ac2a; font-weight: 600; } .gone { color: var(--quiet); }
"""


def page(plan: Tournament, standings: Standings, headline: str) -> str:
    """The whole page."""
    return whole_page(f"Tournament: {plan.rules.name}", _told(plan, standings, headline, "h2"), _STYLE)


def common_page(title: str, about: str, tournaments: Sequence[tuple[Tournament, Standings, str]]) -> str:
    """Several tournaments, each with its headline, on one page: who came where in each, then one after the other."""
    games = [plan.rules.name for plan, _, _ in tournaments]
    parts = [said(about), _places([standings for _, standings, _ in tournaments], games)]
    for (plan, standings, headline), game in zip(tournaments, games, strict=True):
        parts += [f"<h2>{escape(game)}</h2>", *_told(plan, standings, headline, "h3")]
    return whole_page(title, parts, _STYLE)


def _told(plan: Tournament, standings: Standings, headline: str, heading: str) -> list[str]:
    """Everything about a tournament, under headings of this kind."""
    s = standings
    sections = [
        ("Standings", "", _standings(s)),
        ("Crosstable", _about_crosstable(s), _heat(s)),
        (
            "Bankroll over hands",
            f"Won in all matches of an agent together, in {s.bets}; the bands are 95 % intervals.",
            _curves(s),
        ),
        (
            "Bankroll run-off",
            f"Each round removes the agent that won least a hand against those who are left ({s.unit}).",
            _run_off(s, s.bankroll_run_off, _bankroll_score),
        ),
        (
            "Series run-off",
            f"A match won significantly ({LEVEL:.0%} level, as starred) counts +1, one lost so −1, any other 0; equal "
            "series are decided by the bankroll in the pool.",
            _run_off(s, s.series_run_off, _series_score),
        ),
        *([("By match", "", _by_match(s))] if s.players > 2 else []),
        ("Agents", "", _agents(plan)),
    ]
    parts = [
        f"<{heading}>{name}</{heading}>" + (said(about) if about else "") + content for name, about, content in sections
    ]
    return [said(headline + "."), *parts]


def _places(all_standings: Sequence[Standings], games: Sequence[str]) -> str:
    """A row an agent, in the order in which they come up: its ranks by bankroll and in the run-off of each game."""
    head = ["agent", *(f"{game}: {by}" for game in games for by in ("bankroll", "run-off"))]
    rows = []
    for agent in dict.fromkeys(agent for s in all_standings for agent in s.agents):
        ranks = []
        for s in all_standings:
            a = s.agents.index(agent) if agent in s.agents else None
            ranks += ["", ""] if a is None else [str(s.ranks[a]), str(s.bankroll_run_off.rank(a))]
        rows.append(cells([agent, *ranks]))
    return table(head, rows)


def _about_crosstable(s: Standings) -> str:
    third = "" if s.players == 2 else " With more than two at a table: the mean over everyone else who sat there."
    tests = f"{len(s.records)} matches" if s.players == 2 else "all entries of the table"
    exact = " The last line of an entry is the exact expectation." if s.exact is not None else ""
    return (
        f"What the row won from the column, {s.unit}, ± half the 95 % interval.{third} Stars: not zero at 5, 1 and "
        f"0.1 % (two-sided t-test, Holm's correction over {tests}).{exact}"
    )


def _signed(value: float, form: str = "+.1f") -> str:
    """With a real minus sign."""
    return format(value, form).replace("-", "−")


def _name(s: Standings, a: int) -> str:
    dot = f'<span class=dot style="background:{COLOURS[a % len(COLOURS)]}"></span>'
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
    return table(head, rows)


def _half(ci95: float) -> str:
    return f"{ci95:.1f}" if math.isfinite(ci95) else "∞"


def _heat(s: Standings) -> str:
    agents = range(len(s.agents))
    most = max((abs(cell.mean) for cell in s.crosstable.values()), default=0.0) or 1.0
    rows = []
    for a in agents:
        cells = ["<td class=self></td>" if a == b else _heat_cell(s, a, b, most) for b in agents]
        rows.append(_name(s, a) + "".join(cells))
    return table(["", *s.agents], rows, "heat")


def _heat_cell(s: Standings, a: int, b: int, most: float) -> str:
    cell = s.crosstable[a, b]
    # By the square root: one hopeless agent must not leave the others without colour.
    depth = 0.6 * math.sqrt(abs(cell.mean) / most)
    colour = "rgb({} {} {} / {:.3f})".format(*(GAIN if cell.mean > 0 else LOSS), depth)
    text = f"{_signed(cell.mean)}<sup>{cell.stars}</sup><small>± {_half(cell.ci95)}</small>"
    if s.exact is not None and not math.isnan(s.exact[a, b]):
        text += f"<small>exact {_signed(s.exact[a, b])}</small>"
    return f"<td style='background:{colour}' title='{_tooltip(s, a, b, cell)}'>{text}</td>"


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
    return table(head, rows) + "".join(said(f"{tie}.") for tie in run_off.ties(s.agents, "Tie"))


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
    return table(["agent", "against", s.unit, ""], rows, left=2)


def _agents(plan: Tournament) -> str:
    rows = [cells([e.name, e.spec, "no" if e.stateless else "yes"], left=3) for e in plan.entrants]
    return table(["name", "spec", "remembers"], rows, left=3)


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
        colour, dash = COLOURS[a % len(COLOURS)], _DASHES[a // len(COLOURS) % len(_DASHES)]
        deals = [0, *curve.deals.tolist()]
        band = points([*deals, *deals[::-1]], [0, *over.tolist(), *under.tolist()[::-1], 0])
        trace = points(deals, [0, *curve.bankroll.tolist()])
        end = f"{x(most_deals):.1f},{y(curve.bankroll[-1]):.1f} {x(most_deals) + 14:.1f},{bottoms[a]:.1f}"
        parts += [
            f'<polygon points="{band}" fill="{colour}" fill-opacity="0.18" stroke="none"/>',
            f'<polyline points="{trace}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>',
            f'<polyline points="{end}" fill="none" stroke="{colour}" stroke-width="1"/>',
            text(x(most_deals) + 18, bottoms[a] + 4, _short(s.agents[a])),
        ]
    label = f"Bankroll in {s.bets} over deals, by agent, with 95 % bands"
    return scrolled(svg(_WIDTH, _HEIGHT, label, parts))


def _axes(s: Standings, rows: Sequence[tuple[float, str]], columns: Sequence[tuple[float, str]]) -> list[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts = []
    for at, figure in rows:
        parts += [
            line(_LEFT, at, right, at, "axis" if figure == "0" else "rule"),
            text(_LEFT - 8, at + 4, figure, "end"),
        ]
    for at, figure in columns:
        if at <= right + 1:
            parts += [line(at, bottom, at, bottom + 5, "axis"), text(at, bottom + 20, figure, "middle")]
    below = text((_LEFT + right) / 2, _HEIGHT - 8, "deals of each match", "middle")
    return [*parts, upright(16, (_TOP + bottom) / 2, s.bets), below]


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
    moved = list(heights)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + gap)
    excess = max(0.0, (moved[order[-1]] if order else 0.0) - (_HEIGHT - 8))
    for i, at in enumerate(reversed(order)):
        moved[at] = min(moved[at], _HEIGHT - 8 - i * gap) if excess else moved[at]
    return moved


def _short(name: str) -> str:
    return name if len(name) <= 20 else f"{name[:8]}…{name[-11:]}"


def _finite(values: np.ndarray) -> np.ndarray:
    """Without the intervals that a single deal leaves open."""
    return np.where(np.isfinite(values), values, 0.0)
