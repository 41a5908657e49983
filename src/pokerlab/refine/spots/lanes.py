"""Vectors as a type of compiled code, each a line of the processor's cache: sixteen numbers in single precision, eight
in double; the type of an array says which.

Kernels that are written with lanes do not depend on the compiler's guesses about which arrays overlap. On a processor
with shorter registers LLVM splits a lane vector by itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, models, overload, register_model

_LINE = 64  # bytes: of a vector, and of a line of the processor's cache
LANES = _LINE // 4  # of single precision
_INDEX = ir.IntType(32)


def lanes_of(dtype: Any) -> int:
    """How many numbers of a kind are a vector."""
    return _LINE // np.dtype(dtype).itemsize


def aligned(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Zeros that start where a line of the cache does: vectors that straddle two lines take twice as long."""
    size, lanes = math.prod(shape), lanes_of(dtype)
    raw = np.zeros(size + lanes, dtype=dtype)
    skip = -raw.ctypes.data % _LINE // raw.itemsize
    return raw[skip : skip + size].reshape(shape)


class LanesType(types.Type):
    """The type of a vector of numbers; it lives in a register and cannot leave compiled code."""

    def __init__(self, element: types.Float) -> None:
        self.element, self.lanes = element, 8 * _LINE // element.bitwidth
        super().__init__(name=f"Lanes{self.lanes}")

    @property
    def vector(self) -> ir.VectorType:
        return ir.VectorType(ir.FloatType() if self.element is types.float32 else ir.DoubleType(), self.lanes)


TYPES = {element: LanesType(element) for element in (types.float32, types.float64)}


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


def pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any, vector: Any = None) -> Any:
    """Where a vector, by default one of the array's own numbers, is at array[at]."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), (vector or TYPES[kind.dtype].vector).as_pointer())


@intrinsic
def load(_context, array, at):  # type: ignore[no-untyped-def]
    """As many numbers as lanes, array[at : at + lanes]; the array is flat."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.load(pointer(context, builder, signature.args[0], *given), align=4)

    return TYPES[array.dtype](array, types.intp), generate


@intrinsic
def store(_context, array, at, lanes):  # type: ignore[no-untyped-def]
    """array[at : at + lanes] = lanes"""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array, at, lanes = given
        builder.store(lanes, pointer(context, builder, signature.args[0], array, at), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, TYPES[array.dtype]), generate


@intrinsic
def splat(_context, number):  # type: ignore[no-untyped-def]
    """The same number in all lanes."""
    kind = TYPES[number]

    def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        empty = ir.Constant(kind.vector, ir.Undefined)
        one = builder.insert_element(empty, given[0], ir.Constant(_INDEX, 0))
        return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(_INDEX, kind.lanes), [0] * kind.lanes))

    return kind(number), generate


@intrinsic
def where_positive(_context, asked, yes, no):  # type: ignore[no-untyped-def]
    """`yes` in the lanes where `asked` is above 0, `no` in the others."""

    def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        asked, yes, no = given
        return builder.select(builder.fcmp_ordered(">", asked, ir.Constant(asked.type, None)), yes, no)

    return asked(asked, yes, no), generate


@intrinsic
def larger(_context, first, second):  # type: ignore[no-untyped-def]
    """The larger one, lane by lane."""

    def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *given), *given)

    return first(first, second), generate


def _arithmetic(instruction: str, operation: Callable) -> None:
    """Let `operation` work on lanes; products and sums may be fused."""

    @intrinsic
    def apply(_context, first, second):  # type: ignore[no-untyped-def]
        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return getattr(builder, instruction)(*given, flags=("contract",))

        return first(first, second), generate

    @overload(operation)
    def overloaded(first, second):  # type: ignore[no-untyped-def]
        if isinstance(first, LanesType) and first == second:
            return lambda first, second: apply(first, second)
        return None


for _instruction, _operation in (("fadd", operator.add), ("fsub", operator.sub), ("fmul", operator.mul),
                                 ("fdiv", operator.truediv)):  # fmt: skip
    _arithmetic(_instruction, _operation)


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """LANES vectors as the columns of a square, turned into its rows: blocks of 8, 4, 2 and 1 change places."""
    block = LANES // 2
    while block:
        upper = [j if not j & block else LANES + j - block for j in range(LANES)]
        lower = [j + block if not j & block else LANES + j for j in range(LANES)]
        masks = [ir.Constant(ir.VectorType(_INDEX, LANES), mask) for mask in (upper, lower)]
        turned = list(rows)
        for i in range(LANES):
            if not i & block:
                for place, mask in zip((i, i + block), masks, strict=True):
                    turned[place] = builder.shuffle_vector(rows[i], rows[i + block], mask)
        rows, block = turned, block // 2
    return rows


def _row_pointers(context: Any, builder: Any, signature: Any, given: Any, array: int) -> list[Any]:
    """Of LANES rows of a table with `width` columns, at column `column`: array, rows, first, width, column follow."""
    table, rows, first, width, column = given[array : array + 5]
    numbers = context.make_array(signature.args[array + 1])(context, builder, rows).data
    pointers = []
    for i in range(LANES):
        number = builder.load(builder.gep(numbers, [builder.add(first, ir.Constant(first.type, i))]))
        at = builder.add(builder.mul(builder.sext(number, width.type), width), column)
        pointers.append(pointer(context, builder, signature.args[array], table, at))
    return pointers


def _square_pointers(context: Any, builder: Any, signature: Any, given: Any, array: int) -> list[Any]:
    """Of LANES vectors one after the other."""
    panel, at = given[array : array + 2]
    steps = (ir.Constant(at.type, i * LANES) for i in range(LANES))
    return [pointer(context, builder, signature.args[array], panel, builder.add(at, step)) for step in steps]


def _turned(taken: Callable[..., list[Any]], taken_at: int, into: Callable[..., list[Any]], into_at: int) -> Any:
    """Code that loads LANES vectors, turns them and stores them; `taken` and `into` say where they are."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        rows = [builder.load(p, align=4) for p in taken(context, builder, signature, given, taken_at)]
        targets = into(context, builder, signature, given, into_at)
        for pointer, lanes in zip(targets, _transposed(builder, rows), strict=True):
            builder.store(lanes, pointer, align=4)
        return context.get_dummy_value()

    return generate


@intrinsic
def columns_of_rows(_context, panel, at, table, rows, first, width, column):  # type: ignore[no-untyped-def]
    """Lane i of the LANES vectors from panel[at] on: table[rows[first + i], column : column + LANES]."""
    signature = types.void(panel, types.intp, table, rows, types.intp, types.intp, types.intp)
    return signature, _turned(_row_pointers, 2, _square_pointers, 0)


@intrinsic
def rows_of_columns(_context, panel, at, table, rows, first, width, column):  # type: ignore[no-untyped-def]
    """The way back: lane i of the LANES vectors from panel[at] on goes to its row of the table."""
    signature = types.void(panel, types.intp, table, rows, types.intp, types.intp, types.intp)
    return signature, _turned(_square_pointers, 0, _row_pointers, 2)
