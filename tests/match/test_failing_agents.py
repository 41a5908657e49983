"""An agent that fails, however it does, is one line that names it and exit code 1, wherever agents are asked."""

import json
import os
import sys

import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.agents.agent import Agent
from pokerlab.agents.asking import choices, spot_view
from pokerlab.agents.simple import Call
from pokerlab.agents.table import profile_of
from pokerlab.cli import main
from pokerlab.errors import AgentError, AgentFailed
from pokerlab.match.aivat_holdem import HoldemAivat
from pokerlab.match.client import deal_to_agents
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.play import play_match

LEDUC, HOLDEM = pokerlab.rules_of("leduc"), pokerlab.rules_of("holdem-limit")

BOTS = """
import os, sys, math
import pokerlab

ANSWERS = {
    "none": None, "no-number": {0: math.nan}, "half": {0: 0.5}, "much": {0: 1.4}, "illegal": {99: 1.0},
    "negative": {0: 1.5, 3: -0.5}, "words": {"call": 1.0}, "text": {0: "1"}, "list": [1.0],
}

class Bad(pokerlab.Agent):
    stateless = False

    def __init__(self, how="none", stateless=True, good=5):
        self.how, self.stateless, self.good = how, stateless, good

    def act(self, view):
        self.good -= 1
        if self.good >= 0:
            return {0: 1.0}
        if self.how == "exit":
            sys.exit(3)
        if self.how == "die":
            os._exit(3)
        if self.how == "raise":
            return 1 / 0
        return ANSWERS[self.how]

class Exits(pokerlab.Agent):
    def __init__(self):
        sys.exit(0)

class Remembers(pokerlab.Agent):
    stateless = False

    def act(self, view):
        return {0: 1.0}

    def observe(self, view):
        raise KeyError("what was that")

class NoAgent:
    def __init__(self, **options):
        open("was-called", "w").close()

def maker(**options):
    open("was-called", "w").close()
"""
SAID = {
    "none": "not 'None'", "no-number": "probability nan", "half": "add up to 0.5", "much": "add up to 1.4",
    "illegal": "illegal action 99", "negative": "probability -0.5", "words": "illegal action call", "text": "TypeError",
    "list": "not '[1.0]'", "exit": "it called sys.exit(3)", "raise": "ZeroDivisionError: division by zero (bad_bots",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "bad_bots.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    sys.modules.pop("bad_bots", None)
    return tmp_path


def refused(arguments, code=1):
    """The one line of a command that fails."""
    ran = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert isinstance(ran.exception, SystemExit), ran.exception
    assert (ran.exit_code, ran.stderr.count("\n")) == (code, 1), ran.stderr
    assert ran.stderr.startswith("pokerlab: ")
    return ran.stderr


@pytest.mark.parametrize("how", SAID)
def test_in_a_match(folder, how):
    said = refused(["match", f"bad_bots:Bad?how={how}&stateless=false&good=3", "call", "--hands", 50])
    assert f"agent 'bad_bots:Bad?how={how}&stateless=false&good=3' failed" in said
    assert SAID[how] in said
    assert "in hand 1, " in said  # it acts twice a hand
    assert "after 'cc/c'" in said


@pytest.mark.parametrize("how", SAID)
def test_as_a_table(folder, how):
    said = refused(["match", f"bad_bots:Bad?how={how}", "call", "--hands", 50])
    assert f"agent 'bad_bots:Bad?how={how}' failed with " in said
    assert SAID[how] in said
    exploited = refused(["evaluate", f"bad_bots:Bad?how={how}&good=0", "--game", "leduc", "--deals", 5])
    assert f"agent 'bad_bots:Bad?how={how}&good=0' failed" in exploited


@pytest.mark.parametrize("how", ["raise", "exit", "none"])
def test_in_tournaments(folder, how):
    bad = f"bad=bad_bots:Bad?how={how}&stateless=false"
    said = refused(["tournament", bad, "call", "--hands", 20, "--processes", 1, "--out", "t"])
    assert "bad against call: in hand 2, agent 'bad_bots:Bad" in said
    assert SAID[how] in said


def strays(folder):
    """Modules that a folder may hold, and that nobody has asked for."""
    for name in ("random", "socket", "pickle", "numpy", "click", "pokerlab"):
        (folder / f"{name}.py").write_text("open('stray', 'w').close()\nraise SystemExit('stray')\n")
    (folder / "sibling.py").write_text("good = True\n")
    with (folder / "bad_bots.py").open("a") as bots:
        bots.write("import random, sibling\nassert sibling.good and random.random\n")


def test_a_worker_that_dies_is_named_and_workers_take_no_strays(folder):
    strays(folder)
    bad = "bad=bad_bots:Bad?how=die&stateless=false"
    said = refused(["tournament", bad, "call", "raise", "--hands", 20, "--processes", 2, "--out", "t"])
    assert "bad against call" in said or "bad against raise" in said
    assert "a worker process died, exit code 3" in said
    assert not (folder / "stray").exists()
    assert "PYTHONSAFEPATH" not in os.environ


@pytest.mark.parametrize(("how", "why"), [("raise", SAID["raise"]), ("die", "its process ended with exit code 3")])
def test_at_a_dealer(folder, how, why):
    """The player is a process of its own, which takes no strays; the dealer says what it said, in the same line."""
    strays(folder)
    arguments = ["--agents", f"bad_bots:Bad?how={how}", "call", "--hands", "50", "--names", "Ann,Bob", "--json"]
    ran = CliRunner().invoke(main, ["dealer", *arguments])
    *_, line = ran.stderr.splitlines()  # the ports, what the other player makes of it, and what went wrong
    assert ran.stderr.count("pokerlab: ") == 1
    assert ran.exit_code == 1
    assert line.startswith("pokerlab: the match ended after 2 of 50 hands: Ann disconnected: ")
    assert why in line
    told = json.loads(ran.stdout)
    assert (told["at_fault"], why in told["reason"]) == ("Ann", True)
    assert not (folder / "stray").exists()


def test_an_agent_that_cannot_be_made(folder):
    (folder / "leaves.py").write_text("import sys\nsys.exit(0)\n")
    (folder / "wrong.py").write_text("x = \n")
    assert "agent 'bad_bots:Exits': it cannot be made: it called sys.exit(0)" in refused(
        ["match", "bad_bots:Exits", "call"], 2
    )
    assert "it called sys.exit(0)" in refused(["match", "leaves:Bot", "call"], 2)
    assert "SyntaxError" in refused(["match", "wrong:Bot", "call"], 2)
    assert "bad_bots.py has no such name" in refused(["match", "bad_bots:Bat", "call"], 2)


@pytest.mark.parametrize("spec", ["bad_bots:NoAgent", "bad_bots:maker", "bad_bots:ANSWERS", "os:abort", "os:getcwd"])
def test_a_class_is_checked_before_it_is_called(folder, spec):
    assert "derive its class from it" in refused(["match", f"{spec}?x=1", "call"], 2)
    assert not (folder / "was-called").exists()


class Raises(Agent):
    name = "odd"

    def act(self, view):
        if len(view.actions) > 1:
            raise RuntimeError("no idea")
        return {0: 1.0}


class Much(Call):
    name = "much"

    def answers(self, view):
        return {action: 2 * odds for action, odds in super().answers(view).items()}


def test_in_python_the_cause_is_chained():
    with pytest.raises(AgentFailed, match=r"in hand 7, agent 'odd' failed .*no idea") as failure:
        play_match(HOLDEM, [Raises(), Call()], 20, start=7)
    assert isinstance(failure.value.__cause__.__cause__, RuntimeError)
    with pytest.raises(AgentFailed, match="agent 'odd' failed with Jh"):
        profile_of(Raises(), Raises(), "leduc")
    with pytest.raises(AgentFailed, match="agent 'odd' failed with Kh"):
        choices(Raises(), spot_view(LEDUC, "Kh", "Jh", "cc/"))
    with pytest.raises(AgentFailed, match="with some hand add up to 2"):
        local_best_response(Much(), LEDUC, 5)
    agents = [Much(), Call()]
    with pytest.raises(AgentFailed, match="with some hand add up to 2"):
        play_match(HOLDEM, agents, 2, score=HoldemAivat(HOLDEM, agents))
    result = deal_to_agents(LEDUC, [Raises(), Call()], 5)
    assert not result.finished
    assert "agent 'odd' failed" in result.reason


def test_a_refusal_stays_one():
    class Remembers(Call):
        stateless = False

    with pytest.raises(AgentError, match="remembers past hands"):
        HoldemAivat(HOLDEM, [Remembers(), Call()])


def test_observing_may_fail_too(folder):
    said = refused(["match", "bad_bots:Remembers", "call", "--hands", 50])
    assert "in hand 0, agent 'bad_bots:Remembers' failed" in said
    assert "KeyError: 'what was that' (bad_bots.py, line " in said
