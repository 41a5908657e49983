"""`solve`: a method by name, run on a game until a limit is met, with progress, checkpoints and Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.device import is_wanted
from pokerlab.errors import SolverError, StrategyFileError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate, evaluate_plans
from pokerlab.form.game import BilinearGame, Game
from pokerlab.form.strategy import profile_of_plans
from pokerlab.game.rules import Rules
from pokerlab.progress import announced
from pokerlab.registry import Registry, is_place, options_of, others_code
from pokerlab.solvers.lp import equilibrium
from pokerlab.solvers.on_device import DeviceRegretSolver, on_device, why_not
from pokerlab.solvers.regret import SCHEMES, RegretSolver, scheme_of
from pokerlab.solvers.runner import Gauge, Limits, Point, Record, every_so_many, run
from pokerlab.solvers.sampling.solver import SAMPLERS, SamplingSolver
from pokerlab.solvers.solution import Solution, load, same_game
from pokerlab.solvers.stepper import GameStepper
from pokerlab.writing import check_output, written_through

DEFAULT_EXPLOITABILITY = 1e-4
_OTHERS = {
    "fp": "pokerlab.solvers.fictitious:FictitiousPlay",
    "egt": "pokerlab.solvers.smoothing:ExcessiveGap",
    "omd": "pokerlab.solvers.smoothing:MirrorDescent",
    "double-oracle": "pokerlab.solvers.oracles:DoubleOracle",
    "range-of-skill": "pokerlab.solvers.oracles:RangeOfSkill",
}
_FOR_TWO = [method for method in _OTHERS if method != "fp"]  # and free to play as they like
METHODS = ("lp", *SCHEMES, *_OTHERS)  # of any game; those of SAMPLERS are for games that were compiled from rules


def _by_regret(method: str, game: Game, **parameters: Any) -> GameStepper:
    scheme = scheme_of(method, **parameters)
    if isinstance(game, BilinearGame) and game.A.device is not None:
        return DeviceRegretSolver(game, scheme)
    return RegretSolver(game, scheme)


def _no_stepper(row: Any) -> str:
    """What is wrong with a user's method, if anything."""
    needed = ("step", "plans", "profile", "parameters", "state", "restore")
    if isinstance(row, type) and all(hasattr(row, name) for name in needed):
        return ""
    return f"is no class with {', '.join(needed)}: derive it from pokerlab.solvers.stepper.PlainStepper"


STEPPERS: Registry[Callable[..., GameStepper]] = Registry(  # called with a game and the parameters that were given
    "method",
    {method: partial(_by_regret, method) for method in SCHEMES}
    | _OTHERS
    | {method: partial(SamplingSolver, method=method) for method in SAMPLERS},
    error=SolverError,
    wrong=_no_stepper,
)


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
    device: str = "cpu",
    **parameters: Any,
) -> Solution:
    """Find an equilibrium of a two-player zero-sum game.

    `method` is `lp` (exact); a regret method: `cfr`, `cfr+`, `linear`, `dcfr`, `pcfr+`; `fp` (fictitious play), `egt`
    (excessive gap), `omd` (optimistic mirror descent), `double-oracle` or `range-of-skill`; or, for games compiled from
    rules, Monte Carlo CFR: `external-sampling`, `outcome-sampling`, `public-chance-sampling`; or your own class of
    steppers, `my_lab:InTurns?speed=2` (docs/contributing.md). All but `lp` stop at the
    first limit met: `iterations` in all, `exploitability` (mean of the seats, chips), `seconds`, or when
    `until(point)` is true; without any limit, at an exploitability of 1e-4. `parameters` change the method: for regret
    alpha, beta, gamma or averaging (uniform, linear, quadratic), alternating, predictive, single; for `omd` step_size
    and optimistic; for the oracles start (`raise` or `uniform`), for `range-of-skill` response (generalized best
    response 1, 2 or 3); for sampling weighting (a regret method), seed, threads and the other fields of
    `sampling.sampler.Plan`.
    `checkpoint` is a file kept up to date, `resume` a solution or file to go on from. Ctrl-C ends the run
    and returns what there is. On a `device` (`cuda`, or `auto`: a GPU where there is one, if the game is large) payoffs
    are multiplied there, and regret methods live there. `progress` None shows a bar for longer runs at a terminal, and
    lines elsewhere.
    """
    if checkpoint is not None:
        check_output(checkpoint, StrategyFileError)
    game = game if isinstance(game, Game) else compile(game)
    method, options = options_of(method, "method", SolverError)
    parameters = options | parameters
    limits = Limits(iterations, exploitability, seconds, until)
    limits.check(SolverError)
    if method == "lp":
        if parameters or resume is not None or any(limit is not None for limit in (iterations, seconds, until)):
            raise SolverError("lp is exact and takes no limits, parameters or resume")
        if device == "cuda":
            raise SolverError("lp is not for a device: take device cpu, or a method such as cfr+")
        solved = _solve_lp(game)
        if checkpoint is not None:
            solved.save(checkpoint)
        return solved
    if is_wanted(device, game.large and method not in SAMPLERS and why_not(game) is None):
        if method in SAMPLERS:
            raise SolverError(f"{method} samples, which is not for a device: take device cpu, or cfr+")
        game = on_device(game)
    stepper = stepper_of(game, method, **parameters)
    resumed = _resume(stepper, method, resume) if resume is not None else None

    gauge = Gauge(
        lambda: evaluate_plans(game, stepper.plans()).exploitability,
        text="exploitability {:.2e} chips".format,
        due=partial(every_so_many, every=stepper.every),
    )

    def keep(record: Record) -> Solution:
        solution = _solution(stepper, method, record)
        if checkpoint is not None:
            solution.save(checkpoint)
        return solution

    with others_code(f"method {method!r} failed", SolverError, type(stepper)):
        record = run(
            stepper, Limits(goal=DEFAULT_EXPLOITABILITY) if limits.none else limits, gauge,
            title=f"{method} on {game.name}", resumed=resumed,
            keep=keep if checkpoint is not None and not written_through(checkpoint) else None,
            progress=progress,
        )  # fmt: skip
        return keep(record)


def stepper_of(game: Game, method: str, **parameters: Any) -> GameStepper:
    """The stepper of a method other than `lp`, at its start."""
    if method not in STEPPERS and not is_place(method):
        raise SolverError(f"no method {method!r}; there are {', '.join(('lp', *STEPPERS))}")
    if method in _FOR_TWO and len(game.trees) > 2:
        raise SolverError(f"{method} is for two players; {game.name} has {len(game.trees)}: use fp or a regret method")
    if method in _FOR_TWO and any(tree.hold for tree in game.trees):
        raise SolverError(f"{method} is for free players; in {game.name} one is held: use lp, fp or a regret method")
    make = STEPPERS[method]
    try:
        with others_code(f"method {method!r}: it cannot be made", SolverError, make):
            return make(game, **parameters)
    except TypeError as error:
        raise SolverError(f"{method}: {str(error).split('() ')[-1]}") from None


def _resume(stepper: GameStepper, method: str, source: Solution | str | Path) -> Record:
    """Bring a stepper to where a solution left off."""
    game, asked = stepper.game, stepper.parameters()
    saved = source if isinstance(source, Solution) else load(source, game)
    if not same_game(saved.game, game):
        raise StrategyFileError(f"cannot resume: the solution is of {saved.game.name}, not of {game.name}")
    if saved.method != method or dict(saved.parameters) != asked:
        made = f"{saved.method} {dict(saved.parameters)}"
        raise SolverError(f"cannot resume: the file was made by {made}, not {method} {asked}")
    stepper.restore(saved.state)
    with np.errstate(all="ignore"):  # a forged state may divide by zero, which its figures tell
        stepper.profile()
        sound = all(np.isfinite(plan).all() for plan in stepper.plans())
    if not sound or stepper.iteration != saved.iterations:
        raise StrategyFileError(f"cannot resume: what is saved is no state after {saved.iterations:,} iterations")
    return saved.record


def _solution(stepper: GameStepper, method: str, record: Record) -> Solution:
    strategy = stepper.profile()
    judged = evaluate(strategy)
    return Solution(
        stepper.game, method, stepper.parameters(), strategy, judged.value, judged.exploitability, record.iterations,
        record.seconds, record.stopped, record.trace, stepper.state(),
    )  # fmt: skip


def _solve_lp(game: Game) -> Solution:
    began = time.perf_counter()
    with announced(f"solving the linear program of {game.name}"):
        optimum = equilibrium(game)
    seconds = time.perf_counter() - began
    strategy = profile_of_plans(game, (optimum.x, optimum.y))
    exploitability = evaluate(strategy).exploitability
    return Solution(game, "lp", {}, strategy, optimum.value, exploitability, optimum.iterations, seconds, "optimal")
