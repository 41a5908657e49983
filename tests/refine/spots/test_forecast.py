"""What solving will take: figures that are known are those of the solution, and times follow from what was measured."""

import json
from dataclasses import replace
from math import ceil

import pytest
from click.testing import CliRunner

from pokerlab.cards.ranges import Range
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.refine.spots import forecast as module
from pokerlab.refine.spots.forecast import forecast, later
from pokerlab.refine.spots.run import memory_of, solve_spot
from pokerlab.refine.spots.shape import Shape
from random_spots import sizes, spot_of

TURN = spot_of("Qs Jh 2h 4c", ("AA,KQ,T9s", "QQ,AK,98s"), bet="50%", raise_="60%")


def kept(spot):
    shape = Shape(spot)
    return sum(shape.kept(street, player) for street in shape.streets for player in range(2))


def test_figures_that_are_known():
    told, solved = forecast(TURN, iterations=7, threads=1), solve_spot(TURN, iterations=7, threads=1)
    summary = solved.summary()
    assert (told.decisions, told.terminals) == (summary["decision_nodes"], summary["terminal_nodes"])
    assert list(told.hands) == summary["hands"]
    assert told.memory == memory_of(TURN, threads=1) == solved.memory
    assert told.boards == {"turn": 1, "river": len(Shape(TURN).boards[2].boards)}
    assert forecast(TURN, iterations=7, threads=1, precision="half").memory < told.memory
    assert told.iterations == 7
    assert told.seconds == pytest.approx(7 * told.iteration)
    assert "of the spot itself" in told.how


def test_iterations_are_those_of_the_river():
    told, river = forecast(TURN, exploitability=1.0, threads=1), later(TURN)
    took = solve_spot(river, exploitability=1.0, threads=1).iterations
    assert told.iterations == ceil(1.5 * took)
    assert f"{took} iterations took its river after checks or calls" in told.how
    own = forecast(river, exploitability=1.0)
    assert own.iterations == took
    assert "times as many" not in own.how


def test_each_street_before_the_river_takes_more_iterations(monkeypatch):
    monkeypatch.setattr(module, "_iteration", lambda *_: (0.25, 10))
    flop = replace(TURN, board=TURN.board[:3], sizes=sizes("50%", ""))
    took = solve_spot(later(later(flop)), exploitability=2.0).iterations
    told = forecast(flop, exploitability=2.0, threads=1)
    assert told.iterations == ceil(2.25 * took)
    assert told.seconds == pytest.approx(told.iterations * told.iteration)


def test_large_spots_are_measured_by_a_piece(monkeypatch):
    river = later(TURN)
    monkeypatch.setattr(module, "_SMALL", Shape(river).bytes())
    monkeypatch.setattr(module, "_iteration", lambda shape, *_: (0.25, 10) if shape.spot == river else None)
    told = forecast(TURN, iterations=8, threads=2)
    assert told.iteration == pytest.approx(0.25 * kept(TURN) / kept(river))
    assert told.seconds == pytest.approx(8 * told.iteration / 2)
    assert "10 iterations of its river, 250 ms each" in told.how
    assert forecast(TURN, seconds=0.001).seconds == 0.001
    assert forecast(TURN, seconds=1e6, iterations=4, threads=1).seconds == pytest.approx(4 * told.iteration)


def test_the_street_after():
    spot = replace(TURN, bets=(0, 50), locks=())
    river = later(spot)
    assert (river.pot, river.stacks, river.bets, len(river.board)) == (200, (250, 250), (0, 0), 5)
    assert later(river) is None
    flop = replace(TURN, board=TURN.board[:3], sizes=sizes("50%", "60%"))
    assert later(later(flop)).street == 2
    assert later(replace(TURN, bets=(0, 300), stacks=(300, 0))) is None  # all-in
    few = replace(TURN, ranges=(Range.parse("3c2c,2d2c"), TURN.ranges[1]))  # which the lowest card would take away
    assert later(few).weights(0).any()


def test_a_goal_that_the_measured_run_does_not_reach(monkeypatch):
    """Nobody knows how long it takes: more than was tried."""
    monkeypatch.setattr(module, "_LONG", 0)
    monkeypatch.setattr(module, "_MOST", 20)
    told = forecast(TURN, exploitability=0.0, threads=1)
    assert told.at_least
    assert told.summary()["at_least"] is True
    assert told.lines()[3].startswith("more than ")
    assert told.how.endswith("% of the pot, not to 0 %, and the turn takes about 1.5 times as many")
    assert not forecast(TURN, exploitability=50, threads=1).at_least
    assert not forecast(TURN, iterations=5, threads=1).at_least


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "turn.toml").write_text(TURN.text())
    result = CliRunner().invoke(main, ["spot", "turn.toml", "--dry-run", "--threads", "1"])
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"turn: {TURN.tree().decisions} decisions")
    assert lines[3].startswith("about ")
    assert not (tmp_path / "turn.solution").exists()
    told = json.loads(
        CliRunner().invoke(main, ["spot", "turn.toml", "--dry-run", "--iterations", "5", "--json"]).stdout
    )
    assert told["iterations"] == 5
    for wrong in (["--line", "bet 7"], ["--view", "bet 7"]):
        assert CliRunner().invoke(main, ["spot", "turn.toml", "--dry-run", *wrong]).exit_code == 2
    with pytest.raises(SpotError, match="iterations"):
        forecast(TURN, iterations=-1)
