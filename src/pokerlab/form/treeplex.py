"""A player's decision points in sequence form (von Stengel 1996), laid out in blocks for speed.

Infosets that share a public node form a block. Behaviour is an array over sequences: the probability of
each sequence's last action at its infoset (entry 0, the empty sequence, is 1). A realization plan x is an
array over sequences too: the product of behaviour along the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.errors import PokerlabError
from pokerlab.form import kernels


@dataclass(frozen=True)
class Block:
    """Infosets at one public node: names for people and agents."""

    public: str
    states: Sequence[str]
    actions: Sequence[str]


class Hold(NamedTuple):
    """How far a player is not free, see `held.py`: the least probability of each sequence's last action, and of each
    infoset the probability that is left to the player.
    """

    least: np.ndarray
    free: np.ndarray


class Treeplex:
    """Blocks of infosets, parents before children.

    `parents[b]` gives, for each infoset of block b, the sequence that leads to it; `actions[b]` how many
    actions it has. `describe(b)` names the block's public node, states and actions. `parts` are ranges of blocks
    (first, end) that threads may work on at the same time: none leads to another, and no two hang from one sequence.
    `trunk` are the ranges between them. A free player has no `hold`, and its plans are any that fit the tree; that of
    another is `spread` times what it chooses itself.
    """

    hold: Hold | None = None

    def __init__(
        self,
        parents: Sequence[np.ndarray],
        actions: Sequence[int],
        describe: Callable[[int], Block] | None = None,
        parts: Sequence[tuple[int, int]] = (),
    ) -> None:
        n = np.array([len(parent) for parent in parents], dtype=np.int64)
        k = np.array(actions, dtype=np.int64)
        start = 1 + np.concatenate(([0], np.cumsum(n * k)))
        first = np.concatenate(([0], np.cumsum(n)))
        parent = np.concatenate([np.asarray(p, dtype=np.int64) for p in parents]) if len(n) else np.zeros(0, np.int64)
        self.blocks = kernels.Blocks(start[:-1], first[:-1], n, k, parent)
        self.sequences = int(start[-1])
        self.infosets = int(first[-1])
        self._describe = describe
        edges = [0, *(edge for part in parts for edge in part), len(n)]
        self.parts = np.array(edges[1:-1], dtype=np.int64).reshape(-1, 2)
        self.trunk = np.array(edges, dtype=np.int64).reshape(-1, 2)
        owner = np.repeat(start[:-1], n)
        if np.any(parent >= owner):
            raise PokerlabError("treeplex blocks must be listed parents before children")

    def __repr__(self) -> str:
        return f"Treeplex({self.infosets} infosets, {self.sequences} sequences)"

    def __len__(self) -> int:
        """How many blocks there are."""
        return len(self.blocks.n)

    def block(self, b: int, array: np.ndarray) -> np.ndarray:
        """Block b's part of an array over sequences, actions by infosets: a view, to read from and to write to."""
        start, n, k = int(self.blocks.start[b]), int(self.blocks.n[b]), int(self.blocks.k[b])
        return array[start : start + n * k].reshape(k, n)

    def span(self, b: int) -> slice:
        """Block b's part of an array over infosets."""
        first = int(self.blocks.first[b])
        return slice(first, first + int(self.blocks.n[b]))

    def above(self, b: int) -> np.ndarray:
        """The sequence that leads to each infoset of block b."""
        return self.blocks.parent[self.span(b)]

    def describe(self, b: int) -> Block:
        """Names of block b's public node, infosets and actions."""
        if self._describe is not None:
            return self._describe(b)
        n, k = int(self.blocks.n[b]), int(self.blocks.k[b])
        return Block(str(b), [str(i) for i in range(n)], [str(a) for a in range(k)])

    def name_of(self, infoset: int) -> str:
        """Such as `'K/Q' after 'cc/r'`."""
        b = int(np.searchsorted(self.blocks.first, infoset, side="right")) - 1
        block = self.describe(b)
        return f"{block.states[infoset - int(self.blocks.first[b])]!r} after {block.public or 'the deal'!r}"

    @property
    def spread(self) -> sparse.csr_array | None:
        """From what a player who is not free chooses itself to its plan."""
        return None

    @cached_property
    def infoset_of(self) -> np.ndarray:
        """The infoset of each sequence (-1 for the empty one)."""
        infosets, numbers = np.full(self.sequences, -1, dtype=np.int64), np.arange(self.infosets)
        for b in range(len(self)):
            self.block(b, infosets)[:] = numbers[self.span(b)]
        return infosets

    def uniform(self) -> np.ndarray:
        """The behaviour that plays every action with equal probability."""
        counts = np.bincount(self.infoset_of[1:], minlength=self.infosets)
        return np.concatenate(([1.0], 1.0 / counts[self.infoset_of[1:]]))

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """A random behaviour, uniform on each infoset's simplex."""
        return self.normalize(rng.exponential(size=self.sequences))

    def normalize(self, weights: np.ndarray, otherwise: np.ndarray | None = None) -> np.ndarray:
        """The behaviour in proportion to non-negative `weights`; infosets without any play `otherwise`.

        Applied to a realization plan, this is the behaviour that it stands for.
        """
        at = self.infoset_of[1:]
        totals = np.bincount(at, weights=weights[1:], minlength=self.infosets)[at]
        fallback = self.uniform() if otherwise is None else otherwise
        behaviour = np.where(totals > 0, weights[1:] / np.where(totals > 0, totals, 1.0), fallback[1:])
        return np.concatenate(([1.0], behaviour))

    def realize(self, behaviour: np.ndarray) -> np.ndarray:
        """The realization plan of a behaviour."""
        x = np.empty(self.sequences)
        kernels.realize(self.blocks, np.ascontiguousarray(behaviour, dtype=np.float64), x)
        return x

    def best_response(self, gradient: np.ndarray) -> tuple[float, np.ndarray]:
        """The largest value of `gradient @ x`, and a behaviour that attains it (equal actions share)."""
        behaviour = np.ones(self.sequences)
        value = kernels.respond(self.blocks, np.array(gradient, dtype=np.float64), behaviour)
        return float(value), behaviour

    def constraints(self) -> tuple[sparse.csr_array, np.ndarray]:
        """E and e with E x = e for realization plans: row 0 is x_0 = 1, then a row an infoset."""
        at = self.infoset_of[1:]
        rows = np.concatenate(([0], 1 + at, 1 + np.arange(self.infosets)))
        columns = np.concatenate(([0], np.arange(1, self.sequences), self.blocks.parent))
        signs = np.concatenate(([1.0], np.ones(self.sequences - 1), -np.ones(self.infosets)))
        shape = (1 + self.infosets, self.sequences)
        right = np.zeros(1 + self.infosets)
        right[0] = 1.0
        return sparse.csr_array((signs, (rows, columns)), shape=shape), right

    def check(self, behaviour: np.ndarray) -> None:
        """Raise PokerlabError unless `behaviour` is a probability distribution at every infoset."""
        if behaviour.shape != (self.sequences,):
            raise PokerlabError(f"behaviour has shape {behaviour.shape}, expected ({self.sequences},)")
        totals = np.bincount(self.infoset_of[1:], weights=behaviour[1:], minlength=self.infosets)
        if not (np.all(behaviour >= 0) and np.allclose(totals, 1.0, atol=1e-9)):
            raise PokerlabError("behaviour is not a probability distribution at every infoset")


def simplex(actions: Sequence[str], name: str = "") -> Treeplex:
    """A single decision among `actions`: a player of a matrix game."""
    return Treeplex([np.zeros(1, dtype=np.int64)], [len(actions)], lambda _: Block(name, ["-"], list(actions)))
