"""AIVAT (Burch, Schmid, Moravcik and Bowling 2018) for two-player hold'em, both players' strategies known.

An observer sees only the board and the betting. What both may hold follows from their strategies, which are asked at
each decision what they do with every hand: the pair (i, j) has weight r0[i] r1[j] if no card is in common. Equation (2)
of `aivat.py` then has terms for every deal and every decision. Its function Q is here v, what seat 0 wins

- after a fold: the payoff;
- after a raise: if the other folds as it is thought to do, and else calls, after which both only check and call;
- otherwise: if both only check and call from here on, that is the stake times the expected sign of the showdown.

Before a card v is the mean of what it is after it, and at the end it is the payoff expected given all that was seen. So
all terms but these cancel:

    estimate = sum over decisions of (sum over actions a of P(a) v(after a)  -  v(before)),                   (3)

and v is 0 at the start, where both may hold anything. What is left to luck is which decisions come up. Who only checks
and calls adds nothing; after an all-in nothing is decided, so that its cards do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from pokerlab.agents.agent import Agent, Answers
from pokerlab.agents.asked import answers_of, asked
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import COUNT, HOLES, compatible, possible
from pokerlab.cards.matchups import preflop_signs
from pokerlab.cards.runouts import as_board, over_boards, runouts, symmetries, symmetrised
from pokerlab.errors import AgentFailed, PokerlabError
from pokerlab.game.betting import CALL, FOLD, Betting
from pokerlab.game.hand import Cards, Hand, new_hand
from pokerlab.game.rules import Rules
from pokerlab.match import kernels
from pokerlab.match.loop import playing
from pokerlab.match.variance import Chips

Ranges = tuple[np.ndarray, np.ndarray]  # the weights of the 1,326 hands, of each seat

_CHUNK = 640  # boards a task: the 1,176 of a flop are for two threads
_MOST_LINES = 1000  # before the flop, whose decisions are remembered
_MOST_ACTIONS = 10  # that a decision may have to be remembered, and for the other to be asked what it would answer
_NEVER = np.zeros(COUNT)


def expected_signs(board: Sequence[int], ranges: np.ndarray) -> np.ndarray:
    """For each hand, the sign of a showdown summed over the hands of a range that it can meet; [k, 1326] as `ranges`.

    A sign is 1 for a win and -1 for a loss, and its mean is taken over all cards to come. Weights, of either sign, must
    be 0 for hands that hold a card of the board; what is found for these means nothing.
    """
    shown = as_board(board)
    if not shown:
        return ranges @ preflop_signs().T
    ready, todo = tables(), runouts(shown, 5, symmetries([shown], ranges))
    parts = over_boards(
        lambda boards, counts: kernels.range_shares(ready, boards, counts, HOLES, ranges), todo, "", False, _CHUNK
    )
    boards = comb(48 - len(shown), 5 - len(shown))  # of each pair of hands
    shares = symmetrised(sum(parts), todo.suits) / boards  # wins twice, ties once
    return shares - np.array([compatible(weights) for weights in ranges])


class _Decision(NamedTuple):
    """A decision as the observer sees it; arrays are over the 1,326 hands.

    `answers` have the probability of each action, `folds` how likely the other is thought to fold to each raise, where
    it may, and `thought` how likely the actor was thought to fold now.
    """

    betting: Betting
    board: Cards
    ranges: Ranges
    answers: Answers
    folds: dict[int, np.ndarray]
    thought: np.ndarray

    @property
    def seat(self) -> int:
        assert self.betting.actor is not None
        return self.betting.actor

    def after(self, action: int) -> Ranges:
        """The ranges once an action is seen, scaled such that long hands do not make them vanish."""
        mine = self.ranges[self.seat] * self.answers.get(action, 0.0)
        if not mine.max() > 0:
            done = self.betting.text_of(action)
            raise PokerlabError(f"player {self.seat + 1} has played {done!r}, as its strategy never does there")
        mine /= mine.max()
        return (mine, self.ranges[1]) if self.seat == 0 else (self.ranges[0], mine)

    def term(self) -> _Term:
        """Its part in equation (3).

        v before it and after a call differ only where the actor folds more or less than was thought. So only these
        folds, and raises, need a showdown.
        """
        mine, other = self.ranges[self.seat], self.ranges[1 - self.seat]
        spent, most, meets = self.betting.spent, min(self.betting.rules.stacks), compatible(other)
        stake = min(self.betting.highest, most)
        surprise = mine * (self.answers.get(FOLD, _NEVER) - self.thought)
        certain, plain = -spent[self.seat] * (surprise @ meets), -stake * surprise
        ours, theirs = list[np.ndarray](), list[np.ndarray]()
        for action, odds in self.answers.items():
            if action in self.folds:
                taken, folds = mine * odds, self.folds[action]
                certain += spent[1 - self.seat] * (taken @ compatible(other * folds))
                ours.append(taken)
                theirs.append(other * (min(action, most) * (1 - folds) - stake))
            elif action > CALL:
                plain += (min(action, most) - stake) * mine * odds
        if plain.any():
            ours.append(plain)
            theirs.append(other)
        scale = (1 - 2 * self.seat) / (mine @ meets)
        return _Term(float(scale * certain), [scale * weights for weights in ours], theirs)


class _Term(NamedTuple):
    """Chips of seat 0: some certain, and expected signs of showdowns summed over pairs of weights, x @ signs @ y."""

    certain: float
    ours: list[np.ndarray]
    theirs: list[np.ndarray]


def _sum_of(board: Cards, terms: Sequence[_Term]) -> float:
    """Terms of decisions on one board; all share one pass over the cards to come."""
    total = sum(term.certain for term in terms)
    theirs = [weights for term in terms for weights in term.theirs]
    if theirs:
        ours = np.array([weights for term in terms for weights in term.ours])
        total += float(np.sum(ours * expected_signs(board, np.array(theirs))))
    return total


class HoldemAivat:
    """The estimator (3): a score for `play_match` between these agents, who must answer equal views alike.

    One that remembers past hands is measured by the stateless one that it says it is playing (`Agent.playing`).
    """

    def __init__(self, rules: Rules, agents: Sequence[Agent]) -> None:
        if rules.players != 2 or not rules.holdem:
            raise PokerlabError(f"AIVAT of known agents is for two-player hold'em, not for {rules.name or 'this game'}")
        self.rules, self.agents = rules, tuple(agents)
        for agent in agents:
            agent.must_play(rules)
            asked(agent, agent.playing, new_hand(rules).view(0))  # who cannot say is refused before the first hand
        self._lines: dict[tuple, tuple[_Decision, float]] = {}

    def __call__(self, hand: Hand, seated: Sequence[Agent]) -> Chips:
        """The estimate of a finished hand for both seats, in chips. Hole cards need not be known."""
        if hand.rules != self.rules or not hand.finished:
            raise PokerlabError(f"AIVAT for {self.rules.name} needs a finished hand of that game")
        if len(seated) != 2 or not all(any(agent is who for agent in self.agents) for who in seated):
            raise PokerlabError("AIVAT was made for other agents than those that played this hand")
        seated = playing(hand, seated)
        now, ranges = new_hand(self.rules, hand.names)._replace(holes=((), ())), (np.ones(COUNT), np.ones(COUNT))
        estimate, thought, street = 0.0, _NEVER, list[_Term]()
        for action in hand.actions:
            if pending := now.pending:
                estimate += _sum_of(now.board, street)
                now, street = now.dealt(hand.board[len(now.board) : len(now.board) + pending]), []
                left = possible(now.board)
                ranges = ranges[0] * left, ranges[1] * left
            if now.board:
                decision = _asked(seated, now, ranges, thought)
                street.append(decision.term())
            else:
                decision, term = self._before_the_flop(seated, now, ranges, thought)
                estimate += term
            thought = decision.folds.get(action, _NEVER)
            ranges, now = decision.after(action), now.act(action)
        estimate += _sum_of(now.board, street)
        return estimate, -estimate

    def _before_the_flop(
        self, seated: Sequence[Agent], hand: Hand, ranges: Ranges, thought: np.ndarray
    ) -> tuple[_Decision, float]:
        """A decision that many hands come to, and its term."""
        key = *seated, hand.names, hand.actions
        known = self._lines.get(key)
        if known is None:
            decision = _asked(seated, hand, ranges, thought)
            known = decision, _sum_of((), [decision.term()])
            if len(self._lines) >= _MOST_LINES:
                self._lines.clear()
            if len(decision.answers) <= _MOST_ACTIONS:
                self._lines[key] = known
        return known


def _asked(seated: Sequence[Agent], hand: Hand, ranges: Ranges, thought: np.ndarray) -> _Decision:
    seat = hand.betting.actor
    assert seat is not None
    answers = answers_of(seated[seat], hand.view(seat))
    total = sum(answers.values(), _NEVER)[ranges[seat] > 0]
    if not np.abs(total - 1).max() < 1e-6:
        worst = total[np.abs(total - 1).argmax()]
        raise AgentFailed(f"the probabilities of {seated[seat].title} with some hand add up to {worst}, not 1")
    raises = [action for action, odds in answers.items() if action > CALL and ranges[seat] @ odds > 0]
    folds = {}
    for action in raises if len(raises) <= _MOST_ACTIONS else ():
        odds = _folds(seated[1 - seat], hand.act(action))
        if ranges[1 - seat] @ odds > 0:
            folds[action] = odds
    return _Decision(hand.betting, hand.board, ranges, answers, folds, thought)


def _folds(agent: Agent, hand: Hand) -> np.ndarray:
    """How likely an agent is thought to fold with each hand. A guess will do: v need not be right."""
    seat = hand.betting.actor
    return _NEVER if seat is None else answers_of(agent, hand.view(seat), agent.guess).get(FOLD, _NEVER)
