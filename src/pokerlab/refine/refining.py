"""Refine a blueprint in subgames and glue what is found: sigma_1[S <- sigma_1'] of Moravcik et al. (2016).

Each subgame is solved on its own, against the same blueprint, by a linear program or by any solver on its gadget. The
combined strategy is behaviour: the refined one inside, the blueprint outside, and the blueprint at root infosets that
the player's own trunk never comes to.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

import numpy as np

from pokerlab.errors import SubgameError
from pokerlab.form.evaluate import best_response
from pokerlab.form.strategy import Profile
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar
from pokerlab.refine.border import Border
from pokerlab.refine.gadgets import gadget, scene
from pokerlab.refine.programs import optimise
from pokerlab.refine.subgame import Subgame
from pokerlab.solvers.run import solve


@dataclass(frozen=True, eq=False)
class Refinement:
    """One subgame refined. `behaviour` is the player's in the whole game, changed at the sequences `changed` only.

    `value` is the gadget's to the player (for LP2, which maximises nothing, 0); `stopped` is a solver's reason.
    """

    border: Border
    technique: str
    gifts: str
    method: str
    behaviour: np.ndarray
    changed: np.ndarray
    value: float
    iterations: int
    seconds: float
    stopped: str

    @property
    def subgame(self) -> Subgame:
        return self.border.subgame

    @property
    def player(self) -> int:
        return self.border.player

    @cached_property
    def margin(self) -> float:
        """Definition 2, exactly, in chips."""
        return self.border.margin(self.behaviour)

    @cached_property
    def reach_margin(self) -> float:
        """The margin with gifts counted in: what reach-max-margin maximises."""
        margins = self.border.margins(self.behaviour) + self.border.gifts(self.gifts)
        return float(margins[self.border.weight > 0].min())

    @cached_property
    def profile(self) -> Profile:
        """The blueprint with the combined strategy in the player's seat."""
        return combine(self.border.blueprint, [self])

    @cached_property
    def gain(self) -> float:
        """u_1(sigma_1', CBR) - u_1(sigma_1, CBR): by how much exploitability falls, in chips."""
        opponent = self.border.opponent
        return best_response(self.border.blueprint, opponent)[0] - best_response(self.profile, opponent)[0]

    @cached_property
    def bound(self) -> float:
        """Theorem 1's lower bound of `gain`.

        If the margin is negative the theorem is silent. Its proof then still gives the margin times the probability
        that a best response comes here.
        """
        border = self.border
        if not border.reached:
            return 0.0
        _, response = best_response(self.profile, border.opponent)
        plan = border.blueprint.game.trees[border.opponent].realize(response)
        comes = plan[self.subgame.above(border.opponent)]
        if self.margin < 0:
            return self.margin * float((border.weight * comes).sum())
        return self.margin * float(border.weight[comes > 0].max(initial=0.0))

    def summary(self) -> dict[str, Any]:
        """The figures, as plain JSON."""
        return {
            "betting": self.subgame.betting, "board": ",".join(self.subgame.boards), "player": self.player + 1,
            "technique": self.technique, "gifts": self.gifts, "method": self.method, "margin": self.margin,
            "gain": self.gain, "bound": self.bound, "reached": self.border.reached, "iterations": self.iterations,
            "seconds": self.seconds, "stopped": self.stopped, "unit": "chips",
        }  # fmt: skip


def refine(
    blueprint: Profile,
    subgame: Subgame,
    player: int,
    technique: str = "max-margin",
    *,
    method: str = "lp",
    gifts: str = "none",
    **limits: Any,
) -> Refinement:
    """Refine a player's strategy in one subgame.

    `technique` is `endgame` (unsafe), `re-solving` or `max-margin`. `method` is `lp`, which solves LP1, LP2 or LP3, or
    any other of `solve`, which is run on the gadget with `limits` such as iterations. `gifts` `split` or `whole` give
    the opponent credit for what it gave away on the way here (reach subgame solving; see `Border.gifts`).
    """
    return refine_at(Border(blueprint, subgame, player), technique, method=method, gifts=gifts, **limits)


def refine_at(
    border: Border, technique: str = "max-margin", *, method: str = "lp", gifts: str = "none", **limits: Any
) -> Refinement:
    """The same from a border, which keeps reach and CBV when a subgame is refined in several ways."""
    if taken := sorted({"checkpoint", "resume"} & set(limits)):
        raise SubgameError(f"{taken[0]!r} is for whole games; a refinement takes iterations, exploitability or seconds")
    if method == "lp":
        if limits:
            raise SubgameError(f"lp is exact and takes no {sorted(limits)[0]!r}")
        began = time.perf_counter()
        set_up = scene(border, technique, gifts)
        program = optimise(set_up)
        solved, value, iterations = program.behaviour, program.optimum, program.iterations
        seconds, stopped = time.perf_counter() - began, "optimal"
    else:
        made = gadget(border, technique, gifts)
        set_up = made.scene
        solution = solve(made.game, method, **({"progress": False} | limits))
        solved, iterations = solution.strategy[border.player], solution.iterations
        value = solution.value if border.player == 0 else -solution.value
        seconds, stopped = solution.seconds, solution.stopped
    side = set_up.sides[0]
    changed = side.into[1 + side.roots :]
    behaviour = set_up.combined(solved)
    return Refinement(border, technique, gifts, method, behaviour, changed, value, iterations, seconds, stopped)


def refine_all(
    blueprint: Profile, subgames: Sequence[Subgame], players: Iterable[int] = (0, 1), technique: str = "max-margin", *,
    executor: Executor | None = None, progress: bool | None = None, **options: Any,
) -> tuple[Profile, list[Refinement]]:  # fmt: skip
    """Refine disjoint subgames, each on its own; the combined profile, and each refinement. Options are of `refine`.

    `executor` runs the refinements, by default in this process. Ctrl-C ends the work; what is not refined stays with
    the blueprint.
    """
    refined: dict[tuple[int, int], Refinement] = {}
    tasks = [(player, number) for player in players for number in range(len(subgames))]
    work = partial(_refined, blueprint, subgames, technique, options)
    with Bar("subgames", progress) as bar, at_work(executor, work, tasks) as results:
        try:
            for task, parts, margin in results:
                if parts["stopped"] == "interrupted":
                    break  # a few iterations are no refinement yet
                player, number = task
                refined[task] = Refinement(Border(blueprint, subgames[number], player), **parts)
                bar.show(len(refined) / len(tasks), f"{subgames[number].name}  margin {margin:.2e} chips")
        except KeyboardInterrupt:
            pass
    in_order = [refined[task] for task in tasks if task in refined]
    return combine(blueprint, in_order), in_order


def _refined(
    blueprint: Profile, subgames: Sequence[Subgame], technique: str, options: dict[str, Any], task: tuple[int, int]
) -> tuple[tuple[int, int], dict[str, Any], float]:
    """A refinement without its border, which would bring the whole game along."""
    player, number = task
    one = refine(blueprint, subgames[number], player, technique, **options)
    parts = {field.name: getattr(one, field.name) for field in fields(one) if field.name != "border"}
    return task, parts, one.margin


def combine(blueprint: Profile, refinements: Iterable[Refinement]) -> Profile:
    """Glue refined subgames over the blueprint; they must not overlap."""
    behaviours = [behaviour.copy() for behaviour in blueprint.behaviours]
    taken = [np.zeros(len(behaviour), dtype=bool) for behaviour in behaviours]
    for one in refinements:
        if np.any(taken[one.player][one.changed]):
            raise SubgameError(f"subgame {one.subgame.name} of player {one.player + 1} is refined twice")
        taken[one.player][one.changed] = True
        behaviours[one.player][one.changed] = one.behaviour[one.changed]
    return Profile(blueprint.game, tuple(behaviours))
