"""What players answer a dealer, and when: bad actions, garbage, warnings, and the clocks."""

import re
import time
from dataclasses import replace

import pytest

from dealer_matches import play_against_call, says, states
from pokerlab.game.catalog import rules_of
from pokerlab.match import dealer
from pokerlab.match.dealer import Limits
from pokerlab.match.protocol import Wire

NO_LIMIT, LEDUC = rules_of("holdem-nolimit"), rules_of("leduc")


@pytest.mark.parametrize(
    ("texts", "betting", "warning"),
    [
        (["", ":c"], "cc/cc", "cannot read action '', changed to a call"),
        ([":x"], "cc/cc", "cannot read action 'x', changed to a call"),
        ([" r"], "cc/cc", "cannot read action '\\? r', changed to a call"),
        ([":f"], "cc/cc", "fold is illegal: there is no bet to fold to, changed to a call"),
        ([":r", ":r", ":r"], "rc/rc", ""),
        ([":raise", ":fold"], "rc/cc", "fold is illegal"),
    ],
)
def test_bad_actions_of_limit_are_calls(texts, betting, warning, tmp_path):
    result, warnings, _ = play_against_call(LEDUC, says(*texts), tmp_path / "x.log")
    assert result.finished
    assert states(tmp_path / "x.log")[0].split(":")[2] == betting
    assert result.warnings == len(warnings) == bool(warning)
    assert re.search(warning, "".join(warnings))


@pytest.mark.parametrize(
    ("text", "betting", "warning"),
    [
        (":r1", "cr200c", "plain: raise to 1 is illegal, changed to 200"),
        (":r99999999999999999999", "cr20000c///", "changed to 20000"),
        (":r-1", "cr200c", "changed to 200"),
        (":r", "cc", "cannot read action 'r', changed to a call"),
    ],
)
def test_raises_of_no_limit_are_clamped(text, betting, warning, tmp_path):
    result, warnings, _ = play_against_call(NO_LIMIT, says(text), tmp_path / "x.log")
    assert result.finished
    assert states(tmp_path / "x.log")[0].split(":")[2].startswith(betting)
    assert warning in warnings[0]


def test_garbage_stale_states_and_comments_are_ignored(tmp_path):
    older = []

    def answer(line, turn):
        older.append(line)
        noise = [b"# comment\n", b"; comment\r\n", b"garbage\n", b"\r\n", b"\xff\x00\n", b"VERSION:2.0.0\r\n"]
        noise += [b"x" * 100_000 + b"\n", f"{line.replace(':7:', ':8:')[:-1]}:r\n".encode()]
        noise += [f"{older[0]}:r\n".encode()] if turn else []
        return b"".join(noise) + f"{line}:c\n".encode()  # bare \n

    result, warnings, _ = play_against_call(LEDUC, answer, tmp_path / "x.log", hands=2)
    assert result.finished
    assert [line.split(":")[2] for line in states(tmp_path / "x.log")] == ["cc/cc", "cc/cc"]
    assert result.warnings == 4 * 6 + 3
    assert "ignored: no answer to 'MATCHSTATE:1:1:c:|As': 'MATCHSTATE:0:0::Ks|:r'" in "".join(warnings)
    assert "(a line that is too long)" in "".join(warnings)
    assert len(warnings) == 21  # the rest is counted, not shown
    assert warnings[-1] == "plain: further warnings are counted, not shown"


def test_invalid_actions_in_a_row_end_the_match(tmp_path):
    twice = play_against_call(LEDUC, says(":x", ":x", ":c", ":x", ":x"), hands=4, limits=Limits(invalid=2))
    assert twice[0].finished
    result, _, _ = play_against_call(
        LEDUC, says(":c", ":c", ":x", ":x", ":x"), tmp_path / "x.log", hands=4, limits=Limits(invalid=2)
    )
    assert (result.finished, result.hands, result.at_fault) == (False, 2, "plain")
    assert result.reason == "plain sent 3 invalid actions in a row"
    assert len(states(tmp_path / "x.log")) == 2


@pytest.mark.parametrize(
    ("limits", "sleep", "reason"),
    [
        (Limits(response=0.5), (0, 0, 0, None), "plain did not answer within the limit of a response"),
        (Limits(hand=0.8), (0, 0, 0.4, None), "plain used up its time for the hand"),
        (Limits(match_a_hand=0.2), (0.3, 0.2, 0.3, None), "plain used up its time for the match"),
    ],
)
def test_time_limits(limits, sleep, reason, tmp_path):
    def answer(line, turn):
        if sleep[turn] is None:
            return None
        time.sleep(sleep[turn])
        return f"{line}:c\r\n".encode()

    started = time.monotonic()
    result, _, _ = play_against_call(LEDUC, answer, tmp_path / "x.log", hands=6, limits=limits)
    assert (result.finished, result.reason, result.at_fault) == (False, reason, "plain")
    assert result.hands == len(states(tmp_path / "x.log")) == 1
    assert "SCORE" not in (tmp_path / "x.log").read_text()
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("limits", "hands", "reason"),
    [
        (
            Limits(hand=81, match_a_hand=1000),
            6,
            "",
        ),  # two answers a hand: the clock of a hand starts again with the next
        (Limits(hand=79, match_a_hand=1000), 0, "plain used up its time for the hand"),
        (Limits(match_a_hand=81), 6, ""),
        (Limits(match_a_hand=45), 3, "call used up its time for the match"),  # its seventh answer is due: 280 of 270 s
        (Limits(response=41, hand=1000, match_a_hand=1000), 6, ""),
        (Limits(response=39, match_a_hand=1000), 0, "plain did not answer within the limit of a response"),
    ],
)
def test_clocks(limits, hands, reason, monkeypatch):
    """Both take 40 s for each answer, by a clock that stands still but for that."""
    clock = [1000.0]

    class Slow(Wire):
        def _taken(self):
            clock[0] += 40
            return super()._taken()

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(dealer, "Wire", Slow)
    result, _, _ = play_against_call(LEDUC, says(), hands=6, limits=replace(limits, start=81))
    assert (result.finished, result.hands, result.reason) == (not reason, hands, reason)
    assert result.at_fault == (reason.split()[0] if reason else None)
    assert result.seconds == clock[0] - 1000


def test_warnings_are_counted_for_each_player():
    """What cannot be read is counted, whoever sent it; an answer that can be read forgives."""
    result, warnings, _ = play_against_call(LEDUC, says(":x", ":c", ":y", ":c"), hands=2, limits=Limits(invalid=1))
    assert (result.finished, result.warnings, len(warnings)) == (True, 2, 2)
    result, _, _ = play_against_call(LEDUC, says(":x"), hands=2, limits=Limits(invalid=0))
    assert (result.finished, result.reason) == (False, "plain sent 1 invalid actions in a row")


def test_news_waits_for_no_more_than_a_moment(monkeypatch):
    waits = []

    class Recording(Wire):
        def soon(self, seconds):
            waits.append(seconds)
            return super().soon(seconds)

    monkeypatch.setattr(dealer, "Wire", Recording)
    assert play_against_call(LEDUC, says())[0].finished
    assert waits
    assert all(0 < seconds < 0.1 for seconds in waits)
