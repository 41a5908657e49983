"""The max-margin paper's Leduc half, run as a user would: what the paper promises of each technique."""

import pytest

from paper_runs import reproduced
from pokerlab.papers.moravcik2016_leduc import COLUMNS, GAMES, QUICK, WAYS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    printed = reproduced("moravcik2016-max-margin", folder, "--quick")
    assert "<svg" in (folder / "moravcik2016-max-margin-leduc.svg").read_text()
    return printed


def tables(report):
    return [table for table in report["tables"] if table["name"].startswith("Round two")]


def test_shape(report):
    assert report["paper"] == "moravcik2016-max-margin"
    assert [table["name"] for table in tables(report)] == [f"Round two of {name}" for name in GAMES]
    for table, chosen in zip(tables(report), QUICK.values(), strict=True):
        assert table["columns"] == list(COLUMNS)
        assert len(table["rows"]) == len(chosen) * len(WAYS)
        assert all(row["verdict"] == "computed" and row["paper"] is None for row in table["rows"])
    counts = {name: sum(note["game"] == name for note in report["leduc_subgames"]) for name in GAMES}
    assert counts == {"leduc": 4 * 30, "leduc:ranks=13,suits=4": 130}
    assert all(set(note["margin"]) == set(note["gain"]) == set(WAYS) for note in report["leduc_subgames"])


def test_checks(report):
    assert len(report["leduc_checks"]) == 5
    for check in report["leduc_checks"]:
        assert check["lp_and_cfr_apart"] <= 1e-3
        assert check["max_margin_behind"] <= 1e-7
        assert check["theorem_1_slack"] >= -1e-9
        least = check["least"]
        assert least["max-margin, LP3"] >= -1e-7
        assert least["re-solving, LP2"] >= -1e-7
        assert least["endgame"] < -0.1
    for note in report["leduc_subgames"]:
        best = note["margin"]["max-margin, LP3"]
        assert all(margin <= best + 1e-7 for margin in note["margin"].values())
        assert all(note["gain"][way] >= note["bound"][way] - 1e-9 for way in WAYS)


def test_rows(report):
    for table in tables(report):
        for row in table["rows"]:
            _, _, way = row["label"].rpartition(": ")
            figures = row["ours"]
            if way == "max-margin, LP3" or way == "re-solving, LP2":
                assert figures["negative"] == 0
                assert figures["after"] <= figures["before"] + 1e-6
            if way.startswith("reach"):
                assert figures["after"] <= figures["before"] + 0.1  # CFR+ stops at 0.05 mb
            if row["label"] == "equilibrium: endgame, LP1":
                assert figures["after"] > 10  # unsafe: an equilibrium becomes exploitable
