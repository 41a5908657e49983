"""Regret methods on a device: payoff, regrets and averages live there, and an iteration moves nothing.

The schemes are those of `regret.py`, product and two sweeps a player. For two players, free and without ties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pokerlab.device import Device, Source, record_of, this_device
from pokerlab.errors import DeviceError
from pokerlab.form import kernels
from pokerlab.form.game import BilinearGame, Game
from pokerlab.form.on_device import DevicePayoff
from pokerlab.form.payoff import DensePayoff, Placed
from pokerlab.form.strategy import Profile
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.regret import RegretSolver, Scheme
from pokerlab.solvers.runner import put_back

KERNELS = Source("pokerlab.solvers", "sweeps.cu", ("improve", "advance"))
SWEEP = (
    ("order", "block", "start", "first", "n", "k", "parent", "child_start", "children", "gradient", "regret",
     "behaviour", "x", "average", "value"),
    (("keep", "f8"), ("forgive", "f8"), ("weight", "f8"), ("begin", "i4"), ("count", "i4"), ("predictive", "i4"),
     ("spare", "i4")),
)  # fmt: skip
KEPT = ("regret", "average", "behaviour")
_THREADS = 256


def why_not(game: Game) -> str | None:
    """What keeps a game off a device."""
    if not isinstance(game, BilinearGame) or not isinstance(game.A, Placed):
        return "has no payoff of matrices for two"
    return "has infosets that are tied or held" if any(game.ties) or any(tree.hold for tree in game.trees) else None


def on_device(game: Game, device: Device | None = None) -> BilinearGame:
    """A game whose payoff is multiplied on a device."""
    if (why := why_not(game)) is not None:
        raise DeviceError(f"{game.name or 'this game'} {why}: take device cpu")
    assert isinstance(game, BilinearGame)
    assert isinstance(game.A, Placed)
    dense = game.A if isinstance(game.A, DensePayoff) else DensePayoff(game.A.shape, game.A.groups)
    return replace(game, A=DevicePayoff(dense, device or this_device()))


class DeviceLearner:
    """A player's regrets on a treeplex, on the device: as `regret.Learner`."""

    def __init__(self, device: Device, tree: Treeplex, real: type[np.floating]) -> None:
        self.device, self.tree, xp = device, tree, device.xp
        blocks, count = tree.blocks, tree.infosets
        block = np.repeat(np.arange(len(tree), dtype=np.int32), blocks.n)
        depth = _depths(tree, block)
        children = np.argsort(blocks.parent, kind="stable").astype(np.int32)
        starts = np.searchsorted(blocks.parent[children], np.arange(tree.sequences + 1)).astype(np.int32)
        order = np.argsort(depth[block], kind="stable").astype(np.int32)
        self.levels = np.searchsorted(depth[block][order], np.arange(int(depth.max(initial=-1)) + 2)).tolist()
        given = {"order": order, "block": block, "start": blocks.start, "first": blocks.first, "n": blocks.n,
                 "k": blocks.k, "parent": blocks.parent, "child_start": starts, "children": children}  # fmt: skip
        self.arrays = {name: xp.asarray(array) for name, array in given.items()}
        self.arrays |= {name: xp.zeros(tree.sequences, real) for name in ("gradient", "regret", "average", "x")}
        self.arrays |= {"behaviour": xp.asarray(tree.uniform().astype(real)), "value": xp.zeros(count, real)}
        self.launch = device.compile(KERNELS, {"SINGLE": int(real is np.float32)})
        self.realize()

    def realize(self) -> None:
        """The plan of the present behaviour."""
        self.arrays["x"][0] = 1
        self._sweep("advance", 1.0, 1.0, 0.0, False)

    def improve(self, scheme: Scheme, t: float, weight: float) -> None:
        """Iteration t of a scheme on the gradient, which counts `weight` in the average."""
        keep, forgive = (float(kernels.discount(t, float(e))) for e in (scheme.alpha, scheme.beta))
        self._sweep("improve", keep, forgive, weight, scheme.predictive)
        self.arrays["average"][0] += weight
        self._sweep("advance", keep, forgive, weight, scheme.predictive)

    def _sweep(self, name: str, keep: float, forgive: float, weight: float, predictive: bool) -> None:
        levels = [*zip(self.levels, self.levels[1:], strict=False)]
        for begin, end in levels if name == "advance" else reversed(levels):
            record = record_of(
                self.device, SWEEP, self.arrays, keep=keep, forgive=forgive, weight=weight, begin=begin,
                count=end - begin, predictive=int(predictive),
            )  # fmt: skip
            threads = min(_THREADS, self.device.threads)
            self.launch(name, (-(-(end - begin) // threads), 1), threads, 0, (record,))


class DeviceRegretSolver(RegretSolver):
    """Steps of one scheme on a game of `on_device`."""

    def __init__(self, game: BilinearGame, scheme: Scheme) -> None:
        assert isinstance(game.A, DevicePayoff)
        self.game, self.scheme, self.every = game, scheme, 25
        payoff = game.A.astype(np.float32) if scheme.single else game.A
        self.device, self._sides = payoff.device, (payoff, -payoff.T)
        real: type[np.floating] = np.float32 if scheme.single else np.float64
        with self.device.watched():
            self._products = [side.product for side in self._sides]
            self._there = [DeviceLearner(self.device, tree, real) for tree in game.trees]
        self._clock = np.zeros(1, dtype=np.int64)

    def step(self, count: int = 1) -> None:
        with self.device.watched():
            for _ in range(count):
                self._once()
                self._clock[0] += 1
            self.device.host(self._there[0].arrays["x"][:1])  # all is done, and what went wrong is said

    def _once(self) -> None:
        t, learners = float(self.iteration + 1), self._there
        if not self.scheme.alternating:
            for p in range(2):
                self._gradient(p)
        for p, learner in enumerate(learners):
            if self.scheme.alternating:
                self._gradient(p)
            learner.improve(self.scheme, t, t**self.scheme.gamma)

    def _gradient(self, player: int) -> None:
        self._products[player].apply(self._there[1 - player].arrays["x"], self._there[player].arrays["gradient"])

    def _host(self, name: str) -> list[np.ndarray]:
        with self.device.watched():
            return [self.device.host(learner.arrays[name]) for learner in self._there]

    def plans(self) -> tuple[np.ndarray, ...]:
        if not self.iteration:
            return self.profile().plans()
        return tuple(np.divide(average, average[0], dtype=np.float64) for average in self._host("average"))

    def profile(self) -> Profile:
        parts = zip(self.game.trees, self._host("average"), self._host("behaviour"), strict=True)
        return Profile(self.game, tuple(tree.normalize(average, play) for tree, average, play in parts))

    @property
    def nbytes(self) -> int:
        arrays = [array for learner in self._there for array in learner.arrays.values()]
        return sum(array.nbytes for array in arrays) + self._sides[0].nbytes

    def _saved(self) -> dict[str, np.ndarray]:
        saved: dict[str, np.ndarray] = {"clock": self._clock}
        for name in KEPT:
            saved |= {f"{name}{p}": array for p, array in enumerate(self._host(name))}
        return saved

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        mine = self._saved()
        put_back(mine, state)
        with self.device.watched():
            for p, learner in enumerate(self._there):
                for name in KEPT:
                    learner.arrays[name][...] = self.device.xp.asarray(mine[f"{name}{p}"])
                learner.realize()


def _depths(tree: Treeplex, block: np.ndarray) -> np.ndarray:
    """By block: how many of the player's decisions lie before it, at most."""
    blocks, depth = tree.blocks, np.zeros(len(tree), np.int64)
    for b in range(len(tree)):
        above = np.unique(np.searchsorted(blocks.start, tree.above(b), side="right") - 1)
        depth[b] = max((int(depth[a]) + 1 for a in above.tolist() if a >= 0), default=0)
    return depth
