"""Threads of devices' kernels do not race: the twin watches all that they read and write (cuda_races.h).

Nor is there a barrier, but for one that is known, that could be left out: without it they would.
"""

import re

import numpy as np
import pytest

from cuda_twin import COMPILER, Twin, as_ctypes, library
from naive_response import MoodyByBucket, holdem
from pokerlab.form.compile import compile
from pokerlab.game.catalog import rules_of
from pokerlab.match.exact.cuda import engine as responses
from pokerlab.match.exact.tree import PublicTree
from pokerlab.refine.spots.cuda import engine as spots
from pokerlab.refine.spots.cuda.engine import least_shared
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import HALF, SINGLE
from pokerlab.solvers.on_device import DeviceRegretSolver, on_device
from pokerlab.solvers.regret import scheme_of
from random_spots import random_spot

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here to compile the kernels with")

RACES = "that another one is at|that nobody has written"
BARRIER = re.compile(r"__syncthreads\(\);")
# Of the barrier before this: folds have one of their own before anybody looks at what comes from other threads.
SPARE = "folds(work, street, group, street.hand"


MEET = """
struct Given { int *place; int spread, waits, reads; };
extern "C" __global__ void meet(const Given given) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    int *mine = given.place + given.spread * me;
    if (given.reads ? threadIdx.x == 0 && blockIdx.x == 0 : true) *mine = me;
    if (given.waits) __syncthreads();
    if (given.reads && given.place[0] < 0) *mine = 1;
}
"""


@pytest.mark.parametrize(
    ("blocks", "threads", "spread", "waits", "reads", "race"),
    [
        (1, 8, 1, 0, 0, ""), (2, 8, 1, 0, 0, ""), (1, 1, 0, 0, 0, ""), (1, 8, 1, 1, 1, ""),
        (1, 8, 0, 0, 0, "writes to"), (2, 1, 0, 0, 0, "writes to"), (1, 8, 1, 0, 1, "reads"),
        (2, 4, 1, 1, 1, "reads"),  # a barrier is of a block alone
    ],
)  # fmt: skip
def test_who_meets_is_seen(blocks, threads, spread, waits, reads, race):
    """In memory of all blocks: each thread at a place of its own or all at one, or one writes what all read."""
    place = np.zeros(64, np.int32)
    given = np.zeros(1, np.dtype([("place", "u8"), ("rest", "i4", 3), ("spare", "i4")]))
    given["place"], given["rest"] = place.ctypes.data, (spread, waits, reads)
    there = library(MEET, ("-DWARP=4" if threads > 1 else "-DWARP=1",), races=True)
    there.call_meet(blocks, 1, threads, 0, 0, as_ctypes(given))
    told = there.race().decode()
    assert race in told
    assert bool(told) == bool(race)


def river():
    return random_spot(np.random.default_rng(0), 2, (20, 20), cards=14)


def turn():
    """With more bets to fold to than are evaluated at a time."""
    more = {"bet": "50%, 100%, 150%, 200%", "raise_": "", "stack": 900, "cards": 20}
    return random_spot(np.random.default_rng(2), 1, (6, 9), **more)


def stepped(spot, twin, precision=SINGLE):
    """An iteration and a best response."""
    shape = Shape(spot, isomorphism=False)
    if twin.shared is None:
        twin.shared = least_shared(shape, twin)
    engine = spots.CudaEngine(shape, device=twin, precision=precision)
    engine.step(1)
    engine.walk(0, best=True)


def responded(rules, twin):
    tree = PublicTree(MoodyByBucket(1), rules)
    engine = responses.CudaEngine(tree, twin)
    for seat in range(2):
        engine.worth(seat, tree._arrived(seat), tree.flops[0])


# Two cards and one, rounds after the first that have betting and that have none.
GAMES = {
    "a turn": holdem(3, 2, ranks=4, suits=2), "two cards": holdem(2, 2, ranks=4, suits=3),
    "no betting": holdem(3, 0, ranks=4, suits=2), "leduc": rules_of("leduc"),
}  # fmt: skip


def all_responded(change):
    for rules in GAMES.values():
        responded(rules, Twin(races=True, change=change))


@pytest.mark.parametrize(
    ("spot", "options", "precision"),
    [
        (river, {}, HALF), (river, {"shared": None, "rows": 1}, SINGLE),
        (turn, {"rows": 1, "together": 20 * 1024, "backwards": True}, SINGLE),
        (turn, {"threads": 16, "warp": 8}, HALF),
    ],
)  # fmt: skip
def test_spots(spot, options, precision):
    stepped(spot(), Twin(races=True, **options), precision)


@pytest.mark.parametrize("game", GAMES)
def test_best_responses(game):
    responded(GAMES[game], Twin(races=True))


@pytest.mark.parametrize("single", [False, True])
def test_games(single):
    for name in ("kuhn", "leduc"):
        solver = DeviceRegretSolver(on_device(compile(name), Twin(races=True)), scheme_of("cfr+", single=single))
        solver.step(2)


def places(source, but="nothing"):
    """Of the barriers of a source, but for one before some text: (begin, end, line)."""
    text = source.text()
    found = [(*found.span(), text[: found.start()].count("\n") + 1) for found in BARRIER.finditer(text)]
    return [place for place in found if not text[place[1] :].lstrip().startswith(but)]


@pytest.mark.parametrize(("begin", "end", "line"), places(spots.KERNELS, but=SPARE))
def test_no_barrier_of_spots_can_be_left_out(begin, end, line):
    text = spots.KERNELS.text()
    twin = Twin(rows=1, races=True, change=lambda _: text[:begin] + text[end:])
    with pytest.raises(AssertionError, match=RACES):
        stepped(turn(), twin)


@pytest.mark.parametrize(("begin", "end", "line"), places(responses.KERNELS))
def test_no_barrier_of_best_responses_can_be_left_out(begin, end, line):
    text = responses.KERNELS.text()
    with pytest.raises(AssertionError, match=RACES):
        all_responded(lambda _: text[:begin] + text[end:])
