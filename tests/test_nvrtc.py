"""Kernels compiled by NVIDIA's own compiler, as CuPy does it on a device, whose absence it does not mind.

The twin says whether kernels are right; a C++ compiler takes what NVRTC refuses, and knows nothing of registers.
"""

import ctypes
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cuda_twin import Twin
from naive_response import MoodyByBucket
from pokerlab.device import CupyDevice
from pokerlab.form.compile import compile
from pokerlab.game.catalog import rules_of
from pokerlab.match.exact.cuda.engine import CudaEngine as CudaResponses
from pokerlab.match.exact.tree import PublicTree
from pokerlab.refine.spots.cuda.engine import CudaEngine
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import HALF, SINGLE
from pokerlab.solvers.on_device import DeviceRegretSolver, on_device
from pokerlab.solvers.regret import scheme_of
from random_spots import spot_of

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="there is no NVRTC for macOS")

REGISTERS = 65536  # of a processor of any of these devices
# Bytes of shared memory of a block of threads, and of a processor.
DEVICES = {"sm_80": (163 * 1024, 164 * 1024), "sm_89": (99 * 1024, 100 * 1024), "sm_90": (227 * 1024, 228 * 1024)}
FEW, MANY = ("22+,A2s+,KTo+", "TT+,AQ+"), ("22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+", "TT+")  # hands: one a thread, three


@cache
def library():
    spec = importlib.util.find_spec("nvidia")
    names = "cu13/lib/libnvrtc.so.*", "cu13/bin/**/nvrtc64_*_0.dll"
    (file,) = (file for place in spec.submodule_search_locations for name in names for file in Path(place).glob(name))
    return ctypes.CDLL(str(file))


def compiled(text, options):
    """What the compiler says."""
    nvrtc, program, size = library(), ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None) == 0
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    said = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, said)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    assert not failed, said.value.decode()
    return said.value.decode()


class Compiler(Twin):
    """A device that compiles and runs nothing."""

    def __init__(self, architecture):
        shared, together = DEVICES[architecture]
        super().__init__(threads=CupyDevice.threads, warp=CupyDevice.warp, shared=shared, rows=None, together=together)
        self.architecture, self.blocks, self.made = architecture, 264, []

    def compile(self, source, defined):
        """What its kernels take: (macros, {name: (registers, bytes spilled)})."""
        macros = [f"-D{name}={value}" for name, value in defined.items()]
        options = ["--std=c++17", f"--gpu-architecture={self.architecture}", "--ptxas-options=-v", *macros]
        said = compiled(source.text(), [option.encode() for option in options])
        told = re.findall(
            r"properties for (\w+)\n.* (\d+) bytes spill stores, (\d+) bytes spill loads\n.* Used (\d+) registers", said
        )
        taken = {name: (int(registers), int(stored) + int(loaded)) for name, stored, loaded, registers in told}
        assert taken.keys() == {*source.kernels}
        self.made.append((defined, taken))
        return lambda *_: None


@pytest.mark.parametrize(
    ("architecture", "precision", "ranges", "each"),
    [("sm_80", SINGLE, FEW, 1), ("sm_89", HALF, MANY, 3), ("sm_90", SINGLE, MANY, 3), ("sm_90", HALF, FEW, 1)],
)
def test_kernels_of_spots(architecture, precision, ranges, each):
    """As many blocks of threads as the engine counts on have registers enough, and little is kept outside of these."""
    device = Compiler(architecture)
    engine = CudaEngine(Shape(spot_of("Qs Jh 2h 4c", ranges)), device=device, precision=precision)
    for rows in ((1, 1), (0, 1), (0, 0)):
        engine._compile(rows)
    assert engine.defined["ROUNDS"] == each
    for defined, taken in device.made:
        registers, spilled = taken["last"]
        assert registers * defined["THREADS"] * defined["BLOCKS"] <= REGISTERS
        assert spilled < 512 * each  # by now 66 at most with a hand a thread, 842 with three
        for name in ("up", "collect", "down"):
            assert taken[name][0] * defined["THREADS"] <= REGISTERS


@pytest.mark.parametrize("architecture", DEVICES)
def test_kernels_of_best_responses(architecture):
    device, rules = Compiler(architecture), rules_of("holdem-limit")
    engine = CudaResponses(PublicTree(MoodyByBucket(1), rules, alike=True, dtype=np.float32), device)
    for street in range(1, len(rules.boards)):
        engine._compiled(street)
    for defined, taken in device.made:
        assert all(registers * defined["THREADS"] <= REGISTERS for registers, _ in taken.values())
    defined, taken = device.made[-1]
    assert taken["walk"][0] * defined["THREADS"] * defined["BLOCKS"] <= REGISTERS


@pytest.mark.parametrize("single", [False, True])
def test_kernels_of_games(single):
    for architecture in DEVICES:
        device = Compiler(architecture)
        DeviceRegretSolver(on_device(compile("leduc"), device), scheme_of("cfr+", single=single))
        assert len(device.made) == 4  # products and sweeps, for two players
        assert not any(spilled for _, taken in device.made for _, spilled in taken.values())
