"""Claim: a model fitted on small pieces says what a piece about ten times as large takes, within a third.

What splits is made of pieces: walks on a table, best responses below a flop, iterations of a spot, tables that are
merged, hands of a match. Each is measured at two small sizes, by processor time; a model of two numbers is fitted;
what it says of a much larger piece is written down before that one is run. The small ones are larger than a core's
caches, for pieces that fit there say nothing of those that do not. From the pieces follows what things cost
that no machine here can hold, on one machine, ten and a thousand of 16 such cores each. Where tasks are fewer than
cores, a schedule is simulated with the tasks' own spread. A machine's memory and network are assumed, and say so.
"""

from __future__ import annotations

import heapq
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import pokerlab
from _command import FULL, Table, command
from exploitability import ByStrength, flops_of
from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.spec import agent_of
from pokerlab.match.exact.tree import PublicTree
from pokerlab.match.play import play_match
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.shape import Shape
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.holdem import HoldemDeals
from pokerlab.solvers.sampling.sampler import Sampler, plan_of
from spot import IP, OOP, spot_of

TOLERANCE = 1 / 3
CORES, MEMORY, NETWORK = 16, 128e9, 1.25e9  # of a machine, assumed: bytes, and bytes a second
MACHINES = (1, 10, 1000)
VISITS = 1000  # of an infoset, on average, until a blueprint is done
AGENTS, MATCHES, HANDS = 20, 10**6, 3000
ITERATIONS = 500  # of each flop of a preflop tree
MERGES = 100  # of tables that workers have filled apart


class Point(NamedTuple):
    """A piece: its size, and what it took in seconds."""

    size: float
    seconds: float


class Law(NamedTuple):
    """Seconds = scale x size ^ power, from two points."""

    scale: float
    power: float

    def __call__(self, size: float) -> float:
        return self.scale * size**self.power


def law_of(one: Point, other: Point) -> Law:
    power = math.log(other.seconds / one.seconds) / math.log(other.size / one.size)
    return Law(one.seconds / one.size**power, power)


def makespan(seconds: Sequence[float], workers: int) -> float:
    """When the last of so many workers is done, each taking the next task as soon as it is free."""
    free = [0.0] * min(workers, len(seconds))
    for each in seconds:
        heapq.heapreplace(free, free[0] + each)
    return max(free)


def timed(work: Callable[[], object], least: float) -> float:
    """Seconds of processor time, the best of some runs that together take so long."""
    work()
    best, spent = math.inf, 0.0
    while spent < least:
        began = time.process_time()
        work()
        took = time.process_time() - began
        best, spent = min(best, took), spent + max(took, 1e-6)
    return best


def walks(count: int, least: float) -> tuple[Point, dict[str, Any]]:
    """A thousand iterations on limit hold'em with so many buckets a round, by infosets."""
    rules = pokerlab.rules_of("holdem-limit")
    source = HoldemDeals(rules, MadeHands(count))
    graph = BettingGraph(rules, source.buckets)
    sampler = Sampler(graph, source, plan_of("external", single=True, epoch=10**9))
    sampler.step(2000)
    touched, began = sampler.touched, sampler.iteration
    seconds = timed(lambda: sampler.step(1000), least)
    rows = (sampler.touched - touched) / (sampler.iteration - began)
    about = {"infosets": graph.infosets, "bytes": sampler.nbytes / graph.infosets, "rows": rows}
    return Point(graph.infosets, seconds), about


def responses(ranks: int, least: float) -> tuple[Point, dict[str, Any]]:
    """A best response below a flop of three suits, by boards of the last street times hands."""
    rules = pokerlab.rules_of("holdem-limit" if ranks == 13 else f"holdem-limit:ranks={ranks}")
    tree = PublicTree(ByStrength(10), rules, alike=True, dtype=np.float32)
    kinds = [(_boards(tree, number) * tree.holes, count) for number, count in flops_of(tree)]
    seconds = timed(lambda: tree.flop(tree.flops[flops_of(tree)[-1][0]]), least)
    return Point(kinds[-1][0], seconds), {"kinds": kinds}


def _boards(tree: PublicTree, number: int) -> int:
    """How many boards of the last street there are below a flop, up to suits."""
    flop = tree.flops[number]
    return sum(len(tree.suits.after(turn.board, turn.group, 1)) for turn in tree.suits.after(flop.board, flop.group, 1))


def iterations(bet: str, raise_: str, board: str, least: float) -> tuple[Point, dict[str, Any]]:
    """Ten iterations of a spot, by how many regrets it keeps."""
    shape = Shape(spot_of("piece", board, (OOP, IP), bet, raise_))
    engine = CpuEngine(shape, threads=1)
    seconds = timed(lambda: engine.step(10), least)
    return Point(sum(shape.kept(street, player) for street in shape.streets for player in range(2)), seconds), {}


def merging(cells: int, least: float) -> tuple[Point, dict[str, Any]]:
    """Adding one table to another, by bytes."""
    one, other = (np.ones(cells, np.float32) for _ in range(2))
    return Point(one.nbytes, timed(lambda: np.add(one, other, out=one), least)), {}


def hands(count: int, least: float) -> tuple[Point, dict[str, Any]]:
    """A match of so many hands between agents who act at random."""
    rules = pokerlab.rules_of("holdem-limit")
    agents = [agent_of("random", rules)] * 2
    return Point(count, timed(lambda: play_match(rules, agents, count, progress=False), least)), {}


PIECES: dict[str, tuple[str, Callable[..., tuple[Point, dict[str, Any]]], list[tuple[Any, ...]]]] = {
    "a thousand walks of limit hold'em": ("infosets", walks, [(30,), (100,), (1000,)]),
    "best response below a flop": ("boards x hands", responses, [(6,), (8,), (13,)]),
    "ten iterations of a spot": (
        "regrets", iterations,
        [("50%", "all-in", "Qs Js 2s"), ("50%", "all-in", "Qs Jh 2h"), ("50%, 100%", "60%, all-in", "Qs Jh 2h")],
    ),
    "merging two tables": ("bytes", merging, [(2**23,), (2**24,), (2**27,)]),
    "a match": ("hands", hands, [(100,), (300,), (3000,)]),
}  # fmt: skip
QUICK = {
    "a thousand walks of limit hold'em": [(2,), (4,), (8,)],
    "best response below a flop": [(3,), (4,), (5,)],
    "ten iterations of a spot": [("50%", "all-in", "Qs Jh 2h 4c 7d"), ("50%, 100%", "all-in", "Qs Jh 2h 4c 7d"),
                                 ("50%, 100%, all-in", "60%, all-in", "Qs Jh 2h 4c 7d")],
    "merging two tables": [(2**18,), (2**19,), (2**20,)],
    "a match": [(10,), (20,), (40,)],
}  # fmt: skip


def measure(quick: bool) -> dict[str, Any]:
    least, pieces, known = (0.01 if quick else 2.0), [], {}
    for name, (unit, piece, sizes) in PIECES.items():
        print(f"{name} ...", file=sys.stderr)
        small, large = (QUICK[name] if quick else sizes)[:2], (QUICK[name] if quick else sizes)[2]
        points = [piece(*given, least)[0] for given in small]
        law = law_of(*points)
        measured, known[name] = piece(*large, least)  # only now: the model is made
        pieces.append({
            "piece": name, "unit": unit, "power": law.power, "scale": law.scale, "small": points, "size": measured.size,
            "times": measured.size / points[-1].size, "expected": law(measured.size), "seconds": measured.seconds,
        })  # fmt: skip
    return {"tolerance": TOLERANCE, "pieces": pieces, "costs": costs(pieces, known)}


def costs(pieces: list[dict[str, Any]], known: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What larger things take, in seconds on so many machines, and what holds them back."""
    laws = [Law(row["scale"], row["power"]) for row in pieces]
    walk, response, spot, merge, match = laws
    walked, answered, *_ = known.values()
    rows = [blueprint(infosets, walked, walk, merge) for infosets in (1e9, 1e11)]
    flops = [response(size) for size, count in answered["kinds"] for _ in range(count)]
    preflop = [spot(pieces[2]["size"]) / 10 * ITERATIONS] * sum(count for _, count in answered["kinds"])
    return [
        *rows,
        tasks(f"exact exploitability of {AGENTS} agents", flops * AGENTS),
        tasks("all flops of a preflop tree", preflop),
        tasks(f"{MATCHES:,} matches of {HANDS:,} hands", [match(HANDS)] * MATCHES),
    ]


def blueprint(infosets: float, walked: dict[str, Any], walk: Law, merge: Law) -> dict[str, Any]:
    """Machines fill tables of their own, which are added up now and then: every byte goes out once and in once."""
    size, work = infosets * walked["bytes"], infosets * VISITS / walked["rows"] * walk(infosets) / 1000
    spans, limits = [], []
    for machines in MACHINES:
        walking = work / (machines * CORES)
        merging = MERGES * (2 * size / NETWORK + merge(size / CORES)) if machines > 1 else 0.0
        spans.append(walking + merging)
        if size > MEMORY:
            limits.append(f"memory: a table is {size / MEMORY:.0f} machines")
        else:
            limits.append("network" if merging > walking else "cores")
    return {"what": f"a blueprint of {infosets:.0e} infosets", "core_hours": work / 3600, "seconds": spans,
            "held_back_by": limits}  # fmt: skip


def tasks(what: str, seconds: Sequence[float]) -> dict[str, Any]:
    """Tasks of which each worker takes the next when it is free, the longest first."""
    ordered, total = sorted(seconds, reverse=True), sum(seconds)
    spans = [makespan(ordered, machines * CORES) for machines in MACHINES]
    idle = [1 - total / (span * machines * CORES) for span, machines in zip(spans, MACHINES, strict=True)]
    limits = ["cores" if share < 0.5 else f"tasks: {share:.0%} of the cores wait" for share in idle]
    return {"what": what, "core_hours": total / 3600, "seconds": spans, "held_back_by": limits}


def failed(report: dict[str, Any]) -> list[str]:
    return [
        f"{row['piece']}: {row['expected']:.3g} s were expected and {row['seconds']:.3g} s taken"
        for row in report["pieces"]
        if not 1 - TOLERANCE <= row["expected"] / row["seconds"] <= 1 / (1 - TOLERANCE)
    ]


def tables(report: dict[str, Any]) -> dict[str, Table]:
    quick = report["quick"]
    pieces = [("piece", "size", "times the larger of the small ones", "expected", "taken")]
    for row in report["pieces"]:
        size = f"{row['size']:.1e} {row['unit']}", f"{row['times']:.0f}", _time(row["expected"]), _time(row["seconds"])
        pieces.append((row["piece"], *([FULL] * 4 if quick else size)))
    larger = [("", "core-hours", *(f"{count:,} machine{'s' * (count > 1)}" for count in MACHINES))]
    for row in report["costs"]:
        spans = [
            f"{_time(seconds)} ({limit})" for seconds, limit in zip(row["seconds"], row["held_back_by"], strict=True)
        ]
        figures = [f"{row['core_hours']:,.0f}", *spans]
        larger.append((row["what"], *([FULL] * 4 if quick else figures)))
    return {"pieces": pieces, "larger": larger}


def _time(seconds: float) -> str:
    for size, unit in ((365 * 86400, "years"), (86400, "days"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= 2 * size or (unit == "s" and seconds >= 1):
            return f"{seconds / size:,.1f} {unit}"
    return f"{1000 * seconds:.3g} ms"


def show(report: dict[str, Any]) -> None:
    for rows in tables(report | {"quick": False}).values():
        for row in rows:
            print("  ".join(f"{cell:<40}" if not at else f"{cell:>24}" for at, cell in enumerate(row)))
        print()


if __name__ == "__main__":
    sys.exit(command(__doc__, "tiny pieces", measure, show, failed, tables))
