"""Claim: the resolving agent keeps a limit of 2 s a decision at a dealer, and wins from its own blueprint by AIVAT.

A match at a dealer of the competition's protocol, over sockets, the dealer keeping the limit of a decision, against
the blueprint and against one who bets odd amounts; turn decisions, the longest there are; and the blueprint in
duplicate, by AIVAT (`match/gain.py`), also with other techniques and beliefs. The blueprint is `holdem-nolimit` of
`pokerlab train`, or a tiny one without it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from _command import FULL, Table, command
from pokerlab.agents.agent import Agent, Distribution
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.agents.reading import view_at
from pokerlab.agents.resolving import BELIEF, ResolvingAgent
from pokerlab.game.betting import CALL
from pokerlab.game.hand import Hand, View
from pokerlab.match.client import deal_to_agents
from pokerlab.match.dealer import Limits
from pokerlab.match.gain import gain_on_blueprint
from pokerlab.match.play import by_hand, play_match
from pokerlab.match.variance import all_in_equity
from pokerlab.papers.moravcik2016_holdem import QUICK_SECONDS, TINY_SECONDS, blueprint_agent, river_views
from pokerlab.papers.pieces import Pieces

LIMIT = 2.0  # seconds a decision
HANDS = (1000, 40, 3000, 500)  # at the dealer, turns, deals compared, deals in duplicate
DECISIONS = ("dealer", "dealer, odd bets", "turns")
BELIEFS = [
    ("max-margin", 0.0), ("max-margin", BELIEF), ("max-margin", 0.5), ("re-solving", 0.0), ("endgame", 0.0),
]  # fmt: skip


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


def believing(blueprint: BlueprintAgent, quick: bool) -> list[dict[str, Any]]:
    """What techniques win from the blueprint, and their margins on rivers that it comes to against itself."""
    deals, rivers = (4, 1) if quick else (1000, 200)
    rows = []
    for technique, belief in BELIEFS:
        print(f"{technique}, belief {belief} ...", file=sys.stderr)
        agent = ResolvingAgent(blueprint, technique=technique, belief=belief, iterations=300)
        solved = [agent.refinement(view) for view in river_views(blueprint, rivers)]
        margins = [refinement.margin for refinement in solved if refinement is not None]
        gain = gain_on_blueprint(agent, deals, seed=1).summary()
        rows.append({"technique": technique, "belief": belief, "margin": float(np.mean(margins)), **gain})
    return rows


def measure(quick: bool) -> dict[str, Any]:
    hands, turns, deals, played = (10, 1, 10, 3) if quick else HANDS
    with TemporaryDirectory() as folder:
        blueprint = blueprint_agent(QUICK_SECONDS if quick else TINY_SECONDS, Pieces(Path(folder)))
    river = ResolvingAgent(blueprint, seconds=LIMIT)
    settled = ResolvingAgent(blueprint, iterations=300)
    report: dict[str, Any] = {"blueprint": blueprint.name, "limit": LIMIT}
    report["dealer"] = at_a_dealer(river, blueprint, hands)
    report["dealer, odd bets"] = at_a_dealer(river, Odd(), hands // 10)
    report["turns"] = at_turns(ResolvingAgent(blueprint, from_round="turn", seconds=LIMIT), blueprint, turns)
    report["aivat"] = gain_on_blueprint(settled, deals, seed=1).summary()
    report["duplicate"] = in_duplicate(settled, blueprint, played)
    return report | {"beliefs": believing(blueprint, quick)}


def show(report: dict[str, Any]) -> None:
    print(f"blueprint: {report['blueprint']}, limit {LIMIT:g} s a decision")
    for name in DECISIONS:
        row = report[name]
        print(
            f"{name:<18} {row['decisions']:>6,} decisions, longest {row['longest_seconds']:.2f} s, {row['subgames']} "
            f"subgames, median {row['median_iterations']} iterations, least {row['least_iterations']}"
        )
    for name in ("aivat", "duplicate"):
        row = report[name]
        print(f"{name:<18} {row['mean']:+.0f} ± {row['ci95']:.0f} {row['unit']}")
    for row in report["beliefs"]:
        print(f"{row['technique']}, belief {row['belief']}: {row['mean']:+.0f} ± {row['ci95']:.0f} {row['unit']}, "
              f"margin {row['margin']:,.0f} chips")  # fmt: skip


def tables(report: dict[str, Any]) -> dict[str, Table]:
    hands, turns, deals, played = HANDS
    took = "{decisions:,} decisions, {subgames} subgames refined; longest decision {longest_seconds:.2f} s"
    steps = "median {median_iterations:,.0f}, least {least_iterations:,}"
    won = "{mean:+.0f} ± {ci95:.0f} {unit}"
    figures = {
        f"{hands:,} hands at a dealer that allows {LIMIT:g} s an answer, against the blueprint": (took, "dealer"),
        f"{hands // 10} hands against one who bets odd amounts": (took, "dealer, odd bets"),
        "iterations of a river subgame in that time": (steps, "dealer"),
        f"{turns} turn decisions with `from=turn`, the longest there are": ("longest {longest_seconds:.2f} s", "turns"),
        "iterations of a turn subgame in that time": (steps, "turns"),
        f"against its blueprint with `iterations=300`, {deals:,} deals in both seats, AIVAT": (won, "aivat"),
        f"the same as hands fall, {2 * played:,} in duplicate, all-ins evened out": (won, "duplicate"),
    }
    quick = report["quick"]
    beliefs = [
        (
            row["technique"],
            belief_of(row),
            FULL if quick else f"{row['mean']:.0f} ± {row['ci95']:.0f}",
            FULL if quick else f"{row['margin']:,.0f}",
        )
        for row in report["beliefs"]
    ]
    return {
        "measured": [
            ("what", "figure"),
            *((title, FULL if quick else form.format(**report[name])) for title, (form, name) in figures.items()),
        ],
        "belief": [("technique", "belief", "wins, mbb/h", "margin, chips"), *beliefs],
    }


def belief_of(row: dict[str, Any]) -> str:
    """As the page has it; endgame solving has none but its own."""
    default = " (the default)" if row["belief"] == BELIEF else ""
    return "" if row["technique"] == "endgame" else f"{row['belief']:g}{default}"


def failed(report: dict[str, Any]) -> list[str]:
    unmet = [
        f"{name}: a decision of {report[name]['longest_seconds']:.2f} s"
        for name in DECISIONS
        if report[name]["longest_seconds"] >= LIMIT
    ]
    unmet += [f"{name}: the match was not finished" for name in DECISIONS[:2] if not report[name]["finished"]]
    gain = report["aivat"]
    return unmet + (
        [] if gain["mean"] > gain["ci95"] else [f"won {gain['mean']:.0f} ± {gain['ci95']:.0f}, not above 0"]
    )


if __name__ == "__main__":
    sys.exit(command(__doc__, "few hands", measure, show, failed, tables))
