"""Specs that are not of the catalogue, and the page that tells of all games."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import pokerlab
from pokerlab.errors import EfgError, OpenSpielError
from pokerlab.form.general import game_from
from pokerlab.game.catalog import CATALOG, rules_of

PAGE = (Path(__file__).parents[2] / "docs" / "games.md").read_text()
PENNIES = 'EFG 2 R "" { "" "" } p "" 1 1 "" { "h" "t" } 0 p "" 2 1 "" { "h" "t" } 0 t "" 1 "" { 1 -1 } '
PENNIES += 't "" 2 "" { -1 1 } p "" 2 1 0 t "" 2 t "" 1'


@pytest.mark.parametrize("spec", ["kuhn", "leduc:ranks=4", "game.txt", "", "efg", "openspiel", "x.efg.bak"])
def test_other_specs_are_left_to_the_catalogue(spec):
    assert game_from(spec) is None


def test_gambit_files(tmp_path):
    for name in ("pennies.efg", "PENNIES.EFG"):
        path = tmp_path / name
        path.write_text(PENNIES)
        game = game_from(str(path))
        assert game is not None
        assert game.name == str(path)
        assert pokerlab.solve(game, "lp").value == pytest.approx(0, abs=1e-12)
    with pytest.raises(EfgError, match=r"no such file: .*none\.efg"):
        game_from(str(tmp_path / "none.efg"))


def test_openspiel_games():
    pytest.importorskip("pyspiel")
    game = game_from("openspiel:kuhn_poker")
    assert game is not None
    again = game_from(game.name)
    assert again is not None
    assert again.name == game.name
    with pytest.raises(OpenSpielError):
        game_from("openspiel:")


def test_the_page_lists_the_catalogue():
    names = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, flags=re.M)
    assert names == list(CATALOG)


def test_the_pages_specs_are_games():
    specs = re.findall(r"`([a-z-]+:(?:ranks|suits|raises|stack)=[^`]+)`", PAGE)
    assert len(specs) >= 3
    for spec in specs:
        assert rules_of(spec).name == spec


def test_the_pages_definition_is_one():
    text = re.findall(r"```\n(GAMEDEF\n.*?)```", PAGE, flags=re.S)[0]
    assert pokerlab.solve(pokerlab.parse_rules(text, "page"), "lp").exploitability == pytest.approx(0, abs=1e-9)


def test_the_pages_efg_is_one(tmp_path):
    text = re.findall(r"```\n(EFG .*?)```", PAGE, flags=re.S)[0]
    path = tmp_path / "page.efg"
    path.write_text(text)
    assert pokerlab.solve(game_from(str(path)), "lp").value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, flags=re.S))
def test_the_pages_python_runs(code, tmp_path):
    pytest.importorskip("pyspiel")
    (tmp_path / "pennies.efg").write_text(PENNIES)
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    # Each `print(...)  # figure` of the page prints its figure.
    expected = re.findall(r"print\(.*\)\s+# (-?[0-9.]+)$", code, flags=re.M)
    assert [float(word) for word in result.stdout.split()] == pytest.approx([float(w) for w in expected], abs=1e-6)
