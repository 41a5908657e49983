"""The compiled evaluator orders hands exactly as the plain ranking does."""

import numpy as np
import pytest

from pokerlab.cards.evaluator import evaluator, value_of
from pokerlab.cards.ranking import strength


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("suits", [1, 2, 4])
def test_same_order_as_the_plain_ranking(size, suits):
    """Few suits make flushes and straight flushes common; few ranks make quads and full houses common."""
    rng = np.random.default_rng(size * 10 + suits)
    hands = [tuple(rng.permutation(13 * suits)[:size].tolist()) for _ in range(1500)]
    if suits == 4:
        hands += [tuple(rng.permutation(20)[:size].tolist()) for _ in range(1500)]
    plain = [strength([divmod(card, suits) for card in cards]) for cards in hands]
    fast = [value_of(cards, suits) for cards in hands]
    order = {value: rank for rank, value in enumerate(sorted(set(plain)))}
    number = {value: rank for rank, value in enumerate(sorted(set(fast)))}
    assert [order[value] for value in plain] == [number[value] for value in fast]


def test_other_decks_use_the_plain_ranking():
    leduc = evaluator(3, 2, "poker", 2)
    assert leduc((0, 1)) > leduc((5, 2))
    rhode = evaluator(13, 4, "three-card", 3)
    assert rhode((0, 4, 8)) > rhode((0, 1, 2)) > rhode((0, 5, 8))
