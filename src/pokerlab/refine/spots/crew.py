"""Passes of a spot with streets to come, whole iterations in one call, by several threads.

One thread leads. It goes down the first street and opens tickets for the boards of the second; everybody, the leader
too, takes tickets, each a pass on a few boards and all the boards after them; when all are done the leader goes up the
first street and on to the next pass. A thread takes those of its own share first, the same in every pass, because what
is kept of them lies in its processor's cache, and then what others have left.

Nobody ever waits for a thread that has not begun, so that a busy machine costs no more than the thread that it lacks.
Boards write to places of their own and are added in one order: the number of threads changes nothing.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from pokerlab.refine.spots.kernels import (
    compiled,
    copy,
    finish_board,
    go_down,
    inlined,
    last_street,
    middle_street,
    rates_at,
)

# Of a desk, each on a line of the cache of its own: tickets of a share that are opened, those of all shares that are
# done, whether it is closed, and those that are taken of every share.
OPEN, DONE, CLOSED, TAKEN = 0, 16, 32, 48
_LINE = 16
_PATIENCE = 200  # looks at the desk before the thread lets others have the processor


def desk(shares: int) -> np.ndarray:
    """A new one, for one call of `serve` by each of so many threads."""
    return np.zeros(TAKEN + _LINE * shares, dtype=np.int64)


@intrinsic
def _read(_context, array, at):
    """array[at], as another thread left it; what that thread wrote before is seen from then on."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        return builder.load_atomic(builder.gep(data, [given[1]]), "acquire", 8)

    return types.int64(array, types.intp), generate


@intrinsic
def _write(_context, array, at, number):
    """array[at] = number; who reads it sees all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        builder.store_atomic(given[2], builder.gep(data, [given[1]]), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), generate


@intrinsic
def _add(_context, array, at, number):
    """array[at] += number, at once."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        return builder.atomic_rmw("add", builder.gep(data, [given[1]]), given[2], "acq_rel")

    return types.int64(array, types.intp, types.int64), generate


@intrinsic
def _swapped(_context, array, at, old, new):
    """Whether array[at] was `old`, and is `new` now."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        place = builder.gep(data, [given[1]])
        return builder.extract_value(builder.cmpxchg(place, given[2], given[3], "acq_rel", "acquire"), 1)

    return types.boolean(array, types.intp, types.int64, types.int64), generate


@intrinsic
def _rest(_context):
    """Let another thread have the processor."""

    def generate(context: Any, builder: Any, _signature: Any, _given: Any) -> Any:
        if sys.platform != "win32":
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


@inlined
def take(desk, share):
    """A ticket of this share; -1 if none is open."""
    at = TAKEN + _LINE * share
    while True:
        taken = _read(desk, at)
        if taken >= _read(desk, OPEN):
            return np.int64(-1)
        if _swapped(desk, at, taken, taken + 1):
            return taken


@compiled
def next_boards(streets, stores, sources, above, rooms, deep, out, player, start, end, mode, rates):
    """A pass on boards `start` to `end` of the second street, with all boards after them."""
    street, keep, source, room = streets[1][player], stores[1][player], sources[1][player], rooms[1]
    if len(streets) == 2:
        last_street(street, start, end, 0, keep, source, above, room, out, mode, rates)
    else:
        below, keeps, both = streets[2][player], (keep, stores[2][player]), (source, sources[2][player])
        both_rooms = (room, rooms[2])
        middle_street(street, below, start, end, keeps, both, above, both_rooms, deep, out, mode, rates)


@inlined
def tickets_of(boards, shares, each):
    """How many tickets a share has in a pass; the last may be for no board."""
    return -(-boards // (shares * each))


@inlined
def work(desk, mine, shares, each, streets, stores, sources, above, rooms, deep, outs, first, last, mode, rates):
    """Take tickets, of the share `mine` first, until none is open; `each` boards a ticket."""
    boards = len(streets[1][0].mine.alive)
    tickets = tickets_of(boards, shares, each)
    for k in range(shares):
        share = (mine + k) % shares
        ticket = take(desk, share)
        while ticket >= 0:
            number, start = ticket // tickets, (share * tickets + ticket % tickets) * each
            player, t, end = first + number % (last - first), number // (last - first), min(start + each, boards)
            now, out = rates_at(rates, t), outs[player]
            next_boards(streets, stores, sources, above, rooms, deep[player], out, player, start, end, mode, now)
            _add(desk, DONE, 1)
            ticket = take(desk, share)


@inlined
def wait_for_tickets(desk, seen):
    """How many are opened in all, once that is more than were `seen`; -1 if the desk is closed."""
    looks = 0
    while True:
        if _read(desk, CLOSED):
            return np.int64(-1)
        opened = _read(desk, OPEN)
        if opened > seen:
            return opened
        looks += 1
        if looks > _PATIENCE:
            _rest()


@inlined
def wait_until_done(desk, tickets):
    """Until so many are done in all."""
    looks = 0
    while _read(desk, DONE) < tickets:
        looks += 1
        if looks > _PATIENCE:
            _rest()


@compiled
def serve(
    desk, mine, shares, each, streets, stores, sources, roots, above, rooms, deep, outs, earned, first, last, mode,
    rates,
):  # fmt: skip
    """Passes for players `first` to `last` in turn, an iteration a row of `rates`; what hands earn goes to `earned`.

    The thread with the share 0 leads; the others work on boards until the desk is closed.
    """
    room, opened, passes = rooms[0], np.int64(0), 0
    tickets, players = tickets_of(len(streets[1][0].mine.alive), shares, each), last - first
    while passes < len(rates) * players:
        player, now = first + passes % players, rates_at(rates, passes // players)
        if mine == 0:
            root = roots[1 - player]
            copy(above, 0, root, 0, len(root))
            go_down(streets[0][player], np.int64(0), sources[0][player], room, mode)
            opened += tickets
            _write(desk, OPEN, opened)
        else:
            opened = wait_for_tickets(desk, opened)
            if opened < 0:
                break
        work(desk, mine, shares, each, streets, stores, sources, above, rooms, deep, outs, first, last, mode, rates)
        if mine == 0:
            wait_until_done(desk, opened * shares)
            keep, out = stores[0][player], earned[player]
            finish_board(streets[0][player], streets[1][player], np.int64(0), outs[player], keep, room, mode, now)
            copy(out, 0, room.value, 0, len(out))
            passes += 1
    _write(desk, CLOSED, 1)
