"""Blueprint files, agents by name, and the commands train, ask, evaluate and match on them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.abstraction import cards as abstraction_cards
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent, graph_of
from pokerlab.agents.blueprint_file import FORMAT, blueprint_path, load_blueprint, save_blueprint
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.spec import agent_of
from pokerlab.agents.training import train_recipe
from pokerlab.cli import main
from pokerlab.errors import AgentError, StrategyFileError
from pokerlab.files import write_arrays
from pokerlab.match.tournament.play import plan_tournament
from pokerlab.reading import format_of, read_arrays
from randomly import hand_states
from rank_cards import RankCards
from tiny_cards import tiny_cards

LIMIT = pokerlab.rules_of("holdem-limit")
ABOUT = {"recipe": "none", "cards": "tiny", "infosets": 10, "met": 9, "iterations": 1000, "seconds": 2.5}


@pytest.fixture(scope="module")
def blueprint():
    cards = tiny_cards()
    size = graph_of(LIMIT, "all", "hand", cards.counts).cells // 2
    return Blueprint(
        LIMIT, "all", "hand", cards, np.random.default_rng(0).integers(1, 256, size).astype(np.uint8), ABOUT
    )


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    return tmp_path


def run(*arguments, code=0):
    """Standard output of a command; with an error, what it says about it."""
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.output if code else result.stdout


def test_round_trip(blueprint, tmp_path):
    path = tmp_path / "a.blueprint"
    save_blueprint(blueprint, path)
    found = load_blueprint(path)
    assert (found.rules, found.bets, found.memory, found.about) == (LIMIT, "all", "hand", ABOUT)
    assert np.array_equal(found.strategy, blueprint.strategy)
    assert found.cards.counts == (169, 1, 1, 1)
    assert load_blueprint(path) is found
    assert format_of(path, StrategyFileError) == FORMAT
    view = next(h for h in hand_states(LIMIT, 1) if h.actor is not None).view(1)
    assert BlueprintAgent(found).act(view) == BlueprintAgent(blueprint).act(view)


def test_bad_files(blueprint, tmp_path):
    path = tmp_path / "a.blueprint"
    with pytest.raises(StrategyFileError, match="no such file"):
        load_blueprint(path)
    save_blueprint(blueprint, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StrategyFileError, match="damaged or cut short"):
        load_blueprint(path)
    assert format_of(path, StrategyFileError) == ""
    with pytest.raises(StrategyFileError, match="it is a folder"):
        format_of(tmp_path, StrategyFileError)
    path.write_bytes(whole)
    header, arrays = read_arrays(path, "pokerlab blueprint", 1, error=StrategyFileError, most=1 << 20)
    for wrong, message in (
        ({"strategy": arrays["strategy"][:-1], "cards": arrays["cards"]}, "does not fit a game"),
        ({"strategy": arrays["strategy"]}, "it has no 'cards'"),
        ({"strategy": arrays["strategy"], "cards": arrays["cards"][:500]}, "damaged"),
    ):
        write_arrays(path, header, wrong, error=StrategyFileError)
        with pytest.raises(StrategyFileError, match=message):
            load_blueprint(path)
    with pytest.raises(StrategyFileError, match="RankCards is no card abstraction"):
        save_blueprint(replace(blueprint, cards=RankCards(), strategy=_sized(RankCards())), path)


def _sized(cards):
    return np.ones(graph_of(LIMIT, "all", "hand", cards.counts).cells // 2, np.uint8)


def test_names(blueprint, cache):
    with pytest.raises(AgentError, match="'holdem-limit' is not trained yet: run `pokerlab train holdem-limit`"):
        agent_of("holdem-limit", LIMIT)
    path = blueprint_path("holdem-limit")
    path.parent.mkdir()
    save_blueprint(blueprint, path)
    assert agent_of("holdem-limit", LIMIT).name == "holdem-limit"
    agent = agent_of(f"blueprint:{path}?translation=soft&threshold=0.2", LIMIT)
    assert agent.threshold == 0.2
    with pytest.raises(AgentError, match="plays holdem-limit, not holdem-limit-3p"):
        agent_of("holdem-limit", pokerlab.rules_of("holdem-limit-3p"))
    with pytest.raises(AgentError, match="did you mean 'holdem-nolimit'"):
        agent_of("holdem-nolimt", LIMIT)
    with pytest.raises(AgentError, match="unexpected keyword"):
        agent_of("holdem-limit?speed=3", LIMIT)
    with pytest.raises(AgentError, match="did you mean 'holdem-limit-3p'"):
        RECIPES["holdem-limit-3"]
    first = plan_tournament(["holdem-limit", "call"], "holdem-limit", 10).entrants[0]
    assert len(first.files) == 1  # a retrained agent is another one


def test_asked_and_evaluated(blueprint, cache):
    path = cache / "a.blueprint"
    save_blueprint(blueprint, path)
    text = run("ask", path, "--hand", "AsKd", "--board", "Qs Jh 2h", "--betting", "rc/r")
    assert "fold" in text
    assert "raise to" in text
    found = json.loads(run("ask", path, "--hand", "AsKd", "--json"))
    assert found["player"] == 2
    assert sum(row["probability"] for row in found["actions"]) == pytest.approx(1)
    assert [row["action"] for row in found["actions"]] == ["f", "c", "r"]
    assert "should have its rounds as in" in run("ask", path, "--hand", "AsKd", "--betting", "rc", code=2)
    assert "nobody is to act" in run("ask", path, "--hand", "AsKd", "--betting", "rf", code=2)
    assert "AsAs" in run("ask", path, "--hand", "AsAs", code=2)
    assert "not trained yet" in run("ask", "holdem-nolimit", "--hand", "AsKd", code=2)
    found = json.loads(run("evaluate", path, "--deals", 3, "--json"))
    assert found["local_best_response"]["deals"] == 3
    assert found["buckets"] == [169, 1, 1, 1]
    assert found["bytes"] == path.stat().st_size
    assert "local best response wins" in run("evaluate", path, "--deals", 2)
    assert "not of leduc" in run("evaluate", path, "--game", "leduc", code=2)
    text = run("match", f"blueprint:{path}", "call", "--game", "holdem-limit", "--hands", 20, "--duplicate")
    assert "mb/h" in text


def test_recipes_are_listed():
    assert all(name in run("train") for name in RECIPES)
    assert set(json.loads(run("train", "--json"))["recipes"]) == set(RECIPES)
    assert "there are holdem-limit" in run("train", "chess", code=2)


@pytest.mark.slow  # dealing needs the table of all strengths on the river
def test_trained_by_name(cache, monkeypatch):
    """From the command to the table, and on from the checkpoint."""
    cards, built = tiny_cards(), {}

    def build(spec, perfect_recall, executor):
        built[spec] = perfect_recall
        return cards

    monkeypatch.setattr(abstraction_cards, "build_buckets", build)
    found = json.loads(run("train", "holdem-limit", "--seconds", 2, "--threads", 1, "--json"))
    assert found["stopped"] == "seconds"
    assert found["file"] == str(blueprint_path("holdem-limit"))
    more = json.loads(run("train", "holdem-limit", "--seconds", 4, "--threads", 1, "--resume", "--json"))
    assert more["iterations"] > found["iterations"]
    assert "mb/h" in run("match", "holdem-limit", "random", "--game", "holdem-limit", "--hands", 50)
    done = train_recipe(RECIPES["holdem-nolimit"], seconds=1, threads=2, out=cache / "b.blueprint")
    assert load_blueprint(done.path).about["iterations"] == done.run.iterations
    train_recipe(RECIPES["smallbot-3"], seconds=1, threads=1)
    assert agent_of("smallbot-3", LIMIT).blueprint.bets == "cap 2 3 3 3"
    assert built == {
        "169/potential:200/potential:200/kmeans:200": False,
        "percentile:3/percentile:3/percentile:3/percentile:3": True,
    }
    found = json.loads(run("evaluate", blueprint_path("smallbot-3"), "--deals", 2, "--response", 2, "--json"))
    assert found["response"]["learnt"] > 0
    # How much it wins hangs on the machine's speed, and is tested with a bad blueprint in test_response.py.
    assert found["response"]["mean"] > -2 * found["response"]["ci95"]
    assert "a response wins" in run("evaluate", blueprint_path("smallbot-3"), "--deals", 2, "--response", 1)
