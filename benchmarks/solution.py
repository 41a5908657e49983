"""Claim: a decision of a large solution is read in 0.3 seconds and 300 MiB, and writing the solution takes no more
memory than is counted before solving, but for 32 MiB of libraries and buffers.

The spot is the single-raised pot of `gpu.py`, in half precision and after one iteration: what is kept does not depend
on how good it is. A decision on the flop, one on a turn and one on a river are looked at by a process of their own
each: strategy, both players' reach and values of every action. Seconds are from opening the file to all of that, the
first time in the process, when kernels are loaded, and again; memory is the most that the process had, Python and all
libraries included (Linux tells it).
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from _command import FULL, Table, command
from gpu import single_raised_pot
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import HALF
from pokerlab.refine.spots.spot import Spot
from spot import spots

SECONDS, BYTES, MORE = 0.3, 300 * 2**20, 2**25
LINES = {"flop": "", "turn": "check, check, 7d", "river": "check, check, 7d, check, check, 8c"}
LOOK = """
import json, re, sys, time
from pathlib import Path
from pokerlab.refine.spots.solution import load_spot_solution
seconds = []
for _ in range(2):
    start = time.perf_counter()
    node = load_spot_solution(sys.argv[1]).node(sys.argv[2])
    node.strategy, node.action_ev, node.ev, node.other_ev(), node.weights(0), node.weights(1)
    seconds.append(time.perf_counter() - start)
most = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(json.dumps({"seconds": seconds, "bytes": 1024 * int(most)}))
"""


def most_memory() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def spot_and_lines(quick: bool) -> tuple[Spot, dict[str, str]]:
    if not quick:
        return single_raised_pot(), LINES
    turn = next(spot for spot in spots(False) if spot.name == "turn, narrow, one size")
    return turn, {"turn": "", "river": "check, check, 9s"}


def measure(quick: bool) -> dict[str, Any]:
    spot, lines = spot_and_lines(quick)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.solution"
        solved = solve_spot(spot, iterations=1, precision=HALF, progress=False)
        solved.figures  # noqa: B018
        solving, start = most_memory(), time.perf_counter()
        solved.save(path)
        took, saving, size = time.perf_counter() - start, most_memory(), os.path.getsize(path)
        looks = {}
        for name, line in lines.items():
            for _ in range(2):  # kernels are compiled by the first of all, if they are not kept yet
                words = [sys.executable, "-c", LOOK, str(path), line]
                looks[name] = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    counted = Shape(spot).saving()
    return {"solving": solving, "saving": saving, "counted": counted, "seconds": took, "size": size, "looks": looks}


def show(report: dict[str, Any]) -> None:
    before, after = (report[name] / 2**20 for name in ("solving", "saving"))
    size = f"{report['size'] / 2**20:,.1f} MiB"
    counted = f"{report['counted'] / 2**20:,.0f} counted for writing"
    print(f"{size} written in {report['seconds']:.1f} s; most memory {after:,.0f} MiB, {before:,.0f} before, {counted}")
    for name, look in report["looks"].items():
        first, again = look["seconds"]
        print(f"a decision on the {name}: {first:.3f} s, {again:.3f} s again, {look['bytes'] / 2**20:,.0f} MiB")


def tables(report: dict[str, Any]) -> dict[str, Table]:
    rows: list[tuple[str, ...]] = [("a decision on", "first look", "again", "memory")]
    for name in LINES:
        cells = [FULL] * 3
        if not report["quick"]:
            look = report["looks"][name]
            cells = [*(f"{seconds:.2f} s" for seconds in look["seconds"]), f"{look['bytes'] / 2**20:,.0f} MiB"]
        rows.append((f"the {name}", *cells))
    return {"looks": rows}


def failed(report: dict[str, Any]) -> list[str]:
    unmet = []
    for name, look in report["looks"].items():
        if look["seconds"][0] > SECONDS:
            unmet.append(f"a decision on the {name}: {look['seconds'][0]:.2f} s, not {SECONDS}")
        if look["bytes"] > BYTES:
            unmet.append(f"a decision on the {name}: {look['bytes'] / 2**20:,.0f} MiB, not {BYTES / 2**20:,.0f}")
    more, counted = report["saving"] - report["solving"], report["counted"]
    if more > counted + MORE:
        unmet.append(
            f"writing took {more / 2**20:,.0f} MiB more than solving, where {counted / 2**20:,.0f} are counted"
        )
    return unmet


if __name__ == "__main__":
    sys.exit(command(__doc__, "a small turn", measure, show, failed, tables))
