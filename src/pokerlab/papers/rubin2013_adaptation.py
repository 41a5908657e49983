"""Rubin (2013), chapter 5: Tables 5.1 and 5.2, what adaptation by opponent types wins from known and unknown opponents.

The thesis's opponents are not at hand, so that its tables cannot come out; ours are others, of which some are drawn to
be known (`rubin2013_styles`). Trends are counted over all betting of deals. Then the agent that adapts really plays:
which factor it takes in a hand it decides before the cards, from what it has seen. So what it wins is what its factors
win, counted over all betting of other deals, the same ones for every factor and opponent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab import plots
from pokerlab.agents.agent import Agent
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent
from pokerlab.game.hand import Hand
from pokerlab.game.rules import unit_of
from pokerlab.match.blueprints import drawn_hands
from pokerlab.match.play import play_match
from pokerlab.opponents.adapting import Adapting
from pokerlab.opponents.exact_trends import exact_trend
from pokerlab.opponents.trends import FACTORS, NULL, Trends
from pokerlab.papers.pieces import Part, Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.papers.rubin2013_styles import QUICK_CAST, WHOLE_CAST, Cast, expert_of, imitator, opponents_of
from pokerlab.papers.verdicts import Cell, Printed, interval, order
from pokerlab.progress import Bar
from pokerlab.records.types import WINDOW, action_counts, type_of

NAME = "rubin2013-adaptation"
PLAYERS = ("NoAdapt", "Adapt1", "Adapt2", "Adapt3", "Adapt4", "Adapt5")
TOPS = range(1, len(PLAYERS))
TABLE_5_1 = {  # known opponents: mbb/h, and half of the 95 % interval
    "AAIMontybot": ((312, 312, 309, 314, 316, 319), (4, 3, 4, 4, 3, 4)),
    "Calvin": ((548, 553, 549, 552, 566, 575), (4, 5, 4, 4, 5, 6)),
    "Feste": ((42, 32, 40, 42, 36, 35), (2, 2, 3, 3, 2, 2)),
    "GBR": ((433, 429, 417, 421, 412, 409), (4, 4, 4, 2, 4, 2)),
    "GGValuta": ((80, 82, 72, 78, 75, 76), (2, 2, 2, 3, 3, 3)),
    "Hyperborean-tbr": ((25, 37, 28, 31, 26, 21), (2, 1, 2, 3, 3, 1)),
    "POMPEIA": ((659, 698, 696, 690, 688, 690), (3, 4, 3, 3, 2, 3)),
    "Patience": ((56, 57, 41, 57, 44, 49), (3, 3, 2, 4, 2, 3)),
    "RobotBot": ((285, 324, 330, 327, 326, 334), (3, 4, 3, 4, 4, 4)),
    "Slumbot": ((17, 29, 23, 28, 21, 18), (3, 2, 4, 3, 2, 2)),
    "TellBot": ((886, 900, 888, 892, 897, 888), (4, 4, 4, 4, 4, 4)),
    "Tiltnet": ((696, 716, 716, 718, 710, 721), (4, 4, 4, 2, 2, 4)),
    "Tiltnet-Adaptive": ((673, 682, 674, 684, 705, 680), (5, 3, 3, 4, 3, 3)),
    "Zbot": ((28, 47, 36, 50, 44, 57), (2, 3, 2, 2, 2, 1)),
    "player-zeta": ((593, 596, 591, 590, 590, 600), (3, 3, 3, 4, 3, 4)),
}
TABLE_5_2 = {  # unknown ones
    "Entropy": ((436, 456, 454, 448, 463, 462), (4, 5, 4, 4, 4, 4)),
    "Hyperborean-iro": ((25, 25, 21, 20, 23, 23), (2, 3, 2, 2, 2, 1)),
    "2Bot": ((61, 65, 61, 56, 57, 70), (3, 3, 2, 3, 3, 3)),
    "LittleRock": ((6, -4, -5, 9, 18, 2), (2, 3, 2, 3, 2, 2)),
    "Calamari": ((-4, -1, 1, 8, 1, -4), (2, 1, 2, 2, 2, 2)),
}
AVERAGES = {"known": (TABLE_5_1, (3, 3, 3, 3, 3, 3)), "unknown": (TABLE_5_2, (2, 3, 2, 3, 2, 3))}  # halves, as printed
SEED = 2013


@dataclass(frozen=True)
class Plan:
    """How much is counted and played."""

    cast: Cast
    known: int  # opponents; the rest are unknown
    unknown: int
    learnt: int  # deals of a trend in the model
    measured: int  # deals by which factors are measured
    type_hands: int
    matches: int  # of each player with each opponent
    hands: int
    window: int


WHOLE = Plan(WHOLE_CAST, 16, 6, 2_000, 4_000, 10_000, 3, 2_000, WINDOW)
QUICK = Plan(QUICK_CAST, 5, 2, 100, 400, 500, 2, 60, 30)


@dataclass(frozen=True, eq=False)
class Measured:
    """An agent against all opponents: `trends[o]` what each factor won in each deal, mb/h [deals, factors].

    `chosen[o, n - 1]` is how often Adapt n took each factor, a row a match; `met[o]` the share of hands after the first
    window in which o's nearest known type was each of the known ones.
    """

    agent: str
    opponents: tuple[str, ...]
    model: Trends
    trends: Sequence[np.ndarray]
    chosen: Mapping[tuple[int, int], np.ndarray]
    met: np.ndarray

    @property
    def known(self) -> int:
        return len(self.model.opponents)

    def gains(self, opponent: int, top: int) -> tuple[np.ndarray, float]:
        """What Adapt `top` wins more than NoAdapt in each deal, and half the interval of the matches' part in it."""
        more = self.trends[opponent] - self.trends[opponent][:, NULL, None]
        shares = self.chosen[opponent, top]
        return more @ shares.mean(axis=0), float(interval(shares @ more.mean(axis=0)))

    def gain(self, opponents: Sequence[int], top: int) -> tuple[float, float]:
        """The same, mean over opponents and deals, with half its interval."""
        deals, halves = zip(*(self.gains(each, top) for each in opponents), strict=True)
        mean = np.mean(deals, axis=0)
        return float(mean.mean()), hypot(float(interval(mean)), *(half / len(halves) for half in halves))


def model_of(agent: Blueprint, opponents: Mapping[str, Blueprint], plan: Plan, part: Part) -> Trends:
    """Trends and types of known opponents."""
    shape, unit = (len(opponents), len(FACTORS)), unit_of(agent.rules)[1]
    model = Trends(
        agent.rules, "agent", tuple(opponents), plan.learnt, SEED, "all betting", np.zeros(shape), np.zeros(shape),
        np.array([part.of(f"the type of {name}", counted, agent, each, plan.type_hands)
                  for name, each in opponents.items()]),
    )  # fmt: skip
    for row, (name, opponent) in enumerate(opponents.items()):
        won = part.of(f"the trend of {name}", exact_trend, agent, opponent, plan.learnt, seed=SEED) / unit
        model.means[row], model.ci95[row] = won.mean(axis=0), interval(won)
    return model


def counted(agent: Blueprint, opponent: Blueprint, hands: int) -> np.ndarray:
    """How often the opponent folds, checks, calls and bets in each round, over so many hands."""
    names = ("agent", "opponent")
    drawn = drawn_hands(agent, opponent, hands, seed=SEED + 1, names=names)
    return np.sum([action_counts(agent.rules, hand.actions)[hand.names.index(names[1])] for hand in drawn], axis=0)


def played(agent: Agent, opponent: Agent, model: Trends, top: int, plan: Plan, match: int) -> tuple[np.ndarray, ...]:
    """One match of Adapt `top`: the share of hands in which it took each factor, and whom the opponent was like."""
    adapting = Adapting(agent, model, top, plan.window, seed=match, name="adapting")
    factors, met = np.zeros(len(FACTORS)), np.zeros(len(model.opponents))

    def score(hand: Hand, seated: Sequence[Agent]) -> Sequence[float]:
        view = hand.view(seated.index(adapting))
        factors[adapting.factor(view)] += 1
        (known,) = adapting.known.values()
        if known.nearest is not None:
            met[known.nearest] += 1
        return hand.payoffs()

    names = ("adapting", "opponent")
    play_match(
        model.rules, [adapting, opponent], plan.hands, seed=SEED + match, names=names, score=score, progress=False
    )
    return factors / factors.sum(), met / met.sum()


def matches(agent: Agent, opponent: Blueprint, model: Trends, top: int, plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """The same of several, a row a match."""
    several = [played(agent, BlueprintAgent(opponent), model, top, plan, match) for match in range(plan.matches)]
    taken, like = zip(*several, strict=True)
    return np.array(taken), np.array(like)


def measured(agent: Blueprint, opponents: Mapping[str, Blueprint], plan: Plan, part: Part) -> Measured:
    """All figures of an agent; the first opponents are the known ones."""
    known, name = dict(list(opponents.items())[: plan.known]), part.title
    model = model_of(agent, known, plan, part)
    unit, trends = unit_of(agent.rules)[1], []
    chosen: dict[tuple[int, int], np.ndarray] = {}
    met = np.zeros((len(opponents), len(known)))
    mine = BlueprintAgent(agent, name=name)
    for number, (other, opponent) in enumerate(opponents.items()):
        here = part.later(0.1 + 0.35 * number / len(opponents))
        won = here.of(f"each factor with {other}", exact_trend, agent, opponent, plan.measured, seed=SEED + 2)
        trends.append(won / unit)
        for top in TOPS:
            taken, like = here.of(f"{PLAYERS[top]} with {other}", matches, mine, opponent, model, top, plan)
            chosen[number, top] = taken
            met[number] += like.mean(axis=0) / len(TOPS)
    return Measured(name, tuple(opponents), model, trends, chosen, met)


def published(group: str, top: int) -> Printed:
    """The thesis's mean gain of Adapt `top`; how well it is known is said of averages only, not of differences."""
    rows, halves = AVERAGES[group]
    gain = float(np.mean([won[top] - won[0] for won, _ in rows.values()]))
    return Printed(gain, None, hypot(halves[0], halves[top]), (0.0,))


def gain_table(all_of: Sequence[Measured], quick: str = "") -> tuple[Table, list[dict[str, Any]]]:
    """Mean gains over no adaptation on known and unknown opponents, the thesis's and ours; and whether they are.

    `quick` says what a run is short of.
    """
    main, *others = all_of
    groups = {"known": range(main.known), "unknown": range(main.known, len(main.opponents))}
    rows, findings = [], []
    for group, which in groups.items():
        gains = {each.agent: {top: each.gain(which, top) for top in TOPS} for each in all_of}
        cells = {}
        for top in TOPS:
            mean, half = gains[main.agent][top]
            cells[PLAYERS[top]] = Cell(
                mean, published(group, top),
                {name: figures[top][0] for name, figures in gains.items()}, "agent",
                chance={each.agent: hypot(half, gains[each.agent][top][1]) for each in others},
                sampled={"deals and matches": half}, not_reached=quick,
            )  # fmt: skip
            for each in all_of:
                claim = f"{each.agent}: {PLAYERS[top]} gains on {group} opponents"
                findings.append(finding(claim, *gains[each.agent][top]))
        rows.append(Row(f"mean gain, {group} opponents", cells))
        for each in all_of:
            name = f"{each.agent}, {group}"
            rows.append(Row.computed(name, {PLAYERS[top]: gains[each.agent][top][0] for top in TOPS}))
            rows.append(Row.computed("± 95 %", {PLAYERS[top]: gains[each.agent][top][1] for top in TOPS}))
            apart = {top: np.array([each.gain([one], top)[0] for one in which]) for top in TOPS}
            others_like = {PLAYERS[top]: float(interval(sample)) for top, sample in apart.items()}
            rows.append(Row.computed("± 95 %, were opponents drawn too", others_like))
    return Table("Tables 5.1 and 5.2: gains over NoAdapt", "mb/h", PLAYERS[1:], rows, digits=1), findings


def finding(claim: str, difference: float, half: float) -> dict[str, Any]:
    return {"finding": claim, "verdict": order(difference, half), "difference": difference, "ci95": half}


def winnings_table(name: str, of: Measured, which: Sequence[int]) -> Table:
    """What each player wins from each opponent, as in the thesis; the interval is that of NoAdapt and of the gain."""
    rows = []
    for number in which:
        plain = of.trends[number][:, NULL]
        figures = {PLAYERS[0]: float(plain.mean()), "± won": float(interval(plain))}
        for top in TOPS:
            gain, half = of.gain([number], top)
            figures |= {PLAYERS[top]: float(plain.mean()) + gain, f"± gain {top}": half}
        rows.append(Row.computed(of.opponents[number], figures))
    rows.append(Row.computed("average", {key: _average(key, of, which, rows) for key in rows[0].ours}))
    return Table(f"{name}, {of.agent}", "mb/h", list(rows[0].cells), rows, digits=1)


def _average(column: str, of: Measured, which: Sequence[int], rows: Sequence[Row]) -> float:
    if column == "± won":
        return float(interval(np.mean([of.trends[each][:, NULL] for each in which], axis=0)))
    if column.startswith("±"):
        return of.gain(which, int(column.split()[-1]))[1]
    return float(np.mean([row.ours[column] for row in rows]))


def trend_table(of: Measured) -> Table:
    """The best factor of each trend, what it gains on fresh deals, and how the opponent is recognised."""
    types = type_of(of.model.counts)
    rows = []
    for number, name in enumerate(of.opponents):
        won = of.trends[number]
        half = 0 if number < of.known else len(won) // 2  # the best factor is not looked for where it is measured
        best = int(np.argmax(won[:half].mean(axis=0) if half else of.model.means[number]))
        more = won[half:, best] - won[half:, NULL]
        like = int(np.argmax(of.met[number]))
        figures = {
            "best factor": FACTORS[best], "gains": float(more.mean()), "±": float(interval(more)),
            "recognised": float(of.met[number, like]),
        }  # fmt: skip
        note = f"most often taken for {of.model.opponents[like]}"
        if number < of.known:
            apart = np.abs(types - types[number]).sum(axis=(1, 2))
            figures["next type"] = float(np.delete(apart, number).min())
        rows.append(Row.computed(name + ("" if number < of.known else " (unknown)"), figures, note))
    columns = ("best factor", "gains", "±", "recognised", "next type")
    return Table(f"Trends, {of.agent}", "gains in mb/h on fresh deals", columns, rows, digits=2)


def drawn_opponents(opponents: Mapping[str, Blueprint], plan: Plan) -> dict[str, Blueprint]:
    """Those that will be known, at random, and then those that will not; in each part in their usual order."""
    names = list(opponents)
    places = np.random.default_rng(SEED).permutation(len(names))[: plan.known + plan.unknown]
    known, unknown = sorted(places[: plan.known]), sorted(places[plan.known :])
    return {names[place]: opponents[names[place]] for place in (*known, *unknown)}


def reproduce(quick: bool, pieces: Pieces) -> Report:
    plan = QUICK if quick else WHOLE
    with Bar(NAME) as bar:
        bar.show(0.0, "experts, imitators and others")
        expert = expert_of(plan.cast)
        opponents = drawn_opponents(opponents_of(plan.cast, expert), plan)
        agents = {"an imitator": imitator(expert, plan.cast.watched, 50), "its expert": expert}
        all_of = [
            measured(agent, opponents, plan, Part(pieces, bar, name, 0.1 + 0.45 * number))
            for number, (name, agent) in enumerate(agents.items())
        ]
    gains, findings = gain_table(all_of, f"in {plan.cast.game} with few opponents" if quick else "")
    tables = [gains]
    for of in all_of:
        tables.append(winnings_table("Table 5.1", of, range(of.known)))
        tables.append(winnings_table("Table 5.2", of, range(of.known, len(of.opponents))))
        tables.append(trend_table(of))
    sentences = [
        f"{told['verdict']}: {told['finding']}, by {told['difference']:.1f} ± {told['ci95']:.1f} mb/h"
        for told in findings
    ]
    figures = {f"{NAME}-trends.svg": partial(draw, all_of=all_of)}
    return Report(NAME, tables, {"findings": findings}, sentences, figures)


def draw(path: Path, all_of: Sequence[Measured]) -> None:
    """Figure 5.2 for each opponent: what each factor gains over none."""
    columns = 6
    first = all_of[0]
    rows = -(-len(first.opponents) // columns)

    def paint(grid: np.ndarray) -> None:
        for number, axes in enumerate(grid.ravel()):
            if number >= len(first.opponents):
                axes.set_axis_off()
                continue
            for of in all_of:
                more = of.trends[number] - of.trends[number][:, NULL, None]
                mean, half = more.mean(axis=0), interval(more)
                (line,) = axes.plot(FACTORS, mean, label=of.agent)
                axes.fill_between(FACTORS, mean - half, mean + half, alpha=0.2, color=line.get_color())
            axes.axhline(0.0, color="0.4", linewidth=0.8)
            axes.set_title(first.opponents[number] + ("" if number < first.known else " (unknown)"), fontsize=9)
            axes.tick_params(labelsize=7)
            if number >= len(first.opponents) - columns:
                axes.set_xlabel("factor", fontsize=8)
            if number % columns == 0:
                axes.set_ylabel("gain, mb/h", fontsize=8)
        grid.ravel()[0].legend()

    plots.draw(path, "Aggression response trends: what each factor wins more than none", paint,
               (2.2 * columns, 1.9 * rows + 0.4), rows, columns)  # fmt: skip
