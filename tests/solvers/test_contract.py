"""What every method promises, checked for all of them on Kuhn, Leduc and random matrix games."""

import numpy as np
import pytest

import naive
import pokerlab
from pokerlab.errors import ImperfectRecall, SolverError
from pokerlab.form.strategy import Profile
from pokerlab.solvers.run import METHODS, stepper_of

# How close each comes within a few seconds on Leduc; fictitious play and mirror descent are slow there.
LEDUC = {"lp": 1e-9, "fp": 2e-2, "egt": 2e-3, "omd": 1e-2, "cfr": 5e-3, "linear": 5e-3, "double-oracle": 1e-6,
         "range-of-skill": 1e-6}  # fmt: skip
STEPPING = [method for method in METHODS if method != "lp"]


def limit(method, exploitability):
    return {} if method == "lp" else {"exploitability": exploitability, "seconds": 60}


def truthful(solution):
    """The reported exploitability, recomputed with plain loops and dense matrices."""
    game = solution.game
    matrix = np.array(naive.dense(game.A))
    x, y = (np.array(naive.realize(t, b)) for t, b in zip(game.trees, solution.strategy.behaviours, strict=True))
    first = naive.best_response_value(game.X, matrix @ y)
    second = naive.best_response_value(game.Y, -(matrix.T @ x))
    assert solution.exploitability == pytest.approx((first + second) / 2, abs=1e-9)
    assert solution.value == pytest.approx(x @ matrix @ y, abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_converges_and_reports_truthfully(name, method):
    goal = LEDUC.get(method, 1e-3) if name == "leduc" else max(LEDUC.get(method, 1e-4), 1e-9)
    solution = pokerlab.solve(name, method, **limit(method, goal))
    assert solution.exploitability <= goal
    exact = {"kuhn": -1 / 18, "leduc": -0.085606424}[name]
    assert solution.value == pytest.approx(exact, abs=2 * goal + 1e-8)
    truthful(solution)


@pytest.mark.parametrize("method", METHODS)
def test_twenty_random_matrix_games(method):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        payoffs = rng.normal(size=rng.integers(1, 9, size=2))
        game = pokerlab.matrix_game(payoffs)
        goal = 2e-2 if method == "fp" else 1e-3
        solution = pokerlab.solve(game, method, **limit(method, goal))
        assert solution.exploitability <= goal
        assert solution.value == pytest.approx(pokerlab.solve(game, "lp").value, abs=2 * goal)
        truthful(solution)


@pytest.mark.parametrize("method", STEPPING)
def test_same_start_same_result_and_steps_add_up(method):
    game = pokerlab.compile("leduc")
    once, stepwise = stepper_of(game, method), stepper_of(game, method)
    once.step(23)
    for _ in range(23):
        stepwise.step()
    assert once.iteration == stepwise.iteration == 23
    for a, b in zip(once.plans(), stepwise.plans(), strict=True):
        assert np.array_equal(a, b)
    solved = pokerlab.solve(game, method, iterations=23)
    assert all(np.array_equal(solved.strategy[p], once.profile()[p]) for p in range(2))


@pytest.mark.parametrize(
    ("method", "parameters"),
    [(method, {}) for method in STEPPING] + [("range-of-skill", {"response": response}) for response in (1, 3)],
)
def test_resumes_from_a_file(tmp_path, method, parameters):
    """Bit for bit as the run that was never stopped."""
    file = tmp_path / "half.strategy"
    pokerlab.solve("leduc", method, iterations=15, checkpoint=file, **parameters)
    rest = pokerlab.solve("leduc", method, iterations=30, resume=file, **parameters)
    whole = pokerlab.solve("leduc", method, iterations=30, **parameters)
    assert (rest.iterations, rest.exploitability) == (whole.iterations, whole.exploitability)
    assert all(np.array_equal(rest.strategy[p], whole.strategy[p]) for p in range(2))
    assert rest.state.keys() == whole.state.keys()
    for key, array in whole.state.items():
        assert np.array_equal(rest.state[key], array), key


@pytest.mark.parametrize("method", STEPPING)
def test_plans_are_plans_and_profiles_realize_them(method):
    game = pokerlab.compile("leduc")
    stepper = stepper_of(game, method)
    for _ in range(3):
        plans, profile = stepper.plans(), stepper.profile()
        assert isinstance(profile, Profile)
        for tree, plan, behaviour in zip(game.trees, plans, profile.behaviours, strict=True):
            rows, right = tree.constraints()
            assert rows @ plan == pytest.approx(right, abs=1e-9)
            assert tree.realize(behaviour) == pytest.approx(plan, abs=1e-9)
        stepper.step(5)


@pytest.mark.parametrize("method", ["double-oracle", "range-of-skill"])
def test_oracles_stop_by_themselves(method):
    solution = pokerlab.solve("kuhn", method, iterations=10_000)
    assert solution.stopped == "optimal"
    assert solution.iterations < 20
    assert solution.exploitability < 1e-9
    with pytest.raises(ImperfectRecall, match="perfect recall"):
        pokerlab.solve(pokerlab.compile("leduc", "J.Q.K/~pair.nopair"), method)


def test_range_of_skill_needs_fewer_rounds_than_the_double_oracle():
    rounds = {
        m: pokerlab.solve("leduc", m, exploitability=5e-7).iterations for m in ("double-oracle", "range-of-skill")
    }
    assert rounds["range-of-skill"] < rounds["double-oracle"]


def test_either_generalized_best_response_finds_the_value():
    for response in (1, 2):
        stepper = stepper_of(pokerlab.compile("kuhn"), "range-of-skill", response=response)
        stepper.step(100)
        assert stepper.finished
        assert pokerlab.evaluate(stepper.profile()).value == pytest.approx(-1 / 18, abs=1e-9)


def test_ranked_lists_are_ranked():
    """Rock, paper, scissors with a ladder: a transitive game has as many ranks as rungs."""
    ladder = pokerlab.matrix_game([[np.sign(i - j) for j in range(5)] for i in range(5)])
    stepper = stepper_of(ladder, "range-of-skill")
    stepper.step(50)
    assert stepper.finished
    assert stepper.ranked(0.1) >= 2
    assert stepper.ranked(10.0) == 1


@pytest.mark.parametrize(
    ("method", "parameters", "message"),
    [
        ("range-of-skill", {"response": 4}, "response must be 1, 2 or 3"),
        ("omd", {"step_size": -1.0}, "step_size: a number above 0"),
        ("egt", {"alpha": 1.0}, "unexpected keyword argument 'alpha'"),
    ],
)
def test_wrong_parameters(method, parameters, message):
    with pytest.raises(SolverError, match=message):
        pokerlab.solve("kuhn", method, **parameters)
