"""Bet abstractions of large games as text."""

import math

import pytest

import pokerlab
from pokerlab.abstraction.bets import parse_bets
from pokerlab.errors import AbstractionError
from pokerlab.game.betting import CALL, FOLD, start_betting
from randomly import hand_states

LIMIT, NOLIMIT = pokerlab.rules_of("holdem-limit"), pokerlab.rules_of("holdem-nolimit")
TEXT = "100 allin / 50 100 allin | 100 allin | allin / 100 / 50 allin"


def test_sizes_by_round_and_by_raises_so_far():
    sizes = parse_bets(TEXT, NOLIMIT)
    start = start_betting(NOLIMIT)
    assert sizes(start) == (FOLD, CALL, 300, 20_000)
    flop = start.act(300).act(CALL)
    assert sizes(flop) == (CALL, 600, 900, 20_000)
    bet = flop.act(600)
    assert sizes(bet) == (FOLD, CALL, 600 + 1200, 20_000)
    assert sizes(bet.act(1800)) == sizes(bet.act(1800).act(4000)) == (FOLD, CALL, 20_000)
    assert sizes(flop.act(CALL).act(CALL)) == (CALL, 900)


def test_small_sizes_are_dropped_and_equal_ones_merged():
    sizes = parse_bets("1 100 allin / 100000 allin / 100 / 100", NOLIMIT)
    start = start_betting(NOLIMIT)
    assert sizes(start) == (FOLD, CALL, 300, 20_000)
    assert sizes(start.act(CALL).act(CALL)) == (CALL, 20_000)


@pytest.mark.parametrize(("rules", "text"), [(LIMIT, "all"), (LIMIT, "cap 1 2 0 3"), (NOLIMIT, TEXT)])
def test_what_is_considered_is_legal(rules, text):
    sizes = parse_bets(text, rules)
    for seed in range(20):
        for hand in hand_states(rules, seed):
            state = hand.betting
            if state.actor is None:
                assert sizes(state) == ()
                continue
            found = sizes(state)
            assert all(action in state.legal() for action in found)
            assert list(found) == sorted(set(found))
            assert (FOLD in found) == state.legal().fold
            assert CALL in found
            if text == "all":
                assert found == tuple(state.legal().actions())
            elif text.startswith("cap"):
                assert (len(found) > 1 + state.legal().fold) == (
                    bool(state.legal().raises) and state.raises < (1, 2, 0, 3)[state.round]
                )


def test_all_in_is_always_known_where_every_step_has_it():
    sizes = parse_bets("/".join(["50 allin | allin"] * 4), NOLIMIT)
    for seed in range(50):
        for hand in hand_states(NOLIMIT, seed):
            if hand.actor is not None and hand.legal().raises:
                assert math.isclose(sizes(hand.betting)[-1], 20_000)


@pytest.mark.parametrize(
    ("rules", "text", "message"),
    [
        (NOLIMIT, "all", "no-limit needs bet sizes"),
        (NOLIMIT, "100 / 100", "are for 2 rounds, not 4"),
        (NOLIMIT, "100 / 100 / 100 / pot", "not 'pot'"),
        (NOLIMIT, "100 / 100 / 100 / -5", "'-5' is no legal bet"),
        (NOLIMIT, "100 / 100 / | 100 / 5", "not ''"),
        (LIMIT, "cap 3 3", "'cap' and 4 numbers"),
        (LIMIT, "", "'cap' and 4 numbers"),
        (LIMIT, "  ", "'cap' and 4 numbers"),
        (LIMIT, "100 / 100 / 100 / 100", "'cap' and 4 numbers"),
    ],
)
def test_bad_texts(rules, text, message):
    with pytest.raises(AbstractionError, match=message):
        parse_bets(text, rules)
