"""Four showdowns in numba-cuda, as in passes.cu.

Its simulator has no shuffles, no barrier of a warp, and in shared memory no vectors: these are made up here.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from unittest import mock

import numpy as np
from numba import cuda, types

from _showdowns import BLOCKS, EACH, LISTED, THREADS, WARP, WIDTH, question, tried
from pokerlab.refine.spots.cuda.layout import LISTS, NO_CARDS

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
POOL = WIDTH + LISTED + 1 + 53 + THREADS // WARP
SHARED = 16 * POOL + 2 * (LISTED + LISTS)
device = cuda.jit(device=True)
if SIMULATED or not find_spec("numba_cuda"):
    FLOAT4, MADE_UP = object, np.empty(POOL + THREADS, object)
else:
    from numba.cuda.vector_types import vector_types

    FLOAT4 = vector_types["float32x4"]


def simulated_shuffle(x, by):
    me = cuda.threadIdx.x
    MADE_UP[POOL + me] = x
    cuda.syncthreads()
    given = MADE_UP[POOL + me - by] if me % WARP >= by else x
    cuda.syncthreads()
    return given


@device
def real_shuffle(x, by):
    a, b = cuda.shfl_up_sync(0xFFFFFFFF, x.x, by), cuda.shfl_up_sync(0xFFFFFFFF, x.y, by)
    return cuda.float32x4(a, b, cuda.shfl_up_sync(0xFFFFFFFF, x.z, by), cuda.shfl_up_sync(0xFFFFFFFF, x.w, by))


from_below = simulated_shuffle if SIMULATED else real_shuffle


@device
def zeros():
    return cuda.float32x4(0.0, 0.0, 0.0, 0.0)


@device
def plus(a, b):
    return cuda.float32x4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w)


@device
def less(a, b, c):
    return cuda.float32x4(a.x - b.x - c.x, a.y - b.y - c.y, a.z - b.z - c.z, a.w - b.w - c.w)


@device
def times_pay(pay, a):
    return cuda.float32x4(pay[0] * a.x, pay[1] * a.y, pay[2] * a.z, pay[3] * a.w)


@device
def put(rows, first, column, x):
    rows[first, column], rows[first + 1, column], rows[first + 2, column], rows[first + 3, column] = x.x, x.y, x.z, x.w


@device
def count_cards(panel, prefix, sums, order, start):
    """As in passes.cu, but that all threads come by every shuffle: in the simulator they wait for the whole block."""
    part, card, begin, each = cuda.threadIdx.x % 4, cuda.threadIdx.x // 4, 0, 0
    if card < 52:
        begin, each = start[card], (start[card + 1] - start[card]) // 4
    first, last, run = begin + part * each, begin + (part + 1) * each, zeros()
    for e in range(first, last):
        run = plus(run, panel[order[e]])
    for by in (1, 2):
        before = from_below(run, by)
        if part >= by:
            run = plus(run, before)
    if card < 52 and part == 3:
        sums[card] = run
    run = from_below(run, 1)
    if part == 0:
        run = zeros()
    taken = cuda.local.array(4, FLOAT4)
    for e in range(first, last, 4):
        for i in range(4):
            taken[i] = panel[order[e + i]] if e + i < last else zeros()
        for i in range(4):
            run = plus(run, taken[i])
            if e + i < last:
                prefix[e + i + 1] = run


@device
def scan(panel, prefix, sums, carries, order, count):
    me, lane, warp, run = cuda.threadIdx.x, cuda.threadIdx.x % WARP, cuda.threadIdx.x // WARP, zeros()
    local = cuda.local.array(EACH, FLOAT4)
    for i in range(EACH):
        if EACH * me + i < count:
            run = plus(run, panel[order[EACH * me + i]])
        local[i] = run
    for by in (1, 2, 4, 8, 16):
        before = from_below(run, by)
        if lane >= by:
            run = plus(run, before)
    if lane == WARP - 1:
        carries[warp] = run
    carry = from_below(run, 1)
    if lane == 0:
        carry = zeros()
    cuda.syncthreads()
    for w in range(warp):
        carry = plus(carry, carries[w])
    for i in range(EACH):
        at = EACH * me + i
        if at < count:
            prefix[at + 1] = plus(local[i], carry)
        if at == count - 1:
            sums[52] = plus(local[i], carry)


@device
def showdowns(pool, rows, pays, all_order, all_start, hands, earned):
    me = cuda.threadIdx.x
    panel, prefix = pool[:WIDTH], pool[WIDTH : WIDTH + LISTED + 1]
    sums, carries = pool[WIDTH + LISTED + 1 : WIDTH + LISTED + 54], pool[WIDTH + LISTED + 54 : POOL]
    words = cuda.shared.array(0, types.uint16)
    order, start = words[8 * POOL : 8 * POOL + LISTED], words[8 * POOL + LISTED : 8 * POOL + LISTED + LISTS]
    own = cuda.local.array(EACH, FLOAT4)
    for i in range(me, LISTED, THREADS):
        order[i] = all_order[i]
    for i in range(me, LISTS, THREADS):
        start[i] = all_start[i]
    if me == 0:
        prefix[0] = zeros()
    for c in range(me, WIDTH, THREADS):
        panel[c] = cuda.float32x4(rows[0, c], rows[1, c], rows[2, c], rows[3, c])
    cuda.syncthreads()
    for r in range(EACH):
        own[r] = panel[hands[min(me + r * THREADS, WIDTH - 1), 6]]
    count_cards(panel, prefix, sums, order, start)
    scan(panel, prefix, sums, carries, order, start[53])
    cuda.syncthreads()
    for r in range(EACH):
        c = me + r * THREADS
        if c < WIDTH:
            hand, met = hands[c], zeros()
            if hand[7] != NO_CARDS:
                met = plus(less(sums[52], sums[hand[7] & 63], sums[hand[7] >> 8]), own[r])
            worse = less(prefix[hand[4]], prefix[hand[0]], prefix[hand[2]])
            equal = less(prefix[hand[5]], prefix[hand[1]], prefix[hand[3]])
            won = times_pay(pays[0], plus(worse, plus(equal, own[r])))
            put(earned, 0, c, less(won, times_pay(pays[1], met), zeros()))
            put(earned, 4, c, times_pay(pays[2], met))


def simulated_showdowns(rows, pays, order, start, hands, earned):
    showdowns(MADE_UP, rows, pays, order, start, hands, earned)


def real_showdowns(rows, pays, order, start, hands, earned):
    showdowns(cuda.shared.array(0, FLOAT4, alignment=16), rows, pays, order, start, hands, earned)


def in_simulator(times: int) -> dict[str, float]:
    asked, kernel = question(), cuda.jit(simulated_showdowns)
    given = asked.rows, asked.pays, asked.order, asked.start, asked.hands
    return tried(lambda earned: kernel[1, THREADS, 0, SHARED](*given, earned), times)


def by_numba() -> tuple[str, int]:
    """What a kernel calls is compiled for the device that is there: one is made up."""
    table, row = types.float32[:, ::1], types.uint16[::1]
    given = types.void(table, table, row, row, types.uint16[:, ::1], table)
    with mock.patch("numba.cuda.dispatcher.get_current_device", return_value=mock.Mock(compute_capability=(9, 0))):
        ptx, _ = cuda.compile(
            real_showdowns, given, device=False, abi="numba", cc=(9, 0), launch_bounds=(THREADS, BLOCKS)
        )
    return ptx, SHARED
