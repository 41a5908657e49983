"""The runner alone, on a stepper that counts: steps that Ctrl-C cannot tear, and resuming from any moment."""

import math
import os
import signal
import time

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import SolverError
from pokerlab.solvers.run import stepper_of
from pokerlab.solvers.runner import Gauge, Limits, Point, Record, every_so_many, run


class Counter:
    """Two numbers that are one iteration apart while an iteration is on its way."""

    def __init__(self, press_at=None):
        self.begun = self.iteration = 0
        self.calls, self.press_at, self.finished = [], press_at, False

    def step(self, count=1):
        self.calls.append(count)
        for _ in range(count):
            self.begun += 1
            if self.begun == self.press_at:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)
            self.iteration += 1

    def state(self):
        return {"counts": np.array([self.begun, self.iteration])}

    def restore(self, state):
        self.begun, self.iteration = state["counts"].tolist()


def go(stepper, measure=None, **options):
    gauge = None if measure is None else Gauge(measure)
    resumed = options.pop("resumed", None)
    keep, every = options.pop("keep", None), options.pop("keep_every", None)
    return run(stepper, Limits(**options), gauge, title="counting", resumed=resumed, keep=keep, keep_every=every)


def test_schedules_depend_on_the_iteration_alone():
    assert [every_so_many(i) for i in (0, 9, 10, 95, 399)] == [10, 10, 20, 100, 407]
    assert [every_so_many(i, 1) for i in (0, 1, 1000)] == [1, 2, 1001]
    assert every_so_many(407) == 407 + 407 // 20  # by now every 5 %
    stepper = Counter()
    record = go(stepper, lambda: 1.0, iterations=45)
    assert [point.iteration for point in record.trace] == [10, 20, 30, 40]
    assert sum(stepper.calls) == 45
    assert stepper.calls[0] == 0  # kernels are compiled before the clock starts


@pytest.mark.parametrize("moment", [1, 7, 10, 23])
def test_ctrl_c_waits_for_the_end_of_a_step(moment):
    stepper = Counter(press_at=moment)
    record = go(stepper, lambda: 1.0, iterations=1000)
    assert record.stopped == "interrupted"
    assert stepper.begun == stepper.iteration == record.iterations
    assert moment <= record.iterations <= every_so_many(moment)


def test_what_was_due_when_ctrl_c_came_is_looked_at_on_resuming():
    """The goal is met at iteration 30; Ctrl-C comes while that is being measured, or just before."""
    for press_at in (None, 30):
        stepper, asked = Counter(press_at), []

        def measure(stepper=stepper, asked=asked, press_at=press_at):
            asked.append(stepper.iteration)
            if asked.count(30) == 1 and press_at is None:
                asked.append(30)
                raise KeyboardInterrupt
            return 60.0 - stepper.iteration

        first = go(stepper, measure, goal=30.0)
        assert (first.stopped, first.iterations, len(first.trace)) == ("interrupted", 30, 2)
        rest = go(stepper, measure, goal=30.0, resumed=first)
        assert (rest.stopped, rest.iterations) == ("exploitability", 30)
        assert [point.iteration for point in rest.trace] == [10, 20, 30]
        again = go(stepper, measure, goal=30.0, resumed=rest)
        assert (again.iterations, again.trace, again.stopped) == (30, rest.trace, "exploitability")


def test_reasons_in_order():
    assert go(Counter(), lambda: 0.0, iterations=10, goal=0.0, until=lambda point: True).stopped == "exploitability"
    assert go(Counter(), lambda: 0.0, iterations=10, until=lambda point: True).stopped == "until"
    assert go(Counter(), lambda: 0.0, iterations=10, seconds=0.0).stopped == "seconds"
    assert go(Counter(), lambda: 0.0, iterations=10).stopped == "iterations"
    done = Counter()
    done.finished = True
    assert go(done, lambda: 0.0, iterations=10).stopped == "optimal"


@pytest.mark.parametrize("gauge", [{}, {"seconds": 0.0}])
def test_a_figure_that_is_no_number_ends_the_run(gauge):
    stepper, kept = Counter(), []

    def measure():
        return math.nan if stepper.iteration >= 30 else 1.0

    with pytest.raises(SolverError, match=r"^after \d+ iterations the exploitability is no number any more$"):
        run(stepper, Limits(iterations=90), Gauge(measure, **gauge), title="counting", keep=kept.append, keep_every=0.0)
    assert kept[-1].iterations < stepper.iteration < 90


def test_time_by_the_clock_is_the_callers(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("pokerlab.solvers.runner.time.perf_counter", lambda: clock[0])

    def slow():
        clock[0] += 20.0
        return 0.0

    def by_clock(**limits):
        return run(Counter(), Limits(**limits), Gauge(slow, "goal", seconds=0.0), title="counting")

    assert by_clock(iterations=1).seconds == 0.0
    assert go(Counter(), slow, iterations=20).seconds == 40.0
    assert by_clock(goal=0.0).stopped == "goal"
    late = run(Counter(), Limits(iterations=50), Gauge(slow, seconds=1e9), title="counting")
    assert [point.iteration for point in late.trace] == [50]


def test_what_is_kept_on_the_way():
    stepper, seen = Counter(), []

    def keep(record):
        assert record.iterations == stepper.iteration
        seen.append(record)

    record = go(stepper, lambda: 1.0, iterations=40, keep=keep, keep_every=0.0)
    assert {one.stopped for one in seen} == {"running"}
    assert {10, 20, 30} <= {one.iterations for one in seen}
    assert all(one.trace == record.trace[: len(one.trace)] for one in seen)
    seen.clear()
    go(Counter(), lambda: 1.0, iterations=40, keep=seen.append)
    assert not seen
    again = go(stepper, lambda: 1.0, iterations=60, resumed=record)
    assert again.seconds >= record.seconds
    assert [point.iteration for point in again.trace] == [10, 20, 30, 40, 50, 60]


def test_checkpoints_come_soon_and_then_ever_more_rarely(monkeypatch):
    clock, kept = [0.0], []
    monkeypatch.setattr("pokerlab.solvers.runner.time.perf_counter", lambda: clock[0])

    class Slow(Counter):
        def step(self, count=1):
            super().step(count)
            clock[0] += count

    record = go(Slow(), seconds=200.0, keep=kept.append)
    assert [one.seconds for one in kept] == [3, 6, 12, 24, 48, 96, 146, 196]
    kept.clear()
    go(Slow(), seconds=210.0, keep=kept.append, resumed=record)
    assert [one.seconds for one in kept] == [203, 206]
    kept.clear()
    go(Slow(), seconds=5.0, keep=kept.append, keep_every=1.0)
    assert [one.seconds for one in kept] == [1, 2, 3, 4]
    kept.clear()

    def slowly(record):
        kept.append(record)
        clock[0] += 2

    go(Slow(), seconds=100.0, keep=slowly)
    assert [one.seconds for one in kept] == [3, 25, 54]  # a large one is not made every few seconds


def test_points_and_limits():
    assert Point(1, 2.0, 3.0).exploitability == 3.0
    assert Record() == Record(0, 0.0, "running", ())
    with pytest.raises(SolverError, match=r"seconds: a number from 0 .* not -1"):
        Limits(seconds=-1).check(SolverError)


@pytest.mark.parametrize("method", ["fp", "egt", "omd", "double-oracle", "range-of-skill", "cfr+"])
def test_ctrl_c_tears_no_iteration_of_any_method(monkeypatch, method):
    """Pressed where a player asks for a gradient, that is in the middle of an iteration."""
    game = pokerlab.compile("kuhn-3p" if method == "cfr+" else "kuhn")
    limits = {"iterations": 12, "until": lambda point: False}
    whole = pokerlab.solve(game, method, **limits)
    gradient, calls, inside = type(game).gradient, [], []

    def pressing(self, *arguments):
        calls.extend(inside)
        if inside and len(calls) == 8:
            os.kill(os.getpid(), signal.SIGINT)
        return gradient(self, *arguments)

    def watched(*arguments, **parameters):
        stepper = stepper_of(*arguments, **parameters)
        step = stepper.step

        def stepping(count):
            inside.append(1)
            step(count)
            inside.clear()

        monkeypatch.setattr(stepper, "step", stepping)
        return stepper

    monkeypatch.setattr(type(game), "gradient", pressing)
    monkeypatch.setattr("pokerlab.solvers.run.stepper_of", watched)
    half = pokerlab.solve(game, method, **limits)
    assert half.stopped == "interrupted"
    untorn = pokerlab.solve(game, method, iterations=half.iterations)
    assert all(np.array_equal(array, untorn.state[key]) for key, array in half.state.items())
    rest = pokerlab.solve(game, method, **limits, resume=half)
    assert rest.iterations == whole.iterations
    assert all(np.array_equal(rest.strategy[player], whole.strategy[player]) for player in range(len(game.trees)))
