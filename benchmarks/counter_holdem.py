"""Claim: in limit hold'em a best response to what was seen of a player wins more from it than an equilibrium does, and
restricted Nash and data biased responses can lose less than half of what it can.

Five players of abstract hold'em are watched for 20,000 hands against one who never folds: who calls, who raises, who
does anything, one who folds more and raises less than an equilibrium, and a blueprint of few walks. Against each a
frequentist, a restricted Nash and a data biased response are learnt by sampling, with the same cards (made hands, six
kinds a street) and all bets. Winnings are means over all betting and both seats of drawn deals, in mb/h; exploitability
is what a response wins that knows the strategy, found by policy iteration: at least that. With `--pool field` the five
are players of docs/field.md who do not learn, in real hold'em, and winnings are those of duplicate matches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

import pokerlab
from _command import FULL, Table, command
from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent, blueprint_of
from pokerlab.agents.response import Table as Responses
from pokerlab.agents.sampled_counter import KINDS, Counted, sampled_counter, styled, uniform_blueprint
from pokerlab.agents.spec import agent_of
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules
from pokerlab.match.blueprints import drawn_hands, expected_match
from pokerlab.match.play import play_match
from pokerlab.match.result import MatchResult
from pokerlab.opponents.counter_holdem import watched_hands
from pokerlab.solvers.sampling.holdem import HoldemDeals
from pokerlab.solvers.sampling.sampler import Sampler, plan_of

CARDS = "made-hands?count=6"
P = 0.75
WON = "won from it"
OTHERS = "from the other four"
WORST = "from the worst of them"
EXPLOITED = "exploitability"
FIELD = (
    "rules",
    "rollout?trials=200",
    "formula",
    "formula?tight=0.85&aggressive=0.15",
    "formula?tight=0.15&aggressive=0.85",
)


class Opponent(NamedTuple):
    """One of the five: hands of it, each with its seat, against one who never folds, and what another wins from it."""

    watched: Callable[[int], Iterable[tuple[Hand, int]]]
    won: Callable[[Blueprint], dict[str, float]]


def trained(base: Blueprint, walks: int, seed: int) -> Blueprint:
    plan = plan_of("external", weighting="linear", seed=seed, single=True, epoch=20_000)
    sampler = Sampler(base.graph, HoldemDeals(base.rules, base.cards), plan)
    sampler.step(walks)
    return blueprint_of(sampler, base.bets, base.memory, base.cards, {}, base.made_by)


def figure(won: np.ndarray) -> dict[str, float]:
    """Mean and half a 95 % interval, in mb/h, of chips a deal."""
    scaled = won / 0.01
    return {"mean": float(scaled.mean()), "ci95": float(1.96 * scaled.std(ddof=1) / np.sqrt(len(scaled)))}


def result_of(result: MatchResult) -> dict[str, float]:
    return {"mean": float(result.mean[0]), "ci95": float(result.ci95[0])}


def abstract_opponent(target: Blueprint, probe: Blueprint, deals: int) -> Opponent:
    """A blueprint of the same abstract game."""

    def watched(hands: int) -> Iterable[tuple[Hand, int]]:
        return ((hand, number % 2) for number, hand in enumerate(drawn_hands(target, probe, hands)))

    return Opponent(watched, lambda made: result_of(expected_match(made, target, deals, progress=False)))


def field_opponent(spec: str, rules: Rules, deals: int) -> Opponent:
    """An agent by its spec, at a real table."""
    agent = agent_of(spec, rules)

    def won(made: Blueprint) -> dict[str, float]:
        players = [BlueprintAgent(made, name="counter"), agent]
        return result_of(play_match(rules, players, deals, duplicate=True, seed=1, progress=False))

    return Opponent(lambda hands: watched_hands(rules, agent, hands, 0, False), won)


def exploited(blueprint: Blueprint, deals: int) -> dict[str, float]:
    table = Responses(blueprint.graph, HoldemDeals(blueprint.rules, blueprint.cards), 1)
    response = blueprint.strategy
    for _ in range(3):
        response, _ = table.improved(response, blueprint.strategy, deals)
    return figure(table.play(response, blueprint.strategy, deals, progress=False))


def measure(quick: bool, pool: str) -> dict[str, Any]:
    hands, walks, deals = (300, 1000, 64) if quick else (20_000, 120_000, 3000)
    base = uniform_blueprint(pokerlab.rules_of("holdem-limit"), "all", MadeHands(6), CARDS)
    equilibrium = trained(base, 2 * walks, 0)
    if pool == "field":
        opponents = {spec: field_opponent(spec, base.rules, deals // 32 if quick else deals // 2) for spec in FIELD}
    else:
        targets = {
            "calls": styled(base, 0, 1, 0), "raises": styled(base, 0, 0, 1), "does anything": base,
            "tight and passive": styled(equilibrium, 3, 1, 0.3), "few walks": trained(base, walks // 40, 5),
        }  # fmt: skip
        probe = styled(base, 0, 1, 1)
        opponents = {name: abstract_opponent(target, probe, deals) for name, target in targets.items()}
    return {
        "rows": table_of(base, equilibrium, opponents, hands, walks, deals),
        "pool": list(opponents),
        "hands": hands,
    }


def table_of(
    base: Blueprint, equilibrium: Blueprint, pool: dict[str, Opponent], hands: int, walks: int, deals: int
) -> dict[str, dict[str, Any]]:
    """The equilibrium, and three responses to each of the pool, by name: what each wins from all, and may lose."""
    rows: dict[str, dict[str, Any]] = {"equilibrium": judged(equilibrium, "", pool, deals)}
    for name, target in pool.items():
        seen = Counted(base.graph, base.cards)
        seen.add(target.watched(hands))
        for kind in KINDS:
            made = sampled_counter(seen, base, kind, P, iterations=walks, progress=False)
            rows[f"{name}: {kind}"] = judged(made, name, pool, deals)
    return rows


def judged(strategy: Blueprint, target: str, pool: dict[str, Opponent], deals: int) -> dict[str, Any]:
    winnings = {name: opponent.won(strategy) for name, opponent in pool.items()}
    return {"won": winnings, "target": target, "exploitability": exploited(strategy, deals)}


def told(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.0f} ± {figure['ci95']:.0f}"


def others(row: dict[str, Any]) -> dict[str, float]:
    """The mean over all but the target."""
    rest = [figure for name, figure in row["won"].items() if name != row["target"]]
    spread = float(np.sqrt(sum(figure["ci95"] ** 2 for figure in rest)))
    return {"mean": float(np.mean([figure["mean"] for figure in rest])), "ci95": spread / len(rest)}


def worst(row: dict[str, Any]) -> dict[str, float]:
    return min((f for name, f in row["won"].items() if name != row["target"]), key=lambda figure: figure["mean"])


def tables(report: dict[str, Any]) -> dict[str, Table]:
    lines = []
    for name, row in report["rows"].items():
        cells = ["-" if not row["target"] else told(row["won"][row["target"]]), told(others(row)), told(worst(row))]
        cells.append(f"at least {told(row['exploitability'])}")
        lines.append((name, *([FULL] * 4 if report["quick"] else cells)))
    return {"holdem": [("against: response", WON, OTHERS, WORST, EXPLOITED), *lines]}


def failed(report: dict[str, Any]) -> list[str]:
    rows, unmet = report["rows"], []
    for name in report["pool"]:
        brittle = rows[f"{name}: frequentist"]
        mine = brittle["won"][name]
        if mine["mean"] - mine["ci95"] <= rows["equilibrium"]["won"][name]["mean"]:
            unmet.append(f"the best response wins {told(mine)} mb/h from who {name}")
        for kind in KINDS[:2]:
            robust = rows[f"{name}: {kind}"]
            if robust["exploitability"]["mean"] >= brittle["exploitability"]["mean"] / 2:
                unmet.append(f"{kind} against who {name} is {told(robust['exploitability'])} mb/h exploitable")
    return unmet


def show(report: dict[str, Any]) -> None:
    for row in tables(report)["holdem"]:
        print(f"{row[0]:<38}" + "".join(f"{cell:>24}" for cell in row[1:]))


if __name__ == "__main__":
    pool = {"choices": ("abstract", "field"), "default": "abstract", "help": "whom they are made against"}
    sys.exit(command(__doc__, "few hands, walks and deals", measure, show, failed, tables, pool=pool))
