"""Buckets the slow way: hands one at a time, strengths by looking at every opponent; and abstractions made up."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pokerlab.abstraction.buckets.kernels import BEYOND, Lookup
from pokerlab.abstraction.buckets.lookup import DEALS, CardAbstraction
from pokerlab.abstraction.buckets.spec import parse_spec
from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.cards.isomorphism import isomorphism


def strength(hole, board):
    """2 * hands beaten + hands tied on the river."""
    left = [card for card in range(52) if card not in (*hole, *board)]
    mine = evaluate([[*hole, *board]])[0]
    theirs = evaluate([[*other, *board] for other in combinations(left, 2)])
    return int(2 * (mine > theirs).sum() + (mine == theirs).sum())


def key(cards, hole, board, strength_of=strength):
    """What the river's cuts compare: strength, then the rank of the hole, then the height of the board."""
    rank = int(cards.lookup.ranks[hole_number(tuple(hole))])
    return (strength_of(hole, board) * 169 + rank) * 64 + sum(card // 4 for card in board)


def bucket(cards, hole, board, strength_of=strength):
    """The bucket of one hand, from the tables and the cuts as they are described."""
    hole, board = [int(card) for card in hole], [int(card) for card in board]
    if len(board) < 5:
        turn = (2, 3, 1) if cards.perfect_recall else (2, 4)
        rounds = {0: (2,), 3: (2, 3), 4: turn}[len(board)]
        table = {0: cards.lookup.preflop, 3: cards.lookup.flop, 4: cards.lookup.turn}[len(board)]
        return int(table[isomorphism(rounds).index([*hole, *board])])
    parent = bucket(cards, hole, board[:4]) if cards.perfect_recall else 0
    mine = key(cards, hole, board, strength_of)
    return int(cards.lookup.first[parent]) + sum(int(cut) <= mine for cut in cards.lookup.cuts[parent])


def made_up(perfect_recall, seed=0):
    """Buckets of no sense, but the right shapes: 4, 6, 12 and 12 * 3 with recall, 4, 7, 9 and 5 without."""
    random = np.random.default_rng(seed)
    counts = (4, 6, 12, 36) if perfect_recall else (4, 7, 9, 5)
    sizes = (169, 1_286_792, 55_190_538 if perfect_recall else 13_960_050)
    tables = [
        np.resize(random.integers(0, count, 9973).astype(np.uint32), size)
        for count, size in zip(counts[:3], sizes, strict=True)
    ]
    rows, children = (12, 3) if perfect_recall else (1, 5)
    cuts = np.sort(random.integers(0, BEYOND, (rows, children - 1)), axis=1).astype(np.int32)
    hands = isomorphism((2,))
    ranks = random.permutation(169)[hands.indices(HOLES)].astype(np.int16)
    parents = ()
    if perfect_recall:
        parents = (
            np.array([0, 0, 1, 2, 2, 3], np.int32),
            np.repeat(np.arange(6, dtype=np.int32), 2),
            np.repeat(np.arange(12, dtype=np.int32), 3),
        )
    text = "/".join(f"percentile:{n}" for n in (counts if not perfect_recall else (4, "1+2+2+1", 2, 3)))
    first = np.arange(rows, dtype=np.int32) * (3 if perfect_recall else 0)
    return CardAbstraction(
        spec=parse_spec(text, perfect_recall=perfect_recall),
        counts=counts,
        lookup=Lookup(np.array([perfect_recall]), *tables, first, cuts, ranks),
        parents=parents,
        deals=tuple(shared(total, n, random) for total, n in zip(DEALS[perfect_recall], counts, strict=True)),
        stages={"turn": 1.5, "river": 2.0},
    )


def shared(total, parts, random):
    """A total in so many parts."""
    cuts = np.sort(random.integers(0, total, parts - 1))
    return np.diff(np.concatenate([[0], cuts, [total]]))


def random_deal(random, size=7):
    return random.permutation(52)[:size].tolist()


def turned(random, cards):
    """The same cards with suits renamed."""
    suits = random.permutation(4)
    return [int(card - card % 4 + suits[card % 4]) for card in cards]
