"""Features of many hands at once agree with those of one, and with the metrics of cards/."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerlab.cards.holes import HOLES, class_name, possible
from pokerlab.cards.strength import expected_square, expected_strength
from pokerlab.cards.texture import category, texture
from pokerlab.cases.features import Cells, Features, small_states
from pokerlab.errors import AgentError
from pokerlab.game.catalog import rules_of

LIMIT, NO_LIMIT, LEDUC = map(rules_of, ("holdem-limit", "holdem-nolimit", "leduc"))


def dealt(round, count, seed=0):
    rng = np.random.default_rng(seed)
    cards = rng.random((count, 52)).argsort(axis=1)[:, : 2 + (0, 3, 4, 5)[round]]
    return cards.astype(np.uint8)


@pytest.mark.parametrize("round", [1, 2, 3])
@pytest.mark.parametrize("strength", ["square", "mean", "category"])
def test_cells_are_strength_and_texture(round, strength):
    cells = Cells(LIMIT, Features(strength, 20), round)
    cards = dealt(round, 12, round)
    many = cells.of_many(cards, np.zeros(12, np.int64), np.ones(12, np.int64))
    for row, cell in zip(cards.tolist(), many.tolist(), strict=True):
        hole, board = tuple(row[:2]), tuple(row[2:])
        if strength == "category":
            hand = category(hole, board)
        else:
            value = (expected_square if strength == "square" else expected_strength)(hole, board)
            hand = min(int(value * 20 + 1e-9), 19)
        assert cells.split(cell) == (hand, texture(board), 0)
        assert cells.of(hole, board, 0, 1) == cell


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 3), st.integers(0, 10_000), st.sampled_from(["square", "mean", "category"]))
def test_all_hands_of_a_board_are_those_one_by_one(round, seed, strength):
    cells = Cells(LIMIT, Features(strength, 50), round)
    board = dealt(round, 1, seed)[0, 2:].tolist()
    holes = np.flatnonzero(possible(board))[:: 97 if strength != "category" else 397]
    cards = np.array([[*HOLES[hole], *board] for hole in holes], np.uint8)
    each = cells.of_many(cards, np.zeros(len(holes), np.int64), np.ones(len(holes), np.int64))
    assert cells.on_board(board, 0, 1)[holes].tolist() == each.tolist()


def test_classes_before_the_flop():
    cells = Cells(LIMIT, Features(), 0)
    deck = LIMIT.deck
    for text, name in (("AsKs", "AKs"), ("KdAs", "AKo"), ("2c2d", "22")):
        assert class_name(cells.of(deck.cards(text), (), 0, 1)) == name
        assert cells.hand_text(cells.of(deck.cards(text), (), 0, 1)) == name


def test_commitment_is_in_equal_classes_closed_above():
    cells = Cells(NO_LIMIT, Features(commitment=4), 0)
    spent = np.array([0, 50, 5000, 5001, 10000, 10001, 15000, 15001, 20000])
    assert cells.commitments(spent, np.full(9, 20000)).tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert cells.shape == (169, 1, 4)
    assert Cells(NO_LIMIT, Features(), 2).shape == (50, 9, 4)
    assert Cells(LIMIT, Features(), 2).shape == (50, 9, 1)


def test_small_games_tell_apart_what_is_held_and_seen():
    assert len(small_states(LEDUC, 0)) == 3
    assert len(small_states(LEDUC, 1)) == 9
    cells = Cells(LEDUC, Features(), 1)
    names = {
        cells.hand_text(cells.of((hole,), (board,), 0, 1)) for hole in range(6) for board in range(6) if hole != board
    }
    assert names == {f"{a}/{b}" for a in "JQK" for b in "JQK"}
    with pytest.raises(AgentError, match="too many"):
        small_states(LIMIT, 3)


def test_features_are_checked():
    with pytest.raises(AgentError, match="no strength 'ehs'"):
        Features("ehs")
    with pytest.raises(AgentError, match="buckets"):
        Features(buckets=0)
    assert Features.from_json(Features("mean", 20).as_json()) == Features("mean", 20)
