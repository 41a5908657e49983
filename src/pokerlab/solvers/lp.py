"""Exact equilibria by linear programming on the sequence form (Koller and von Stengel), with HiGHS.

`equilibrium` is equation (14) of Waugh et al. (2009): the primal gives the first player's plan, the dual the
second's. `best_equilibrium` is equation (15): among the first player's equilibrium strategies of an abstract
game, one that is least exploitable in the full game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.errors import ImperfectRecall, SolverError
from pokerlab.form.game import Game, bilinear
from pokerlab.form.treeplex import Treeplex

TOLERANCE = 1e-9


@dataclass(frozen=True)
class LinearSolution:
    """Plans for both players (the second's only from `equilibrium`), the optimum, and simplex iterations."""

    value: float
    x: np.ndarray
    y: np.ndarray
    iterations: int


def equilibrium(game: Game) -> LinearSolution:
    """Maximise v·f subject to F'v <= A'x, Ex = e, x >= 0; v is free. The duals of F'v <= A'x are y."""
    needs_recall(game)
    game = bilinear(game)
    e_rows, e = game.X.constraints()
    f_rows, f = game.Y.constraints()
    payoff = game.A.to_sparse()
    n, m = payoff.shape
    rows = sparse.block_array([[payoff.T, -f_rows.T], [e_rows, None]], format="csr")
    optimum = minimise(
        np.concatenate((np.zeros(n), -f)),
        rows,
        (np.concatenate((np.zeros(m), e)), np.concatenate((np.full(m, np.inf), e))),
        _at_least_zero(n, len(f)),
    )
    return LinearSolution(-optimum.cost, plan_of(optimum.z[:n]), plan_of(optimum.duals[:m]), optimum.iterations)


def best_equilibrium(game: Game, full: Game, value: float) -> LinearSolution:
    """Equation (15). `full` is the same game with the second player unabstracted; `value` that of `game`.

    The plan is an equilibrium strategy of `game`, and none of those earns more in `full` in the worst case,
    which is the returned value.
    """
    needs_recall(game)
    game, full = bilinear(game), bilinear(full)
    if game.X.sequences != full.X.sequences:
        raise SolverError("the first player must have the same abstraction in both games")
    e_rows, e = game.X.constraints()
    f_rows, f = game.Y.constraints()
    g_rows, g = full.Y.constraints()
    a, b = game.A.to_sparse(), full.A.to_sparse()
    n = a.shape[0]
    rows = sparse.block_array(
        [
            [a.T, -f_rows.T, None],
            [b.T, None, -g_rows.T],
            [e_rows, None, None],
            [None, sparse.csr_array(f[None, :]), None],
        ],
        format="csr",
    )
    constraints = a.shape[1] + b.shape[1]
    equal = np.concatenate((e, [value]))
    optimum = minimise(
        np.concatenate((np.zeros(n + len(f)), -g)),
        rows,
        (np.concatenate((np.zeros(constraints), equal)), np.concatenate((np.full(constraints, np.inf), equal))),
        _at_least_zero(n, len(f) + len(g)),
    )
    return LinearSolution(-optimum.cost, plan_of(optimum.z[:n]), np.zeros(0), optimum.iterations)


def needs_recall(game: Game, method: str = "linear programming") -> None:
    """Raise ImperfectRecall if a player of the game forgets."""
    if any(game.ties):
        raise ImperfectRecall(
            f"{game.name} forgets ({game.origin.abstraction.text if game.origin else 'tied infosets'}): "
            f"{method} needs perfect recall; use a regret method such as cfr+"
        )


def _at_least_zero(plan: int, values: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of so many entries of a plan, and of so many values, which are free."""
    lower = np.concatenate((np.zeros(plan), np.full(values, -np.inf)))
    return lower, np.full(len(lower), np.inf)


def plan_of(raw: np.ndarray) -> np.ndarray:
    """A plan without the solver's rounding: tiny negatives and dust are zero."""
    return np.where(raw > 10 * TOLERANCE, raw, 0.0)


class Optimum(NamedTuple):
    """What is found of a linear program: the least cost, where it is attained, multipliers of the rows, iterations."""

    cost: float
    z: np.ndarray
    duals: np.ndarray
    iterations: int


def minimise(
    cost: np.ndarray, rows: sparse.csr_array, row_bounds: tuple[np.ndarray, np.ndarray],
    bounds: tuple[np.ndarray, np.ndarray],
) -> Optimum:  # fmt: skip
    """Minimise cost·z where rows @ z and z are within their bounds, (lower, upper) each."""
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(cost), rows.shape[0]
    model.col_cost_ = cost
    model.col_lower_, model.col_upper_ = bounds
    model.row_lower_, model.row_upper_ = row_bounds
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = rows.indptr
    model.a_matrix_.index_ = rows.indices
    model.a_matrix_.value_ = rows.data
    solver = _highs()
    solver.passModel(model)
    solution, info = _run(solver), solver.getInfo()
    z, duals = np.array(solution.col_value), np.array(solution.row_dual)
    return Optimum(info.objective_function_value, z, duals, info.simplex_iteration_count)


def _highs() -> Any:
    """HiGHS, quiet, and as exact as it can be."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
    solver.setOptionValue("dual_feasibility_tolerance", TOLERANCE)
    return solver


def _run(solver: Any) -> Any:
    """The solution; SolverError if HiGHS has none."""
    import highspy

    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"HiGHS found no optimum: {solver.modelStatusToString(status)}")
    return solver.getSolution()


class GrowingMaximin:
    """max over x of the least of c_1·x, c_2·x, ...: a linear program that grows by constraints and variables.

    x is a probability distribution over `size` choices, or a plan in a treeplex. Each solve starts from the basis of
    the one before.
    """

    def __init__(self, size: int) -> None:
        self._start(size)
        self._add_row(1.0, 1.0, range(1, size + 1), np.ones(size))
        self._first = 1  # rows before the first constraint

    @classmethod
    def over_treeplex(cls, tree: Treeplex) -> GrowingMaximin:
        """Equations (13) to (17) of Zinkevich et al. (2007): x is a realization plan."""
        program = cls.__new__(cls)
        rows, right = tree.constraints()
        program._start(tree.sequences)
        for i, value in enumerate(right):
            row = slice(rows.indptr[i], rows.indptr[i + 1])
            program._add_row(value, value, rows.indices[row] + 1, rows.data[row])
        program._first = len(right)
        return program

    def _start(self, size: int) -> None:
        self._highs = _highs()
        self._highs.addVar(-np.inf, np.inf)  # column 0: the value
        self._highs.changeColCost(0, -1.0)
        for _ in range(size):
            self._highs.addVar(0.0, np.inf)
        self._size = size
        self._constraints = 0

    def _add_row(self, low: float, high: float, columns: Iterable[int], values: np.ndarray) -> None:
        index = np.fromiter(columns, dtype=np.int32)
        self._highs.addRow(low, high, len(index), index, np.asarray(values, dtype=np.float64))

    def add_constraint(self, values: np.ndarray) -> None:
        """Another c: the value is at most c·x."""
        used = np.flatnonzero(values)
        self._add_row(0.0, np.inf, np.concatenate(([0], used + 1)), np.concatenate(([-1.0], values[used])))
        self._constraints += 1

    def add_variable(self, values: np.ndarray) -> None:
        """Another choice for x, with its entry in every c so far."""
        index = np.concatenate(([0], self._first + np.arange(self._constraints))).astype(np.int32)
        entries = np.concatenate(([1.0], values))
        self._highs.addCol(0.0, 0.0, np.inf, len(index), index, entries)
        self._size += 1

    def solve(self) -> tuple[float, np.ndarray, np.ndarray]:
        """The maximum, an x that attains it, and the multipliers of the constraints, which add up to 1."""
        solution = _run(self._highs)
        x = np.maximum(np.array(solution.col_value[1:]), 0.0)
        duals = np.maximum(np.array(solution.row_dual[self._first :]), 0.0)
        return float(solution.col_value[0]), x, duals / duals.sum()
