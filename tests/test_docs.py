"""README and docs say what is true: their Python runs, their commands run, their links lead somewhere."""

import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from page_commands import READMES_PAPER, commands, too_wide
from pokerlab.cli import main
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import View, parse_hand

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
README = PAGES[0].read_text()


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder, in this process: starting one costs more than these commands do."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, arguments)


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What a piece of Python prints, run as a user would; the same piece is run once."""
    folder = tmp_path_factory.mktemp("readme")

    @cache
    def output(code):
        result = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return output


@pytest.mark.slow
def test_commands_of_the_readme(tmp_path):
    """As a user would, each in a process of its own."""
    lines = commands(README)
    assert len(lines) >= 6
    lines.remove(READMES_PAPER)
    for line in lines:
        command = [sys.executable, "-m", "pokerlab", *shlex.split(line)[1:]]
        wide = {**os.environ, "COLUMNS": "300"}
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, env=wide)
        assert result.returncode == 0, f"{line}\n{result.stderr}"
        assert result.stdout.strip()
        assert too_wide(result.stdout) == [], line


def test_commands_of_the_table_exist(run):
    names = re.findall(r"^\| `pokerlab (\w+)", README, flags=re.M)
    known = [
        "games",
        "solve",
        "evaluate",
        "paper",
        "match",
        "tournament",
        "dealer",
        "spot",
        "spots",
        "equity",
        "jamfold",
        "preflop",
        "buckets",
        "train",
        "cases",
        "counter",
        "trends",
        "evolve",
        "hands",
        "web",
    ]
    assert names == known
    for name in names:
        assert run(name, "--help").exit_code == 0


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, flags=re.S))
def test_python_of_the_readme(code, printed):
    assert printed(code).strip()


def test_python_of_the_agents_page(printed):
    code = "".join(re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "agents.md").read_text(), flags=re.S))
    match, response = printed(code).splitlines()
    assert re.fullmatch(r"moody wins -?\d+ ± \d+ mb/h", match)
    assert response.startswith("at least ")


def test_the_agents_page_tells_all_of_a_view():
    """Every field, and nothing that a view does not have."""
    page = (ROOT / "docs" / "agents.md").read_text()
    part = page[page.index("## What an agent sees") : page.index("## Whose agents")]
    told = {name for row in re.findall(r"^\| (`.*?`) \|", part, flags=re.M) for name in re.findall(r"`(\w+)", row)}
    assert told - {"view"} == {name for name in dir(View) if not name.startswith("_")} - {"count", "index", "from_json"}
    hand = parse_hand(rules_of("holdem-limit"), "r", "AsKd|")
    view = hand.view(0)
    for kind, name in re.findall(r"`(legal|betting|rules)\.(\w+)", part):
        assert hasattr(getattr(view, kind) or view.betting.legal, name), f"{kind}.{name}"
    assert view.cards_text() == "AsKd|"
    assert view.betting_text() == "r"
    assert "agents.md#what-an-agent-sees" in (ROOT / "docs" / "contributing.md").read_text()


def test_the_readme_opens_with_code_that_solves_leduc(printed):
    code = re.findall(r"```python\n(.*?)```", README, flags=re.S)[0]
    value, exploitability = map(float, printed(code).split())
    assert value == pytest.approx(-0.0856064, abs=1e-4)
    assert 0 < exploitability <= 1e-4


def test_make_targets_of_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"\bmake (\w+)", README):
        assert re.search(rf"^{target}:", makefile, flags=re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / link).exists(), link


@pytest.mark.slow
def test_the_demo_runs(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "pokerlab.demo"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert "-0.085606424" in result.stdout
    assert "272.2 mb/h" in result.stdout


def test_json_is_one_object(run):
    for arguments in (["games"], ["solve", "kuhn"], ["paper"]):
        result = run(*arguments, "--json")
        assert isinstance(json.loads(result.stdout), dict)
