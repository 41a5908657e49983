"""Waugh, Bard and Bowling (2009), Strategy Grafting in Extensive Games: the Leduc half, Tables 1 and 2.

Nine strategies for both seats: equilibria of three abstract games, and each grafted by preflop and by flop grafts. In a
graft the player sees everything and the opponent uses the base's abstraction. Winnings and exploitability are exact,
means over the seats. The abstract games and the grafts' games have many equilibria, so the figures depend on which
one a solver finds: CFR+ is set against the paper, and how far other solvers move each figure beside it. Of the
abstract games themselves the range of all equilibria is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab import plots
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.game import BilinearGame, Game, bilinear
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile
from pokerlab.papers.equilibria import LEAST, MOST, worst_cases
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.report import LEGEND, Report, Row, Table, mark
from pokerlab.papers.verdicts import Cell, Printed, rounding
from pokerlab.refine.grafting import GraftedStrategy, graft_both
from pokerlab.refine.partition import flop_grafts, preflop_grafts
from pokerlab.solvers.run import solve

NAME = "waugh2009-grafting"
BASES = ("J.Q.K", "JQ.K", "J.QK")
KINDS = {"preflop grafts": preflop_grafts, "flop grafts": flop_grafts}
ITERATIONS, QUICK_ITERATIONS = 20_000, 2_000
SOLVERS = {"CFR+": "cfr+", "DCFR": "dcfr", "PCFR+": "pcfr+", "LP": "lp"}  # the first is set against the paper
EPSILON = 1e-5  # chips; the paper's equilibria are at least this close

TABLE_1 = {
    "J.Q.K preflop grafts": (0.0, 2.3, 28.0, 17.5, 12.2, 26.6, 36.7, 22.3, 54.7, 25.0),
    "J.Q.K flop grafts": (-2.3, 0.0, 28.6, 18.6, 16.9, 23.9, 39.7, 24.7, 49.6, 25.0),
    "JQ.K flop grafts": (-28.0, -28.6, 0.0, -47.2, 67.0, -0.9, 28.5, 79.9, 89.2, 20.0),
    "JQ.K preflop grafts": (-17.5, -18.6, 47.2, 0.0, -11.2, 9.0, 67.3, 3.7, 62.8, 17.9),
    "J.QK preflop grafts": (-12.2, -16.9, -67.0, 11.2, 0.0, 8.1, -20.0, 30.9, 110.0, 5.5),
    "J.Q.K": (-26.6, -23.9, 0.9, -9.0, -8.1, 0.0, 13.6, 7.5, 32.5, -1.6),
    "JQ.K": (-36.7, -39.7, -28.5, -67.3, 20.0, -13.6, 0.0, 42.2, 70.6, -6.6),
    "J.QK flop grafts": (-22.3, -24.7, -79.9, -3.7, -30.9, -7.5, -42.2, 0.0, 83.3, -16.0),
    "J.QK": (-54.7, -49.6, -89.2, -62.8, -110.0, -32.5, -70.6, -83.3, 0.0, -69.1),
}
TABLE_2 = {
    "J.Q.K preflop grafts": (8, 0, 298.3), "J.Q.K flop grafts": (7, 1, 321.1), "JQ.K preflop grafts": (5, 3, 465.9),
    "JQ.K flop grafts": (4, 4, 509.0), "J.QK preflop grafts": (4, 4, 507.3), "J.Q.K": (4, 4, 315.1),
    "JQ.K": (3, 5, 246.8), "J.QK flop grafts": (1, 7, 503.5), "J.QK": (0, 8, 371.1),
}  # fmt: skip
COLUMNS_1 = (*(f"({i})" for i in range(1, 10)), "Avg.")
COLUMNS_2 = ("wins", "losses", "exploitability")
DIGITS = {"wins": 0, "losses": 0}  # after the point; of all others 1


class Crosstable(Table):
    """Ten columns: ours go below the paper's instead of beside them, and signs for verdicts below both."""

    def lines(self) -> list[str]:
        lines = [f"{self.name} ({self.unit})", f"  {'':<31}" + "".join(f"{column:>8}" for column in self.columns)]
        for row in self.rows:
            signs = {column: mark(cell.verdict) for column, cell in row.published.items()}
            whose = (
                {"paper": _plain(row.paper), "ours": _plain(row.ours), "": signs}
                if row.paper
                else {"ours": _plain(row.ours)}
            )
            for i, (who, cells) in enumerate(whose.items()):
                line = "".join(f"{cells.get(column, ''):>8}" for column in self.columns)
                lines.append(f"  {'' if i else row.label:<25} {who:<5}{line}")
            lines[-1] += f"  {row.verdict}" + (f": {row.why}" if row.why else "")
        return lines


def _plain(figures: Mapping[str, float] | None) -> dict[str, str]:
    return {column: f"{figure:.1f}" for column, figure in (figures or {}).items()}


@dataclass(frozen=True)
class Field:
    """The nine strategies as one solver finds them, and the grafted ones' Theorem 1."""

    solver: str
    unit: float
    stake: float  # the largest pot, in chips
    profiles: dict[str, Profile]
    grafted: dict[str, tuple[GraftedStrategy, GraftedStrategy]]

    @cached_property
    def winnings(self) -> np.ndarray:
        """Row against column in the order of Table 1, in mb/h: the mean of both seatings."""
        plans = [self.profiles[label].plans() for label in TABLE_1]
        full = self.profiles["J.Q.K"].game
        earned = [full.gradient(0, pair) for pair in plans]
        first = np.array([[float((x * each).sum()) for each in earned] for x, _ in plans])
        return (first - first.T) / 2 / self.unit

    def row_1(self, label: str) -> dict[str, float]:
        row = self.winnings[list(TABLE_1).index(label)]
        return dict(zip(COLUMNS_1, [*row.tolist(), float(row.sum()) / (len(row) - 1)], strict=True))

    def row_2(self, label: str) -> dict[str, float]:
        row = self.winnings[list(TABLE_1).index(label)]
        exploitability = evaluate(self.profiles[label]).exploitability / self.unit
        return dict(zip(COLUMNS_2, (int((row > 0).sum()), int((row < 0).sum()), exploitability), strict=True))

    def against(self, label: str, other: str) -> float:
        order = list(TABLE_1)
        return float(self.winnings[order.index(label), order.index(other)])


def play(solver: str, method: str, **limits: Any) -> Field:
    """Solve the three abstract games and the grafts on each, everything by one method."""
    full = compile("leduc")
    assert full.origin is not None
    profiles: dict[str, Profile] = {}
    grafted: dict[str, tuple[GraftedStrategy, GraftedStrategy]] = {}
    for base in BASES:
        strategy = solve(compile("leduc", base), method, progress=False, **limits).strategy
        profiles[base] = lift(strategy, full)
        for kind, partition in KINDS.items():
            both = graft_both(strategy, partition, full, method=method, executor=None, **limits)
            profiles[f"{base} {kind}"], grafted[f"{base} {kind}"] = both.profile, both.strategies
    stake = float(max(node.state.pot for node in full.origin.nodes))
    return Field(solver, full.origin.rules.small_bet / 1000, stake, profiles, grafted)


def exploitabilities(base: str, slack: float = 0.0) -> tuple[float, float]:
    """The least and the most, in mb/h, of strategy pairs of the abstract game that are within `slack` of optimal.

    The mean of the seats, each by `worst_cases`; the second player's is that of the game with seats changed.
    """
    small, own, other = (compile("leduc", text) for text in (base, f"{base}-FULL", f"FULL-{base}"))
    assert small.origin is not None
    seats = worst_cases(small, own, slack), worst_cases(_changed(small), _changed(other), slack)
    unit = small.origin.rules.small_bet / 1000
    return -sum(seat.best for seat in seats) / 2 / unit, -sum(seat.worst for seat in seats) / 2 / unit


def _changed(game: Game) -> Game:
    game = bilinear(game)
    return BilinearGame(game.Y, -game.A.T, game.X, game.name)


def reproduce(quick: bool, pieces: Pieces) -> Report:
    """Both tables by all solvers; `quick` runs a tenth of the iterations."""
    iterations = QUICK_ITERATIONS if quick else ITERATIONS
    fields = [
        play(name, method, **({} if method == "lp" else {"iterations": iterations})) for name, method in SOLVERS.items()
    ]
    main = fields[0]
    # An epsilon-equilibrium strategy can be worse than the value by two epsilon: its own, and its opponent's.
    ends = {base: exploitabilities(base, 2 * EPSILON) for base in BASES}
    limits = [
        {"abstraction": base, "exact": exploitabilities(base)[0], "epsilon": EPSILON, "within_epsilon": least,
         "most": most, "unit": "mb/h"}
        for base, (least, most) in ends.items()
    ]  # fmt: skip
    tables: list[Table] = [
        Crosstable("Table 1", "mb/h", COLUMNS_1, [_row_1(label, fields) for label in TABLE_1]),
        Table("Table 2", "mb/h", COLUMNS_2, [_row_2(label, fields, ends.get(label)) for label in TABLE_2]),
    ]
    exact = fields[-1]
    first = [Row.computed(_place(label), exact.row_1(label)) for label in TABLE_1]
    second = [Row.computed(label, exact.row_2(label)) for label in TABLE_2]
    tables.append(Crosstable(f"Table 1 by {exact.solver}", "mb/h", COLUMNS_1, first))
    tables.append(Table(f"Table 2 by {exact.solver}", "mb/h", COLUMNS_2, second))
    heads: list[dict[str, Any]] = [
        {"solver": field.solver, "strategy": label, "base": label.split()[0], "unit": "mb/h",
         "winnings": field.against(label, label.split()[0])}
        for field in fields for label in field.grafted
    ]  # fmt: skip
    theorem = [row for field in fields for row in _theorem(field)]
    ahead, held = sum(row["winnings"] > 0 for row in heads), sum(row["holds"] for row in theorem)
    sentences = [
        f"Tables 1 and 2 are by {main.solver}, those after them by {exact.solver}. {LEGEND}",
        f"Head to head, {ahead} of {len(heads)} grafted strategies beat their base, the narrowest by "
        f"{min(row['winnings'] for row in heads):.1f} mb/h.",
        f"Theorem 1 holds for {held} of {len(theorem)} grafted strategies of one player; the largest epsilon is "
        f"{max(row['epsilon'] for row in theorem):.1e} chips.",
    ]
    notes = {"theorem_1": theorem, "head_to_head": heads, "least_exploitable_equilibria": limits}
    figure = {f"{NAME}-exploitability.svg": partial(draw, fields=(main, exact))}
    return Report(NAME, tables, notes, sentences, figure)


def _place(label: str) -> str:
    return f"({list(TABLE_1).index(label) + 1}) {label}"


def _cells(figures: Mapping[str, Mapping[str, float]], paper: Mapping[str, float]) -> dict[str, Cell]:
    """Figures by solver and column beside the published ones, which the first solver's are set against."""
    ours, *_ = figures.values()
    return {
        column: Cell(
            ours[column], Printed(paper[column], DIGITS.get(column, 1)),
            {solver: row[column] for solver, row in figures.items()},
        )
        for column in paper
    }  # fmt: skip


def _row_1(label: str, fields: Sequence[Field]) -> Row:
    """The diagonal is blank in print."""
    paper = dict(zip(COLUMNS_1, TABLE_1[label], strict=True))
    blank = _place(label).split()[0]
    cells = _cells({field.solver: field.row_1(label) for field in fields}, paper)
    return Row(_place(label), cells | {blank: Cell(0.0)})


def _row_2(label: str, fields: Sequence[Field], ends: tuple[float, float] | None) -> Row:
    """`ends` are those of a base's exploitability over all its equilibria."""
    paper = dict(zip(COLUMNS_2, TABLE_2[label], strict=True))
    cells = _cells({field.solver: field.row_2(label) for field in fields}, paper)
    if ends is not None:
        cell = cells["exploitability"]
        cells["exploitability"] = replace(cell, ways={**cell.ways, LEAST: ends[0], MOST: ends[1]})
    return Row(label, cells)


def _theorem(field: Field) -> Iterator[dict[str, Any]]:
    """Theorem 1, measured for every grafted strategy, each player; in chips."""
    for label, players in field.grafted.items():
        for strategy in players:
            assert strategy.bound is not None
            apart = abs(strategy.gain - strategy.sum_of_gains), strategy.bound - strategy.gain
            holds = max(apart) <= rounding(field.stake)
            yield {"solver": field.solver, "strategy": label, **strategy.summary(), "holds": holds}


def draw(path: Path, fields: Sequence[Field]) -> None:
    """Exploitability of bases and grafts as bars: the paper's, and ours by each solver."""
    labels = [label for base in BASES for label in (base, f"{base} flop grafts", f"{base} preflop grafts")]
    series = {"paper": [TABLE_2[label][2] for label in labels]}
    for field in fields:
        series[f"ours, {field.solver}"] = [field.row_2(label)["exploitability"] for label in labels]

    def paint(grid: np.ndarray) -> None:
        axes = grid[0, 0]
        for i, (name, heights) in enumerate(series.items()):
            axes.bar(np.arange(len(labels)) + (i - 1) * 0.27, heights, width=0.25, label=name)
        axes.set_xticks(range(len(labels)), [label.replace(" ", "\n") for label in labels], fontsize=8)
        axes.set_ylabel("exploitability in Leduc, mb/h")
        axes.legend()

    plots.draw(path, "Table 2: exploitability of bases and grafts", paint, (8.5, 4.2))
