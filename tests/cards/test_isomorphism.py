"""Indices up to suits against 24 permutations, against Burnside's lemma, and there and back."""

import pickle
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import naive_isomorphism as naive
from pokerlab.cards import isomorphism_kernels as kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import HOLES, classes
from pokerlab.cards.isomorphism import DEALT, Isomorphism, canonical_boards, hole_indices, isomorphism
from pokerlab.errors import CardError

HOLDEM = isomorphism(DEALT)
OMAHA = (4, 3, 1, 1)
SOME_ROUNDS = [DEALT, (2, 4), (2, 5), (3,), (5,), (3, 1, 1), (5, 2), (1, 1, 1, 1, 1, 1, 1), OMAHA]


def random_deals(n, cards, seed=0):
    order = np.random.default_rng(seed).random((n, 52), dtype=np.float32)
    return np.argsort(order, axis=1)[:, :cards].astype(np.uint8)


def number_of_deals(rounds):
    left, deals = 52, 1
    for n in rounds:
        deals *= comb(left, n)
        left -= n
    return deals


def chunks(size, step=1_000_000):
    return [np.arange(start, min(start + step, size)) for start in range(0, size, step)]


@pytest.mark.parametrize(
    ("rounds", "sizes"),
    [
        (DEALT, (169, 1_286_792, 55_190_538, 2_428_287_420)),
        ((2, 4), (169, 13_960_050)),
        ((2, 5), (169, 123_156_254)),
        ((3,), (1_755,)),
        ((4,), (16_432,)),
        ((5,), (134_459,)),
        ((3, 1), (1_755, 63_193)),
        ((3, 1, 1), (1_755, 63_193, 2_554_656)),
    ],
)
def test_sizes_as_published_and_by_burnside(rounds, sizes):
    assert isomorphism(rounds).sizes == sizes
    assert [naive.size(rounds[: r + 1]) for r in range(len(rounds))] == list(sizes)


@pytest.mark.parametrize("rounds", [OMAHA, (5, 2), (1, 1, 1, 1), (7,), (9,), (2, 2, 2)])
def test_sizes_of_other_rounds_by_burnside(rounds):
    assert isomorphism(rounds).sizes[-1] == naive.size(rounds)


def test_before_the_flop_there_are_the_169_classes():
    indices = HOLDEM.indices(HOLES)
    assert sorted(set(indices.tolist())) == list(range(169))
    assert len(set(zip(indices.tolist(), classes().tolist(), strict=True))) == 169
    every = HOLDEM.unindex(np.arange(169), 0)
    np.testing.assert_array_equal(HOLDEM.indices(every), np.arange(169))
    np.testing.assert_array_equal(HOLDEM.multiplicities(np.arange(169), 0), np.bincount(indices))


def test_all_flops_there_and_back_and_all_different():
    """Every index gives a deal with that index; no two deals are the same up to suits; each counts as it should."""
    every = np.arange(HOLDEM.sizes[1])
    cards = HOLDEM.unindex(every, 1)
    np.testing.assert_array_equal(HOLDEM.indices(cards), every)
    smallest, multiplicities = naive.orbits(cards, DEALT)
    assert len(np.unique(smallest)) == len(every)
    np.testing.assert_array_equal(HOLDEM.multiplicities(every, 1), multiplicities)
    assert multiplicities.sum() == number_of_deals((2, 3))


@pytest.mark.parametrize("rounds", SOME_ROUNDS)
def test_random_deals_against_permutations(rounds):
    """Suits and order do not change an index, and its canonical cards are the deal's own up to suits."""
    known, rng = isomorphism(rounds), np.random.default_rng(1)
    for r in range(len(rounds)):
        deals = random_deals(3_000, sum(rounds[: r + 1]), seed=r)
        indices = known.indices(deals)
        first = 0
        changed = rng.choice(naive.PERMUTATIONS, len(deals))[np.arange(len(deals))[:, None], deals]
        for n in rounds[: r + 1]:
            changed[:, first : first + n] = rng.permuted(changed[:, first : first + n], axis=1)
            first += n
        np.testing.assert_array_equal(known.indices(changed), indices)
        canonical = known.unindex(indices, r)
        np.testing.assert_array_equal(known.indices(canonical), indices)
        if first <= 8:  # 52 ** 9 would not fit
            smallest, multiplicities = naive.orbits(deals, rounds)
            np.testing.assert_array_equal(naive.orbits(canonical, rounds)[0], smallest)
            np.testing.assert_array_equal(known.multiplicities(indices, r), multiplicities)


@given(st.permutations(range(52)), st.permutations(range(4)), st.sampled_from([2, 5, 6, 7]), st.randoms())
def test_suits_and_order_change_nothing(deck, suits, n, random):
    cards = deck[:n]
    streets = [cards[:2], cards[2:5], cards[5:6], cards[6:7]]
    other = [4 * (card // 4) + suits[card % 4] for street in streets for card in random.sample(street, len(street))]
    assert HOLDEM.index(other) == HOLDEM.index(cards)
    assert HOLDEM.canonical(other) == HOLDEM.canonical(cards) == HOLDEM.canonical(HOLDEM.canonical(cards))


def test_canonical_cards_read_well():
    deck = Deck()
    assert deck.text(HOLDEM.canonical(deck.cards("KdAd"))) == "AsKs"
    assert deck.text(HOLDEM.canonical(deck.cards("Kd Ac"))) == "AsKh"
    assert deck.text(HOLDEM.canonical(deck.cards("2c2d 9dAc9c"))) == "2s2hAs9s9h"
    assert HOLDEM.multiplicity(HOLDEM.index(deck.cards("AsKs")), 0) == 4
    assert HOLDEM.multiplicity(HOLDEM.index(deck.cards("AsAh KsKhQd")), 1) == 12


@pytest.mark.parametrize("rounds", [(3,), (4,), (5,), (3, 1), (3, 1, 1)])
def test_canonical_boards(rounds):
    cards, multiplicities = canonical_boards(rounds)
    assert cards.shape == (isomorphism(rounds).sizes[-1], sum(rounds))
    assert multiplicities.sum() == number_of_deals(rounds)
    np.testing.assert_array_equal(isomorphism(rounds).indices(cards), np.arange(len(cards)))
    if len(cards) < 200_000:
        assert len(np.unique(naive.orbits(cards, rounds)[0])) == len(cards)


@pytest.mark.parametrize("rounds", [DEALT, (2, 4), (2, 5), (2, 3, 2), (2, 1, 1, 1, 1, 1), (2, 2, 5)])
def test_holes_of_a_board(rounds):
    known = isomorphism(rounds)
    for n in np.cumsum(rounds) - 2:
        boards = random_deals(40, n, seed=n).tolist() if n else [[]]
        boards += [list(range(n)), [4 * i for i in range(n)], [4 * i + i % 2 for i in range(n)]]
        for board in boards:
            indices = hole_indices(board, rounds)
            live = np.array([not {*hole} & {*board} for hole in HOLES.tolist()])
            deals = np.concatenate([HOLES[live], np.tile(np.array(board, np.uint8), (live.sum(), 1))], axis=1)
            np.testing.assert_array_equal(indices[live], known.indices(deals))
            assert (indices[~live] == -1).all()


def test_indices_by_round():
    deals = random_deals(1_000, 7)
    indices = HOLDEM.indices_by_round(deals)
    for r, n in enumerate((2, 5, 6, 7)):
        np.testing.assert_array_equal(indices[:, r], HOLDEM.indices(deals[:, :n]))
    assert HOLDEM.indices_by_round(deals[:, :6]).shape == (1_000, 3)


@njit
def street_by_street(tables, hole, board, out):
    """What a compiled caller does: hole and board apart, an index a street; and back."""
    state = kernels.deal(tables, kernels.begin(), 0, hole, 0)
    for r in range(1, 4):
        state = kernels.deal(tables, state, r, board, tables.rounds[r, kernels.FIRST] - 2)
        kernels.unindex_into(tables, kernels.index_at(tables, state, r), r, out)
        if kernels.index_of(tables, out, tables.rounds[r + 1, kernels.FIRST]) != kernels.index_at(tables, state, r):
            return -1
    return kernels.index_at(tables, state, 3)


def test_compiled_callers():
    for cards in random_deals(100, 7):
        out = np.zeros(7, np.int64)
        index = street_by_street(HOLDEM.tables, cards[:2].astype(np.int64), cards[2:].astype(np.int64), out)
        assert index == HOLDEM.index(cards)
        assert tuple(out) == HOLDEM.canonical(cards)


@pytest.mark.slow
@pytest.mark.parametrize("round", [2, 3])
def test_ten_million_there_and_back(round):
    rng = np.random.default_rng(round)
    for _ in range(10):
        indices = rng.integers(HOLDEM.sizes[round], size=1_000_000)
        np.testing.assert_array_equal(HOLDEM.indices(HOLDEM.unindex(indices, round)), indices)


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "round"), [(DEALT, 2), ((2, 4), 1)])
def test_multiplicities_add_up_to_all_deals(rounds, round):
    known = isomorphism(rounds)
    total = sum(int(known.multiplicities(indices, round).sum()) for indices in chunks(known.sizes[round]))
    assert total == number_of_deals(rounds[: round + 1])


def test_made_once_and_pickled_small():
    assert isomorphism((2, 5)) is isomorphism((2, 5))
    assert pickle.loads(pickle.dumps(HOLDEM)) is HOLDEM
    assert Isomorphism((2, 5)) == isomorphism((2, 5))


def test_any_integers_and_read_only_arrays():
    deals = random_deals(10, 7)
    expected = HOLDEM.indices(deals).tolist()
    frozen = deals.copy()
    frozen.flags.writeable = False
    for other in (deals.astype(np.int32), deals.tolist(), frozen, np.asfortranarray(deals)):
        assert HOLDEM.indices(other).tolist() == expected
    assert HOLDEM.indices(np.empty((0, 7), np.uint8)).shape == (0,)
    assert HOLDEM.unindex([], 1).shape == (0, 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Isomorphism((2, 0)), "at least a card each"),
        (lambda: Isomorphism(()), "at least a card each"),
        (lambda: Isomorphism((5, 5)), "at most 9 in all"),
        (lambda: HOLDEM.index((1, 2, 3)), "have 2 or 5 or 6 or 7 cards, not 3"),
        (lambda: HOLDEM.index((1, 52)), "cards are 0 to 51, not 52"),
        (lambda: HOLDEM.index((1, -1)), "cards are 0 to 51, not -1"),
        (lambda: HOLDEM.index((51, 51)), "twice in deal 0: 'AsAs'"),
        (lambda: HOLDEM.index("As"), "rows of integers"),
        (lambda: HOLDEM.indices([[1, 2], [3, 3]]), "twice in deal 1: '2s2s'"),
        (lambda: HOLDEM.indices([[1, 2], [3]]), "the same number of cards"),
        (lambda: HOLDEM.indices([1, 2]), "rows of integers"),
        (lambda: HOLDEM.indices([[1.0, 2.0]]), "rows of integers"),
        (lambda: HOLDEM.cards(169, 0), "are 0 to 168, not 169"),
        (lambda: HOLDEM.unindex([0, -1], 1), "round 1 of .* are 0 to 1286791, not -1"),
        (lambda: HOLDEM.cards(0, 4), "are 0 to 3, not 4"),
        (lambda: HOLDEM.multiplicities([0.5], 0), "one row of integers"),
        (lambda: hole_indices((1, 2)), "have 0 or 3 or 4 or 5 cards, not 2"),
        (lambda: hole_indices((1, 2, 2)), "twice"),
        (lambda: hole_indices((1, 2, 99)), "not 99"),
        (lambda: hole_indices((1, 2, 3), (3, 2)), "two hole cards, not 3"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(CardError, match=message):
        call()
