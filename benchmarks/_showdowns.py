"""Four showdowns of all 1,081 hands on a river, for `gpu_languages.py`: what is asked, and the naive answer.

It is the heart of the kernel `last` (`answers` in passes.cu): the opponent's four rows, summed along the list of all
its hands by strength and along those of the 52 cards, tell what each of my hands earns by calling and folding.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pokerlab.cards.evaluator import board_values
from pokerlab.cards.holes import HOLES
from pokerlab.refine.spots.cuda.engine import CudaEngine
from pokerlab.refine.spots.cuda.layout import listed
from pokerlab.refine.spots.shape import Shape
from spot import spot_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import cuda_twin

HANDS, WIDTH, WARP, THREADS, EACH = 1081, 1088, 32, 384, 3  # as the engine has it; EACH hands of a thread
BLOCKS = 2  # of threads on a processor at a time, which leaves a thread 80 registers
LISTED = listed(WIDTH)


class Question(NamedTuple):
    """The opponent's rows (4, width), what winning, losing and folding pay (3, 4), and the lists of layout.py."""

    rows: np.ndarray
    pays: np.ndarray
    order: np.ndarray
    start: np.ndarray
    hands: np.ndarray  # (width, 8)


class H200(cuda_twin.Twin):
    """As much of everything as on that device; nothing is compiled for it."""

    def __init__(self) -> None:
        super().__init__(threads=640, warp=WARP, shared=227 * 2**10, together=228 * 2**10)

    def compile(self, source: Any, defined: Any) -> Any:
        return None


@cache
def engine() -> CudaEngine:
    return CudaEngine(Shape(spot_of("river", "Qs Jh 2h 4c 7d", ("random", "random"), "50%", "50%")), device=H200())


@cache
def question() -> Question:
    arrays, rng = engine().views[engine().last][0].arrays, np.random.default_rng(0)
    rows = np.zeros((4, WIDTH), np.float32)
    rows[:, :HANDS] = rng.random((4, HANDS))
    order, start, hands = (arrays[name].view(np.uint16) for name in ("order", "start", "hand"))
    return Question(rows, rng.random((3, 4), np.float32), order, start, hands.reshape(WIDTH, 8))


def naive() -> np.ndarray:
    """(8, hands) what calling and then folding earns, from all pairs of hands that have no card in common."""
    holes, asked = engine().shape.holes[0], question()
    strength = board_values(engine().shape.boards[engine().last].boards[0])[holes].astype(np.int64)
    apart = ~(HOLES[holes][:, None, :, None] == HOLES[holes][None, :, None, :]).any(axis=(2, 3))
    won = apart * (1 + np.sign(strength[:, None] - strength))  # 2 of what is worse, 1 of what is equal
    rows, (win, lose, give) = asked.rows[:, :HANDS].astype(np.float64), asked.pays.astype(np.float64)[..., None]
    return np.concatenate([win * (rows @ won.T) - lose * (rows @ apart.T), give * (rows @ apart.T)])


def tried(run: Callable[[np.ndarray], object], times: int) -> dict[str, float]:
    """Seconds, the best of some runs after one that may compile; and how far from the naive answer."""
    earned, seconds = np.zeros((8, WIDTH), np.float32), []
    for _ in range(times + 1):
        began = time.perf_counter()
        run(earned)
        seconds.append(time.perf_counter() - began)
    return {"seconds": min(seconds[1:]), "error": float(abs(earned[:, :HANDS] - naive()).max() / abs(naive()).max())}
