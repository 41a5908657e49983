"""How often a player folds, calls and raises, by round and by whether it faces a bet: the model behind simulations.

A player with frequencies (f, c, r) is taken to fold the worst f of the hands that it may hold, to raise the best r,
and to call with the rest, but for edges that are blurred and some play that does not look at cards. This tells both
what a hand will do (`predicted`) and, turned round, which hands have done what was seen: a weight table over all hole
cards, re-weighted after every action, as in Loki (Billings et al. 1999; Rubin 2013, section 2.2).
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pokerlab.cards.evaluator import fill_board, sort_board, tables
from pokerlab.cards.holes import COUNT, HOLES, classes, possible
from pokerlab.cards.preflop import preflop_tables
from pokerlab.cards.sweep_kernels import fill_strengths
from pokerlab.compiled import njit
from pokerlab.field.player import CALLS, FOLDS, Deed, boards_of, deeds
from pokerlab.game.hand import View

EDGE = 0.1  # how blurred the borders are, in parts of all hands
NOISE = 0.1  # of what others do looks at no cards, so that no hand is ever ruled out
RUNOUTS = 100  # sampled on the flop; on the turn all 48 rivers are taken
SEEN = 5.0  # observations that the prior is worth, for each round and whether a bet is faced
PRIOR = np.array([[[0.0, 0.6, 0.4], [0.25, 0.5, 0.25]]] * 4)  # [rounds, faced, kinds]


class Habits:
    """Counts of what a player did, and what is expected of one of whom little is known."""

    def __init__(self) -> None:
        self.counts = SEEN * PRIOR

    def add(self, deed: Deed) -> None:
        """One more action."""
        self.counts[deed.before.round, int(deed.faced), deed.kind] += 1

    @property
    def frequencies(self) -> np.ndarray:
        """[rounds, faced, kinds]"""
        return self.counts / self.counts.sum(axis=2, keepdims=True)


@lru_cache(maxsize=512)
def ordering(board: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The hands that a board leaves, worst first, and the strength of all 1,326.

    Strength is E[HS], the mean strength on the river: exact before the flop, on the turn and on the river, and over
    some run-outs on the flop.
    """
    if not board:
        values = preflop_tables()[0][classes()]
        return np.argsort(values, kind="stable"), values
    live = np.array([card for card in range(52) if card not in board], np.uint8)
    if len(board) == 3:
        rng = np.random.default_rng(sorted(board))
        come = live[rng.random((RUNOUTS, len(live))).argpartition(2, axis=1)[:, :2]]
    else:
        come = live[:, None] if len(board) == 4 else np.empty((1, 0), np.uint8)
    boards = np.concatenate([np.tile(np.array(board, np.uint8), (len(come), 1)), come], axis=1)
    values = mean_strengths(tables(), boards, HOLES)
    left = np.flatnonzero(possible(board))
    return left[np.argsort(values[left], kind="stable")], values


@njit(cache=True, nogil=True)
def mean_strengths(tables, boards, holes):
    """[1326] the mean strength of each hand over the river boards that leave it, 0 to 1; 0 where none does."""
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.uint16), np.empty(1326, np.uint16)
    strengths, sums, seen = np.empty(1326, np.int16), np.zeros(1326), np.zeros(1326)
    for i in range(len(boards)):
        fill_board(tables, boards[i], values)
        n = sort_board(values, order, spare)
        fill_strengths(values, order, n, holes, strengths)
        for hand in order[:n]:
            sums[hand] += strengths[hand]
            seen[hand] += 1
    return sums / 1980 / np.maximum(seen, 1)


@njit(cache=True, nogil=True)
def fill_ranks(order, values, weights, ranks):
    """The part of the weight that lies below each hand of `order` (ascending by value), ties half; 0 to 1."""
    total = 0.0
    for hand in order:
        total += weights[hand]
    scale = 1.0 / total if total > 0 else 0.0
    n, start, below = len(order), 0, 0.0
    while start < n:
        value, end, tied = values[order[start]], start, 0.0
        while end < n and values[order[end]] == value:
            tied += weights[order[end]]
            end += 1
        for i in range(start, end):
            ranks[order[i]] = (below + tied / 2) * scale
        below += tied
        start = end


@njit(cache=True, nogil=True)
def predicted(rank, row, faced, noise):
    """Fold, call, raise with a hand of this rank (0 to 1) by someone with the frequencies `row`.

    `noise` is the part of its play that does not look at cards.
    """
    folds = min(max((row[0] * (1 + EDGE) - EDGE / 2 - rank) / EDGE + 0.5, 0.0), 1.0) if faced else 0.0
    raises = min(max((rank - 1 + row[2] * (1 + EDGE) - EDGE / 2) / EDGE + 0.5, 0.0), 1.0)
    f = (1 - noise) * folds + noise * (row[0] if faced else 0.0)
    r = (1 - noise) * raises + noise * row[2]
    return f, 1 - f - r, r


@njit(cache=True, nogil=True)
def reweigh(order, values, weights, row, kind, faced):
    """Multiply each hand's weight by how likely someone with these frequencies does this with it; the largest is 1."""
    ranks, most = np.empty(1326), 0.0
    fill_ranks(order, values, weights, ranks)
    for hand in order:
        f, c, r = predicted(ranks[hand], row, faced, NOISE)
        weights[hand] *= f if kind == FOLDS else c if kind == CALLS else r
        most = max(most, weights[hand])
    for hand in order:
        weights[hand] /= most if most > 0 else 1.0


def weight_table(view: View, seat: int, frequencies: np.ndarray) -> np.ndarray:
    """[1326] how likely a seat holds each hand after what it has done; none of the cards that the view knows."""
    weights = possible((*view.hole, *view.board)).astype(float)
    boards = boards_of(view)
    for deed in deeds(view):
        if deed.seat == seat:
            round = deed.before.round
            order, values = ordering(boards[round])
            reweigh(order, values, weights, frequencies[round, int(deed.faced)], deed.kind, deed.faced)
    return weights


def ranks_now(view: View, weights: np.ndarray) -> np.ndarray:
    """[1326] the rank of each hand among weighted ones on the view's board."""
    ranks = np.zeros(COUNT)
    fill_ranks(*ordering(view.board), weights, ranks)
    return ranks
