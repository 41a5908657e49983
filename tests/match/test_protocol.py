"""MATCHSTATE lines: the competition's examples, round trips in every game, clean errors for all the rest."""

import contextlib
import dataclasses
import random
import socket
import threading
import time
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutations import damaged
from pokerlab.cards.deck import Deck
from pokerlab.errors import ProtocolError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.game.wire import wire_cards, wire_rules
from pokerlab.match import following
from pokerlab.match.following import Follower
from pokerlab.match.protocol import (
    LONGEST_LINE,
    OVERLONG,
    Wire,
    matchstate,
    parse_matchstate,
    read_action,
)
from pokerlab.match.telling import Telling
from pokerlab.records.record import LoggedHand
from randomly import any_action, any_rules, hand_states
from shared_data import shared_data

GAMES = sorted(CATALOG)


def visible(states):
    """The states of a hand that players are told of: those with nothing left to deal."""
    return [hand for hand in states if not hand.pending]


@pytest.mark.parametrize(
    ("game", "line", "actor"),
    [
        ("holdem-limit", "MATCHSTATE:0:0::8s2h|", 1),
        ("holdem-limit", "MATCHSTATE:1:0:r:|Kd5c", 0),
        ("holdem-limit", "MATCHSTATE:1:0:rc/:|Kd5c/7hAdTd", 0),
        ("holdem-limit", "MATCHSTATE:0:7:rc/rc/rc/crc:8s2h|Kd5c/7hAdTd/4s/Kc", None),
        ("holdem-limit", "MATCHSTATE:0:7:rf:8s2h|", None),
        ("holdem-nolimit", "MATCHSTATE:0:30:cr300c/:9s8h|/8c8d5c", 0),
        ("holdem-nolimit", "MATCHSTATE:0:30:cr300c/cr900:9s8h|/8c8d5c", 0),
        ("holdem-nolimit", "MATCHSTATE:1:4294967295:r17597r20000c///:8s2h|Kd5c/7hAdTd/4s/Kc", None),
        ("holdem-limit-3p", "MATCHSTATE:2:3:rf:||8s2h", 1),
        ("holdem-limit-3p", "MATCHSTATE:1:0:rfc/crc/cc/cc:|9hQd|8dAs/8s4h6d/5s/Js", None),
        ("leduc", "MATCHSTATE:0:0:crrc/:Qh|/As", 0),
        ("leduc", "MATCHSTATE:1:0:crrc/rc:Qh|Ks/As", None),
        ("kuhn-3p", "MATCHSTATE:0:0:cr:As||", 2),
    ],
)
def test_lines_as_the_official_dealer_sends_them(game, line, actor):
    state = parse_matchstate(rules_of(game), line)
    assert state.hand.actor == actor
    assert state.hand.finished == (actor is None)
    assert state.view.seat == state.seat == int(line.split(":")[1])
    assert state.action is None
    assert matchstate(state.view, state.number) == line
    assert parse_matchstate(rules_of(game), line + ":c") == state._replace(action="c")


def test_payoffs_of_the_example_of_the_log():
    state = parse_matchstate(rules_of("holdem-limit"), "MATCHSTATE:0:0:rc/rc/rc/crc:8s2h|Kd5c/7hAdTd/4s/Kc")
    assert state.hand.payoffs() == (-70, 70)


def test_cards_on_the_wire_are_the_top_ranks_and_last_suits():
    leduc = rules_of("leduc")
    assert leduc.deck.ranks == "JQK"
    hand = parse_hand(leduc, "cc/", "Jh|Ks/Qs")
    assert matchstate(hand.view(0), 3) == "MATCHSTATE:0:3:cc/:Qh|/Ks"
    assert parse_matchstate(leduc, "MATCHSTATE:0:3:cc/:Qh|/Ks").hand.holes == (hand.holes[0], ())
    with pytest.raises(ProtocolError, match="no card 'Jh'"):
        parse_matchstate(leduc, "MATCHSTATE:0:3:cc/:Jh|/Ks")
    assert wire_rules(rules_of("kuhn")).deck == Deck("QKA", "s")
    assert wire_rules(rules_of("kuhn-3p")).deck == Deck("JQKA", "s")


@pytest.mark.parametrize("game", GAMES)
def test_round_trips_by_random_play(game):
    rules, rng = rules_of(game), random.Random(1)
    for seed in range(40):
        follower = [Follower(rules) for _ in range(rules.players)]
        number = rng.choice([0, 1, seed, 2999, 10**9])
        for hand in visible(hand_states(rules, seed)):
            for seat in range(rules.players):
                view, action = hand.view(seat), rng.choice([None, "f", "c", "r", "r400", ""])
                line = matchstate(view, number)
                state = parse_matchstate(rules, line if action is None else f"{line}:{action}")
                assert (state.seat, state.number, state.action, state.view) == (seat, number, action, view)
                assert follower[seat].read(line) == state._replace(action=None)
                if hand.actor == seat:
                    chosen = any_action(hand.legal(), rng)
                    assert read_action(hand.betting, hand.betting.text_of(chosen)) == (chosen, "")


@pytest.mark.parametrize("game", GAMES)
def test_what_a_dealer_tells_is_what_the_seats_may_know(game):
    rules = rules_of(game)
    for seed in range(30):
        states = visible(hand_states(rules, seed))
        end = states[-1]
        # Cards that were not dealt any more must not show.
        left = [card for card in range(len(rules.deck)) if card not in {*end.board, *chain(*end.holes)}]
        cards = (*chain(*end.holes), *end.board, *left[: sum(rules.board_cards) - len(end.board)])
        telling, generous = Telling(rules, seed, cards), Telling(rules, seed, cards, show_folded=True)
        for hand in states:
            text = hand.betting_text()
            for seat in range(rules.players):
                line = matchstate(hand.view(seat), seed)
                assert telling.line(seat, hand.betting, text) == line
                shown = f"MATCHSTATE:{seat}:{seed}:{text}:{wire_cards(hand)}" if hand.finished else line
                assert generous.line(seat, hand.betting, text) == shown
                for state in (parse_matchstate(rules, shown), Follower(rules).read(shown)):
                    assert state.view == hand.view(seat)._replace(
                        holes=hand.holes if hand.finished else state.hand.holes
                    )
        names = tuple("abc"[: rules.players])
        assert telling.payoffs(end.betting) == end.payoffs()
        record = LoggedHand(seed, end._replace(names=names), end.payoffs())
        assert telling.state(end.betting, end.betting_text(), end.payoffs(), names) == record.line()


def test_a_board_that_is_dealt_with_the_hole_cards_is_told_right_behind_them():
    rules = dataclasses.replace(rules_of("leduc"), board_cards=(1, 1))
    hand = new_hand(rules).deal((0, 1)).deal((2,)).act(CALL).act(CALL).deal((3,))
    telling = Telling(rules, 5, (0, 1, 2, 3))
    for seat in range(2):
        assert telling.line(seat, hand.betting, "cc/") == matchstate(hand.view(seat), 5)
    assert Follower(rules).read(matchstate(hand.view(1), 5)).hand.board == (2, 3)


def test_a_player_reads_on_when_its_memory_is_full(monkeypatch):
    monkeypatch.setattr(following, "_MOST_PLACES", 5)
    rules = rules_of("holdem-nolimit")
    follower = Follower(rules)
    for seed in range(20):
        for hand in visible(hand_states(rules, seed)):
            line = matchstate(hand.view(1), seed)
            assert follower.read(line) == parse_matchstate(rules, line)
            assert len(follower._known) <= 5


def test_what_was_shown_at_the_end_is_not_believed_before_it():
    rules = rules_of("holdem-limit")
    follower, cards = Follower(rules), "8s2h|Kd5c/7hAdTd/4s/Kc"
    assert follower.read(f"MATCHSTATE:0:0:cc/cc/cc/cc:{cards}").hand.finished
    for other in (cards, "8s2h|8s5c/7hAdTd/4s/Kc", "8s2h|/7hAdTd/4s/8s", "8s2h|/7hAdTd/4s"):
        with pytest.raises(ProtocolError):
            follower.read(f"MATCHSTATE:0:1:cc/cc/cc/c:{other}")
    own = "8s2h|/7hAdTd/4s/Kc"
    assert follower.read(f"MATCHSTATE:0:1:cc/cc/cc/:{own}").hand.actor == 0
    for line in (
        f"MATCHSTATE:1:1:cc/cc/cc/c:{own}",
        f"MATCHSTATE:0:1:cc/cc/:{own}",
        "MATCHSTATE:0:1:cc/cc:8s2h|/7hAdTd",
    ):
        with pytest.raises(ProtocolError):
            follower.read(line)


@given(any_rules(), st.integers(0, 99))
def test_round_trips_in_any_game(rules, seed):
    # A board that is dealt with the hole cards is written right behind them, and not to be told from hidden ones.
    rules = dataclasses.replace(rules, board_cards=(0, *rules.board_cards[1:]), ranking="poker")
    follower = Follower(rules)
    for hand in visible(hand_states(rules, seed)):
        for seat in range(rules.players):
            line = matchstate(hand.view(seat), seed)
            assert parse_matchstate(rules, line).view == hand.view(seat)
        assert follower.read(matchstate(hand.view(0), seed)).view == hand.view(0)


@pytest.mark.parametrize(
    "file", ["2p.limit.h1000.r0.log", "2p.nolimit.h1000.r0.log", "3p.limit.h1000.r0.log"]
)  # fmt: skip
def test_states_of_the_official_dealers_logs(file):
    game = {"2p.limit": "holdem-limit", "2p.nolimit": "holdem-nolimit", "3p.limit": "holdem-limit-3p"}
    rules = rules_of(game[file.removesuffix(".h1000.r0.log")])
    lines = shared_data("acpc", "dealer_test_logs", file).read_text().splitlines()
    for line in [line for line in lines if line.startswith("STATE")][:300]:
        _, number, betting, cards, payoffs, _ = line.split(":")
        hand = parse_hand(rules, betting, cards)
        for seat in range(rules.players):
            told = parse_matchstate(rules, matchstate(hand.view(seat), int(number))).hand
            assert told.payoffs() == tuple(map(float, payoffs.split("|")))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "not a MATCHSTATE line"),
        ("MATCHSTATE", "not a MATCHSTATE line"),
        ("MATCHSTATE:0:0:c", "not a MATCHSTATE line"),
        ("matchstate:0:0::8s2h|", "not a MATCHSTATE line"),
        ("MATCHSTATE:0:-1::8s2h|", "not a MATCHSTATE line"),
        ("MATCHSTATE:2:0::8s2h|", "no position 2 in a game for 2"),
        ("MATCHSTATE:0:00::8s2h|", "should be 'MATCHSTATE:0:0::8s2h|'"),
        ("MATCHSTATE:0:0::|8s2h", "cards are missing"),
        ("MATCHSTATE:0:0::|", "cards are missing"),
        ("MATCHSTATE:0:0::8s2h|Kd5c", "should be"),
        ("MATCHSTATE:0:0::", "cards are missing"),
        ("MATCHSTATE:0:0:cc/:8s2h|", "cards are missing"),
        ("MATCHSTATE:0:0:cc/cc/cc/cc:8s2h|/7hAdTd/4s/Kc", "cards are missing"),
        ("MATCHSTATE:0:0::8s8s|", "named twice"),
        ("MATCHSTATE:0:0::8s2x|", "no card '2x'"),
        ("MATCHSTATE:0:0:f:8s2h|/7hAdTd", "do not fit"),
        ("MATCHSTATE:0:0:cf:8s2h|", "fold is illegal"),
        ("MATCHSTATE:0:0:rrrrr:8s2h|", "already has its 3 raises"),
        ("MATCHSTATE:0:0:r300:8s2h|", "only f, c, r"),
    ],
)
def test_errors_say_what_is_wrong(line, complaint):
    with pytest.raises(ProtocolError, match=complaint):
        parse_matchstate(rules_of("holdem-limit"), line)


def test_30000_random_or_damaged_lines_give_only_clean_errors():
    rng, read, refused = random.Random(5), 0, 0
    good = {game: [] for game in GAMES}
    for game in GAMES:
        for seed in range(20):
            for hand in visible(hand_states(rules_of(game), seed)):
                good[game].append(matchstate(hand.view(rng.randrange(hand.rules.players)), seed).encode())
    followers = {game: Follower(rules_of(game)) for game in GAMES}
    for trial in range(30_000):
        game = GAMES[trial % len(GAMES)]
        line = damaged(rng, good[game]).decode("latin-1")
        state = error = None
        try:
            state = parse_matchstate(rules_of(game), line)
        except ProtocolError as found:
            error = str(found)
        if state is None:
            refused += 1
            assert error.isprintable()
            assert len(error) < 2000
            with pytest.raises(ProtocolError):
                followers[game].read(line)
        else:
            read += 1
            action = "" if state.action is None else f":{state.action}"
            assert matchstate(state.view, state.number) + action == line
            assert followers[game].read(line) == state
    assert refused > 15_000
    assert read > 300


@pytest.mark.parametrize(
    ("betting", "text", "action", "complaint"),
    [
        ("", "c", CALL, ""),
        ("", "f", FOLD, ""),
        ("", "r200", 200, ""),
        ("", "r20000", 20000, ""),
        ("", "r+0200", 200, ""),
        ("", "r 300junk", 300, ""),
        ("", "call", CALL, ""),
        ("", "fold", FOLD, ""),
        ("", "", CALL, "cannot read action ''"),
        ("", "x", CALL, "cannot read action 'x'"),
        ("", "C", CALL, ""),
        ("", "k", CALL, ""),
        ("", "K", CALL, ""),
        ("", "F", FOLD, ""),
        ("", "R300", 300, ""),
        ("", "b300", 300, ""),
        ("", "B300", 300, ""),
        ("", "k300", CALL, ""),
        ("", "r", CALL, "cannot read action 'r'"),
        ("", "raise", CALL, "cannot read action 'raise'"),
        ("", "r1", 200, "raise to 1 is illegal"),
        ("", "r-500", 200, "raise to -500 is illegal"),
        ("", "r20001", 20000, "raise to 20001 is illegal"),
        ("", "r" + "9" * 6000, 20000, "raise to 999999999999999999 is illegal"),
        ("", "r" + "0" * 6000 + "250", 250, ""),
        ("c", "f", CALL, "fold is illegal: there is no bet to fold to"),
        ("r20000", "r20000", CALL, "raise is illegal now"),
    ],
)
def test_actions_of_no_limit(betting, text, action, complaint):
    hand = parse_hand(rules_of("holdem-nolimit"), betting, "8s2h|Kd5c")
    assert read_action(hand.betting, text) == (action, complaint)


def test_actions_of_limit_and_of_certain_bets():
    limit = parse_hand(rules_of("holdem-limit"), "", "8s2h|Kd5c")
    assert (
        read_action(limit.betting, "r")
        == read_action(limit.betting, "r5")
        == read_action(limit.betting, "raise")
        == (20, "")
    )
    capped = parse_hand(rules_of("holdem-limit"), "rrr", "8s2h|Kd5c")
    assert read_action(capped.betting, "r") == (CALL, "raise is illegal now")
    leduc = parse_hand(rules_of("leduc-nl"), "", "Jh|Ks")
    assert list(leduc.legal().raises) == [2, 3, 4, 5, 7, 9, 11, 12]
    assert [read_action(leduc.betting, f"r{amount}")[0] for amount in (0, 2, 6, 10, 12, 13)] == [2, 2, 5, 9, 12, 12]


@pytest.fixture
def wires():
    """One end as a Wire, the other as a plain socket."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        other = socket.create_connection(server.getsockname())
        wire = Wire(server.accept()[0])
    yield wire, other
    wire.close()
    other.close()


def soon(seconds=5.0):
    return time.monotonic() + seconds


def test_lines_end_in_either_way_and_come_in_pieces(wires):
    wire, other = wires
    for piece in (b"one\r\ntw", b"o", b"\n\r\nthree", b" \xff\r", b"\nlost"):
        other.sendall(piece)
        time.sleep(0.01)
    other.close()
    assert [wire.line(soon()) for _ in range(4)] == ["one", "two", "", "three \xff"]
    with pytest.raises(ConnectionError):
        wire.line(soon())


def test_a_line_that_comes_soon(wires):
    wire, other = wires
    assert wire.soon(0.01) is None
    other.sendall(b"one\r\ntwo\nthr")
    assert [wire.soon(5), wire.soon(5)] == ["one", "two"]  # the second without reading again
    assert wire.soon(0.01) is None
    other.sendall(b"ee\n" + b"x" * (LONGEST_LINE + 1) + b"\nend\n")
    assert [wire.line(soon()), wire.line(soon()), wire.soon(5)] == ["three", OVERLONG, "end"]
    other.close()
    assert wire.soon(5) is None
    with pytest.raises(ConnectionError):
        wire.line(soon())


def test_long_lines_are_dropped_in_bounded_memory(wires):
    wire, other = wires
    data = b"x" * 3_000_000 + b"\r\nshort\r\n" + b"y" * LONGEST_LINE + b"\n"
    sender = threading.Thread(target=other.sendall, args=(data,))
    sender.start()
    assert wire.line(soon()) == OVERLONG
    assert len(wire._rest) <= LONGEST_LINE + 2
    assert wire.line(soon()) == "short"
    assert wire.line(soon()) == "y" * LONGEST_LINE
    sender.join()


def test_a_flood_does_not_hold_back_the_time_out(wires):
    wire, other = wires

    def flood():
        with contextlib.suppress(OSError):
            while True:
                other.sendall(b"\n" * 10_000)

    def read_all(deadline):
        while True:
            wire.line(deadline)

    sender = threading.Thread(target=flood)
    sender.start()
    deadline = soon(0.2)
    with pytest.raises(TimeoutError):
        read_all(deadline)
    assert time.monotonic() < deadline + 2
    assert len(wire._lines) <= 65536
    wire.close()
    sender.join()


def test_one_who_does_not_read_is_given_up(wires):
    wire, _ = wires

    def send_all():
        for _ in range(1000):
            wire.send("x" * 100_000, 0.1)

    with pytest.raises(TimeoutError):
        send_all()
