"""Ranges against ranges: plain loops over pairs and boards, known figures, and the two ways to the same number."""

from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_strength as naive
from pokerlab.cards import equity as module
from pokerlab.cards.deck import Deck
from pokerlab.cards.equity import (
    equity_by_hand,
    hand_equity,
    range_equity,
    sampled_range_equity,
    showdown_equity,
)
from pokerlab.cards.evaluator import board_values, tables
from pokerlab.cards.holes import HOLES, compatible, hole_number
from pokerlab.cards.ranges import Range
from pokerlab.cards.runouts import CHUNK, runouts, symmetries, symmetrised
from pokerlab.cards.showdown_kernels import range_samples, range_showdowns
from pokerlab.errors import CardError, RangeError

DECK = Deck()


def some_range(rng, hands):
    """Random hands with random weights; some share suits, none is special."""
    weights = np.zeros(1326)
    weights[rng.choice(1326, hands, replace=False)] = rng.random(hands)
    return Range(weights)


@lru_cache(maxsize=1)
def apart():
    """Which hands have no card in common."""
    return (HOLES[:, None, :, None] != HOLES[None, :, None, :]).all(axis=(2, 3))


def naive_showdowns(board, weights):
    """What each hand beats, and beats or ties, by all pairs."""
    values = board_values(board)
    live = (values[:, None] > 0) & (values[None, :] > 0) & apart()
    beaten = (live & (values[:, None] > values)) @ weights
    return np.array([beaten, (live & (values[:, None] >= values)) @ weights])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shown", [3, 4, 5])
def test_the_sorted_pass_agrees_with_all_pairs(seed, shown):
    rng = np.random.default_rng(10 * seed + shown)
    boards = np.array([rng.permutation(52)[:shown] for _ in range(3)], np.uint8)
    ours, theirs, counts = rng.random(1326), rng.random(1326) * (rng.random(1326) < 0.3), np.array([1.0, 2.0, 5.0])
    first, second = range_showdowns(tables(), boards, counts, HOLES, ours, theirs)
    for sums, weights in ((first, theirs), (second, ours)):
        expected = sum(n * naive_showdowns(board, weights) for n, board in zip(counts, boards, strict=True))
        np.testing.assert_allclose(sums, expected, rtol=0, atol=1e-9)
    sampled = range_samples(tables(), boards, HOLES, ours, theirs)
    for row, board in zip(sampled, boards, strict=True):
        beaten, matched = naive_showdowns(board, theirs)
        live = board_values(board) > 0
        assert row == pytest.approx(
            [ours @ beaten, ours @ matched, (ours * live) @ (compatible(theirs * live))], abs=1e-8
        )


@pytest.mark.parametrize("text", ["", "Kh7h2h", "Ts9d9c", "AhKc5d", "Qs Jh 2h 4c"])
def test_boards_up_to_suits_stand_for_all_boards(text):
    """Their numbers add up, renaming suits makes all boards of them, and no two are equal."""
    board = DECK.cards(text)
    size, group = (3 if not board else 5), symmetries([board])
    chosen = runouts(board, size, group)
    every = {frozenset(cards) for cards in naive.boards(board, size)}
    orbits = [
        {frozenset(card // 4 * 4 + suits[card % 4] for card in row) for suits in group.tolist()}
        for row in chosen.boards.tolist()
    ]
    assert [*map(len, orbits)] == chosen.counts.tolist()
    assert sum(chosen.counts) == len(every)
    assert set().union(*orbits) == every
    if not board:
        assert len(chosen.boards) == 1755


def test_symmetries():
    assert len(symmetries([()])) == 24
    assert len(symmetries([DECK.cards("AsKs")])) == 6
    assert len(symmetries([DECK.cards("AsKs"), DECK.cards("AhKh")])) == 2
    assert len(symmetries([DECK.cards("AsKsAhKh")])) == 4
    assert len(symmetries([()], [Range.parse("AA,AKs,QJo:0.3").weights])) == 24
    assert len(symmetries([()], [Range.parse("AA,AcKc").weights])) == 6
    assert sorted(map(tuple, symmetries([()]).tolist())) == [*permutations(range(4))]
    sums = np.arange(1326.0)
    assert symmetrised(sums, symmetries([range(52), (0,), (1,), (2,)])).tolist() == sums.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_the_turn_and_the_river_agree_with_plain_loops(seed):
    rng = np.random.default_rng(seed)
    cards = rng.permutation(52).tolist()
    board, dead = tuple(cards[: 4 + seed % 2]), tuple(cards[5 : 5 + seed % 3])
    ours, theirs = some_range(rng, 14), some_range(rng, 18)
    equity, won, tied, lost = naive.range_equity(dict(ours), dict(theirs), board, dead)
    result = range_equity(ours, theirs, board, dead=dead)
    assert result.equity == pytest.approx((equity, 1 - equity), abs=1e-12)
    assert (*result.wins, result.ties) == pytest.approx((won, lost, tied), abs=1e-12)
    for side, own, other in ((0, ours, theirs), (1, theirs, ours)):
        for hole in own.without(board + dead).holes[:4].tolist():
            expected = naive.range_equity({tuple(hole): 1.0}, dict(other), board, dead)[0]
            assert result.by_hand[side][hole_number(tuple(hole))] == pytest.approx(expected, abs=1e-12)
            assert hand_equity(tuple(hole), other, board, dead=dead) == pytest.approx(expected, abs=1e-12)
        assert (~np.isnan(result.by_hand[side]) <= (own.without(board + dead).weights > 0)).all()


def test_the_flop_agrees_with_hands_against_hands():
    board = "Kh 7s 2d"
    ours, theirs = Range.parse("AcKc,QQ:0.5"), Range.parse("KJs,9h9d:0.25,AQo")
    total = weight = 0.0
    for hole, a in ours.without(board):
        for other, b in theirs.without(board):
            if not {*hole} & {*other}:
                total += a * b * showdown_equity([hole, other], DECK.cards(board), 5)[0]
                weight += a * b
    assert range_equity(ours, theirs, board).equity[0] == pytest.approx(total / weight, abs=1e-12)


def test_known_matchups_of_kinds_before_the_flop():
    """As published to the fourth decimal."""
    for ours, theirs, share in (
        ("AA", "KK", 0.8195),
        ("AKs", "QQ", 0.4605),
        ("AKo", "QQ", 0.4324),
        ("AKo", "22", 0.4735),
    ):
        assert range_equity(ours, theirs).equity[0] == pytest.approx(share, abs=5e-5)
        assert range_equity(theirs, ours).equity[1] == pytest.approx(share, abs=5e-5)


@pytest.mark.parametrize(("ours", "theirs"), [("AA,KQs:0.5,7c6c", "QQ-JJ,AcKd,T9s:0.3"), ("AK,55", "AQs,66:0.5")])
def test_before_the_flop_boards_and_pairs_agree(ours, theirs):
    """With cards that cannot come, so that boards are few enough for a quick test."""
    gone = DECK.cards("2c2d2h2s3c3d3h3s4c4d4h4s8c8d8h8s9c9d9h9s")
    a, b = (Range.parse(text).without(gone).weights for text in (ours, theirs))
    boards = module._by_boards(a, b, (), gone, None)
    pairs = module._by_matchups(a, b, gone, None)
    assert pairs is not None
    for one, other in zip(boards, pairs, strict=True):
        for ours_or_theirs in (0, 1):
            own = (a, b)[ours_or_theirs] > 0
            np.testing.assert_allclose(one[ours_or_theirs][own], other[ours_or_theirs][own], rtol=0, atol=1e-9)


def test_the_cheaper_way_is_taken_before_the_flop():
    aces, every = Range.parse("AA").weights, np.ones(1326)
    assert module._by_matchups(aces, Range.parse("KK").weights, (), None) is not None
    assert module._by_matchups(every, every, (), None) is None


@pytest.mark.slow
def test_every_hand_against_every_hand_before_the_flop():
    """Over boards; the equity of a hand is then that of the published table, and of hands against hands."""
    result = range_equity("random", "random")
    assert result.equity == pytest.approx((0.5, 0.5), abs=1e-12)
    assert result.by_hand[0][hole_number(DECK.cards("AcAd"))] == pytest.approx(0.8520371, abs=5e-8)
    assert result.by_hand[0][hole_number(DECK.cards("9h6h"))] == pytest.approx(0.4742829, abs=5e-8)
    assert hand_equity("9h6h", "random") == pytest.approx(0.4742829, abs=5e-8)  # by pairs


def test_all_hands_against_a_range():
    equities = equity_by_hand("AhKh,QcQd", "Kd 7s 2c 3h")
    assert np.isnan(equities[hole_number(DECK.cards("Kd2d"))])
    assert np.isnan(equities[hole_number(DECK.cards("AhQc"))])  # shares a card with both
    assert np.isnan(equities).sum() == 1326 - 48 * 47 // 2 + 4
    for text in ("AcKc", "7c7d", "AhQs"):
        assert equities[hole_number(DECK.cards(text))] == pytest.approx(hand_equity(text, "AhKh,QcQd", "Kd7s2c3h"))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), suits=st.permutations(range(4)))
def test_renamed_suits_and_swapped_sides(seed, suits):
    rng = np.random.default_rng(seed)
    cards = rng.permutation(52)[:4].tolist()
    ours, theirs = some_range(rng, 40), some_range(rng, 300)
    named = np.array([hole_number(tuple(card // 4 * 4 + suits[card % 4] for card in hole)) for hole in HOLES.tolist()])

    def renamed(hands):
        weights = np.zeros(1326)
        weights[named] = hands.weights
        return Range(weights)

    there = [card // 4 * 4 + suits[card % 4] for card in cards[::-1]]
    first = range_equity(ours, theirs, tuple(cards))
    second = range_equity(renamed(theirs), renamed(ours), tuple(there))
    assert first.equity == pytest.approx(second.equity[::-1], abs=1e-12)
    assert first.wins == pytest.approx(second.wins[::-1], abs=1e-12)
    assert sum(first.equity) == pytest.approx(1)
    np.testing.assert_allclose(first.by_hand[0], second.by_hand[1][named], rtol=0, atol=1e-12)


def test_the_mean_over_hands_is_the_equity_of_the_range():
    ours, theirs = Range.parse("TT+,AK:0.5"), Range.parse("22+,A2s+,KQ")
    result = range_equity(ours, theirs, "Kh 7s 2d")
    left = ours.without("Kh7s2d").weights
    mass = left * compatible(theirs.without("Kh7s2d").weights)
    assert np.nansum(mass * result.by_hand[0]) / mass.sum() == pytest.approx(result.equity[0], abs=1e-12)


@pytest.mark.parametrize("board", ["", "Kh 7s 2d"])
def test_samples_are_within_their_error(board):
    ours, theirs = "TT+,AcKc", "99-77,AQs"
    exact = range_equity(ours, theirs, board).equity[0]
    equity, error = sampled_range_equity(ours, theirs, board, 4000, np.random.default_rng(1))
    assert sum(equity) == 1
    assert 1e-4 < error < 0.01
    assert abs(equity[0] - exact) < 4 * error
    again = sampled_range_equity(ours, theirs, board, 4000, np.random.default_rng(1))
    assert again == (equity, error)
    assert CHUNK < 4000  # on more than one thread


def test_the_error_of_samples_is_that_of_repetition():
    samples = [sampled_range_equity("QQ+", "AKs,JTs", "Jh 7s 2d", 100, np.random.default_rng(i)) for i in range(200)]
    spread = np.std([equity[0] for equity, _ in samples], ddof=1)
    assert np.mean([error for _, error in samples]) == pytest.approx(spread, rel=0.2)


def test_one_hand_against_another():
    holes = DECK.cards("AcKc"), DECK.cards("QhQs")
    exact = showdown_equity(holes, (), 5)
    assert range_equity(*holes).equity == pytest.approx(exact, abs=1e-12)
    assert hand_equity("AcKc", "QhQs") == pytest.approx(exact[0], abs=1e-12)
    for hole, other in combinations([DECK.cards(text) for text in ("AcKc", "QhQs", "7d6d")], 2):
        board = DECK.cards("Qc 8d 5h")
        assert range_equity(hole, other, board).equity == pytest.approx(
            showdown_equity([hole, other], board, 5), abs=1e-12
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: range_equity("", "AA"), "our range has no hand"),
        (lambda: range_equity("AA", "KcKd", "Kc7s2d"), "their range has no hand"),
        (lambda: range_equity("AcKd", "AcQd"), "cannot meet"),
        (lambda: range_equity("AA", "foo"), "'foo' in a range"),
        (lambda: range_equity("AA", "KK", "Kc7s"), "must have 0, 3, 4 or 5"),
        (lambda: range_equity("AA", "KK", "Kc7sKc"), "twice"),
        (lambda: range_equity("AA", "KK", "Kc7s2d", dead="2d"), "twice"),
        (lambda: range_equity("AA", "KK", dead=tuple(range(44))), "44 dead cards"),
        (lambda: hand_equity("AcAd", "KK", "Ac7s2d"), "twice"),
        (lambda: hand_equity("AcAd", "AcKc", "Kd7s2d"), "their range has no hand"),
        (lambda: hand_equity("Ac", "KK"), "two different cards"),
        (lambda: sampled_range_equity("AA", "KK", "", 1, np.random.default_rng(0)), "at least two"),
        (lambda: sampled_range_equity("AcKd", "AcQd", "", 10, np.random.default_rng(0)), "never met"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(CardError, match=message):
        call()


def test_what_is_wrong_with_a_range_is_a_range_error():
    with pytest.raises(RangeError):
        range_equity("AA", "KcKd", "Kc7s2d")
