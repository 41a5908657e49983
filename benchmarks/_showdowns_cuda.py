"""Four showdowns in CUDA C: passes.cu itself, with a kernel that calls its `answers` once."""

from __future__ import annotations

import numpy as np

from _showdowns import BLOCKS, THREADS, WARP, WIDTH, cuda_twin, engine, question, tried
from pokerlab.refine.spots.cuda.engine import KERNELS, shared_of
from pokerlab.refine.spots.cuda.layout import FACING
from pokerlab.refine.spots.lanes import LANES

KERNEL = """
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    showdowns(const Street street) {
    POOL(pool);
    const Work work = work_in(pool, street.their_width, street.listed);
    const Columns<ROUNDS> theirs = {(int)threadIdx.x, (int)blockDim.x, street.their_width};
    const Columns<ROUNDS> mine = {(int)threadIdx.x, (int)blockDim.x, street.my_width};
    take_lists(work, street, 0);
    Hand hands[ROUNDS];
    for (int r = 0; r < ROUNDS; ++r) hands[r] = street.hand[mine.has(r) ? mine[r] : street.my_width - 1];
    __syncthreads();
    answers(work, street.facing, 1, theirs, mine, hands, street.reach, street.value);
}
"""


def in_twin(times: int) -> dict[str, float]:
    street, facing = engine().views[engine().last][0].street.copy(), np.zeros(1, FACING)
    for name, first in (("from", 0), ("call", 0), ("fold", 4)):
        facing[name]["base"], facing[name]["step"] = (first + np.arange(4)) * WIDTH, LANES
    for name, paid in zip(("win", "lose", "give"), question().pays, strict=True):
        facing[name] = paid
    macros = [f"-D{name}={value}" for name, value in macros_of().items() if name not in ("THREADS", "BLOCKS")]
    there = cuda_twin.library(KERNELS.text() + KERNEL, (f"-DWARP={WARP}", *macros))

    def run(earned: np.ndarray) -> None:
        for name, array in (("reach", question().rows), ("value", earned), ("facing", facing)):
            street[name] = array.ctypes.data
        there["call_showdowns"](1, 1, THREADS, shared_of(WIDTH, THREADS // WARP), 0, cuda_twin.as_ctypes(street))

    return tried(run, times)


def macros_of() -> dict[str, int]:
    return engine().defined | {"BLOCKS": BLOCKS, "REACH_SHARED": 1, "VALUE_SHARED": 1}


def by_nvrtc() -> tuple[str, int]:
    """PTX, and bytes of shared memory that are asked for at the launch, without what only `bets` needs."""
    from cuda.bindings import nvrtc

    source = (KERNELS.text() + KERNEL).encode()
    options = [b"--std=c++17", b"--gpu-architecture=compute_90"]
    options += [f"-D{name}={value}".encode() for name, value in macros_of().items()]
    program = nvrtc.nvrtcCreateProgram(source, b"passes.cu", 0, [], [])[1]
    if nvrtc.nvrtcCompileProgram(program, len(options), options)[0]:
        raise SystemExit("NVRTC does not compile passes.cu")
    text = bytes(nvrtc.nvrtcGetPTXSize(program)[1])
    nvrtc.nvrtcGetPTX(program, text)
    return text.decode().rstrip("\0"), shared_of(WIDTH, THREADS // WARP) - 16 * (WIDTH + 53)
