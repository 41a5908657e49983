"""Every hand of small games with its exact probability: for tests that hold on average over all of them."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import pokerlab
from explicit_tree import policy_of
from pokerlab.form.evaluate import evaluate
from pokerlab.form.strategy import random_profile
from pokerlab.game.catalog import rules_of
from pokerlab.game.deals import canonical
from pokerlab.game.hand import new_hand
from pokerlab.match.variance import Value, all_deals, count_deals

ONE_ROUND = replace(
    rules_of("leduc"), raise_sizes=(2,), first=(0,), max_raises=(2,), board_cards=(1,), name="board with the hole cards"
)
GAMES = {
    "kuhn": "kuhn",
    "leduc": "leduc",
    "no-limit": "leduc-nl:stack=3",
    "three-card": "rhode-island:ranks=3,suits=2,raises=1",
    "one round": ONE_ROUND,
}


def state_label(hand, seat):
    """As in `Profile.rows`, by hand."""
    deck, groups, at = hand.rules.deck, [hand.holes[seat]], 0
    for count in hand.rules.board_cards[: hand.betting.round + 1]:
        groups += [hand.board[at : at + count]] if count else []
        at += count
    state = canonical(hand.rules, tuple(groups))
    if hand.rules.suits_matter:
        return "/".join(map(deck.text, state))
    return "/".join("".join(deck.ranks[rank] for rank in cards) for cards in state)


def enumerate_hands(rules, odds_of):
    """All hands and their probabilities; `odds_of(hand)` maps action text to probability."""
    stack, ended = [(1.0, new_hand(rules))], []
    while stack:
        chance, hand = stack.pop()
        if hand.finished:
            ended.append((chance, hand))
        elif hand.pending:
            deals = list(all_deals(hand))
            assert len(set(deals)) == len(deals) == count_deals(hand)
            stack += [(chance / len(deals), hand.deal(cards)) for cards in deals]
        else:
            for action in hand.legal().actions():
                odds = odds_of(hand)[hand.betting.text_of(action)]
                stack += [(chance * odds, hand.act(action))] if odds > 0 else []
    return ended


@cache
def setting(name, kind="random"):
    """A profile, its exact value, and all its hands with probabilities."""
    game = pokerlab.compile(GAMES[name])
    if kind == "equilibrium":
        profile = pokerlab.solve(game, "lp", progress=False).strategy
    else:
        profile = random_profile(game, np.random.default_rng(len(name)))
    policy = policy_of(profile)
    hands = enumerate_hands(
        game.origin.rules, lambda hand: policy[hand.actor][hand.betting_text(), state_label(hand, hand.actor)]
    )
    return profile, evaluate(profile).value, hands


def moments(hands, estimator):
    chances = np.array([chance for chance, _ in hands])
    estimates = np.array([estimator(hand) for _, hand in hands])
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    mean = chances @ estimates
    return mean, np.sqrt(chances @ (estimates - mean) ** 2), estimates


def random_value(seed=0, players=2):
    """An arbitrary value function: noise, the same for the same hand."""

    def of(hand):
        key = [seed, *(c for hole in hand.holes for c in hole), 99, *hand.board, 99, *(a + 1 for a in hand.actions)]
        return tuple(np.random.default_rng(key).normal(scale=5, size=players).tolist())

    return Value(of)
