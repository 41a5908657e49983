"""Claim: a GPU makes 60 times one thread's iterations on a flop with one size, 100 times on a real single-raised pot;
a best response in limit hold'em takes 0.7 ms a river board and seat; a game of 10,000 buckets is 20 times as fast as on
two cores.

The real pot is solved to 0.5 % within 10 seconds, at 30 % of the device's copy bandwidth or more. Bytes are those that
an iteration cannot do without: of each number that is kept, the regret read by the opponent, and regret and average
read and written by the player. One thread is measured on the same machine, in processor time; the device by the clock.
What the device has found is judged by the processor's engine: expected chips and exploitability of its averages, on
all spots of `spot.py`.

Best responses are those of `exploitability.py` to random play in 1,000 buckets, below a flop of each number of suits,
all boards and both seats, by the clock, with boards made ready and without; what hands are worth is compared with the
processor's. The game of buckets is limit hold'em with two raises and ten buckets a round that are made up, 10,000
sequences of them, whose matrices are full; an iteration of cfr+ in single precision on both.

In half precision the same spots take half the memory, and after the same iterations are as hard to exploit to 5 % as in
single precision, by the processor's best response in single precision. `--only precision` measures that alone.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from typing import Any

import numpy as np

from _command import FULL, Table, command
from exploitability import BUCKETS, ByStrength, flops_of
from pokerlab.device import CupyDevice
from pokerlab.errors import DeviceError
from pokerlab.form.compile import compile
from pokerlab.form.game import BilinearGame, bilinear
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.catalog import rules_of
from pokerlab.match.exact.cuda.engine import CudaEngine as CudaResponses
from pokerlab.match.exact.tree import PublicTree
from pokerlab.processes import cores
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.cuda.engine import CudaEngine
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import HALF, PRECISIONS, SINGLE, plain
from pokerlab.refine.spots.solution import SpotSolution
from pokerlab.refine.spots.spot import Spot, parse_spot
from pokerlab.solvers.on_device import DeviceRegretSolver, on_device
from pokerlab.solvers.regret import RegretSolver, scheme_of
from spot import spots as usual_spots

GOAL = 0.5  # per cent of the pot
BYTES = 20  # of a number that is kept, in an iteration
TIMES = {"flop, one size": 60, "single-raised pot": 100}  # one thread's iterations a second
SHARE, SECONDS, EXACT = 0.3, 10.0, 1e-4  # of the copy bandwidth; to the goal; of the pot
BOARD, CORES, ROUNDED = 0.7, 20, 1e-4  # milliseconds; times two cores; rounding in single precision
LARGE = "single-raised pot"
WORSE, HALVED = 1.05, 0.56  # exploitability in half precision, of that in single; memory of spots with so many bytes
HALVED_FROM, ITERATIONS = 2**28, {LARGE: 100}  # smaller ones are boards and rows as much as what is kept
PARTS = ("responses", "buckets", "spots", "others", "precision")
WIDE = (
    "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,75s+,64s+,54s,A2o+,K7o+,Q8o+,J8o+,T8o+,98o",
    "22+,A2s+,K2s+,Q2s+,J5s+,T6s+,96s+,86s+,75s+,65s,54s,A2o+,K6o+,Q8o+,J8o+,T8o+",
)


def single_raised_pot() -> Spot:
    """40 % of hands each, 100 big blinds of ten chips, two sizes and a raise on each street."""
    return parse_spot(
        f'board = "Qs Jh 2h"\npot = 55\nstacks = 975\nblind = 10\n[oop]\nrange = "{WIDE[0]}"\n[ip]\n'
        f'range = "{WIDE[1]}"\n[bets]\nbet = "50%, 100%"\nraise = "100%"\n',
        LARGE,
    )


def spots(quick: bool) -> list[Spot]:
    every = [
        spot for spot in usual_spots(False) if spot.name in ("river", "turn", "turn, other sizes", "flop, one size")
    ]
    return every[:1] if quick else [*every, single_raised_pot()]


def others() -> list[Spot]:
    """The rest of `spot.py`'s, with rake, few hands, one suit: whether what is found is right, not how fast."""
    measured = {spot.name for spot in spots(False)}
    return [spot for spot in usual_spots(False) if spot.name not in measured]


def copy_bandwidth(device: CupyDevice) -> float:
    """Bytes a second read and written by the best of some large copies."""
    xp, best = device.xp, 0.0
    source = xp.random.random(2**28, dtype=xp.float32)
    target = xp.empty_like(source)
    for _ in range(5):
        begin, end = xp.cuda.Event(), xp.cuda.Event()
        begin.record()
        target[...] = source
        end.record()
        end.synchronize()
        best = max(best, 2000 * source.nbytes / xp.cuda.get_elapsed_time(begin, end))
    return best


def thread_rate(shape: Shape, seconds: float) -> float:
    """Iterations a second of processor time, on one thread."""
    engine = CpuEngine(shape)
    engine.step(1)
    began, start = time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        engine.step(1)
    return (engine.iteration - 1) / (time.process_time() - start)


def device_rate(shape: Shape, seconds: float, precision: str = SINGLE) -> float:
    """Iterations a second, the best of some pieces."""
    engine = CudaEngine(shape, precision=precision)
    engine.step(5)
    began, best, count = time.perf_counter(), 0.0, 1
    while time.perf_counter() - began < seconds:
        start = time.perf_counter()
        engine.step(count)
        took = time.perf_counter() - start
        best, count = max(best, count / took), max(1, int(0.2 * count / took))
    return best


def processors(device: CudaEngine) -> CpuEngine:
    """The processor's engine with a device's averages, in single precision."""
    engine = CpuEngine(device.shape, threads=cores() if len(device.shape.boards) > 1 else 1)
    for street, stores in engine.stores.items():
        for player, store in enumerate(stores):
            store.strategy[:] = plain(device.device.host(device.stores[street][player].strategy))
    return engine


def judged(solution: SpotSolution) -> tuple[float, float]:
    """By how much expected chips, and the exploitability, are others by the processor's engine, in parts of the pot."""
    device = solution._engine
    assert isinstance(device, CudaEngine)
    mine, theirs, pot = processors(device).figures(), solution.figures, solution.spot.total
    chips = max(abs(one - two) for one, two in zip(mine.ev, theirs.ev, strict=True))
    return chips / pot, abs(mine.exploitability - theirs.exploitability) / pot


def measure_spot(spot: Spot, bandwidth: float, quick: bool) -> dict[str, Any]:
    shape = Shape(spot)
    kept = sum(shape.kept(street, player) for street in shape.streets for player in range(2))
    thread = thread_rate(shape, 0.2 if quick else 3.0)
    device = device_rate(shape, 0.2 if quick else 2.0)
    solution = solve_spot(spot, exploitability=GOAL, engine="cuda", progress=False)
    chips, exploitability = judged(solution)
    return {
        "thread": thread, "device": device, "times": device / thread, "share": BYTES * kept * device / bandwidth,
        "seconds": solution.seconds, "iterations": solution.iterations, "exploitability": solution.exploitability,
        "ev": list(solution.ev), "ev_difference": chips, "exploitability_difference": exploitability,
    }  # fmt: skip


def measure_other(spot: Spot) -> dict[str, Any]:
    solution = solve_spot(spot, exploitability=GOAL, engine="cuda", progress=False)
    chips, exploitability = judged(solution)
    return {
        "iterations": solution.iterations, "exploitability": solution.exploitability, "ev": list(solution.ev),
        "ev_difference": chips, "exploitability_difference": exploitability,
    }  # fmt: skip


def measure_precision(spot: Spot, quick: bool) -> dict[str, dict[str, float]]:
    """Of both precisions: bytes, iterations a second, and exploitability after as many iterations as single precision
    takes to 0.1 % of the pot, in per cent of it.
    """
    shape, rows = Shape(spot), dict[str, dict[str, float]]()
    iterations = ITERATIONS.get(spot.name)
    if iterations is None:
        iterations = solve_spot(spot, exploitability=0.1, engine="cuda", progress=False).iterations
    for precision in PRECISIONS:
        engine = CudaEngine(shape, precision=precision)
        engine.step(iterations)
        judge = processors(engine)
        device = engine.device
        del engine
        exploitability = 100 * judge.exploitability() / spot.total
        device.xp.get_default_memory_pool().free_all_blocks()
        rate = device_rate(shape, 0.2 if quick else 1.0, precision)
        device.xp.get_default_memory_pool().free_all_blocks()
        rows[precision] = {
            "bytes": CudaEngine.needs(shape, 1, precision), "device": rate, "iterations": iterations,
            "exploitability": exploitability,
        }  # fmt: skip
        print(f"{spot.name}, {precision}: {rows[precision]}", file=sys.stderr, flush=True)
    return rows


def measure_flop(tree: PublicTree, number: int, judge: bool) -> dict[str, Any]:
    """Both seats on all boards below a flop, on the device; `judge`: on the processor too."""
    engine, dealt, worth, seconds = CudaResponses(tree), tree.flops[number], [], []
    began = time.perf_counter()
    engine._levels(dealt, 1)
    engine.device.host(engine.cards)  # all is done
    ready = time.perf_counter() - began
    for seat in (0, 0, 1):  # kernels are loaded in the first
        reach, began = tree._arrived(seat), time.perf_counter()
        worth.append(engine.worth(seat, reach, dealt))
        seconds.append(time.perf_counter() - began)
    assert engine._known is not None
    boards = len(engine._known[1][-1].boards)
    row = {"flop": tree.rules.deck.text(dealt.board), "boards": boards, "ready": 1000 * ready / boards / 2,
           "walk": 1000 * sum(seconds[1:]) / boards / 2, "thread": None, "difference": None}  # fmt: skip
    if judge:
        start, wanted = time.process_time(), [tree.engine.worth(s, tree._arrived(s), dealt) for s in range(2)]
        row["thread"] = 1000 * (time.process_time() - start) / boards / 2
        row["difference"] = max(float(abs(g - w).max() / abs(w).max()) for g, w in zip(worth[1:], wanted, strict=True))
    return row


def measure_responses(quick: bool) -> list[dict[str, Any]]:
    rules = rules_of("holdem-limit:ranks=4" if quick else "holdem-limit")
    tree = PublicTree(ByStrength(BUCKETS[-1]), rules, alike=True, dtype=np.float32)
    numbers = [number for number, _ in flops_of(tree)]
    measure_flop(tree, numbers[0], True)  # kernels are compiled
    return [measure_flop(tree, number, number == numbers[0]) for number in numbers]


def made_up(each: int) -> BilinearGame:
    """Limit hold'em with two raises and so many buckets a round, random ones."""
    rng, sizes = np.random.default_rng(0), [each ** (round + 1) for round in range(4)]
    parents = tuple(np.arange(size) // each if round else np.zeros(size, np.int64) for round, size in enumerate(sizes))
    joint = [rng.random((sizes[-1], sizes[-1]), np.float32)]
    joint[0] /= joint[0].sum(dtype=np.float64)
    for size in sizes[-2::-1]:
        joint.insert(0, joint[0].reshape(size, each, size, each).sum(axis=(1, 3)))
    signs = rng.random((sizes[-1], sizes[-1]), np.float32)
    signs = (2 * signs - 1) * joint[-1]
    deals = BucketDeals("made up", (parents, parents), tuple(joint), signs)
    return bilinear(compile(rules_of("holdem-limit:raises=2"), deals=deals))


def on_two_cores(each: int, count: int, seconds: Any) -> None:
    """Seconds an iteration, in a process that has two cores from its start."""
    solver = RegretSolver(made_up(each), scheme_of("cfr+", single=True))
    solver.step(1)
    began = time.perf_counter()
    solver.step(count)
    seconds.put((time.perf_counter() - began) / count)


def measure_buckets(quick: bool) -> dict[str, Any]:
    """Iterations of cfr+, by the clock on the device and on two cores; plans are compared in a small game."""
    scheme, spawn, small = scheme_of("cfr+", single=True), get_context("spawn"), made_up(3)
    every, seconds = os.sched_getaffinity(0), spawn.Queue()
    os.sched_setaffinity(0, sorted(every)[:2])  # which the process inherits
    child = spawn.Process(target=on_two_cores, args=(3 if quick else 10, 2, seconds))
    child.start()
    os.sched_setaffinity(0, every)
    child.join()
    if child.exitcode:
        raise SystemExit(f"two cores: the process ended with {child.exitcode}")
    here = seconds.get(timeout=60)
    cpu, device = RegretSolver(small, scheme), DeviceRegretSolver(on_device(small), scheme)
    for solver in (cpu, device):
        solver.step(3)
    off = max(float(abs(one - other).max()) for one, other in zip(cpu.plans(), device.plans(), strict=True))
    game = small if quick else made_up(10)
    device = DeviceRegretSolver(on_device(game), scheme)
    device.step(2)
    began, count = time.perf_counter(), 20
    device.step(count)
    there = (time.perf_counter() - began) / count
    sequences = [tree.sequences for tree in game.trees]
    return {"sequences": sequences, "device": there, "cores": here, "times": here / there, "difference": off}


def measure(quick: bool, only: Sequence[str] | None = None) -> dict[str, Any]:
    report: dict[str, Any] = {
        "device": None, "why": "", "spots": {}, "others": {}, "responses": [], "buckets": None, "precision": {},
    }  # fmt: skip
    parts = only or PARTS
    sizes = {spot.name: CudaEngine.needs(Shape(spot), 1) for spot in [*spots(False)]}
    report["bytes"] = sizes
    try:
        device = CupyDevice()
    except DeviceError as error:
        return report | {"why": str(error)}
    report |= {"device": device.name, "copy_bandwidth": copy_bandwidth(device)}
    if "responses" in parts:
        print("best responses ...", file=sys.stderr)
        report["responses"] = measure_responses(quick)
    if "buckets" in parts:
        print("buckets ...", file=sys.stderr)
        report["buckets"] = measure_buckets(quick)
    for spot in spots(quick) if "precision" in parts else ():
        report["precision"][spot.name] = measure_precision(spot, quick)
    for spot in spots(quick) if "spots" in parts else ():
        print(f"{spot.name} ...", file=sys.stderr)
        device.xp.get_default_memory_pool().free_all_blocks()
        report["spots"][spot.name] = measure_spot(spot, report["copy_bandwidth"], quick)
    for spot in others() if "others" in parts and not quick else ():
        print(f"{spot.name} ...", file=sys.stderr)
        report["others"][spot.name] = measure_other(spot)
    return report


def show(report: dict[str, Any]) -> None:
    if report["device"] is None:
        print(report["why"])
        return
    print(f"{report['device']}, copies at {report['copy_bandwidth'] / 1e9:,.0f} GB/s")
    for row in report["responses"]:
        told = "" if row["thread"] is None else f", {row['thread']:.2f} on a thread, {row['difference']:.1e} off"
        print(
            f"best response below {row['flop']}: {row['boards']:,} river boards, {row['walk']:.3f} ms each and seat, "
            f"and {row['ready']:.3f} to make them ready{told}"
        )
    row = report["buckets"]
    if row:
        print(
            f"10,000 buckets, {row['sequences'][0]:,} and {row['sequences'][1]:,} sequences: "
            f"{1000 * row['device']:,.1f} ms an iteration, {1000 * row['cores']:,.0f} on two cores "
            f"({row['times']:.0f} times); plans {row['difference']:.1e} off"
        )
    for name, row in report["precision"].items():
        told = ", ".join(
            f"{precision} {each['bytes'] / 2**20:,.0f} MiB, {each['device']:,.1f} a second, "
            f"{each['exploitability']:.4f} %"
            for precision, each in row.items()
        )
        print(f"{name}, after {row[SINGLE]['iterations']} iterations: {told}")
    for name, row in report["others"].items():
        print(
            f"{name}: {GOAL} % after {row['iterations']}; EV {row['ev'][0]:.3f} / {row['ev'][1]:.3f}, by the processor "
            f"{100 * row['ev_difference']:.5f} % of the pot off, exploitability "
            f"{100 * row['exploitability_difference']:.5f} %"
        )
    for name, row in report["spots"].items():
        print(
            f"{name}: {report['bytes'][name] / 2**20:,.0f} MiB, {row['thread']:,.2f} iterations a second on a thread, "
            f"{row['device']:,.1f} on the device ({row['times']:.0f} times), {100 * row['share']:.0f} % of the copy "
            f"bandwidth, {GOAL} % in {row['seconds']:.2f} s ({row['iterations']}); EV {row['ev'][0]:.3f} / "
            f"{row['ev'][1]:.3f}, by the processor {100 * row['ev_difference']:.5f} % of the pot off, exploitability "
            f"{100 * row['exploitability_difference']:.5f} %"
        )


def precision_table(report: dict[str, Any]) -> Table:
    """Memory does not depend on the machine."""
    rows: list[Sequence[str]] = []
    for spot in spots(False):
        sizes = [f"{CudaEngine.needs(Shape(spot), 1, precision) / 2**20:,.1f} MiB" for precision in PRECISIONS]
        row = None if report["quick"] else report["precision"].get(spot.name)
        cells = [FULL] * 5
        if row:
            single, half = row[SINGLE], row[HALF]
            cells = [
                _digits(single["device"]), _digits(half["device"]), f"{single['iterations']}",
                f"{single['exploitability']:.3f} %", f"{half['exploitability']:.3f} %",
            ]  # fmt: skip
        rows.append((spot.name, *sizes, *cells))
    header = ("memory", "half", "iterations a second", "half", "exploitability after", "single", "half")
    return [("", *header), *rows]


def tables(report: dict[str, Any]) -> dict[str, Table]:
    """Memory does not depend on the machine."""
    rows: list[Sequence[str]] = []
    for name, taken in report["bytes"].items():
        row = report["spots"].get(name)
        cells = [FULL] * 5
        if row and not report["quick"]:
            cells = [
                _digits(row["thread"]), _digits(row["device"]), _digits(row["times"]), f"{100 * row['share']:.0f} %",
                f"{_digits(row['seconds'])} s ({row['iterations']})",
            ]  # fmt: skip
        rows.append((name, f"{taken / 2**20:,.1f} MiB", *cells))
    header = ("", "on the device", "one thread", "GPU", "times", "of the copy bandwidth", "0.5 % of the pot")
    more: list[Sequence[str]] = []
    for row in [] if report["quick"] else report["responses"]:
        each = "" if row["thread"] is None else f"{row['thread']:.1f} ms"
        more.append((row["flop"], f"{row['boards']:,}", f"{row['ready']:.2f} ms", f"{row['walk']:.3f} ms", each))
    boards = [("flop", "river boards", "made ready", "GPU", "one thread"), *more]
    responses = boards if more else [boards[0], *[(FULL,) * 5] * 3]
    return {"speed": [header, *rows], "responses": responses, "precision": precision_table(report)}


def _digits(number: float) -> str:
    """Two or three digits: more would not be the same tomorrow."""
    return f"{number:.2g}" if number < 100 else f"{round(number, -1 if number < 1000 else -2):,.0f}"


def failed(report: dict[str, Any]) -> list[str]:
    if report["device"] is None:
        return [f"not judged: {report['why']}"]
    unmet = []
    for row in report["responses"]:
        if row["ready"] + row["walk"] > BOARD:
            unmet.append(f"{row['flop']}: {row['ready'] + row['walk']:.2f} ms a river board and seat, not {BOARD}")
        if row["difference"] is not None and row["difference"] > ROUNDED:
            unmet.append(f"{row['flop']}: what hands are worth is {row['difference']:.0e} off")
    if report["buckets"] and report["buckets"]["times"] < CORES:
        unmet.append(f"10,000 buckets: {report['buckets']['times']:.0f} times two cores, not {CORES}")
    if report["buckets"] and report["buckets"]["difference"] > ROUNDED:
        unmet.append(f"10,000 buckets: plans are {report['buckets']['difference']:.0e} off")
    for name, row in report["precision"].items():
        single, half = row[SINGLE], row[HALF]
        if half["exploitability"] > WORSE * single["exploitability"]:
            worse = half["exploitability"] / single["exploitability"]
            unmet.append(f"{name}: {worse:.2f} times as exploitable in half precision, not {WORSE}")
        if single["bytes"] >= HALVED_FROM and half["bytes"] > HALVED * single["bytes"]:
            unmet.append(f"{name}: {half['bytes'] / single['bytes']:.2f} of the memory in half precision, not {HALVED}")
    for name, row in (report["spots"] | report["others"]).items():
        for what in ("ev", "exploitability"):
            if row[f"{what}_difference"] > EXACT:
                unmet.append(f"{name}: {what} is {100 * row[f'{what}_difference']:.4f} % of the pot off")
    for name, row in report["spots"].items():
        if row["times"] < TIMES.get(name, 0):
            unmet.append(f"{name}: {row['times']:.0f} times one thread's iterations, not {TIMES[name]}")
        if name == LARGE and row["share"] < SHARE:
            unmet.append(f"{name}: {100 * row['share']:.0f} % of the copy bandwidth, not {100 * SHARE:.0f} %")
        if name == LARGE and row["seconds"] > SECONDS:
            unmet.append(f"{name}: {row['seconds']:.1f} s to {GOAL} % of the pot, not {SECONDS:.0f}")
    return unmet


if __name__ == "__main__":
    only = {"choices": PARTS, "nargs": "+", "help": "measure these parts alone"}
    sys.exit(command(__doc__, "the river only", measure, show, failed, tables, only=only))
