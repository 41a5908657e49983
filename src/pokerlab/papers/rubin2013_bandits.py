"""How dynamic selection does: its choices in hands that were really played, and what its arms are worth on average.

Arms and opponents are stateless. So a hand that an arm plays does not depend on the hands before it, and may be drawn
beforehand: `Hands` has as many as are asked for, and the agent itself (`opponents.dynamic`) chooses an arm, is told
what its seat saw of the arm's next hand, and chooses again. All methods of a run see the same hands of an arm, so that
they are compared in pairs; another run has other hands.

What a run is worth needs no luck. Given whom it chose, the mean of what it wins is known from what each arm wins in
each seat over all betting (`Worth`); this is AIVAT with a value function that is exact but for the deals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import hypot
from typing import NamedTuple, Protocol

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.blueprint import Blueprint
from pokerlab.agents.simple import Call
from pokerlab.bounds import HANDS
from pokerlab.game.hand import View, new_hand
from pokerlab.match.blueprints import drawn_hands, expected_winnings
from pokerlab.opponents.credit import showdown_divat
from pokerlab.opponents.dynamic import SCALE, Dynamic
from pokerlab.papers.verdicts import interval

NAMES = ("dynamic", "opponent")
_REMEMBERED = 200_000  # credits

Pick = Callable[[View], int | None]  # the number of the arm that is played in a hand which is about to begin


class Selection(Protocol):
    """Any way of selecting one of several arms for each hand."""

    def begin(self, arms: int, seed: int) -> tuple[Agent, Pick]: ...


class Method(NamedTuple):
    """How arms are chosen by dynamic selection."""

    chooser: str = "ucb1"
    credit: str = "showdown-divat"
    scale: float = SCALE
    memory: int | None = None

    def __str__(self) -> str:
        return f"{self.chooser}, {self.credit}" + (f", memory {self.memory:,}" if self.memory else "")

    def begin(self, arms: int, seed: int) -> tuple[Agent, Pick]:
        """The agent at its start, whose arms play elsewhere."""
        agent = Dynamic([Call()] * arms, self.chooser, self.credit, self.scale, self.memory, seed)
        if self.credit == "showdown-divat":  # the one that takes its time
            agent.credit = lambda: _remembered
        return agent, lambda view: agent.record(view).chosen


@lru_cache(maxsize=_REMEMBERED)
def _remembered(view: View) -> float:
    return showdown_divat(view)


class Hands:
    """What an arm's seat saw of its hands with an opponent, one after the other for either seat."""

    def __init__(self, arm: Blueprint, opponent: Blueprint, seed: int) -> None:
        self._drawn = enumerate(drawn_hands(arm, opponent, int(HANDS.most), seed=seed, names=NAMES))
        self._views: tuple[list[View], list[View]] = ([], [])

    def view(self, seat: int, number: int) -> View:
        """That of the hand of this number in a seat."""
        while len(self._views[seat]) <= number:
            turn, hand = next(self._drawn)
            self._views[turn % 2].append(hand.view(turn % 2))
        return self._views[seat][number]

    def turn_over(self) -> None:
        """Another run begins: hands that were asked for are not seen again."""
        for views in self._views:
            views.clear()


Source = Callable[[int], Sequence[Hands]]  # of a hand's number: where the hands of each arm come from then


def chosen(method: Selection, arms: int, hands: int, source: Source, seed: int) -> np.ndarray:
    """The numbers of the arms that a method chooses in so many hands; seats change from hand to hand."""
    (agent, pick), picked = method.begin(arms, seed), np.empty(hands, np.int8)
    rules = source(0)[0].view(0, 0).rules
    starts = [new_hand(rules, names).view(seat) for seat, names in enumerate((NAMES, NAMES[::-1]))]
    taken: dict[tuple[Hands, int], int] = {}
    for number in range(hands):
        seat = number % 2
        arm = pick(starts[seat])
        assert arm is not None
        there = source(number)[arm]
        at = taken.get((there, seat), 0)
        taken[there, seat] = at + 1
        agent.observe(there.view(seat, at))
        picked[number] = arm
    return picked


def runs(
    methods: Sequence[Selection], arms: Sequence[Blueprint], opponents: Sequence[Blueprint], hands: int, times: int,
    seed: int, at: int = 1,
) -> np.ndarray:  # fmt: skip
    """[methods, runs, hands] who was chosen: against the first opponent up to hand `at`, and then against the next."""
    streams = [[Hands(arm, other, 1000 * seed + 10 * i + j) for i, arm in enumerate(arms)]
               for j, other in enumerate(opponents)]  # fmt: skip
    picked: np.ndarray = np.empty((len(methods), times, hands), np.int8)

    def source(number: int) -> Sequence[Hands]:
        return streams[min(number // at, len(streams) - 1)]

    for run in range(times):
        for which, method in enumerate(methods):
            picked[which, run] = chosen(method, len(arms), hands, source, 1000 * seed + run)
        for each in (each for stream in streams for each in stream):
            each.turn_over()
    return picked


def winnings(arms: Sequence[Blueprint], opponent: Blueprint, deals: int, seed: int = 0) -> np.ndarray:
    """[arms, seats, deals] what arms win from an opponent over all betting, all on the same deals, in small bets or big
    blinds.
    """
    won = [expected_winnings(arm, opponent, deals, seed=seed, progress=False) for arm in arms]
    return np.array(won) / opponent.rules.small_bet


@dataclass(frozen=True)
class Worth:
    """What arms are worth against an opponent: `won` is what `winnings` finds."""

    won: np.ndarray

    @property
    def by_arm(self) -> np.ndarray:
        """[arms, deals] the mean of both seats."""
        return np.asarray(self.won.mean(axis=1))

    @property
    def means(self) -> np.ndarray:
        """[arms, seats]."""
        return np.asarray(self.won.mean(axis=2))

    def shares(self, picked: np.ndarray) -> np.ndarray:
        """[runs, arms, seats] how often each arm was chosen in each seat, in runs [runs, hands]; all add up to 1."""
        hands = picked.shape[1]
        seats = np.arange(hands) % 2
        counts = [
            [(row[seats == seat] == arm).sum() for seat in (0, 1)] for row in picked for arm in range(len(self.won))
        ]
        return np.array(counts).reshape(len(picked), len(self.won), 2) / hands

    def by_run(self, picked: np.ndarray) -> np.ndarray:
        """[runs] what each is worth on average."""
        return np.asarray(np.tensordot(self.shares(picked), self.means, 2))

    def by_deal(self, picked: np.ndarray) -> np.ndarray:
        """[deals] what the runs are worth on each deal."""
        return np.asarray(np.tensordot(self.shares(picked).mean(axis=0), self.won, 2))


class Figure(NamedTuple):
    """A mean and half of its 95 % interval."""

    mean: float
    half: float = 0.0


def figure(by_deal: np.ndarray, by_run: np.ndarray | None = None) -> Figure:
    """Of a figure on each deal and, where agents learn, in each run.

    Two things are left to chance: the deals that arms were measured on, and the hands that a run learnt from.
    """
    learnt = 0.0 if by_run is None else float(interval(by_run))
    return Figure(float(by_deal.mean()), hypot(float(interval(by_deal)), learnt))
