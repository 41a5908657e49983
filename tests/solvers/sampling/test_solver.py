"""Sampling through `solve`: every combination of sampling and weighting agrees with the exact half."""

import dataclasses
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.cli import main
from pokerlab.errors import SolverError
from pokerlab.solvers.run import stepper_of
from pokerlab.solvers.sampling.solver import SAMPLERS

WEIGHTINGS = ["cfr", "cfr+", "linear", "dcfr"]
EXACT = {"kuhn": -1 / 18, "leduc": -0.085606424, "leduc:ranks=13,suits=4": -0.097716427}
# Iterations on each game, and the exploitability that all weightings reach within them.
ENOUGH = {
    ("kuhn", "external-sampling"): (50_000, 0.015),
    ("kuhn", "outcome-sampling"): (100_000, 0.02),
    ("kuhn", "public-chance-sampling"): (2_000, 0.002),
    ("leduc", "external-sampling"): (200_000, 0.06),
    ("leduc", "outcome-sampling"): (400_000, 0.2),
    ("leduc", "public-chance-sampling"): (5_000, 0.06),
    ("leduc:ranks=13,suits=4", "external-sampling"): (400_000, 0.13),
    ("leduc:ranks=13,suits=4", "outcome-sampling"): (800_000, 0.4),
    ("leduc:ranks=13,suits=4", "public-chance-sampling"): (3_000, 0.08),
}


def options(method):
    return {"baselines": True} if method == "outcome-sampling" else {}


@pytest.fixture(scope="module")
def games():
    return {name: pokerlab.compile(name) for name in EXACT}


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize(("name", "method"), ENOUGH)
def test_agrees_with_the_exact_half(games, name, method, weighting):
    iterations, goal = ENOUGH[name, method]
    found = pokerlab.solve(games[name], method, iterations=iterations, weighting=weighting, seed=1, **options(method))
    assert found.exploitability < goal
    assert found.value == pytest.approx(EXACT[name], abs=max(goal / 2, 1e-3))
    assert pokerlab.evaluate(found.strategy).exploitability == pytest.approx(found.exploitability, abs=1e-12)


def test_the_value_of_the_large_game_is_the_exact_half_s(games):
    found = pokerlab.solve(games["leduc:ranks=13,suits=4"], "cfr+", exploitability=1e-4)
    assert found.value == pytest.approx(EXACT["leduc:ranks=13,suits=4"], abs=1e-4)


@pytest.mark.slow
def test_goes_on_converging(games):
    found = pokerlab.solve(games["leduc"], "external-sampling", iterations=5_000_000, weighting="cfr")
    assert found.exploitability < 0.008
    assert found.value == pytest.approx(EXACT["leduc"], abs=0.004)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method", ["external-sampling", "outcome-sampling"])
def test_three_players(method, weighted):
    kuhn = pokerlab.solve("kuhn-3p", method, iterations=300_000, weighted=weighted)
    assert kuhn.exploitability < 0.02
    rules = dataclasses.replace(
        pokerlab.rules_of("leduc"), blinds=(1, 1, 1), stacks=(2**31 - 1,) * 3, max_raises=(1, 1), name="leduc-3p"
    )
    leduc = pokerlab.solve(pokerlab.compile(rules), method, iterations=100_000, weighted=weighted)
    assert leduc.exploitability < (0.1 if method == "external-sampling" else 0.35)


def test_three_players_with_public_chance():
    assert pokerlab.solve("kuhn-3p", "public-chance-sampling", iterations=3000).exploitability < 1e-3


@pytest.mark.parametrize("method", SAMPLERS)
def test_no_limit_with_a_bet_abstraction(method):
    game = pokerlab.compile("leduc-nl", "pa-hpa")
    exact = pokerlab.solve(game, "lp").value
    iterations = {"external-sampling": 100_000, "outcome-sampling": 400_000, "public-chance-sampling": 3000}[method]
    found = pokerlab.solve(game, method, iterations=iterations, **options(method))
    assert found.exploitability < (1.0 if method == "outcome-sampling" else 0.3)
    assert found.value == pytest.approx(exact, abs=found.exploitability)


@pytest.mark.parametrize("method", SAMPLERS)
def test_imperfect_recall(method):
    """About as exploitable as what CFR on tied rows finds in the same abstraction; nobody converges here."""
    game = pokerlab.compile("leduc", "J.Q.K/~pair.nopair")
    tied = pokerlab.solve(game, "cfr", iterations=2000)
    iterations = {"external-sampling": 200_000, "outcome-sampling": 400_000, "public-chance-sampling": 5000}[method]
    found = pokerlab.solve(game, method, iterations=iterations, weighting="cfr", **options(method))
    assert found.exploitability == pytest.approx(tied.exploitability, abs=0.2)


@pytest.mark.parametrize("method", SAMPLERS)
def test_same_seed_same_result_and_steps_add_up(method):
    game = pokerlab.compile("leduc")
    for changes in ({}, {"weighting": "cfr+", "epoch": 7}, {"single": True}):
        once, stepwise, other = (
            stepper_of(game, method, **changes | {"epoch": changes.get("epoch", 50), "seed": seed})
            for seed in (3, 3, 4)
        )
        once.step(230)
        other.step(230)
        for count in (1, 2, 27, 0, 100, 100):
            stepwise.step(count)
        assert once.iteration == stepwise.iteration == 230
        for key, array in once.state().items():
            assert np.array_equal(array, stepwise.state()[key]), key
        assert not np.array_equal(once.state()["cells"], other.state()["cells"])


@pytest.mark.parametrize("method", SAMPLERS)
def test_resumes_bit_for_bit(tmp_path, method):
    file = tmp_path / "half.strategy"
    pokerlab.solve("leduc", method, iterations=1500, checkpoint=file, **options(method))
    rest = pokerlab.solve("leduc", method, iterations=4000, resume=file, **options(method))
    whole = pokerlab.solve("leduc", method, iterations=4000, **options(method))
    assert all(np.array_equal(rest.strategy[p], whole.strategy[p]) for p in range(2))
    assert [point[0] for point in rest.trace] == [point[0] for point in whole.trace]
    with pytest.raises(SolverError, match="cannot resume"):
        pokerlab.solve("leduc", method, iterations=4000, resume=file, seed=5, **options(method))


@pytest.mark.parametrize("method", SAMPLERS)
def test_threads_share_a_table(method):
    iterations = ENOUGH["leduc", method][0]
    found = pokerlab.solve("leduc", method, iterations=iterations, threads=2, **options(method))
    assert found.iterations == iterations
    assert found.exploitability < 1.5 * ENOUGH["leduc", method][1]


def test_single_precision_is_as_good():
    found = pokerlab.solve("leduc", "external-sampling", iterations=200_000, single=True, seed=1)
    assert found.exploitability < ENOUGH["leduc", "external-sampling"][1]
    stepper = stepper_of(pokerlab.compile("leduc"), "external-sampling", single=True)
    double = stepper_of(pokerlab.compile("leduc"), "external-sampling")
    assert 2 * stepper.sampler.nbytes == double.sampler.nbytes


def test_pruning_saves_work_and_still_converges():
    game, work = pokerlab.compile("leduc"), {}
    for prune in (None, 3000.0):
        stepper = stepper_of(game, "external-sampling", weighting="cfr", prune=prune, seed=1)
        stepper.step(500_000)
        work[prune] = stepper.sampler.touched
        assert pokerlab.evaluate(stepper.profile()).exploitability < 0.04
    assert work[3000.0] < 0.95 * work[None]


def test_the_average_is_a_strategy_from_the_start():
    game = pokerlab.compile("leduc")
    for method in SAMPLERS:
        stepper = stepper_of(game, method)
        assert pokerlab.evaluate(stepper.profile()).exploitability > 1
        stepper.step(1)
        for tree, plan in zip(game.trees, stepper.plans(), strict=True):
            rows, right = tree.constraints()
            assert rows @ plan == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize(
    ("method", "parameters", "message"),
    [
        ("external-sampling", {"weighting": "pcfr+"}, "weighting must be one of cfr, cfr"),
        ("external-sampling", {"weighting": "magic"}, "weighting must be one of"),
        ("external-sampling", {"step_size": 1.0}, "has no parameter 'step_size'"),
        ("external-sampling", {"sampling": "outcome"}, "multiple values|no parameter"),
        ("external-sampling", {"threads": 0}, "threads: a whole number from 1"),
        ("external-sampling", {"precision": "half"}, "no parameter 'precision'"),
        ("external-sampling", {"epoch": 0}, "epoch: a whole number from 1"),
        ("external-sampling", {"prune": -3.0}, "positive number of chips"),
        ("external-sampling", {"prune": 3.0, "weighting": "cfr+"}, "no negative regret"),
        ("external-sampling", {"baselines": True}, "baselines are for outcome sampling"),
        ("outcome-sampling", {"prune": 3.0}, "prune is for external sampling"),
        ("outcome-sampling", {"explore": 0.0}, "explore must be above 0"),
        ("outcome-sampling", {"learn": math.nan}, "learn must be above 0"),
    ],
)
def test_wrong_parameters(method, parameters, message):
    with pytest.raises(SolverError, match=message):
        pokerlab.solve("kuhn", method, iterations=1, **parameters)


def test_needs_rules():
    with pytest.raises(SolverError, match="was not compiled from rules"):
        pokerlab.solve(pokerlab.matrix_game([[1, 2], [3, 4]]), "external-sampling", iterations=1)


def test_at_the_command_line(tmp_path):
    file = str(tmp_path / "leduc.strategy")
    options = ["--method", "external-sampling", "--iterations", "5000", "--weighting", "cfr", "--seed", "3", "--json"]
    run = CliRunner().invoke(main, ["solve", "leduc", *options, "--out", file])
    assert run.exit_code == 0, run.output
    found = json.loads(run.stdout)
    again = pokerlab.solve("leduc", "external-sampling", iterations=5000, weighting="cfr", seed=3)
    assert (found["iterations"], found["exploitability"]) == (5000, again.exploitability)
    assert found["parameters"]["seed"] == 3
    measured = json.loads(CliRunner().invoke(main, ["evaluate", file, "--json"]).stdout)
    assert measured["exploitability"] == pytest.approx(again.exploitability)
    wrong = CliRunner().invoke(main, ["solve", "leduc", "--method", "lp", "--threads", "2"])
    assert wrong.exit_code != 0
