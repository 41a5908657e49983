"""Claim: in Leduc no response to a known player wins more at the same risk than a restricted Nash response; from hands
of its own matches data biased responses win more than that, and one that trusts little data less than an equilibrium.

The target does not tell a Jack from a Queen. It is known, or was seen for 10^2 to 10^6 hands: in matches against
itself, where much of the betting never comes up, or against one who never folds. Everything is exact but the hands that
were seen: five samples of each number. Winnings and exploitability are in mb/h, mean of the seats.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pokerlab
from _command import FULL, Table, command
from pokerlab import plots
from pokerlab.agents.simple import Probe
from pokerlab.agents.table import profile_of
from pokerlab.form.lift import lift
from pokerlab.refine.truncated import glued, truncated_game, with_first_rounds
from pokerlab.solvers.counter import CONFIDENCES, data_biased, frequentist_response, restricted_nash, standing
from pokerlab.solvers.observed import Model, watch
from pokerlab.solvers.solution import Solution

UNIT = 0.002  # chips in a mb/h of Leduc
PS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0)
HANDS = (100, 1000, 10_000, 100_000, 1_000_000)
SAMPLES = 5
RISK = 100.0  # mb/h, at which frontiers are compared
SHOWN = (0.0, 0.3, 0.6, 0.8, 0.9, 1.0)
PLACES = {"own": "in its own matches", "probe": "against one who never folds"}
PIECES = ("leduc", "leduc:ranks=4,suits=2", "leduc:ranks=6,suits=2")
KINDS = ("restricted Nash", *(f"data biased, {name}" for name in CONFIDENCES))

Points = list[list[float]]  # exploitability and winnings for each of PS


def frontier(make: Callable[[float], Solution], target: pokerlab.Profile) -> Points:
    points = [standing(make(p).strategy, target) for p in PS]
    return [[point.exploitability / UNIT, point.won / UNIT] for point in points]


def at_risk(points: Points, risk: float = RISK) -> float:
    """What can be won at so much exploitability, by mixing neighbours on the frontier."""
    lost, won = np.array(sorted(points)).T
    return float(np.interp(risk, lost, np.maximum.accumulate(won)))


def seen(target: pokerlab.Profile, other: pokerlab.Profile, hands: int, samples: int) -> dict[str, Any]:
    """Mean winnings of a frequentist, and frontiers of the others, from samples of so many hands."""
    first: dict[str, list[Points]] = {kind: [] for kind in KINDS}
    frequentist = []
    for seed in range(samples):
        model = Model.of_endings(target.game, watch(target, other, hands, np.random.default_rng(seed)))
        frequentist.append(standing(frequentist_response(model).strategy, target).won / UNIT)
        makers: list[Callable[[float], Solution]] = [lambda p, m=model: restricted_nash(m, p)]  # type: ignore[misc]
        makers += [lambda p, m=model, c=name: data_biased(m, p, c) for name in CONFIDENCES]  # type: ignore[misc]
        for kind, make in zip(KINDS, makers, strict=True):
            first[kind].append(frontier(make, target))
    return {
        "frequentist": float(np.mean(frequentist)),
        "at_risk": {kind: float(np.mean([at_risk(points) for points in runs])) for kind, runs in first.items()},
        "frontiers": {kind: runs[0] for kind, runs in first.items()},
    }


def pieces(name: str) -> dict[str, float]:
    """How exploitable a game's models are when they are glued, and each beside the rest of a whole solution."""
    game = pokerlab.compile(name)
    whole, both = pokerlab.solve(game, "lp").strategy, glued(game)
    model = pokerlab.solve(truncated_game(game, 1), "lp").strategy
    first = [behaviour.copy() for behaviour in both.behaviours]
    for here, node in enumerate(game.origin.nodes):
        if node.state.actor is not None and node.state.round == 0:
            game.at_node(here, first[node.state.actor])[:] = game.at_node(here, whole[node.state.actor])
    parts = {
        "model of the first round, whole after it": with_first_rounds(whole, model),
        "whole first round, models after it": pokerlab.Profile(game, (first[0], first[1])),
        "glued models": both,
    }
    lost = {title: pokerlab.evaluate(part).exploitability / UNIT for title, part in parts.items()}
    return lost | {"glued models, lost to the whole solution": -standing(both, whole).won / UNIT}


def measure(quick: bool, plot: Path) -> dict[str, Any]:
    game = pokerlab.compile("leduc")
    target = lift(pokerlab.solve(pokerlab.compile("leduc", "JQ.K"), "lp").strategy, game)
    others = {"own": target, "probe": profile_of(Probe(), Probe(), game)}
    known = Model.known(target)
    report: dict[str, Any] = {
        "known": frontier(lambda p: restricted_nash(known, p), target),
        "equilibrium": standing(pokerlab.solve(game, "lp").strategy, target).won / UNIT,
        "best_response": standing(frequentist_response(known).strategy, target).won / UNIT,
        "seen": {
            place: {str(n): seen(target, other, n, 1 if quick else SAMPLES) for n in (HANDS[:1] if quick else HANDS)}
            for place, other in others.items()
        },
        "pieces": {name: pieces(name) for name in PIECES},
        "plot": str(plot),
    }
    plot.parent.mkdir(parents=True, exist_ok=True)
    draw(report, plot)
    return report


def draw(report: dict[str, Any], path: Path) -> None:
    def paint(grid: Any) -> None:
        for axes, (place, title) in zip(grid[0], PLACES.items(), strict=True):
            axes.plot(*np.array(report["known"]).T, "k-", label="restricted Nash, known")
            axes.axhline(report["equilibrium"], color="grey", linewidth=0.8, linestyle=":", label="equilibrium")
            for number, hands in enumerate(n for n in report["seen"][place] if n in ("100", "1000", "1000000")):
                row = report["seen"][place][hands]["frontiers"]
                for kind, line in ((KINDS[0], "--"), (KINDS[2], "-")):
                    lost, won = np.array(row[kind]).T
                    label = f"{kind.split(',')[0]}, {int(hands):,} hands"
                    axes.plot(lost, won, line, color=f"C{number}", label=label)
            axes.set(title=f"seen {title}", xlabel="exploitability, mb/h", ylabel="won, mb/h", xlim=(-10, 620))
            axes.set_ylim(-75, 300)
        grid[0, 1].legend(loc="lower right", ncols=2)

    plots.draw(path, "Leduc: what is won from a player who does not tell J from Q", paint, (11, 4.6), columns=2)


def unmet_frontier(points: Points) -> list[str]:
    """The frontier of a known player is optimal for each p, thus concave, from the equilibrium to the best response."""
    lost, won = np.array(points).T
    scores = np.array([[p * w - (1 - p) * e for e, w in points] for p in PS])
    wrong = [f"p = {p} is not best at its own trade" for p, row, best in zip(PS, scores, scores.diagonal(), strict=True)
             if row.max() > best + 1e-6]  # fmt: skip
    if not np.all(np.diff(lost) > -1e-6) or not np.all(np.diff(won) > -1e-6):
        wrong.append("the frontier of a known player falls")
    return wrong


def failed(report: dict[str, Any]) -> list[str]:
    unmet = unmet_frontier(report["known"])
    if abs(report["known"][0][0]) > 1e-6 or abs(report["known"][-1][1] - report["best_response"]) > 1e-6:
        unmet.append("the frontier does not begin with an equilibrium, or not end with the best response")
    own = report["seen"]["own"]
    for hands, row in own.items():
        won = row["at_risk"]
        if won["data biased, curve"] <= won["restricted Nash"]:
            unmet.append(f"from {hands} hands of its own matches data biased wins {won}")
    little = own[min(own, key=int)]["frequentist"]
    if little >= report["equilibrium"]:
        unmet.append(f"a best response to little data wins {little:.1f} mb/h")
    return unmet


def tables(report: dict[str, Any]) -> dict[str, Table]:
    rows = [(f"{p:g}", *(f"{report['known'][PS.index(p)][i]:.1f}" for i in (1, 0))) for p in SHOWN]
    table = {"known": [("p", "won", "exploitability"), *rows]}
    for place in PLACES:
        lines = []
        for hands in HANDS:
            row = report["seen"][place].get(str(hands))
            if row is None or report["quick"]:
                lines.append((f"{hands:,}", *[FULL] * (1 + len(KINDS))))
            else:
                lines.append((f"{hands:,}", f"{row['frequentist']:.0f}", *(f"{row['at_risk'][k]:.0f}" for k in KINDS)))
        table[place] = [("hands seen", "best response", *KINDS), *lines]
    rows = report["pieces"]
    table["pieces"] = [
        ("exploitability in mb/h", *rows),
        *((title, *(f"{row[title]:.0f}" for row in rows.values())) for title in rows["leduc"]),
    ]
    return table


def show(report: dict[str, Any]) -> None:
    print(f"an equilibrium wins {report['equilibrium']:.1f}, the best response {report['best_response']:.1f} mb/h")
    for name, table in tables(report).items():
        print(f"\n{PLACES.get(name, name)}" + (f", won at {RISK:.0f} mb/h of exploitability" * (name in PLACES)))
        for row in table:
            print("".join(f"{cell:>24}" for cell in row))
    print(f"plot: {report['plot']}")


if __name__ == "__main__":
    where = {"type": Path, "default": Path("results/counter.svg"), "help": "where the plot goes"}
    sys.exit(command(__doc__, "one sample of 100 hands", measure, show, failed, tables, plot=where))
