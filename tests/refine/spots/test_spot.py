"""Spot files: what they say, one clear line for what makes no sense, and the command that solves them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import HOLES
from pokerlab.cards.ranges import Range
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.game.bet_sizes import ALL_IN, Size
from pokerlab.refine.spots.libratus import read_libratus
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.spot import Lock, parse_spot, read_spot
from pokerlab.refine.spots.tree import Sizes
from shared_data import shared_data

GOOD = """
board = "Qs Jh 2h 4c 7d"
pot = 200
stacks = [900, 1000]
[oop]
range = "AA,KQ,T9s"
[ip]
range = "QQ-99,AK:0.5"
[bets]
bet = "50%, all-in"
raise = "60%"
"""


def changed(*changes):
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_a_file():
    spot = parse_spot(GOOD, "mine")
    assert spot.board == Deck().cards("QsJh2h4c7d")
    assert (spot.pot, spot.stacks, spot.bets, spot.to_act, spot.rake) == (200, (900, 1000), (0, 0), 0, 0)
    assert spot.ranges == (Range.parse("AA,KQ,T9s"), Range.parse("QQ-99,AK:0.5"))
    both = Sizes((Size(50, "%"), ALL_IN), (Size(60, "%"),))
    assert spot.sizes == {(2, 0): both, (2, 1): both}
    assert spot.tree()[0].labels == ("check", "bet 100", "all-in")


def test_sizes_by_street_and_player():
    more = '[bets.river]\nbet = "25%"\n[bets.river.ip]\nraise = ""\n[bets.turn.oop]\nbet = "33%"\n'
    spot = parse_spot(changed((" 7d", "")) + more)
    quarter = (Size(25, "%"),)
    half = (Size(50, "%"), ALL_IN)
    assert spot.sizes[1, 0] == Sizes((Size(33, "%"),), (Size(60, "%"),))
    assert spot.sizes[1, 1] == Sizes(half, (Size(60, "%"),))
    assert spot.sizes[2, 0] == Sizes(quarter, (Size(60, "%"),))
    assert spot.sizes[2, 1] == Sizes(quarter, ())


def test_text_is_read_back():
    spot = parse_spot(
        changed(("pot = 200", "pot = 200\nrake = 0.05\nrake_cap = 10\nmax_raises = 2"))
        + '[state]\nbets = [0, 50]\n[[lock]]\nline = ""\n[lock.play]\nfold = "KQ"\n"call" = "AA, KQ:0.5"\n'
    )
    assert spot.locks[0] == Lock((), {"fold": Range.parse("KQ"), "call": Range.parse("AA,KQ:0.5")})
    assert parse_spot(spot.text()) == spot
    uneven = replace(spot, ranges=(Range(np.linspace(0, 1, 1326)), spot.ranges[1]), locks=())
    assert parse_spot(uneven.text()) == uneven


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([('"AA,KQ,T9s"', '""')], "the range of the player out of position is empty"),
        ([('"AA,KQ,T9s"', '"QsJh, Qs2h, 7d4c"')], "no hand that the board QsJh2h4c7d leaves possible"),
        ([('"AA,KQ,T9s"', '"AsAh"'), ('"QQ-99,AK:0.5"', '"AsKs, AhQh"')], "can be dealt together"),
        ([('"AA,KQ,T9s"', '"AX"')], r"\[oop\]: 'AX' in a range"),
        ([("pot = 200", "pot = 0")], "the pot must be positive, not 0"),
        ([("pot = 200", "pot = -5")], "the pot must be positive, not -5"),
        ([("pot = 200", "pot = 2.5")], "pot must be a whole number, not 2.5"),
        ([("pot = 200\n", "")], "pot must be a whole number, not None"),
        ([("[900, 1000]", "0")], "the stack of the player out of position must be positive, not 0"),
        ([("[900, 1000]", "[900, 0]")], "the stack of the player in position must be positive, not 0"),
        ([("[900, 1000]", "[900, 1000, 5]")], "stacks must be a whole number, or two"),
        ([("Qs Jh 2h 4c 7d", "Qs Jh")], "three to five different cards, not 2"),
        ([("Qs Jh 2h 4c 7d", "Qs Jh 2h 4c Xd")], "board: no card 'Xd'"),
        ([("Qs Jh 2h 4c 7d", "Qs Jh 2h 4c Qs")], "named twice"),
        ([('board = "Qs Jh 2h 4c 7d"\n', "")], "a spot needs a board"),
        ([('"50%, all-in"', '"0%"')], "river bet: '0%' is no legal bet"),
        ([('"50%, all-in"', '"2x"')], "no bet to multiply"),
        ([('"50%, all-in"', '"0.1%"')], "0.1% makes no legal bet where the pot is 200"),
        ([('bet = "50%, all-in"\n', "")], "needs bet sizes for the river"),
        ([("pot = 200", "pot = 200\nrake = 1.5")], "rake is a part of the pot from 0 to 1"),
        ([("pot = 200", "pot = 200\nante = 3")], "no such key: ante; there are"),
        ([("[ip]", "[ip]\nname = 3")], "no such key: name"),
        ([("[oop]", "[state]\nbets = [50, 50]\n[oop]")], "not equal unless there are none"),
        ([("[oop]", '[state]\nbets = [50, 0]\nto_act = "oop"\n[oop]')], "the player in position has less in front"),
        ([("[oop]", "[state]\nbets = [2000, 0]\n[oop]")], "more than the other player can call"),
        ([("[oop]", '[state]\nto_act = "button"\n[oop]')], "to_act is oop or ip, not 'button'"),
        ([("pot = 200", "pot = = 3")], "not a spot file"),
        ([("[bets]", "[lock]\nline = 'check'\n[bets]")], "write \\[\\[lock\\]\\]"),
        ([("[bets]", "[[lock]]\nline = ''\nplay = { check = 2 }\n[bets]")], "a probability or a range, not 2"),
    ],
)
def test_bad_spots_get_one_clear_line(tmp_path, changes, message):
    text = changed(*changes)
    with pytest.raises(SpotError, match=message):
        parse_spot(text).tree()
    path = tmp_path / "bad.toml"
    path.write_text(text)
    result = CliRunner().invoke(main, ["spot", str(path)])
    assert result.exit_code == 2
    assert result.stderr.startswith("pokerlab: ")
    assert result.stderr.count("\n") == 1
    assert not result.stdout


def test_too_large_for_memory(tmp_path):
    path = tmp_path / "flop.toml"
    path.write_text(changed((" 4c 7d", ""), ('"AA,KQ,T9s"', '"random"')))
    result = CliRunner().invoke(main, ["spot", str(path), "--max-memory", "0.01"])
    assert result.exit_code == 2
    assert "GiB and 0.01 GiB are allowed" in result.stderr


def test_no_such_file(tmp_path):
    with pytest.raises(SpotError, match="no such file"):
        read_spot(tmp_path / "none.toml")
    result = CliRunner().invoke(main, ["spot", str(tmp_path / "none.toml")])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "river.toml").write_text(GOOD)
    return "river.toml"


def test_the_command(file):
    result = CliRunner().invoke(main, ["spot", file])
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("river: stopped by exploitability after")
    assert lines[1].startswith("took             ")
    assert lines[2].startswith("expected chips   oop ")
    assert lines[4] == "QsJh2h4c7d, the start: oop to act, pot 200"
    assert lines[-1] == "written to river.solution"
    shown = CliRunner().invoke(main, ["spot", "river.solution", "--line", "check", "--view", "ev"])
    assert "check: ip to act" in shown.stdout
    for wrong in (["--line", "bet 7"], ["--view", "bet 7"]):
        refused = CliRunner().invoke(main, ["spot", file, "--exploitability", "0", *wrong])  # says so at once
        assert refused.exit_code == 2
        assert "bet 7" in refused.stderr
    for given in (["--method", "cfr+"], ["--threads", "2"], ["--max-memory", "1"]):
        refused = CliRunner().invoke(main, ["spot", "river.solution", *given])
        assert refused.exit_code == 2
        assert "solved already" in refused.stderr


def test_a_line_that_leads_to_no_decision_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("turn.toml").write_text(GOOD.replace(" 7d", ""))
    for line, message in (
        ("check, check", "a card comes: name it"),
        ("check, check, deal", "name a card that is not there yet, such as 7d, not deal"),
        ("check, check, Qs", "not Qs, which is on the board"),
        ("bet 100, fold", "the hand is over after bet 100, fold"),
    ):
        refused = CliRunner().invoke(main, ["spot", "turn.toml", "--exploitability", "0", "--line", line])
        assert (refused.exit_code, Path("turn.solution").exists()) == (2, False)
        assert message in refused.stderr


def test_no_time_at_all_and_slow_spots(file):
    result = CliRunner().invoke(main, ["spot", file, "--seconds", "0"])
    assert result.exit_code == 0, result.stderr
    assert "stopped by seconds after 0 iterations" in result.stdout
    solved = load_spot_solution("river.solution")
    solved.iterations, solved.seconds = 3, 10.0
    ended, took = solved.lines()[:2]
    assert ended.endswith("3 iterations of dcfr-spot")
    assert "10.000 s, 0.3 iterations a second, " in took


def test_chips_are_shown_as_finely_as_the_pot_asks_for(file):
    whole = CliRunner().invoke(main, ["spot", file, "--view", "ev"]).stdout
    Path("small.toml").write_text(GOOD.replace("pot = 200", "pot = 2").replace("[900, 1000]", "[9, 10]"))
    small = CliRunner().invoke(main, ["spot", "small.toml", "--view", "ev"]).stdout
    row = next(line for line in small.splitlines() if line.startswith("Q "))
    assert re.search(r" -?\d\.\d\d ", row)
    assert re.search(r" -?\d+\.\d ", next(line for line in whole.splitlines() if line.startswith("Q ")))


def test_the_command_as_json(file):
    arguments = ["spot", file, "--iterations", "25", "--threads", "1", "--out", "out.solution", "--line", "bet 100"]
    result = CliRunner().invoke(main, [*arguments, "--json"])
    found = json.loads(result.stdout)
    assert (found["iterations"], found["stopped"], found["saved"]) == (25, "iterations", "out.solution")
    assert sum(found["ev"]) == pytest.approx(200, abs=1e-2)
    assert found["exploitability_percent"] == pytest.approx(found["exploitability"] / 2)
    assert found["node"]["line"] == ["bet 100"]
    assert found["node"]["actions"] == ["fold", "call", "raise 340"]
    assert set(found["node"]["hands"]) == {"QQ", "JJ", "TT", "99", "AKs", "AKo"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--out", "river.toml"], "--out would replace FILE, river.toml: give --out another name"),
        (["--checkpoint", "./river.toml"], "--checkpoint would replace FILE, ./river.toml"),
        (["--checkpoint", "link"], "--checkpoint would replace FILE, link"),
        (["--checkpoint", "c.s", "--out", "c.s"], "--checkpoint would replace --out, c.s"),
        (["--checkpoint", "river.solution"], "--checkpoint would replace --out, river.solution"),
    ],
)
def test_the_command_never_replaces_a_file_of_its_own(file, given, message):
    Path("link").symlink_to(file)
    result = CliRunner().invoke(main, ["spot", file, *given])
    assert result.exit_code == 2
    assert message in result.stderr
    assert read_spot(file)
    assert {path.name for path in Path().iterdir()} == {"river.toml", "link"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--hand", "AsKsQc"], "a hand is two cards"),
        (["--hand", "AsQs"], "AsQs is not in the range of oop, or has a card of the board"),
        (["--hand", "9s9h"], "9s9h is not in the range of oop"),
        (["--whose", "ip", "--hand", "AsAh"], "AsAh is not in the range of ip"),
        (["--view", "blockers", "--hand", "Qs"], "one or two cards that are not on the board"),
    ],
)
def test_a_hand_that_cannot_be_is_refused_before_the_work(file, given, message):
    result = CliRunner().invoke(main, ["spot", file, *given])
    assert result.exit_code == 2
    assert message in result.stderr
    assert not Path("river.solution").exists()


def test_going_on_by_another_method_says_both_names(file):
    begun = ["--iterations", "3", "--checkpoint", "c", "--full"]
    assert CliRunner().invoke(main, ["spot", file, *begun]).exit_code == 0
    other = ["--method", "cfr+", "--iterations", "9"]
    told = CliRunner().invoke(main, ["spot", file, *other, "--checkpoint", "c", "--resume"])
    assert told.stderr.strip().endswith("c is a checkpoint of another method: dcfr-spot, not cfr+")
    told = CliRunner().invoke(main, ["spot", "river.solution", *other])
    assert "river.solution is a solution of another method: dcfr-spot, not cfr+" in told.stderr
    told = CliRunner().invoke(main, ["spot", "river.solution", "--iterations", "5", "--checkpoint", "river.solution"])
    assert "--checkpoint would replace --out, river.solution" in told.stderr
    assert CliRunner().invoke(main, ["spot", "river.solution", "--iterations", "5"]).exit_code == 0


@pytest.mark.parametrize("number", [1, 2])
def test_libratus_endgames_load(number):
    path = shared_data("libratus_endgames", f"subgame{number}.txt")
    spot = read_libratus(path)
    words = path.read_text().split()
    reach = [float(word) for word in words[words.index("-reach") + 1 :]]
    assert spot.pot == int(words[words.index("-pot") + 1])
    assert spot.board == Deck().cards(words[words.index("-board") + 1])
    assert spot.stacks == (20_000 - spot.pot // 2,) * 2
    for place, hand in ((0, "2s2h"), (4, "2s3h"), (50, "2sAc"), (51, "2h2d"), (1325, "AdAc")):
        for player in range(2):
            assert spot.ranges[player][hand] == reach[1326 * player + place]
    assert sum(weights.weights.sum() for weights in spot.ranges) == pytest.approx(sum(reach))


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_libratus_endgames_are_solved(number):
    spot = read_libratus(shared_data("libratus_endgames", f"subgame{number}.txt"), bet="100%", raise_="all-in")
    found = solve_spot(spot, exploitability=1.0)
    assert found.exploitability <= 0.01 * spot.pot
    assert sum(found.ev) == pytest.approx(spot.pot, rel=1e-4)
    assert not np.isin(HOLES[found.root.hands], spot.board).any()


def test_files_that_are_no_endgames(tmp_path):
    path = tmp_path / "endgame.txt"
    with pytest.raises(SpotError, match="no such file"):
        read_libratus(path)
    for text in ("hello", "-round 3\n-board 7s9h9cTc\n-pot 500\n-reach 0.5 0.5"):
        path.write_text(text)
        with pytest.raises(SpotError, match="endgame"):
            read_libratus(path)
