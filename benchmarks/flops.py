"""Claim: means over a subset of flops err by less than the standard error of as many at random, by half on the mean.

Of what is exact on all 1,755 flops and was not used to choose the subset: the equity of ranges against each other, all
cards to come, and how much of a range has top pair or better.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from _command import FULL, Table, command
from pokerlab.abstraction.flop_subsets import SIZES, flop_subset
from pokerlab.cards.equity import range_equity
from pokerlab.cards.flops import every_flop
from pokerlab.cards.ranges import Range
from pokerlab.cards.texture import MADE, PARTS, categories

CLAIMS = {"each": 1.0, "mean": 0.5}  # errors, in those of flops at random
BLIND = "99-22, AJs-A2s, AQo-ATo, KTs-K9s, KQo, QTs-Q9s, JTs-J9s, T9s-T8s, 98s-97s, 87s-86s, 76s-75s, 65s, 54s"
BUTTON = "AA-66, AKs-A8s, A5s-A4s, AKo-AJo, KQs-KTs, KQo, QJs-QTs, JTs, T9s, 98s, 87s"
REGULAR = "22+, A2s+, K9s+, QTs+, JTs, T9s, 98s, 87s, 76s, ATo+, KJo+"
MATCHES = {"big blind against button": (BLIND, BUTTON), "a quarter of hands against any": (REGULAR, "random")}
TOP_PAIR = MADE.index("top pair, weak kicker")


def on_flop(ours: Range, theirs: Range, board: tuple[int, ...]) -> tuple[float, float]:
    """Equity, and the share of the first range with top pair or better."""
    good = np.array([kind >= 0 and MADE.index(PARTS[kind][0]) >= TOP_PAIR for kind in categories(board).tolist()])
    left = ours.without(board)
    return range_equity(left, theirs, board, progress=False).equity[0], float(left.weights @ good / left.combos)


def measure(quick: bool) -> dict[str, Any]:
    every, rows = every_flop(), []
    known = {board: number for number, board in enumerate(every.boards)}
    subsets = {size: flop_subset(size) for size in SIZES}
    for name, texts in MATCHES.items():
        ours, theirs = map(Range.parse, texts)
        values = np.array([on_flop(ours, theirs, board) for board in every.boards[: 5 if quick else None]])
        if quick:
            values = np.resize(values, (len(every.boards), 2))
        mean = every.shares @ values
        spread = np.sqrt(every.shares @ (values - mean) ** 2)
        for size, some in subsets.items():
            error = abs(some.shares @ values[[known[board] for board in some.boards]] - mean)
            for place, figure in enumerate(("equity", "top pair or better")):
                rows.append({
                    "match": name, "figure": figure, "flops": size, "mean": float(mean[place]),
                    "error": float(error[place]), "random": float(spread[place] / np.sqrt(size)),
                })  # fmt: skip
    return {"rows": rows}


def failed(report: dict[str, Any]) -> list[str]:
    ratios = {
        f"{row['figure']}, {row['match']}, {row['flops']} flops": row["error"] / row["random"] for row in report["rows"]
    }
    unmet = [f"{name}: {ratio:.2f} of the error" for name, ratio in ratios.items() if ratio > CLAIMS["each"]]
    mean = sum(ratios.values()) / len(ratios)
    return [*unmet, *([f"on the mean {mean:.2f} of the error"] if mean > CLAIMS["mean"] else [])]


def tables(report: dict[str, Any]) -> dict[str, Table]:
    def points(row: dict[str, Any], key: str) -> str:
        return FULL if report["quick"] else f"{100 * row[key]:.2f}"

    rows = {(row["match"], row["figure"], row["flops"]): row for row in report["rows"]}
    lines = []
    for match in MATCHES:
        for figure in ("equity", "top pair or better"):
            own = [rows[match, figure, size] for size in SIZES]
            cells = (f"{points(row, 'error')} ({points(row, 'random')})" for row in own)
            lines.append([f"{figure}, {match}", points(own[0], "mean"), *cells])
    return {"subsets": [["per cent, and error in points (at random)", "all", *map(str, SIZES)], *lines]}


def show(report: dict[str, Any]) -> None:
    for row in tables(report)["subsets"]:
        print("   ".join(cell.ljust(24) for cell in row))


if __name__ == "__main__":
    sys.exit(command(__doc__, "five flops only", measure, show, failed, tables))
