"""Waugh, Schnizlein, Bowling and Szafron (2009), Abstraction Pathologies in Extensive Games.

Tables 1 to 3 and the matrix game of Figures 1 and 2. Figures are player 1's exploitability in the full game.
Rows against FULL, and every *best* figure, are values of linear programs and hence unique; an *any* figure
depends on which equilibrium a solver happens upon, which is shown by solving with a second method too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from pokerlab import plots
from pokerlab.abstraction.monotonicity import Violation, violations
from pokerlab.form.compile import compile
from pokerlab.form.game import Game, matrix_game
from pokerlab.papers.report import DIFFERS, MATCHES, SOLVER_DEPENDENT, Report, Row, Table
from pokerlab.solvers.full import evaluate_in_full, game_value
from pokerlab.solvers.lp import best_equilibrium, equilibrium
from pokerlab.solvers.run import solve

NAME = "waugh2009-pathologies"
TOLERANCE = 0.05  # the tables are printed to one decimal

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
PRINTED = (4.4, 1.8, 5.0, 8.0, 0.0)  # the utilities that the text gives as numbers


@dataclass(frozen=True)
class _Bench:
    """A full game, its value, and the size of a millibet."""

    full: Game
    value: float
    unit: float

    @classmethod
    def of(cls, name: str) -> _Bench:
        full = compile(name)
        assert full.origin is not None
        return cls(full, game_value(full), full.origin.rules.small_bet / 1000)

    def measure(self, abstraction: str, method: str, **limits: float) -> float:
        """Player 1's exploitability of the equilibrium that `method` finds, in mb/h."""
        solution = solve(compile(self.full.name, abstraction), method, **limits)  # type: ignore[arg-type]
        return evaluate_in_full(solution.strategy, self.full, self.value).exploitability[0] / self.unit

    def best(self, abstraction: str) -> float:
        """Player 1's exploitability of its least exploitable equilibrium strategy, equation (15), in mb/h."""
        small = compile(self.full.name, abstraction)
        against = compile(self.full.name, abstraction.split("-")[0] + "-FULL")
        least = best_equilibrium(small, against, equilibrium(small).value)
        return (self.value - least.value) / self.unit


def reproduce(quick: bool = False) -> Report:
    """All tables; `quick` leaves out the second solver, which only serves to explain *any* figures."""
    limit, nolimit = _Bench.of("leduc"), _Bench.of("leduc-nl")
    pairs = [f"{a}-{b}" for a, b in product(CARDS, CARDS)]
    any_of = {pair: limit.measure(pair, "lp") for pair in pairs}
    best_of = {pair: limit.best(pair) for pair in pairs}
    bets = {label: nolimit.measure(label, "lp") for label in TABLE_2}
    figure, matrix_notes = _matrix_table()
    tables = [
        Table("Table 1", "mb/h", ["any"], [_row(limit, k, p, any_of[k], quick) for k, p in TABLE_1.items()]),
        Table("Table 2", "mb/h", ["any"], [_row(nolimit, k, p, bets[k], quick) for k, p in TABLE_2.items()]),
        Table("Table 3", "mb/h", ["any", "best"],
              [_best_row(k, {"any": TABLE_1[k], "best": p}, {"any": any_of[k], "best": best_of[k]})
               for k, p in TABLE_3_BEST.items()]),
        figure,
    ]  # fmt: skip
    assert limit.full.origin is not None
    assert nolimit.full.origin is not None
    cards, chips = limit.full.origin.rules, nolimit.full.origin.rules
    examples = [
        *_named("strong", "cards", violations(any_of, cards, TOLERANCE)),
        *_named("weak", "cards", violations(best_of, cards, TOLERANCE)),
        *_named("strong", "bets", violations(bets, chips, TOLERANCE)),
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


def _row(bench: _Bench, label: str, paper: float, ours: float, quick: bool) -> Row:
    if abs(ours - paper) <= TOLERANCE:
        return Row(label, paper, ours, MATCHES)
    if label.endswith("-FULL"):
        return Row(label, paper, ours, DIFFERS, "a unique figure that we do not reproduce")
    if quick:
        return Row(label, paper, ours, SOLVER_DEPENDENT, "any equilibrium of the abstract game")
    other = bench.measure(label, "cfr+", exploitability=1e-5)
    if abs(other - ours) > TOLERANCE:
        return Row(label, paper, ours, SOLVER_DEPENDENT, f"CFR+ finds an equilibrium at {other:.1f}")
    why = f"LP and CFR+ agree ({other:.1f}); how the paper's player goes on after a mistaken bet size is not told"
    return Row(label, paper, ours, DIFFERS, why)


def _best_row(label: str, paper: dict[str, float], ours: dict[str, float]) -> Row:
    if abs(ours["best"] - paper["best"]) > TOLERANCE:
        why = "equation (15) has this optimum; the published figure is below it, so no equilibrium strategy has it"
        return Row(label, paper, ours, DIFFERS, why)
    if abs(ours["any"] - paper["any"]) <= TOLERANCE:
        return Row(label, paper, ours, MATCHES)
    return Row(label, paper, ours, MATCHES, "best is unique and matches; any depends on the solver")


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
    published = [
        ("utility of P(B) = 0.3 against b", 4.4, float(mix[1])),
        ("utility of P(B) = 0.3 against d", 1.8, float(mix[3])),
        ("full game: value, lines c and d", 8 - 3 * crossing_cd, full),
        ("full game: P(B), lines c and d", crossing_cd, full_at),
        ("AB-ab: best worst case", 8 - 3 * crossing_cd, coarse_worst),
        ("AB-abc: P(B), lines b and c", crossing_bc, fine_at),
        ("AB-abc: worst case, on line d", 6 * crossing_bc, fine_worst),
        ("B-c: worst case", 5.0, b_worst),
        ("AB-c: value", 8.0, wide_value),
        ("AB-c: worst case", 0.0, wide_worst),
    ]
    crossing = "the text names these lines; where they cross follows from the printed matrix"
    rows = [
        Row(
            label,
            paper,
            ours,
            MATCHES if abs(ours - paper) <= TOLERANCE else DIFFERS,
            "" if paper in PRINTED else crossing,
        )
        for label, paper, ours in published
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
        kept = lines[:, :2].min(axis=1) >= lines[:, :2].min(axis=1).max() - 1e-9
        axes.plot(chance[kept], lines[kept, 0], "k--", linewidth=2.2, label="equilibria of AB-ab")
        axes.plot([at], [value], "ko", label=f"equilibrium, P(B) = {at:.3f}")
        axes.plot([fine_at], [fine_worst], "rx", markersize=9, label=f"worst case of AB-abc, P(B) = {fine_at:.3f}")
        axes.plot([0.3, 0.3], [4.4, 1.8], "o", markerfacecolor="none", color="grey", markersize=9)
        axes.set(xlabel="P(B)", ylabel="utility of the row player", xlim=(0, 1.04), ylim=(-0.3, 10.5))
        axes.legend(loc="lower right", framealpha=0.9)

    plots.draw(path, paint, (6.5, 4.5))
