"""Every card that may come, against the nodes and against what the decision before it says."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.cards.holes import HOLES
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.refine.spots.aggregate_page import runouts_page
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.runouts import passive_line, runouts
from random_spots import spot_of

MEET = (HOLES[:, None, :, None] != HOLES[None, :, None, :]).all(axis=(2, 3)).astype(float)


@pytest.fixture(scope="module")
def solved():
    spot = spot_of("As Ks 7d 2s", ("AQ,KK,QJs,76s", "QQ,JJ,AK,87s"), bet="75%", raise_="all-in")
    return solve_spot(spot, iterations=60, threads=1, progress=False)


@pytest.mark.parametrize("line", ["check, check", "check, bet 75, call"])
def test_cards_are_worth_what_their_mean_is_before_them(solved, line):
    """The mean over cards is what the last action before them is worth: of each card as often as it can come."""
    told = runouts(solved, line)
    *before, last = line.split(", ")
    node = solved.node(before)
    action = node.actions.index(last)
    weights = node.weights(0), node.weights(1)
    joint = (weights[node.player][:, None] * weights[1 - node.player][None, :] * MEET).sum(axis=1)[node.hands]
    often = joint * node.strategy[:, action]
    paid = 0 if last == "check" else 75  # the price of the last action is not in the value after it
    worth = np.nan_to_num(node.action_ev[:, action]) @ often / often.sum() + paid
    mean = told.mean()
    assert mean.ev[node.player] == pytest.approx(worth, abs=1e-3)
    assert sum(mean.ev) == pytest.approx(100 + 2 * paid, abs=1e-3)
    assert mean.weight == pytest.approx(1)
    assert len(told.decision.rows) == 48


def test_a_row_is_its_node(solved):
    told = runouts(solved, "check, check")
    assert [row.name for row in told.decision.rows][:4] == ["Ah", "Ad", "Ac", "Kh"]
    held = {}
    for row in told.decision.rows:
        node = solved.node(f"check, check, {row.name}")
        held[row.name] = float(node.weights(0) @ (MEET @ node.weights(1)))
        if row.name in ("Qs", "2h", "9c"):
            assert row.figures.frequencies == pytest.approx(node.frequencies)
            assert row.figures.ev[0] == pytest.approx(float(np.nan_to_num(node.ev) @ node.shares))
    for row in told.decision.rows:
        assert row.weight == pytest.approx(held[row.name] / sum(held.values()))


def test_rivers_of_a_flop_and_lines_without_cards(solved):
    flop = spot_of("As Ks 7d", ("AQ,KK", "QQ,AK"), bet="75%", raise_="")
    told = solve_spot(flop, iterations=3, threads=1, progress=False)
    rivers = runouts(told, "check, check, 2c, bet 75, call")
    assert rivers.title.startswith("AsKs7d2c, check, check, 2c, bet 75, call: the river")
    assert passive_line(flop) == ("check", "check")
    assert "the turn, oop to act" in runouts(told).title
    for line, said in (
        ("check", "no card comes after 'check': somebody acts"),
        ("bet 75, fold", "the hand is over"),
        ("check, check, deal, check, check", "must be named"),
        ("check, check, 7d, check, check", "must be named"),
    ):
        with pytest.raises(SpotError, match=said):
            runouts(told, line)


def test_on_the_command_line(solved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solved.save("turn.solution")

    def invoked(*words):
        return CliRunner().invoke(main, ["spot", "turn.solution", "--runouts", *words])

    text = invoked("--html", "turn.html")
    assert text.exit_code == 0, text.stderr
    assert text.stdout.splitlines()[0] == "AsKs7d2s, check, check: the river, oop to act, values in chips"
    assert text.stdout.splitlines()[-1].startswith("mean")
    rows = [*csv.DictReader(invoked("--csv").stdout.splitlines())]
    summary = json.loads(invoked("--json").stdout)
    assert [float(row["ev oop"]) for row in rows] == [row["ev oop"] for row in summary["cards"]]
    in_pots = json.loads(invoked("--json", "--unit", "pot").stdout)
    assert in_pots["unit"] == "pot"
    assert [row["ev oop"] for row in in_pots["cards"]] == pytest.approx([r["ev oop"] / 100 for r in summary["cards"]])
    assert in_pots["mean"]["ev"] == pytest.approx([chips / 100 for chips in summary["mean"]["ev"]])
    assert "Values are starting pots" in runouts_page(runouts(_loaded(), "check, check", unit="pot"))
    replaced = invoked("--html", "turn.solution")
    assert (replaced.exit_code, _loaded().spot) == (2, solved.spot)
    assert "--html would replace FILE, turn.solution" in replaced.stderr
    assert (tmp_path / "turn.html").read_text() == runouts_page(runouts(_loaded(), "check, check"))
    (tmp_path / "turn.toml").write_text(solved.spot.text())
    refused = CliRunner().invoke(main, ["spot", "turn.toml", "--runouts"])
    assert refused.exit_code == 2
    assert "solve the spot first" in refused.stderr
    assert "page of --runouts" in CliRunner().invoke(main, ["spot", "turn.solution", "--html", "x.html"]).stderr


def _loaded():
    from pokerlab.refine.spots.solution import load_spot_solution

    return load_spot_solution("turn.solution")
