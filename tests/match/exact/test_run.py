"""Exploitability from flops: exact, sampled, stopped and gone on with, on the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from naive_response import MoodyByBucket, holdem
from pokerlab.agents.spec import agent_of
from pokerlab.agents.table import TableAgent, profile_of
from pokerlab.cli import main
from pokerlab.errors import PokerlabError
from pokerlab.form.evaluate import evaluate
from pokerlab.game.catalog import rules_of
from pokerlab.match.exact import run
from pokerlab.match.exact.run import FlopTask, exploitability
from pokerlab.match.exact.sample import drawn, in_order, of_all, of_sample
from pokerlab.match.exact.tree import PublicTree
from pokerlab.processes import local_processes

SMALL = "leduc:ranks=13,suits=4"


@pytest.fixture(scope="module")
def flops():
    """A tree of hold'em's flops that costs little, what each is worth, and the truth."""
    tree = PublicTree(agent_of("call"), holdem(2, 2))
    worth = {number: tree.flop(dealt) for number, dealt in enumerate(tree.flops)}
    return tree, worth, of_all(tree, worth)


def told(*words):
    result = CliRunner().invoke(main, ["evaluate", *words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_small_games_on_the_command_line(tmp_path, monkeypatch):
    """Equal to what `evaluate` tabulates, for agents and for a solved strategy; the unit is the game's."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["solve", "leduc", "--iterations", "50", "--out", "x.strategy"]).exit_code == 0
    for agent, game in (("random", SMALL), ("raise", "leduc"), ("x.strategy", "leduc")):
        found = told(agent, "--game", game, "--exact")
        player = agent_of(agent)
        assert found["exploitability"] == pytest.approx(
            evaluate(profile_of(player, player, game)).exploitability / 0.002, abs=1e-9
        )
        assert found["unit"] == "mb/h"
        assert found["ci95"] == 0
        assert found["all"]
        assert found["exploitability"] == pytest.approx(sum(found["seats"]) / 2)
    assert told("x.strategy", "--exact")["exploitability"] == pytest.approx(
        told("x.strategy")["exploitability"] / 0.002, abs=1e-9
    )


def test_who_folds_in_holdem():
    """Wins nothing but what lies in the middle: 10 chips of each hand that it may have, on every flop."""
    tree = PublicTree(agent_of("fold"), rules_of("holdem-limit"), dtype=np.float32)
    worth = tree.flop(tree.flops[321])
    limped = next(n for n, root in enumerate(tree.seats[1][1].roots) if root.actions == (0, 0))
    free = np.bincount(tree.suits.kinds, tree.showdowns.possible(tree.flops[321].board)) / np.bincount(tree.suits.kinds)
    np.testing.assert_allclose(worth[1, limped], 10 * 1081 * free, rtol=1e-6)
    assert not np.delete(worth[1], limped, axis=0).any()
    every = {number: np.zeros_like(worth) for number in range(1755)}  # to raise at once is worth as much
    assert np.array(of_all(tree, every).seats) / 0.01 == pytest.approx([500, 1000], abs=1e-9)


def test_draws():
    tree = PublicTree(agent_of("call"), holdem(2, 2))
    every = in_order(tree)
    assert np.array_equal(np.bincount(every), [dealt.times for dealt in tree.flops])
    numbers = drawn(tree, 10, 50, 3)
    assert numbers.shape == (50, 10)
    assert np.array_equal(numbers[:4], drawn(tree, 10, 4, 3))  # more time, the same flops and more
    for stratum, column in enumerate(numbers.T):
        assert {*column} <= {*every[2210 * stratum : 2210 * (stratum + 1)]}
    assert not np.array_equal(numbers, drawn(tree, 10, 50, 4))


def test_intervals_cover(flops):
    """Of 20 flops, over 50 seeds: the truth lies in the interval, and what is chosen apart is below it on average."""
    tree, worth, truth = flops
    covered, low, high = 0, [], []
    for seed in range(50):
        numbers = drawn(tree, 10, 2, seed)
        least, most = (of_sample(tree, numbers, worth, apart=apart) for apart in (True, False))
        covered += least.mean - least.ci95 <= truth.mean <= most.mean + most.ci95
        low.append(least.mean)
        high.append(most.mean)
    assert covered >= 44  # 47.5 are expected; fewer than 44 come once in 30 times 95 %
    assert np.mean(low) < truth.mean < np.mean(high)
    assert np.mean(high) - np.mean(low) < 0.1 * truth.mean


def test_strata_help(flops):
    """The interval is narrower than that of as many flops drawn from all."""
    tree, worth, _ = flops
    wide = np.mean([of_sample(tree, drawn(tree, 1, 20, seed), worth, apart=False).ci95 for seed in range(20)])
    narrow = np.mean([of_sample(tree, drawn(tree, 10, 2, seed), worth, apart=False).ci95 for seed in range(20)])
    assert narrow < 0.8 * wide


def test_a_sample_of_every_flop_is_the_truth():
    tree = PublicTree(MoodyByBucket(1), rules_of("leduc:ranks=6,suits=1"))
    worth = {number: tree.flop(dealt) for number, dealt in enumerate(tree.flops)}
    truth = of_all(tree, worth)
    numbers = np.stack([np.arange(6)] * 2)
    for apart in (True, False):
        assert of_sample(tree, numbers, worth, apart=apart).seats == pytest.approx(truth.seats)


def test_the_folder_is_gone_on_with(tmp_path, monkeypatch):
    """What is finished is not done again, whoever finished it; and gives the same figure."""
    agent, rules = agent_of("random"), rules_of(SMALL)
    whole = exploitability(agent, rules, progress=False)
    with pytest.raises(PokerlabError, match=r"0 of 13 flops were finished in 0 s and are in .*goes on"):
        exploitability(agent, rules, seconds=0, folder=tmp_path, progress=False)
    real, done = PublicTree.flop, []

    def stopped(tree, dealt):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(dealt.board)
        return real(tree, dealt)

    monkeypatch.setattr(PublicTree, "flop", stopped)
    with pytest.raises(KeyboardInterrupt):
        exploitability(agent, rules, folder=tmp_path, progress=False)
    assert len([*tmp_path.glob("*.flop")]) == 5
    counted = []
    monkeypatch.setattr(PublicTree, "flop", lambda tree, dealt: (counted.append(dealt.board), real(tree, dealt))[1])
    again = exploitability(agent, rules, folder=tmp_path, progress=False)
    assert len(counted) == 8
    assert not {*counted} & {*done}
    assert again.summary()["exploitability"] == whole.summary()["exploitability"]
    exploitability(agent, rules, folder=tmp_path, progress=False)
    assert len(counted) == 8


def test_killed_and_gone_on_with(tmp_path):
    """kill -9 in the middle: every file is whole, and the rest is done by the same command."""
    words = [sys.executable, "-m", "pokerlab", "evaluate", "random", "--game", "rhode-island:ranks=8", "--exact",
             "--flops", "all", "--out", str(tmp_path / "flops"), "--json"]  # fmt: skip
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not [*(tmp_path / "flops").glob("*.flop")] and child.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    finished = len([*(tmp_path / "flops").glob("*.flop")])
    assert finished
    result = subprocess.run(words, capture_output=True, check=True)
    alone = exploitability(agent_of("random"), rules_of("rhode-island:ranks=8"), progress=False)
    assert json.loads(result.stdout)["exploitability"] == alone.summary()["exploitability"]


def test_folders_of_others_are_refused(tmp_path):
    exploitability(agent_of("call"), rules_of("leduc"), folder=tmp_path, progress=False)
    for agent, game in (("raise", "leduc"), ("call", "leduc:raises=1")):
        with pytest.raises(PokerlabError, match="flops of another agent"):
            exploitability(agent_of(agent), rules_of(game), folder=tmp_path, progress=False)
    (file, *_) = tmp_path.glob("*.flop")
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(PokerlabError, match="damaged or cut short"):
        exploitability(agent_of("call"), rules_of("leduc"), folder=tmp_path, progress=False)


def test_a_strategy_that_changed_is_another_agent(tmp_path):
    from pokerlab.form.compile import compile
    from pokerlab.form.strategy import Profile, random_profile

    game = compile("leduc")
    profile = random_profile(game, np.random.default_rng(0))
    exploitability(TableAgent(profile), rules_of("leduc"), folder=tmp_path, progress=False)
    node = max(at for at, node in enumerate(game.origin.nodes) if node.state.actor == 1)  # its last decision
    last = game.at_node(node, profile[1])
    last[:, 0] = last[::-1, 0]
    with pytest.raises(PokerlabError, match="another agent"):
        exploitability(
            TableAgent(Profile(game, profile.behaviours)), rules_of("leduc"), folder=tmp_path, progress=False
        )


def test_processes_change_nothing(tmp_path):
    agent, rules = agent_of("random"), rules_of(SMALL)
    one = exploitability(agent, rules, progress=False)
    two = exploitability(agent, rules, executor=local_processes(2), folder=tmp_path, progress=False)
    assert two.summary()["exploitability"] == one.summary()["exploitability"]
    task = FlopTask(agent, rules, True, np.float64)
    assert task.__getstate__().keys() == {"given"}


def test_what_is_refused():
    for words, problem in (
        (["call", "--game", "leduc", "--flops", "all"], "are for --exact"),
        (["call", "--game", "leduc", "--out", "x"], "are for --exact"),
        (["call", "--game", "leduc", "--exact", "--response", "1"], "are not for it"),
        (["call", "--game", "leduc-nl", "--exact"], "bets must be of fixed size"),
        (["call", "--game", "leduc", "--exact", "--flops", "some"], "a whole number from 4 to 10^6 is needed"),
        (["call", "--game", "holdem-limit", "--exact", "--seconds", "0"], "20 are needed at least"),
    ):
        result = CliRunner().invoke(main, ["evaluate", *words])
        assert (result.exit_code, problem in result.output) == (2, True), result.output


def test_as_many_as_there_is_time_for(monkeypatch):
    """More time, more draws, all of them by one call of the executor; where flops are few, all of them."""
    found = exploitability(agent_of("random"), rules_of(SMALL), flops=None, seconds=100, progress=False)
    assert found.whole
    clock, calls = iter(range(10**6)), []
    monkeypatch.setattr(run, "time", SimpleNamespace(monotonic=lambda: next(clock), process_time=time.process_time))

    def called(function, tasks):
        calls.append(tasks)
        return map(function, tasks)

    rules = holdem(2, 1, ranks=5)
    draws = drawn(PublicTree(agent_of("random"), rules), 10, 200, 0).tolist()
    order = list(dict.fromkeys(flop for draw in draws for flop in draw))
    for seconds in (30, 45):  # a second for the look at the clock before the first flop, and one for each flop
        made = exploitability(agent_of("random"), rules, flops=None, seconds=seconds, executor=called, progress=False)
        finished = {*order[: seconds - 1]}
        whole = [finished.issuperset(draw) for draw in draws]
        assert (made.whole, made.flops) == (False, 10 * whole.index(False))
    assert len(calls) == 2
    with pytest.raises(PokerlabError, match="how many flops, or how many seconds"):
        exploitability(agent_of("random"), rules, flops=None)


def test_words():
    result = CliRunner().invoke(main, ["evaluate", "call", "--game", "leduc", "--exact"])
    assert "exploitability   733.33 mb/h exactly" in result.output
    sampled = exploitability(MoodyByBucket(2), holdem(2, 1), flops=8, progress=False)
    low, high = sampled.least.mean, sampled.most.mean
    assert low <= high
    assert any("± " in line and "8 flops" in line for line in sampled.lines())
    found = sampled.summary()
    assert found["exploitability"] - found["ci95"] == pytest.approx((low - sampled.least.ci95) / 0.01)
    assert found["exploitability"] + found["ci95"] == pytest.approx((high + sampled.most.ci95) / 0.01)
