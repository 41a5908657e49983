"""Claim: Rhode Island hold'em, whole and unabstracted, is solved to 1 mb/h in under 30 minutes on two cores.

1 mb/h is a thousandth of the small bet of 10 chips: 0.01 chips, the mean over the seats of what a best response in the
whole game gains, computed exactly. The seconds are those of discounted CFR in double precision, checks of
exploitability included, compiling not; the value of the game lies between the two bounds that best responses give.

The catalogue's game allows three raises after a bet. With `raises=3` (three bets a round, two raises after a bet) it is
the game whose linear program Gilpin and Sandholm (2005) counted: 91,224,226 rows before abstraction.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

import pokerlab
from _command import FULL, Table, command
from pokerlab.form.evaluate import evaluate
from pokerlab.game.catalog import rules_of
from pokerlab.game.size import tree_nodes
from pokerlab.solvers.regret import RegretSolver, scheme_of

CLAIM = 30 * 60.0
METHOD = "dcfr"
GAMES = ("rhode-island", "rhode-island:raises=3")


def iteration(game: pokerlab.Game, single: bool, stretch: float) -> dict[str, Any]:
    """Seconds an iteration, best of five stretches, and bytes held."""
    solver = RegretSolver(game, scheme_of(METHOD, single=single))
    solver.step(2)
    best = float("inf")
    for _ in range(5):
        count, began = 0, time.perf_counter()
        while not count or time.perf_counter() - began < stretch:
            solver.step()
            count += 1
        best = min(best, (time.perf_counter() - began) / count)
    return {"seconds": best, "bytes": solver.nbytes, "mb": solver.nbytes / 1e6}


def measure(name: str, target: float, stretch: float) -> dict[str, Any]:
    """One game: sizes, an iteration in both precisions, and the solution to `target` mb/h."""
    began = time.perf_counter()
    game = pokerlab.compile(name)
    compiled = time.perf_counter() - began
    assert game.origin is not None
    rules = game.origin.rules
    row = {
        "game": name, "tree_nodes": tree_nodes(rules), "infosets": sum(tree.infosets for tree in game.trees),
        "sequences": sum(tree.sequences for tree in game.trees), "payoff_entries": game.A.entries,
        "compile_seconds": compiled,
        "double": iteration(game, False, stretch), "single": iteration(game, True, stretch),
    }  # fmt: skip
    solution = pokerlab.solve(game, METHOD, exploitability=target * rules.small_bet / 1000)
    mb = 1000 / rules.small_bet
    return row | {
        "seconds": solution.seconds, "iterations": solution.iterations,
        "exploitability_mb": solution.exploitability * mb,
        "value": solution.value, "bounds": list(evaluate(solution.strategy).bounds), "unit": "chips",
        "trace": [[point.iteration, point.seconds, point.exploitability * mb] for point in solution.trace],
    }  # fmt: skip


def run(quick: bool) -> dict[str, Any]:
    small = "rhode-island:ranks=7,suits=4,raises=2"
    names, target, stretch = ((small,), 50.0, 0.01) if quick else (GAMES, 1.0, 2.0)
    games = [measure(name, target, stretch) for name in names]
    return {
        "method": METHOD, "target_mb": target, "claim_seconds": CLAIM, "games": games,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }  # fmt: skip


def show(report: dict[str, Any]) -> None:
    for row in report["games"]:
        low, high = row["bounds"]
        print(f"{row['game']}: {row['tree_nodes']:,} nodes, {row['infosets']:,} infosets up to suits")
        print(f"  compiled in {row['compile_seconds']:.1f} s: {row['sequences']:,} sequences, "
              f"{row['payoff_entries']:,} payoff entries")  # fmt: skip
        for precision in ("double", "single"):
            figures = row[precision]
            print(f"  {figures['seconds']:.3f} s an iteration in {precision} precision, "
                  f"{figures['bytes'] / 1e6:,.0f} MB held")  # fmt: skip
        print(f"  {report['method']} to {row['exploitability_mb']:.3f} mb/h in {row['seconds']:.1f} s, "
              f"{row['iterations']} iterations, checks included")  # fmt: skip
        print(f"  value {row['value']:+.5f} chips to player 1, that of the game between {low:+.5f} and {high:+.5f}")
    print(f"peak memory {report['peak_bytes'] / 1e9:.2f} GB")


def tables(report: dict[str, Any]) -> dict[str, Table]:
    """A column a game; sizes of the trees are counted, not measured, and a quick run has them too."""
    figures = {
        "infosets up to suits, of both players": "{infosets:,}",
        "seconds to compile": "{compile_seconds:.1f}",
        "seconds an iteration, double and single precision": "{double[seconds]:.3f} and {single[seconds]:.3f}",
        "MB held, double and single precision": "{double[mb]:.0f} and {single[mb]:.0f}",
        "discounted CFR to 1 mb/h, seconds and iterations": "{seconds:.0f} and {iterations}",
        "value to player 1, chips": "{value:.3f}, between {bounds[0]:.3f} and {bounds[1]:.3f}",
    }
    nodes = [f"{tree_nodes(rules_of(name)):,}" for name in GAMES]
    rows = [("nodes of the game tree", *nodes)]
    for title, form in figures.items():
        cells = [FULL] * len(GAMES) if report["quick"] else [form.format(**row) for row in report["games"]]
        rows.append((title, *cells))
    return {"rhode-island": [("", *(f"`{name}`" for name in GAMES)), *rows]}


def failed(report: dict[str, Any]) -> list[str]:
    return [
        f"{row['game']}: {row['exploitability_mb']:.2f} mb/h in {row['seconds']:.0f} s, "
        f"the claim is {report['target_mb']} in {CLAIM:.0f}"
        for row in report["games"]
        if row["seconds"] > CLAIM or row["exploitability_mb"] > report["target_mb"]
    ]


if __name__ == "__main__":
    sys.exit(command(__doc__, "a smaller deck, to 50 mb/h", run, show, failed, tables))
