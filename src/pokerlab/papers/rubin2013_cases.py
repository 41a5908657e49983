"""Rubin (2013), Case-Based Strategies in Computer Poker, chapter 3: Figure 3.2, Tables 3.2 and 3.3, and imitation.

The thesis's experts and opponents are not at hand, so that its figures cannot come out: ours stand beside them, with
another expert as what is varied. What must hold are the findings, each an order of figures. Matches count all betting
on the same deals, so that differences are paired, deal by deal. Figure 3.2 is a picture without figures; what the
thesis leaves open there (the reuse policy, how cases are left out, the opponent) is max-frequency, at random, and the
expert itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab import plots
from pokerlab.agents.blueprint import Blueprint
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.base import CaseBase
from pokerlab.cases.compiled import compile_cases
from pokerlab.cases.features import Features, street_name
from pokerlab.cases.learn import Notes
from pokerlab.cases.reuse import POLICIES
from pokerlab.game.hand import Hand
from pokerlab.game.rules import unit_of
from pokerlab.match.blueprints import expected_match
from pokerlab.papers.pieces import Part, Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.papers.rubin2013_company import EXPERT, QUICK, WHOLE, Plan, company, experts, watched
from pokerlab.papers.rubin2013_imitation import (
    THESIS,
    Imitation,
    LeducImitation,
    draw,
    imitated,
    imitated_in_leduc,
    leduc_table,
    limit_table,
)
from pokerlab.papers.verdicts import Cell, Printed, interval, order
from pokerlab.processes import local_processes
from pokerlab.progress import Bar

NAME = "rubin2013-cases"
TABLE_3_2 = {  # single-valued and vector-valued cases
    "preflop": (201_335, 857), "flop": (300_577, 6_743), "turn": (281_529, 35_464), "river": (216_597, 52_088),
    "total": (1_000_038, 95_152),
}  # fmt: skip
TABLE_3_3 = {  # what the first policy wins from the second, sb/h, and half of the 95 % interval
    ("max-frequency", "probabilistic"): (0.011, 0.005),
    ("max-frequency", "best-outcome"): (0.076, 0.008),
    ("probabilistic", "best-outcome"): (0.036, 0.009),
}
STRENGTHS = {  # Figure 3.2: features, and what is done where no case is identical
    "E[HS^2]": (Features("square", 20), ""), "CATEGORIES": (Features("category"), "call"),
    "E[HS]": (Features("mean", 20), ""),
}  # fmt: skip
SMALL_BETS = 1000.0  # mb/h in a sb/h
SEED = 2013


def learnt(hands: Iterator[Hand], expert: Blueprint, *features: Features) -> list[CaseBase]:
    """What the expert does in hands, once for each choice of features."""
    empty = [CaseBase(expert.rules, (), each) for each in features]
    notes = [Notes(base.rules, base.features, base.parts) for base in empty]
    for hand in hands:
        seat = hand.names.index(EXPERT)
        won = hand.payoffs()[seat]
        for each in notes:
            each.add(hand, seat, won)
    return [replace(base, rounds=each.cases()) for base, each in zip(empty, notes, strict=True)]


def part_of(base: CaseBase, part: float) -> CaseBase:
    """A base with a part of its cases, taken at random."""
    rng, rounds = np.random.default_rng(SEED), []
    for each in base.rounds:
        kept = np.sort(rng.permutation(len(each.rows))[: max(1, round(part * len(each.rows)))])
        rounds.append(each._replace(rows=each.rows[kept], counts=each.counts[kept], outcomes=each.outcomes[kept]))
    return replace(base, rounds=tuple(rounds))


def won(first: Blueprint, second: Blueprint, deals: int) -> np.ndarray:
    """What the first wins in sb/h, deal by deal, on deals that are always the same."""
    result = expected_match(first, second, deals, seed=SEED, progress=False)
    return np.asarray(result.winnings[:, 0] / unit_of(first.rules)[1] / SMALL_BETS)


Sizes = Mapping[str, tuple[float, float, float]]  # by round: decisions, cases, and decisions a case
Winnings = Mapping[str, np.ndarray]  # of one policy from another, deal by deal


def imitated_by_policies(expert: Blueprint, plan: Plan) -> tuple[dict[str, tuple[float, float, float]], Winnings]:
    """An imitator's case base, and what its reuse policies win from each other."""
    (base,) = learnt(watched(expert, company(expert), plan.hands, SEED + 1), expert, Features())
    tables = {policy: compile_cases(CasesAgent(base, reuse=policy)) for policy in POLICIES}
    return sizes_of(base), {_pair(*pair): won(tables[pair[0]], tables[pair[1]], plan.deals) for pair in TABLE_3_3}


def _pair(one: str, other: str) -> str:
    return f"{one} from {other}"


def table_3_2(ours: Mapping[str, Sizes], quick: str = "") -> tuple[Table, list[dict[str, Any]]]:
    """Cases by round, single and merged; and that merging saves less from round to round.

    `quick` says how far a run came that does not go for the thesis's number of decisions.
    """
    main = next(iter(ours.values()))
    columns = ("single", "vector", "decisions a case")
    rows = []
    for label, (single, vector) in TABLE_3_2.items():
        printed = (Printed(single, 0), Printed(vector, 0), Printed(single / vector, None))
        cells = {
            column: Cell(
                main[label][number],
                paper,
                {name: sizes[label][number] for name, sizes in ours.items()},
                "expert",
                not_reached=quick,
            )
            for number, (column, paper) in enumerate(zip(columns, printed, strict=True))
        }
        rows.append(Row(label, cells))
    findings = []
    labels = list(TABLE_3_2)[:-1]
    for one, other in pairwise(labels):
        difference = main[one][2] - main[other][2]
        findings.append(_finding(f"a case stands for more decisions on the {one} than on the {other}", difference))
    findings.append(_finding("in all a case stands for more than ten decisions", main["total"][2] - 10))
    return Table("Table 3.2", "cases", columns, rows), findings


def sizes_of(base: CaseBase) -> dict[str, tuple[float, float, float]]:
    sizes = {street_name(base.rules, number): each for number, each in enumerate(base.rounds)}
    counts = {name: (each.decisions, len(each.rows)) for name, each in sizes.items()}
    counts["total"] = base.decisions, base.cases
    return {name: (float(single), float(vector), single / vector) for name, (single, vector) in counts.items()}


def table_3_3(ours: Mapping[str, Winnings]) -> tuple[Table, list[dict[str, Any]]]:
    """Reuse policies against each other; and their order."""
    main, *others = ours
    rivals = tuple(figure for figure, _ in TABLE_3_3.values())
    rows, findings = [], []
    for policies, (figure, half) in TABLE_3_3.items():
        pair = _pair(*policies)
        sample = ours[main][pair]
        mean, known = float(sample.mean()), float(interval(sample))
        away = {name: hypot(known, float(interval(ours[name][pair]))) for name in others}
        cell = Cell(
            mean, Printed(figure, 3, half, rivals), {name: float(every[pair].mean()) for name, every in ours.items()},
            "expert", chance=away, sampled={"deals": known},
        )  # fmt: skip
        rows.append(Row(pair, {"won": cell, "95 %": Cell(known)}))
        findings.append(_finding("{} wins from {}".format(*policies), mean, known))
    return Table("Table 3.3", "small bets per hand", ("won", "95 %"), rows, digits=4), findings


def won_with_parts(expert: Blueprint, plan: Plan) -> dict[str, np.ndarray]:
    """What three measures of a hand win from the expert, with parts of the case base [parts, deals]."""
    hands = watched(expert, company(expert), plan.figure_hands, SEED)
    bases = learnt(hands, expert, *(features for features, _ in STRENGTHS.values()))
    won_by: dict[str, list[np.ndarray]] = {name: [] for name in STRENGTHS}
    for (name, (_, default)), base in zip(STRENGTHS.items(), bases, strict=True):
        for part in plan.parts:
            agent = CasesAgent(part_of(base, part), reuse="max-frequency", default=default)
            won_by[name].append(won(compile_cases(agent), expert, plan.deals))
    return {name: np.array(samples) for name, samples in won_by.items()}


def figure_3_2(
    won_by: Mapping[str, np.ndarray], plan: Plan
) -> tuple[Table, list[dict[str, Any]], dict[str, list[tuple[float, float]]]]:
    """The measures beside each other, and their order."""
    curves = {name: [(float(s.mean()), float(interval(s))) for s in samples] for name, samples in won_by.items()}
    columns = [f"{part:.0%}" for part in plan.parts]
    rows = []
    for name, curve in curves.items():
        rows.append(Row.computed(name, dict(zip(columns, (mean for mean, _ in curve), strict=True))))
        rows.append(Row.computed("± 95 %", dict(zip(columns, (half for _, half in curve), strict=True))))
    findings = []
    for one, other in (("E[HS^2]", "CATEGORIES"), ("CATEGORIES", "E[HS]")):
        apart = won_by[one][-1] - won_by[other][-1]
        findings.append(_finding(f"with the whole base {one} does better than {other}", apart.mean(), interval(apart)))
    for place in (-2, 0):  # the largest part, and the least
        for name in ("E[HS]", "E[HS^2]"):
            fell, others = (won_by[each][-1] - won_by[each][place] for each in ("CATEGORIES", name))
            claim = f"with {plan.parts[place]:.0%} of the base CATEGORIES has lost more than {name}"
            findings.append(_finding(claim, (fell - others).mean(), interval(fell - others)))
    return Table("Figure 3.2", "small bets per hand from the expert", columns, rows, digits=4), findings, curves


def _finding(claim: str, difference: float, half: float | np.ndarray = 0.0) -> dict[str, Any]:
    """A published order: whether it holds of ours, and by how much."""
    told = {"finding": claim, "verdict": order(float(difference), float(half))}
    return told | {"difference": float(difference), "ci95": float(half)}


def curve_findings(imitations: list[Imitation], leduc: list[LeducImitation]) -> list[dict[str, Any]]:
    """That imitators who have watched more are closer, lose less, and are less exploitable."""
    findings = []
    for one, other in pairwise(imitations):
        more = f"from {one.hands:,} to {other.hands:,} hands"
        half = hypot(one.distance_half, other.distance_half)
        findings.append(_finding(f"the distance falls {more}", one.distance - other.distance, half))
        (first, known), (second, other_known) = (next(iter(each.losses.values())) for each in (one, other))
        findings.append(_finding(f"the loss falls {more}", first - second, hypot(known, other_known)))
    for before, after in pairwise(leduc):
        (first, *_), (second, *_) = before.exploitability.values(), after.exploitability.values()
        more = f"from {before.hands:,} to {after.hands:,} hands"
        findings.append(_finding(f"in Leduc exploitability comes nearer to the expert's {more}", first - second))
    return findings


def reproduce(quick: bool, pieces: Pieces) -> Report:
    plan = QUICK if quick else WHOLE
    with Bar(NAME) as bar:
        bar.show(0.0, "the experts")
        known = experts(plan)
        main = next(iter(known))
        executor = None if quick else local_processes()
        imitations = imitated(plan, known[main], executor, Part(pieces, bar, "limit", 0.1))
        tables_3 = Part(pieces, bar, "Tables 3.2 and 3.3", 0.5)
        policies = {name: tables_3.of(name, imitated_by_policies, expert, plan) for name, expert in known.items()}
        figure = Part(pieces, bar, "Figure 3.2", 0.7)
        won_by = figure.of("three measures", won_with_parts, known[main], plan)
        exploited, told = Part(pieces, bar, "Leduc", 0.9).of("imitators", imitated_in_leduc, plan.leduc)
    leduc = [LeducImitation(*each) for each in told]
    all_sizes = {name: sizes for name, (sizes, _) in policies.items()}
    table_of_sizes, by_round = table_3_2(all_sizes, f"learnt from {plan.hands:,} hands" if quick else "")
    table_of_policies, by_policy = table_3_3({name: samples for name, (_, samples) in policies.items()})
    strengths, by_strength, curves = figure_3_2(won_by, plan)
    findings = [*by_strength, *by_round, *by_policy, *curve_findings(imitations, leduc)]
    last = imitations[-1]
    figures: dict[str, Callable[[Path], None]] = {}
    figures[f"{NAME}-figure-3-2.svg"] = partial(draw_3_2, parts=plan.parts, curves=curves)
    figures[f"{NAME}-imitation.svg"] = partial(draw, imitations=imitations, expert=exploited, leduc=leduc)
    sentences = [f"{told['verdict']}: {told['finding']}, {_by(told)}" for told in findings]
    sentences += [
        f"With {last.hands:,} hands the imitator of {main} loses {loss:.1f} ± {half:.1f} mb/h to it ({policy}); the "
        f"thesis's lost {THESIS[0]} to {THESIS[1]} mb/h to the best."
        for policy, (loss, half) in last.losses.items()
    ]
    sentences.append(
        f"By AIVAT it is {last.aivat[0]:.1f} ± {last.aivat[1]:.1f} mb/h. Training took {last.seconds:.0f} s."
    )
    tables = [strengths, table_of_sizes, table_of_policies, limit_table(imitations, main),
              leduc_table(exploited, leduc)]  # fmt: skip
    return Report(NAME, tables, {"findings": findings}, sentences, figures)


def _by(told: Mapping[str, Any]) -> str:
    half = f" ± {told['ci95']:.4g}" if told["ci95"] else ""
    return f"by {told['difference']:.4g}{half}"


def draw_3_2(path: Path, parts: tuple[float, ...], curves: Mapping[str, list[tuple[float, float]]]) -> None:
    """Figure 3.2: small bets per hand over the part of the case base that is used."""

    def paint(grid: np.ndarray) -> None:
        axes = grid[0, 0]
        for name, curve in curves.items():
            means, halves = np.array(curve).T
            axes.errorbar(parts, means, halves, marker="o", label=name)
        axes.set_xlabel("part of the case base")
        axes.set_ylabel("small bets per hand from the expert")
        axes.legend()

    plots.draw(path, "Figure 3.2: what parts of a case base win", paint, (6, 4))
