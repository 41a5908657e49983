"""Matches that are broken off and go on from their transactions end as those that were not."""

import signal
import subprocess
import sys
import zlib

import pytest

from acpc_players import PlainPlayer
from pokerlab.errors import LogError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.dealer import Dealer, Limits
from pokerlab.match.transactions import Transactions
from pokerlab.records.logs import read_log

LEDUC = rules_of("leduc")
HEADER = ["# name/game/hands/seed m leduc 6 1", "# players A B"]


def deterministic(until=None):
    """Acts by what it is told alone; at the given turn it hangs up."""

    def answer(line, turn):
        if turn == until:
            raise ConnectionAbortedError
        return f"{line}:{'fcrc'[zlib.crc32(line.encode()) % 4]}\r\n".encode()

    return answer


def play(folder, until=None, **options):
    """A match of six hands; one player leaves at a turn. The result, both players and what the dealer said."""
    said = []
    table = Dealer(
        LEDUC, 6, 1, names=["A", "B"], log=folder / "m.log", transactions=folder / "m.tlog", name="m",
        report=said.append, **options,
    )  # fmt: skip
    players = [PlainPlayer(table.ports[0], 2, deterministic(until)), PlainPlayer(table.ports[1], 2, deterministic())]
    for player in players:
        player.start()
    result = table.run()
    for player in players:
        player.join(10)
    return result, players, said


@pytest.mark.parametrize("append", [False, True])
def test_a_match_that_is_broken_off_anywhere_ends_as_one_that_was_not(tmp_path, append):
    (tmp_path / "whole").mkdir()
    whole, _, _ = play(tmp_path / "whole")
    assert whole.finished
    log = (tmp_path / "whole" / "m.log").read_text()
    for until in range(12):
        folder = tmp_path / f"{append}{until}"
        folder.mkdir()
        if append:
            (folder / "m.log").write_text("# older, and without an end")
        broken, _, _ = play(folder, until, append=append)
        if broken.finished:
            break
        text = (folder / "m.tlog").read_text()
        done = [line for line in text.splitlines() if not line.startswith("#")]
        again, players, said = play(folder, append=append)
        assert again.finished
        assert (again.scores, again.hands) == (whole.scores, 6)
        assert said[: bool(done)] == [f"the match goes on after {len(done)} actions"] * bool(done)
        assert (folder / "m.log").read_text() == ("# older, and without an end\n" if append else "") + log
        assert (folder / "m.tlog").read_text().endswith(f"\n{whole.line()}\n")
        if done:
            # Nobody is told again what is over: the first line is of the hand that was being played, or the next.
            first = min(int(line.split(":")[2]) for player in players for line in player.lines)
            assert first in (int(done[-1].split(":")[0]), int(done[-1].split(":")[0]) + 1)
            assert text[: text.rindex("\n") + 1] == (folder / "m.tlog").read_text()[: len(text)]
    assert until > 5


def test_what_is_over_makes_room_and_what_is_not_is_kept(tmp_path):
    assert play(tmp_path)[0].finished
    first = (tmp_path / "m.tlog").read_text()
    assert not any("goes on" in line for line in play(tmp_path)[2])
    header, actions = [line.split(":")[:2] for line in first.splitlines()], (tmp_path / "m.tlog").read_text()
    assert [line.split(":")[:2] for line in actions.splitlines()] == header
    unfinished = first[: first.rindex("SCORE")]
    (tmp_path / "m.tlog").write_text(unfinished)
    with pytest.raises(LogError, match="holds another match that is not over: remove it, or name another file"):
        Dealer(LEDUC, 6, 2, names=["A", "B"], transactions=tmp_path / "m.tlog", name="m")
    for change in ({"names": ["A", "C"]}, {"fixed_seats": True}, {"name": "n"}):
        with pytest.raises(LogError, match="holds another match"):
            Dealer(LEDUC, 6, 1, **{"names": ["A", "B"], "name": "m", **change}, transactions=tmp_path / "m.tlog")
    Dealer(LEDUC, 6, 1, names=["A", "B"], name="m", limits=Limits(response=5), transactions=tmp_path / "m.tlog").close()
    assert (tmp_path / "m.tlog").read_text() == unfinished


def test_the_file_is_a_line_an_action(tmp_path):
    result, _, _ = play(tmp_path, fixed_seats=True)
    lines = (tmp_path / "m.tlog").read_text().splitlines()
    assert lines[:4] == ["# name/game/hands/seed m leduc 6 1", "# players A B", "# fixed seats", "# log 0"]
    assert lines[-1] == result.line()
    told = {}
    for line in lines[4:-1]:
        hand, action, microseconds = line.split(":")
        told[int(hand)] = told.get(int(hand), "") + action
        assert 0 < int(microseconds) < 60e6
    assert [told[record.number] for record in read_log(tmp_path / "m.log")] == [
        record.hand.betting_text().replace("/", "") for record in read_log(tmp_path / "m.log")
    ]


def test_a_match_without_a_log_goes_on_too(tmp_path):
    whole = play(tmp_path)[0]
    (tmp_path / "m.log").unlink()
    path = tmp_path / "m.tlog"
    for until, hands in ((3, whole.hands), (None, 6)):
        table = Dealer(LEDUC, 6, 1, names=["A", "B"], transactions=path, name="m")
        players = [PlainPlayer(port, 2, deterministic(until)) for port in table.ports]
        for player in players:
            player.start()
        result = table.run()
        assert path.read_text().splitlines()[:3] == [*HEADER, "# log 0"]
        assert result.finished == (until is None)
        assert result.hands <= hands
    assert result.scores == whole.scores
    assert not (tmp_path / "m.log").exists()


def test_time_that_was_used_is_not_given_back(tmp_path):
    (tmp_path / "m.tlog").write_text("\n".join([*HEADER, "# log 0", "0:c:59000000", "0:c:1", ""]))
    for limits, reason in (
        (Limits(hand=1000, match_a_hand=59 / 6), "A used up its time for the match"),
        (Limits(hand=58, match_a_hand=1000), "A used up its time for the hand"),
    ):
        result, _, _ = play(tmp_path, limits=limits)
        assert (result.finished, result.at_fault, result.hands) == (False, "A", 0)
        assert result.reason == reason


def test_half_a_line_does_not_hold(tmp_path):
    path = tmp_path / "m.tlog"
    path.write_text("\n".join([*HEADER, "# log 7", "0:c:1500000", "0:r:2", "0:r"]))
    past, start = Transactions(path, HEADER), new_hand(LEDUC).betting
    assert (past.actions, past.log_begins) == (2, 7)
    past.begin(7)
    assert path.read_text() == "\n".join([*HEADER, "# log 7", "0:c:1500000", "0:r:2", ""])
    assert past.again(0, start) == (CALL, 1.5)
    assert past.again(0, start.act(CALL)) == (3, 2e-6)
    assert past.again(0, start.act(CALL).act(3)) is None
    past.add(0, "f", 0.25)
    past.over("SCORE:1|-1:A|B")
    past.close()
    assert path.read_text().splitlines()[-3:] == ["0:r:2", "0:f:250000", "SCORE:1|-1:A|B"]
    past = Transactions(path, ["# another"])
    assert (past.actions, past.log_begins, past.again(0, start)) == (0, None, None)
    past.begin(3)
    past.close()
    assert path.read_text() == "# another\n# log 3\n"


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["x"], "'x' is no transaction: remove the file to begin anew"),
        ([*HEADER, "# log 0", "0:x:1"], "'0:x:1' is no transaction"),
        ([*HEADER, "# log 0", "00:c:1"], "is no transaction"),
        ([*HEADER, "# log 0", "0:c:-1"], "is no transaction"),
        ([*HEADER, "0:c:1"], "holds another match"),
        ([*HEADER[:1], "# log 0", "0:c:1"], "holds another match"),
        (["0:c:1"], "holds another match"),
        (["\xff" * 30_000], None),  # no line at all
        ([*HEADER], None),  # nothing was done
        ([], None),
    ],
)
def test_files_that_are_none(lines, complaint, tmp_path):
    path = tmp_path / "m.tlog"
    path.write_text("".join(f"{line}\n" for line in lines))
    if complaint is None:
        past = Transactions(path, HEADER)
        past.begin(0)
        past.close()
        assert path.read_text() == "\n".join([*HEADER, "# log 0", ""])
        return
    for _ in range(2):  # and it is not locked
        with pytest.raises(LogError, match=complaint):
            Transactions(path, HEADER)


@pytest.mark.parametrize("lines", [["1:c:1"], ["0:f:1"], ["0:c:1", "1:c:1"]])
def test_actions_that_do_not_fit(lines, tmp_path):
    path = tmp_path / "m.tlog"
    path.write_text("\n".join([*HEADER, "# log 0", *lines, ""]))
    with pytest.raises(LogError, match=r"of hand . does not fit: remove the file to begin anew"):
        play(tmp_path)
    assert FOLD not in new_hand(LEDUC).betting.legal()


def test_a_file_of_which_nothing_came_is_not_left(tmp_path):
    result = Dealer(LEDUC, 6, 1, limits=Limits(start=0.1), transactions=tmp_path / "m.tlog").run()
    assert not result.finished
    assert list(tmp_path.iterdir()) == []
    table = Dealer(LEDUC, 6, 1, transactions=tmp_path / "m.tlog")
    with pytest.raises(LogError, match="another match is being written to it"):
        Dealer(LEDUC, 6, 1, transactions=tmp_path / "m.tlog")
    table.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_dealer_that_is_killed_goes_on(tmp_path):
    """As its users write it: the same command again."""
    whole = tmp_path / "whole"
    whole.mkdir()
    for folder, kill_at in ((whole, ()), (tmp_path, (40, 150))):
        for turn in (*kill_at, None):
            command = [sys.executable, "-m", "pokerlab", "dealer", "m", "leduc", "200", "5", "A", "B", "-T", "-q"]
            with subprocess.Popen(
                command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            ) as process:
                ports = [int(port) for port in process.stdout.readline().split()]

                def answer(line, count, process=process, turn=turn):
                    if count == turn:
                        process.send_signal(signal.SIGKILL)
                    return deterministic()(line, count)

                players = [PlainPlayer(port, 2, answer) for port in ports]
                for player in players:
                    player.start()
                out, _ = process.communicate(timeout=120)
                for player in players:
                    player.join(20)
            assert process.returncode == (0 if turn is None else -signal.SIGKILL)
    assert (tmp_path / "m.log").read_text() == (whole / "m.log").read_text()
    assert (tmp_path / "m.log").read_text().endswith(out)
    assert len(list(read_log(tmp_path / "m.log"))) == 200
