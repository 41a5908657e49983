"""Who comes to a dealer, at which port and by which version, and who leaves or never comes."""

import contextlib
import random
import socket
import threading

import pytest

from acpc_players import PlainPlayer
from dealer_matches import play_against_call, says, states
from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Call
from pokerlab.errors import PokerlabError, ProtocolError
from pokerlab.game.betting import CALL
from pokerlab.game.catalog import rules_of
from pokerlab.match import dealer
from pokerlab.match.client import join
from pokerlab.match.dealer import Dealer, Limits

LEDUC = rules_of("leduc")


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


def test_players_are_looked_for_a_few_times_a_second():
    looks = []
    assert not Dealer(LEDUC, 1, limits=Limits(start=1.0)).run(lambda: looks.append(1) or "").finished
    assert 2 <= len(looks) <= 12


def test_a_dealer_rehearses_before_anybody_comes(monkeypatch):
    rehearsed = []
    monkeypatch.setattr(dealer, "rehearse", rehearsed.append)
    with contextlib.closing(Dealer(LEDUC, 1)) as table:
        assert rehearsed == [LEDUC]
        assert not any(listener.getblocking() for listener in table._listeners.values())


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


def test_a_dealer_that_cannot_be_made_frees_its_ports():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(PokerlabError) as caught:
        Dealer(LEDUC, 1, ports=[port, 0], log="/nowhere/x.log")
    socket.create_server(("127.0.0.1", port)).close()
    assert caught.tb is not None  # whose frames keep the dealer alive
