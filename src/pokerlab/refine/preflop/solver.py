"""The whole game before the flop, flops and all, as a stepper: regrets by 169 kinds of hands before the flop, and an
engine of spots for each flop at each place where one is dealt.

The game that is solved is exactly this. Two hands are dealt as they are (with probability P(i, j), cards in common
never), and what is done before the flop depends on their kinds. Folds and all-ins there are worth what they are worth,
the latter by all boards. Where the flop is dealt with chips left, the hands i and j win and lose

    U(i, j) = sum over z of w(z) c(i, j, z) u(i, j, z) + pot / 2 (E(i, j) - sum over b of w(b) c(i, j, b) s(i, j, b))

over all ends z of the betting after the flop on what was drawn of a board by then, and over all drawn boards b. u are
the chips of an end (half the pot counted as one's own); c is 1 where the hands have no card of the board, s the sign
of the showdown and E its mean over all boards. The weight w is a flop's, times 49 / 45 over the number of turns drawn
after it, times 48 / 44 over the number of rivers: two hands meet all cards with a weight of 1 on average over draws,
and exactly where all are drawn; what a pair of hands lacks of that, or has too much, only changes what it plays for.
The second part does not depend on how hands are played after the flop. With it hands that are checked down win what
they win in the whole game: what is drawn decides no more than what betting changes of that. Suits are alike before
the flop, so that a flop stands for those with other suits, too.

Payoffs are chips won or lost, and add up to 0 for each pair of hands. Best responses and expectations are exact in this
game: all hands on all boards that were drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import HOLES, classes, possible
from pokerlab.cards.matchups import class_matchups, preflop_signs
from pokerlab.refine.preflop.draws import Flop, digest, drawn_signs
from pokerlab.refine.preflop.game import Preflop
from pokerlab.refine.preflop.tree import Node
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.engine import METHOD, SCHEMES, rates_of
from pokerlab.refine.spots.kernels import Rates
from pokerlab.refine.spots.shape import Shape
from pokerlab.solvers.runner import put_back
from pokerlab.threads import spread

KINDS = 169
_DECK = Deck()
IMPROVE, EXPECT, BEST = "improve", "expect", "best"  # what a player does with its own decisions


class Leaf(NamedTuple):
    """A flop at a place where flops are dealt."""

    node: int
    flop: Flop
    shape: Shape


def leaves_of(game: Preflop, flops: Sequence[Flop]) -> list[Leaf]:
    """Every flop at every place; nothing large."""
    return [
        Leaf(node, flop, Shape(game.spot(node, _DECK.text(flop.cards)), drawn=flop.runouts))
        for node in game.tree.flops
        for flop in flops
    ]


class PreflopSolver:
    """Discounted CFR, the players in turn. A flop at a place is worked on by one thread alone, and values are added in
    one order, so that the number of threads changes nothing.
    """

    finished = False

    def __init__(self, game: Preflop, leaves: Sequence[Leaf], *, method: str = METHOD, threads: int = 1) -> None:
        self.game, self.tree, self.method, self.threads = game, game.tree, method, threads
        self.scheme, self.iteration = SCHEMES[method], 0
        self.leaves = leaves
        self.engines = [CpuEngine(leaf.shape, method=method) for leaf in leaves]
        shapes = {node: (KINDS, len(self.tree[node].labels)) for node in self.tree.decisions}
        self.regret = {node: np.zeros(shape) for node, shape in shapes.items()}
        self.average = {node: np.zeros(shape) for node, shape in shapes.items()}
        weights = [hands.grid().ravel() for hands in game.ranges]
        dealt, won = class_matchups()
        joint = weights[0][:, None] * weights[1]
        # By the big blind's kind and the small blind's, times P; and the same as the small blind sees it.
        scale = 1 / (joint * dealt).sum()
        self.dealt = [scale * joint * dealt, scale * (joint * dealt).T]
        self.signs = [scale * joint * (won - won.T), -scale * (joint * (won - won.T)).T]
        self.amends = self._amends(joint) if leaves else self.signs

    def _amends(self, joint: np.ndarray) -> list[np.ndarray]:
        """How much more a hand wins from another over all boards than over those that were drawn, times P."""
        flops = list({leaf.flop.cards: leaf.flop for leaf in self.leaves}.values())
        kinds = classes()
        merge = np.zeros((len(HOLES), KINDS))
        merge[np.arange(len(HOLES)), kinds] = 1.0
        apart = np.stack([possible(hole) for hole in HOLES]).sum()
        by_kind = merge.T @ (preflop_signs() - drawn_signs(flops)) @ merge / apart
        dealt, _ = class_matchups()
        scaled = joint * by_kind / (joint * dealt).sum()
        return [scaled, -scaled.T]

    # Passes

    def _policies(self, source: Mapping[int, np.ndarray]) -> dict[int, np.ndarray]:
        """(kinds, actions) by decision: in proportion to what is above 0, even where nothing is."""
        policies = {}
        for node, numbers in source.items():
            above = np.maximum(numbers, 0.0)
            total = above.sum(axis=1, keepdims=True)
            even = np.full(above.shape, 1 / above.shape[1])
            policies[node] = np.divide(above, total, out=even, where=total > 0)
        return policies

    def reaches(self, player: int, policies: Mapping[int, np.ndarray]) -> list[np.ndarray]:
        """(kinds) by node: how likely a player goes there, as far as that is its own doing."""
        reach = [np.ones(KINDS)] * len(self.tree.nodes)
        for node in self.tree:
            for action, child in enumerate(node.children):
                mine = policies[node.index][:, action] if node.player == player else 1.0
                reach[child] = reach[node.index] * mine
        return reach

    def _after_flops(
        self, player: int, reach: Sequence[np.ndarray], work: Callable[[CpuEngine], np.ndarray]
    ) -> dict[int, np.ndarray]:
        """(kinds) by place where flops are dealt: what a player's hands earn there, over all flops."""
        kinds, (mine, theirs) = classes(), (self.game.ranges[p].weights for p in (player, 1 - player))

        def one(task: tuple[Leaf, CpuEngine]) -> np.ndarray:
            leaf, engine = task
            own, other = leaf.shape.holes[player], leaf.shape.holes[1 - player]
            engine.meet(1 - player, theirs[other] * reach[leaf.node][kinds[other]])
            earned = work(engine).astype(np.float64) * mine[own]
            return leaf.flop.weight * np.bincount(kinds[own], earned, KINDS)

        values = {node: np.zeros(KINDS) for node in self.tree.flops}
        tasks = list(zip(self.leaves, self.engines, strict=True))
        for leaf, earned in zip(self.leaves, spread(one, tasks, self.threads), strict=True):
            values[leaf.node] += earned / self.game.matchups
        for node, value in values.items():
            value += sum(self.tree[node].put) / 2 * (self.amends[player] @ reach[node])
        return values

    def _ends(self, player: int, node: Node, reach: np.ndarray) -> np.ndarray:
        """(kinds) what a player earns where the betting ends before the flop."""
        if node.kind == "showdown":
            return np.asarray(min(node.put) * (self.signs[player] @ reach))
        won = -node.put[player] if node.player == player else node.put[1 - player]
        return np.asarray(won * (self.dealt[player] @ reach))

    def walk(
        self, player: int, mode: str, policies: Mapping[int, np.ndarray], rates: Rates | None = None
    ) -> tuple[list[np.ndarray], dict[int, np.ndarray]]:
        """A pass of a player: (kinds) by node what its hands earn, and (kinds, actions) by its own decision."""
        reach = self.reaches(1 - player, policies)
        works: dict[str, Callable[[CpuEngine], np.ndarray]] = {
            IMPROVE: lambda engine: engine.learn(player, rates),  # type: ignore[arg-type]
            EXPECT: lambda engine: engine.walk(player, best=False),
            BEST: lambda engine: engine.walk(player, best=True),
        }
        flops = self._after_flops(player, reach, works[mode])
        value, actions = [np.zeros(KINDS)] * len(self.tree.nodes), dict[int, np.ndarray]()
        for node in reversed(self.tree.nodes):
            if node.kind == "flop":
                value[node.index] = flops[node.index]
            elif node.kind != "decision":
                value[node.index] = self._ends(player, node, reach[node.index])
            elif node.player != player:
                value[node.index] = np.sum([value[child] for child in node.children], axis=0)
            else:
                each = np.stack([value[child] for child in node.children], axis=1)
                chosen = each.max(axis=1) if mode == BEST else (policies[node.index] * each).sum(axis=1)
                actions[node.index], value[node.index] = each, chosen
        return value, actions

    # A stepper

    def step(self, count: int = 1) -> None:
        """So many iterations; none only compiles the kernels."""
        if not count:
            self.exploitability()
        for row in rates_of(self.scheme, self.iteration, count):
            rates = Rates(*row)
            for player in range(2):
                policies = self._policies(self.regret)
                value, actions = self.walk(player, IMPROVE, policies, rates)
                for node, each in actions.items():
                    regret, average = self.regret[node], self.average[node]
                    regret *= np.where(regret > 0, row[0], row[1])
                    regret += each - value[node][:, None]
                    average *= row[2]
                    average += policies[node]
        self.iteration += count

    def strategies(self) -> dict[int, np.ndarray]:
        """(kinds, actions) by decision: the averages."""
        return self._policies(self.average)

    def best_responses(self) -> tuple[float, float]:
        """Chips a hand that big and small blind win by best responses to the other's average."""
        policies = self.strategies()
        first, second = (float(self.walk(player, BEST, policies)[0][0].sum()) for player in range(2))
        return first, second

    def exploitability(self) -> float:
        """The mean of what the players could gain on their averages by best responses, in chips a hand."""
        return sum(self.best_responses()) / 2

    def state(self) -> dict[str, np.ndarray]:
        """Everything that iterations depend on, not copied."""
        state: dict[str, np.ndarray] = {"clock": np.array([self.iteration], dtype=np.int64)}
        for node in self.tree.decisions:
            state |= {f"regret_{node}": self.regret[node], f"average_{node}": self.average[node]}
        for number, engine in enumerate(self.engines):
            state |= {f"flop_{number}_{key}": array for key, array in engine.state().items() if key != "clock"}
        return state

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to what `state` held."""
        put_back(self.state(), state)
        self.iteration = int(state["clock"][0])

    def subject(self) -> dict[str, Any]:
        """What must be the same for a run to go on from a checkpoint."""
        return {
            "preflop": hashlib.sha256(self.game.text().encode()).hexdigest()[:16],
            "boards": digest(list({leaf.flop.cards: leaf.flop for leaf in self.leaves}.values())),
            "method": {"name": self.method, **self.scheme.parameters()},
        }
