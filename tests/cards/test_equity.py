"""Equities against plain enumeration, and against figures that everybody knows."""

from itertools import combinations

import numpy as np
import pytest

from pokerlab.cards import equity_kernels as kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.equity import sampled_equity, showdown_equity
from pokerlab.cards.evaluator import tables
from pokerlab.cards.ranking import strength
from pokerlab.errors import CardError, GameTooLarge

DECK = Deck()
LEDUC = Deck("JQK", "hs")
SHORT = Deck("6789TJQKA", "cdhs")


def naive_equity(holes, board, size, deck=DECK, ranking="poker", dead=()):
    gone = {*board, *dead, *(card for hole in holes for card in hole)}
    total, count = np.zeros(len(holes)), 0
    for cards in combinations([card for card in range(len(deck)) if card not in gone], size - len(board)):
        whole = [[divmod(card, len(deck.suits)) for card in (*hole, *board, *cards)] for hole in holes]
        values = [strength(hand, ranking, len(deck.ranks)) for hand in whole]
        winners = [value == max(values) for value in values]
        total += np.array(winners) / sum(winners)
        count += 1
    return total / count


def hands(*texts, deck=DECK):
    return [deck.cards(text) for text in texts]


def combos(text):
    """All hands of a kind: `AA`, `AKs`, `AKo`."""
    wanted = sorted(DECK.ranks.index(name) for name in text[:2])
    pairs = (pair for pair in combinations(range(52), 2) if [card // 4 for card in pair] == wanted)
    return [pair for pair in pairs if len(text) == 2 or (text[2] == "s") == (pair[0] % 4 == pair[1] % 4)]


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [("AA", "KK", 0.8195), ("AKs", "QQ", 0.4605), ("AKo", "QQ", 0.4324), ("AKo", "22", 0.4735)],
)
def test_known_matchups_before_the_flop(first, second, share):
    """Published to the fourth decimal: the mean over suits, ties half."""
    pairs = [(a, b) for a in combos(first) for b in combos(second) if not {*a} & {*b}]
    shares = np.array([showdown_equity(pair, (), 5) for pair in pairs])
    assert shares[:, 0].mean() == pytest.approx(share, abs=5e-5)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("texts", [("AhKh", "QhJh"), ("7c2d", "9s9h"), ("5d4d", "AcAd"), ("AcKd", "AdQc", "7h7s")])
def test_the_deck_kernel_agrees_with_visiting_every_board(texts):
    holes = np.array(hands(*texts))
    live = np.ones(52, np.int64)
    live[holes.ravel()] = 0
    by_ranks, boards = kernels.deck_shares(tables(), holes, live)
    visited, count = kernels.board_shares(tables(), holes, np.zeros(0, np.int64), np.flatnonzero(live), 5)
    assert boards == count
    np.testing.assert_allclose(by_ranks, visited, rtol=0, atol=1e-6)
    pair = kernels.matchups(tables(), holes[None, :2], holes[2:].ravel())
    share, win, loss = pair[0]
    if len(holes) == 2:
        assert pair[0] == pytest.approx(
            [visited[0, 0] / count, visited[0, 1] / count, visited[1, 1] / count], abs=1e-12
        )
    assert share == pytest.approx((1 + win - loss) / 2, abs=1e-12)


def test_dead_cards_before_the_flop():
    dead = DECK.cards("AhAsKdKcQs")
    holes = hands("AcAd", "KhKs")
    live = np.array([card for card in range(52) if card not in {*dead, *holes[0], *holes[1]}])
    visited, count = kernels.board_shares(tables(), np.array(holes), np.zeros(0, np.int64), live, 5)
    assert showdown_equity(holes, (), 5, dead=dead) == pytest.approx((visited[:, 0] / count).tolist(), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_later_rounds_agree_with_plain_enumeration(seed):
    rng = np.random.default_rng(seed)
    players, shown = 2 + seed % 2, 4 + seed % 2
    cards = rng.permutation(52)[: 2 * players + shown + 1].tolist()
    holes = [tuple(cards[2 * p : 2 * p + 2]) for p in range(players)]
    board, dead = tuple(cards[2 * players : 2 * players + shown]), tuple(cards[-1:])
    shares = showdown_equity(holes, board, 5, dead=dead)
    assert shares == pytest.approx(naive_equity(holes, board, 5, dead=dead).tolist(), abs=1e-12)


def test_the_flop_agrees_with_plain_enumeration():
    holes, board = hands("AhKh", "9c9d"), DECK.cards("Qh9h2s")
    assert showdown_equity(holes, board, 5) == pytest.approx(naive_equity(holes, board, 5).tolist(), abs=1e-12)


def test_small_decks_agree_with_plain_enumeration():
    for first, second in combinations(range(6), 2):
        for board in [(), *((c,) for c in range(6) if c not in (first, second))]:
            shares = showdown_equity([(first,), (second,)], board, 1, deck=LEDUC)
            assert shares == pytest.approx(naive_equity([(first,), (second,)], board, 1, LEDUC).tolist())
    holes, three = [SHORT.cards("Ac"), SHORT.cards("9h")], {"deck": SHORT, "ranking": "three-card"}
    assert showdown_equity(holes, (), 2, **three) == pytest.approx(naive_equity(holes, (), 2, **three).tolist())
    # Without low cards the ace is not below the six, so that the compiled ranking must not be used.
    pair, board = [SHORT.cards("Ac6d"), SHORT.cards("KcQd")], SHORT.cards("7h8s9c")
    assert showdown_equity(pair, board, 5, deck=SHORT) == pytest.approx(naive_equity(pair, board, 5, SHORT).tolist())


def test_ties_are_halves():
    assert showdown_equity(hands("AcKd", "AdKc"), DECK.cards("AhKh7s2s2c"), 5) == (0.5, 0.5)
    assert showdown_equity([(0,), (1,)], (4,), 1, deck=LEDUC) == (0.5, 0.5)


def test_sampled_equity_is_within_its_error():
    holes = hands("AhKh", "9c9d")
    exact = showdown_equity(holes, (), 5)
    shares, errors = sampled_equity(holes, (), 5, 2000, np.random.default_rng(3))
    assert 0.005 < errors[0] < 0.02
    assert abs(shares[0] - exact[0]) < 4 * errors[0]


@pytest.mark.parametrize(
    ("holes", "board", "size", "message"),
    [
        (["AcAd", "AcKh"], "", 5, "twice"),
        (["AcAd", "KcKh"], "AdKd2c", 5, "twice"),
        (["AcAd", ""], "", 5, "known"),
        (["AcAd", "KcKhQs"], "", 5, "sizes"),
        (["AcAd", "KcKh"], "2c3c4c", 2, "cannot become"),
    ],
)
def test_impossible_cards_are_refused(holes, board, size, message):
    with pytest.raises(CardError, match=message):
        showdown_equity([DECK.cards(text) for text in holes], DECK.cards(board), size)


def test_enumerations_that_would_not_end_are_refused():
    large = Deck("23456789TJQKAXYZ", "cdhs")
    with pytest.raises(GameTooLarge, match="sampled_equity"):
        showdown_equity([(0, 5), (1, 9)], (), 5, deck=large)
