"""The skeleton of pages: whole, escaped, and the chart of hands where a player expects each kind."""

import json
import re
from functools import partial

import pytest
from click.testing import CliRunner

from pokerlab import page, plots
from pokerlab.cards.holes import class_name
from pokerlab.cli import main
from pokerlab.papers import PAPERS, Paper
from pokerlab.papers.report import Report


def test_a_page_is_escaped():
    text = page.page("a < b", [page.said("1 < 2"), page.table(["<x>"], [page.cells(["<td>", "2"])])], ".extra {}")
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("a &lt; b") == 2
    assert "1 &lt; 2" in text
    assert "<th class=name>&lt;x&gt;</th>" in text
    assert "<td class=name>&lt;td&gt;</td><td>2</td>" in text
    assert ".extra {}" in text
    assert page.text(1, 2, "<", "end", "deep") == '<text class="deep" x="1.0" y="2.0" text-anchor="end">&lt;</text>'


def test_an_action_has_one_colour():
    few, many = page.action_colours(["fold", "call", "33%", "all-in"]), page.action_colours(["check", "33%", "75%"])
    assert few[0] == page.ACTIONS["fold"]
    assert few[1] == many[0] == page.ACTIONS["check"]
    assert few[3] == page.ACTIONS["all-in"]
    assert few[2] == many[1] == page.BETS[0]
    assert many[2] == page.BETS[2]
    six = page.action_colours(["1", "2", "3", "4", "5", "6"])
    assert sorted(six, key=page.BETS.index) == six
    assert {*six} == {*page.BETS}


def test_kinds_of_hands_lie_as_on_the_usual_chart():
    mixes = [None] * 169
    mixes[1] = [0.25, 0.0, 0.75]
    chart = page.chart(mixes, ["red", "green", "blue"], [f"<{kind}>" for kind in range(169)])
    cells = re.findall(r'<td style="(.*?)" title="(.*?)">(\w+)</td>', chart)
    assert [name for _, _, name in cells] == [class_name(kind) for kind in range(169)]
    assert cells[1][0].startswith("background: linear-gradient(to right, red 0.0% 25.0%, blue 25.0% 100.0%)")
    assert "gradient" not in cells[0][0]
    assert cells[1][1] == "&lt;1&gt;"
    assert chart.count("<tr>") == 13


def test_pictures_share_their_colours(tmp_path):
    pytest.importorskip("matplotlib")

    def paint(grid):
        assert grid.shape == (1, 2)
        for number in range(3):
            grid[0, 0].plot([0, 1], [0, number])

    plots.draw(tmp_path / "a.svg", "Three lines", paint, (4, 3), 1, 2)
    picture = (tmp_path / "a.svg").read_text()
    assert "<!-- Three lines -->" in picture
    assert all(colour in picture for colour in page.COLOURS[:3])
    assert page.COLOURS[3] not in picture


@pytest.mark.parametrize("there", [True, False])
def test_a_paper_says_where_its_pictures_are_or_why_there_are_none(tmp_path, monkeypatch, there):
    if there:
        pytest.importorskip("matplotlib")
    else:
        monkeypatch.setattr(plots, "find_spec", lambda name: None)
    drawn = partial(plots.draw, title="A title", paint=lambda grid: None, size=(3, 2))
    report = Report("tiny", [], figures={"tiny.svg": drawn})
    monkeypatch.setitem(PAPERS._rows, "tiny", Paper("Tiny", lambda quick, pieces: report))
    told = CliRunner().invoke(main, ["paper", "tiny", "--out", str(tmp_path)])
    assert told.exit_code == 0, told.stderr
    assert f"written to {tmp_path / 'tiny.json'}\n" in told.stdout
    assert (f"written to {tmp_path / 'tiny.svg'}\n" in told.stdout) == there
    assert (tmp_path / "tiny.svg").exists() == there
    assert ("pip install 'pokerlab[plots]'" in told.stdout) != there
    as_json = json.loads(CliRunner().invoke(main, ["paper", "tiny", "--out", str(tmp_path), "--json"]).stdout)
    assert as_json["files"] == [str(tmp_path / name) for name in ("tiny.json", "tiny.svg")[: 1 + there]]
