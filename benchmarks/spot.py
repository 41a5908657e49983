"""Hold'em spots: iterations a second, time to 0.5 % and 0.1 % of the pot and memory, on one thread and two.

The river and the turn are those that postflop-solver (Rust) and TexasSolver (C++) were measured on; their figures are
quoted from that measurement (one core, native build, the same kind of machine), not measured again here. Times do not
count compiling, nor the making of tables before the first iteration.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.libratus import read_libratus
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.spot import Spot, parse_spot

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "libratus_endgames"
GOALS = (0.5, 0.1)  # per cent of the pot

OOP = (
    "QQ:0.5,JJ:0.75,TT,99,88,77,66,55,44,33,22,AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.75,ATs,ATo:0.75,A9s,A8s,A7s,A6s,A5s,A4s,"
    "A3s,A2s,KQ,KJ,KTs,KTo:0.5,K9s,K8s,K7s,K6s,K5s,K4s:0.5,K3s:0.5,K2s:0.5,QJ,QTs,Q9s,Q8s,Q7s,JTs,JTo:0.5,J9s,J8s,T9s,"
    "T8s,T7s,98s,97s,96s,87s,86s,76s,75s,65s,64s,54s,53s,43s"
)
IP = (
    "AA,KK,QQ,JJ,TT,99:0.75,88:0.75,77:0.5,66:0.25,55:0.25,AK,AQs,AQo:0.75,AJs,AJo:0.5,ATs:0.75,A6s:0.25,A5s:0.75,"
    "A4s:0.75,A3s:0.5,A2s:0.5,KQs,KQo:0.5,KJs,KTs:0.75,K5s:0.25,K4s:0.25,QJs:0.75,QTs:0.75,Q9s:0.5,JTs:0.75,J9s:0.75,"
    "J8s:0.75,T9s:0.75,T8s:0.75,T7s:0.75,98s:0.75,97s:0.75,96s:0.5,87s:0.75,86s:0.5,85s:0.5,76s:0.75,75s:0.5,65s:0.75,"
    "64s:0.5,54s:0.75,53s:0.5,43s:0.5"
)


@dataclass(frozen=True)
class Quoted:
    """Another solver's figures: iterations a second, seconds to each goal, MiB."""

    name: str
    threads: int
    rate: float
    seconds: tuple[float | None, float | None]
    memory: float | None = None


QUOTED = {
    "river": [
        Quoted("postflop-solver", 1, 2400, (0.044, 0.116)),
        Quoted("TexasSolver", 1, 433, (0.157, 0.557)),
    ],
    "turn": [
        Quoted("postflop-solver", 1, 36, (3.35, 11.3), 34),
        Quoted("postflop-solver", 2, 71, (1.69, None), 34),
        Quoted("TexasSolver", 1, 9, (10.9, 40.6)),
    ],
}


def spot_of(name: str, board: str, ranges: tuple[str, str], bet: str, raise_: str) -> Spot:
    return parse_spot(
        f'board = "{board}"\npot = 200\nstacks = 900\n[oop]\nrange = "{ranges[0]}"\n[ip]\nrange = "{ranges[1]}"\n'
        f'[bets]\nbet = "{bet}"\nraise = "{raise_}"\n',
        name,
    )


def spots(quick: bool) -> list[Spot]:
    usual = ("50%, 100%, all-in", "60%, all-in")
    every = [
        spot_of("river", "Qs Jh 2h 4c 7d", ("random", "random"), *usual),
        spot_of("turn", "Qs Jh 2h 4c", (OOP, IP), *usual),
    ]
    if quick:
        return every[:1]
    every.append(spot_of("turn, other sizes", "Ah Td 6s 3c", (OOP, IP), "33%, 75%, 150%", "50%, 100%"))
    every.append(spot_of("flop, one size", "Qs Jh 2h", (OOP, IP), "50%", "all-in"))
    if DATA.exists():
        every += [read_libratus(DATA / f"subgame{i}.txt", bet="50%, 100%", raise_="100%") for i in (1, 2)]
    return every


def rate(spot: Spot, threads: int, seconds: float) -> float:
    """Iterations a second, the best of some pieces."""
    solver = CpuEngine(Shape(spot), threads=threads)
    solver.step(10)
    began, best, count = time.perf_counter(), 0.0, 1
    while time.perf_counter() - began < seconds:
        start = time.perf_counter()
        solver.step(count)
        took = time.perf_counter() - start
        best = max(best, count / took)
        count = max(1, int(0.05 * count / took))
    return best


def measure(spot: Spot, threads: int, runs: int, goal: float, seconds: float) -> dict[str, Any]:
    """The best of some runs to the last goal, or as far as the time allows."""
    rows = []
    for _ in range(runs):
        solution = solve_spot(spot, exploitability=goal, threads=threads, seconds=seconds, progress=False)
        goals = {}
        for percent in GOALS:
            reached = [point for point in solution.trace if point.exploitability <= percent / 100 * spot.total]
            goals[str(percent)] = (
                {"seconds": reached[0].seconds, "iterations": reached[0].iteration} if reached else None
            )
        rows.append(goals)
    best = {
        key: min((row[key] for row in rows if row[key]), key=lambda point: point["seconds"], default=None)
        for key in rows[0]
    }
    return {
        "threads": threads,
        "iterations_per_second": rate(spot, threads, min(2.0, seconds)),
        "to": best,
        "ev": list(solution.ev),
        "exploitability_percent": 100 * solution.exploitability / spot.total,
        "memory_mib": solution.memory / 2**20,
        "hands": solution.summary()["hands"],
        "nodes": [solution.tree.decisions, solution.tree.terminals],
    }


def ratios(rows: list[dict[str, Any]], quoted: list[Quoted]) -> dict[str, float]:
    """How many times postflop-solver's speed ours is, thread for thread."""
    compared = {}
    for row in rows:
        for other in quoted:
            if (other.name, other.threads) == ("postflop-solver", row["threads"]):
                compared[f"iterations, {row['threads']} thread"] = row["iterations_per_second"] / other.rate
                for percent, seconds in zip(GOALS, other.seconds, strict=True):
                    reached = row["to"][str(percent)]
                    if seconds and reached:
                        compared[f"{percent} %, {row['threads']} thread"] = seconds / reached["seconds"]
    return compared


def show(name: str, rows: list[dict[str, Any]], compared: dict[str, float]) -> None:
    first = rows[0]
    print(f"\n{name}: {first['nodes'][0]} decisions, {first['nodes'][1]} ends, {first['hands']} hands")
    print(f"{'':<30}{'threads':>8}{'it/s':>10}{'s to 0.5 %':>12}{'s to 0.1 %':>12}{'MiB':>8}   EV")
    for row in rows:
        cells = [f"{point['seconds']:.3f}" if point else "-" for point in row["to"].values()]
        ev = " / ".join(f"{value:.3f}" for value in row["ev"])
        print(f"{'pokerlab':<30}{row['threads']:>8}{row['iterations_per_second']:>10,.0f}{cells[0]:>12}{cells[1]:>12}"
              f"{row['memory_mib']:>8.1f}   {ev}")  # fmt: skip
    for other in QUOTED.get(name, []):
        cells = [f"{seconds:.3f}" if seconds else "-" for seconds in other.seconds]
        memory = f"{other.memory:.1f}" if other.memory else "-"
        name = f"{other.name} (quoted)"
        print(f"{name:<30}{other.threads:>8}{other.rate:>10,.0f}{cells[0]:>12}{cells[1]:>12}{memory:>8}")
    if compared:
        print(
            "  times as fast as postflop-solver: " + ", ".join(f"{key} {value:.1f}" for key, value in compared.items())
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="the river only")
    options = parser.parse_args()
    report: dict[str, Any] = {}
    for spot in spots(options.quick):
        large = spot.street == 0
        solve_spot(spot, iterations=1, progress=False)  # compiles
        runs, seconds = (1, 40.0) if large or options.quick else (3, 20.0)
        rows = [measure(spot, threads, runs, GOALS[-1], seconds) for threads in ((1,) if spot.street == 2 else (1, 2))]
        compared = ratios(rows, QUOTED.get(spot.name, []))
        report[spot.name] = {"pokerlab": rows, "ratios": compared}
        if not options.json:
            show(spot.name, rows, compared)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    quoted = {name: [vars(row) for row in rows] for name, rows in QUOTED.items()}
    if options.json:
        print(json.dumps({"quick": options.quick, "spots": report, "quoted": quoted, "peak_mib": peak}))
    else:
        print(f"\npeak memory of this run: {peak:.0f} MiB (interpreter and compiler included)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
