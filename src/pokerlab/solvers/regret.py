"""Counterfactual regret minimisation as schemes: regret rule x averaging x alternation.

Zinkevich et al. (2007) for CFR, Tammelin (2014) for CFR+, Brown and Sandholm (2019) for linear and discounted
CFR, Farina et al. (2021) for the predictive variant. All are one rule: after adding the instant regret at
iteration t, positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by
t^beta / (t^beta + 1), and iteration t counts t^gamma in the average. An infinite alpha keeps everything; a
beta of minus infinity forgets negative regret, which is CFR+.

Small games run whole iterations in one compiled call. Where the payoff is large, an iteration is a matrix product and
two sweeps of the same kernels a player, shared among threads; it can be done in single precision too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from pokerlab.errors import SolverError
from pokerlab.form import kernels
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.form.treeplex import Treeplex
from pokerlab.threads import spread, uninterrupted

NO_TIES = kernels.Ties(*(np.zeros(0, np.int64) for _ in range(3)))
AVERAGING = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}


@dataclass(frozen=True)
class Scheme:
    """The parameters of a regret method; see the module's text."""

    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    predictive: bool = False
    alternating: bool = True
    single: bool = False  # precision

    def parameters(self) -> dict[str, float | bool | str]:
        """As plain JSON: infinities are written as text, and double precision goes without saying."""
        found = {k: str(v) if isinstance(v, float) and math.isinf(v) else v for k, v in asdict(self).items()}
        return found if self.single else {k: v for k, v in found.items() if k != "single"}


SCHEMES = {
    "cfr": Scheme(),
    "cfr+": Scheme(beta=-math.inf, gamma=1.0),
    "linear": Scheme(alpha=1.0, beta=1.0, gamma=1.0),
    "dcfr": Scheme(alpha=1.5, beta=0.0, gamma=2.0),
    "pcfr+": Scheme(beta=-math.inf, gamma=2.0, predictive=True),
}


def scheme_of(method: str, averaging: str | None = None, **changes: float | bool | None) -> Scheme:
    """A named scheme with changes: alpha, beta, gamma, alternating, single, or `averaging` by name."""
    scheme = SCHEMES[method]
    if averaging is not None:
        if averaging not in AVERAGING:
            raise SolverError(f"averaging must be one of {', '.join(AVERAGING)}, not {averaging!r}")
        if changes.get("gamma") is not None:
            raise SolverError("give either averaging or gamma, not both")
        changes["gamma"] = AVERAGING[averaging]
    known = set(asdict(scheme))
    for key, value in changes.items():
        if key not in known:
            raise SolverError(f"{method} has no parameter {key!r}; it has {', '.join(sorted(known))}, averaging")
        if isinstance(value, float) and math.isnan(value):
            raise SolverError(f"{key} must be a number, not nan")
    if isinstance(gamma := changes.get("gamma"), (int, float)) and not 0 <= gamma < math.inf:
        raise SolverError(f"gamma must be finite and at least 0, not {gamma}")
    return replace(scheme, **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]


class RegretSolver:
    """Steps of one scheme on one game. `step` advances; `plans` and `profile` give the average so far."""

    finished = False

    def __init__(self, game: Game, scheme: Scheme) -> None:
        self.game, self.scheme = game, scheme
        self._real = np.float32 if scheme.single else np.float64
        self._blocks = tuple(tree.blocks for tree in game.trees)
        self._ties = tuple(
            tie.arrays(tree) if tie else NO_TIES for tie, tree in zip(game.ties, game.trees, strict=True)
        )
        slots = [
            int(ties.slot.max()) + 1 if len(ties.slot) else tree.sequences
            for ties, tree in zip(self._ties, game.trees, strict=True)
        ]
        self._clock = np.zeros(1, dtype=np.int64)
        self._behaviour = tuple(tree.uniform().astype(self._real, copy=False) for tree in game.trees)
        self._x = tuple(np.empty_like(behaviour) for behaviour in self._behaviour)
        self._regret = tuple(np.zeros(n, dtype=self._real) for n in slots)
        self._average = tuple(np.zeros(n, dtype=self._real) for n in slots)
        self._large = _Large(self) if scheme.single or game.A.large else None
        self.every = 25 if game.A.large else 10
        self._terms = () if self._large else (game.A.terms, (-game.A.T).terms)
        self._realize()

    def _realize(self) -> None:
        for blocks, behaviour, x in zip(self._blocks, self._behaviour, self._x, strict=True):
            kernels.realize(blocks, behaviour, x)

    @property
    def iteration(self) -> int:
        return int(self._clock[0])

    @property
    def nbytes(self) -> int:
        """Bytes that the solver's arrays and the payoff's hold."""
        arrays = [*self._behaviour, *self._x, *self._regret, *self._average]
        arrays += [array for part in (*self._blocks, *self._terms, *self._ties) for array in part]
        return sum(array.nbytes for array in arrays) + (self._large.nbytes if self._large else 0)

    def step(self, count: int = 1) -> None:
        """Advance by `count` iterations; of a small game all of them in one compiled call."""
        s = self.scheme
        if self._large:
            for _ in range(count):
                with uninterrupted():
                    self._large.iterate(s, float(self.iteration + 1))
                    self._clock[0] += 1
            return
        kernels.iterate(
            count, self._clock, self._blocks, self._terms, self._ties, self._regret, self._behaviour,
            self._x, self._average, float(s.alpha), float(s.beta), float(s.gamma), s.predictive, s.alternating,
        )  # fmt: skip

    def plans(self) -> tuple[np.ndarray, ...]:
        """Realization plans of the average strategy."""
        if any(self.game.ties) or not self.iteration:
            return self.profile().plans()
        return tuple(average.astype(np.float64, copy=False) / float(average[0]) for average in self._average)

    def profile(self) -> Profile:
        """The average strategy as behaviour; where it never went, the current behaviour."""
        behaviours = []
        for tree, ties, average, now in zip(self.game.trees, self._ties, self._average, self._behaviour, strict=True):
            weights = average[ties.slot] if len(ties.slot) else average
            behaviours.append(tree.normalize(weights, now))
        return Profile(self.game, tuple(behaviours))

    def parameters(self) -> dict[str, Any]:
        return self.scheme.parameters()

    def _saved(self) -> dict[str, np.ndarray]:
        saved: dict[str, np.ndarray] = {"clock": self._clock}
        for p in range(2):
            saved[f"regret{p}"], saved[f"average{p}"] = self._regret[p], self._average[p]
            saved[f"behaviour{p}"] = self._behaviour[p]
        return saved

    def state(self) -> dict[str, np.ndarray]:
        """Everything needed to go on exactly from here."""
        return {key: array.copy() for key, array in self._saved().items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state saved by `state()`."""
        for key, array in self._saved().items():
            if key not in state or state[key].shape != array.shape:
                raise SolverError(f"the saved state does not fit this game ({key})")
        for key, array in self._saved().items():
            array[:] = state[key]
        self._realize()


class Learner:
    """One player's regrets on a treeplex, whoever the others are: a gradient in, the next plan and the average out."""

    TASKS = 8  # its parts are dealt out to so many tasks, whatever the number of threads

    def __init__(
        self,
        tree: Treeplex,
        ties: kernels.Ties,
        behaviour: np.ndarray,
        x: np.ndarray,
        regret: np.ndarray,
        average: np.ndarray,
    ) -> None:
        self.behaviour, self.x, self.regret, self.average = behaviour, x, regret, average
        self.gradient = np.empty_like(x)
        self._tree, self._ties = tree, ties
        parts = [tree.parts[i :: self.TASKS] for i in range(min(self.TASKS, len(tree.parts)))]
        self._parts = [np.ascontiguousarray(part) for part in parts]  # as the trunk is: compiled for one layout
        self._room = int(tree.blocks.n.max()), int((tree.blocks.n * tree.blocks.k).max())

    @classmethod
    def at_start(cls, tree: Treeplex, real: type[np.floating]) -> Learner:
        """One who plays uniformly, on arrays of its own."""
        behaviour = tree.uniform().astype(real, copy=False)
        x, regret, average = np.empty_like(behaviour), np.zeros_like(behaviour), np.zeros_like(behaviour)
        kernels.realize(tree.blocks, behaviour, x)
        return cls(tree, NO_TIES, behaviour, x, regret, average)

    def improve(self, scheme: Scheme, t: float, weight: float) -> None:
        """Iteration t of a scheme on `gradient`, which counts `weight` in the average; as in `kernels.iterate`.

        Backward from the last round to the trunk, and forward again.
        """
        real, (widest, largest) = self.x.dtype.type, self._room
        keep, forgive = (real(kernels.discount(t, float(e))) for e in (scheme.alpha, scheme.beta))
        blocks, ties, counted = self._tree.blocks, self._ties, real(weight)

        def improve(ranges: np.ndarray) -> None:
            values, totals = np.empty((2, widest), dtype=real)
            table = np.empty(largest if len(ties.slot) else 0, dtype=real)
            kernels.improve(
                blocks, ranges, ties, self.gradient, self.regret, self.behaviour, keep, forgive, scheme.predictive,
                values, totals, table,
            )  # fmt: skip

        def advance(ranges: np.ndarray) -> None:
            kernels.advance(blocks, ranges, ties, self.behaviour, self.x, self.average, counted)

        spread(improve, self._parts)
        improve(self._tree.trunk)
        self.average[0] += counted
        advance(self._tree.trunk)
        spread(advance, self._parts)


class _Large:
    """Iterations on a large game, for and on the arrays of a RegretSolver."""

    def __init__(self, solver: RegretSolver) -> None:
        game, real = solver.game, solver._real
        self.products = game.A.product(real), (-game.A.T).product(real)
        arrays = zip(
            game.trees, solver._ties, solver._behaviour, solver._x, solver._regret, solver._average, strict=True
        )
        self.learners = [Learner(*given) for given in arrays]

    @property
    def nbytes(self) -> int:
        """Bytes that its own arrays hold."""
        return sum(learner.gradient.nbytes for learner in self.learners) + sum(
            product.nbytes for product in self.products
        )

    def iterate(self, scheme: Scheme, t: float) -> None:
        """One iteration: as `kernels.iterate`, which see."""
        if not scheme.alternating:
            for p in range(2):
                self._look(p)
        for p in range(2):
            if scheme.alternating:
                self._look(p)
            self.learners[p].improve(scheme, t, t**scheme.gamma)

    def _look(self, p: int) -> None:
        """The gradient against the other's present plan."""
        self.products[p].into(self.learners[1 - p].x, self.learners[p].gradient)
