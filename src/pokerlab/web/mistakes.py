"""What the person's decisions cost against this agent, once a hand is over: each action's worth, and the best one's.

The agent's strategy is known, its cards are not: what it may hold follows from what it did, as in review.py. An action
is worth what the person then wins on average with the best play from there on,

    value(a) = E[chips | own cards, board, betting, a; the agent's strategy; a best response to it],

and a decision costs what it falls short of the best. It is exact: all that may come is gone through. In hold'em that is
done on the last round alone, where no cards are to come; of no-limit's many raises some sizes stand for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of
from pokerlab.game.betting import CALL, FOLD, Betting
from pokerlab.game.hand import Hand, new_hand
from pokerlab.game.rules import Rules
from pokerlab.match.showdowns import Showdowns, showdowns_of
from pokerlab.web.hands import table_words

_PARTS = (0.5, 1.0)  # of the pot: sizes that stand for no-limit's raises, beside the least and all-in
_MOST_ANSWERS = 12  # actions between which an agent may choose, for what follows to be gone through
_SAME = 1e-9


class TooMany(Exception):
    """The agent may do more than can be gone through."""


class Decision(NamedTuple):
    """A decision of the person after `at` actions: what each action is worth in chips, and what was done."""

    at: int
    round: int
    board: str
    did: str
    values: dict[str, float]
    best: str
    cost: float


def why_no_costs(rules: Rules) -> str:
    """Which decisions of a game have no costs here, and why; empty where all have them."""
    if rules.players != 2:
        return "what decisions cost is told of games for two"
    if not rules.holdem_family:
        return ""
    return "what decisions cost is told of the last round alone: before it there are too many cards to come"


def decisions_of(hand: Hand, seat: int, agent: Agent) -> list[Decision]:
    """The decisions of the person in `seat` in a hand for two that is over, as far as their worth is known."""
    walk, told = _Walk(hand.rules, seat, hand.holes[seat], agent), []
    now = new_hand(hand.rules, hand.names)._replace(holes=((), ()))
    held = walk.possible(hand.holes[seat])
    for number, action in enumerate(hand.actions):
        if pending := now.pending:
            now = now.dealt(hand.board[len(now.board) : len(now.board) + pending])
            held = held * walk.possible(now.board)
        if not held.any():
            break  # the agent has done what its strategy never does
        if now.betting.actor != seat:
            held = held * answers_of(agent, now.view(1 - seat)).get(action, 0.0)
        elif not hand.rules.holdem_family or now.betting.round == hand.rules.rounds - 1:
            try:
                told.append(_told(now, number, action, walk.values(now, held / held.sum(), action)))
            except TooMany:
                break
        now = now.act(action)
    return told


def _told(now: Hand, number: int, action: int, values: dict[int, float]) -> Decision:
    betting = now.betting
    best = max(values, key=lambda each: (values[each], each == action))
    if values[best] - values[action] < _SAME:
        best = action
    words = {table_words(betting, each): worth for each, worth in values.items()}
    return Decision(
        number, betting.round, now.rules.deck.text(now.board), table_words(betting, action), words,
        table_words(betting, best), values[best] - values[action],
    )  # fmt: skip


class _Walk:
    """All that may follow a decision of the person with these cards; weights are over the agent's hole cards."""

    def __init__(self, rules: Rules, seat: int, hole: tuple[int, ...], agent: Agent) -> None:
        self.rules, self.seat, self.hole, self.agent = rules, seat, hole, agent
        self.showdowns = _showdowns(rules)
        self.mine = self.showdowns.number(hole)

    def possible(self, cards: tuple[int, ...]) -> np.ndarray:
        """1 for hole cards that have none of these."""
        return self.showdowns.possible(cards).astype(float)

    def values(self, now: Hand, held: np.ndarray, also: int) -> dict[int, float]:
        """What each action is worth to the person, who is to act; `also` is one that is looked at in any case."""
        return {action: self.after(now.act(action), held) for action in sorted({*self.choices(now.betting), also})}

    def choices(self, betting: Betting, first: bool = True) -> Iterator[int]:
        """The actions that are looked at: all of limit games, of no-limit some raises at first and then all-in."""
        legal = betting.legal()
        if legal.fold:
            yield FOLD
        yield CALL
        if not legal.raises:
            return
        if self.rules.limit or self.rules.bet_sizes:
            yield from legal.raises
            return
        least, most = legal.raises[0], legal.raises[-1]
        called = 2 * betting.highest
        sizes = [round(betting.highest + part * called) for part in _PARTS] if first else []
        yield from {max(least, min(most, size)) for size in (*sizes, most, *([least] if first else []))}

    def after(self, now: Hand, held: np.ndarray) -> float:
        """What the person wins from here on with the best play, summed over the weights."""
        betting = now.betting
        if betting.finished:
            return self.at_the_end(now, held)
        if now.pending:
            return self.over_cards(now, held)
        if betting.actor == self.seat:
            return max(self.after(now.act(action), held) for action in self.choices(betting, first=False))
        answers = answers_of(self.agent, now.view(1 - self.seat))
        if len(answers) > _MOST_ANSWERS:
            raise TooMany
        total = 0.0
        for action, odds in answers.items():
            left = held * odds
            if left.any():
                total += self.after(now.act(action), left)
        return total

    def over_cards(self, now: Hand, held: np.ndarray) -> float:
        """The mean over the cards that may come next, which are the others' as likely as each other's."""
        dead = {*self.hole, *now.board}
        live = [card for card in range(len(self.rules.deck)) if card not in dead]
        ways, total = comb(len(live) - self.rules.hole_cards, now.pending), 0.0
        for cards in combinations(live, now.pending):
            left = held * self.possible(cards)
            if left.any():
                total += self.after(now.dealt(cards), left)
        return total / ways

    def at_the_end(self, now: Hand, held: np.ndarray) -> float:
        betting = now.betting
        if not betting.showdown:
            won = -betting.spent[self.seat] if betting.folded[self.seat] else betting.spent[1 - self.seat]
            return float(won * held.sum())
        shares = self.showdowns.share(self.mine, now.board)
        return float(min(betting.spent) * (held @ (2 * shares - 1)))


@lru_cache(maxsize=8)
def _showdowns(rules: Rules) -> Showdowns:
    return showdowns_of(rules)
