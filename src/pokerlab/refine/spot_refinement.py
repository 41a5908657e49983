"""A hold'em spot refined for one player by the techniques of Moravcik et al. (2016), and its margin.

    found = SpotRefinement(spot, player=0)
    had = found.values_against(behaviour)      # CBV: what the opponent's hands get from what is to be refined
    found.start("max-margin", had)
    found.step(500)
    found.margin                               # Definition 2, in chips

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
from pokerlab.refine.spots.gadget import Entrance, Gadget
from pokerlab.refine.spots.kernels import BEST, Rates, Room
from pokerlab.refine.spots.lanes import LANES
from pokerlab.refine.spots.shape import Shape, row_of
from pokerlab.refine.spots.solution import SpotNode, SpotSolution
from pokerlab.refine.spots.solver import SpotSolver
from pokerlab.refine.spots.spot import Spot
from pokerlab.refine.spots.tree import Node

Boards = Sequence[tuple[int, ...]]
Behaviour = Callable[[Node, Boards], np.ndarray]  # node and its boards -> probabilities (boards, actions, 1326)

LEAST = 1e-6  # the weight of hands that should not be there: they get a strategy, and matter to nobody
WARM = 10  # iterations that a warm start stands for
_BLOCKED = 1e-4  # a hand that meets less of a range than this is left out of margins
_GADGETS = {"re-solving": "resolve", "max-margin": "max-margin"}
_STILL = Rates(np.float32(1), np.float32(1), np.float32(1))


def weights_range(weights: np.ndarray, board: Sequence[int]) -> Range:
    """Weights of any scale as a range that has every hand the board leaves possible; without any, all are alike."""
    free = possible(board)
    most = float(weights[free].max())
    scaled = np.maximum(weights / most, LEAST) if most > 0 else np.ones(COUNT)
    return Range(np.where(free, np.minimum(scaled, 1.0), 0.0))


def _met(weights: np.ndarray) -> np.ndarray:
    """What each hand can meet; 0 where that is so little that single precision says nothing about it."""
    found = compatible(weights)
    return np.where(found > _BLOCKED * weights.sum(), found, 0.0)


class Border(NamedTuple):
    """At a node of a refinement: the player's weights, and what each of the opponent's hands gets from here on.

    Values are chips from the pot less chips still to be put in, by a best response; nan where no hand can be met.
    """

    weights: np.ndarray
    values: np.ndarray


class _Solver(SpotSolver):
    def best_rows(self, player: int, path: Sequence[int]) -> Room:
        """The room of a best-response pass on the first street, or on one board of the second."""
        if not path:
            self.walk(player, BEST)
            return self.rooms[0][self.first]
        (board,) = path
        self._descend(player, BEST, [])
        self._boards(player, BEST, _STILL, board, board + 1, 0)
        return self.rooms[0][self.first + 1]


class _Entrance(Entrance):
    """Gadget 3 with a range: one part of the opponent's hands comes by its range, the rest through the gadget.

    With `declines` the opponent may also choose no hand at all: then margins count only where they are negative, which
    makes it LP2 (LP3 with a margin of at most 0) that has something to optimise: what the range earns.
    """

    def __init__(self, gadget: Gadget, shape: Shape, likely: np.ndarray, belief: float, declines: bool) -> None:
        super().__init__(gadget, shape)
        weights = likely[shape.holes[gadget.player]]
        coming = float(weights @ self.met)
        self.belief = belief if coming > 0 else 0.0
        self.likely = row_of(weights / coming if coming > 0 else weights)
        self.declines, self.regret_to_decline = declines, 0.0

    def enters(self) -> np.ndarray:
        found = super().enters()
        wanted = float(np.maximum(self.regret[1], 0.0).sum())
        declined = max(0.0, self.regret_to_decline) if self.declines else 0.0
        return found * wanted / (wanted + declined) if declined else found

    def reach(self) -> np.ndarray:
        mixed: np.ndarray = (1 - self.belief) * super().reach() + self.belief * self.likely
        return mixed.astype(np.float32)

    def learn(self, earned: np.ndarray, rates: Rates) -> None:
        lost = float(self.enters() @ np.nan_to_num(self.margins(earned)))
        super().learn(earned, rates)
        kept = rates.above if self.regret_to_decline > 0 else rates.below
        self.regret_to_decline = float(kept) * self.regret_to_decline + lost


class SpotRefinement:
    """`player` is refined; `had` are the opponent's values before, set by `start`."""

    def __init__(
        self, spot: Spot, player: int, *, method: str = "dcfr", threads: int = 1, memory: float | None = None
    ) -> None:
        if player not in (0, 1):
            raise SpotError(f"player must be 0 or 1, not {player!r}")
        if spot.street == 0:
            raise SpotError("spots are refined from the turn or the river on, not from the flop")
        # Suits are not renamed: what is to be refined need not treat them alike.
        shape = Shape(spot, isomorphism=False)
        needed = shape.bytes(threads) / 2**30
        if memory is not None and needed > memory:
            raise SpotError(f"refining this spot takes {needed:.2f} GiB, and {memory:.2f} are allowed")
        self.spot, self.tree, self.player, self.opponent = spot, shape.tree, player, 1 - player
        self.solver = _Solver(shape, method=method, threads=threads if spot.street < shape.layout.last else 1)
        self.technique, self.had, self._before = "", np.full(COUNT, np.nan), 0

    @property
    def iterations(self) -> int:
        """That were made."""
        return self.solver.iteration - self._before

    @property
    def bytes(self) -> int:
        """Memory that is taken."""
        return self.solver.shape.bytes(self.solver.threads)

    def follow(self, behaviour: Behaviour, player: int | None = None) -> None:
        """Let the average of the player, or of the other one, be `behaviour` at every node."""
        who = self.player if player is None else player
        shape, hands = self.solver.shape, self.solver.shape.holes[who]
        for node in self.tree:
            if node.kind == "decision" and node.player == who:
                given = behaviour(node, shape.boards[node.street].boards)
                place, side = shape.layout.places[node.index], shape.layout.sides[node.street][who]
                kept = self.solver.stores[node.street][who].strategy.reshape(len(given), -1)
                width, first = len(shape.root[who]), place.row - side.roots
                padded = np.zeros((len(given), place.actions, width), dtype=np.float32)
                padded[:, :, : len(hands)] = given[:, :, hands]
                tiles = padded.reshape(len(given), place.actions, -1, LANES).transpose(0, 2, 1, 3)
                kept[:, first * width : (first + place.actions) * width] = tiles.reshape(len(given), -1)

    def values_against(self, behaviour: Behaviour) -> np.ndarray:
        """CBV at the root: what each of the opponent's hands gets from a player who follows `behaviour` everywhere."""
        self.follow(behaviour)
        return self.values()

    def values(self) -> np.ndarray:
        """(1,326) chips from the pot that the opponent's hands get by a best response to the player's average."""
        found = self._solution().best_response(self.opponent)
        return np.where(_met(self.spot.weights(self.player)) > 0, found, np.nan)

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
        if not 0 <= belief < 1 or (belief and likely is None):
            raise SpotError(f"belief is from 0 to below 1, and needs a range to believe in; not {belief}")
        self.technique, self.had = technique, had
        gadget = _GADGETS.get(technique)
        most = self.spot.total + sum(self.spot.stacks)  # of a hand that nothing is known of: it asks for nothing
        known = np.nan_to_num(had, nan=most)
        self.solver.entrance = None
        if gadget:
            weights = np.ones(COUNT) if likely is None else likely
            shape, declines = self.solver.shape, technique == "re-solving"
            if belief:
                made = Gadget("max-margin", self.opponent, known)
                self.solver.entrance = _Entrance(made, shape, weights, belief, declines)
            else:
                self.solver.entrance = Entrance(Gadget(gadget, self.opponent, known), shape)
        self._begin_with(WARM if warm else 0)

    def _begin_with(self, iterations: int) -> None:
        """Regrets and averages as if so many iterations had led to the averages that there are."""
        self.solver.iteration = self._before = iterations
        for player in range(2):
            regret = float(self.solver.root(1 - player).sum()) * self.spot.total  # about a pot's worth
            for stores in self.solver.stores.values():
                kept = stores[player].strategy
                np.multiply(kept, np.float32(regret if iterations else 0), out=stores[player].regret)
                kept *= np.float32(iterations / (1 + self.solver.scheme.gamma))

    def step(self, count: int = 1) -> None:
        """So many iterations."""
        self.solver.step(count)

    def margins(self) -> np.ndarray:
        """(1,326) by how much the value of each of the opponent's hands has fallen, in chips; nan where none is."""
        return self.had - self.values()

    @property
    def margin(self) -> float:
        """The least of them: the subgame margin; nan if it was not said what the opponent had."""
        found = self.margins()
        known = found[np.isfinite(found)]
        return float(known.min()) if len(known) else np.nan

    def strategy(self, node: Node, board: tuple[int, ...]) -> np.ndarray:
        """(actions, 1,326) probabilities at a decision on a board; hands that the board has no room for have none."""
        there = self._there(node, board)
        found = np.zeros((len(node.labels), COUNT))
        found[:, there.hands] = there.strategy.T
        return found

    def border(self, node: Node, board: tuple[int, ...]) -> Border:
        """What the player brings to a decision, its own or the opponent's, and what the opponent has there."""
        shape, place = self.solver.shape, self.solver.shape.layout.places[node.index]
        room = self.solver.best_rows(self.opponent, self._path(board))
        mine, theirs = shape.holes[self.player], shape.holes[self.opponent]
        wide, other = len(shape.root[self.player]), len(shape.root[self.opponent])
        at = place.rows[self.player] * wide
        free = possible(board)
        weights = np.zeros(COUNT)
        weights[mine] = room.reach[at : at + len(mine)]
        weights *= free
        first, count = (place.row, place.actions) if node.player == self.opponent else (place.rows[self.opponent], 1)
        earned = room.value[first * other : (first + count) * other].reshape(count, other)[:, : len(theirs)].max(axis=0)
        met = _met(weights)[theirs] * shape.layout.chances[node.street]
        values = np.full(COUNT, np.nan)
        values[theirs] = np.divide(earned, met, out=np.full(len(theirs), np.nan), where=met > 0)
        values += self.spot.total / 2 + node.put[self.opponent] - self.spot.bets[self.opponent]
        return Border(weights, np.where(free, values, np.nan))

    def _solution(self) -> SpotSolution:
        return SpotSolution(self.solver, 0.0, "iterations", ())

    def _there(self, node: Node, board: tuple[int, ...]) -> SpotNode:
        return SpotNode(self.solver, node, self._path(board), IDENTITY, board)

    def _path(self, board: tuple[int, ...]) -> list[int]:
        """The number of a board on the street after the first."""
        street = len(board) - 3
        return [self.solver.shape.boards[street].boards.index(board)] if street > self.spot.street else []
