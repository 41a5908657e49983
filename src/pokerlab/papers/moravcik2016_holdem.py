"""Figure 5 of Moravcik et al. (2016): river subgames of no-limit hold'em, refined by all three techniques.

As in the paper the blueprint plays both seats until the river; there one player (here each seat in turn) is refined,
without card abstraction and with the blueprint's bets, and the subgame margin is measured as the solver goes on. The
blueprint is our own, `holdem-nolimit` of `pokerlab train`; where it has not been trained, a tiny one is. The paper's is
another, so the blueprint is varied: subgames of others, trained on the spot, show how far margins move with it. A big
blind is 100 chips, as in the paper.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab import plots
from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent, blueprint_of
from pokerlab.agents.blueprint_file import blueprint_path, load_blueprint
from pokerlab.agents.reading import read_hands, view_at
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.rest import Rest, Translated, parse_street
from pokerlab.agents.training import sampler_of
from pokerlab.cards.holes import COUNT
from pokerlab.game.hand import View
from pokerlab.match.gain import RIVER, river_of
from pokerlab.match.play import deals, play_hand
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.papers.verdicts import Cell, Printed, interval
from pokerlab.processes import cores
from pokerlab.progress import Bar
from pokerlab.refine.gadgets import TECHNIQUES
from pokerlab.refine.spot_refinement import SpotRefinement, weights_range
from pokerlab.refine.spots.spot import Spot
from pokerlab.solvers.sampling.train import train
from pokerlab.threads import spread

RECIPE, TINY = "holdem-nolimit", "a tiny blueprint"
TINY_SECONDS, QUICK_SECONDS, FEWER_SECONDS = 30, 5, 3
SUBGAMES, QUICK_SUBGAMES = 200, 12
OTHERS, QUICK_OTHERS = 50, 6  # subgames of each other blueprint
TOGETHER = 10  # subgames that are a piece
MARKS = (10, 30, 100, 300, 1_000, 3_000)
QUICK_MARKS = (10, 30, 100, 300)
SEED = 2016
PRINTED = {"max-margin": (101.49, 7.09, 2), "re-solving": (8.79, 2.45, 2), "endgame": (-518.5, 49.19, 1)}
PUBLISHED = {  # the margins are set against each other, and against none at all
    technique: Printed(margin, digits, half, (0.0, *(other for other, *_ in PRINTED.values())))
    for technique, (margin, half, digits) in PRINTED.items()
}
COLUMNS = ("margin", "95 %")


@dataclass(frozen=True, eq=False)
class RiverSubgame:
    """A river that the blueprint has come to; `had` are the opponent's values against it.

    Of the two spots one has everything that the opponent could hold, the other (for endgame solving) its range.
    """

    view: View
    rest: Rest
    every: Spot
    likely: Spot
    had: np.ndarray

    def margins(self, technique: str, marks: Sequence[int]) -> list[float]:
        """The margin after so many iterations."""
        refinement = SpotRefinement(self.likely if technique == "endgame" else self.every, self.rest.player)
        refinement.start(technique, self.had)
        trace = []
        for mark in marks:
            refinement.step(mark - refinement.iterations)
            trace.append(refinement.margin)
        return trace


def blueprint_agent(seconds: float, pieces: Pieces) -> BlueprintAgent:
    """The trained blueprint or, where there is none, a tiny one that is trained now for so long."""
    path = blueprint_path(RECIPE)
    if path.exists():
        return BlueprintAgent(load_blueprint(path), name=RECIPE)
    return tiny_agent(seconds, pieces)


def tiny_agent(seconds: float, pieces: Pieces) -> BlueprintAgent:
    """The bets of the recipe, but few buckets that need no building."""
    recipe, cards = RECIPES[RECIPE], MadeHands()
    sampler = sampler_of(recipe, cards, cores())
    name = f"{TINY}, {seconds:g} s"

    def trained() -> tuple[np.ndarray, int]:
        train(sampler, seconds=seconds)
        return blueprint_of(sampler, recipe.bets, recipe.memory, cards, {}).strategy, sampler.iteration

    strategy, iterations = pieces.of(name, trained)
    about = {"recipe": TINY, "seconds": seconds, "iterations": iterations}
    return BlueprintAgent(Blueprint(sampler.graph.rules, recipe.bets, recipe.memory, cards, strategy, about), name=name)


def river_views(agent: BlueprintAgent, count: int, seed: int = SEED) -> Iterator[View]:
    """Starts of rivers with betting to come, from hands that the blueprint plays against itself, each seat in turn."""
    rules, rng, views, block = agent.blueprint.rules, random.Random(seed), 0, 0
    while views < count:
        for cards in deals(rules, seed, 100, 100 * block):
            hand = play_hand(rules, [agent] * rules.players, cards, rng)
            view = river_of(hand)
            if view is not None and views < count:
                yield view_at(view, len(view.actions), views % 2)
                views += 1
        block += 1


def river_subgame(agent: BlueprintAgent, view: View) -> RiverSubgame:
    """The subgame at the start of a river, for the player whose view it is."""
    rest = Rest(view)
    sizes = {RIVER: parse_street(agent.blueprint.bets.split("/")[RIVER])}
    mine = weights_range(read_hands(agent, view, view.seat), view.board)
    theirs = read_hands(agent, view, 1 - view.seat)
    every, likely = (rest.spot(mine, weights_range(weights, view.board), sizes) for weights in (np.ones(COUNT), theirs))
    refinement = SpotRefinement(every, rest.player)
    return RiverSubgame(view, rest, every, likely, refinement.values_against(Translated(agent, rest, refinement.tree)))


@dataclass(frozen=True)
class Figure5:
    """Margins [subgames, marks] in chips of each technique."""

    blueprint: str
    marks: Sequence[int]
    subgames: Sequence[RiverSubgame]
    margins: dict[str, np.ndarray]

    def mean(self, technique: str) -> np.ndarray:
        return self.margins[technique].mean(axis=0)

    def interval(self, technique: str) -> np.ndarray:
        """Half of the 95 % interval of the mean."""
        return interval(self.margins[technique])

    def row(self, technique: str, mark: int, others: Sequence[Figure5]) -> Row:
        """Of the last mark beside the published figure; `others` are of other blueprints."""
        ours, half = float(self.mean(technique)[mark]), float(self.interval(technique)[mark])
        if mark + 1 < len(self.marks):
            label = f"{technique}, {self.marks[mark]:,} iterations"
            return Row.computed(label, dict(zip(COLUMNS, (ours, half), strict=True)))
        ends = {other.blueprint: other.last(technique) for other in others}
        ways = {self.blueprint: ours} | {name: mean for name, (mean, _, _) in ends.items()}
        chance = {name: float(np.hypot(half, theirs)) for name, (_, theirs, _) in ends.items()}
        paper, sampled = PUBLISHED[technique], {f"{len(self.subgames)} subgames": half}
        settled = {"convergence": self.unsettled(technique)}
        margin = Cell(ours, paper, ways, "blueprint", chance, settled, sampled)
        return Row(technique, dict(zip(COLUMNS, (margin, Cell(half)), strict=True)), f"the paper's ± {paper.interval}")

    def last(self, technique: str) -> tuple[float, float, int]:
        """The mean margin after all iterations, half of its 95 % interval, and of how many subgames."""
        return float(self.mean(technique)[-1]), float(self.interval(technique)[-1]), len(self.margins[technique])

    def unsettled(self, technique: str) -> float:
        """How far the mean margin has moved since the mark before the last."""
        return float(abs(self.mean(technique)[-1] - self.mean(technique)[-2])) if len(self.marks) > 1 else 0.0

    def precision(self, technique: str) -> np.ndarray:
        """How far the margin of each subgame has moved since then."""
        return abs(self.margins[technique][:, -1] - self.margins[technique][:, -2])

    def notes(self) -> Iterator[dict[str, Any]]:
        for number, subgame in enumerate(self.subgames):
            yield {
                "blueprint": self.blueprint, "betting": subgame.view.betting_text(), "player": subgame.rest.player + 1,
                "board": subgame.view.rules.deck.text(subgame.view.board), "pot": subgame.every.pot, "unit": "chips",
                "decisions": subgame.every.tree().decisions, "iterations": list(self.marks),
                "margin": {technique: self.margins[technique][number].tolist() for technique in TECHNIQUES},
            }  # fmt: skip

    def sentences(self) -> Iterator[str]:
        last = {technique: self.margins[technique][:, -1] for technique in TECHNIQUES}
        if self.blueprint.startswith(TINY):
            yield (
                f"There is no trained blueprint yet, so Figure 5 is of {self.blueprint} of sampling (20 made hands on "
                f"a street): `pokerlab train {RECIPE}` makes the one of docs/moravcik2016-max-margin.md."
            )
        largest = last["max-margin"] >= np.max(list(last.values()), axis=0) - self.precision("max-margin")
        below = {technique: _share(last[technique] < -self.precision(technique)) for technique in TECHNIQUES}
        yield (
            f"Figure 5: {len(self.subgames)} river subgames of {self.blueprint}; at {self.marks[-1]:,} iterations "
            f"max-margin's margin is the largest in {_share(largest)}, and margins are negative in "
            f"{below['max-margin']} (max-margin), {below['re-solving']} (re-solving) and {below['endgame']} (endgame "
            f"solving), each by more than the margin has moved since {self.marks[-2]:,} iterations."
        )


def _share(which: np.ndarray) -> str:
    return f"{which.mean():.1%}"


def measure(
    agent: BlueprintAgent, count: int, marks: Sequence[int], pieces: Pieces, *, progress: bool | None = None
) -> Figure5:
    """Sample subgames and refine each by every technique, on one thread a core; `TOGETHER` of them are a piece."""
    subgames = [river_subgame(agent, view) for view in river_views(agent, count)]

    def margins(first: int) -> np.ndarray:
        tasks = [(subgame, technique) for technique in TECHNIQUES for subgame in subgames[first : first + TOGETHER]]

        def show(done: int) -> None:
            told = first + done // len(TECHNIQUES)
            bar.show(told / count, f"{told} subgames")

        found = spread(lambda task: task[0].margins(task[1], marks), tasks, show=show)
        return np.array(found).reshape(len(TECHNIQUES), -1, len(marks))

    with Bar("river subgames", progress) as bar:
        parts = [pieces.of(f"{agent.name}, subgames from {first} on", margins, first)
                 for first in range(0, count, TOGETHER)]  # fmt: skip
    return Figure5(agent.name, marks, subgames, dict(zip(TECHNIQUES, np.concatenate(parts, axis=1), strict=True)))


def reproduce(quick: bool, pieces: Pieces) -> Report:
    """The paper's Figure 5; `quick` takes fewer subgames and iterations."""
    marks, few = QUICK_MARKS if quick else MARKS, QUICK_OTHERS if quick else OTHERS
    agent = blueprint_agent(QUICK_SECONDS if quick else TINY_SECONDS, pieces)
    figure = measure(agent, QUICK_SUBGAMES if quick else SUBGAMES, marks, pieces)
    tiny = (FEWER_SECONDS,) if quick or figure.blueprint != RECIPE else (TINY_SECONDS, FEWER_SECONDS)
    others = [measure(tiny_agent(seconds, pieces), few, marks[-2:], pieces) for seconds in tiny]
    order = tuple(reversed(TECHNIQUES))
    rows = [figure.row(technique, mark, others) for technique in order for mark in range(len(figure.marks))]
    name, by = "moravcik2016-max-margin", ("margin", "95 %", "subgames")
    varied = [
        Row.computed(f"{technique}, {each.blueprint}", dict(zip(by, each.last(technique), strict=True)))
        for technique in order for each in (figure, *others)
    ]  # fmt: skip
    tables = [
        Table("Figure 5: margins of river subgames of no-limit hold'em", "chips", COLUMNS, rows),
        Table("Margins of river subgames by blueprint", "chips", by, varied),
    ]
    figures = {f"{name}-figure5.svg": partial(draw, figure=figure)}
    return Report(name, tables, {"river_subgames": list(figure.notes())}, list(figure.sentences()), figures)


def draw(path: Path, figure: Figure5) -> None:
    """Mean margins over iterations with 95 % intervals, as in the paper."""

    def paint(grid: np.ndarray) -> None:
        axes = grid[0, 0]
        for technique in reversed(TECHNIQUES):
            mean, half = figure.mean(technique), figure.interval(technique)
            axes.errorbar(figure.marks, mean, half, marker=".", capsize=2, label=technique)
        axes.axhline(0.0, color="grey", linewidth=0.8)
        axes.set(xscale="log", xlabel="iterations", ylabel="mean margin, chips (big blind 100)")
        axes.legend()

    title = f"Figure 5: margins of {len(figure.subgames)} river subgames of {figure.blueprint}"
    plots.draw(path, title, paint, (6, 4))
