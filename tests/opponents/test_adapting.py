"""Types, aggression, trends and the agent that adapts: worked examples, naive twins, and what a file may hold."""

import json
import os
import signal
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab import load
from pokerlab.agents.asked import answers_of, distribution_of
from pokerlab.agents.simple import Call, Fold, Probe, Raise, Random
from pokerlab.agents.spec import agent_of
from pokerlab.cli import main
from pokerlab.errors import AgentError, TrendsError
from pokerlab.game.betting import CALL, FOLD, Legal
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.play import play_match
from pokerlab.opponents.adapting import Adapting, drawn
from pokerlab.opponents.aggression import Aggressified, shifted
from pokerlab.opponents.trends import FACTORS, NULL, Trends, learn_trends, load_trends
from pokerlab.records.types import Window, action_counts, distance, type_of
from random_cases import random_hands, views

LEDUC = rules_of("leduc")


def test_worked_examples():
    legal, odds = Legal(True, (20,)), {FOLD: 0.1, CALL: 0.4, 20: 0.5}
    assert shifted(odds, 0.1, legal) == pytest.approx({FOLD: 0.1, CALL: 0.36, 20: 0.54})
    assert shifted(odds, -0.1, legal) == pytest.approx({FOLD: 0.1, CALL: 0.45, 20: 0.45})
    assert shifted(odds, 0.0, legal) == odds


@pytest.mark.parametrize("game", ["leduc", "leduc-nl:stack=8", "holdem-limit"])
def test_folds_stay_and_raises_keep_their_proportions(game):
    """In whole numbers of hundredths: a twin that moves each call by itself."""
    for agent, factor in ((Random(), 0.07), (Random(), -0.07), (Call(), 0.1), (Call(), -0.1), (Raise(), -1.0)):
        changed = Aggressified(agent, factor)
        for view in views(rules_of(game), 10):
            before, after = agent.act(view), distribution_of(changed, view)
            called = sum(chance for action, chance in before.items() if action == CALL)
            raised = sum(chance for action, chance in before.items() if action > CALL)
            move = 0.0
            if view.legal.raises:
                move = factor * called if factor > 0 else factor * raised
            assert after.get(FOLD, 0) == before.get(FOLD, 0)
            assert after.get(CALL, 0) == pytest.approx(called - move)
            for action, chance in before.items():
                if action > CALL and raised:
                    assert after[action] == pytest.approx(chance / raised * (raised + move))
            if raised == 0 and move > 0:
                assert after[view.legal.raises[0]] == pytest.approx(move)


def test_all_hands_at_once():
    agent = Aggressified(agent_of("probe"), 0.05)
    for view in views(LEDUC, 20):
        answers, odds = answers_of(agent, view), agent.act(view)
        assert {action: each[0] for action, each in answers.items()} == pytest.approx(odds)


def test_only_fixed_strategies():
    with pytest.raises(AgentError, match="remembers past hands"):
        Aggressified(agent_of("dynamic:call|raise"), 0.1)
    with pytest.raises(AgentError, match="from -1 to 1"):
        Aggressified(Call(), 1.5)


@pytest.mark.parametrize("game", ["leduc", "holdem-limit-3p"])
def test_types_by_the_text_of_the_betting(game):
    """A twin that reads letters: c after a bet of the round, or before the flop for who owes a blind, is a call."""
    rules = rules_of(game)
    total = np.zeros((rules.players, rules.rounds, 4), int)
    for hand in random_hands(rules, 80):
        mine = np.zeros_like(total)
        replay = new_hand(rules)._replace(holes=hand.holes, board=hand.board)
        state = replay.betting
        for letter, action in zip(hand.betting_text().replace("/", ""), hand.actions, strict=True):
            owed = state.highest - state.spent[state.actor] > 0
            kind = {"f": "fold", "c": "call" if owed else "check", "r": "bet"}[letter]
            mine[state.actor, state.round, ["fold", "check", "call", "bet"].index(kind)] += 1
            state = state.act(action)
        assert (action_counts(rules, hand.actions) == mine).all()
        total += mine
    assert (total.sum(axis=(0, 1)) > 0).all()
    shares = type_of(total[0])
    for round in range(rules.rounds):
        whole = int(total[0, round].sum())
        assert shares[round].tolist() == [float(Fraction(int(n), whole)) if whole else 0 for n in total[0, round]]


def test_a_window_forgets():
    rng, window, hands = np.random.default_rng(0), Window(5), []
    for _ in range(12):
        hands.append(rng.integers(0, 3, (2, 4)))
        window.add(hands[-1])
        assert window.full == (len(hands) >= 5)
        assert window.type.tolist() == type_of(np.sum(hands[-5:], axis=0)).tolist()
    assert distance(np.array([[0.5, 0.5]]), np.array([[0.2, 0.9]])) == pytest.approx(0.7)


class TestDrawn:
    """Equation (5.1)."""

    means = np.zeros(len(FACTORS))

    def test_in_proportion_to_gains(self):
        means = self.means.copy()
        means[[3, 8, 15]] = 30.0, 10.0, 20.0
        shares = np.bincount([drawn(means, 3, u) for u in np.linspace(0, 1, 6000, endpoint=False)], minlength=21) / 6000
        assert shares[[3, 8, 15]] == pytest.approx([1 / 2, 1 / 6, 1 / 3], abs=1e-3)
        assert drawn(means, 1, 0.999) == 3
        assert {drawn(means, 2, u) for u in np.linspace(0, 0.999, 50)} == {3, 15}

    def test_null_where_nothing_gains(self):
        assert drawn(self.means, 5, 0.3) == NULL
        worse = self.means - 5
        worse[NULL] = 0
        assert drawn(worse, 21, 0.9) == NULL

    def test_only_gains_over_null_count(self):
        means = self.means.copy()
        means[[NULL, 0, 1]] = 4.0, 5.0, 3.0
        assert {drawn(means, 3, u) for u in np.linspace(0, 0.999, 50)} == {0}


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    path = tmp_path_factory.mktemp("trends") / "leduc.trends"
    return path, learn_trends("probe", ["fold", "call", "random"], "leduc", 20, path, score="aivat")


def test_trends_are_matches_with_each_factor(learnt):
    path, trends = learnt
    again = load(path)
    assert isinstance(again, Trends)
    assert (again.means == trends.means).all()
    for row, opponent in ((0, Fold()), (2, Random())):
        for factor in (0, NULL, 20):
            mine = Aggressified(Probe(), FACTORS[factor])
            from pokerlab.match.scores import SCORES

            score = SCORES["aivat"](LEDUC, [mine, opponent])
            expected = play_match(LEDUC, [mine, opponent], 20, duplicate=True, score=score, names=["probe", "other"])
            assert trends.means[row, factor] == pytest.approx(expected.mean[0], abs=1e-9)
    assert trends.nearest(type_of(trends.counts[1])) == 1


def test_a_run_goes_on(learnt, tmp_path, monkeypatch):
    """What is there is not played again, and the end is the same; another question is refused."""
    path, trends = learnt
    half = load_trends(path)
    half.means[1:, 5:] = np.nan
    half.save(tmp_path / "half.trends")
    from pokerlab.opponents import trends as module

    played = []
    monkeypatch.setattr(module, "_played", lambda task, real=module._played: played.append(task.row) or real(task))
    done = learn_trends("probe", ["fold", "call", "random"], "leduc", 20, tmp_path / "half.trends", score="aivat")
    assert (done.means == trends.means).all()
    assert sorted(played) == [1] * 16 + [2] * 16
    with pytest.raises(TrendsError, match="name another file"):
        learn_trends("probe", ["fold"], "leduc", 20, tmp_path / "half.trends")


def test_kill_9_loses_nothing_that_was_finished(learnt, tmp_path):
    out = tmp_path / "killed.trends"
    words = ["trends", "probe", "fold", "call", "random", "--game=leduc", "--hands=20", "--processes=1", f"--out={out}"]
    process = subprocess.Popen([sys.executable, "-m", "pokerlab", *words], stderr=subprocess.PIPE)
    while not out.exists() and process.poll() is None:
        pass
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert load_trends(out).means.shape == (3, 21)
    ran = CliRunner().invoke(main, [*words, "--json"])
    assert ran.exit_code == 0, ran.stderr
    assert np.array([row["mean"] for row in json.loads(ran.stdout)["opponents"]]) == pytest.approx(learnt[1].means)


def test_processes_change_nothing(learnt, tmp_path):
    from pokerlab.processes import local_processes

    again = learn_trends(
        "probe", ["fold", "call", "random"], "leduc", 20, tmp_path / "two.trends", executor=local_processes(2)
    )
    assert (again.means == learnt[1].means).all()


class TestAdapting:
    def played(self, trends, opponent, hands=40, **options):
        agent = Adapting(Probe(), trends, window=10, **options)
        factors = []

        def score(hand, seated):
            seat = seated.index(agent)
            chosen = agent.playing(hand.view(seat))
            factors.append(FACTORS.index(chosen.factor))
            return hand.payoffs()

        play_match(LEDUC, [agent, opponent], hands, names=["me", "you"], score=score)
        return agent, factors

    def test_null_before_the_window_is_full_then_the_best_of_the_nearest(self, learnt):
        _, trends = learnt
        bests = [int(np.argmax(trends.means[row])) for row in (0, 1)]
        assert any(trends.means[row, best] > trends.means[row, NULL] for row, best in enumerate(bests))
        for row, opponent in ((0, Fold()), (1, Call())):
            agent, factors = self.played(trends, opponent)
            assert factors[:10] == [NULL] * 10
            gains = trends.means[row, bests[row]] > trends.means[row, NULL]
            assert set(factors[10:]) == {bests[row] if gains else NULL}
            agent.reset()
            assert not agent.known

    def test_the_same_for_a_seed(self, learnt):
        runs = [self.played(learnt[1], Random(), 80, top=5, seed=seed)[1] for seed in (1, 1, 2)]
        assert runs[0] == runs[1] != runs[2]

    def test_by_spec(self, learnt):
        path, _ = learnt
        agent = agent_of(f"adapting:probe?model={path}&top=3", LEDUC)
        assert agent.top == 3
        assert agent.files == (str(path.resolve()),)
        with pytest.raises(AgentError, match="one agent and a model"):
            agent_of("adapting:probe")
        with pytest.raises(AgentError, match="from 1 to 21"):
            agent_of(f"adapting:probe?model={path}&top=0")
        with pytest.raises(AgentError, match="plays leduc, not kuhn"):
            agent_of(f"adapting:probe?model={path}", rules_of("kuhn"))

    def test_missing_figures(self, learnt, tmp_path):
        half = load_trends(learnt[0])
        half.means[0, 0] = np.nan
        half.save(tmp_path / "half.trends")
        with pytest.raises(AgentError, match="still missing"):
            agent_of(f"adapting:probe?model={tmp_path / 'half.trends'}")


def test_what_the_command_prints(learnt, tmp_path):
    out = tmp_path / "small.trends"
    words = ["trends", "call", "raise", "--game", "kuhn", "--hands", "3", "--processes", "1", "--out", str(out)]
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, ran.stderr
    assert "best at" in ran.stdout
    assert f"written to {out}" in ran.stdout
    ran = CliRunner().invoke(main, ["trends", "call", "raise", "--game=kuhn-3p", "--out=x.trends"])
    assert ran.exit_code == 2
    assert "for two, not for 3" in ran.stderr


def test_a_score_that_is_none(tmp_path):
    with pytest.raises(TrendsError, match="score 'os:_exit' failed"):
        learn_trends("call", ["raise"], "kuhn", 2, tmp_path / "x.trends", score="os:_exit")
