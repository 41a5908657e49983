"""Twenty-two opponents of limit hold'em for two, for chapter 5 of Rubin (2013), where imitators of others stood.

Blueprints of several abstractions and trainings; imitators of them; one of them with its play bent: looser, tighter,
more aggressive, more passive, careless; and who does not look at the cards. All are blueprints of one betting, so that
what they win from each other can be counted over all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pokerlab.agents.blueprint import Blueprint
from pokerlab.agents.blueprint_file import blueprint_path, load_blueprint
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.compiled import compile_cases
from pokerlab.cases.features import Features
from pokerlab.game.betting import CALL, FOLD
from pokerlab.papers.rubin2013_cases import learnt
from pokerlab.papers.rubin2013_company import (
    LOOSE,
    QUICK_ITERATIONS,
    RECIPE,
    TINY_ITERATIONS,
    company,
    loosened,
    remade,
    tiny_expert,
    watched,
)

FEW_BUCKETS = 6
# A part of folds that become calls (below 0: of calls and raises that become folds), and a factor of aggression.
STYLES = {
    "aggressive": (0.0, 0.6), "passive": (0.0, -0.6), "loose": (0.6, 0.0), "tight": (-0.25, 0.0),
    "loose aggressive": (0.5, 0.5), "loose passive": (0.5, -0.5), "tight aggressive": (-0.2, 0.5),
    "tight passive": (-0.2, -0.5),
}  # fmt: skip


@dataclass(frozen=True)
class Cast:
    """How large the experts and their imitators are."""

    game: str
    iterations: int  # of the coarse expert
    watched: int  # hands that an imitator has seen
    few: int  # and one that has seen few
    trained: bool  # take the expert of `pokerlab train` where there is one


WHOLE_CAST = Cast("holdem-limit", TINY_ITERATIONS, 100_000, 2_000, True)
QUICK_CAST = Cast("holdem-limit:raises=1", QUICK_ITERATIONS, 2_000, 200, False)


def expert_of(cast: Cast) -> Blueprint:
    """The one that is imitated and bent: `holdem-limit` or, where it has not been trained, a coarse one."""
    path = blueprint_path(RECIPE)
    return load_blueprint(path) if cast.trained and path.exists() else tiny_expert(cast.game, 2 * cast.iterations)


def imitator(expert: Blueprint, hands: int, seed: int, reuse: str = "probabilistic") -> Blueprint:
    """One that has watched an expert in company, as a table."""
    (base,) = learnt(watched(expert, company(expert), hands, seed), expert, Features())
    return compile_cases(CasesAgent(base, reuse=reuse))


def opponents_of(cast: Cast, expert: Blueprint) -> dict[str, Blueprint]:
    """All of them by name."""
    coarse = tiny_expert(cast.game, cast.iterations)
    simple: Mapping[str, Blueprint] = company(expert)
    return {
        "the expert": expert,
        "coarse": coarse,
        "coarser": tiny_expert(cast.game, cast.iterations // 2, FEW_BUCKETS),
        "coarse, early": tiny_expert(cast.game, cast.iterations // 40),
        "imitator": imitator(expert, cast.watched, 51),
        "imitator, max": imitator(expert, cast.watched, 52, "max-frequency"),
        "imitator, few": imitator(expert, cast.few, 53),
        "of coarse": imitator(coarse, cast.watched, 54),
        "of coarse, max": imitator(coarse, cast.watched, 55, "max-frequency"),
        **{name: restyled(expert, *style) for name, style in STYLES.items()},
        "careless": loosened(expert, LOOSE),
        "very careless": loosened(expert, 3 * LOOSE),
        **{name: simple[name] for name in ("call", "raise", "random")},
    }


def restyled(expert: Blueprint, loose: float, factor: float) -> Blueprint:
    """A looser or tighter, and a more aggressive or passive version: see `STYLES`."""

    def change(odds: np.ndarray, actions: tuple[int, ...]) -> np.ndarray:
        odds, call = odds.copy(), actions.index(CALL)
        if FOLD in actions:
            fold = actions.index(FOLD)
            if loose > 0:
                odds[:, call] += loose * odds[:, fold]
                odds[:, fold] *= 1 - loose
            else:
                odds *= 1 + loose
                odds[:, fold] += -loose
        if actions[-1] > CALL:
            moved = factor * odds[:, call if factor > 0 else -1]
            odds[:, call] -= moved
            odds[:, -1] += moved
        return odds

    return remade(expert, change)
