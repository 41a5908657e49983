"""The language of bet sizes: every spelling, and the chips that a size makes."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerlab.abstraction.bets import parse_bets
from pokerlab.bounds import CHIPS
from pokerlab.errors import BetSizeError
from pokerlab.game.bet_sizes import ALL_IN, NAMED, Size, parse_size, parse_sizes, parse_steps, step_at
from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.catalog import rules_of

SPELLINGS = {
    "50": Size(50), "50%": Size(50), "50 %": Size(50), "h": Size(50), "p": Size(100), "d": Size(200),
    "33.3": Size(33.3), "2.5x": Size(2.5, "x"), "2.5X": Size(2.5, "x"), "120c": Size(120, "c"), "120 c": Size(120, "c"),
    "allin": ALL_IN, "all-in": ALL_IN, "All-In": ALL_IN, "a": ALL_IN, "~50%": Size(50, "%", nearest=True),
    "~2.5x": Size(2.5, "x", nearest=True), "3e": Size(3, "e"), "1E": Size(1, "e"), "e": Size(0, "e"), "1e2": Size(100),
}  # fmt: skip


@pytest.mark.parametrize("word", SPELLINGS)
def test_spellings(word):
    assert parse_size(word) == SPELLINGS[word]
    assert parse_sizes(f"{word}, 7c") == parse_sizes(f"{word} 7c") == (SPELLINGS[word], Size(7, "c"))


@pytest.mark.parametrize(
    "word",
    [
        "",
        "0",
        "-50",
        "nan",
        "0%",
        "-50%",
        "half",
        "pot",
        "%",
        "x",
        "0c",
        "50%%",
        "1x",
        ".5x",
        "~",
        "ha",
        "0e",
        "21e",
        "~3e",
        "-2e",
        "1.5e",
        "3e%",
    ],
)
def test_what_is_no_size(word):
    with pytest.raises(BetSizeError, match=re.escape(repr(word))):
        parse_size(word)


def test_how_large_a_size_may_be():
    for word in (f"{CHIPS.most}", f"{CHIPS.most}c", f"{CHIPS.most}x"):
        assert parse_size(word).amount == CHIPS.most
        with pytest.raises(BetSizeError, match="is no legal bet: bet sizes must be positive, multiples above 1"):
            parse_size(word.replace(f"{CHIPS.most}", f"{CHIPS.most + 1}"))


def test_whole_chips_are_not_lost_to_binary_fractions():
    """(2.3 - 1) * 10 is 12.999999999999998 in binary, and 32.3 % of 1,000 chips is 322.99999999999994."""
    assert Size(2.3, "x").over(0, 10) == 13
    assert Size(32.3).over(1000, 0) == 323
    assert Size(32.2999).over(1000, 0) == 322
    start = start_betting(rules_of("holdem-nolimit"))
    assert start.act(500).raise_to(Size(32.3)) == 500 + 323
    assert start.act(500).raise_to(Size(1.13, "x")) == 500 + 65


def test_lists_and_steps():
    assert parse_sizes(" , ") == parse_sizes("") == ()
    assert parse_sizes("50 %, 100 %,2x") == (Size(50), Size(100), Size(2, "x"))
    steps = parse_steps("50 allin | 100 | allin")
    assert [step_at(steps, raises) for raises in range(5)] == [
        (Size(50), ALL_IN), (Size(100),), (ALL_IN,), (ALL_IN,), (ALL_IN,),
    ]  # fmt: skip
    for text in ("", "50 |", "| 50"):
        with pytest.raises(BetSizeError, match="every step"):
            parse_steps(text)


@given(st.integers(0, 20))
def test_geometric_sizes_are_read_as_they_are_written(bets):
    assert parse_size(str(Size(float(bets), "e"))) == Size(float(bets), "e")


@given(st.integers(1, 10_000), st.integers(0, 100_000), st.integers(0, 6), st.integers(1, 4))
def test_geometric_sizes_put_the_stack_in(pot, behind, bets, rounds):
    """The part of the pot by bisection: bet so many times, and called, it leaves nothing behind."""
    count, low, high = bets or rounds, 0.0, behind / pot
    for _ in range(200):
        part = (low + high) / 2
        put = in_the_middle = 0.0
        for _ in range(count):
            put += part * (pot + in_the_middle)
            in_the_middle = 2 * put
        low, high = (part, high) if put < behind else (low, part)
    made = Size(float(bets), "e").over(pot, 7, behind, rounds)
    assert made == 1 or part * pot - 1 - 1e-6 <= made <= part * pot + 1e-6
    if count == 1:
        assert made == max(1, behind)


def test_geometric_sizes_at_a_table():
    """Whatever is rounded on the way, the last round's bet is all-in; and blueprints' bets know them."""
    start = start_betting(rules_of("holdem-nolimit"))
    flop = start.act(CALL).act(CALL)
    assert (flop.pot, flop.rules.stacks[0]) == (200, 20_000)
    state, parts = flop, []
    for _ in range(3):
        to = state.raise_to(Size(0.0, "e"))
        assert state.raises_to([Size(0.0, "e")]) == (to,)
        parts.append((to - state.highest) / state.pot)
        state = state.act(to).act(CALL)
    assert state.finished
    assert parts == pytest.approx([parts[0]] * 3, abs=0.01)
    assert flop.raise_to(Size(3.0, "e")) == flop.raise_to(Size(0.0, "e"))
    bets = parse_bets("e allin / 3e / 2e | 1e / e", flop.rules)
    assert bets(flop) == (CALL, flop.raise_to(Size(3.0, "e")))
    after = flop.act(flop.raise_to(Size(3.0, "e"))).act(CALL)
    bet = after.raise_to(Size(2.0, "e"))
    assert bets(after.act(bet)) == (FOLD, CALL, 20_000)


@given(
    st.sampled_from(["%", "x", "c"]), st.one_of(st.floats(1.01, 1e6), st.integers(2, 1000).map(float)), st.booleans()
)
def test_a_size_is_read_as_it_is_written(unit, amount, nearest):
    assert parse_size(str(Size(amount, unit, nearest))) == Size(amount, unit, nearest)


@given(st.integers(1, 50_000), st.integers(0, 50_000), st.integers(1, 2000))
def test_amounts_are_rounded_down_and_at_least_a_chip(pot, faced, tenths):
    amount = Fraction(tenths, 10)
    exact = {"%": amount * pot / 100, "c": amount, "x": (amount - 1) * faced}
    for unit, over in exact.items():
        assert Size(tenths / 10, unit).over(pot, faced) == max(1, math.floor(over))


@given(st.integers(1, 50_000), st.integers(0, 50_000), st.floats(0.1, 500))
def test_the_nearest_chip(pot, faced, amount):
    for unit, exact in (("%", amount * pot / 100), ("c", amount), ("x", (amount - 1) * faced)):
        over = Size(amount, unit, nearest=True).over(pot, faced)
        assert abs(over - max(1, exact)) <= 0.5 + 1e-6


def test_chips_at_the_table():
    start = start_betting(rules_of("holdem-nolimit"))
    words = {"p": 300, "75": 250, "2.5x": 250, "120c": 220, "a": 20_000, "1c": 101, "1.0001x": 101}
    assert {word: start.raise_to(parse_size(word)) for word in words} == words
    flop = start.act(250).act(CALL).act(350)  # the bet faced is this round's: 100 of the 350 chips
    assert flop.raise_to(parse_size("3x")) == 250 + 300
    assert flop.raise_to(parse_size("50")) == 350 + 350
    assert start_betting(rules_of("leduc-nl")).raise_to(parse_size("3x")) == 2  # an ante is no bet to multiply


def test_small_sizes_are_left_out_or_lifted():
    start = start_betting(rules_of("holdem-nolimit"))
    sizes = parse_sizes("10 50 p 110")
    assert start.raises_to(sizes) == (200, 300, 320)
    assert start.raises_to(parse_sizes("10 p")) == (300,)
    assert start.raises_to(parse_sizes("10 p"), lifted=True) == (200, 300)
    assert start.act(20_000).raises_to(sizes, lifted=True) == ()
    assert list(NAMED) == list("hpda")
