"""Strategies of agents over the API: what is shown is what `pokerlab ask` says, on random lines; small games whole."""

import json
import random
import shutil
from pathlib import Path
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner

from pokerlab.agents.recipes import RECIPES, changed
from pokerlab.agents.training import train_recipe
from pokerlab.cli import main
from web_client import at_home


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("web")
        patch.chdir(folder)
        recipe = changed(RECIPES["holdem-limit"], cards="made-hands?count=3", bets="cap 1 1 1 1")
        train_recipe(recipe, seconds=0.5, threads=1, out="tiny.blueprint", progress=False)
        run("solve", "leduc", "--method", "cfr+", "--iterations", "50", "--out", "leduc.strategy")
        run("solve", "kuhn", "--method", "lp", "--out", "kuhn.strategy")
        shutil.copy(Path(__file__).parent.parent / "files" / "leduc.cases", folder)
        with at_home(folder) as here:
            yield here


def run(*words):
    ran = CliRunner().invoke(main, list(words))
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def asked(client, game, agent, line):
    return client.get(f"/api/agents/look?{urlencode({'game': game, 'agent': agent, 'line': ', '.join(line)})}")


@pytest.mark.parametrize(
    ("game", "agent", "walks"),
    [
        ("holdem-limit", "blueprint:tiny.blueprint", 6),
        ("leduc", "leduc.strategy", 8),
        ("leduc", "cases:leduc.cases", 8),
        ("kuhn", "kuhn.strategy", 5),
    ],
)
def test_what_is_shown_is_what_ask_says(client, game, agent, walks):
    rng, decisions = random.Random(2), 0
    for _ in range(walks):
        line, betting, board, said_so_far = [], "", "", []
        while (told := asked(client, game, agent, line))["kind"] != "end":
            if told["kind"] == "deal":
                cards = "".join(rng.sample(told["cards"], told["count"]))
                line.append(cards)
                said_so_far.append(cards)
                betting, board = betting + "/", board + cards
                continue
            shown = told["combos"]
            i = rng.randrange(len(shown["hand"]))
            words = ["ask", agent, "--game", game, "--hand", shown["hand"][i], "--betting", betting, "--json"]
            said = json.loads(run(*words, *(["--board", board] if board else [])))
            odds = {choice["action"]: choice["probability"] for choice in said["actions"] if choice["probability"]}
            mine = {code: part for code, part in zip(told["codes"], shown["odds"][i], strict=True) if part}
            assert mine == pytest.approx(odds, abs=1e-6)
            assert (said["player"], said["pot"]) == (told["seat"] + 1, told["pot"])
            assert sum(shown["share"]) == pytest.approx(1)
            assert told["said"] == said_so_far
            for number in range(len(told["actions"])):
                often = sum(share * row[number] for share, row in zip(shown["share"], shown["odds"], strict=True))
                assert told["often"][number] == pytest.approx(often)
            decisions += 1
            word = rng.choice(told["codes"])
            line.append(word)
            said_so_far.append(told["actions"][told["codes"].index(word)])
            betting += word
    assert decisions > 8


def test_a_small_game_is_told_whole(client):
    """Every node of the tree is what a walk there shows, and chances of what is held follow from the play before."""
    told = client.get("/api/agents/tree?game=kuhn&agent=kuhn.strategy")
    assert set(told["then"]) == {"c", "r"}
    assert {code: set(node["then"]) for code, node in told["then"].items()} == {"c": {"c", "r"}, "r": {"f", "c"}}
    assert told["then"]["c"]["then"]["c"]["how"] == "showdown"
    tree = client.get("/api/agents/tree?game=leduc&agent=leduc.strategy")
    rng, seen = random.Random(5), 0
    for _ in range(6):
        node, line = tree, []
        while node["then"]:
            word = rng.choice(sorted(node["then"]))
            node, line = node["then"][word], [*line, word]
            walked = asked(client, "leduc", "leduc.strategy", line)
            assert {key: walked[key] for key in node if key in ("kind", "pot", "kinds", "often", "codes")} == {
                key: node[key] for key in node if key in ("kind", "pot", "kinds", "often", "codes")
            }
            seen += 1
    assert seen > 15


def test_files_are_offered_for_their_games(client):
    offered = {game["game"]: game["files"] for game in client.get("/api/games")}
    assert offered == {
        "holdem-limit": ["tiny.blueprint"], "holdem-nolimit": [], "holdem-limit-3p": [],
        "leduc": ["leduc.cases", "leduc.strategy"], "kuhn": ["kuhn.strategy"],
    }  # fmt: skip


def test_jam_or_fold_is_that_of_the_command(client):
    told = client.get("/api/jamfold?stack=7.5")
    assert told == json.loads(run("jamfold", "--stack", "7.5", "--json"))


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("look?game=chess&agent=call", 422),
        ("look?game=leduc&agent=nobody", 422),
        ("look?game=leduc&agent=call&line=jump", 422),
        ("look?game=leduc&agent=call&line=r,f,c", 422),
        ("look?game=leduc&agent=call&line=c,c,Xx", 422),
        ("look?game=leduc&agent=call&line=" + "c," * 70, 422),
        ("look?game=leduc&agent=os:system", 422),
        ("look?game=leduc&agent=../../etc/passwd.strategy", 422),
        ("tree?game=holdem-limit&agent=call", 422),
        ("look?game=leduc", 422),
    ],
)
def test_what_cannot_be_walked(client, question, status):
    told, answer = client.ask("GET", f"/api/agents/{question}")
    assert (told, list(answer)) == (status, ["error"])
