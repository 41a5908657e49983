"""Growing restricted games: double oracle, and range of skill with generalized best responses.

Zinkevich, Bowling and Burch (2007). The double oracle (Algorithm 1) adds best responses to the equilibrium of the game
restricted to the strategies found so far. Range of skill (Algorithm 3) adds *generalized* best responses: equilibrium
strategies of the game in which only the opponent is restricted, found by half a double oracle (Algorithm 2) or by one
linear program over sequences (equations 12 to 18). Poker is not symmetric, so each player has a set of its own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from pokerlab.errors import SolverError
from pokerlab.form.game import Game
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.lp import GrowingMaximin, needs_recall
from pokerlab.solvers.stepper import PlainStepper

_NOTHING_NEW = 1e-10  # a response that gains less is one that is there already


class _Growing(PlainStepper):
    """A set of strategies a player, started from uniform play, and the plans mixed from them."""

    every = 1

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        for p, tree in enumerate(game.trees):
            start = tree.realize(tree.uniform())
            self._arrays |= {f"set{p}": start[None, :], f"plan{p}": start}
        self._arrays["gap"] = np.array([np.inf])
        self._rebuild()

    @abstractmethod
    def _rebuild(self) -> None:
        """The linear programs, from the sets."""

    @property
    def finished(self) -> bool:
        return bool(self._arrays["gap"][0] <= _NOTHING_NEW)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many strategies each player has."""
        return len(self._arrays["set0"]), len(self._arrays["set1"])

    def plans(self) -> tuple[np.ndarray, ...]:
        return self._arrays["plan0"], self._arrays["plan1"]

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        self._rebuild()


class DoubleOracle(_Growing):
    """Algorithm 1. Restricted games are solved exactly, each from the last one's basis."""

    def __init__(self, game: Game) -> None:
        needs_recall(game, "the double oracle")
        super().__init__(game)

    def _rebuild(self) -> None:
        """The restricted game's linear program, from the sets."""
        rows, columns = self._arrays["set0"], self._arrays["set1"]
        payoff = np.array([rows @ (self.game.A @ y) for y in columns])
        self._program = GrowingMaximin(len(rows))
        for values in payoff:
            self._program.add_constraint(values)

    def _once(self) -> None:
        _, first, second = self._program.solve()
        plans = (first @ self._arrays["set0"], second @ self._arrays["set1"])
        self._arrays |= {"plan0": plans[0], "plan1": plans[1]}
        found = [tree.best_response(self.game.gradient(p, plans)) for p, tree in enumerate(self.game.trees)]
        self._arrays["gap"] = np.array([found[0][0] + found[1][0]])
        if self.finished:
            return
        x, y = (tree.realize(b) for tree, (_, b) in zip(self.game.trees, found, strict=True))
        self._program.add_variable(self._arrays["set1"] @ (self.game.A.T @ x))
        self._arrays["set0"] = np.vstack((self._arrays["set0"], x))
        self._program.add_constraint(self._arrays["set0"] @ (self.game.A @ y))
        self._arrays["set1"] = np.vstack((self._arrays["set1"], y))


class RangeOfSkill(_Growing):
    """Algorithm 3 with a set a player.

    `response` is 2 for generalized best responses by linear program, 1 for those by half a double oracle. The plans are
    the safest mixtures of each set: the multipliers of the programs that find the responses to it.
    """

    def __init__(self, game: Game, response: int = 2) -> None:
        needs_recall(game, "range of skill")
        if response not in (1, 2):
            raise SolverError(f"response must be 1 or 2 (generalized best response I or II), not {response}")
        self.response = int(response)
        super().__init__(game)

    def _rebuild(self) -> None:
        """One program a player: its whole strategy space against the other's set."""
        self._programs = []
        for p, tree in enumerate(self.game.trees):
            maker = GrowingMaximin.over_treeplex if self.response == 2 else _HalfOracle
            program = maker(tree)
            for plan in self._arrays[f"set{1 - p}"]:
                program.add_constraint(self._gradient(p, plan))
            self._programs.append(program)

    def _gradient(self, player: int, plan: np.ndarray) -> np.ndarray:
        return self.game.gradient(player, (plan, plan))

    def _once(self) -> None:
        values, fresh = [], []
        for p in range(2):
            value, best, multipliers = self._programs[p].solve()
            values.append(value)
            fresh.append(best)
            self._arrays[f"plan{1 - p}"] = multipliers @ self._arrays[f"set{1 - p}"]
        self._arrays["gap"] = np.array([sum(values)])
        if self.finished:
            return
        for p in range(2):
            self._arrays[f"set{p}"] = np.vstack((self._arrays[f"set{p}"], fresh[p]))
            self._programs[1 - p].add_constraint(self._gradient(1 - p, fresh[p]))

    def parameters(self) -> dict[str, Any]:
        return {"response": self.response}

    def ranked(self, epsilon: float) -> int:
        """A lower bound on the game's range of skill: the length of an epsilon-ranked list among the pairs found.

        A pair's utility against another is its mean over both seats; the list takes each pair that beats all before it.
        """
        payoff = np.array([self._arrays["set0"] @ (self.game.A @ y) for y in self._arrays["set1"]]).T
        utility = (payoff - payoff.T) / 2
        listed: list[int] = []
        for i in range(len(utility)):
            if all(utility[i, j] > epsilon for j in listed):
                listed.append(i)
        return len(listed)


class _HalfOracle:
    """Algorithm 2: a generalized best response from best responses, one after the other; they are kept for the next."""

    def __init__(self, tree: Treeplex) -> None:
        self._tree = tree
        self._gradients = np.zeros((0, tree.sequences))
        self._plans = tree.realize(tree.uniform())[None, :]
        self._program = GrowingMaximin(1)

    def add_constraint(self, gradient: np.ndarray) -> None:
        self._gradients = np.vstack((self._gradients, gradient))
        self._program.add_constraint(self._plans @ gradient)

    def solve(self) -> tuple[float, np.ndarray, np.ndarray]:
        """The value, the response, and the opponent's safest mixture against it."""
        while True:
            value, mixture, multipliers = self._program.solve()
            best, behaviour = self._tree.best_response(multipliers @ self._gradients)
            if best <= value + _NOTHING_NEW:
                return value, mixture @ self._plans, multipliers
            plan = self._tree.realize(behaviour)
            self._plans = np.vstack((self._plans, plan))
            self._program.add_variable(self._gradients @ plan)
