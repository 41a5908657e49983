"""An opponent that changes its style in the middle of a match: how many hands each way of adapting needs to notice.

Not in Rubin (2013), whose opponents never change. Each hand is worth what its arm wins from the opponent on average. A
run has *noticed* once its last hundred hands are worth at least half way from what it played before the change to the
best arm, both against the new style. Beside dynamic selection stands `adapting`, whose arms are the solid player's 21
factors of aggression, and which has known both styles before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pokerlab import plots
from pokerlab.agents.agent import Agent
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent
from pokerlab.game.betting import CALL, FOLD
from pokerlab.match.blueprints import drawn_hands
from pokerlab.opponents.adapting import Adapting
from pokerlab.opponents.exact_trends import exact_trend
from pokerlab.opponents.trends import FACTORS, Trends
from pokerlab.papers.pieces import Part
from pokerlab.papers.report import Row, Table
from pokerlab.papers.rubin2013_bandits import NAMES, Method, Pick, Worth, runs
from pokerlab.papers.rubin2013_players import MANIAC, ROCK, STATION, Players, rows_of
from pokerlab.records.types import action_counts

CHANGES = ((STATION, MANIAC), (MANIAC, ROCK))
MEMORY = 1000  # hands, of the methods that forget
METHODS = (
    Method("ucb1", "showdown-divat"), Method("ucb1", "luck"), Method("ucb1", "money"),
    Method("thompson", "showdown-divat"), Method("thompson", "luck"), Method("thompson", "money"),
    Method("ucb1", "showdown-divat", memory=MEMORY), Method("thompson", "showdown-divat", memory=MEMORY),
)  # fmt: skip
ADAPTING = "adapting, 21 factors"
ROUNDING = 1e-9  # of means, in small bets
LAST = 100  # hands by which it is told whether a change was noticed
SEED = 300


@dataclass(frozen=True)
class Change:
    """What hands were worth to each method [runs, hands], and how many hands after the change each run noticed."""

    before: str
    after: str
    at: int
    worth: dict[str, np.ndarray]
    noticed: dict[str, np.ndarray]  # infinite: not to the end


class Aggression(NamedTuple):
    """`adapting` over tables for each of its factors."""

    solid: Blueprint
    trends: Trends

    def begin(self, arms: int, seed: int) -> tuple[Agent, Pick]:
        agent = Adapting(BlueprintAgent(self.solid), self.trends, seed=seed)
        return agent, agent.factor


def changes(
    known: Players,
    worths: Mapping[str, Worth],
    at: int,
    hands: int,
    times: int,
    deals: int,
    part: Part,
) -> list[Change]:
    """All methods against opponents that change at hand `at`."""
    told, arms, small_bet = [], list(known.arms.values()), known.solid.rules.small_bet
    tables = [aggressified(known.solid, factor) for factor in FACTORS]
    for number, names in enumerate(CHANGES):
        change = "the {} becomes a {}".format(*names)
        styles, values = [known.opponents[name] for name in names], [worths[name].means for name in names]
        trends = [
            part.of(f"aggression against the {name}", exact_trend, known.solid, style, deals) / small_bet
            for name, style in zip(names, styles, strict=True)
        ]
        factors = [np.repeat(trend.mean(axis=0)[:, None], 2, axis=1) for trend in trends]
        model = trends_of(known.solid, names, styles, [trend.mean(axis=0) for trend in trends])
        picked = part.of(change, runs, METHODS, arms, styles, hands, times, SEED + number, at)
        adapting = [Aggression(known.solid, model)]
        (own,) = part.of(f"{change}, {ADAPTING}", runs, adapting, tables, styles, hands, times, SEED + 10 + number, at)
        played = {str(method): (each, values) for method, each in zip(METHODS, picked, strict=True)}
        played[ADAPTING] = own, factors
        worth = {name: _by_hand(each, value, at) for name, (each, value) in played.items()}
        noticed = {name: since(worth[name], each, value[1], at) for name, (each, value) in played.items()}
        told.append(Change(*names, at, worth, noticed))
    return told


def _by_hand(picked: np.ndarray, worths: Sequence[np.ndarray], at: int) -> np.ndarray:
    """[runs, hands] what each hand is worth on average, given its arm and its seat."""
    seats = np.arange(picked.shape[1]) % 2
    return np.hstack([worths[0][picked[:, :at], seats[:at]], worths[1][picked[:, at:], seats[at:]]])


def since(worth: np.ndarray, picked: np.ndarray, values: np.ndarray, at: int) -> np.ndarray:
    """[runs] the hands from the change to when it was noticed; infinite where it was not.

    Who played the best arm already has noticed by the first hundred hands. `values` [arms, seats] are against the new
    style.
    """
    told, by_arm = np.full(len(worth), np.inf), values.mean(axis=1)
    for run, row in enumerate(worth):
        old = by_arm[picked[run, at - LAST : at]].mean()
        last = np.convolve(row[at:], np.full(LAST, 1 / LAST), "valid")
        there = np.flatnonzero(last >= (old + by_arm.max()) / 2 - ROUNDING)
        if len(there):
            told[run] = LAST + there[0]
    return told


def aggressified(solid: Blueprint, factor: float) -> Blueprint:
    """The blueprint of `opponents.aggression`: a part of calls becomes raises, or of raises calls."""
    strategy = solid.strategy.copy()
    for actions, rows in rows_of(solid, strategy):
        raises = np.array([action not in (FOLD, CALL) for action in actions])
        if not raises.any() or not factor:
            continue
        odds, call = rows / rows.sum(axis=1, keepdims=True), actions.index(CALL)
        raised = odds[:, raises].sum(axis=1)
        moved = factor * (odds[:, call] if factor > 0 else raised)
        first = np.arange(raises.sum()) == 0
        parts = np.where(raised[:, None] > 0, odds[:, raises] / np.where(raised, raised, 1.0)[:, None], first)
        odds[:, raises] += moved[:, None] * parts
        odds[:, call] -= moved
        rows[:] = np.round(255 * odds)
    return replace(solid, strategy=strategy, about={}, path="")


def trends_of(
    solid: Blueprint,
    names: tuple[str, str],
    styles: Sequence[Blueprint],
    means: Sequence[np.ndarray],
    hands: int = 2000,
) -> Trends:
    """What `pokerlab trends` makes, over all betting: what each factor wins from both styles, and their types."""
    counts = []
    for number, style in enumerate(styles):
        drawn = drawn_hands(solid, style, hands, seed=SEED + number, names=NAMES)
        counts.append(sum(action_counts(solid.rules, hand.actions)[1 - turn % 2] for turn, hand in enumerate(drawn)))
    shape = len(styles), len(FACTORS)
    return Trends(
        solid.rules, "solid", names, hands, SEED, "expected", np.array(means), np.zeros(shape), np.array(counts)
    )


def change_table(told: Sequence[Change]) -> Table:
    """Hands to notice: the median of the runs, those that never did counted to the end; and how many did."""
    rows = []
    for name in told[0].noticed:
        figures: dict[str, float] = {}
        for each in told:
            change, left = f"{each.before} to {each.after}", each.worth[name].shape[1] - each.at
            figures[change] = float(np.median(np.minimum(each.noticed[name], left)))
            figures[f"runs, {each.after}"] = float(np.isfinite(each.noticed[name]).sum())
        rows.append(Row.computed(name, figures))
    return Table("An opponent that changes", "hands until it is noticed, median", list(rows[0].cells), rows, digits=0)


def draw_changes(path: Path, told: Sequence[Change]) -> None:
    """What hands are worth, before and after the change."""
    plots.draw(path, "An opponent changes its style", partial(_paint, told=told), (11, 4.5), columns=len(told))


def _paint(grid: np.ndarray, told: Sequence[Change]) -> None:
    for axes, each in zip(grid[0], told, strict=True):
        for name, worth in each.worth.items():
            hands = worth.shape[1] // LAST * LAST
            blocks = worth[:, :hands].reshape(len(worth), -1, LAST).mean(axis=(0, 2))
            style = "--" if "memory" in name else ":" if name == ADAPTING else "-"
            axes.plot(LAST * (np.arange(len(blocks)) + 0.5), blocks, style, label=name)
        axes.axvline(each.at, color="0.4", linewidth=0.8)
        axes.set_title(f"a {each.before} becomes a {each.after}")
        axes.set_xlabel("hands")
        axes.set_ylabel("worth of a hand, small bets")
    grid[0, -1].legend(loc="upper right")
