"""Rubin (2013), chapter 6: Table 6.1, what a player of three gains by a strategy for two once somebody has folded.

The thesis's agents are not at hand, so that its figures cannot come out. Ours are imitators with case bases for three
and for two, learnt from hands of our own experts, and these experts themselves: `holdem-limit-3p` and `holdem-limit` of
`pokerlab train`, or tiny ones where they have not been trained. Opponents are the expert of three, and the same with a
fifth of its play uniform. Every deal is played in all six seatings (`rubin2013_three`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab import plots
from pokerlab.agents.blueprint import Blueprint
from pokerlab.agents.blueprint_file import blueprint_path, load_blueprint
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.base import CaseBase
from pokerlab.cases.features import Features
from pokerlab.cases.learn import Notes
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import Hand
from pokerlab.game.rules import unit_of
from pokerlab.papers.pieces import Part, Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.papers.rubin2013_cases import SMALL_BETS, learnt
from pokerlab.papers.rubin2013_company import (
    EXPERT,
    LOOSE,
    QUICK_ITERATIONS,
    RECIPE,
    TINY_ITERATIONS,
    company,
    tiny_expert,
    watched,
)
from pokerlab.papers.rubin2013_three import SEATINGS, ByBlueprint, ByCases, Deals, Hands, Strategy, Weights
from pokerlab.papers.verdicts import Cell, Printed, interval, order
from pokerlab.progress import Bar

NAME, THREE = "rubin2013-switching", "holdem-limit-3p"
TABLE_6_1 = {  # sb/h without and with switching; each has a half interval of 0.003 or 0.004
    "CaseBased3P": ((0.2101, 0.004), (0.2218, 0.004)),
    "akuma": ((0.0898, 0.003), (0.0875, 0.004)),
    "dpp": ((-0.2995, 0.004), (-0.3093, 0.004)),
}
COLUMNS = ("non-switching", "switching", "gain")
OPPONENTS = ("the expert", "loose")
SEED = 2013
CHUNK = 6_000  # deals at once


@dataclass(frozen=True)
class Plan:
    """How much is watched and measured."""

    games: tuple[str, str]  # for three, and for two
    iterations: int  # of tiny experts
    trained: bool  # take those of `pokerlab train` where they are
    few_hands: int  # for three, of who has watched little
    three_hands: int
    two_hands: int
    deals: int  # each in six seatings


WHOLE = Plan((THREE, RECIPE), TINY_ITERATIONS, True, 20_000, 200_000, 100_000, 60_000)
QUICK = Plan((f"{THREE}:raises=1", f"{RECIPE}:raises=1"), QUICK_ITERATIONS, False, 600, 6_000, 2_000, 60)


def experts(plan: Plan) -> tuple[Blueprint, Blueprint]:
    """Of three, and of two."""
    both = []
    for recipe, game in zip((THREE, RECIPE), plan.games, strict=True):
        path = blueprint_path(recipe)
        there = plan.trained and path.exists()
        both.append(load_blueprint(path) if there else tiny_expert(game, plan.iterations, like=recipe))
    return both[0], both[1]


def watched_three(expert: Blueprint, hands: int) -> Iterator[Hand]:
    """Hands of the expert of three: with itself, with loose ones, and with those who do not look at their cards."""
    names = {EXPERT: 0, "loose": 1, "call": 2, "raise": 3, "random": 4}
    lineups = (
        (EXPERT, EXPERT, EXPERT), (EXPERT, EXPERT, "loose"), (EXPERT, "loose", "loose"), (EXPERT, "call", "random"),
        (EXPERT, "raise", "loose"),
    )  # fmt: skip
    for number, lineup in enumerate(lineups):
        deals = Deals.of(expert.rules, hands // len(lineups) // len(SEATINGS), SEED + 10 + number)
        players: tuple[Strategy, ...] = (
            ByBlueprint(expert, deals.cards), ByBlueprint(expert, deals.cards, LOOSE), Weights(0, 1, 0),
            Weights(0, 0, 1), Weights(1, 1, 1),
        )  # fmt: skip
        yield from Hands(deals, [players[names[name]] for name in lineup], number).records(lineup)


def base_of_three(hands: Iterator[Hand], expert: Blueprint) -> CaseBase:
    """What the expert does in hands, in whatever seats."""
    base = CaseBase(expert.rules, (), Features())
    notes = Notes(base.rules, base.features, base.parts)
    for hand in hands:
        payoffs = hand.payoffs()
        for seat, name in enumerate(hand.names):
            if name == EXPERT:
                notes.add(hand, seat, payoffs[seat])
    return replace(base, rounds=notes.cases())


@dataclass(frozen=True, eq=False)
class Measured:
    """What the three players win without and with switching by the first, sb/h [versions, deals, players].

    `could` is the part of the hands in which it could switch.
    """

    agent: str
    won: np.ndarray
    could: float

    @property
    def gain(self) -> tuple[float, float]:
        """What switching wins more, and half the interval: deals are the same."""
        more = self.won[1, :, 0] - self.won[0, :, 0]
        return float(more.mean()), float(interval(more))


def measured(
    plan: Plan, three: Blueprint, agents: Mapping[str, Callable[[np.ndarray], tuple[Strategy, Strategy]]], part: Part
) -> list[Measured]:
    """Each pair of strategies for three and for two, on the same deals."""
    smaller, unit = rules_of(plan.games[1]), SMALL_BETS * unit_of(three.rules)[1]

    def both(name: str, at: int) -> tuple[np.ndarray, np.ndarray, float]:
        deals = Deals.of(three.rules, min(CHUNK, plan.deals - at), SEED, at)
        others = [ByBlueprint(three, deals.cards), ByBlueprint(three, deals.cards, LOOSE)]
        mine, two = agents[name](deals.cards)
        return Hands(deals, [mine, *others], SEED + at).switched(two, smaller)

    won: dict[str, list[np.ndarray]] = {name: [] for name in agents}
    could: dict[str, list[float]] = {name: [] for name in agents}
    for at in range(0, plan.deals, CHUNK):
        for number, name in enumerate(agents):
            here = part.later(0.7 * (at + CHUNK * number / len(agents)) / plan.deals)
            before, after, some = here.of(f"{name}, from deal {at:,} on", both, name, at)
            won[name].append(np.stack([before, after]) / unit)
            could[name].append(some)
    return [Measured(name, np.concatenate(won[name], axis=1), float(np.mean(could[name]))) for name in agents]


def table_6_1(all_of: list[Measured], quick: str = "") -> tuple[Table, list[dict[str, Any]]]:
    """Table 6.1, the first agent in the place of CaseBased3P; and whether switching gains."""
    main, *others = all_of
    figures = {each.agent: _figures(each) for each in all_of}
    (before, half), (after, other_half) = TABLE_6_1["CaseBased3P"]
    printed = (
        Printed(before, 4, half, (after,)), Printed(after, 4, other_half, (before,)),
        Printed(after - before, None, hypot(half, other_half), (0.0,)),
    )  # fmt: skip
    cells = {}
    for column, paper in zip(COLUMNS, printed, strict=True):
        ours, known = figures[main.agent][column]
        cells[column] = Cell(
            ours, paper, {name: every[column][0] for name, every in figures.items()}, "agent",
            chance={each.agent: hypot(known, figures[each.agent][column][1]) for each in others},
            sampled={"deals": known}, not_reached=quick,
        )  # fmt: skip
    rows = [Row("CaseBased3P", cells)]
    findings = []
    for each in all_of:
        mine = figures[each.agent]
        note = f"it could switch in {each.could:.1%} of the hands"
        rows.append(Row.computed(each.agent, {column: mean for column, (mean, _) in mine.items()}, note))
        rows.append(Row.computed("± 95 %", {column: half for column, (_, half) in mine.items()}))
        for player, name in enumerate(OPPONENTS, 1):
            rows.append(
                Row.computed(
                    f"its opponent, {name}", {column: mean for column, (mean, _) in _figures(each, player).items()}
                )
            )
        mean, known = each.gain
        findings.append(
            {"finding": f"{each.agent}: switching gains", "verdict": order(mean, known), "difference": mean,
             "ci95": known}
        )  # fmt: skip
    return Table("Table 6.1", "small bets per hand", COLUMNS, rows, digits=4), findings


def _figures(of: Measured, player: int = 0) -> dict[str, tuple[float, float]]:
    samples = (of.won[0, :, player], of.won[1, :, player], of.won[1, :, player] - of.won[0, :, player])
    return {name: (float(s.mean()), float(interval(s))) for name, s in zip(COLUMNS, samples, strict=True)}


def base_table(bases: Mapping[str, CaseBase]) -> Table:
    """How large the case bases are, by round."""
    rows = []
    for name, base in bases.items():
        figures = {street: float(len(each.rows)) for street, each in zip(_STREETS, base.rounds, strict=True)}
        figures |= {"decisions": float(base.decisions), "decisions a case": base.decisions / base.cases}
        rows.append(Row.computed(name, figures))
    return Table("The case bases", "cases", list(rows[0].cells), rows, digits=1)


_STREETS = ("preflop", "flop", "turn", "river")


def reproduce(quick: bool, pieces: Pieces) -> Report:
    plan = QUICK if quick else WHOLE
    with Bar(NAME) as bar:
        bar.show(0.0, "the experts")
        three, two = experts(plan)
        bar.show(0.1, "what they do in hands for three")
        large, few = (base_of_three(watched_three(three, hands), three) for hands in (plan.three_hands, plan.few_hands))
        bar.show(0.25, "and for two")
        (small,) = learnt(watched(two, company(two), plan.two_hands, SEED), two, Features())
        agents: dict[str, Callable[[np.ndarray], tuple[Strategy, Strategy]]] = {
            "imitators": partial(_imitators, large, small, "probabilistic"),
            "imitators, max-frequency": partial(_imitators, large, small, "max-frequency"),
            "imitators, few hands for three": partial(_imitators, few, small, "probabilistic"),
            "blueprints": lambda cards: (ByBlueprint(three, cards), ByBlueprint(two, cards)),
        }
        all_of = measured(plan, three, agents, Part(pieces, bar, "three players", 0.3))
    table, findings = table_6_1(all_of, f"in {plan.games[0]} with tiny experts" if quick else "")
    tables = [table, base_table({"for three": large, "for three, few hands": few, "for two": small})]
    sentences = [
        f"{told['verdict']}: {told['finding']}, by {told['difference']:.4f} ± {told['ci95']:.4f} sb/h"
        for told in findings
    ]
    return Report(NAME, tables, {"findings": findings}, sentences, {f"{NAME}.svg": partial(draw, all_of=all_of)})


def _imitators(large: CaseBase, small: CaseBase, reuse: str, cards: np.ndarray) -> tuple[Strategy, Strategy]:
    return ByCases(CasesAgent(large, reuse=reuse), cards), ByCases(CasesAgent(small, reuse=reuse), cards)


def draw(path: Path, all_of: list[Measured]) -> None:
    """What switching gains, beside the thesis's."""
    (before, _), (after, _) = TABLE_6_1["CaseBased3P"]

    def paint(grid: np.ndarray) -> None:
        axes = grid[0, 0]
        means, halves = zip(*(each.gain for each in all_of), strict=True)
        axes.errorbar(means, range(len(all_of)), xerr=halves, marker="o", linestyle="none", capsize=3)
        axes.axvline(after - before, linestyle="--", color="0.4", label="the thesis's gain")
        axes.axvline(0.0, color="0.4", linewidth=0.8)
        axes.set_yticks(range(len(all_of)), [each.agent for each in all_of])
        axes.set_ylim(-0.5, len(all_of) - 0.5)
        axes.set_xlabel("gain by switching, small bets per hand")
        axes.legend()

    plots.draw(path, "What three players' agents gain by a strategy for two", paint, (7, 2.6))
