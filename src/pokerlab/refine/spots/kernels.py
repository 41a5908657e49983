"""The compiled loops of the spot solver. A *row* is a number for every hand of a player; rows are whole lanes wide.

On every street a player's sequences have a row each: the lines of betting that led to this street first (roots), then
the actions, block by block (a block is the decision at one public node). A pass for one player goes down the other's
blocks (rows of `reach`: its realization plan), through the terminals, and up its own blocks (rows of `value`: what each
sequence earns). What is kept of a block is laid out in tiles of LANES hands, all actions of a tile together, and the
way up reads memory strictly backwards: hardware foresees that.

Terminals are evaluated sixteen at a time. A *panel* holds one vector per hand, with a lane per terminal; one scan over
the hands by strength, with sums in all and by card, tells what each hand beats. Inclusion and exclusion: of all hands
those that share one card are taken away, for both cards, and the hand itself, taken away twice, is added.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.compiled import njit
from pokerlab.refine.spots.lanes import (
    LANES,
    columns_of_rows,
    larger,
    load,
    rows_of_columns,
    splat,
    store,
    where_positive,
)
from pokerlab.refine.spots.sixteen import keep as put
from pokerlab.refine.spots.sixteen import take, weighed

IMPROVE, EXPECT, BEST = 0, 1, 2  # what a player does with its own blocks: learn, follow its average, respond best


class Side(NamedTuple):
    """A player's sequences on a street, and its terminals; a lane without a terminal names the row after the last.

    S is the opponent's weight that a hand beats or ties plus the weight that it beats, F all weight it can meet.
    Facing a bet, the opponent being at one row, a call earns win * S - lose * F and a fold give * F. Faced by the
    opponent, who calls with one row and folds another, the bet earns win * S - lose * F + take * F. On streets before
    the last a fold is alone and earns pay * F.
    """

    blocks: np.ndarray  # (blocks, 3): first row, parent's row, how many actions
    roots: int
    rows: int
    leaves: np.ndarray  # rows that lead to the next street
    bare: np.ndarray  # rows that no terminal writes
    facing: np.ndarray  # three parts: the rows `from`, `call` and `fold` of every lane
    facing_pays: np.ndarray  # by panel: LANES of win, lose and give
    faced: np.ndarray  # three parts: the rows `call`, `fold` and `to`
    faced_pays: np.ndarray  # by panel: LANES of win, lose and take
    fold: np.ndarray  # two parts: the rows `from` and `to`
    fold_pays: np.ndarray  # by panel: LANES of pay


class Hands(NamedTuple):
    """A player's hands on every board of a street. The last column is never a hand's and always 0.

    `visits[board]` lists the columns: hands that the board leaves possible first (`alive` of them, on the last street
    from worst to best), then the others. An entry is the column, the two cards and the opponent's column with the same
    cards, all times LANES. `groups` are hands of equal strength: where they end, and where the opponent's hands end
    that are worse, and equal.
    """

    width: int
    visits: np.ndarray  # (boards, width, 4)
    alive: np.ndarray  # (boards)
    groups: np.ndarray  # (all boards' groups, 3)
    group_start: np.ndarray  # (boards + 1)
    swaps: np.ndarray  # (changes of suits, width): the column of the hand that stands for a hand


class NextBoards(NamedTuple):
    """What follows each board of the street before.

    Which boards are solved, and which of them each card that may be dealt stands for.
    """

    board_start: np.ndarray  # (boards before + 1)
    deal_start: np.ndarray  # (boards before + 1)
    board: np.ndarray  # by deal
    swap: np.ndarray  # by deal: a row of `Hands.swaps`, or -1


class Street(NamedTuple):
    """A street as one player sees it."""

    my_side: Side
    their_side: Side
    mine: Hands
    theirs: Hands
    their_leaves: np.ndarray  # the opponent's rows of the street before that lead here
    deals: NextBoards


class Store(NamedTuple):
    """What is kept of a player on a street, by board, block, tile and action; `locked` is 1 where play is fixed. Sums
    over the iterations in single precision, or means of them in half (sixteen.py).
    """

    regret: np.ndarray
    strategy: np.ndarray
    locked: np.ndarray  # as the others, or empty


class Room(NamedTuple):
    """Space to work in on a street, a thread's own: the opponent's and the player's rows and a spare one each."""

    reach: np.ndarray
    value: np.ndarray
    panels: np.ndarray  # (3, width * LANES)
    sums: np.ndarray  # (2, 52 * LANES)


class Rates(NamedTuple):
    """What IMPROVE multiplies by: regrets above 0, those below, the average so far and, where means are kept, what is
    added to regrets and averages; and the number of the iteration.
    """

    above: np.float32
    below: np.float32
    average: np.float32
    regret_weight: np.float32 = np.float32(1)
    average_weight: np.float32 = np.float32(1)
    time: np.float32 = np.float32(0)


# Sums below are nothing: they come of reach that is almost none, and one over them may be more than a number can be.
LEAST = np.float32(1e-35)


# Kernels hold views of arrays that their caller keeps. Without numba's counts of references (an atomic instruction for
# each array of a tuple, at every call) a narrow river takes half the time.
compiled = njit(cache=True, nogil=True, _nrt=False)
# What a kernel calls once is made part of it: apart it would be compiled twice, by itself and there, with all below it.
inlined = njit(cache=True, nogil=True, _nrt=False, inline="always")


@compiled
def copy(target, to, source, start, count):
    """target[to : to + count] = source[start : start + count], whole lanes."""
    for i in range(0, count, LANES):
        store(target, to + i, load(source, start + i))


@compiled
def clear(array, start, count):
    """array[start : start + count] = 0, whole lanes; numba would store number by number."""
    zero = splat(np.float32(0))
    for i in range(start, start + count, LANES):
        store(array, i, zero)


@compiled
def rates_at(rates, t):
    """A row of rates."""
    return Rates(rates[t, 0], rates[t, 1], rates[t, 2], rates[t, 3], rates[t, 4], rates[t, 5])


@compiled
def plan(side, source, offset, reach, width):
    """Rows of `reach` below the roots: a block divides its parent's row in proportion to what `source` has above 0."""
    zero, least = splat(np.float32(0)), splat(LEAST)
    for b in range(len(side.blocks)):
        first, parent, n = side.blocks[b, 0], side.blocks[b, 1] * width, side.blocks[b, 2]
        at, by = first * width, offset + (first - side.roots) * width
        share = splat(np.float32(1) / np.float32(n))
        for i in range(0, width, LANES):
            total, tile = zero, by + i * n
            for a in range(n):
                total = total + larger(take(source, tile + a * LANES), zero)
            here, some = load(reach, parent + i), total - least
            scale = where_positive(some, here / total, zero)
            even = where_positive(some, zero, here * share)
            for a in range(n):
                part = larger(take(source, tile + a * LANES), zero)
                store(reach, at + a * width + i, part * scale + even)


@compiled
def improve(side, keep, offset, value, width, rates):
    """Discounted regret matching (Brown and Sandholm 2019) from the last blocks up, and the average strategy."""
    zero, one, least = splat(np.float32(0)), splat(np.float32(1)), splat(LEAST)
    above, below, average = splat(rates.above), splat(rates.below), splat(rates.average)
    regret_weight, average_weight, time = splat(rates.regret_weight), splat(rates.average_weight), np.intp(rates.time)
    regret, strategy, locked = keep
    for b in range(len(side.blocks) - 1, -1, -1):
        first, parent, n = side.blocks[b, 0], side.blocks[b, 1] * width, side.blocks[b, 2]
        at, by = first * width, offset + (first - side.roots) * width
        share = splat(np.float32(1) / np.float32(n))
        for i in range(width - LANES, -1, -LANES):
            total, tile = zero, by + i * n
            for a in range(n):
                total = total + larger(take(regret, tile + a * LANES), zero)
            some = total - least
            scale = where_positive(some, one / total, zero)
            even = where_positive(some, zero, share)
            worth = zero
            for a in range(n):
                k = tile + a * LANES
                chance = larger(take(regret, k), zero) * scale + even
                worth = worth + chance * load(value, at + a * width + i)
                put(strategy, k, take(strategy, k) * average + weighed(strategy, chance, average_weight), time)
            for a in range(n):
                k = tile + a * LANES
                old = take(regret, k)
                gained = weighed(regret, load(value, at + a * width + i) - worth, regret_weight)
                new = old * where_positive(old, above, below) + gained
                if len(locked):
                    new = where_positive(take(locked, k), old, new)
                put(regret, k, new, time)
            store(value, parent + i, load(value, parent + i) + worth)


@compiled
def respond(side, keep, offset, value, width, best):
    """What a player's average strategy earns from the last blocks up or, with `best`, the best response."""
    zero, least = splat(np.float32(0)), splat(LEAST)
    strategy, locked = keep.strategy, keep.locked
    for b in range(len(side.blocks) - 1, -1, -1):
        first, parent, n = side.blocks[b, 0], side.blocks[b, 1] * width, side.blocks[b, 2]
        at, by = first * width, offset + (first - side.roots) * width
        share = splat(np.float32(1) / np.float32(n))
        for i in range(width - LANES, -1, -LANES):
            total, earned, plain, tile = zero, zero, zero, by + i * n
            most = load(value, at + i)
            for a in range(n):
                part, here = take(strategy, tile + a * LANES), load(value, at + a * width + i)
                total, earned, plain = total + part, earned + part * here, plain + here
                most = larger(most, here)
            worth = where_positive(total - least, earned / total, plain * share)
            if best:
                fixed = take(locked, tile) if len(locked) else zero
                worth = where_positive(fixed, worth, most)
            store(value, parent + i, load(value, parent + i) + worth)


@compiled
def take_columns(panel, table, rows, first, width):
    """Sixteen rows of a table as a panel."""
    for i in range(0, width, LANES):
        columns_of_rows(panel, i * LANES, table, rows, first, width, i)


@compiled
def put_columns(panel, table, rows, first, width):
    """A panel as sixteen rows of a table."""
    for i in range(0, width, LANES):
        rows_of_columns(panel, i * LANES, table, rows, first, width, i)


@compiled
def clear_others(panel, visits, count):
    """Nothing for columns that are no hand on this board."""
    zero = splat(np.float32(0))
    for h in range(count, len(visits)):
        store(panel, visits[h, 0], zero)


@inlined
def hold(visits, j, held, sums):
    """Count the j-th hand with its two cards; returns its weight."""
    here, first, second = load(held, visits[j, 0]), visits[j, 1], visits[j, 2]
    store(sums, first, load(sums, first) + here)
    store(sums, second, load(sums, second) + here)
    return here


@inlined
def met(visits, h, total, sums):
    """Of the weight counted so far, what the h-th hand can meet, less its own weight if that was counted."""
    return total - load(sums, visits[h, 1]) - load(sums, visits[h, 2])


@compiled
def beaten(mine, theirs, board, held, sums, beats):
    """S for every hand into `beats`; afterwards `sums` hold every card's weight, and the weight in all is returned."""
    visits, other = mine.visits[board], theirs.visits[board]
    clear(sums, 0, len(sums))
    total = splat(np.float32(0))
    i, j = 0, 0
    for g in range(mine.group_start[board], mine.group_start[board + 1]):
        end, worse, equal = mine.groups[g, 0], mine.groups[g, 1], mine.groups[g, 2]
        while j < worse:
            total = total + hold(other, j, held, sums)
            j += 1
        for h in range(i, end):
            store(beats, visits[h, 0], met(visits, h, total, sums))
        while j < equal:
            total = total + hold(other, j, held, sums)
            j += 1
        for h in range(i, end):
            k = visits[h, 0]
            store(beats, k, load(beats, k) + met(visits, h, total, sums) + load(held, visits[h, 3]))
        i = end
    while j < theirs.alive[board]:
        total = total + hold(other, j, held, sums)
        j += 1
    return total


@compiled
def answers(side, mine, theirs, board, room):
    """Terminals where the player faces a bet: calling and folding earn by one row of the opponent."""
    held, call, fold = room.panels
    sums = room.sums[0]
    visits, count, pays = mine.visits[board], mine.alive[board], side.facing_pays
    clear_others(call, visits, count)
    clear_others(fold, visits, count)
    lanes = len(side.facing) // 3
    for first in range(0, lanes, LANES):
        win, lose, give = load(pays, 3 * first), load(pays, 3 * first + LANES), load(pays, 3 * first + 2 * LANES)
        take_columns(held, room.reach, side.facing, first, theirs.width)
        total = beaten(mine, theirs, board, held, sums, call)
        for h in range(count):
            k = visits[h, 0]
            every = met(visits, h, total, sums) + load(held, visits[h, 3])
            store(call, k, win * load(call, k) - lose * every)
            store(fold, k, give * every)
        put_columns(call, room.value, side.facing, lanes + first, mine.width)
        put_columns(fold, room.value, side.facing, 2 * lanes + first, mine.width)


@compiled
def bets(side, mine, theirs, board, room):
    """Terminals where the opponent faces a bet: it calls with one row and folds another, and both earn for one."""
    called, folded, out = room.panels
    sums, other_sums = room.sums
    visits, count, other, pays = mine.visits[board], mine.alive[board], theirs.visits[board], side.faced_pays
    clear_others(out, visits, count)
    lanes = len(side.faced) // 3
    for first in range(0, lanes, LANES):
        win, lose, take = load(pays, 3 * first), load(pays, 3 * first + LANES), load(pays, 3 * first + 2 * LANES)
        take_columns(called, room.reach, side.faced, first, theirs.width)
        take_columns(folded, room.reach, side.faced, lanes + first, theirs.width)
        beaten(mine, theirs, board, called, sums, out)
        clear(other_sums, 0, len(other_sums))
        total = splat(np.float32(0))
        for j in range(theirs.alive[board]):  # take * F(folded) - lose * F(called) is the F of the difference
            k = other[j, 0]
            store(folded, k, take * load(folded, k) - lose * load(called, k))
            total = total + hold(other, j, folded, other_sums)
        for h in range(count):
            k = visits[h, 0]
            every = met(visits, h, total, other_sums) + load(folded, visits[h, 3])
            store(out, k, win * load(out, k) + every)
        put_columns(out, room.value, side.faced, 2 * lanes + first, mine.width)


@compiled
def folds(side, mine, theirs, board, room):
    """Terminals by folding on streets before the last."""
    held, out = room.panels[0], room.panels[1]
    sums = room.sums[0]
    visits, count, other = mine.visits[board], mine.alive[board], theirs.visits[board]
    clear_others(out, visits, count)
    lanes = len(side.fold) // 2
    for first in range(0, lanes, LANES):
        pay = load(side.fold_pays, first)
        take_columns(held, room.reach, side.fold, first, theirs.width)
        clear(sums, 0, len(sums))
        total = splat(np.float32(0))
        for j in range(theirs.alive[board]):
            total = total + hold(other, j, held, sums)
        for h in range(count):
            every = met(visits, h, total, sums) + load(held, visits[h, 3])
            store(out, visits[h, 0], pay * every)
        put_columns(out, room.value, side.fold, lanes + first, mine.width)


@compiled
def go_down(street, board, source, room, mode):
    """The opponent's reach on one board, whose root rows are there already: of its `source` it follows the regrets
    while the player learns, else the average. The player's values are made ready.
    """
    side, width = street.their_side, street.theirs.width
    offset = board * (side.rows - side.roots) * width
    if mode == IMPROVE:
        plan(side, source.regret, offset, room.reach, width)
    else:
        plan(side, source.strategy, offset, room.reach, width)
    clear(room.reach, side.rows * width, width)  # the row of lanes without a terminal
    width = street.mine.width
    for row in street.my_side.bare:
        clear(room.value, row * width, width)


@compiled
def go_up(street, board, keep, room, mode, rates):
    """The player's own blocks on one board."""
    side, width = street.my_side, street.mine.width
    offset = board * (side.rows - side.roots) * width
    if mode == IMPROVE:
        improve(side, keep, offset, room.value, width, rates)
    else:
        respond(side, keep, offset, room.value, width, mode == BEST)


@compiled
def enter(leaves, above, width, reach):
    """A street begins with the rows of the leaves of the one before."""
    for k in range(len(leaves)):
        copy(reach, k * width, above, leaves[k] * width, width)


@compiled
def collect(leaves, out, hands, deals, parent, value):
    """What the next street is worth, over all cards; a card that is not solved itself shows another board's values."""
    width, roots = hands.width, len(leaves)
    for deal in range(deals.deal_start[parent], deals.deal_start[parent + 1]):
        at = (deals.board[deal] - deals.board_start[parent]) * roots * width
        swap = deals.swap[deal]
        for k in range(roots):
            row = leaves[k] * width
            if swap < 0:
                for i in range(0, width, LANES):
                    store(value, row + i, load(value, row + i) + load(out, at + k * width + i))
            else:
                for h in range(width):
                    value[row + h] += out[at + k * width + hands.swaps[swap, h]]


@inlined
def last_board(street, board, keep, source, room, mode, rates):
    """A whole pass on one board of the last street."""
    go_down(street, board, source, room, mode)
    answers(street.my_side, street.mine, street.theirs, board, room)
    bets(street.my_side, street.mine, street.theirs, board, room)
    go_up(street, board, keep, room, mode, rates)


@inlined
def last_street(street, first, last, base, keep, source, above, room, out, mode, rates):
    """Passes on some boards of the last street; what they are worth goes to `out`, board `base` first."""
    size = street.my_side.roots * street.mine.width
    for board in range(first, last):
        enter(street.their_leaves, above, street.theirs.width, room.reach)
        last_board(street, board, keep, source, room, mode, rates)
        copy(out, (board - base) * size, room.value, 0, size)


@inlined
def finish_board(street, below, board, out, keep, room, mode, rates):
    """The way up on a board before the last street: folds, what comes after it, and the player's own blocks."""
    folds(street.my_side, street.mine, street.theirs, board, room)
    collect(street.my_side.leaves, out, below.mine, below.deals, board, room.value)
    go_up(street, board, keep, room, mode, rates)


@inlined
def middle_street(street, below, first, last, keeps, sources, above, rooms, out_below, out, mode, rates):
    """Passes on some boards of a street that is neither first nor last, each with all the boards after it."""
    size = street.my_side.roots * street.mine.width
    room = rooms[0]
    for board in range(first, last):
        enter(street.their_leaves, above, street.theirs.width, room.reach)
        go_down(street, board, sources[0], room, mode)
        start, end = below.deals.board_start[board], below.deals.board_start[board + 1]
        last_street(below, start, end, start, keeps[1], sources[1], room.reach, rooms[1], out_below, mode, rates)
        finish_board(street, below, board, out_below, keeps[0], room, mode, rates)
        copy(out, board * size, room.value, 0, size)


@compiled
def only_street(streets, keeps, sources, roots, room, earned, first, last, mode, rates):
    """Passes of a spot that begins on its last street, for players `first` to `last` in turn; a row of `rates` each.

    `sources[player]` is what is kept of the player's opponent.
    """
    for t in range(len(rates)):
        now = rates_at(rates, t)
        for player in range(first, last):
            root, out = roots[1 - player], earned[player]
            copy(room.reach, 0, root, 0, len(root))
            last_board(streets[player], np.int64(0), keeps[player], sources[player], room, mode, now)
            copy(out, 0, room.value, 0, len(out))
