"""What an agent does in each round, as tables that compiled loops read: [panel of roots][bucket][row][lane].

An agent that sees cards in buckets is asked once; of any other every hand is a bucket of its own, and it is asked on
every board.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from math import ceil

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of, asked
from pokerlab.agents.by_bucket import ByBucket
from pokerlab.cards.holes import holes_of
from pokerlab.errors import AgentFailed
from pokerlab.game.betting import start_betting
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules
from pokerlab.match.exact.boards import Suits
from pokerlab.match.exact.street import Line, Street
from pokerlab.refine.spots.lanes import aligned, lanes_of

_CLOSE = 1e-6  # how near probabilities must come to 1
_TRIED = 30  # boards a round on which suits are changed, to see whether the agent looks at them


class Play:
    """An agent asked on each board; `fixed` tells whether one table does for all boards of a round."""

    fixed = False

    def __init__(self, agent: Agent, rules: Rules, streets: list[dict[int, Street]], dtype: type) -> None:
        self.agent, self.rules, self.streets, self.dtype = agent, rules, streets, dtype
        self.holes = len(holes_of(len(rules.deck), rules.hole_cards))

    def table(self, responder: int, round: int, board: tuple[int, ...]) -> np.ndarray:
        """The agent's play against a responder in a seat, on a board; flat."""
        return self._table(responder, round, self.holes, lambda line: self.odds(line, board))

    def buckets(self, board: tuple[int, ...]) -> np.ndarray:
        return np.arange(self.holes)

    def suits_alike(self) -> bool:
        """Whether it plays the same when suits are renamed, on boards that are tried out."""
        return all(np.allclose(one, other, atol=1e-12) for one, other in self._renamed())

    def digest(self) -> str:
        """A name for what it does; of agents that are asked board by board, for what was tried out."""
        told = hashlib.sha256(self.rules.text().encode())
        for one, _ in self._renamed():
            told.update(np.ascontiguousarray(one).tobytes())
        return told.hexdigest()

    def _renamed(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """What it does on some boards, and on the same boards with other suits."""
        suits, rng = Suits(self.rules), np.random.default_rng(0)
        for round in range(self.rules.rounds):
            for number in range(_TRIED if round else 1):
                board = rng.permutation(len(self.rules.deck))[: self.rules.boards[round]]
                change = int(rng.integers(len(suits.cards)))
                responder = number % 2
                place = self.streets[responder][round].places[number % len(self.streets[responder][round].places)]
                line = place.lines[int(rng.integers(len(place.lines)))]
                one = self._on(line, tuple(board.tolist()))
                other = self._on(line, tuple(suits.cards[change][board].tolist()))
                free = [not {*hole} & {*board.tolist()} for hole in holes_of(suits.deck, self.rules.hole_cards)]
                yield one[:, free], other[:, suits.holes[change]][:, free]

    def reach(self, responder: int, line: Line, board: tuple[int, ...]) -> np.ndarray:
        """How likely the agent does its part of a line of betting with each of the hole cards, on a board."""
        before, reach = Line(start_betting(self.rules)), np.ones(self.holes)
        for action in line.actions:
            if before.betting.actor != responder:
                odds = self.odds(before, board[: self.rules.boards[before.betting.round]])
                reach = reach * odds.get(action, 0.0)
            before = before.act(action)
        return reach

    def _on(self, line: Line, board: tuple[int, ...]) -> np.ndarray:
        """(actions, holes) what it does on a board."""
        odds = self.odds(line, board)
        none = np.zeros(self.holes)
        return np.stack([odds.get(action, none) for action in line.betting.legal().actions()])

    def odds(self, line: Line, board: tuple[int, ...]) -> Mapping[int, np.ndarray]:
        return answers_of(self.agent, self._view(line, board))

    def _view(self, line: Line, board: tuple[int, ...] = ()) -> View:
        betting, nothing = line.betting, ((),) * self.rules.players
        assert betting.actor is not None
        return View(self.rules, betting.actor, nothing, board, line.actions, line.ends, betting, betting.legal(), ())

    def _table(self, responder: int, round: int, count: int, ask) -> np.ndarray:  # type: ignore[no-untyped-def]
        street, lanes = self.streets[responder][round], lanes_of(self.dtype)
        table = aligned(ceil(len(street.roots) / lanes), count, street.program.rows, lanes, dtype=self.dtype)
        for place in street.places:
            for root, line in enumerate(place.lines):
                odds = ask(line)
                for row, action in enumerate(line.betting.legal().actions(), place.first):
                    if action in odds:
                        table[root // lanes, :, row, root % lanes] = odds[action]
        return table.ravel()


class PlayByBucket(Play):
    """An agent that sees cards in buckets: one table a round, whatever the board."""

    fixed = True

    def __init__(
        self, agent: Agent, rules: Rules, streets: list[dict[int, Street]], dtype: type, by_bucket: ByBucket
    ) -> None:
        super().__init__(agent, rules, streets, dtype)
        self.by_bucket = by_bucket
        self._tables: dict[tuple[int, int], np.ndarray] = {}

    def table(self, responder: int, round: int, board: tuple[int, ...]) -> np.ndarray:
        return self._tables[responder, round]

    def buckets(self, board: tuple[int, ...]) -> np.ndarray:
        return asked(self.agent, self.by_bucket.buckets, board)  # type: ignore[arg-type]

    def fill(self) -> bool:
        """Ask for everything; False where more than buckets matters to the agent."""
        for responder in range(2):
            for round, street in self.streets[responder].items():
                answers = {}
                for place in street.places:
                    for line in place.lines:
                        view = self._view(line)
                        odds = asked(self.agent, self.by_bucket.odds, view)
                        if odds is None:
                            return False
                        self._check(odds, view)
                        answers[line.actions] = odds
                count = len(next(iter(next(iter(answers.values())).values()))) if answers else 1
                self._tables[responder, round] = self._table(
                    responder, round, count, lambda line, answers=answers: answers[line.actions]
                )
        return True

    def digest(self) -> str:
        told = hashlib.sha256(super().digest().encode())
        for responder, round in sorted(self._tables):
            told.update(self._tables[responder, round].astype(np.float64).tobytes())
        return told.hexdigest()

    def odds(self, line: Line, board: tuple[int, ...]) -> Mapping[int, np.ndarray]:
        odds = asked(self.agent, self.by_bucket.odds, self._view(line))
        assert odds is not None
        return {action: each[self.buckets(board)] for action, each in odds.items()}

    def _check(self, odds: Mapping[int, np.ndarray], view: View) -> None:
        assert view.legal is not None
        total = sum(odds.values())
        fine = all(action in view.legal and (each >= 0).all() for action, each in odds.items())
        if not fine or not np.all(np.abs(total - 1) < _CLOSE):
            raise AgentFailed(
                f"agent {self.agent.title!r} failed after {view.betting_text()}: what it does in some bucket is no "
                "distribution over legal actions"
            )


def play_of(agent: Agent, rules: Rules, streets: list[dict[int, Street]], dtype: type) -> Play:
    """The play of an agent, by bucket where it can be."""
    by_bucket = agent.by_bucket(rules)
    if by_bucket is not None:
        play = PlayByBucket(agent, rules, streets, dtype, by_bucket)
        if play.fill():
            return play
    return Play(agent, rules, streets, dtype)
