"""`pokerlab equity` and `pokerlab range` as a student meets them."""

import json

import pytest
from click.testing import CliRunner

from pokerlab.cards.equity import range_equity
from pokerlab.cli import main


def told(*words):
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_equity_of_two_ranges_on_a_board():
    out = told("equity", "AA", "KQs", "--board", "Kh 7s 2d").splitlines()
    assert out[0] == "board Kh 7s 2d, 2 cards to come: exact, over all of them"
    assert out[2].split() == ["1", "AA", "6", "78.92", "%", "78.92", "%", "0.00", "%"]
    assert out[3].split()[:5] == ["2", "KQs", "3", "21.08", "%"]
    figures = json.loads(told("equity", "AA", "KQs", "--board", "Kh 7s 2d", "--json"))
    assert figures["method"] == "exact"
    expected = range_equity("AA", "KQs", "Kh 7s 2d")
    assert [row["equity"] for row in figures["players"]] == pytest.approx(expected.equity)
    assert [row["player"] for row in figures["players"]] == [1, 2]


def test_equity_of_three_is_exact_or_has_intervals():
    exact = json.loads(told("equity", "AsAh", "KdKc", "7c7h", "--json"))
    drawn = json.loads(told("equity", "AsAh", "KdKc", "7c7h", "--samples", "5000", "--seed", "2", "--json"))
    assert (exact["method"], drawn["method"], drawn["samples"]) == ("exact", "sampled", 5000)
    for true, row in zip(exact["players"], drawn["players"], strict=True):
        assert abs(true["equity"] - row["equity"]) < 2.5 * row["ci95"]
    assert "± " in told("equity", "AA", "random", "22+", "--samples", "1000")


def test_range():
    out = told("range", "22+,A2s+")
    assert out.startswith("22+, A2s+\n126 combos, 9.5 % of all 1,326\n")
    figures = json.loads(told("range", "22+,A2s+", "--board", "Qs Jh 2h", "--versus", "TT+", "--json"))
    assert figures["combos"] == 126
    assert figures["hands"]["AKs"] == 1
    assert sum(part["share"] for part in figures["made"]) == pytest.approx(1)
    assert figures["equity"] == pytest.approx(range_equity("22+,A2s+", "TT+", "Qs Jh 2h").equity[0])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("aks", "'AKs'"),
        ("AKS", "'AKs'"),
        ("aa", "'AA'"),
        ("AA KK", "'AA,KK'"),
        ("A10s", "'ATs'"),
        ("acKD", "'AcKd'"),
        ("22+ a2S+", "'22+,A2s+'"),
        ("t9s-54S:0.5", "'T9s-54s:0.5'"),
        ("Random", "'random'"),
    ],
)
def test_typos_in_ranges_are_told(typed, meant):
    for words in (("equity", "QQ", typed), ("range", typed), ("range", "QQ", "--versus", typed)):
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        assert f"did you mean {meant}?" in result.stderr, result.stderr


def test_what_cannot_be_guessed_is_explained():
    result = CliRunner().invoke(main, ["range", "AA,KZs"])
    assert result.exit_code == 2
    assert "'KZs' in a range: expected a hand such as AA, AKs" in result.stderr
