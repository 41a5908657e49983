"""Spots that were stopped and go on: bit for bit as if nothing had happened, whatever stopped them."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pokerlab.cards.holes import COUNT
from pokerlab.errors import SolverError, SpotError, StrategyFileError
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.spot import Lock
from pokerlab.solvers.checkpoint import load_checkpoint, previous
from random_spots import random_spot, spot_of

RANGES = ("AA,KK,QJs,76s", "QQ,JJ,AK,87s")


def same(one, other):
    """Regrets, averages and what the gadget has learned."""
    mine, theirs = one._engine.state(), other._engine.state()
    assert mine.keys() == theirs.keys()
    for key, array in mine.items():
        np.testing.assert_array_equal(array, theirs[key], err_msg=key)
    assert [(p.iteration, p.figure) for p in one.trace] == [(p.iteration, p.figure) for p in other.trace]


def river():
    return random_spot(np.random.default_rng(4), 2, (30, 30))


def gadget(technique, belief=0.0):
    rng = np.random.default_rng(1)
    return Gadget(technique, 1, rng.uniform(0, 100, COUNT), belief, rng.random(COUNT))


CASES = {
    "a river": (river, {}),
    "cfr+": (river, {"method": "cfr+"}),
    "a lock": (lambda: replace(river(), locks=(Lock(("check",), {"check": 0.5, "bet 50": 0.5}),)), {}),
    "re-solving": (river, {"gadget": gadget("re-solving")}),
    "max-margin": (river, {"gadget": gadget("max-margin")}),
    "a belief": (river, {"gadget": gadget("re-solving", 0.3)}),
    "two threads": (lambda: spot_of("As Ks 7s 2s", RANGES, bet="75%", raise_=""), {"threads": 2}),
}


@pytest.mark.parametrize("case", CASES)
def test_stopped_by_a_limit(tmp_path, case):
    make, options = CASES[case]
    whole = solve_spot(make(), iterations=60, **options)
    file = tmp_path / "half"
    half = solve_spot(make(), iterations=17, checkpoint=file, **options)
    for source in (file, half):
        rest = solve_spot(make(), iterations=60, resume=source, **options)
        same(rest, whole)
        assert (rest.iterations, rest.stopped) == (60, "iterations")
        assert rest.seconds > half.seconds
    assert half._engine.iteration == 17  # is left as it was
    assert load_checkpoint(half._engine, file).iterations == 17


def test_to_a_goal(tmp_path):
    """The goal is looked at at the same iterations, also right after Ctrl-C."""
    whole = solve_spot(river(), exploitability=0.5)

    def press(point):
        if point.iteration >= 20:
            raise KeyboardInterrupt
        return False

    half = solve_spot(river(), exploitability=0.5, until=press)
    assert (half.stopped, half.iterations) == ("interrupted", 20)
    same(solve_spot(river(), exploitability=0.5, resume=half), whole)


def test_ctrl_c(tmp_path):
    spot, file = spot_of("As Ks 7s 2s", RANGES, bet="75%", raise_=""), tmp_path / "kept"
    solve_spot(spot, iterations=1, threads=2)
    for delay in (0.0, 0.06):

        def press(point, delay=delay):
            """Some time after the first look, wherever the run is by then."""
            if point.iteration == 10:
                threading.Timer(delay, os.kill, [os.getpid(), signal.SIGINT]).start()
            return False

        half = solve_spot(spot, seconds=600, threads=2, checkpoint=file, until=press)
        assert half.stopped == "interrupted"
        count = half.iterations + 7
        never = {"until": lambda point: False}  # looks as often
        rest = solve_spot(spot, iterations=count, resume=file, **never)  # also on another number of threads
        whole = solve_spot(spot, iterations=count, **never)
        assert np.array_equal(rest.root.strategy, whole.root.strategy)
        same(rest, whole)


RUN = """
import sys
sys.path[:0] = {paths!r}
import pokerlab.solvers.runner
from test_resuming import river, solve_spot
pokerlab.solvers.runner.CHECKPOINT_SECONDS = 0.05
solve_spot(river(), seconds=600, checkpoint={file!r})
"""


def test_kill(tmp_path):
    """kill -9 at no particular moment, while checkpoints are written."""
    file = tmp_path / "run"
    solve_spot(river(), iterations=1)
    paths = [os.path.dirname(__file__), *sys.path]
    process = subprocess.Popen([sys.executable, "-c", RUN.format(paths=paths, file=str(file))])
    deadline = time.monotonic() + 60
    while not previous(file).exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    kept = load_checkpoint(solve_spot(river(), iterations=1)._engine, file)
    assert kept.iterations > 1
    assert kept.stopped == "running"
    rest = solve_spot(river(), iterations=kept.iterations + 33, checkpoint=file, resume=file)
    same(rest, solve_spot(river(), iterations=kept.iterations + 33))
    assert {name for name in os.listdir(tmp_path) if not name.startswith(".")} == {"run", "run.previous"}


def test_what_cannot_be_resumed(tmp_path):
    file, saved = tmp_path / "c", tmp_path / "x.solution"
    half = solve_spot(river(), iterations=5, checkpoint=file)
    half.save(saved)
    other = random_spot(np.random.default_rng(5), 2, (30, 30))
    for spot, options, what in (
        (other, {}, "spot"),
        (river(), {"method": "cfr+"}, r"method: dcfr-spot, not cfr\+$"),
        (river(), {"gadget": gadget("max-margin")}, "gadget"),
        (river(), {"isomorphism": False}, "isomorphism"),
    ):
        with pytest.raises(StrategyFileError, match=f"a checkpoint of another {what}"):
            solve_spot(spot, iterations=9, resume=file, **options)
        with pytest.raises(SpotError, match=f"the solution is of another {what}"):
            solve_spot(spot, iterations=9, resume=half, **options)
    old = load_spot_solution(Path(__file__).parents[2] / "files" / "river.solution")
    for given in (saved, load_spot_solution(saved), old):
        with pytest.raises(SpotError, match=r"no regrets to go on from: .*resume from a checkpoint"):
            solve_spot(old.spot if given is old else half.spot, iterations=9, resume=given)


def test_a_state_that_does_not_fit_changes_nothing():
    half = solve_spot(river(), iterations=5)
    fresh = CpuEngine(half._engine.shape)
    state = {key: array.copy() for key, array in half._engine.state().items()}
    del state["regret_2_1"]
    with pytest.raises(SolverError, match=r"does not fit what is to go on \(regret_2_1\)"):
        fresh.restore(state)
    assert fresh.iteration == 0
    assert not any(array.any() for array in fresh.state().values())
