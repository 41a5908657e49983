"""A blueprint asked for all hands on many boards at once, on every river, say, after the same betting; or by bucket."""

from __future__ import annotations

import numpy as np

from pokerlab.abstraction.translation import carried_out
from pokerlab.agents.agent import Answers, Boards
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.agents.shadows import Followed, Shadow
from pokerlab.cards.holes import COUNT
from pokerlab.game.betting import CALL, Betting
from pokerlab.game.hand import View

_MOST_TABLES = 32  # of probabilities on all boards, that are remembered


class BlueprintOnBoards(BlueprintAgent):
    """A blueprint's agent that answers for boards of one size, alike in all but the last round's card or cards.

    Arrays are (boards, 1326); those of earlier rounds have one board. Every bucket is looked up once, then spread out.
    """

    def __init__(self, agent: BlueprintAgent, boards: Boards) -> None:
        super().__init__(agent.blueprint, vary=agent.vary, threshold=agent.threshold, name=agent.name)
        self._follower, self._boards = agent._follower, boards
        self._tables: dict[tuple[int, int], np.ndarray] = {}
        self._places: dict[int, np.ndarray] = {}

    def answers(self, view: View) -> Answers:
        shape, followed = (len(self._boards), COUNT), self._follower.follow(view.seat, view.actions)
        answers: dict[int, np.ndarray] = {}
        for shadow, weight in zip(followed.shadows, self._chances(followed), strict=True):
            for action, odds in self._there(shadow, followed.real).items():
                if action not in answers:
                    answers[action] = np.zeros(shape)
                answers[action] += weight * odds
        return answers

    def _there(self, shadow: Shadow, real: Betting) -> dict[int, np.ndarray]:
        """`_in_shadow` on all boards."""
        if not self._follower.decides(shadow, real):
            return {CALL: np.ones((1, COUNT))}
        answers: dict[int, np.ndarray] = {}
        graph = self.blueprint.graph
        table = self._spread(shadow.node, shadow.base)
        for choice, odds in zip(graph.actions[shadow.node], table, strict=True):
            for action, part in carried_out(graph.states[shadow.node], choice, real, self.vary).items():
                answers[action] = answers.get(action, 0.0) + part * odds
        return answers

    def _chances(self, followed: Followed) -> list[np.ndarray]:
        """`_weights` on all boards."""
        plain = [shadow.chance * np.ones((1, COUNT)) for shadow in followed.shadows]
        if len(plain) == 1:
            return plain
        weights = []
        for weight, shadow in zip(plain, followed.shadows, strict=True):
            for node, base, number in shadow.choices:
                weight = weight * self._spread(node, base)[number]
            weights.append(weight)
        total: np.ndarray = sum(weights, np.zeros((1, COUNT)))
        scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        return [weight * scale + chance * (total <= 0) for weight, chance in zip(weights, plain, strict=True)]

    def _spread(self, node: int, base: int) -> np.ndarray:
        """(actions, boards, 1326) probabilities at a node."""
        table = self._tables.get((node, base))
        if table is None:
            if len(self._tables) >= _MOST_TABLES:
                self._tables.clear()
            graph = self.blueprint.graph
            every = np.arange(graph.arrays.buckets[node])
            by_bucket = np.ascontiguousarray(self._odds(node, base, (), every).T)
            table = self._tables[node, base] = by_bucket[:, self._hands_in(graph.states[node].round)]
        return table

    def _bucketed(self, board: tuple[int, ...]) -> np.ndarray:
        """In place of hands, every bucket once."""
        return np.arange(self.blueprint.graph.arrays.buckets.max())

    def _hands_in(self, round: int) -> np.ndarray:
        """(boards, 1326) the buckets of the hands in a round."""
        buckets = self._places.get(round)
        if buckets is None:
            boards = self._boards if round == self._last else self._boards[:1]
            shown = [self.blueprint.cards.board_buckets(board[: self._sizes[round]]) for board in boards]
            buckets = self._places[round] = np.maximum(np.stack(shown), 0)
        return buckets

    @property
    def _last(self) -> int:
        return self._sizes.index(len(self._boards[0]))


class BlueprintByBucket(BlueprintAgent):
    """A blueprint's agent asked for all buckets of its own in place of hands."""

    def __init__(self, agent: BlueprintAgent) -> None:
        super().__init__(agent.blueprint, vary=agent.vary, threshold=agent.threshold, name=agent.name)
        self._follower = agent._follower

    def buckets(self, board: tuple[int, ...]) -> np.ndarray:
        return np.maximum(self.blueprint.cards.board_buckets(board), 0)

    def odds(self, view: View) -> Answers | None:
        followed = self._follower.follow(view.seat, view.actions)
        if len(followed.shadows) > 1:
            return None  # earlier rounds' buckets tell them apart
        every = np.arange(self.blueprint.cards.counts[view.betting.round])
        return self._in_shadow(followed.shadows[0], followed.real, (), every)

    def _bucketed(self, board: tuple[int, ...]) -> np.ndarray:
        return np.arange(self.blueprint.graph.arrays.buckets.max())
