"""Agents for any game that is played as hold'em is: trained from the command line, saved, asked, matched, measured."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.abstraction.buckets.any_deck import deck_buckets
from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.blueprint_file import load_blueprint
from pokerlab.agents.recipes import RECIPES, recipe_of
from pokerlab.agents.training import train_recipe
from pokerlab.cards.holes import hole_number
from pokerlab.cli import main
from pokerlab.errors import AbstractionError, StrategyFileError
from pokerlab.files import write_arrays
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.showdowns import Showdowns, showdowns_of
from pokerlab.reading import read_arrays

GAME = "holdem-limit:ranks=5"
ROYAL = pokerlab.rules_of(GAME)
CARDS = "169/percentile:3/kmeans:4/fixed:5"
DEFINITION = """GAMEDEF
nolimit
numPlayers = 2
numRounds = 2
stack = 300 300
blind = 100 50
firstPlayer = 2 1
numSuits = 4
numRanks = 4
numHoleCards = 2
numBoardCards = 0 3
END GAMEDEF
"""
LAB = """
from pathlib import Path

import numpy as np


class Suited:
    \"\"\"Suited or not, in every round; `wrong` is a bucket that there is not.\"\"\"

    def __init__(self, rounds=4, wrong=False):
        self.counts, self.wrong = (2,) * rounds, wrong

    def board_buckets(self, board):
        low, high = np.array([(low, high) for high in range(20) for low in range(high)]).T
        return (low % 4 == high % 4).astype(np.int32)

    def deal_buckets(self, deals, players=2):
        suited = deals[:, 0 : 2 * players : 2] % 4 == deals[:, 1 : 2 * players : 2] % 4
        return np.repeat((suited + 5 * self.wrong)[:, :, None], len(self.counts), axis=2).astype(np.int32)


class NoCards:
    def __init__(self):
        Path("was-called").touch()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("cards_lab.py").write_text(LAB)
    return tmp_path


def run(*words, code=0):
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == code, ran.output
    return ran.stdout if code == 0 else ran.stderr


def train(*words, code=0):
    return run("train", *words, "--seconds", "0.3", "--threads", "1", *(["--json"] if not code else []), code=code)


def test_buckets_of_deals_are_those_of_boards():
    cards = deck_buckets(CARDS, ROYAL)
    assert (cards.counts, cards.text) == ((25, 3, 4, 5), "lossless/percentile:3/kmeans:4/fixed:5")
    deals = np.random.default_rng(0).random((40, 20)).argsort(axis=1)[:, :9]
    dealt = cards.deal_buckets(deals)
    for row, deal in zip(dealt, deals.tolist(), strict=True):
        for player in range(2):
            hole = hole_number(tuple(deal[2 * player : 2 * player + 2]))
            boards = [tuple(deal[4 : 4 + size]) for size in (0, 3, 4, 5)]
            assert row[player].tolist() == [cards.board_buckets(board)[hole] for board in boards]
    flops = np.concatenate([cards.board_buckets(tuple(deal[4:7])) for deal in deals.tolist()])
    shares = np.bincount(flops[flops >= 0]) / (flops >= 0).sum()
    assert np.abs(shares - 1 / 3).max() < 0.1  # of all flops exactly a third each
    with pytest.raises(AbstractionError, match="bucketed in 4 rounds"):
        deck_buckets("169/percentile:3", ROYAL)
    for text, problem in (
        ("169/potential:3/kmeans:4/fixed:5", "potential is for hold'em with 52 cards"),
        ("169/lossless/kmeans:4/fixed:5", "every hand by itself"),
        ("169/kmeans:total=9/kmeans:4/fixed:5", "forget the past"),
        ("169/no_lab:cut:3/kmeans:4/fixed:5", "cannot import cut from no_lab"),
    ):
        with pytest.raises(AbstractionError, match=problem):
            deck_buckets(text, ROYAL)


def test_royal_from_the_command_line(folder):
    told = json.loads(train("--game", GAME, "--cards", CARDS, "--bets", "cap 1 1 1 1", "--out", "r.bp"))
    assert (told["game"], told["buckets"], told["bets"]) == (GAME, [25, 3, 4, 5], "cap 1 1 1 1")
    blueprint = load_blueprint("r.bp")
    assert blueprint.cards.cuts[1].tolist() == deck_buckets(CARDS, ROYAL).cuts[1].tolist()
    match = json.loads(run("match", "blueprint:r.bp", "call", "--game", GAME, "--hands", "30", "--json"))
    assert match["agents"] == ["blueprint:r.bp", "call"]
    asked = json.loads(run("ask", "r.bp", "--hand", "AsKs", "--board", "Qs Js Th", "--betting", "cc/", "--json"))
    assert sum(action["probability"] for action in asked["actions"]) == pytest.approx(1)
    judged = json.loads(run("evaluate", "r.bp", "--deals", "3", "--json"))
    assert judged["local_best_response"]["deals"] == 3
    dealt = run("dealer", "--game", GAME, "--hands", "4", "--agents", "blueprint:r.bp", "call", "--json")
    assert json.loads(dealt.splitlines()[-1])["hands"] == 4
    assert "plays holdem-limit:ranks=5, not holdem-limit" in run(
        "match", "blueprint:r.bp", "call", "--game", "holdem-limit", code=2
    )


def test_a_definition_with_other_stacks_and_rounds(folder):
    Path("flop.game").write_text(DEFINITION)
    assert "no-limit needs bet sizes" in train("--game", "flop.game", "--out", "f.bp", code=2)
    told = json.loads(
        train("--game", "flop.game", "--cards", "169/percentile:4", "--bets", "100 allin / allin", "--out", "f.bp")
    )
    assert (told["buckets"], told["memory"]) == ([16, 4], "hand")
    match = json.loads(run("match", "blueprint:f.bp", "random", "--game", "flop.game", "--hands", "20", "--json"))
    assert match["played"] == 20


def test_what_train_refuses(folder):
    for words, problem in (
        (["--game", "leduc", "--out", "x"], "leduc is not played as hold'em is"),
        (["--game", GAME], "needs a file: --out FILE"),
        (["holdem-limit", "--game", "holdem-limit", "--out", "x"], "give a name or a game, not both"),
        (["--game", GAME, "--bets", "cap 1", "--out", "x"], "'cap' and 4 numbers"),
        (["--game", GAME, "--cards", "cards_lab:NoCards", "--out", "x"], "it needs counts"),
        (["--game", GAME, "--cards", "cards_lab:Suited?rounds=3", "--out", "x"], "4 rounds"),
        (
            ["--game", GAME, "--cards", "cards_lab:Suited?wrong=true", "--out", "x"],
            "outside 0 to below",
        ),
        (["--game", GAME, "--cards", "cards_lab:Suited?speed=1", "--out", "x"], "unexpected keyword"),
    ):
        assert problem in train(*words, code=2)
    assert not (folder / "was-called").exists()
    assert not (folder / "x").exists()


def test_own_cards_are_saved_by_name_or_refused_before_training(folder, monkeypatch):
    text = "cards_lab:Suited?rounds=4"
    train("--game", GAME, "--cards", text, "--bets", "cap 1 1 1 1", "--out", "own.bp")
    with pytest.raises(StrategyFileError, match=r"'cards_lab:Suited\?rounds=4', code that no file may run"):
        load_blueprint("own.bp")
    assert load_blueprint("own.bp", text).cards.counts == (2, 2, 2, 2)
    run("match", f"blueprint:own.bp?cards={text}", "call", "--game", GAME, "--hands", "4")
    assert "not by 'cards_lab:Other'" in run("ask", "own.bp?cards=cards_lab:Other", "--hand", "AsKs", code=2)
    monkeypatch.setattr("pokerlab.agents.training.train", lambda *_, **__: pytest.fail("it was trained"))
    recipe = replace(RECIPES["smallbot-3"], game="holdem-limit")
    with pytest.raises(StrategyFileError, match="MadeHands is no card abstraction that a file can hold: give its text"):
        train_recipe(recipe, cards=MadeHands(), seconds=0.1, out="made.bp")


def test_made_hands_by_name(folder):
    recipe = recipe_of(None, "holdem-limit", None, "cap 1 1 1 1", None, "made.bp")
    train_recipe(recipe, cards="made-hands?count=3", seconds=0.2, threads=1, out="made.bp")
    assert load_blueprint("made.bp").cards.counts == (169, 3, 3, 3)  # a class of ours needs no name


def test_forged_files(folder):
    train("--game", GAME, "--cards", CARDS, "--bets", "cap 1 1 1 1", "--out", "r.bp")
    header, arrays = read_arrays("r.bp", "pokerlab blueprint", 2, error=StrategyFileError, most=1 << 22)
    for change, problem in (
        ({"cards": "os:system"}, "code that no file may run"),
        ({"cards": "nothing"}, "is no card abstraction"),
        ({"cards": "made-hands?count=5000"}, "2 to 1,000 parts"),
        ({"game": pokerlab.rules_of("holdem-limit:ranks=6").text()}, "another deck"),
        ({"game": pokerlab.rules_of("holdem-limit").text()}, "another deck"),
    ):
        write_arrays("forged.bp", header | change, arrays, error=StrategyFileError, compressed=True)
        with pytest.raises(pokerlab.PokerlabError, match=problem):
            load_blueprint("forged.bp")


def test_showdowns_by_kernels_are_those_by_enumeration():
    slow, fast = Showdowns(pokerlab.rules_of(GAME)), showdowns_of(ROYAL)
    board = (0, 5, 10, 15, 19)
    free = slow.possible(board)
    order = np.argsort(slow.ranks(board)[free], kind="stable")
    assert (np.diff(fast.ranks(board)[free][order]) >= 0).all()
    assert slow.share(7, board[:4]) == pytest.approx(fast.share(7, board[:4]))
    assert fast.exact
    assert fast.equity(189) == pytest.approx(fast.share(189, ())[fast.possible(fast.holes[189])].mean())
    short = showdowns_of(pokerlab.rules_of("holdem-limit:ranks=9"))
    assert not short.exact
    assert local_best_response(pokerlab.agent_of("call", ROYAL), ROYAL, 5).mean > -1e6
