"""Hands played at random in every kind of game, and case bases made of them."""

from functools import lru_cache

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Random
from pokerlab.cases.base import CaseBase
from pokerlab.cases.features import Features
from pokerlab.cases.learn import Notes
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import deal_random, new_hand
from pokerlab.match.play import play_match

GAMES = ("holdem-limit", "holdem-limit-3p", "holdem-nolimit", "leduc")


class RandomSizes(Agent):
    """Folds seldom, calls, or bets some fraction of the pot; with good cards it bets more often."""

    name = "sizes"

    def act(self, view):
        odds = {FOLD: 0.1} if view.legal.fold else {}
        bets = view.betting.raises_to([Size(float(size)) for size in (20, 30, 50, 90, 150, 300, 800)], lifted=True)
        eager = 0.6 if sum(card // 4 for card in view.hole) > 12 else 0.3
        for amount in bets:
            odds[amount] = odds.get(amount, 0.0) + eager / len(bets)
        return {**odds, CALL: 1 - sum(odds.values())}


def random_hands(rules, count, seed=0, agents=None):
    hands = []
    agents = agents or [Random() if rules.limit else RandomSizes() for _ in range(rules.players)]
    play_match(rules, agents, count, seed=seed, watch=lambda number, seating, hand, seats: hands.append(hand))
    return hands


@lru_cache(maxsize=8)
def played(game):
    """Some hands of a game by its name."""
    return tuple(random_hands(rules_of(game), 150))


def base_of(rules, hands, features=Features(), **options):  # noqa: B008
    """A case base of what all seats did."""
    base = CaseBase(rules, (), features)
    notes = Notes(rules, features, base.parts)
    for hand in hands:
        for seat, won in enumerate(hand.payoffs()):
            notes.add(hand, seat, won)
    return CaseBase(rules, notes.cases(options.get("solutions", "vector")), features, **options)


def views(rules, count, seed=0):
    """Views of random hands, at every decision."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(count):
        hand = new_hand(rules)
        while not hand.finished:
            if hand.pending:
                hand = deal_random(hand, rng)
                continue
            seen.append(hand.view(hand.actor))
            odds = RandomSizes().act(seen[-1])
            action = list(odds)[rng.choice(len(odds), p=list(odds.values()))]
            hand = hand.act(action)
    return seen
