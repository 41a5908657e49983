"""What an agent that refines rivers gains on its own blueprint, with nearly all luck left out.

Before the river the two play alike. Hands are therefore played by the blueprint alone up to the river, and there both
ranges are known: what every hand of one player earns from every hand of the other is summed over all lines of betting,
with the refining agent in one seat and then in the other. Half the difference is what it gains there on the blueprint,
whose own earnings cancel, as in a duplicate match. It is AIVAT (Burch et al. 2018) with both strategies known and a
value function that is exact; what is left to chance are boards and the betting before the river.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of
from pokerlab.agents.reading import read_hands, view_at
from pokerlab.agents.resolving import ResolvingAgent
from pokerlab.cards.holes import compatible
from pokerlab.errors import PokerlabError
from pokerlab.game.betting import start_betting
from pokerlab.game.hand import Hand, View
from pokerlab.game.rules import unit_of
from pokerlab.match.aivat_holdem import expected_signs
from pokerlab.match.play import deals, play_hand
from pokerlab.match.result import OneResult
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar

RIVER = 3
_TOO_LITTLE = 1e-9  # weight that is not followed any further


@dataclass(frozen=True, eq=False)
class Gain(OneResult):
    """What the agent gains; deals without betting on the river count 0. `by_river[r]` are chips a river."""

    by_river: np.ndarray

    def summary(self) -> dict[str, Any]:
        rivers = self.by_river
        return super().summary() | {
            "rivers": len(rivers), "chips_a_river": float(rivers.mean()) if len(rivers) else None
        }  # fmt: skip


def gain_on_blueprint(
    agent: ResolvingAgent,
    count: int = 200,
    *,
    seed: int = 0,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Gain:
    """Play `count` deals up to the river and compare there, by `executor` (by default in this process).

    Ctrl-C ends it, and the deals up to the first that was not compared count.
    """
    if agent.from_round != "river":
        raise PokerlabError("only an agent that refines from the river on plays as its blueprint up to there")
    if count < 2 or seed < 0:
        raise PokerlabError(f"at least two deals and a seed of 0 or more are needed, not {count} and {seed}")
    rules, rng = agent.rules, random.Random(seed)
    began, unit = time.perf_counter(), unit_of(rules)
    views = [river_of(play_hand(rules, [agent.trunk] * 2, cards, rng)) for cards in deals(rules, seed, count)]
    tasks = [(number, view) for number, view in enumerate(views) if view is not None]
    gains = {number: 0.0 for number, view in enumerate(views) if view is None}
    with (
        Bar(f"{agent.name} on its blueprint", progress) as bar,
        at_work(executor, partial(_compared, agent), tasks) as results,
    ):
        try:
            for done, (number, gain) in enumerate(results, 1):
                gains[number] = gain
                mean = sum(gains.values()) / done * len(tasks) / count / unit[1]
                bar.show(done / len(tasks), f"{done:,} of {len(tasks):,} rivers  {mean:+.0f} {unit[0]}")
        except KeyboardInterrupt:
            pass
    played = next((number for number in range(count) if number not in gains), count)
    if played < 2:
        raise KeyboardInterrupt
    rivers = [gains[number] for number, _ in tasks if number < played]
    winnings = np.array([gains[number] for number in range(played)])
    return Gain(agent.name, rules, winnings, time.perf_counter() - began, np.array(rivers))


def river_of(hand: Hand) -> View | None:
    """What seat 0 sees at the start of a river that was bet on; None if the hand did not come to one."""
    if len(hand.ends) < RIVER:
        return None
    betting = start_betting(hand.rules)
    for action in hand.actions[: hand.ends[RIVER - 1]]:
        betting = betting.act(action)
    return None if betting.actor is None else view_at(hand.view(0), hand.ends[RIVER - 1], 0)


def _compared(agent: ResolvingAgent, task: tuple[int, View]) -> tuple[int, float]:
    """A deal's number, and the chips that the agent earns more than its blueprint on its river, mean of both seats."""
    number, view = task
    trunk = agent.trunk
    ranges = read_hands(trunk, view, 0), read_hands(trunk, view, 1)
    return number, (river_value(view, (agent, trunk), ranges) - river_value(view, (trunk, agent), ranges)) / 2


def river_value(view: View, agents: tuple[Agent, Agent], ranges: tuple[np.ndarray, np.ndarray]) -> float:
    """Chips that seat 0 nets on average from a view on the river on, over both ranges and all lines of betting."""
    total, stack = 0.0, [(view, ranges[0], ranges[1])]
    while stack:
        now, first, second = stack.pop()
        betting = now.betting
        if betting.actor is None:
            met = expected_signs(now.board, second[None, :])[0] if betting.showdown else compatible(second)
            total += betting.stake * float(first @ met)
            continue
        seat = betting.actor
        asked = now._replace(seat=seat, holes=((), ()), legal=betting.legal())
        for action, odds in answers_of(agents[seat], asked).items():
            mine = (first, second)[seat] * odds
            if mine.max() > _TOO_LITTLE:
                after = now._replace(actions=(*now.actions, action), betting=betting.act(action))
                stack.append((after, mine, second) if seat == 0 else (after, first, mine))
    return total / float(ranges[0] @ compatible(ranges[1]))
