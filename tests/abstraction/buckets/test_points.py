"""What clustering sees of a hand, against going through the cards to come one by one."""

from itertools import combinations

import numpy as np
import pytest

from pokerlab.abstraction.buckets import points
from pokerlab.abstraction.buckets.points import Clusters, Points, flop_points, next_hands, places_of, turn_points
from pokerlab.abstraction.spaces import quantiles
from pokerlab.abstraction.transport import Transport
from pokerlab.cards.isomorphism import isomorphism


@pytest.fixture
def random():
    return np.random.default_rng(3)


@pytest.fixture
def strengths(random, monkeypatch):
    """A table of made up strengths on the river; only what is asked for is filled in."""
    table = np.zeros(isomorphism((2, 5)).sizes[-1], np.uint16)
    monkeypatch.setattr(points, "river_strengths", lambda: table)
    return table


def hands(random, street, n):
    """Some indices with their cards."""
    known = isomorphism((2, street + 2))
    indices = random.integers(0, known.sizes[-1], n)
    return indices, known.unindex(indices).tolist()


def rivers_of(cards):
    left = [card for card in range(52) if card not in cards]
    return isomorphism((2, 5)).indices([[*cards, *more] for more in combinations(left, 7 - len(cards))])


@pytest.mark.parametrize("street", [1, 2])
def test_next_hands(random, street):
    indices, cards = hands(random, street, 20)
    later = next_hands(street, indices)
    assert later.shape == (20, (47, 46)[street - 1])
    for row, hand in zip(later, cards, strict=True):
        after = isomorphism((2, street + 3)).indices([[*hand, card] for card in range(52) if card not in hand])
        assert row.tolist() == after.tolist()


def test_turn_points(random, strengths):
    indices, cards = hands(random, 2, 12)
    worth = np.sort(random.random(1981))
    for hand in cards:
        strengths[rivers_of(hand)] = random.integers(0, 1981, 46)
    vectors = turn_points(indices, worth)
    for row, hand in zip(vectors, cards, strict=True):
        assert row.tolist() == quantiles(worth[strengths[rivers_of(hand)]][None])[0].tolist()
    assert np.array_equal(Points(2, worth=worth).of(indices), vectors)
    assert Points(2).of(indices) == pytest.approx(turn_points(indices, np.arange(1981) / 1980))


def test_flop_points(random, strengths):
    """46 evenly spaced quantiles of the strengths on the 1,081 boards to come."""
    indices, cards = hands(random, 1, 5)
    for hand in cards:
        strengths[rivers_of(hand)] = random.integers(0, 1981, 1081)
    vectors = flop_points(indices)
    for row, hand in zip(vectors, cards, strict=True):
        ordered = np.sort(strengths[rivers_of(hand)])
        at = np.floor((np.arange(46) + 0.5) / 46 * 1081).astype(int)
        assert row.tolist() == quantiles(ordered[at][None] / 1980)[0].tolist()
    assert np.array_equal(Points(1).of(indices), vectors)


def test_places_are_means(random):
    labels, weights = random.integers(0, 4, 200), random.random(200) + 0.5
    vectors = random.random((200, 6))
    places = places_of(labels, 5, vectors, weights)
    for cluster in range(4):
        mine = labels == cluster
        assert places[cluster] == pytest.approx(np.average(vectors[mine], axis=0, weights=weights[mine]), abs=1e-6)
    assert places[4].tolist() == [0] * 6


def test_looking_ahead_from_the_flop(random):
    """A flop hand is the row of the turn clusters that its 47 cards lead to, and those lie apart as their places do."""
    labels = np.resize(random.integers(0, 9, 9973), isomorphism((2, 4)).sizes[-1])
    ahead = Clusters(labels, np.sort(random.random((9, 46)), axis=1).astype(np.float32))
    flops = Points(1, ahead=ahead)
    indices, cards = hands(random, 1, 6)
    for row, hand in zip(flops.of(indices), cards, strict=True):
        after = isomorphism((2, 4)).indices([[*hand, card] for card in range(52) if card not in hand])
        assert row.tolist() == labels[after].tolist()
    ground = ahead.ground()
    assert ground[2, 5] == pytest.approx(np.abs(ahead.places[2] - ahead.places[5]).mean(), abs=1e-6)
    assert isinstance(flops.space, Transport)
    assert flops.sample(10) < Points(1).sample(10)
    assert flops.sample(5000) == Points(1).sample(5000) == 500_000


def test_looking_ahead_from_before_the_flop(random):
    """Where flops lead to two clusters only, the row of a hand has both by their odds."""
    known = isomorphism((2, 3))
    pairs = known.unindex(np.arange(known.sizes[1])) // 4
    labels = (np.sort(pairs[:, 2:], axis=1)[:, 1:] == np.sort(pairs[:, 2:], axis=1)[:, :-1]).any(axis=1).astype(int)
    ahead = Clusters(labels, np.array([[0.2, 0.4], [0.5, 0.9]], np.float32))
    rows = Points(0, ahead=ahead).of(np.arange(169))
    assert rows.shape == (169, points.ATOMS)
    ranks = isomorphism((2,)).unindex(np.arange(169)) // 4
    for row, (a, b) in zip(rows, ranks.tolist(), strict=True):
        share = (
            sum(
                (4 - (a == r) - (b == r)) * (3 - (a == r) - (b == r)) / 2 * (50 - (4 - (a == r) - (b == r)))
                + (4 - (a == r) - (b == r)) * (3 - (a == r) - (b == r)) * (2 - (a == r) - (b == r)) / 6
                for r in range(13)
            )
            / 19_600
        )
        assert abs((row == 1).mean() - share) <= 0.5 / points.ATOMS + 1e-9
