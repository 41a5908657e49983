"""What solving a spot will take: decisions, boards, memory, and the time to expect from a measured piece of it.

    told = forecast(read_spot("flop.toml"), exploitability=0.5)
    told.memory, told.iterations, told.seconds, told.how

Work is proportional to the regrets that are kept, one for each action, hand and solved board. So a few iterations of
the spot itself, or where that is large of the same spot one or two streets later, tell the time of an iteration; and
how many iterations it takes to come to an exploitability is told by solving the river that follows when both check or
call: 1.5 times as many for each street before it, as four turns took 1.3 to 1.7 times as many as their rivers, and a
flop 2.3 times.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pokerlab.bounds import THREADS
from pokerlab.errors import SpotError
from pokerlab.processes import cores
from pokerlab.refine.spots.engine import METHOD, Engine, engine_for
from pokerlab.refine.spots.run import DEFAULT_EXPLOITABILITY, solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import SINGLE
from pokerlab.refine.spots.spot import Spot
from pokerlab.refine.spots.tree import CALL, CHECK, POSTFLOP
from pokerlab.solvers.runner import CHECK_EVERY, Limits

_SMALL = 64 << 20  # bytes of a piece that is measured
_LONG = 0.3  # seconds of processor time that are measured
_MOST = 1000  # iterations of the river
_MORE = 1.5  # times as many for each street before the river


@dataclass(frozen=True)
class Forecast:
    """`boards` are those that are solved, by street; `memory` and `free` bytes; `iteration` seconds of processor time
    that one takes on one thread. `seconds` are those of `iterations` on `threads` threads that share the work evenly,
    or what was asked for; `at_least` says that it takes more, and nobody knows how much: what was measured did not come
    to the goal. `place` is where it is solved, if not here. `how` says what was measured.
    """

    spot: str
    decisions: int
    terminals: int
    boards: dict[str, int]
    hands: tuple[int, int]
    memory: int
    free: int | None
    threads: int
    place: str
    iteration: float
    iterations: int | None
    seconds: float
    at_least: bool
    how: str

    def lines(self) -> list[str]:
        """As text."""
        boards = ", ".join(f"{count:,} on the {street}" for street, count in self.boards.items())
        free = "" if self.free is None else f", {self.free / 2**20:,.0f} MiB are free"
        count = "" if self.iterations is None else f"{self.iterations:,} iterations of "
        many = "one thread" if self.threads == 1 else f"{self.threads} threads, if they share the work evenly"
        where, about = self.place or f" on {many}", "more than" if self.at_least else "about"
        return [
            f"{self.spot}: {self.decisions:,} decisions and {self.terminals:,} ends of the betting, hands: oop "
            f"{self.hands[0]:,}, ip {self.hands[1]:,}",
            f"boards that differ by more than suits: {boards}",
            f"memory{self.place} {self.memory / 2**20:,.1f} MiB{free}",
            f"{about} {self.seconds:.3g} s{where}: {count}{1000 * self.iteration:.3g} ms",
            self.how,
        ]

    def summary(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "spot": self.spot, "decision_nodes": self.decisions, "terminal_nodes": self.terminals,
            "boards": self.boards, "hands": list(self.hands), "memory_bytes": self.memory, "free_bytes": self.free,
            "threads": self.threads, "place": self.place.strip(), "iteration_seconds": self.iteration,
            "iterations": self.iterations, "seconds": self.seconds, "at_least": self.at_least, "how": self.how,
        }  # fmt: skip


def later(spot: Spot) -> Spot | None:
    """The spot one street later, after checks or calls only and the lowest card that is left; None where no betting
    follows.
    """
    tree, words = spot.tree(), list[str]()
    node = tree[0]
    while node.kind == "decision":
        words.append(CALL if CALL in node.labels else CHECK)
        node = tree[node.children[node.labels.index(words[-1])]]
    if node.kind != "deal":
        return None
    behind = spot.start.stack - node.put[0]
    for card in range(52):
        if card not in spot.board:
            with suppress(SpotError):  # a card may leave a range no hand
                return replace(
                    spot, board=(*spot.board, card), pot=spot.pot + sum(node.put), stacks=(behind, behind),
                    bets=(0, 0), to_act=0, locks=(), edits=(), aggressor=None,
                )  # fmt: skip
    return None


def _kept(shape: Shape) -> int:
    return sum(shape.kept(street, player) for street in shape.streets for player in range(2))


def _iteration(shape: Shape, method: str, kind: type[Engine], precision: str) -> tuple[float, int]:
    """Seconds that an iteration takes one thread, and how many were measured."""
    made = kind(shape, method=method, precision=precision)
    clock = time.perf_counter if made.place else time.process_time  # what a GPU does is nobody's processor time
    made.step(0)  # compiles
    made.step(1)
    start, count = clock(), 0
    while not count or clock() - start < _LONG:
        made.step(CHECK_EVERY)
        made.exploitability()  # as often as a run looks at it
        count += CHECK_EVERY
    return (clock() - start) / count, count


def forecast(
    spot: Spot,
    *,
    exploitability: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    method: str = METHOD,
    threads: int | None = None,
    engine: str = "cpu",
    precision: str = SINGLE,
) -> Forecast:
    """What `solve_spot` with these limits will take; nothing large is made to find out."""
    Limits(iterations, exploitability, seconds).check(SpotError)
    THREADS.check(threads, error=SpotError)
    pieces = [spot]
    while (after := later(pieces[-1])) is not None:
        pieces.append(after)
    shapes = [Shape(piece) for piece in pieces]
    shape, boards = shapes[0], {POSTFLOP[street]: len(each.boards) for street, each in shapes[0].boards.items()}
    workers = min(threads or cores(), boards.get(POSTFLOP[spot.street + 1], 1) if spot.street < 2 else 1)
    kind = engine_for(engine, shape, workers, precision)
    workers = 1 if kind.place else workers
    measured = _measured(shapes)
    taken, count = _iteration(measured, method, kind, precision)
    ratio = _kept(shape) / _kept(measured)
    place = "the spot itself" if measured is shape else f"its {POSTFLOP[measured.spot.street]}"
    how = f"measured: {count} iterations of {place}, {1000 * taken:.3g} ms each" + (
        "" if measured is shape else f", times {ratio:,.1f}, as it keeps so many times as many regrets"
    )
    asked, river, at_least = iterations, pieces[-1], False
    if iterations is None and seconds is None:
        goal = DEFAULT_EXPLOITABILITY if exploitability is None else exploitability
        solved = solve_spot(
            river,
            exploitability=goal,
            iterations=_MOST,
            method=method,
            threads=1,
            engine=engine,
            precision=precision,
            progress=False,
        )
        more = _MORE ** (river.street - spot.street)
        asked, at_least = math.ceil(solved.iterations * more), solved.stopped != "exploitability"
        whose = "it" if river is spot else f"its {POSTFLOP[river.street]} after checks or calls"
        came = 100 * solved.exploitability / river.total
        how += f"; {solved.iterations:,} iterations took {whose} to {came:.3g} % of the pot"
        how += f", not to {goal:.3g} %" if at_least else ""
        how += "" if river is spot else f", and the {POSTFLOP[spot.street]} takes about {more:.3g} times as many"
    by_count = taken * ratio * asked / workers if asked is not None else float("inf")
    return Forecast(
        spot.name, shape.tree.decisions, shape.tree.terminals, boards, (len(shape.holes[0]), len(shape.holes[1])),
        kind.needs(shape, workers, precision), kind.room(), workers, kind.place, taken * ratio, asked,
        min(by_count, float("inf") if seconds is None else seconds), at_least, how,
    )  # fmt: skip


def _measured(shapes: Sequence[Shape]) -> Shape:
    """The first that is small enough to be measured, else the last."""
    return next((shape for shape in shapes if shape.bytes() <= _SMALL), shapes[-1])
