"""Jam or fold, solved and told: two players by their stack, the last two of a tournament, three who play for prizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.bounds import STACK
from pokerlab.cards.chart import chart_lines
from pokerlab.cards.holes import class_name
from pokerlab.errors import PokerlabError
from pokerlab.form.jam_three import DEALS, Tournament, icm, three_way_game
from pokerlab.form.jamfold import KINDS, Worth, jam_game
from pokerlab.solvers.last_three import DEALS as FEWER
from pokerlab.solvers.last_three import PLAYED, check_steps, last_three
from pokerlab.solvers.last_two import LastTwo, last_two
from pokerlab.solvers.run import solve
from pokerlab.solvers.solution import Solution
from pokerlab.terminal import Line

PURE = 0.005  # as near to never, or to always, a chart says never, or always
AVERAGED = 0.05  # the same of averages that begin with anything
SEATS = ("button", "small blind", "big blind")
TITLES = {  # of three players' decisions, by what was done before
    "": "button jams", "fold": "small blind jams after a fold", "jam": "small blind calls the button",
    "fold, jam": "big blind calls the small blind", "jam, fold": "big blind calls the button",
    "jam, jam": "big blind calls both",
}  # fmt: skip
LEGEND = "a name: always; a number: so many per cent; a dot: never"
ABOUT = f"{LEGEND} (or nearer than {AVERAGED:.0%})"
Figures = tuple[dict[str, Any], list[Line]]


@dataclass(frozen=True, eq=False)
class Chart:
    """How often to jam, or call, with each of 169 kinds of hands."""

    title: str
    odds: np.ndarray
    pure: float = PURE

    @property
    def share(self) -> float:
        """Of all 1,326 hands."""
        combos = np.array([6 if k // 13 == k % 13 else 4 if k % 13 > k // 13 else 12 for k in range(KINDS)])
        return float(combos @ self.odds / combos.sum())

    def as_json(self) -> dict[str, float]:
        return {class_name(kind): float(self.odds[kind]) for kind in range(KINDS)}

    def lines(self) -> list[Line]:
        cells = [
            "." if odds < self.pure else class_name(kind) if odds > 1 - self.pure else f"{100 * odds:.0f}"
            for kind, odds in enumerate(self.odds)
        ]
        return [f"{self.title}: {self.share:.1%} of all hands", *chart_lines(cells)]


def charts_of(solution: Solution, titles: dict[str, str], pure: float = PURE) -> list[Chart]:
    """The last action of every block of decisions, which is to put all chips in; `titles` by what was done before."""
    charts = []
    for player, tree in enumerate(solution.game.trees):
        for b in range(len(tree)):
            charts.append(Chart(titles[tree.describe(b).public], tree.block(b, solution.strategy[player])[-1], pure))
    return charts


def heads_up(stack: float, method: str = "lp", **limits: Any) -> Solution:
    """Two players with so many big blinds each, before half a blind and a blind are posted; chips are big blinds."""
    STACK.check(stack, error=PokerlabError)
    game = jam_game(Worth(-0.5, 1.0, stack, -stack, 0.0), f"jam or fold with {stack:g} big blinds")
    return solve(game, method, **limits)


def of_heads_up(stack: float, method: str = "lp", **limits: Any) -> Figures:
    """Charts and value, as plain JSON and as lines."""
    solution = heads_up(stack, method, **limits)
    jam, call = charts_of(solution, {"": "small blind jams", "jam": "big blind calls"})
    summary = {
        "stack": stack, "method": method, "value": solution.value, "exploitability": solution.exploitability,
        "unit": "big blinds", "jam": jam.as_json(), "call": call.as_json(), "jam_share": jam.share,
        "call_share": call.share,
    }  # fmt: skip
    value = f"value to the small blind {solution.value:+.4f} big blinds a hand"
    lines = [f"jam or fold, {stack:g} big blinds, by {method}: {value}, exploitability {solution.exploitability:.1e}"]
    return summary, [*lines, "", *jam.lines(), "", *call.lines(), LEGEND]


def of_last_two(chips: int, blinds: tuple[int, int], rows: int = 16) -> Figures:
    """Chances to win by stack, and how much jam or fold gives away at most to one who may do anything."""
    both = last_two(chips, blinds)
    sure = last_two(chips, blinds, limps=True)
    given = given_away(sure)
    summary = {
        "chips": chips, "blinds": list(blinds), "stacks": both.stacks.tolist(), "small_blind": both.small.tolist(),
        "big_blind": both.big.tolist(), "given_away": given, "residual": both.residual,
    }  # fmt: skip
    lines: list[Line] = [
        f"the last two of a tournament, {chips:,} chips, blinds {blinds[0]}/{blinds[1]}: chances to win",
        f"{'stack':>8}{'small blind':>14}{'big blind':>12}",
    ]
    every = max(1, len(both.stacks) // rows)
    for i in range(every - 1, len(both.stacks), every):
        lines.append(f"{both.stacks[i]:>8,}{both.small[i]:>14.2%}{both.big[i]:>12.2%}")
    lines.append(f"who may bet anything wins at most {100 * given:.2f} percentage points more from it")
    return summary, lines


def given_away(sure: LastTwo) -> float:
    """The most by which the value of the whole tournament may be above what a player who jams or folds is sure of."""
    return float((1.0 - sure.big[::-1] - sure.small).max())


def of_three(table: Tournament, iterations: int = 200, deals: int = DEALS, seed: int = 0) -> Figures:
    """Charts of three players by fictitious play, what each has of the prizes, and how exploitable they are."""
    solution = solve(three_way_game(table, deals, seed), "fp", iterations=iterations)
    game, plans = solution.game, solution.strategy.plans()
    worth = [float((game.gradient(p, plans) * plan).sum()) for p, plan in enumerate(plans)]
    charts = charts_of(solution, TITLES, AVERAGED)
    summary = _summary(table, worth, charts) | {
        "deals": deals, "iterations": solution.iterations, "exploitability": solution.exploitability,
    }  # fmt: skip
    lines: list[Line] = [
        f"jam or fold of three, {deals:,} drawn deals, {solution.iterations:,} iterations of fictitious play",
        f"prizes to come: {_shares(worth)}; exploitability {solution.exploitability:.1e} on these deals",
    ]
    return summary, [*lines, *_told(charts)]


def of_last_three(
    table: Tournament, rounds: int, iterations: int = PLAYED, deals: int = FEWER, seed: int = 0
) -> Figures:
    """The same where later hands are worth what playing them brings, in rounds over all stacks."""
    table.check()
    check_steps(table.stacks, table.blinds)
    solved = last_three(
        sum(table.stacks), table.blinds, table.prizes, rounds=rounds, iterations=iterations, deals=deals, seed=seed,
    )  # fmt: skip
    state = solved.state(table.stacks)
    worth, model = solved.worth[state].tolist(), icm(table.stacks, table.prizes).tolist()
    charts = [Chart(title, odds, AVERAGED) for title, odds in zip(TITLES.values(), solved.jam[state], strict=True)]
    summary = _summary(table, worth, charts) | {
        "deals": deals, "iterations": iterations, "rounds": solved.rounds, "states": len(solved.stacks),
        "residual": solved.residual, "gain": solved.gain,
        "independent_chip_model": dict(zip(SEATS, model, strict=True)),
    }  # fmt: skip
    lines: list[Line] = [
        f"the last three of a tournament, {len(solved.stacks):,} divisions of {sum(table.stacks):,} chips, "
        f"{deals:,} drawn deals, {solved.rounds:,} rounds",
        f"prizes to come: {_shares(worth)}",
        f"by the Independent Chip Model: {_shares(model)}",
        f"the last round changed at most {solved.residual:.1e}; another play in a hand wins at most {solved.gain:.1e}",
    ]
    return summary, [*lines, *_told(charts)]


def _summary(table: Tournament, worth: list[float], charts: list[Chart]) -> dict[str, Any]:
    return {
        "stacks": list(table.stacks), "blinds": list(table.blinds), "prizes": list(table.prizes),
        "worth": dict(zip(SEATS, worth, strict=True)), "charts": {chart.title: chart.as_json() for chart in charts},
    }  # fmt: skip


def _shares(worth: list[float]) -> str:
    return ", ".join(f"{seat} {share:.3f}" for seat, share in zip(SEATS, worth, strict=True))


def _told(charts: list[Chart]) -> list[Line]:
    return [*(line for chart in charts for line in ("", *chart.lines())), ABOUT]
