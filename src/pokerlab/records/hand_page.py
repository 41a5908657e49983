"""A page of a store: the players' bankrolls over their hands, and their figures beneath."""

from __future__ import annotations

from collections.abc import Sequence

from pokerlab.page import COLOURS, cells, legend, line, page, said, scrolled, svg, table, text, upright
from pokerlab.records.hand_stats import AgentStats
from pokerlab.records.store import HandStore

_WIDE, _HIGH, _LEFT, _LOW = 900, 360, 70, 40
_MOST_CURVES = 8
_POINTS = 400  # of a curve
Curve = list[tuple[int, float]]


def bankrolls(store: HandStore, agents: Sequence[str]) -> dict[str, Curve]:
    """Of each agent, after so many of its hands, what it has won in big blinds, or in small bets of limit games.

    Hands whose payoff nobody can tell count as nothing won.
    """
    curves: dict[str, Curve] = {}
    for agent in agents:
        rows = store.query(
            "SELECT row_number() OVER later, sum(coalesce(payoff / chips_a_unit / 1000, 0)) OVER later FROM seats "
            "JOIN games ON games.game = seats.game WHERE agent = ? "
            "WINDOW later AS (ORDER BY hand, position) ORDER BY 1",
            [agent],
        )
        step = max(1, len(rows) // _POINTS)
        curves[agent] = [(0, 0.0), *rows[step - 1 : -1 : step], rows[-1]]
    return curves


def hands_page(store: HandStore, rows: list[AgentStats]) -> str:
    """The page of these figures, with the curves of those who play most."""
    agents = list(dict.fromkeys(row.agent for row in rows))[:_MOST_CURVES]
    curves = bankrolls(store, agents)
    head = ("agent", "game", "hands", "won a hand", "unit", "VPIP", "PFR")
    figures = [
        cells([
            row.agent, row.label, f"{row.hands:,}", "-" if row.mean is None else f"{row.mean:+.1f}", row.unit,
            f"{row.vpip:.1%}", f"{row.pfr:.1%}",
        ], left=2)
        for row in rows
    ]  # fmt: skip
    return page(f"Hands in {store.path.name}", [
        said("Won over the hands of each, in big blinds (small bets of limit games), before luck is taken out."),
        scrolled(_picture(curves)), legend(curves, COLOURS[: len(curves)]),
        "<h2>Figures</h2>", table(head, figures, left=2),
    ])  # fmt: skip


def _picture(curves: dict[str, Curve]) -> str:
    points = [point for curve in curves.values() for point in curve] or [(0, 0.0)]
    most = max(1, *(hands for hands, _ in points))
    low, high = min(won for _, won in points), max(won for _, won in points)
    span = (high - low) or 1.0

    def x(hands: float) -> float:
        return _LEFT + (_WIDE - _LEFT - 10) * hands / most

    def y(won: float) -> float:
        return 10 + (_HIGH - _LOW - 10) * (high - won) / span

    parts = [line(_LEFT, y(0), _WIDE - 10, y(0), "axis")]
    parts += [text(_LEFT - 6, y(won) + 4, f"{won:+,.0f}", "end") for won in dict.fromkeys((low, 0.0, high))]
    parts += [text(x(most), _HIGH - 14, f"{most:,} hands", "end"), upright(14, _HIGH / 2, "won")]
    for (_, curve), colour in zip(curves.items(), COLOURS, strict=False):
        path = " ".join(f"{x(hands):.1f},{y(won):.1f}" for hands, won in curve)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{path}"/>')
    return svg(_WIDE, _HIGH, "bankrolls over hands", parts)
