"""Claim: in 20 seconds every method comes to 1e-3 chips on Leduc, fictitious play to 1e-2; programs are exact to 1e-9.

In one run: the time of every method to 1e-3 and 1e-4 chips, a plot of how they converge, and what linear programs take
on Leduc and two larger games of its kind.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pokerlab
from _command import FULL, Table, command
from pokerlab import plots
from pokerlab.solvers.solution import Solution

GOALS = (1e-3, 1e-4)
SLOW = {"fp": 1e-2}  # who comes less far
SECONDS = 20.0
EXACT = 1e-9
PROGRAMS = {
    "leduc": "Leduc",
    "leduc-nl": "no-limit Leduc, twelve bet sizes",
    "leduc:ranks=13,suits=4": "Leduc with 13 ranks and 4 suits",
}


def first(solution: Solution, goal: float) -> dict[str, float] | None:
    """When a run first was at most this exploitable."""
    for point in solution.trace:
        if point.exploitability <= goal:
            return {"seconds": point.seconds, "iterations": point.iteration}
    return None


def draw(runs: dict[str, Solution], path: Path) -> None:
    def paint(grid: Any) -> None:
        axes = grid[0, 0]
        for name, run in runs.items():
            if run.trace:
                axes.plot([p.seconds for p in run.trace], [p.exploitability for p in run.trace], label=name)
            else:
                axes.plot([run.seconds], [max(run.exploitability, 1e-12)], "k*", label=name)
        axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="exploitability, chips a hand", ylim=(1e-7, 10))
        axes.legend()

    plots.draw(path, "Leduc hold'em", paint, (7.5, 5))


def programs(quick: bool) -> dict[str, dict[str, float]]:
    """Linear programs, the best of three runs by processor time."""
    rows = {}
    for name in list(PROGRAMS)[:1] if quick else PROGRAMS:
        game, times = pokerlab.compile(name), list[float]()
        for _ in range(3):
            began = time.process_time()
            run = pokerlab.solve(game, "lp", progress=False)
            times.append(time.process_time() - began)
        rows[name] = {"seconds": min(times), "value": run.value, "exploitability": run.exploitability}
    return rows


def measure(quick: bool, plot: Path) -> dict[str, Any]:
    game = pokerlab.compile("leduc")
    pokerlab.solve(game, iterations=1)
    runs: dict[str, Solution] = {"lp": pokerlab.solve(game, "lp")}
    for method in pokerlab.METHODS[1:]:
        goal, seconds = (1e-2, 1.0) if quick else (1e-5, SECONDS)
        runs[method] = pokerlab.solve(game, method, exploitability=goal, seconds=seconds)
    rows = {
        name: {
            "iterations": run.iterations,
            "seconds": run.seconds,
            "exploitability": run.exploitability,
            "to": {str(goal): first(run, goal) for goal in GOALS},
        }
        for name, run in runs.items()
    }
    plot.parent.mkdir(parents=True, exist_ok=True)
    draw(runs, plot)
    return {"game": "leduc", "methods": rows, "programs": programs(quick), "plot": str(plot)}


def show(report: dict[str, Any]) -> None:
    print(f"{'method':<16}{'s to 1e-3':>11}{'s to 1e-4':>11}{'us/iteration':>14}{'at the end':>12}")
    for name, row in report["methods"].items():
        reached = [row["to"][str(goal)] for goal in GOALS]
        cells = [f"{point['seconds']:.3f}" if point else "-" for point in reached]
        if name == "lp":
            cells = [f"{row['seconds']:.3f}"] * 2
        each = 1e6 * row["seconds"] / row["iterations"]
        print(f"{name:<16}{cells[0]:>11}{cells[1]:>11}{each:>14.1f}{row['exploitability']:>12.1e}")
    print(f"plot: {report['plot']}")
    for name, row in report["programs"].items():
        print(f"linear program of {name}: {row['seconds']:.3f} s, value {row['value']:+.9f}, "
              f"exploitability {row['exploitability']:.0e}")  # fmt: skip


def tables(report: dict[str, Any]) -> dict[str, Table]:
    rows = []
    for name, title in PROGRAMS.items():
        row = report["programs"].get(name)
        seconds = FULL if report["quick"] or row is None else f"{row['seconds']:.2g} s"
        rows.append((title, seconds, FULL if row is None else f"{row['value']:.9f}"))
    return {"programs": [("exactly, by linear programming", "processor time", "value to player 1, chips"), *rows]}


def failed(report: dict[str, Any]) -> list[str]:
    unmet = [
        f"{name} came to {row['exploitability']:.1e} chips in {row['seconds']:.0f} s"
        for name, row in report["methods"].items()
        if row["exploitability"] > SLOW.get(name, GOALS[0])
    ]
    return unmet + [
        f"the linear program of {name} is {row['exploitability']:.1e} chips exploitable"
        for name, row in report["programs"].items()
        if row["exploitability"] > EXACT
    ]


if __name__ == "__main__":
    where = {"type": Path, "default": Path("results/solvers.svg"), "help": "where the plot goes"}
    sys.exit(command(__doc__, "at most a second a method", measure, show, failed, tables, plot=where))
