"""The edges of the store: columns, versions, games of one name, files that have grown."""

import dataclasses
import hashlib

import numpy as np
import pytest

from pokerlab.errors import StoreError
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import parse_hand
from pokerlab.records import store
from pokerlab.records.hand_columns import ACTIONS, HANDS, SEATS, columns, showdown_winners
from pokerlab.records.hand_stats import Choice
from pokerlab.records.log_game import log_header
from pokerlab.records.logs import write_log
from pokerlab.records.phh import parse_phh, write_phh
from pokerlab.records.store import HandStore, Ingested
from randomly import hand_states
from record_samples import NT, record_of

HOLDEM, LEDUC = rules_of("holdem-nolimit"), rules_of("leduc")
FOLD = "STATE:{}:f:As8d|8c3h:50|-50:Bob|Alice"
ALL_IN = "STATE:0:r20000c///:5d5c|9hQd/8dAs8s/4h/6d:{}:a|b"


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
