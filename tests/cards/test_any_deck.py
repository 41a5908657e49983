"""Strengths with any deck, against plain loops over opponents and boards with the plain ranking."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerlab.cards.any_deck import DeckStrengths, among_52, strengths_of
from pokerlab.cards.deck import Deck, rank_names, suit_names
from pokerlab.cards.evaluator import board_values, evaluate, evaluator, sort_board
from pokerlab.cards.holes import HOLES, holes_of
from pokerlab.cards.ranking import strength
from pokerlab.cards.sweep import MOST
from pokerlab.cards.sweep_kernels import fill_strengths
from pokerlab.errors import CardError

ROYAL = Deck(rank_names(5))


def deck_of(ranks, suits):
    return Deck(rank_names(ranks), suit_names(suits))


def naive_sum(deck, last, hole, board):
    """2 * beaten + tied, over all boards to come and all opponents."""
    suits, ranks = len(deck.suits), len(deck.ranks)
    live = [card for card in range(len(deck)) if card not in (*hole, *board)]
    total = 0
    for rest in combinations(live, last - len(board)):
        whole = [divmod(card, suits) for card in (*board, *rest)]
        mine = strength([divmod(card, suits) for card in hole] + whole, "poker", ranks)
        for other in combinations([card for card in live if card not in rest], 2):
            theirs = strength([divmod(card, suits) for card in other] + whole, "poker", ranks)
            total += 2 * (mine > theirs) + (mine == theirs)
    return total


@pytest.mark.parametrize(("ranks", "suits", "last", "size"), [(5, 4, 5, 4), (4, 3, 4, 3), (9, 2, 5, 5), (13, 1, 3, 3)])
def test_sums_on_boards(ranks, suits, last, size):
    deck = deck_of(ranks, suits)
    known, rng = DeckStrengths(deck, last), np.random.default_rng(ranks)
    board = tuple(rng.permutation(len(deck))[:size].tolist())
    sums = known.sums(board)
    holes = holes_of(len(deck), 2)
    assert len(sums) == len(holes)
    for number in rng.permutation(len(holes))[:12]:
        clash = not set(board).isdisjoint(holes[number])
        assert sums[number] == (-1 if clash else naive_sum(deck, last, holes[number], board))
    assert sums.max() <= known.most(size)


@pytest.mark.parametrize(("ranks", "suits", "last"), [(3, 4, 3), (4, 3, 4), (6, 2, 5), (13, 1, 3), (5, 4, 3)])
def test_before_the_board(ranks, suits, last):
    deck = deck_of(ranks, suits)
    known, holes = DeckStrengths(deck, last), holes_of(ranks * suits, 2)
    for number in {0, 1, len(holes) // 2, len(holes) - 1}:
        assert known.before[number] == naive_sum(deck, last, holes[number], ())
    assert known.before.sum() * 2 == known.most(0) * len(holes)  # what one wins another loses


@pytest.mark.parametrize(("ranks", "suits", "size"), [(5, 4, 3), (5, 4, 5), (9, 2, 4), (13, 3, 3), (9, 1, 3)])
def test_boards_up_to_suits_stand_for_all(ranks, suits, size):
    deck = deck_of(ranks, suits)
    boards = DeckStrengths(deck, 5).boards(size)
    assert boards.times.sum() == comb(ranks * suits, size)
    ours = set(among_52(deck).tolist())
    assert all(ours.issuperset(board) for board in boards.cards.tolist())
    assert len({tuple(sorted(board)) for board in boards.cards.tolist()}) == len(boards.cards)


def test_strengths_of_52_cards_are_those_of_holdem():
    known, board = strengths_of(Deck(), 5), (0, 13, 26, 39, 51)
    values, order, strengths = board_values(board), np.empty(1326, np.int16), np.empty(1326, np.int16)
    fill_strengths(values, order, sort_board(values, order, np.empty(1326, np.int16)), HOLES, strengths)
    assert known.sums(board).tolist() == strengths.tolist()
    assert known.most(5) == MOST


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 13), st.integers(1, 4), st.integers(5, 7), st.integers(0, 2**32 - 1))
def test_the_evaluator_ranks_small_decks_as_the_plain_one_does(ranks, suits, size, seed):
    if ranks * suits < size:
        return
    rank, rng = evaluator(ranks, suits, "poker", size), np.random.default_rng(seed)
    hands = [tuple(rng.permutation(ranks * suits)[:size].tolist()) for _ in range(6)]
    plain = [strength([divmod(card, suits) for card in hand], "poker", ranks) for hand in hands]
    fast = [rank(hand) for hand in hands]
    for (a, b), (c, d) in zip(combinations(plain, 2), combinations(fast, 2), strict=True):
        assert (a > b, a == b) == (c > d, c == d)
    if suits == 4:
        among = among_52(deck_of(ranks, suits))
        assert evaluate([among[list(hand)] for hand in hands]).tolist() == fast


def test_bad_boards_and_decks():
    known = strengths_of(ROYAL, 5)
    for board in ((0, 1), (0, 0, 1), (0, 1, 20), (-1, 0, 1), (0, 1, 2, 3, 4, 5)):
        with pytest.raises(CardError):
            known.sums(board)
    with pytest.raises(CardError, match="no part of the 52 cards"):
        among_52(Deck("123456789abcde", "s"))
    with pytest.raises(CardError, match="three to five cards"):
        DeckStrengths(ROYAL, 2)
