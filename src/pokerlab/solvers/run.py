"""`solve`: run a method on a game until a limit is met, with progress, checkpoints and Ctrl-C.

Exploitability is checked at iterations that depend on nothing but their number, so that a run that was
interrupted and resumed ends exactly as one that was not.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pokerlab.errors import SolverError, StrategyFileError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate, evaluate_plans
from pokerlab.form.game import Game
from pokerlab.form.strategy import profile_of_plans
from pokerlab.game.rules import Rules
from pokerlab.progress import Bar
from pokerlab.solvers.fictitious import FictitiousPlay
from pokerlab.solvers.lp import equilibrium
from pokerlab.solvers.many import ManyRegretSolver
from pokerlab.solvers.oracles import DoubleOracle, RangeOfSkill
from pokerlab.solvers.regret import SCHEMES, RegretSolver, scheme_of
from pokerlab.solvers.sampling.solver import SAMPLERS, SamplingSolver
from pokerlab.solvers.smoothing import ExcessiveGap, MirrorDescent
from pokerlab.solvers.solution import Point, Solution, load, same_game
from pokerlab.solvers.stepper import Stepper

STEPPERS: dict[str, Callable[..., Stepper]] = {
    "fp": FictitiousPlay,
    "egt": ExcessiveGap,
    "omd": MirrorDescent,
    "double-oracle": DoubleOracle,
    "range-of-skill": RangeOfSkill,
}
METHODS = ("lp", *SCHEMES, *STEPPERS)  # of any game; those of SAMPLERS are for games that were compiled from rules
DEFAULT_EXPLOITABILITY = 1e-4
CHECKPOINT_SECONDS = 30.0
_CHUNK_SECONDS = 0.2  # a compiled call is never much longer, so that Ctrl-C and limits are answered soon


def solve(
    game: Game | Rules | str,
    method: str = "cfr+",
    *,
    iterations: int | None = None,
    exploitability: float | None = None,
    seconds: float | None = None,
    until: Callable[[Point], bool] | None = None,
    checkpoint: str | Path | None = None,
    resume: Solution | str | Path | None = None,
    progress: bool | None = None,
    **parameters: Any,
) -> Solution:
    """Find an equilibrium of a two-player zero-sum game.

    `method` is `lp` (exact); a regret method: `cfr`, `cfr+`, `linear`, `dcfr`, `pcfr+`; `fp` (fictitious play), `egt`
    (excessive gap), `omd` (optimistic mirror descent), `double-oracle` or `range-of-skill`; or, for games compiled from
    rules, Monte Carlo CFR: `external-sampling`, `outcome-sampling`, `public-chance-sampling`. All but `lp` stop at the
    first limit met: `iterations` in all, `exploitability` (mean of the seats, chips), `seconds`, or when
    `until(point)` is true; without any limit, at an exploitability of 1e-4. `parameters` change the method: for regret
    alpha, beta, gamma or averaging (uniform, linear, quadratic), alternating, predictive, single; for `omd` step_size
    and optimistic; for `range-of-skill` response (generalized best response 1, 2 or 3); for sampling weighting (a
    regret method), seed, threads and the other fields of `sampling.sampler.Plan`.
    `checkpoint` is a file kept up to date, `resume` a solution or file to go on from. Ctrl-C ends the run
    and returns what there is. `progress` None shows a bar for longer runs at a terminal.
    """
    game = game if isinstance(game, Game) else compile(game)
    if method not in METHODS and method not in SAMPLERS:
        raise SolverError(f"no method {method!r}; there are {', '.join((*METHODS, *SAMPLERS))}")
    for name, limit in (("iterations", iterations), ("exploitability", exploitability), ("seconds", seconds)):
        if limit is not None and not limit >= (1 if name == "iterations" else 0):
            raise SolverError(f"{name} must be {'at least 1' if name == 'iterations' else 'at least 0'}, not {limit}")
    if method == "lp":
        if parameters or resume is not None or any(limit is not None for limit in (iterations, seconds, until)):
            raise SolverError("lp is exact and takes no limits, parameters or resume")
        found = _solve_lp(game)
        if checkpoint is not None:
            found.save(checkpoint)
        return found
    run = _Run(game, method, stepper_of(game, method, **parameters), checkpoint)
    if resume is not None:
        run.resume(resume)
    run.warm_up()
    if iterations is None and seconds is None and until is None and exploitability is None:
        exploitability = DEFAULT_EXPLOITABILITY
    return run.go(iterations, exploitability, seconds, until, progress)


def stepper_of(game: Game, method: str, **parameters: Any) -> Stepper:
    """The stepper of a method other than `lp`, at its start."""
    if method in SAMPLERS:
        return SamplingSolver(game, method, **parameters)
    if method in SCHEMES:
        scheme = scheme_of(method, **parameters)
        return RegretSolver(game, scheme) if len(game.trees) == 2 else ManyRegretSolver(game, scheme)
    if len(game.trees) > 2:
        raise SolverError(f"{method} is for two players; {game.name} has {len(game.trees)}: use a regret method")
    try:
        return STEPPERS[method](game, **parameters)
    except TypeError as error:
        raise SolverError(f"{method}: {str(error).split('() ')[-1]}") from None


def _solve_lp(game: Game) -> Solution:
    began = time.perf_counter()
    found = equilibrium(game)
    seconds = time.perf_counter() - began
    strategy = profile_of_plans(game, (found.x, found.y))
    exploitability = evaluate(strategy).exploitability
    return Solution(game, "lp", {}, strategy, found.value, exploitability, found.iterations, seconds, "optimal")


def _next_check(iteration: int, every: int) -> int:
    """The first scheduled iteration after this one: every so many, later every 5 %."""
    scheduled = 0
    while scheduled <= iteration:
        scheduled += max(every, scheduled // 20 if every > 1 else 1)
    return scheduled


class _Run:
    """A solver on its way: clock, trace and checkpoint."""

    def __init__(self, game: Game, method: str, solver: Stepper, checkpoint: str | Path | None) -> None:
        self.game, self.method, self.solver, self.checkpoint = game, method, solver, checkpoint
        self.seconds = 0.0
        self.trace: list[Point] = []

    def resume(self, source: Solution | str | Path) -> None:
        saved = source if isinstance(source, Solution) else load(source, self.game)
        if not same_game(saved.game, self.game):
            raise StrategyFileError(f"cannot resume: the solution is of {saved.game.name}, not of {self.game.name}")
        asked = self.solver.parameters()
        if saved.method != self.method or dict(saved.parameters) != asked:
            raise SolverError(f"cannot resume: the file was made by {saved.method} {dict(saved.parameters)}, "
                              f"not {self.method} {asked}")  # fmt: skip
        self.solver.restore(dict(saved.state))
        self.seconds, self.trace = saved.seconds, list(saved.trace)

    def warm_up(self) -> None:
        """Compile or load the kernels before the clock starts; say so when it takes a while."""
        message = "compiling kernels (once, some seconds) ..."
        notice = threading.Timer(1.0, print, [message], {"file": sys.stderr})
        notice.daemon = True
        notice.start()
        try:
            self.solver.step(0)
            evaluate_plans(self.game, self.solver.plans())
        finally:
            notice.cancel()

    def go(
        self,
        iterations: int | None,
        exploitability: float | None,
        seconds: float | None,
        until: Callable[[Point], bool] | None,
        progress: bool | None,
    ) -> Solution:
        solver, stopped = self.solver, ""
        most = math.inf if iterations is None else iterations
        saved_at = self.seconds
        with Bar(f"{self.method} on {self.game.name}", progress) as bar:
            try:
                while not stopped:
                    if solver.iteration >= most:
                        stopped = "iterations"
                        break
                    check = _next_check(solver.iteration, solver.every)
                    self._advance(int(min(check, most)), seconds)
                    out_of_time = seconds is not None and self.seconds >= seconds
                    if solver.iteration == check:
                        point = self._check()
                        figure = f"iteration {point.iteration:,}  exploitability {point.exploitability:.2e} chips"
                        bar.show(self._fraction(point, iterations, exploitability, seconds), figure)
                        if exploitability is not None and point.exploitability <= exploitability:
                            stopped = "exploitability"
                        elif until is not None and until(point):
                            stopped = "until"
                    if not stopped and solver.finished:
                        stopped = "optimal"
                    if not stopped and out_of_time:
                        stopped = "seconds"
                    if self.checkpoint is not None and self.seconds - saved_at >= CHECKPOINT_SECONDS:
                        self._solution("running").save(self.checkpoint)
                        saved_at = self.seconds
            except KeyboardInterrupt:
                stopped = "interrupted"
        found = self._solution(stopped)
        if self.checkpoint is not None:
            found.save(self.checkpoint)
        return found

    def _fraction(
        self, point: Point, iterations: int | None, exploitability: float | None, seconds: float | None
    ) -> float:
        """How far the nearest limit is; exploitability falls roughly as a power, so by its logarithm."""
        done = [point.iteration / iterations if iterations else 0.0, point.seconds / seconds if seconds else 0.0]
        start = self.trace[0].exploitability
        if exploitability and start > exploitability and point.exploitability > 0:
            done.append(math.log(start / point.exploitability) / math.log(start / exploitability))
        return max(done)

    def _advance(self, target: int, limit: float | None) -> None:
        """Iterate to `target`, in calls short enough to answer Ctrl-C and a time limit."""
        chunk = 1 if self.solver.iteration == 0 else 10
        solver = self.solver
        while solver.iteration < target and not solver.finished and (limit is None or self.seconds < limit):
            count = min(chunk, target - solver.iteration)
            began = time.perf_counter()
            solver.step(count)
            took = time.perf_counter() - began
            self.seconds += took
            chunk = max(1, min(2 * chunk, int(_CHUNK_SECONDS * count / max(took, 1e-9))))

    def _check(self) -> Point:
        began = time.perf_counter()
        found = evaluate_plans(self.game, self.solver.plans())
        self.seconds += time.perf_counter() - began
        self.trace.append(Point(self.solver.iteration, self.seconds, found.exploitability))
        return self.trace[-1]

    def _solution(self, stopped: str) -> Solution:
        strategy = self.solver.profile()
        found = evaluate(strategy)
        return Solution(
            self.game, self.method, self.solver.parameters(), strategy, found.value, found.exploitability,
            self.solver.iteration, self.seconds, stopped, tuple(self.trace), self.solver.state(),
        )  # fmt: skip
