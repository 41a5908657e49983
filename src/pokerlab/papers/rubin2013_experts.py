"""Rubin (2013), Case-Based Strategies in Computer Poker, chapter 4: Tables 4.2 and 4.3, several experts as one player.

The thesis's imitators and opponents are not at hand: ours are others (`rubin2013_players`), so that its figures cannot
come out, and stand beside ours. What must hold are the findings, each an order of figures. Beside UCB1 with credit by
showdown DIVAT, the thesis's, stand Thompson sampling and other credits; the scale of rewards, which it leaves open; and
opponents that change (`rubin2013_change`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab import plots
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent
from pokerlab.match.aivat_holdem import HoldemAivat
from pokerlab.match.play import play_match
from pokerlab.opponents.dynamic import Dynamic
from pokerlab.papers.pieces import Part, Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.papers.rubin2013_bandits import Figure, Method, Worth, figure, runs, winnings
from pokerlab.papers.rubin2013_change import change_table, changes, draw_changes
from pokerlab.papers.rubin2013_players import (
    ENSEMBLE,
    MANIAC,
    MAX,
    PROB,
    ROCK,
    SOLID,
    STATION,
    Making,
    Players,
    players,
)
from pokerlab.papers.verdicts import Cell, Printed, interval, order
from pokerlab.progress import Bar

NAME = "rubin2013-experts"
DYNAMIC = "Dynamic"
TABLE_4_2 = {  # small bets a hand against Fell Omen 2 and AlistairBot, and on average, each with half its interval
    DYNAMIC: ((0.01342, 0.006), (0.68848, 0.009), (0.35095, 0.0075)),
    ENSEMBLE: ((0.00830, 0.010), (0.67348, 0.010), (0.34089, 0.0100)),
    "Rockhopper-max": ((-0.01445, 0.009), (0.69504, 0.009), (0.34030, 0.0090)),
    "PULPO-max": ((-0.00768, 0.006), (0.66053, 0.024), (0.32643, 0.0150)),
    "Sartre-max": ((0.00825, 0.014), (0.63898, 0.019), (0.32362, 0.0165)),
    "PULPO-prob": ((-0.00355, 0.011), (0.63385, 0.018), (0.31515, 0.0145)),
    "Sartre-prob": ((-0.01816, 0.006), (0.64535, 0.015), (0.31360, 0.0105)),
    "Rockhopper-prob": ((-0.02943, 0.011), (0.63870, 0.020), (0.30464, 0.0155)),
}
TABLE_4_3 = {  # big blinds a hand against MCTSBot and SimpleBot, and on average
    "Hyperborean-max": ((1.7781, 0.216), (0.7935, 0.095), (1.2858, 0.156)),
    DYNAMIC: ((1.3332, 0.164), (0.5928, 0.065), (0.9630, 0.115)),
    ENSEMBLE: ((1.3138, 0.053), (0.5453, 0.065), (0.9295, 0.059)),
    "Hyperborean-prob": ((1.1036, 0.184), (0.5075, 0.104), (0.8055, 0.144)),
    "Sartre-max": ((0.9313, 0.131), (0.5248, 0.036), (0.7281, 0.086)),
    "Sartre-prob": ((0.4524, 0.118), (0.3933, 0.082), (0.4228, 0.100)),
    "Tartanian-max": ((0.1033, 0.505), (0.3450, 0.098), (0.2242, 0.302)),
    "Tartanian-prob": ((-0.0518, 0.142), (0.4221, 0.036), (0.1852, 0.089)),
}
METHODS = [
    Method(chooser, credit) for chooser in ("ucb1", "thompson") for credit in ("showdown-divat", "luck", "money")
]
MAIN = (METHODS[0], METHODS[3])  # the thesis's, and the other chooser: of more runs
SCALES = (0.03, 0.1, 0.3, 1.0, 3.0)
TRIED = [Method(chooser, scale=scale) for chooser in ("ucb1", "thompson") for scale in SCALES]
AVERAGE, BEST, MEAN, WORST = "average", "best arm", "mean of the arms", "worst arm"
SEED = 40


@dataclass(frozen=True)
class Plan:
    """How much is played and measured."""

    limit: Making
    nolimit: Making
    hands: tuple[int, ...]  # at which runs are looked at
    main_runs: int
    runs: int
    scale_runs: int
    deals: int  # that arms are measured on
    aivat: int  # hands of a match by AIVAT
    change: int  # the hand of a change
    change_runs: int


WHOLE = Plan(
    Making("holdem-limit", "holdem-limit", "", 20, 400_000, 8_000, 100_000, (SOLID, ROCK, STATION, MANIAC, "bluffer")),
    Making("holdem-nolimit", "holdem-nolimit", "", 20, 1_000_000, 8_000, 0, (SOLID, ROCK, STATION, MANIAC)),
    (300, 1_000, 3_000, 10_000), 16, 6, 4, 20_000, 300, 3_000, 5,
)  # fmt: skip
_FEW_BETS = " / ".join(["100 allin | allin"] * 4)
QUICK = Plan(
    Making("holdem-limit:raises=1", "holdem-limit", "", 10, 20_000, 2_000, 5_000, (SOLID, ROCK, STATION, MANIAC)),
    Making("holdem-nolimit", "holdem-nolimit", _FEW_BETS, 10, 20_000, 2_000, 0, (ROCK, STATION, MANIAC)),
    (20, 100), 2, 2, 2, 300, 5, 50, 2,
)  # fmt: skip


@dataclass(frozen=True)
class Game:
    """What was measured in one game, by opponent: arms' worth, the ensemble's [seats, deals], and choices."""

    name: str
    players: Players
    worth: Mapping[str, Worth]
    ensemble: Mapping[str, np.ndarray]
    main: Mapping[str, np.ndarray]  # [methods, runs, hands], of MAIN
    picked: Mapping[str, np.ndarray]  # the same of METHODS
    tried: Mapping[str, np.ndarray]  # the same for scales

    def by_deal(self, name: str, method: int, hands: int) -> np.ndarray:
        return self.worth[name].by_deal(self.main[name][method, :, :hands])

    def by_run(self, name: str, method: int, hands: int) -> np.ndarray:
        return self.worth[name].by_run(self.main[name][method, :, :hands])

    def dynamic(
        self, name: str, hands: int, method: int = 0, less: Callable[[Worth], np.ndarray] | None = None
    ) -> Figure:
        """What a method wins from an opponent, or from all on average; `less` [deals] is taken off."""
        names = [*self.worth] if name == AVERAGE else [name]
        deals = [
            self.by_deal(each, method, hands) - (0.0 if less is None else less(self.worth[each])) for each in names
        ]
        return figure(np.mean(deals, axis=0), np.mean([self.by_run(each, method, hands) for each in names], axis=0))

    def fixed(self, name: str, who: str, less: Callable[[Worth], np.ndarray] | None = None) -> Figure:
        """The same for an arm, or the ensemble."""
        names, arms = [*self.worth] if name == AVERAGE else [name], [*self.players.arms]
        deals = [self.ensemble[each].mean(axis=0) if who == ENSEMBLE else self.worth[each].by_arm[arms.index(who)]
                 for each in names]  # fmt: skip
        return figure(np.mean([won - (0.0 if less is None else less(self.worth[each]))
                               for each, won in zip(names, deals, strict=True)], axis=0))  # fmt: skip

    def regrets(self, method: Method, hands: int, among: str = "picked") -> np.ndarray:
        """[runs] what the best arm against each opponent wins more than a method, on average over opponents."""
        methods = {"main": MAIN, "picked": METHODS, "tried": TRIED}[among]
        runs, number = getattr(self, among), list(methods).index(method)
        less = [worth.by_arm.mean(axis=1).max() - worth.by_run(runs[name][number, :, :hands])
                for name, worth in self.worth.items()]  # fmt: skip
        return np.asarray(np.mean(less, axis=0))


def mean_of(worth: Worth) -> np.ndarray:
    """What the arms win on each deal, on average."""
    return np.asarray(worth.by_arm.mean(axis=0))


def measured(name: str, making: Making, plan: Plan, seed: int, part: Part) -> Game:
    """Everything of one game but opponents that change."""
    known = players(making, part.tell)
    arms, most = list(known.arms.values()), plan.hands[-1]
    worth, ensemble, main, picked, tried = {}, {}, {}, {}, {}
    for number, (opponent, blueprint) in enumerate(known.opponents.items()):
        won = part.of(f"what arms win from the {opponent}", winnings, [*arms, known.ensemble], blueprint, plan.deals)
        worth[opponent], ensemble[opponent] = Worth(won[:-1]), won[-1]
        against, here = [blueprint], seed + number
        tried[opponent] = part.of(
            f"scales against the {opponent}",
            runs, TRIED, arms, against, plan.hands[-2], plan.scale_runs, here + 10,
        )  # fmt: skip
        picked[opponent] = part.of(
            f"selection against the {opponent}", runs, METHODS, arms, against, most, plan.runs, here
        )
        main[opponent] = part.of(
            f"selection against the {opponent}, more runs", runs, MAIN, arms, against, most, plan.main_runs, here + 20
        )
    return Game(name, known, worth, ensemble, main, picked, tried)


def published_table(
    name: str, unit: str, printed: Mapping[str, Any], game: Game, hands: int, columns: Sequence[str]
) -> Table:
    """The thesis's table beside ours, as far as there is the like: what is common to both are ranks among the arms."""
    arms, place = [each for each in printed if each not in (DYNAMIC, ENSEMBLE)], {SOLID: 0, AVERAGE: 2}
    digits = 5 if printed is TABLE_4_2 else 4
    rows = []
    for label in (DYNAMIC, ENSEMBLE, BEST, MEAN, WORST):
        cells = {}
        for column in columns:
            known = {arm: printed[arm][place[column]] for arm in arms}
            ours = {arm: game.fixed(column, arm) for arm in game.players.arms}
            every = tuple(figures[place[column]][0] for figures in printed.values())
            if label in (DYNAMIC, ENSEMBLE):
                paper = Printed(*_known(printed[label][place[column]], digits), rivals=every)
                own = game.dynamic(column, hands) if label == DYNAMIC else game.fixed(column, ENSEMBLE)
            elif label == MEAN:
                paper = Printed(float(np.mean([value for value, _ in known.values()])), digits, rivals=every)
                own = Figure(float(np.mean([each.mean for each in ours.values()])))
            else:
                which = max if label == BEST else min
                paper = Printed(*_known(which(known.values()), digits), rivals=every)
                own = which(ours.values())
            cells[column] = Cell(own.mean, paper, sampled={"ours": own.half} if own.half else {})
        rows.append(Row(label, cells))
    return Table(name, unit, columns, rows, digits=4)


def _known(figure: tuple[float, float], digits: int) -> tuple[float, int, float]:
    """A printed figure, its digits, and half its interval."""
    return figure[0], digits, figure[1]


def own_table(unit: str, game: Game, hands: Sequence[int]) -> Table:
    """All our players against all our opponents."""
    columns, rows = [*game.worth, AVERAGE], []
    every: dict[str, Callable[[str], Figure]] = {
        f"{DYNAMIC}, {method.chooser}, {count:,} hands": partial(game.dynamic, hands=count, method=number)
        for number, method in enumerate(MAIN)
        for count in hands
    }
    every |= {who: partial(game.fixed, who=who) for who in (ENSEMBLE, *game.players.arms)}
    for label, figures in every.items():
        known = {column: figures(column) for column in columns}
        rows.append(Row.computed(label, {column: each.mean for column, each in known.items()}))
        rows.append(Row.computed("± 95 %", {column: each.half for column, each in known.items()}))
    return Table(f"Ours, {game.name}", unit, columns, rows, digits=3)


def regret_table(game: Game, hands: Sequence[int]) -> Table:
    """What each method leaves to the best arm, mean over opponents."""
    rows = []
    for method in METHODS:
        among = "main" if method in MAIN else "picked"
        regrets = {f"{count:,} hands": game.regrets(method, count, among) for count in hands}
        figures = {column: float(sample.mean()) for column, sample in regrets.items()}
        rows.append(Row.computed(str(method), figures | {"± 95 %": float(interval([*regrets.values()][-1]))}))
    return Table(f"Regret, {game.name}", "a hand", list(rows[0].cells), rows, digits=3)


def scale_table(game: Game, hands: int) -> Table:
    """The same for scales of rewards, on other hands."""
    rows = []
    for scale in SCALES:
        figures: dict[str, float] = {}
        for method in TRIED:
            if method.scale == scale:
                regrets = game.regrets(method, hands, "tried")
                figures |= {method.chooser: float(regrets.mean()), f"± {method.chooser}": float(interval(regrets))}
        rows.append(Row.computed(f"scale {scale:g}", figures))
    title = f"Scales, {game.name}", f"regret a hand after {hands:,} hands"
    return Table(*title, list(rows[0].cells), rows, digits=3)


def main_findings(game: Game, hands: Sequence[int]) -> list[dict[str, Any]]:
    """What the thesis found, of both choosers; and that regret falls."""
    most, told = hands[-1], []
    best = max(game.players.arms, key=lambda arm: game.fixed(AVERAGE, arm).mean)
    number = [*game.players.arms].index(best)
    others = {
        "the ensemble": [won.mean(axis=0) for won in game.ensemble.values()],
        f"{best}, the best single arm": [worth.by_arm[number] for worth in game.worth.values()],
    }
    for which, method in enumerate(MAIN):
        said = f"{game.name}, {method.chooser}"
        for name in (*game.worth, AVERAGE):
            whom = "on average" if name == AVERAGE else f"against the {name}"
            above = game.dynamic(name, most, which, mean_of)
            told.append(_finding(f"{said}: dynamic selection is above the mean of its arms {whom}", above))
        by_run = np.mean([game.by_run(name, which, most) for name in game.worth], axis=0)
        for who, won in others.items():
            deals = np.mean([game.by_deal(name, which, most) for name in game.worth], axis=0) - np.mean(won, axis=0)
            told.append(_finding(f"{said}: dynamic selection is above {who} on average", figure(deals, by_run)))
        for few, many in pairwise(hands):
            fell = game.regrets(method, few, "main") - game.regrets(method, many, "main")
            told.append(_finding(f"{said}: regret falls from {few:,} to {many:,} hands", _paired(fell)))
    told.append(_finding(f"{game.name}: the ensemble is above the mean of the arms on average",
                         game.fixed(AVERAGE, ENSEMBLE, mean_of)))  # fmt: skip
    pure = np.array([arm.endswith(MAX) for arm in game.players.arms])
    apart = np.mean([worth.by_arm[pure].mean(axis=0) - worth.by_arm[~pure].mean(axis=0)
                     for worth in game.worth.values()], axis=0)  # fmt: skip
    told.append(_finding(f"{game.name}: the likeliest action ({MAX}) does better than mixing ({PROB})", figure(apart)))
    gain = game.regrets(MAIN[0], most, "main") - game.regrets(MAIN[1], most, "main")
    told.append(_finding(f"{game.name}: {MAIN[1]} does better than {MAIN[0]} over {most:,} hands", _paired(gain)))
    return told


def credit_findings(game: Game, hands: int) -> list[dict[str, Any]]:
    """Which credit does better, with either chooser."""
    told = []
    for chooser in ("ucb1", "thompson"):
        for one, other in (("luck", "showdown-divat"), ("luck", "money")):
            better, worse = Method(chooser, one), Method(chooser, other)
            gain = game.regrets(worse, hands) - game.regrets(better, hands)
            told.append(_finding(f"{game.name}: {better} does better than {worse} over {hands:,} hands", _paired(gain)))
    return told


def _paired(sample: np.ndarray) -> Figure:
    return Figure(float(sample.mean()), float(interval(sample)))


def _finding(claim: str, apart: Figure) -> dict[str, Any]:
    return {"finding": claim, "verdict": order(*apart), "difference": apart.mean, "ci95": apart.half}


def at_a_table(game: Game, hands: int, part: Part) -> dict[str, tuple[Figure, float]]:
    """The agent itself in matches, by AIVAT; and what the arms that it played are worth."""

    def played(number: int, name: str, opponent: Blueprint) -> tuple[float, float, float]:
        dynamic = Dynamic(
            [BlueprintAgent(arm, name=arm_name) for arm_name, arm in game.players.arms.items()], name=DYNAMIC
        )
        agents = [dynamic, BlueprintAgent(opponent, name=name)]
        result = play_match(
            opponent.rules, agents, hands, seed=SEED + number, score=HoldemAivat(opponent.rules, agents), progress=False
        )
        (record,) = dynamic.records.values()
        pulls = np.array([arm.pulls for arm in record.arms])
        worth = float(pulls @ game.worth[name].means.mean(axis=1) / pulls.sum())
        return float(result.mean[0]) / 1000, float(result.ci95[0]) / 1000, worth

    told = {}
    for number, (name, opponent) in enumerate(game.players.opponents.items()):
        mean, half, worth = part.of(f"at a table against the {name}", played, number, name, opponent)
        told[name] = Figure(mean, half), worth
    return told


def reproduce(quick: bool, pieces: Pieces) -> Report:
    plan = QUICK if quick else WHOLE
    with Bar(NAME) as bar:
        limit = measured("limit", plan.limit, plan, SEED, Part(pieces, bar, "limit", 0.0))
        rest = Part(pieces, bar, "limit", 0.5)
        told = changes(limit.players, limit.worth, plan.change, plan.hands[-1], plan.change_runs, plan.deals, rest)
        played = at_a_table(limit, plan.aivat, rest)
        nolimit = measured("no-limit", plan.nolimit, plan, SEED + 100, Part(pieces, bar, "no-limit", 0.7))
    games, hands = (limit, nolimit), plan.hands
    findings = [each for game in games for each in (*main_findings(game, hands), *credit_findings(game, hands[-1]))]
    tables = [
        published_table("Table 4.2", "small bets per hand", TABLE_4_2, limit, hands[-1], (SOLID, AVERAGE)),
        own_table("small bets per hand", limit, hands[-2:]),
        published_table("Table 4.3", "big blinds per hand", TABLE_4_3, nolimit, hands[-1], (AVERAGE,)),
        own_table("big blinds per hand", nolimit, hands[-2:]),
        *(regret_table(game, hands) for game in games), *(scale_table(game, hands[-2]) for game in games),
        change_table(told),
    ]  # fmt: skip
    sentences = [
        f"{each['verdict']}: {each['finding']}, by {each['difference']:.4g} ± {each['ci95']:.4g}" for each in findings
    ]
    sentences += [f"At a table, {plan.aivat:,} hands against the {name}: {by.mean:.3f} ± {by.half:.3f} by AIVAT, and "
                  f"{worth:.3f} by what its arms are worth." for name, (by, worth) in played.items()]  # fmt: skip
    figures: dict[str, Callable[[Path], None]] = {
        f"{NAME}-regret.svg": partial(draw_regrets, games=games, hands=hands),
        f"{NAME}-change.svg": partial(draw_changes, told=told),
    }
    return Report(NAME, tables, {"findings": findings}, sentences, figures)


def draw_regrets(path: Path, games: Sequence[Game], hands: Sequence[int]) -> None:
    """Regret over hands, by method; with intervals where there are more runs."""

    def paint(grid: np.ndarray) -> None:
        for axes, game, unit in zip(grid[0], games, ("small bets", "big blinds"), strict=True):
            for method in METHODS:
                known = method in MAIN
                regrets = [game.regrets(method, count, "main" if known else "picked") for count in hands]
                halves = [float(interval(each)) for each in regrets] if known else None
                style = "o-" if method.chooser == "ucb1" else "s--"
                axes.errorbar(hands, [each.mean() for each in regrets], halves, fmt=style, label=str(method), capsize=3)
            spread = np.mean([worth.by_arm.mean(axis=1).max() - worth.by_arm.mean() for worth in game.worth.values()])
            axes.axhline(spread, color="0.4", linewidth=0.8, label="an arm at random")
            axes.set_xscale("log")
            axes.set_ylim(bottom=0)
            axes.set_title(game.name)
            axes.set_xlabel("hands")
            axes.set_ylabel(f"regret a hand, {unit}")
        grid[0, 0].legend()

    plots.draw(path, "What selection leaves to the best arm", paint, (11, 4.5), columns=2)
