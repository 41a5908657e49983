"""Counterfactual regret minimisation as schemes: regret rule x averaging x alternation.

Zinkevich et al. (2007) for CFR, Tammelin (2014) for CFR+, Brown and Sandholm (2019) for linear and discounted
CFR, Farina et al. (2021) for the predictive variant. All are one rule: after adding the instant regret at
iteration t, positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by
t^beta / (t^beta + 1), and iteration t counts t^gamma in the average. An infinite alpha keeps everything; a
beta of minus infinity forgets negative regret, which is CFR+.
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

AVERAGING = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}


@dataclass(frozen=True)
class Scheme:
    """The parameters of a regret method; see the module's text."""

    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    predictive: bool = False
    alternating: bool = True

    def parameters(self) -> dict[str, float | bool | str]:
        """As plain JSON: infinities are written as text."""
        return {k: str(v) if isinstance(v, float) and math.isinf(v) else v for k, v in asdict(self).items()}


SCHEMES = {
    "cfr": Scheme(),
    "cfr+": Scheme(beta=-math.inf, gamma=1.0),
    "linear": Scheme(alpha=1.0, beta=1.0, gamma=1.0),
    "dcfr": Scheme(alpha=1.5, beta=0.0, gamma=2.0),
    "pcfr+": Scheme(beta=-math.inf, gamma=2.0, predictive=True),
}


def scheme_of(method: str, averaging: str | None = None, **changes: float | bool | None) -> Scheme:
    """A named scheme with changes: alpha, beta, gamma, alternating, or `averaging` by name."""
    scheme = SCHEMES[method]
    if averaging is not None:
        if averaging not in AVERAGING:
            raise SolverError(f"averaging must be one of {', '.join(AVERAGING)}, not {averaging!r}")
        if changes.get("gamma") is not None:
            raise SolverError("give either averaging or gamma, not both")
        changes["gamma"] = AVERAGING[averaging]
    known = set(scheme.parameters())
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

    every = 10
    finished = False

    def __init__(self, game: Game, scheme: Scheme) -> None:
        self.game, self.scheme = game, scheme
        self._blocks = tuple(tree.blocks for tree in game.trees)
        self._terms = (game.A.terms, (-game.A.T).terms)
        self._ties = tuple(
            tie.arrays(tree) if tie else kernels.Ties(*(np.zeros(0, np.int64) for _ in range(3)))
            for tie, tree in zip(game.ties, game.trees, strict=True)
        )
        slots = [
            int(ties.slot.max()) + 1 if len(ties.slot) else tree.sequences
            for ties, tree in zip(self._ties, game.trees, strict=True)
        ]
        self._clock = np.zeros(1, dtype=np.int64)
        self._behaviour = tuple(tree.uniform() for tree in game.trees)
        self._x = tuple(tree.realize(b) for tree, b in zip(game.trees, self._behaviour, strict=True))
        self._regret = tuple(np.zeros(n) for n in slots)
        self._average = tuple(np.zeros(n) for n in slots)

    @property
    def iteration(self) -> int:
        return int(self._clock[0])

    @property
    def nbytes(self) -> int:
        """Bytes that the solver's arrays and the payoff's hold."""
        arrays = [*self._behaviour, *self._x, *self._regret, *self._average]
        arrays += [array for part in (*self._blocks, *self._terms, *self._ties) for array in part]
        return sum(array.nbytes for array in arrays)

    def step(self, count: int = 1) -> None:
        """Advance by `count` iterations; all of them in one compiled call."""
        s = self.scheme
        kernels.iterate(
            count, self._clock, self._blocks, self._terms, self._ties, self._regret, self._behaviour,
            self._x, self._average, float(s.alpha), float(s.beta), float(s.gamma), s.predictive, s.alternating,
        )  # fmt: skip

    def plans(self) -> tuple[np.ndarray, ...]:
        """Realization plans of the average strategy."""
        if any(self.game.ties) or not self.iteration:
            return self.profile().plans()
        return tuple(average / average[0] for average in self._average)

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
        for p, tree in enumerate(self.game.trees):
            self._x[p][:] = tree.realize(self._behaviour[p])
