"""Deals up to suits the slow way: all 24 permutations of suits, and Burnside's lemma for how many there are."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import factorial

import numpy as np

PERMUTATIONS = [
    np.array([4 * (card // 4) + suits[card % 4] for card in range(52)], np.uint8) for suits in permutations(range(4))
]


def spelled(cards, rounds):
    """Each deal [n, cards] as one number that does not depend on the order of cards within a round."""
    number, first = np.zeros(len(cards), np.int64), 0
    for n in rounds:
        if first < cards.shape[1]:
            for column in np.sort(cards[:, first : first + n], axis=1).T:
                number = number * 52 + column
        first += n
    return number


def orbits(cards, rounds):
    """The smallest number that a permutation of suits gives each deal, and how many different ones they give it."""
    own = spelled(cards, rounds)
    smallest, unchanged = own.copy(), np.zeros(len(cards), np.int64)
    for mapping in PERMUTATIONS:
        other = spelled(mapping[cards], rounds)
        np.minimum(smallest, other, out=smallest)
        unchanged += other == own
    return smallest, 24 // unchanged


def size(rounds):
    """The number of orbits: the mean, over permutations of suits, of the number of deals that it leaves as they are.

    Those give all cards of a rank that it turns into one another to one round, or to none.
    """
    total = Fraction(0)
    for suits in permutations(range(4)):
        cycles = [len(cycle) for cycle in _cycles(suits)]
        a_rank = {}  # cards taken in each round -> ways
        for taken in product(range(-1, len(rounds)), repeat=len(cycles)):
            cards = tuple(sum(n for n, t in zip(cycles, taken, strict=True) if t == r) for r in range(len(rounds)))
            a_rank[cards] = a_rank.get(cards, 0) + 1
        ways = {(0,) * len(rounds): 1}
        for _ in range(13):
            after = {}
            for (cards, n), (more, m) in product(ways.items(), a_rank.items()):
                dealt = tuple(a + b for a, b in zip(cards, more, strict=True))
                if all(a <= b for a, b in zip(dealt, rounds, strict=True)):
                    after[dealt] = after.get(dealt, 0) + n * m
            ways = after
        total += ways.get(tuple(rounds), 0)
    return total / factorial(4)


def _cycles(suits):
    left = set(range(4))
    while left:
        cycle = [min(left)]
        while suits[cycle[-1]] != cycle[0]:
            cycle.append(suits[cycle[-1]])
        left -= set(cycle)
        yield cycle
