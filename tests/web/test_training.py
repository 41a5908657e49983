"""Agents that are trained over the API, in the process in which spots are solved: a recipe of another's package."""

import json
import os
import random

import pytest
from websockets.sync.client import connect

from pokerlab.agents.blueprint_file import blueprint_path
from pokerlab.web.ledger import Ledger, SolveRow
from web_client import There, play, serving

RECIPE = """from pokerlab.agents.recipes import Recipe
TINY = Recipe("tiny-of-web", "a tiny one", "holdem-limit", "cap 1 1 1 1", "hand", "made-hands?count=3", seconds=5.0)
"""


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A package that adds the recipe, found by the server and by its process."""
    package, info = tmp_path / "package", tmp_path / "package" / "tiny_web-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "tiny_web.py").write_text(RECIPE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-web\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pokerlab.recipes]\ntiny-of-web = tiny_web:TINY\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])]))
    yield "tiny-of-web"
    for end in ("", ".checkpoint", ".checkpoint.previous"):
        path = blueprint_path("tiny-of-web")
        path.with_name(path.name + end).unlink(missing_ok=True)


def until(socket, fits):
    """The first thing that a socket hears of a training that fits."""
    while not fits(told := json.loads(socket.recv())["training"]):
        pass
    return told


def test_an_agent_is_trained_stopped_played_and_trained_on(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with serving("--ledger", "web.sqlite") as told:
        port = int(told["url"].rstrip("/").rpartition(":")[2])
        there = There(port)

        def known():
            return next(game for game in there.get("/api/games") if game["game"] == "holdem-limit")

        table = {"game": "holdem-limit", "agents": [tiny]}
        assert {"agent": tiny, "about": "a tiny one", "seconds": 5.0, "trained": False} in known()["recipes"]
        assert there.ask("POST", "/api/tables", table)[0] == 422
        for wrong, status in (({"agent": "nobody"}, 422), ({"agent": tiny, "seconds": 0}, 422), ({}, 422)):
            assert there.ask("POST", "/api/trainings", wrong)[0] == status
        with connect(f"ws://127.0.0.1:{port}/api/trainings/live", max_queue=None) as socket:
            assert json.loads(socket.recv()) == {"trainings": []}
            asked = there.post("/api/trainings", {"agent": tiny, "seconds": 3600})
            assert (asked["name"], asked["kind"], asked["goal"]) == (tiny, "agent", {"seconds": 3600})
            number = asked["number"]
            assert there.ask("POST", "/api/trainings", {"agent": tiny})[0] == 409
            until(socket, lambda told: told["stage"] == "cards")
            assert until(socket, lambda told: told["iterations"])["stage"] == "walks"
            there.post(f"/api/trainings/{number}/stop", {})
            stopped = until(socket, lambda told: told["state"] != "solving")
            assert (stopped["state"], stopped["stopped"]) == ("stopped", "interrupted")
            assert tiny in known()["agents"]
            assert there.ask("POST", "/api/trainings", {"agent": tiny})[0] == 409
            played = play(there, there.post("/api/tables", table), 3, random.Random(1))
            assert (played["hand"], played["bankroll"]["hands"]) == (2, 3)  # the agent may fold before the person acts
            assert there.get("/api/solves") == []
            assert there.ask("GET", f"/api/solves/{number}")[0] == 404
            assert there.ask("POST", f"/api/solves/{number}/go-on")[0] == 404
            there.post(f"/api/trainings/{number}/go-on", {})
            further = until(socket, lambda told: told["iterations"] > stopped["iterations"])
            assert further["seconds"] > stopped["seconds"]
            there.post(f"/api/trainings/{number}/stop", {})
            until(socket, lambda told: told["state"] == "stopped")


def test_ledgers_of_before_have_spots_alone(tmp_path):
    """Version 2 had no kinds, version 1 no solves."""
    solve = SolveRow(3, "turn", "text", {"seconds": 1.0}, "stopped", {}, "", 1.0)
    ledger = Ledger(tmp_path / "two.sqlite")
    ledger.save_solve(solve)
    ledger._database.executescript("ALTER TABLE solves DROP COLUMN kind; PRAGMA user_version = 2")
    ledger.close()
    ledger = Ledger(tmp_path / "one.sqlite")
    ledger._database.executescript("DROP TABLE solves; PRAGMA user_version = 1")
    ledger.close()
    for name, known in (("two", [solve]), ("one", [])):
        ledger = Ledger(tmp_path / f"{name}.sqlite")
        assert ledger.solves(10) == known
        ledger.save_solve(solve._replace(number=4, kind="agent"))
        assert [row.kind for row in ledger.solves(10)] == ["spot"] * len(known) + ["agent"]
        ledger.close()
