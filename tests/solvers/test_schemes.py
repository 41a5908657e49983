"""Schemes of regret methods by their numbers, and what a solver says of itself."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import PokerlabError, SolverError
from pokerlab.form.payoff import DensePayoff
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.regret import AVERAGING, SCHEMES, Learner, RegretSolver, Scheme, scheme_of

FORGETFUL = "J.Q.K/~pair.nopair-J.Q.K/~pair.nopair"


def test_the_numbers_of_the_papers():
    keep, forget = math.inf, -math.inf
    assert {name: (s.alpha, s.beta, s.gamma, s.predictive) for name, s in SCHEMES.items()} == {
        "cfr": (keep, keep, 0.0, False),
        "cfr+": (keep, forget, 1.0, False),
        "linear": (1.0, 1.0, 1.0, False),
        "dcfr": (1.5, 0.0, 2.0, False),
        "pcfr+": (keep, forget, 2.0, True),
    }
    assert all(scheme.alternating and not scheme.single for scheme in SCHEMES.values())
    assert AVERAGING == {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}


def test_parameters_as_json():
    told = SCHEMES["cfr+"].parameters()
    assert told == {"alpha": "inf", "beta": "-inf", "gamma": 1.0, "predictive": False, "alternating": True}
    assert json.loads(json.dumps(told)) == told
    assert replace(SCHEMES["dcfr"], single=True).parameters() == {
        "alpha": 1.5, "beta": 0.0, "gamma": 2.0, "predictive": False, "alternating": True, "single": True,
    }  # fmt: skip


def test_changes():
    assert scheme_of("dcfr") == SCHEMES["dcfr"]
    assert scheme_of("dcfr", alpha=None, gamma=None, alternating=None) == SCHEMES["dcfr"]
    assert scheme_of("dcfr", gamma=0) == Scheme(alpha=1.5, beta=0.0, gamma=0)
    assert scheme_of("cfr", averaging="uniform", gamma=None).gamma == 0.0
    assert scheme_of("cfr", beta=-math.inf, alternating=False) == Scheme(beta=-math.inf, alternating=False)
    for gamma in (-0.5, -1, math.inf):
        with pytest.raises(PokerlabError, match=f"gamma.*not {gamma}"):
            scheme_of("cfr", gamma=gamma)
    with pytest.raises(SolverError, match="averaging must be one of uniform, linear, quadratic, not 'cubic'"):
        scheme_of("cfr", averaging="cubic")
    with pytest.raises(SolverError, match="no parameter 'delta'; it has alpha, alternating, beta, gamma, predictive"):
        scheme_of("cfr", delta=1.0)
    for key in ("alpha", "beta", "gamma"):
        with pytest.raises(PokerlabError, match=f"{key}.*nan"):
            scheme_of("cfr", **{key: math.nan})


@pytest.mark.parametrize("abstraction", ["FULL", FORGETFUL])
@pytest.mark.parametrize("method", SCHEMES)
def test_large_payoffs_make_the_same_steps(method, abstraction):
    """Gradients and sweeps over parts of the trees, against whole iterations in one compiled call."""
    game = pokerlab.compile("leduc", abstraction)
    assert all(len(tree.parts) for tree in game.trees)
    large = replace(game, A=DensePayoff(game.A.shape, game.A.groups))
    for alternating in (True, False):
        scheme = replace(SCHEMES[method], alternating=alternating)
        ours, theirs = RegretSolver(game, scheme), RegretSolver(large, scheme)
        for solver in (ours, theirs):
            solver.step(3)
            assert solver.iteration == 3
        for key, array in ours.state().items():
            assert theirs.state()[key] == pytest.approx(array, abs=1e-11), key


def test_averages_as_plans():
    game = pokerlab.compile("kuhn")
    solver = RegretSolver(game, SCHEMES["dcfr"])
    uniform = pokerlab.uniform_profile(game).plans()
    assert all(np.array_equal(a, b) for a, b in zip(solver.plans(), uniform, strict=True))
    solver.step(4)
    for p, plan in enumerate(solver.plans()):
        average = solver.state()[f"average{p}"]
        assert average[0] == 1 + 4 + 9 + 16  # iteration t counts t^2
        assert np.array_equal(plan, average / average[0])
    assert solver.parameters() == SCHEMES["dcfr"].parameters()


@pytest.mark.parametrize("abstraction", [FORGETFUL, "J.Q.K/~pair.nopair-J.Q.K"])
def test_plans_of_who_forgets(abstraction):
    tied = RegretSolver(pokerlab.compile("leduc", abstraction), SCHEMES["cfr"])
    tied.step(2)
    for plan, tree in zip(tied.plans(), tied.game.trees, strict=True):
        matrix, right = tree.constraints()
        assert matrix @ plan == pytest.approx(right, abs=1e-12)


def test_single_precision_is_kept():
    solver = RegretSolver(pokerlab.compile("kuhn"), scheme_of("cfr+", single=True))
    assert solver._played.A.dtype == np.float32
    solver.step(2)
    assert {array.dtype for key, array in solver.state().items() if key != "clock"} == {np.dtype(np.float32)}
    assert all(plan.dtype == np.float64 for plan in solver.plans())


def test_going_back():
    game = pokerlab.compile("leduc")
    solver = RegretSolver(game, SCHEMES["pcfr+"])
    solver.step(3)
    kept = solver.state()
    solver.step(4)
    later = solver.state()
    solver.restore(kept)
    assert solver.iteration == 3
    solver.step(4)
    assert all(np.array_equal(array, later[key]) for key, array in solver.state().items())
    assert all(not np.shares_memory(kept[key], later[key]) for key in kept)
    assert kept["clock"].tolist() == [3]


def test_a_player_who_never_acts():
    learner = Learner(Treeplex([], []), np.float64)
    for t in (1.0, 2.0):
        learner.gradient[0] = 5.0
        learner.improve(SCHEMES["dcfr"], t, t**2)
    assert (learner.x.tolist(), learner.weights.tolist()) == ([1.0], [5.0])


def test_sizes_and_how_often_to_look():
    game = pokerlab.compile("leduc", FORGETFUL)
    large = replace(game, A=DensePayoff(game.A.shape, game.A.groups))
    plain, wide = RegretSolver(game, SCHEMES["cfr"]), RegretSolver(large, SCHEMES["cfr"])
    assert (plain.every, wide.every) == (10, 25)
    assert not plain.finished

    def arrays(solver):
        kept = [a for s in solver._learners for a in (s.behaviour, s.x, s.regret, s.average, *s.tree.blocks, *s.ties)]
        return sum(a.nbytes for a in kept) + sum(side.nbytes for side in solver.game.sides)

    assert plain.nbytes == arrays(plain)
    assert wide.nbytes == arrays(wide) + sum(s.gradient.nbytes for s in wide._learners)
    with pytest.raises(SolverError, match="kuhn-3p has 3 players"):
        _ = RegretSolver(pokerlab.compile("kuhn-3p"), SCHEMES["cfr"]).nbytes


def test_three_players_step_by_step():
    game = pokerlab.compile("kuhn-3p")
    solver = RegretSolver(game, SCHEMES["cfr+"])
    solver.step(200)
    again = RegretSolver(game, SCHEMES["cfr+"])
    for _ in range(200):
        again.step()
    assert all(np.array_equal(a, b) for a, b in zip(solver.plans(), again.plans(), strict=True))
    assert pokerlab.evaluate(solver.profile()).exploitability < 0.02
