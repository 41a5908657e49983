"""The betting of hold'em in compiled loops, for players who play hands to their end in their heads.

A state is an array: round, the seat to act (-1: the betting is over), how many still have to answer, raises of the
round, the least raise, then what each seat has put in, then who has folded. Actions are kinds, fold, call and raise: a
raise is the limit's, or a part of the pot. The rules are those of `game.betting`, which a test plays beside it.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit
from pokerlab.field.player import FOLDS, RAISES
from pokerlab.game.betting import Betting
from pokerlab.game.rules import Rules

ROUND, ACTOR, WAITING, RAISED, LEAST, SPENT = range(6)


class Terms(NamedTuple):
    """A game's numbers: stacks by seat; who is first, the raise (0: no limit) and the most raises, by round."""

    stacks: np.ndarray
    first: np.ndarray
    raise_sizes: np.ndarray
    max_raises: np.ndarray
    least_bet: int
    part: float  # of the pot after calling that a raise is, in no-limit


@lru_cache(maxsize=64)
def terms_of(rules: Rules, size: float) -> Terms:
    """A game's numbers, with raises of `size` per cent of the pot where there is no limit."""
    sizes = rules.raise_sizes if rules.limit else (0,) * rules.rounds
    stacks, first, raises, most = (
        np.array(row, np.int64) for row in (rules.stacks, rules.first, sizes, rules.max_raises)
    )
    return Terms(stacks, first, raises, most, rules.least_bet, size / 100)


def state_of(betting: Betting) -> np.ndarray:
    """A state of the betting as an array."""
    actor = -1 if betting.actor is None else betting.actor
    head = (betting.round, actor, betting.waiting, betting.raises, betting.min_raise_to)
    return np.array([*head, *betting.spent, *betting.folded], np.int64)


@njit(cache=True, nogil=True)
def highest_of(state, players):
    """The most that a seat has put in."""
    most = state[SPENT]
    for seat in range(1, players):
        most = max(most, state[SPENT + seat])
    return most


@njit(cache=True, nogil=True)
def faced(state, players):
    """Whether the actor has a bet to call."""
    return state[SPENT + state[ACTOR]] < highest_of(state, players)


@njit(cache=True, nogil=True)
def raise_to(terms, state):
    """What the actor's raise goes to; 0 where there is none."""
    players, seat, round = len(terms.stacks), state[ACTOR], state[ROUND]
    highest, stack = highest_of(state, players), terms.stacks[seat]
    if state[RAISED] >= terms.max_raises[round] or stack <= highest:
        return 0
    answered = False
    for other in range(players):
        able = state[SPENT + players + other] == 0 and state[SPENT + other] < terms.stacks[other]
        answered |= other != seat and able
    if not answered:
        return 0
    if terms.raise_sizes[round] > 0:
        return min(highest + terms.raise_sizes[round], stack)
    pot = highest - state[SPENT + seat]
    for other in range(players):
        pot += state[SPENT + other]
    over = max(1, np.int64(terms.part * pot + 1e-9))
    return min(max(highest + over, state[LEAST]), stack)


@njit(cache=True, nogil=True)
def step(terms, state, kind):
    """Change a state by the actor's action; a fold without a bet, and a raise that is not allowed, are calls."""
    players, seat = len(terms.stacks), state[ACTOR]
    folded, highest = SPENT + players, highest_of(state, players)
    amount = raise_to(terms, state) if kind == RAISES else 0
    if kind == FOLDS and state[SPENT + seat] < highest:
        state[folded + seat] = 1
    else:
        state[SPENT + seat] = amount if amount > 0 else min(highest, terms.stacks[seat])
    actor, able, left = -1, 0, 0  # who can still act: the next, and how many but for this one
    for i in range(1, players + 1):
        other = (seat + i) % players
        if state[folded + other] == 0:
            left += 1
            if other != seat and state[SPENT + other] < terms.stacks[other]:
                actor = other if actor < 0 else actor
                able += 1
    state[WAITING] -= 1
    if amount > 0:
        state[WAITING] = able
        state[RAISED] += 1
        state[LEAST] = max(state[LEAST], 2 * amount - highest)
    if left == 1:
        actor = -1
    elif state[WAITING] <= 0:
        mine = state[folded + seat] == 0 and state[SPENT + seat] < terms.stacks[seat]
        if able + mine > 1 and state[ROUND] + 1 < len(terms.first):
            _open_round(terms, state)
            return
        actor = -1
        state[ROUND] = len(terms.first) - 1
    state[ACTOR] = actor


@njit(cache=True, nogil=True)
def _open_round(terms, state):
    players = len(terms.stacks)
    state[ROUND] += 1
    state[RAISED] = 0
    state[LEAST] = highest_of(state, players) + terms.least_bet
    actor, able = -1, 0
    for i in range(players):
        seat = (terms.first[state[ROUND]] + i) % players
        if state[SPENT + players + seat] == 0 and state[SPENT + seat] < terms.stacks[seat]:
            actor = seat if actor < 0 else actor
            able += 1
    state[ACTOR] = actor
    state[WAITING] = able


@njit(cache=True, nogil=True)
def net(state, players, values, seat):
    """Chips that a seat wins in the end, with the value of each seat's hand; pots are split level by level."""
    won, paid = 0.0, 0
    mine = state[SPENT + seat]
    while paid < mine:
        level = mine  # the next level at which somebody is out of chips
        for other in range(players):
            if paid < state[SPENT + other] < level:
                level = state[SPENT + other]
        inside, winners, best = 0, 0, -1
        for other in range(players):
            if state[SPENT + other] >= level:
                inside += 1
                if state[SPENT + players + other] == 0 and values[other] >= best:
                    winners = winners + 1 if values[other] == best else 1
                    best = values[other]
        if state[SPENT + players + seat] == 0 and values[seat] == best:
            won += (level - paid) * (inside - winners) / winners
        else:
            won -= level - paid
        paid = level
    return won


@njit(cache=True, nogil=True)
def left_alone(state, players):
    """The only seat that has not folded; -1 where there are several."""
    alone = -1
    for seat in range(players):
        if state[SPENT + players + seat] == 0:
            if alone >= 0:
                return -1
            alone = seat
    return alone
