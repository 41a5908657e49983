"""The pathologies paper, run as a user would, against what is known to be unique."""

import json
import os
import shlex
import subprocess
import sys
from itertools import pairwise

import pytest

from figures import ROOT, blocks
from page_commands import READMES_PAPER, too_wide
from pokerlab.papers.waugh2009_pathologies import TABLE_1, TABLE_2, TABLE_3_BEST

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The command of README, as it stands there."""
    folder = tmp_path_factory.mktemp("paper")
    command = [sys.executable, "-m", *shlex.split(READMES_PAPER)]
    wide = {**os.environ, "COLUMNS": "300"}
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, env=wide)
    assert result.returncode == 0, result.stderr
    assert "Table 3" in result.stdout
    assert too_wide(result.stdout) == []
    written = {path.name: path.read_text() for path in (folder / "results").iterdir()}
    assert all(f"results/{name}" in result.stdout for name in written)
    report = json.loads(written.pop("waugh2009-pathologies.json"))
    (report["figure"],) = written.values()
    return report


def rows(report, name):
    table = next(table for table in report["tables"] if table["name"] == name)
    assert {"name", "unit", "columns", "rows"} <= set(table)
    return {row["label"]: row for row in table["rows"]}


def test_shape(report):
    assert report["paper"] == "waugh2009-pathologies"
    assert [table["name"] for table in report["tables"]] == ["Table 1", "Table 2", "Table 3", "Figure 1"]
    assert list(rows(report, "Table 1")) == list(TABLE_1)
    assert list(rows(report, "Table 2")) == list(TABLE_2)
    assert list(rows(report, "Table 3")) == list(TABLE_3_BEST)
    verdicts = {"matches", "solver-dependent", "differs", "fitted"}
    assert {row["verdict"] for table in report["tables"] for row in table["rows"]} == verdicts


@pytest.mark.parametrize("table", ["Table 1", "Table 2"])
def test_rows_against_full_agree_to_the_printed_digit(report, table):
    against_full = [row for label, row in rows(report, table).items() if label.endswith("-FULL")]
    assert len(against_full) >= 5
    for row in against_full:
        assert row["ours"]["any"] == pytest.approx(row["paper"]["any"], abs=0.05)
        assert row["verdict"] == "matches" or row["cells"]["any"]["otherwise"] == "matches"


def test_best_column_of_symmetric_rows_and_against_full(report):
    table = rows(report, "Table 3")
    unique = [label for label in table if label.endswith("-FULL") or len(set(label.split("-"))) == 1]
    assert len(unique) == 9
    for label, row in table.items():
        best = row["cells"]["best"]
        assert best["tolerance"] == pytest.approx(0.05, abs=1e-5)
        assert best["verdict"] == ("matches" if label in unique else "differs")
        assert row["ours"]["best"] <= row["ours"]["any"] + 1e-3
        assert row["ours"]["any"] == rows(report, "Table 1")[label]["ours"]["any"]
        if label not in unique:
            assert "below ours" in best["why"]


def test_ranges_of_equilibria(report):
    """From the least exploitable to the most; the published figure is some equilibrium's or none's."""
    for label, row in rows(report, "Table 1").items():
        cell, best = row["cells"]["any"], rows(report, "Table 3")[label]["ours"]["best"]
        assert cell["low"] == pytest.approx(best, abs=1e-3)
        assert cell["low"] - 1e-3 <= row["ours"]["any"] <= cell["high"] + 1e-3
        alone = cell["high"] - cell["low"] < 0.01
        assert cell["verdict"] == ("matches" if alone else "solver-dependent")
        if label.endswith("-FULL"):
            assert alone


def test_what_was_chosen_beside_the_figures_is_fitted(report):
    """All rows that need translation; of the others those that other sizes or rounding would change."""
    table = rows(report, "Table 2")
    assert [label for label, row in table.items() if row["verdict"] != "fitted"] == ["FULL-FULL", "a-FULL"]
    for label, row in table.items():
        cell = row["cells"]["any"]
        assert bool(cell["readings"]) == label.endswith("-FULL")
        if not label.endswith("-FULL"):
            assert set(cell["ways"]) == {"LP", "CFR+"}
            assert "mistaken bet size was chosen beside these figures" in row["why"]
            inside = cell["low"] - 0.05 <= row["paper"]["any"] <= cell["high"] + 0.05
            assert (cell["otherwise"] == "differs") == (not inside)
    assert table["pa-FULL"]["cells"]["any"]["readings"]["bets to the nearest chip"] > 2.85


def test_theorem_3_monotone_against_full(report):
    """Refining the player against an unabstracted opponent never hurts."""
    for table, chains in (
        ("Table 1", [["JQK", "JQ.K", "J.Q.K", "FULL"], ["JQK", "J.QK", "J.Q.K"]]),
        ("Table 2", [["a", "pa", "pda", "hpda", "FULL"], ["pa", "hpa", "hpda"]]),
    ):
        figures_of = rows(report, table)
        for chain in chains:
            figures = [figures_of[f"{name}-FULL"]["ours"]["any"] for name in chain]
            assert all(fine <= coarse + 1e-6 for coarse, fine in pairwise(figures))


def test_the_matrix_game(report):
    assert all(row["verdict"] == "matches" for row in rows(report, "Figure 1").values())
    assert "<svg" in report["figure"]
    assert report["figure"].count("<path") > 10


def test_every_monotonicity_property_has_a_counterexample(report):
    examples = report["counterexamples"]
    assert all(example["after"] > example["before"] for example in examples)
    named = {(example["property"], example["kind"]) for example in examples}
    for strength in ("strong", "weak"):
        for side in ("player", "opponent"):
            assert (f"{strength} {side} monotonicity", "cards") in named
    assert ("strong player monotonicity", "bets") in named
    assert ("strong opponent monotonicity", "bets") in named
    assert ("weak opponent monotonicity", "matrix game") in named
    # Theorem 3: none of them refines the player alone against FULL.
    assert not [e for e in examples if e["property"].endswith("player monotonicity") and e["finer"].endswith("-FULL")]


def test_the_page_has_what_is_unique_of_these_figures(report):
    page = ROOT / "docs" / "waugh2009-pathologies.md"
    tables = [block.table for block in blocks(page, page.read_text()) if block.mark and block.table]
    ranges = next(table for table in tables if table[0][0] == "abstractions")
    cells = {label: row for label, row in rows(report, "Table 1").items() if row["verdict"] == "solver-dependent"}
    assert [row[0] for row in ranges[1:]] == list(cells)
    for label, paper, lp, least, most in ranges[1:]:
        ways = cells[label]["cells"]["any"]["ways"]
        assert paper == f"{cells[label]['paper']['any']:.1f}"
        assert least == f"{ways['the least exploitable equilibrium']:.1f}"
        assert float(least) <= min(float(lp), float(paper)) <= max(float(lp), float(paper)) <= float(most)
