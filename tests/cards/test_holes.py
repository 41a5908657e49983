"""The 1,326 hands: which a board leaves, which go together, and their numbers after suits are renamed."""

import numpy as np

from pokerlab.cards.holes import HOLES, compatible, hole_number, possible, renamed_holes

HANDS = [{*hole} for hole in HOLES.tolist()]


def test_hands_that_cards_leave_possible():
    board = [0, 17, 51]
    assert possible(board).tolist() == [not hand & {*board} for hand in HANDS]
    assert possible(()).all()


def test_weight_of_hands_that_go_together():
    weights = np.random.default_rng(1).random(1326)
    for number in (0, 700, 1325):
        met = sum(weight for weight, hand in zip(weights, HANDS, strict=True) if not hand & HANDS[number])
        assert abs(compatible(weights)[number] - met) < 1e-9


def test_renamed_suits():
    suits = np.array([[0, 1, 2, 3], [3, 0, 2, 1]])
    numbers = renamed_holes(suits)
    assert np.array_equal(numbers[0], np.arange(1326))
    assert np.array_equal(numbers[1], renamed_holes((3, 0, 2, 1)))
    for number in (0, 5, 600, 1325):
        cards = tuple(card // 4 * 4 + suits[1][card % 4] for card in HOLES[number].tolist())
        assert numbers[1][number] == hole_number(cards)
