"""The edges of what logs take: lines just long enough, payoffs just near enough, files of every odd kind."""

import dataclasses
import errno
import io
import sys

import pytest

from pokerlab import writing
from pokerlab.errors import LogError
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import parse_hand
from pokerlab.records import logs, record
from pokerlab.records.log_game import file_name, log_header
from pokerlab.records.logs import LoggedHand, LogReader, LogWriter, read_log, write_log
from pokerlab.records.record import check_payoffs, parse_names, parse_payoffs, parse_state_line
from randomly import hand_states
from record_samples import record_of

HOLDEM, LIMIT, LEDUC = rules_of("holdem-nolimit"), rules_of("holdem-limit"), rules_of("leduc")
FOLD = "STATE:{}:f:As8d|8c3h:50|-50:Bob|Alice"
ALL_IN = "STATE:0:r20000c///:5d5c|9hQd/8dAs8s/4h/6d:{}:a|b"


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


def test_a_line_that_is_known_is_added_as_a_hand_is_written(tmp_path):
    """Bob wins 50 in seat 0 and 100 in seat 1; Alice is the first of the names."""
    lines = [FOLD.format(0), "STATE:1:r200f:As8d|8c3h:-100|100:Alice|Bob"]
    seats, written, added = [(1, 0), (0, 1)], tmp_path / "written.log", tmp_path / "added.log"
    with LogWriter(written, HOLDEM, ["Alice", "Bob"], header=["# a match"]) as log:
        for line, order in zip(lines, seats, strict=True):
            log.write(parse_state_line(HOLDEM, line), order)
    with LogWriter(added, HOLDEM, ["Alice", "Bob"], header=["# a match"]) as log:
        for line, order in zip(lines, seats, strict=True):
            log.add(line, parse_state_line(HOLDEM, line).payoffs, order)
    assert added.read_bytes() == written.read_bytes()
    assert added.read_text().endswith("SCORE:-150|150:Alice|Bob\n")
