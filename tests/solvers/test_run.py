"""`solve`: limits, interruption, checkpoints and resuming."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import SolverError, StrategyFileError


def same(a, b):
    return all(np.array_equal(a.strategy[p], b.strategy[p]) for p in range(2))


def test_limits():
    assert pokerlab.solve("kuhn", iterations=17).iterations == 17
    assert pokerlab.solve("kuhn", iterations=17).stopped == "iterations"
    accurate = pokerlab.solve("leduc", exploitability=1e-2)
    assert accurate.stopped == "exploitability"
    assert accurate.exploitability <= 1e-2
    timed = pokerlab.solve("leduc", seconds=0.05)
    assert timed.stopped == "seconds"
    early = pokerlab.solve("leduc", until=lambda point: point.iteration >= 40)
    assert (early.stopped, early.iterations) == ("until", 40)
    assert pokerlab.solve("leduc").exploitability <= 1e-4


def test_the_trace_is_truthful():
    found = pokerlab.solve("leduc", "cfr+", iterations=100)
    for point in found.trace[:3]:
        again = pokerlab.solve("leduc", "cfr+", iterations=point.iteration)
        assert again.exploitability == pytest.approx(point.exploitability, abs=1e-12)
    assert [p.iteration for p in found.trace] == list(range(10, 101, 10))


@pytest.mark.parametrize("method", ["cfr", "cfr+", "linear", "dcfr", "pcfr+"])
def test_resuming_ends_as_an_uninterrupted_run(tmp_path, method):
    whole = pokerlab.solve("leduc", method, exploitability=2e-2)
    file = tmp_path / "half.strategy"
    pokerlab.solve("leduc", method, iterations=37, checkpoint=file)
    for source in (file, pokerlab.load(file)):
        rest = pokerlab.solve("leduc", method, exploitability=2e-2, resume=source)
        assert same(rest, whole)
        assert rest.iterations == whole.iterations


def test_resuming_ties(tmp_path):
    game = pokerlab.compile("leduc", "J.Q.K/~pair.nopair")
    half = pokerlab.solve(game, iterations=30)
    assert same(pokerlab.solve(game, iterations=70, resume=half), pokerlab.solve(game, iterations=70))


def test_resume_refuses_another_method_or_game(tmp_path):
    file = tmp_path / "x.strategy"
    pokerlab.solve("leduc", "cfr+", iterations=10, checkpoint=file)
    with pytest.raises(SolverError, match="made by cfr"):
        pokerlab.solve("leduc", "dcfr", iterations=20, resume=file)
    with pytest.raises(StrategyFileError, match="another game"):
        pokerlab.solve("kuhn", "cfr+", iterations=20, resume=file)
    with pytest.raises(StrategyFileError, match="another game"):
        pokerlab.solve("leduc:suits=3", "cfr+", iterations=20, resume=file)
    with pytest.raises(StrategyFileError, match="cannot resume"):
        pokerlab.solve("leduc:suits=3", "cfr+", iterations=20, resume=pokerlab.load(file))


def test_an_interrupt_returns_what_there_is():
    def stop(point):
        if point.iteration >= 50:
            raise KeyboardInterrupt
        return False

    found = pokerlab.solve("leduc", until=stop)
    assert (found.stopped, found.iterations) == ("interrupted", 50)
    assert same(found, pokerlab.solve("leduc", iterations=50))


PRESSED = """
import os, signal
import pokerlab.solvers.run as run
from pokerlab.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
measure, measured = run.evaluate_plans, []
def pressing(*arguments):
    measured.append(1)
    if len(measured) == 4:  # the first is made before the start
        os.kill(os.getpid(), signal.SIGINT)
    return measure(*arguments)
run.evaluate_plans = pressing
main()
"""


def test_ctrl_c_at_the_command_line_keeps_the_strategy(tmp_path):
    """Pressed while iteration 30 is looked at: no clock says when."""
    file = tmp_path / "kept.strategy"
    arguments = ["solve", "leduc", "--exploitability", "0", "--out", str(file), "--json"]
    done = subprocess.run([sys.executable, "-c", PRESSED, *arguments], capture_output=True, text=True)
    assert done.returncode == 130, done.stderr
    assert done.stderr.endswith(f"interrupted: {file} has what there is, and --resume goes on from it\n")
    summary, kept = json.loads(done.stdout), pokerlab.load(file)
    assert (summary["stopped"], summary["iterations"]) == (kept.stopped, kept.iterations) == ("interrupted", 30)
    assert kept.exploitability == summary["exploitability"]
    assert same(kept, pokerlab.solve("leduc", iterations=30))


def test_checkpoints_are_written_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr("pokerlab.solvers.runner.CHECKPOINT_SECONDS", 0.0)
    file = tmp_path / "x.strategy"
    seen = []

    def watch(point):
        seen.append(pokerlab.load(file))
        assert point.iteration - 10 <= seen[-1].iterations < point.iteration
        return point.iteration >= 60

    solved = pokerlab.solve("leduc", until=watch, checkpoint=file)
    assert [one.stopped for one in seen] == 6 * ["running"]
    assert [len(one.trace) for one in seen] == [0, 1, 2, 3, 4, 5]
    assert (pokerlab.load(file).stopped, pokerlab.load(file).iterations) == ("until", solved.iterations)
    assert os.listdir(tmp_path) == ["x.strategy"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "no method 'magic'"),
        ({"iterations": 0}, "number from 1"),
        ({"iterations": -5}, "number from 1"),
        ({"exploitability": -1e-3}, "number from 0"),
        ({"exploitability": float("nan")}, "number from 0 .* not nan"),
        ({"seconds": -1}, "number from 0"),
        ({"method": "lp", "iterations": 5}, "takes no limits"),
    ],
)
def test_bad_limits(arguments, message):
    with pytest.raises(SolverError, match=message):
        pokerlab.solve("kuhn", **arguments)


def test_the_bar_shows_exploitability(capsys, monkeypatch):
    monkeypatch.setattr("pokerlab.progress.PATIENCE", 0.0)
    pokerlab.solve("leduc", iterations=200, progress=True)
    captured = capsys.readouterr()
    assert "exploitability" in captured.err
    assert captured.out == ""
