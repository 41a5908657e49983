"""How an imitator of Rubin (2013) comes closer to its expert the more it has watched: limit hold'em, and Leduc.

In hold'em, from logs of more and more hands: how far its distributions are from the expert's at the expert's decisions
in other hands (total variation), and what it loses to the expert, in duplicate. That is counted over all betting
(`match.blueprints`), and by AIVAT as any two agents would be. In Leduc the imitator is a table, and its exploitability
exact.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab import plots
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent
from pokerlab.agents.simple import Call, Raise, Random
from pokerlab.agents.table import TableAgent, profile_of
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.base import CaseBase, empty_round
from pokerlab.cases.compiled import compile_cases
from pokerlab.cases.learn import Notes
from pokerlab.cases.train import train_cases
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.game.hand import Hand
from pokerlab.game.rules import unit_of
from pokerlab.match.aivat_holdem import HoldemAivat
from pokerlab.match.blueprints import expected_match
from pokerlab.match.play import play_match
from pokerlab.papers.pieces import Part
from pokerlab.papers.report import Row, Table
from pokerlab.papers.rubin2013_company import EXPERT, Plan, company, watched, write_logs
from pokerlab.papers.verdicts import interval
from pokerlab.processes import Executor
from pokerlab.solvers.run import solve

THESIS = (15, 50)  # what its imitators lost to the best of the competitions, mb/h (appendix A)
POLICIES = ("probabilistic", "max-frequency")
HELD_OUT_SEED = 7
LEDUC_EXPLOITABILITY = 1e-4  # chips, of the expert


@dataclass(frozen=True)
class Imitation:
    """An imitator that has watched so many hands. Losses are in mb/h with half their 95 % intervals."""

    hands: int
    cases: int
    distance: float  # mean total variation distance
    distance_half: float
    losses: dict[str, tuple[float, float]]  # by reuse policy, over all betting
    aivat: tuple[float, float]  # the first policy's
    seconds: float  # of training


def imitated(plan: Plan, expert: Blueprint, executor: Executor | None, part: Part) -> list[Imitation]:
    """Imitators from logs of growing size."""
    opponents = company(expert)
    held_out = list(watched(expert, opponents, plan.held_out, HELD_OUT_SEED))

    def told(size: int) -> tuple[Any, ...]:
        with tempfile.TemporaryDirectory() as folder:
            logs = write_logs(Path(folder), expert, opponents, size, seed=1)
            began = time.perf_counter()
            base = train_cases(logs, EXPERT, Path(folder, "it.cases"), hold_out=0, executor=executor).base
            seconds = time.perf_counter() - began
        tables = {policy: compile_cases(CasesAgent(base, reuse=policy)) for policy in POLICIES}
        apart, first = distances(expert, tables[POLICIES[0]], held_out), tables[POLICIES[0]]
        losses = {policy: lost(expert, table, plan.deals) for policy, table in tables.items()}
        by_aivat = lost_by_aivat(expert, first, plan.aivat)
        return size, base.cases, float(apart.mean()), float(interval(apart)), losses, by_aivat, seconds

    return [Imitation(*part.of(f"an imitator from {size:,} hands", told, size)) for size in plan.sizes]


def lost(expert: Blueprint, imitator: Blueprint, deals: int) -> tuple[float, float]:
    """What an imitator loses to its expert over all betting, and half its interval."""
    result = expected_match(expert, imitator, deals, progress=False)
    return float(result.mean[0]), float(result.ci95[0])


def lost_by_aivat(expert: Blueprint, imitator: Blueprint, deals: int) -> tuple[float, float]:
    """The same by AIVAT in a duplicate match."""
    agents = [BlueprintAgent(expert, name=EXPERT), BlueprintAgent(imitator, name="imitator")]
    score = HoldemAivat(expert.rules, agents)
    result = play_match(expert.rules, agents, deals, duplicate=True, seed=3, score=score)
    return float(result.mean[0]), float(result.ci95[0])


def distances(expert: Blueprint, imitator: Blueprint, hands: Sequence[Hand]) -> np.ndarray:
    """The total variation distance between the two's play at each decision of the expert in hands."""
    both = expert, imitator
    cards = np.array([_nine(hand) for hand in hands], np.uint8)
    buckets = [blueprint.cards.deal_buckets(cards, 2) for blueprint in both]
    known: list[dict[tuple[int, ...], tuple[int, int]]] = [{}, {}]
    apart = []
    for number, hand in enumerate(hands):
        seat, actions = hand.names.index(EXPERT), hand.actions
        for at in range(len(actions)):
            odds = []
            for which, blueprint in enumerate(both):
                place = known[which].get(actions[:at])
                if place is None:
                    place = known[which][actions[:at]] = blueprint.graph.follow(actions[:at])
                state = blueprint.graph.states[place[0]]
                if state.actor == seat:
                    bucket = buckets[which][number, seat, state.round]
                    odds.append(blueprint.odds(*place, np.array([bucket]))[0])
            if odds:
                apart.append(np.abs(odds[0] - odds[1]).sum() / 2)
    return np.array(apart)


def _nine(hand: Hand) -> list[int]:
    """The cards of a hand and, where it ended early, any others in the place of the board's."""
    seen = [*hand.holes[0], *hand.holes[1], *hand.board]
    return seen + [card for card in range(52) if card not in seen][: 9 - len(seen)]


def limit_table(imitations: Sequence[Imitation], name: str) -> Table:
    """The curves as figures."""
    rows = []
    for each in imitations:
        figures = {"cases": float(each.cases), "distance": each.distance, "±": each.distance_half}
        for policy, (loss, half) in each.losses.items():
            figures |= {f"lost, {policy}": loss, f"± {policy}": half}
        figures |= {"lost by AIVAT": each.aivat[0], "± AIVAT": each.aivat[1]}
        rows.append(Row.computed(f"{each.hands:,} hands", figures))
    columns = list(rows[0].cells)
    return Table(f"Imitating {name} in limit hold'em", "distance in total variation, losses in mb/h", columns, rows)


@dataclass(frozen=True)
class LeducImitation:
    """An imitator in Leduc: exploitability in mb/h, exact, by reuse policy."""

    hands: int
    exploitability: dict[str, float]


def imitated_in_leduc(sizes: Sequence[int]) -> tuple[float, tuple[tuple[int, dict[str, float]], ...]]:
    """The expert's exploitability, and what is of each imitator that has watched it with four opponents."""
    game = compile("leduc")
    assert game.origin is not None
    rules, unit = game.origin.rules, unit_of(game.origin.rules)[1]
    solution = solve(game, "cfr+", exploitability=LEDUC_EXPLOITABILITY, progress=False)
    expert = TableAgent(solution, name=EXPERT)
    opponents = (TableAgent(solution, name="itself"), Random(), Call(), Raise())
    base, done, imitations = CaseBase(rules, (empty_round(3),) * rules.rounds), 0, []
    for size in sizes:
        notes = Notes(rules, base.features, base.parts)

        def watch(number: int, seating: int, hand: Hand, seats: Sequence[int], notes: Notes = notes) -> None:
            seat = list(seats).index(0)
            notes.add(hand, seat, hand.payoffs()[seat])

        start, end = done // len(opponents), size // len(opponents)
        for opponent in opponents:
            play_match(rules, [expert, opponent], end - start, seed=11, start=start, watch=watch)
        base, done = base.plus(notes.cases()), size
        agents = {policy: CasesAgent(base, reuse=policy) for policy in POLICIES}
        lost = {
            policy: evaluate(profile_of(agent, agent, game)).exploitability / unit for policy, agent in agents.items()
        }
        imitations.append((size, lost))
    return solution.exploitability / unit, tuple(imitations)


def leduc_table(expert: float, imitations: Iterable[LeducImitation]) -> Table:
    rows = [Row.computed(f"{each.hands:,} hands", each.exploitability) for each in imitations]
    rows.append(Row.computed("the expert", dict.fromkeys(POLICIES, expert)))
    return Table("Imitating an equilibrium of Leduc", "exploitability in mb/h", list(POLICIES), rows, digits=2)


def draw(path: Path, imitations: Sequence[Imitation], expert: float, leduc: Sequence[LeducImitation]) -> None:
    """Distance, loss and, in Leduc, exploitability over the hands that were watched."""

    def paint(grid: np.ndarray) -> None:
        near, money, small = grid[0]
        hands = [each.hands for each in imitations]
        near.errorbar(hands, [each.distance for each in imitations], [each.distance_half for each in imitations],
                      marker="o")  # fmt: skip
        near.set_ylabel("distance to the expert (total variation)")
        for policy in POLICIES:
            losses = np.array([each.losses[policy] for each in imitations])
            money.errorbar(hands, losses[:, 0], losses[:, 1], marker="o", label=policy)
        aivat = np.array([each.aivat for each in imitations])
        money.errorbar(hands, aivat[:, 0], aivat[:, 1], marker="s", linestyle="none", label=f"{POLICIES[0]}, by AIVAT")
        money.axhspan(*THESIS, alpha=0.15, label="imitators of the thesis")
        money.set_ylabel("lost to the expert, mb/h")
        money.axhline(0.0, color="0.4", linewidth=0.8)
        for policy in POLICIES:
            figures = [each.exploitability[policy] for each in leduc]
            small.plot([each.hands for each in leduc], figures, marker="o", label=policy)
        small.axhline(expert, color="0.4", linestyle="--", label="the expert")
        small.set_ylabel("exploitability in Leduc, mb/h")
        small.set_yscale("log")
        for axes in grid[0]:
            axes.set_xscale("log")
            axes.set_xlabel("hands watched")
        money.legend()
        small.legend()

    plots.draw(path, "Imitators by the hands that they watched", paint, (12, 4), columns=3)
