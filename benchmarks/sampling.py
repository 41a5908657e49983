"""Claim: external sampling on Leduc is at least 10 times as fast as OpenSpiel's C++, an iteration.

One iteration is a walk for each player, each on cards of its own, in both. They run here, one after the other on one
core; an iteration's time is that of the best stretch of several, kernels warm, dealing and discounting included. Then
both run for the same time and their exploitability is compared, ours confirmed by OpenSpiel. We forget suits, which
OpenSpiel's default game does not; its option suit_isomorphism does, and has its own row.

With `--holdem SPEC` walks on limit hold'em with that card abstraction are timed too (see `abstraction/buckets/spec.py`;
it is built first, unless it is in the cache folder).
"""

from __future__ import annotations

import sys
import time
from typing import Any

import pyspiel

import pokerlab
from _command import command
from leduc_cfr import confirmed
from pokerlab.processes import cores
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.holdem import HoldemDeals
from pokerlab.solvers.sampling.sampler import Sampler, plan_of
from pokerlab.solvers.sampling.solver import SAMPLERS, SamplingSolver

CLAIM = 10.0
SPIEL, FORGETFUL = "OpenSpiel C++", "OpenSpiel C++, suits forgotten"


def spiel(name: str, stretch: int, seconds: float) -> dict[str, float]:
    """OpenSpiel's external sampling for some time: best stretch, and exploitability in the end."""
    game = pyspiel.load_game(name)
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, 1)
    took, done, best = 0.0, 0, float("inf")
    while took < seconds:
        began = time.perf_counter()
        for _ in range(stretch):
            solver.run_iteration()
        spent = time.perf_counter() - began
        took, done, best = took + spent, done + stretch, min(best, spent / stretch)
    gap = pyspiel.exploitability(game, solver.average_policy())
    return {"iteration_us": best * 1e6, "iterations": done, "seconds": took, "exploitability": gap}


def ours(
    game: pokerlab.Game, method: str, stretch: int, seconds: float, **options: Any
) -> tuple[dict[str, float], pokerlab.Profile]:
    """The same for one of our methods, and what it found."""
    solver = SamplingSolver(game, method, **options)
    solver.step(stretch // 10)
    took, best, first, touched = 0.0, float("inf"), solver.iteration, solver.sampler.touched
    while took < seconds:
        began = time.perf_counter()
        solver.step(stretch)
        spent = time.perf_counter() - began
        took, best = took + spent, min(best, spent / stretch)
    done = solver.iteration - first
    rows = (solver.sampler.touched - touched) / done
    profile = solver.profile()
    figures = {
        "iteration_us": best * 1e6, "iterations_per_second": 1 / best, "infosets_per_iteration": rows,
        "infosets_per_second": rows / best, "iterations": done, "seconds": took,
        "exploitability": pokerlab.evaluate(profile).exploitability,
    }  # fmt: skip
    return figures, profile


def memory() -> dict[str, float]:
    """Bytes of the table for an infoset of Leduc, two or three actions each."""
    game = pokerlab.compile("leduc")
    sizes = {}
    for name, options in {"double": {}, "single": {"single": True}}.items():
        sampler = SamplingSolver(game, "external-sampling", **options).sampler
        sizes[name] = sampler.nbytes / sampler.graph.infosets
    return sizes


def walks_on_holdem(spec: str, quick: bool) -> dict[str, Any]:
    """Walks on limit hold'em, single precision."""
    from pokerlab.abstraction.buckets.build import build_buckets

    rules = pokerlab.rules_of("holdem-limit")
    source = HoldemDeals(rules, build_buckets(spec))
    graph = BettingGraph(rules, source.buckets)
    report: dict[str, Any] = {"spec": spec, "infosets": graph.infosets, "cells": graph.cells}
    for threads in dict.fromkeys((1, cores())):
        sampler = Sampler(graph, source, plan_of("external", single=True, threads=threads))
        sampler.step(1000)
        best, touched = float("inf"), sampler.touched
        stretches, count = (2, 2000) if quick else (20, 20_000)
        for _ in range(stretches):
            began = time.perf_counter()
            sampler.step(count)
            best = min(best, (time.perf_counter() - began) / count)
        rows = (sampler.touched - touched) / (stretches * count)
        report[f"{threads} threads"] = {
            "iteration_us": best * 1e6, "iterations_per_second": 1 / best, "infosets_per_second": rows / best,
        }  # fmt: skip
        report["bytes"] = sampler.nbytes
    return report


def measure(quick: bool, holdem: str | None) -> dict[str, Any]:
    seconds, stretch = (0.5, 200) if quick else (10.0, 2000)  # iterations of OpenSpiel in a stretch, ours has 25 times
    game, many = pokerlab.compile("leduc"), 25 * stretch
    # Ours before and after OpenSpiel's, so that a busy moment of the machine spoils neither.
    first, _ = ours(game, "external-sampling", many, seconds / 2, weighting="cfr")
    rows = {
        SPIEL: spiel("leduc_poker", stretch, seconds),
        FORGETFUL: spiel("leduc_poker(suit_isomorphism=true)", stretch, seconds),
    }
    rows["pokerlab"], profile = ours(game, "external-sampling", many, seconds, weighting="cfr")
    rows["pokerlab"]["iteration_us"] = min(first["iteration_us"], rows["pokerlab"]["iteration_us"])
    again = confirmed(profile, pyspiel.UniformRandomPolicy(pyspiel.load_game("leduc_poker")))
    if cores() > 1:
        name = f"pokerlab, {cores()} threads"
        rows[name], _ = ours(game, "external-sampling", many, seconds, weighting="cfr", threads=cores())
    methods = {}
    for method in SAMPLERS:
        for weighting in ("cfr", "cfr+", "linear", "dcfr"):
            count = many // 20 if method == "public-chance-sampling" else many
            methods[f"{method}, {weighting}"], _ = ours(game, method, count, seconds / 5, weighting=weighting)
    methods["outcome-sampling, linear, baselines"], _ = ours(
        game, "outcome-sampling", many, seconds / 5, weighting="linear", baselines=True
    )
    ratios = {name: rows[name]["iteration_us"] / rows["pokerlab"]["iteration_us"] for name in (SPIEL, FORGETFUL)}
    assert abs(again - rows["pokerlab"]["exploitability"]) < 1e-9, "OpenSpiel finds another exploitability"
    return {
        "claim": CLAIM, "ratios": ratios, "leduc": rows, "methods": methods, "confirmed": again,
        "bytes_per_infoset": memory(), "holdem": walks_on_holdem(holdem, quick) if holdem else None,
    }  # fmt: skip


def show(report: dict[str, Any]) -> None:
    print(f"{'External sampling on Leduc':<34}{'us/iteration':>13}{'infosets/s':>13}{'seconds':>9}{'iterations':>13}"
          f"{'exploitability':>16}")  # fmt: skip
    for name, row in report["leduc"].items():
        rate = f"{row['infosets_per_second'] / 1e6:.1f} M" if "infosets_per_second" in row else "-"
        print(f"{name:<34}{row['iteration_us']:>13.2f}{rate:>13}{row['seconds']:>9.1f}{row['iterations']:>13,}"
              f"{row['exploitability']:>16.5f}")  # fmt: skip
    for name, ratio in report["ratios"].items():
        print(f"{'ratio to ' + name:<44}{ratio:>3.0f}")
    print(f"\n{'All methods on Leduc':<40}{'us/iteration':>13}{'infosets/s':>13}{'seconds':>9}{'exploitability':>16}")
    for name, row in report["methods"].items():
        print(f"{name:<40}{row['iteration_us']:>13.2f}{row['infosets_per_second'] / 1e6:>11.1f} M{row['seconds']:>9.1f}"
              f"{row['exploitability']:>16.5f}")  # fmt: skip
    each = report["bytes_per_infoset"]
    print(f"\nbytes an infoset: {each['double']:.1f} in double precision, {each['single']:.1f} in single")
    if report["holdem"]:
        table = report["holdem"]
        print(f"limit hold'em, {table['spec']}: {table['infosets']:,} infosets, {table['bytes'] / 1e6:.0f} MB")
        for name, row in table.items():
            if isinstance(row, dict):
                print(f"  {name}: {row['iterations_per_second']:,.0f} iterations/s, "
                      f"{row['infosets_per_second'] / 1e6:.1f} M infosets/s")  # fmt: skip


def failed(report: dict[str, Any]) -> list[str]:
    return [
        f"{ratio:.1f} times the speed of {name} an iteration, at least {CLAIM:.0f}"
        for name, ratio in report["ratios"].items()
        if ratio < CLAIM
    ]


if __name__ == "__main__":
    spec = {"metavar": "SPEC", "help": "walk limit hold'em with this card abstraction too"}
    sys.exit(command(__doc__, "half a second each", measure, show, failed, holdem=spec))
