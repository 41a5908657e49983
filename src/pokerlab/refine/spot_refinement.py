"""A hold'em spot refined for one player by the techniques of Moravcik et al. (2016), and its margin.

    refined = SpotRefinement(spot, player=0)
    had = refined.values_against(behaviour)    # CBV: what the opponent's hands get from what is to be refined
    refined.start("max-margin", had)
    refined.step(500)
    refined.margin                             # Definition 2, in chips

The opponent's hands are the root infosets, all that its range has; safe techniques want every hand in it. A refinement
can be refined again further down: `border` is what the player brings to a node, and what the opponent has there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pokerlab.cards.holes import COUNT, compatible, possible
from pokerlab.cards.ranges import Range
from pokerlab.errors import SpotError
from pokerlab.refine.gadgets import TECHNIQUES
from pokerlab.refine.spots.boards import IDENTITY
from pokerlab.refine.spots.engine import METHOD, engine_for
from pokerlab.refine.spots.gadget import GADGETS, Gadget
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.solution import SpotNode, SpotSolution
from pokerlab.refine.spots.spot import Spot
from pokerlab.refine.spots.tree import Node
from pokerlab.solvers.runner import Record

Boards = Sequence[tuple[int, ...]]
Behaviour = Callable[[Node, Boards], np.ndarray]  # node and its boards -> probabilities (boards, actions, 1326)

LEAST = 1e-6  # the weight of hands that should not be there: they get a strategy, and matter to nobody
WARM = 10  # iterations that a warm start stands for
_BLOCKED = 1e-4  # a hand that meets less of a range than this is left out of margins


def weights_range(weights: np.ndarray, board: Sequence[int]) -> Range:
    """Weights of any scale as a range that has every hand the board leaves possible; without any, all are alike."""
    free = possible(board)
    most = float(weights[free].max())
    scaled = np.maximum(weights / most, LEAST) if most > 0 else np.ones(COUNT)
    return Range(np.where(free, np.minimum(scaled, 1.0), 0.0))


def _met(weights: np.ndarray) -> np.ndarray:
    """What each hand can meet; 0 where that is so little that single precision says nothing about it."""
    met = compatible(weights)
    return np.where(met > _BLOCKED * weights.sum(), met, 0.0)


class Border(NamedTuple):
    """At a node of a refinement, as in `refine.border`: what the player comes with, and the opponent's CBV by hand.

    Values are chips from the pot less chips still to be put in, by a best response; nan where no hand can be met.
    """

    mine: np.ndarray
    cbv: np.ndarray


class SpotRefinement:
    """`player` is refined; `had` are the opponent's values before, set by `start`."""

    def __init__(
        self,
        spot: Spot,
        player: int,
        *,
        method: str = METHOD,
        threads: int = 1,
        memory: float | None = None,
        engine: str = "cpu",
    ) -> None:
        if player not in (0, 1):
            raise SpotError(f"player must be 0 or 1, not {player!r}")
        if spot.street == 0:
            raise SpotError("spots are refined from the turn or the river on, not from the flop")
        # Suits are not renamed: what is to be refined need not treat them alike.
        shape = Shape(spot, isomorphism=False)
        workers = threads if spot.street < shape.layout.last else 1
        kind = engine_for(engine, shape, workers)
        self.bytes = kind.needs(shape, workers)  # of memory that is taken
        if memory is not None and self.bytes / 2**30 > memory:
            raise SpotError(f"refining this spot takes {self.bytes / 2**30:.2f} GiB, and {memory:.2f} are allowed")
        self.spot, self.tree, self.player, self.opponent = spot, shape.tree, player, 1 - player
        self.engine = kind(shape, method=method, threads=workers)
        self.technique, self.had, self._before = "", np.full(COUNT, np.nan), 0

    @property
    def iterations(self) -> int:
        """That were made."""
        return self.engine.iteration - self._before

    def follow(self, behaviour: Behaviour, player: int | None = None) -> None:
        """Let the average of the player, or of the other one, be `behaviour` at every node."""
        who, shape = self.player if player is None else player, self.engine.shape
        for node in self.tree:
            if node.kind == "decision" and node.player == who:
                given = behaviour(node, shape.boards[node.street].boards)
                self.engine.follow(node, given[:, :, shape.holes[who]])

    def values_against(self, behaviour: Behaviour) -> np.ndarray:
        """CBV at the root: what each of the opponent's hands gets from a player who follows `behaviour` everywhere."""
        self.follow(behaviour)
        return self.values()

    def values(self) -> np.ndarray:
        """(1,326) chips from the pot that the opponent's hands get by a best response to the player's average."""
        chips = SpotSolution(self.engine, Record()).best_response(self.opponent)
        return np.where(_met(self.spot.weights(self.player)) > 0, chips, np.nan)

    def start(
        self,
        technique: str,
        had: np.ndarray,
        *,
        belief: float = 0.0,
        likely: np.ndarray | None = None,
        warm: bool = False,
    ) -> None:
        """Forget everything and set the gadget up; `had` are the opponent's values that must not rise.

        With `belief`, the opponent comes to that part with a range, the weights `likely`, and to the rest through the
        gadget. What is refined then also does well against that range, and gives up a little of the guarantee for it.
        `warm` forgets all but the averages, which may have been set by `follow`: a few iterations seem to have led to
        them, so that the first ones to come are not worse (in the manner of Brown and Sandholm 2016).
        """
        if technique not in TECHNIQUES:
            raise SpotError(f"no technique {technique!r}; there are {', '.join(TECHNIQUES)}")
        self.technique, self.had = technique, had
        most = self.spot.total + sum(self.spot.stacks)  # of a hand that nothing is known of: it asks for nothing
        known = np.nan_to_num(had, nan=most)
        gadget = Gadget(technique, self.opponent, known, belief, likely) if technique in GADGETS else None
        self._before = WARM if warm else 0
        self.engine.enter(gadget)
        self.engine.begin(self._before)

    def step(self, count: int = 1) -> None:
        """So many iterations."""
        self.engine.step(count)

    def margins(self) -> np.ndarray:
        """(1,326) by how much the value of each of the opponent's hands has fallen, in chips; nan where none is."""
        return self.had - self.values()

    @property
    def margin(self) -> float:
        """The least of them: the subgame margin; nan if it was not said what the opponent had."""
        margins = self.margins()
        known = margins[np.isfinite(margins)]
        return float(known.min()) if len(known) else np.nan

    def strategy(self, node: Node, board: tuple[int, ...]) -> np.ndarray:
        """(actions, 1,326) probabilities at a decision on a board; hands that the board has no room for have none."""
        there = SpotNode(self.engine, node, self._path(board), IDENTITY, board)
        strategy = np.zeros((len(node.labels), COUNT))
        strategy[:, there.hands] = there.strategy.T
        return strategy

    def border(self, node: Node, board: tuple[int, ...]) -> Border:
        """What the player brings to a decision, its own or the opponent's, and what the opponent has there."""
        shape, rows = self.engine.shape, self.engine.rows(self.opponent, node, self._path(board), best=True)
        theirs, free = shape.holes[self.opponent], possible(board)
        mine, cbv = np.zeros(COUNT), np.full(COUNT, np.nan)
        mine[shape.holes[self.player]] = rows.reach
        mine *= free
        met = _met(mine)[theirs] * shape.layout.chances[node.street]
        cbv[theirs] = np.divide(rows.earned.max(axis=0), met, out=np.full(len(theirs), np.nan), where=met > 0)
        cbv += self.spot.total / 2 + node.put[self.opponent] - self.spot.bets[self.opponent]
        return Border(mine, np.where(free, cbv, np.nan))

    def _path(self, board: tuple[int, ...]) -> list[int]:
        """The number of a board on the street after the first."""
        street = len(board) - 3
        return [self.engine.shape.boards[street].boards.index(board)] if street > self.spot.street else []
