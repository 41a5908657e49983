"""What a verdict is: a published figure, how exactly it is printed, ours, how well we know it, and what follows.

This is the one place where tolerances are formed. A published figure is known to half a unit of its last digit, and to
the paper's own interval where it gives one; ours to what a run has measured of itself. Nothing else is forgiven. Where
a figure is not unique we find it in several ways; then the range of those ways must hold the published one. And a
tolerance must be fine enough to tell the published figure from those that the paper sets it against.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MATCHES = "matches"  # every way in which we find the figure agrees with the published one
DIFFERS = "differs"  # none of them does, nor does what lies between them
FITTED = "fitted"  # a rule was chosen with the published figures in sight: they are not confirmed by ours
TOO_ROUGH = "too rough"  # ours is not known well enough to tell the published figure from its rivals
NOT_REACHED = "not reached"  # our run ended before the published point
COMPUTED = "computed"  # nothing was published to compare with

HOLDS = "holds"  # a published order of figures, ours in the same order by more than chance
FAILS = "does not hold"  # ours are in the other order, by more than chance
OPEN = "cannot be told"  # ours are not known well enough

_PARTS = 64  # of a float's last place: what rounding does to a sum of some thousand products (the root of their number)


def dependent(varied: str) -> str:
    """The verdict on a figure that moves with what was varied, and whose range holds the published one."""
    return f"{varied}-dependent"


def order(difference: float, half: float = 0.0) -> str:
    """Whether a published order holds of ours, from their difference and half of its 95 % interval."""
    if abs(difference) <= half:
        return OPEN
    return HOLDS if difference > 0 else FAILS


@dataclass(frozen=True)
class Printed:
    """A figure as it is printed: `digits` after the point (None: it follows exactly from what is printed).

    `interval` is half of the 95 % interval that the paper gives with it; `rivals` are the published figures that it is
    set against.
    """

    value: float
    digits: int | None
    interval: float = 0.0
    rivals: tuple[float, ...] = ()

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit."""
        return 0.0 if self.digits is None else half_unit(self.digits)


def half_unit(digits: int) -> float:
    """How far a figure with so many digits after the point may be from what it was rounded from."""
    return 0.5 * 10.0**-digits


def rounding(*sizes: float) -> float:
    """What the arithmetic itself may have done to a sum of figures of these sizes, in their unit."""
    return _PARTS * float(np.finfo(np.float64).eps) * sum(abs(size) for size in sizes)


def interval(sample: np.ndarray, axis: int = 0) -> np.ndarray:
    """Half of the 95 % interval of the mean of a sample, by Student's t where it is small."""
    from scipy.special import stdtrit

    count = sample.shape[axis]
    return stdtrit(count - 1, 0.975) * sample.std(axis=axis, ddof=1) / math.sqrt(count)


@dataclass(frozen=True)
class Cell:
    """One figure of a table: ours, and the paper's (None: there is none).

    `ways` has the same figure with something varied that the paper leaves open; `varied` names it, such as the solver,
    and `chance` is half the 95 % interval of what a way is away from ours, where that is sampled. `bounds` are errors
    that ours cannot exceed, by what they come from, and add up; `sampled` are half 95 % intervals, and add up in
    squares, as does the paper's. `fitted` names what was chosen in sight of the published figures; where `readings`
    has the figure by the other choices, and they agree with it too, the choice was none. `not_reached` says how far
    the run came.
    """

    ours: float
    paper: Printed | None = None
    ways: Mapping[str, float] = field(default_factory=dict)
    varied: str = "solver"
    chance: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, float] = field(default_factory=dict)
    sampled: Mapping[str, float] = field(default_factory=dict)
    fitted: str = ""
    readings: Mapping[str, float] = field(default_factory=dict)
    not_reached: str = ""

    @property
    def tolerance(self) -> float:
        """How far apart the two figures may be for what is known of them."""
        paper = self.paper or Printed(0.0, None)
        chance = math.hypot(paper.interval, *self.sampled.values())
        return paper.half_unit + sum(self.bounds.values()) + chance + rounding(self.ours, paper.value)

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest figure among all ways, as far as they are away from ours by more than chance."""
        moved = {name: figure - self.ours for name, figure in self.ways.items()}
        sure = [math.copysign(max(0.0, abs(d) - self.chance.get(name, 0.0)), d) for name, d in moved.items()]
        return self.ours + min(0.0, *sure, 0.0), self.ours + max(0.0, *sure, 0.0)

    @property
    def otherwise(self) -> str:
        """The verdict, were no rule fitted."""
        if self.paper is None:
            return COMPUTED
        if self.not_reached:
            return NOT_REACHED
        if self._outside():
            return DIFFERS
        if self.tolerance >= self._nearest():
            return TOO_ROUGH
        return MATCHES if all(self._agrees(figure) for figure in self.range) else dependent(self.varied)

    @property
    def verdict(self) -> str:
        if self.paper is None or not self.fitted:
            return self.otherwise
        harmless = self.readings and all(self._agrees(figure) for figure in self.readings.values())
        return self.otherwise if harmless else FITTED

    @property
    def why(self) -> str:
        """The sentence behind the verdict; empty where figures agree to the printed digit and nothing was varied."""
        reason = self._reason()
        if self.verdict != FITTED:
            return reason
        read = f" (else {self._listed(self.readings)})" if self.readings else ""
        told = f"{self.fitted} was chosen beside these figures{read}; otherwise {self.otherwise}"
        return f"{told}: {reason}" if reason else told

    def _agrees(self, figure: float) -> bool:
        assert self.paper is not None
        return abs(figure - self.paper.value) <= self.tolerance

    def _nearest(self) -> float:
        """How far away the nearest rival is."""
        assert self.paper is not None
        away = (abs(self.paper.value - rival) for rival in self.paper.rivals)
        return min((distance for distance in away if distance), default=math.inf)

    def _outside(self) -> float:
        """How far the published figure is from the range of ours, where that is beyond the tolerance; else 0."""
        assert self.paper is not None
        low, high = self.range
        if self.paper.value < low - self.tolerance:
            return self.paper.value - low
        return self.paper.value - high if self.paper.value > high + self.tolerance else 0.0

    def _reason(self) -> str:
        if self.paper is None:
            return ""
        if self.not_reached:
            return self.not_reached
        low, high = self.range
        known = f"{self.tolerance:.2g} ({self._parts()})"
        if self.otherwise == TOO_ROUGH:
            return f"tolerance {known}, while another published figure is {self._nearest():.2g} away"
        if self.otherwise == MATCHES:
            return f"within {known}" if self.tolerance > 2 * self.paper.half_unit > 0 else ""
        moved = f"with the {self.varied} by {self._text(high - low)}: {self._listed(self.ways)}"
        if self.otherwise != DIFFERS:
            return f"comes to the published figure as it moves {moved}"
        off = self._outside()
        place = f"published {self._text(abs(off))} {'below' if off < 0 else 'above'}"
        return f"{place} all ours, which move {moved}" if self.ways else f"{place} ours, tolerance {known}"

    def _listed(self, figures: Mapping[str, float]) -> str:
        noise = {name: f" ± {self._text(half)}" for name, half in self.chance.items()}
        return ", ".join(f"{name} {self._text(figure)}{noise.get(name, '')}" for name, figure in figures.items())

    def _parts(self) -> str:
        assert self.paper is not None
        parts = {"printed digits": self.paper.half_unit, "the paper's interval": self.paper.interval}
        parts |= dict(self.bounds) | dict(self.sampled)
        return ", ".join(f"{name} {size:.2g}" for name, size in parts.items() if size) or "exact"

    def _text(self, figure: float) -> str:
        digits = self.paper.digits if self.paper is not None else None
        return f"{figure:.2g}" if digits is None else f"{figure:.{digits}f}"

    def as_json(self) -> dict[str, Any]:
        low, high = self.range
        plain: dict[str, Any] = {"verdict": self.verdict, "why": self.why}
        if self.paper is not None:
            plain |= {"tolerance": self.tolerance, "low": low, "high": high, "varied": self.varied}
            plain |= {"ways": dict(self.ways), "chance": dict(self.chance), "readings": dict(self.readings)}
        if self.verdict == FITTED:
            plain["otherwise"] = self.otherwise
        return plain
