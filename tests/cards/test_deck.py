"""Decks: card numbers, text and its errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerlab.cards.deck import Deck, rank_names, suit_names
from pokerlab.errors import CardError


def test_standard_deck_is_ordered_by_rank_then_suit():
    deck = Deck()
    assert len(deck) == 52
    assert deck.text(range(5)) == "2c2d2h2s3c"
    assert deck.text([51]) == "As"
    assert deck.cards("Th9h") == (8 * 4 + 2, 7 * 4 + 2)
    assert (deck.rank(34), deck.suit(34)) == (8, 2)


def test_reduced_decks_are_the_top_ranks_and_last_suits():
    assert (rank_names(3), suit_names(2)) == ("QKA", "hs")
    assert rank_names(3, "K") == "JQK"
    assert rank_names(13, "K") == "23456789TJQKA"
    assert Deck("JQK", "hs").text(range(6)) == "JhJsQhQsKhKs"


def test_large_decks_have_enough_names():
    assert rank_names(14) == "0123456789abcd"
    assert len(set(rank_names(62))) == 62
    assert len(set(suit_names(26))) == 26
    with pytest.raises(CardError, match="at most 62 ranks, not 63"):
        rank_names(63)
    with pytest.raises(CardError, match="at most 26 suits, not 27"):
        suit_names(27)


@given(st.integers(1, 62), st.integers(1, 26), st.data())
def test_text_round_trip(ranks, suits, data):
    deck = Deck(rank_names(ranks), suit_names(suits))
    cards = tuple(data.draw(st.lists(st.integers(0, len(deck) - 1), unique=True, max_size=9)))
    assert deck.cards(deck.text(cards)) == cards


def test_spaces_between_cards():
    assert Deck().cards("Ah Kd  2c") == Deck().cards("AhKd2c")
    assert Deck().cards("") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ah1d", "no card '1d' in a deck of ranks 23456789TJQKA, suits cdhs"),
        ("AhK", "two characters each"),
        ("hA", "no card 'hA'"),
        ("ah", "no card 'ah'"),
        ("AhKdAh", "named twice in 'AhKdAh'"),
    ],
)
def test_bad_text_is_named(text, message):
    with pytest.raises(CardError, match=message):
        Deck().cards(text)


def test_cards_outside_a_reduced_deck():
    with pytest.raises(CardError, match="no card 'Ah' in a deck of ranks JQK, suits hs"):
        Deck("JQK", "hs").cards("Ah")
