"""Claim: an iteration of CFR+ costs no more than in proportion to the sequences plus the payoff entries.

Leduc with growing decks: the cost of one unit (sequences of both players + 2 x payoff entries, for a gradient each)
in the largest game is at most 1.5 times that with 13 ranks, and so are the bytes held. No-limit Leduc, a wide betting
tree on three ranks, stands beside them, and the seconds to 1e-3 chips for one game of each kind.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import pokerlab
from _command import command
from pokerlab.solvers.regret import SCHEMES, RegretSolver

TOLERANCE = 1.5
NO_LIMIT = "leduc-nl"


def deck(ranks: int) -> str:
    return f"leduc:ranks={ranks},suits=4"


def measure(name: str, stretch: float) -> dict[str, Any]:
    """Size, memory and time of one game; the best of five stretches of about `stretch` seconds."""
    began = time.perf_counter()
    game = pokerlab.compile(name)
    compiled = time.perf_counter() - began
    solver = RegretSolver(game, SCHEMES["cfr+"])
    solver.step(2)
    began = time.perf_counter()
    solver.step(2)
    best = (time.perf_counter() - began) / 2
    for _ in range(5):
        count = max(2, int(stretch / best))
        began = time.perf_counter()
        solver.step(count)
        best = min(best, (time.perf_counter() - began) / count)
    sequences, entries = sum(tree.sequences for tree in game.trees), game.A.entries
    units = sequences + 2 * entries
    return {
        "game": name, "compile_seconds": compiled, "sequences": sequences, "payoff_entries": entries,
        "bytes": solver.nbytes, "iteration_us": best * 1e6,
        "unit_ns": best * 1e9 / units, "unit_bytes": solver.nbytes / units,
    }  # fmt: skip


def time_to(name: str, target: float) -> dict[str, Any]:
    """Seconds of CFR+ to an exploitability in chips, the mean of the seats; best of three, checks included."""
    game = pokerlab.compile(name)
    runs = [pokerlab.solve(game, "cfr+", exploitability=target, progress=False) for _ in range(3)]
    best = min(runs, key=lambda solution: solution.seconds)
    return {
        "game": name, "seconds": best.seconds, "iterations": best.iterations, "exploitability": best.exploitability,
    }  # fmt: skip


def run(quick: bool) -> dict[str, Any]:
    ranks, base, stretch, target = ([3, 6], 3, 0.01, 1e-1) if quick else ([3, 6, 13, 26, 39], 13, 0.3, 1e-3)
    games = [measure(name, stretch) for name in [*map(deck, ranks), NO_LIMIT]]
    unit = {row["game"]: row for row in games}
    growth = {figure: unit[deck(ranks[-1])][figure] / unit[deck(base)][figure] for figure in ("unit_ns", "unit_bytes")}
    solved = [time_to(name, target) for name in (deck(base), NO_LIMIT)]
    return {
        "tolerance": TOLERANCE, "base": deck(base),
        "largest": deck(ranks[-1]), "growth": growth, "games": games, "target": target, "solved": solved,
    }  # fmt: skip


def show(report: dict[str, Any]) -> None:
    print(f"{'game':<24} compile s  sequences     entries  MB held  us/iteration  ns/unit")
    for row in report["games"]:
        print(f"{row['game']:<24}{row['compile_seconds']:>10.2f}{row['sequences']:>11,}{row['payoff_entries']:>12,}"
              f"{row['bytes'] / 1e6:>9.2f}{row['iteration_us']:>14.1f}{row['unit_ns']:>9.2f}")  # fmt: skip
    growth = report["growth"]
    print(f"unit of {report['largest']} against {report['base']}: time x {growth['unit_ns']:.2f}, "
          f"bytes x {growth['unit_bytes']:.2f} (at most {TOLERANCE})")  # fmt: skip
    for row in report["solved"]:
        print(
            f"{row['game']:<24}{row['seconds']:>10.3f} s, {row['iterations']} iterations "
            f"to {report['target']:.0e} chips"
        )


def failed(report: dict[str, Any]) -> list[str]:
    return [
        f"{figure} grows {growth:.2f} times, at most {TOLERANCE}"
        for figure, growth in report["growth"].items()
        if growth > TOLERANCE
    ]


if __name__ == "__main__":
    sys.exit(command(__doc__, "small decks only", run, show, failed))
