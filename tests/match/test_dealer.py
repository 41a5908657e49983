"""Matches over loopback: our dealer with our players, our dealer with plain ones, our player at a plain dealer."""

import contextlib
import random
import re
import socket
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from acpc_players import PlainDealer, PlainPlayer
from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Call, Fold, Probe, Raise, Random
from pokerlab.errors import PokerlabError, ProtocolError
from pokerlab.game.betting import CALL
from pokerlab.game.catalog import rules_of
from pokerlab.match import dealer
from pokerlab.match.client import deal_to_agents, join, player_seed
from pokerlab.match.dealer import Dealer, Limits
from pokerlab.match.play import play_match
from pokerlab.match.protocol import Wire
from pokerlab.records.logs import LogWriter, read_log
from shared_data import shared_data

LIMIT, NO_LIMIT, LEDUC = rules_of("holdem-limit"), rules_of("holdem-nolimit"), rules_of("leduc")


@pytest.fixture(autouse=True, scope="module")
def compiled():
    """Hand ranking is compiled before the clock of any test starts."""
    for rules in (LEDUC, LIMIT):
        play_match(rules, [Call(), Call()], 1)


def states(path):
    return [line for line in path.read_text().splitlines() if line.startswith("STATE:")]


def play_against_call(rules, answer, log=None, hands=1, limits=None, **options):
    """A match of a plain player, seat 0, against one who calls; the result, the warnings and the plain player."""
    warnings = []
    table = Dealer(rules, hands, 7, names=["plain", "call"], limits=limits, log=log, report=warnings.append)
    plain = PlainPlayer(table.ports[0], rules.rounds, answer, **options)
    other = threading.Thread(target=join, args=("127.0.0.1", table.ports[1], Call(), rules, random.Random(1)))
    plain.start()
    other.start()
    result = table.run()
    plain.join(10)
    other.join(10)
    assert not plain.is_alive()
    assert not other.is_alive()
    return result, warnings, plain


def says(*texts):
    """Answers with the texts in turn, then calls."""
    return lambda line, turn: f"{line}{texts[turn] if turn < len(texts) else ':c'}\r\n".encode()


class Recorder(Agent):
    """Probes, and remembers what it was told."""

    name, stateless = "recorder", False

    def __init__(self):
        self.seen, self.resets = [], 0

    def act(self, view):
        return Probe().act(view)

    def observe(self, view):
        assert view.legal is None
        self.seen.append(view)

    def reset(self):
        self.resets += 1


@pytest.mark.parametrize("game", ["holdem-limit", "holdem-nolimit", "holdem-limit-3p", "leduc", "leduc-nl", "kuhn-3p"])
def test_a_match_between_local_agents(game, tmp_path):
    rules, path = rules_of(game), tmp_path / "match.log"
    agents = [Recorder(), *(Random() for _ in range(rules.players - 1))]
    names = ["A", "B", "C"][: rules.players]
    result = deal_to_agents(rules, agents, 60, seed=3, names=names, log=path, name="test")
    assert result.finished, result.reason
    assert (result.hands, result.names, result.at_fault, result.warnings) == (60, tuple(names), None, 0)
    assert sum(result.scores) == pytest.approx(0, abs=1e-6)
    lines = path.read_text().splitlines()
    assert lines[0] == f"# name/game/hands/seed test {game} 60 3"
    assert lines[1:4] == ["#--t_response 600000", "#--t_hand 600000", "#--t_per_hand 7000"]
    assert lines[-1] == result.line()
    records = list(read_log(path, rules))
    totals = dict.fromkeys(names, 0.0)
    for number, record in enumerate(records):
        assert record.number == number
        # Player p sits in position (p - hand) mod players, as at the official dealer.
        assert record.names == tuple(names[(position + number) % len(names)] for position in range(len(names)))
        for name, chips in zip(record.names, record.payoffs, strict=True):
            totals[name] += chips
    assert [totals[name] for name in names] == pytest.approx(list(result.scores), abs=1e-4)
    assert agents[0].resets == 1
    for number, (view, record) in enumerate(zip(agents[0].seen, records, strict=True)):
        assert view == record.hand.view(-number % rules.players)


def test_a_match_is_the_same_for_its_seed(tmp_path):
    logs = []
    for run, seed in enumerate([5, 5, 6]):
        path = tmp_path / f"{run}.log"
        assert deal_to_agents(NO_LIMIT, [Random(), Probe()], 15, seed, log=path).finished
        logs.append(path.read_text())
    assert logs[0] == logs[1]
    assert states(tmp_path / "0.log") != states(tmp_path / "2.log")
    assert len({player_seed(seed, player) for seed in range(9) for player in range(3)}) == 27


@pytest.mark.parametrize("game", ["holdem-nolimit", "holdem-limit-3p", "leduc"])
def test_the_same_hands_are_played_without_a_dealer(game, tmp_path):
    rules = rules_of(game)
    agents = [Raise(), Call(), Call()][: rules.players]
    names = ["A", "B", "C"][: rules.players]
    assert deal_to_agents(rules, agents, 50, 9, names=names, log=tmp_path / "dealer.log").finished
    with LogWriter(tmp_path / "match.log", rules, names, 50, 9) as log:
        play_match(rules, agents, 50, seed=9, watch=log.watch)
    assert states(tmp_path / "dealer.log") == states(tmp_path / "match.log")


def test_an_agent_that_fails_ends_the_match_and_is_named(tmp_path):
    class Broken(Agent):
        def act(self, view):
            raise ZeroDivisionError("oh")

    result = deal_to_agents(LEDUC, [Call(), Broken()], 5, log=tmp_path / "x.log")
    assert not result.finished
    assert result.at_fault == "p2"
    assert "agent 'Broken' failed" in result.reason
    assert "ZeroDivisionError: oh" in result.reason
    assert "SCORE" not in (tmp_path / "x.log").read_text()


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


def test_seats_that_are_fixed(tmp_path):
    agents = [Recorder(), Recorder()]
    result = deal_to_agents(LEDUC, agents, 5, 3, names=["A", "B"], log=tmp_path / "x.log", fixed_seats=True)
    assert result.finished
    records = list(read_log(tmp_path / "x.log", LEDUC))
    assert {record.names for record in records} == {("A", "B")}
    for seat, agent in enumerate(agents):
        assert [(view.seat, view.names) for view in agent.seen] == [(seat, ("A", "B"))] * 5
    assert result.scores == tuple(sum(record.payoffs[seat] for record in records) for seat in range(2))


def test_folded_cards_are_shown_when_asked_for():
    for show in (False, True):
        agents = [Fold(), Recorder()]
        assert deal_to_agents(NO_LIMIT, agents, 2, 3, show_folded=show).finished
        for view in agents[1].seen:
            assert any(view.betting.folded)
            assert bool(view.holes[1 - view.seat]) == show


def test_a_log_that_is_appended_to(tmp_path):
    log = tmp_path / "x.log"
    scores = []
    for seed, append in ((1, True), (2, True), (3, False), (4, True)):
        older, options = log.read_text() if log.exists() and append else "", {"append": True} if append else {}
        result = deal_to_agents(LEDUC, [Raise(), Call()], 4, seed, log=log, names=["A", "B"], **options)
        scores.append(result.scores)
        assert log.read_text().startswith(f"{older}# name/game/hands/seed match leduc 4 {seed}\n")
        assert log.read_text().endswith(f"{result.line()}\n")
    reader = read_log(log)
    assert len(list(reader)) == 8
    assert dict(reader.score) == dict(zip(["A", "B"], scores[-1], strict=True))


def test_who_leaves_ends_the_match(tmp_path):
    def answer(line, turn):
        if turn == 5:
            raise ConnectionAbortedError  # it hangs up
        return f"{line}:c\r\n".encode()

    result, _, plain = play_against_call(LEDUC, answer, tmp_path / "x.log", hands=9)
    assert (result.finished, result.reason) == (False, "plain disconnected")
    assert result.hands == len(states(tmp_path / "x.log")) == plain.finished_hands() == 2
    assert "SCORE" not in (tmp_path / "x.log").read_text()


def test_who_leaves_after_its_last_action_has_played_the_match(tmp_path):
    left = threading.Event()

    class Slow(Agent):
        def act(self, view):
            if len(view.actions) == 3:
                left.wait(5)
            return {CALL: 1.0}

    dealer = Dealer(LEDUC, 1, log=tmp_path / "x.log")
    thread = threading.Thread(target=join, args=("127.0.0.1", dealer.ports[1], Slow(), LEDUC, random.Random(1)))
    thread.start()

    def hasty():
        with socket.create_connection(("127.0.0.1", dealer.ports[0])) as sock, sock.makefile("rb") as lines:
            sock.sendall(b"VERSION:2.0.0\n")
            for turn, raw in enumerate(lines):
                if turn in (0, 2):
                    sock.sendall(raw.rstrip() + b":c\n")
                if turn == 2:
                    break
        left.set()

    second = threading.Thread(target=hasty)
    second.start()
    result = dealer.run()
    thread.join(5), second.join(5)
    assert result.finished
    assert (tmp_path / "x.log").read_text().endswith(result.line() + "\n")


@pytest.mark.parametrize("version", [b"VERSION:1.0.0\r\n", b"HELLO\r\n", b"\r\n", b"VERSION:2.0\r\n"])
def test_the_version_is_checked(version, tmp_path):
    result, _, _ = play_against_call(LEDUC, says(), tmp_path / "x.log", version=version)
    assert (result.finished, result.hands, result.at_fault) == (False, 0, "plain")
    assert "should have sent VERSION:2.0.0" in result.reason


def test_versions_with_a_bare_newline_or_after_a_comment():
    assert play_against_call(LEDUC, says(), version=b"VERSION:2.0.0\n")[0].finished
    assert play_against_call(LEDUC, says(), version=b"# hello\nVERSION:2.0.1\n")[0].finished


def test_players_who_do_not_come():
    result = Dealer(LEDUC, 1, names=["A", "B"], limits=Limits(start=0.2)).run()
    assert (result.finished, result.reason) == (False, "A, B did not connect within 0.2 s")
    table = Dealer(LEDUC, 1, names=["A", "B"], limits=Limits(start=0.3))
    with socket.create_connection(("127.0.0.1", table.ports[0])):
        assert table.run().reason == "B did not connect within 0.3 s"
    result = Dealer(LEDUC, 1).run(lambda: "B has fallen ill")
    assert result.reason == "B has fallen ill"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"hands": 0}, "hands: a whole number from 1"),
        ({"seed": -1}, "seed: a whole number from 0"),
        ({"names": ["A"]}, "2 different names"),
        ({"names": ["A", "A"]}, "2 different names"),
        ({"names": ["A", "B|C"]}, "cannot have spaces"),
        ({"ports": [0]}, "2 ports are needed"),
        ({"ports": [0, 70000]}, "cannot listen on"),
        ({"host": "256.0.0.1"}, "cannot listen on"),
        ({"log": "/nowhere/x.log"}, "cannot write"),
    ],
)
def test_bad_settings_are_errors_for_a_person(options, complaint):
    with pytest.raises(PokerlabError, match=complaint):
        Dealer(LEDUC, **{"hands": 1, **options})


def test_players_are_looked_for_a_few_times_a_second():
    looks = []
    assert not Dealer(LEDUC, 1, limits=Limits(start=1.0)).run(lambda: looks.append(1) or "").finished
    assert 2 <= len(looks) <= 12


def test_bad_limits_and_counts_of_agents():
    with pytest.raises(PokerlabError, match="invalid actions: a whole number from 0"):
        Limits(invalid=-1)
    with pytest.raises(PokerlabError, match="above 0"):
        Limits(response=0)
    with pytest.raises(PokerlabError, match="is for 2 players"):
        deal_to_agents(LEDUC, [Call()], 1)


def test_a_dealer_rehearses_before_anybody_comes(monkeypatch):
    rehearsed = []
    monkeypatch.setattr(dealer, "rehearse", rehearsed.append)
    with contextlib.closing(Dealer(LEDUC, 1)) as table:
        assert rehearsed == [LEDUC]
        assert not any(listener.getblocking() for listener in table._listeners.values())


def test_a_dealer_that_never_ran_leaves_no_files(tmp_path):
    table = Dealer(LEDUC, 1, log=tmp_path / "x.log", transactions=tmp_path / "x.tlog")
    with pytest.raises(PokerlabError, match="another match is being written to it"):
        Dealer(LEDUC, 1, log=tmp_path / "x.log")
    for _ in range(2):
        table.close()
        assert list(tmp_path.iterdir()) == []
    with contextlib.closing(Dealer(LEDUC, 1, log=tmp_path / "x.log")):
        pass


def test_a_seat_that_is_taken_has_no_port_any_more():
    refused = []

    def answer(line, turn):
        try:
            socket.create_connection(("127.0.0.1", plain.port), 1).close()
        except ConnectionRefusedError:
            refused.append(turn)
        return f"{line}:c\r\n".encode()

    table = Dealer(LEDUC, 1)
    plain = PlainPlayer(table.ports[0], 2, answer)
    plain.port = table.ports[0]
    other = PlainPlayer(table.ports[1], 2, says())
    for player in (plain, other):
        player.start()
    assert table.run().finished
    for player in (plain, other):
        player.join(10)
    assert refused == [0, 1]


def test_a_dealer_that_never_ran_closes_its_ports():
    dealer = Dealer(LEDUC, 1)
    dealer.close()
    with pytest.raises(ProtocolError, match="cannot reach a dealer"):
        join("127.0.0.1", dealer.ports[0], Call(), LEDUC, random.Random(1), connect_seconds=0)


@pytest.mark.parametrize(("rules", "texts"), [(LEDUC, "fcr"), (LIMIT, "fcr"), (NO_LIMIT, ["f", "c", "r300", "r20000"])])
def test_a_player_like_the_official_example(rules, texts, tmp_path):
    rng = random.Random(3)
    result, _, plain = play_against_call(
        rules, lambda line, turn: f"{line}:{rng.choice(texts)}\r\n".encode(), tmp_path / "x.log", hands=50
    )
    assert result.finished
    assert plain.finished_hands() == len(list(read_log(tmp_path / "x.log", rules))) == 50
    assert plain.lines[0].startswith("MATCHSTATE:0:0::")


class Replay(Agent):
    """Does what the second player of an official log did."""

    stateless = False

    def __init__(self, records):
        self.records, self.hands = records, 0

    def act(self, view):
        return {self.records[self.hands].hand.actions[len(view.actions)]: 1.0}

    def observe(self, view):
        self.hands += 1


@pytest.mark.parametrize("newline", ["\r\n", "\n"])
@pytest.mark.parametrize(("rules", "kind"), [(LIMIT, "limit"), (NO_LIMIT, "nolimit")])
def test_our_player_at_a_dealer_like_the_official_one(rules, kind, newline):
    path = shared_data("acpc", "dealer_test_logs", f"2p.{kind}.h1000.r0.log")
    records = list(read_log(path, rules))[:200]
    dealer = PlainDealer(states(path)[:200], rules.rounds, newline)
    dealer.start()
    played = join("127.0.0.1", dealer.port, Replay(records), rules, np.random.default_rng(1))
    dealer.join(10)
    assert dealer.wrong == []
    assert played.hands == 200
    assert played.chips == sum(record.payoffs[record.names.index("p2")] for record in records)


def test_the_game_must_be_the_dealers():
    dealer = PlainDealer(["STATE:0:cc/cc:Qh|Ks/As:-1|1:a|b"], 2)
    dealer.start()
    with pytest.raises(ProtocolError, match="does not fit holdem-limit"):
        join("127.0.0.1", dealer.port, Call(), LIMIT, random.Random(1))
    dealer.join(10)


def test_something_that_is_no_dealer():
    server = socket.create_server(("127.0.0.1", 0))

    def greet():
        with server, server.accept()[0] as sock:
            sock.sendall(b"HTTP/1.1 400 Bad Request\r\n")
            sock.recv(100)

    thread = threading.Thread(target=greet)
    thread.start()
    with pytest.raises(ProtocolError, match=r"does not speak the protocol: it sent 'HTTP/1\.1 400"):
        join("127.0.0.1", server.getsockname()[1], Call(), LEDUC, random.Random(1))
    thread.join(5)


def test_a_dealer_that_nobody_joins_leaves_an_older_log_alone(tmp_path):
    log = tmp_path / "match.log"
    log.write_text("older\n")
    result = Dealer(LEDUC, 5, limits=Limits(start=0.1), log=log).run()
    assert (result.finished, log.read_text()) == (False, "older\n")
    dealer = Dealer(LEDUC, 5, limits=Limits(start=0.1), log=log)
    half = PlainPlayer(dealer.ports[0], LEDUC.rounds, says())
    half.start()
    assert not dealer.run().finished
    half.join(10)
    assert log.read_text() == "older\n"
    Dealer(LEDUC, 5, limits=Limits(start=0.1), log=tmp_path / "new.log").run()
    assert [path.name for path in tmp_path.iterdir()] == ["match.log"]


def test_two_dealers_on_one_log_are_refused(tmp_path):
    log = tmp_path / "match.log"
    dealer = Dealer(LEDUC, 5, log=log)
    with pytest.raises(PokerlabError, match="another match is being written to it"):
        Dealer(LEDUC, 5, log=log)
    dealer.close()
    assert play_against_call(LEDUC, says(), log, hands=3)[0].finished
    assert len(states(log)) == 3


def test_a_full_disk_ends_the_match_with_a_whole_line(tmp_path, monkeypatch):
    """The disk takes half of the third hand's line."""
    monkeypatch.setattr(LogWriter, "add", _filling(LogWriter.add, tmp_path / "x.log"))
    with pytest.raises(PokerlabError, match=r"cannot write .*x\.log"):
        deal_to_agents(LEDUC, [Call(), Call()], 9, 7, log=tmp_path / "x.log")
    text = (tmp_path / "x.log").read_text()
    assert text.endswith("\n")
    assert len(states(tmp_path / "x.log")) == len(list(read_log(tmp_path / "x.log"))) == 2


def _filling(add, path):
    resource = pytest.importorskip("resource")

    def added(log, line, payoffs, seats):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        if line.startswith("STATE:2:"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, before[1]))
        try:
            add(log, line, payoffs, seats)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return added


def test_a_player_rehearses_every_round_before_it_connects():
    told = []

    class Slow(Call):
        def rehearse(self, view):
            told.append(("rehearse", view.seat, view.betting.round))
            assert view.legal is not None

        def act(self, view):
            told.append("act")
            return super().act(view)

    assert deal_to_agents(rules_of("holdem-limit"), [Slow(), Call()], 3, 1).finished
    ready = [
        ("rehearse", seat, number) for number, seats in enumerate([(1, 0), (0, 1), (0, 1), (0, 1)]) for seat in seats
    ]
    assert told[:9] == [*ready, "act"]
    assert set(told[9:]) == {"act"}


def test_what_limits_are_when_nothing_is_said():
    assert Limits() == Limits(response=600.0, hand=600.0, match_a_hand=7.0, start=600.0, invalid=None)
    table = Dealer(rules_of("kuhn-3p"), 3, limits=Limits(response=1.5, hand=2.0, match_a_hand=0.0305))
    try:
        assert table.names == ("p1", "p2", "p3")
        assert len(set(table.ports)) == 3
        assert table._header() == [
            "# name/game/hands/seed match kuhn-3p 3 0", "#--t_response 1500", "#--t_hand 2000", "#--t_per_hand 30",
        ]  # fmt: skip
        assert [table._player(seat, 4) for seat in range(3)] == [1, 2, 0]
    finally:
        table.close()


def test_how_a_result_is_told():
    result = dealer.DealerResult(True, "", None, 3, ("A", "B"), (2.5, -2.5), 1, 0.5)
    assert result.line() == "SCORE:2.5|-2.5:A|B"
    assert result.as_json() == {"finished": True, "reason": "", "at_fault": None, "hands": 3, "names": ("A", "B"),
                                "scores": (2.5, -2.5), "warnings": 1, "seconds": 0.5}  # fmt: skip


@pytest.mark.parametrize("name", ["A B", "A:B", "A|B", "", "A\n"])
def test_names_that_a_log_could_not_hold(name):
    with pytest.raises(PokerlabError, match=r"cannot have spaces, ':' or '\|' in them"):
        Dealer(LEDUC, 1, names=["C", name])


def test_the_name_of_a_match_is_printable():
    with pytest.raises(PokerlabError, match=r"must be printable, not 'a\\nb'"):
        Dealer(LEDUC, 1, name="a\nb")


def test_warnings_are_counted_for_each_player():
    """What cannot be read is counted, whoever sent it; an answer that can be read forgives."""
    result, warnings, _ = play_against_call(LEDUC, says(":x", ":c", ":y", ":c"), hands=2, limits=Limits(invalid=1))
    assert (result.finished, result.warnings, len(warnings)) == (True, 2, 2)
    result, _, _ = play_against_call(LEDUC, says(":x"), hands=2, limits=Limits(invalid=0))
    assert (result.finished, result.reason) == (False, "plain sent 1 invalid actions in a row")


def test_a_dealer_that_cannot_be_made_frees_its_ports():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(PokerlabError) as caught:
        Dealer(LEDUC, 1, ports=[port, 0], log="/nowhere/x.log")
    socket.create_server(("127.0.0.1", port)).close()
    assert caught.tb is not None  # whose frames keep the dealer alive


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
