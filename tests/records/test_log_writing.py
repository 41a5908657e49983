"""Logs as they are written: hand by hand under a lock, whole lines whatever happens, read back as they were."""

import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerlab.agents.spec import agent_of
from pokerlab.errors import LogError
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.match.play import play_match
from pokerlab.records.logs import LoggedHand, LogWriter, parse_state_line, read_log, write_log
from randomly import any_rules, hand_states
from record_samples import LINES

HOLDEM = rules_of("holdem-nolimit")
LIMIT = rules_of("holdem-limit")


@pytest.mark.parametrize("game", CATALOG)
def test_played_matches_are_logged_and_read_back(game, tmp_path):
    rules = rules_of(game)
    agents = [agent_of("random", rules) for _ in range(rules.players)]
    names = [f"table:{i}?x=:" for i in range(rules.players)]
    seen = []
    with LogWriter(tmp_path / "match.log", rules, names, 20, 7) as log:

        def watch(number, seating, hand, seats):
            log.watch(number, seating, hand, seats)
            seen.append((number + 20 * seating, hand, tuple(names[agent] for agent in seats)))

        result = play_match(rules, agents, 20, duplicate=True, seed=7, names=names, watch=watch)
    reader = read_log(tmp_path / "match.log")
    assert [(record.number, record.hand, record.names) for record in reader] == seen
    assert reader.rules == rules
    expected = result.winnings.sum(axis=0) * len(seen) / 20
    assert [name for name, _ in reader.score] == names
    assert [chips for _, chips in reader.score] == pytest.approx(expected, abs=1e-3)


def test_what_was_finished_stays_when_a_match_breaks_off(tmp_path):
    def play():
        with LogWriter(tmp_path / "match.log", HOLDEM, ["Alice", "Bob"]) as log:
            for line in LINES[:3]:
                log.write(parse_state_line(HOLDEM, line))
                assert (tmp_path / "match.log").read_text().endswith(f"{line}\n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        play()
    reader = read_log(tmp_path / "match.log")
    assert ([record.line() for record in reader], reader.score) == (LINES[:3], None)


def test_players_of_one_name_are_scored_by_seat(tmp_path):
    records = [parse_state_line(HOLDEM, line.rsplit(":", 1)[0] + ":call|call") for line in LINES]
    write_log(tmp_path / "match.log", HOLDEM, records)
    reader = read_log(tmp_path / "match.log")
    assert list(reader) == records
    assert reader.score == (("call", 20550.0), ("call", -20550.0))


def test_writing_refuses_what_could_not_be_read(tmp_path):
    record = parse_state_line(HOLDEM, LINES[0])
    for names in (("Alice", "B|b"), ("Alice",), ("Alice", "B\nb"), ("Alice", "")):
        with pytest.raises(LogError, match="names"):
            LogWriter(tmp_path / "x.log", HOLDEM, names)
        with pytest.raises(LogError, match="names"):
            write_log(tmp_path / "x.log", HOLDEM, [record._replace(hand=record.hand._replace(names=names))])
    with pytest.raises(LogError, match="another game"):
        write_log(tmp_path / "x.log", LIMIT, [record])
    with pytest.raises(LogError, match="cannot write"):
        write_log(tmp_path / "no" / "x.log", HOLDEM, [record])
    assert list(tmp_path.iterdir()) == []


@given(any_rules(), st.integers(0, 2**32))
def test_random_games_come_back_from_their_logs(tmp_path_factory, rules, seed):
    path = tmp_path_factory.getbasetemp() / "random.log"
    names = tuple(f"p{seat}" for seat in range(rules.players))
    hands = [hand_states(rules, seed + i, fold=0.05)[-1]._replace(names=names) for i in range(3)]
    records = [LoggedHand(i, hand, hand.payoffs()) for i, hand in enumerate(hands)]
    write_log(path, rules, records, seed=seed)
    reader = read_log(path)
    again = list(reader)
    assert reader.rules == rules
    assert [record.hand for record in again] == hands
    assert [record.line() for record in again] == [record.line() for record in records]


def test_an_older_log_stays_until_the_match_begins(tmp_path):
    path = tmp_path / "match.log"
    path.write_text("older\n")
    with pytest.raises(RuntimeError), LogWriter(path, HOLDEM, ["Alice", "Bob"]):
        raise RuntimeError
    assert path.read_text() == "older\n"
    with LogWriter(path, HOLDEM, ["Alice", "Bob"], header=["# new"]) as log:
        log.begin()
        assert path.read_text() == "# new\n"
        log.write(parse_state_line(HOLDEM, LINES[0]))
    assert [record.line() for record in read_log(path, HOLDEM)] == LINES[:1]


def test_a_new_log_of_which_nothing_came_is_not_left(tmp_path):
    (tmp_path / "link").symlink_to("there.log")
    with pytest.raises(RuntimeError), LogWriter(tmp_path / "link", HOLDEM, ["Alice", "Bob"]):
        raise RuntimeError
    assert os.listdir(tmp_path) == ["link"]


def test_two_matches_on_one_log_are_refused(tmp_path):
    path = tmp_path / "match.log"
    (tmp_path / "link").symlink_to(path)
    with LogWriter(path, HOLDEM, ["Alice", "Bob"]) as log:
        for again in (path, tmp_path / "link"):
            with pytest.raises(LogError, match="another match is being written to it"):
                LogWriter(again, HOLDEM, ["Alice", "Bob"])
        log.write(parse_state_line(HOLDEM, LINES[0]))
    with LogWriter(path, HOLDEM, ["Alice", "Bob"]) as log:
        log.write(parse_state_line(HOLDEM, LINES[1]))
    assert [record.line() for record in read_log(path)] == LINES[1:2]


def test_a_log_that_is_being_written_is_not_replaced(tmp_path):
    path, records = tmp_path / "match.log", [parse_state_line(HOLDEM, LINES[0])]
    with LogWriter(path, HOLDEM, ["Alice", "Bob"]) as log:
        log.write(records[0])
        with pytest.raises(LogError, match="another match is being written to it"):
            write_log(path, HOLDEM, records * 2)
        with pytest.raises(LogError, match="another match is being written to it"):
            write_log(path, HOLDEM, records * 2)
    assert len(list(read_log(path))) == 1
    write_log(path, HOLDEM, records * 2, score=False)
    assert len(list(read_log(path))) == 2


def test_a_pipe_takes_a_log(tmp_path):
    pipe, taken = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: taken.append(pipe.read_text()))
    reader.start()
    with LogWriter(pipe, HOLDEM, ["Alice", "Bob"], header=["# new"], score=False) as log:
        log.write(parse_state_line(HOLDEM, LINES[0]))
    reader.join(10)
    assert taken == [f"# new\n{LINES[0]}\n"]


@pytest.mark.parametrize("room", [1000, 1001, 1050, 1500])
def test_a_full_disk_ends_a_log_with_a_whole_line(tmp_path, room):
    """In a process that may not write larger files: the system says so in the middle of a line."""
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
        "from pokerlab.cli import main\n"
        "main(['match', 'call', 'raise', '--hands', '500', '--log', 'match.log'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "pokerlab: cannot write match.log: File too large\n"
    whole = (tmp_path / "match.log").read_text()
    assert whole.endswith("\n")
    assert room - 100 < len(whole) <= room
    reader = read_log(tmp_path / "match.log")
    assert len(list(reader)) > 5
    assert reader.score is None


def test_a_name_of_a_file_that_is_no_text(tmp_path):
    """The header names the match after its file, in printable text."""
    path = tmp_path / "a\udcff.log"
    rules = rules_of("kuhn")
    with LogWriter(path, rules, ["call", "raise"], 3, 0) as log:
        play_match(rules, [agent_of("call"), agent_of("raise")], 3, watch=log.watch)
    assert len(list(read_log(path))) == 3
    assert b"a\\udcff" in path.read_bytes()
