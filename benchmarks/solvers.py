"""Time to 1e-3 and 1e-4 chips on Leduc for every method, in one run, and a plot of how they converge.

No claim is judged here: the table shows what each method is good for on this machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import pokerlab
from pokerlab import plots
from pokerlab.solvers.solution import Solution

GOALS = (1e-3, 1e-4)


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
        axes.set_title("Leduc hold'em")
        axes.legend()

    plots.draw(path, paint, (7.5, 5))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="at most a second a method")
    parser.add_argument("--plot", type=Path, default=Path("results/solvers.svg"))
    options = parser.parse_args()
    game = pokerlab.compile("leduc")
    pokerlab.solve(game, iterations=1)
    runs: dict[str, Solution] = {"lp": pokerlab.solve(game, "lp")}
    for method in pokerlab.METHODS[1:]:
        goal, seconds = (1e-2, 1.0) if options.quick else (1e-5, 20.0)
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
    options.plot.parent.mkdir(parents=True, exist_ok=True)
    draw(runs, options.plot)
    if options.json:
        print(json.dumps({"game": "leduc", "methods": rows, "plot": str(options.plot)}))
        return 0
    print(f"{'method':<16}{'s to 1e-3':>11}{'s to 1e-4':>11}{'us/iteration':>14}{'at the end':>12}")
    for name, row in rows.items():
        reached = [row["to"][str(goal)] for goal in GOALS]
        cells = [f"{point['seconds']:.3f}" if point else "-" for point in reached]
        if name == "lp":
            cells = [f"{row['seconds']:.3f}"] * 2
        each = 1e6 * row["seconds"] / row["iterations"]
        print(f"{name:<16}{cells[0]:>11}{cells[1]:>11}{each:>14.1f}{row['exploitability']:>12.1e}")
    print(f"plot: {options.plot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
