"""What a terminal shows: lines that fit, columns, and colours where they are wanted."""

import pytest

from pokerlab.terminal import Piece, columns, folded, listed, painted, plain, wants_colour


def test_wide_lines_are_folded_under_their_last_column():
    line = "game    12  " + " ".join(["word"] * 40)
    parts = folded(line)
    assert all(len(part) <= 100 for part in parts)
    assert " ".join(" ".join(parts).split()) == " ".join(line.split())
    assert all(part.startswith(" " * 12 + "word") for part in parts[1:])
    assert folded("  " + "x " * 60)[1].startswith("      x")
    assert folded("short  line") == ["short  line"]
    assert folded("y" * 300) == ["y" * 300]  # a path is never cut


def test_parts_are_listed_whole():
    lines = listed([f"part{n}" for n in range(40)], indent=2)
    assert all(len(line) <= 100 for line in lines)
    assert "".join(lines).replace("  ", " ").count("part") == 40
    assert lines[0].endswith(",")
    assert lines[1].startswith("  part")
    assert listed([]) == []


def test_columns_are_as_wide_as_they_must_be():
    assert columns([["name", "n"], ["a", "12"], ["long one", "3"]]) == ["name       n", "a         12", "long one   3"]
    cut = columns([["n" * 150, "1"], ["b", "2"]])
    assert [len(line) for line in cut] == [100, 100]
    assert "..." in cut[0]


def test_colours_are_for_terminals_that_want_them(monkeypatch):
    line = [Piece("a "), Piece("b", "#0a0b0c")]
    assert plain(line) == "a b"
    assert painted(line) == "a \x1b[38;2;10;11;12mb\x1b[0m"
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(True)
    assert not wants_colour(False)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colours_gets_none(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert not wants_colour(True)
