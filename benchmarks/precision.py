"""Claim: in half precision, in half the memory, spots are as hard to exploit to 5 % after the same iterations.

Six spots, after as many iterations as single precision takes to 0.1 % of the pot (a flop to 0.5 %). Both are judged by
best responses in single precision. Iterations a second are of processor time on one thread. Much later, and on spots
with few hands, a rounding anywhere leads iterations another way, in single precision as well: exploitability is then
another by a tenth or more, up or down.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from _command import FULL, Table, command
from gpu import WIDE
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.run import memory_of, solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import HALF, PRECISIONS, SINGLE, plain
from pokerlab.refine.spots.spot import Spot, parse_spot
from spot import IP, OOP, spot_of

WORSE, HALVED, HALVED_FROM = 1.05, 0.56, 2**24  # of single precision's; memory is judged of spots with so many bytes
ROOM = 2**34  # bytes, for a flop that takes twice as many in single precision
GOALS = (0.5, 0.1, 0.1)  # per cent of the pot, by street


def spots(quick: bool) -> list[Spot]:
    usual, other = ("50%, 100%, all-in", "60%, all-in"), ("33%, 75%, 150%", "50%, 100%")
    every = [
        spot_of("river, all hands", "Qs Jh 2h 4c 7d", ("random", "random"), *usual),
        spot_of("river", "Ah Td 6s 3c 3d", (OOP, IP), *other),
        spot_of("turn", "Qs Jh 2h 4c", (OOP, IP), *usual),
        spot_of("turn, other sizes", "Ah Td 6s 3c", (OOP, IP), *other),
        spot_of("turn, monotone", "Ks 9s 5s 2s", (OOP, IP), *usual),
        spot_of("flop, one size", "Qs Jh 2h", (OOP, IP), "50%", "all-in"),
    ]
    return every[:1] if quick else every


def rainbow() -> Spot:
    """40 % of hands each, 100 big blinds of ten chips: too large for a machine of 16 GiB in single precision."""
    return parse_spot(
        f'board = "Qs Jh 2d"\npot = 55\nstacks = 975\nblind = 10\n[oop]\nrange = "{WIDE[0]}"\n[ip]\n'
        f'range = "{WIDE[1]}"\n[bets]\nbet = "30%, 70%"\nraise = "75%"\n',
        "rainbow flop",
    )


def measure_spot(spot: Spot) -> dict[str, Any]:
    """Of both precisions: bytes, iterations a second, and exploitability in per cent of the pot."""
    shape, rows = Shape(spot), dict[str, Any]()
    iterations = solve_spot(spot, exploitability=GOALS[spot.street], threads=1, progress=False).iterations
    for precision in PRECISIONS:
        engine, judge = CpuEngine(shape, precision=precision), CpuEngine(shape)
        engine.step(0)
        start = time.process_time()
        engine.step(iterations)
        took = time.process_time() - start
        for street, stores in engine.stores.items():
            for player, store in enumerate(stores):
                judge.stores[street][player].strategy[:] = plain(store.strategy)
        rows[precision] = {
            "bytes": CpuEngine.needs(shape, 1, precision), "iterations": iterations, "rate": iterations / took,
            "exploitability": 100 * judge.exploitability() / spot.total,
        }  # fmt: skip
    return rows


def measure(quick: bool) -> dict[str, Any]:
    large = {precision: memory_of(rainbow(), threads=2, precision=precision) for precision in PRECISIONS}
    report: dict[str, Any] = {"spots": {}, "rainbow": large}
    for spot in spots(quick):
        print(f"{spot.name} ...", file=sys.stderr)
        report["spots"][spot.name] = row = measure_spot(spot)
        print(row, file=sys.stderr)
    return report


def show(report: dict[str, Any]) -> None:
    for name, row in report["spots"].items():
        for precision, each in row.items():
            print(
                f"{name}, {precision}: {each['bytes'] / 2**20:,.1f} MiB, {each['rate']:,.1f} iterations a second, "
                f"{each['exploitability']:.4f} % of the pot after {each['iterations']}"
            )

    single, half = (report["rainbow"][precision] / 2**30 for precision in PRECISIONS)
    print(f"a rainbow flop, not solved: {single:.1f} GiB, in half precision {half:.1f} GiB")


def tables(report: dict[str, Any]) -> dict[str, Table]:
    """Memory does not depend on the machine."""
    rows: list[Sequence[str]] = []
    for spot in spots(False):
        sizes = [CpuEngine.needs(Shape(spot), 1, precision) / 2**20 for precision in PRECISIONS]
        row, cells = None if report["quick"] else report["spots"][spot.name], [FULL] * 4
        if row:
            (single, half), times = (row[SINGLE], row[HALF]), row[HALF]["rate"] / row[SINGLE]["rate"]
            judged = [f"{each['exploitability']:.4f} %" for each in (single, half)]
            cells = [f"{times:.2f} times", f"{single['iterations']}", *judged]
        rows.append((spot.name, *(f"{size:,.1f} MiB" for size in sizes), *cells))
    header = ("", "memory", "half", "iterations a second, half", "exploitability after", "single", "half")
    return {"precision": [header, *rows]}


def failed(report: dict[str, Any]) -> list[str]:
    unmet = []
    if report["rainbow"][HALF] > ROOM:
        unmet.append(f"the rainbow flop takes {report['rainbow'][HALF] / 2**30:.1f} GiB in half precision")
    for name, row in report["spots"].items():
        single, half = row[SINGLE], row[HALF]
        worse, less = half["exploitability"] / single["exploitability"], half["bytes"] / single["bytes"]
        if worse > WORSE:
            unmet.append(f"{name}: {worse:.3f} times as exploitable in half precision, not {WORSE}")
        if single["bytes"] >= HALVED_FROM and less > HALVED:
            unmet.append(f"{name}: {less:.2f} of the memory in half precision, not {HALVED}")
    return unmet


if __name__ == "__main__":
    sys.exit(command(__doc__, "one river only", measure, show, failed, tables))
