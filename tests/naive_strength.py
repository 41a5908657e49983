"""Hand strength, potential and equity by plain loops over hands and boards, with phevaluator's ranking."""

from itertools import combinations

import numpy as np
from phevaluator import evaluate_cards

AHEAD, TIED, BEHIND = range(3)


def value(cards):
    return -evaluate_cards(*cards)


def others(*gone):
    """All pairs of cards that are not gone."""
    seen = {card for cards in gone for card in cards}
    return [*combinations([card for card in range(52) if card not in seen], 2)]


def boards(board, size, *gone):
    seen = {card for cards in (board, *gone) for card in cards}
    live = [card for card in range(52) if card not in seen]
    return [tuple(board) + cards for cards in combinations(live, size - len(board))]


def state(hole, other, board):
    mine, theirs = value((*hole, *board)), value((*other, *board))
    return AHEAD if mine > theirs else TIED if mine == theirs else BEHIND


def record(hole, board, weight=lambda other: 1.0):
    """Weights ahead, tied and behind."""
    weights = np.zeros(3)
    for other in others(hole, board):
        weights[state(hole, other, board)] += weight(other)
    return weights


def potential(hole, board, size=5, weight=lambda other: 1.0):
    """[3, 3]: now and on boards of `size` cards."""
    weights = np.zeros((3, 3))
    for other in others(hole, board):
        if weight(other):
            now = state(hole, other, board)
            for later in boards(board, size, hole, other):
                weights[now, state(hole, other, later)] += weight(other)
    return weights


def river_strengths(hole, board):
    """The strength on each river board, in order."""
    records = [record(hole, river) for river in boards(board, 5, hole)]
    return np.array([(won + tied / 2) / (won + tied + lost) for won, tied, lost in records])


def range_equity(ours, theirs, board, dead=()):
    """Equity, wins, ties and losses of weighted hands (dicts from hole to weight) against others, by all pairs."""
    weights, total = np.zeros(3), 0.0
    for hole, a in ours.items():
        for other, b in theirs.items():
            if len({*hole, *other, *board, *dead}) == 4 + len(board) + len(dead):
                for river in boards(board, 5, hole, other, dead):
                    weights[state(hole, other, river)] += a * b
                    total += a * b
    won, tied, lost = weights / total
    return won + tied / 2, won, tied, lost
