"""Gadgets before a spot: the opponent first decides, hand by hand, whether to enter (Burch et al. 2014; Moravcik et al.
2016, Gadgets 2 and 3). They make a refinement safe: the other player is solved against an opponent who takes the
better of the spot and what it had.

Alternatives are chips from the pot that the opponent's hands can have elsewhere, in the units of
`SpotSolution.best_response`: for a refinement, the counterfactual best-response values of what is to be refined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pokerlab.cards.holes import COUNT, compatible
from pokerlab.errors import SpotError
from pokerlab.refine.spots.kernels import Rates
from pokerlab.refine.spots.shape import Shape, row_of

GADGETS = ("resolve", "max-margin")


@dataclass(frozen=True, eq=False)
class Gadget:
    """`resolve`: every hand of `player` takes its alternative or enters. `max-margin`: one hand is chosen to enter, and
    what it earns counts over its alternative, so that the least margin is made as large as can be.
    """

    kind: str
    player: int
    alternatives: np.ndarray  # (1326); hands outside the range may be nan

    def __post_init__(self) -> None:
        if self.kind not in GADGETS:
            raise SpotError(f"no gadget {self.kind!r}; there are {', '.join(GADGETS)}")
        if self.player not in (0, 1):
            raise SpotError(f"a gadget is before player 0 or 1, not {self.player!r}")
        if np.shape(self.alternatives) != (COUNT,):
            raise SpotError(f"a gadget needs {COUNT} alternatives, not {np.shape(self.alternatives)}")


class Entrance:
    """A gadget at work: with which hands its player enters now, learned by regret matching."""

    def __init__(self, gadget: Gadget, shape: Shape) -> None:
        self.kind, self.player = gadget.kind, gadget.player
        hands, spot = shape.holes[self.player], shape.spot
        other = spot.weights(1 - self.player)
        self.met = compatible(other / other.max())[hands]  # what a hand can meet, in the solver's units
        self.weights = shape.root[self.player][: len(hands)].astype(np.float64)
        self.alternatives = gadget.alternatives[hands] - spot.total / 2
        if not np.isfinite(self.alternatives).all():
            raise SpotError("a gadget needs a finite alternative for every hand of its player's range")
        self.regret = np.zeros((2, len(hands)))  # of taking the alternative and of entering; max-margin uses the second

    def enters(self) -> np.ndarray:
        """The probability that a hand enters (`resolve`), or that it is the one to enter (`max-margin`)."""
        wanted = np.maximum(self.regret, 0.0)
        if self.kind == "resolve":
            total = wanted.sum(axis=0)
            return np.divide(wanted[1], total, out=np.full(len(total), 0.5), where=total > 0)
        able = self.met > 0
        total = wanted[1, able].sum()
        return np.where(able, wanted[1] / total if total > 0 else 1 / able.sum(), 0.0)

    def reach(self) -> np.ndarray:
        """The row of weights that the player enters with now."""
        enters = self.enters()
        if self.kind == "resolve":
            return row_of(enters * self.weights)
        return row_of(np.divide(enters, self.met, out=np.zeros(len(enters)), where=self.met > 0))

    def margins(self, earned: np.ndarray) -> np.ndarray:
        """What hands lose, in chips each, by entering instead of taking the alternative; nan where none can be met."""
        gained = np.full(len(self.met), np.nan)
        np.divide(earned[: len(self.met)], self.met, out=gained, where=self.met > 0)
        return self.alternatives - gained

    def learn(self, earned: np.ndarray, rates: Rates) -> None:
        """Regret matching with the discounts of the spot."""
        margins = np.nan_to_num(self.margins(earned))
        enters = self.enters()
        self.regret *= np.where(self.regret > 0, rates.above, rates.below)
        if self.kind == "resolve":
            self.regret[0] += self.met * margins * enters
            self.regret[1] -= self.met * margins * (1 - enters)
        else:
            self.regret[1] += np.where(self.met > 0, enters @ margins - margins, 0.0)
