"""Compiled loops behind `strength`: sums of river strengths over boards, and who overtakes whom on the way there."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.cards.sweep_kernels import fill_strengths
from pokerlab.compiled import njit

HANDS = 1326


@njit(cache=True, nogil=True)
def river_sums(tables, boards, counts, cards, bin_of, bins):
    """Sums a hand over river boards: of strengths out of 1,980, of their squares, and [1326, bins] how many a bin."""
    values, order, spare = np.empty(HANDS, np.int16), np.empty(HANDS, np.uint16), np.empty(HANDS, np.uint16)
    strengths = np.empty(HANDS, np.int16)
    sums, squares, histogram = np.zeros(HANDS), np.zeros(HANDS), np.zeros((HANDS, bins))
    for i in range(len(boards)):
        fill_board(tables, boards[i], values)
        n = sort_board(values, order, spare)
        fill_strengths(values, order, n, cards, strengths)
        for hand in order[:n]:
            strength = float(strengths[hand])
            sums[hand] += counts[i] * strength
            squares[hand] += counts[i] * strength * strength
            if bins:
                histogram[hand, bin_of[strengths[hand]]] += counts[i]
    return sums, squares, histogram


@njit(cache=True, nogil=True)
def hand_potential(tables, now, boards, counts, cards, mine, theirs):
    """Weights [3, 3] of opposing hands by who is ahead now (values `now`) and on later boards: ahead, tied, behind."""
    later = np.empty(HANDS, np.int16)
    weights = np.zeros((3, 3))
    a, b = cards[mine, 0], cards[mine, 1]
    for i in range(len(boards)):
        fill_board(tables, boards[i], later)
        for hand in range(HANDS):
            if later[hand] == 0 or theirs[hand] == 0.0:
                continue
            if cards[hand, 0] == a or cards[hand, 0] == b or cards[hand, 1] == a or cards[hand, 1] == b:
                continue
            row = 1 - (now[mine] > now[hand]) + (now[mine] < now[hand])
            column = 1 - (later[mine] > later[hand]) + (later[mine] < later[hand])
            weights[row, column] += counts[i] * theirs[hand]
    return weights


@njit(cache=True, nogil=True)
def all_potentials(tables, now, boards, counts, cards):
    """As `hand_potential` for every hand [1326, 3, 3], against any opposing hand of live cards."""
    weights = np.zeros((HANDS, 3, 3))
    later, live = np.empty(HANDS, np.int16), np.empty(HANDS, np.int16)
    # Narrow and next to each other, so that the inner loop runs on vectors.
    first, second = np.empty(HANDS, np.int16), np.empty(HANDS, np.int16)
    before, after = np.empty(HANDS, np.int16), np.empty(HANDS, np.int16)
    for i in range(len(boards)):
        fill_board(tables, boards[i], later)
        n = 0
        for hand in range(HANDS):
            if later[hand]:
                live[n], first[n], second[n] = hand, cards[hand, 0], cards[hand, 1]
                before[n], after[n] = now[hand], later[hand]
                n += 1
        for k in range(n):
            _add_potential(k, n, first, second, before, after, counts[i], weights[live[k]])
    return weights


@njit(cache=True, nogil=True)
def _add_potential(k, n, first, second, before, after, times, weights):
    a, b, now, then = first[k], second[k], before[k], after[k]
    ahead_ahead = ahead_tied = ahead_all = np.int16(0)
    tied_ahead = tied_tied = tied_all = np.int16(0)
    behind_ahead = behind_tied = behind_all = np.int16(0)
    for j in range(n):
        apart = (first[j] != a) & (first[j] != b) & (second[j] != a) & (second[j] != b)
        ahead, tied, behind = apart & (before[j] < now), apart & (before[j] == now), apart & (before[j] > now)
        won, split = after[j] < then, after[j] == then
        ahead_all = np.int16(ahead_all + ahead)
        ahead_ahead = np.int16(ahead_ahead + (ahead & won))
        ahead_tied = np.int16(ahead_tied + (ahead & split))
        tied_all = np.int16(tied_all + tied)
        tied_ahead = np.int16(tied_ahead + (tied & won))
        tied_tied = np.int16(tied_tied + (tied & split))
        behind_all = np.int16(behind_all + behind)
        behind_ahead = np.int16(behind_ahead + (behind & won))
        behind_tied = np.int16(behind_tied + (behind & split))
    weights[0, 0] += times * ahead_ahead
    weights[0, 1] += times * ahead_tied
    weights[0, 2] += times * (ahead_all - ahead_ahead - ahead_tied)
    weights[1, 0] += times * tied_ahead
    weights[1, 1] += times * tied_tied
    weights[1, 2] += times * (tied_all - tied_ahead - tied_tied)
    weights[2, 0] += times * behind_ahead
    weights[2, 1] += times * behind_tied
    weights[2, 2] += times * (behind_all - behind_ahead - behind_tied)
