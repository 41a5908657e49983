"""Progress that reaches a person: a bar at a terminal, a line now and then in a file, and a word about slow steps."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import pokerlab
from pokerlab import progress
from pokerlab.match.play import play_match
from pokerlab.progress import Bar, Slow, announced


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    return now


def test_a_file_gets_a_line_every_ten_seconds(capsys, clock):
    with Bar("cfr+ on leduc") as bar:
        for second in range(36):
            clock[0] = 100.0 + second
            bar.show(second / 100, f"iteration {second}")
    assert capsys.readouterr().err.splitlines() == [
        "cfr+ on leduc: 10 %, iteration 10, 10 s",
        "cfr+ on leduc: 20 %, iteration 20, 20 s",
        "cfr+ on leduc: 30 %, iteration 30, 30 s",
    ]


@pytest.mark.parametrize("shown", [False, None])
def test_who_asks_for_silence_and_who_is_quick_gets_none(capsys, clock, shown):
    with Bar("quick", shown) as bar:
        for step in range(36 if shown is False else 9):
            clock[0] += 1
            bar.show(step / 36, "x")
    assert capsys.readouterr().err == ""


def test_names_of_strangers_are_printable_in_lines(capsys, clock):
    with Bar("\x1b[31mred") as bar:
        clock[0] += 11
        bar.show(0.0, "a\nb")
    assert capsys.readouterr().err == "\\x1b[31mred: a b, 11 s\n"


def test_slow_steps_say_what_they_are(capsys, monkeypatch):
    monkeypatch.setattr(progress, "SILENCE", 0.05)
    with announced("counting sheep"):
        time.sleep(0.5)
    with announced("nothing to speak of"):
        pass
    time.sleep(0.2)
    assert capsys.readouterr().err == "counting sheep ...\n"


def test_ctrl_c_while_a_notice_begins_is_ctrl_c(capsys, monkeypatch):
    """As `Thread.start` has learnt that the thread runs, and has not got its lock back: that was a RuntimeError. What
    was to be said is not.
    """
    monkeypatch.setattr(progress, "SILENCE", 0.05)
    back = threading.Condition._acquire_restore

    def pressed(condition, state):
        monkeypatch.undo()
        signal.raise_signal(signal.SIGINT)
        back(condition, state)

    monkeypatch.setattr(threading.Condition, "_acquire_restore", pressed)
    with pytest.raises(KeyboardInterrupt), announced("counting sheep"):
        pass
    time.sleep(0.2)
    assert capsys.readouterr().err == ""


def test_steps_that_are_slow_together_say_so_once(capsys, monkeypatch):
    monkeypatch.setattr(progress, "SILENCE", 0.3)
    kernels = Slow("compiling kernels")
    for _ in range(6):
        kernels.begin()
        kernels.begin()  # one within another
        time.sleep(0.1)
        kernels.end()
        kernels.end()
    assert capsys.readouterr().err == "compiling kernels ...\n"
    quick = Slow("nothing to speak of")
    quick.begin()
    quick.end()
    time.sleep(0.4)
    assert capsys.readouterr().err == ""


def test_a_match_tells_how_it_stands(capsys, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    monkeypatch.setattr("pokerlab.match.play._LOOK_EVERY", 0.0)
    rules = pokerlab.rules_of("kuhn")
    agents = [pokerlab.agent_of(name, rules) for name in ("raise", "call")]
    play_match(rules, agents, 4, seed=1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert lines[-1].startswith("kuhn, raise against call: 100 %, 4 hands, raise ")
    agents[0].talks = True  # at the terminal, where lines would be in its way
    play_match(rules, agents, 4, seed=1)
    assert capsys.readouterr().err == ""


SCRIPT = """
import pokerlab
from pokerlab import progress
progress.EVERY = 0.2
pokerlab.solve("leduc:ranks=6,suits=2", "cfr", iterations=10**9, seconds=1.5)
"""


def test_a_solve_whose_messages_go_to_a_file(tmp_path):
    with open(tmp_path / "log", "w") as log:
        subprocess.run([sys.executable, "-c", SCRIPT], stderr=log, check=True, timeout=120, env=os.environ)
    lines = (tmp_path / "log").read_text().splitlines()
    told = [line for line in lines if line.startswith("cfr on leduc:ranks=6,suits=2: ")]
    assert len(told) >= 2
    assert "exploitability" in told[-1]
    assert "\x1b" not in "".join(lines)
