"""Equities of any number of ranges, against enumeration by the rankings of others: phevaluator and pokerkit."""

from itertools import combinations, product
from math import prod

import numpy as np
import phevaluator
import pokerkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerlab.cards.deck import Deck
from pokerlab.cards.ranges import Range
from pokerlab.cards.versus import equities
from pokerlab.errors import CardError, RangeError

DECK = Deck()


def by_phevaluator(cards):
    return -phevaluator.evaluate_cards(*(DECK.text((card,)) for card in cards))


def by_pokerkit(cards):
    return pokerkit.StandardHighHand.from_game(DECK.text(tuple(cards)))


def naive(texts, board, rank, dead=""):
    """(equity, wins, ties) of each range, over every deal and board."""
    shown, gone = DECK.cards(board), DECK.cards(dead)
    total, weight = np.zeros((3, len(texts))), 0.0
    for deal in product(*(Range.parse(text) for text in texts)):
        holes = [hole for hole, _ in deal]
        held = [card for hole in holes for card in hole]
        if len({*held, *shown, *gone}) < len(held) + len(shown) + len(gone):
            continue
        live = [card for card in range(52) if card not in {*held, *shown, *gone}]
        runs = list(combinations(live, 5 - len(shown)))
        for run in runs:
            values = [rank((*hole, *shown, *run)) for hole in holes]
            best = np.array([value == max(values) for value in values])
            odds = np.array([best / best.sum(), best & (best.sum() == 1), best & (best.sum() > 1)])
            total += prod(w for _, w in deal) * odds / len(runs)
        weight += prod(w for _, w in deal)
    return total / weight


@pytest.mark.parametrize("rank", [by_phevaluator, by_pokerkit])
@pytest.mark.parametrize(
    ("texts", "board", "dead"),
    [
        (["AcKc", "7d7h"], "Kh 7s 2c 2d", ""),
        (["AhKh,QhQd:0.5", "JsTs,8c8d:0.25"], "Qs Jh 2h 4c", "9h Ad"),
        (["AhKh", "AsKs", "AcKd"], "Qc Jd 2s 4c", ""),
        (["AhKh,7c6c:0.5", "QsQd", "JsTs,AdKc:0.3"], "Th 9h 2c 3d 5s", ""),
        (["AhKh", "QsQd,JsJd:0.5", "7c7d,AcKc", "5h4h:0.2,AsQc"], "7s 6d 2h 9c", "Th"),
    ],
)
def test_every_deal_gone_through_as_others_rank_it(texts, board, dead, rank):
    won = equities(texts, board, dead=dead)
    assert won.method == "exact"
    expected = naive(texts, board, rank, dead)
    np.testing.assert_allclose([won.equity, won.wins, won.ties], expected, rtol=0, atol=1e-12)
    assert sum(won.equity) == pytest.approx(1)


def test_three_hands_before_the_flop():
    """Over all boards of a smaller deck, as phevaluator ranks them."""
    gone = DECK.text(tuple(card for card in range(52) if card // 4 < 8 and card != 1))
    few = equities(["AsAh", "KdKc", "JsTs"], dead=gone)
    np.testing.assert_allclose(
        [few.equity, few.wins, few.ties], naive(["AsAh", "KdKc", "JsTs"], "", by_phevaluator, gone), atol=1e-12
    )


def test_two_ranges_are_compared_exactly_whatever_their_size():
    won = equities(["AA", "KK"])
    assert won.equity[0] == pytest.approx(0.8195, abs=5e-5)  # published
    assert won.wins[0] + won.wins[1] + won.ties[0] == pytest.approx(1)
    assert equities(["random", "random"], "2c 7d 9h").equity == pytest.approx((0.5, 0.5))


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32), players=st.sampled_from([2, 3]))
def test_samples_agree_with_every_deal(seed, players):
    """Within five standard errors, of which an interval has 1.96 on either side."""
    texts = ["AK,QQ", "T9s,99:0.5", "AcAd,AhAs,AdAs"][-players:]
    exact, drawn = (equities(texts, "Ts 7c 2d 3h", samples=count, seed=seed) for count in (None, 4000))
    assert (exact.method, drawn.method) == ("exact", "sampled")
    for mean, half, true in zip(drawn.equity, drawn.ci95, exact.equity, strict=True):
        assert abs(mean - true) <= 5 / 1.96 * half


def test_hands_that_block_each_other_are_drawn_as_they_are_dealt():
    """Weights multiply, and what shares a card is never dealt: aces leave others few aces."""
    texts = ["AA", "AA:0.5,KK:0.5", "AA:0.5,QQ:0.5"]
    exact, drawn = equities(texts, "2c 7d 9h Jc"), equities(texts, "2c 7d 9h Jc", samples=40_000, seed=1)
    assert exact.samples is None
    assert drawn.samples == 40_000
    np.testing.assert_allclose(drawn.equity, exact.equity, atol=0.012)


def test_the_same_seed_gives_the_same_samples():
    ask = ["AA", "22+", "random"]
    assert equities(ask, samples=2000, seed=3).equity == equities(ask, samples=2000, seed=3).equity
    assert equities(ask, samples=2000, seed=3).equity != equities(ask, samples=2000, seed=4).equity
    assert equities(ask).samples == 100_000


@pytest.mark.parametrize(
    ("texts", "board", "error", "message"),
    [
        (["AA"], "", CardError, "two to 10 players"),
        (["AA"] * 11, "", CardError, "two to 10 players"),
        (["AA", "AsAh"], "Ah As Ac", RangeError, "player 1 has no hand"),
        (["KK", "AsAh"], "Ah 2s 3c", RangeError, "player 2 has no hand"),
        (["AA", "AA", "AA"], "", RangeError, "cannot meet"),
        (["AsKs", "AsQs"], "", RangeError, "cannot meet"),
        (["AA", "KK"], "Ah As", CardError, "a board of 2 cards"),
        (["AA", "KX"], "", RangeError, "'KX' in a range"),
    ],
)
def test_what_makes_no_sense(texts, board, error, message):
    with pytest.raises(error, match=message):
        equities(texts, board)


def test_ranges_that_can_hardly_be_dealt_together():
    with pytest.raises(RangeError, match="hardly be dealt together"):
        equities(["AA", "AA", "AA"], samples=10)
