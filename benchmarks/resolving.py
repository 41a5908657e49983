"""The resolving agent at a table: how long it takes to decide, and what it wins from its own blueprint.

A match at a dealer of the competition's protocol, over sockets, the dealer keeping the limit of a decision, against
the blueprint and against one who bets odd amounts; turn decisions, the longest there are; and the blueprint in
duplicate, by AIVAT (`match/gain.py`). The blueprint is `holdem-nolimit` of `pokerlab train`, or a tiny one without it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from pokerlab.agents.agent import Agent, Distribution
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.agents.reading import view_at
from pokerlab.agents.resolving import ResolvingAgent
from pokerlab.game.betting import CALL
from pokerlab.game.hand import Hand, View
from pokerlab.match.client import deal_to_agents
from pokerlab.match.dealer import Limits
from pokerlab.match.gain import gain_on_blueprint
from pokerlab.match.play import by_hand, play_match
from pokerlab.match.variance import all_in_equity
from pokerlab.papers.moravcik2016_holdem import blueprint_agent

LIMIT = 2.0  # seconds a decision


class Timed(Agent):
    """An agent on the clock: how long decisions took, those that were refined, and with how many iterations."""

    def __init__(self, agent: ResolvingAgent) -> None:
        self.agent, self.name = agent, agent.name
        self.seconds: list[float] = []
        self.refined: dict[int, int] = {}

    def act(self, view: View) -> Distribution:
        began = time.perf_counter()
        odds = self.agent.act(view)
        self.seconds.append(time.perf_counter() - began)
        refinement = self.agent.refinement(view)
        if refinement is not None:
            self.refined[id(refinement)] = refinement.iterations
        return odds

    def figures(self) -> dict[str, Any]:
        counts = list(self.refined.values())
        return {
            "decisions": len(self.seconds), "longest_seconds": max(self.seconds), "subgames": len(counts),
            "median_iterations": float(np.median(counts)) if counts else None,
            "least_iterations": min(counts, default=None),
        }  # fmt: skip


class Odd(Agent):
    """Calls, or bets an amount that nobody's tree has."""

    name = "odd"

    def act(self, view: View) -> Distribution:
        assert view.legal is not None
        raises = view.legal.raises
        if not raises:
            return {CALL: 1.0}
        amounts = {raises[min(len(raises) - 1, round(part * (view.betting.pot + 13)))] for part in (0.3, 0.7, 1.3)}
        return {CALL: 0.7, **dict.fromkeys(amounts, 0.3 / len(amounts))}


def at_a_dealer(agent: ResolvingAgent, opponent: Agent, hands: int) -> dict[str, Any]:
    """A match over sockets; the dealer ends it when an answer takes longer than the limit."""
    timed = Timed(agent)
    result = deal_to_agents(
        agent.rules, [timed, opponent], hands, 1, names=["resolving", "opponent"],
        limits=Limits(response=LIMIT, match_a_hand=60.0),
    )  # fmt: skip
    return {"finished": result.finished, "hands": result.hands, "chips": result.scores[0], **timed.figures()}


def at_turns(agent: ResolvingAgent, blueprint: BlueprintAgent, count: int) -> dict[str, Any]:
    """Turns that the blueprint comes to against itself, or after an odd bet, one decision each."""
    timed, views = Timed(agent), list[View]()

    def watch(_number: int, _pass: int, hand: Hand, _seats: object) -> None:
        first = next((i for i, end in enumerate(hand.ends[1:2]) if end < len(hand.actions)), None)
        if first is not None and len(views) < count:
            here = hand.ends[1] + len(views) % 2
            view = hand.view(0)
            past = view_at(view, min(here, len(hand.actions) - 1), 0)
            if past.betting.round == 2 and past.betting.actor is not None:
                views.append(view_at(hand.view(past.betting.actor), len(past.actions), past.betting.actor))

    start = 0
    while len(views) < count:
        opponent = blueprint if start % 200 else Odd()
        play_match(agent.rules, [blueprint, opponent], 100, seed=3, start=start, watch=watch)
        start += 100
    for view in views:
        timed.act(view)
    return timed.figures()


def in_duplicate(agent: ResolvingAgent, blueprint: BlueprintAgent, hands: int) -> dict[str, Any]:
    """Hands as they are played, both seats; cards after an all-in replaced by their chances."""
    result = play_match(agent.rules, [agent, blueprint], hands, duplicate=True, seed=2, score=by_hand(all_in_equity))
    return {"hands": 2 * hands, "unit": result.unit, "mean": float(result.mean[0]), "ci95": float(result.ci95[0])}


def lines(report: Mapping[str, Any]) -> list[str]:
    told = [f"blueprint: {report['blueprint']}, limit {LIMIT:g} s a decision"]
    for name in ("dealer", "dealer, odd bets", "turns"):
        row = report[name]
        told.append(
            f"{name:<18} {row['decisions']:>6,} decisions, longest {row['longest_seconds']:.2f} s, {row['subgames']} "
            f"subgames, median {row['median_iterations']} iterations, least {row['least_iterations']}"
        )
    for name in ("aivat", "duplicate"):
        row = report[name]
        told.append(f"{name:<18} {row['mean']:+.0f} ± {row['ci95']:.0f} {row['unit']}")
    return [*told, f"the limit was {'kept' if report['kept'] else 'not kept'}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="few hands, no claim checked")
    options = parser.parse_args()
    hands, turns, deals, played = (20, 2, 30, 5) if options.quick else (1000, 40, 3000, 500)
    blueprint = blueprint_agent()
    river = ResolvingAgent(blueprint, seconds=LIMIT)
    quick = ResolvingAgent(blueprint, iterations=300)
    report: dict[str, Any] = {"quick": options.quick, "blueprint": blueprint.name, "limit": LIMIT}
    report["dealer"] = at_a_dealer(river, blueprint, hands)
    report["dealer, odd bets"] = at_a_dealer(river, Odd(), hands // 10)
    report["turns"] = at_turns(ResolvingAgent(blueprint, from_round="turn", seconds=LIMIT), blueprint, turns)
    report["aivat"] = gain_on_blueprint(quick, deals, seed=1).summary()
    report["duplicate"] = in_duplicate(quick, blueprint, played)
    longest = max(report[name]["longest_seconds"] for name in ("dealer", "dealer, odd bets", "turns"))
    report["kept"] = longest < LIMIT and report["dealer"]["finished"]
    print(json.dumps(report) if options.json else "\n".join(lines(report)))
    return 0 if options.quick or report["kept"] else 1


if __name__ == "__main__":
    sys.exit(main())
