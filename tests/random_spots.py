"""Small spots with random boards, hands, weights and sizes."""

from __future__ import annotations

import numpy as np

from pokerlab.cards.holes import COUNT, HOLES
from pokerlab.cards.ranges import Range
from pokerlab.refine.spots.spot import Spot
from pokerlab.refine.spots.tree import Sizes


def sizes(bet, raise_):
    return {(street, player): Sizes.parse(bet, raise_) for street in range(3) for player in range(2)}


def some_hands(rng, board, count, cards=52):
    """A range of so many hands; few cards make many hands share one."""
    deck = [card for card in rng.permutation(52) if card not in board][:cards]
    free = np.flatnonzero(np.isin(HOLES, deck).all(axis=1))
    weights = np.zeros(COUNT)
    weights[rng.choice(free, min(count, len(free)), replace=False)] = 1
    return Range(weights * rng.uniform(0.1, 1, COUNT))


def random_spot(rng, street, hands, *, bet="50%, all-in", raise_="60%, all-in", cards=52, pot=100, stack=300, **more):
    board = tuple(int(card) for card in rng.permutation(52)[: street + 3])
    ranges = some_hands(rng, board, hands[0], cards), some_hands(rng, board, hands[1], cards)
    return Spot(board, pot, (stack, stack), ranges, sizes(bet, raise_), **more)


def spot_of(board, ranges, *, bet="50%, all-in", raise_="60%, all-in", pot=100, stack=300, **more):
    """A spot from text."""
    from pokerlab.cards.deck import Deck

    both = Range.parse(ranges[0]), Range.parse(ranges[1])
    return Spot(Deck().cards(board), pot, (stack, stack), both, sizes(bet, raise_), **more)
