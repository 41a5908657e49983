"""A game is trees and a gradient; one of two players, zero-sum, has a payoff operator besides: `BilinearGame(X, A, Y)`.

A solver sees `gradient(player, plans)` and the treeplexes; it does not care where they came from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pokerlab.errors import PokerlabError, SolverError
from pokerlab.form import kernels
from pokerlab.form.operators import Operator
from pokerlab.form.payoff import payoff_of_matrix
from pokerlab.form.treeplex import Treeplex, simplex

if TYPE_CHECKING:
    from pokerlab.form.compile import Origin


@dataclass(frozen=True)
class Tie:
    """Infosets that must be played alike: `row[j]` is the table row of infoset j, rows numbered within a block.

    Needed where an abstraction forgets (imperfect recall) and no linear map exists.
    """

    row: np.ndarray

    def arrays(self, tree: Treeplex) -> kernels.Ties:
        """Slots of a table laid out like the treeplex, with one row for all tied infosets."""
        slot = np.zeros(tree.sequences, dtype=np.int64)
        starts, sizes = np.zeros((2, len(tree)), dtype=np.int64)
        at = 1
        for b in range(len(tree)):
            rows, here = np.unique(self.row[tree.span(b)], return_inverse=True)[1], tree.block(b, slot)
            starts[b], sizes[b] = at, rows.max() + 1
            here[:] = at + sizes[b] * np.arange(len(here))[:, None] + rows
            at += len(here) * sizes[b]
        return kernels.Ties(slot, starts, sizes)


class Game(ABC):
    """The players' treeplexes, and `gradient`: what each sequence of a player earns against the others' plans.

    Regret methods and best responses need no more, however many players there are.
    """

    trees: tuple[Treeplex, ...]
    name: str
    ties: tuple[Tie | None, ...]
    origin: Origin | None

    @property
    def large(self) -> bool:
        """Whether gradients take so long that threads, single precision and rarer checks pay."""
        return False

    @property
    def terms(self) -> tuple[kernels.Terms, ...] | None:
        """Of two players, their gradients as flat arrays, where whole iterations in one compiled call are faster."""
        return None

    @abstractmethod
    def gradient(self, player: int, plans: Sequence[np.ndarray], out: np.ndarray | None = None) -> np.ndarray:
        """What each sequence of `player` earns it against the others' realization plans; written to `out` if given."""

    def single(self) -> Game:
        """The game with gradients in single precision."""
        raise SolverError(f"single precision is for two players; {self.name} has {len(self.trees)}")

    def at_node(self, node: int, array: np.ndarray) -> np.ndarray:
        """The part at a public node of an array over its actor's sequences, actions by private states: a view."""
        assert self.origin is not None
        actor = self.origin.nodes[node].state.actor
        assert actor is not None
        return self.trees[actor].block(self.origin.public.block[node], array)


@dataclass(frozen=True, eq=False)
class BilinearGame(Game):
    """Player 0 maximises x·A·y over X, player 1 minimises it over Y."""

    X: Treeplex
    A: Operator
    Y: Treeplex
    name: str = ""
    ties: tuple[Tie | None, ...] = (None, None)
    origin: Origin | None = field(default=None, repr=False)
    trees: tuple[Treeplex, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "trees", (self.X, self.Y))
        if self.A.shape != (self.X.sequences, self.Y.sequences):
            raise PokerlabError(
                f"payoff of shape {self.A.shape} does not fit {self.X.sequences} and {self.Y.sequences} sequences"
            )

    @cached_property
    def sides(self) -> tuple[Operator, Operator]:
        """From the other's plan to the gradient of each player."""
        return self.A, -self.A.T

    @property
    def large(self) -> bool:
        return self.A.large

    @property
    def terms(self) -> tuple[kernels.Terms, ...] | None:
        if any(tree.hold for tree in self.trees):  # whose steps are not in that call
            return None
        first, second = (side.terms for side in self.sides)
        return None if first is None or second is None else (first, second)

    def gradient(self, player: int, plans: Sequence[np.ndarray], out: np.ndarray | None = None) -> np.ndarray:
        if out is None:
            return self.sides[player] @ plans[1 - player]
        self.sides[player].into(plans[1 - player], out)
        return out

    def single(self) -> BilinearGame:
        return replace(self, A=self.A.astype(np.float32))


@dataclass(frozen=True, eq=False)
class ManyPlayerGame(Game):
    """A game of any number of players, by its outcomes.

    Row e of `sequences` has the players' sequences of outcome e, row e of `payoffs` what it pays them times its chance.
    """

    trees: tuple[Treeplex, ...]
    sequences: np.ndarray
    payoffs: np.ndarray
    name: str = ""
    origin: Origin | None = field(default=None, repr=False)
    ties: tuple[Tie | None, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ties", (None,) * len(self.trees))

    def gradient(self, player: int, plans: Sequence[np.ndarray], out: np.ndarray | None = None) -> np.ndarray:
        reach = self.payoffs[:, player].copy()
        for other, plan in enumerate(plans):
            if other != player:
                reach *= plan[self.sequences[:, other]]
        sums = np.bincount(self.sequences[:, player], reach, self.trees[player].sequences)
        if out is None:
            return sums
        out[:] = sums
        return out


def bilinear(game: Game) -> BilinearGame:
    """The game, if it is one of two players with a payoff operator; else SolverError."""
    if not isinstance(game, BilinearGame):
        raise SolverError(
            f"{game.name or 'this game'} has {len(game.trees)} players and no payoff operator: only regret methods and "
            "best responses apply"
        )
    return game


def matrix_game(
    payoffs: Sequence[Sequence[float]] | np.ndarray,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    name: str = "matrix game",
) -> BilinearGame:
    """The game in which both choose at once and the row player receives the entry."""
    matrix = np.asarray(payoffs, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size or not np.all(np.isfinite(matrix)):
        raise PokerlabError("a matrix game needs a two-dimensional array of finite payoffs")
    whole = np.zeros((matrix.shape[0] + 1, matrix.shape[1] + 1))
    whole[1:, 1:] = matrix
    x = simplex(rows or [str(i) for i in range(matrix.shape[0])], "row")
    y = simplex(columns or [str(j) for j in range(matrix.shape[1])], "column")
    return BilinearGame(x, payoff_of_matrix(whole), y, name)
