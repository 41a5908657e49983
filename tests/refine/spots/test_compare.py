"""Two solutions side by side, and the tree as a list."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.cards.ranges import Range
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.refine.spots.compare import compare, lacking
from pokerlab.refine.spots.frames import node_frame
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.spot import Lock
from pokerlab.refine.spots.tree_list import sizes_at, tree_frame, tree_json, tree_lines
from pokerlab.terminal import plain
from random_spots import random_spot, sizes, spot_of

RANGES = "AA,KQ,T9s,22", "QQ,JJ,AK,98s"


@pytest.fixture(scope="module")
def before():
    return solve_spot(spot_of("Qs Jh 2h 4c 7d", RANGES, bet="50%, 100%", raise_="60%", name="free"), iterations=40)


@pytest.fixture(scope="module")
def locked(before):
    lock = Lock(("bet 50",), {"fold": 1.0})
    return solve_spot(replace(before.spot, locks=(lock,), name="locked"), iterations=40)


@pytest.fixture(scope="module")
def other(before):
    ranges = Range.parse("AA,KQ,T9s,33"), before.spot.ranges[1]
    return solve_spot(replace(before.spot, ranges=ranges, sizes=sizes("50%, 75%", "60%"), name="other"), iterations=40)


def test_before_and_after_a_lock(before, locked):
    changes = compare(before, locked, "bet 50", unit="pot")
    frames = [node_frame(found.node("bet 50"), unit="pot") for found in (before, locked)]
    rows = [{hand: i for i, hand in enumerate(frame["hand"])} for frame in frames]
    assert sorted(changes.frame["hand"]) == sorted(frames[0]["hand"])
    for i, hand in enumerate(changes.frame["hand"]):
        mine, theirs = frames
        at, to = rows[0][hand], rows[1][hand]
        moved = sum(abs(theirs[a][to] - mine[a][at]) for a in changes.actions) / 2
        assert changes.frame["moved"][i] == pytest.approx(moved)
        for name in ("share", "equity", "ev", *changes.actions, "ev call"):
            values = mine[name][at], theirs[name][to]
            told = [changes.frame[f"{name} {what}"][i] for what in ("before", "after", "change")]
            np.testing.assert_allclose(told, [*values, values[1] - values[0]], atol=1e-12)
    assert (np.diff(changes.frame["moved"]) <= 1e-12).all()
    assert changes.frame["fold after"] == pytest.approx(1)
    assert changes.frequencies()["fold"][1] == pytest.approx(1)
    assert changes.lines_lacking == ([], [])
    assert list(changes.to_pandas().columns) == list(changes.frame)


def test_nothing_changes_against_itself(before):
    changes = compare(before, before, "check")
    assert not changes.frame["moved"].any()
    assert not np.nan_to_num(changes.frame["ev change"]).any()


def test_what_one_of_them_lacks(before, other):
    changes = compare(before, other)
    assert changes.actions == ["check", "bet 50"]
    assert set(changes.frequencies()) == {"check", "bet 50", "bet 100", "bet 75"}
    assert changes.frequencies()["bet 100"][1] is None
    assert changes.hands_lacking == (["2d2c", "2s2c", "2s2d"], ["3d3c", "3h3c", "3h3d", "3s3c", "3s3d", "3s3h"])
    assert set(changes.lines_lacking[0]) == {"bet 100", "check, bet 100"}
    assert set(changes.lines_lacking[1]) == {"bet 75", "check, bet 75"}
    took = changes.frame
    node = before.root
    probability = dict(zip(node_frame(node)["hand"], node_frame(node)["bet 100"], strict=True))
    then = dict(zip(node_frame(other.root)["hand"], node_frame(other.root)["bet 75"], strict=True))
    for i, hand in enumerate(took["hand"]):
        both = abs(took["check change"][i]) + abs(took["bet 50 change"][i]) + probability[hand] + then[hand]
        assert took["moved"][i] == pytest.approx(both / 2)
    lines = "\n".join(plain(line) for line in changes.lines())
    assert "only before has 2 lines" in lines
    assert "only after has 6 hands here" in lines
    assert "bet 100" in lines


def test_lines_that_only_one_tree_has_by_counting():
    rng = np.random.default_rng(3)
    for _ in range(3):
        one = random_spot(rng, 1, (5, 5), bet="50%, 100%", raise_="60%, all-in").tree()
        two = random_spot(rng, 1, (5, 5), bet="50%, all-in", raise_="75%").tree()
        every = [{tree.line(node.index) for node in tree} for tree in (one, two)]
        for mine, theirs, told in zip(every, every[::-1], lacking(one, two), strict=True):
            first = {line for line in mine - theirs if line[:-1] in theirs}
            assert {", ".join(line) for line in first} == set(told)


def test_what_cannot_be_compared(before, other):
    elsewhere = solve_spot(spot_of("Ks Jh 2h 4c 7d", RANGES), iterations=2)
    with pytest.raises(SpotError, match="on different boards: QsJh2h4c7d and KsJh2h4c7d"):
        compare(before, elsewhere)
    with pytest.raises(SpotError, match="other has no such decision: no 'bet 100' after the start"):
        compare(before, other, "bet 100")
    with pytest.raises(SpotError, match="no view 'bet 100' of two solutions; there are strategy, ev, equity, range"):
        compare(before, other, view="bet 100")
    acted = solve_spot(replace(before.spot, to_act=1), iterations=2)
    with pytest.raises(SpotError, match="oop acts there in free, and ip in free"):
        compare(before, acted)


def test_the_command(before, locked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before.save("free.solution")
    locked.save("locked.solution")
    (tmp_path / "free.toml").write_text(before.spot.text())

    def spot(*arguments, code=0):
        result = CliRunner().invoke(main, ["spot", *arguments])
        assert result.exit_code == code, result.stderr
        return result.stderr if code else result.stdout

    shown = spot("locked.solution", "--compare", "free.solution", "--line", "bet 50", "--view", "fold")
    assert "before: free.solution   after: locked.solution" in shown
    assert "hands that change most" in shown
    told = json.loads(spot("locked.solution", "--compare", "free.solution", "--line", "bet 50", "--json"))
    assert told["comparison"]["frequencies"]["fold"]["after"] == pytest.approx(1, abs=1e-4)
    printed = spot("locked.solution", "--compare", "free.solution", "--line", "bet 50", "--csv", "--filter", "set")
    rows = list(csv.DictReader(printed.splitlines()))
    assert {row["kind"] for row in rows} == {"QQ", "JJ"}
    again = ["free.toml", "--compare", "free.solution", "--iterations", "5"]
    assert spot(*again, "--out", "x.solution", "--hand", "AsAh", "--csv").count("\n") == 2
    kept = (tmp_path / "free.solution").read_bytes()
    assert "--out would replace --compare, free.solution: give --out another name" in spot(*again, code=2)
    assert "--out would replace --compare" in spot("free.solution", *again[1:], code=2)
    assert "by the hands of who acts: that is oop" in spot(*again, "--out", "y.solution", "--whose", "ip", code=2)
    assert "9s9h is not in the range of oop" in spot(*again, "--out", "y.solution", "--hand", "9s9h", code=2)
    assert (tmp_path / "free.solution").read_bytes() == kept
    assert not (tmp_path / "y.solution").exists()
    refused = spot(*again, "--out", "y.solution", "--line", "bet 7", code=2)
    assert "free.solution has no such decision: no 'bet 7'" in refused
    assert "start: oop, pot 100: check, bet 50 (50 %), bet 100 (100 %)" in spot("free.toml", "--tree")
    assert len(json.loads(spot("free.solution", "--tree", "--json"))["decisions"]) == before.tree.decisions
    assert len(spot("free.toml", "--tree", "--csv").splitlines()) == before.tree.decisions + 1
    assert "no 'bet 7'" in spot("free.toml", "--tree", "--line", "bet 7", code=2)


def test_the_tree_as_a_list():
    spot = spot_of("Qs Jh 2h 4c", RANGES, bet="50%, all-in", raise_="60%", pot=101, stack=301)
    tree, frame = spot.tree(), tree_frame(spot)
    nodes = [node for node in tree if node.kind == "decision"]
    assert frame["line"].tolist() == [", ".join(tree.line(node.index)) for node in nodes]
    for i, node in enumerate(nodes):
        assert frame["pot"][i] == 101 + sum(node.put)
        assert frame["to call"][i] == max(node.put) - node.put[node.player]
        for label, size in zip(node.labels, sizes_at(spot, node), strict=True):
            if label.startswith(("bet", "raise")):  # what the label says, as a part of the pot after calling
                street = [n for n in ancestors(tree, node) if n.kind == "deal"]
                since = min(street[0].put) if street else 0
                over = int(label.split()[1]) + since - max(node.put)
                assert size == pytest.approx(over / (101 + 2 * max(node.put)))
            elif label == "all-in":
                assert size == pytest.approx((301 - max(node.put)) / (101 + 2 * max(node.put)))
            else:
                assert size is None
    assert tree_json(spot)["decision_nodes"] == len(nodes)
    lines = tree_lines(spot)
    on_turn = sum(node.street == 1 for node in nodes)
    assert len(lines) == on_turn + 2
    assert lines[-1].startswith(f"{len(nodes):,} decisions: {on_turn} on the turn, {len(nodes) - on_turn} on the river")
    assert tree_lines(spot, "bet 50, fold") == ["nobody acts after bet 50, fold"]
    assert tree_lines(spot, "check, check, deal, check")[0] == "river after check, check, deal, check, 301 behind"


def ancestors(tree, node):
    while node.parent >= 0:
        node = tree[node.parent]
        yield node
