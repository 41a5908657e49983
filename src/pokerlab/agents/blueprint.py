"""Strategies of abstract hold'em that sampling has found, and the agent that plays them in the real game.

A *blueprint* is a table over (place in the betting, bucket of the cards). At the table the betting is followed with
`shadows`, cards are bucketed, and what the table says is carried out in legal chips.

    blueprint = load_blueprint("holdem-nolimit.blueprint")
    BlueprintAgent(blueprint, translation="soft").act(view)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate
from math import comb
from typing import Any

import numpy as np

from pokerlab.abstraction.bets import parse_bets
from pokerlab.abstraction.translation import carried_out
from pokerlab.agents.agent import Agent, Answers, Boards, Distribution
from pokerlab.agents.blueprint_kernels import fill_bytes
from pokerlab.agents.by_bucket import ByBucket
from pokerlab.agents.shadows import Followed, Follower, Shadow
from pokerlab.cards.holes import hole_number
from pokerlab.errors import AgentError, StrategyFileError
from pokerlab.game.betting import CALL, Betting
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules
from pokerlab.progress import announced
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.forgetful import ForgetfulGraph
from pokerlab.solvers.sampling.holdem import Cards
from pokerlab.solvers.sampling.sampler import Sampler

MEMORIES = ("hand", "round")  # what is remembered of the betting: all, or only the state at the start of the round
_MOST_BOARDS = 256  # whose buckets are remembered


def graph_of(rules: Rules, bets: str, memory: str, counts: Sequence[int]) -> BettingGraph:
    """The betting of a blueprint: a bet abstraction (see `abstraction.bets`), and buckets on each street."""
    if memory not in MEMORIES:
        raise AgentError(f"the betting is remembered of the {' or the '.join(MEMORIES)}, not of {memory!r}")
    return _graph(rules, bets, memory, tuple(counts))


@lru_cache(maxsize=1)  # a file is checked against the graph before the strategy is read, which then needs it again
def _graph(rules: Rules, bets: str, memory: str, counts: tuple[int, ...]) -> BettingGraph:
    kind = ForgetfulGraph if memory == "round" else BettingGraph
    with announced(f"laying out the betting of {rules.name}"):
        return kind(rules, [list(counts)] * rules.players, parse_bets(bets, rules))


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy for all seats. `strategy` has a byte a probability, in the order of the graph's rows.

    `spare` buckets, the last ones on each street, are those of no hand (see `company.py`). `about` says how it came
    about: recipe, iterations, seconds and the like, as plain JSON; `path` is its file.
    """

    rules: Rules
    bets: str
    memory: str
    cards: Cards
    strategy: np.ndarray
    about: dict[str, Any] = field(default_factory=dict)
    spare: int = 0
    path: str = ""
    made_by: str = ""  # the text of a card abstraction that is a class's (`abstraction.cards`): no file can hold it

    def __post_init__(self) -> None:
        if self.strategy.shape != (self.graph.cells // 2,) or self.strategy.dtype != np.uint8:
            raise StrategyFileError(
                f"a strategy of {self.strategy.size:,} probabilities does not fit a game with {self.graph.cells // 2:,}"
            )

    @cached_property
    def graph(self) -> BettingGraph:
        return graph_of(self.rules, self.bets, self.memory, [count + self.spare for count in self.cards.counts])

    def odds(self, node: int, base: int, buckets: np.ndarray) -> np.ndarray:
        """Probabilities [hands, actions] at a node whose rows begin at `base`, for hands in these buckets."""
        k = len(self.graph.actions[node])
        rows = self.strategy[base // 2 + k * buckets[:, None] + np.arange(k)].astype(np.float64)
        return rows / rows.sum(axis=1, keepdims=True)


def blueprint_of(
    sampler: Sampler, bets: str, memory: str, cards: Cards, about: dict[str, Any], made_by: str = ""
) -> Blueprint:
    """The average strategy that a sampler has come to."""
    graph = sampler.graph
    call = np.array([actions.index(CALL) if actions else 0 for actions in graph.actions])
    strategy: np.ndarray = np.zeros(graph.cells // 2, dtype=np.uint8)
    arrays = graph.sweep
    met = fill_bytes(arrays, call, sampler.cells, *graph.stack(), np.zeros(graph.most_actions), strategy)
    figures = {"infosets": graph.infosets, "met": int(met), "iterations": sampler.iteration, "touched": sampler.touched}
    spare = graph.buckets[0][0] - cards.counts[0]
    return Blueprint(graph.rules, bets, memory, cards, strategy, {**about, **figures}, spare, made_by=made_by)


class BlueprintAgent(Agent):
    """Plays a blueprint in any seat.

    `translation` says what bets of unknown sizes are taken for, `vary` by which part its own bets vary (equation (3.6)
    of Rubin's thesis). Probabilities below `threshold` are left out (Ganzfried, Sandholm and Waugh 2012); 1 plays the
    likeliest action only.
    """

    rules: Rules

    def __init__(
        self,
        blueprint: Blueprint,
        *,
        translation: str = "pseudo-harmonic",
        vary: float = 0.0,
        threshold: float = 0.0,
        name: str = "blueprint",
    ) -> None:
        if not 0 <= vary < 1 or not 0 <= threshold <= 1:
            raise AgentError(f"vary is from 0 to below 1 and threshold from 0 to 1, not {vary} and {threshold}")
        self.blueprint, self.name, self.rules = blueprint, name, blueprint.rules
        self.files = (blueprint.path,) if blueprint.path else ()
        self.vary, self.threshold = float(vary), float(threshold)
        self._follower = Follower(blueprint.graph, translation, self.vary)
        self._sizes = list(accumulate(blueprint.rules.board_cards))
        self._buckets: dict[tuple[int, ...], np.ndarray] = {}

    def rehearse(self, view: View) -> None:
        self.act(view)

    def act(self, view: View) -> Distribution:
        hand = np.array([hole_number(view.hole)])
        return {action: float(odds[0]) for action, odds in self._answer(view, hand).items() if odds[0] > 0}

    def answers(self, view: View) -> Answers:
        return self._answer(view, np.arange(comb(len(self.rules.deck), 2)))

    def on_boards(self, boards: Boards) -> Callable[[View], Answers]:
        from pokerlab.agents.many_boards import BlueprintOnBoards  # stands on this module

        return BlueprintOnBoards(self, boards).answers

    def by_bucket(self, rules: Rules) -> ByBucket:
        from pokerlab.agents.many_boards import BlueprintByBucket

        self.must_play(rules)
        return BlueprintByBucket(self)

    def _answer(self, view: View, hands: np.ndarray) -> dict[int, np.ndarray]:
        self.must_play(view.rules)
        answers: dict[int, np.ndarray] = {}
        followed = self._follower.follow(view.seat, view.actions)
        weights = self._weights(followed, view.board, hands)
        for shadow, weight in zip(followed.shadows, weights, strict=True):
            for action, odds in self._in_shadow(shadow, followed.real, view.board, hands).items():
                answers[action] = answers.get(action, 0.0) + weight * odds
        return answers

    def _in_shadow(
        self, shadow: Shadow, real: Betting, board: tuple[int, ...], hands: np.ndarray
    ) -> dict[int, np.ndarray]:
        """What to do if this shadow is the one: real actions, and their probabilities with each hand."""
        if not self._follower.decides(shadow, real):
            return {CALL: np.ones(len(hands))}
        graph = self.blueprint.graph
        answers: dict[int, np.ndarray] = {}
        state = graph.states[shadow.node]
        table = self._odds(shadow.node, shadow.base, board, hands)
        for choice, odds in zip(graph.actions[shadow.node], table.T, strict=True):
            for action, part in carried_out(state, choice, real, self.vary).items():
                answers[action] = answers.get(action, 0.0) + part * odds
        return answers

    def _weights(self, followed: Followed, board: tuple[int, ...], hands: np.ndarray) -> np.ndarray:
        """The probability [shadows, hands] of each shadow, given the hand and what the player has done with it."""
        shadows = followed.shadows
        weights = np.array([[shadow.chance] for shadow in shadows]) * np.ones(len(hands))
        if len(shadows) == 1:
            return weights
        plain = weights.copy()
        for weight, shadow in zip(weights, shadows, strict=True):
            for node, base, number in shadow.choices:
                weight *= self._odds(node, base, board, hands)[:, number]
        total = weights.sum(axis=0)
        return np.where(total > 0, weights / np.where(total > 0, total, 1.0), plain)

    def _odds(self, node: int, base: int, board: tuple[int, ...], hands: np.ndarray) -> np.ndarray:
        """The blueprint's probabilities [hands, actions], small ones left out."""
        shown = self._sizes[self.blueprint.graph.states[node].round]
        buckets = np.maximum(self._bucketed(board[:shown])[hands], 0)  # where a card clashes there is none
        odds = self.blueprint.odds(node, base, buckets)
        if self.threshold:
            least = np.minimum(self.threshold, odds.max(axis=1, keepdims=True))
            odds = np.where(odds >= least, odds, 0.0)
            odds /= odds.sum(axis=1, keepdims=True)
        return odds

    def _bucketed(self, board: tuple[int, ...]) -> np.ndarray:
        """The buckets of all hands on a board."""
        buckets = self._buckets.get(board)
        if buckets is None:
            if len(self._buckets) >= _MOST_BOARDS:
                self._buckets.clear()
            buckets = self._buckets[board] = self.blueprint.cards.board_buckets(board)
        return buckets
