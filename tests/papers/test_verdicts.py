"""The rules of verdicts: what moves by more than the tolerance flips, and no paper forms a tolerance of its own."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerlab import papers
from pokerlab.papers import verdicts
from pokerlab.papers.report import Report, Row, Table, mark
from pokerlab.papers.verdicts import Cell, Printed, half_unit, interval, rounding

PAPERS = sorted(Path(papers.__file__).parent.glob("*.py"))
WORDS = {verdicts.MATCHES, verdicts.DIFFERS, verdicts.FITTED, verdicts.TOO_ROUGH, verdicts.NOT_REACHED} | {
    verdicts.FAILS, verdicts.OPEN
}  # fmt: skip
figures = st.floats(-1e4, 1e4)
digits = st.integers(0, 4)
sizes = st.floats(0, 10)
more = st.floats(1.001, 100)  # by how much beyond the tolerance, or within it


@given(paper=figures, digits=digits, bound=sizes, sampled=sizes, theirs=sizes, beyond=more, up=st.booleans())
def test_a_figure_flips_at_its_tolerance(paper, digits, bound, sampled, theirs, beyond, up):
    published = Printed(paper, digits, theirs)
    tolerance = half_unit(digits) + bound + math.hypot(sampled, theirs)
    known = {"bounds": {"gap": bound}, "sampled": {"seeds": sampled}}
    sign = 1 if up else -1
    assert Cell(paper, published, **known).verdict == "matches"
    assert Cell(paper, published, **known).tolerance == pytest.approx(tolerance, rel=1e-6, abs=1e-9)
    assert Cell(paper + sign * tolerance / beyond, published, **known).verdict == "matches"
    far = Cell(paper + sign * tolerance * beyond + sign * 1e-9, published, **known)
    assert far.verdict == "differs"
    assert ("below" if up else "above") in far.why


@given(paper=figures, digits=digits, low=sizes, high=sizes, beyond=more)
def test_ways_must_hold_the_published_figure_between_them(paper, digits, low, high, beyond):
    published, unit = Printed(paper, digits), half_unit(digits)
    low, high = paper - low - 2 * unit, paper + high + 2 * unit
    between = Cell(low, published, {"LP": low, "CFR+": high})
    assert between.verdict == "solver-dependent"
    assert "LP" in between.why
    assert "CFR+" in between.why
    assert f"{high - low:.{digits}f}" in between.why
    assert Cell(low, published, {"tiny": high}, "blueprint").verdict == "blueprint-dependent"
    shift = unit * beyond + 1e-9 + high - paper
    for sign in (-1, 1):  # the nearest way just beyond the tolerance, on either side
        ways = {"LP": paper + sign * shift, "CFR+": paper + sign * (shift + high - low)}
        assert Cell(ways["CFR+"], published, ways).verdict == "differs"


def test_one_way_that_agrees_is_no_match():
    assert Cell(190.4, Printed(190.4, 1), {"LP": 190.4, "CFR+": 190.9}).verdict == "solver-dependent"
    assert Cell(190.4, Printed(190.4, 1), {"LP": 190.4, "CFR+": 190.44}).verdict == "matches"


def test_ways_count_as_far_as_chance_does_not_explain_them():
    cell = Cell(10.0, Printed(20.0, 0), {"other": 18.0}, chance={"other": 5.0})
    assert cell.range == (10.0, 13.0)
    assert cell.verdict == "differs"
    assert Cell(10.0, Printed(20.0, 0), {"other": 26.0}, chance={"other": 5.0}).verdict == "solver-dependent"


@given(paper=figures, away=st.floats(0.01, 100), share=st.floats(0, 3))
def test_a_tolerance_must_tell_rivals_apart(paper, away, share):
    """Wide as one likes, a tolerance makes no match: 0.03 beside figures 0.01 apart."""
    cell = Cell(paper, Printed(paper, None, rivals=(paper, paper + away)), sampled={"seeds": share * away})
    if abs(share - 1) > 1e-6:
        assert cell.verdict == ("matches" if share < 1 else "too rough")
    assert Cell(paper + 5 * away, cell.paper, sampled={"seeds": share * away}).verdict == "differs"


def test_fitted():
    paper = Printed(2.8, 1)
    cell = Cell(2.81, paper, fitted="how bets are rounded")
    assert (cell.verdict, cell.otherwise) == ("fitted", "matches")
    assert "how bets are rounded was chosen beside these figures; otherwise matches" in cell.why
    assert Cell(2.9, paper, fitted="rounding").as_json()["otherwise"] == "differs"
    assert Cell(2.81, paper, fitted="rounding", readings={"up": 2.79}).verdict == "matches"  # the choice was none
    assert Cell(2.81, paper, fitted="rounding", readings={"up": 2.92, "down": 2.8}).verdict == "fitted"
    assert Cell(2.81, fitted="rounding").verdict == "computed"


def test_not_reached():
    cell = Cell(138, Printed(298, 0), not_reached="ended at a gap of 0.1")
    assert (cell.verdict, cell.why) == ("not reached", "ended at a gap of 0.1")


def test_intervals_are_of_student():
    sample = np.array([[1.0], [2.0], [3.0], [6.0]])
    assert interval(sample)[0] == pytest.approx(3.182446 * np.std([1, 2, 3, 6], ddof=1) / 2)
    rng = np.random.default_rng(1)
    means, halves = zip(*((draw.mean(), interval(draw)) for draw in rng.normal(size=(4000, 4))), strict=True)
    assert np.mean(np.abs(means) <= halves) == pytest.approx(0.95, abs=0.012)


def test_rounding_is_that_of_long_sums():
    rng, off = np.random.default_rng(2), []
    for _ in range(50):
        products = rng.normal(size=4096)
        off.append(abs(float(np.cumsum(products)[-1]) - math.fsum(products)) / np.abs(products).sum())
    assert max(off) < rounding(1.0) < 1e-13


def test_rows_have_the_gravest_verdict_and_a_line_a_figure():
    cells = {
        "wins": Cell(8, Printed(8, 0)),
        "exploitability": Cell(298.7, Printed(298.3, 1), {"CFR+": 298.7, "LP": 375.9, "DCFR": 295.9}),
    }
    row = Row("J.Q.K preflop grafts", cells)
    assert row.verdict == "solver-dependent"
    assert row.why == "1 matches, 1 solver-dependent"
    assert row.paper == {"wins": 8, "exploitability": 298.3}
    worse = Row("x", {**cells, "losses": Cell(1, Printed(0, 0)), "free": Cell(3.0)})
    assert worse.verdict == "differs"
    printed = Table("Table 2", "mb/h", ["wins", "losses", "exploitability", "free"], [row, worse]).lines()
    assert any(line.strip().startswith("exploitability: solver-dependent: comes to the") for line in printed)
    assert any(line.strip().startswith("losses: differs: published 1 below ours") for line in printed)
    plain = Report("p", [Table("Table 2", "mb/h", list(cells), [worse])]).as_json()["tables"][0]["rows"][0]
    assert {name: cell["verdict"] for name, cell in plain["cells"].items()} == {
        "wins": "matches", "exploitability": "solver-dependent", "losses": "differs",
    }  # fmt: skip
    assert plain["cells"]["exploitability"]["low"] == 295.9
    assert Row.computed("y", {"a": 1.0}, "cut off").verdict == "computed"
    assert [mark(cell.verdict) for cell in worse.cells.values()] == ["=", "~", "#", ""]


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.name)
def test_no_paper_forms_a_tolerance_or_a_verdict_of_its_own(path):
    """Published digits and what a run measures go to a Cell; words and comparisons of differences are verdicts.py's."""
    if path.name in ("verdicts.py", "report.py"):
        return
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        where = f"{path.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert node.value not in WORDS, f"{where} says a verdict"
        if isinstance(node, ast.ImportFrom) and node.module == "pokerlab.papers.verdicts":
            assert {name.name for name in node.names} <= {
                "Cell",
                "Printed",
                "half_unit",
                "interval",
                "order",
                "rounding",
            }
        if isinstance(node, ast.Name):
            assert not {"TOLERANCE", "WITHIN", "NEGATIVE"} & {node.id} or _imported(tree, node.id), where
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Call) and getattr(side.func, "id", "") in ("abs", "isclose") for side in sides):
                assert any("rounding" in ast.dump(side) for side in sides), f"{where} compares a difference"
            numbers = [part.value for side in sides for part in ast.walk(side) if isinstance(part, ast.Constant)]
            small = [number for number in numbers if isinstance(number, float) and 0 < abs(number) < 1]
            assert not small, f"{where} compares with {small}"
        if isinstance(node, ast.keyword) and node.arg in ("bounds", "sampled", "chance"):
            literals = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
            assert not [value for value in literals if isinstance(value, float)], f"{where} has a literal tolerance"


def _imported(tree, name):
    """Whether a name comes from where it is measured or set for a solver, not from the paper's module."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(alias.name == name for node in imports for alias in node.names)
