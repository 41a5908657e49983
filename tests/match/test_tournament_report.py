"""A tournament's results as files, text and a page that a real browser shows."""

import csv
import io
import json
import re
import shutil
import subprocess
from html import escape
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.agents.simple import SIMPLE
from pokerlab.cli.tournament import tournament
from pokerlab.match.tournament.html import _spread, _ticks
from pokerlab.match.tournament.play import plan_tournament, run_tournament
from pokerlab.match.tournament.report import crosstable_csv, lines, matches_csv, summary, write, write_common_page

HOSTILE = '<b>&"evil"'


def build(spec, rules):
    return SIMPLE[spec]()


def played(game, agents, hands=200):
    plan = plan_tournament(agents, game, hands, build=build)
    return plan, run_tournament(plan, executor=map, build=build)


@pytest.fixture(scope="module")
def two():
    return played("leduc", [f"{HOSTILE}=call", "raise", "random", "a,b=fold"])


@pytest.fixture(scope="module")
def three():
    return played("kuhn-3p", ["call", "raise", f"{HOSTILE}=random", "probe"], hands=50)


class Balance(HTMLParser):
    """Complains of tags that do not close each other; gathers text, tags and attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags, self.attributes = [], [], set(), []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("kind", ["two", "three"])
def test_the_page_is_whole_and_needs_nothing_else(kind, request, tmp_path):
    plan, standings = request.getfixturevalue(kind)
    page = write(plan, standings, tmp_path)[-1].read_text()
    parser = Balance()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    assert {"svg", "polyline", "polygon", "table"} <= parser.tags
    assert not {"b", "script", "link", "img", "iframe"} & parser.tags
    assert not [name for name, _ in parser.attributes if name in ("src", "href", "srcset") or name.startswith("on")]
    assert "http" not in page
    assert "url(" not in page
    assert "nan" not in " ".join(parser.text).split()
    for name in standings.agents:
        assert sum(text == name for text in parser.text) >= 6, name
    (picture,) = re.findall(r"<svg.*?</svg>", page, flags=re.S)
    drawn = ElementTree.fromstring(picture)
    assert len(drawn.findall("polygon")) == len(standings.agents)
    assert {text.text for text in drawn.findall("text")} >= set(standings.agents)


def test_several_tournaments_on_one_page(two, three, tmp_path):
    """Whole, each with everything of its own page, and each agent's ranks in both ahead of it."""
    common = write_common_page([two, three], "Two & three", "who came where", tmp_path).read_text()
    parser = Balance()
    parser.feed(common)
    parser.close()
    assert parser.open == []
    assert "<title>Two &amp; three</title>" in common
    assert re.findall(r"<h2>(.*?)</h2>", common) == ["leduc", "kuhn-3p"]
    for played in (two, three):
        alone = write(*played, tmp_path / played[0].rules.name)[-1].read_text()
        sections = re.split(r"<h2>.*?</h2>", alone.removesuffix("\n</main></body></html>\n"))
        assert all(section.strip() in common for section in sections[1:])
        assert [f"<h3>{name}</h3>" in common for name in re.findall(r"<h2>(.*?)</h2>", alone)] == [True] * len(
            sections[1:]
        )
    (places,) = re.findall(r"<table.*?</table>", common.split("<h2>")[0], flags=re.S)
    told = {row[0]: row[1:] for row in (re.findall(r"<td.*?>(.*?)</td>", row) for row in places.split("<tr>")) if row}
    ranks = {name: ["", "", "", ""] for _, s in (two, three) for name in s.agents}
    for column, (_, s) in enumerate((two, three)):
        for a, name in enumerate(s.agents):
            ranks[name][2 * column : 2 * column + 2] = [str(s.ranks[a]), str(s.bankroll_run_off.rank(a))]
    assert told == {escape(name): row for name, row in ranks.items()}


def test_csv(two):
    _, s = two
    table = list(csv.reader(io.StringIO(crosstable_csv(s))))
    assert table[0] == ["agent (mb/h)", *(n + p for n in s.agents for p in ("", " ±")), "total", "total ±"]
    assert [row[0] for row in table[1:]] == list(s.agents)
    for a, row in enumerate(table[1:]):
        for b in range(4):
            expected = ["", ""] if a == b else [f"{value:.6f}" for value in s.crosstable[a, b][:2]]
            assert row[1 + 2 * b : 3 + 2 * b] == expected
        assert float(row[-2]) == pytest.approx(s.bankroll[a].mean, abs=1e-6)
    rows = list(csv.DictReader(io.StringIO(matches_csv(s))))
    assert len(rows) == 12
    assert {row["deals"] for row in rows} == {"200"}
    fold = next(row for row in rows if (row["agent"], row["opponents"]) == ("a,b", "raise"))
    assert (float(fold["mean"]), float(fold["ci95"]), fold["outcome"]) == (-500, 0, "-1")


@pytest.mark.parametrize("kind", ["two", "three"])
def test_json(kind, request, tmp_path):
    plan, s = request.getfixturevalue(kind)
    found = json.loads(write(plan, s, tmp_path)[0].read_text(), parse_constant=lambda text: pytest.fail(text))
    assert found == summary(plan, s)
    assert {"game", "agents", "hands", "unit", "mean", "ci95", "seed", "duplicate"} <= found.keys()
    assert sum(found["mean"]) == pytest.approx(0, abs=1e-6)
    table = np.array(found["crosstable"]["mean"], dtype=float)
    assert np.isnan(table).sum() == 4
    if kind == "two":
        np.testing.assert_allclose(table, -table.T)
        np.testing.assert_allclose(np.nanmean(table, axis=1), found["mean"], atol=1e-6)
        assert found["exact"][1][3] == 500
    else:
        assert found["exact"] is None
    assert len(found["curves"]["bankroll"][0]) == len(found["curves"]["deals"])
    for ranks in found["ranks"].values():
        assert sorted(ranks)[0] == 1
    first = found["run_offs"]["bankroll"][0]
    assert first["removed"] == min(first["scores"], key=first["scores"].get)


def test_a_single_deal_has_no_interval(tmp_path):
    plan, s = played("kuhn", ["call", "raise"], hands=1)
    assert summary(plan, s)["ci95"] == [None, None]
    assert "∞" in write(plan, s, tmp_path)[-1].read_text()
    assert ",," in crosstable_csv(s)


def test_text(two, three):
    text = "\n".join(lines(*two))
    assert "4 agents, 6 duplicate matches of 200 deals (2,400 hands), seed 0; mb/h" in text
    assert "+500.0 ± 0.0***" in text
    assert "in expectation" in text
    text = "\n".join(lines(*three))
    assert "against probe and raise" in text
    assert "in expectation" not in text


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 10000, [0, 2000, 4000, 6000, 8000, 10000]), (-3, 4, [-4, -2, 0, 2, 4]), (0, 0, None), (-0.02, 0.1, None)],
)
def test_ticks(low, high, expected):
    ticks = _ticks(low, high)
    assert ticks[0] <= low + 1e-9
    assert ticks[-1] >= high - 1e-9
    assert 2 <= len(ticks) <= 8
    if expected is not None:
        assert ticks == expected


def test_labels_do_not_overlap():
    for heights in ([10.0, 12.0, 11.0], [450.0] * 6, [5.0], list(np.random.default_rng(1).uniform(0, 450, 12))):
        apart = np.diff(sorted(_spread(heights)))
        assert (apart >= 17 - 1e-9).all()
        assert max(_spread(heights)) <= 452 + 1e-9


def test_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner()
    arguments = ["call", "raise", "random", "--game", "kuhn", "--hands", "300", "--seed", "5", "--processes", "1"]
    first = run.invoke(tournament, [*arguments, "--json"])
    assert first.exit_code == 0, first.output
    assert first.stdout.count("\n") == 1
    found = json.loads(first.stdout)
    assert (found["hands"], found["seed"], found["unit"]) == (300, 5, "mb/h")
    folder = tmp_path / found["folder"]
    assert sorted(path.name for path in folder.iterdir()) == [
        "chunks", "crosstable.csv", "index.html", "manifest.json", "matches.csv", "results.json"
    ]  # fmt: skip
    assert json.loads(run.invoke(tournament, [*arguments, "--json"]).stdout) == found
    text = run.invoke(tournament, [*arguments, "--out", "here", "--no-duplicate"])
    assert "3 matches of 300 deals (900 hands)" in text.stdout
    refused = run.invoke(tournament, [*arguments, "--out", "here"])
    assert "--fresh" in str(refused.exception)
    assert run.invoke(tournament, [*arguments, "--out", "here", "--fresh"]).exit_code == 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_a_browser_shows_the_page(two, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="needs pillow to look at the picture")
    page, shot = write(*two, tmp_path)[-1], tmp_path / "page.png"
    options = [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", "--no-first-run", "--hide-scrollbars", f"--user-data-dir={tmp_path / 'profile'}",
        "--window-size=1200,2400",
    ]  # fmt: skip
    subprocess.run(
        ["chromium", *options, f"--screenshot={shot}", page.as_uri()], check=True, capture_output=True, timeout=120
    )
    picture = image.open(shot).convert("RGB")
    colours = {colour: count for count, colour in picture.getcolors(1 << 24)}
    assert picture.size == (1200, 2400)
    assert 0.5 < colours[255, 255, 255] / (1200 * 2400) < 0.99
    # The lines of the plot, in the colours of the first agents, and the grey diagonal of the crosstable.
    for colour in ((0, 0x72, 0xB2), (0xD5, 0x5E, 0), (0, 0x9E, 0x73), (0xF1, 0xF1, 0xF1)):
        assert colours.get(colour, 0) > 100
