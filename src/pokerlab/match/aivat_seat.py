"""AIVAT (Burch, Schmid, Moravcik and Bowling 2018) where one of two players is known and the other's cards are.

This is how a person who plays an agent is measured. What is observed are the person's cards, the board and the betting;
what the agent may hold follows from its strategy, which is asked at each decision what it does with every hand: hole
cards h have weight w(h). What the agent held is never looked at, shown or not. Equation (2) of `aivat.py` has terms for
deals and for the agent's decisions; its Q is what the person wins if both only check and call from here on,

    Q(o) = stake * sum of w(h) sign(h) over h / sum of w(h),

sign being the expected sign of the showdown over all cards to come; after a fold it is the payoff, and after a raise of
the agent's the person is thought to fold as often as the agent would in that seat. Before a card Q is the mean of what
it is after it, and before the first deal it is 0. Q need not be right: any Q leaves the estimate without bias.
"""

from __future__ import annotations

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of
from pokerlab.cards.matchups import preflop_signs
from pokerlab.errors import PokerlabError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import Cards, Hand, new_hand
from pokerlab.game.rules import Rules
from pokerlab.match.showdowns import showdowns_of

_MOST_RAISES = 10  # for the other to be thought to fold to each as often as the agent would


class SeatAivat:
    """The estimator for hands against one stateless agent, in hold'em or in a game whose cards can be enumerated."""

    def __init__(self, rules: Rules, agent: Agent) -> None:
        if rules.players != 2:
            raise PokerlabError(f"AIVAT of one seat is for two players, not for {rules.name or 'this game'}")
        self.rules, self.agent, self._showdowns = rules, agent, showdowns_of(rules)
        if not rules.holdem and not self._showdowns.exact:
            raise PokerlabError(f"{rules.name or 'this game'} has too many cards for AIVAT of one seat")

    def __call__(self, hand: Hand, seat: int) -> float:
        """What a finished hand was worth to the player in `seat`, in chips; the agent sits in the other."""
        if hand.rules != self.rules or not hand.finished:
            raise PokerlabError(f"AIVAT for {self.rules.name} needs a finished hand of that game")
        mine, hole = self._showdowns.number(hand.holes[seat]), hand.holes[seat]
        now = new_hand(self.rules, hand.names)._replace(holes=((), ()))
        held, signs = self._possible(hole), self._signs(mine, ())
        estimate = -self._stake(now) * _mean(held, signs)
        for action in hand.actions:
            if pending := now.pending:
                estimate += self._stake(now) * _mean(held, signs)
                now = now.dealt(hand.board[len(now.board) : len(now.board) + pending])
                held, signs = held * self._possible(now.board), self._signs(mine, now.board)
                estimate -= self._stake(now) * _mean(held, signs)
            if now.betting.actor != seat:
                change, held = self._decision(now, seat, mine, action, held, signs)
                estimate += change
            now = now.act(action)
        return estimate + self._payoff(now, seat, _mean(held, self._signs(mine, now.board)))

    def _possible(self, cards: Cards) -> np.ndarray:
        return self._showdowns.possible(cards).astype(float)

    def _signs(self, mine: int, board: Cards) -> np.ndarray:
        """The expected sign of a showdown with each hand."""
        if self.rules.holdem and not board:
            return preflop_signs()[mine]
        return 2 * self._showdowns.share(mine, board) - 1

    def _stake(self, now: Hand) -> float:
        return float(min(now.betting.highest, *self.rules.stacks))

    def _payoff(self, now: Hand, seat: int, sign: float) -> float:
        betting = now.betting
        if betting.showdown:
            return min(betting.spent) * sign
        return float(-betting.spent[seat] if betting.folded[seat] else betting.spent[1 - seat])

    def _decision(
        self, now: Hand, seat: int, mine: int, action: int, held: np.ndarray, signs: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """E[Q(o after) | o] - Q(o after) for a decision of the agent, and the weights after it."""
        answers, spent = answers_of(self.agent, now.view(1 - seat)), now.betting.spent
        raises = [each for each in answers if each > CALL]
        folds = {each: self._folds(now.act(each), seat, mine) for each in raises} if len(raises) <= _MOST_RAISES else {}
        sums = dict[int, tuple[np.ndarray, float, float]]()  # with each array, which many raises may share
        expected = taken = 0.0
        for each, odds in answers.items():
            if id(odds) not in sums:
                left = held * odds
                sums[id(odds)] = odds, float(left.sum()), float(left @ signs)
            _, mass, won = sums[id(odds)]
            fold, stake = folds.get(each, 0.0), min(max(each, now.betting.highest), *self.rules.stacks)
            worth = spent[1 - seat] * mass if each == FOLD else (1 - fold) * stake * won - fold * spent[seat] * mass
            expected += worth
            taken = worth / mass if each == action and mass > 0 else taken
        left = held * answers.get(action, 0.0)
        if not left.any():
            done = now.betting.text_of(action)
            raise PokerlabError(f"{self.agent.title} has played {done!r}, as its strategy never does there")
        return expected / float(held.sum()) - taken, left / left.max()

    def _folds(self, after: Hand, seat: int, mine: int) -> float:
        """How likely the person is thought to fold, by what the agent would do with these cards."""
        if after.betting.actor != seat or after.pending:
            return 0.0
        odds = answers_of(self.agent, after.view(seat), self.agent.guess).get(FOLD)
        return 0.0 if odds is None else float(odds[mine])


def _mean(held: np.ndarray, signs: np.ndarray) -> float:
    return float(held @ signs / held.sum())
