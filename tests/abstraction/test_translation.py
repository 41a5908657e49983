"""Translation of real bets: closest by ratio with the paper's fallbacks, rules by name, and own bets as chips."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pokerlab
from pokerlab.abstraction.small import parse_player
from pokerlab.abstraction.translation import (
    NO_BET,
    TRANSLATIONS,
    carried_out,
    closest_bet,
    hard,
    into_shadow,
    out_of_shadow,
    pseudo_harmonic,
    soft,
    taken_for,
    translate_bet,
)
from pokerlab.errors import AbstractionError
from pokerlab.game.bet_sizes import ALL_IN, NAMED, Size
from pokerlab.game.betting import CALL, FOLD, start_betting
from randomly import hand_states

RULES = replace(pokerlab.rules_of("leduc-nl:stack=100"), bet_sizes=())
START = start_betting(RULES)
ALL = tuple(NAMED.values())


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
    assert closest_bet(POT40, 20 + bet, ALL) == Size(closest)


@pytest.mark.parametrize(
    ("sizes", "bet", "closest"),
    [("pda", 10, 100), ("hpa", 70, math.inf), ("pa", 20, 100), ("a", 10, math.inf), ("a", 40, math.inf)],
)
def test_absent_sizes(sizes, bet, closest):
    assert closest_bet(POT40, 20 + bet, known(sizes)) == Size(closest)


def test_absent_double_pot_becomes_pot():
    # Pot 12: h, p, d, a are 6, 12, 24 and 94; a bet of 24 is exactly d.
    pot12 = state(CALL, 6, CALL)
    assert closest_bet(pot12, 6 + 24, known("hpa")) == Size(100)
    assert closest_bet(pot12, 6 + 24, known("a")) == ALL_IN


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
    pot_in_shadow = shadow.raise_to(Size(100))
    assert out_of_shadow(shadow, pot_in_shadow, real, ALL) == real.raise_to(Size(100))
    assert out_of_shadow(shadow, 100, real, ALL) == 100


def test_calling_a_believed_all_in_commits_the_stack():
    believed, real = state(CALL, 100), state(CALL, 2)
    assert out_of_shadow(believed, CALL, real, ALL) == 100
    assert out_of_shadow(real, CALL, real, ALL) == CALL


def test_a_raise_the_shadow_cannot_make_is_a_call():
    believed = state(CALL, 100)
    assert into_shadow(state(CALL, 2), 12, believed, known("a"), []) == CALL


# Rules for large games: fractions of the pot. The thesis's fcpa example: a pot of 20 and 400 chips, p = 1 and a = 20.
POT, ALLIN = 1.0, 20.0
SIZED = st.tuples(st.floats(0.1, 50), st.floats(1.01, 20), st.floats(0, 1)).map(
    lambda drawn: (drawn[0] * (1 + drawn[2] * (drawn[1] - 1)), drawn[0], drawn[0] * drawn[1])
)  # (bet, low, high)


def test_the_example_of_the_thesis():
    """Bets of 200 and 220: absolute distance would tell them apart, ratios take both for all-in."""
    for bet in (10.0, 11.0):
        assert hard(bet, POT, ALLIN) == 0
    below, above = (1 / 10 - 1 / 20) / (1 - 1 / 20), (10 / 20 - 1 / 20) / (1 - 1 / 20)  # equations (3.4), (3.5)
    assert soft(10.0, POT, ALLIN) == pytest.approx(below / (below + above))
    assert soft(10.0, POT, ALLIN) == pytest.approx(0.1)
    assert soft(11.0, POT, ALLIN) == pytest.approx(0.1, abs=0.03)


def test_hard_changes_at_the_geometric_mean():
    assert [hard(bet, 1, 4) for bet in (1, 1.99, 2.01, 4)] == [1, 1, 0, 0]


def test_pseudo_harmonic_examples():
    """Half the pot, between check and pot, is a check once in three; the median is that of Ganzfried and Sandholm."""
    assert pseudo_harmonic(0.5, 0, 1) == pytest.approx(1 / 3)
    low, high = 0.5, 3.0
    median = (low + high + 2 * low * high) / (low + high + 2)
    assert pseudo_harmonic(median, low, high) == pytest.approx(0.5)


@pytest.mark.parametrize("rule", [soft, pseudo_harmonic])
@given(SIZED)
def test_boundaries_and_monotone(rule, drawn):
    bet, low, high = drawn
    assert rule(low, low, high) == pytest.approx(1)
    assert rule(high, low, high) == pytest.approx(0, abs=1e-9)
    assert -1e-9 <= rule(bet, low, high) <= 1 + 1e-9
    assert rule(bet * 0.99 + low * 0.01, low, high) >= rule(bet, low, high) - 1e-9
    assert hard(bet, low, high) in (0, 1)


@given(SIZED, st.floats(0.1, 10))
def test_rules_by_ratio_do_not_depend_on_scale(drawn, scale):
    bet, low, high = drawn
    scaled = bet * scale, low * scale, high * scale
    assert soft(*scaled) == pytest.approx(soft(bet, low, high), abs=1e-6)
    if abs(bet * bet / (low * high) - 1) > 1e-6:
        assert hard(*scaled) == hard(bet, low, high)


def test_pseudo_harmonic_does_not_depend_on_the_unit_of_chips():
    """Bet, sizes and pot all ten times as large: the same fractions, at the table too."""
    small, large = (replace(RULES, stacks=(n, n), blinds=(b, b)) for n, b in ((400, 4), (4000, 40)))
    found = []
    for rules, unit in ((small, 1), (large, 10)):
        real = start_betting(rules)
        raises = [real.raise_to(Size(percent)) for percent in (50, 100, 200, math.inf)]
        found.append([*taken_for(real, 10 * unit, real, raises, "pseudo-harmonic").values()])
    assert found[0] == pytest.approx(found[1])


def test_neighbours():
    sizes = [0.5, 1.0, 4.0]
    assert translate_bet(1.0, sizes, "soft") == {1: 1.0}
    assert translate_bet(9.0, sizes, "pseudo-harmonic") == {2: 1.0}
    assert translate_bet(0.1, sizes, "hard") == translate_bet(0.1, sizes, "soft") == {0: 1.0}
    low = pseudo_harmonic(0.1, 0, 0.5)
    assert translate_bet(0.1, sizes, "pseudo-harmonic") == pytest.approx({NO_BET: low, 0: 1 - low})
    low = soft(2.0, 1.0, 4.0)
    assert translate_bet(2.0, sizes, "soft") == pytest.approx({1: low, 2: 1 - low})
    assert translate_bet(1.9, sizes, "hard") == {1: 1.0}
    with pytest.raises(AbstractionError, match="no translation 'harmonic'; there are hard, soft, pseudo-harmonic"):
        translate_bet(1.0, sizes, "harmonic")
    with pytest.raises(AbstractionError, match="a bet above 0"):
        translate_bet(0.0, sizes, "soft")


def test_what_a_real_action_is_taken_for():
    raises = [POT40.raise_to(Size(percent)) for percent in (50, 100)]
    for rule in TRANSLATIONS:
        assert taken_for(POT40, CALL, POT40, raises, rule) == {CALL: 1}
        assert taken_for(POT40, raises[0], POT40, raises, rule) == {raises[0]: 1}
        assert taken_for(POT40, 100, POT40, raises, rule) == {raises[-1]: 1}  # all-in is the largest there is
        assert taken_for(POT40, 50, POT40, [], rule) == {CALL: 1}
    facing = state(CALL, 20)
    assert taken_for(facing, FOLD, facing, [], "soft") == {FOLD: 1}
    assert taken_for(facing, FOLD, POT40, [], "soft") == {CALL: 1}
    found = taken_for(POT40, 20 + 25, POT40, raises, "pseudo-harmonic")
    assert found == pytest.approx(
        {raises[0]: pseudo_harmonic(25 / 40, 0.5, 1), raises[1]: 1 - pseudo_harmonic(25 / 40, 0.5, 1)}
    )


def test_own_bets_vary_by_a_part():
    """Equation (3.6): a bet of 100 with a part of 0.3 is any from 70 to 130."""
    rules = replace(RULES, stacks=(1000, 1000))
    real = start_betting(rules).act(CALL).act(50).act(CALL)  # a pot of 100
    wanted = real.raise_to(Size(100))
    assert carried_out(real, wanted, real) == {wanted: 1}
    found = carried_out(real, wanted, real, 0.3)
    assert (min(found) - real.highest, max(found) - real.highest) == (70, 130)
    assert sum(found.values()) == pytest.approx(1)
    assert len(found) == 61
    assert carried_out(real, 1000, real, 0.3) == {1000: 1}  # all-in stays all-in
    assert carried_out(real, CALL, real, 0.3) == {CALL: 1}


@given(st.integers(0, 400))
def test_what_is_carried_out_is_legal(seed):
    """From any state of one random hand to any of another."""
    rules = replace(pokerlab.rules_of("holdem-nolimit:stack=1000"))
    shadows = [h.betting for h in hand_states(rules, seed) if h.actor is not None]
    reals = [h.betting for h in hand_states(rules, seed + 1000) if h.actor is not None]
    for shadow, real in zip(shadows, reals, strict=False):
        legal = shadow.legal()
        for action in [CALL, *([FOLD] if legal.fold else []), *legal.raises[:: max(1, len(legal.raises) // 3)]]:
            for vary in (0.0, 0.4):
                found = carried_out(shadow, action, real, vary)
                assert sum(found.values()) == pytest.approx(1)
                assert all(chosen in real.legal() for chosen in found)
