"""Large games through the same interface: the engine of threads and matrix products gives what the small one does."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import SolverError
from pokerlab.form.payoff import DensePayoff
from pokerlab.solvers.regret import SCHEMES, RegretSolver, scheme_of

LIKE_RHODE_ISLAND = "rhode-island:ranks=4,suits=2,raises=1"


def as_large(game):
    return replace(game, A=DensePayoff(game.A.shape, game.A.groups))


@pytest.mark.parametrize(("method", "alternating"), list(product(SCHEMES, [True, False])))
@pytest.mark.parametrize(
    ("name", "abstraction"),
    [("kuhn", "FULL"), ("leduc", "FULL"), ("leduc", "J.Q.K/~pair.nopair"), (LIKE_RHODE_ISLAND, "FULL")],
)
def test_iterations_are_those_of_a_small_game(name, abstraction, method, alternating):
    game = pokerlab.compile(name, abstraction)
    scheme = scheme_of(method, alternating=alternating)
    small, large = RegretSolver(game, scheme), RegretSolver(as_large(game), scheme)
    # A step at a time, from anywhere: later, rounding decides between actions that are worth the same.
    for seed in range(4):
        state, rng = small.state(), np.random.default_rng(seed)
        state["clock"][:] = 10 * seed
        for p, tree in enumerate(game.trees):
            state[f"regret{p}"] = rng.normal(scale=0.1, size=state[f"regret{p}"].shape)
            state[f"behaviour{p}"] = tree.random(rng)
        after = []
        for solver in (small, large):
            solver.restore(state)
            solver.step()
            after.append(solver.state())
        assert after[0].keys() == after[1].keys()
        for key, array in after[0].items():
            assert after[1][key] == pytest.approx(array, abs=1e-9), key


def test_thirteen_ranks():
    game = pokerlab.compile("leduc:ranks=13,suits=4")
    found = [pokerlab.solve(g, "cfr+", iterations=100) for g in (game, as_large(game))]
    assert found[1].exploitability == pytest.approx(found[0].exploitability, abs=1e-4)
    assert found[1].value == pytest.approx(found[0].value, abs=1e-4)


def test_the_value_is_that_of_the_linear_program():
    game = pokerlab.compile(LIKE_RHODE_ISLAND)
    exact = pokerlab.solve(game, "lp").value
    for single in (False, True):
        found = pokerlab.solve(as_large(game), "cfr+", exploitability=2e-2, single=single)
        low, high = pokerlab.evaluate(found.strategy).bounds
        assert found.exploitability <= 2.01e-2
        assert low <= exact <= high


@pytest.mark.parametrize("single", [False, True])
def test_resuming_ends_as_an_uninterrupted_run(tmp_path, single):
    game, file = as_large(pokerlab.compile("leduc")), tmp_path / "half.strategy"
    whole = pokerlab.solve(game, "pcfr+", iterations=60, single=single)
    pokerlab.solve(game, "pcfr+", iterations=25, single=single, checkpoint=file)
    rest = pokerlab.solve(game, "pcfr+", iterations=60, single=single, resume=file)
    assert all(np.array_equal(rest.strategy[p], whole.strategy[p]) for p in range(2))
    assert whole.parameters.get("single", False) == single
    with pytest.raises(SolverError, match="cannot resume"):
        pokerlab.solve(game, "pcfr+", iterations=60, single=not single, resume=file)


def test_threads_do_not_change_the_result(monkeypatch):
    game = as_large(pokerlab.compile("rhode-island:ranks=4,suits=2,raises=2"))
    found = []
    for cores in (1, 2):
        monkeypatch.setattr("pokerlab.threads.cores", lambda cores=cores: cores)
        solver = RegretSolver(game, SCHEMES["dcfr"])
        solver.step(5)
        found.append(solver.state())
    assert all(np.array_equal(found[0][key], found[1][key]) for key in found[0])


def test_half_the_memory_in_single_precision():
    game = pokerlab.compile("leduc:ranks=13,suits=4")
    double, single = (RegretSolver(as_large(game), scheme_of("cfr+", single=s)) for s in (False, True))
    arrays = {key: array.nbytes for key, array in double.state().items() if key != "clock"}
    assert {key: 2 * array.nbytes for key, array in single.state().items() if key != "clock"} == arrays
    assert single.nbytes < double.nbytes


def test_three_players_have_no_single_precision():
    with pytest.raises(SolverError, match="single precision"):
        pokerlab.solve("kuhn-3p", "cfr+", iterations=5, single=True)


@pytest.mark.slow
def test_rhode_island():
    """A few iterations of the whole game: what best responses say of them agrees with what was played."""
    game = pokerlab.compile("rhode-island:raises=3")
    assert game.large
    found = pokerlab.solve(game, "cfr+", iterations=20, single=True)
    low, high = pokerlab.evaluate(found.strategy).bounds
    assert low < -0.64 < high
    assert (high - low) / 2 == pytest.approx(found.exploitability, abs=1e-9)
    assert found.exploitability < 2.5
