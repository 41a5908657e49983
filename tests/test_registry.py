"""Rows by name: found, missed, added, and loaded from other packages only when asked for."""

import sys

import pytest

from pokerlab.errors import AgentError
from pokerlab.registry import Registry


def test_rows_are_objects_or_the_places_where_they_lie():
    colours = Registry("colour", {"red": 1, "pi": "math:pi"})
    assert list(colours) == ["red", "pi"]
    assert colours["red"] == 1
    assert colours["pi"] == pytest.approx(3.14159265)


def test_a_name_that_is_not_there_is_an_error_with_a_hint():
    colours = Registry("colour", {"red": 1, "green": 2}, error=AgentError)
    with pytest.raises(AgentError, match=r"no colour 'gren'; did you mean 'green'\?"):
        colours["gren"]
    with pytest.raises(AgentError, match="no colour 'xyz'; there are red, green"):
        colours["xyz"]
    assert "gren" not in colours


def test_a_name_is_given_once():
    colours = Registry("colour", {"red": 1})
    colours.add("blue", 3)
    assert colours["blue"] == 3
    with pytest.raises(ValueError, match="already"):
        colours.add("red", 2)


def test_an_installed_package_adds_rows_that_are_imported_when_asked_for(tmp_path, monkeypatch):
    (tmp_path / "paint_box.py").write_text("TEAL = 7\n")
    info = tmp_path / "paint_box-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: paint_box\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pokerlab.colours]\nteal = paint_box:TEAL\ngone = paint_box:GONE\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    colours = Registry("colour", {"red": 1})
    assert list(colours) == ["red", "teal", "gone"]
    assert "teal" in colours
    assert "paint_box" not in sys.modules
    assert colours["teal"] == 7
    with pytest.raises(ValueError, match="colour 'gone' cannot be loaded from paint_box:GONE"):
        colours["gone"]
