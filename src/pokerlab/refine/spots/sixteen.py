"""Regrets and averages in sixteen bits a number, and how kernels and numpy read and write them.

The type of an array says what its numbers are. Averages (uint16) are probabilities in steps of 1/65535. Regrets (int16)
are means over the iterations, as parts of the most that a hand can gain or lose. They are floating-point numbers from
2^-40 to 2, and what is positive does not become 0: lines that are hardly ever played have a strategy, too. Above 0,
which strategies are made of, they have a fraction of ten bits, and below, where regrets are soon forgotten, of nine.
Their bits, shifted, are those of a single-precision number, and one product does the rest. What single precision keeps
(float32) is read and written as it is.

A change that is smaller than a step would be lost if numbers were rounded to the nearest. They are rounded up or down
instead, up as often as they are near to it: by a sequence that fills the unit interval evenly over iterations and
places (Roberts' R2), the same whatever threads there are and wherever a run was interrupted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from pokerlab.compiled import njit
from pokerlab.errors import SpotError
from pokerlab.refine.spots.lanes import LANES, TYPES, pointer

SINGLE, HALF = "single", "half"
PRECISIONS = (SINGLE, HALF)
REGRET, AVERAGE = np.dtype(np.int16), np.dtype(np.uint16)  # of half precision
STEPS = 65535  # of an average, from 0 to 1

_EXPONENTS = 42  # the first is that of 0 alone
_DROPPED, _COARSER = 13, 1  # bits of a single-precision number's fraction, and how many more below 0
_ABOVE, _BELOW = _EXPONENTS << 10, _EXPONENTS << 9  # codes from 0 on, and after these
_UP = 2.0 ** (128 - _EXPONENTS)  # the last exponent becomes that of numbers from 1 to 2
_BY_PLACE, _BY_TIME = 3242174889, 2447445413  # R2: parts of 2^32


def check_precision(precision: str) -> None:
    """Raise SpotError unless there is such a precision."""
    if precision not in PRECISIONS:
        raise SpotError(f"no precision {precision!r}; there are {', '.join(PRECISIONS)}")


def bytes_each(precision: str) -> int:
    """That a kept number takes."""
    return 4 if precision == SINGLE else 2


def plain(kept: np.ndarray) -> np.ndarray:
    """What is kept, as single-precision numbers."""
    if kept.dtype == AVERAGE:
        return kept.astype(np.float32) * np.float32(1 / STEPS)
    if kept.dtype == REGRET:
        code = kept.view(np.uint16).astype(np.uint32)
        below = code >= _ABOVE
        bits = np.where(below, (code - np.uint32(_ABOVE)) << np.uint32(_COARSER), code) << np.uint32(_DROPPED)
        return (bits | below.astype(np.uint32) << np.uint32(31)).view(np.float32) * np.float32(_UP)
    return kept


def coded(numbers: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Numbers as they are kept, each the nearest that there is."""
    if kind == AVERAGE:
        return np.rint(np.clip(numbers, 0, 1) * STEPS).astype(AVERAGE)
    if kind == REGRET:
        bits = np.ascontiguousarray(np.asarray(numbers, np.float32) * np.float32(1 / _UP)).view(np.uint32)
        size, below = bits & np.uint32(0x7FFFFFFF), bits >= 1 << 31
        dropped = np.where(below, np.uint32(_DROPPED + _COARSER), np.uint32(_DROPPED))
        code = (size + (np.uint32(1) << (dropped - np.uint32(1)))) >> dropped
        least, codes = np.uint32(1 << 23) >> dropped, np.where(below, np.uint32(_BELOW), np.uint32(_ABOVE))
        code = np.minimum(np.where(code < least, np.where(below | (size == 0), 0, least), code), codes - 1)
        return np.where(below, code + _ABOVE, code).astype(np.uint16).view(REGRET)
    return numbers.astype(kind)


@njit(cache=True, nogil=True)
def proportions(blocks: np.ndarray, roots: int, width: int, kept: np.ndarray, steps: np.ndarray) -> None:
    """Averages of a board (tiles of all blocks, not scaled to 1) as probabilities in `steps`; of nothing, even ones."""
    for b in range(len(blocks)):
        at, n = (blocks[b, 0] - roots) * width, blocks[b, 2]
        for i in range(0, width, LANES):
            for lane in range(LANES):
                k, total = at + i * n + lane, np.float32(0)
                for a in range(n):
                    total += kept[k + a * LANES]
                for a in range(n):
                    chance = kept[k + a * LANES] / total if total > 0 else np.float32(1) / np.float32(n)
                    steps[k + a * LANES] = np.uint16(np.rint(chance * np.float32(STEPS)))


# ---- in kernels

_SINGLE = TYPES[types.float32]
_INT = ir.IntType(32)
_BITS, _SHORT = ir.VectorType(_INT, LANES), ir.VectorType(ir.IntType(16), LANES)


def _bits(number: int) -> ir.Constant:
    return ir.Constant(_BITS, [number] * LANES)


def _numbers(number: float) -> ir.Constant:
    return ir.Constant(_SINGLE.vector, [number] * LANES)


def _dither(builder: Any, at: Any, time: Any, by_place: int, by_time: int) -> Any:
    """32 bits for every lane: place * by_place + time * by_time."""
    wide, none = at.type, ir.Constant(_BITS, ir.Undefined)
    start = builder.add(builder.mul(at, ir.Constant(wide, by_place)), builder.mul(time, ir.Constant(wide, by_time)))
    one = builder.insert_element(none, builder.trunc(start, _INT), ir.Constant(_INT, 0))
    steps = ir.Constant(_BITS, [lane * by_place % 2**32 for lane in range(LANES)])
    return builder.add(builder.shuffle_vector(one, none, _bits(0)), steps)


def _least(builder: Any, bits: Any, most: int) -> Any:
    return builder.select(builder.icmp_unsigned("<", bits, _bits(most)), bits, _bits(most))


def _regret_bits(builder: Any, lanes: Any, dither: Any) -> Any:
    """As in `coded`, but for what is added before bits are dropped."""
    bits = builder.bitcast(builder.fmul(lanes, _numbers(1 / _UP)), _BITS)
    size, below = builder.and_(bits, _bits(0x7FFFFFFF)), builder.icmp_signed("<", bits, _bits(0))

    def code(dropped: int, small: Any, codes: int) -> Any:
        code = builder.lshr(builder.add(size, builder.lshr(dither, _bits(32 - dropped))), _bits(dropped))
        code = builder.select(builder.icmp_unsigned("<", code, _bits(1 << (23 - dropped))), small, code)
        return _least(builder, code, codes - 1)

    some = builder.select(builder.icmp_unsigned(">", size, _bits(0)), _bits(1 << (23 - _DROPPED)), _bits(0))
    under = builder.add(code(_DROPPED + _COARSER, _bits(0), _BELOW), _bits(_ABOVE))
    return builder.select(below, under, code(_DROPPED, some, _ABOVE))


def _average_bits(builder: Any, lanes: Any, dither: Any) -> Any:
    """Steps, and a part of one from 0 to below 1, without what is left over."""
    part = builder.or_(builder.lshr(dither, _bits(9)), _bits(0x3F800000))  # from 1 to below 2
    part = builder.fsub(builder.bitcast(part, _SINGLE.vector), _numbers(1.0))
    steps = builder.fadd(builder.fmul(lanes, _numbers(float(STEPS))), part)
    return _least(builder, builder.fptosi(steps, _BITS), STEPS)


@intrinsic
def take(_context, array, at):  # type: ignore[no-untyped-def]
    """LANES numbers of what is kept, array[at : at + LANES], in single precision; the array is flat."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind, (array, at) = signature.args[0], given
        if kind.dtype is types.float32:
            return builder.load(pointer(context, builder, kind, array, at), align=4)
        short = builder.load(pointer(context, builder, kind, array, at, _SHORT), align=2)
        code = builder.zext(short, _BITS)
        if kind.dtype is types.uint16:
            return builder.fmul(builder.sitofp(code, _SINGLE.vector), _numbers(float(np.float32(1 / STEPS))))
        below = builder.icmp_unsigned(">=", code, _bits(_ABOVE))
        under = builder.shl(builder.sub(code, _bits(_ABOVE)), _bits(_COARSER))
        bits = builder.shl(builder.select(below, under, code), _bits(_DROPPED))
        bits = builder.or_(bits, builder.select(below, _bits(1 << 31), _bits(0)))
        return builder.fmul(builder.bitcast(bits, _SINGLE.vector), _numbers(_UP))

    return _SINGLE(array, types.intp), generate


@intrinsic
def keep(_context, array, at, lanes, time):  # type: ignore[no-untyped-def]
    """Keep LANES numbers as array[at : at + LANES], rounded as iteration `time` has it."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind, (array, at, lanes, time) = signature.args[0], given
        if kind.dtype is types.float32:
            builder.store(lanes, pointer(context, builder, kind, array, at), align=4)
            return context.get_dummy_value()
        if kind.dtype is types.uint16:
            code = _average_bits(builder, lanes, _dither(builder, at, time, _BY_TIME, _BY_PLACE))
        else:
            code = _regret_bits(builder, lanes, _dither(builder, at, time, _BY_PLACE, _BY_TIME))
        builder.store(builder.trunc(code, _SHORT), pointer(context, builder, kind, array, at, _SHORT), align=2)
        return context.get_dummy_value()

    return types.void(array, types.intp, _SINGLE, types.intp), generate


@intrinsic
def weighed(_context, array, lanes, weight):  # type: ignore[no-untyped-def]
    """What an iteration adds to a mean that is kept: `lanes` times `weight`. To a sum it adds them as they are."""

    def generate(_context: Any, builder: Any, signature: Any, given: Any) -> Any:
        _, lanes, weight = given
        return lanes if signature.args[0].dtype is types.float32 else builder.fmul(lanes, weight, flags=("contract",))

    return _SINGLE(array, _SINGLE, _SINGLE), generate
