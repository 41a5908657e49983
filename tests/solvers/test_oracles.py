"""Rows against numpy; generalized best responses by regrets against those by linear program; large games."""

from dataclasses import replace

import numpy as np
import pytest

import pokerlab
from pokerlab.agents.simple import Raise
from pokerlab.agents.table import tabulate
from pokerlab.errors import SolverError
from pokerlab.form.payoff import DensePayoff
from pokerlab.solvers.lp import GrowingMaximin
from pokerlab.solvers.oracles import _ByRegrets
from pokerlab.solvers.rows import Rows
from pokerlab.solvers.run import stepper_of


def as_large(game):
    return replace(game, A=DensePayoff(game.A.shape, game.A.groups))


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 7, 2048, 50_001])
def test_rows_are_a_matrix(real, width):
    rng = np.random.default_rng(width)
    matrix = rng.normal(size=(70, width)).astype(real)
    rows = Rows(width, real)
    for i, row in enumerate(matrix):
        rows.add(row)
        assert len(rows) == i + 1
    assert np.array_equal(rows.array, matrix)
    weights, column = rng.dirichlet(np.ones(70)), rng.normal(size=width)
    weights[::3] = 0.0
    picks = np.flatnonzero(rng.random(70) < 0.4)
    tolerance = 1e-5 if real is np.float32 else 1e-12
    assert rows.mixed(weights) == pytest.approx(weights @ matrix.astype(float), abs=tolerance)
    assert rows.mixed(weights[picks], picks) == pytest.approx(
        weights[picks] @ matrix[picks].astype(float), abs=tolerance
    )
    exact = matrix.astype(float) @ column.astype(real).astype(float)
    assert rows.times(column) == pytest.approx(exact, abs=tolerance * width**0.5)
    assert rows.times(column, picks) == pytest.approx(exact[picks], abs=tolerance * width**0.5)


def test_responses_by_regrets_are_those_of_the_program():
    game, rng = pokerlab.compile("leduc"), np.random.default_rng(3)
    for p, tree in enumerate(game.trees):
        other = game.trees[1 - p]
        exact, found = GrowingMaximin.over_treeplex(tree), _ByRegrets(tree, np.float64, lambda: 1e-3)
        for _ in range(12):
            plan = other.realize(other.normalize(rng.random(other.sequences) ** 3, other.uniform()))
            gradient = game.gradient(p, (plan, plan))
            exact.add_constraint(gradient)
            found.add_constraint(gradient)
            value, best, mixture = found.solve()
            assert value - 1e-3 <= exact.solve()[0] <= value + 1e-9
            assert mixture.sum() == pytest.approx(1.0)
            assert min(row @ best for row in found._gradients.array) >= value - 2e-3


@pytest.mark.parametrize("method", ["double-oracle", "range-of-skill"])
def test_large_games(tmp_path, method):
    game, file = as_large(pokerlab.compile("leduc")), tmp_path / "half.strategy"
    half = pokerlab.solve(game, method, iterations=15, checkpoint=file)
    whole = pokerlab.solve(game, method, iterations=40, resume=file)
    small = pokerlab.solve("leduc", method, iterations=15)
    assert whole.exploitability < 0.5 * half.exploitability
    assert half.exploitability < 2 * small.exploitability
    stepper = stepper_of(game, method)
    stepper.step(10)
    assert stepper.sizes == (11, 11)
    assert stepper.gap == pytest.approx(2 * pokerlab.evaluate(stepper.profile()).exploitability, rel=1e-3)


def test_regrets_answer_large_games():
    assert stepper_of(as_large(pokerlab.compile("kuhn")), "range-of-skill").response == 3
    assert stepper_of(pokerlab.compile("kuhn"), "range-of-skill").response == 2
    solution = pokerlab.solve(pokerlab.compile("kuhn"), "range-of-skill", response=3, exploitability=1e-4)
    assert solution.exploitability <= 1e-4
    with pytest.raises(pokerlab.errors.SolverError, match="1, 2 or 3"):
        stepper_of(pokerlab.compile("kuhn"), "range-of-skill", response=4)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc-nl:stack=6"])
def test_range_of_skill_begins_with_the_strategy_that_always_raises(name):
    """As the paper's does: the first mixture can be nothing else, and agrees with the agent that raises."""
    game = pokerlab.compile(name)
    stepper = stepper_of(game, "range-of-skill")
    stepper.step()
    assert stepper.parameters() == {"response": 2, "start": "raise"}
    for player, (plan, tree) in enumerate(zip(stepper.plans(), game.trees, strict=True)):
        assert plan == pytest.approx(tree.realize(tabulate(Raise(), game, player)))


def test_what_sets_begin_with():
    uniform = stepper_of(pokerlab.compile("leduc"), "range-of-skill", start="uniform")
    assert uniform.parameters() == {"response": 2}
    uniform.step()
    for plan, tree in zip(uniform.plans(), uniform.game.trees, strict=True):
        assert plan == pytest.approx(tree.realize(tree.uniform()))
    assert stepper_of(pokerlab.compile("leduc"), "double-oracle", start="raise").parameters() == {"start": "raise"}
    without = pokerlab.matrix_game([[0, 1], [-1, 0]])
    assert stepper_of(without, "range-of-skill").parameters() == {"response": 2}
    with pytest.raises(pokerlab.errors.PokerlabError, match="no raises"):
        stepper_of(without, "range-of-skill", start="raise")
    with pytest.raises(pokerlab.errors.SolverError, match="start must be uniform or raise"):
        stepper_of(without, "double-oracle", start="fold")


@pytest.mark.parametrize("method", ["double-oracle", "range-of-skill"])
def test_a_state_that_does_not_fit_changes_nothing(method):
    game = pokerlab.compile("kuhn")
    other, stepper = stepper_of(pokerlab.compile("leduc"), method), stepper_of(game, method)
    for one in (other, stepper):
        one.step(3)
    before, damaged = stepper.state(), stepper.state()
    del damaged["rows0"]
    shorter = stepper.state() | {"set1": before["set1"][:-1]}  # fewer strategies than the programs have constraints
    for state, key in ((other.state(), "set0"), (damaged, "rows"), (shorter, "values")):
        with pytest.raises(SolverError, match=rf"does not fit what is to go on \({key}\)"):
            stepper.restore(state)
        assert all(np.array_equal(array, before[name]) for name, array in stepper.state().items())


@pytest.mark.parametrize("method", ["double-oracle", "range-of-skill"])
def test_files_without_their_programs_still_go_on(method):
    """As earlier versions wrote them: the sets are there, and the programs begin anew."""
    half = pokerlab.solve("leduc", method, iterations=20)
    kept = {key: array for key, array in half.state.items() if key.strip("01") not in ("values", "columns", "rows")}
    assert len(kept) < len(half.state)
    rest = pokerlab.solve("leduc", method, iterations=60, resume=replace(half, state=kept))
    assert rest.exploitability < half.exploitability / 2
