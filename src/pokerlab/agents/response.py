"""How exploitable a two-player blueprint is in its own abstract game: what a response that knows it wins.

Buckets forget, so that an exact best response is out of reach. Here the response begins as the blueprint itself and is
improved as in policy iteration. On many deals all betting is followed with its probability, which says what each action
would have gained on average in each row, the blueprint playing as it does and the response as it did; where the best
gained significantly, the response takes it from then on. It has the blueprint's own buckets and bets. What it wins on
fresh deals is a lower bound of the abstract exploitability; a better response would win more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pokerlab import bounds
from pokerlab.agents.blueprint import Blueprint
from pokerlab.agents.blueprint_kernels import Walk, improve, play_out
from pokerlab.errors import AgentError
from pokerlab.progress import Bar
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import DealSource
from pokerlab.solvers.sampling.holdem import HoldemDeals
from pokerlab.solvers.sampling.randomness import streams
from pokerlab.threads import spread

DEALS = 100_000  # that a response is measured on
SWEEPS = 2  # improvements
# While a response is sought:
LEAST = 0.01  # where the blueprint comes less often than that, its actions are drawn
EXPLORE = 0.05  # part of the response's play that is uniform, so that rows where it never goes are improved too
SURE = 1.5  # standard errors that an action must have gained: the less, the more is found, and found by luck
_CHUNK = 512  # deals played at once


@dataclass(frozen=True, eq=False)
class Response:
    """A response to a blueprint. `winnings[d]` is what the two won in deal d, in chips a hand, mean of both seats.

    `learnt` is how many deals it learnt from, in `seconds`.
    """

    blueprint: Blueprint
    winnings: np.ndarray
    learnt: int
    seconds: float


def respond(
    blueprint: Blueprint, seconds: float, *, deals: int = DEALS, seed: int = 0, progress: bool | None = None
) -> Response:
    """Find a response to a blueprint for two players in so many seconds, and measure it on `deals` deals.

    Measuring takes no longer than that either, so that there may be fewer. Ctrl-C ends the search, and what was found
    is measured.
    """
    rules = blueprint.rules
    if rules.players != 2:
        raise AgentError(f"responses are for two players, and {rules.name or 'this game'} has {rules.players}")
    bounds.DEALS.check(deals, error=AgentError)
    bounds.WAIT.check(seconds, error=AgentError)
    bounds.SEED.check(seed, error=AgentError)
    source = HoldemDeals(rules, blueprint.cards)
    source.buckets = [list(counts) for counts in blueprint.graph.buckets]  # with those that no hand falls in
    table, strategy, learnt = Table(blueprint.graph, source, seed), blueprint.strategy, 0
    Table(blueprint.graph, source, seed).improved(strategy, strategy, 1)  # compiled before the clock starts
    began = time.perf_counter()
    with Bar(f"a response in {rules.name}", progress) as bar:
        try:
            for sweep in range(SWEEPS):

                def show(count: int, before: int = learnt, sweep: int = sweep) -> None:
                    done = (time.perf_counter() - began) / seconds
                    bar.show(done, f"sweep {sweep + 1} of {SWEEPS}, {before + count:,} deals")

                until = began + seconds * (sweep + 1) / SWEEPS
                strategy, count = table.improved(strategy, blueprint.strategy, until=until, watch=show)
                learnt += count
        except KeyboardInterrupt:
            pass
    took = time.perf_counter() - began
    until = time.perf_counter() + min(seconds, max(took, 1.0))  # after Ctrl-C no longer than it was searched for
    won = table.play(strategy, blueprint.strategy, deals, until=until, progress=progress)
    response = replace(blueprint, strategy=strategy, about={"response_to": blueprint.about}, path="")
    return Response(response, np.stack([won, -won], axis=1), learnt, took)


class Table:
    """A betting graph for two and its deals, where a response meets a strategy: bytes, both, as a blueprint's."""

    def __init__(self, graph: BettingGraph, source: DealSource, seed: int = 0) -> None:
        self.graph, self.source = graph, source
        self._random = streams(seed, 3)
        self._works = [walk_of(graph), walk_of(graph)]

    def improved(
        self,
        response: np.ndarray,
        strategy: np.ndarray,
        deals: float = math.inf,
        *,
        until: float = math.inf,
        watch: Callable[[int], None] | None = None,
    ) -> tuple[np.ndarray, int]:
        """A better response to a strategy, and how many deals it was found on: so many, or until that time."""
        pair, count = np.stack([response, strategy]), 0
        gain = np.zeros((len(strategy), 2))
        while count < deals and (not count or time.perf_counter() < until):
            self._batch(pair, _CHUNK, gain, LEAST)
            count += _CHUNK
            if watch is not None:
                watch(count)
        better = response.copy()
        for seat in range(2):
            improve(self.graph.sweep, seat, SURE, gain, *self.graph.stack(), better)
        return better, count

    def play(
        self,
        response: np.ndarray,
        strategy: np.ndarray,
        deals: int,
        *,
        until: float = math.inf,
        progress: bool | None = None,
    ) -> np.ndarray:
        """What a response wins from a strategy, in chips a hand: on each deal the mean of both seats.

        All that the two may do on a deal counts with its probability; only the cards are drawn. There are fewer deals
        if they would take longer than `until`.
        """
        pair, nothing, count = np.stack([response, strategy]), np.zeros((0, 2)), 0
        won = [self._batch(pair, 0, nothing, 0.0)]  # compiles
        with Bar("playing the response", progress) as bar:
            while count < deals and (not count or time.perf_counter() < until):
                won.append(self._batch(pair, min(_CHUNK, deals - count), nothing, 0.0))
                count += len(won[-1])
                bar.show(count / deals, f"{count:,} deals")
        return np.concatenate(won)

    def _batch(self, pair: np.ndarray, count: int, gain: np.ndarray, least: float) -> np.ndarray:
        """Play so many deals in both seats, a thread each: their rows are not the same."""
        buckets, codes = np.empty((count, 2, self.graph.rules.rounds), np.int32), np.empty(count, np.int32)
        self.source.fill(self._random[0], buckets, codes)
        won = np.empty((2, count))

        def play(seat: int) -> None:
            work, rng = self._works[seat], self._random[1 + seat]
            play_out(self.graph.arrays, pair, seat, buckets, codes, work, won[seat], gain, least, EXPLORE, rng)

        spread(play, range(2))
        return won.mean(axis=0)


def walk_of(graph: BettingGraph) -> Walk:
    """Room for a walk over all betting."""
    stack, most = graph.depth * graph.most_actions + 1, graph.decisions
    slots = 1 + most * graph.most_actions

    def whole(size: int) -> np.ndarray:
        return np.zeros(size, dtype=np.int64)

    return Walk(
        node=whole(stack), base=whole(stack), slot=whole(stack), reach=np.zeros(stack), own=np.zeros(stack),
        met=whole(most), at=whole(most), into=whole(most), chance=np.zeros(most), value=np.zeros(slots),
        times=np.zeros(slots),
    )  # fmt: skip
