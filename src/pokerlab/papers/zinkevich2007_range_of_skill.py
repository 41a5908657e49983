"""Zinkevich, Bowling and Burch (2007), A New Algorithm for Generating Equilibria in Massive Zero-Sum Games.

The small-game half: on Kuhn, Leduc and random symmetric matrix games, the rounds and seconds that the double oracle
(Algorithm 1) and range of skill with either generalized best response (Algorithms 2 and 3, equations 12 to 18) need for
a gap of 1e-6, beside one linear program. The paper prints no figures for such games; Theorem 1's bound is checked by
the longest ranked list among the strategies found. Table 1, for hold'em, is made by `zinkevich2007_holdem.py`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pokerlab import plots
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.game import Game, matrix_game
from pokerlab.papers import zinkevich2007_holdem
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.report import Report, Row, Table
from pokerlab.solvers.oracles import DoubleOracle, RangeOfSkill
from pokerlab.solvers.run import solve

NAME = "zinkevich2007-range-of-skill"
GAP = 1e-6
PATIENCE = 30.0  # seconds after which a method that needs longer is cut off, and said to be

Trace = list[tuple[int, float, float]]  # round, seconds, gap


def reproduce(quick: bool, pieces: Pieces) -> Report:
    """Table 1, and small games; `quick` samples turns for the matrices, and leaves out ten buckets and large games."""
    small, (table, told, game) = small_games(quick), zinkevich2007_holdem.table_1(quick, pieces)
    growth = zinkevich2007_holdem.growing_sets(game, *((1.0, 30.0) if quick else (0.1, 1800.0)), pieces)
    return Report(NAME, [table, growth, *small.tables], sentences=[*told, *small.sentences], figures=small.figures)


def small_games(quick: bool = False) -> Report:
    """Kuhn, Leduc and matrix games; `quick` leaves out the largest and gives each method five seconds."""
    patience = 5.0 if quick else PATIENCE
    rows: list[Row] = []
    traces: dict[str, dict[str, Trace]] = {}
    for label, game in _games((10, 30) if quick else (10, 30, 100)):
        traces[label] = {}
        rows += _rows(label, game, patience, traces[label])
    table = Table("Small games", "gap in chips or utility", ["rounds", "seconds", "gap", "ranked"], rows)
    sentences = ["ranked: the length of a list among the strategies found in which each beats all before it by 0.01."]
    return Report(NAME, [table], sentences=sentences, figures={f"{NAME}.svg": lambda path: _draw(traces, path)})


def _games(sizes: Sequence[int]) -> list[tuple[str, Game]]:
    games = [("Kuhn", compile("kuhn")), ("Leduc", compile("leduc"))]
    for size in sizes:
        noise = np.random.default_rng(size).normal(size=(size, size))
        games.append((f"symmetric {size} x {size}", matrix_game(noise - noise.T, name=f"symmetric {size}")))
    return games


def _rows(label: str, game: Game, patience: float, traces: dict[str, Trace]) -> list[Row]:
    methods: dict[str, DoubleOracle | RangeOfSkill] = {
        "double oracle": DoubleOracle(game),
        "range of skill, GBR I": RangeOfSkill(game, response=1),
        "range of skill, GBR II": RangeOfSkill(game, response=2),
    }
    exact = solve(game, "lp")
    figures = {"seconds": exact.seconds, "gap": 2 * exact.exploitability}
    rows = [Row.computed(f"{label}: linear program", figures)]
    for name, stepper in methods.items():
        traces[name] = _run(stepper, patience)
        rounds, seconds, gap = traces[name][-1]
        ours: dict[str, float] = {"rounds": rounds, "seconds": seconds, "gap": gap}
        if isinstance(stepper, RangeOfSkill):
            ours["ranked"] = stepper.ranked(0.01)
        rows.append(Row.computed(f"{label}: {name}", ours, "cut off" if gap > GAP else ""))
    return rows


def _run(stepper: DoubleOracle | RangeOfSkill, patience: float) -> Trace:
    trace: Trace = []
    began = time.perf_counter()
    while not trace or (trace[-1][2] > GAP and trace[-1][1] < patience and not stepper.finished):
        stepper.step()
        gap = 2 * evaluate(stepper.profile()).exploitability
        trace.append((stepper.iteration, time.perf_counter() - began, gap))
    return trace


def _draw(traces: dict[str, dict[str, Trace]], path: Path) -> None:
    def paint(grid: np.ndarray) -> None:
        for column, (game, methods) in enumerate(traces.items()):
            for axes, what, at in zip(grid[:, column], ("rounds", "seconds"), (0, 1), strict=True):
                for name, trace in methods.items():
                    axes.plot([p[at] for p in trace], [max(p[2], 1e-12) for p in trace], label=name)
                axes.set(yscale="log", xlabel=what, title=game if at == 0 else "")
        for axes in grid[:, 0]:
            axes.set_ylabel("gap")
        grid[0, 0].legend()

    plots.draw(path, "Gap of range of skill and double oracle", paint, (3.2 * len(traces), 5.6), 2, len(traces))
