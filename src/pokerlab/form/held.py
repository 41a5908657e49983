"""A player who is held to a behaviour in part: with some probability, infoset by infoset, it plays as it is told.

This is the opponent of a data biased response (Johanson and Bowling 2009): at infoset I it plays `behaviour` with
probability `share(I)` and freely otherwise. In sequence form these are linear bounds on its plan, x(Ia) >= share(I)
behaviour(Ia) x(I), so that linear programs, regret and fictitious play find equilibria as ever. Behaviour is always
what is played, the part that is held included.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from pokerlab.errors import PokerlabError
from pokerlab.form import held_kernels
from pokerlab.form.treeplex import Hold, Treeplex


class HeldTreeplex(Treeplex):
    """A treeplex with a share of its behaviour given: `share` is an array over infosets, from 0 (free) to 1 (fixed)."""

    hold: Hold

    def __init__(self, tree: Treeplex, behaviour: np.ndarray, share: np.ndarray) -> None:
        parts = [(int(first), int(end)) for first, end in tree.parts]
        super().__init__([tree.above(b) for b in range(len(tree))], tree.blocks.k.tolist(), tree.describe, parts)
        tree.check(behaviour)
        if share.shape != (tree.infosets,) or not np.all((share >= 0) & (share <= 1)):
            raise PokerlabError(f"a share from 0 to 1 is needed for each of {tree.infosets} infosets")
        least = np.concatenate(([0.0], share[tree.infoset_of[1:]] * behaviour[1:]))
        self.hold = Hold(least, 1.0 - share)

    def _played(self, choice: np.ndarray) -> np.ndarray:
        """The behaviour of a player who makes these choices where it is free."""
        free = self.hold.free[self.infoset_of[1:]]
        return np.concatenate(([1.0], self.hold.least[1:] + free * choice[1:]))

    def uniform(self) -> np.ndarray:
        return self._played(super().uniform())

    def random(self, rng: np.random.Generator) -> np.ndarray:
        return self._played(super().normalize(rng.exponential(size=self.sequences)))

    def best_response(self, gradient: np.ndarray) -> tuple[float, np.ndarray]:
        """The largest value of `gradient @ x` over plans that keep to the hold, and a behaviour that attains it."""
        behaviour, (least, free) = np.ones(self.sequences), self.hold
        value = held_kernels.respond_held(
            self.blocks, least, free, np.array(gradient, dtype=np.float64), behaviour
        )  # fmt: skip
        return float(value), behaviour

    @cached_property
    def spread(self) -> sparse.csr_array:
        """S with x = S z: z(Ia) >= 0 is what the player's own choice adds to x(Ia) >= least(Ia) x(I).

        Row Ia of S is its own unit plus least(Ia) times the row of the sequence that leads to I.
        """
        above = np.concatenate(([0], self.blocks.parent[self.infoset_of[1:]]))
        shape, every = (self.sequences, self.sequences), np.arange(self.sequences)
        step = sparse.csr_array((self.hold.least, (every, above)), shape=shape)
        step.eliminate_zeros()
        whole, power = sparse.eye_array(self.sequences, format="csr"), step
        while power.nnz:
            whole, power = whole + power, power @ step
        return sparse.csr_array(whole)
