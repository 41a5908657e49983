"""PHH files: the Pluribus hands, hands of ours that pokerkit replays alike, round trips, clean errors."""

import dataclasses
import math
import random
import re
import tomllib
from decimal import Decimal
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutations import damaged
from pokerlab.errors import LogError
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.hand import parse_hand
from pokerlab.game.rules import UNLIMITED_STACK, Rules
from pokerlab.records.logs import LoggedHand, read_log
from pokerlab.records.money import Money
from pokerlab.records.phh import parse_phh, phh_text, plain_table, read_phh, write_phh
from randomly import hand_states
from shared_data import shared_data

HOLDEM = rules_of("holdem-nolimit")
THREE = dataclasses.replace(HOLDEM, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(20000,) * 3)

HAND = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 2000, 900]
actions = ['d dh p1 AhAd', 'd dh p2 KhKd', 'd dh p3 ????', 'p3 cbr 900', 'p1 cc', 'p2 cbr 2000', 'p1 cc',
  'p1 sm AhAd', 'p2 sm -', 'p3 sm QhQd # shown at last', 'd db 2c3d7s', 'd db 8h', 'd db 9c']
hand = 7
players = ['Ann', 'Ben', 'Cem']
finishing_stacks = [2900, 1000, 0]
"""


def pokerkit_payoffs(text):
    """What pokerkit's replay pays."""
    pokerkit = pytest.importorskip("pokerkit")
    states = list(pokerkit.HandHistory.loads(text))
    assert not states[-1].status
    return tuple(map(float, states[-1].payoffs))


def same_but_for_odd_chips(ours, theirs):
    """pokerkit gives the odd chips of a pot to its first winner, unless blinds are decimals; we cut them."""
    cut = any(chips != int(chips) for chips in ours)
    return all(abs(a - b) < (2 if cut else 1e-9) for a, b in zip(ours, theirs, strict=True))


def record_of(hand, number=0):
    names = tuple(f"p {seat}" for seat in range(hand.rules.players))
    return LoggedHand(number, hand._replace(names=names), hand.payoffs())


def test_the_pluribus_hands_pay_what_the_files_and_pokerkit_say():
    files = sorted(shared_data("pluribus").glob("*/*.phh"))
    assert len(files) == 236
    odd = []
    for path in files:
        (record,) = read_phh(path)
        assert record.hand.rules.players == 6
        assert not record.adjusted  # so the finishing stacks are those of the cards
        assert record.payoffs == record.hand.payoffs()
        text = path.read_text()
        assert same_but_for_odd_chips(record.payoffs, pokerkit_payoffs(text))
        if record.payoffs != pokerkit_payoffs(text):
            assert any(chips != int(chips) for chips in record.payoffs)
            odd.append(f"{path.parent.name}/{path.name}")
        again = phh_text(record)
        assert parse_phh(again) == record
        assert pokerkit_payoffs(again) == record.payoffs
    assert len(odd) == 1  # the exception in docs/hands.md


@pytest.mark.parametrize(
    ("log", "hands"),
    [
        ("dealer_test_logs/2p.limit.h1000.r0.log", 150),
        ("dealer_test_logs/2p.nolimit.h1000.r0.log", 150),
        ("dealer_test_logs/3p.limit.h1000.r0.log", 300),
        ("deepstack_vs_pros/hands.log", 150),
    ],
)
def test_logged_hands_are_replayed_alike_by_pokerkit(log, hands):
    for record in islice(read_log(shared_data("acpc", log)), hands):
        text = phh_text(record)
        assert pokerkit_payoffs(text) == pytest.approx(record.payoffs), text
        assert parse_phh(text) == record


@pytest.mark.parametrize("rules", [HOLDEM, THREE, rules_of("holdem-limit"), rules_of("holdem-limit-3p")])
@given(seed=st.integers(0, 2**32))
def test_random_hands_come_back_and_pokerkit_pays_alike(rules: Rules, seed):
    record = record_of(hand_states(rules, seed, fold=0.05)[-1], seed)
    text = phh_text(record)
    assert parse_phh(text) == record
    if not seed % 4:
        assert pokerkit_payoffs(text) == pytest.approx(record.payoffs), text


@given(seed=st.integers(0, 2**32), stacks=st.lists(st.integers(101, 3000), min_size=6, max_size=6))
def test_hands_of_uneven_stacks_come_back(seed, stacks):
    rules = dataclasses.replace(HOLDEM, blinds=(50, 100, 0, 0, 0, 0), first=(2, 0, 0, 0), stacks=tuple(stacks))
    record = record_of(hand_states(rules, seed, fold=0.2)[-1])
    assert parse_phh(phh_text(record)) == record


def test_a_hand_with_side_pots_comments_and_cards_shown_late():
    record = parse_phh(HAND)
    assert (record.number, record.names, record.payoffs) == (7, ("Ann", "Ben", "Cem"), (1900.0, -1000.0, -900.0))
    assert record.hand.rules.stacks == (1000, 2000, 900)
    assert record.hand.betting_text() == "r900cr2000c///"
    assert record.hand.cards_text() == "AhAd|KhKd|QhQd/2c3d7s/8h/9c"
    assert pokerkit_payoffs(HAND) == record.payoffs


def test_heads_up_the_second_player_posts_the_blind_listed_first():
    text = phh_text(record_of(parse_hand(HOLDEM, "r300c/r600f", "8s2h|Kd5c/7hAdTd")))
    assert "blinds_or_straddles = [50, 100]" in text
    assert '"p2 cbr 300", "p1 cc", "d db 7hAdTd", "p1 cbr 300", "p2 f"' in text


def test_a_cap_on_raises_and_unlimited_stacks_survive():
    limit = rules_of("holdem-limit")
    text = phh_text(record_of(parse_hand(limit, "rrrc/cc/cc/cc", "8s2h|Kd5c/7hAdTd/4s/Kc")))
    assert parse_phh(text).hand.rules == limit
    bare = "\n".join(line for line in text.splitlines() if not line.startswith("_"))
    assert parse_phh(bare).hand.rules.max_raises == (4, 4, 4, 4)
    assert parse_phh(bare.replace(str(UNLIMITED_STACK), "inf").replace("finishing", "_finishing")).payoffs == (-40, 40)
    with pytest.raises(LogError, match="tell of different games"):
        parse_phh(text.replace("big_bet = 20", "big_bet = 30"))


def test_antes_are_known_where_our_rules_can_say_them():
    text = HAND.replace("antes = [0, 0, 0]", "antes = [5, 5, 5]").replace("[1000, 2000, 900]", "[1005, 2005, 905]")
    text = text.replace("2900, 1000, 0", "2915, 1000, 0")
    record = parse_phh(text)
    assert (record.hand.rules.blinds, record.hand.rules.least_bet, record.adjusted) == ((55, 105, 5), 100, False)
    assert record.hand.rules.name == "NT-3p-50/100+5"
    assert record.payoffs == pokerkit_payoffs(text) == (1910.0, -1005.0, -905.0)
    assert parse_phh(phh_text(record)) == record
    assert "antes = [5, 5, 5]" in phh_text(record)
    with pytest.raises(LogError, match="raise to 204 is illegal: it must be 205"):
        parse_phh(text.replace("p3 cbr 900", "p3 cbr 199"))
    limit = """variant = 'FT'
antes = [5, 5]
blinds_or_straddles = [5, 10]
small_bet = 10
big_bet = 20
starting_stacks = [500, 500]
actions = ['d dh p1 AhAd', 'd dh p2 KhKd', 'p2 cbr 20', 'p1 cc', 'd db 2c3d7s', 'p1 cbr 10', 'p2 f']
"""
    assert parse_phh(limit).payoffs == pokerkit_payoffs(limit) == (25, -25)
    assert parse_phh(limit).hand.rules.name == "FT-2p-10/20"


def test_cards_that_nobody_showed_leave_the_files_word():
    text = HAND.replace("'p3 sm QhQd # shown at last'", "'p3 sm'")
    record = parse_phh(text)
    assert (record.adjusted, record.hand.holes[2], record.payoffs) == (True, (), (1900.0, -1000.0, -900.0))
    # Without them, who does not show has given up against who does; where nobody shows, nobody knows.
    alone = text.replace("finishing_stacks", "_finishing_stacks")
    assert parse_phh(alone)[2:4] == record[2:4]
    hidden = alone.replace("p1 sm AhAd", "p1 sm ????")
    assert list(map(str, parse_phh(hidden).payoffs)) == ["nan", "nan", "nan"]
    assert parse_phh(phh_text(parse_phh(hidden))) == parse_phh(hidden)
    won = hidden + "winnings = [2850, 0, 0]\n"
    assert parse_phh(won).payoffs == (1850.0, -1000.0, -900.0)  # the house took 50
    with pytest.raises(LogError, match="cannot be"):
        parse_phh(hidden + "winnings = [2500, 0, 0]\n")
    with pytest.raises(LogError, match="cannot be"):
        parse_phh(text.replace("2900, 1000, 0", "2900, 1000, 10"))


def test_odd_chips_are_believed():
    text = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [51, 100, 0]
min_bet = 100
starting_stacks = [1000, 1000, 1000]
actions = ['d dh p1 2h2d', 'd dh p2 AdKh', 'd dh p3 AcKs', 'p3 cc', 'p1 f', 'p2 cc', 'd db 3c4d7s', 'p2 cc', 'p3 cc',
  'd db 8h', 'p2 cc', 'p3 cc', 'd db 9c', 'p2 cc', 'p3 cc', 'p2 sm AdKh', 'p3 sm AcKs']
finishing_stacks = [949, 1026, 1025]
"""
    assert (parse_phh(text).adjusted, parse_phh(text).payoffs) == (True, (-51, 26, 25))
    assert pokerkit_payoffs(text) == (-51, 26, 25)
    for stacks in ("949, 1030, 1021", "949, 1025.25, 1025.75"):
        with pytest.raises(LogError, match=r"are wrong: the hand pays -51\|25.5\|25.5"):
            parse_phh(text.replace("949, 1026, 1025", stacks))
    with pytest.raises(LogError, match="cannot be"):
        parse_phh(text.replace("949, 1026, 1025", "949, 1026, 1026"))


CENTS = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [0.25, 0.50, 1]
min_bet = 0.5
starting_stacks = [428.75, inf, 100]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 AhA?', 'p1 cbr 2.5', 'p2 f', 'p3 cc', 'd db 8h9cQs',
  'p1 cbr 3.15', 'p3 f']
players = ['Ann', 'Ben', 'Cem']
currency_symbol = '€'
"""


def test_cents_straddles_and_unknown_stacks():
    record = parse_phh(CENTS)
    rules = record.hand.rules
    assert (rules.blinds, rules.min_bet, rules.first[0]) == ((25, 50, 100), 50, 0)
    assert rules.stacks == (42875, UNLIMITED_STACK, 10000)
    assert rules.name == "NT-3p-€0.25/€0.50/€1"
    assert (record.money, record.payoffs) == (Money("€", 100), (300.0, -50.0, -250.0))
    assert record.money.text(record.payoffs[2], signed=True) == "-€2.50"
    assert tuple(100 * chips for chips in pokerkit_payoffs(CENTS)) == record.payoffs
    again = phh_text(record)
    assert "blinds_or_straddles = [0.25, 0.5, 1]" in again
    assert "p1 cbr 3.15" in again
    assert parse_phh(again) == record
    # Whole amounts of a currency are of the same game as those with cents; without one they are chips.
    assert parse_phh(CENTS.replace("428.75", "428")).hand.rules.name == rules.name
    assert parse_phh(HAND).money == Money()
    with pytest.raises(LogError, match="raise to 149 is illegal: it must be 150"):
        parse_phh(CENTS.replace("p1 cbr 2.5", "p1 cbr 1.49"))


def test_a_blind_posted_out_of_turn_and_a_missing_small_blind():
    post = CENTS.replace("[0.25, 0.50, 1]", "[0.50, 0, -0.50]").replace("'p1 cbr 2.5', 'p2 f'", "'p2 f'")
    post = post.replace("'p3 cc', ", "'p3 cc', 'p1 cc', ", 1)
    record = parse_phh(post)
    assert (record.hand.rules.blinds, record.hand.rules.first[0]) == ((50, 0, 50), 1)
    assert tuple(100 * chips for chips in pokerkit_payoffs(post)) == record.payoffs == (50.0, 0.0, -50.0)
    assert parse_phh(phh_text(record)) == record
    assert "blinds_or_straddles = [0.5, 0, -0.5]" in phh_text(record)


def test_rake_is_believed_up_to_a_tenth_of_the_pot():
    raked = HAND.replace("2900, 1000, 0", "2800, 1000, 0")
    assert (parse_phh(raked).payoffs, parse_phh(raked).adjusted) == ((1800.0, -1000.0, -900.0), True)
    with pytest.raises(LogError, match="are wrong"):
        parse_phh(HAND.replace("2900, 1000, 0", "2500, 1000, 0"))


def test_a_side_pot_for_which_nobody_shows_is_unknown():
    text = HAND.replace("'p1 sm AhAd', 'p2 sm -', 'p3 sm QhQd # shown at last'", "'p3 sm QhQd', 'p1 sm', 'p2 sm'")
    text = text.replace("d dh p1 AhAd", "d dh p1 ????").replace("finishing_stacks", "_finishing_stacks")
    paid = parse_phh(text).payoffs
    assert list(map(str, paid)) == ["nan", "nan", "1800.0"]


def test_the_handhq_files_are_read_whole_but_for_two_hands_that_break_off():
    for name, hands, broken in (("ftp_600nl", 61, []), ("ipn_400nl", 133, ["114", "119"])):
        bad = []
        records = list(read_phh(shared_data("handhq", f"{name}.phhs"), skip_bad=True, on_error=bad.append))
        assert len(records) == hands
        assert [str(error).partition("hand '")[2].partition("'")[0] for error in bad] == broken
        assert all("not over" in str(error) and "'s turn" in str(error) for error in bad)
        assert all(parse_phh(phh_text(record)) == record for record in records)
        assert {record.money for record in records} == {Money("$", 100)}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("KhKd", "KhAd", "named twice"),
        ("2c3d7s", "2c3dAh", "named twice"),
        ("'d db 8h'", "'d db 3d'", "dealt twice"),
        ("QhQd #", "QhQx #", "no card"),
        ("p1 sm AhAd", "p1 sm AhAs", "the cards dealt were AhAd"),
        ("p1 sm AhAd", "p9 sm AhAd", "players are p1 to p3"),
        ("'p3 cbr 900'", "'p3 sm', 'p3 cbr 900'", "nothing to show"),
        ("p3 cbr 900", "p3 cbr 150", "raise to 150 is illegal"),
        ("p3 cbr 900", "p3 cbr 9e2", "an amount expected"),
        ("p3 cbr 900", "p3 cbr 0.00", "an amount expected"),
        ("p3 cbr 900", "p1 cbr 900", "it is not p1's turn"),
        ("p3 cbr 900", "p3 bets 900", "cannot read action"),
        ("'d db 8h', ", "", "not over, or cards are missing"),
        ("'d db 9c'", "'d db 9c', 'd db Tc'", "0 cards are to be dealt now, not 1"),
        ("'d dh p2 KhKd'", "'d dh p1 KhKd'", "dealt twice"),
        ("2900, 1000, 0", "2900, 900, 100", "are wrong: the hand pays 1900|-1000|-900"),
        ("2900, 1000, 0", "2900, 1000", "3 numbers expected"),
        ("2900, 1000, 0", "nan, inf, true", "3 numbers expected"),
        ("'NT'", "'PO'", "variant 'PO' is not known"),
        ("'NT'", "[1]", "is not known"),
        ("variant = 'NT'", "", "variant is missing"),
        ("antes = [0, 0, 0]", "antes = [0, 0, 10]", "only equal ones are known"),
        ("antes = [0, 0, 0]", "antes = 3", "3 numbers expected"),
        ("[50, 100, 0]", "[50, 100, nan]", "blinds_or_straddles: amounts"),
        ("[50, 100, 0]", "[50, 100, 1e999999]", "blinds_or_straddles: amounts"),
        ("[50, 100, 0]", "[0.5, 1.000000001, 0]", "amounts have 9 decimals"),
        ("[50, 100, 0]", "[50, 100]", "3 numbers expected"),
        ("[1000, 2000, 900]", "[1000, 100, 900]", "below the stacks"),
        ("[1000, 2000, 900]", "[1000, -inf, 900]", "starting_stacks: amounts"),
        ("[1000, 2000, 900]", "[1000, nan, 900]", "starting_stacks: amounts"),
        ("[1000, 2000, 900]", "'many'", "starting_stacks: those of two players and more expected, got 'many'"),
        ("min_bet = 100", "min_bet = 0", "min_bet: more than 0 expected"),
        ("hand = 7", "hand = -7", "hand: a number expected"),
        ("'Ann', ", "", "3 names expected"),
        ("'Ann'", "3", "a list of texts expected"),
        ("hand = 7", "hand = = 7", "not TOML"),
        ("hand = 7", "hand = " + "9" * 5000, "not TOML"),
        ("hand = 7", "hand = " + "[" * 5000, "not TOML"),
        ("hand = 7", "_pokerlab_game = 'rubbish'", "cannot read 'rubbish'"),
    ],
)
def test_what_is_wrong_is_said(old, new, message, tmp_path):
    assert old in HAND
    (tmp_path / "x.phh").write_text(HAND.replace(old, new))
    with pytest.raises(LogError) as caught:
        list(read_phh(tmp_path / "x.phh"))
    assert str(caught.value).startswith(f"{tmp_path / 'x.phh'}")
    assert message in str(caught.value)


@pytest.mark.parametrize("game", [game for game in CATALOG if not game.startswith("holdem")])
def test_games_without_a_variant_are_refused(game):
    with pytest.raises(LogError, match="PHH has no variant for"):
        phh_text(record_of(hand_states(rules_of(game), 1)[-1]))


def test_files_of_many_hands(tmp_path):
    records = [record_of(hand_states(THREE, seed)[-1], seed) for seed in range(5)]
    assert write_phh(tmp_path / "five.phhs", records) == 5
    assert list(read_phh(tmp_path / "five.phhs")) == records
    assert write_phh(tmp_path / "one.phh", records[:1]) == 1
    assert list(read_phh(tmp_path / "one.phh")) == records[:1]
    with pytest.raises(LogError, match=r"5 need a \.phhs file"):
        write_phh(tmp_path / "five.phh", records)
    text = (tmp_path / "five.phhs").read_text().replace('"NT"', '"XX"', 1)
    (tmp_path / "bad.phhs").write_text(text)
    with pytest.raises(LogError, match=r"bad\.phhs, hand '1': variant 'XX'"):
        list(read_phh(tmp_path / "bad.phhs"))
    told = []
    assert list(read_phh(tmp_path / "bad.phhs", skip_bad=True, on_error=told.append)) == records[1:]
    assert len(told) == 1
    with pytest.raises(LogError, match="no such file"):
        list(read_phh(tmp_path / "none.phh"))
    (tmp_path / "odd.phhs").write_text("x = 3")
    with pytest.raises(LogError, match="variant is missing"):
        list(read_phh(tmp_path / "odd.phhs"))


def test_pots_that_are_cut_into_half_chips_pay_the_same_in_pokerkit():
    limit = rules_of("holdem-limit-3p")
    for betting in ("cfc/cc/cc/cc", "rfc/rc/crc/rrc"):
        record = record_of(parse_hand(limit, betting, "9dJh|7sAd|6dAh/5hAc5c/5d/Qh"))
        assert record.payoffs[1] % 1 == 0.5
        assert pokerkit_payoffs(phh_text(record)) == record.payoffs
        assert parse_phh(phh_text(record)) == record
    whole = record_of(parse_hand(limit, "ccc/ccc/ccc/ccc", "9dJh|7sAd|6dAh/5hAc5c/5d/Qh"))
    assert "blinds_or_straddles = [5, 10, 0]" in phh_text(whole)


def test_names_of_any_script_come_back():
    hand = hand_states(HOLDEM, 5)[-1]
    record = LoggedHand(0, hand._replace(names=("Zoë \"Z\" \\ 'x'", "😀 名")), hand.payoffs())
    assert parse_phh(phh_text(record)) == record
    assert pokerkit_payoffs(phh_text(record)) == record.payoffs


def damaged_hand(rng: random.Random, good: list[bytes]) -> str:
    return damaged(rng, good).decode("utf-8", "replace")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pokerlab.errors.PokerlabWarning")
def test_thirty_three_thousand_damaged_files_give_only_clean_errors():
    rng, read = random.Random(3), 0
    hands = [hand_states(rules, seed)[-1] for seed, rules in enumerate([HOLDEM, THREE, rules_of("holdem-limit")] * 3)]
    good = [HAND.encode(), *(phh_text(record_of(hand)).encode() for hand in hands)]
    for _ in range(33_000):
        text = damaged_hand(rng, good)
        try:
            record = parse_phh(text, "x.phh")
        except LogError as error:
            if not str(error).startswith("x.phh: "):
                raise
        else:
            read += 1
            won = sum(record.payoffs)  # the house may have had its part; who won may be told by nobody
            assert math.isnan(won) or -0.1 * record.hand.betting.pot - 0.02 <= won <= 0.02
    assert 0 < read < 20_000


def by_toml(text):
    return tomllib.loads(text, parse_float=Decimal)


def test_every_shared_hand_is_read_by_lines_and_as_toml_has_it():
    texts = [path.read_text() for path in sorted(shared_data("pluribus").glob("*/*.phh"))]
    for path in sorted(shared_data("handhq").glob("*.phhs")):
        texts += re.split(r"^\[\d+\]\n", path.read_text(), flags=re.M)[1:]
    assert len(texts) == 236 + 196
    for text in texts:
        assert plain_table(text) == by_toml(text)


VALUES = st.sampled_from(
    [
        "'p1 f'", "''", "'it''s'", "'a', 'b'", '"NT"', "['a', 'b']", "['a','b']", "['a', 'b',]", "['a', 1]", "[]",
        "[1, 2.50]", "[1,2]", "[inf, inf]", "[inf, 2]", "-inf", "inf", "+1", "1_000", "01", "-0", "0.10", "1.", ".5",
        "1e3", "nan", "true", "True", "23:58:18", "24:00:00", "23:60:00", "23:58:60", "23:58", "1979-05-27", "{a = 1}",
        "1 # one", "'a' # b", "'\t'", "'\u00a0'", "['x', 'y, z']", "[[1], [2]]", "9" * 16, "'\\n'", "[-1, 0.5]", "",
    ]
)  # fmt: skip


def kinds(table):
    return [[type(part) for part in value] if isinstance(value, list) else type(value) for value in table.values()]


@given(st.lists(st.tuples(st.sampled_from(["hand", "a-b", "_x", "a.b", "'q'", "a b", ""]), VALUES), max_size=4))
def test_lines_say_what_toml_says_or_nothing(rows):
    text = "\n".join(f"{key} = {value}" for key, value in rows)
    table = plain_table(text)
    if table is not None:
        told = by_toml(text)
        assert table == told
        assert kinds(table) == kinds(told)
