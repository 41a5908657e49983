"""Claim: a grafted strategy is larger than any game that was solved on the way to it.

Leduc with 13 ranks and 4 suits. The base is an equilibrium of the abstract game with four buckets before the flop and
pair / no pair after it; the grafts, one a private card, are solved against opponents of different sight. Printed for
every strategy: its size, the sizes of all games solved for it, seconds, exploitability, and winnings against that base.
The same grafts are then solved on several processes, to show what that saves.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

import pokerlab
from _command import command
from pokerlab.form.evaluate import evaluate
from pokerlab.form.game import Game
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile
from pokerlab.refine.grafting import graft
from pokerlab.refine.partition import GraftingPartition, flop_grafts, preflop_grafts

KINDS: dict[str, Callable[[Game, int], GraftingPartition]] = {
    "preflop grafts": preflop_grafts,
    "flop grafts": flop_grafts,
}

Seats = tuple[pokerlab.Solution, pokerlab.Solution]  # the solution whose half plays each seat


def coarse(ranks: str, buckets: int = 4) -> str:
    """Ranks in buckets as equal as can be, the larger ones first: 2345.678.9TJ.QKA."""
    least, more = divmod(len(ranks), buckets)
    cuts = [0]
    for b in range(buckets):
        cuts.append(cuts[-1] + least + (b < more))
    return ".".join(ranks[low:high] for low, high in pairwise(cuts))


class Bench:
    """The full game, the bases, and what to measure of a strategy in the full game."""

    def __init__(self, game: str, iterations: int) -> None:
        self.full, self.iterations = pokerlab.compile(game), iterations
        assert self.full.origin is not None
        rules = self.full.origin.rules
        self.coarse, self.fine = coarse(rules.deck.ranks), ".".join(rules.deck.ranks)
        self.millibet = rules.small_bet / 1000
        self.base = (self.solve(self.coarse),) * 2
        self.field = self.lifted(self.base)

    def solve(self, abstraction: str) -> pokerlab.Solution:
        game = pokerlab.compile(self.full.name, abstraction)
        return pokerlab.solve(game, "cfr+", iterations=self.iterations, progress=False)

    def lifted(self, seats: Seats) -> Profile:
        profiles = [lift(seat.strategy, self.full) for seat in seats]
        return Profile(self.full, (profiles[0][0], profiles[1][1]))

    def measure(self, profile: Profile) -> dict[str, float]:
        """In mb/h: exploitability, and winnings against the base, the mean of both seatings."""
        mine, theirs = profile.plans(), self.field.plans()
        first = float((mine[0] * (self.full.A @ theirs[1])).sum())
        second = float((theirs[0] * (self.full.A @ mine[1])).sum())
        return {
            "exploitability": evaluate(profile).exploitability / self.millibet,
            "winnings": (first - second) / 2 / self.millibet,
        }

    def whole(self, name: str, opponent: str, seats: Seats) -> dict[str, Any]:
        """A strategy that is the solution of a single game, or of one a seat."""
        solved = [
            {"sequences": [tree.sequences for tree in seat.game.trees], "entries": seat.game.A.entries,
             "seconds": seat.seconds}
            for seat in dict.fromkeys(seats)
        ]  # fmt: skip
        return {
            "strategy": name, "opponent": opponent, "size": seats[0].game.trees[0].sequences - 1,
            "largest": max(sum(game["sequences"]) for game in solved), "games": solved,
            "seconds": sum(game["seconds"] for game in solved), **self.measure(self.lifted(seats)),
        }  # fmt: skip

    def grafted(self, seats: Seats, kind: str, opponent: str, executor: Any = None) -> dict[str, Any]:
        began = time.perf_counter()
        strategies = [
            graft(seat.strategy, KINDS[kind](self.full, player), opponent=opponent, executor=executor, progress=False,
                  iterations=self.iterations)
            for player, seat in enumerate(seats)
        ]  # fmt: skip
        seconds = time.perf_counter() - began
        games = [
            {"graft": graft.name, "player": player, "sequences": list(graft.sequences), "entries": graft.entries,
             "seconds": graft.seconds, "gain": graft.gain, "epsilon": graft.epsilon}
            for player, strategy in enumerate(strategies) for graft in strategy.grafts
        ]  # fmt: skip
        return {
            "strategy": kind, "opponent": opponent, "size": min(s.sequences for s in strategies),
            "largest": max(sum(game["sequences"]) for game in games), "games": games, "seconds": seconds,
            "theorem_1": [{"gain": s.gain, "sum_of_gains": s.sum_of_gains, "epsilon": s.epsilon, "bound": s.bound}
                          for s in strategies],
            **self.measure(Profile(self.full, (strategies[0].behaviour, strategies[1].behaviour))),
        }  # fmt: skip


def run(quick: bool) -> dict[str, Any]:
    game, iterations = ("leduc:ranks=5,suits=2", 100) if quick else ("leduc:ranks=13,suits=4", 2_000)
    bench = Bench(game, iterations)
    rows = [bench.whole("base", bench.coarse, bench.base)]
    rows += [
        bench.whole(name, text, (bench.solve(text),) * 2)
        for name, text in (("one bucket a rank", bench.fine), ("full game", "FULL"))
    ]
    for opponent in (bench.coarse, bench.fine):
        rows += [bench.grafted(bench.base, kind, opponent) for kind in KINDS]
    rows = [row | {"judged": number >= 3} for number, row in enumerate(rows)]
    # Corollary 1: a base against an unabstracted opponent. That opponent alone is as large as the grafted strategy.
    safe = bench.solve(f"{bench.coarse}-FULL"), bench.solve(f"FULL-{bench.coarse}")
    against_full = [bench.whole("base", "FULL", safe), *(bench.grafted(safe, kind, "FULL") for kind in KINDS)]
    rows += [row | {"judged": False} for row in against_full]
    count = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    serial = rows[-2]["seconds"]
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        bench.grafted(bench.base, "preflop grafts", bench.coarse, pool.map)  # so that processes and kernels are there
        spread = bench.grafted(safe, "preflop grafts", "FULL", pool.map)["seconds"]
    return {
        "game": game, "base": bench.coarse, "iterations": iterations, "unit": "mb/h",
        "strategies": rows,
        "processes": {"count": count, "seconds": spread, "serial_seconds": serial, "ratio": serial / spread},
    }  # fmt: skip


def show(report: dict[str, Any]) -> None:
    print(f"{report['game']}, base {report['base']}, {report['iterations']:,} iterations of CFR+ a game")
    print("size: a player's sequences; games: both players' sequences, payoff entries; winnings are against the base")
    print(
        f"{'strategy':<18}{'opponent':<27}{'size':>6}{'largest':>9}{'seconds':>9}{'exploitability':>16}{'winnings':>10}"
    )
    for row in report["strategies"]:
        print(f"{row['strategy']:<18}{row['opponent']:<27}{row['size']:>6,}{row['largest']:>9,}"
              f"{row['seconds']:>9.2f}{row['exploitability']:>11.1f} mb/h{row['winnings']:>10.1f}")  # fmt: skip
        counts = Counter((*game["sequences"], game["entries"]) for game in row["games"])
        for (first, second, entries), count in counts.items():
            print(f"    {count:>2} x {first:,} + {second:,} sequences, {entries:,} entries")
    spread = report["processes"]
    print(f"preflop grafts against FULL on {spread['count']} processes {spread['seconds']:.2f} s, in one "
          f"{spread['serial_seconds']:.2f} s: x {spread['ratio']:.2f}")  # fmt: skip


def failed(report: dict[str, Any]) -> list[str]:
    return [
        f"{row['strategy']} against {row['opponent']}: {row['size']:,} sequences, and a game of {row['largest']:,}"
        for row in report["strategies"]
        if row["judged"] and row["size"] <= row["largest"]
    ]


if __name__ == "__main__":
    sys.exit(command(__doc__, "a small deck and few iterations", run, show, failed))
