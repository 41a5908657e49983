"""AIVAT for hold'em as equation (2) says it: weights of all pairs of hands, every term, every card that may come."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pokerlab.cards.evaluator import board_values
from pokerlab.cards.holes import HOLES
from pokerlab.cards.matchups import preflop_signs
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import new_hand


def sign_matrix(board, first, second):
    """The expected sign of a showdown between hands number `first` (rows) and `second` (columns), 0 if they clash."""
    if not board:
        return preflop_signs()[np.ix_(first, second)]
    total, count = np.zeros((len(first), len(second))), np.zeros((len(first), len(second)))
    live = [card for card in range(52) if card not in board]
    for rest in combinations(live, 5 - len(board)):
        values = board_values(board + rest).astype(int)
        a, b = values[first][:, None], values[second][None, :]
        both = (a > 0) & (b > 0)
        total += np.sign(a - b) * both
        count += both
    return total / np.maximum(count, 1) * apart(first, second)


def apart(first, second):
    """Whether hands have no card in common."""
    return ~(HOLES[first][:, None, :, None] == HOLES[second][None, :, None, :]).any(axis=(2, 3))


class Seen:
    """What the observer knows: the board, and both ranges as the hands in them and their weights."""

    def __init__(self, board, ranges):
        free = board_free(board)
        ranges = [weights * free for weights in ranges]
        self.board, self.ranges = board, ranges
        self.hands = [np.flatnonzero(weights) for weights in ranges]
        self.weights = np.outer(ranges[0][self.hands[0]], ranges[1][self.hands[1]]) * apart(*self.hands)
        self._signs = None

    @property
    def mass(self):
        return self.weights.sum()

    def mean(self, values):
        """Of a number for each pair of hands."""
        return (self.weights * values).sum() / self.mass

    def showdown(self, stake):
        if self._signs is None:
            self._signs = sign_matrix(self.board, *self.hands)
        return stake * self._signs


def board_free(board):
    return np.array([not set(hole.tolist()) & set(board) for hole in HOLES])


def value(seen, betting, folds=None):
    """v: what seat 0 wins; `folds` says how likely each hand of the actor folds to the raise that was just made."""
    if any(betting.folded):
        return float(betting.stake)
    stake = min(max(betting.spent), min(betting.rules.stacks))
    worth = seen.showdown(stake)
    if folds is not None:
        seat = betting.actor
        odds = folds[seen.hands[seat]]
        odds = odds[:, None] if seat == 0 else odds[None, :]
        lost = -betting.spent[0] if seat == 0 else betting.spent[1]
        worth = odds * lost + (1 - odds) * worth
    return seen.mean(worth)


def after_action(hand, ranges, seated, answer, action):
    """The range-weighted observation after an action, and v there."""
    seat, after = hand.betting.actor, hand.act(action)
    odds = [1.0, 1.0]
    odds[seat] = answer[action]
    seen = Seen(hand.board, [weights * part for weights, part in zip(ranges, odds, strict=True)])
    if not seen.mass > 0:
        return seen, 0.0
    folds = None
    if action not in (CALL, FOLD):
        folds = seated[1 - seat].answers(after.view(1 - seat)).get(FOLD)
    return seen, value(seen, after.betting, folds)


def estimate(hand, seated):
    """E[payoff at the end] less the sum of v(after) - E[v(after)] over all deals and decisions, for seat 0."""
    now = new_hand(hand.rules)._replace(holes=((), ()))
    seen = Seen((), [np.ones(1326), np.ones(1326)])
    corrections, last = 0.0, 0.0
    for action in hand.actions:
        if now.pending:
            board = hand.board[: len(now.board) + now.pending]
            if now.board:  # every card that may come, as likely as the hands make it
                live = [card for card in range(52) if card not in now.board]
                could = [Seen((*now.board, card), seen.ranges) for card in live]
                total = sum(other.mass for other in could)
                expected = sum(other.mass * value(other, now.betting) for other in could if other.mass) / total
                assert abs(expected - last) < 1e-9 * (1 + abs(last))
            else:
                expected = last  # 22,100 flops are left out
            now, seen = now._replace(board=board), Seen(board, seen.ranges)
            last = value(seen, now.betting)
            corrections += last - expected
        answer = seated[now.betting.actor].answers(now.view(now.betting.actor))
        expected = 0.0
        for other in answer:
            then, worth = after_action(now, seen.ranges, seated, answer, other)
            expected += then.mass / seen.mass * worth
        seen, last = after_action(now, seen.ranges, seated, answer, action)
        corrections += last - expected
        now = now.act(action)
    payoff = value(seen, now.betting)
    return payoff - corrections
