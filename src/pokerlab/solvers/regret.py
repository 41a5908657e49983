"""Counterfactual regret minimisation as schemes: regret rule x averaging x alternation.

Zinkevich et al. (2007) for CFR, Tammelin (2014) for CFR+, Brown and Sandholm (2019) for linear and discounted
CFR, Farina et al. (2021) for the predictive variant. All are one rule: after adding the instant regret at
iteration t, positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by
t^beta / (t^beta + 1), and iteration t counts t^gamma in the average. An infinite alpha keeps everything; a
beta of minus infinity forgets negative regret, which is CFR+.

Where the payoff allows, whole iterations run in one compiled call. Else (large payoffs, single precision, three and
more players) an iteration is a gradient and two sweeps of the same kernels a player, shared among threads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from pokerlab.bounds import EXPONENT, WEIGHT
from pokerlab.errors import SolverError
from pokerlab.form import held_kernels, kernels
from pokerlab.form.game import Game, bilinear
from pokerlab.form.strategy import Profile
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.runner import put_back
from pokerlab.threads import spread

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
        written = {k: str(v) if isinstance(v, float) and math.isinf(v) else v for k, v in asdict(self).items()}
        return written if self.single else {k: v for k, v in written.items() if k != "single"}


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
        if key in ("alpha", "beta"):
            EXPONENT.check(value, key, SolverError)
        elif key == "gamma":
            WEIGHT.check(value, key, SolverError)
    return replace(scheme, **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]


class Learner:
    """One player's regrets on a treeplex, whoever the others are: a gradient in, the next plan and the average out.

    It starts with uniform play. Tied infosets share the rows of regret and average.
    """

    TASKS = 8  # its parts are dealt out to so many tasks, whatever the number of threads

    def __init__(self, tree: Treeplex, real: type[np.floating], ties: kernels.Ties = NO_TIES) -> None:
        self.tree, self.ties = tree, ties
        slots = int(ties.slot.max()) + 1 if len(ties.slot) else tree.sequences
        self.behaviour = tree.uniform().astype(real)
        self.x, self.gradient = np.empty_like(self.behaviour), np.empty_like(self.behaviour)
        self.regret, self.average = np.zeros(slots, dtype=real), np.zeros(slots, dtype=real)
        parts = [tree.parts[i :: self.TASKS] for i in range(min(self.TASKS, len(tree.parts)))]
        self._parts = [np.ascontiguousarray(part) for part in parts]  # as the trunk is: compiled for one layout
        self._room = int(tree.blocks.n.max(initial=0)), int((tree.blocks.n * tree.blocks.k).max(initial=0))
        self.realize()

    def realize(self) -> None:
        """The plan of the present behaviour."""
        kernels.realize(self.tree.blocks, self.behaviour, self.x)

    @property
    def weights(self) -> np.ndarray:
        """The average over sequences."""
        return self.average[self.ties.slot] if len(self.ties.slot) else self.average

    def improve(self, scheme: Scheme, t: float, weight: float) -> None:
        """Iteration t of a scheme on `gradient`, which counts `weight` in the average; as in `kernels.iterate`.

        Backward from the last round to the trunk, and forward again.
        """
        real, (widest, largest) = self.x.dtype.type, self._room
        keep, forgive = (real(kernels.discount(t, float(e))) for e in (scheme.alpha, scheme.beta))
        blocks, ties, counted = self.tree.blocks, self.ties, real(weight)

        def improve(ranges: np.ndarray) -> None:
            values, totals = np.empty((2, widest), dtype=real)
            table = np.empty(largest, dtype=real)
            kernels.improve(
                blocks, ranges, ties, self.gradient, self.regret, self.behaviour, keep, forgive, scheme.predictive,
                values, totals, table,
            )  # fmt: skip

        def advance(ranges: np.ndarray) -> None:
            kernels.advance(blocks, ranges, ties, self.behaviour, self.x, self.average, counted)

        if self.tree.hold is None:
            spread(improve, self._parts)
            improve(self.tree.trunk)
        else:
            least, free = (array.astype(real) for array in self.tree.hold)
            held_kernels.improve_held(
                blocks, least, free, self.gradient, self.regret, self.behaviour, keep, forgive, scheme.predictive
            )
        self.average[0] += counted
        advance(self.tree.trunk)
        spread(advance, self._parts)


class RegretSolver:
    """Steps of one scheme on one game. `step` advances; `plans` and `profile` give the average so far.

    Of three and more players nothing promises an equilibrium; in small games they find one.
    """

    finished = False

    def __init__(self, game: Game, scheme: Scheme) -> None:
        self.game, self.scheme = game, scheme
        self.every = 25 if game.large else 10
        self._played = game.single() if scheme.single else game
        self._learners = [
            Learner(tree, np.float32 if scheme.single else np.float64, tie.arrays(tree) if tie else NO_TIES)
            for tree, tie in zip(game.trees, game.ties, strict=True)
        ]
        self._clock = np.zeros(1, dtype=np.int64)

    @property
    def iteration(self) -> int:
        return int(self._clock[0])

    @property
    def nbytes(self) -> int:
        """Bytes that the solver's arrays and the payoff's hold."""
        arrays = [a for s in self._learners for a in (s.behaviour, s.x, s.regret, s.average, *s.tree.blocks, *s.ties)]
        if self._played.terms is None:
            arrays += [learner.gradient for learner in self._learners]
        return sum(array.nbytes for array in arrays) + sum(side.nbytes for side in bilinear(self._played).sides)

    def step(self, count: int = 1) -> None:
        """Advance by `count` iterations; where the payoff allows, all of them in one compiled call."""
        s, learners, terms = self.scheme, self._learners, self._played.terms
        if terms is None:
            for _ in range(count):
                self._once()
                self._clock[0] += 1
            return
        arrays = ((a.tree.blocks, a.ties, a.regret, a.behaviour, a.x, a.average) for a in learners)
        blocks, ties, regret, behaviour, x, average = zip(*arrays, strict=True)
        kernels.iterate(
            count, self._clock, blocks, terms, ties, regret, behaviour, x, average,
            float(s.alpha), float(s.beta), float(s.gamma), s.predictive, s.alternating,
        )  # fmt: skip

    def _once(self) -> None:
        """One iteration: as `kernels.iterate`, which see."""
        plans, t = [learner.x for learner in self._learners], float(self.iteration + 1)
        if not self.scheme.alternating:
            for p, learner in enumerate(self._learners):
                self._played.gradient(p, plans, learner.gradient)
        for p, learner in enumerate(self._learners):
            if self.scheme.alternating:
                self._played.gradient(p, plans, learner.gradient)
            learner.improve(self.scheme, t, t**self.scheme.gamma)

    def plans(self) -> tuple[np.ndarray, ...]:
        """Realization plans of the average strategy."""
        if any(self.game.ties) or not self.iteration:  # by way of behaviour
            return self.profile().plans()
        averages = [learner.average for learner in self._learners]
        return tuple(np.divide(average, average[0], dtype=np.float64) for average in averages)

    def profile(self) -> Profile:
        """The average strategy as behaviour; where it never went, the current behaviour."""
        return Profile(self.game, tuple(a.tree.normalize(a.weights, a.behaviour) for a in self._learners))

    def parameters(self) -> dict[str, Any]:
        return self.scheme.parameters()

    def _saved(self) -> dict[str, np.ndarray]:
        saved: dict[str, np.ndarray] = {"clock": self._clock}
        for p, learner in enumerate(self._learners):
            saved |= {f"{key}{p}": getattr(learner, key) for key in ("regret", "average", "behaviour")}
        return saved

    def state(self) -> dict[str, np.ndarray]:
        """Everything needed to go on exactly from here."""
        return {key: array.copy() for key, array in self._saved().items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state saved by `state()`."""
        put_back(self._saved(), state)
        for learner in self._learners:
            learner.realize()
