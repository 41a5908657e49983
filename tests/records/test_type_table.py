"""`pokerlab hands types`: frequencies and distances of a store's players against a count of their hands' actions."""

import csv
import json
from collections import Counter, defaultdict

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.agents.simple import Call, Fold, Probe, Raise, Random
from pokerlab.cli.hands import WINDOW
from pokerlab.cli.hands import hands as command
from pokerlab.game.catalog import rules_of
from pokerlab.match.play import play_match
from pokerlab.opponents.trends import learn_trends, load_trends
from pokerlab.records import types
from pokerlab.records.logs import LogWriter, read_log
from pokerlab.records.store import HandStore
from pokerlab.records.types import KINDS, action_counts, type_of
from shared_data import shared_data

pytest.importorskip("duckdb")
PAIRS = [(Call(), Random()), (Probe(), Random()), (Raise(), Call()), (Fold(), Probe())]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Logs of two games, and a store of them."""
    folder = tmp_path_factory.mktemp("types")
    logs = []
    for game in ("leduc", "holdem-limit"):
        rules = rules_of(game)
        for number, pair in enumerate(PAIRS):
            hands, names = 30 + 10 * number, [agent.name for agent in pair]
            logs.append(folder / f"{game}-{number}.log")
            with LogWriter(logs[-1], rules, names, hands, number) as log:
                play_match(rules, pair, hands, seed=number, watch=log.watch)
    with HandStore(folder / "s.duckdb") as store:
        for log in logs:
            store.ingest(log)
    return folder


def run(*arguments):
    result = CliRunner().invoke(command, ["types", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def counted(folder):
    """(game, agent) -> hands and frequencies, hand by hand from the logs."""
    hands, counts = Counter(), defaultdict(int)
    for log in folder.glob("*.log"):
        for record in read_log(log):
            rules = record.hand.rules
            for seat, name in enumerate(record.names):
                hands[rules.name, name] += 1
                counts[rules.name, name] = counts[rules.name, name] + action_counts(rules, record.hand.actions)[seat]
    return {key: (count, type_of(counts[key]).tolist()) for key, count in hands.items()}


def apart(one, other):
    return sum(abs(a - b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))


def test_types_and_who_is_nearest(folder):
    expected = counted(folder)
    rows = json.loads(run("--store", folder / "s.duckdb", "--least", 1, "--nearest", 2, "--json"))["players"]
    assert {(row["game"], row["agent"]) for row in rows} == set(expected)
    for row in rows:
        hands, own = expected[row["game"], row["agent"]]
        assert row["hands"] == hands
        assert [[each[kind] for kind in KINDS] for each in row["type"]] == pytest.approx(np.array(own))
        others = {name: apart(own, far) for (game, name), (_, far) in expected.items()
                  if game == row["game"] and name != row["agent"]}  # fmt: skip
        near = sorted(others, key=others.get)[:2]
        assert [each["name"] for each in row["nearest"]] == near
        assert [each["distance"] for each in row["nearest"]] == pytest.approx([others[name] for name in near])


def test_fewer_hands_and_one_player(folder):
    told = json.loads(
        run("--store", folder / "s.duckdb", "--least", 70, "--player", "CALL", "--game", "leduc", "--json")
    )
    (row,) = told["players"]
    assert (row["agent"], row["game"], row["hands"]) == ("call", "leduc", 80)
    assert {each["name"] for each in row["nearest"]} == {"random", "probe"}  # the others have too few
    assert run("--store", folder / "s.duckdb") == "nobody has so many hands\n"
    assert WINDOW == types.WINDOW


def test_text_and_csv(folder):
    lines = run("--store", folder / "s.duckdb", "--least", 1, "--game", "leduc").splitlines()
    assert lines[0].split()[:3] == ["agent", "game", "hands"]
    (line,) = [line for line in lines if line.startswith("call")]
    assert line.split()[:3] == ["call", "leduc", "80"]
    lines = run("--store", folder / "s.duckdb", "--least", 1, "--game", "leduc", "--player", "fold").splitlines()
    assert lines[2:4] == ["fold in leduc, by round", "round   fold  check   call    bet"]
    assert lines[4].split()[0] == "1"
    assert lines[4].split()[3:] == ["0.0%", "0.0%"]
    rows = list(csv.DictReader(run("--store", folder / "s.duckdb", "--least", 1, "--csv").splitlines()))
    assert len(rows) == 3 * 10
    one = next(row for row in rows if row["agent"] == "call" and row["game"] == "leduc")
    assert float(one["fold_1"]) == float(one["bet_2"]) == 0
    assert one["fold_3"] == ""  # leduc has two rounds


def test_the_nearest_of_those_known(folder, tmp_path):
    """Trends have types: who is among them is nearest to itself."""
    learn_trends("probe", ["call", "raise", "random"], "leduc", 40, tmp_path / "leduc.trends", score="money")
    told = json.loads(
        run("--store", folder / "s.duckdb", "--least", 1, "--game", "leduc", "--model", tmp_path / "leduc.trends",
            "--nearest", 1, "--json")
    )  # fmt: skip
    near = {row["agent"]: row["nearest"][0]["name"] for row in told["players"]}
    assert {name: near[name] for name in ("call", "raise", "random")} == {n: n for n in ("call", "raise", "random")}
    known = load_trends(tmp_path / "leduc.trends")
    (row,) = [row for row in told["players"] if row["agent"] == "fold"]
    own = [[each[kind] for kind in KINDS] for each in row["type"]]
    far = min(apart(own, type_of(counts).tolist()) for counts in known.counts)
    assert row["nearest"][0]["distance"] == pytest.approx(far)


def test_real_hands(tmp_path):
    with HandStore(tmp_path / "s.duckdb") as store:
        for file in sorted(shared_data("pluribus", "100").glob("*.phh"))[:30]:
            store.ingest(file)
    rows = json.loads(run("--store", tmp_path / "s.duckdb", "--least", 20, "--json"))["players"]
    assert "Pluribus" in {row["agent"] for row in rows}
    for row in rows:
        assert len(row["nearest"]) == 3
        for shares in row["type"]:
            assert sum(shares.values()) == pytest.approx(1) or not any(shares.values())
