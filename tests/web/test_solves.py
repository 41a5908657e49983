"""Spots that the server solves in a process beside it: what comes of them, how they end, and what is refused."""

import json
import os
import random
import re
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from websockets.sync.client import connect

from pokerlab.cards.holes import COUNT
from pokerlab.cards.ranges import Range
from pokerlab.cli import main
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.spot import parse_spot
from pokerlab.web import solves as asked_of
from pokerlab.web.ledger import Ledger, SolveRow
from pokerlab.web.worker import Task
from web_client import TURN, There, at_home, serving

RIVER = TURN.replace("2h 4c", "2h 4c 7d")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """One server for all: its process takes seconds to start."""
    folder, before = tmp_path_factory.mktemp("web"), os.getcwd()
    os.chdir(folder)
    with at_home(folder) as here:
        yield here
    os.chdir(before)


@pytest.fixture
def client(home):
    """With none of what other tests have made."""
    os.chdir(home.ledger.path.parent)
    for path in Path().iterdir():
        if "sqlite" not in path.name:
            path.unlink()
    return home


def new(client):
    """The solves that this test has asked for, the newest first."""
    return [one for one in client.get("/api/solves") if Path(f"{one['name']}.toml").exists()]


def ended(client, number):
    """A solve that is over, one way or another."""
    until = time.monotonic() + 900  # it lets others go first, and CI is busy
    while time.monotonic() < until:
        told = client.get(f"/api/solves/{number}")
        if told["state"] not in ("waiting", "solving"):
            return told
        time.sleep(0.05)
    raise AssertionError(told)


def test_it_is_what_the_command_gives(client):
    """Of several in the queue, which are solved in turn; the file that was kept is the command's, too."""
    first = client.post("/api/solves", {"name": "river", "spot": RIVER, "iterations": 40})
    assert (first["state"], first["file"]) == ("solving", None)
    second = client.post("/api/solves", {"name": "turn 2", "spot": TURN, "exploitability": 3.0})
    assert ended(client, second["number"])["stopped"] == "exploitability"
    told = ended(client, first["number"])
    assert (told["state"], told["iterations"], told["file"]) == ("done", 40, "river.solution")
    assert [point[0] for point in told["trace"]] == [10, 20, 40]
    assert told["exploitability"] == told["trace"][-1][2] > 0
    assert [one["name"] for one in new(client)] == ["turn 2", "river"]
    assert [one["file"] for one in client.get("/api/spots")] == ["river.solution", "turn 2.solution"]
    assert sorted(path.name for path in Path().glob("*.checkpoint*")) == []
    words = ["spot", "river.toml", "--iterations", "40", "--threads", "1", "--json", "--out", "other.solution"]
    printed = json.loads(CliRunner().invoke(main, words).stdout)
    assert printed["exploitability_percent"] == pytest.approx(told["exploitability"], rel=1e-3)
    shown = [client.get(f"/api/spots/look?file={name}.solution")["node"] for name in ("river", "other")]
    again = CliRunner().invoke(main, ["spot", "river.solution", "--json"])
    assert shown[0] == shown[1] == json.loads(again.stdout)["node"]


def test_one_that_is_stopped_keeps_what_it_has_and_goes_on(client):
    """Bit for bit as if it had not been stopped, to the same number of iterations."""
    asked = {"name": "turn", "spot": TURN, "exploitability": 0.0, "iterations": 10**6}
    number = client.post("/api/solves", asked)["number"]
    waits = client.post("/api/solves", {**asked, "name": "later"})["number"]
    while not client.get(f"/api/solves/{number}")["iterations"]:
        time.sleep(0.02)
    assert client.post(f"/api/solves/{waits}/stop", None)["state"] == "stopped"
    client.post(f"/api/solves/{number}/stop", None)
    told = ended(client, number)
    assert (told["state"], told["stopped"], told["file"]) == ("stopped", "interrupted", "turn.solution")
    assert 0 < told["iterations"] < 10**6
    assert client.get("/api/spots/look?file=turn.solution")["kind"] == "decision"
    assert client.ask("POST", f"/api/solves/{number}/stop")[0] == 409
    assert client.ask("POST", "/api/solves/99/stop")[0] == 404
    client.post(f"/api/solves/{number}/go-on", None)
    assert client.ask("POST", f"/api/solves/{number}/go-on")[0] == 409
    while client.get(f"/api/solves/{number}")["iterations"] <= told["iterations"]:
        time.sleep(0.02)
    client.post(f"/api/solves/{number}/stop", None)
    again = ended(client, number)
    assert again["trace"][: len(told["trace"])] == told["trace"] or len(again["trace"]) > 190
    assert again["iterations"] > told["iterations"]


def test_a_worker_that_dies_takes_one_spot_with_it(client, monkeypatch):
    asked = {"name": "turn", "spot": TURN, "exploitability": 0.0}
    number = client.post("/api/solves", asked)["number"]
    other = client.post("/api/solves", {"name": "river", "spot": RIVER, "iterations": 10})["number"]
    while not client.get(f"/api/solves/{number}")["iterations"]:
        time.sleep(0.02)
    (child,) = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()[-1:]
    os.kill(int(child), signal.SIGKILL)
    told = ended(client, number)
    assert (told["state"], told["error"]) == ("failed", "the process that solves died (exit code -9)")
    assert ended(client, other)["state"] == "done"


def test_a_solve_that_a_server_was_killed_over_is_stopped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(Ledger("web.sqlite")) as ledger:
        goal = {"exploitability": None, "iterations": 30, "seconds": 60.0}
        for number, name in ((6, "turn"), (7, "begun")):
            ledger.save_solve(SolveRow(number, name, TURN, goal, "solving", dict(asked_of._NOTHING), "", 1.0))
    solve_spot(parse_spot(TURN), iterations=20, threads=1, checkpoint="begun.checkpoint", progress=False)
    with at_home(tmp_path) as client:
        begun, turn = client.get("/api/solves")
        for told, iterations in ((turn, 0), (begun, 20)):
            assert (told["state"], told["error"]) == ("stopped", "the server ended")
            assert told["iterations"] == iterations
        assert [point[0] for point in begun["trace"]] == [10, 20]
        assert begun["exploitability"] == begun["trace"][-1][2] > 0
        client.post("/api/solves/7/go-on", None)
        again = ended(client, 7)
        assert again["iterations"] == 30
        assert again["trace"][:2] == begun["trace"]
        client.post("/api/solves/6/go-on", None)
        assert ended(client, 6)["iterations"] == 30


def test_who_watches_hears_everything_and_a_restart_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with serving("--ledger", "web.sqlite") as told:
        port = int(told["url"].rstrip("/").rpartition(":")[2])
        url = f"ws://127.0.0.1:{port}/api/solves/live"
        with connect(url) as one, connect(url) as two:
            assert json.loads(one.recv()) == json.loads(two.recv()) == {"solves": []}
            one.send("{}")
            assert json.loads(one.recv())["status"] == 422
            There(port).post("/api/solves", {"name": "turn", "spot": TURN, "exploitability": 0.0})
            for socket in (one, two):
                states = []
                while not states or states[-1]["iterations"] < 1:
                    states.append(json.loads(socket.recv())["solve"])
                assert states[0]["state"] == "waiting"
                assert {state["name"] for state in states} == {"turn"}
    with serving("--ledger", "web.sqlite") as told:
        (kept,) = There(int(told["url"].rstrip("/").rpartition(":")[2])).get("/api/solves")
        assert (kept["state"], kept["file"]) == ("stopped", "turn.solution")
        assert kept["iterations"] >= 1


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"name": "../evil"}, "name", "begins with a letter"),
        ({"name": ""}, "name", "begins with a letter"),
        ({"name": "a.b"}, "name", "begins with a letter"),
        ({"name": "x" * 61}, "name", "begins with a letter"),
        ({"name": "taken"}, "name", "already"),
        ({"spot": "board = 7"}, "board", "needs a board"),
        ({"spot": RIVER.replace("7d", "7x")}, "board", "7x"),
        ({"spot": RIVER.replace("pot = 200", "pot = 0")}, "pot", "positive"),
        ({"spot": RIVER.replace("stacks = 300", 'stacks = "all"')}, "stacks", "whole number"),
        ({"spot": RIVER.replace("AA, KQs", "AA, XX")}, "oop.range", "XX"),
        ({"spot": RIVER.replace("QQ-TT", "QQ:7")}, "ip.range", "QQ:7"),
        ({"spot": RIVER.replace("AA, KQs, T9s, 54s", "@../secret")}, "oop.range", "this spot has none"),
        ({"spot": RIVER.replace("75%", "75%, 9x")}, "bets.river", "for raises"),
        ({"spot": "rake = 2\n" + RIVER}, "rake", "from 0 to 1"),
        ({"spot": RIVER + '[[lock]]\nline = "jump"\nplay = { check = 1 }'}, "lock", "no 'jump'"),
        ({"seconds": 10**7}, "", "86400"),
        ({"iterations": 0}, "", "iterations"),
        ({"exploitability": -1.0}, "", "exploitability"),
        ({"spot": "x" * 61_000}, "", "60000"),
        ({"path": "/tmp"}, "", "Extra"),
    ],
)
def test_what_is_refused_says_where(client, change, field, words):
    Path("taken.toml").write_text("")
    status, told = client.ask("POST", "/api/solves", {"name": "one", "spot": RIVER, "iterations": 5, **change})
    assert (status, told.get("field", "")) == (422, field)
    assert words in told["error"].replace("86_400", "86400")
    assert "\n" not in told["error"]
    assert sorted(path.name for path in Path().iterdir() if "sqlite" not in path.name) == ["taken.toml"]
    assert new(client) == []


def test_what_does_not_fit_is_refused_before(client):
    huge = RIVER.replace("2h 4c 7d", "2h").replace("stacks = 300", "stacks = 4000").replace("75%", "20%, 40%, 75%")
    huge = re.sub('range = ".*"', 'range = "random"', huge.replace('raise = "all-in"', 'raise = "50%, 100%, all-in"'))
    status, told = client.ask("POST", "/api/solves", {"name": "huge", "spot": huge, "iterations": 5})
    assert status == 422
    assert "GiB are free" in told["error"]
    weighed = client.post("/api/spots/weigh", {"spot": RIVER})
    assert weighed["actions"] == ["check", "bet 150", "all-in"]
    assert weighed["hands"] == [len(parse_spot(RIVER).weights(p).nonzero()[0]) for p in (0, 1)]


def test_the_queue_and_the_folder_are_bounded(client, monkeypatch):
    asked = {"spot": TURN, "exploitability": 0.0}
    monkeypatch.setattr(asked_of, "MOST_WAITING", 2)
    numbers = [client.post("/api/solves", {**asked, "name": f"turn {i}"})["number"] for i in range(3)]
    status, told = client.ask("POST", "/api/solves", {**asked, "name": "one more"})
    assert (status, list(told)) == (429, ["error"])
    assert not Path("one more.toml").exists()
    for number in reversed(numbers):
        client.post(f"/api/solves/{number}/stop", None)
    ended(client, numbers[0])
    monkeypatch.setattr(asked_of, "MOST_FILES", 3)
    assert client.ask("POST", "/api/solves", {**asked, "name": "one more"})[0] == 429
    assert client.ask("POST", f"/api/solves/{numbers[1]}/go-on")[0] == 429


def test_ranges_are_told_as_they_are_read(client):
    rng = random.Random(4)
    for _ in range(20):
        weights = [rng.choice([0, 0, 1, 0.25, rng.random()]) for _ in range(COUNT)]
        held = Range(weights) if rng.random() < 0.3 else Range.parse(rng.choice(["random", "20%", "AA-22:0.5, T9s+"]))
        told = client.post("/api/ranges", {"range": held.text()})
        assert Range.parse(told["text"]) == held
        assert told["combos"] == pytest.approx(held.combos)
        for kind, weight in told["kinds"].items():
            cards = Range.parse(kind)
            assert weight == pytest.approx(float(held.weights @ cards.weights) / cards.combos)
        for combos in told["mixed"].values():
            assert all(held[cards] == weight for cards, weight in combos.items())
    painted = client.post("/api/ranges", {"range": "random, AKs:0.5, AA:0"})
    assert (painted["kinds"]["AKs"], painted["kinds"].get("AA", 0)) == (0.5, 0)
    status, told = client.ask("POST", "/api/ranges", {"range": "AA, ZZ"})
    assert status == 422
    assert "ZZ" in told["error"]


def test_a_spot_is_told_with_every_key(client):
    told = client.post("/api/spots/read", {"spot": TURN})
    assert parse_spot(told["text"]) == parse_spot(TURN)
    assert told["data"]["bets"]["river"]["ip"] == {"bet": "75%, all-in", "raise": "all-in"}
    assert client.ask("GET", "/api/spots/file?file=../x.solution")[0] == 404


def test_a_task_forgets_its_checkpoints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.checkpoint", "a.checkpoint.previous", "b.checkpoint"):
        Path(name).write_text("")
    Task(1, "a", TURN, None, None, 1.0).forget()
    assert [path.name for path in Path().iterdir()] == ["b.checkpoint"]
