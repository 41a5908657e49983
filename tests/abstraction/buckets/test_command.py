"""`pokerlab buckets` as a user meets it; what takes long is in test_real_buckets.py."""

import json

import pytest
from click.testing import CliRunner

import naive_buckets as naive
from pokerlab.cli import main

CARDS = naive.made_up(False)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder with an empty cache; (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path / "cache"))

    def call(*arguments):
        result = CliRunner().invoke(main, ["buckets", *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return call


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("build", "percentile:5"), "a card abstraction has four streets"),
        (("build", "169/foo:5/fixed:1/fixed:1"), "flop: 'foo:5' is no bucketing"),
        (("build", "169/lossless/fixed:1/fixed:1"), "needs imperfect recall"),
        (("build", "range-of-skill", "--seed", "-3"), "a whole number from 0 to 2^64-1 is needed, not -3"),
        (("build", "range-of-skill", "--recall", "some"), "'some' is not one of 'perfect', 'imperfect'"),
        (("show", "none.buckets"), "no file none.buckets, and as a spec: a card abstraction has four streets"),
        (("show", "range-of-skill"), "not built yet: run `pokerlab buckets build range-of-skill --recall perfect`"),
        (("show", "potential-1000", "--seed", "4"), "build potential-1000 --recall imperfect --seed 4`"),
        (("show", "x", "--board", "As Ks 2d"), "--board needs --hand"),
    ],
)
def test_errors_are_one_line(run, arguments, told):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("pokerlab: ")
    assert err.count("\n") == 1
    assert told in err


def test_a_hand(run):
    cards = CARDS
    cards.save("cards")
    code, out, err = run("show", "cards", "--hand", "AsKd", "--board", "Qs Jh 2h 3c 4d", "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert (answer["hand"], answer["recall"]) == ("AsKd", "imperfect")
    assert [row["street"] for row in answer["rows"]] == ["preflop", "flop", "turn", "river"]
    hole, board = (51, 45), (43, 38, 2, 4, 9)
    assert [row["bucket"] for row in answer["rows"]] == [cards.bucket(hole, board[:size]) for size in (0, 3, 4, 5)]
    river = answer["rows"][3]
    assert river["strength"] == pytest.approx(naive.strength(hole, board) / 1980, abs=1e-6)
    code, out, err = run("show", "cards", "--hand", "AsKd", "--board", "QsJh2h")
    assert code == 0, err
    assert out.splitlines()[-1].split()[:2] == ["flop", "QsJh2h"]
    for hand, board, told in (
        ("AsAs", "", "named twice"),
        ("AsKd", "As Jh 2h", "named twice"),
        ("As", "", "a hand has two cards"),
        ("AsKd", "Qs Jh", "none, three, four or five"),
        ("AsKx", "", "no card 'Kx'"),
    ):
        code, out, err = run("show", "cards", "--hand", hand, "--board", board)
        assert (code, out) == (2, "")
        assert told in err


def test_damaged_files(run, tmp_path):
    (tmp_path / "cards").write_bytes(b"PK\x03\x04")
    code, _, err = run("show", "cards", "--hand", "AsKd")
    assert code == 2
    assert "cards is not a buckets file, or it is damaged or cut short" in err
