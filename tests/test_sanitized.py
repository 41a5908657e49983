"""Kernels of devices read and write nothing beyond arrays: tests of the twin, watched by the compiler's sanitizers."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from cuda_twin import COMPILER

HERE = Path(__file__).parent
# With a thread a block and with several, in both precisions, and every kernel.
CHOSEN = {
    "refine/spots/test_cuda.py": (
        "test_rivers[rows in memory-2]", "test_rivers[a warp-1]", "test_turns[one thread]",
        "test_a_turn_locks_and_many_actions_in_half_precision",
    ),
    "match/exact/test_cuda.py": ("test_small_games[leduc-fibers]", "test_small_games[a turn-one]"),
    "solvers/test_on_device.py": ("test_products[float64-1e-12-0]", "test_products[float32-0.0001-1]"),
}  # fmt: skip
PEEK = """
import sys
import numpy as np
from cuda_twin import as_ctypes, library
text = "struct Where { const float *from; float *to; long long at; };"
text += 'extern "C" __global__ void peek(const Where where) { where.to[0] = where.from[where.at]; }'
numbers, to, at = np.arange(1000, dtype=np.float32), np.zeros(1, np.float32), int(sys.argv[1])
where = np.array([numbers.ctypes.data, to.ctypes.data, at])
library(text, ("-DWARP=1",)).call_peek(1, 1, 1, 0, 0, as_ctypes(where))
assert to[0] == at
"""


@cache
def libraries():
    """What is loaded before Python; nothing where the compiler has no sanitizers."""
    if COMPILER is None:
        return ()
    names = [f"lib{kind}san.so" for kind in ("a", "ub")]
    asked = [subprocess.run([COMPILER, f"-print-file-name={name}"], capture_output=True, text=True) for name in names]
    return tuple(found for ran in asked if os.path.isabs(found := ran.stdout.strip()))


pytestmark = pytest.mark.skipif(len(libraries()) < 2, reason="no C++ compiler with sanitizers here")


def watched(*command):
    env = os.environ | {
        "TWIN_SANITIZED": "-O0 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-sanitize=alignment",
        "LD_PRELOAD": " ".join(libraries()),
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]),
    }
    return subprocess.run([sys.executable, *command], env=env, capture_output=True, text=True, timeout=900)


@pytest.mark.parametrize(("at", "said"), [(999, ""), (1000, "heap-buffer-overflow"), (-1, "heap-buffer-overflow")])
def test_what_is_beyond_is_seen(at, said):
    ran = watched("-c", PEEK, str(at))
    assert (ran.returncode == 0) == (not said), ran.stderr
    assert said in ran.stderr


@pytest.mark.parametrize("file", CHOSEN)
def test_nothing_is_beyond(file):
    names = [f"{HERE / file}::{name}" for name in CHOSEN[file]]
    ran = watched("-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *names)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("." * len(names))
