"""Compiled roll-outs: hands drawn from weight tables, cards to come, and everybody's actions by frequencies.

One board to come serves many drawn hands: to rank all 1,326 on it takes most of the time.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import fill_board, sort_board
from pokerlab.compiled import njit
from pokerlab.field.betting_kernels import ACTOR, ROUND, SPENT, faced, net, raise_to, step
from pokerlab.field.habits import fill_ranks, predicted
from pokerlab.field.player import CALLS, FOLDS, RAISES
from pokerlab.solvers.sampling.randomness import below, uniform

TRIES = 40  # to draw hands that share no card; a trial without them does not count


@njit(cache=True, nogil=True)
def deal_board(board, hole, full, rng):
    """Complete a board with cards that are neither on it nor in the hole, into `full`; the cards seen as bits."""
    seen = np.int64(0)
    for i in range(len(board)):
        full[i] = board[i]
        seen |= np.int64(1) << np.int64(board[i])
    for card in hole:
        seen |= np.int64(1) << np.int64(card)
    at = len(board)
    while at < 5:
        card = below(rng, 52)
        if not seen >> card & 1:
            full[at] = card
            seen |= np.int64(1) << card
            at += 1
    return seen


@njit(cache=True, nogil=True)
def rank_rounds(tables, full, first, now, weights, alive, ranks, values, order, spare):
    """Each seat's ranks [rounds, seats, 1326] from round `first` on: those of now, then those on the board to come.

    `values` are those on the whole board in the end.
    """
    ranks[first] = now
    for round in range(first + 1, 4):
        fill_board(tables, full[: round + 2], values)
        n = sort_board(values, order, spare)
        for seat in range(len(alive)):
            if alive[seat]:
                fill_ranks(order[:n], values, weights[seat], ranks[round, seat])
    if first == 3:
        fill_board(tables, full, values)


@njit(cache=True, nogil=True)
def draw_hands(sums, seat, alive, seen, holes, hands, rng):
    """A hand for every other seat that is left, by running sums of weights; False where they kept clashing."""
    for player in range(len(alive)):
        if player == seat or not alive[player]:
            continue
        for _ in range(TRIES):
            hand = np.searchsorted(sums[player], uniform(rng) * sums[player, -1], side="right")
            hand = min(hand, 1325)
            bits = np.int64(1) << np.int64(holes[hand, 0]) | np.int64(1) << np.int64(holes[hand, 1])
            if not bits & seen:
                hands[player] = hand
                seen |= bits
                break
        else:
            return False
    return True


@njit(cache=True, nogil=True)
def drawn_kind(ranks, hands, models, noise, state, players, rng):
    """What the seat to act does, by its frequencies and the rank of its hand."""
    actor, round, facing = state[ACTOR], state[ROUND], faced(state, players)
    row = models[actor, round, 1 if facing else 0]
    f, c, _ = predicted(ranks[round, actor, hands[actor]], row, facing, noise[actor])
    u = uniform(rng)
    return FOLDS if u < f else CALLS if u < f + c else RAISES


@njit(cache=True, nogil=True)
def play_out(terms, state, ranks, hands, models, noise, rng):
    """Play a hand to its end as the models do."""
    players = len(terms.stacks)
    while state[ACTOR] >= 0:
        step(terms, state, drawn_kind(ranks, hands, models, noise, state, players, rng))


@njit(cache=True, nogil=True)
def roll_out(tables, holes, terms, start, mine, board, models, noise, weights, now, boards, each, rng, sums, squares):
    """Add what calling and raising were worth over folding, and its square, in trials; how many there were.

    `boards` boards to come with `each` drawn hands; `start` is the state, its actor's hand number `mine`. models
    [seats, rounds, faced, kinds], noise [seats], weights and now, the present ranks, [seats, 1326].
    """
    players, seat, first = len(terms.stacks), start[ACTOR], start[ROUND]
    alive = start[SPENT + players :] == 0
    running = np.empty((players, 1326))
    for player in range(players):
        running[player] = np.cumsum(weights[player])
    full, hands, shown = np.empty(5, np.uint8), np.zeros(players, np.int64), np.empty(players, np.int64)
    ranks, state = np.empty((4, players, 1326)), start.copy()
    values, order, spare = np.empty(1326, np.int16), np.empty(1326, np.uint16), np.empty(1326, np.uint16)
    may_raise, done = raise_to(terms, start) > 0, 0
    hands[seat] = mine
    for _ in range(boards):
        seen = deal_board(board, holes[mine], full, rng)
        rank_rounds(tables, full, first, now, weights, alive, ranks, values, order, spare)
        for _ in range(each):
            if not draw_hands(running, seat, alive, seen, holes, hands, rng):
                continue
            for player in range(players):
                shown[player] = values[hands[player]]
            for kind in range(CALLS, RAISES + 1 if may_raise else RAISES):
                state[:] = start
                step(terms, state, kind)
                play_out(terms, state, ranks, hands, models, noise, rng)
                won = net(state, players, shown, seat) + start[SPENT + seat]
                sums[kind] += won
                squares[kind] += won * won
            done += 1
    return done
