"""The grafting paper, run as a user would, against what does not depend on the solver."""

import pytest

from figures import ROOT, blocks
from paper_runs import reproduced
from pokerlab.papers.waugh2009_grafting import TABLE_1, TABLE_2

pytestmark = pytest.mark.slow

BASES = ("J.Q.K", "JQ.K", "J.QK")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    printed = reproduced("waugh2009-grafting", folder)
    printed["figure"] = (folder / "waugh2009-grafting-exploitability.svg").read_text()
    return printed


def rows(report, name):
    table = next(table for table in report["tables"] if table["name"] == name)
    assert {"name", "unit", "columns", "rows"} <= set(table)
    assert table["unit"] == "mb/h"
    return {row["label"]: row for row in table["rows"]}


def test_shape(report):
    assert report["paper"] == "waugh2009-grafting"
    names = ["Table 1", "Table 2", "Table 1 by LP", "Table 2 by LP"]
    assert [table["name"] for table in report["tables"]] == names
    for name in names:
        labelled = rows(report, name)
        if name.startswith("Table 2"):
            assert list(labelled) == list(TABLE_2)
            assert all(list(row["ours"]) == ["wins", "losses", "exploitability"] for row in labelled.values())
        else:
            assert list(labelled) == [f"({i}) {label}" for i, label in enumerate(TABLE_1, start=1)]
        assert all(bool(row["paper"]) == ("by" not in name) for row in labelled.values())
    for row in (*rows(report, "Table 1").values(), *rows(report, "Table 2").values()):
        for column, cell in row["cells"].items():
            assert cell["verdict"] in {"matches", "solver-dependent", "differs"}
            assert bool(cell["why"]) == (cell["verdict"] != "matches")
            assert {"CFR+", "DCFR", "PCFR+", "LP"} <= set(cell["ways"])
            assert cell["ways"]["CFR+"] == row["ours"][column]
    assert report["figure"].count("<path") > 27


def test_verdicts_follow_from_the_solvers(report):
    """Within what the solvers span (half a printed digit more): it depends on them; outside: it differs."""
    for name in ("Table 1", "Table 2"):
        for row in rows(report, name).values():
            for column, cell in row["cells"].items():
                half = 0.5 if column in ("wins", "losses") else 0.05
                paper, figures = row["paper"][column], cell["ways"].values()
                assert (cell["verdict"] == "matches") == all(abs(f - paper) <= half + 1e-9 for f in figures)
                outside = not min(figures) - half - 1e-9 <= paper <= max(figures) + half + 1e-9
                assert (cell["verdict"] == "differs") == outside
    verdicts = {label: row["cells"]["exploitability"]["verdict"] for label, row in rows(report, "Table 2").items()}
    assert verdicts["J.Q.K"] == "differs"
    assert verdicts["JQ.K"] == verdicts["J.QK"] == "solver-dependent"
    assert all(
        rows(report, "Table 2")["J.QK"]["cells"][column]["verdict"] == "matches" for column in ("wins", "losses")
    )


def test_published_tables_agree_with_each_other():
    """Our copy of them: antisymmetric, and Table 2 counts the signs of Table 1."""
    figures = list(TABLE_1.values())
    for i, (label, row) in enumerate(TABLE_1.items()):
        assert all(row[j] == -figures[j][i] for j in range(9))
        wins, losses, _ = TABLE_2[label]
        assert (sum(x > 0 for x in row[:9]), sum(x < 0 for x in row[:9])) == (wins, losses)
        assert sum(row[:9]) / 8 == pytest.approx(row[9], abs=0.1)


@pytest.mark.parametrize("suffix", ["", " by LP"])
def test_our_tables_agree_with_each_other(report, suffix):
    first, second = rows(report, f"Table 1{suffix}"), rows(report, f"Table 2{suffix}")
    table = [list(row["ours"].values()) for row in first.values()]
    for i, (label, row) in enumerate(zip(TABLE_1, table, strict=True)):
        assert all(row[j] == pytest.approx(-table[j][i], abs=1e-9) for j in range(9))
        assert sum(row[:9]) / 8 == pytest.approx(row[9])
        ours = second[label]["ours"]
        assert (ours["wins"], ours["losses"]) == (sum(x > 0 for x in row[:9]), sum(x < 0 for x in row[:9]))


def test_exploitability(report):
    table = rows(report, "Table 2")
    for label, within in (("J.Q.K preflop grafts", 0.02), ("JQ.K", 0.02), ("J.QK", 0.02), ("J.Q.K", 0.05)):
        row = table[label]
        assert row["ours"]["exploitability"] == pytest.approx(row["paper"]["exploitability"], rel=within)


def test_wins(report):
    table = rows(report, "Table 2")
    for label, wins in (("J.Q.K preflop grafts", 8), ("J.Q.K flop grafts", 7), ("J.QK", 0)):
        assert table[label]["ours"]["wins"] == table[label]["paper"]["wins"] == wins


@pytest.mark.parametrize("suffix", ["", " by LP"])
def test_every_graft_beats_its_base(report, suffix):
    table = rows(report, f"Table 1{suffix}")
    order = list(TABLE_1)
    for base in BASES:
        for kind in ("preflop grafts", "flop grafts"):
            row = table[f"({order.index(f'{base} {kind}') + 1}) {base} {kind}"]
            assert row["ours"][f"({order.index(base) + 1})"] > 0
    assert len(report["head_to_head"]) == 24
    assert all(row["winnings"] > 0 for row in report["head_to_head"])


def test_theorem_1(report):
    assert len(report["theorem_1"]) == 4 * 6 * 2
    for row in report["theorem_1"]:
        assert row["holds"]
        assert len(row["grafts"]) == 3
        assert sum(graft["gain"] for graft in row["grafts"]) == pytest.approx(row["gain"], abs=1e-9)
        assert row["epsilon"] >= max(graft["epsilon"] for graft in row["grafts"])
        assert row["epsilon"] < (1e-9 if row["solver"] == "LP" else 1e-4)
        assert row["gain"] >= row["bound"] - 1e-12


def test_no_equilibrium_is_as_hard_to_exploit_as_the_published_one(report):
    """Why J.Q.K differs: the figure is below the least of all equilibria, though the others are not."""
    least = {row["abstraction"]: row for row in report["least_exploitable_equilibria"]}
    assert least["J.Q.K"]["exact"] > TABLE_2["J.Q.K"][2] + 4
    for base in BASES:
        assert least[base]["within_epsilon"] <= least[base]["exact"]
        assert rows(report, "Table 2 by LP")[base]["ours"]["exploitability"] >= least[base]["exact"] - 1e-6
    for base in ("JQ.K", "J.QK"):
        assert least[base]["exact"] <= TABLE_2[base][2]
        assert least[base]["most"] > rows(report, "Table 2 by LP")[base]["ours"]["exploitability"] - 1e-6


def test_the_page_has_the_published_table_and_our_limits(report):
    page = ROOT / "docs" / "waugh2009-grafting.md"
    tables = [block.table for block in blocks(page, page.read_text()) if block.mark and block.table]
    shown = next(table for table in tables if table[0][:2] == ["strategy", "paper"])
    assert {row[0]: row[1] for row in shown[1:]} == {
        label: f"{wins}-{losses}, {figure}" for label, (wins, losses, figure) in TABLE_2.items()
    }
    for limit in report["least_exploitable_equilibria"]:
        assert f"{limit['within_epsilon']:.1f}" in page.read_text()
