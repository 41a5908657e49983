"""What `solve` needs of a method beside what the runner does: the plans so far, and the parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile, profile_of_plans
from pokerlab.solvers.runner import Stepper, put_back


class GameStepper(Stepper, Protocol):
    """A method on its way through a game."""

    game: Game
    every: int  # iterations between checks of exploitability: 1 where an iteration costs far more than a check

    def plans(self) -> tuple[np.ndarray, ...]:
        """Realization plans of the strategies so far."""
        ...

    def profile(self) -> Profile: ...

    def parameters(self) -> dict[str, Any]: ...


class PlainStepper(ABC):
    """Base of methods whose state is a few arrays: subclasses fill `_arrays` and advance by `_once`.

    `_arrays["clock"]` counts iterations; everything else that an iteration depends on is in there too.
    """

    every = 10

    def __init__(self, game: Game) -> None:
        self.game = game
        self._arrays: dict[str, np.ndarray] = {"clock": np.zeros(1, dtype=np.int64)}

    @property
    def iteration(self) -> int:
        return int(self._arrays["clock"][0])

    @property
    def finished(self) -> bool:
        return False

    @abstractmethod
    def _once(self) -> None:
        """One iteration."""

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            if self.finished:
                return
            self._once()
            self._arrays["clock"][0] += 1

    @abstractmethod
    def plans(self) -> tuple[np.ndarray, ...]:
        """Realization plans of the strategies so far."""

    def profile(self) -> Profile:
        return profile_of_plans(self.game, self.plans())

    def parameters(self) -> dict[str, Any]:
        return {}

    def state(self) -> dict[str, np.ndarray]:
        return {key: array.copy() for key, array in self._arrays.items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        put_back(self._arrays, state)
