"""The evaluator by tables against the plain ranking, the evaluator by bits, phevaluator, and every hand there is."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from numba import njit
from phevaluator import evaluate_cards

from bit_evaluator import value_of as bit_value
from pokerlab import cache
from pokerlab.cards import evaluator as by_tables
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import board_values, category, evaluate, evaluator, fill_values, ranked_holes, tables
from pokerlab.cards.holes import HOLES, class_name, classes, hole_number, number
from pokerlab.cards.ranking import strength
from pokerlab.errors import CardError
from pokerlab.files import write_arrays

DECK = Deck()


def random_hands(rng, n, size, cards=52):
    return np.array([rng.permutation(cards)[:size] for _ in range(n)])


def same_order(one, other):
    """Whether two lists order their hands alike, ties included."""
    places = [{value: place for place, value in enumerate(sorted(set(values)))} for values in (one, other)]
    return [places[0][value] for value in one] == [places[1][value] for value in other]


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("cards", [20, 52])
def test_same_order_as_the_plain_ranking(size, cards):
    """Few ranks make quads and full houses common."""
    hands = random_hands(np.random.default_rng(size * 100 + cards), 1500, size, cards)
    plain = [strength([divmod(card, 4) for card in hand]) for hand in hands.tolist()]
    assert same_order(plain, evaluate(hands).tolist())
    fast = evaluator(13, 4, "poker", size)
    assert [fast(tuple(hand)) for hand in hands.tolist()] == evaluate(hands).tolist()


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("suits", [1, 2, 3])
def test_fewer_suits(size, suits):
    """Few suits make flushes and straight flushes common."""
    hands = random_hands(np.random.default_rng(size * 10 + suits), 1000, size, 13 * suits).tolist()
    plain = [strength([divmod(card, suits) for card in hand]) for hand in hands]
    fast = evaluator(13, suits, "poker", size)
    assert same_order(plain, [fast(tuple(hand)) for hand in hands])


@pytest.mark.parametrize("size", [5, 6, 7])
def test_phevaluator_gives_the_same_class(size):
    hands = random_hands(np.random.default_rng(size), 3000, size)
    theirs = [7463 - evaluate_cards(*map(int, hand)) for hand in hands]  # its 1 is the royal flush
    assert evaluate(hands).tolist() == theirs


def test_categories_begin_where_they_should():
    """All five-card hands: 7,462 classes, and the known number of hands in each category."""
    values = evaluate(np.array(list(combinations(range(52), 5)), np.uint8))
    counts = np.bincount(values)
    assert len(counts) == 7463
    assert np.all(counts[1:] > 0)
    by_category = dict.fromkeys(by_tables.CATEGORIES, 0)
    for value in range(1, 7463):
        by_category[category(value)] += int(counts[value])
    assert list(by_category.values()) == [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]


def test_suits_and_the_order_of_cards_do_not_matter():
    rng = np.random.default_rng(8)
    for size in (5, 6, 7):
        hands = random_hands(rng, 2000, size)
        suits = rng.permutation(4)
        renamed = hands - hands % 4 + suits[hands % 4]
        assert np.array_equal(evaluate(hands), evaluate(rng.permuted(renamed, axis=1)))


def test_another_card_never_hurts():
    hands = random_hands(np.random.default_rng(9), 3000, 7)
    assert np.all(evaluate(hands[:, :5]) <= evaluate(hands[:, :6]))
    assert np.all(evaluate(hands[:, :6]) <= evaluate(hands))


@pytest.mark.parametrize("size", [3, 4, 5])
def test_holes_of_a_board(size):
    rng = np.random.default_rng(size)
    for board in [rng.permutation(52)[:size] for _ in range(6)] + [np.arange(size) * 4, np.arange(size)]:
        values = board_values(board)
        clash = np.isin(HOLES, board).any(axis=1)
        assert np.array_equal(values == 0, clash)
        hands = np.hstack([HOLES[~clash], np.tile(board, ((~clash).sum(), 1))])
        assert np.array_equal(values[~clash], evaluate(hands))
        order, ranked = ranked_holes(board)
        assert np.array_equal(np.sort(order), np.flatnonzero(values))
        assert np.array_equal(ranked, np.sort(values[values > 0]))
        assert np.array_equal(values[order], ranked)


def test_numbers_and_classes_of_holes():
    assert [hole_number(tuple(map(int, hole))) for hole in HOLES] == list(range(1326))
    assert all(number(high, low) == number(low, high) == i for i, (low, high) in enumerate(HOLES.astype(int)))
    names = [class_name(i) for i in range(169)]
    assert len(set(names)) == 169
    assert names[:3] == ["AA", "AKs", "AQs"]
    assert names[13] == "AKo"
    assert names[classes()[hole_number(DECK.cards("7c2d"))]] == "72o"
    assert np.array_equal(np.unique(np.bincount(classes()), return_counts=True), ([4, 6, 12], [78, 13, 78]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate([[0, 1, 2, 3]]), "five, six or seven"),
        (lambda: evaluate([[0, 1, 2, 3, 3]]), "twice"),
        (lambda: evaluate([[0, 1, 2, 3, 52]]), "0 to 51"),
        (lambda: evaluate([[0, 1, 2, 3, -1]]), "0 to 51"),
        (lambda: evaluate([[0.0, 1, 2, 3, 4]]), "whole numbers"),
        (lambda: board_values([0, 1]), "three to five"),
        (lambda: board_values([0, 1, 1]), "twice"),
        (lambda: category(0), "from 1 to 7462"),
        (lambda: hole_number((3, 3)), "two different cards"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(CardError, match=message):
        call()


def test_other_decks_use_the_plain_ranking():
    leduc = evaluator(3, 2, "poker", 2)
    assert leduc((0, 1)) > leduc((5, 2))
    rhode = evaluator(13, 4, "three-card", 3)
    assert rhode((0, 4, 8)) > rhode((0, 1, 2)) > rhode((0, 5, 8))


@njit
def _all_hands_with(first, second, hands):
    """All seven-card hands whose lowest cards are these two; returns how many there are."""
    n = 0
    for c in range(second + 1, 48):
        for d in range(c + 1, 49):
            for e in range(d + 1, 50):
                for f in range(e + 1, 51):
                    for g in range(f + 1, 52):
                        hand = hands[n]
                        hand[0], hand[1], hand[2], hand[3], hand[4], hand[5], hand[6] = first, second, c, d, e, f, g
                        n += 1
    return n


@njit
def _compare(hands, values, by_value, counts):
    """Count the values, and check that each always stands for one value of the other evaluator."""
    for i in range(len(hands)):
        counts[values[i]] += 1
        other = bit_value(hands[i], 4)
        if by_value[values[i]] < 0:
            by_value[values[i]] = other
        elif by_value[values[i]] != other:
            return False
    return True


@pytest.mark.slow
def test_all_133_784_560_hands_of_seven_cards():
    hands, values = np.empty((2_118_760, 7), np.uint8), np.empty(2_118_760, np.int16)
    by_value, counts = np.full(7463, -1), np.zeros(7463, np.int64)
    for first in range(46):
        for second in range(first + 1, 47):
            n = _all_hands_with(first, second, hands)
            fill_values(tables(), hands[:n], values[:n])
            assert _compare(hands[:n], values[:n], by_value, counts)
    seen = by_value[by_value >= 0]
    assert len(seen) == 4824
    assert np.all(np.diff(seen) > 0)
    assert counts.sum() == 133_784_560
    by_category = np.add.reduceat(counts, by_tables.LOWEST)
    assert by_category.tolist() == [
        23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 41_584,
    ]  # fmt: skip


def test_tables_are_kept_and_only_the_very_ones_are_taken(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_said", set())
    made = by_tables.make_tables()
    assert by_tables.digest(made) == by_tables._DIGEST
    fresh = by_tables.tables.__wrapped__
    fresh()
    (kept,) = tmp_path.iterdir()
    monkeypatch.setattr(by_tables, "make_tables", lambda: pytest.fail("made again although they are kept"))
    assert all(np.array_equal(a, b) for a, b in zip(fresh(), made, strict=True))
    # A whole file of other numbers would lead kernels out of their arrays.
    monkeypatch.setattr(by_tables, "make_tables", lambda: made)
    header = {"format": by_tables.FORMAT, "version": by_tables.VERSION}
    write_arrays(kept, header, made._replace(rows=made.rows + 10**6)._asdict(), error=CardError)
    assert fresh() is made
    assert "damaged" in capsys.readouterr().err
    monkeypatch.setattr(by_tables, "make_tables", lambda: pytest.fail("the damaged file was not replaced"))
    fresh()


def test_the_first_showdown_compiles_nothing(tmp_path, monkeypatch):
    """A fresh process with tables kept ranks a hand without numba having compiled or loaded a kernel."""
    code = (
        "from pokerlab.game.hand import parse_hand\nfrom pokerlab.game.catalog import rules_of\n"
        "hand = parse_hand(rules_of('holdem-limit'), 'rc/rc/rc/crc', '8s2h|Kd5c/7hAdTd/4s/Kc')\n"
        "assert hand.payoffs() == (-70, 70)\nfrom pokerlab.cards import evaluator\n"
        "assert not evaluator.value_of.overloads and not evaluator._first_fit.overloads\n"
    )
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    tables.__wrapped__()
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
