"""Claim: the heart of the river's kernel gives the naive answer in CUDA C, in numba-cuda and in Triton, all without a
GPU; in CUDA C no register is spilled, and the tests' twin is the quickest way to try it.

Four showdowns of all 1,081 hands on a board (`_showdowns.py`). The CUDA C is passes.cu itself (`_showdowns_cuda.py`);
the others (`_showdowns_numba.py`, `_showdowns_triton.py`) do the same as well as they can. The naive answer compares
every pair of hands in double precision.

Each is run where no GPU is needed: CUDA C as the tests' twin, numba-cuda in its simulator, Triton in its interpreter.
Then all are compiled for compute capability 9.0 by one `ptxas`, and their instructions counted as they stand, those of
a loop once. How fast they are on a device this does not tell.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import distributions
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest import mock

from _command import FULL, Table, command, markdown
from _showdowns_cuda import by_nvrtc, in_twin
from _showdowns_numba import by_numba, in_simulator
from _showdowns_triton import by_triton, in_interpreter, triton

EXACT = 1e-4  # of the largest number
PACKAGES = ("numba-cuda", "triton", "nvidia-cuda-nvcc", "nvidia-cuda-nvrtc")
LANGUAGES = {"CUDA C": "twin", "numba-cuda": "simulator", "Triton": "interpreter"}
BYTES = {".128": "16", ".64": "8", ".32": "4", "16": "2"}  # that a load from shared memory brings, by its name


def machine_code(ptx: str, shared: int) -> dict[str, Any]:
    """What `ptxas` makes of the kernel: registers of a thread, bytes spilled, and instructions by name."""
    from cuda.pathfinder import find_nvidia_binary_utility

    entry = next(name for name in re.findall(r"\.entry\s+(\w+)", ptx) if "showdowns" in name)
    target = re.findall(r"\.target\s+(\w+)", ptx)[0]
    with tempfile.TemporaryDirectory() as folder:
        text, cubin = Path(folder, "it.ptx"), Path(folder, "it.cubin")
        text.write_text(ptx)
        compiler = [str(find_nvidia_binary_utility("ptxas")), "-v", f"-arch={target}", "-e", entry, text, "-o", cubin]
        said = subprocess.run(compiler, capture_output=True, text=True, check=True)
        reader = Path(triton.__file__).parent / "backends/nvidia/bin/nvdisasm"
        code = subprocess.run([reader, "-c", cubin], capture_output=True, text=True, check=True).stdout
    names = Counter(re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([A-Z][\w.]*)", code))
    del names["NOP"]
    loads = Counter[str]()
    for name, count in names.items():
        if name.split(".")[0] == "LDS":
            loads[next((bytes_ for part, bytes_ in BYTES.items() if part in name), "4")] += count
    told = said.stdout + said.stderr
    spilled = [int(number) for number in re.findall(r"(\d+) bytes spill", told)]
    return {
        "registers": int(re.findall(r"Used (\d+) registers", told)[0]), "spilled": sum(spilled), "shared": shared,
        "loads": dict(loads), "barriers": sum(count for name, count in names.items() if name.startswith("BAR.SYNC")),
        "instructions": names.total(),
    }  # fmt: skip


def elsewhere(function: Callable[[int], dict[str, float]], variable: str, times: int) -> dict[str, float]:
    """In a process of its own, which has a variable before it imports anything."""
    with mock.patch.dict(os.environ, {variable: "1"}), ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, times).result()


def measure(quick: bool) -> dict[str, Any]:
    missing, times = [name for name in PACKAGES if not any(distributions(name=name))], 1 if quick else 5
    rows: dict[str, dict[str, Any]] = {"CUDA C": in_twin(times)}
    if missing:
        return {"why": f"pip install {' '.join(missing)}", "languages": rows}
    rows["numba-cuda"] = elsewhere(in_simulator, "NUMBA_ENABLE_CUDASIM", times)
    rows["Triton"] = elsewhere(in_interpreter, "TRITON_INTERPRET", times)
    for row, compiled in zip(rows.values(), (by_nvrtc, by_numba, by_triton), strict=True):
        row |= machine_code(*compiled())
    return {"why": "", "languages": rows}


def tables(report: dict[str, Any]) -> dict[str, Table]:
    lines: list[tuple[str, ...]] = []
    for name, runs_in in LANGUAGES.items():
        row = report["languages"].get(name, {})
        seconds = f"{row['seconds']:.2g} s" if row and not report["quick"] else FULL
        cells = (FULL,) * 6
        if "registers" in row:
            loads = " / ".join(str(row["loads"].get(size, 0)) for size in BYTES.values())
            cells = (
                f"{row['registers']}", f"{row['spilled']}", f"{row['shared'] / 2**10:.0f} KiB", loads,
                f"{row['barriers']}", f"{row['instructions']:,}",
            )  # fmt: skip
        lines.append((f"{name}, {runs_in}", seconds, *cells))
    sizes = " / ".join(BYTES.values())
    header = ("without a GPU", "registers", "spilled", "shared", f"loads by {sizes} bytes", "barriers", "instructions")
    return {"languages": [("", *header), *lines]}


def show(report: dict[str, Any]) -> None:
    print(markdown(tables(report)["languages"]))
    for name, row in report["languages"].items():
        print(f"{name}: {row['error']:.1e} off the naive answer")
    if report["why"]:
        print(f"for the others: {report['why']}")


def failed(report: dict[str, Any]) -> list[str]:
    unmet, rows = [f"not judged: {report['why']}"] if report["why"] else [], report["languages"]
    mine = rows["CUDA C"]
    unmet += [f"{name}: {row['error']:.0e} off the naive answer" for name, row in rows.items() if row["error"] > EXACT]
    unmet += [f"{name} is tried faster" for name, row in rows.items() if row["seconds"] < mine["seconds"]]
    if mine.get("spilled"):
        unmet.append(f"CUDA C spills {mine['spilled']} bytes")
    return unmet


if __name__ == "__main__":
    sys.exit(command(__doc__, "each runs once", measure, show, failed, tables))
