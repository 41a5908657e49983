"""Strategy grafting: Waugh, Bard and Bowling (2009), Strategy Grafting in Extensive Games, section 3.

A player's infosets are cut into grafts. For each graft a game is solved in which the player decides there only, with
finer sight than its base strategy has, and plays the base elsewhere; the opponent decides everywhere, by some
abstraction. The player's parts are then glued, as behaviour, into a strategy larger than any game that was solved.

One thing differs from Definition 8, and changes no payoff: an infoset that the base never lets the player reach is left
out of the graft's game; there the grafted strategy plays the base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pokerlab.errors import GraftingError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.game import BilinearGame, Game
from pokerlab.form.lift import lift
from pokerlab.form.maps import Map, confine, restrict
from pokerlab.form.strategy import Profile
from pokerlab.processes import Executor, at_work, local_processes
from pokerlab.progress import Bar
from pokerlab.refine.lens import Lens, seen_by
from pokerlab.refine.partition import GraftingPartition
from pokerlab.solvers.run import solve
from pokerlab.solvers.solution import Solution, same_game

WORTH_PROCESSES = 5.0  # seconds of work below which starting other processes costs more than it saves


def processes_if_worth(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterable[Any]:
    """Grafts on processes of this machine, one a core, if they are expected to take longer than starting those."""
    if sum(task.seconds() for task in tasks) < WORTH_PROCESSES:
        return map(function, tasks)
    return local_processes()(function, tasks)


@dataclass(frozen=True, eq=False)
class Graft:
    """One graft: `behaviour` in the whole game (the base's elsewhere), and the game in which it was found.

    `gain` is what it earns more than the base against sigma_2, in chips; its game was solved to an `epsilon`-Nash
    equilibrium.
    """

    name: str
    behaviour: np.ndarray
    gain: float
    epsilon: float
    sequences: tuple[int, int]
    entries: int
    iterations: int
    seconds: float
    stopped: str


@dataclass(frozen=True, eq=False)
class GraftedStrategy:
    """Definition 8's sigma_i*, and what Theorem 1 says of it; figures are the player's, in chips.

    `gain` is measured against sigma_2, the opponent of the base; `gap` is how far sigma_2 is from a best response to
    the base among the strategies that the opponent had in the grafts' games. If sigma_2 is none of them
    (`applies` false) the theorem gives no bound.
    """

    partition: GraftingPartition
    base: np.ndarray
    behaviour: np.ndarray
    grafts: tuple[Graft, ...]
    gain: float
    gap: float
    applies: bool

    @property
    def sum_of_gains(self) -> float:
        """Equal to `gain` by Theorem 1, up to rounding."""
        return sum(graft.gain for graft in self.grafts)

    @property
    def epsilon(self) -> float:
        return max([self.gap, 0.0, *(graft.epsilon for graft in self.grafts)])

    @property
    def bound(self) -> float | None:
        """-3 p epsilon, which `gain` is not below."""
        return -3 * len(self.grafts) * self.epsilon if self.applies else None

    @property
    def sequences(self) -> int:
        """The size of the strategy: sequences that the grafts decide."""
        return sum(graft.sequences[self.partition.player] - 1 for graft in self.grafts)

    def summary(self) -> dict[str, Any]:
        """The figures, as plain JSON."""
        keys = ("name", "gain", "epsilon", "sequences", "entries", "iterations", "seconds", "stopped")
        return {
            "player": self.partition.player + 1, "gain": self.gain, "sum_of_gains": self.sum_of_gains, "gap": self.gap,
            "epsilon": self.epsilon, "bound": self.bound, "sequences": self.sequences, "unit": "chips",
            "grafts": [{key: getattr(graft, key) for key in keys} for graft in self.grafts],
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class GraftedProfile:
    """A grafted strategy for each player."""

    profile: Profile
    strategies: tuple[GraftedStrategy, GraftedStrategy]

    def solution(self) -> Solution:
        """The record that can be saved and fielded; value and exploitability are those in the full game."""
        measured = evaluate(self.profile)
        grafts = [graft for strategy in self.strategies for graft in strategy.grafts]
        return Solution(
            self.profile.game, "graft", {"players": [strategy.summary() for strategy in self.strategies]}, self.profile,
            measured.value, measured.exploitability, sum(graft.iterations for graft in grafts),
            sum(graft.seconds for graft in grafts), "glued",
        )  # fmt: skip


def graft(
    base: Profile,
    partition: GraftingPartition,
    *,
    inside: Lens | Sequence[Lens] = "FULL",
    opponent: Lens | None = None,
    method: str = "cfr+",
    executor: Executor | None = processes_if_worth,
    progress: bool | None = None,
    **limits: Any,
) -> GraftedStrategy:
    """Solve every graft of the partition's player on its own, and glue them over the base.

    The partition is of the full game; `base` is a profile of it or of an abstract game, whose lifted strategy is
    played outside the graft. `inside` is what the player tells apart and may bet in a graft (one for all, or one a
    graft), `opponent` what its opponent does everywhere: the base's abstraction if None. `method` and `limits` go to
    `solve`. `executor` runs the grafts: None is this process, `processes_if_worth` starts others when that is faster,
    and the `map` of any pool will do.
    """
    full, player = partition.game, partition.player
    lifted = _in_full(base, full)
    if taken := sorted({"checkpoint", "resume", "until"} & set(limits)):
        raise GraftingError(f"{taken[0]!r} is for a single game; grafts take iterations, exploitability or seconds")
    if opponent is None:
        opponent = base.game.origin.abstraction.players[1 - player] if base.game.origin else "FULL"
        opponent = "FULL" if base.game is full else opponent
    sights = [inside] * partition.grafts if isinstance(inside, Lens) else list(inside)
    if len(sights) != partition.grafts:
        raise GraftingError(f"{len(sights)} abstractions inside {partition.grafts} grafts; give one, or one a graft")
    mine, theirs = full.trees[player], full.trees[1 - player]
    everywhere = np.ones(theirs.infosets, dtype=bool)
    answer = confine(theirs, seen_by(full, 1 - player, opponent), everywhere, lifted[1 - player])
    half = restrict(full, *_seated(player, None, answer))
    maps = [
        confine(mine, seen_by(full, player, sights[j - 1]), partition.labels == j, lifted[player])
        for j in range(1, partition.grafts + 1)
    ]
    tasks = [
        _Task(j, restrict(half, *_seated(player, one, None), name=f"{full.name}, graft {name}"), player, method, limits)
        for j, (one, name) in enumerate(zip(maps, partition.names, strict=True))
    ]
    solved: list[tuple[_Task, _Solved]] = []
    with Bar(f"grafts of player {player + 1}", progress) as bar, at_work(executor, _solve, tasks) as results:
        for result in results:
            solved.append((tasks[result.number], result))
            bar.show(len(solved) / len(tasks), f"{len(solved)} of {len(tasks)}  epsilon {result.epsilon:.1e} chips")
            if result.stopped == "interrupted":
                break  # what is not solved stays with the base
    solved.sort(key=lambda pair: pair[0].number)
    return _glued(lifted, partition, solved, maps, answer)


def graft_both(
    base: Profile, kind: Callable[[Game, int], GraftingPartition], full: Game | None = None, **options: Any
) -> GraftedProfile:
    """Graft each player separately, by partitions such as `preflop_grafts`; `options` are those of `graft`."""
    if full is None:
        full = compile(base.game.origin.rules) if base.game.origin else base.game
    first, second = (graft(base, kind(full, player), **options) for player in (0, 1))
    return GraftedProfile(Profile(full, (first.behaviour, second.behaviour)), (first, second))


class _Task(NamedTuple):
    """A graft's game, as it is sent to the process that solves it."""

    number: int
    game: BilinearGame
    player: int
    method: str
    limits: dict[str, Any]

    def seconds(self) -> float:
        """A guess at the work: an iteration touches every payoff entry and sequence, at some 20 ns each."""
        size = self.game.A.entries + self.game.X.sequences + self.game.Y.sequences
        return 2e-8 * size * (self.limits.get("iterations") or 5_000)


class _Solved(NamedTuple):
    number: int
    behaviour: np.ndarray
    epsilon: float
    iterations: int
    seconds: float
    stopped: str


def _solve(task: _Task) -> _Solved:
    """Only the player's half of the solution is kept; epsilon is the more that either player could earn."""
    solution = solve(task.game, task.method, progress=False, **task.limits)
    check = evaluate(solution.strategy)
    epsilon = max(check.responses[0] - check.value, check.responses[1] + check.value)
    strategy = solution.strategy[task.player]
    return _Solved(task.number, strategy, epsilon, solution.iterations, solution.seconds, solution.stopped)


def _glued(
    base: Profile, partition: GraftingPartition, solved: list[tuple[_Task, _Solved]], maps: list[Map], answer: Map
) -> GraftedStrategy:
    """Glue by behaviour, and measure what Theorem 1 speaks of."""
    full, player, labels = base.game, partition.player, partition.of_sequences()
    plans = base.plans()
    worth = full.gradient(player, plans)
    glued, grafts = base[player].copy(), []
    for task, result in solved:
        behaviour = maps[task.number].lift(result.behaviour)
        glued = np.where(labels == task.number + 1, behaviour, glued)
        gain = float((worth * (partition.tree.realize(behaviour) - plans[player])).sum())
        sizes = task.game.X.sequences, task.game.Y.sequences
        grafts.append(Graft(partition.names[task.number], behaviour, gain, result.epsilon, sizes,
                            task.game.A.entries, result.iterations, result.seconds, result.stopped))  # fmt: skip
    gain = float((worth * (partition.tree.realize(glued) - plans[player])).sum())
    theirs = full.gradient(1 - player, plans)
    best, _ = answer.small.best_response(answer.pull(theirs))
    gap = best - float((theirs * plans[1 - player]).sum())
    # sigma_2 is one of the opponent's strategies if the map reaches it; averaging over what is merged inverts the map.
    merged = answer.matrix.T @ np.ones(answer.big.sequences)
    nearest = answer.matrix @ ((answer.matrix.T @ plans[1 - player]) / merged)
    applies = bool(np.allclose(nearest, plans[1 - player], rtol=0.0, atol=1e-9))
    return GraftedStrategy(partition, base[player], glued, tuple(grafts), gain, gap, applies)


def _in_full(base: Profile, full: Game) -> Profile:
    """The base's behaviour at every infoset of the game that the partition is of."""
    if base.game is full:
        return base
    lifted = lift(base, full) if base.game.origin is not None else base
    if not same_game(lifted.game, full):
        raise GraftingError(f"the partition is of {full.name}, the base of {base.game.name}")
    return Profile(full, lifted.behaviours)


def _seated(player: int, mine: Map | None, theirs: Map | None) -> tuple[Map | None, Map | None]:
    return (mine, theirs) if player == 0 else (theirs, mine)
