"""Trees of betting for two, and what an opponent did in like places: the compiled half of `miximax.py`.

Chance is left out: a place is a line of betting. What was seen is kept under keys, one for each level of similarity:

    0  the same actions in the same order
    1  as many bets and raises by each player in each round
    2  as many by each in this round, and in all before
    3  as many by each in the whole hand
    4  as many bets in this round

A line is an array: a digest of its actions, then bets and raises by round, one's own, then the other's.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import math

import numpy as np

from pokerlab.cards.evaluator import fill_board
from pokerlab.compiled import njit
from pokerlab.field.betting_kernels import ACTOR, ROUND, SPENT, faced, left_alone, raise_to, step
from pokerlab.field.player import FOLDS, RAISES
from pokerlab.field.rollout_kernels import deal_board

LINE = 9
TILT = 0.7  # a bet or raise makes a hand of twice the strength so many times, as a power of two, as likely
_WORD, _A, _B = np.uint64(1), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@njit(cache=True, nogil=True)
def digest(word):
    """A number that looks random and tells words apart (the finalizer of splitmix64)."""
    z = np.uint64(word)
    z = (z ^ (z >> _S30)) * _A
    z = (z ^ (z >> _S27)) * _B
    return np.int64(z ^ (z >> _S31))


@njit(cache=True, nogil=True)
def advance(line, round, own, kind):
    """Add an action to a line, one's own or not."""
    line[0] = digest(line[0] * 31 + 1 + kind + 3 * own + 6 * round)
    if kind == RAISES:
        at = 1 + round if own else 5 + round
        line[at] = min(line[at] + 1, 15)


@njit(cache=True, nogil=True)
def key_of(line, round, facing, leaf, level):
    """What tells a place from others at a level of similarity: of an opponent's decision, or of a showdown."""
    word = np.int64(0)
    if level == 0:
        word = line[0]
    elif level == 1:
        for i in range(1, LINE):
            word = word * 16 + line[i]
    elif level == 4:
        word = line[1 + round] + line[5 + round]
    else:
        before = np.zeros(2, np.int64)
        for r in range(round + 1 if level == 3 else round):
            before[0] += line[1 + r]
            before[1] += line[5 + r]
        word = before[0] * 64 + before[1]
        if level == 2:
            word = (word * 16 + line[1 + round]) * 16 + line[5 + round]
    told = digest(digest(word) + level * 64 + round * 4 + facing * 2 + leaf)
    return told if told != 0 else 1  # 0 is an empty place


@njit(cache=True, nogil=True)
def place_of(keys, key):
    """Where a key is, or would be, in a table of a power of two places."""
    mask = len(keys) - 1
    at = key & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def recalled(keys, rows, line, round, facing, leaf, levels, needed, fade, prior, told):
    """What was seen in like places, into `told`: adding up, each level fading, until there is enough; as frequencies.

    `prior` is what one observation, and no more, is worth to begin with.
    """
    told[:] = prior
    weight, seen = 1.0, 0.0
    for level in levels:
        at = place_of(keys, key_of(line, round, facing, leaf, level))
        if keys[at] != 0:
            for i in range(len(told)):
                told[i] += weight * rows[at, i]
                seen += weight * rows[at, i]
        if seen >= needed:
            break
        weight *= fade
    total = told.sum()
    for i in range(len(told)):
        told[i] = told[i] / total if total > 0 else 0.0


@njit(cache=True, nogil=True)
def remember(keys, rows, line, round, facing, leaf, levels, which):
    """Count an action, or a showdown's bin, in its place at every level; how many places are new."""
    new = 0
    for level in levels:
        key = key_of(line, round, facing, leaf, level)
        at = place_of(keys, key)
        new += keys[at] == 0
        keys[at] = key
        rows[at, which] += 1
    return new


@njit(cache=True, nogil=True)
def own_bins(tables, holes, mine, board, boards, bins, rng):
    """How one's own strength at the showdown, the part of all hands that it beats, is spread over bins."""
    values, full, spread = np.empty(1326, np.int16), np.empty(5, np.uint8), np.zeros(bins)
    a, b = holes[mine, 0], holes[mine, 1]
    for _ in range(boards if len(board) < 5 else 1):
        deal_board(board, holes[mine], full, rng)
        fill_board(tables, full, values)
        won = 0
        for hand in range(1326):
            clear = holes[hand, 0] != a and holes[hand, 0] != b and holes[hand, 1] != a and holes[hand, 1] != b
            if values[hand] and clear:
                won += 2 if values[hand] < values[mine] else 1 if values[hand] == values[mine] else 0
        spread[min(won * bins // 1980, bins - 1)] += 1
    return spread / spread.sum()


@njit(cache=True, nogil=True)
def winning(own, other):
    """The chance that the first bin is the higher; the same bin counts half."""
    below, chance = 0.0, 0.0
    for i in range(len(own)):
        chance += own[i] * (below + other[i] / 2)
        below += other[i]
    return chance


@njit(cache=True, nogil=True)
def fill_prior(line, guesses, prior):
    """What to expect of a showdown that nobody has seen, worth so many observations: who raised more has more."""
    raises, total = 0, 0.0
    for round in range(4):
        raises += line[5 + round]
    for i in range(len(prior)):
        prior[i] = ((i + 0.5) / len(prior)) ** (TILT * raises)
        total += prior[i]
    for i in range(len(prior)):
        prior[i] *= guesses / total


@njit(cache=True, nogil=True)
def expand(terms, start, line, seat, states, lines, children):
    """All betting from a state on, parents before children; how many nodes. What finds no room has no children."""
    players, count = len(terms.stacks), 1
    states[0], lines[0], children[0] = start, line, -1
    node = 0
    while node < count:
        if states[node, ACTOR] >= 0 and count + 3 <= len(states):
            facing, may_raise = faced(states[node], players), raise_to(terms, states[node]) > 0
            for kind in range(3):
                if (kind == FOLDS and not facing) or (kind == RAISES and not may_raise):
                    continue
                states[count], lines[count], children[count] = states[node], lines[node], -1
                advance(lines[count], states[node, ROUND], states[node, ACTOR] == seat, kind)
                step(terms, states[count], kind)
                children[node, kind] = count
                count += 1
        node += 1
    return count


@njit(cache=True, nogil=True)
def search(count, seat, own, keys, rows, shown_keys, shown, levels, needed, fade, priors, guesses, mix, states, lines,
           children, values):  # fmt: skip
    """What every node is worth: P(win) * pot - investment at leaves, equation (2.5), the best or a mix at one's own
    nodes, and the mean by what the opponent did in like places at its own.

    `own` are bins of one's own strength; `priors` [faced, kinds] and so many observations of a prior at showdowns stand
    for what nobody has seen; `mix` is in chips, 0 for the best alone.
    """
    told, bins, odds, prior = np.empty(3), np.empty(len(own)), np.empty(3), np.empty(len(own))
    for node in range(count - 1, -1, -1):
        state, pot = states[node], states[node, SPENT] + states[node, SPENT + 1]
        facing = state[ACTOR] >= 0 and faced(state, 2)
        if (children[node] < 0).all():
            alone = left_alone(state, 2)
            if alone >= 0:
                chance = 1.0 if alone == seat else 0.0
            else:
                fill_prior(lines[node], guesses, prior)
                recalled(shown_keys, shown, lines[node], 3, False, True, levels, needed, fade, prior, bins)
                chance = winning(own, bins)
            values[node] = chance * pot - state[SPENT + seat]
            continue
        if state[ACTOR] != seat:
            usual = priors[1 if facing else 0]
            recalled(keys, rows, lines[node], state[ROUND], facing, False, levels, needed, fade, usual, told)
        most, total, value = -np.inf, 0.0, 0.0
        for kind in range(3):
            if children[node, kind] >= 0:
                most = max(most, values[children[node, kind]])
        for kind in range(3):
            child = children[node, kind]
            if child < 0:
                continue
            if state[ACTOR] != seat:
                odds[kind] = told[kind]
            elif mix > 0:
                odds[kind] = math.exp((values[child] - most) / mix)
            else:
                odds[kind] = 1.0 if values[child] == most else 0.0
            total += odds[kind]
            value += odds[kind] * values[child]
        values[node] = value / total if total > 0 else most
