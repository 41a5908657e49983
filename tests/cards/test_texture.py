"""Board textures against their definition in words, and hand categories by example and by what may not matter."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import category as value_category
from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import HOLES
from pokerlab.cards.ranking import FLUSH, STRAIGHT, STRAIGHT_FLUSH, strength
from pokerlab.cards.texture import CATEGORIES, MADE, SIMILARITY, Texture, categories, category, texture
from pokerlab.errors import CardError

DECK = Deck()


@pytest.mark.parametrize(
    ("board", "key"),
    [
        ("Kh 7s 2d", "A"),
        ("Kh Kd 7s 7d 2c", "A"),
        ("Kh 8h 2h", "B"),
        ("Ks 9h 8h 2h 3c", "B"),
        ("9h 8s 5d", "C"),
        ("Ah 2s 3d", "C"),
        ("Ah Ks Td", "C"),
        ("9h 8h 5h", "D"),
        ("9h 8s 7d 6c", "E"),
        ("Ah 2s 3d 5c Kc", "E"),
        ("Ah Ks Qd Jc Tc", "E"),
        ("9h 8h 7h 6c", "F"),
        ("Kh 8h 2h 4h", "G"),
        ("Kh 8h 2h 4h 3c", "H"),
        ("Kh 9h 2h 8h 7h", "H"),
        ("9h 8h 7h 6h", "I"),
        ("9h 8h 7h 6c 2h", "I"),
    ],
)
def test_textures(board, key):
    assert texture(board).key == key
    assert texture(DECK.cards(board)) == texture(board)


def naive_texture(board):
    """From its words: does some hand with two (one) hole cards of an opponent make a flush or a straight?"""
    texture = []
    for wanted in (FLUSH, STRAIGHT):
        needed = 3
        for five in (c for size in (3, 4, 5) if size <= len(board) for c in combinations(board, size)):
            for rest in _completions(five, wanted):
                if rest <= needed:
                    needed = rest
        texture.append({0: 2, 1: 2, 2: 1}.get(needed, 0))
    return texture


def _completions(cards, wanted):
    """How many cards must be added to these to make a flush, or a straight; in any suits."""
    ranks = {card // 4 for card in cards}
    if len(ranks) == len(cards):
        if wanted == FLUSH and len({card % 4 for card in cards}) == 1:
            yield 5 - len(cards)
        if wanted == STRAIGHT:
            for others in combinations([rank for rank in range(13) if rank not in ranks], 5 - len(cards)):
                suited = [(rank, i % 4) for i, rank in enumerate([*ranks, *others])]
                if strength(suited)[0] in (STRAIGHT, STRAIGHT_FLUSH):
                    yield 5 - len(cards)
                    return


@pytest.mark.parametrize("seed", range(40))
def test_textures_are_what_their_words_say(seed):
    rng = np.random.default_rng(seed)
    board = rng.permutation(52 if seed % 2 else 20)[: rng.integers(3, 6)].tolist()
    flush, straight = naive_texture(board)
    words = texture(board).label.lower()
    assert ("flush highly possible" in words, "flush possible" in words) == (flush == 2, flush == 1)
    assert ("straight highly possible" in words, "straight possible" in words) == (straight == 2, straight == 1)


def test_the_nine_classes_and_their_similarity():
    assert [each.key for each in Texture] == [*"ABCDEFGHI"]
    assert Texture.NO_SALIENT.label == "No salient"
    assert Texture(8).label == "Flush highly possible, straight highly possible"
    assert SIMILARITY.shape == (9, 9)
    assert (SIMILARITY == SIMILARITY.T).all()
    assert (np.diag(SIMILARITY) == 1).all()
    assert SIMILARITY[Texture.FLUSH_POSSIBLE, Texture.STRAIGHT_POSSIBLE] == 0.8
    assert SIMILARITY[5, 8] == 0.5
    assert SIMILARITY[0, 1:].sum() == 0
    assert SIMILARITY.sum() == pytest.approx(9 + 2 * (0.8 + 0.7 + 0.7 + 0.8 + 0.7 + 0.6 + 0.7 + 0.5 + 0.8 + 0.8 + 0.8))


@pytest.mark.parametrize(
    ("hole", "board", "name"),
    [
        ("AcKd", "Qh 7s 2d", "two overcards"),
        ("Ac9d", "Qh 7s 2d", "one overcard"),
        ("Jc9d", "Qh 7s 2d", "no pair"),
        ("AcKd", "QhQs 7d", "two overcards"),
        ("AcKd", "7h 7s 7d 7c 2c", "two overcards"),
        ("5c5d", "Qh 7s 6d", "underpair"),
        ("5c5d", "Qh 7s 2d", "low pair"),
        ("9c9d", "Qh 7s 2d", "second pair"),
        ("Ac7d", "Qh 7s 2d", "second pair"),
        ("Ac2c", "Qh 7s 2d", "low pair"),
        ("Qc3c", "Qh 7s 2d", "top pair, weak kicker"),
        ("QcJd", "Qh 7s 2d", "top pair, good kicker"),
        ("AcQd", "Qh 7s 2d", "top pair, top kicker"),
        ("KcAd", "Ah 7s 2d", "top pair, top kicker"),
        ("KcKd", "Qh 7s 2d", "overpair"),
        ("7c2c", "Qh 7s 2d", "two pair"),
        ("Qc7d", "Qh 7s 2d", "top two pair"),
        ("9c7d", "Ks Kh 9s 7c 2d", "second pair"),
        ("2c2d", "Ks Kh 7s 7d Qc", "plays the board"),
        ("2c2d", "Ks Kh 7s 7d", "no pair"),
        ("7c3d", "Qh 7s 7d", "trips, weak kicker"),
        ("7cAd", "Qh 7s 7d", "trips, good kicker"),
        ("2c2h", "Qh 7s 2d", "lower set"),
        ("QcQd", "Qh 7s 2d", "top set"),
        ("5c3d", "7h 6s 4d", "straight"),
        ("8c5d", "7h 6s 4d", "nut straight"),
        ("9c8d", "7h 6s 5d", "nut straight"),
        ("8c3h", "7h 6s 5d 4c", "straight"),
        ("5c4d", "Ah 3s 2d", "nut straight"),
        ("9h8h", "7h 6h 2c 5d", "nut straight + flush draw"),
        ("5h4h", "Kh 9h 2h", "small flush"),
        ("QhJh", "Kh 9h 2h", "good flush"),
        ("Ah3h", "Kh 9h 2h", "nut flush"),
        ("AcAd", "7h 7s 7d", "full house with trips of the board"),
        ("7cQd", "Qh 7s 7d", "full house"),
        ("7c7d", "Qh 7s 7h", "quads"),
        ("9h8h", "7h 6h 5h", "straight flush"),
        ("AcKd", "Th 9h 8h 7h 6h", "plays the board"),
        ("JhKd", "Th 9h 8h 7h 6h", "straight flush"),
        ("Jc2d", "Th 9c 8h 7h 6s", "straight"),
        ("AhKh", "Qh 7h 2c", "two overcards + nut flush draw"),
        ("Th9h", "Qh 7h 2c", "no pair + flush draw"),
        ("AhQc", "Kh 7h 2h", "one overcard + nut flush draw"),
        ("AhKh", "Qh 7s 2c", "two overcards + backdoor flush draw"),
        ("AhKh", "Qh 7s 2c 3c", "two overcards"),
        ("JcTd", "9h 8s 2c", "two overcards + open-ended"),
        ("JcTd", "9h 7s 2c", "two overcards + gutshot"),
        ("Jc9d", "Kh Ts 7c", "no pair + open-ended"),
        ("JcTd", "Ah Ks 2c", "no pair + gutshot"),
        ("9c7d", "Jh Ts 5c 6d", "no pair + gutshot"),
        ("8h7h", "8c 6h 5h", "top pair, weak kicker + flush draw + open-ended"),
        ("AcKd", "9h 8s 7c 6d", "two overcards"),
        ("8h7h", "8c 6h 5h 2d 2c", "top pair, weak kicker"),
    ],
)
def test_categories_by_example(hole, board, name):
    assert CATEGORIES[category(hole, board)] == name
    assert CATEGORIES[category(DECK.cards(hole)[::-1], DECK.cards(board)[::-1])] == name


EXAMPLES = (Path(__file__).parent / "hand_categories.txt").read_text().splitlines()


def test_each_category_has_an_example():
    """Numbers do not change from one version to the next, and none is there that no hand has."""
    assert len(EXAMPLES) == len(CATEGORIES) == 151
    for line, example in enumerate(EXAMPLES):
        number, hole, board, name = example.split(maxsplit=3)
        assert (int(number), name) == (line, CATEGORIES[line])
        assert category(hole, board) == line, example


def test_numbering():
    assert len(set(CATEGORIES)) == len(CATEGORIES)
    assert CATEGORIES[0] == "plays the board"
    assert CATEGORIES[-1] == "straight flush"
    assert {name.split(" + ")[0] for name in CATEGORIES} == {*MADE}


@settings(max_examples=200, deadline=None)
@given(cards=st.permutations(range(52)), suits=st.permutations(range(4)), shown=st.integers(3, 5), data=st.data())
def test_suits_and_order_do_not_matter(cards, suits, shown, data):
    hole, board = cards[:2], cards[2 : 2 + shown]
    order = data.draw(st.permutations(range(shown)))
    other = [card // 4 * 4 + suits[card % 4] for card in (*hole[::-1], *(board[i] for i in order))]
    assert category(other[:2], other[2:]) == category(hole, board)
    assert texture(other[2:]) == texture(board)


@pytest.mark.parametrize("shown", [3, 4, 5])
def test_categories_of_a_board_agree_with_the_evaluator(shown):
    """What is a flush, a straight or three alike by its name is so by its value, unless the board has it already."""
    rng = np.random.default_rng(shown)
    for _ in range(12):
        board = rng.permutation(52 if rng.random() < 0.5 else 26)[:shown]
        numbers = categories(board)
        left = ~np.isin(HOLES, board).any(axis=1)
        assert ((numbers >= 0) == left).all()
        hands = np.concatenate([HOLES[left], np.tile(board, (left.sum(), 1))], axis=1)
        for number, value in zip(numbers[left].tolist(), evaluate(hands).tolist(), strict=True):
            made, kind = CATEGORIES[number].split(" + ")[0], value_category(value)
            for word in ("straight flush", "quads", "full house", "flush", "straight", "set", "trips,"):
                if made.endswith(word) or made.startswith(word):
                    names = {"quads": "four of a kind", "set": "three of a kind", "trips,": "three of a kind"}
                    assert kind == names.get(word, word)
                    break
            else:
                assert shown == 5 or kind in ("high card", "pair", "two pair", "three of a kind", "four of a kind")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: texture("Kh 7s"), "three to five"),
        (lambda: texture("Kh 7s Kh"), "twice"),
        (lambda: texture((0, 1, 52)), "three to five"),
        (lambda: texture((0, 1, 1)), "three to five"),
        (lambda: category("AcAd", ""), "three to five"),
        (lambda: category("AcAdAh", "Kh 7s 2d"), "two cards"),
        (lambda: category("AcKh", "Kh 7s 2d"), "not on the board"),
        (lambda: categories("Kh 7s 2d 3c 4c 5c"), "three to five"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(CardError, match=message):
        call()
