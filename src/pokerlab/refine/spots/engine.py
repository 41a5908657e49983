"""What solves a spot, as the rest of the house sees it: steps, and strategies and values by hand.

An engine keeps regrets and averages of every decision on every board as it likes. Boards are numbered as in
`shape.boards[street]`, a player's hands are in the order of `shape.holes[player]`. Another engine is another subclass
of `Engine` and another row of `ENGINES`.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from pokerlab.device import AUTO
from pokerlab.errors import DeviceError, SpotError
from pokerlab.form.kernels import discount
from pokerlab.processes import free_memory
from pokerlab.refine.spots.gadget import Gadget, entrance_of
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import AVERAGE, SINGLE, check_precision, coded
from pokerlab.refine.spots.tree import Node
from pokerlab.registry import Registry
from pokerlab.solvers.checkpoint import check_subject
from pokerlab.solvers.regret import SCHEMES as PUBLISHED
from pokerlab.solvers.regret import Scheme, scheme_of
from pokerlab.solvers.runner import put_back

# The first comes from trying (docs/spots.md): with the published beta of 0, lines once given up come back untrained.
METHOD = "dcfr-spot"
SCHEMES = {METHOD: scheme_of("dcfr", beta=0.2, gamma=5.0), "dcfr": PUBLISHED["dcfr"], "cfr+": PUBLISHED["cfr+"]}


class Figures(NamedTuple):
    """What is known of a strategy: the players' expected chips from the pot, and those of their best responses."""

    ev: tuple[float, float]
    best: tuple[float, float]

    @property
    def exploitability(self) -> float:
        """The mean of what the players could gain, in chips; without rake (BR0 + BR1 - pot) / 2."""
        return (self.best[0] - self.ev[0] + self.best[1] - self.ev[1]) / 2


class Pass(NamedTuple):
    """A player's pass at a decision. `earned` are its sequences there (one an action where it acts, else one) by its
    hands, summed over the other's weights; `reach` are the other's weights, by the other's hands. Of hands that the
    board leaves no room for, numbers mean nothing.
    """

    earned: np.ndarray
    reach: np.ndarray


def rates_of(scheme: Scheme, first: int, count: int) -> np.ndarray:
    """`Engine.rates` from an iteration on."""
    rule, times = discount.py_func, range(first, first + count)
    rows = [(rule(t, scheme.alpha), rule(t, scheme.beta), (t / (t + 1)) ** scheme.gamma) for t in times]
    return np.array(rows, dtype=np.float32).reshape(-1, 3)


class Engine(ABC):
    """Regrets and averages of a spot, as a stepper of `solvers.runner`.

    `gadget`, if given, stands in for the starting weights of its player. In half `precision` (sixteen.py) what is kept
    takes half the memory, where the engine knows how.
    """

    finished = False
    place = ""  # where it keeps things, if that is not the memory of the machine

    def __init__(
        self, shape: Shape, *, method: str = METHOD, threads: int = 1, gadget: Gadget | None = None,
        precision: str = SINGLE,
    ) -> None:  # fmt: skip
        check_precision(precision)
        if method not in SCHEMES:
            raise SpotError(f"no method {method!r} for spots; there are {', '.join(SCHEMES)}")
        self.shape, self.scheme, self.method, self.threads = shape, SCHEMES[method], method, threads
        self.precision = precision
        self.iteration = 0
        self.enter(gadget)

    def enter(self, gadget: Gadget | None) -> None:
        """Let a gadget, or none, stand before the spot from now on."""
        self.gadget = gadget
        self.entrance = entrance_of(gadget, self.shape) if gadget else None

    @staticmethod
    @abstractmethod
    def needs(shape: Shape, threads: int, precision: str = SINGLE) -> int:
        """How many bytes an engine would take; nothing large is made to find out."""

    @staticmethod
    def fits(shape: Shape) -> bool:
        """Whether an engine can have this shape, if there is memory enough."""
        return True

    @staticmethod
    def room() -> int | None:
        """How many bytes an engine could take where it keeps things, if that is known."""
        return free_memory()

    @abstractmethod
    def step(self, count: int = 1) -> None:
        """So many iterations, the players in turn; none only compiles the kernels."""

    @abstractmethod
    def average(self, node: Node, board: int | None = None) -> np.ndarray:
        """(actions, hands) of a decision on a board, or (boards, actions, hands): the average, not scaled to 1."""

    @abstractmethod
    def follow(self, node: Node, average: np.ndarray) -> None:
        """Let the average of a decision be these (boards, actions, hands)."""

    @abstractmethod
    def begin(self, iterations: int) -> None:
        """Regrets and averages as if so many iterations had led to the averages that there are; 0 forgets all."""

    @abstractmethod
    def walk(self, player: int, *, best: bool) -> np.ndarray:
        """What each of a player's hands earns at the root by its average, or by a best response to the other's."""

    @abstractmethod
    def rows(self, player: int, node: Node, path: Sequence[int], *, best: bool = False) -> Pass:
        """The same pass at a decision, on the boards that are numbered in `path`, one a street after the first."""

    def probabilities(self, street: int, player: int, board: int) -> np.ndarray:
        """A player's averages on a board, in tiles (`Shape.tiles`), as probabilities in steps of 1/65535."""
        steps = np.zeros(self.shape.kept_each(street, player), dtype=AVERAGE)
        for node in self.shape.tree:
            if node.kind == "decision" and (node.street, node.player) == (street, player):
                rows = self.average(node, board)
                total = rows.sum(axis=0)
                chances = np.divide(rows, total, out=np.full(rows.shape, 1 / len(rows), rows.dtype), where=total > 0)
                self.shape.write(steps, node, coded(chances, AVERAGE), 0)
        return steps

    def regrets(self, street: int, player: int, board: int) -> np.ndarray:
        """A player's regrets on a board, in tiles, as half precision keeps them (sixteen.py)."""
        raise SpotError(f"{type(self).__name__} saves no regrets: keep a checkpoint to go on from")

    def take_up(self, street: int, player: int, board: int, steps: np.ndarray, regrets: np.ndarray | None) -> None:
        """Let averages, and regrets, on a board be those of another engine after as many iterations as this has made:
        `probabilities` and `regrets`.
        """
        raise SpotError(f"{type(self).__name__} does not go on from a solution's file: resume from a checkpoint")

    @abstractmethod
    def _arrays(self) -> dict[str, np.ndarray]:
        """What iterations change: regrets and averages."""

    def walks(self, *, best: bool) -> Sequence[np.ndarray]:
        """Both players' walks."""
        return [self.walk(player, best=best) for player in range(2)]

    def rates(self, count: int) -> np.ndarray:
        """(iterations, 3) by what the next iterations multiply regrets above 0, those below, and averages."""
        return rates_of(self.scheme, self.iteration, count)

    def _chips(self, walks: Sequence[np.ndarray]) -> tuple[float, float]:
        """The players' expected chips from the pot, given what their hands earn at the root."""
        first, second = (
            float(earned.astype(np.float64) @ root[: len(earned)]) / self.shape.matchups + self.shape.spot.total / 2
            for earned, root in zip(walks, self.shape.root, strict=True)
        )
        return first, second

    def exploitability(self) -> float:
        """The mean of what the players could gain on their averages, in chips."""
        if self.shape.spot.rake > 0:
            return self.figures().exploitability
        return (sum(self._chips(self.walks(best=True))) - self.shape.spot.total) / 2

    def figures(self) -> Figures:
        """Expected chips and best responses of the averages."""
        return Figures(self._chips(self.walks(best=False)), self._chips(self.walks(best=True)))

    def state(self) -> dict[str, np.ndarray]:
        """Everything that iterations depend on, not copied."""
        return self._beside() | self._arrays()

    def _beside(self) -> dict[str, np.ndarray]:
        """Of that, what is not the spot's: the iteration, and what a gadget keeps."""
        clock = {"clock": np.array([self.iteration], dtype=np.int64)}
        return clock | (self.entrance.arrays() if self.entrance else {})

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to what `state` held."""
        put_back(self.state(), state)
        self.iteration = int(state["clock"][0])

    @property
    def keeps(self) -> str:
        """A name for what it keeps: engines go on from the checkpoints of all that keep the same."""
        return type(self).__name__

    @property
    def memory(self) -> int:
        """Bytes that it takes."""
        return self.needs(self.shape, self.threads, self.precision)

    def hand_on(self, other: Engine) -> None:
        """Bring another engine to where this one is."""
        check_subject(self.subject(), other.subject(), "cannot resume: the solution is", SpotError)
        other.restore(self.state())

    def subject(self) -> dict[str, Any]:
        """What must be the same for a run to go on from a checkpoint."""
        kept = self.keeps if self.precision == SINGLE else f"{self.keeps} in {self.precision} precision"
        return subject_of(self.shape, self.method, self.gadget) | {"engine": kept}


def subject_of(shape: Shape, method: str, gadget: Gadget | None = None) -> dict[str, Any]:
    """What must be the same for a run to go on from a solution, whatever engine found it."""
    return {
        "spot": hashlib.sha256(shape.spot.text().encode()).hexdigest()[:16],
        "isomorphism": shape.isomorphism,
        "method": {"name": method, **SCHEMES[method].parameters()},
        "gadget": gadget.digest if gadget else None,
    }


ENGINES: Registry[type[Engine]] = Registry(
    "engine",
    {"cpu": "pokerlab.refine.spots.cpu:CpuEngine", "cuda": "pokerlab.refine.spots.cuda.engine:CudaEngine"},
    error=SpotError,
)


_WORTH_A_DEVICE = 16 * 2**20  # bytes of a spot from which a GPU gains: on less, launching takes longer than a pass


def check_engine(name: str) -> None:
    """Refuse one that is not there, before there is work for it."""
    if name != AUTO:
        ENGINES[name].room()


def engine_for(name: str, shape: Shape, threads: int, precision: str = SINGLE) -> type[Engine]:
    """The engine of this name. `auto` is `cuda` where there is a GPU with room for the spot, if that is large enough to
    gain by it, and else `cpu`.
    """
    check_precision(precision)
    if name != AUTO:
        return ENGINES[name]
    if shape.bytes(threads) >= _WORTH_A_DEVICE:
        kind = ENGINES["cuda"]
        with suppress(DeviceError):
            if kind.fits(shape) and (kind.room() or 0) >= kind.needs(shape, threads, precision):
                return kind
    return ENGINES["cpu"]
