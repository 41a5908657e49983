"""Growing restricted games: double oracle, and range of skill with generalized best responses.

Zinkevich, Bowling and Burch (2007). The double oracle (Algorithm 1) adds best responses to the equilibrium of the game
restricted to the strategies found so far. Range of skill (Algorithm 3) adds *generalized* best responses: equilibrium
strategies of the game in which only the opponent is restricted. They are found by half a double oracle (Algorithm 2),
by one linear program over sequences (equations 12 to 18) or, where a program is too large, by regrets, as close as the
gap that is left asks for. Poker is not symmetric, so each player has a set of its own. The sets begin with one
strategy: the paper's range of skill with the one that always raises.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from pokerlab.errors import SolverError
from pokerlab.form.game import Game
from pokerlab.form.strategy import raising_profile, uniform_profile
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.lp import GrowingMaximin, needs_recall
from pokerlab.solvers.regret import SCHEMES, Learner
from pokerlab.solvers.rows import Rows
from pokerlab.solvers.runner import fitting, put_back
from pokerlab.solvers.stepper import PlainStepper

_NOTHING_NEW = 1e-10  # a response that gains less is one that is there already
# Of generalized best responses by regrets:
_CLOSE = 0.1  # the part of the gap that one may be away from the best
_CHECK, _MOST = 10, 2000  # iterations between checks, and in all
_REST = 5  # rounds without weight after which a strategy of the set is looked at only when a response has been found


STARTS = {"uniform": uniform_profile, "raise": raising_profile}


class _Program(Protocol):
    """Finds a player's best mixture or plan against a set that grows; a strategy of the set is what it leaves to earn.

    What a solve gives depends on nothing but the constraints so far and the state that the solves before it left.
    """

    def add_constraint(self, earned: np.ndarray, /) -> None: ...

    def solve(self) -> tuple[float, np.ndarray, np.ndarray]:
        """The value (or one that it is not above), what attains it, and the opponent's safest mixture against it."""
        ...

    def state(self) -> dict[str, np.ndarray]: ...

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state with the constraints that have been added by now."""
        ...


class _Growing(PlainStepper):
    """A set of strategies a player, which begins with that of `start`, programs on them, and their mixtures."""

    every = 1

    def __init__(self, game: Game, start: str) -> None:
        super().__init__(game)
        if start not in STARTS:
            raise SolverError(f"start must be {' or '.join(STARTS)} (what the sets begin with), not {start!r}")
        self.start = start
        self._real: type[np.floating] = np.float32 if game.large else np.float64
        self._played = game.single() if game.large else game
        self._sets = [Rows(tree.sequences, self._real) for tree in game.trees]
        for p, plan in enumerate(STARTS[start](game).plans()):
            self._sets[p].add(plan)
            self._arrays[f"plan{p}"] = plan
        self._arrays["gap"] = np.array([np.inf])
        self._programs = self._programs_on(self._sets)

    @abstractmethod
    def _programs_on(self, sets: Sequence[Rows]) -> Sequence[_Program]:
        """The programs on these sets, at their start."""

    @property
    def finished(self) -> bool:
        return bool(self._arrays["gap"][0] <= _NOTHING_NEW)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many strategies each player has."""
        return len(self._sets[0]), len(self._sets[1])

    @property
    def gap(self) -> float:
        """What best responses to both plans win together, as the last round found it."""
        return float(self._arrays["gap"][0])

    def _gradient(self, player: int, plan: np.ndarray) -> np.ndarray:
        """What each of the player's sequences earns against the other's plan."""
        return self._played.gradient(player, (plan, plan))

    def plans(self) -> tuple[np.ndarray, ...]:
        return self._arrays["plan0"], self._arrays["plan1"]

    def parameters(self) -> dict[str, Any]:
        return {} if self.start == "uniform" else {"start": self.start}  # files once knew no other

    def state(self) -> dict[str, np.ndarray]:
        state = super().state() | {f"set{p}": rows.array.copy() for p, rows in enumerate(self._sets)}
        for i, program in enumerate(self._programs):
            state |= {f"{key}{i}": array for key, array in program.state().items()}
        return state

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        sets = []
        for p, tree in enumerate(self.game.trees):
            sets.append(Rows(tree.sequences, self._real))
            for row in fitting(state, f"set{p}", (None, tree.sequences), self._real):
                sets[p].add(row)
        programs = self._programs_on(sets)
        for i, program in enumerate(programs):
            kept = {key: state[f"{key}{i}"] for key in program.state() if f"{key}{i}" in state}
            if kept:  # older files have nothing of linear programs: then from their start
                program.restore(kept)
        super().restore(state)
        self._sets, self._programs = sets, programs


class DoubleOracle(_Growing):
    """Algorithm 1. Restricted games are solved exactly, each from the last one's basis."""

    _programs: Sequence[GrowingMaximin]

    def __init__(self, game: Game, start: str = "uniform") -> None:
        needs_recall(game, "the double oracle")
        super().__init__(game, start)

    def _programs_on(self, sets: Sequence[Rows]) -> Sequence[GrowingMaximin]:
        """The restricted game's linear program."""
        first, second = sets
        program = GrowingMaximin(len(first))
        for plan in second.array:
            program.add_constraint(first.times(self._gradient(0, plan)))
        return [program]

    def _once(self) -> None:
        (first, second), (program,) = self._sets, self._programs
        _, *mixtures = program.solve()
        plans = first.mixed(mixtures[0]), second.mixed(mixtures[1])
        self._arrays |= {f"plan{p}": plan.astype(np.float64, copy=False) for p, plan in enumerate(plans)}
        responses = [tree.best_response(self._gradient(p, plans[1 - p])) for p, tree in enumerate(self.game.trees)]
        self._arrays["gap"] = np.array([responses[0][0] + responses[1][0]])
        if self.finished:
            return
        x, y = (tree.realize(b) for tree, (_, b) in zip(self.game.trees, responses, strict=True))
        program.add_variable(-second.times(self._gradient(1, x)))
        first.add(x)
        program.add_constraint(first.times(self._gradient(0, y)))
        second.add(y)


class RangeOfSkill(_Growing):
    """Algorithm 3 with a set a player.

    `response` is 2 for generalized best responses by linear program, 1 for those by half a double oracle, 3 for those
    by regrets; by default 2, for large games 3. The sets begin with the strategy that always raises; in games without
    raises, or where `start` is "uniform", with uniform play. The plans are the safest mixtures of each set.
    """

    def __init__(self, game: Game, response: int | None = None, start: str | None = None) -> None:
        needs_recall(game, "range of skill")
        if response not in (None, 1, 2, 3):
            raise SolverError(f"response must be 1, 2 or 3 (how generalized best responses are found), not {response}")
        self.response = int(response or (3 if game.large else 2))
        super().__init__(game, start or ("uniform" if game.origin is None else "raise"))

    def _programs_on(self, sets: Sequence[Rows]) -> Sequence[_Program]:
        """One a player: its whole strategy space against the other's set."""
        programs = []
        for p, tree in enumerate(self.game.trees):
            program = self._responder(tree)
            for plan in sets[1 - p].array:
                program.add_constraint(self._gradient(p, plan))
            programs.append(program)
        return programs

    def _responder(self, tree: Treeplex) -> _Program:
        if self.response == 3:
            return _ByRegrets(tree, self._real, lambda: _CLOSE * self.gap)
        return GrowingMaximin.over_treeplex(tree) if self.response == 2 else _HalfOracle(tree)

    def _once(self) -> None:
        values, fresh = [], []
        for p in range(2):
            value, best, multipliers = self._programs[p].solve()
            values.append(value)
            fresh.append(best.astype(self._real, copy=False))
            self._arrays[f"plan{1 - p}"] = self._sets[1 - p].mixed(multipliers).astype(np.float64, copy=False)
        self._arrays["gap"] = np.array([sum(values)])
        if self.finished:
            return
        for p in range(2):
            self._sets[p].add(fresh[p])
            self._programs[1 - p].add_constraint(self._gradient(1 - p, fresh[p]))

    def parameters(self) -> dict[str, Any]:
        return {"response": self.response, **super().parameters()}

    def ranked(self, epsilon: float) -> int:
        """A lower bound on the game's range of skill: the length of an epsilon-ranked list among the pairs found.

        A pair's utility against another is its mean over both seats; the list takes each pair that beats all before it.
        """
        payoff = np.array([self._sets[0].times(self._gradient(0, y)) for y in self._sets[1].array]).T
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
        while True:
            value, mixture, multipliers = self._program.solve()
            best, behaviour = self._tree.best_response(multipliers @ self._gradients)
            if best <= value + _NOTHING_NEW:
                return value, mixture @ self._plans, multipliers
            plan = self._tree.realize(behaviour)
            self._plans = np.vstack((self._plans, plan))
            self._program.add_variable(self._gradients @ plan)

    def state(self) -> dict[str, np.ndarray]:
        """The responses so far, and the program on them."""
        return {"responses": self._plans.copy()} | self._program.state()

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        plans = fitting(state, "responses", (None, self._tree.sequences), np.float64).copy()
        program = GrowingMaximin(len(plans))
        for gradient in self._gradients:
            program.add_constraint(plans @ gradient)
        program.restore(state)
        self._plans, self._program = plans, program


class _ByRegrets:
    """A generalized best response by discounted CFR on the treeplex against regret matching over the set.

    Regrets are kept from round to round, averages are not. Most strategies of a set are soon picked no more, and rest.
    """

    SCHEME = SCHEMES["dcfr"]

    def __init__(self, tree: Treeplex, real: type[np.floating], close: Callable[[], float]) -> None:
        self._tree, self._close = tree, close
        self._learner = Learner(tree, real)
        self._gradients = Rows(tree.sequences, real)
        self._regret, self._idle = np.zeros(0), np.zeros(0, dtype=np.int64)
        self._clock = np.zeros(1, dtype=np.int64)

    def add_constraint(self, gradient: np.ndarray) -> None:
        self._gradients.add(gradient)
        self._regret, self._idle = np.append(self._regret, 0.0), np.append(self._idle, 0)

    def state(self) -> dict[str, np.ndarray]:
        """What is kept from round to round, beside the set itself."""
        return {key: array.copy() for key, array in self._saved().items()}

    def _saved(self) -> dict[str, np.ndarray]:
        learner = self._learner
        return {
            "regret": learner.regret, "behaviour": learner.behaviour, "picked": self._regret, "idle": self._idle,
            "rounds": self._clock,
        }  # fmt: skip

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        put_back(self._saved(), state)
        self._learner.realize()

    def solve(self) -> tuple[float, np.ndarray, np.ndarray]:
        close = self._close()
        while True:
            picks = np.flatnonzero(self._idle < _REST)
            upper, plan, mixture = self._play(picks, close)
            earned = self._gradients.times(plan)
            better = np.setdiff1d(np.flatnonzero(earned < earned[picks].min() - close), picks)
            if not len(better):
                break
            self._idle[better] = 0
        weights = np.zeros(len(self._gradients))
        weights[picks] = mixture
        self._idle = np.where(weights > 1e-4, 0, self._idle + 1)
        return upper, plan, weights

    def _play(self, picks: np.ndarray, close: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Until plan and mixture are within `close` of each other: the plan's owner's best, plan and mixture."""
        learner, regret, counts = self._learner, self._regret[picks], np.zeros(len(picks))
        learner.average[:] = 0
        for t in range(1, _MOST + 1):
            self._clock[0] += 1
            total = regret.sum()
            mixture = regret / total if total > 0 else np.full(len(picks), 1 / len(picks))
            learner.gradient[:] = self._gradients.mixed(mixture, picks)
            learner.improve(self.SCHEME, float(self._clock[0]), float(t) ** 2)
            lost = self._gradients.times(learner.x, picks)
            regret = np.maximum(regret + mixture @ lost - lost, 0.0)
            counts += t**2 * mixture
            if t % _CHECK == 0 or t == _MOST:
                mixture, plan = counts / counts.sum(), learner.average / learner.average[0]
                upper, _ = self._tree.best_response(self._gradients.mixed(mixture, picks))
                if upper - self._gradients.times(plan, picks).min() <= close:
                    break
        self._regret[picks] = regret
        return upper, plan, mixture
