"""Waugh, Schnizlein, Bowling and Szafron (2009), Abstraction Pathologies in Extensive Games.

Tables 1 to 3 and the matrix game of Figures 1 and 2. Figures are player 1's exploitability in the full game.
Rows against FULL, and every *best* figure, are values of linear programs and hence unique; an *any* figure
depends on which equilibrium a solver happens upon. For cards the range of all equilibria is computed, for bets, where
strategies are translated, a second solver is asked. What the paper does not tell of its no-limit game and of
translation was chosen in sight of Table 2, whose figures are therefore `fitted`, but where other choices do no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from pokerlab import plots
from pokerlab.abstraction.monotonicity import Violation, violations
from pokerlab.form.compile import compile
from pokerlab.form.game import Game, matrix_game
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import Rules
from pokerlab.page import COLOURS
from pokerlab.papers.equilibria import LEAST, MOST, worst_cases
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.papers.verdicts import Cell, Printed, half_unit
from pokerlab.solvers.full import evaluate_in_full, game_value
from pokerlab.solvers.lp import TOLERANCE, best_equilibrium, equilibrium
from pokerlab.solvers.run import solve

NAME = "waugh2009-pathologies"
DIGITS = 1  # of the tables, after the point
PRECISE = 1e-5  # chips: the second solver's equilibria

TABLE_1 = {
    "FULL-FULL": 0.0, "J.Q.K-FULL": 55.2, "JQ.K-FULL": 69.0, "J.QK-FULL": 126.3, "JQK-FULL": 219.3,
    "JQ.K-JQ.K": 272.2, "JQ.K-J.Q.K": 274.1, "FULL-J.QK": 345.7, "FULL-JQ.K": 348.9, "J.Q.K-J.Q.K": 359.9,
    "J.Q.K-JQ.K": 401.3, "J.QK-J.QK": 440.6, "FULL-JQK": 459.5, "FULL-J.Q.K": 491.0, "JQK-JQK": 755.8,
}  # fmt: skip
TABLE_2 = {
    "FULL-FULL": 0.0, "hpda-FULL": 0.4, "pda-FULL": 0.4, "hpa-FULL": 2.8, "pa-FULL": 2.8, "a-FULL": 5.7,
    "hpda-hpda": 94.0, "FULL-hpda": 103.2, "a-hpda": 116.8, "pda-hpda": 118.5, "hpa-hpda": 135.2,
    "pa-hpda": 138.3, "hpa-hpa": 185.4, "pa-hpa": 185.8, "pda-hpa": 190.4, "FULL-hpa": 193.7, "a-a": 238.0,
    "pa-a": 246.2, "FULL-a": 247.7, "pda-pda": 255.4, "FULL-pda": 276.1, "pa-pa": 373.3, "FULL-pa": 390.4,
}  # fmt: skip
TABLE_3_BEST = {
    "FULL-FULL": 0.0, "FULL-J.Q.K": 1.7, "FULL-JQK": 10.1, "FULL-J.QK": 45.3, "J.Q.K-FULL": 55.2,
    "FULL-JQ.K": 57.7, "JQ.K-FULL": 69.0, "JQ.K-J.Q.K": 78.8, "J.Q.K-JQ.K": 88.8, "J.QK-FULL": 126.3,
    "JQK-FULL": 219.3, "JQ.K-JQ.K": 272.2, "J.Q.K-J.Q.K": 358.6, "J.QK-J.QK": 440.6, "JQK-JQK": 710.2,
}  # fmt: skip

CARDS = ("FULL", "J.Q.K", "JQ.K", "J.QK", "JQK")
MATRIX = ((7, 2, 8, 0), (7, 10, 5, 6))
ROWS, COLUMNS = ("A", "B"), ("a", "b", "c", "d")
# What was chosen in sight of Table 2, and what else the sizes of bets might be.
TRANSLATION = "how to go on after a mistaken bet size"
SIZES = "how bets are rounded, and ten of the twelve sizes,"
QUARTERS = (25, 50, 75, 100, 125, 150, 175, 200, 225, 250, 275)
READINGS = {
    "bets to the nearest chip": lambda sizes: tuple(size._replace(nearest=True) for size in sizes),
    "sizes in quarters of the pot": lambda sizes: (*(sizes[0]._replace(amount=float(q)) for q in QUARTERS), sizes[-1]),
}


@dataclass(frozen=True)
class _Bench:
    """A full game, its value, and the size of a millibet."""

    rules: Rules
    full: Game
    value: float
    unit: float

    @classmethod
    def of(cls, game: str | Rules) -> _Bench:
        rules, full = rules_of(game), compile(game)
        return cls(rules, full, game_value(full), rules.small_bet / 1000)

    def measure(self, abstraction: str, method: str, **limits: float) -> float:
        """Player 1's exploitability of the equilibrium that `method` finds, in mb/h."""
        solution = solve(compile(self.rules, abstraction), method, **limits)  # type: ignore[arg-type]
        return evaluate_in_full(solution.strategy, self.full, self.value).exploitability[0] / self.unit

    def best_and_worst(self, abstraction: str) -> tuple[float, float]:
        """Player 1's exploitability of its least (equation 15) and most exploitable equilibrium strategy, in mb/h."""
        own = compile(self.rules, abstraction.split("-")[0] + "-FULL")
        earned = worst_cases(compile(self.rules, abstraction), own)
        return (self.value - earned.best) / self.unit, (self.value - earned.worst) / self.unit


def reproduce(quick: bool, pieces: Pieces) -> Report:
    """All tables; `quick` leaves out the second solver."""
    limit, nolimit = _Bench.of("leduc"), _Bench.of("leduc-nl")
    pairs = [f"{a}-{b}" for a, b in product(CARDS, CARDS)]
    any_of = {pair: limit.measure(pair, "lp") for pair in pairs}
    range_of = {pair: limit.best_and_worst(pair) for pair in pairs}
    bets = {label: nolimit.measure(label, "lp") for label in TABLE_2}
    figure, matrix_notes = _matrix_table()
    cells = {pair: _any_cell(limit, pair, any_of[pair], range_of[pair]) for pair in TABLE_1}
    chips = nolimit.rules
    readings = {name: _Bench.of(replace(chips, bet_sizes=read(chips.bet_sizes))) for name, read in READINGS.items()}
    tables = [
        Table("Table 1", "mb/h", ["any"], [Row(label, {"any": cells[label]}) for label in TABLE_1]),
        Table("Table 2", "mb/h", ["any"],
              [Row(label, {"any": _bet_cell(nolimit, label, bets[label], readings, quick)}) for label in TABLE_2]),
        Table("Table 3", "mb/h", ["any", "best"],
              [Row(label, {"any": cells[label], "best": _best_cell(limit, paper, range_of[label][0])})
               for label, paper in TABLE_3_BEST.items()]),
        figure,
    ]  # fmt: skip
    best_of, close = {pair: best for pair, (best, _) in range_of.items()}, half_unit(DIGITS)
    examples = [
        *_named("strong", "cards", violations(any_of, limit.rules, close)),
        *_named("weak", "cards", violations(best_of, limit.rules, close)),
        *_named("strong", "bets", violations(bets, chips, close)),
        *matrix_notes,
    ]
    worst: dict[str, dict] = {}
    for example in examples:
        worst.setdefault(f"{example['property']} ({example['kind']})", example)
    sentences = ["Counterexamples, the starkest of each kind:"]
    sentences += [
        f"  {name}: refining {e['coarser']} to {e['finer']} takes exploitability from {e['before']:.1f} to "
        f"{e['after']:.1f} {e['unit']}"
        for name, e in worst.items()
    ]
    return Report(NAME, tables, {"counterexamples": examples}, sentences, {f"{NAME}-figure2.svg": draw_figure_2})


def _any_cell(bench: _Bench, label: str, ours: float, ends: tuple[float, float]) -> Cell:
    """An equilibrium among many: which one is varied, from one end of their range to the other."""
    ways = {"LP": ours, LEAST: ends[0], MOST: ends[1]}
    return Cell(ours, Printed(TABLE_1[label], DIGITS), ways, bounds={"LP": TOLERANCE / bench.unit})


def _bet_cell(bench: _Bench, label: str, ours: float, readings: Mapping[str, _Bench], quick: bool) -> Cell:
    paper, precision = Printed(TABLE_2[label], DIGITS), {"LP": TOLERANCE / bench.unit}
    if label.endswith("-FULL"):  # unique, and without translation
        read = {name: other.measure(label, "lp") for name, other in readings.items()}
        return Cell(ours, paper, bounds=precision, fitted=SIZES, readings=read)
    ways = {} if quick else {"LP": ours, "CFR+": bench.measure(label, "cfr+", exploitability=PRECISE)}
    return Cell(ours, paper, ways, bounds=precision, fitted=TRANSLATION)


def _best_cell(bench: _Bench, paper: float, ours: float) -> Cell:
    return Cell(ours, Printed(paper, DIGITS), bounds={"LP": TOLERANCE / bench.unit})


def _named(strength: str, kind: str, cases: Iterable[Violation]) -> list[dict]:
    title = {"player": " player monotonicity", "opponent": " opponent monotonicity", "both": " monotonicity"}
    return [
        {"property": strength + title[v.side], "kind": kind, "coarser": v.coarser, "finer": v.finer,
         "before": v.before, "after": v.after, "unit": "mb/h"}
        for v in cases
    ]  # fmt: skip


# The matrix game of Figures 1 and 2. An abstraction keeps some rows and columns.


def _confined(rows: str, columns: str) -> Game:
    chosen = np.ix_([ROWS.index(r) for r in rows], [COLUMNS.index(c) for c in columns])
    return matrix_game(np.array(MATRIX)[chosen], list(rows), list(columns), f"{rows}-{columns}")


def _worst_case(rows: str, plan: np.ndarray) -> float:
    """What a strategy over `rows` earns in the full matrix against its worst column."""
    mixed = np.zeros(len(ROWS))
    for row, chance in zip(rows, plan[1:], strict=True):
        mixed[ROWS.index(row)] = chance
    return float((mixed @ np.array(MATRIX)).min())


def _solved(rows: str, columns: str) -> tuple[float, float, float]:
    """Value of the confined game, and the best worst case in the full game over its equilibria (eq. 15), P(B)."""
    small = _confined(rows, columns)
    value = equilibrium(small).value
    best = best_equilibrium(small, _confined(rows, "abcd"), value)
    return value, _worst_case(rows, best.x), float(best.x[1 + rows.index("B")]) if "B" in rows else 0.0


def _matrix_table() -> tuple[Table, list[dict]]:
    """What the text says of Figures 1 and 2, computed; and the two pathologies there."""
    mix = np.array([0.7, 0.3]) @ np.array(MATRIX)
    full, _, full_at = _solved("AB", "abcd")
    _, coarse_worst, _ = _solved("AB", "ab")
    _, fine_worst, fine_at = _solved("AB", "abc")
    _, b_worst, _ = _solved("B", "c")
    wide_value, wide_worst, _ = _solved("AB", "c")
    # Values read off the text; where it only names an intersection of lines, their exact crossing.
    crossing_cd, crossing_bc = 8 / 9, 6 / 11
    crossing = "the text names these lines; where they cross follows from the printed matrix"
    published = [
        ("utility of P(B) = 0.3 against b", Printed(4.4, 1), float(mix[1]), ""),
        ("utility of P(B) = 0.3 against d", Printed(1.8, 1), float(mix[3]), ""),
        ("full game: value, lines c and d", Printed(8 - 3 * crossing_cd, None), full, crossing),
        ("full game: P(B), lines c and d", Printed(crossing_cd, None), full_at, crossing),
        ("AB-ab: best worst case", Printed(8 - 3 * crossing_cd, None), coarse_worst, crossing),
        ("AB-abc: P(B), lines b and c", Printed(crossing_bc, None), fine_at, crossing),
        ("AB-abc: worst case, on line d", Printed(6 * crossing_bc, None), fine_worst, crossing),
        ("B-c: worst case", Printed(5, None), b_worst, ""),
        ("AB-c: value", Printed(8, None), wide_value, ""),
        ("AB-c: worst case", Printed(0, None), wide_worst, ""),
    ]
    largest = float(np.max(MATRIX))
    rows = [
        Row(label, {"value": Cell(ours, paper, bounds={"LP": largest * TOLERANCE})}, note)
        for label, paper, ours, note in published
    ]
    notes = [
        {"property": name, "kind": "matrix game", "coarser": coarser, "finer": finer, "before": full - before,
         "after": full - after, "unit": "utility"}
        for name, coarser, finer, before, after in (
            ("weak opponent monotonicity", "AB-ab", "AB-abc", coarse_worst, fine_worst),
            ("weak player monotonicity", "B-c", "AB-c", b_worst, wide_worst),
        )
        if after < before
    ]  # fmt: skip
    return Table("Figure 1", "utility", ["value"], rows), notes


def draw_figure_2(path: Path) -> None:
    """Figure 2: the row player's utility against each column, over its strategies."""
    chance = np.linspace(0, 1, 201)
    lines = np.outer(1 - chance, MATRIX[0]) + np.outer(chance, MATRIX[1])
    value, _, at = _solved("AB", "abcd")
    _, fine_worst, fine_at = _solved("AB", "abc")

    def paint(grid: np.ndarray) -> None:
        axes = grid[0, 0]
        for j, name in enumerate(COLUMNS):
            axes.plot(chance, lines[:, j], label=f"column {name}")
            axes.annotate(name, (1.0, lines[-1, j]), xytext=(6, -3), textcoords="offset points")
        axes.plot(chance, lines.min(axis=1), color="black", linewidth=2.6, alpha=0.35, label="worst case")
        kept = lines[:, :2].min(axis=1) >= lines[:, :2].min(axis=1).max() - TOLERANCE
        axes.plot(chance[kept], lines[kept, 0], "k--", linewidth=2.2, label="equilibria of AB-ab")
        axes.plot([at], [value], "ko", label=f"equilibrium, P(B) = {at:.3f}")
        axes.plot(
            [fine_at],
            [fine_worst],
            "x",
            color=COLOURS[1],
            markersize=9,
            label=f"worst case of AB-abc, P(B) = {fine_at:.3f}",
        )
        axes.plot([0.3, 0.3], [4.4, 1.8], "o", markerfacecolor="none", color="grey", markersize=9)
        axes.set(xlabel="P(B)", ylabel="utility of the row player", xlim=(0, 1.04), ylim=(-0.3, 10.5))
        axes.legend(loc="lower right", framealpha=0.9)

    plots.draw(path, "Figure 2: the row player against each column", paint, (6.5, 4.5))
