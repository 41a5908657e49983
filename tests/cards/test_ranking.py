"""Hand ranking: examples of each category, and pokerkit as referee."""

import random

import pokerkit
import pytest

from pokerlab.cards.deck import Deck, rank_names
from pokerlab.cards.ranking import strength

DECK = Deck()


def strength_of(text, ranking="poker", deck=DECK):
    pairs = [(deck.rank(card), deck.suit(card)) for card in deck.cards(text)]
    return strength(pairs, ranking, len(deck.ranks))


def assert_ascending(texts, ranking="poker", deck=DECK):
    strengths = [strength_of(text, ranking, deck) for text in texts]
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == len(texts)


def test_five_card_categories_in_order():
    assert_ascending([
        "7h5d4c3s2h", "AhKdQcJs9h",  # high card
        "2h2d5c4s3h", "AhAdKcQsJh",  # pair
        "3h3d2c2s4h", "AhAdKcKsQh",  # two pair
        "2h2d2c4s3h", "AhAdAcKsQh",  # three of a kind
        "Ah2d3c4s5h", "2h3d4c5s6h", "AhKdQcJsTh",  # straight
        "7h5h4h3h2h", "AhKhQhJh9h",  # flush
        "2h2d2c3s3h", "3h3d3c2s2h", "AhAdAcKsKh",  # full house
        "2h2d2c2s3h", "AhAdAcAsKh",  # four of a kind
        "Ah2h3h4h5h", "2h3h4h5h6h", "AhKhQhJhTh",  # straight flush
    ])  # fmt: skip


def test_the_wheel_is_the_lowest_straight_and_nothing_wraps_round():
    assert strength_of("5h4d3c2sAh") == strength_of("5s4s3s2hAd")
    assert strength_of("5h4d3c2sAh") < strength_of("6h5d4c3s2h")
    assert strength_of("Ah2d3c4s6h") < strength_of("2h2d3c4s5h")
    assert strength_of("KhAd2c3s4h") < strength_of("2h2d3c4s5h")


def test_suits_never_break_ties():
    assert strength_of("AhKdQcJs9h") == strength_of("AsKhQdJc9s")
    assert strength_of("AhKhQhJh9h") == strength_of("AsKsQsJs9s")


@pytest.mark.parametrize(
    ("seven", "five"),
    [
        ("AhAdKcKsQhQd2c", "AhAdKcKsQh"),  # three pairs: the third is a kicker at most
        ("AhAdAcKsKhKd2c", "AhAdAcKsKh"),  # two trips: a full house
        ("5h6d7c8s9hTd2c", "6d7c8s9hTd"),  # six in a row
        ("Ah2d3c4s5h5d5c", "Ah2d3c4s5h"),  # straight over trips
        ("2h3h4h5h6dKhQh", "KhQh5h4h3h"),  # flush over straight
        ("AhKhQhJhTh9h8h", "AhKhQhJhTh"),
        ("Ah2h3h4h5h6dKs", "Ah2h3h4h5h"),  # a steel wheel under a higher straight
        ("AhAdAcAsKhKdKc", "AhAdAcAsKh"),
    ],
)
def test_best_five_of_seven(seven, five):
    assert strength_of(seven) == strength_of(five)


def test_six_cards():
    assert strength_of("2c5h6d7c8s9h") == strength_of("5h6d7c8s9h")


def test_short_hands_have_pairs_only():
    deck = Deck("JQK", "hs")
    assert_ascending(["QhJs", "KhJs", "KhQs", "JhJs", "QhQs", "KhKs"], deck=deck)
    assert strength_of("KhQh", deck=deck) == strength_of("KhQs", deck=deck)
    assert_ascending(["AhKhQhJh", "2h2d3c4s", "2h2d3c3s", "2h2d2c3s", "2h2d2c2s"])


def test_a_reduced_deck_has_no_wheel():
    deck = Deck("6789TJQKA", "cdhs")
    assert strength_of("6h7d8c9sAh", deck=deck)[0] == 0
    assert strength_of("6h7d8c9sTh", deck=deck) > strength_of("AhAdAcKsQh", deck=deck)


def test_a_large_deck_has_no_wheel_either():
    deck = Deck(rank_names(14), "cdhs")
    assert strength_of("ch0d1c2s3h", deck=deck)[0] == 0
    assert strength_of("dh0d1c2s3h", deck=deck)[0] == 0


def test_three_card_categories_in_order():
    assert_ascending([
        "5h3d2c", "AhKdJc",  # high card
        "2h2d3c", "AhAdKc",  # pair
        "5h3h2h", "AhKhJh",  # flush
        "Ah2d3c", "2h3d4c", "AhKdQc",  # straight
        "2h2d2c", "AhAdAc",  # three of a kind
        "Ah2h3h", "2h3h4h", "AhKhQh",  # straight flush
    ], "three-card")  # fmt: skip


@pytest.mark.parametrize("count", [5, 7])
def test_pokerkit_orders_random_pairs_alike(count):
    rng = random.Random(count)
    for _ in range(1500):
        # From a few neighbouring ranks and suits, so that ties, straights and flushes are frequent.
        lowest, suits = rng.randrange(13), rng.choice(["hs", "dhs", "cdhs"])
        ranks = (DECK.ranks * 2)[lowest : lowest + rng.choice([8, 13])]
        pool = [rank + suit for rank in ranks for suit in suits]
        mine, theirs = [], []
        for _ in range(2):
            text = "".join(rng.sample(pool, count))
            mine.append(strength_of(text))
            theirs.append(pokerkit.StandardHighHand.from_game(text))
        assert (mine[0] < mine[1], mine[0] == mine[1]) == (theirs[0] < theirs[1], theirs[0] == theirs[1])
