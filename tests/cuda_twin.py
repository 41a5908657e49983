"""A device that is none: kernels in CUDA C, compiled for the processor by the system's C++ compiler.

Threads of a block are fibers that take turns (cuda_twin.h), so that barriers, shuffles and shared memory are tried as
they are; with one thread a block, larger spots are soon done.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

from pokerlab.errors import DeviceError

HEADER = Path(__file__).with_name("cuda_twin.h")
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
# Options under which what is read or written beyond an array ends the process (test_sanitized.py).
SANITIZED = os.environ.get("TWIN_SANITIZED", "").split()
# All that is read and written is told; the library that listens is not linked, cuda_races.h takes its place.
WATCHED = ("-fsanitize=thread", "-DRACES")
_FOLDER = tempfile.TemporaryDirectory()


def calls(text: str) -> str:
    """For every kernel a function that ctypes can call: structures come by address."""
    made = ""
    for name, given in re.findall(
        r'extern "C" __global__ void\s+(?:__launch_bounds__\(\w+(?:, \w+)?\)\s+)?(\w+)\((.*?)\) {', text
    ):
        kinds = [one.removeprefix("const ").split()[0] for one in given.split(", ")]
        taken = [f"{kind} a{i}" if kind in ("int", "float") else f"const {kind} *a{i}" for i, kind in enumerate(kinds)]
        passed = [f"a{i}" if kind in ("int", "float") else f"*a{i}" for i, kind in enumerate(kinds)]
        made += f"""
extern "C" void call_{name}(int x, int y, int threads, int shared, int backwards, {", ".join(taken)}) {{
    twin::launch([=] {{ {name}({", ".join(passed)}); }}, x, y, threads, shared, backwards);
}}
"""
    return made


@cache
def library(text: str, options: tuple[str, ...], races: bool = False) -> ctypes.CDLL:
    """A source with the header before it, compiled once; with `races` it watches all that is read and written."""
    name = hashlib.sha256(repr((text, options, races)).encode()).hexdigest()[:16]
    code, half, made = (Path(_FOLDER.name, f"{name}.{kind}") for kind in ("cpp", "o", "so"))
    code.write_text(f'#include "{HEADER}"\n{text}\n{calls(text)}')
    command = [
        COMPILER,
        "-std=c++17",
        "-O1",
        "-w",
        "-U_FORTIFY_SOURCE",  # it takes jumps between fibers for mistakes
        "-fPIC",
        *SANITIZED,
        *(WATCHED if races else ()),
        *options,
    ]
    link = [COMPILER, "-shared", "-Wl,-Bsymbolic", *SANITIZED, str(half), "-o", str(made)]
    for step in ([*command, "-c", str(code), "-o", str(half)], link):
        ended = subprocess.run(step, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
    there = ctypes.CDLL(str(made))
    there.race.restype = ctypes.c_char_p
    return there


def as_ctypes(given):
    """A structure by its address, a number as it is."""
    if isinstance(given, np.ndarray):
        return ctypes.c_void_p(given.ctypes.data)
    return ctypes.c_float(float(given)) if isinstance(given, np.floating) else ctypes.c_int(int(given))


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
        races=False,
        change=lambda text: text,
    ):
        self.threads, self.warp, self.shared, self.rows, self.blocks = threads, warp, shared, rows, 3
        self.together, self.lose_after = together, None
        self.backwards, self.races, self.change, self.launched = backwards, races, change, []

    def free(self):
        return 2**40

    def host(self, array):
        return np.array(array)

    def pointer(self, array):
        return array.ctypes.data

    def compile(self, source, defined):
        sizes = {name: defined[name] for name in ("PER_THREAD", "LONGEST") if name in defined}
        macros = {name: value for name, value in defined.items() if name not in ("THREADS", "BLOCKS")}
        macros |= {"WARP": self.warp} | {name: 2 ** math.ceil(math.log2(size)) for name, size in sizes.items()}
        options = tuple(f"-D{name}={value}" for name, value in macros.items())
        there = library(self.change(source.text()), options, self.races)

        def launch(name, grid, threads, shared, given):
            if self.lose_after is not None and len(self.launched) >= self.lose_after:
                raise DeviceError("the device failed (lost)")
            self.launched.append(name)
            there[f"call_{name}"](*grid, threads, shared, int(self.backwards), *map(as_ctypes, given))
            assert not there.shared_memory_overrun(), f"{name} writes behind its {shared:,} bytes of shared memory"
            assert not there.race(), f"{name}: {there.race().decode()}"

        return launch

    @contextmanager
    def watched(self):
        yield


def goes_on(whole, parts, other):
    """Three solvers at their start: the state of one, put back into another, goes on as if it had never stopped."""
    whole.step(7)
    parts.step(3)
    other.restore(parts.state())
    other.step(4)
    for key, array in whole.state().items():
        np.testing.assert_array_equal(other.state()[key], array)
