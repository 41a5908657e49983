"""`pokerlab dealer` and `pokerlab join`, run as a user runs them."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from acpc_players import PlainPlayer
from pokerlab.cli import main
from pokerlab.records.logs import read_log

pytestmark = pytest.mark.slow

POKERLAB = [sys.executable, "-m", "pokerlab"]


def run(*arguments, folder):
    return subprocess.run([*POKERLAB, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)


def test_agents_in_processes_of_their_own(tmp_path):
    results = []
    for name in ("one", "two"):
        arguments = ["--agents", "raise", "random", "--hands", "100", "--seed", "4", "--log", f"{name}.log"]
        found = run("dealer", *arguments, "--json", folder=tmp_path)
        assert found.returncode == 0, found.stderr
        results.append(json.loads(found.stdout))
    assert results[0]["finished"] is True
    assert results[0]["names"] == ["raise", "random"]
    assert results[0]["scores"] == results[1]["scores"]
    logs = [(tmp_path / f"{name}.log").read_text().splitlines() for name in ("one", "two")]
    assert logs[0][1:] == logs[1][1:]
    assert logs[0][0] == "# name/game/hands/seed one leduc 100 4"
    assert len(list(read_log(tmp_path / "one.log", "leduc"))) == 100


def test_text_is_that_of_the_official_dealer(tmp_path):
    found = run("dealer", "--agents", "call", "call", "fold", "--game", "kuhn-3p", "--hands", "9", folder=tmp_path)
    ports, score = found.stdout.splitlines()
    assert len([int(port) for port in ports.split()]) == 3
    assert score.startswith("SCORE:")
    assert score.endswith(":call|call.2|fold")


def test_seats_wait_on_ports_for_players(tmp_path):
    command = [
        *POKERLAB,
        "dealer",
        "--agents",
        "call",
        "--game",
        "holdem-limit-3p",
        "--hands",
        "20",
        "--names",
        "A,B,C",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as dealer:
        ports = dealer.stdout.readline().split()
        game = ["--game", "holdem-limit-3p", "--json"]
        joined = [
            subprocess.Popen([*POKERLAB, "join", "127.0.0.1", port, "--agent", "raise", *game], stdout=subprocess.PIPE)
            for port in ports[1:]
        ]
        found = [json.loads(player.communicate(timeout=60)[0]) for player in joined]
        score = dealer.stdout.readline()
        assert dealer.wait(60) == 0
    assert [player["hands"] for player in found] == [20, 20]
    assert score.split(":")[2] == "A|B|C\n"
    assert [f"{player['chips']:g}" for player in found] == score.split(":")[1].split("|")[1:]


def test_who_leaves_ends_the_match_with_exit_code_1(tmp_path):
    command = [*POKERLAB, "dealer", "--agents", "call", "--hands", "50", "--log", "x.log"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as dealer:
        port = int(dealer.stdout.readline().split()[1])

        def answer(line, turn):
            if turn == 10:
                raise ConnectionAbortedError
            return f"{line}:c\r\n".encode()

        PlainPlayer(port, 2, answer).run()
        out, err = dealer.communicate(timeout=60)
    assert dealer.returncode == 1
    assert out == ""
    assert "the match ended after 5 of 50 hands: p2 disconnected" in err
    assert len(list(read_log(tmp_path / "x.log", "leduc"))) == 5


def test_an_agent_that_never_answers_is_stopped(tmp_path):
    (tmp_path / "bots.py").write_text(
        "import os, time\nfrom pokerlab.agents.agent import Agent\n\n\nclass Asleep(Agent):\n    def act(self, view):\n"
        "        open('pid', 'w').write(str(os.getpid()))\n        time.sleep(1000)\n"
    )
    arguments = ["--agents", "bots:Asleep", "call", "--hands", "5", "--response-seconds", "0.5", "--json"]
    found = run("dealer", *arguments, folder=tmp_path)
    assert found.returncode == 1, found.stderr
    result = json.loads(found.stdout)
    assert (result["finished"], result["hands"], result["at_fault"]) == (False, 0, "bots_Asleep")
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()


def test_a_player_whose_dealer_breaks_off_says_after_which_hand(tmp_path):
    arguments = ["--agents", "call", "--hands", "50", "--response-seconds", "0.5"]
    with subprocess.Popen([*POKERLAB, "dealer", *arguments], stdout=subprocess.PIPE, text=True, cwd=tmp_path) as dealer:
        port = dealer.stdout.readline().split()[1]
        (tmp_path / "slow.py").write_text(
            "import time\nfrom pokerlab.agents.simple import Call\n"
            "class Slow(Call):\n    name = 'slow'\n"
            "    def observe(self, view):\n        self.seen = getattr(self, 'seen', 0) + 1\n"
            "    def act(self, view):\n        time.sleep(3 if getattr(self, 'seen', 0) == 2 else 0)\n"
            "        return super().act(view)\n"
        )
        joined = run("join", "127.0.0.1", port, "--agent", "slow:Slow", "--json", folder=tmp_path)
        assert dealer.wait(60) == 1
    assert joined.returncode == 1
    assert "broke the match off in hand 3, after 2" in joined.stderr
    told = json.loads(joined.stdout)
    assert (told["hands"], told["broken_off"]) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["--agents", "nobody", "call"], 1, "nobody did not start"),
        (
            ["call", "call"],
            2,
            "NAME GAME HANDS SEED PLAYER... are expected, not 'call call'; agents go behind --agents",
        ),
        (["--game", "leduc", "call", "call"], 2, "agents are given as --agents call call"),
        (["--agents", "call", "program:./nothing.sh"], 2, "cannot start program:./nothing.sh: No such file"),
        (["--agents", "call", "call", "call"], 2, "the game is for 2 players, got 3 agents"),
        (["--ports", "1,2,3"], 2, "--ports must have a number for each of the 2 seats"),
        (["--ports", "1,x"], 2, "--ports must have a number"),
        (["--agents", "call", "--ports", "1,2,3"], 2, "--ports must have a number for each of the 1 seats"),
        (["--hands", "0"], 2, "a whole number from 1 to 10^8 is needed, not 0"),
        (["--game", "nothing"], 2, "no game"),
        (["--response-seconds", "0"], 2, "a number above 0 to 10^8 is needed, not 0"),
        (["--names", "A"], 2, "2 different names"),
        (["--start-seconds", "0.2"], 1, "p1, p2 did not connect within 0.2 s"),
    ],
)
def test_bad_input_of_dealer(arguments, code, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    started = time.monotonic()
    found = CliRunner().invoke(main, ["dealer", *arguments])
    assert isinstance(found.exception, SystemExit)
    assert found.exit_code == code
    assert complaint in found.stderr
    assert "Traceback" not in found.stderr
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["127.0.0.1", "1", "--agent", "call", "--connect-seconds", "0.2"], "cannot reach a dealer at 127.0.0.1:1"),
        (["127.0.0.1", "99999", "--agent", "call"], "from 1 to 65535 is needed, not 99999"),
        (["127.0.0.1", "1", "--agent", "nobody"], "nobody"),
        (["127.0.0.1", "1", "--agent", "call", "--seed", "-1"], "--seed"),
        (["127.0.0.1", "1", "--agent", "call", "--names", "Alice"], "2 names are needed"),
    ],
)
def test_bad_input_of_join(arguments, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, ["join", *arguments])
    assert isinstance(found.exception, SystemExit)
    assert found.exit_code == 2
    assert complaint in found.stderr
    assert "Traceback" not in found.stderr


GREETER = """
import pokerlab

class Greeter(pokerlab.Agent):
    stateless = False

    def act(self, view):
        return {0: 1.0}

    def observe(self, view):
        with open("met", "a") as file:
            print(view.seat, *view.names, file=file)
"""


def test_local_players_know_who_sits_where(tmp_path, monkeypatch):
    (tmp_path / "greeters.py").write_text(GREETER)
    monkeypatch.chdir(tmp_path)
    ran = subprocess.run(
        [*POKERLAB, "dealer", "--agents", "greeters:Greeter", "call", "--names", "Ann,Bob", "--hands", "3"],
        capture_output=True, timeout=100, check=True,
    )  # fmt: skip
    assert b"SCORE" in ran.stdout
    assert (tmp_path / "met").read_text().splitlines() == ["0 Ann Bob", "1 Bob Ann", "0 Ann Bob"]


def test_nobody_is_lost_to_our_start_up(tmp_path, monkeypatch):
    """With nothing kept from earlier, players who have a second for an answer play hold'em to its showdowns."""
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path / "cache"))
    arguments = ["m", "holdem-limit", "4", "1", "A", "B", "--t_response", "1000", "--t_per_hand", "1000"]
    ran = run("dealer", *arguments, "--agents", "call", "--agents", "uniform", folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert any(record.hand.betting.showdown for record in read_log(tmp_path / "m.log"))
    assert list((tmp_path / "cache").iterdir())


def test_the_first_showdown_of_a_process_finds_its_tables_ready(tmp_path, monkeypatch):
    """Of a dealer and of a player, before a port is opened or a clock runs."""
    code = """
import random
from pokerlab.agents.simple import Call
from pokerlab.cards import evaluator
from pokerlab.errors import ProtocolError
from pokerlab.game.catalog import rules_of
from pokerlab.match.client import join
from pokerlab.match.dealer import Dealer
from pokerlab.match.play import play_match

rules = rules_of("holdem-nolimit")
if {dealer}:
    Dealer(rules, 1).close()
else:
    try:
        join("127.0.0.1", 1, Call(), rules, random.Random(1), connect_seconds=0)
    except ProtocolError as error:
        assert "cannot reach" in str(error)
made = evaluator.tables.cache_info().misses, evaluator.evaluator.cache_info().misses
assert made == (1, 1), made
play_match(rules, [Call(), Call()], 3)
assert made == (evaluator.tables.cache_info().misses, evaluator.evaluator.cache_info().misses)
"""
    for dealer in (True, False):
        done = subprocess.run(
            [sys.executable, "-c", code.replace("{dealer}", str(dealer))],
            cwd=tmp_path, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
