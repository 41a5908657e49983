"""Who is imitated and in what company, for Rubin (2013): an expert of limit hold'em, its opponents, and their hands.

The expert is `holdem-limit` of `pokerlab train`; where it has not been trained, and in a quick run, a tiny one is that
is trained now. The thesis watched agents of the competition among each other. Here the company is mixed: the expert
itself, the same with a fifth of its play uniform, and who always calls, always raises or does anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.blueprint import Blueprint, blueprint_of, graph_of
from pokerlab.agents.blueprint_file import blueprint_path, load_blueprint
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.training import sampler_of
from pokerlab.cases.compiled import places
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import Hand
from pokerlab.match.blueprints import drawn_hands
from pokerlab.records.logs import LogWriter
from pokerlab.records.record import LoggedHand
from pokerlab.solvers.sampling.train import train

RECIPE, EXPERT = "holdem-limit", "expert"
TINY_BUCKETS, TINY_ITERATIONS, QUICK_ITERATIONS = 20, 400_000, 20_000
LOOSE = 0.2  # the part of the loose one's play that is uniform
SIMPLE = {"call": (0.0, 1.0, 0.0), "raise": (0.0, 0.0, 1.0), "random": (1.0, 1.0, 1.0)}  # weights of fold, call, raise
ITSELF, LOOSE_NAME = "itself", "loose"


@dataclass(frozen=True)
class Plan:
    """How much is played, learnt and measured."""

    game: str
    sizes: tuple[int, ...]  # training hands of the curves
    held_out: int  # hands on which distances are measured
    deals: int  # of a match in which all betting counts
    aivat: int  # of a match by AIVAT
    hands: int  # that Tables 3.2 and 3.3 are learnt from
    figure_hands: int
    parts: tuple[float, ...]  # of the case base, in Figure 3.2
    leduc: tuple[int, ...]  # training hands


WHOLE = Plan(
    "holdem-limit", (1_000, 10_000, 100_000, 1_000_000), 5_000, 50_000, 500, 280_000, 100_000,
    (0.05, 0.1, 0.25, 0.5, 1.0), (1_000, 10_000, 100_000, 1_000_000),
)  # fmt: skip
QUICK = Plan("holdem-limit:raises=1", (100, 1_000, 6_000), 300, 2_000, 10, 6_000, 3_000, (0.05, 0.25, 1.0),
             (100, 1_000, 6_000))  # fmt: skip


def experts(plan: Plan) -> dict[str, Blueprint]:
    """The one that is imitated, and another with whom tables are varied."""
    other = tiny_expert(plan.game, QUICK_ITERATIONS if plan is QUICK else TINY_ITERATIONS)
    path = blueprint_path(RECIPE)
    if plan is QUICK or not path.exists():
        fewer = tiny_expert(plan.game, other.about["iterations"] // 4)
        return {"a tiny one": other, "a tiny one, trained less": fewer}
    return {RECIPE: load_blueprint(path), "a tiny one": other}


def tiny_expert(game: str, iterations: int, buckets: int = TINY_BUCKETS, like: str = RECIPE) -> Blueprint:
    """One with few buckets that need no building, else like that of a recipe; the same each time."""
    recipe, cards = replace(RECIPES[like], game=game, company=0.0), MadeHands(buckets)
    sampler = sampler_of(recipe, cards)
    train(sampler, iterations=iterations, progress=False)
    return blueprint_of(sampler, recipe.bets, recipe.memory, cards, {"recipe": "tiny", "iterations": iterations})


class NoCards:
    """The card abstraction of who does not look at the cards."""

    counts = (1, 1, 1, 1)

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        return np.zeros(1326, np.int32)

    def deal_buckets(self, deals: np.ndarray, players: int = 2) -> np.ndarray:
        return np.zeros((len(deals), players, len(self.counts)), np.int32)


def company(expert: Blueprint) -> dict[str, Blueprint]:
    """The opponents by name."""
    graph = graph_of(expert.rules, expert.bets, expert.memory, NoCards.counts)
    simple = {name: _filled(expert, graph.cells // 2, weights) for name, weights in SIMPLE.items()}
    return {ITSELF: expert, LOOSE_NAME: loosened(expert, LOOSE), **simple}


def _filled(expert: Blueprint, size: int, weights: tuple[float, float, float]) -> Blueprint:
    """One that weighs fold, call and raise so wherever it is; where nothing of it is legal, it calls."""
    strategy: np.ndarray = np.zeros(size, np.uint8)
    graph = graph_of(expert.rules, expert.bets, expert.memory, NoCards.counts)
    for _, node, first in places(graph):
        row = [weights[{FOLD: 0, CALL: 1}.get(action, 2)] for action in graph.actions[node]]
        row = row if any(row) else [action == CALL for action in graph.actions[node]]
        strategy[first : first + len(row)] = row
    return replace(expert, cards=NoCards(), strategy=strategy, spare=0, about={}, path="")


def loosened(expert: Blueprint, part: float) -> Blueprint:
    """The expert with a part of its play uniform."""
    return remade(expert, lambda odds, actions: (1 - part) * odds + part / len(actions))


def remade(expert: Blueprint, change: Callable[[np.ndarray, tuple[int, ...]], np.ndarray]) -> Blueprint:
    """The expert with its odds [buckets, actions] changed wherever it acts."""
    strategy = expert.strategy.copy()
    for _, node, first in places(expert.graph):
        actions = expert.graph.actions[node]
        size = len(actions) * int(expert.graph.arrays.buckets[node])
        rows = strategy[first : first + size].reshape(-1, len(actions))
        rows[:] = np.round(255 * change(rows / rows.sum(axis=1, keepdims=True), actions))
    return replace(expert, strategy=strategy, about={}, path="")


def watched(expert: Blueprint, opponents: Mapping[str, Blueprint], hands: int, seed: int) -> Iterator[Hand]:
    """So many hands of the expert, as many with each opponent."""
    for number, (name, opponent) in enumerate(opponents.items()):
        names = (EXPERT, name)
        yield from drawn_hands(expert, opponent, hands // len(opponents), seed=1000 * seed + number, names=names)


def write_logs(
    folder: Path, expert: Blueprint, opponents: Mapping[str, Blueprint], hands: int, seed: int
) -> list[Path]:
    """The same in the competition's logs, one an opponent; those of fewer hands are the beginnings of those of more."""
    paths = []
    for number, (name, opponent) in enumerate(opponents.items()):
        count, names = hands // len(opponents), (EXPERT, name)
        paths.append(folder / f"{name}-{hands}.log")
        with LogWriter(paths[-1], expert.rules, names, count, seed, score=False) as log:
            drawn = drawn_hands(expert, opponent, count, seed=1000 * seed + number, names=names)
            for told, hand in enumerate(drawn):
                log.write(LoggedHand(told, hand, hand.payoffs()))
    return paths
