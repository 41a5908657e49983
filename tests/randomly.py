"""Random rules and random play, for tests that hold for every game."""

from __future__ import annotations

import math
import random

import numpy as np
from hypothesis import strategies as st

from pokerlab.cards.deck import STANDARD_RANKS, Deck, rank_names, suit_names
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import CALL, FOLD, Legal
from pokerlab.game.hand import Hand, deal_random, new_hand
from pokerlab.game.rules import UNLIMITED_RAISES, UNLIMITED_STACK, Rules


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Small games of every kind: limit or not, 2 to 5 players, short, unequal or no stacks, odd decks."""
    players, rounds = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    limit = draw(st.booleans())

    def row(length: int, low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.lists(st.integers(low, high), min_size=length, max_size=length)))

    hole_cards, board_cards = draw(st.integers(1, 2)), row(rounds, 0, 2)
    needed = players * hole_cards + sum(board_cards)
    suits = draw(st.integers(1, 4))
    ranks = draw(st.integers(max(2, -(-needed // suits)), 24))
    names = rank_names(ranks)
    if ranks < len(STANDARD_RANKS):
        names = draw(st.sampled_from([names, STANDARD_RANKS[:ranks], "".join(reversed(names))]))
    blinds = row(players, 0, 10)
    stacks = tuple(blind + extra for blind, extra in zip(blinds, row(players, 1, 60), strict=True))
    if limit and draw(st.booleans()):
        stacks = (UNLIMITED_STACK,) * players
    # Without limits on raises or stacks a hand of random raises would hardly ever end.
    most = st.integers(0, 3) if UNLIMITED_STACK in stacks else st.sampled_from([0, 1, 3, UNLIMITED_RAISES])
    percents = st.one_of(st.floats(1, 500), st.integers(1, 500).map(float), st.just(math.inf))
    three = hole_cards + sum(board_cards) == 3
    return Rules(
        limit=limit,
        blinds=blinds,
        first=row(rounds, 0, players - 1),
        raise_sizes=row(rounds, 1, 20) if limit else (),
        max_raises=tuple(draw(most) for _ in range(rounds)),
        stacks=stacks,
        hole_cards=hole_cards,
        board_cards=board_cards,
        deck=Deck(names, suit_names(suits)),
        bet_sizes=() if limit else tuple(map(Size, draw(st.lists(percents, max_size=4)))),
        ranking="three-card" if three and draw(st.booleans()) else "poker",
    )


def any_action(legal: Legal, rng: random.Random, fold: float = 0.1, raising: float = 0.4) -> int:
    """A legal action; of raises the smallest and the largest are the likeliest."""
    if legal.fold and rng.random() < fold:
        return FOLD
    if legal.raises and rng.random() < raising:
        amount = rng.choice(legal.raises)
        return rng.choice([legal.raises[0], legal.raises[0], amount, amount, legal.raises[-1]])
    return CALL


def hand_states(rules: Rules, seed: int, fold: float = 0.1, raising: float = 0.4) -> list[Hand]:
    """Every state of a random hand, from before the deal to the end."""
    actions, cards = random.Random(seed), np.random.default_rng(seed)
    states = [new_hand(rules)]
    while not states[-1].finished:
        hand = states[-1]
        if hand.pending:
            states.append(deal_random(hand, cards))
        else:
            states.append(hand.act(any_action(hand.legal(), actions, fold, raising)))
    return states
