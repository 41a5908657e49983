"""pokerkit as referee: the same legal actions at each decision and the same payoffs at the end.

pokerkit follows casino rules. Where these differ from the competition's (an incomplete all-in raise
does not reopen the betting, nobody raises against players who could not call all of it, and a player
who owes nothing and faces only all-ins is not asked), only what agrees is played and compared.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pokerkit
import pytest
from pokerkit import Automation

from pokerlab.cards.deck import Deck
from pokerlab.game.betting import CALL, FOLD, Legal
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import Hand, deal_random, new_hand
from pokerlab.game.rules import Rules
from randomly import any_action

pytestmark = pytest.mark.slow

AUTOMATIC = (
    Automation.ANTE_POSTING, Automation.BET_COLLECTION, Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING, Automation.HAND_KILLING, Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)  # fmt: skip
DECK_TEXT = [Deck().text([card]) for card in range(52)]


def exact_divmod(chips: int, players: int) -> tuple[Fraction, int]:
    """Shares in fractions, as in the competition, and so no odd chips."""
    return Fraction(chips, players), 0


def referee(rules: Rules) -> pokerkit.State:
    # pokerkit also seats the big blind first heads-up, but takes the blinds as small, big.
    blinds = rules.blinds[::-1] if rules.players == 2 else rules.blinds
    if rules.limit:
        small, big = rules.raise_sizes[0], rules.raise_sizes[-1]
        return pokerkit.FixedLimitTexasHoldem.create_state(
            AUTOMATIC, True, 0, blinds, small, big, rules.stacks, rules.players, divmod=exact_divmod
        )
    return pokerkit.NoLimitTexasHoldem.create_state(
        AUTOMATIC, True, 0, blinds, max(blinds), rules.stacks, rules.players, divmod=exact_divmod
    )


def deal(state: pokerkit.State, before: Hand, after: Hand) -> None:
    """Deal to the referee what was dealt between two states of ours."""
    if not before.holes:
        for hole in after.holes:
            state.deal_hole("".join(DECK_TEXT[card] for card in hole))
        return
    board = [DECK_TEXT[card] for card in after.board[len(before.board) :]]
    while board:
        count = 3 if not state.board_cards else 1
        state.burn_card("??")
        state.deal_board("".join(board[:count]))
        del board[:count]


def referee_legal(state: pokerkit.State, hand: Hand) -> tuple[bool, int | None, int | None]:
    """Fold allowed, least and most a raise may go to, in chips over the whole hand."""
    seat = state.actor_index
    earlier = hand.betting.spent[seat] - state.bets[seat]
    low = state.min_completion_betting_or_raising_to_amount
    high = state.max_completion_betting_or_raising_to_amount
    if low is None:
        return state.can_fold(), None, None
    return state.can_fold(), earlier + low, earlier + high


def our_legal(legal: Legal) -> tuple[bool, int | None, int | None]:
    return (legal.fold, legal.raises[0], legal.raises[-1]) if legal.raises else (legal.fold, None, None)


def play(rules: Rules, seed: int, strict: bool) -> Counter[str]:
    """One hand on both tables; says what occurred in it."""
    actions, cards = random.Random(seed), np.random.default_rng(seed)
    hand, state, seen = new_hand(rules), referee(rules), Counter()
    while not hand.finished:
        if hand.pending:
            before, hand = hand, deal_random(hand, cards)
            deal(state, before, hand)
            continue
        legal = hand.legal()
        if state.actor_index != hand.actor:
            assert our_legal(legal) == (False, None, None), "the referee skips only those without a choice"
            assert not strict
            hand = hand.act(CALL)
            continue
        theirs = referee_legal(state, hand)
        if our_legal(legal) != theirs:
            assert not strict, f"{hand.betting_text()}: {our_legal(legal)} here, {theirs} there"
            assert legal.fold == theirs[0]
            seen["different raises"] += 1
            low, high = theirs[1:]
            both = [] if low is None else [low, high]
            assert all(amount in legal.raises for amount in both), "casino rules only ever allow less"
            legal = Legal(legal.fold, tuple(both))
        action = any_action(legal, actions, fold=0.07, raising=0.35)
        if action == FOLD:
            state.fold()
        elif action == CALL:
            state.check_or_call()
        else:
            seat = hand.actor
            state.complete_bet_or_raise_to(action - hand.betting.spent[seat] + state.bets[seat])
        hand = hand.act(action)
    assert not state.status
    assert hand.payoffs() == tuple(state.payoffs), hand.betting_text() + " " + hand.cards_text()
    spent, survivors, paid = hand.betting.spent, hand.betting.survivors, hand.payoffs()
    seen["all-in"] += any(a == b for a, b in zip(spent, rules.stacks, strict=True))
    if hand.betting.showdown:
        seen["showdown"] += 1
        seen["side pot"] += len({spent[seat] for seat in survivors}) == 3
        seen["two win"] += sum(paid[seat] >= 0 for seat in survivors) > 1
        seen["fraction"] += any(chips % 1 for chips in paid)
    return seen


def season(hands: int, strict: bool, make_rules: Callable[[random.Random], Rules]) -> Counter[str]:
    """Many hands; says how often what occurred, so that tests can ask whether they saw enough."""
    rng, seen = random.Random(hands), Counter()
    for seed in range(hands):
        seen += play(make_rules(rng), seed, strict)
    return seen


LIMIT_2P = rules_of("holdem-limit:raises=4")  # pokerkit does not count the blind as a bet
LIMIT_3P = rules_of("holdem-limit-3p:raises=4")
NOLIMIT_2P = rules_of("holdem-nolimit")
NOLIMIT_3P = dataclasses.replace(NOLIMIT_2P, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(20000,) * 3)


def unlimited(rules: Rules, rng: random.Random) -> Rules:
    return rules


def equal(rules: Rules, rng: random.Random) -> Rules:
    """Equal stacks of 5 to 30 big blinds."""
    blind = max(rules.blinds)
    return dataclasses.replace(rules, stacks=(rng.randint(5 * blind, 30 * blind),) * rules.players)


def unequal(rules: Rules, rng: random.Random) -> Rules:
    """Unequal stacks of 1.5 to 30 big blinds."""
    blind = max(rules.blinds)
    stacks = tuple(rng.randint(3 * blind // 2, 30 * blind) for _ in rules.blinds)
    return dataclasses.replace(rules, stacks=stacks)


def test_limit_two_players():
    seen = season(2000, True, lambda rng: rng.choice([unlimited, equal, unequal])(LIMIT_2P, rng))
    assert min(seen["showdown"] // 10, seen["all-in"], seen["two win"]) > 30, seen


def test_limit_three_players():
    seen = season(2000, True, lambda rng: rng.choice([unlimited, equal])(LIMIT_3P, rng))
    assert min(seen["showdown"] // 10, seen["all-in"], seen["two win"]) > 30, seen


def test_nolimit_two_players():
    seen = season(2000, True, lambda rng: rng.choice([equal, unequal])(NOLIMIT_2P, rng))
    assert min(seen["showdown"] // 10, seen["all-in"], seen["two win"]) > 30, seen


def test_nolimit_three_players():
    seen = season(2000, True, lambda rng: equal(NOLIMIT_3P, rng))
    assert min(seen["showdown"] // 10, seen["all-in"], seen["two win"]) > 30, seen


@pytest.mark.parametrize("rules", [LIMIT_3P, NOLIMIT_3P], ids=["limit", "nolimit"])
def test_three_players_with_side_pots(rules):
    seen = season(1000, False, lambda rng: unequal(rules, rng))
    assert min(seen["side pot"], seen["different raises"], seen["two win"]) > 30, seen
