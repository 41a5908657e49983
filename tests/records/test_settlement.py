"""Who gets what: amounts that are just believed, rakes that are just small enough, and cards that stay hidden."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pokerlab.errors import LogError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import deal_random, new_hand, parse_hand
from pokerlab.records.money import CHIPS, Money, stakes, stakes_text
from pokerlab.records.record import NEARLY
from pokerlab.records.settlement import _against_muckers, _believed, _odd_chips, _raked, settle

HOLDEM = rules_of("holdem-nolimit")
THREE = replace(HOLDEM, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(500, 500, 500))
CHECKED = parse_hand(HOLDEM, "cc/cc/cc/cc", "5d5c|9hQd/8dAs8s/4h/6d")  # for a hundred chips each
LEAST, MOST = -100 - NEARLY, 100 + NEARLY


@pytest.mark.parametrize("paid", [(MOST, LEAST), (LEAST, MOST), (-20 - NEARLY, 0.0), (NEARLY, 0.0), (80.0, -100.0)])
def test_just_believed(paid):
    assert _believed(CHECKED, paid, CHIPS) == paid


@pytest.mark.parametrize(
    "paid", [(MOST + 1e-9, LEAST), (MOST, LEAST - 1e-9), (-20 - 2 * NEARLY, 0.0), (2 * NEARLY, 0.0), (79.9, -100.0)]
)
def test_just_not_believed(paid):
    with pytest.raises(LogError, match=r"what the players won or lost by their stacks or winnings, .*, cannot be"):
        _believed(CHECKED, paid, CHIPS)


def test_rakes():
    assert _raked((100.0, -100.0), (80.0, -100.0), 200)
    assert not _raked((100.0, -100.0), (79.9, -100.0), 200)
    assert not _raked((0.0, 0.0), (-NEARLY, 0.0), 200)  # that is rounding
    assert _raked((0.0, 0.0), (-2 * NEARLY, 0.0), 200)
    assert _raked((0.0, 0.0), (NEARLY, -5.0), 200)
    assert not _raked((0.0, 0.0), (2 * NEARLY, -5.0), 200)  # more than the cards say
    assert not _raked((100.0, -100.0), (-100.0, 95.0), 200)


def test_odd_chips():
    ours = (0.5, 0.5, -1.0)
    assert _odd_chips(ours, (1.0, 0.0, -1.0), 2)
    assert _odd_chips(ours, (0.0, 1.0, -1.0), 2)
    assert not _odd_chips(ours, (0.5, 0.5, -1.0), 2)
    assert not _odd_chips(ours, (1.0, 0.25, -1.0), 2)
    assert not _odd_chips((1.0, 0.0, -1.0), (1.0, 0.0, -1.0), 2)  # nothing was cut
    assert _odd_chips((0.5, 0.5, 3.0), (1.0, 0.0, 2.0), 2)
    assert not _odd_chips((0.5, 0.5, 3.0), (1.0, 0.0, 1.0), 2)  # two chips off, of two winners
    assert not _odd_chips((0.5, 0.5, 3.0), (1.0, 0.0, 5.0), 2)


@pytest.mark.parametrize("seed", range(30))
def test_who_hides_cards_loses_to_the_best_that_are_shown(seed):
    hand = deal_random(new_hand(THREE), np.random.default_rng(seed)).act(500).act(CALL).act(CALL)
    hand = deal_random(hand, np.random.default_rng(seed + 1000))
    strength = [hand.strength(seat) for seat in range(3)]
    for shown in ({0, 1, 2}, {0, 1}, {1, 2}, {0}):
        best = max(strength[seat] for seat in shown)
        winners = [seat for seat in shown if strength[seat] == best]
        expected = [1500 / len(winners) - 500 if seat in winners else -500.0 for seat in range(3)]
        assert _against_muckers(hand, shown) == pytest.approx(expected)


def test_a_pot_in_which_nobody_shows_is_unknown():
    """The first, all-in with 300, shows; of the others' 200 more nobody knows, but of who folded."""
    rules = replace(HOLDEM, blinds=(50, 100, 0, 0), first=(2, 0, 0, 0), stacks=(300, 500, 500, 500))
    hand = deal_random(new_hand(rules), np.random.default_rng(1)).act(500).act(FOLD).act(CALL).act(CALL)
    hand = deal_random(hand, np.random.default_rng(2))
    assert hand.betting.spent == (300, 500, 500, 0)
    first, *others, folded = _against_muckers(hand, {0})
    assert (first, folded) == (600.0, 0.0)
    assert all(map(math.isnan, others))
    assert _against_muckers(hand, {0, 1})[2] == -500.0
    paid, adjusted = settle(hand._replace(holes=((),) * 4), None, None, set(), CHIPS)
    assert (paid[3], adjusted) == (0.0, True)
    assert all(map(math.isnan, paid[:3]))


def test_who_folded_has_lost_what_was_put_in():
    hand = deal_random(new_hand(THREE), np.random.default_rng(1)).act(500).act(FOLD).act(CALL)
    hand = deal_random(hand, np.random.default_rng(2))._replace(holes=((),) * 3)
    first, *others = settle(hand, None, None, set(), CHIPS)[0]
    assert first == -50.0
    assert all(map(math.isnan, others))


def test_what_is_told_and_what_the_cards_tell():
    assert settle(CHECKED, None, None, set(), CHIPS) == ((100.0, -100.0), False)
    assert settle(CHECKED, [20100.0, 19900.0], None, set(), CHIPS) == ((100.0, -100.0), False)
    assert settle(CHECKED, [20095.0, 19900.0], None, set(), CHIPS) == ((95.0, -100.0), True)
    with pytest.raises(LogError, match="are wrong"):
        settle(CHECKED, [20099.0, 19901.0], None, set(), CHIPS)
    hidden = CHECKED._replace(holes=((), CHECKED.holes[1]))
    assert settle(hidden, [19900.0, 20100.0], None, set(), CHIPS) == ((-100.0, 100.0), True)
    assert settle(hidden, None, None, {1}, CHIPS) == ((-100.0, 100.0), True)
    assert settle(hidden, None, [0.0, 195.0], set(), CHIPS) == ((-100.0, 95.0), True)
    assert all(map(math.isnan, settle(hidden, None, [0.0, 0.0], set(), CHIPS)[0]))
    with pytest.raises(LogError, match=r"-1 USD, \+3\.50 USD, cannot be"):
        settle(hidden, None, [0.0, 450.0], set(), Money("USD", 100))
    short = replace(HOLDEM, stacks=(400, 20000))
    for_less = parse_hand(short, "r1000c///", "5d5c|9hQd/8dAs8s/4h/6d")
    assert settle(for_less._replace(holes=((), ())), None, [800.0, 0.0], set(), CHIPS) == ((400.0, -400.0), True)
    folded = parse_hand(HOLDEM, "r300f", "|")
    assert settle(folded, None, None, set(), CHIPS) == ((-100.0, 100.0), False)


def test_amounts_as_people_write_them():
    assert [Money("$", 100).text(chips) for chips in (450, 400, -1250, 0, 1)] == [
        "$4.50",
        "$4",
        "-$12.50",
        "$0",
        "$0.01",
    ]
    assert Money("USD").text(-12) == "-12 USD"
    assert [CHIPS.text(chips, signed=True) for chips in (0, 0.5, -0.5, 1234.0)] == ["+0", "+0.50", "-0.50", "+1,234"]
    assert [CHIPS.text(chips) for chips in (0.5, math.nan)] == ["0.50", "unknown"]
    assert [Money(name).is_code for name in ("USD", "US", "USDT", "U$D", "$", "")] == [True, *[False] * 5]


def test_amounts_as_plain_numbers():
    assert [CHIPS.number(chips) for chips in (0, 7, 7.0, 7.5, -100)] == ["0", "7", "7", "7.5", "-100"]
    assert [Money("$", 100).number(chips) for chips in (450, 400, 10000, 12.5, 1)] == [
        "4.5",
        "4",
        "100",
        "0.125",
        "0.01",
    ]
    assert Money("$", 1000).number(10) == "0.01"


def test_stakes():
    assert stakes(HOLDEM) == "50/100"
    assert stakes(rules_of("holdem-limit")) == "10/20"
    assert stakes(replace(HOLDEM, blinds=(60, 110), ante=10), Money("$", 10)) == "$5/$10+$1"
    assert stakes(replace(HOLDEM, blinds=(10, 10), ante=10)) == "+10"
    assert stakes_text([50, 100, 0], 0, CHIPS) == "50/100"
