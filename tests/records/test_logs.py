"""The competition's logs: byte for byte, replayed, refused with file and line, skipped when asked."""

import dataclasses

import pytest

from pokerlab.cards.deck import Deck
from pokerlab.cases.sources import survey
from pokerlab.errors import LogError
from pokerlab.game.catalog import rules_of
from pokerlab.records.log_game import log_header
from pokerlab.records.logs import LoggedHand, parse_state_line, read_log, write_log
from pokerlab.records.record import payoff_text
from randomly import hand_states
from record_samples import LINES
from shared_data import shared_data

HOLDEM = rules_of("holdem-nolimit")
LIMIT = rules_of("holdem-limit")
LEDUC = rules_of("leduc")
THREE = dataclasses.replace(HOLDEM, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(20000,) * 3)

SHARED = {
    "2014_3p_kuhn/3pk.HITSZ_CS.hyperborean3pk.RMPUE.Bluffer.5.0.log": ("kuhn-3p", 3000),
    "2014_3p_kuhn/3pk.HITSZ_CS.hyperborean3pk.RMPUE.Bluffer.5.1.log": ("kuhn-3p", 3000),
    "2014_3p_kuhn/3pk.HITSZ_CS.hyperborean3pk.RMPUE.Bluffer.5.2.log": ("kuhn-3p", 3000),
    "2014_3p_kuhn/3pk.HITSZ_CS.hyperborean3pk.RMPUE.Bluffer.5.3.log": ("kuhn-3p", 3000),
    "2014_3p_kuhn/3pk.HITSZ_CS.hyperborean3pk.RMPUE.Bluffer.5.4.log": ("kuhn-3p", 3000),
    "2014_3p_kuhn/3pk.HITSZ_CS.hyperborean3pk.RMPUE.Bluffer.5.5.log": ("kuhn-3p", 3000),
    "2016_2p_nolimit/act1.hitcz.0.1.log": ("holdem-nolimit", 3000),
    "2017_2p_nolimit/Intermission.PokerCNN.1.0.log": ("holdem-nolimit", 3000),
    "dealer_test_logs/2p.limit.h1000.r0.log": ("holdem-limit", 1000),
    "dealer_test_logs/2p.nolimit.h1000.r0.log": ("holdem-nolimit", 1000),
    "dealer_test_logs/3p.limit.h1000.r0.log": ("holdem-limit-3p", 1000),
    "deepstack_vs_pros/hands.log": ("holdem-nolimit", 36000),
}


def log_of(folder, *lines):
    path = folder / "match.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.mark.parametrize("log", SHARED)
def test_shared_logs_replay_and_come_back_byte_for_byte(log, tmp_path):
    path = shared_data("acpc", log)
    game, hands = SHARED[log]
    reader = read_log(path)
    records = list(reader)
    assert reader.rules == rules_of(game)
    assert (len(records), reader.hands, reader.bad) == (hands, hands, 0)
    assert not any(record.adjusted or record.payoffs_text for record in records)
    # The header, every STATE line and the SCORE line, all of them ours.
    write_log(tmp_path / "copy.log", reader.rules, records, header=reader.header, score=reader.score is not None)
    assert (tmp_path / "copy.log").read_bytes() == path.read_bytes()


def test_the_fractions_in_the_shared_logs_are_split_pots():
    """The table of exceptions in docs/hands.md: no shared log needs one."""
    fractions = []
    for log in SHARED:
        for line in shared_data("acpc", log).read_text().splitlines():
            if line.startswith("STATE:") and "." in line.split(":")[4]:
                fractions.append(line)
    assert fractions == [
        "STATE:256:rfrrc/crrc/cc/rrrrc:8cAs|5s6c|AdQd/2c5h4c/3c/6s:-5|2.5|2.5:p2|p3|p1",
        "STATE:964:rfrrc/cc/rc/crrc:JdJs|2c5s|9h5h/Kh6hTs/6c/As:-5|2.5|2.5:p2|p3|p1",
    ]


def test_a_record_has_what_the_line_says():
    record = parse_state_line(HOLDEM, LINES[0])
    assert isinstance(record, LoggedHand)
    assert (record.number, record.payoffs, record.names) == (0, (900.0, -900.0), ("Alice", "Bob"))
    assert record.hand.betting_text() == "r300r900c/r2250f"
    assert not record.adjusted
    assert [parse_state_line(HOLDEM, line).line() for line in LINES] == LINES


def test_the_logs_names_of_cards_are_translated_by_index():
    record = parse_state_line(LEDUC, "STATE:5:rrc/rrc:Qh|Ah/Qs:13|-13:a|b")
    assert record.hand.cards_text() == "Jh|Kh/Js"
    assert record.line() == "STATE:5:rrc/rrc:Qh|Ah/Qs:13|-13:a|b"
    for cards in ("Jh|Ah/Qs", "Qh|Qh/Qs", "Q h|Ah/Qs", "Qh|Ah/Qsx"):
        with pytest.raises(LogError):
            parse_state_line(LEDUC, f"STATE:5:rrc/rrc:{cards}:13|-13:a|b")


@pytest.mark.parametrize(
    ("chips", "text"),
    [(0, "0"), (-0.0, "-0"), (20000.0, "20000"), (-5, "-5"), (2.5, "2.5"), (100 / 3, "33.333333"), (-1e-7, "-0")],
)
def test_payoffs_are_printed_as_by_the_official_dealer(chips, text):
    assert payoff_text(chips) == text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("3d2d", "3dJs", "a card is named twice"),
        ("Kc5sQc", "Kc5sAc", "a card is named twice"),
        ("3d2d", "3x2d", "no card '3x'"),
        ("3d2d", "3d", "2 hole cards or none expected"),
        ("AcJs|3d2d", "AcJs|3d2d|4c4d", "2 seats separated by | expected, got 3"),
        ("Kc5sQc", "Kc5s", "3 cards must be dealt"),
        ("r900", "r400", "raise to 400 is illegal: it must be 500 to 20000"),
        ("r2250", "r22500", "raise to 22500 is illegal"),
        ("r2250f", "r2250", "the hand is not over"),
        ("r300r900c", "cf", "fold is illegal"),
        ("r300", "x300", "cannot read betting"),
        ("900|-900", "800|-800", "payoffs 800|-800 are wrong: the hand pays 900|-900"),
        ("900|-900", "-900|900", "payoffs -900|900 are wrong"),
        ("900|-900", "900.5|-900.5", "payoffs 900.5|-900.5 are wrong"),
        ("900|-900", "900|-900|0", "2 payoffs expected, got 3"),
        ("900|-900", "900|nan", "cannot read payoffs"),
        ("900|-900", "900|--900", "cannot read payoffs"),
        ("900|-900", "900|٩٠٠", "cannot read payoffs"),
        ("Alice|Bob", "Alice", "2 names expected"),
        ("Alice|Bob", "Alice|", "2 names expected"),
        ("Alice|Bob", "Alice|B\x07b", "not printable"),
        ("STATE:0:", "STATE:-1:", "'-1' is not a hand's number"),
        ("STATE:0:", "STATE:00:", "'00' is not a hand's number"),
        ("STATE:0:", "STATE:", "expected, got"),
        ("STATE", "HANDS", "STATE:number:betting:cards:payoffs:names expected, got 'HANDS:0:"),
        (LINES[0], "complete rubbish", "expected, got 'complete rubbish'"),
        ("f:", "f" * 30000 + ":", "the line is too long"),
    ],
)
def test_a_bad_line_is_refused_with_file_and_line_and_skipped_when_asked(old, new, message, tmp_path):
    bad = LINES[0].replace(old, new)
    assert bad != LINES[0]
    path = log_of(tmp_path, "# a comment", LINES[1], bad, *LINES[2:])
    with pytest.raises(LogError) as caught:
        list(read_log(path, HOLDEM))
    assert str(caught.value).startswith(f"{path}:3: ")
    assert message in str(caught.value)
    told = []
    reader = read_log(path, skip_bad=True, on_error=told.append)
    assert [record.line() for record in reader] == LINES[1:]
    assert (reader.rules, reader.hands, reader.bad) == (HOLDEM, 3, 1)
    assert list(map(str, told)) == [str(caught.value)]


def test_bytes_that_are_no_text_are_bad_lines_but_not_in_comments(tmp_path):
    path = tmp_path / "match.log"
    path.write_bytes(b"# caf\xe9\n" + LINES[0].encode() + b"\nSTATE:\xff\xfe\n" + LINES[1].encode())
    reader = read_log(path, skip_bad=True)
    assert [record.line() for record in reader] == LINES[:2]
    assert reader.bad == 1
    with pytest.raises(LogError, match=r"match\.log:3: the line is not text"):
        list(read_log(path))


def test_lines_may_end_as_on_windows_and_be_read_lazily(tmp_path):
    path = tmp_path / "match.log"
    path.write_bytes("\r\n".join([*LINES[:2], "", "rubbish"]).encode())
    hands = iter(read_log(path))
    assert [next(hands).line(), next(hands).line()] == LINES[:2]
    with pytest.raises(LogError, match=r"match\.log:4: "):
        next(hands)


def test_files_that_are_no_logs(tmp_path):
    with pytest.raises(LogError, match=r"no such file: .*nowhere\.log"):
        read_log(tmp_path / "nowhere.log")
    with pytest.raises(LogError, match="cannot read"):
        read_log(tmp_path)
    (tmp_path / "empty.log").touch()
    with pytest.raises(LogError, match="cannot tell the game"):
        read_log(tmp_path / "empty.log")
    assert list(read_log(tmp_path / "empty.log", "leduc")) == []


# Expected payoffs


def test_expected_payoffs_of_an_early_all_in_are_kept_and_marked():
    line = LINES[2].replace("20000|-20000", "1234.567891|-1234.567891")
    record = parse_state_line(HOLDEM, line)
    assert record.adjusted
    assert record.payoffs == (1234.567891, -1234.567891)
    assert record.line() == line
    more = LINES[2].replace("20000|-20000", "1234.56789123|-1234.5679")
    assert parse_state_line(HOLDEM, more).line() == more


@pytest.mark.parametrize("payoffs", ["1234|-1234", "-20000|20000", "1234.5|-1234", "20000.5|-20000.5", "0|0"])
def test_other_payoffs_of_an_early_all_in_are_wrong(payoffs):
    with pytest.raises(LogError, match="are wrong: the hand pays"):
        parse_state_line(HOLDEM, LINES[2].replace("20000|-20000", payoffs))


def test_an_all_in_on_the_river_has_nothing_to_expect():
    line = "STATE:0:cc/cc/cc/r20000c:5d5c|9hQd/8dAs8s/4h/6d:{}:a|b"
    assert parse_state_line(HOLDEM, line.format("20000|-20000")).payoffs[0] == 20000
    with pytest.raises(LogError, match="are wrong"):
        parse_state_line(HOLDEM, line.format("1234.5|-1234.5"))


# Scores


def test_the_score_must_be_the_sum_of_the_hands(tmp_path):
    good = "SCORE:20550|-20550:Alice|Bob"
    reader = read_log(log_of(tmp_path, *LINES, good))
    assert len(list(reader)) == 4
    assert reader.score == (("Alice", 20550.0), ("Bob", -20550.0))
    for bad, message in [
        ("SCORE:20551|-20551:Alice|Bob", "match.log:5: 'Alice' scored 20551, but the hands add up to 20550"),
        ("SCORE:20550:Alice|Bob", "match.log:5: 2 payoffs expected"),
        ("SCORE:x|y:Alice|Bob", "match.log:5: cannot read payoffs"),
        ("SCORE:20550|-20550", "match.log:5: SCORE:totals:names expected"),
    ]:
        path = log_of(tmp_path, *LINES, bad)
        with pytest.raises(LogError) as caught:
            list(read_log(path))
        assert message in str(caught.value)
        reader = read_log(path, skip_bad=True)
        assert (len(list(reader)), reader.bad, reader.score) == (4, 1, None)


# Which game


@pytest.mark.parametrize(
    ("header", "game"),
    [
        ("# name/game/hands/seed m some/where/holdem.nolimit.2p.reverse_blinds.game 1 2", HOLDEM),
        ("# name/game/hands/seed m holdem.limit.2p.reverse_blinds.game 1 2", LIMIT),
        ("# name/game/hands/seed m C:\\games\\leduc.limit.2p.game 1 2", LEDUC),
        ("# name/game/hands/seed m holdem.nolimit.3p.game 1 2", THREE),
        ("# name/game/hands/seed two words leduc:ranks=13,suits=4 1 2", rules_of("leduc:ranks=13,suits=4")),
    ],
)
def test_the_header_names_the_game(header, game, tmp_path):
    assert read_log(log_of(tmp_path, header)).rules == game


def test_without_a_header_the_hands_tell_the_game(tmp_path):
    three = "STATE:0:r300fc/cc/cc/cc:AhKd|AdKh|AcKs/2c3d7s/8h/9c:-50|25|25:a|b|c"
    for lines, game in [
        (LINES, HOLDEM),
        (["rubbish", *LINES], HOLDEM),
        ([three], THREE),
        (["STATE:5:rrc/rrc:Qh|Ah/Qs:13|-13:a|b"], LEDUC),
        (["STATE:0:rff:As|Ks|Qs:2|-1|-1:a|b|c"], rules_of("kuhn-3p")),
        (["STATE:0:cc/crc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d:20|-20:p1|p2"], LIMIT),
    ]:
        assert read_log(log_of(tmp_path, *lines)).rules == game
    with pytest.raises(LogError, match=r"cannot tell the game of .*match.log.*name it"):
        read_log(log_of(tmp_path, "STATE:0:f:As8d|8c3h:75|-75:Bob|Alice"))


def test_a_game_without_a_lasting_name_goes_into_the_header(tmp_path):
    odd = dataclasses.replace(HOLDEM, stacks=(777, 888), name="my games/odd.game")
    assert "# GAMEDEF" in log_header(odd)
    assert "# GAMEDEF" not in log_header(HOLDEM)
    hand = hand_states(odd, 3)[-1]._replace(names=("a", "b"))
    write_log(tmp_path / "odd.log", odd, [LoggedHand(0, hand, hand.payoffs())])
    reader = read_log(tmp_path / "odd.log")
    assert [record.hand for record in reader] == [hand]
    assert reader.rules == odd


def test_a_deck_with_other_suits_is_translated_too():
    rules = dataclasses.replace(LEDUC, deck=Deck("AJK", "xy"))
    line = "STATE:0:rrc/rrc:Qh|Ah/Qs:13|-13:a|b"
    assert parse_state_line(rules, line).line() == line
    assert parse_state_line(rules, line).hand.cards_text() == "Ax|Kx/Ay"


def test_matches_one_behind_the_other(tmp_path):
    """Each has its own SCORE, also where the one before was broken off."""
    path = tmp_path / "match.log"
    lines = [line.rpartition(":")[0] + ":Alice|Bob" for line in LINES[:2]]
    one, two = (parse_state_line(HOLDEM, line) for line in lines)
    header = log_header(HOLDEM)

    def score(*records):
        return f"SCORE:{sum(r.payoffs[0] for r in records):g}|{sum(r.payoffs[1] for r in records):g}:Alice|Bob"

    broken = [*header, one.line()]
    for parts in ([*broken, *header, two.line(), score(two)], [one.line(), score(one), two.line(), score(two)]):
        path.write_text("\n".join([*parts, ""]))
        reader = read_log(path)
        assert len(list(reader)) == 2
        assert dict(reader.score) == {"Alice": two.payoffs[0], "Bob": two.payoffs[1]}
    path.write_text("\n".join([*broken, *header, two.line(), score(one, two), ""]))
    with pytest.raises(LogError, match="but the hands add up to"):
        list(read_log(path))


def test_a_comment_behind_the_names_is_none_of_them(tmp_path):
    line = "STATE:4:r300r900c/r2250f:AcJs|3d2d/Kc5sQc:900|-900:Ann|Ben # 1480885638.77"
    (tmp_path / "x.log").write_text(f"{line}\nSCORE:900|-900:Ann|Ben # 1480885640.1\n")
    reader = read_log(tmp_path / "x.log")
    (record,) = reader
    assert record.names == ("Ann", "Ben")
    assert record.line() == line
    assert reader.score == (("Ann", 900.0), ("Ben", -900.0))
    assert survey(tmp_path / "x.log", "Ben", None, 0.0).names == {"Ann": 1, "Ben": 1}
    (tmp_path / "y.log").write_text(line.replace("Ben #", "Ben#") + "\n")
    assert next(iter(read_log(tmp_path / "y.log"))).names == ("Ann", "Ben# 1480885638.77")
