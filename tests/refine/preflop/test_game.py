"""Files of the game before the flop, its betting, its solution and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.cards.ranges import Range
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.refine.preflop.game import parse_preflop, read_preflop
from pokerlab.refine.preflop.run import solve_preflop
from pokerlab.refine.preflop.solution import load_preflop_solution
from pokerlab.refine.spots.spot import read_spot

WHOLE = """
stack = 2000
blinds = [50, 100]
max_raises = 2
[raises]
limp = true
limped = "3x"
open = "2x, 300c, all-in"
3-bet = "100%"
4-bet = "2.2x"
5-bet = "all-in"
[boards]
flops = "As Kd 7c, 9h 8h 3d: 2"
turns = 2
rivers = 3
seed = 7
[big_blind]
range = "random"
[small_blind]
range = "random, 72o:0.5"
[bets]
bet = "66%"
raise = "all-in"
[bets.river.ip]
bet = "50%, all-in"
"""
TINY = """
stack = 600
[raises]
open = "2x"
3-bet = "all-in"
[boards]
flops = "As Kd 7c"
turns = 1
rivers = 1
[big_blind]
range = "AA, QJs"
[small_blind]
range = "KK, 98s"
"""


def test_a_file_is_read_and_written():
    game = parse_preflop(WHOLE)
    again = parse_preflop(game.text())
    assert again == game
    assert again.text() == game.text()
    assert (game.stack, game.blinds, game.turns, game.rivers, game.seed) == (2000, (50, 100), 2, 3, 7)
    assert game.ranges[1]["7c2d"] == 0.5
    bets = {"bet": "66%", "raise": "all-in", "river": {"ip": {"bet": "50%, all-in"}}}
    assert game.after == {"max_raises": 2, "bets": bets}


def test_a_stack_is_enough():
    game = parse_preflop("stack = 1500")
    assert game == parse_preflop(game.text())
    assert game.tree[0].labels == ("fold", "call", "raise 250", "all-in")


def test_lines_and_amounts():
    """Sizes as in the one bet language: 2x the big blind, 300 chips over it, a pot; the least legal raise at least."""
    tree = parse_preflop(WHOLE).tree
    assert tree[0].labels == ("fold", "call", "raise 200", "raise 400", "all-in")
    assert tree[0].player == 1
    over_limp = tree.at(["call"])
    assert (over_limp.labels, over_limp.player) == (("check", "raise 300"), 0)
    assert tree.at(["call", "check"]).kind == "flop"
    assert tree.at(["raise 200"]).labels == ("fold", "call", "raise 600")
    assert tree.at(["raise 200", "raise 600"]).labels == ("fold", "call", "raise 1320")
    assert tree.at(["raise 200", "raise 600", "raise 1320"]).labels == ("fold", "call", "all-in")
    assert tree.at(["raise 200", "raise 600", "call"]).put == (600, 600)
    assert tree.at(["all-in", "call"]).kind == "showdown"
    assert tree.at(["all-in", "fold"]).player == 0
    assert all(tree.at(tree.line(node.index)) is node for node in tree)
    assert "call" not in parse_preflop("stack = 1500\n[raises]\nlimp = false").tree[0].labels


def test_a_flop_is_a_spot():
    game = parse_preflop(WHOLE)
    spot = game.spot(game.tree.at(["raise 200", "call"]).index, "Qs Jh 2h")
    assert (spot.pot, spot.stacks, spot.blind, spot.max_raises, spot.to_act) == (400, (1800, 1800), 100, 2, 0)
    assert [str(size) for size in spot.sizes[2, 1].bets] == ["50%", "all-in"]
    lines = {("raise 200", "call"): 1, ("raise 200", "raise 600", "call"): 0, ("call", "raise 300", "call"): 0}
    for line, raiser in {**lines, ("call", "check"): None}.items():
        assert game.spot(game.tree.at(line).index, "Qs Jh 2h").aggressor == raiser


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a stack is needed"),
        ("stack = 100", "more than the big blind, 100, not 100"),
        ("stack = 20.5", "stack must be a whole number"),
        ("stack = 2000\nblinds = 100", "the smaller one first"),
        ("stack = 2000\nblinds = [100, 50]", "the smaller one first"),
        ("stack = 2000\nblinds = [0, 100]", "above 0"),
        ("stack = 2000\nblinds = [1, 2, 3]", "a whole number, or two"),
        ("stack = 2000\npot = 3", "no such key: pot"),
        ("stack = 2000\nrake = 0.1", "no such key: rake"),
        ("stack = 2000\n[raises]\n3bet = '3x'", "no such key: 3bet"),
        ("stack = 2000\n[raises]\nopen = '0.5x'", "multiples above 1"),
        ("stack = 2000\n[raises]\nopen = 3", "open has sizes"),
        ("stack = 2000\n[raises]\nlimp = 1", "limp is true or false"),
        ("stack = 2000\n[raises]\nlimp = false\nopen = ''", "could only fold"),
        ("stack = 2000\n[boards]\nturns = 50", "turns are 1 to 49 cards, not 50"),
        ("stack = 2000\n[boards]\nrivers = 0", "rivers are 1 to 48 cards, not 0"),
        ("stack = 2000\n[boards]\nseed = -1", "seed: a whole number from 0"),
        ("stack = 2000\n[boards]\nflops = 12", 'such as "subset:25", not 12'),
        ("stack = 2000\n[boards]\ncards = 12", "no such key: cards"),
        ("stack = 2000\n[bets]\nbet = '66%'\n", "needs raise sizes"),
        ("stack = 2000\n[big_blind]\nrange = 'AhKh'", "must not tell suits apart"),
        ("stack = 2000\n[big_blind]\nrange = ''", "no hand of one range"),
        ("stack = 2000\n[big_blind]\nhands = 'AA'", "no such key: hands"),
        ("stack = ", "not a preflop file"),
        ("stack = 100000\n[raises]\nopen = '2x, 3x, 4x, 5x, 6x'\n3-bet = '2x, 3x, 4x, 5x'\n4-bet='2x, 2.5x, 3x, 4x'",
         "more than 500 decisions"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_told(text, says):
    with pytest.raises(SpotError) as told:
        parse_preflop(text, "mine")
    assert says in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("flops", ["subset:0", "As Kd", "As Kd 7c 2c", "nothing", ""])
def test_flops_that_are_none(flops):
    game = parse_preflop(TINY.replace("As Kd 7c", flops))
    with pytest.raises(SpotError, match=r"preflop, \[boards\]: flops"):
        solve_preflop(game, iterations=1)


@pytest.fixture(scope="module")
def solved():
    return solve_preflop(parse_preflop(TINY, "tiny"), iterations=30)


def test_a_solution_is_saved_and_read(solved, tmp_path):
    path = tmp_path / "tiny.preflop"
    solved.save(path)
    again = pokerlab.load(path)
    assert again.game == solved.game
    assert again.figures == solved.figures
    assert again.record == solved.record
    assert again.lines() == solved.lines()
    for node in solved.game.tree.decisions:
        assert np.array_equal(again.strategy[node], solved.strategy[node])
        assert np.array_equal(again.values[node], solved.values[node], equal_nan=True)


def test_values_of_actions_are_those_of_the_whole(solved):
    """What hands win by their actions at the first decision, over the hands as they are dealt, is what the small blind
    wins; folding there loses the small blind, whoever holds what.
    """
    kings, suited = 13 + 1, 13 * 5 + 6  # KK and 98s on the chart
    assert solved.values[0][[kings, suited], 0] == pytest.approx(-50)
    won = [solved.strategy[0][kind] @ solved.values[0][kind] for kind in (kings, suited)]
    # 6 pairs of kings and 4 hands 98s, each of which meets all hands of the big blind.
    assert (6 * won[0] + 4 * won[1]) / 10 == pytest.approx(solved.figures.ev[1], abs=1e-3)


def test_ranges_at_a_flop(solved):
    line = "call, check"
    small, big = solved.range(line, 1), solved.range(line, 0)
    first, answer = solved.strategy[0], solved.strategy[solved.game.tree.at(["call"]).index]
    assert small["KcKd"] == pytest.approx(first[14, 1], abs=6e-4)
    assert big["AcAd"] == pytest.approx(answer[0, 0], abs=6e-4)
    assert big["7c2d"] == 0
    spot = solved.spot(line, "Qs Jh 2h")
    assert spot.ranges == (big, small)
    with pytest.raises(SpotError, match="no flop is dealt after raise 200; one is after call, check; call, raise 200"):
        solved.spot("raise 200", "Qs Jh 2h")
    with pytest.raises(SpotError, match="no 'raise 900' at first; there are fold, call, raise 200"):
        solved.range("raise 900", 0)
    with pytest.raises(SpotError, match="small blind never comes to raise 200, call: no hand"):
        solved.spot("raise 200, call", "Qs Jh 2h")


def test_resuming_is_going_on(tmp_path):
    game, path = parse_preflop(TINY), tmp_path / "tiny.checkpoint"
    solve_preflop(game, iterations=7, checkpoint=path)
    resumed = solve_preflop(game, iterations=15, checkpoint=path, resume=True)
    straight = solve_preflop(game, iterations=15)
    assert resumed.figures == straight.figures
    assert all(np.array_equal(resumed.strategy[node], straight.strategy[node]) for node in game.tree.decisions)
    with pytest.raises(pokerlab.PokerlabError, match="another preflop"):
        solve_preflop(parse_preflop(TINY.replace("600", "700")), iterations=15, checkpoint=path, resume=True)


def test_memory_is_known_before_it_is_taken():
    with pytest.raises(SpotError, match=r"this game takes \d+\.\d\d GiB and 0\.00 GiB are allowed: draw fewer flops"):
        solve_preflop(parse_preflop("stack = 2000\n[boards]\nflops = 'As Kd 7c'"), iterations=1, memory=1e-6)


def run(*words):
    return CliRunner().invoke(main, ["preflop", *words])


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY)
    told = run("tiny.toml", "--iterations", "20", "--line", "call, check", "--board", "Qs Jh 2h", "--spot", "s.toml")
    assert told.exit_code == 0, told.output
    assert "% of the blinds" in told.output
    assert "range of the small blind after call, check" in told.output
    spot = load_preflop_solution("tiny.preflop").spot("call, check", "Qs Jh 2h")
    assert read_spot("s.toml").ranges == spot.ranges
    shown = json.loads(run("tiny.preflop", "--json").output)
    assert shown["exploitability_percent"] == pytest.approx(100 * shown["exploitability"] / 1.5)
    assert [node["line"] for node in shown["nodes"]][:2] == [[], ["call"]]
    assert shown["nodes"][0]["hands"]["KK"]["ev"][0] == pytest.approx(-0.5)
    assert sum(shown["ev"].values()) == pytest.approx(0, abs=1e-5)
    text = run("tiny.preflop").output
    assert "small blind first" in text
    assert "big blind after raise 200" in text
    flop = json.loads(run("tiny.preflop", "--line", "call, check", "--json").output)["nodes"][0]
    assert Range.parse(flop["ranges"]["big_blind"]) == spot.ranges[0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--line", "raise 7"], "no 'raise 7' at first"),
        (["--line", "fold"], "the hand ends after fold"),
        (["--board", "Qs Jh 2h"], "a board is for --spot"),
        (["--spot", "s.toml"], "--board"),
        (["--spot", "s.toml", "--line", "call, check", "--board", "Qs Jh"], "three to five different cards"),
        (["--spot", "s.toml", "--line", "call, check", "--board", "Qs Jh 2h 4c 5c"], "a flop: three cards, not 5"),
        (["--spot", "tiny.toml", "--line", "call, check", "--board", "Qs Jh 2h"], "--spot would replace FILE"),
        (["--out", "tiny.toml"], "--out would replace FILE, tiny.toml"),
        (["--checkpoint", "tiny.toml"], "--checkpoint would replace FILE, tiny.toml"),
        (["--resume"], "a checkpoint is needed"),
        (["--method", "lp"], "no method 'lp'"),
    ],
)
def test_what_cannot_be_is_told_before_the_work(tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY)
    told = run("tiny.toml", "--iterations", "1", *words)
    assert told.exit_code == 2
    assert says in told.output
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.toml"]
    assert (tmp_path / "tiny.toml").read_text() == TINY


def test_a_solution_is_not_solved_again(tmp_path, solved):
    path = str(tmp_path / "tiny.preflop")
    solved.save(path)
    told = run(path, "--iterations", "3")
    assert told.exit_code == 2
    assert "is solved already" in told.output
    told = run(path, "--line", "call, check", "--board", "Qs Jh 2h", "--spot", path)
    assert told.exit_code == 2
    assert "--spot would replace FILE" in told.output
    assert load_preflop_solution(path).game == solved.game


def test_a_file_is_named_after_itself(tmp_path):
    (tmp_path / "mine.toml").write_text(TINY)
    assert read_preflop(tmp_path / "mine.toml").name == "mine"
