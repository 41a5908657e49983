"""The interface of engines: with the slow twin as another engine everything above works as with the compiled one."""

import numpy as np
import pytest

from naive_spots import NaiveEngine
from pokerlab.cards.holes import COUNT, possible
from pokerlab.errors import SpotError
from pokerlab.refine.spot_refinement import SpotRefinement
from pokerlab.refine.spots.engine import ENGINES
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.run import memory_of, solve_spot
from pokerlab.refine.spots.solution import SpotSolution, load_spot_solution
from random_spots import random_spot

NAIVE = {"engine": "naive", "isomorphism": False}


@pytest.fixture(autouse=True)
def naive_engine(monkeypatch):
    monkeypatch.setitem(ENGINES._rows, "naive", NaiveEngine)


def river():
    return random_spot(np.random.default_rng(3), 2, (9, 8), bet="60%, all-in", raise_="100%", cards=16)


def turn():
    return random_spot(np.random.default_rng(2), 1, (4, 5), bet="100%", raise_="", stack=300, cards=10)


@pytest.mark.parametrize("make", [river, turn])
def test_nodes_say_the_same_whatever_the_engine(make):
    spot = make()
    solved = solve_spot(spot, iterations=30, isomorphism=False)
    twin = NaiveEngine(solved._engine.shape)
    for node in solved.tree:
        if node.kind == "decision":
            twin.follow(node, solved._engine.average(node))
    other = SpotSolution(twin, solved.record)
    np.testing.assert_allclose(other.figures, solved.figures, atol=1e-3)
    for player in range(2):
        np.testing.assert_allclose(other.best_response(player), solved.best_response(player), atol=2e-3)
    checked = 0
    for node in solved.tree:
        if node.kind != "decision":
            continue
        boards = solved._engine.shape.boards[node.street].boards
        for number in range(0, len(boards), 23):
            free = [possible(boards[number])[hands] for hands in solved._engine.shape.holes]
            path = [number] if node.street > spot.street else []
            for player in range(2):
                for best in (False, True):
                    one, two = (engine.rows(player, node, path, best=best) for engine in (solved._engine, twin))
                    assert one.earned.shape == two.earned.shape
                    mine, theirs = free[player], free[1 - player]
                    np.testing.assert_allclose(one.reach[theirs], two.reach[theirs], atol=1e-5)
                    np.testing.assert_allclose(one.earned[:, mine], two.earned[:, mine], atol=1e-3)
            checked += 1
    assert checked > 5


def test_solved_saved_and_resumed_by_another_engine(tmp_path):
    spot, file = river(), tmp_path / "checkpoint"
    assert memory_of(spot, engine="naive") == 0
    ours, whole = solve_spot(spot, exploitability=0.3), solve_spot(spot, exploitability=0.3, **NAIVE)
    assert whole.ev == pytest.approx(ours.ev, abs=0.6)
    assert whole.exploitability <= 0.003 * spot.total
    solve_spot(spot, iterations=13, checkpoint=file, **NAIVE)
    rest = solve_spot(spot, exploitability=0.3, resume=file, **NAIVE)
    assert rest.iterations == whole.iterations
    assert np.array_equal(rest.root.strategy, whole.root.strategy)
    with pytest.raises(Exception, match="a checkpoint of another engine"):
        solve_spot(spot, iterations=20, resume=file, isomorphism=False)
    whole.save(tmp_path / "x.solution")
    read = load_spot_solution(tmp_path / "x.solution")
    assert read.figures == whole.figures
    np.testing.assert_allclose(read.best_response(0), whole.best_response(0), atol=1e-2)
    np.testing.assert_allclose(read.root.ev, whole.root.ev, atol=1e-2)
    with pytest.raises(SpotError, match="NaiveEngine saves no regrets"):
        whole.save(tmp_path / "y.solution", full=True)
    ours.save(tmp_path / "y.solution", full=True)
    with pytest.raises(SpotError, match="NaiveEngine does not go on from a solution's file"):
        solve_spot(spot, iterations=99, engine="naive", resume=tmp_path / "y.solution")
    with pytest.raises(SpotError, match="no engine 'gpu'"):
        solve_spot(spot, engine="gpu")


def test_gadgets_and_refinements_before_another_engine():
    spot, rng = river(), np.random.default_rng(0)
    had = rng.uniform(0, spot.total, COUNT)
    for technique in ("re-solving", "max-margin"):
        gadget = Gadget(technique, 1, had)
        ours, twin = (solve_spot(spot, iterations=100, gadget=gadget, **options) for options in ({}, NAIVE))
        assert np.nanmin(ours.margins) == pytest.approx(np.nanmin(twin.margins), abs=1.0)
    ours, twin = (SpotRefinement(spot, 0, engine=engine) for engine in ("cpu", "naive"))
    for technique, warm in (("endgame", False), ("max-margin", True)):
        for refined in (ours, twin):
            refined.start(technique, had, warm=warm)
            refined.step(10)
        for node in ours.tree:
            if node.kind == "decision":
                np.testing.assert_allclose(ours.strategy(node, spot.board), twin.strategy(node, spot.board), atol=1e-3)
                for one, two in zip(ours.border(node, spot.board), twin.border(node, spot.board), strict=True):
                    np.testing.assert_allclose(one, two, atol=1e-2)
