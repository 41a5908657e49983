"""Four showdowns in Triton: lists are padded to powers of two, and sums of them are tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from _showdowns import HANDS, WARP, WIDTH, question, tried

try:
    import triton
    from triton import language as tl
except ImportError:
    triton = tl = None

WIDE, LONGEST = 2048, 64  # hands; cards, and the hands with a card
WARPS = 16  # which Triton counts in powers of two; with 8 it takes 125 registers a thread


def jit(function: Any) -> Any:
    return triton.jit(function) if triton else function


@jit
def showdowns_by_tensor(rows, pays, order, lists, places, earned, WIDTH, WIDE: tl.constexpr, LONGEST: tl.constexpr):
    """Row by row: of a table with four columns `gather` is made of shuffles, which take minutes to compile."""
    c, at = tl.arange(0, WIDE), tl.arange(0, LONGEST * LONGEST)
    for row in tl.static_range(4):
        panel = tl.load(rows + row * WIDTH + c, c < WIDTH, 0.0)
        every = tl.cumsum(tl.gather(panel, tl.load(order + c), 0), 0)
        cards = tl.reshape(tl.gather(panel, tl.load(lists + at), 0), (LONGEST, LONGEST))
        cards = tl.reshape(tl.cumsum(cards, 1), (LONGEST * LONGEST,))
        own = tl.gather(panel, tl.load(places + 6 * WIDE + c), 0)
        beaten, met = own, tl.sum(panel, 0) + own
        for k in tl.static_range(4, 6):
            beaten += tl.gather(every, tl.load(places + k * WIDE + c), 0)
        for k in tl.static_range(4):
            beaten -= tl.gather(cards, tl.load(places + k * WIDE + c), 0)
        for k in tl.static_range(7, 9):
            met -= tl.gather(cards, tl.load(places + k * WIDE + c), 0)
        called = tl.load(pays + row) * beaten - tl.load(pays + 4 + row) * met
        tl.store(earned + row * WIDTH + c, called, c < WIDTH)
        tl.store(earned + (4 + row) * WIDTH + c, tl.load(pays + 8 + row) * met, c < WIDTH)


class Tensor:
    """An array as the interpreter wants it, which asks for what PyTorch's tensors have."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.dtype, self.data_ptr = array, array.dtype, lambda: array.ctypes.data

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **more: self


def tensors() -> list[np.ndarray]:
    """The lists as a matrix, each with nothing before it, and places there: a card's last tells the whole list."""
    asked, n, nothing = question(), HANDS, WIDTH - 1
    order, lists = np.full(WIDE, nothing, np.int32), np.full((LONGEST, LONGEST), nothing, np.int32)
    order[1 : n + 1] = asked.order[:n]
    for card, (begin, end) in enumerate(zip(asked.start[:52], asked.start[1:53], strict=True)):
        lists[card, 1 : 1 + int(end) - int(begin)] = asked.order[begin:end]
    places, hands = np.zeros((9, WIDE), np.int32), asked.hands[:n].T.astype(np.int32)
    places[:7, :n] = hands[:7]
    for which, card in enumerate((hands[7] & 63, hands[7] >> 8)):
        for k in (2 * which, 2 * which + 1):
            places[k, :n] = LONGEST * card + np.where(hands[k] > 0, hands[k] - asked.start[card], 0)
        places[7 + which, :n] = LONGEST * card + LONGEST - 1
    return [asked.rows, asked.pays, order, lists, places]


def in_interpreter(times: int) -> dict[str, float]:
    given = [Tensor(array) for array in tensors()]
    return tried(lambda earned: showdowns_by_tensor[1,](*given, Tensor(earned), WIDTH, WIDE, LONGEST), times)


def by_triton() -> tuple[str, int]:
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    kinds = dict.fromkeys(("rows", "pays", "earned"), "*fp32") | dict.fromkeys(("order", "lists", "places"), "*i32")
    fixed = {"WIDE": WIDE, "LONGEST": LONGEST}
    names = showdowns_by_tensor.arg_names
    signature = {name: kinds.get(name, "constexpr" if name in fixed else "i32") for name in names}
    source = ASTSource(showdowns_by_tensor, signature, {(names.index(k),): v for k, v in fixed.items()})
    made = triton.compile(source, GPUTarget("cuda", 90, WARP), {"num_warps": WARPS, "enable_fp_fusion": True})
    return made.asm["ptx"], made.metadata.shared
