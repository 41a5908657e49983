"""Private states that are buckets, and how they are dealt together: matrices instead of cards.

An abstract game needs of its cards only the joint distribution of the players' bucket sequences in every round, and at
the showdown the expected sign (Zinkevich, Bowling and Burch 2007, section 4). The players may have different
abstractions. `compile(rules, deals=...)` makes the game.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pokerlab.errors import AbstractionError
from pokerlab.game.deals import merger

_CLOSE = 1e-4  # how much probability may be amiss: matrices may be sampled, or in single precision


@dataclass(frozen=True, eq=False)
class BucketDeals:
    """States a round for each of two players, with perfect recall, and the matrices over them.

    `parents[p][r][s]` is the state of round r - 1 that state s of player p extends (0 in round 0). `joint[r]` has the
    probability of each pair of states of round r, the first player's in rows; `showdown` that of the last round
    times the expected sign of the showdown for the first player: +1 if it wins, 0 for a tie. All add up over a round to
    what they are in the round before. `name` tells what the buckets are.
    """

    name: str
    parents: tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]
    joint: tuple[np.ndarray, ...]
    showdown: np.ndarray

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise AbstractionError(f"buckets {self.name or 'without a name'}: {problem}")

    @property
    def rounds(self) -> int:
        return len(self.joint)

    def sizes(self, player: int) -> list[int]:
        """The number of states in each round."""
        return [len(parents) for parents in self.parents[player]]

    def labels(self, player: int) -> tuple[list[str], ...]:
        """Names such as `4`, `4.0`, `4.0.2`: each state's place among those that extend the same one."""
        names: list[list[str]] = []
        for parents in self.parents[player]:
            seen: dict[int, int] = {}
            row = []
            for above in parents.tolist():
                place = seen[above] = seen.get(above, -1) + 1
                row.append(f"{names[-1][above]}.{place}" if names else str(place))
            names.append(row)
        return tuple(names)

    @cached_property
    def digest(self) -> str:
        """A short text that is another for other states or matrices."""
        digest = hashlib.sha256()
        for array in (*self.parents[0], *self.parents[1], *self.joint, self.showdown):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:16]

    def _problem(self) -> str | None:
        """The first thing that is wrong, or None."""
        if not self.joint or any(len(mine) != self.rounds for mine in self.parents):
            rounds = [len(mine) for mine in self.parents]
            return f"parents of {rounds[0]} and {rounds[1]} rounds do not fit matrices of {self.rounds}"
        for p, mine in enumerate(self.parents):
            for r, parents in enumerate(mine):
                above = 1 if r == 0 else len(mine[r - 1])
                if parents.ndim != 1 or not len(parents) or parents.min() < 0 or parents.max() >= above:
                    return f"parents of player {p + 1} in round {r + 1} must be numbers of its {above} states before"
        for r, matrix in enumerate((*self.joint, self.showdown)):
            what = f"the matrix of round {r + 1}" if r < self.rounds else "the showdown matrix"
            shape = tuple(self.sizes(p)[min(r, self.rounds - 1)] for p in range(2))
            if matrix.shape != shape:
                return f"{what} has shape {matrix.shape}, but the players have {shape[0]} and {shape[1]} states"
            if not np.all(np.isfinite(matrix)):
                return f"{what} has entries that are no numbers"
        return self._amiss()

    def _amiss(self) -> str | None:
        """Whether probabilities do not add up."""
        for r, matrix in enumerate(self.joint):
            total = matrix.sum(dtype=np.float64)
            if matrix.min() < 0 or abs(total - 1) > _CLOSE:
                return f"probabilities of round {r + 1} must be at least 0 and add up to 1, not {total:.6g}"
            if r and (off := abs(self._before(r) - self.joint[r - 1]).sum()) > _CLOSE:
                return f"probabilities of rounds {r} and {r + 1} differ by {off:.2g}; both must be of the same deals"
        if np.any(abs(self.showdown) > self.joint[-1] + _CLOSE * self.joint[-1].max()):
            return "the showdown matrix must be the last round's probabilities times signs between -1 and 1"
        return None

    def _before(self, r: int) -> np.ndarray:
        """The probabilities of round r added up to the states of the round before."""
        rows, columns = (merger(self.parents[p][r], len(self.parents[p][r - 1])) for p in range(2))
        return rows.T @ self.joint[r] @ columns
