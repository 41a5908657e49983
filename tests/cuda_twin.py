"""A device that is none: the kernels of passes.cu, compiled for the processor by the system's C++ compiler.

Threads of a block are fibers that take turns (cuda_twin.h), so that barriers, shuffles and shared memory are tried as
they are; with one thread a block, larger spots are soon done.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

from pokerlab.errors import SpotError
from pokerlab.refine.spots.cuda.device import KERNELS, source

HEADER = Path(__file__).with_name("cuda_twin.h")
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
_FOLDER = tempfile.TemporaryDirectory()

_CALLS = "".join(
    f"""
extern "C" void call_{name}(int x, int y, int threads, int shared, int backwards, const Street *street, int mode,
                            float above, float below, float average, const Items *chosen) {{
    twin::launch([=] {{ {name}(*street, mode, above, below, average, *chosen); }}, x, y, threads, shared, backwards);
}}
"""
    for name in KERNELS
)


@cache
def library(text: str, options: tuple[str, ...]) -> ctypes.CDLL:
    """A source with the header before it, compiled once."""
    name = hashlib.sha256(repr((text, options)).encode()).hexdigest()[:16]
    code, made = Path(_FOLDER.name, f"{name}.cpp"), Path(_FOLDER.name, f"{name}.so")
    code.write_text(f'#include "{HEADER}"\n{text}\n{_CALLS}')
    command = [COMPILER, "-std=c++17", "-O1", "-w", "-shared", "-fPIC", *options, str(code), "-o", str(made)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ctypes.CDLL(str(made))


class Twin:
    """Blocks of up to `threads` threads in warps of `warp`; `change` may spoil the source."""

    xp = np

    def __init__(
        self,
        *,
        threads=8,
        warp=4,
        shared=96 * 1024,
        rows=400,
        together=24 * 1024,
        backwards=False,
        change=lambda text: text,
    ):
        self.threads, self.warp, self.shared, self.rows, self.blocks = threads, warp, shared, rows, 3
        self.together, self.lose_after = together, None
        self.backwards, self.change, self.launched = backwards, change, []

    def free(self):
        return 2**40

    def host(self, array):
        return np.array(array)

    def pointer(self, array):
        return array.ctypes.data

    def compile(self, defined):
        each = 2 ** math.ceil(math.log2(defined["PER_THREAD"]))  # a few sizes only: compiling takes a second
        macros = {name: defined[name] for name in ("REACH_SHARED", "VALUE_SHARED", "ROUNDS")}
        macros |= {"WARP": self.warp, "PER_THREAD": each}
        options = tuple(f"-D{name}={value}" for name, value in macros.items())
        there = library(self.change(source()), options)

        def launch(name, grid, threads, shared, given):
            street, mode, above, below, average, chosen = given
            if self.lose_after is not None and len(self.launched) >= self.lose_after:
                raise SpotError("the device failed (lost)")
            self.launched.append(name)
            there[f"call_{name}"](
                *grid, threads, shared, int(self.backwards), ctypes.c_void_p(street.ctypes.data), int(mode),
                *(ctypes.c_float(float(rate)) for rate in (above, below, average)), ctypes.c_void_p(chosen.ctypes.data),
            )  # fmt: skip

        return launch

    @contextmanager
    def watched(self):
        yield
