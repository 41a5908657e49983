"""README and docs say what is true: their Python runs, their commands run, their links lead somewhere."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
README = PAGES[0].read_text()


def run(arguments, folder):
    return subprocess.run(
        [sys.executable, "-m", "pokerlab", *arguments], cwd=folder, capture_output=True, text=True, timeout=600
    )


def commands():
    """The `pokerlab ...` lines of code blocks, in order."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", README, flags=re.S | re.M)
    return [line for block in blocks for line in block.splitlines() if line.startswith("pokerlab ")]


@pytest.mark.slow
def test_commands_of_the_readme(tmp_path):
    found = commands()
    assert len(found) >= 6
    for line in found:
        result = run(shlex.split(line)[1:], tmp_path)
        assert result.returncode == 0, f"{line}\n{result.stderr}"
        assert result.stdout.strip()


def test_commands_of_the_table_exist(tmp_path):
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
        "buckets",
        "train",
        "hands",
    ]
    assert names == known
    for name in names:
        assert run([name, "--help"], tmp_path).returncode == 0


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, flags=re.S))
def test_python_of_the_readme(code, tmp_path):
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_the_readme_opens_with_code_that_solves_leduc(tmp_path):
    code = re.findall(r"```python\n(.*?)```", README, flags=re.S)[0]
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    value, exploitability = map(float, result.stdout.split())
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


def test_json_is_one_object(tmp_path):
    for arguments in (["games"], ["solve", "kuhn"], ["paper"]):
        result = run([*arguments, "--json"], tmp_path)
        assert isinstance(json.loads(result.stdout), dict)
