"""Claim: after 300 iterations the default weighting of spots is the least exploitable of those tried, to a twentieth.

Exploitability in per cent of the pot after 100, 200 and 300 iterations of discounted CFR with several exponents, and of
CFR+, on the river of `spot.py`, on its turn and on two more. The figures do not depend on the machine.
"""

from __future__ import annotations

import sys
from typing import Any

from _command import FULL, Table, command
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.engine import METHOD, SCHEMES
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.spot import Spot
from pokerlab.solvers.regret import scheme_of
from spot import IP, OOP, spot_of

WEIGHTS = {
    "1.5, 0, 2, as published (`dcfr`)": SCHEMES["dcfr"],
    "1.5, 0, 5": scheme_of("dcfr", gamma=5.0),
    "1.5, 0.2, 5 (`dcfr-spot`, the default)": SCHEMES[METHOD],
    "CFR+, linear average (`cfr+`)": SCHEMES["cfr+"],
}
DEFAULT = list(WEIGHTS)[2]
BOARDS = {
    "river": "Qs Jh 2h 4c 7d",
    "turn Qs Jh 2h 4c": "Qs Jh 2h 4c",
    "turn Qs Jh 2h 5c": "Qs Jh 2h 5c",
    "turn Ks Th 2h 4c": "Ks Th 2h 4c",
}
TOLERANCE = 1.05


def spot_at(name: str) -> Spot:
    ranges = ("random", "random") if name == "river" else (OOP, IP)
    return spot_of(name, BOARDS[name], ranges, "50%, 100%, all-in", "60%, all-in")


def measure(quick: bool) -> dict[str, Any]:
    boards = list(BOARDS)[:1] if quick else BOARDS
    rows: dict[str, dict[str, list[float]]] = {title: {} for title in WEIGHTS}
    for board in boards:
        spot = spot_at(board)
        for title, scheme in WEIGHTS.items():
            print(f"{board}: {title} ...", file=sys.stderr)
            engine = CpuEngine(Shape(spot))
            engine.scheme = scheme
            rows[title][board] = []
            for _ in range(3):
                engine.step(100)
                rows[title][board].append(100 * engine.exploitability() / spot.total)
    return {"exploitability_percent": rows}


def tables(report: dict[str, Any]) -> dict[str, Table]:
    rows = [
        (title, *(" / ".join(f"{percent:.2f}" for percent in row[board]) if board in row else FULL for board in BOARDS))
        for title, row in report["exploitability_percent"].items()
    ]
    return {"weights": [("alpha, beta, gamma", *BOARDS), *rows]}


def show(report: dict[str, Any]) -> None:
    for row in tables(report)["weights"]:
        print(f"{row[0]:<42}" + "".join(f"{cell:>22}" for cell in row[1:]))


def failed(report: dict[str, Any]) -> list[str]:
    rows, unmet = report["exploitability_percent"], []
    for board in BOARDS:
        least = min(rows, key=lambda title: rows[title][board][-1])
        if rows[DEFAULT][board][-1] > TOLERANCE * rows[least][board][-1]:
            unmet.append(f"{board}: {rows[least][board][-1]:.3f} % of the pot by {least}")
    return unmet


if __name__ == "__main__":
    sys.exit(command(__doc__, "the river only", measure, show, failed, tables))
