"""The hand store: figures as counted by hand, files taken in once, as a whole or not at all."""

import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from pokerlab.cli.hands import hands as command
from pokerlab.errors import LogError, PokerlabError, StoreError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.records import store as store_module
from pokerlab.records.hand_columns import KINDS, showdown_winners, steps
from pokerlab.records.logs import LoggedHand, read_log, write_log
from pokerlab.records.phh import read_phh
from pokerlab.records.store import HandStore
from randomly import hand_states
from shared_data import shared_data

pytest.importorskip("duckdb")

HOLDEM = rules_of("holdem-nolimit")


def random_log(path, game, hands=60, seed=0):
    """A log of random hands between A, B (and C), seats rotating."""
    rules, names = rules_of(game), "ABC"
    records = []
    for number in range(hands):
        hand = hand_states(rules, 1000 * seed + number, fold=0.1)[-1]
        seated = tuple(names[(seat + number) % rules.players] for seat in range(rules.players))
        records.append(LoggedHand(number, hand._replace(names=seated), hand.payoffs()))
    write_log(path, rules, records)
    return path


def naive(records):
    """Agent -> its figures, counted action by action with the hand's own bookkeeping."""
    tallies = defaultdict(lambda: {"payoffs": [], "vpip": 0, "pfr": 0, "showdowns": 0, "won": 0, "kinds": Counter()})
    for record in records:
        final, hand, willing, raised, bets = record.hand, new_hand(record.hand.rules), set(), set(), Counter()
        hand = hand._replace(holes=final.holes)
        for action in final.actions:
            if hand.pending:
                hand = hand._replace(board=final.board[: len(hand.board) + hand.pending])
            seat, stage = hand.actor, hand.betting.round
            if action == FOLD:
                kind = "fold"
            elif action == CALL:
                kind = "call" if hand.legal().fold else "check"
            else:
                blinds = stage == 0 and len(set(hand.rules.blinds)) > 1
                kind = "raise" if blinds or bets[stage] else "bet"
                bets[stage] += 1
            tallies[record.names[seat]]["kinds"][stage, kind] += 1
            if stage == 0 and kind in ("call", "bet", "raise"):
                willing.add(seat)
            if stage == 0 and kind in ("bet", "raise"):
                raised.add(seat)
            hand = hand.act(action)
        paid, survivors = final.payoffs(), final.betting.survivors
        for seat, name in enumerate(record.names):
            mine = tallies[name]
            mine["payoffs"].append(record.payoffs[seat])
            mine["vpip"] += seat in willing
            mine["pfr"] += seat in raised
            shown = len(survivors) > 1 and seat in survivors
            mine["showdowns"] += shown
            mine["won"] += shown and paid[seat] > -final.betting.spent[seat]
    return tallies


def assert_same(row, mine, unit_chips):
    n = len(mine["payoffs"])
    assert row.hands == n
    assert row.mean == pytest.approx(np.mean(mine["payoffs"]) / unit_chips)
    half = stats.t.ppf(0.975, n - 1) * np.std(mine["payoffs"], ddof=1) / math.sqrt(n) / unit_chips
    assert row.ci95 == pytest.approx(half)
    assert (row.vpip, row.pfr) == pytest.approx((mine["vpip"] / n, mine["pfr"] / n))
    assert (row.showdowns, row.showdowns_won) == (mine["showdowns"], mine["won"])
    counts = {(stage, kind): c for stage, kinds in enumerate(row.rounds) for kind, c in kinds.items() if c}
    assert counts == mine["kinds"]
    calls = sum(c for (_, kind), c in counts.items() if kind == "call")
    bets = sum(c for (_, kind), c in counts.items() if kind in ("bet", "raise"))
    assert row.aggression == (pytest.approx(bets / calls) if calls else None)
    for rates in row.as_json()["rounds"]:
        assert sum(rates[kind] for kind in KINDS) == pytest.approx(1.0 if rates["actions"] else 0.0)


GAMES = {
    "kuhn": ("mb/h", 0.001), "kuhn-3p": ("mb/h", 0.001), "leduc": ("mb/h", 0.002), "leduc-nl": ("mbb/h", 0.001),
    "holdem-limit": ("mb/h", 0.01), "holdem-limit-3p": ("mb/h", 0.01), "holdem-nolimit": ("mbb/h", 0.1),
}  # fmt: skip


def test_figures_are_those_counted_by_hand(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as store:
        logs = {game: random_log(tmp_path / f"{game}.log", game) for game in GAMES}
        for game, log in logs.items():
            taken = store.ingest(log)
            assert taken[1:] == (game, 60, 0, True, {})
        rows = store.stats()
        assert len(rows) == sum(rules_of(game).players for game in GAMES)
        for row in rows:
            assert row.unit == GAMES[row.game][0]
            assert_same(row, naive(read_log(logs[row.game]))[row.agent], GAMES[row.game][1])
        assert {row.game for row in store.stats("C")} == {"kuhn-3p", "holdem-limit-3p"}
        with pytest.raises(StoreError, match="no hands of 'D'"):
            store.stats("D")


@pytest.mark.parametrize(
    ("log", "unit_chips"),
    [
        ("2014_3p_kuhn/3pk.HITSZ_CS.hyperborean3pk.RMPUE.Bluffer.5.0.log", 0.001),
        ("2016_2p_nolimit/act1.hitcz.0.1.log", 0.1),
        ("dealer_test_logs/3p.limit.h1000.r0.log", 0.01),
    ],
)
def test_figures_of_shared_logs_are_those_counted_by_hand(log, unit_chips, tmp_path):
    path = shared_data("acpc", log)
    with HandStore(tmp_path / "s.duckdb") as store:
        store.ingest(path)
        rows = store.stats()
    counted = naive(read_log(path))
    assert {row.agent for row in rows} == set(counted)
    for row in rows:
        assert_same(row, counted[row.agent], unit_chips)


@pytest.mark.slow
def test_deepstack_against_the_professionals(tmp_path):
    path = shared_data("acpc", "deepstack_vs_pros", "hands.log")
    with HandStore(tmp_path / "s.duckdb") as store:
        began = time.process_time()
        assert store.ingest(path).hands == 36000
        assert time.process_time() - began < 30  # about four seconds on a quiet machine
        (row,) = store.stats("DeepStack")
        assert (row.hands, row.unit) == (36000, "mbb/h")
        assert row.mean == pytest.approx(474.119, abs=0.001)
        assert store.query("SELECT count(*) FROM seats") == [(72000,)]


def test_pluribus_hands_go_in_too(tmp_path):
    files = sorted(shared_data("pluribus").glob("*/*.phh"))
    with HandStore(tmp_path / "s.duckdb") as store:
        for path in files:
            assert store.ingest(path).hands == 1
        (row,) = store.stats("Pluribus")
        assert store.query("SELECT count(*), count(DISTINCT hand) FROM hands") == [(236, 236)]
    (game,) = {row.game}
    assert (game, row.hands, row.unit) == ("NT-6p-50/100", 236, "mbb/h")
    assert_same(row, naive(record for path in files for record in read_phh(path))["Pluribus"], 0.1)


def test_hands_of_people_and_why_some_are_left_out(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as store:
        with pytest.raises(LogError, match="hand '114': the hand is not over"):
            store.ingest(shared_data("handhq", "ipn_400nl.phhs"))
        assert store.ingest(shared_data("handhq", "ftp_600nl.phhs")).hands == 61
        taken = store.ingest(shared_data("handhq", "ipn_400nl.phhs"), skip_bad=True)
        why = "the hand is not over, or cards are missing, after the last action: it is N's turn"
        assert (taken.hands, taken.bad, taken.reasons) == (133, 2, {why: 2})
        assert store.ingest(shared_data("handhq", "ipn_400nl.phhs")) == taken._replace(fresh=False)
        stakes = "SELECT stakes, currency, scale, count(*) FROM hands GROUP BY ALL ORDER BY 4"
        assert store.query(stakes) == [("$6", "$", 100, 1), ("$3/$6", "$", 100, 60), ("$2/$4", "$", 100, 133)]
        # What nobody can tell is no number, and so is who won.
        assert store.query("SELECT count(*) FROM seats WHERE payoff IS NULL") == [(30,)]
        assert store.query("SELECT count(*) FROM seats WHERE (won IS NULL) != (payoff IS NULL)") == [(0,)]
        told = [record for path in ("ftp_600nl", "ipn_400nl")
                for record in read_phh(shared_data("handhq", f"{path}.phhs"), skip_bad=True)]  # fmt: skip
        again = list(store.hands(0, 1000))
        assert again == told
        assert [record.hand.rules.stacks for record in again] == [record.hand.rules.stacks for record in told]


def test_stores_of_version_1_are_read_and_brought_up_to_date(tmp_path):
    log = random_log(tmp_path / "a.log", "leduc")
    with HandStore(tmp_path / "s.duckdb") as store:
        store.ingest(log)
        figures = store.stats()
        for column in ("stacks", "stakes", "currency", "scale"):
            store.query(f"ALTER TABLE hands DROP COLUMN {column}")
        store.query("ALTER TABLE files DROP COLUMN reasons")
        store.query("UPDATE pokerlab_store SET version = 1")
    for read_only in (True, False, True):
        with HandStore(tmp_path / "s.duckdb", read_only=read_only) as store:
            assert store.stats() == figures
            assert store.query("SELECT DISTINCT stacks, currency, scale FROM hands") == [(None, "", 1)]
            assert store.query("SELECT reasons FROM files") == [("{}",)]
            assert [record.payoffs for record in store.hands(0, 60)] == [record.payoffs for record in read_log(log)]
            versions = store.query("SELECT version FROM pokerlab_store")
    assert versions == [(2,)]


def test_columns_for_other_questions(tmp_path):
    (tmp_path / "x.log").write_text("STATE:4:r300r900c/r2250f:AcJs|3d2d/Kc5sQc:900|-900:Ann|Ben\n")
    with HandStore(tmp_path / "s.duckdb") as store:
        store.ingest(tmp_path / "x.log")
        assert store.query("SELECT number, players, pot, showdown, adjusted, betting, cards FROM hands") == [
            (4, 2, 3150, False, False, "r300r900c/r2250f", "AcJs|3d2d/Kc5sQc")
        ]
        assert store.query("SELECT step, round, position, agent, kind, chips FROM actions ORDER BY step") == [
            (0, 0, 1, "Ben", "raise", 300),
            (1, 0, 0, "Ann", "raise", 900),
            (2, 0, 1, "Ben", "call", 900),
            (3, 1, 0, "Ann", "bet", 2250),
            (4, 1, 1, "Ben", "fold", 900),
        ]
        (row,) = store.stats("Ann")
        assert (row.hands, row.mean, row.ci95) == (1, 9000.0, None)
        with pytest.raises(StoreError, match="nonsense"):
            store.query("SELECT nonsense FROM hands")


def test_who_wins_at_showdown_with_side_pots_and_uncalled_chips():
    rules = dataclasses.replace(HOLDEM, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(300, 600, 900))
    for cards, winners in [
        ("AhAd|KhKd|QhQd/2c3d7s/8h/9c", {0, 1}),  # main and side pot; the third only gets back what was not called
        ("QhQd|KhKd|AhAd/2c3d7s/8h/9c", {2}),
        ("2h3h|2d3d|2s3s/AcKcQc/Jc/Tc", {0, 1, 2}),
    ]:
        assert showdown_winners(parse_hand(rules, "r900cc///", cards)) == winners
    assert showdown_winners(parse_hand(HOLDEM, "f", "AhAd|KhKd")) == set()


def test_blinds_are_raised_and_antes_bet_into():
    kinds = [kind for *_, kind, _ in steps(parse_hand(rules_of("kuhn"), "crc", "Js|Ks"))]
    assert kinds == ["check", "bet", "call"]
    hand = parse_hand(HOLDEM, "cr300c/cr600r1200c/cc/cc", "8s2h|Kd5c/7hAdTd/4s/Kc")
    assert [kind for *_, kind, _ in steps(hand)] == [
        "call", "raise", "call", "check", "bet", "raise", "call", "check", "check", "check", "check",
    ]  # fmt: skip


# Once, and as a whole


def test_what_is_there_is_not_taken_twice(tmp_path):
    log = random_log(tmp_path / "a.log", "leduc")
    (tmp_path / "copy.log").write_bytes(log.read_bytes())
    with HandStore(tmp_path / "s.duckdb") as store:
        once = (store.ingest(log), store.stats())
        assert not store.ingest(log).fresh
        assert store.ingest(tmp_path / "copy.log") == (str(tmp_path / "copy.log"), "leduc", 60, 0, False, {})
        assert store.stats() == once[1]
    with HandStore(tmp_path / "s.duckdb") as store:
        assert not store.ingest(log).fresh
        assert store.stats() == once[1]


def test_a_log_that_has_grown_takes_the_place_of_its_beginning(tmp_path):
    log, whole = tmp_path / "a.log", random_log(tmp_path / "whole.log", "leduc").read_bytes()
    lines = whole.splitlines(keepends=True)
    with HandStore(tmp_path / "s.duckdb") as store:
        store.ingest(random_log(tmp_path / "other.log", "kuhn"))
        for count in (20, 40, len(lines)):
            log.write_bytes(b"".join(lines[:count]))
            assert store.ingest(log).fresh
        assert store.query("SELECT count(*), count(DISTINCT hand) FROM hands WHERE game = 'leduc'") == [(60, 60)]
        assert store.query("SELECT count(*) FROM seats WHERE game = 'leduc'") == [(120,)]
        assert store.query("SELECT sum(hands) FROM files") == [(120,)]
        # Another log under the same name is another log.
        random_log(log, "leduc", seed=5)
        store.ingest(log)
        assert store.query("SELECT count(*) FROM hands WHERE game = 'leduc'") == [(120,)]


def test_a_bad_file_leaves_nothing_and_can_be_skipped_through(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "_BLOCK", 10)
    log = random_log(tmp_path / "a.log", "leduc")
    lines = log.read_text().splitlines()
    lines[40] = lines[40].replace("STATE", "STALE")
    log.write_text("\n".join(lines))
    told = []
    with HandStore(tmp_path / "s.duckdb") as store:
        with pytest.raises(LogError, match=r"a\.log:41: "):
            store.ingest(log)
        for table in ("hands", "seats", "actions", "files", "games"):
            assert store.query(f"SELECT count(*) FROM {table}") == [(0,)]
        taken = store.ingest(log, skip_bad=True, on_error=told.append)
        assert (taken.hands, taken.bad, taken.fresh, len(told)) == (59, 1, True, 1)
        assert store.query("SELECT hands, bad FROM files") == [(59, 1)]


def test_interrupting_leaves_a_consistent_store(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "_BLOCK", 10)
    first, second = (random_log(tmp_path / f"{seed}.log", "leduc", seed=seed) for seed in (1, 2))

    def stop(fraction, hands):
        assert 0 < fraction < 1
        if hands == 30:
            raise KeyboardInterrupt

    with HandStore(tmp_path / "s.duckdb") as store:
        store.ingest(first)
        before = store.stats()
        with pytest.raises(KeyboardInterrupt):
            store.ingest(second, progress=stop)
        assert store.stats() == before
        assert store.ingest(second).hands == 60
        assert store.query("SELECT count(DISTINCT hand) FROM hands") == [(120,)]


CHILD = """
import sys, time
from pokerlab.records import store
store._BLOCK = 10
def wait(fraction, hands):
    if hands == 30:
        print("in the middle", flush=True)
        time.sleep(60)
with store.HandStore(sys.argv[1]) as opened:
    opened.ingest(sys.argv[2])
    opened.ingest(sys.argv[3], progress=wait)
"""


def test_killing_leaves_a_consistent_store_and_one_process_has_it_at_a_time(tmp_path):
    logs = [random_log(tmp_path / f"{seed}.log", "leduc", seed=seed) for seed in (1, 2)]
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path / "s.duckdb"), *map(str, logs)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "in the middle\n"
        with pytest.raises(StoreError, match="cannot open"):
            HandStore(tmp_path / "s.duckdb")
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
    with HandStore(tmp_path / "s.duckdb") as store:
        assert store.query("SELECT hands FROM files") == [(60,)]
        assert store.query("SELECT count(*) FROM hands") == [(60,)]
        assert store.query("SELECT count(*) FROM seats") == [(120,)]
        assert not store.ingest(logs[0]).fresh
        assert store.ingest(logs[1]).hands == 60


def test_games_of_one_name_are_kept_apart_and_stacks_are_not(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as store:
        for number, change in enumerate([{}, {"max_raises": (1, 1)}, {"stacks": (50, 50)}, {"raise_sizes": (3, 5)}]):
            rules = dataclasses.replace(rules_of("leduc"), **change)
            hand = hand_states(rules, number, fold=0.0)[-1]
            write_log(
                tmp_path / f"{number}.log", rules, [LoggedHand(0, hand._replace(names=("A", "B")), hand.payoffs())]
            )
            store.ingest(tmp_path / f"{number}.log", rules)
        counts = dict(store.query("SELECT game, count(*) FROM hands GROUP BY game"))
        assert len(counts) == 3
        assert counts["leduc"] == 2
        units = dict(store.query("SELECT game, chips_a_unit FROM games"))
        assert sorted(units.values()) == [0.002, 0.002, 0.003]


def test_files_that_are_no_stores(tmp_path, monkeypatch):
    with pytest.raises(StoreError, match=r"no hand store at .*ingest LOG --store"):
        HandStore(tmp_path / "s.duckdb", read_only=True)
    (tmp_path / "text").write_text("hello " * 1000)
    with pytest.raises(StoreError, match=r"cannot open .*text as a hand store"):
        HandStore(tmp_path / "text")
    import duckdb

    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("CREATE TABLE x (y INTEGER)")
    with pytest.raises(StoreError, match="is a DuckDB file, but not a hand store"):
        HandStore(tmp_path / "other.duckdb")
    with HandStore(tmp_path / "s.duckdb") as store:
        store.query("UPDATE pokerlab_store SET version = 99")
    with pytest.raises(StoreError, match="version 99"):
        HandStore(tmp_path / "s.duckdb")
    with pytest.raises(LogError, match="no such file"), HandStore(tmp_path / "new.duckdb") as store:
        store.ingest(tmp_path / "nowhere.log")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(StoreError, match=r"pip install 'pokerlab\[store\]'"):
        HandStore(tmp_path / "s.duckdb")


# The commands


def run(*arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_commands_say_what_happened(tmp_path):
    log, other = random_log(tmp_path / "a.log", "leduc"), tmp_path / "b.log"
    other.write_text("rubbish\n" * 8 + "STATE:5:rrc/rrc:Qh|Ah/Qs:13|-13:A|B\n")
    store = tmp_path / "s.duckdb"
    with pytest.raises(LogError, match=r"b\.log:1: "):
        run("ingest", log, other, "--store", store)
    result = run("ingest", log, other, "--store", store, "--skip-bad")
    expected = (
        f"{log}: 60 hands of leduc, there already {other}: 1 hand of leduc, 8 bad lines left out "
        f"8: STATE:number:betting:cards:payoffs:names expected, got ... 1 hands taken into {store}"
    )
    assert result.stdout.split() == expected.split()  # wherever a long path makes a line fold
    assert result.stderr.count("skipped") == 6
    assert "skipped 3 more lines" in result.stderr
    told = json.loads(run("ingest", log, "--store", store, "--json").stdout)
    assert told["hands"] == 0
    assert told["files"] == [{"path": str(log), "games": "leduc", "hands": 60, "bad": 0, "fresh": False, "reasons": {}}]
    text = run("stats", "--store", store).stdout
    assert "mb/h" in text
    assert len(text.splitlines()) == 3
    assert "by round" in run("stats", "--store", store, "--player", "A").stdout
    (row,) = json.loads(run("stats", "--store", store, "--player", "A", "--json").stdout)["agents"]
    assert (row["agent"], row["hands"], row["unit"]) == ("A", 61, "mb/h")
    assert {"mean", "ci95", "vpip", "pfr", "aggression", "showdowns", "showdowns_won", "rounds"} <= set(row)
    assert run("ingest", log, "--store", store, "--game", "leduc").stdout
    with pytest.raises(PokerlabError, match="did you mean"):
        run("ingest", random_log(tmp_path / "c.log", "leduc", seed=9), "--store", store, "--game", "ledux")
