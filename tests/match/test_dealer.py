"""Matches over loopback: our dealer with our players, our dealer with plain ones, our player at a plain dealer."""

import random
import socket
import threading

import numpy as np
import pytest

from acpc_players import PlainDealer
from dealer_matches import play_against_call, states
from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Call, Fold, Probe, Raise, Random
from pokerlab.errors import PokerlabError, ProtocolError
from pokerlab.game.catalog import rules_of
from pokerlab.match import dealer
from pokerlab.match.client import deal_to_agents, join, player_seed
from pokerlab.match.dealer import Dealer, Limits
from pokerlab.match.play import play_match
from pokerlab.records.logs import LogWriter, read_log
from shared_data import shared_data

LIMIT, NO_LIMIT, LEDUC = rules_of("holdem-limit"), rules_of("holdem-nolimit"), rules_of("leduc")


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


def test_bad_limits_and_counts_of_agents():
    with pytest.raises(PokerlabError, match="invalid actions: a whole number from 0"):
        Limits(invalid=-1)
    with pytest.raises(PokerlabError, match="above 0"):
        Limits(response=0)
    with pytest.raises(PokerlabError, match="is for 2 players"):
        deal_to_agents(LEDUC, [Call()], 1)


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
