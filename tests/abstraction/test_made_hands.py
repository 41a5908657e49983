"""Made hands as a card abstraction: hands on boards and dealt hands agree, and buckets are about equal."""

import numpy as np
import pytest

from pokerlab.abstraction.made_hands import SIZES, MadeHands
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.errors import AbstractionError


@pytest.mark.parametrize("players", [2, 3])
def test_boards_and_deals_agree(players):
    cards = MadeHands(12)
    deals = np.random.default_rng(0).random((40, 52)).argsort(axis=1)[:, : 2 * players + 5].astype(np.uint8)
    dealt = cards.deal_buckets(deals, players)
    assert dealt.shape == (40, players, 4)
    for deal, row in zip(deals.tolist(), dealt, strict=True):
        for street, size in enumerate(SIZES):
            buckets = cards.board_buckets(deal[2 * players : 2 * players + size])
            for player in range(players):
                assert row[player, street] == buckets[hole_number(tuple(deal[2 * player : 2 * player + 2]))]


def test_buckets_are_about_equally_often_dealt():
    cards = MadeHands(10)
    deals = np.random.default_rng(1).random((20_000, 52)).argsort(axis=1)[:, :9].astype(np.uint8)
    for street in (1, 2, 3):
        shares = np.bincount(cards.deal_buckets(deals)[:, :, street].ravel(), minlength=10) / 40_000
        assert len(shares) == 10
        assert shares.max() < 0.2


def test_better_hands_are_in_higher_buckets():
    cards, board = MadeHands(20), (0, 5, 30, 40, 51)
    buckets = cards.board_buckets(board)
    clash = np.isin(HOLES, board).any(axis=1)
    assert (buckets[clash] == -1).all()
    assert (buckets[~clash] >= 0).all()
    aces, nothing = hole_number((50, 49)), hole_number((16, 20))
    assert buckets[aces] > buckets[nothing]


def test_bad_counts_are_refused():
    with pytest.raises(AbstractionError, match="2 to 1,000"):
        MadeHands(1)
