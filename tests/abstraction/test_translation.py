"""Translation of real bets: closest by ratio, with the paper's fallbacks."""

import math
from dataclasses import replace

import pytest

import pokerlab
from pokerlab.abstraction.small import BETS, parse_player
from pokerlab.abstraction.translation import closest_bet, into_shadow, out_of_shadow
from pokerlab.game.betting import CALL, FOLD, start_betting

RULES = replace(pokerlab.rules_of("leduc-nl:stack=100"), bet_sizes=())
START = start_betting(RULES)
ALL = tuple(BETS.values())


def state(*actions):
    found = START
    for action in actions:
        found = found.act(action)
    return found


# A pot of 40 after check, bet to 20, call: h, p, d, a are bets of 20, 40, 80 and 80 (all-in).
POT40 = state(CALL, 20, CALL)


def known(text):
    return parse_player(text, RULES).bets


@pytest.mark.parametrize(
    ("bet", "closest"), [(10, 50), (20, 50), (28, 50), (29, 100), (40, 100), (56, 100), (57, 200), (79, 200)]
)
def test_closest_by_ratio(bet, closest):
    assert closest_bet(POT40, 20 + bet, ALL) == closest


@pytest.mark.parametrize(
    ("sizes", "bet", "closest"),
    [("pda", 10, 100), ("hpa", 70, math.inf), ("pa", 20, 100), ("a", 10, math.inf), ("a", 40, math.inf)],
)
def test_absent_sizes(sizes, bet, closest):
    assert closest_bet(POT40, 20 + bet, known(sizes)) == closest


def test_absent_double_pot_becomes_pot():
    # Pot 12: h, p, d, a are 6, 12, 24 and 94; a bet of 24 is exactly d.
    pot12 = state(CALL, 6, CALL)
    assert closest_bet(pot12, 6 + 24, known("hpa")) == 100
    assert closest_bet(pot12, 6 + 24, known("a")) == math.inf


def test_the_same_state_needs_no_translation_and_calls_stay_calls():
    for action in POT40.legal().raises:
        assert into_shadow(POT40, action, POT40, None, POT40.legal().raises) == action
        assert out_of_shadow(POT40, action, POT40, None) == action
    assert into_shadow(POT40, CALL, POT40, ALL, []) == CALL
    assert out_of_shadow(POT40, CALL, POT40, ALL) == CALL


def test_a_fold_that_is_illegal_in_the_real_state_is_a_check():
    facing = state(CALL, 20)
    assert out_of_shadow(facing, FOLD, POT40, ALL) == CALL
    assert out_of_shadow(facing, FOLD, facing, ALL) == FOLD


def test_own_bets_keep_their_fraction_of_the_pot():
    shadow, real = state(CALL, 20, CALL), state(CALL, 6, CALL)
    pot_in_shadow = shadow.raise_to(100)
    assert out_of_shadow(shadow, pot_in_shadow, real, ALL) == real.raise_to(100)
    assert out_of_shadow(shadow, 100, real, ALL) == 100


def test_calling_a_believed_all_in_commits_the_stack():
    believed, real = state(CALL, 100), state(CALL, 2)
    assert out_of_shadow(believed, CALL, real, ALL) == 100
    assert out_of_shadow(real, CALL, real, ALL) == CALL


def test_a_raise_the_shadow_cannot_make_is_a_call():
    believed = state(CALL, 100)
    assert into_shadow(state(CALL, 2), 12, believed, known("a"), []) == CALL
