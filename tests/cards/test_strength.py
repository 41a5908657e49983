"""Strengths against published figures, plain loops with phevaluator's ranking, and each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_strength as naive
from pokerlab.cards import strength as module
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import HOLES, class_name, classes, hole_number
from pokerlab.cards.preflop import preflop_equity, preflop_order, preflop_percentile, preflop_square, preflop_tables
from pokerlab.cards.ranges import Range
from pokerlab.cards.ranking import strength as plain_strength
from pokerlab.cards.strength import (
    all_expected,
    all_histograms,
    all_potentials,
    all_strengths,
    effective_strength,
    expected_square,
    expected_strength,
    hand_record,
    hand_strength,
    immediate_strength,
    potential,
    river_strengths,
    strength_histogram,
)
from pokerlab.errors import CardError, RangeError

DECK = Deck()
LEDUC = Deck("JQK", "hs")


def random_spot(seed, shown):
    cards = np.random.default_rng(seed).permutation(52)[: 2 + shown].tolist()
    return tuple(cards[:2]), tuple(cards[2:])


@pytest.mark.parametrize("ten", ["Td", "Th", "Ts"])
def test_the_example_of_the_thesis(ten):
    """Section 2.1.2. It prints the ten of clubs both in the hand and on the board; any other ten gives its figures."""
    hole, board = DECK.cards("TcJc"), DECK.cards(f"2d{ten}Kh")
    assert hand_record(hole, board) == (899, 6, 176)
    assert hand_strength(hole, board) == pytest.approx(0.834413, abs=5e-7)
    assert immediate_strength("TcJc", board) == pytest.approx(0.834413, abs=5e-7)
    with pytest.raises(CardError, match="twice"):
        hand_strength(hole, DECK.cards("2dTcKh"))


def test_the_table_of_billings():
    """Opponent Modeling in Poker (1998): AdQc on 3h4cJh, two cards ahead; and 8d7d on 9d6c2d beats 11.5 % now."""
    later = potential("AdQc", "3h4cJh")
    assert later.table.tolist() == [[449005, 3211, 169504], [0, 8370, 540], [91981, 1036, 346543]]
    assert later.positive == pytest.approx(0.208, abs=5e-4)
    assert later.negative == pytest.approx(0.274, abs=5e-4)
    assert immediate_strength("AdQc", "3h4cJh") == pytest.approx(0.585, abs=5e-4)
    assert immediate_strength("8d7d", "9d6c2d") == pytest.approx(0.115, abs=5e-4)


@pytest.mark.parametrize(
    ("hole", "board", "deck", "value"),
    [
        ("Kh", "", LEDUC, 0.9),
        ("Qh", "", LEDUC, 0.5),
        ("Jh", "", LEDUC, 0.1),
        ("Jh", "Js", LEDUC, 1.0),
        ("AhKh", "QhJhTh", DECK, 1.0),
        ("2c3d", "AhAsAdAcKs", DECK, 0.5),
    ],
)
def test_hand_strength_examples(hole, board, deck, value):
    assert hand_strength(deck.cards(hole), deck.cards(board), deck) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("hole", "board"), [("AhKd", "Kc7s2d"), ("7c6c", "8c9c2h"), ("2d2h", "AsKsQsJs")])
def test_immediate_strength_agrees_with_plain_loops(hole, board):
    hole, board = DECK.cards(hole), DECK.cards(board)
    record = naive.record(hole, board)
    assert hand_record(hole, board) == tuple(record)
    assert immediate_strength(hole, board) == hand_strength(hole, board) == (record[0] + record[1] / 2) / record.sum()


def test_decks_with_fewer_suits():
    """Two suits of 13 ranks are ranked by the same tables, and plainly."""
    deck = Deck(suits="hs")
    hole, board = deck.cards("AhKs"), deck.cards("Kh7s2h")
    mine = plain_strength([divmod(card, 2) for card in (*hole, *board)])
    wins = ties = 0
    for a in range(26):
        for b in range(a):
            if not {a, b} & {*hole, *board}:
                theirs = plain_strength([divmod(card, 2) for card in (a, b, *board)])
                wins, ties = wins + (mine > theirs), ties + (mine == theirs)
    assert hand_record(hole, board, deck)[:2] == (wins, ties)


WEIGHTS = np.round(np.random.default_rng(5).random(1326) * (np.random.default_rng(6).random(1326) < 0.2), 3)


@pytest.mark.parametrize("seed", range(3))
def test_against_a_range(seed):
    hole, board = random_spot(seed, 4)
    theirs = Range(WEIGHTS)

    def weight(other):
        return WEIGHTS[hole_number(other)]

    won, tied, lost = naive.record(hole, board, weight)
    assert immediate_strength(hole, board, theirs) == pytest.approx((won + tied / 2) / (won + tied + lost), abs=1e-12)
    table = naive.potential(hole, board, weight=weight)
    np.testing.assert_allclose(potential(hole, board, theirs).table, table, rtol=0, atol=1e-9)
    wins, ties, losses = table.sum(axis=0)
    equity = (wins + ties / 2) / (wins + ties + losses)
    assert expected_strength(hole, board, theirs) == pytest.approx(equity, abs=1e-12)
    strengths, masses = river_strengths(hole, board, theirs)
    assert masses @ strengths == pytest.approx(equity, abs=1e-12)
    assert expected_square(hole, board, theirs) == pytest.approx(masses @ strengths**2, abs=1e-12)


@pytest.mark.parametrize(("hole", "board"), [("AhKd", "Kc7s2d"), ("7c6c", "8c9c2h"), ("2d2h", "AsKsQs")])
def test_one_card_ahead(hole, board):
    hole, board = DECK.cards(hole), DECK.cards(board)
    table = naive.potential(hole, board, 4)
    later = potential(hole, board, cards=1)
    assert later.table.tolist() == table.tolist()
    whole = table[2].sum() + table[1].sum() / 2
    assert later.positive == (table[2, 0] + table[2, 1] / 2 + table[1, 0] / 2) / whole
    assert all_potentials(board, cards=1).table[hole_number(hole)].tolist() == table.tolist()


def test_effective_strength():
    hole, board = DECK.cards("7c6c"), DECK.cards("8c9c2h")
    now, later = immediate_strength(hole, board), potential(hole, board)
    assert effective_strength(hole, board) == now + (1 - now) * later.positive
    both = now * (1 - later.negative) + (1 - now) * later.positive
    assert effective_strength(hole, board, negative=True) == both
    # With both potentials it is the chance to win at showdown, up to how ties are counted.
    assert both == pytest.approx(expected_strength(hole, board), abs=0.002)
    river = (*board, *DECK.cards("KdKs"))
    assert effective_strength(hole, river) == immediate_strength(hole, river)
    one = potential(hole, board, cards=1).positive
    assert effective_strength(hole, board, cards=1) == now + (1 - now) * one


def test_nothing_to_gain_or_to_lose():
    nuts = potential("AhKh", "QhJhTh")
    assert (nuts.positive, nuts.negative) == (0, 0)
    assert effective_strength("AhKh", "QhJhTh") == 1


@pytest.mark.parametrize("seed", range(3))
def test_expected_strength_agrees_with_plain_loops(seed):
    hole, board = random_spot(seed, 4)
    rivers = naive.river_strengths(hole, board)
    assert expected_strength(hole, board) == pytest.approx(rivers.mean(), abs=1e-12)
    assert expected_square(hole, board) == pytest.approx((rivers**2).mean(), abs=1e-12)
    for bins in (10, [0, 0.25, 0.5, 0.9, 1]):
        edges = bins if isinstance(bins, list) else np.arange(bins + 1) / bins
        expected = np.histogram(np.rint(rivers * 1980), np.round(np.array(edges) * 1980, 9))[0] / len(rivers)
        np.testing.assert_allclose(strength_histogram(hole, board, bins), expected, atol=1e-12)


def test_on_the_river_nothing_is_left_to_come():
    hole, board = random_spot(7, 5)
    now = hand_strength(hole, board)
    assert expected_strength(hole, board) == pytest.approx(now, abs=1e-12)
    assert expected_square(hole, board) == pytest.approx(now**2, abs=1e-12)
    assert strength_histogram(hole, board, 4).tolist() == [float(i == min(int(now * 4), 3)) for i in range(4)]
    every, number = all_strengths(board), hole_number(hole)
    assert every.now[number] == every.effective[number] == pytest.approx(now, abs=1e-12)
    assert every.expected[number] == pytest.approx(now, abs=1e-12)
    assert every.positive[number] == every.negative[number] == 0


@pytest.mark.parametrize("board", ["Kh 7h 2h", "Ts 9d 9c", "Ah Kc 5d", "Qs Jh 2h 4c", "8c 8d 3c 3d"])
def test_all_hands_at_once_agree_with_one_at_a_time(board):
    """Boards with many and few symmetries of suits."""
    board = DECK.cards(board)
    every, histograms = all_strengths(board), all_histograms(board, 20)
    rng = np.random.default_rng(len(board))
    gone = np.isin(HOLES, board).any(axis=1)
    for array in vars(every).values():
        assert (np.isnan(array) == gone).all()
    assert (np.isnan(histograms).any(axis=1) == gone).all()
    np.testing.assert_allclose(histograms[~gone].sum(axis=1), 1, rtol=0, atol=1e-12)
    for number in rng.choice(np.flatnonzero(~gone), 6, replace=False).tolist():
        hole = tuple(HOLES[number].tolist())
        later = potential(hole, board)
        assert every.now[number] == pytest.approx(immediate_strength(hole, board), abs=1e-12)
        assert every.positive[number] == pytest.approx(later.positive, abs=1e-12)
        assert every.negative[number] == pytest.approx(later.negative, abs=1e-12)
        assert every.effective[number] == pytest.approx(effective_strength(hole, board), abs=1e-12)
        assert every.expected[number] == pytest.approx(expected_strength(hole, board), abs=1e-12)
        assert every.square[number] == pytest.approx(expected_square(hole, board), abs=1e-12)
        np.testing.assert_allclose(histograms[number], strength_histogram(hole, board, 20), rtol=0, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(cards=st.permutations(range(52)), suits=st.permutations(range(4)), shown=st.integers(4, 5), data=st.data())
def test_suits_and_order_do_not_matter(cards, suits, shown, data):
    hole, board = tuple(cards[:2]), tuple(cards[2 : 2 + shown])
    order = data.draw(st.permutations(range(shown)))
    other = [card // 4 * 4 + suits[card % 4] for card in (hole[1], hole[0], *(board[i] for i in order))]
    again = tuple(other[:2]), tuple(other[2:])
    for metric in (hand_strength, immediate_strength, effective_strength, expected_strength, expected_square):
        assert metric(*again) == pytest.approx(metric(hole, board), abs=1e-12)
    np.testing.assert_allclose(strength_histogram(*again), strength_histogram(hole, board), rtol=0, atol=1e-12)


# Exact shares against a random hand, as published at jazbo.com/poker/huholdem.html.
PUBLISHED = {
    "AcAd": 0.8520371, "KcKd": 0.8239568, "QcQd": 0.7992516, "9c9d": 0.7205725, "AcKc": 0.6704463, "QcJd": 0.5813469,
    "Kc8c": 0.5831235, "Ac4c": 0.5903364, "Kc5d": 0.5331397, "9c6c": 0.4742829, "8c5d": 0.4142753, "6c4c": 0.4133332,
}  # fmt: skip


@pytest.mark.parametrize(("text", "share"), PUBLISHED.items())
def test_the_preflop_table(text, share):
    assert preflop_equity(DECK.cards(text)) == pytest.approx(share, abs=1e-9)
    assert expected_strength(text) == expected_strength(text, "", "random") == preflop_equity(DECK.cards(text))


def test_four_digits_of_the_preflop_table():
    for text, share in {"AcAd": 0.8520, "7c2d": 0.3458, "3c2d": 0.3230, "2c2d": 0.5033}.items():
        assert round(expected_strength(text), 4) == share
    assert [class_name(kind) for kind in preflop_order()[:4]] == ["AA", "KK", "QQ", "JJ"]
    assert class_name(preflop_order()[-1]) == "32o"


@pytest.mark.slow
def test_the_preflop_tables_are_computed_again():
    """All 169 hands over all 2,598,960 boards, up to suits."""
    mean, square = all_expected()
    for computed, table in zip((mean, square), preflop_tables(), strict=True):
        np.testing.assert_allclose(computed, table[classes()], rtol=0, atol=5.1e-8)
    assert mean.mean() == pytest.approx(0.5, abs=1e-12)
    assert expected_square("AcAd") == preflop_square(DECK.cards("AcAd")) == pytest.approx(square[hole_number((48, 49))])


def test_preflop_percentiles_are_uniform():
    percentiles = [preflop_percentile(tuple(hole)) for hole in HOLES.tolist()]
    assert np.mean(percentiles) == pytest.approx(0.5)
    assert max(percentiles) == pytest.approx(1 - 3 / 1326)
    assert np.mean(np.array(percentiles) < 0.25) == pytest.approx(0.25, abs=0.01)


def test_histograms_have_the_moments():
    board = DECK.cards("Ts 9d 9c")
    every = all_histograms(board, module.MOST)[:, :]
    mean, square = all_expected(board)
    left = ~np.isnan(mean)
    strengths = np.arange(module.MOST) / module.MOST
    # The last of these bins holds two strengths, 1979 and 1980 of 1980.
    np.testing.assert_allclose(every[left] @ strengths, mean[left], rtol=0, atol=1 / module.MOST)
    np.testing.assert_allclose(every[left] @ strengths**2, square[left], rtol=0, atol=2 / module.MOST)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hand_strength((0,), (1, 2), Deck("JQK", "s")), "nobody else"),
        (lambda: immediate_strength("AcAd", ""), "3, 4 or 5"),
        (lambda: immediate_strength("AcAd", "AcKdQs"), "twice"),
        (lambda: immediate_strength("AcAdAh", "KcKdQs"), "two different cards"),
        (lambda: immediate_strength("AcAd", "KcKdQs", "AcAh"), "no hand"),
        (lambda: potential("AcAd", "KcKdQs5c4h"), "3 or 4"),
        (lambda: potential("AcAd", "KcKdQs5c", cards=2), "no 2 to come"),
        (lambda: potential("AcAd", "KcKdQs", cards=0), "no 0 to come"),
        (lambda: expected_strength("AcAd", "Kc"), "board of 1"),
        (lambda: expected_strength((0, 52), "Kc"), "0 to 51"),
        (lambda: strength_histogram("AcAd", "KcKdQs", 0), "at least one bin"),
        (lambda: strength_histogram("AcAd", "KcKdQs", [0, 0.5, 0.5, 1]), "go up"),
        (lambda: all_strengths(""), "3, 4 or 5"),
        (lambda: all_expected("KcKc2d"), "twice"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(CardError, match=message):
        call()


def test_an_empty_range_is_named():
    with pytest.raises(RangeError, match="no hand"):
        expected_strength("AcAd", "KcKdQs", "")
