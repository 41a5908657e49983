"""Compiled best responses on boards: the agent's reach goes down a round's betting, values of the responder come up.

Roots of a round (lines of betting that lead into it) lie side by side, a vector of them is a *panel*: what one hand has
in a panel is one line of the cache, and tables of the agent's play have the same lines, so that nothing is gathered. A
round's program (`street.py`) is carried out for all hands on a board at a time, panel by panel, so that all that a step
touches stays in the cache. On the last street hands are taken in order of strength: running sums in all and by card
tell what a hand beats. Of all hands those that share one card are taken away, for both cards, and the hand itself,
taken away twice, is added.

Flat arrays are [panel][hand][lane] for roots (`reach`, `value`), [panel][bucket][row][lane] for the agent's play and
[panel][step][lane] for chips. A hand of one card has a second one that no other hand has.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit
from pokerlab.match.exact.street import ADD, FOLD, LEAF, MERGE, ROW, SCAN, SET, SHOW, SUM
from pokerlab.refine.spots.lanes import larger, load, splat, store


class Room(NamedTuple):
    """Space to work in; all flat, in whole lanes."""

    rows: np.ndarray  # [slot][hand in order]: the agent's reach
    stack: np.ndarray  # [depth][hand in order]: what the responder's hands are worth
    below: np.ndarray  # [hand in order]: what it beats, and once more what it beats or ties
    sums: np.ndarray  # [card] and the total: of the row that was summed last
    most: np.ndarray  # [slot]: the largest of a row; where it is nothing the agent never comes, and no work is done


class Boards(NamedTuple):
    """Some boards of a round: the hands that each leaves possible, in order of strength, and what the agent sees."""

    order: np.ndarray  # (boards, hands)
    alive: np.ndarray  # (boards,): how many of `order` count
    cards: np.ndarray  # (boards, hands, 2): of the hands in order
    buckets: np.ndarray  # (boards, hands): of the hands in order
    ends: np.ndarray  # (boards, hands): where hands of equal strength end
    groups: np.ndarray  # (boards,): how many of `ends` count
    times: np.ndarray  # (boards,): how many boards each counts for


@njit(cache=True, nogil=True)
def make_row(rows, taken, into, table, start, buckets, width, n, most, slot):
    """The part of a row that one action has, and the largest of it."""
    lanes = 64 // rows.itemsize
    most[slot * lanes : (slot + 1) * lanes] = 0
    largest = load(most, slot * lanes)
    for i in range(n):
        k = i * lanes
        row = load(rows, taken + k) * load(table, start + buckets[i] * width)
        largest = larger(largest, row)
        store(rows, into + k, row)
    store(most, slot * lanes, largest)


@njit(cache=True, nogil=True)
def sum_row(rows, at, cards, n, sums):
    """The sum of a row, by card and in all."""
    lanes = 64 // rows.itemsize
    sums[:] = 0
    total = load(sums, 0)
    for i in range(n):
        row, a, b = load(rows, at + i * lanes), cards[i, 0] * lanes, cards[i, 1] * lanes
        total = total + row
        store(sums, a, load(sums, a) + row)
        store(sums, b, load(sums, b) + row)
    store(sums, len(sums) - lanes, total)


@njit(cache=True, nogil=True)
def scan_row(rows, at, cards, ends, groups, sums, below):
    """The same for hands in order of strength, and what each beats plus what it beats or ties."""
    lanes = 64 // rows.itemsize
    sums[:] = 0
    total = load(sums, 0)
    first = 0
    for group in range(groups):
        last = np.int64(ends[group])
        for i in range(first, last):
            store(below, i * lanes, total - load(sums, cards[i, 0] * lanes) - load(sums, cards[i, 1] * lanes))
        for i in range(first, last):
            row, a, b = load(rows, at + i * lanes), cards[i, 0] * lanes, cards[i, 1] * lanes
            total = total + row
            store(sums, a, load(sums, a) + row)
            store(sums, b, load(sums, b) + row)
        for i in range(first, last):
            others = total - load(sums, cards[i, 0] * lanes) - load(sums, cards[i, 1] * lanes)
            store(below, i * lanes, load(below, i * lanes) + others + load(rows, at + i * lanes))
        first = last
    store(sums, len(sums) - lanes, total)


@njit(cache=True, nogil=True)
def end(shown, how, rows, at, cards, n, sums, below, pay, stack, into):
    """What hands are worth where the betting ends, by a fold or shown down: put on the stack or merged with its top."""
    lanes = 64 // rows.itemsize
    total = load(sums, len(sums) - lanes)
    for i in range(n):
        k = i * lanes
        worth = total - load(sums, cards[i, 0] * lanes) - load(sums, cards[i, 1] * lanes) + load(rows, at + k)
        if shown:
            worth = load(below, k) - worth
        worth = pay * worth
        if how == ADD:
            worth = worth + load(stack, into + k)
        elif how != SET:
            worth = larger(worth, load(stack, into + k))
        store(stack, into + k, worth)


@njit(cache=True, nogil=True)
def end_of_nothing(how, n, stack, into):
    """The same where the agent never comes: all is worth nothing."""
    lanes = 64 // stack.itemsize
    if how == SET:
        stack[into : into + n * lanes] = 0
    elif how != ADD:
        for k in range(into, into + n * lanes):
            stack[k] = max(stack[k], 0)


@njit(cache=True, nogil=True)
def merge(how, stack, into, n, size):
    """The two topmost of the stack, `size` apart, become one."""
    lanes = 64 // stack.itemsize
    for i in range(n):
        k = into + i * lanes
        one, other = load(stack, k), load(stack, size + k)
        store(stack, k, one + other if how == ADD else larger(one, other))


@njit(cache=True, nogil=True)
def spread(rows, at, order, n, hands, first, many, onward):
    """Hands' reach at a leaf, to the roots of the next round from `first` on."""
    lanes = 64 // rows.itemsize
    for lane in range(many):
        to = (first + lane) // lanes * hands * lanes + (first + lane) % lanes
        for i in range(n):
            onward[to + order[i] * lanes] = rows[at + i * lanes + lane]


@njit(cache=True, nogil=True)
def gather(stack, into, order, n, hands, first, many, after):
    """The way back: what hands are worth at the roots of the next round."""
    lanes = 64 // stack.itemsize
    for lane in range(many):
        frm = (first + lane) // lanes * hands * lanes + (first + lane) % lanes
        for i in range(n):
            stack[into + i * lanes + lane] = after[frm + order[i] * lanes]


@njit(cache=True, nogil=True)
def walk(program, pays, boards, board, panel, hands, roots, reach, table, room, down, onward, value):
    """A panel on a board: on the way down the next round's reach, on the way up what hands are worth is added.

    `onward` has the roots of the next round, their reach or what they are worth.
    """
    lanes = 64 // reach.itemsize
    rows, stack, below, sums, most = room
    steps, order, cards, buckets = program.steps, boards.order[board], boards.cards[board], boards.buckets[board]
    n, size, here = boards.alive[board], hands * lanes, panel * hands * lanes
    width, many = program.rows * lanes, min(lanes, roots - panel * lanes)
    start, pay = panel * (len(table) * hands * lanes // len(reach)), panel * len(steps) * lanes
    for i in range(n):
        store(rows, i * lanes, load(reach, here + order[i] * lanes))
    most[:lanes] = 1
    top = 0
    for s in range(len(steps)):
        what, slot, which, how = steps[s]
        at, comes = slot * size, most[slot * lanes : (slot + 1) * lanes].any()
        if what == ROW:
            parent = program.parents[which]
            if most[parent * lanes : (parent + 1) * lanes].any():
                taken = parent * size
                make_row(rows, taken, at, table, start + which * lanes, buckets, width, n, most, slot)
            else:
                most[slot * lanes : (slot + 1) * lanes] = 0
        elif what == LEAF:
            first = which * roots + panel * lanes
            if down and comes:
                spread(rows, at, order, n, hands, first, many, onward)
            elif not down:
                if comes:
                    gather(stack, top * size, order, n, hands, first, many, onward)
                else:
                    end_of_nothing(SET, n, stack, top * size)
                top += 1
        elif down:
            continue
        elif what == MERGE:
            top -= 1
            merge(how, stack, (top - 1) * size, n, size)
        elif what == SUM and comes:
            sum_row(rows, at, cards, n, sums)
        elif what == SCAN and comes:
            scan_row(rows, at, cards, boards.ends[board], boards.groups[board], sums, below)
        elif what in (FOLD, SHOW):
            top += how == SET
            if comes:
                chips = load(pays, pay + s * lanes)
                end(what == SHOW, how, rows, at, cards, n, sums, below, chips, stack, (top - 1) * size)
            else:
                end_of_nothing(how, n, stack, (top - 1) * size)
    if not down:
        times = splat(boards.times[board])
        for i in range(n):
            k = here + order[i] * lanes
            store(value, k, load(value, k) + times * load(stack, i * lanes))


@njit(cache=True, nogil=True)
def walk_boards(program, pays, boards, hands, roots, reach, table, room, down, onward, value):
    """All panels on some boards, those that the agent never comes to left out."""
    size = hands * (64 // reach.itemsize)
    for panel in range(len(reach) // size):
        if reach[panel * size : (panel + 1) * size].any():
            for board in range(len(boards.alive)):
                walk(program, pays, boards, board, panel, hands, roots, reach, table, room, down, onward, value)
