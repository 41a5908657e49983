"""A two-player zero-sum game: two treeplexes and a bilinear payoff, `Game(X, A, Y)`.

A solver sees `gradient(player, plans)` and the treeplexes; it does not care where they came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pokerlab.errors import PokerlabError, SolverError
from pokerlab.form import kernels
from pokerlab.form.payoff import Payoff
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


@dataclass(frozen=True, eq=False)
class Game:
    """Player 0 maximises x·A·y over X, player 1 minimises it over Y."""

    X: Treeplex
    A: Payoff
    Y: Treeplex
    name: str = ""
    ties: tuple[Tie | None, ...] = (None, None)
    origin: Origin | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.A.shape != (self.X.sequences, self.Y.sequences):
            raise PokerlabError(
                f"payoff of shape {self.A.shape} does not fit {self.X.sequences} and {self.Y.sequences} sequences"
            )

    @property
    def trees(self) -> tuple[Treeplex, ...]:
        return self.X, self.Y

    def at_node(self, node: int, array: np.ndarray) -> np.ndarray:
        """The part at a public node of an array over its actor's sequences, actions by private states: a view."""
        assert self.origin is not None
        actor = self.origin.nodes[node].state.actor
        assert actor is not None
        return self.trees[actor].block(self.origin.public.block[node], array)

    def gradient(self, player: int, plans: Sequence[np.ndarray]) -> np.ndarray:
        """What each sequence of `player` earns it against the other's realization plan."""
        return self.A @ plans[1] if player == 0 else -(self.A.T @ plans[0])


class ManyPlayerGame(Game):
    """A game of three or more players: no operator A, but gradients, so that regret methods and best responses work.

    Row e of `sequences` has the players' sequences of outcome e, row e of `payoffs` what it pays them times its chance.
    """

    sequences: np.ndarray
    payoffs: np.ndarray
    _trees: tuple[Treeplex, ...]

    def __init__(
        self, trees: tuple[Treeplex, ...], sequences: np.ndarray, payoffs: np.ndarray, name: str, origin: Origin
    ) -> None:
        given = {"_trees": trees, "sequences": sequences, "payoffs": payoffs, "name": name, "origin": origin}
        for key, value in (given | {"ties": (None,) * len(trees)}).items():
            object.__setattr__(self, key, value)

    def _refuse(self) -> Any:
        raise SolverError(
            f"{self.name or 'this game'} has {len(self.trees)} players and no payoff operator: only regret methods and "
            "best responses apply"
        )

    X = Y = A = property(_refuse)

    @property
    def trees(self) -> tuple[Treeplex, ...]:
        return self._trees

    def gradient(self, player: int, plans: Sequence[np.ndarray]) -> np.ndarray:
        """What each sequence of `player` earns it against the others' realization plans."""
        reach = self.payoffs[:, player].copy()
        for other, plan in enumerate(plans):
            if other != player:
                reach *= plan[self.sequences[:, other]]
        return np.bincount(self.sequences[:, player], reach, self.trees[player].sequences)


def matrix_game(
    payoffs: Sequence[Sequence[float]] | np.ndarray,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    name: str = "matrix game",
) -> Game:
    """The game in which both choose at once and the row player receives the entry."""
    matrix = np.asarray(payoffs, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size or not np.all(np.isfinite(matrix)):
        raise PokerlabError("a matrix game needs a two-dimensional array of finite payoffs")
    whole = np.zeros((matrix.shape[0] + 1, matrix.shape[1] + 1))
    whole[1:, 1:] = matrix
    x = simplex(rows or [str(i) for i in range(matrix.shape[0])], "row")
    y = simplex(columns or [str(j) for j in range(matrix.shape[1])], "column")
    return Game(x, Payoff.of_matrix(whole), y, name)
