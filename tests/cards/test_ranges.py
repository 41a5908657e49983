"""Range notation both ways, against pokerkit's reading where conventions agree, and against a plain list of hands."""

from itertools import combinations

import numpy as np
import pokerkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import HOLES, class_name, classes
from pokerlab.cards.ranges import Range, as_range
from pokerlab.errors import CardError, RangeError

DECK = Deck()

# The two ranges of the turn spot of docs/spots: what users of solvers paste.
OUT_OF_POSITION = (
    "QQ:0.5,JJ:0.75,TT,99,88,77,66,55,44,33,22,AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.75,ATs,ATo:0.75,A9s,A8s,A7s,A6s,A5s,A4s,"
    "A3s,A2s,KQ,KJ,KTs,KTo:0.5,K9s,K8s,K7s,K6s,K5s,K4s:0.5,K3s:0.5,K2s:0.5,QJ,QTs,Q9s,Q8s,Q7s,JTs,JTo:0.5,J9s,J8s,T9s,"
    "T8s,T7s,98s,97s,96s,87s,86s,76s,75s,65s,64s,54s,53s,43s"
)
IN_POSITION = (
    "AA,KK,QQ,JJ,TT,99:0.75,88:0.75,77:0.5,66:0.25,55:0.25,AK,AQs,AQo:0.75,AJs,AJo:0.5,ATs:0.75,A6s:0.25,A5s:0.75,"
    "A4s:0.75,A3s:0.5,A2s:0.5,KQs,KQo:0.5,KJs,KTs:0.75,K5s:0.25,K4s:0.25,QJs:0.75,QTs:0.75,Q9s:0.5,JTs:0.75,J9s:0.75,"
    "J8s:0.75,T9s:0.75,T8s:0.75,T7s:0.75,98s:0.75,97s:0.75,96s:0.5,87s:0.75,86s:0.5,85s:0.5,76s:0.75,75s:0.5,65s:0.75,"
    "64s:0.5,54s:0.75,53s:0.5,43s:0.5"
)


def kinds(text):
    """The names of the kinds in a range of whole kinds."""
    parsed = Range.parse(text)
    names = {class_name(kind) for kind in np.unique(classes()[parsed.numbers])}
    assert sum({2: 6, 3: 4}.get(len(name), 0) + 8 * name.endswith("o") for name in names) == len(parsed)
    return names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AA", "AA"),
        ("AKs", "AKs"),
        ("KAs", "AKs"),
        ("AKo", "AKo"),
        ("AK", "AKs AKo"),
        ("TT+", "TT JJ QQ KK AA"),
        ("KTs+", "KTs KJs KQs"),
        ("K9o+", "K9o KTo KJo KQo"),
        ("J9+", "J9s J9o JTs JTo"),
        ("A2s+", "A2s A3s A4s A5s A6s A7s A8s A9s ATs AJs AQs AKs"),
        ("T9s+", "T9s JTs QJs KQs AKs"),
        ("AK+", "AKs AKo"),
        ("44-22", "22 33 44"),
        ("22-44", "22 33 44"),
        ("55-55", "55"),
        ("K9s-K6s", "K6s K7s K8s K9s"),
        ("K6s-K9s", "K6s K7s K8s K9s"),
        ("T9s-76s", "T9s 98s 87s 76s"),
        ("J9o-97o", "J9o T8o 97o"),
        ("  AA ,\n K 9 s - K 8 s ", "AA K9s K8s"),
    ],
)
def test_notation(text, names):
    assert kinds(text) == {*names.split()}


@pytest.mark.parametrize("text", ["AA,AKs", "99+,ATs+,K9o+", "T9s-54s", "77-22", "AK", "AcKd,7h7s", "Q2+", "32,53s+"])
def test_pokerkit_reads_the_same(text):
    theirs = {frozenset(DECK.cards("".join(map(repr, pair)))) for pair in pokerkit.parse_range(text)}
    assert {frozenset(hole.tolist()) for hole in Range.parse(text).holes} == theirs


def test_weights_and_overriding():
    parsed = Range.parse("AA:0.5, AsAh, AKs : .25, AKs, AcKc:1e-3, QQ:0")
    assert parsed["AsAh"] == parsed["AhAs"] == 1
    assert parsed["AcAd"] == 0.5
    assert parsed["KdAd"] == 1
    assert parsed["AcKc"] == 0.001
    assert parsed[DECK.cards("QcQd")] == 0
    assert parsed.combos == pytest.approx(5 * 0.5 + 1 + 3 + 0.001)
    assert len(parsed) == 10
    assert dict(parsed)[DECK.cards("AcAd")] == 0.5
    assert Range.parse("random, AA:0").combos == 1320


def test_every_hand_no_hand_and_the_best_hands():
    assert (
        Range.parse("random")
        == Range.parse("100%")
        == Range.parse("22+,32+,42+,52+,62+,72+,82+,92+,T2+,J2+,Q2+,K2+,A2+")
    )
    assert Range.parse("random") == Range.random()
    assert len(Range.parse("")) == len(Range.parse("  ")) == 0
    assert Range.parse("0.4%").text() == "AA"
    assert Range.parse("1%").text() == "QQ+"
    assert Range.parse("1%:0.5").text() == "QQ+:0.5"
    for part in (0.05, 0.2, 0.5, 0.9):
        assert 0 <= Range.top(part).combos / 1326 - part < 12 / 1326
        assert not (Range.top(part).weights > Range.top(part + 0.1).weights).any()


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("AA,KK", "KK+"),
        ("KK,QQ", "KK-QQ"),
        ("AKs,AQs,AJs,KQs", "AJs+,KQs"),
        ("AKs,AKo,AQo,AQs,AJs", "AQ+,AJs"),
        ("A5s-A2s:0.5,A5o", "A5s-A2s:0.5,A5o"),
        ("AcKc,AdKd,AhKh,AsKs,AcKd:0.3", "AKs,AcKd:0.3"),
        ("random:0.25", "random:0.25"),
        ("22-77:0.5", "77-22:0.5"),
        ("54s+", "AKs,KQs,QJs,JTs,T9s,98s,87s,76s,65s,54s"),
        ("A2s+", "A2s+"),
        ("", ""),
    ],
)
def test_canonical_text(text, canonical):
    assert Range.parse(text).text() == str(Range.parse(text)) == canonical
    assert eval(repr(Range.parse(text))) == Range.parse(text)


WEIGHTS = st.one_of(st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0, 1.0]), st.floats(0, 1, allow_subnormal=True))


@settings(max_examples=60, deadline=None)
@given(
    kinds=st.lists(WEIGHTS, min_size=169, max_size=169),
    odd=st.dictionaries(st.integers(0, 1325), WEIGHTS, max_size=30),
)
def test_text_parses_back_to_the_same_range(kinds, odd):
    weights = np.array(kinds)[classes()]
    weights[list(odd)] = list(odd.values())
    original = Range(weights)
    again = Range.parse(original.text())
    assert again == original
    assert hash(again) == hash(original)
    assert again.text() == original.text()


def test_all_weights_different_parse_back():
    original = Range(np.random.default_rng(0).random(1326))
    assert Range.parse(original.text()) == original


def test_ranges_of_a_turn_spot():
    """302 and 220 are the pairs with any weight on the board Qs Jh 2h 4c, not the sums of weights."""
    out, position = (Range.parse(text).without("Qs Jh 2h 4c") for text in (OUT_OF_POSITION, IN_POSITION))
    assert (len(out), len(position)) == (302, 220)
    assert (out.combos, position.combos) == (267.75, 151.5)
    for text in (OUT_OF_POSITION, IN_POSITION):
        assert Range.parse(Range.parse(text).text()) == Range.parse(text)
        assert len(Range.parse(text).text()) < len(text)


def test_without_leaves_what_is_possible():
    board = DECK.cards("AsKd2c")
    left = Range.random().without(board)
    assert left == Range.random().without("As Kd 2c")
    assert {tuple(hole) for hole in left.holes.tolist()} == {*combinations(sorted({*range(52)} - {*board}), 2)}


def test_grid():
    grid = Range.parse("AA,AKs:0.5,KQo,AcKd,AsAh:0.25").grid()
    assert grid.shape == (13, 13)
    assert grid[0, 0] == pytest.approx(5.25 / 6)
    assert grid[0, 1] == 0.5
    assert grid[1, 0] == pytest.approx(1 / 12)
    assert grid[2, 1] == 1
    assert np.count_nonzero(grid) == 4
    assert Range.of_grid(Range.parse("AK,77:0.3").grid()) == Range.parse("AK,77:0.3")


def test_anything_that_stands_for_a_range():
    aces = Range.parse("AA")
    assert as_range(aces) is aces
    assert as_range("AA") == aces
    assert as_range(DECK.cards("KdAc")) == Range.parse("AcKd")
    assert as_range("KdAc") == Range.parse("AcKd")


@pytest.mark.parametrize(
    ("text", "piece", "expected"),
    [
        ("AA,foo,KK", "'foo'", "such as AA"),
        ("AA,,KK", "''", "such as AA"),
        ("AA KK", "'AA KK'", "did you mean 'AA,KK'"),
        ("AAs", "'AAs'", "write AA"),
        ("AKx", "'AKx'", "such as AA"),
        ("AKs-QJo", "'AKs-QJo'", "both suited"),
        ("AKs-QTs", "'AKs-QTs'", "same gap"),
        ("AA-AKs", "'AA-AKs'", "two pairs"),
        ("22-44-66", "'22-44-66'", "two pairs"),
        ("AA:2", "'AA:2'", "0 to 1, not '2'"),
        ("AA:-0.5", "'AA:-0.5'", "0 to 1"),
        ("AA:nan", "'AA:nan'", "0 to 1"),
        ("AA:", "'AA:'", "0 to 1, not ''"),
        ("AA:x", "'AA:x'", "0 to 1, not 'x'"),
        ("AcAc", "'AcAc'", "different"),
        ("AcKd+", r"'AcKd\+'", "such as AA"),
        ("1s2s", "'1s2s'", "such as AA"),
        ("aks", "'aks'", "did you mean 'AKs'"),
    ],
)
def test_what_cannot_be_read_is_named(text, piece, expected):
    with pytest.raises(RangeError, match=f"{piece} in a range: .*{expected}"):
        Range.parse(text)


def test_weights_that_are_none():
    for weights in (np.ones(169), np.full(1326, 2.0), np.full(1326, -1.0), np.full(1326, np.nan)):
        with pytest.raises(RangeError):
            Range(weights)
    with pytest.raises(RangeError, match="part of all hands"):
        Range.parse("0%")
    with pytest.raises(RangeError, match="13 rows"):
        Range.of_grid(np.ones((12, 13)))
    with pytest.raises(CardError, match="two different cards"):
        as_range((3, 3))
    with pytest.raises(ValueError, match="read-only"):
        Range.random().weights[0] = 0


def test_weights_are_copied():
    weights = np.ones(1326)
    made = Range(weights)
    weights[0] = 0
    assert made.weights[0] == 1
    assert HOLES.shape == (1326, 2)
