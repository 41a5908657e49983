"""Games beyond the limits: what would work is said, and the limits can be raised."""

import json

import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.bounds import larger_games, raising, room
from pokerlab.cli import main
from pokerlab.errors import GameTooLarge, PokerlabError
from pokerlab.form import dense
from pokerlab.form.operators import WRITTEN
from pokerlab.game import betting_tree, deal_counts
from pokerlab.game.deals import deals_of


@pytest.fixture(autouse=True)
def fresh():
    deals_of.cache_clear()


def refused(*words):
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 2, ran.output
    return ran.stderr


def test_limits_are_raised_for_a_while():
    assert room(100) == 100
    with larger_games(5):
        assert room(100) == 500
        with larger_games(2):
            assert room(100) == 200
        assert raising(2.5) == ", or allow games 13 times as large as usual (--larger 13)"
        assert raising(201) == ""
    assert room(100) == 100
    assert raising() == ", or allow games 10 times as large as usual (--larger 10)"
    for times in (0, 1001, 1.5):
        with pytest.raises(PokerlabError, match="larger: a whole number from 1 to 1000"), larger_games(times):
            pass


def test_too_many_deals(monkeypatch):
    """Leduc has nine boards and holes up to suits: 3 x 3 x 3 deals."""
    monkeypatch.setattr(deal_counts, "MAX_DEALS", 10)
    with pytest.raises(GameTooLarge, match=r"take fewer ranks or suits, or allow games 3 times .* \(--larger 3\)$"):
        pokerlab.compile("leduc")
    with larger_games(3):
        assert pokerlab.compile("leduc").trees[0].infosets == 144
    deals_of.cache_clear()
    assert "--larger 3" in refused("solve", "leduc", "--larger", "2")
    ran = CliRunner().invoke(main, ["solve", "leduc", "--larger", "3", "--iterations", "2", "--json"])
    assert json.loads(ran.stdout)["iterations"] == 2


def test_what_would_work_for_a_game_like_holdem():
    for game in ("holdem-limit", "holdem-limit:ranks=9", "holdem-nolimit:stack=500"):
        with pytest.raises(GameTooLarge) as caught:
            pokerlab.compile(game)
        assert "sample it in buckets of cards (`pokerlab train --game GAME --cards SPEC`)" in str(caught.value)
        assert "--larger" not in str(caught.value)  # no raised limit would do
    assert not pokerlab.rules_of("rhode-island").holdem_family


def test_too_much_betting(monkeypatch):
    monkeypatch.setattr(betting_tree, "MAX_NODES", 100)
    with pytest.raises(GameTooLarge, match=r"`--abstraction pa`.*`pokerlab train --bets`.*--larger 10"):
        pokerlab.compile("leduc-nl")
    with larger_games(2), pytest.raises(GameTooLarge, match=r"more than 200 nodes.*--larger 20"):
        pokerlab.compile("leduc-nl")
    with larger_games(500):
        pokerlab.compile("leduc-nl:stack=4")


def test_matrices_that_are_too_large(monkeypatch):
    full = pokerlab.compile("kuhn").A
    monkeypatch.setattr("pokerlab.form.payoff.WRITTEN", 1)
    with pytest.raises(GameTooLarge, match=r"regret methods such as cfr\+ need not, or allow games \d+ times"):
        pokerlab.solve("kuhn", "lp")
    assert WRITTEN > 1
    with larger_games(1000):
        assert pokerlab.solve("kuhn", "lp").value == pytest.approx(-1 / 18)
    monkeypatch.setattr(dense, "_MOST", 1)
    with pytest.raises(GameTooLarge, match=r"at most 1 fit: take fewer ranks or buckets, sample it"):
        dense.Matrices(full.groups).of(full.groups[0].matrix.dtype)
    with larger_games(1000):
        dense.Matrices(full.groups).of(full.groups[0].matrix.dtype)


def test_a_file_of_a_larger_game(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(deal_counts, "MAX_DEALS", 10)
    with larger_games(3):
        pokerlab.solve("leduc", iterations=2).save("large.strategy")
    deals_of.cache_clear()
    assert "--larger 3" in refused("evaluate", "large.strategy")
    assert CliRunner().invoke(main, ["evaluate", "large.strategy", "--larger", "3"]).exit_code == 0
