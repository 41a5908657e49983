"""Counter-strategies in abstract hold'em, by sampling: from hands of a player to a blueprint that wins from it.

Actions are counted by betting and bucket; what follows is a model with a default (calling) where nothing was seen, for
restricted Nash and frequentist responses, and trust that grows with the number of observations, for data biased ones. A
response is learnt for each seat on its own, against an opponent who is not free (`solvers/sampling/held_kernels.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate

import numpy as np

from pokerlab.agents.blueprint import Blueprint, blueprint_of, graph_of
from pokerlab.agents.hidden_cards import HiddenCards
from pokerlab.bounds import SHARE
from pokerlab.cards.holes import hole_number, possible
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.held_kernels import Held, by_row, take_seat
from pokerlab.solvers.sampling.holdem import Cards, HoldemDeals
from pokerlab.solvers.sampling.sampler import Sampler, plan_of
from pokerlab.solvers.sampling.train import train

KINDS = ("restricted-nash", "data-biased", "frequentist")
CONFIDENCES = ("linear", "curve")
ROUNDS = 200  # of expectation over hidden cards, at most
STILL = 1e-4  # change of any probability below which nothing more is learnt


class Counted:
    """How often a player took each action, by betting and bucket of an abstract game for two."""

    def __init__(self, graph: BettingGraph, cards: Cards) -> None:
        if graph.players != 2:
            raise AgentError(f"counter-strategies are for two players, and {graph.rules.name} has {graph.players}")
        self.graph, self.cards, self.hands = graph, cards, 0
        self.counts: np.ndarray = np.zeros(graph.cells // 2)
        self.hidden = HiddenCards()
        self._sizes = list(accumulate(graph.rules.board_cards))
        self._call = np.array([actions.index(CALL) if actions else 0 for actions in graph.actions])
        self._buckets: dict[tuple[int, ...], np.ndarray] = {}

    def add(self, hands: Iterable[tuple[Hand, int]]) -> None:
        """Count hands, each with the player's seat; those without its cards wait for `settle`."""
        for hand, seat in hands:
            decisions = list(self._decisions(hand, seat))
            if hand.holes[seat]:
                hole = hole_number(hand.holes[seat])
                for cells in decisions:
                    self.counts[cells[hole]] += 1
            elif decisions:
                self.hidden.add(decisions, possible((*hand.holes[1 - seat], *hand.board))[: len(decisions[0])])
            self.hands += 1

    def _decisions(self, hand: Hand, seat: int) -> Iterator[np.ndarray]:
        """For each decision of the player the place in `counts` of the action that was taken, by hole."""
        graph, node, base = self.graph, 0, 0
        for action in hand.actions:
            choice = graph.actions[node].index(action)
            if graph.states[node].actor == seat:
                buckets = self._bucketed(hand.board[: self._sizes[graph.states[node].round]])
                yield base // 2 + len(graph.actions[node]) * buckets + choice
            edge = int(graph.arrays.first[node]) + choice
            node, base = int(graph.arrays.child[edge]), base + int(graph.arrays.skip[edge])

    def settle(self, rounds: int = ROUNDS) -> list[float]:
        """Count hands without cards by expectation over holes, until nothing changes; the likelihood after each round.

        A prior that does anything counts as one decision in every row, so that nothing is impossible.
        """
        prior, likelihoods = self._rates(np.ones_like(self.counts)), []
        model, expected = prior, np.zeros_like(self.counts)
        for _ in range(rounds if len(self.hidden) else 0):
            expected, hidden = self.hidden.expected(model)
            shown = float((self.counts + prior) @ np.log(model))
            likelihoods.append(hidden + shown)
            better = self._rates(self.counts + expected + prior)
            change, model = float(np.abs(better - model).max()), better
            if change < STILL:
                break
        self.counts, self.hidden = self.counts + expected, HiddenCards()
        return likelihoods

    def _rates(self, counts: np.ndarray) -> np.ndarray:
        """How often each action was taken, of all in its row, where there were any."""
        rates, unused = (np.zeros(len(counts), dtype=np.float32) for _ in range(2))
        by_row(self.graph.sweep, counts, self._call, 1.0, False, *self.graph.stack(), rates, unused)
        return rates.astype(np.float64)

    def _bucketed(self, board: tuple[int, ...]) -> np.ndarray:
        buckets = self._buckets.get(board)
        if buckets is None:
            if len(self._buckets) >= 4096:
                self._buckets.clear()
            buckets = self._buckets[board] = self.cards.board_buckets(board)
        return buckets

    def model(self, p: float = 1.0, confidence: str = "curve") -> tuple[np.ndarray, np.ndarray]:
        """What the player is believed to do, and the part of that which is trusted, at most p of it."""
        SHARE.check(p, "p", AgentError)
        if confidence not in CONFIDENCES:
            raise AgentError(f"confidence in hold'em is one of {', '.join(CONFIDENCES)}, not {confidence!r}")
        model, trust = (np.zeros(len(self.counts), dtype=np.float32) for _ in range(2))
        by_row(self.graph.sweep, self.counts, self._call, p, confidence == "linear", *self.graph.stack(), model, trust)
        return model, trust


def sampled_counter(
    seen: Counted, base: Blueprint, kind: str = "restricted-nash", p: float = 0.5, *, iterations: int,
    seconds: float | None = None, confidence: str = "curve", seed: int = 0, progress: bool | None = None,
) -> Blueprint:  # fmt: skip
    """A counter-strategy for both seats: so many walks a player for each, or so many seconds, whichever comes first.

    Bets, memory and cards are those of `base`.
    """
    if kind not in KINDS:
        raise AgentError(f"there is no counter-strategy {kind!r}; there are {', '.join(KINDS)}")
    model, least = seen.model(p, confidence)
    whole = {"restricted-nash": p, "data-biased": 0.0, "frequentist": 1.0}[kind]
    held = least if kind == "data-biased" else np.zeros_like(least)
    graph, rules = seen.graph, seen.graph.rules
    found: list[Blueprint] = []
    for seat in (1, 0):  # who is held
        plan = plan_of("external", weighting="linear", seed=seed + seat, single=True, epoch=20_000)
        sampler = Sampler(graph, HoldemDeals(rules, seen.cards), plan, Held(seat, whole, model, held))
        if train(sampler, iterations=iterations, seconds=seconds, progress=progress).stopped == "interrupted":
            raise KeyboardInterrupt  # half of a response is none
        about = {"response": kind, "p": p, "hands": seen.hands}
        found.append(blueprint_of(sampler, base.bets, base.memory, seen.cards, about, base.made_by))
    strategy = found[0].strategy.copy()
    take_seat(graph.sweep, 1, found[1].strategy, *graph.stack(), strategy)
    return replace(found[0], strategy=strategy)


def styled(blueprint: Blueprint, fold: float, call: float, raise_: float) -> Blueprint:
    """A blueprint whose probabilities of folding, calling and raising are multiplied, where that leaves any."""
    graph = blueprint.graph
    strategy: np.ndarray = np.zeros(graph.cells // 2, dtype=np.uint8)
    stack = [(0, 0)]
    while stack:
        node, at = stack.pop()
        actions = graph.actions[node]
        if not actions:
            continue
        span = slice(at // 2, at // 2 + len(actions) * int(graph.arrays.buckets[node]))
        factors = np.array([{FOLD: fold, CALL: call}.get(action, raise_) for action in actions])
        rows = blueprint.strategy[span].reshape(-1, len(actions)) * factors
        rows[rows.sum(axis=1) == 0, actions.index(CALL)] = 1.0
        strategy[span] = np.round(255 * rows / rows.sum(axis=1, keepdims=True)).astype(np.uint8).ravel()
        first = int(graph.arrays.first[node])
        for edge in range(first, first + len(actions)):
            stack.append((int(graph.arrays.child[edge]), at + int(graph.arrays.skip[edge])))
    about = {"style": [fold, call, raise_]}
    return replace(blueprint, strategy=strategy, about=about, path="")


def uniform_blueprint(rules: Rules, bets: str, cards: Cards, made_by: str = "") -> Blueprint:
    """One who does anything: to be styled, and to tell the bets and cards of an abstract game."""
    graph = graph_of(rules, bets, "hand", cards.counts)
    return Blueprint(rules, bets, "hand", cards, np.full(graph.cells // 2, 85, np.uint8), made_by=made_by)
