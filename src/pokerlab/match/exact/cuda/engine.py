"""The engine for a device: all boards of a round at a time, round by round down to the last one and up again.

Arrays over roots lie in panels as on the processor, but of few lanes: what a block of threads works on must fit into
its shared memory, which is less on some devices. Roots that the agent never comes to, whatever it holds, are left out.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import comb
from typing import Any, NamedTuple

import numpy as np

from pokerlab.device import Device, Launch, Source, record_of, this_device
from pokerlab.errors import DeviceError
from pokerlab.match.exact.boards import Dealt
from pokerlab.match.exact.engine import Engine
from pokerlab.match.exact.street import LEAF, ROW, Street
from pokerlab.match.exact.tree import PublicTree

KERNELS = Source("pokerlab.match.exact.cuda", "boards.cu", ("sort", "walk", "collect"))
LANES = (2, 1)  # roots of a panel: the first that a block of threads has room for
_ROUNDS = 4  # of blocks of threads, at least, on the last street
_RESERVED = 1024  # bytes of shared memory that each block of threads takes besides
_COLUMNS = 128  # threads of a block that has no hands of its own
_GIB = 2**30

_HAND = 16  # bytes of a `Hand` of boards.cu
BOARDS = (
    ("ranks", "dealt", "cards", "holders", "hands", "lists", "start"),
    [(name, "i4") for name in ("holes", "many", "kinds", "most")],
)
WALK = (
    ("hands", "lists", "start", "buckets", "first", "parent", "times", "steps", "parents", "leaf", "pays", "table",
     "reach", "onward", "value"),
    [(name, "i4") for name in ("holes", "width", "kinds", "count", "rows", "chances", "panels", "next_panels",
                               "bundles", "slots", "depth", "down")],
)  # fmt: skip
COLLECT = (
    ("value", "after", "bundle", "group", "changes", "swaps"),
    [("holes", "i4"), ("panels", "i4"), ("scale", "f4"), ("spare", "i4")],
)


class Compiled(NamedTuple):
    """Kernels, the threads of a block, and the bytes of its shared memory without rows and stack."""

    threads: int
    shared: int
    launch: Launch


class Plan(NamedTuple):
    """A seat's street on the device: which of its roots there are, and the program with all that it reads."""

    street: Street
    roots: np.ndarray  # of the street, those that the agent may come to
    arrays: dict[str, Any]
    panels: int
    chances: int  # buckets


class Level(NamedTuple):
    """All boards of a round below a board, in the order of the boards before them; hands in order on the device."""

    boards: list[Dealt]
    parents: np.ndarray  # by board: the number of the board before it
    arrays: dict[str, Any]


class Bundles(NamedTuple):
    """Boards that a block of threads goes through one after the other; they follow the same board."""

    first: np.ndarray  # by bundle: its first board, and the end
    parent: np.ndarray  # by bundle: the board before
    start: np.ndarray  # by board before: its first bundle, and the end


class CudaEngine(Engine):
    """Hands, rows and values live on the device; what the first board is worth comes back."""

    def __init__(self, tree: PublicTree, device: Device | None = None) -> None:
        super().__init__(tree)
        if not tree.play.fixed:
            raise DeviceError(
                f"{tree.agent.title} is asked anew on every board, so that a device gains nothing: take device cpu"
            )
        self.device, self.holes = device or this_device(), tree.holes
        holders = _holders(tree.cards)
        self.kinds, self.most = holders.shape
        self.lanes = self._fitting()
        with self.device.watched():
            self.cards = self._there(tree.cards, np.uint8)
            self.holders, self.swaps = self._there(holders, np.int16), self._there(tree.suits.holes, np.int16)
            self.plans = [self._plans(seat) for seat in range(2)]
        self._known: tuple[Dealt, list[Level]] | None = None

    def forget(self) -> None:
        self._known = None

    def worth(self, responder: int, reach: np.ndarray, dealt: Dealt) -> np.ndarray:
        first = self.tree.rules.boards.index(len(dealt.board))
        with self.device.watched():
            levels = self._levels(dealt, first)
            plans = [self.plans[responder][first + depth] for depth in range(len(levels))]
            there = self._there(_in_panels(reach[plans[0].roots], self.lanes), np.float32)
            value = self.device.host(self._walk_all(levels, plans, there)).reshape(-1, self.holes, self.lanes)
        worth: np.ndarray = np.zeros(reach.shape, self.tree.dtype)
        worth[plans[0].roots] = value.transpose(0, 2, 1).reshape(-1, self.holes)[: len(plans[0].roots)]
        return worth

    def _there(self, array: Any, dtype: type) -> Any:
        return self.device.xp.asarray(np.ascontiguousarray(array, dtype=dtype).ravel())

    # ---- what is the same on all boards

    def _plans(self, seat: int) -> dict[int, Plan]:
        plans, live = dict[int, Plan](), np.ones(0, bool)
        for round, street in self.tree.seats[seat].items():
            roots, lanes, rows = len(street.roots), self.tree.lanes, street.program.rows
            live = live if len(live) else np.ones(roots, bool)
            odds = self.tree.play.table(seat, round, ()).reshape(-(-roots // lanes), -1, max(1, rows), lanes)
            odds = odds.transpose(0, 3, 1, 2).reshape(-1, odds.shape[1], odds.shape[2])[:roots]
            onward = _reached(street, odds, live)
            plans[round] = self._plan(street, np.flatnonzero(live), odds, onward)
            live = onward
        return plans

    def _plan(self, street: Street, roots: np.ndarray, odds: np.ndarray, onward: np.ndarray) -> Plan:
        number = np.where(onward, np.cumsum(onward) - 1, -1).reshape(-1, len(street.roots))[:, roots]
        panels = -(-len(roots) // self.lanes)
        leaf = np.full((len(number), panels * self.lanes), -1)
        leaf[:, : len(roots)] = number
        arrays = {
            "steps": self._there(street.program.steps, np.int32),
            "parents": self._there(street.program.parents, np.int32),
            "leaf": self._there(leaf, np.int32),
            "pays": self._there(_in_panels(street.pays[roots], self.lanes), np.float32),
            "table": self._there(_in_panels(odds[roots].reshape(len(roots), -1), self.lanes), np.float32),
        }
        return Plan(street, roots, arrays, panels, odds.shape[1])

    # ---- boards

    def _levels(self, dealt: Dealt, first: int) -> list[Level]:
        """The board itself, and all boards of each round that follows; remembered for the other seat."""
        if self._known is not None and self._known[0].board == dealt.board:
            return self._known[1]
        rules, boards, parents = self.tree.rules, [dealt], np.zeros(1, np.int32)
        levels = [self._level(first, boards, parents)]
        for round in range(first + 1, rules.rounds):
            after = [self.tree.suits.after(each.board, each.group, rules.board_cards[round]) for each in boards]
            parents = np.repeat(np.arange(len(after), dtype=np.int32), [len(some) for some in after])
            boards = [each for some in after for each in some]
            levels.append(self._level(round, boards, parents))
        self._known = dealt, levels
        return levels

    def _level(self, round: int, boards: list[Dealt], parents: np.ndarray) -> Level:
        tree, count, xp = self.tree, len(boards), self.device.xp
        ranks, buckets = np.zeros((count, self.holes), np.int32), np.empty((count, self.holes), np.int32)
        whole = round == tree.rules.rounds - 1
        for number, dealt in enumerate(boards):
            buckets[number] = tree.play.buckets(dealt.board)
            if whole:
                ranks[number] = tree.showdowns.ranks(dealt.board)
        made = {
            "hands": xp.empty(count * self.holes * _HAND, np.uint8),
            "lists": xp.empty(count * 2 * self.holes, np.uint16),
            "start": xp.empty(count * (self.kinds + 1), np.uint16),
        }
        given = {
            "ranks": self._there(ranks, np.int32), "cards": self.cards, "holders": self.holders,
            "dealt": self._there([each.board for each in boards], np.uint8),
        }  # fmt: skip
        record = record_of(
            self.device, BOARDS, made | given, holes=self.holes, many=tree.rules.boards[round], kinds=self.kinds,
            most=self.most,
        )  # fmt: skip
        self._compiled(round).launch(
            "sort", (count, 1), 8 * self.device.warp, 4 * (self.holes + self.kinds + 1), (record,)
        )
        times = np.array([each.times for each in boards])
        more = {"buckets": self._there(buckets, np.int32), "times": self._there(times, np.float32)}
        return Level(boards, parents, made | more)

    def _width(self, round: int) -> int:
        """Hands that a board leaves possible."""
        return comb(len(self.tree.rules.deck) - self.tree.rules.boards[round], self.tree.rules.hole_cards)

    def _bundles(self, level: Level, panels: int) -> Bundles:
        """As many as keep a device busy: of the last round's boards all that follow one, or a part of them."""
        before = np.searchsorted(level.parents, np.arange(int(level.parents[-1]) + 2))
        wanted = -(-_ROUNDS * self.device.blocks // (panels * (len(before) - 1)))
        if len(level.boards[0].board) < self.tree.rules.boards[-1]:
            wanted = len(level.boards)
        cuts, start = list[np.ndarray](), [0]
        for begin, end in pairwise(before.tolist()):
            count = min(wanted, end - begin)
            cuts.append(np.linspace(begin, end, count + 1).astype(np.int32)[:-1])
            start.append(start[-1] + count)
        first = np.append(np.concatenate(cuts), len(level.boards)).astype(np.int32)
        return Bundles(first, level.parents[first[:-1]], np.array(start, np.int32))

    # ---- walks

    def _walk_all(self, levels: list[Level], plans: list[Plan], reach: Any) -> Any:
        """Down round by round and up again: what the first board is worth, [panel][hole][lane]."""
        xp, each = self.device.xp, self.holes * self.lanes
        bundles = [self._bundles(level, plan.panels) for level, plan in zip(levels, plans, strict=True)]
        self._check_room(levels, plans, bundles)
        reaches, nothing = [reach], xp.zeros(1, np.float32)
        for level, plan, below in zip(levels, plans, plans[1:], strict=False):
            onward = xp.zeros(len(level.boards) * below.panels * each, np.float32)
            alone = Bundles(np.arange(len(level.boards) + 1, dtype=np.int32), level.parents, level.parents)
            self._walk(level, plan, alone, reaches[-1], onward, below.panels, nothing, down=True)
            reaches.append(onward)
        after, next_panels = nothing, 0
        for depth in range(len(levels) - 1, -1, -1):
            level, plan, some = levels[depth], plans[depth], bundles[depth]
            value = xp.empty(len(some.parent) * plan.panels * each, np.float32)
            self._walk(level, plan, some, reaches.pop(), after, next_panels, value, down=False)
            if depth:
                after, next_panels = self._collect(levels[depth - 1], plan, some, value), plan.panels
        return value

    def _check_room(self, levels: list[Level], plans: list[Plan], bundles: list[Bundles]) -> None:
        """Reach and values of every round, beside the hands that are there."""
        taken = sum(
            4 * self.holes * self.lanes * plan.panels * (2 * len(some.start) + len(some.parent))
            for plan, some in zip(plans, bundles, strict=True)
        )
        free = self.device.free()
        if taken > free:
            raise DeviceError(
                f"what follows a board takes {taken / _GIB:.2f} GiB on the device and {free / _GIB:.2f} GiB are free: "
                "take device cpu"
            )

    def _walk(
        self, level: Level, plan: Plan, bundles: Bundles, reach: Any, onward: Any, next_panels: int, value: Any, *,
        down: bool,
    ) -> None:  # fmt: skip
        round, program = plan.street.round, plan.street.program
        width, (threads, shared, launch) = self._width(round), self._compiled(round)
        shared += 4 * self.lanes * width * (plan.street.slots + plan.street.depth)
        arrays = level.arrays | plan.arrays | {
            "first": self._there(bundles.first, np.int32), "parent": self._there(bundles.parent, np.int32),
            "reach": reach, "onward": onward, "value": value,
        }  # fmt: skip
        record = record_of(
            self.device, WALK, arrays, holes=self.holes, width=width, kinds=self.kinds, count=len(program.steps),
            rows=max(1, program.rows), chances=plan.chances, panels=plan.panels, next_panels=next_panels,
            bundles=len(bundles.parent), slots=plan.street.slots, depth=plan.street.depth, down=int(down),
        )  # fmt: skip
        launch("walk", (plan.panels * len(bundles.parent), 1), threads, shared, (record,))

    def _collect(self, level: Level, plan: Plan, bundles: Bundles, value: Any) -> Any:
        """What hands are worth on boards before the next cards are dealt, the mean over them."""
        after = self.device.xp.empty(len(level.boards) * plan.panels * self.holes * self.lanes, np.float32)
        groups = [dealt.group for dealt in level.boards]
        starts = np.cumsum([0, *map(len, groups)])
        arrays = {
            "value": value, "after": after, "bundle": self._there(bundles.start, np.int32), "swaps": self.swaps,
            "group": self._there(starts, np.int32), "changes": self._there(np.concatenate(groups), np.int32),
        }  # fmt: skip
        scale = 1 / self.tree.chances(plan.street.round)
        record = record_of(self.device, COLLECT, arrays, holes=self.holes, panels=plan.panels, scale=scale)
        threads = min(_COLUMNS, self.device.threads)
        grid = len(level.boards) * plan.panels, -(-self.holes // threads)
        self._compiled(plan.street.round).launch("collect", grid, threads, 0, (record,))
        return after

    def _fitting(self) -> int:
        """Roots of a panel that blocks of threads have room for, on the boards of every round."""
        rounds = {round for some in self.tree.seats for round in some}
        for lanes in LANES:
            if all(self._shared(round, lanes)[2] <= self.device.shared for round in rounds):
                return lanes
        raise DeviceError(
            f"{self.tree.rules.name or 'this game'} takes more than the {self.device.shared / 2**10:.0f} KiB of shared "
            "memory that a block of the device's threads may have: take device cpu"
        )

    def _shared(self, round: int, lanes: int) -> tuple[int, int, int]:
        """Threads of a block, a hand each or as many as any other, and its bytes of shared memory without rows and
        stack, and with as many as any seat has.
        """
        width = self._width(round)
        rounds = -(-width // self.device.threads)
        threads = -(-width // rounds // self.device.warp) * self.device.warp
        floats = 3 * width + 1 + 2 * self.kinds + threads // self.device.warp
        shared = 4 * lanes * floats + 2 * (2 * width + self.kinds + 1)
        levels = max(some[round].slots + some[round].depth for some in self.tree.seats if round in some)
        return threads, shared, shared + 4 * lanes * width * levels

    @cache  # noqa: B019 - an engine is kept as long as its tree
    def _compiled(self, round: int) -> Compiled:
        """Kernels for the boards of a round."""
        rules, width = self.tree.rules, self._width(round)
        threads, shared, most = self._shared(round, self.lanes)
        defined = {
            "THREADS": threads, "BLOCKS": max(1, self.device.together // (most + _RESERVED)),
            "PER_THREAD": -(-width // threads), "LANES": self.lanes,
            "LONGEST": 1 if rules.hole_cards == 1 else len(rules.deck) - rules.boards[round] - 1,
        }  # fmt: skip
        return Compiled(threads, shared, self.device.compile(KERNELS, defined))


def _holders(cards: np.ndarray) -> np.ndarray:
    """(cards, most) the holes that have each card, and -1."""
    by_card = [np.flatnonzero((cards == card).any(axis=1)) for card in range(int(cards.max()) + 1)]
    holders = np.full((len(by_card), max(map(len, by_card))), -1)
    for row, holes in zip(holders, by_card, strict=True):
        row[: len(holes)] = holes
    return holders


def _in_panels(rows: np.ndarray, lanes: int) -> np.ndarray:
    """(roots, numbers) as [panel][number][lane]."""
    panels = -(-len(rows) // lanes)
    out = np.zeros((panels * lanes, rows.shape[1]), np.float32)
    out[: len(rows)] = rows
    return out.reshape(panels, lanes, -1).transpose(0, 2, 1)


def _reached(street: Street, odds: np.ndarray, live: np.ndarray) -> np.ndarray:
    """Which roots of the next round an agent with some bucket comes to, from those of a round; odds are (roots,
    buckets, rows)."""
    taken, slots, onward = odds.max(axis=1) > 0, {0: live}, np.zeros(len(street.next_roots), bool)
    for what, slot, which, _ in street.program.steps.tolist():
        if what == ROW:
            slots[slot] = slots[int(street.program.parents[which])] & taken[:, which]
        elif what == LEAF:
            onward[which * len(live) : (which + 1) * len(live)] = slots[slot]
    return onward
