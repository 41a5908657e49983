"""Exact equilibria by linear programming on the sequence form (Koller and von Stengel), with HiGHS.

`equilibrium` is equation (14) of Waugh et al. (2009): the primal gives the first player's plan, the dual the
second's. `best_equilibrium` is equation (15): among the first player's equilibrium strategies of an abstract
game, one that is least exploitable in the full game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.errors import ImperfectRecall, SolverError
from pokerlab.form.game import Game, bilinear
from pokerlab.form.operators import Composed
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.runner import fitting

TOLERANCE = 1e-9
_LOWER, _BASIC, _ZERO = 0, 1, 3  # of HiGHS's statuses in a basis: at the lower bound, in it, free and at zero


class Basis(NamedTuple):
    """Where the simplex method ended: HiGHS's status of each variable and row."""

    columns: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True)
class LinearSolution:
    """Plans for both players (the second's only from `equilibrium`), the optimum, and how the simplex method went."""

    value: float
    x: np.ndarray
    y: np.ndarray
    iterations: int
    basis: Basis


def equilibrium(game: Game, start: Basis | None = None) -> LinearSolution:
    """Maximise v·f subject to F'v <= A'x, Ex = e, x >= 0; v is free. The duals of F'v <= A'x are y.

    From the basis of another game of the same shape, `start`, it is found sooner, the more so the more alike their
    payoffs are. Where a player is held to a behaviour in part, x and y are what it adds to that of its own
    (`HeldTreeplex.spread`).
    """
    needs_recall(game)
    game = bilinear(game)
    (e_rows, e), (f_rows, f) = (_equations(tree) for tree in game.trees)
    payoff = Composed(game.A, game.X.spread, game.Y.spread).to_sparse()
    n, m = payoff.shape
    rows = sparse.block_array([[payoff.T, -f_rows.T], [e_rows, None]], format="csr")
    optimum = minimise(
        np.concatenate((np.zeros(n), -f)),
        rows,
        (np.concatenate((np.zeros(m), e)), np.concatenate((np.full(m, np.inf), e))),
        _at_least_zero(n, len(f)),
        start,
    )
    x, y = (
        plan if tree.spread is None else tree.spread @ plan
        for tree, plan in zip(game.trees, (plan_of(optimum.z[:n]), plan_of(optimum.duals[:m])), strict=True)
    )
    return LinearSolution(-optimum.cost, x, y, optimum.iterations, optimum.basis)


def _equations(tree: Treeplex) -> tuple[sparse.csr_array, np.ndarray]:
    """E and e of the variables of a program: plans, or what a player who is held adds to them."""
    rows, right = tree.constraints()
    return rows if tree.spread is None else sparse.csr_array(rows @ tree.spread), right


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
    return LinearSolution(-optimum.cost, plan_of(optimum.z[:n]), np.zeros(0), optimum.iterations, optimum.basis)


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
    """Of a linear program: the least cost, where it is attained, multipliers of the rows, iterations, the basis."""

    cost: float
    z: np.ndarray
    duals: np.ndarray
    iterations: int
    basis: Basis


def minimise(
    cost: np.ndarray, rows: sparse.csr_array, row_bounds: tuple[np.ndarray, np.ndarray],
    bounds: tuple[np.ndarray, np.ndarray], start: Basis | None = None,
) -> Optimum:  # fmt: skip
    """Minimise cost·z where rows @ z and z are within their bounds, (lower, upper) each; from a basis, if it fits."""
    solver = _highs(cost, rows, row_bounds, bounds)
    if start is not None and (len(start.rows), len(start.columns)) == rows.shape:
        _set_basis(solver, start)
    solution, info = _run(solver), solver.getInfo()
    z, duals = np.array(solution.col_value), np.array(solution.row_dual)
    return Optimum(info.objective_function_value, z, duals, info.simplex_iteration_count, _basis_of(solver))


def _set_basis(solver: Any, start: Basis) -> None:
    import highspy

    basis, statuses = highspy.HighsBasis(), [highspy.HighsBasisStatus(i) for i in range(1 + _ZERO)]
    basis.valid, basis.alien = True, False
    basis.col_status, basis.row_status = ([statuses[i] for i in part] for part in start)
    solver.setBasis(basis)


def _basis_of(solver: Any) -> Basis:
    basis = solver.getBasis()
    return Basis(*(np.array([int(each) for each in part], np.int8) for part in (basis.col_status, basis.row_status)))


def _highs(
    cost: np.ndarray, rows: sparse.csr_array, row_bounds: tuple[np.ndarray, np.ndarray],
    bounds: tuple[np.ndarray, np.ndarray],
) -> Any:  # fmt: skip
    """HiGHS with a program, quiet, and as exact as it can be."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
    solver.setOptionValue("dual_feasibility_tolerance", TOLERANCE)
    solver.passModel(
        len(cost), rows.shape[0], rows.nnz, int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize), 0.0,
        cost, *bounds, *row_bounds, rows.indptr, rows.indices, rows.data, np.zeros(len(cost), dtype=np.int32),
    )  # fmt: skip
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
    the one before, but in a solver of its own: what it gives depends on the program and that basis alone, so that a
    program whose state was kept goes on exactly as if it had never been put away.
    """

    def __init__(self, size: int) -> None:
        self._start(sparse.csr_array(np.ones((1, size))), np.ones(1))

    @classmethod
    def over_treeplex(cls, tree: Treeplex) -> GrowingMaximin:
        """Equations (13) to (17) of Zinkevich et al. (2007): x is a realization plan."""
        program = cls.__new__(cls)
        program._start(*tree.constraints())
        return program

    def _start(self, equal: sparse.csr_array, right: np.ndarray) -> None:
        """equal @ x = right, without any c; the basis is that of the rows."""
        self._equal, self._right = equal, right
        self._values = np.zeros((0, equal.shape[1]))  # a row is a c
        # HiGHS's status of the columns (x, then the value, which is free) and of the rows (equal, then the c).
        self._columns = np.array([*[_LOWER] * equal.shape[1], _ZERO], dtype=np.int8)
        self._rows = np.full(len(right), _BASIC, dtype=np.int8)

    def add_constraint(self, values: np.ndarray) -> None:
        """Another c: the value is at most c·x."""
        self._values = np.vstack((self._values, values))
        self._rows = np.append(self._rows, np.int8(_BASIC))

    def add_variable(self, values: np.ndarray) -> None:
        """Another choice for x, with its entry in every c so far."""
        self._values = np.column_stack((self._values, values))
        self._equal = sparse.csr_array(np.ones((1, self._values.shape[1])))
        self._columns = np.insert(self._columns, -1, _LOWER)

    def solve(self) -> tuple[float, np.ndarray, np.ndarray]:
        """The maximum, an x that attains it, and the multipliers of the constraints, which add up to 1."""
        (count, size), first = self._values.shape, len(self._right)
        solver = _highs(
            np.concatenate((np.zeros(size), [-1.0])),
            self._matrix(),
            (np.concatenate((self._right, np.zeros(count))), np.concatenate((self._right, np.full(count, np.inf)))),
            _at_least_zero(size, 1),
        )
        _set_basis(solver, Basis(self._columns, self._rows))
        solution = _run(solver)
        self._columns, self._rows = _basis_of(solver)
        *x, value = solution.col_value
        duals = np.maximum(np.array(solution.row_dual[first:]), 0.0)
        return value, np.maximum(x, 0.0), duals / duals.sum()

    def _matrix(self) -> sparse.csr_array:
        """All rows over x and the value; put together by hand, for SciPy takes longer than HiGHS to a solve."""
        equal, below = self._equal, np.hstack((self._values, np.full((len(self._values), 1), -1.0)))
        row, column = np.nonzero(below)
        ends = equal.nnz + np.cumsum(np.bincount(row, minlength=len(below)))
        parts = (equal.data, below[row, column]), (equal.indices, column), (equal.indptr, ends)
        shape = len(self._right) + len(below), below.shape[1]
        return sparse.csr_array(tuple(np.concatenate(part) for part in parts), shape=shape)

    def state(self) -> dict[str, np.ndarray]:
        """What later solves depend on: the constraints, and the basis."""
        return {"values": self._values.copy(), "columns": self._columns.copy(), "rows": self._rows.copy()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state of a program with as many variables and constraints as this one."""
        values = fitting(state, "values", self._values.shape, np.float64)
        columns = fitting(state, "columns", self._columns.shape, np.int8)
        rows = fitting(state, "rows", (len(self._right) + len(values),), np.int8)
        for part in (columns, rows):
            if not ((part >= 0) & (part <= _ZERO)).all():
                raise SolverError("the saved state has a basis that is none")
        self._values, self._columns, self._rows = values.copy(), columns.copy(), rows.copy()
