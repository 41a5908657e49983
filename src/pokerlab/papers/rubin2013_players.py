"""Who plays in chapter 4 of Rubin (2013), in limit and in no-limit: opponents of plain styles, and experts for each.

A small blueprint is trained, and its weights of folding, calling and raising are bent into styles: a rock, a calling
station, a maniac. An expert is a response to a style. In limit the arms are imitators of three experts, learnt from
their hands and reused in two ways, as in the thesis; in no-limit, where case bases are no tables, they are the experts
themselves, as they are and with their likeliest action only. So all are blueprints of one betting: what they win from
each other is counted over all betting, and their hands are drawn by the ten thousand (`match.blueprints`). All is made
anew, and the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.blueprint import Blueprint, blueprint_of
from pokerlab.agents.recipes import RECIPES, changed
from pokerlab.agents.response import Table
from pokerlab.agents.training import sampler_of
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.base import CaseBase
from pokerlab.cases.compiled import compile_cases, places
from pokerlab.cases.features import Features
from pokerlab.cases.learn import Notes
from pokerlab.game.betting import CALL, FOLD
from pokerlab.match.blueprints import drawn_hands
from pokerlab.solvers.sampling.holdem import HoldemDeals
from pokerlab.solvers.sampling.train import train

SOLID, STATION, MANIAC, ROCK = "solid", "station", "maniac", "rock"
STYLES = {  # weights of fold, call and raise, times the solid one's
    ROCK: (6.0, 1.0, 0.3),
    STATION: (0.05, 1.0, 0.1),
    MANIAC: (0.2, 0.5, 5.0),
    "bluffer": (1.0, 0.3, 3.0),
}
EXPERTS = {"bully": ROCK, "value": STATION, "trapper": MANIAC}  # what each is a response to
MAX, PROB = "max", "prob"
POLICIES = {MAX: "max-frequency", PROB: "probabilistic"}
ENSEMBLE = "Ensemble"
SEED = 4


@dataclass(frozen=True)
class Making:
    """How much goes into the players of a game."""

    game: str
    recipe: str
    bets: str  # empty: the recipe's
    buckets: int
    iterations: int  # of the solid one
    response: int  # deals that an expert is improved on, twice
    watched: int  # hands that an imitator has seen; 0: the arms are the experts themselves
    opponents: tuple[str, ...]


@dataclass(frozen=True)
class Players:
    """Blueprints by name; `ensemble` is the vote of the arms that take the likeliest action."""

    solid: Blueprint
    arms: Mapping[str, Blueprint]
    ensemble: Blueprint
    opponents: Mapping[str, Blueprint]


def players(making: Making, tell: Callable[[str], None]) -> Players:
    """All of them; `tell` hears what is being done."""
    tell("the solid one is trained")
    solid = trained(making)
    styles = {SOLID: solid} | {name: styled(solid, *weights) for name, weights in STYLES.items()}
    arms: dict[str, Blueprint] = {}
    for name, style in EXPERTS.items():
        tell(f"{name}, a response to the {style}")
        expert = response(solid, styles[style], making.response)
        if not making.watched:
            arms |= {f"{name}-{MAX}": likeliest(expert), f"{name}-{PROB}": expert}
            continue
        tell(f"{name} is imitated")
        base = imitated(expert, styles, making.watched)
        arms |= {f"{name}-{short}": compile_cases(CasesAgent(base, reuse=reuse)) for short, reuse in POLICIES.items()}
    pure = [arms[f"{name}-{MAX}"] for name in EXPERTS]
    return Players(solid, arms, voted(pure), {name: styles[name] for name in making.opponents})


def trained(making: Making) -> Blueprint:
    """A blueprint with few buckets that need no building."""
    recipe = changed(replace(RECIPES[making.recipe], game=making.game), bets=making.bets or None)
    cards = MadeHands(making.buckets)
    sampler = sampler_of(recipe, cards)
    train(sampler, iterations=making.iterations, progress=False)
    return blueprint_of(sampler, recipe.bets, recipe.memory, cards, {})


def rows_of(blueprint: Blueprint, strategy: np.ndarray) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """The actions of each place in the betting, and its rows [buckets, actions] of a strategy, as they lie there."""
    graph = blueprint.graph
    for _, node, first in places(graph):
        k = len(graph.actions[node])
        yield (
            tuple(graph.actions[node]),
            strategy[first : first + k * int(graph.arrays.buckets[node])].reshape(-1, k),
        )


def styled(blueprint: Blueprint, fold: float, call: float, raised: float) -> Blueprint:
    """A blueprint whose weights of folding, calling and raising are multiplied."""
    strategy = blueprint.strategy.copy()
    for actions, rows in rows_of(blueprint, strategy):
        bent = rows * np.array([{FOLD: fold, CALL: call}.get(action, raised) for action in actions])
        rows[:] = np.round(255 * bent / bent.max(axis=1, keepdims=True))
    return replace(blueprint, strategy=strategy, about={}, path="")


def likeliest(blueprint: Blueprint) -> Blueprint:
    """A blueprint that takes its likeliest action only, of several the least."""
    return voted([blueprint])


def voted(blueprints: list[Blueprint]) -> Blueprint:
    """As `opponents.ensemble`, of blueprints with the same buckets: most votes win, else the first one's."""
    first = blueprints[0]
    strategy = np.zeros_like(first.strategy)
    every = [rows_of(each, each.strategy) for each in blueprints]
    for (actions, out), *tables in zip(rows_of(first, strategy), *every, strict=True):
        cast = np.array([rows.argmax(axis=1) for _, rows in tables])  # [voters, buckets]
        counts = (cast[:, :, None] == np.arange(len(actions))).sum(axis=0)  # [buckets, actions]
        alone = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
        out[np.arange(len(out)), np.where(alone, counts.argmax(axis=1), cast[0])] = 1
    return replace(first, strategy=strategy, about={}, path="")


def response(solid: Blueprint, style: Blueprint, deals: int) -> Blueprint:
    """What the solid one becomes that knows a style, improved twice (`agents.response`)."""
    table, strategy = Table(solid.graph, HoldemDeals(solid.rules, solid.cards), SEED), solid.strategy
    for _ in range(2):
        strategy, _ = table.improved(strategy, style.strategy, deals)
    return replace(solid, strategy=strategy, about={}, path="")


def imitated(expert: Blueprint, company: Mapping[str, Blueprint], hands: int) -> CaseBase:
    """A case base of an expert's decisions, as many hands with each of the company."""
    base = CaseBase(expert.rules, (), Features())
    notes = Notes(base.rules, base.features, base.parts)
    for number, other in enumerate(company.values()):
        for turn, hand in enumerate(drawn_hands(expert, other, hands // len(company), seed=1000 * SEED + number)):
            notes.add(hand, turn % 2, hand.payoffs()[turn % 2])
    return replace(base, rounds=notes.cases())
