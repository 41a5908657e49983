"""Claim: holdem-limit-3p beats simple players and holdem-limit SmallBot's coarse cousins, 95 % intervals above 0.

Nothing is trained here: agents are those that `pokerlab train` has built under their names, and what needs one that is
not there is left out, with a line that says so. Three players: the agent against all pairs of call, raise, random and
probe, each deal in all six seatings. Two players: in duplicate, scored by AIVAT. Then how exploitable holdem-limit is:
in its own abstract game by a response that learns, in the real one by local best response.
"""

from __future__ import annotations

import sys
import time
from itertools import combinations_with_replacement
from typing import Any

from _command import FULL, Table, command
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent
from pokerlab.agents.blueprint_file import blueprint_path, load_blueprint
from pokerlab.agents.response import respond
from pokerlab.agents.spec import agent_of
from pokerlab.game.catalog import rules_of
from pokerlab.match.aivat_holdem import HoldemAivat
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.play import play_match
from pokerlab.match.result import MatchResult

SIMPLE = ("call", "raise", "random", "probe")
COUSINS = ("smallbot-3", "smallbot-4")
TWO, THREE = "holdem-limit", "holdem-limit-3p"


def trained(name: str) -> bool:
    """Whether an agent is there; if not, how to make it."""
    exists = blueprint_path(name).exists()
    if not exists:
        print(f"left out, {name} is not trained: pokerlab train {name}", file=sys.stderr)
    return exists


def row(result: MatchResult, began: float) -> dict[str, Any]:
    """What the first agent won."""
    return {
        "against": " and ".join(result.agents[1:]), "mean": float(result.mean[0]), "ci95": float(result.ci95[0]),
        "unit": result.unit, "deals": len(result.winnings), "hands": len(result.winnings) * result.passes,
        "above_zero": bool(result.mean[0] > result.ci95[0]), "seconds": time.perf_counter() - began,
    }  # fmt: skip


def three_players(deals: int) -> list[dict[str, Any]]:
    """Against every pair of simple players, in all six seatings."""
    if not trained(THREE):
        return []
    rules, rows = rules_of(THREE), []
    for pair in combinations_with_replacement(SIMPLE, 2):
        began = time.perf_counter()
        print(f"{THREE} against {' and '.join(pair)} ...", file=sys.stderr)
        players = [agent_of(name, rules) for name in (THREE, *pair)]
        rows.append(row(play_match(rules, players, deals, duplicate=True, seed=1), began))
    return rows


def two_players(deals: int) -> list[dict[str, Any]]:
    """Against SmallBot's cousins, in duplicate, luck taken out."""
    rules, rows = rules_of(TWO), []
    there = [name for name in COUSINS if trained(name)]
    for cousin in there if trained(TWO) else []:
        began = time.perf_counter()
        print(f"{TWO} against {cousin} ...", file=sys.stderr)
        players = [agent_of(TWO, rules), agent_of(cousin, rules)]
        score = HoldemAivat(rules, players)
        rows.append(row(play_match(rules, players, deals, duplicate=True, seed=1, score=score), began))
    return rows


def exploited(name: str, seconds: float, played: int, deals: int) -> dict[str, Any] | None:
    """How exploitable an agent is at least: in its own game, and in the real one."""
    if not trained(name):
        return None
    blueprint = load_blueprint(blueprint_path(name))
    print(f"a response to {name} ...", file=sys.stderr)
    learner = respond(blueprint, seconds, deals=played)
    result = MatchResult.of(blueprint.rules, ["response", name], learner.winnings, 2, 0)
    print(f"local best response to {name} ...", file=sys.stderr)
    local = local_best_response(BlueprintAgent(blueprint, name=name), blueprint.rules, deals)
    return {
        "agent": name, "unit": result.unit, **size(blueprint),
        "response": {
            "mean": float(result.mean[0]), "ci95": float(result.ci95[0]), "deals": len(learner.winnings),
            "seconds": learner.seconds, "learnt": learner.learnt,
        },
        "local_best_response": local.summary(),
    }  # fmt: skip


def size(blueprint: Blueprint) -> dict[str, Any]:
    return {key: blueprint.about.get(key) for key in ("infosets", "iterations", "seconds")}


def measure(quick: bool) -> dict[str, Any]:
    three, two = three_players(20 if quick else 2000), two_players(10 if quick else 1500)
    known = exploited(TWO, 1.0 if quick else 60.0, 1000 if quick else 200_000, 10 if quick else 1000)
    return {"three_players": three, "two_players": two, "exploitability": known}


def show(report: dict[str, Any]) -> None:
    for name, title in ((THREE, "three_players"), (TWO, "two_players")):
        if report[title]:
            how = "six seatings" if title == "three_players" else "duplicate, AIVAT"
            print(f"{name + ', ' + how:<40}{'won':>9}{'± 95 %':>9}{'deals':>8}{'seconds':>9}")
        for line in report[title]:
            print(f"  against {line['against']:<30}{line['mean']:>9.1f}{line['ci95']:>9.1f}{line['deals']:>8,}"
                  f"{line['seconds']:>9.0f}   {line['unit']}")  # fmt: skip
    if known := report["exploitability"]:
        own, local = known["response"], known["local_best_response"]
        print(f"{known['agent']}, {known['infosets']:,} infosets, {known['iterations']:,} iterations in "
              f"{known['seconds']:,.0f} s; exploitability at least")  # fmt: skip
        print(f"  in its own abstract game {own['mean']:9.1f} ± {own['ci95']:.1f} {known['unit']} (a response found in "
              f"{own['seconds']:.0f} s on {own['learnt']:,} deals, played on {own['deals']:,})")  # fmt: skip
        print(f"  in the real game         {local['mean']:9.1f} ± {local['ci95']:.1f} {known['unit']} "
              f"(local best response, {local['deals']:,} deals)")  # fmt: skip


def tables(report: dict[str, Any]) -> dict[str, Table]:
    three = {frozenset(line["against"].split(" and ")): line for line in report["three_players"]}
    two = {line["against"]: line for line in report["two_players"]}

    def won(line: dict[str, Any] | None) -> str:
        return FULL if report["quick"] else "" if line is None else f"{line['mean']:.0f} ± {line['ci95']:.0f}"

    pairs = [
        (one, *("" if j < i else won(three.get(frozenset((one, other)))) for j, other in enumerate(SIMPLE)))
        for i, one in enumerate(SIMPLE)
    ]
    return {
        "three": [(f"`{THREE}` against, 2,000 deals in six seatings", *SIMPLE), *pairs],
        "two": [
            (f"`{TWO}` against", "in duplicate, AIVAT, 1,500 deals"),
            *((f"`{cousin}`", won(two.get(cousin))) for cousin in COUSINS),
        ],
    }


def failed(report: dict[str, Any]) -> list[str]:
    if not report["three_players"] or not report["two_players"]:
        return ["not judged, for want of trained agents: see above"]
    return [
        f"against {line['against']} {line['mean']:.0f} ± {line['ci95']:.0f} {line['unit']}, not above 0"
        for line in (*report["three_players"], *report["two_players"])
        if not line["above_zero"]
    ]


if __name__ == "__main__":
    sys.exit(command(__doc__, "a few deals", measure, show, failed, tables))
