"""Runs of any size: limits, rates, checkpoints that survive kills, full disks and damage."""

import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import GameTooLarge, SolverError, StrategyFileError
from pokerlab.game.deals import deals_of
from pokerlab.solvers.checkpoint import load_checkpoint, previous, save_checkpoint
from pokerlab.solvers.runner import Point, Record
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import ListedDeals
from pokerlab.solvers.sampling.sampler import Sampler, plan_of
from pokerlab.solvers.sampling.train import train


def leduc_sampler(**changes):
    rules = pokerlab.rules_of("leduc")
    source = ListedDeals(deals_of(rules))
    return Sampler(BettingGraph(rules, source.buckets), source, plan_of("external", **changes))


def same(a, b):
    return all(np.array_equal(array, b.state()[key]) for key, array in a.state().items())


def test_limits_and_rates():
    run = train(leduc_sampler(), iterations=3000)
    assert (run.iterations, run.stopped) == (3000, "iterations")
    assert run.iterations_per_second == pytest.approx(3000 / run.seconds)
    assert run.touched_per_second > 10 * run.iterations_per_second
    timed = train(leduc_sampler(), seconds=0.2)
    assert timed.stopped == "seconds"
    assert timed.seconds >= 0.2
    measured = train(leduc_sampler(), measure=lambda s: 1e6 / s.iteration, measure_every=0.0, goal=100.0)
    assert measured.stopped == "goal"
    assert measured.trace[-1].figure <= 100 < measured.trace[-2].figure
    assert sum(run.sampler.values) == pytest.approx(0, abs=0.2)


def test_an_interrupt_keeps_what_there_is(tmp_path):
    file = tmp_path / "kept"

    def stop(sampler):
        if sampler.iteration >= 1000:
            raise KeyboardInterrupt
        return 1.0

    run = train(leduc_sampler(), iterations=10**9, measure=stop, measure_every=0.0, checkpoint=file)
    assert run.stopped == "interrupted"
    again = leduc_sampler()
    load_checkpoint(again, file)
    assert same(again, run.sampler)


def test_resuming_ends_as_an_uninterrupted_run(tmp_path):
    file = tmp_path / "half"
    train(leduc_sampler(), iterations=2500, checkpoint=file)
    before = load_checkpoint(leduc_sampler(), file)
    assert (before.iterations, before.stopped) == (2500, "iterations")
    rest = train(leduc_sampler(), iterations=6000, checkpoint=file, resume=True)
    assert rest.seconds > before.seconds > 0
    assert same(rest.sampler, train(leduc_sampler(), iterations=6000).sampler)
    fresh = train(leduc_sampler(), iterations=100, checkpoint=tmp_path / "none yet", resume=True)
    assert fresh.iterations == 100


def test_the_checkpoint_before_is_kept(tmp_path):
    file, sampler = tmp_path / "c", leduc_sampler()
    for count in (100, 200, 300):
        sampler.step(100)
        save_checkpoint(sampler, file, Record(count, float(count), "running", (Point(count, 1.0, 0.5),)))
    before = leduc_sampler()
    assert load_checkpoint(before, previous(file)) == Record(200, 200.0, "running", (Point(200, 1.0, 0.5),))
    assert before.iteration == 200
    assert sorted(os.listdir(tmp_path)) == ["c", "c.previous"]


RUN = """
import sys
sys.path.insert(0, {folder!r})
from test_train import leduc_sampler, train
train(leduc_sampler(), seconds=600, checkpoint={file!r}, checkpoint_every=0.2, resume=True)
"""


@pytest.mark.slow
def test_a_killed_run_resumes(tmp_path):
    """kill -9, twice, at no particular moment; in the end the table is that of a run that was left alone."""
    file, folder = tmp_path / "run", os.path.dirname(__file__)
    train(leduc_sampler(), iterations=1)  # so that the kernels are compiled
    reached = 0
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", RUN.format(folder=folder, file=str(file))])
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.05)
            if file.exists():
                sampler = leduc_sampler()
                load_checkpoint(sampler, file)
                if sampler.iteration > reached:
                    break
        process.send_signal(signal.SIGKILL)
        process.wait()
        sampler = leduc_sampler()
        load_checkpoint(sampler, file)
        assert sampler.iteration > reached
        reached = sampler.iteration
    rest = train(leduc_sampler(), iterations=reached + 1000, checkpoint=file, resume=True)
    assert same(rest.sampler, train(leduc_sampler(), iterations=reached + 1000).sampler)
    assert sorted(os.listdir(tmp_path)) == ["run", "run.previous"]


def test_a_full_disk_is_an_error_and_harms_nothing(tmp_path):
    file, sampler = tmp_path / "c", leduc_sampler()
    sampler.step(100)
    save_checkpoint(sampler, file, Record())
    kept = file.read_bytes()
    sampler.step(100)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))  # as if there were no room for more
    try:
        with pytest.raises(StrategyFileError, match=r"cannot write the checkpoint .*the last checkpoint is unharmed"):
            save_checkpoint(sampler, file, Record())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_bytes() == kept
    assert os.listdir(tmp_path) == ["c"]
    with pytest.raises(StrategyFileError, match="cannot write"):
        save_checkpoint(sampler, tmp_path / "no such folder" / "c", Record())


@pytest.mark.parametrize("damage", ["a byte", "the end"])
def test_a_damaged_checkpoint_is_an_error_that_names_the_one_before(tmp_path, damage):
    file, sampler = tmp_path / "c", leduc_sampler()
    for _ in range(2):
        sampler.step(100)
        save_checkpoint(sampler, file, Record())
    data = bytearray(file.read_bytes())
    if damage == "a byte":
        data[len(data) // 2] ^= 1
    file.write_bytes(data if damage == "a byte" else data[:-1000])
    fresh = leduc_sampler()
    with pytest.raises(StrategyFileError, match=r"damaged or cut short; the one before it is .*c\.previous"):
        load_checkpoint(fresh, file)
    assert fresh.iteration == 0
    assert not fresh.cells.any()
    load_checkpoint(fresh, previous(file))
    assert fresh.iteration == 100


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    file = tmp_path / "c"
    sampler = leduc_sampler()
    save_checkpoint(sampler, file, Record())
    with pytest.raises(StrategyFileError, match="another plan"):
        load_checkpoint(leduc_sampler(seed=2), file)
    rules = pokerlab.rules_of("kuhn")
    source = ListedDeals(deals_of(rules))
    kuhn = Sampler(BettingGraph(rules, source.buckets), source, plan_of("external"))
    with pytest.raises(StrategyFileError, match="another game"):
        load_checkpoint(kuhn, file)
    with pytest.raises(StrategyFileError, match="no such file"):
        load_checkpoint(kuhn, tmp_path / "nothing")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give a limit"),
        ({"iterations": 0}, "iterations: a whole number from 1"),
        ({"seconds": -1.0}, "seconds: a number from 0"),
        ({"goal": 1.0}, "needs something to measure"),
        ({"iterations": 1, "resume": True}, "name the checkpoint"),
    ],
)
def test_wrong_limits(arguments, message):
    with pytest.raises(SolverError, match=message):
        train(leduc_sampler(), **arguments)


def test_a_table_beyond_memory_is_refused_before_it_is_made():
    rules = pokerlab.rules_of("holdem-limit-3p")
    graph = BettingGraph(rules, [[169, 10_000, 10_000, 10_000]] * 3)

    class Source:
        buckets, chunk = graph.buckets, 1

    with pytest.raises(GameTooLarge, match="GiB, this machine has"):
        Sampler(graph, Source(), plan_of("external"))
