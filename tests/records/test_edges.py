"""The edges of what records take: lines just long enough, payoffs just near enough, files of every odd kind."""

import dataclasses
import errno
import hashlib
import io
import sys

import numpy as np
import pytest

from pokerlab import writing
from pokerlab.errors import LogError, StoreError
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import FOLD as FOLDS
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.records import logs, phh, record, store
from pokerlab.records.hand_columns import ACTIONS, HANDS, SEATS, columns, showdown_winners
from pokerlab.records.hand_stats import Choice
from pokerlab.records.log_game import file_name, log_header
from pokerlab.records.logs import LoggedHand, LogReader, LogWriter, read_log, write_log
from pokerlab.records.money import Money
from pokerlab.records.phh import parse_phh, phh_text, read_phh, write_phh
from pokerlab.records.phh_rules import plain, signed_blinds
from pokerlab.records.record import check_payoffs, parse_names, parse_payoffs, parse_state_line
from pokerlab.records.store import HandStore, Ingested
from randomly import hand_states

HOLDEM, LIMIT, LEDUC = rules_of("holdem-nolimit"), rules_of("holdem-limit"), rules_of("leduc")
FOLD = "STATE:{}:f:As8d|8c3h:50|-50:Bob|Alice"
ALL_IN = "STATE:0:r20000c///:5d5c|9hQd/8dAs8s/4h/6d:{}:a|b"


def record_of(hand, number=0):
    names = tuple(f"p{seat + 1}" for seat in range(hand.rules.players))
    return LoggedHand(number, hand._replace(names=names), hand.payoffs())


# Lines


def test_numbers_of_hands():
    assert parse_state_line(HOLDEM, FOLD.format(10**18 - 1)).number == 10**18 - 1
    for wrong in (10**18, "", "01", "1.5"):
        with pytest.raises(LogError, match="is not a hand's number"):
            parse_state_line(HOLDEM, FOLD.format(wrong))


def test_lines_just_long_enough(monkeypatch):
    line = FOLD.format(3)
    monkeypatch.setattr(record, "LONGEST_LINE", len(line))
    assert parse_state_line(HOLDEM, line).number == 3
    monkeypatch.setattr(record, "LONGEST_LINE", len(line) - 1)
    with pytest.raises(LogError, match="log line: STATE:number:betting:cards:payoffs:names expected, got 'STATE:3:f"):
        parse_state_line(HOLDEM, line)


def test_long_lines_of_files(tmp_path, monkeypatch):
    """One line too long costs one line, however many pieces it is read in; the next ones are there."""
    path, line = tmp_path / "x.log", FOLD.format(1)
    monkeypatch.setattr(logs, "LONGEST_LINE", len(line) + 1)
    path.write_text(f"{line}\n{'x' * 5 * len(line)}\n{FOLD.format(2)}\n{'y' * (len(line) + 2)}\n{FOLD.format(3)}\n")
    reader = read_log(path, HOLDEM, skip_bad=True)
    assert [each.number for each in reader] == [1, 2, 3]
    assert reader.bad == 2
    with pytest.raises(LogError, match=r"x\.log:2: the line is too long: 'xxx"):
        list(read_log(path, HOLDEM))
    # With its end it is a byte longer than what may be.
    path.write_text(f"{line}y\n")
    with pytest.raises(LogError, match="the line is too long"):
        list(read_log(path, HOLDEM))


def test_what_a_reader_counts(tmp_path):
    path = tmp_path / "x.log"
    text = "# one\n; two\n\n" + f"{FOLD.format(0)}\n# three\n{FOLD.format(1)}\nSCORE:-100|100:Alice|Bob\n"
    path.write_text(text)
    reader = read_log(path, "holdem-nolimit")
    assert (reader.hands, reader.bytes_read, reader.header) == (0, 0, ("# one", "; two"))
    for _ in range(2):  # each pass counts anew
        assert len(list(reader)) == 2
        assert (reader.hands, reader.bad, reader.bytes_read) == (2, 0, len(text))
        assert reader.score == (("Alice", -100.0), ("Bob", 100.0))


def test_the_score_may_be_off_by_rounding(tmp_path):
    path = tmp_path / "x.log"
    for score, fine in ((-100.0000029, True), (-100.0000031, False), (-99.9999971, True), (-99.9999969, False)):
        path.write_text(f"{FOLD.format(0)}\n{FOLD.format(1)}\nSCORE:{score:.7f}|100:Alice|Bob\n")
        if fine:
            assert len(list(read_log(path))) == 2
        else:
            with pytest.raises(LogError, match="'Alice' scored -"):
                list(read_log(path))
    path.write_text(f"{FOLD.format(0)}\nSCORE:-50|50|0:Alice|Bob\n")
    with pytest.raises(LogError, match=r"x\.log:2: 2 payoffs expected, got 3"):
        list(read_log(path))
    # Somebody who never played has won nothing.
    path.write_text(f"{FOLD.format(0)}\nSCORE:-50|1:Alice|Cem\n")
    with pytest.raises(LogError, match="'Cem' scored 1, but the hands add up to 0"):
        list(read_log(path))


def test_the_score_is_not_checked_where_lines_are_missing_or_names_the_same(tmp_path):
    path = tmp_path / "x.log"
    path.write_text(f"rubbish\n{FOLD.format(0)}\nSCORE:7|-7:Alice|Bob\n")
    reader = read_log(path, skip_bad=True)
    assert (len(list(reader)), reader.score) == (1, (("Alice", 7.0), ("Bob", -7.0)))
    same = FOLD.format(0).replace("Bob|Alice", "Bob|Bob")
    path.write_text(f"{same}\n{FOLD.format(1)}\nSCORE:7|-7:Bob|Bob\n")
    assert len(list(read_log(path))) == 2


def test_the_game_is_told_by_the_first_hands(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "_SAMPLE", 2)
    path = tmp_path / "x.log"
    leduc = "STATE:5:rrc/rrc:Qh|Ah/Qs:13|-13:a|b"
    path.write_text(f"{leduc}\n{leduc}\n{FOLD.format(0)}\n{FOLD.format(1)}\n{FOLD.format(2)}\n")
    assert read_log(path).rules == LEDUC
    monkeypatch.setattr(logs, "_SAMPLE", 5)
    assert read_log(path).rules == HOLDEM
    # Comments after the first hand are no header.
    path.write_text(f"# top\n{leduc}\n# name/game/hands/seed m holdem-limit 1 2\n")
    assert read_log(path).header == ("# top",)
    assert read_log(path).rules == LEDUC


def test_lines_in_pieces(monkeypatch):
    """Of a line that is too long one byte more than may be is kept; its length is that of all of it."""
    monkeypatch.setattr(logs, "LONGEST_LINE", 10)
    told = list(logs.log_lines(io.BytesIO(b"x" * 9 + b"\n" + b"y" * 10 + b"\n" + b"z" * 34 + b"\nok\n" + b"e" * 21)))
    assert told == [(b"x" * 9 + b"\n", 10), (b"y" * 10 + b"\n", 11), (b"z" * 11, 35), (b"ok\n", 3), (b"e" * 11, 21)]
    assert list(logs.log_lines(io.BytesIO(b"e" * 10))) == [(b"e" * 10, 10)]


def test_lines_that_are_no_text(tmp_path, monkeypatch):
    path = tmp_path / "x.log"
    monkeypatch.setattr(logs, "LONGEST_LINE", 10)
    for size, problem in ((10, "not text"), (11, "too long")):
        path.write_bytes(b"\xff" * (size - 1) + b"\n")
        with pytest.raises(LogError, match=f"x.log:1: the line is {problem}"):
            list(read_log(path, HOLDEM))


def test_a_reader_of_its_own_skips_nothing(tmp_path):
    path = tmp_path / "x.log"
    path.write_text(f"bad\n{FOLD.format(0)}\n")
    with pytest.raises(LogError, match=r"x\.log:1"):
        list(LogReader(path))
    with pytest.raises(LogError, match=r"x\.log:1"):
        list(read_log(path))
    assert len(list(LogReader(path, skip_bad=True))) == 1


def test_a_score_without_hands_may_be_off_by_rounding_too(tmp_path):
    path = tmp_path / "x.log"
    path.write_text("SCORE:0.000001|-0.000001:Alice|Bob\n")
    reader = read_log(path, HOLDEM)
    assert (list(reader), reader.score) == ([], (("Alice", 1e-6), ("Bob", -1e-6)))


def test_fifty_hands_tell_the_game(tmp_path):
    path = tmp_path / "x.log"
    leduc = "STATE:5:rrc/rrc:Qh|Ah/Qs:13|-13:a|b"
    lines = [*[leduc] * 25, *map(FOLD.format, range(25)), leduc]  # equal after fifty: the first of the list is taken
    path.write_text("\n".join(lines))
    assert read_log(path).rules == HOLDEM
    path.write_text("\n".join(lines[1:]))
    assert read_log(path).rules == HOLDEM
    path.write_text("\n".join([leduc, *lines[:-2]]))
    assert read_log(path).rules == LEDUC


def test_headers_just_short_enough(tmp_path, monkeypatch):
    path = tmp_path / "x.log"
    path.write_text("# four\n; five\n" + FOLD.format(0))
    monkeypatch.setattr(logs, "_LONGEST_HEADER", 12)
    assert read_log(path).header == ("# four", "; five")
    monkeypatch.setattr(logs, "_LONGEST_HEADER", 11)
    with pytest.raises(LogError, match=r"x\.log begins with more comments than a log has"):
        read_log(path)


# Payoffs


@pytest.mark.parametrize(
    ("payoffs", "adjusted"),
    [
        ("20000|-20000", False),
        ("20000.0000009|-20000", False),  # six decimals are printed
        ("1.5|-1.5", True),
        ("1.5|-1.495", True),  # rounded seat by seat
        ("19999.5|-19999.5", True),
        ("-19999.5|19999.5", True),
        ("-20000|19999.995", True),
        ("20000|-19999.995", True),
    ],
)
def test_payoffs_near_enough(payoffs, adjusted):
    assert parse_state_line(HOLDEM, ALL_IN.format(payoffs)).adjusted == adjusted


@pytest.mark.parametrize("payoffs", ["1.5|-1.48", "20000.5|-20000.5", "-20000.5|20000.5", "3|-3", "20000.00001|-20000"])
def test_payoffs_too_far_off(payoffs):
    with pytest.raises(LogError, match=r"are wrong: the hand pays 20000\|-20000"):
        parse_state_line(HOLDEM, ALL_IN.format(payoffs))


def test_only_an_early_all_in_has_expected_payoffs():
    for betting in ("cc/cc/cc/cc", "f", "cc/cc/cc/r20000c"):
        cards = "5d5c|9hQd" + ("/8dAs8s/4h/6d" if betting != "f" else "")
        hand = parse_hand(HOLDEM, betting, cards)
        assert check_payoffs(hand, hand.payoffs()) == (hand.payoffs(), False)
        with pytest.raises(LogError, match="are wrong"):
            check_payoffs(hand, (0.5, -0.5))
    early = parse_hand(HOLDEM, "cc/cc/r20000c/", "5d5c|9hQd/8dAs8s/4h/6d")
    assert check_payoffs(early, (0.5, -0.5)) == ((0.5, -0.5), True)


def test_words_of_payoffs_and_names():
    assert parse_payoffs("1|-2.5", 2) == (1.0, -2.5)
    assert parse_payoffs("9" * 12 + "|" + "0." + "1" * 20, 2)[0] == 10**12 - 1
    for wrong in ("9" * 13 + "|0", "0." + "1" * 21 + "|0", "+1|0", "1.|0", ".5|0", "|0"):
        with pytest.raises(LogError, match="cannot read payoffs"):
            parse_payoffs(wrong, 2)
    with pytest.raises(LogError, match=r"3 payoffs expected, got 2: '1\|2'"):
        parse_payoffs("1|2", 3)
    assert parse_names("a b|c", 2) == ("a b", "c")
    with pytest.raises(LogError, match=r"2 names expected, got 'a\|b\|c'"):
        parse_names("a|b|c", 2)


# Writing


def test_headers():
    plain = ("#--t_response 600000", "#--t_hand 600000", "#--t_per_hand 7000")
    assert log_header(HOLDEM) == ("# name/game/hands/seed match holdem-nolimit 0 0", *plain)
    assert log_header(LEDUC, "a  b", 7, 9)[0] == "# name/game/hands/seed a_b leduc 7 9"
    assert log_header(LEDUC, " ")[0].split()[2] == "match"
    odd = dataclasses.replace(LEDUC, max_raises=(1, 1), name="")
    header = log_header(odd)
    assert header[0].split()[3] == "game"
    assert header[4:] == tuple(f"# {line}" for line in odd.text().splitlines())
    assert log_header(rules_of("leduc:ranks=4"))[0].split()[3] == "leduc:ranks=4"
    assert len(log_header(rules_of("leduc:ranks=4"))) == 4
    assert len(log_header(dataclasses.replace(LEDUC, name="my leduc"))) > 4
    assert log_header(dataclasses.replace(LEDUC, name="my leduc"))[0].split()[3] == "my_leduc"
    official = dataclasses.replace(LEDUC, name="games/leduc.limit.2p.game")
    assert len(log_header(official)) == 4
    assert file_name("a/b\\c.game") == "c.game"


def test_which_line_names_the_game(tmp_path, monkeypatch):
    path = tmp_path / "x.log"
    path.write_text("# a word or two leduc 1 2\n# name/game/hands/seed m holdem-limit 1 2\n")
    assert read_log(path).rules == LIMIT
    path.write_text("# name/game/hands/seed leduc 1 2\n")  # a match without a name
    assert read_log(path).rules == LEDUC
    monkeypatch.chdir(tmp_path)
    (tmp_path / "name/game/hands").mkdir(parents=True)
    (tmp_path / "name/game/hands/seed").write_text(LEDUC.text())
    path.write_text("# name/game/hands/seed 1 2\n")
    with pytest.raises(LogError, match="cannot tell the game"):
        read_log(path)


def test_a_header_runs_no_code(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "strangers_own.py").write_text(f"GAME = ('mine', {LEDUC.text()!r})\n")
    (tmp_path / "x.log").write_text("# name/game/hands/seed m strangers_own:GAME 1 2\n")
    assert rules_of("strangers_own:GAME") == LEDUC  # who names it takes it
    monkeypatch.delitem(sys.modules, "strangers_own")
    with pytest.raises(LogError, match="cannot tell the game"):
        read_log(tmp_path / "x.log")
    assert "strangers_own" not in sys.modules


def test_game_files_of_here_are_written_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.game").write_text(LEDUC.text())
    header = log_header(rules_of("mine.game"))
    assert header[0].split()[3] == "mine.game"
    assert header[4:] == tuple(f"# {line}" for line in LEDUC.text().splitlines())


def test_a_definition_in_the_header_is_cut_out_and_checked(tmp_path):
    path = tmp_path / "x.log"
    odd = dataclasses.replace(LEDUC, max_raises=(1, 1), name="odd")
    path.write_text("".join(f"{line}\n" for line in log_header(odd)))
    assert read_log(path).rules == odd
    assert read_log(path).rules.name == "odd"
    path.write_text(path.read_text().replace("numRanks = 3", "numRanks = x"))
    with pytest.raises(LogError, match=r"x\.log, header: odd, line 10: whole numbers expected"):
        read_log(path)
    path.write_text("# name/game/hands/seed 1 2\n")  # nothing is named
    with pytest.raises(LogError, match="cannot tell the game"):
        read_log(path)


def test_whole_logs_with_and_without_scores(tmp_path):
    path = tmp_path / "x.log"
    hands = [record_of(hand_states(LEDUC, seed)[-1], seed) for seed in range(3)]
    assert write_log(path, "leduc", hands, seed=4) == 3
    lines = path.read_text().splitlines()
    assert lines[0] == "# name/game/hands/seed x leduc 3 4"
    assert lines[-1].startswith("SCORE:")
    assert write_log(path, LEDUC, hands, score=False, header=["# mine"]) == 3
    assert path.read_text().splitlines() == ["# mine", *(each.line() for each in hands)]
    assert write_log(path, LEDUC, []) == 0
    assert path.read_text().splitlines()[0] == "# name/game/hands/seed x leduc 0 0"
    assert "SCORE" not in path.read_text()
    other = hands[1]._replace(hand=hands[1].hand._replace(names=("p1", "p3")))
    write_log(path, LEDUC, [hands[0], other])
    assert "SCORE" not in path.read_text()  # they were not the same players
    with pytest.raises(LogError, match="hand 7 is of another game than"):
        write_log(path, LEDUC, [hands[0]._replace(number=7, payoffs=(1.0,))])


def test_logs_by_default(tmp_path):
    with LogWriter(tmp_path / "x.log", LEDUC, ["A", "B"]) as log:
        log.begin()
    assert (tmp_path / "x.log").read_text().splitlines()[0] == "# name/game/hands/seed x leduc 0 0"
    assert (tmp_path / "x.log").read_text().splitlines()[-1] == "SCORE:0|0:A|B"


def test_logs_without_a_name():
    with pytest.raises(LogError, match="cannot write a file without a name"):
        LogWriter("", LEDUC, ["A", "B"])


def test_a_match_behind_another(tmp_path):
    """Appended to what is there, whose last line may have no end; one that goes on is written again from its header."""
    path, hand = tmp_path / "x.log", parse_hand(HOLDEM, "f", "As8d|8c3h")
    line = "STATE:{}:f:As8d|8c3h:50|-50:A|B"

    def written(old, hands, **options):
        path.write_text(old)
        with LogWriter(path, HOLDEM, ["A", "B"], header=["# head"], append=True) as log:
            begins = log.begin(**options)
            assert log.begin() == begins
            for number in range(hands):
                log.write(LoggedHand(number, hand._replace(names=("A", "B")), hand.payoffs()))
        return begins, path.read_text()

    one = f"# head\n{line.format(0)}\nSCORE:50|-50:A|B\n"
    assert written("", 1) == (0, one)
    assert written("old\n", 1) == (4, f"old\n{one}")
    assert written("old", 1) == (4, f"old\n{one}")
    assert written(f"old\n{one}", 1) == (4 + len(one), f"old\n{one}{one}")
    assert written(f"old\n{one}", 1, again=4) == (4, f"old\n{one}")
    assert written(f"old\n{one}", 1, again=0) == (4 + len(one), f"old\n{one}{one}")  # there it does not begin
    assert written(f"old\n{one}", 1, again=5) == (4 + len(one), f"old\n{one}{one}")
    with LogWriter(path, HOLDEM, ["A", "B"], header=["# head"]) as log:
        assert log.begin(again=4) == 0
    assert path.read_text() == "# head\nSCORE:0|0:A|B\n"


class Full:
    """A file on a disk with so much room."""

    def __init__(self, file, room):
        self.file, self.room, self.cuts = file, room, []

    def write(self, data):
        size = min(len(data), self.room)
        if not size:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= size
        return self.file.write(data[:size])

    def truncate(self, size):
        self.cuts.append(size)
        return self.file.truncate(size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


def test_a_full_disk_ends_with_a_whole_line(tmp_path):
    path, hand = tmp_path / "x.log", record_of(parse_hand(HOLDEM, "f", "As8d|8c3h"))
    head = "".join(f"{line}\n" for line in log_header(HOLDEM, "x"))
    line = f"{hand.line()}\n"

    def written(room, replaces=True):
        with LogWriter(path, HOLDEM, ["p1", "p2"]) as log:
            log._file._file, log._file._plain = Full(log._file._file, room), replaces
            files.append(log._file._file)
            for _ in range(3):
                log.write(hand)

    files = []
    for room, whole in ((5, ""), (len(head) + 3, head), (len(head + line) + 9, head + line)):
        with pytest.raises(LogError, match=r"cannot write .*x\.log: .*[Nn]o space left"):
            written(room)
        assert path.read_text() == whole
        assert files[-1].cuts[-1] == len(whole)
    with pytest.raises(LogError, match="cannot write"):
        written(len(head) + 3, replaces=False)  # what goes through a pipe cannot be taken back
    assert files[-1].cuts == []


def test_logs_that_cannot_be_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "check_output", lambda *_, whole: None)
    with pytest.raises(LogError, match=r"cannot write .*x\.log"):
        LogWriter(tmp_path / "none" / "x.log", LEDUC, ["A", "B"])
    asked = []
    monkeypatch.setattr(writing, "lock", asked.append)
    with pytest.raises(LogError, match="another match is being written to it"):
        LogWriter(tmp_path / "x.log", LEDUC, ["A", "B"])
    assert [file.closed for file in asked] == [True]


def test_a_log_that_somebody_has_taken_away(tmp_path):
    path = tmp_path / "x.log"

    def failed(taken):
        with LogWriter(path, LEDUC, ["A", "B"]):
            assert path.exists()
            if taken:
                path.unlink()
            raise ZeroDivisionError

    for taken in (True, False):
        with pytest.raises(ZeroDivisionError):
            failed(taken)
        assert not path.exists()


def test_seats_are_scored_by_number_where_they_are_told(tmp_path):
    path, hand = tmp_path / "x.log", parse_hand(HOLDEM, "f", "As8d|8c3h")
    with LogWriter(path, HOLDEM, ["A", "A"], hands=2) as log:
        log.write(LoggedHand(0, hand._replace(names=("A", "A")), hand.payoffs()), [1, 0])
        log.write(LoggedHand(1, hand._replace(names=("A", "A")), hand.payoffs()), [1, 0])
    assert path.read_text().splitlines()[-1] == "SCORE:-100|100:A|A"
    with LogWriter(path, HOLDEM, ["A", "A"], hands=2) as log:
        for number in range(3):  # the seats rotate from hand to hand
            log.write(LoggedHand(number, hand._replace(names=("A", "A")), hand.payoffs()))
    assert path.read_text().splitlines()[-1] == "SCORE:50|-50:A|A"
    three = rules_of("kuhn-3p")
    passed = parse_hand(three, "rff", "Js|Qs|Ks")
    with LogWriter(path, three, ["A"] * 3) as log:
        for number in range(2):
            log.write(LoggedHand(number, passed._replace(names=("A",) * 3), passed.payoffs()))
    assert path.read_text().splitlines()[-1] == "SCORE:1|1|-2:A|A|A"
    with LogWriter(path, HOLDEM, ["A", "B"], hands=2) as log:
        log.watch(1, 1, hand, [1, 0])
    assert path.read_text().splitlines()[-2:] == ["STATE:3:f:As8d|8c3h:50|-50:B|A", "SCORE:-50|50:A|B"]
    with LogWriter(path, HOLDEM, ["A", "B"], score=False) as log:
        log.watch(0, 0, hand, [0, 1])
    assert "SCORE" not in path.read_text()


# Columns


def test_blocks_of_columns():
    hands = [record_of(hand_states(LEDUC, seed)[-1], seed) for seed in range(5)]
    asked = []

    def game_of(rules):
        asked.append(rules)
        return "a game"

    blocks = list(columns(hands, 2, game_of))
    assert [count for count, *_ in blocks] == [2, 2, 1]
    assert asked == [LEDUC]  # once for all hands of the same rules
    for (_, hands_, seats, actions), size in zip(blocks, (2, 2, 1), strict=True):
        assert (list(hands_), list(seats), list(actions)) == (list(HANDS), list(SEATS), list(ACTIONS))
        assert hands_["hand"].tolist() == list(range(size))
        assert seats["position"].tolist() == [0, 1] * size
        assert all(table[name].dtype == kind for table, kinds in ((hands_, HANDS), (seats, SEATS), (actions, ACTIONS))
                   for name, kind in kinds.items())  # fmt: skip
    assert [n for _, h, *_ in blocks for n in h["number"].tolist()] == list(range(5))
    assert list(columns([], 2, game_of)) == []


def test_winners_need_cards():
    hand = parse_hand(HOLDEM, "cc/cc/cc/cc", "5d5c|9hQd/8dAs8s/4h/6d")
    assert showdown_winners(hand) == {0}
    assert showdown_winners(hand._replace(holes=((), hand.holes[1]))) == set()
    # What the first put in beyond the second's stack is not won, wherever they sit.
    for stacks, betting in (((20000, 400), "cr1000c///"), ((400, 20000), "r1000c///")):
        short = parse_hand(dataclasses.replace(HOLDEM, stacks=stacks), betting, "5d5c|9hQd/8dAs8s/4h/6d")
        assert showdown_winners(short) == {0}
        over = parse_hand(dataclasses.replace(HOLDEM, stacks=stacks), betting, "9hQd|5d5c/8dAs8s/4h/6d")
        assert showdown_winners(over) == {1}
    tie = parse_hand(HOLDEM, "cc/cc/cc/cc", "2d3c|2h3d/AsKsQs/JsTs".replace("/JsTs", "/Js/Ts"))
    assert showdown_winners(tie) == {0, 1}


# The store


def test_lines_about_files():
    assert Ingested("x.log", "leduc", 1, 0, True).line() == "x.log: 1 hand of leduc"
    assert Ingested("x.log", "leduc", 1200, 3, False).line() == (
        "x.log: 1,200 hands of leduc, 3 bad lines left out, there already"
    )


def test_many_files_and_their_bad_lines(tmp_path, monkeypatch):
    shown = []

    class Bar:
        def __init__(self, what):
            assert what == "ingest"

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def show(self, fraction, text):
            shown.append((round(fraction, 6), text))

    monkeypatch.setattr(store, "Bar", Bar)
    monkeypatch.setattr(store, "_TOLD", 2)
    monkeypatch.setattr(store, "_BLOCK", 2)
    first, second, third = (tmp_path / name for name in ("1.log", "2.log", "3.log"))
    first.write_text("".join(f"{FOLD.format(n)}\n" for n in range(4)))
    second.write_text("bad\nbad\nbad\n" + FOLD.format(9) + "\n")
    third.write_text("bad\nbad\n" + FOLD.format(8) + "\n")
    told = []
    with HandStore(tmp_path / "s.duckdb") as hands:
        taken = hands.ingest_all([str(first), str(second), str(third)], None, True, told.append)
        assert hands.query("SELECT hand, number FROM hands ORDER BY hand") == [
            (0, 0),
            (1, 1),
            (2, 2),
            (3, 3),
            (4, 9),
            (5, 8),
        ]
        assert hands.query("SELECT count(*) FROM seats WHERE hand = 5") == [(2,)]
        rows = hands.query("SELECT path, bytes, first_hand, hands, bad, games, sha256 FROM files ORDER BY first_hand")
    assert [(file.hands, file.bad, file.fresh) for file in taken] == [(4, 0, True), (1, 3, True), (1, 2, True)]
    assert told == [f"skipped {second}:1: STATE:number:betting:cards:payoffs:names expected, got 'bad'",
                    f"skipped {second}:2: STATE:number:betting:cards:payoffs:names expected, got 'bad'",
                    f"skipped 1 more lines of {second}",
                    f"skipped {third}:1: STATE:number:betting:cards:payoffs:names expected, got 'bad'",
                    f"skipped {third}:2: STATE:number:betting:cards:payoffs:names expected, got 'bad'"]  # fmt: skip
    assert [text for _, text in shown] == ["2 hands", "4 hands", "5 hands", "6 hands"]
    assert [fraction for fraction, _ in shown] == pytest.approx([1 / 6, 1 / 3, 2 / 3, 1.0], abs=1e-5)
    data = first.read_bytes()
    assert rows[0] == (str(first), len(data), 0, 4, 0, "holdem-nolimit", hashlib.sha256(data).hexdigest())


def test_digests_of_beginnings(tmp_path):
    path = tmp_path / "x"
    data = np.random.default_rng(0).bytes((1 << 20) + 1000)
    path.write_bytes(data)
    assert store.file_digest(path) == (hashlib.sha256(data).hexdigest(), len(data))
    for size in (0, 10, 1 << 20, (1 << 20) + 7):
        assert store.file_digest(path, size) == (hashlib.sha256(data[:size]).hexdigest(), size)


def test_games_of_the_store(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as hands:
        assert hands._game(LEDUC) == hands._game(dataclasses.replace(LEDUC, stacks=(50, 50))) == "leduc"
        other = dataclasses.replace(LEDUC, max_raises=(1, 1))
        definition = "\n".join(other.text().splitlines())
        mark = hashlib.sha256(definition.encode()).hexdigest()[:8]
        assert hands._game(other) == hands._game(other) == f"leduc#{mark}"
        assert hands._game(dataclasses.replace(other, name="")) == f"game-{mark}"
        assert hands.query("SELECT game, unit, chips_a_unit FROM games ORDER BY game") == [
            (f"game-{mark}", "mb/h", 0.002), ("leduc", "mb/h", 0.002), (f"leduc#{mark}", "mb/h", 0.002),
        ]  # fmt: skip
        hands.query("UPDATE games SET definition = 'x'")
        with pytest.raises(StoreError, match="two games of the name leduc with the same mark"):
            hands._game(other)
        with pytest.raises(StoreError, match=r"s\.duckdb has no hands of 'Zoe'"):
            hands.stats("Zoe")
        assert hands.stats() == []


def test_games_of_one_name_are_told_apart(tmp_path):
    odd = dataclasses.replace(LEDUC, max_raises=(1, 1))
    for number, rules in enumerate((LEDUC, odd)):
        hand = record_of(hand_states(rules, 3)[-1])
        write_log(tmp_path / f"{number}.log", rules, [hand], header=log_header(dataclasses.replace(rules, name="odd")))
    write_log(tmp_path / "none.log", LEDUC, [])
    with HandStore(tmp_path / "s.duckdb") as hands:
        assert [hands.ingest(tmp_path / f"{number}.log").games[:4] for number in (0, 1)] == ["odd", "odd#"]
        assert hands.ingest(tmp_path / "none.log").games == "leduc"
        both = tmp_path / "both.phhs"
        write_phh(both, [parse_phh(NT), parse_phh(NT.replace("100", "200").replace("50,", "100,"))])
        assert hands.ingest(both).games == "NT-2p-100/200, NT-2p-50/100"


def test_nothing_is_no_question(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as hands:
        for nothing in ("", ";", "-- why"):
            with pytest.raises(StoreError, match=r"s\.duckdb is asked nothing: a query is needed, such as 'SELECT"):
                hands.query(nothing)


def test_hands_come_back_by_the_rules_of_their_name_or_those_given(tmp_path):
    path = tmp_path / "x.log"
    odd = dataclasses.replace(HOLDEM, stacks=(5000, 4000), name="odd")
    first, second = (parse_hand(rules, "r300f", "AcJs|3d2d") for rules in (odd, HOLDEM))
    write_log(path, odd, [record_of(first, 7)])
    write_log(tmp_path / "y.log", HOLDEM, [record_of(second, 8)])
    with HandStore(tmp_path / "s.duckdb") as hands:
        hands.ingest(path)
        hands.ingest(tmp_path / "y.log")
        assert [(each.number, each.hand.rules.stacks) for each in hands.hands(0, 2)] == [
            (7, (5000, 4000)), (8, (20000, 20000)),
        ]  # fmt: skip
        assert [each.number for each in hands.hands(1, 2)] == [8]
        assert [each.number for each in hands.hands(0, 1)] == [7]
        hands.query("UPDATE hands SET stacks = NULL")
        assert [each.hand.rules.stacks for each in hands.hands(1, 2)] == [(20000, 20000)]
        with pytest.raises(StoreError, match=r"s\.duckdb does not have the stacks of odd: name the game"):
            list(hands.hands(0, 1))
        (given,) = hands.hands(0, 1, dataclasses.replace(odd, stacks=(900, 800)))
        assert given.hand.rules.stacks == (900, 800)
        hands.query("UPDATE games SET definition = definition || '\nante = 1'")
        with pytest.raises(StoreError, match=r"the holdem-nolimit in .*s\.duckdb has other rules than ours: name the"):
            list(hands.hands(1, 2))


def test_limit_games_need_no_stacks(tmp_path):
    odd = dataclasses.replace(LEDUC, max_raises=(1, 1), name="odd")
    write_log(tmp_path / "x.log", odd, [record_of(hand_states(odd, 1)[-1])])
    with HandStore(tmp_path / "s.duckdb") as hands:
        hands.ingest(tmp_path / "x.log")
        hands.query("UPDATE hands SET stacks = NULL")
        assert [each.hand.rules for each in hands.hands(0, 1)] == [odd]


def test_which_hands_are_all_in(tmp_path):
    lines = [ALL_IN.format("20000|-20000"), FOLD.format(1), "STATE:2:cc/cc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d:100|-100:a|b",
             "STATE:3:cc/cc/r20000c/:5d5c|9hQd/8dAs8s/4h/6d:20000|-20000:a|b"]  # fmt: skip
    (tmp_path / "x.log").write_text("\n".join(lines))
    with HandStore(tmp_path / "s.duckdb") as hands:
        hands.ingest(tmp_path / "x.log")
        assert [(index, each.number) for index, each in hands.all_ins()] == [(0, 0), (3, 3)]


def test_a_store_of_later_versions(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as hands:
        hands.query("UPDATE pokerlab_store SET version = 3")
        hands.query("INSERT INTO pokerlab_store VALUES (4)")
    with pytest.raises(StoreError, match="is a hand store of version 3; this pokerlab reads 2"):
        HandStore(tmp_path / "s.duckdb")


def test_a_store_without_a_version(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as hands:
        assert hands.query("SELECT version FROM pokerlab_store") == [(2,)]
        hands.query("DELETE FROM pokerlab_store")
    with pytest.raises(StoreError, match="is a hand store of version None; this pokerlab reads 2"):
        HandStore(tmp_path / "s.duckdb")
    import duckdb

    with duckdb.connect(str(tmp_path / "empty.duckdb")):
        pass
    with pytest.raises(StoreError, match="but not a hand store"):
        HandStore(tmp_path / "empty.duckdb", read_only=True)


# PHH


NT = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [1000, 1000]
actions = ["d dh p1 AhAd", "d dh p2 KhKd", "p2 f"]
"""


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


def test_seatings_and_payoffs_in_the_place_of_others(tmp_path):
    (tmp_path / "x.log").write_text(f"{FOLD.format(0)}\n{FOLD.format(1).replace('Bob|Alice', 'Alice|Bob')}\n")
    with HandStore(tmp_path / "s.duckdb") as hands:
        hands.ingest(tmp_path / "x.log")
        assert hands.seatings() == [(0, ("Bob", "Alice")), (1, ("Alice", "Bob"))]
        assert [(row.agent, row.winnings) for row in hands.stats()] == [("Alice", 0.0), ("Bob", 0.0)]
        instead = [(0, 0, 10.0), (0, 1, -10.0)]
        for _ in range(2):
            rows = {row.agent: row.winnings for row in hands.stats(instead=instead)}
            assert rows == {"Bob": -40.0, "Alice": 40.0}
        assert hands.table("SELECT number, betting FROM hands ORDER BY hand") == (
            ["number", "betting"], [(0, "f"), (1, "f")],
        )  # fmt: skip
        assert [row.agent for row in hands.stats("bob")] == ["Bob"]
        assert [row.agent for row in hands.stats("Bob", choice=Choice(game="holdem-nolimit"))] == ["Bob"]


def test_a_log_that_has_grown_takes_the_place_of_its_beginning(tmp_path):
    path = tmp_path / "x.log"
    (tmp_path / "other.log").write_text(f"{FOLD.format(50)}\n")
    with HandStore(tmp_path / "s.duckdb") as hands:
        for total in (2, 3):
            path.write_text("".join(f"{FOLD.format(number)}\n" for number in range(total)))
            assert hands.ingest(path).hands == total
            if total == 2:
                hands.ingest(tmp_path / "other.log")
        for table in ("hands", "seats", "actions"):
            rows = hands.query(f"SELECT DISTINCT hand FROM {table} ORDER BY hand")
            assert rows == [(2,), (3,), (4,), (5,)]
        assert hands.query("SELECT first_hand, hands FROM files ORDER BY first_hand") == [(2, 1), (3, 3)]
        path.write_text("".join(f"{FOLD.format(number)}\n" for number in (7, 8, 9, 10)))  # another match
        hands.ingest(path)
        assert hands.query("SELECT count(*) FROM hands") == [(8,)]


def test_kinds_of_actions_are_named_once(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as hands:
        types = dict(hands.query("SELECT column_name, data_type FROM information_schema.columns"))
    assert types["kind"] == "ENUM('fold', 'check', 'call', 'bet', 'raise')"
    assert (types["showdown"], types["payoff"], types["betting"]) == ("BOOLEAN", "DOUBLE", "VARCHAR")


def test_a_store_of_old_with_an_odd_name(tmp_path):
    path = tmp_path / 'a"b.duckdb'
    (tmp_path / "x.log").write_text(f"{FOLD.format(0)}\n")
    with HandStore(path) as hands:
        hands.ingest(tmp_path / "x.log")
        for table, added in store._ADDED.items():
            for name in added:
                hands.query(f"ALTER TABLE {table} DROP COLUMN {name}")
        hands.query("UPDATE pokerlab_store SET version = 1")
    with HandStore(path, read_only=True) as hands:
        assert hands.query("SELECT stacks, currency, scale FROM hands") == [(None, "", 1)]
        assert hands.query("SELECT reasons FROM files") == [("{}",)]


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
