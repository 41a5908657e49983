"""Compiled play between two tables of behaviour, half a million hands and more a second; hands against ranges."""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.cards.showdown_kernels import add_showdowns
from pokerlab.compiled import njit
from pokerlab.solvers.sampling.randomness import uniform


class Board(NamedTuple):
    """A compiled game as a board to play on: betting tree, chance and payoffs as flat arrays.

    Node v has actor[v] (-1 at the end), its round, and children child[first[v]:first[v + 1]]; start[v] and width[v]
    locate its actor's behaviour (action-major). At the end the first player wins stake[v], times the showdown's
    sign if shown[v]. Pair j of last-round private states has cumulative probability odds[j]; above[r] maps a
    last-round state to its state in round r.
    """

    actor: np.ndarray
    round: np.ndarray
    first: np.ndarray
    child: np.ndarray
    start: np.ndarray
    width: np.ndarray
    stake: np.ndarray
    shown: np.ndarray
    odds: np.ndarray
    mine: np.ndarray
    theirs: np.ndarray
    sign: np.ndarray
    above: np.ndarray


@njit(cache=True)
def play(board, behaviours, rng, winnings, duplicate):
    """Fill winnings[d] with what agent 0 wins in deal d, in chips; seats rotate, in duplicate both are played.

    behaviours[a][p] is what agent a does as player p.
    """
    for d in range(winnings.shape[0]):
        j = min(np.searchsorted(board.odds, rng.random(), side="right"), board.odds.shape[0] - 1)
        won = 0.0
        for turn in range(2 if duplicate else 1):
            swapped = (d + turn) % 2  # agent 0 sits in seat 1
            v = 0
            while board.actor[v] >= 0:
                player = board.actor[v]
                last = board.mine[j] if player == 0 else board.theirs[j]
                s = board.start[v] + board.above[board.round[v], last]
                table = behaviours[player ^ swapped][player]
                left = rng.random()
                choice, actions = 0, board.first[v + 1] - board.first[v]
                left -= table[s]
                while left >= 0.0 and choice < actions - 1:
                    choice += 1
                    left -= table[s + choice * board.width[v]]
                v = board.child[board.first[v] + choice]
            chips = board.stake[v] * (board.sign[j] if board.shown[v] else 1.0)
            won += -chips if swapped else chips
        winnings[d] = won / 2 if duplicate else won


@njit(cache=True, nogil=True)
def draw_lines(graph, strategy, buckets, start, rng, lines, lengths):
    """Play every second deal from `start` on by a strategy in bytes: lines[d] are numbers of actions, lengths[d] many.

    Graph and buckets are those of `sampling`.
    """
    for d in range(start, len(lengths), 2):
        node, base, length = 0, 0, 0
        while graph.actor[node] >= 0:
            k, edge = graph.actions[node], graph.first[node]
            at, total = base // 2 + k * buckets[d, graph.actor[node], graph.round[node]], 0
            for a in range(k):
                total += strategy[at + a]
            left, choice = uniform(rng) * total - strategy[at], 0
            while left >= 0.0 and choice < k - 1:
                choice += 1
                left -= strategy[at + choice]
            lines[d, length] = choice
            length += 1
            node, base = graph.child[edge + choice], base + graph.skip[edge + choice]
        lengths[d] = length


@njit(cache=True, nogil=True)
def hand_shares(tables, boards, cards, mine, won, met):
    """Add, for each of the 1,326 hands, what hand `mine` wins from it on complete boards, ties half; and the boards.

    Hands that share a card with it get none.
    """
    values = np.empty(len(cards), np.int16)
    for board in boards:
        fill_board(tables, board, values)
        if values[mine] > 0:
            for hand in range(len(cards)):  # without branches, so that it vectorises
                possible = values[hand] > 0
                met[hand] += possible
                won[hand] += possible * ((values[hand] < values[mine]) + (values[hand] <= values[mine])) * 0.5
    for hand in range(len(cards)):
        if cards[hand, 0] in cards[mine] or cards[hand, 1] in cards[mine]:
            won[hand], met[hand] = 0.0, 0.0


@njit(cache=True, nogil=True)
def range_shares(tables, boards, counts, cards, ranges):
    """[ranges, 1326]: the weight that each hand beats of each range, and once more what it beats or ties, over boards.

    All ranges share the work of ranking and sorting the hands on a board.
    """
    n = len(cards)
    values, order, spare = np.empty(n, np.int16), np.empty(n, np.uint16), np.empty(n, np.uint16)
    below, sums = np.zeros(52), np.zeros(ranges.shape)
    for i in range(len(boards)):
        fill_board(tables, boards[i], values)
        left = sort_board(values, order, spare)
        for k in range(len(ranges)):
            add_showdowns(values, order, left, cards, ranges[k], counts[i], sums[k], sums[k], below)
    return sums
