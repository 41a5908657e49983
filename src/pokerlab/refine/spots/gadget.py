"""Gadgets before a spot: the opponent first decides, hand by hand, whether to enter (Burch et al. 2014; Moravcik et al.
2016, Gadgets 2 and 3). They make a refinement safe: the other player is solved against an opponent who takes the
better of the spot and what it had.

Alternatives are chips from the pot that the opponent's hands can have elsewhere, in the units of
`SpotSolution.best_response`: for a refinement, the counterfactual best-response values of what is to be refined.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from pokerlab.cards.holes import COUNT, compatible
from pokerlab.errors import SpotError
from pokerlab.refine.gadgets import TECHNIQUES
from pokerlab.refine.spots.shape import Shape

GADGETS = tuple(technique for technique in TECHNIQUES if technique != "endgame")  # which has none


@dataclass(frozen=True, eq=False)
class Gadget:
    """`re-solving`: every hand of `player` takes its alternative or enters. `max-margin`: one hand is chosen to enter,
    and what it earns counts over its alternative, so that the least margin is made as large as can be.

    With `belief`, that part of the player's hands comes by a range, the weights `likely`, and the rest by choosing a
    hand as in `max-margin`. `re-solving` then means that it may also choose none: margins count only where they are
    negative, which is LP2 (LP3 with a margin of at most 0) with something to optimise, what the range earns.
    """

    technique: str
    player: int
    alternatives: np.ndarray  # (1326); hands outside the range may be nan
    belief: float = 0.0
    likely: np.ndarray | None = None  # (1326)

    def __post_init__(self) -> None:
        if self.technique not in GADGETS:
            raise SpotError(f"no gadget {self.technique!r}; there are {', '.join(GADGETS)}")
        if self.player not in (0, 1):
            raise SpotError(f"a gadget is before player 0 or 1, not {self.player!r}")
        if np.shape(self.alternatives) != (COUNT,):
            raise SpotError(f"a gadget needs {COUNT} alternatives, not {np.shape(self.alternatives)}")
        if not 0 <= self.belief < 1 or (self.belief and self.likely is None):
            raise SpotError(f"belief is from 0 to below 1, and needs a range to believe in; not {self.belief}")

    @property
    def digest(self) -> str:
        """Of all that it is, in a few letters."""
        digest = hashlib.sha256(f"{self.technique} {self.player} {self.belief}".encode())
        for array in (self.alternatives, self.likely if self.belief else None):
            if array is not None:
                digest.update(np.asarray(array, dtype=np.float64).tobytes())
        return f"{self.technique} {digest.hexdigest()[:16]}"


def entrance_of(gadget: Gadget, shape: Shape) -> Entrance:
    """A gadget at work before a spot, at its start."""
    if gadget.belief:
        return _ByRange(gadget, shape)
    return _OneHand(gadget, shape) if gadget.technique == "max-margin" else Entrance(gadget, shape)


class Entrance:
    """With which hands the gadget's player enters now, learned by regret matching: `re-solving`, every hand alone."""

    def __init__(self, gadget: Gadget, shape: Shape) -> None:
        self.player = gadget.player
        hands, spot = shape.holes[self.player], shape.spot
        other = spot.weights(1 - self.player)
        self.met = compatible(other / other.max())[hands]  # what a hand can meet, in the engine's units
        self.weights = shape.root[self.player][: len(hands)].astype(np.float64)
        self.alternatives = gadget.alternatives[hands] - spot.total / 2
        if not np.isfinite(self.alternatives).all():
            raise SpotError("a gadget needs a finite alternative for every hand of its player's range")
        self.regret = np.zeros((2, len(hands)))  # of taking the alternative and of entering

    def arrays(self) -> dict[str, np.ndarray]:
        """What learning changes."""
        return {"entrance": self.regret}

    def enters(self) -> np.ndarray:
        """The probability that each hand enters."""
        wanted = np.maximum(self.regret, 0.0)
        total = wanted.sum(axis=0)
        return np.divide(wanted[1], total, out=np.full(len(total), 0.5), where=total > 0)

    def reach(self) -> np.ndarray:
        """The weights that the player's hands enter with now."""
        return (self.enters() * self.weights).astype(np.float32)

    def margins(self, earned: np.ndarray) -> np.ndarray:
        """What hands lose, in chips each, by entering instead of taking the alternative; nan where none can be met."""
        gained = np.full(len(self.met), np.nan)
        np.divide(earned, self.met, out=gained, where=self.met > 0)
        return self.alternatives - gained

    def learn(self, earned: np.ndarray, above: float, below: float) -> None:
        """Regret matching; regrets above 0 and below are discounted as those of the spot."""
        margins, enters = np.nan_to_num(self.margins(earned)), self.enters()
        self.regret *= np.where(self.regret > 0, above, below)
        self._add(margins, enters)

    def _add(self, margins: np.ndarray, enters: np.ndarray) -> None:
        self.regret[0] += self.met * margins * enters
        self.regret[1] -= self.met * margins * (1 - enters)


class _OneHand(Entrance):
    """`max-margin`: one hand is the one to enter; of its regrets only those of entering matter."""

    def enters(self) -> np.ndarray:
        """The probability that each hand is the one."""
        wanted, able = np.maximum(self.regret[1], 0.0), self.met > 0
        total = wanted[able].sum()
        return np.where(able, wanted / total if total > 0 else 1 / able.sum(), 0.0)

    def reach(self) -> np.ndarray:
        enters = self.enters()
        return np.divide(enters, self.met, out=np.zeros(len(enters)), where=self.met > 0).astype(np.float32)

    def _add(self, margins: np.ndarray, enters: np.ndarray) -> None:
        self.regret[1] += np.where(self.met > 0, enters @ margins - margins, 0.0)


class _ByRange(_OneHand):
    """One part of the hands comes by a range, the rest through the gadget, which may be declined where none need be."""

    def __init__(self, gadget: Gadget, shape: Shape) -> None:
        super().__init__(gadget, shape)
        assert gadget.likely is not None
        weights = gadget.likely[shape.holes[gadget.player]]
        coming = float(weights @ self.met)
        self.belief = gadget.belief if coming > 0 else 0.0
        self.likely = (weights / coming if coming > 0 else weights).astype(np.float32)
        self.declines, self.decline_regret = gadget.technique == "re-solving", np.zeros(1)

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | {"decline": self.decline_regret}

    def enters(self) -> np.ndarray:
        enters = super().enters()
        wanted = float(np.maximum(self.regret[1], 0.0).sum())
        declined = max(0.0, float(self.decline_regret[0])) if self.declines else 0.0
        return enters * wanted / (wanted + declined) if declined else enters

    def reach(self) -> np.ndarray:
        mixed: np.ndarray = (1 - self.belief) * super().reach() + self.belief * self.likely
        return mixed.astype(np.float32)

    def learn(self, earned: np.ndarray, above: float, below: float) -> None:
        lost = float(self.enters() @ np.nan_to_num(self.margins(earned)))
        super().learn(earned, above, below)
        self.decline_regret[0] = float(above if self.decline_regret[0] > 0 else below) * self.decline_regret[0] + lost
