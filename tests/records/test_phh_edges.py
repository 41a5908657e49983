"""The edges of hand histories: amounts, blinds out of turn, cards that are missing, what the format cannot say."""

import dataclasses

import pytest

from pokerlab.errors import LogError
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import FOLD as FOLDS
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.records import phh
from pokerlab.records.money import Money
from pokerlab.records.phh import parse_phh, phh_text, read_phh, write_phh
from pokerlab.records.phh_rules import plain, signed_blinds
from record_samples import NT, record_of

HOLDEM, LIMIT = rules_of("holdem-nolimit"), rules_of("holdem-limit")


def test_what_goes_without_saying():
    plain = parse_phh(NT)
    assert (plain.number, plain.names, plain.payoffs, plain.adjusted) == (0, ("p1", "p2"), (50.0, -50.0), False)
    rules = plain.hand.rules
    assert (rules.blinds, rules.first, rules.name) == ((100, 50), (1, 0, 0, 0), "NT-2p-50/100")
    assert parse_phh(NT + "hand = 0").number == 0
    assert parse_phh(NT + "hand = 3.0").number == 3
    assert parse_phh(NT + f"hand = {2**53 - 1}").number == 2**53 - 1
    assert parse_phh(NT + "hand = 9e15").number == 9 * 10**15
    for wrong in ("true", "1.5", "-1", str(2**53), '"1"', "nan", "1e16"):
        with pytest.raises(LogError, match="hand history: hand: a number expected, got"):
            parse_phh(NT + f"hand = {wrong}")


def test_hands_that_are_there_twice(tmp_path):
    path = tmp_path / "x.phhs"
    path.write_text(f"[1]\n{NT}[2]\n{NT}[1]\n{NT}")
    with pytest.raises(LogError, match=r"x\.phhs, hand '1': it is there twice"):
        list(read_phh(path))
    reader = read_phh(path, skip_bad=True)
    assert (reader.bad, reader.bytes_read) == (0, 0)
    for _ in range(2):
        assert len(list(reader)) == 2
        assert (reader.bad, reader.bytes_read) == (1, len(path.read_bytes()))


@pytest.mark.parametrize(("most", "kept"), [(100, 125), (99, 100), (125, 150), (1000, 250)])
def test_of_what_is_too_long_no_more_is_kept(tmp_path, monkeypatch, most, kept):
    path = tmp_path / "x.phh"
    path.write_bytes((b"x" * 24 + b"\n") * 10)
    monkeypatch.setattr(phh, "_LONGEST", most)
    ((name, raw),) = read_phh(path)._tables()
    assert (name, len(raw)) == (None, kept)
    path.write_bytes(b"[1]\n" + (b"x" * 24 + b"\n") * 10 + b"[2]\n" + (b"x" * 24 + b"\n") * 10)
    assert [(name, len(raw)) for name, raw in read_phh(path)._tables()] == [("1", kept), ("2", kept)]


def test_cents_and_negative_amounts():
    assert parse_phh(NT + 'currency = "USD"').money == Money("USD", 100)
    assert parse_phh(NT).money == Money("", 1)
    assert parse_phh(NT.replace("[1000, 1000]", "[1000, 1000.5]")).money == Money("", 100)
    with pytest.raises(LogError, match="min_bet: amounts from 0 to 2147483647 chips expected, got -1"):
        parse_phh(NT.replace("min_bet = 100", "min_bet = -1"))


def test_whose_turn_it_is_when_a_hand_breaks_off():
    with pytest.raises(LogError, match=r"cards are missing, after the last action: it is p2's turn$"):
        parse_phh(NT.replace(', "p2 f"', ""))
    with pytest.raises(LogError, match=r"after the last action: it is p1's turn$"):
        parse_phh(NT.replace('"p2 f"', '"p2 cc"'))
    with pytest.raises(LogError, match=r"after the last action$"):
        parse_phh(NT.replace('"p2 f"', '"p2 cc", "p1 cc"'))


def test_stacks_of_which_one_is_unknown():
    told = parse_phh(NT.replace("[1000, 1000]", "[1000, inf]") + "finishing_stacks = [1050, inf]")
    assert (told.payoffs, told.adjusted) == ((50.0, -50.0), False)


def seated(blinds, first, **changes):
    changes |= {"blinds": blinds, "first": (first, 0, 0, 0), "stacks": (1000,) * len(blinds)}
    return dataclasses.replace(HOLDEM, **changes)


@pytest.mark.parametrize(
    ("rules", "signed"),
    [
        (seated((50, 100, 100, 100), 2), (50, 100, -100, -100)),
        (seated((60, 110, 110, 10), 2, ante=10), (50, 100, -100, 0)),
        (seated((50, 100, 100), 2), (50, 100, -100)),
        (seated((100, 100, 0), 1), (100, -100, 0)),
        (seated((50, 100, 200), 0), (50, 100, 200)),  # a straddle on the button: the first is to act
        (seated((50, 100, 200, 0), 3), (50, 100, 200, 0)),
        (HOLDEM, (100, 50)),
    ],
)
def test_blinds_out_of_turn(rules, signed):
    assert signed_blinds(rules) == signed
    assert plain(rules) == rules
    assert plain(dataclasses.replace(rules, first=(rules.first[0], 1, 0, 0))) is None
    hand = new_hand(rules).deal(range(2 * rules.players)).act(500)
    while not hand.finished:
        hand = hand.act(FOLDS)
    assert parse_phh(phh_text(record_of(hand))).hand.rules == rules


@pytest.mark.parametrize(
    ("changes", "fine"),
    [
        ({}, True),
        ({"max_raises": (4, 4, 4, 4)}, True),
        ({"max_raises": (5, 4, 4, 4)}, False),
        ({"max_raises": (4, 4, 4, 5)}, False),
        ({"raise_sizes": (10, 10, 30, 30)}, True),
        ({"raise_sizes": (10, 20, 20, 20)}, False),
        ({"raise_sizes": (10, 10, 20, 30)}, False),
        ({"hole_cards": 3}, False),
    ],
)
def test_limit_games_that_can_be_told(changes, fine):
    rules = dataclasses.replace(LIMIT, **changes)
    assert (plain(rules) is not None) == fine
    if fine:
        assert plain(rules) == dataclasses.replace(rules, max_raises=(4, 4, 4, 4))
        assert plain(dataclasses.replace(NO_LIMIT_SIZES, max_raises=(3,) * 4)) == HOLDEM


NO_LIMIT_SIZES = dataclasses.replace(HOLDEM, bet_sizes=(Size(50),))


FT = """variant = "FT"
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
small_bet = 10
big_bet = 20
starting_stacks = [1000, 1000, 1000]
actions = ["d dh p1 AhAd", "d dh p2 KhKd", "d dh p3 ????", "p3 f", "p1 f"]
"""


def test_limit_hands():
    told = parse_phh(FT)
    rules = told.hand.rules
    assert (rules.limit, rules.raise_sizes, rules.max_raises) == (True, (10, 10, 20, 20), (4,) * 4)
    assert (rules.first, rules.name, rules.min_bet) == ((2, 0, 0, 0), "FT-3p-10/20", 0)
    assert told.payoffs == (-5.0, 5.0, 0.0)
    with_ante = parse_phh(NT.replace("[0, 0]", "[10, 10]"))
    assert (with_ante.hand.rules.blinds, with_ante.hand.rules.ante) == ((110, 60), 10)
    assert with_ante.hand.rules.name == "NT-2p-50/100+10"
    with pytest.raises(LogError, match=r"antes .*: only equal ones are known"):
        parse_phh(NT.replace("[0, 0]", "[10, 0]"))
    for wrong, message in (("min_bet = 0", "min_bet: more than 0 expected"), ("", "min_bet is missing")):
        with pytest.raises(LogError, match=message):
            parse_phh(NT.replace("min_bet = 100", wrong))
    assert parse_phh(NT.replace("min_bet = 100", "min_bet = 20")).hand.rules.min_bet == 20
    assert parse_phh(NT).hand.rules.min_bet == 0


@pytest.mark.parametrize(
    ("old", "new", "scale"),
    [
        ("[1000, 1000]", "[1000.0, 1000]", 1),
        ("[1000, 1000]", "[1000.5, 1000]", 100),
        ("[1000, 1000]", "[1000.125, 1000]", 1000),
        ("min_bet = 100", "min_bet = 100.25", 100),
        ('"p2 f"', '"p2 f # 1.2345"', 1),
        ('"p2 f"', '"p2 cbr 250", "p1 f"', 1),
        ('"p2 f"', '"p2 cbr 250.500", "p1 f"', 100),
        ('"p2 f"', '"p2 cbr 250.0625", "p1 f"', 10_000),
    ],
)
def test_how_small_a_chip_is(old, new, scale):
    assert old in NT
    assert parse_phh(NT.replace(old, new)).money.scale == scale


def test_chips_just_large_enough():
    tiny = NT.replace("[1000, 1000]", "[10, 10]").replace("[50, 100]", "[0.00000001, 0.1]").replace("= 100", "= 0.1")
    assert parse_phh(tiny).money.scale == 10**8
    with pytest.raises(LogError, match="amounts have 9 decimals; 8 are known"):
        parse_phh(tiny.replace("0.00000001", "0.000000001"))
    for wrong in ("5", '"\\u0007"'):
        with pytest.raises(LogError, match="currency: a text expected, got"):
            parse_phh(NT + f"currency = {wrong}")
    assert parse_phh(NT + 'currency = "USD"\ncurrency_symbol = "$"').money == Money("$", 100)


def test_files_of_tables(tmp_path):
    path = tmp_path / "x.phhs"
    path.write_text(f"# a comment\n\n[1]\n{NT}[ 'two' ] # and a word\n{NT}hand = 5\n")
    assert [each.number for each in read_phh(path)] == [0, 5]
    path.write_text(f"{NT}[1]\n{NT}")  # a hand without a name, then one with
    assert len(list(read_phh(path))) == 2
    path.write_text(f"{NT}")
    assert write_phh(tmp_path / "y.phhs", [*read_phh(path)] * 2) == 2
    assert (tmp_path / "y.phhs").read_text().count("[1]\nvariant") == 1
    assert (tmp_path / "y.phhs").read_text().count("\n\n[2]\nvariant") == 1
    assert write_phh(tmp_path / "y.phh", read_phh(path)) == 1
    with pytest.raises(LogError, match=r"one hand goes into a \.phh file, 2 need a \.phhs file"):
        write_phh(tmp_path / "y.phh", [*read_phh(path)] * 2)
    with pytest.raises(LogError, match="0 need a"):
        write_phh(tmp_path / "y.phh", [])


SHOWN = NT.replace(
    '"p2 f"]',
    '"p2 cc", "p1 cc", "d db 2c3c4d", "p1 cc", "p2 cc", "d db 8h", "p1 cc", "p2 cc", "d db 9h", "p1 cc", "p2 cc"{}]',
)


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ("", ""),
        (', "p1 sm AhAd", "p2 sm"', ""),
        (', "p1 sm AdAh", "p2 sm -"', ""),
        (', "p1 sm ????", "p2 sm KhKd"', ""),
        (', "p1 sm AhAc"', "'p1 sm AhAc': the cards dealt were AhAd"),
        (', "p1 sm AhAd Kc"', "nothing to show"),
        (', "p3 sm AhAd"', "players are p1 to p2"),
        (', "p1 sm Ah"', "the cards dealt were AhAd"),
        (', "p1 cc"', "it is not p1's turn"),
        (', "d dh p1 AhAd"', "dealt twice"),
        (', "p1 xx"', "cannot read action"),
        (', "p1 cbr"', "cannot read action"),
        (', "p1 f 5"', "cannot read action"),
    ],
)
def test_who_shows_what(told, complaint):
    text = SHOWN.replace("{}", told)
    if complaint:
        with pytest.raises(LogError, match=complaint):
            parse_phh(text)
    else:
        assert parse_phh(text).payoffs == (100.0, -100.0)


def test_amounts_of_raises():
    for wrong in ("0", "0.0", "-5", "1e3", "12345678901", "5.123456789"):
        with pytest.raises(LogError):
            parse_phh(NT.replace('"p2 f"', f'"p2 cbr {wrong}", "p1 f"'))
    flop = NT.replace('"p2 f"', '"p2 cbr 250", "p1 cc", "d db 2c3c", "d db 4d", "p1 cbr 100", "p2 f"')
    assert parse_phh(flop).hand.betting_text() == "r250c/r350f"
    with pytest.raises(LogError, match="it is not p2's turn"):
        parse_phh(flop.replace('"p1 cbr 100"', '"p2 cbr 100"'))
    with pytest.raises(LogError, match="there is no bet to fold to"):
        parse_phh(flop.replace('"p1 cbr 100"', '"p1 f"'))


def test_cards_that_are_missing_or_there_twice():
    for old, new in (("AhAd", "Ah"), ("AhAd", "AhAdAc"), ("KhKd", "AhKd")):
        with pytest.raises(LogError):
            parse_phh(NT.replace(old, new))
    assert parse_phh(NT.replace("AhAd", "Ah??")).hand.holes[0] == ()


def test_currencies_are_written_as_codes_or_symbols():
    record = parse_phh(NT)
    assert '\ncurrency = "USD"\n' in phh_text(record._replace(money=Money("USD", 100)))
    assert '\ncurrency_symbol = "$"\n' in phh_text(record._replace(money=Money("$", 100)))
    assert "currency" not in phh_text(record)


def test_hands_of_nobody():
    for few in ("", "{}"):
        nobody = NT
        for amount in ("[0, 0]", "[50, 100]", "[1000, 1000]"):
            nobody = nobody.replace(amount, f"[{few.format(amount.split(', ')[1][:-1])}]")
        with pytest.raises(LogError, match="starting_stacks: those of two players and more expected, got"):
            parse_phh(nobody)
    with pytest.raises(LogError, match="starting_stacks: those of two players and more expected, got 1000"):
        parse_phh(NT.replace("[1000, 1000]", "1000"))


def test_decimals_of_amounts_and_not_of_comments():
    told = parse_phh(NT.replace('"p2 f"', '"p2 cbr 250.125 # or 3.5", "p1 f"'))
    assert told.money.scale == 1000
    assert told.hand.betting.spent == (100_000, 250_125)


@pytest.mark.parametrize(
    "names", ["['a|b', 'c']", "['', 'c']", "['a\\u0007', 'c']".replace("'", '"'), "['a', 'b', 'c']"]
)
def test_names_that_no_log_could_hold(names):
    with pytest.raises(LogError, match="players: 2 names expected"):
        parse_phh(NT + f"players = {names}")


def test_whole_chips():
    most = 2**31 - 1
    assert parse_phh(NT.replace("[1000, 1000]", f"[1000.0, {most}]")).hand.rules.stacks == (1000, most)
    assert parse_phh(NT.replace("[1000, 1000]", "[1000, inf]")).hand.rules.stacks == (1000, most)
    for wrong in (most + 1, -1, "true", "nan"):  # a part of a chip makes the smallest unit smaller
        with pytest.raises(LogError, match=f"starting_stacks: amounts from 0 to {most} chips expected, got"):
            parse_phh(NT.replace("[1000, 1000]", f"[1000, {wrong}]"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"p2 f"', '"p2 cbr 0"', "an amount expected"),
        ('"p2 f"', '"p2 cbr 12345678901"', "an amount expected"),
        ('"p2 f"', '"p2 cbr ²"', "an amount expected"),
        ('"p2 f"', '"p2 cbr 1234567890"', "raise to 1234567890 is illegal"),
        ('"p2 f"', '"p2 f", "p2 sm KhKd"', "nothing to show"),
        ('"p2 f"', '"p2 f 1"', "cannot read action"),
        ('"p2 f"', '"p2 cc 5"', "cannot read action"),
        ('"p2 f"', '"p2 cbr"', "cannot read action"),
        ('"p2 f"', '"p0 f"', "players are p1 to p2"),
        ('"p2 f"', '"p1 f"', "it is not p1's turn after ''"),
        ('"p2 f"', '"p2 cc"', "the hand is not over"),
        ("KhKd", "KhKdKc", "the hand is not over, or cards are missing"),
        ("KhKd", "Kh", "the hand is not over, or cards are missing"),
        ("[0, 0]", "[0]", "antes: 2 numbers expected, got"),
        ("min_bet = 100", "", "min_bet is missing"),
    ],
)
def test_actions_that_cannot_be(old, new, message):
    assert old in NT
    with pytest.raises(LogError) as caught:
        parse_phh(NT.replace(old, new), "x")
    assert message in str(caught.value)
    assert str(caught.value).startswith("x: ")


def test_amounts_count_from_the_beginning_of_the_round():
    actions = '["d dh p1 AhAd", "d dh p2 KhKd", "p2 cbr 300", "p1 cc", "d db 2c3d7s", "p1 cbr 100", "p2 cc", ' \
              '"d db 8h", "p1 cc", "p2 cbr 200", "p1 f"]'  # fmt: skip
    text = NT[: NT.index("actions")] + f"actions = {actions}\n"
    hand = parse_phh(text).hand
    assert hand.betting_text() == "r300c/r400c/cr600f"
    assert 'cbr 300", "p1 cc", "d db 2c3d7s", "p1 cbr 100"' in phh_text(record_of(hand))


def test_cards_that_are_not_shown_are_told_by_nobody():
    shown = NT.replace('"p2 f"]', '"p2 cc", "p1 cc", "d db 2c3d7s", "p1 cc", "p2 cc", "d db 8h", "p1 cc", "p2 cc", '
                                  '"d db 9c", "p1 cc", "p2 cc", {}]')  # fmt: skip
    for word in ('"p1 sm", "p2 sm KhKd"', '"p1 sm -", "p2 sm ????"', '"p1 sm AdAh"', '"p2 sm KhKd # and a word"'):
        assert parse_phh(shown.format(word)).payoffs == (100.0, -100.0)
    for word, message in (('"p1 sm AhAd AsAc"', "nothing to show"), ('"p1 sm AhAs"', "the cards dealt were AhAd")):
        with pytest.raises(LogError, match=message):
            parse_phh(shown.format(word))
    hidden = shown.format('"p1 sm -"').replace("p1 AhAd", "p1 ????") + "finishing_stacks = {}\n"
    believed = parse_phh(hidden.format("[900, 1100]"))
    assert (believed.payoffs, believed.adjusted, believed.hand.holes[0]) == ((-100.0, 100.0), True, ())
    for wrong in ("[900, 1101]", "[899, 1101]", "[1101, 899]"):
        with pytest.raises(LogError, match=r"by their stacks or winnings, .* cannot be"):
            parse_phh(hidden.format(wrong))


def test_what_the_format_cannot_say():
    cases = [
        (dataclasses.replace(LIMIT, raise_sizes=(10, 20, 20, 20)), "rc/cc/cc/cc"),
        (dataclasses.replace(LIMIT, raise_sizes=(10, 10, 20, 30)), "rc/cc/cc/cc"),
        (dataclasses.replace(LIMIT, max_raises=(3, 5, 4, 4)), "rc/cc/cc/cc"),
        (dataclasses.replace(HOLDEM, first=(0, 0, 0, 0)), "cc/cc/cc/cc"),
    ]
    for rules, betting in cases:
        hand = parse_hand(rules, betting, "5d5c|9hQd/8dAs8s/4h/6d")
        with pytest.raises(LogError, match=f"PHH has no variant for {rules.name}"):
            phh_text(record_of(hand))
    unnamed = parse_hand(dataclasses.replace(cases[0][0], name=""), "rc/cc/cc/cc", "5d5c|9hQd/8dAs8s/4h/6d")
    with pytest.raises(LogError, match="PHH has no variant for this game"):
        phh_text(record_of(unnamed))
    four = parse_hand(dataclasses.replace(LIMIT, max_raises=(4,) * 4), "rc/cc/cc/cc", "5d5c|9hQd/8dAs8s/4h/6d")
    assert "_pokerlab_game" not in phh_text(record_of(four))


def test_a_whole_text():
    rules = dataclasses.replace(LIMIT, max_raises=(4,) * 4, stacks=(100, 200))
    hand = parse_hand(rules, "rc/cc/cc/cc", "5d5c|9hQd/8dAs8s/4h/6d")
    assert phh_text(record_of(hand, 5)) == (
        'variant = "FT"\nantes = [0, 0]\nblinds_or_straddles = [5, 10]\nsmall_bet = 10\nbig_bet = 20\n'
        'starting_stacks = [100, 200]\n'
        'actions = ["d dh p1 5d5c", "d dh p2 9hQd", "p2 cbr 20", "p1 cc", "d db 8dAs8s", "p1 cc", "p2 cc", "d db 4h", '
        '"p1 cc", "p2 cc", "d db 6d", "p1 cc", "p2 cc", "p1 sm 5d5c", "p2 sm 9hQd"]\n'
        'hand = 5\nplayers = ["p1", "p2"]\nfinishing_stacks = [120, 180]\n'
    )  # fmt: skip


def test_tables_that_are_no_hands(tmp_path):
    path = tmp_path / "x.phhs"
    path.write_text(f"[1]\n{NT}\n[two]\n{NT.replace('NT', 'XX')}\n[3]\n{NT}")
    told = []
    assert len(list(read_phh(path, True, told.append))) == 2
    assert str(told[0]).startswith(f"{path}, hand 'two': variant 'XX' is not known")
    assert len(list(read_phh(path, True))) == 2
    path.write_text("")
    with pytest.raises(LogError, match="variant is missing"):
        list(read_phh(path))
