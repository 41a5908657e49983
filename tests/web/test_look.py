"""Solved spots over the API: the figures are those of the command, and only files of the folder can be looked at."""

import json
import random
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pokerlab.cards.deck import Deck
from pokerlab.cli import main
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.spot import parse_spot
from web_client import TURN, at_home

FILES = Path(__file__).parents[1] / "files"
RUNOUTS = ["spot", "turn.solution", "--runouts", "--json", "--line", "check, check"]


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


def test_the_shelf_tells_what_the_files_say(client):
    """Of this version and of an older one; a damaged one has its name alone."""
    shutil.copy(FILES / "turn.solution", "older.solution")
    noise, older, turn = client.get("/api/spots")
    assert noise == {"file": "noise.solution", "board": "", "pot": None, "exploitability": None}
    solved = load_spot_solution("turn.solution")
    assert (turn["file"], turn["board"], turn["pot"]) == ("turn.solution", "QsJh2h4c", 200)
    assert turn["exploitability"] == pytest.approx(solved.summary()["exploitability_percent"], rel=1e-9)
    before = load_spot_solution("older.solution").spot
    assert older == {
        "file": "older.solution", "board": Deck().text(before.board), "pot": before.total, "exploitability": None,
    }  # fmt: skip


def test_strategies_are_those_of_the_command(client):
    """On random walks down to the end, over cards too."""
    rng, ends, decisions = random.Random(1), 0, 0
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


def test_two_are_compared_as_the_command_does(client):
    locked = TURN + '[[lock]]\nline = "check"\nplay = { check = "QQ, JJ" }\n'
    solve_spot(parse_spot(locked), iterations=20, threads=1, progress=False).save("locked.solution")
    for line in ("", "check", "check, check, 7d"):
        words = line.replace(" ", "%20")
        told = client.get(f"/api/spots/compare?before=turn.solution&after=locked.solution&line={words}")
        words = ["spot", "locked.solution", "--compare", "turn.solution", "--json", "--line", line]
        printed = json.loads(CliRunner().invoke(main, words).stdout)["comparison"]
        assert {key: told[key] for key in ("frequencies", "hands", "player")} == {
            key: printed[key] for key in ("frequencies", "hands", "player")
        }
        hands = told["hands"]
        queens = [i for i, kind in enumerate(hands["kind"]) if kind == "QQ"]
        weights = [hands["share before"][i] + hands["share after"][i] + 1e-12 for i in queens]
        moved = sum(w * hands["moved"][i] for w, i in zip(weights, queens, strict=True))
        assert queens == [] or told["changes"]["strategy"]["QQ"] == pytest.approx(100 * moved / sum(weights))
    assert [i for i, kind in enumerate(told["hands"]["kind"]) if kind == "AA"]
    told = client.get("/api/spots/compare?before=turn.solution&after=locked.solution&line=check")
    places = [i for i, kind in enumerate(told["hands"]["kind"]) if kind in ("QQ", "JJ")]
    assert {round(told["hands"]["check after"][i], 4) for i in places} == {1.0}
    assert (
        client.get("/api/spots/compare?before=turn.solution&after=locked.solution&line=check,check")["kind"] == "deal"
    )
    for question in ("before=turn.solution&after=../x", "before=noise.solution&after=turn.solution"):
        assert client.ask("GET", f"/api/spots/compare?{question}")[0] in (404, 422)


def test_every_card_is_told_as_the_command_does(client):
    told = client.get("/api/spots/runouts?file=turn.solution&line=check,%20check")
    printed = json.loads(CliRunner().invoke(main, RUNOUTS).stdout)
    assert {key: told[key] for key in printed} == printed
    assert len(told["cards"]) == 48
    after = asked(client, ["check", "check", "7d"])["node"]
    (row,) = [row for row in told["cards"] if row["card"] == "7d"]
    assert [row[action] for action in after["actions"]] == pytest.approx(after["frequencies"])
    for question in ("file=turn.solution&line=check", "file=../x.solution&line=check", "file=noise.solution"):
        assert client.ask("GET", f"/api/spots/runouts?{question}")[0] in (404, 422)


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
