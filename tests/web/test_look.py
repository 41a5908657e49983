"""Solved spots over the API: the figures are those of the command, and only files of the folder can be looked at."""

import json
import random

import pytest
from click.testing import CliRunner

from pokerlab.cli import main
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.spot import parse_spot
from web_client import TURN, at_home


@pytest.fixture
def client(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solve_spot(parse_spot(TURN), iterations=20, threads=1, progress=False).save("turn.solution")
    (tmp_path / "noise.solution").write_text("noise")
    with at_home(tmp_path) as here:
        yield here


def asked(client, line):
    words = ", ".join(line).replace(" ", "%20")
    return client.get(f"/api/spots/look?file=turn.solution&line={words}")


def test_strategies_are_those_of_the_command(client):
    """On random walks down to the end, over cards too."""
    rng, ends, decisions = random.Random(1), 0, 0
    assert client.get("/api/spots") == ["noise.solution", "turn.solution"]
    for _ in range(12):
        line = []
        while True:
            told = asked(client, line)
            assert told["line"] == line
            if told["kind"] == "end":
                ends += 1
                break
            if told["kind"] == "deal":
                assert len(told["cards"]) == 52 - len(told["board"]) // 2
                line.append(rng.choice(told["cards"]))
                continue
            ran = CliRunner().invoke(main, ["spot", "turn.solution", "--json", "--line", ", ".join(line)])
            assert told["node"] == json.loads(ran.stdout)["node"]
            assert len(told["colours"]) == len(told["node"]["actions"])
            decisions += 1
            line.append(rng.choice(told["node"]["actions"]))
    assert ends == 12
    assert decisions > 30


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("file=turn.solution&line=jump", 422),
        ("file=turn.solution&line=check,%20check,%20Qs", 422),
        ("file=turn.solution&line=check,%20check,%20deal", 422),
        ("file=missing.solution", 404),
        ("file=../turn.solution", 404),
        ("file=/etc/passwd", 404),
        ("file=noise.solution", 422),
        ("line=check", 422),
        ("file=turn.solution&line=" + "check," * 1000, 422),
    ],
)
def test_what_cannot_be_looked_at(client, question, status):
    told, answer = client.ask("GET", f"/api/spots/look?{question}")
    assert (told, list(answer)) == (status, ["error"])
