"""Exact equilibria by linear programming on the sequence form (Koller and von Stengel), with HiGHS.

`equilibrium` is equation (14) of Waugh et al. (2009): the primal gives the first player's plan, the dual the
second's. `best_equilibrium` is equation (15): among the first player's equilibrium strategies of an abstract
game, one that is least exploitable in the full game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from pokerlab.errors import ImperfectRecall, SolverError
from pokerlab.form.game import Game

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
    _needs_recall(game)
    e_rows, e = game.X.constraints()
    f_rows, f = game.Y.constraints()
    payoff = game.A.to_sparse()
    n, m = payoff.shape
    rows = sparse.block_array([[payoff.T, -f_rows.T], [e_rows, None]], format="csr")
    optimum, solution, duals, iterations = _solve(
        cost=np.concatenate((np.zeros(n), -f)),
        lower=np.concatenate((np.zeros(n), np.full(len(f), -np.inf))),
        rows=rows,
        row_lower=np.concatenate((np.zeros(m), e)),
        row_upper=np.concatenate((np.full(m, np.inf), e)),
    )
    return LinearSolution(-optimum, _plan(solution[:n]), _plan(duals[:m]), iterations)


def best_equilibrium(game: Game, full: Game, value: float) -> LinearSolution:
    """Equation (15). `full` is the same game with the second player unabstracted; `value` that of `game`.

    The plan is an equilibrium strategy of `game`, and none of those earns more in `full` in the worst case,
    which is the returned value.
    """
    _needs_recall(game)
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
    optimum, solution, _, iterations = _solve(
        cost=np.concatenate((np.zeros(n + len(f)), -g)),
        lower=np.concatenate((np.zeros(n), np.full(len(f) + len(g), -np.inf))),
        rows=rows,
        row_lower=np.concatenate((np.zeros(constraints), e, [value])),
        row_upper=np.concatenate((np.full(constraints, np.inf), e, [value])),
    )
    return LinearSolution(-optimum, _plan(solution[:n]), np.zeros(0), iterations)


def _needs_recall(game: Game) -> None:
    if any(game.ties):
        raise ImperfectRecall(
            f"{game.name} forgets ({game.origin.abstraction.text if game.origin else 'tied infosets'}): "
            "linear programming needs perfect recall; use a regret method such as cfr+"
        )


def _plan(raw: np.ndarray) -> np.ndarray:
    """A plan without the solver's rounding: tiny negatives and dust are zero."""
    return np.where(raw > 10 * TOLERANCE, raw, 0.0)


def _solve(
    cost: np.ndarray, lower: np.ndarray, rows: sparse.csr_array, row_lower: np.ndarray, row_upper: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray, int]:
    """Minimise cost·z subject to row_lower <= rows z <= row_upper, z >= lower. Optimum, z, row duals, iterations."""
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(cost), rows.shape[0]
    model.col_cost_ = cost
    model.col_lower_, model.col_upper_ = lower, np.full(len(cost), np.inf)
    model.row_lower_, model.row_upper_ = row_lower, row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = rows.indptr
    model.a_matrix_.index_ = rows.indices
    model.a_matrix_.value_ = rows.data
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
    solver.setOptionValue("dual_feasibility_tolerance", TOLERANCE)
    solver.passModel(model)
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"HiGHS found no optimum: {solver.modelStatusToString(status)}")
    solution = solver.getSolution()
    info = solver.getInfo()
    z, duals = np.array(solution.col_value), np.array(solution.row_dual)
    return info.objective_function_value, z, duals, info.simplex_iteration_count
