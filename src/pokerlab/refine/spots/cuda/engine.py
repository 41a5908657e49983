"""The engine for a device. It keeps what the processor's engine keeps, in the same tiles, and makes the same passes.

A pass of a player is a launch for each street on the way down, one for all of the last street, and two for each street
on the way up. Nothing comes back to the host but what a gadget or a caller asks for. Sums are made in one order, so
that the same iterations give the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pokerlab.device import Device, Launch, Source, this_device
from pokerlab.errors import DeviceError
from pokerlab.refine.spots import boards as cards
from pokerlab.refine.spots.cuda.layout import (
    HAND,
    LISTS,
    ROW,
    STREET,
    Plan,
    Rows,
    hands_of,
    items_of,
    listed,
    lists_of,
    plan_of,
    rates_of,
)
from pokerlab.refine.spots.engine import METHOD, Pass
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.kernels import BEST, EXPECT, Hands, Rates
from pokerlab.refine.spots.lanes import LANES
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import SINGLE, bytes_each
from pokerlab.refine.spots.stored import STILL, StoredEngine
from pokerlab.refine.spots.tree import Node
from pokerlab.solvers.runner import fitting, put_back

KERNELS = Source("pokerlab.refine.spots.cuda", "passes.cu", ("down", "last", "collect", "up"))
_LEAST_SHARED = 99 * 2**10  # bytes that a block of threads may have on any device of compute capability 8 or later
_MOST_BLOCKS = 384  # of threads at a time, on the largest of devices
_THREADS = 384  # of a block, at most: a thread of several hands has more on its way, and sums more without the others
_REGISTERS, _REGISTERS_EACH = 65536, 80  # of a processor, and the fewest that the kernels do well with
_EACH = 4  # groups of roots that a block of threads works on with one board's lists
_RESERVED = 1024  # bytes of shared memory that each block of threads takes besides
_COLUMNS = 128  # that a block of threads has where it needs no others


class Class(NamedTuple):
    """Groups of roots that are launched together: the first, how many, bytes of shared memory, and whether the
    opponent's rows and the player's are there.
    """

    first: int
    groups: int
    shared: int
    rows: tuple[int, int]


class View(NamedTuple):
    """A street as a player sees it: the structure that kernels are called with, and arrays that it points to."""

    street: np.ndarray
    arrays: dict[str, Any]


class CudaEngine(StoredEngine):
    """Arrays live on the device. `views[street][player]` is a street as the kernels read it."""

    place = " on the device"

    def __init__(
        self, shape: Shape, *, method: str = METHOD, threads: int = 1, gadget: Gadget | None = None,
        precision: str = SINGLE, device: Device | None = None,
    ) -> None:  # fmt: skip
        super().__init__(shape, method=method, threads=threads, gadget=gadget, precision=precision)
        self.device = device or this_device()
        if not self.fits(shape, self.device):
            raise DeviceError(
                f"{max(map(len, shape.holes)):,} hands take more than the {self.device.shared / 2**10:.0f} KiB of "
                "shared memory that a block of the device's threads may have: narrow the ranges, or take device cpu"
            )
        self.first, self.last = shape.spot.street, shape.layout.last
        self.widths = [len(row) for row in shape.root]
        self.threads_each = threads_of(self.widths, self.device)
        self.plans = {s: tuple(self._plan(s, player) for player in range(2)) for s in shape.streets}
        self.classes = self._classes(0), self._classes(1)
        with self.device.watched():
            self.roots = [self.device.xp.asarray(row) for row in shape.root]
            self._keep()
            self._work()
            self.views = {street: self._views(street) for street in shape.streets}
        least = min(kind.shared for player in range(2) for kind in self.classes[player]) + _RESERVED
        self.defined = {
            "HALF": int(self.precision != SINGLE),
            "THREADS": self.threads_each,
            "PER_THREAD": -(-max(self.widths) // self.threads_each),
            "ROUNDS": -(-max(self.widths) // self.threads_each),
            "BLOCKS": max(1, min(self._most_blocks(), self.device.together // least)),
        }
        self._compiled: dict[tuple[int, int], Launch] = {}
        self.launch = self._compile(self.classes[0][-1].rows)

    @staticmethod
    def needs(shape: Shape, threads: int, precision: str = SINGLE) -> int:
        """Bytes on the device; hardly any are taken of the host."""
        return _bytes(shape, bytes_each(precision))

    @staticmethod
    def room() -> int | None:
        return this_device().free()

    @staticmethod
    def fits(shape: Shape, device: Device | None = None) -> bool:
        """A block of threads has all of the opponent's hands before it."""
        device = device or this_device()
        return least_shared(shape, device) <= device.shared

    def _compile(self, rows: tuple[int, int]) -> Launch:
        """Kernels with the opponent's rows of the last street, and the player's, in shared memory or not."""
        if rows not in self._compiled:
            macros = {"REACH_SHARED": rows[0], "VALUE_SHARED": rows[1]}
            self._compiled[rows] = self.device.compile(KERNELS, self.defined | macros)
        return self._compiled[rows]

    # ---- what there is

    def _zeros(self, size: int, dtype: Any = np.float32) -> Any:
        return self.device.xp.zeros(size, dtype=dtype)

    def _host(self, array: Any) -> np.ndarray:
        with self.device.watched():
            return self.device.host(array)

    def _write(self, array: Any, node: Node, rows: np.ndarray, board: int | None = None) -> None:
        with self.device.watched():
            tiles = self.shape.tiles(array, node)
            laid = self.device.xp.asarray(np.ascontiguousarray(self.shape.laid(node, rows, array.dtype)))
            (tiles if board is None else tiles[board])[...] = laid

    def _put(self, array: Any, begin: int, numbers: np.ndarray) -> None:
        with self.device.watched():
            array[begin : begin + len(numbers)] = self.device.xp.asarray(numbers)

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Straight to the device: what is there is not brought here first."""
        stored = self._stored()
        fit = {name: fitting(state, name, array.shape, array.dtype) for name, array in stored.items()}
        put_back(self._beside(), state)
        for name, array in stored.items():
            self._put(array, 0, fit[name])
        self.iteration = int(state["clock"][0])

    def begin(self, iterations: int) -> None:
        with self.device.watched():
            super().begin(iterations)

    def _plan(self, street: int, player: int) -> Plan:
        mine, theirs = self.shape.layout.sides[street][player], self.shape.layout.sides[street][1 - player]
        widths = self.widths[player], self.widths[1 - player]
        room = self.device.together // self._most_blocks() - _RESERVED - max(map(self._shared, range(2)))
        most = room // 4 if self.device.rows is None else self.device.rows
        return plan_of(mine, theirs, widths, last=street == self.last, most=most)

    def _shared(self, player: int) -> int:
        return shared_of(self.widths[1 - player], self.threads_each // self.device.warp)

    def _most_blocks(self) -> int:
        """Blocks of threads that a processor can have at a time, if a thread is to have registers enough."""
        return min(8, max(1, _REGISTERS // (_REGISTERS_EACH * self.threads_each)))

    def _classes(self, player: int) -> list[Class]:
        """By how many a processor has room for: large ones alone, so that small ones do not take as much.

        Where a processor had room for one only, it has for two if the opponent's rows are not in shared memory.
        """
        plan, work, together = self.plans[self.last][player], self._shared(player), self.device.together
        needed, count = work + 4 * (plan.sizes.sum(axis=1) + plan.told), len(plan.sizes)
        large, last = int((needed > self.device.shared).sum()), 0
        classes = list[Class]()
        ends = [*(int((needed > together // n - _RESERVED).sum()) for n in range(2, self._most_blocks() + 1)), count]
        if large:
            classes.append(Class(0, large, work, (0, 0)))
            last = large
        for end in ends:
            if end > last:
                half = work + 4 * int((plan.sizes[last:end].max(axis=1) + plan.told[last:end]).max())
                if end == ends[0] and self._most_blocks() > 1 and half <= together // 2 - _RESERVED:
                    classes.append(Class(last, end - last, half, (0, 1)))
                else:
                    classes.append(Class(last, end - last, int(needed[last]), (1, 1)))
                last = end
        return classes

    def _work(self) -> None:
        """Space that both players' passes use: rows by board before the last street, and what roots earn."""
        sides, boards = self.shape.layout.sides, {s: len(self.shape.boards[s].boards) for s in self.shape.streets}
        rows = {
            s: self._zeros(boards[s] * max(side.rows * w for side, w in zip(sides[s], self.widths, strict=True)))
            for s in range(self.first, self.last)
        }
        self.reach, self.value = rows, {s: self._zeros(len(row)) for s, row in rows.items()}
        self.out = {s: self._zeros(boards[s] * sides[s][0].roots * max(self.widths)) for s in self.shape.streets}
        plans = self.plans[self.last]
        spread = any(kind.rows != (1, 1) for player in range(2) for kind in self.classes[player])
        most = max(len(plan.sizes) for plan in plans)
        count = max(most, min(self.device.blocks, boards[self.last] * most) if spread else 0)
        self.scratch_blocks, self.scratch = count, self._zeros(count * max(sum(plan.most) for plan in plans))

    def _views(self, street: int) -> tuple[View, View]:
        """A street as the two players see it."""
        shape = self.shape
        hands = cards.hands_on(shape.boards[street], shape.holes, shape.changes, ranked=street == self.last)
        return self._view(street, 0, hands), self._view(street, 1, hands)

    def _view(self, street: int, player: int, hands: tuple[Hands, Hands]) -> View:
        """The structure `Street` of passes.cu."""
        shape, xp, other = self.shape, self.device.xp, 1 - player
        boards, side, below = shape.boards[street], shape.layout.sides[street][player], street + 1
        order, start = lists_of(hands[other])
        arrays = self.plans[street][player].arrays | {
            "hand": hands_of(hands[player], hands[other], start),
            "order": order,
            "start": start,
            "parent": np.array(boards.parents, dtype=np.int32),
            "leaf": self._leaves(street, other),
            "swaps": hands[player].swaps,
        }
        if street < self.last:
            deals = cards.next_boards(shape.boards[below], shape.changes)
            arrays |= {"deal_start": deals.deal_start, "deal_board": deals.board, "deal_swap": deals.swap}
            for name in ("deal_start", "deal_board", "deal_swap"):
                arrays[name] = arrays[name].astype(np.int32)
        there = {name: xp.asarray(np.ascontiguousarray(a).view(np.uint8).ravel()) for name, a in arrays.items()}
        mine, theirs = self.stores[street][player], self.stores[street][other]
        there |= {
            "above": self.roots[other] if street == self.first else self.reach[street - 1],
            "reach": self.reach.get(street), "value": self.value.get(street), "out": self.out[street],
            "below": self.out.get(below), "their_regret": theirs.regret, "their_strategy": theirs.strategy,
            "regret": mine.regret, "strategy": mine.strategy, "scratch": self.scratch,
            "locked": mine.locked if len(mine.locked) else None,
        }  # fmt: skip
        record = np.zeros(1, dtype=STREET)
        for name, array in there.items():
            record[name] = 0 if array is None else self.device.pointer(array)
        their_side, before = shape.layout.sides[street][other], shape.layout.sides.get(street - 1)
        numbers = {
            "groups": len(self.plans[street][player].arrays["group"]), "roots": side.roots,
            "my_width": self.widths[player], "their_width": self.widths[other], "my_rows": side.rows,
            "their_rows": their_side.rows, "my_kept": (side.rows - side.roots) * self.widths[player],
            "their_kept": (their_side.rows - their_side.roots) * self.widths[other],
            "above_size": before[other].rows * self.widths[other] if before else 0,
            "below_roots": shape.layout.sides[below][player].roots if street < self.last else 0,
            "my_most": self.plans[street][player].most[0], "their_most": self.plans[street][player].most[1],
            "listed": listed(self.widths[other]),
        }  # fmt: skip
        for name, number in numbers.items():
            record[name] = number
        return View(record, there)

    def _leaves(self, street: int, player: int) -> np.ndarray:
        """By root of a street: the player's row of the street before that leads there."""
        if street == self.first:
            return np.array([(0, LANES)], dtype=ROW)
        side = self.shape.layout.sides[street - 1][player]
        return Rows(side, self.widths[player]).places(side.leaves, 0, side.roots)

    # ---- passes

    def step(self, count: int = 1) -> None:
        if not count:
            self.exploitability()
            return
        self._improve(count)
        self.iteration += count
        self._host(self.roots[0][:1])  # all is done, and what went wrong is said, before this returns

    def walk(self, player: int, *, best: bool) -> np.ndarray:
        return self._host(self._walk(player, BEST if best else EXPECT))[: len(self.shape.holes[player])]

    def _walk(self, player: int, mode: int, rates: Rates = STILL) -> Any:
        with self.device.watched():
            self._descend(player, mode, rates)
            boards = len(self.shape.boards[self.last].boards)
            for kind in self.classes[player]:
                parts = boards * -(-kind.groups // _EACH)
                blocks = parts if kind.rows == (1, 1) else coprime(min(parts, self.device.blocks), parts // boards)
                chosen = (0, boards, kind.first, kind.groups, _EACH)
                self._last(player, mode, rates, blocks, kind.shared, chosen, self._compile(kind.rows))
            for street in range(self.last - 1, self.first - 1, -1):
                side, count = self.shape.layout.sides[street][player], len(self.shape.boards[street].boards)
                rows, columns = count * side.rows, -(-self.widths[player] // _COLUMNS)
                self._run("collect", street, player, (rows, columns), _COLUMNS, 0, mode, rates)
                shared, blocks = self._shared(player), count * side.roots
                self._run("up", street, player, (blocks, 1), self.threads_each, shared, mode, rates)
            return self.out[self.first][: self.widths[player]]

    def _descend(self, player: int, mode: int, rates: Rates) -> None:
        """The opponent's reach on all streets before the last."""
        if self.entrance is not None and self.entrance.player != player:
            self.roots[1 - player][...] = self.device.xp.asarray(self.root(1 - player))
        for street in range(self.first, self.last):
            side, boards = self.shape.layout.sides[street][1 - player], len(self.shape.boards[street].boards)
            grid = boards * side.roots, -(-self.widths[1 - player] // _COLUMNS)
            self._run("down", street, player, grid, _COLUMNS, 0, mode, rates)

    def _last(
        self, player: int, mode: int, rates: Rates, blocks: int, shared: int, chosen: tuple[int, ...], launch: Launch
    ) -> None:
        given = self.views[self.last][player].street, np.int32(mode), rates_of(rates), items_of(*chosen)
        launch("last", (blocks, 1), self.threads_each, shared, given)

    def _run(
        self, name: str, street: int, player: int, grid: tuple[int, int], threads: int, shared: int, mode: int,
        rates: Rates,
    ) -> None:  # fmt: skip
        given = self.views[street][player].street, np.int32(mode), rates_of(rates), items_of()
        self.launch(name, grid, threads, shared, given)

    def enter(self, gadget: Gadget | None) -> None:
        super().enter(gadget)
        if hasattr(self, "roots"):  # another gadget stood before the spot
            for mine, row in zip(self.roots, self.shape.root, strict=True):
                self._put(mine, 0, row)

    def rows(self, player: int, node: Node, path: Sequence[int], *, best: bool = False) -> Pass:
        place, mode, street = self.shape.layout.places[node.index], BEST if best else EXPECT, node.street
        first, count = (place.row, place.actions) if node.player == player else (place.rows[player], 1)
        board = path[-1] if path else 0
        if street < self.last:
            self._walk(player, mode)
        else:
            self._walk_board(player, mode, board)
        earned = [self._row(street, player, player, board, first + a) for a in range(count)]
        return Pass(np.array(earned), self._row(street, player, 1 - player, board, place.rows[1 - player]))

    def _walk_board(self, player: int, mode: int, board: int) -> None:
        """A pass on one board of the last street, whose rows can be read afterwards."""
        with self.device.watched():
            self._descend(player, mode, STILL)
            groups = len(self.plans[self.last][player].sizes)
            chosen = (board, 1, 0, groups, 1)
            self._last(player, mode, STILL, groups, self._shared(player), chosen, self._compile((0, 0)))

    def _row(self, street: int, player: int, who: int, board: int, row: int) -> np.ndarray:
        """A row of `who` after a pass of `player`: what it earns if it is the player's, else its reach."""
        side, width = self.shape.layout.sides[street][who], self.widths[who]
        rows, begin, span = Rows(side, width), 0, (0, side.roots)
        array = (self.value if who == player else self.reach).get(street)
        if array is not None:
            begin = board * side.rows * width
        else:
            groups, most = self.plans[street][player].arrays["group"], self.plans[street][player].most
            after = rows.root[row] - groups["root"]
            number = int(np.flatnonzero((after >= 0) & (after < groups["roots"]))[0])
            array, begin = self.scratch, number * sum(most) + (most[1] if who == player else 0)
            span = int(groups["root"][number]), int(groups["root"][number] + groups["roots"][number])
        place = rows.places(np.array([row]), *span)[0]
        end = begin + int(place["base"]) + (width // LANES - 1) * int(place["step"]) + LANES
        flat = self._host(array[begin + int(place["base"]) : end])
        tiles = np.lib.stride_tricks.as_strided(flat, (width // LANES, LANES), (4 * int(place["step"]), 4))
        return tiles.reshape(-1)[: len(self.shape.holes[who])].copy()


def threads_of(widths: Sequence[int], device: Device) -> int:
    """Of a block: one a hand, or so many that each has the same number of hands."""
    rounds = -(-max(widths) // min(device.threads, _THREADS))
    return -(-max(widths) // rounds // device.warp) * device.warp


def shared_of(width: int, warps: int) -> int:
    """Bytes of shared memory for terminals, of so many hands: `Work` of passes.cu, without rows."""
    return 16 * (2 * width + listed(width) + 107 + warps) + 2 * (listed(width) + LISTS)


def least_shared(shape: Shape, device: Device) -> int:
    """Bytes of shared memory without which nothing is done."""
    widths = [len(row) for row in shape.root]
    return shared_of(max(widths), threads_of(widths, device) // device.warp)


def coprime(blocks: int, parts: int) -> int:
    """About so many blocks of threads, each of which comes by every part of a board."""
    return next(count for count in range(blocks, 0, -1) if math.gcd(count, parts) == 1)


def _bytes(shape: Shape, each: int) -> int:
    """Memory on the device: what is kept, of so many bytes each, hands by board, rows that streets share, and space to
    look at rows.
    """
    widths, total = [len(row) for row in shape.root], 0
    for street in shape.streets:
        boards, sides = len(shape.boards[street].boards), shape.layout.sides[street]
        for player, width in enumerate(widths):
            total += each * shape.kept(street, player) * (2 + shape.locked(street, player))
            total += boards * (width * HAND.itemsize + 2 * listed(width) + 2 * LISTS)
        total += 4 * boards * sides[0].roots * max(widths)
        if street < shape.layout.last:
            total += 4 * 2 * boards * max(side.rows * width for side, width in zip(sides, widths, strict=True))
    rows = Rows(sides[0], widths[0]), Rows(sides[1], widths[1])
    alone = [(root, root + 1) for root in range(sides[0].roots)]
    most = sum(max(each.floats(*root) for root in alone) for each in rows)
    fits = 4 * most + 16 * 6 * max(widths) < _LEAST_SHARED // 2
    return total + 4 * most * (len(alone) if fits else max(len(alone), min(_MOST_BLOCKS, boards * len(alone))))
