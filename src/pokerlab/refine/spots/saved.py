"""The file of a solved spot: averages in sixteen bits, board by board, and what comes after each board is worth.

A decision is looked at with what is kept of the boards that lead to it and no others: reach comes down their betting,
values up from what the cards to come are worth, which was computed when the file was written, by the same sixteen bits.
A full file has regrets too, so that solving can go on from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from pokerlab.errors import SpotError
from pokerlab.files import Rows, write_arrays
from pokerlab.processes import free_memory
from pokerlab.reading import ArrayFile, Header, reading, refuse
from pokerlab.reading import number as number_of
from pokerlab.refine.spots import boards as cards
from pokerlab.refine.spots import kernels
from pokerlab.refine.spots.cpu import CpuEngine, pass_in, room_for
from pokerlab.refine.spots.engine import SCHEMES, Engine, Figures, Pass, subject_of
from pokerlab.refine.spots.gadget import Entrance
from pokerlab.refine.spots.kernels import EXPECT, Hands, NextBoards, Room, Store, Street
from pokerlab.refine.spots.shape import BOARDS_READY, Shape
from pokerlab.refine.spots.sixteen import AVERAGE, REGRET, plain
from pokerlab.refine.spots.spot import parse_spot
from pokerlab.refine.spots.stored import STILL
from pokerlab.refine.spots.tree import Node
from pokerlab.solvers.checkpoint import check_subject, kept, taken
from pokerlab.solvers.runner import Record

FORMAT = "pokerlab spot"
VERSION = 3  # 2: averages alone, no rows; 1: amounts rounded to the nearest chip, and `dcfr-spot` was called `dcfr`
_NO_REGRETS = np.zeros(0, dtype=np.float32)
_NO_LEAVES = np.zeros(0, dtype=np.int32)
_NO_DEALS = NextBoards(*(np.zeros(0, dtype=np.int64) for _ in range(4)))

Worths = dict[tuple[int, int], np.ndarray]  # by street and player: (boards, leaves * width)


class Played(Protocol):
    """What a solution asks of an engine, or of a file."""

    shape: Shape
    method: str
    threads: int
    entrance: Entrance | None

    @property
    def memory(self) -> int: ...
    def average(self, node: Node, board: int | None = None) -> np.ndarray: ...
    def rows(self, player: int, node: Node, path: Sequence[int]) -> Pass: ...
    def walk(self, player: int, *, best: bool) -> np.ndarray: ...
    def figures(self) -> Figures: ...
    def probabilities(self, street: int, player: int, board: int) -> np.ndarray: ...
    def regrets(self, street: int, player: int, board: int) -> np.ndarray: ...
    def hand_on(self, other: Engine) -> None: ...


class _Board(NamedTuple):
    """Both players' hands on a board, and what is kept of them there."""

    hands: tuple[Hands, Hands]
    stores: tuple[Store, Store]


class BoardPlay:
    """Passes on one board after the other. `steps` gives a player's averages on a board, in sixteen bits."""

    def __init__(self, shape: Shape, steps: Callable[[int, int, int], np.ndarray]) -> None:
        self.shape, self._steps = shape, steps
        self._board = lru_cache(maxsize=BOARDS_READY)(self._made_ready)

    def _made_ready(self, street: int, number: int) -> _Board:
        shape, alone = self.shape, cards.first_street(self.shape.boards[street].boards[number], [cards.IDENTITY])
        hands = cards.hands_on(alone, shape.holes, [], ranked=street == shape.layout.last)
        averages = (plain(self._steps(street, player, number)) for player in range(2))
        first, second = (Store(_NO_REGRETS, average, _NO_REGRETS) for average in averages)
        return _Board(hands, (first, second))

    def average(self, node: Node, board: int | None = None) -> np.ndarray:
        if board is None:
            every = range(len(self.shape.boards[node.street].boards))
            return np.array([self.average(node, each) for each in every])
        return self.shape.read(self._board(node.street, board).stores[node.player].strategy, node, 0)

    def down(self, street: int, number: int, player: int, above: Room | None) -> tuple[Street, Room]:
        """A board as a player sees it, and a room with the opponent's reach; `above` is that of the board before."""
        board, sides, other = self._board(street, number), self.shape.layout.sides[street], 1 - player
        leaves = self.shape.layout.sides[street - 1][other].leaves if above else _NO_LEAVES
        view = Street(sides[player], sides[other], board.hands[player], board.hands[other], leaves, _NO_DEALS)
        room = room_for((view, view._replace(my_side=view.their_side, mine=view.theirs)))
        if above:
            kernels.enter(leaves, above.reach, view.theirs.width, room.reach)
        else:
            root = self.shape.root[other]
            room.reach[: len(root)] = root
        kernels.go_down(view, 0, board.stores[other], room, EXPECT)
        return view, room

    def up(self, street: int, number: int, player: int, view: Street, room: Room, worth: np.ndarray) -> None:
        """What the player's sequences earn there; before the last street, if what comes after has this `worth`."""
        if street == self.shape.layout.last:
            kernels.answers(view.my_side, view.mine, view.theirs, 0, room)
            kernels.bets(view.my_side, view.mine, view.theirs, 0, room)
        else:
            kernels.folds(view.my_side, view.mine, view.theirs, 0, room)
            value = room.value[: view.my_side.rows * view.mine.width].reshape(-1, view.mine.width)
            np.add.at(value, view.my_side.leaves, worth.reshape(-1, view.mine.width))
        kernels.go_up(view, 0, self._board(street, number).stores[player], room, EXPECT, STILL)

    def worths(self) -> Worths:
        """What comes after each board is worth, to every hand after every line of betting; nothing on the last."""
        shape = self.shape
        worths = {
            (street, player): np.zeros((len(shape.boards[street].boards), len(side.leaves) * len(row)), np.float32)
            for street in shape.streets
            for player, (side, row) in enumerate(zip(shape.layout.sides[street], shape.root, strict=True))
        }
        if len(shape.streets) > 1:
            self._values(shape.spot.street, 0, (None, None), worths)
        return worths

    def _values(
        self, street: int, number: int, above: tuple[Room | None, Room | None], worths: Worths
    ) -> tuple[np.ndarray, ...]:
        """What a board is worth to both players, a row for every line that leads there; `worths` of it and of all
        boards after it are filled in.
        """
        downs = [self.down(street, number, player, above[player]) for player in range(2)]
        if street < self.shape.layout.last:
            rooms, deals = (downs[0][1], downs[1][1]), self.shape.boards[street + 1].deals[number]
            for board in sorted({deal.board for deal in deals}):
                values = self._values(street + 1, board, rooms, worths)
                for deal in deals:  # a card that is not solved itself shows another board's values
                    if deal.board == board:
                        for player, hands in enumerate(self.shape.holes):
                            shown = values[player][:, cards.swaps_of(hands, [deal.suits])[0]]
                            worths[street, player][number] += shown.ravel()
        for player, (view, room) in enumerate(downs):
            self.up(street, number, player, view, room, worths[street, player][number])
        return tuple(
            room.value[: view.my_side.roots * view.mine.width].reshape(-1, view.mine.width).copy()
            for view, room in downs
        )


def write_solution(path: str | Path, played: Played, figures: Figures, record: Record, *, full: bool) -> None:
    """Write a solution, a board at a time; `full` with regrets."""
    shape, (run, _) = played.shape, kept(record, {})
    header = {
        "format": FORMAT, "version": VERSION, "spot": shape.spot.text(), "name": shape.spot.name,
        "isomorphism": shape.isomorphism, "method": played.method, "threads": played.threads, "memory": played.memory,
        "ev": list(figures.ev), "best": list(figures.best), "full": full, **run,
    }  # fmt: skip
    rows = dict[str, Rows]()
    for (street, player), worth in BoardPlay(shape, played.probabilities).worths().items():
        size = len(worth), shape.kept_each(street, player)
        steps, regrets = (partial(part, street, player) for part in (played.probabilities, played.regrets))
        rows[f"worth_{street}_{player}"] = Rows(np.float32, worth.shape, worth)
        rows[f"strategy_{street}_{player}"] = Rows(AVERAGE, size, map(steps, range(len(worth))))
        if full:
            rows[f"regret_{street}_{player}"] = Rows(REGRET, size, map(regrets, range(len(worth))))
    write_arrays(path, header, {}, rows=rows, error=SpotError)


class SavedPlay(BoardPlay):
    """The averages of a file."""

    entrance: Entrance | None = None

    def __init__(self, file: ArrayFile) -> None:
        header = file.header
        self.file, self.method = file, header.text("method")
        if self.method not in SCHEMES:
            refuse(f"method: one of {', '.join(SCHEMES)}", self.method)
        spot = parse_spot(header.text("spot"), header.text("name"))
        super().__init__(Shape(spot, isomorphism=header.flag("isomorphism")), self.probabilities)
        self.threads, self.memory, self.full = header.whole("threads", 1), header.whole("memory"), header.flag("full")
        self.record, _ = taken(Header({"state": []} | header), {})
        self._figures = Figures(_pair(header, "ev"), _pair(header, "best"))
        for street in self.shape.streets:
            for player, side in enumerate(self.shape.layout.sides[street]):
                boards, size = len(self.shape.boards[street].boards), self.shape.kept_each(street, player)
                after = len(side.leaves) * len(self.shape.root[player])
                parts: dict[str, tuple[Any, int]] = {"strategy": (AVERAGE, size), "worth": (np.float32, after)}
                if self.full:
                    parts["regret"] = REGRET, size
                for name, (kind, each) in parts.items():
                    file.expect(f"{name}_{street}_{player}", kind, (boards, each))

    def figures(self) -> Figures:
        """Those of the averages when they were saved."""
        return self._figures

    def probabilities(self, street: int, player: int, board: int) -> np.ndarray:
        return self.file.row(f"strategy_{street}_{player}", board)

    def regrets(self, street: int, player: int, board: int) -> np.ndarray:
        if not self.full:
            raise SpotError(
                f"{self.file.path} has no regrets to go on from: save with --full, or resume from a checkpoint"
            )
        return self.file.row(f"regret_{street}_{player}", board)

    def rows(self, player: int, node: Node, path: Sequence[int]) -> Pass:
        boards = list(enumerate((0, *path), self.shape.spot.street))
        above = None
        for street, number in boards[:-1]:
            _, above = self.down(street, number, player, above)
        street, number = boards[-1]
        view, room = self.down(street, number, player, above)
        self.up(street, number, player, view, room, self.file.row(f"worth_{street}_{player}", number))
        return pass_in(room, self.shape, player, node)

    def walk(self, player: int, *, best: bool) -> np.ndarray:
        """By an engine with all that there is."""
        return self._whole.walk(player, best=best)

    @cached_property
    def _whole(self) -> CpuEngine:
        needed, free = CpuEngine.needs(self.shape, 1), free_memory()
        if free is not None and needed > free:
            most = f"{free / 2**30:.2f} GiB are free"
            raise SpotError(f"{self.file.path} takes {needed / 2**30:.2f} GiB as a whole, and {most}")
        engine = CpuEngine(self.shape, method=self.method)
        self._fill(engine, regrets=False)
        return engine

    def hand_on(self, other: Engine) -> None:
        """Bring an engine to where the file's was, up to sixteen bits."""
        mine, asked = subject_of(self.shape, self.method), other.subject()
        check_subject(mine, {key: asked[key] for key in mine}, "cannot resume: the solution is", SpotError)
        self._fill(other, regrets=True)

    def _fill(self, engine: Engine, *, regrets: bool) -> None:
        engine.iteration = self.record.iterations
        for street in self.shape.streets:
            for player in range(2):
                for board in range(len(self.shape.boards[street].boards)):
                    given = self.regrets(street, player, board) if regrets else None
                    engine.take_up(street, player, board, self.probabilities(street, player, board), given)


def _pair(header: Header, key: str) -> tuple[float, float]:
    values = header.entries(key)
    if len(values) != 2:
        refuse(f"{key}: two numbers", values)
    first, second = (number_of(value, key) for value in values)
    return (first, second) if math.isfinite(first + second) else refuse(f"{key}: two numbers", values)


class Label(NamedTuple):
    """What a solution's file says of itself: board, chips in the middle and exploitability, None in older versions."""

    board: tuple[int, ...]
    pot: int
    exploitability: float | None


def label_of(path: str | Path) -> Label:
    """Read that and nothing else."""
    header = open_solution(path).header
    with reading(path, SpotError):
        spot = parse_spot(header.text("spot"), header.text("name"))
        figures = Figures(_pair(header, "ev"), _pair(header, "best")) if header["version"] == VERSION else None
    return Label(spot.board, spot.total, figures.exploitability if figures else None)


def open_solution(path: str | Path) -> ArrayFile:
    """The file of a solution, of any version."""
    return ArrayFile(path, FORMAT, VERSION, error=SpotError, oldest=1)


def read_play(file: ArrayFile) -> SavedPlay:
    """What a file of this version holds."""
    with reading(file.path, SpotError):
        return SavedPlay(file)
