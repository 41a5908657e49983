"""The score of a match, in the unit of the field, with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from pokerlab.game.rules import Rules, unit_of
from pokerlab.notebook import Table, Tabular


def interval(winnings: np.ndarray) -> np.ndarray:
    """Half the width of the 95 % interval of each column's mean (Student's t); infinite for a single row."""
    n = len(winnings)
    if n < 2:
        return np.full(winnings.shape[1:], np.inf)
    return stdtrit(n - 1, 0.975) * winnings.std(axis=0, ddof=1) / np.sqrt(n)


@dataclass(frozen=True, eq=False)
class MatchResult(Tabular):
    """`winnings[d, a]` is what agent a won in deal d, in chips a hand (in duplicate: mean over the seatings)."""

    game: str
    agents: tuple[str, ...]
    winnings: np.ndarray
    passes: int
    seed: int
    unit: str
    chips_a_unit: float

    @classmethod
    def of(cls, rules: Rules, names: Sequence[str], winnings: np.ndarray, passes: int, seed: int) -> MatchResult:
        unit, size = unit_of(rules)
        return cls(rules.name, tuple(names), winnings, passes, seed, unit, size)

    @property
    def mean(self) -> np.ndarray:
        """By agent, in `unit`."""
        return self.winnings.mean(axis=0) / self.chips_a_unit

    @property
    def ci95(self) -> np.ndarray:
        """Half-widths by agent, in `unit`."""
        return interval(self.winnings) / self.chips_a_unit

    def summary(self) -> dict[str, Any]:
        """The figures, as plain JSON; lists are in the order of `agents`."""
        return {
            "game": self.game,
            "agents": list(self.agents),
            "hands": len(self.winnings),
            "played": len(self.winnings) * self.passes,
            "duplicate": self.passes > 1,
            "seed": self.seed,
            "unit": self.unit,
            "mean": self.mean.tolist(),
            "ci95": [None if np.isinf(c) else c for c in self.ci95.tolist()],
        }

    def standing(self) -> str:
        """How the first agent stands, in short."""
        return f"{self.agents[0]} {self.mean[0]:+.1f} ± {self.ci95[0]:.1f} {self.unit}"

    def table(self) -> Table:
        """A row an agent: what it won a hand, with the half-width of its 95 % interval."""
        caption = f"{self.game}, {len(self.winnings) * self.passes:,} hands, {self.unit}"
        rows = list(zip(self.agents, self.mean.tolist(), self.ci95.tolist(), strict=True))
        return Table(caption, ("agent", "mean", "ci95"), rows)


@dataclass(frozen=True, eq=False)
class OneResult(Tabular):
    """What was won by, or from, one agent: `winnings[d]` chips a hand in deal d, mean of both seats."""

    agent: str
    rules: Rules
    winnings: np.ndarray
    seconds: float

    @property
    def unit(self) -> str:
        return unit_of(self.rules)[0]

    @property
    def mean(self) -> float:
        return float(self.winnings.mean() / unit_of(self.rules)[1])

    @property
    def ci95(self) -> float:
        return float(interval(self.winnings[:, None])[0] / unit_of(self.rules)[1])

    def summary(self) -> dict[str, Any]:
        """The figures as plain JSON."""
        return {
            "agent": self.agent, "deals": len(self.winnings), "unit": self.unit, "mean": self.mean,
            "ci95": None if math.isinf(self.ci95) else self.ci95, "seconds": self.seconds,
        }  # fmt: skip

    def table(self) -> Table:
        caption = f"{self.rules.name}, {len(self.winnings):,} deals, {self.unit}"
        return Table(caption, ("agent", "mean", "ci95"), [(self.agent, self.mean, self.ci95)])
