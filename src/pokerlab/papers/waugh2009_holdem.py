"""Abstraction pathologies in the real game: does an agent that sees more lose less to one that sees everything?

Waugh et al. (2009) answer for Leduc hold'em, and say that in Texas hold'em exploitability cannot be measured. Here it
is: agents of limit hold'em that see cards in percentiles of strength, with and without a memory of earlier buckets, in
clusters, and with fewer bets are trained for the same number of iterations; what a best response wins from each comes
from the public tree (`match/exact`): exactly with a deck of few ranks, with 52 cards on flops that all agents have in
common, so that differences are paired. Nothing of this was published, so there are no verdicts on figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path

import numpy as np

from pokerlab import plots
from pokerlab.abstraction.cards import cards_of
from pokerlab.agents.blueprint import BlueprintAgent, blueprint_of
from pokerlab.agents.blueprint_file import load_blueprint, save_blueprint
from pokerlab.agents.recipes import Recipe
from pokerlab.agents.training import sampler_of
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import unit_of
from pokerlab.match.exact.folder import Folder
from pokerlab.match.exact.run import Work
from pokerlab.match.exact.sample import Estimate, drawn, estimate, of_all, won_by_flop
from pokerlab.match.exact.tree import PublicTree
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.papers.verdicts import order
from pokerlab.progress import Bar
from pokerlab.solvers.sampling.train import train

NAME = "waugh2009-holdem"
SEED = 2009
STRATA, DRAWS = 6, 2  # flops of 52 cards that all agents have in common
COLUMNS, PAIRED = ("exploitability", "95 %", "buckets of the river"), ("difference", "95 %")


@dataclass(frozen=True)
class Sight:
    """What an agent sees: cards a round, whether it remembers what it saw before, and bets."""

    name: str
    cards: str
    recall: bool = False
    bets: str = "all"

    def recipe(self, game: str) -> Recipe:
        return Recipe(self.name, self.name, game, self.bets, "hand", self.cards, 0.0, recall=self.recall)


def percentiles(count: int, recall: bool = False, bets: str = "all") -> Sight:
    name = f"percentile {count}{' with recall' if recall else ''}{'' if bets == 'all' else ', one bet fewer'}"
    return Sight(name, "/".join([f"percentile:{count}"] * 4), recall, bets)


def clusters(count: int, earlier: str = "potential") -> Sight:
    return Sight(f"clusters {count}", f"169/{earlier}:{count}/{earlier}:{count}/kmeans:{count}")


@dataclass(frozen=True)
class Study:
    """Agents of a game by what they see: in each chain the next one sees more. `curve` is trained for parts too."""

    game: str
    iterations: int
    chains: tuple[tuple[Sight, ...], ...]
    curve: Sight

    @property
    def sights(self) -> list[Sight]:
        return list(dict.fromkeys(sight for chain in self.chains for sight in chain))


SMALLBOT = percentiles(5, recall=True, bets="cap 2 3 3 3")
WHOLE = Study(
    "holdem-limit", 3_000_000,
    (
        tuple(percentiles(count, recall=True) for count in (3, 5, 8)),
        tuple(percentiles(count) for count in (3, 5, 8, 12)),
        tuple(clusters(count) for count in (50, 200, 1000)),
        *((percentiles(count), percentiles(count, recall=True)) for count in (3, 5, 8)),
        (SMALLBOT, percentiles(5, recall=True)),
    ),
    percentiles(5, recall=True),
)  # fmt: skip
SMALL = Study(
    "holdem-limit:ranks=5", 4_000_000,
    (
        tuple(percentiles(count) for count in (3, 5, 8, 12)),
        tuple(clusters(count, "kmeans") for count in (5, 10, 20, 40)),
        (percentiles(5, bets="cap 2 3 3 3"), percentiles(5)),
    ),
    percentiles(8),
)  # fmt: skip
QUICK = Study("holdem-limit:ranks=3", 10_000, ((percentiles(2), percentiles(4)),), percentiles(2))


@dataclass(frozen=True)
class Measured:
    """What best responses win of an agent, in chips: on each common flop (draws, strata, seats), or exactly."""

    sight: Sight
    iterations: int
    buckets: int
    won: np.ndarray | None
    total: Estimate

    def against(self, other: Measured) -> Estimate:
        """How much more is won of this one than of the other."""
        if self.won is not None and other.won is not None:
            return estimate(self.won - other.won)
        first, second = (mine - theirs for mine, theirs in zip(self.total.seats, other.total.seats, strict=True))
        return Estimate((first, second), 0.0)


def trained(sight: Sight, game: str, iterations: int, folder: Path) -> BlueprintAgent:
    """The agent, which is kept in a folder."""
    recipe, rules = sight.recipe(game), rules_of(game)
    path = folder / "agent.blueprint"
    if not path.exists():
        seen = cards_of(recipe.cards, rules, recall=recipe.recall)
        sampler = sampler_of(recipe, seen.cards)
        checkpoint = path.with_suffix(".checkpoint")
        run = train(sampler, iterations=iterations, checkpoint=checkpoint, resume=True)
        if run.stopped == "interrupted":
            raise KeyboardInterrupt
        save_blueprint(blueprint_of(sampler, recipe.bets, recipe.memory, seen.cards, {"recipe": sight.name}), path)
        for each in path.parent.glob(f"{checkpoint.name}*"):
            each.unlink()
    return BlueprintAgent(load_blueprint(path), name=sight.name)


def measured(sight: Sight, game: str, iterations: int, sampled: bool, bar: Bar, pieces: Pieces) -> Measured:
    """Train an agent and find what best responses win of it: on common flops if they are `sampled`, or on all."""
    folder = pieces.place(f"{game}, {sight.name}, {iterations} iterations")
    agent, rules = trained(sight, game, iterations, folder), rules_of(game)
    tree = PublicTree(agent, rules, dtype=np.float32 if sampled else np.float64)
    work = Work(tree, Folder(folder, tree), None, inf)
    numbers = drawn(tree, STRATA, DRAWS, SEED) if sampled else np.arange(len(tree.flops))
    work.do(numbers.ravel().tolist(), bar, len(np.unique(numbers)))
    won = won_by_flop(tree, numbers, work.worth, apart=False) if sampled else None
    total = of_all(tree, work.worth) if won is None else estimate(won)
    return Measured(sight, iterations, int(agent.blueprint.cards.counts[-1]), won, total)


class Studied:
    """A study and its figures."""

    def __init__(self, study: Study, pieces: Pieces, *, sampled: bool, progress: bool | None = None) -> None:
        self.study, self.sampled = study, sampled
        self.rules = rules_of(study.game)
        self.unit, self.size = unit_of(self.rules)
        parts = [study.iterations // part for part in (64, 16, 4)]
        self.agents: dict[Sight, Measured] = {}
        with Bar(f"{NAME}, {study.game}", progress) as bar:
            for sight in study.sights:
                self.agents[sight] = measured(sight, study.game, study.iterations, sampled, bar, pieces)
            self.curve = [measured(study.curve, study.game, part, sampled, bar, pieces) for part in parts]
        self.curve.append(self.agents[study.curve])

    @property
    def where(self) -> str:
        return f"{self.rules.name}, {f'{STRATA * DRAWS} common flops' if self.sampled else 'all flops'}"

    def tables(self) -> Iterator[Table]:
        iterations = f"{self.study.iterations:,} iterations"
        rows = [Row.computed(sight.name, self._figures(agent)) for sight, agent in self.agents.items()]
        yield Table(f"Real exploitability, {self.where}, {iterations}", self.unit, COLUMNS, rows)
        rows = []
        for less, more, change, _ in self.changes():
            rows.append(Row.computed(f"{less.sight.name} to {more.sight.name}", self._change(change)))
        yield Table(f"What seeing more changes, {self.where}", self.unit, PAIRED, rows)
        rows = [Row.computed(f"{each.iterations:,} iterations", self._figures(each)) for each in self.curve]
        yield Table(f"{self.study.curve.name} as it is trained, {self.where}", self.unit, COLUMNS, rows)

    def changes(self) -> Iterator[tuple[Measured, Measured, Estimate, str]]:
        """Pairs of agents of which the second sees more; how much more exploitable it is, and if that is so."""
        for chain in self.study.chains:
            for less, more in pairwise(self.agents[sight] for sight in chain):
                change = more.against(less)
                yield less, more, change, order(change.mean, change.ci95)

    def sentence(self) -> str:
        less, more, change, _ = max(self.changes(), key=lambda step: step[2].mean)
        verdicts = Counter(verdict for *_, verdict in self.changes())
        told = ", ".join(f"{verdict} {count}" for verdict, count in verdicts.items())
        return (
            f"{self.where}: that who sees more cards, memory or bets is more exploitable, of {verdicts.total()} steps: "
            f"{told}; most from {less.sight.name} to {more.sight.name}, by {change.mean / self.size:.0f} ± "
            f"{change.ci95 / self.size:.0f} {self.unit}."
        )

    def draw(self, path: Path) -> None:
        """Exploitability over training, and by what is seen."""

        def paint(grid: np.ndarray) -> None:
            left, right = grid[0]
            agents, where = list(self.agents.values()), np.arange(len(self.agents))
            left.barh(where, self._means(agents), xerr=self._halves(agents), capsize=2)
            left.set_yticks(where, [agent.sight.name for agent in agents])
            left.invert_yaxis()
            left.set(xlabel=f"exploitability, {self.unit}")
            at = [each.iterations for each in self.curve]
            right.errorbar(at, self._means(self.curve), self._halves(self.curve), marker=".", capsize=2)
            right.set(
                xscale="log", xlabel=f"iterations of {self.study.curve.name}", ylabel=f"exploitability, {self.unit}"
            )

        plots.draw(path, f"Real exploitability, {self.where}", paint, (11, 4.5), columns=2)

    def _means(self, agents: Sequence[Measured]) -> list[float]:
        return [agent.total.mean / self.size for agent in agents]

    def _halves(self, agents: Sequence[Measured]) -> list[float]:
        return [agent.total.ci95 / self.size for agent in agents]

    def _figures(self, agent: Measured) -> dict[str, float]:
        values = agent.total.mean / self.size, agent.total.ci95 / self.size, float(agent.buckets)
        return dict(zip(COLUMNS, values, strict=True))

    def _change(self, change: Estimate) -> dict[str, float]:
        return dict(zip(PAIRED, (change.mean / self.size, change.ci95 / self.size), strict=True))


def reproduce(quick: bool, pieces: Pieces) -> Report:
    """What best responses win of agents that see more and more; `quick` takes a tiny deck and two agents."""
    studies = [Studied(QUICK if quick else SMALL, pieces, sampled=False)]
    if not quick:
        studies.append(Studied(WHOLE, pieces, sampled=True))
    tables = [table for study in studies for table in study.tables()]
    figures = {f"{NAME}-{study.rules.name.replace(':', '-')}.svg": study.draw for study in studies}
    return Report(NAME, tables, {}, [study.sentence() for study in studies], figures)
