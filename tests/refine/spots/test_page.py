"""docs/spots.md says what is true: its file, commands and Python run as they stand there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.spot import parse_spot

PAGE = (Path(__file__).parents[3] / "docs" / "spots.md").read_text()
FILE, LOCK, TREE = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S)

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "turn.toml").write_text(FILE)
    return tmp_path


def run(arguments, folder):
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def test_commands(folder):
    commands = re.findall(r"^\$ pokerlab (.*)$", PAGE, flags=re.M)
    assert len(commands) == 16
    for line in commands:
        result = run(["-m", "pokerlab", *shlex.split(line)], folder)
        assert result.returncode == 0, result.stderr
        assert result.stdout.strip()


def test_python(folder):
    solve_spot(parse_spot(FILE), iterations=20).save(folder / "turn.solution")
    for code in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S):
        result = run(["-c", code], folder)
        assert result.returncode == 0, result.stderr
        assert result.stdout.strip()


def test_the_lock():
    spot = parse_spot(FILE + LOCK)
    node = solve_spot(spot, iterations=2).node("check, bet 100")
    assert node.hand("4d4h")["actions"]["fold"]["probability"] == pytest.approx(1)
    assert node.hand("AhQd")["actions"]["call"]["probability"] == pytest.approx(0.5)


def test_the_tree():
    spot = parse_spot(re.sub(r"\[bets\].*", "", FILE, flags=re.S) + TREE)
    assert spot.tree()[0].labels == ("check", "bet 50")
    (at,) = (node for node in spot.tree() if spot.tree().line(node.index) == ("check",))
    assert at.labels == ("check", "bet 120", "bet 150")
    (at,) = (node for node in spot.tree() if spot.tree().line(node.index) == ("check", "bet 120"))
    assert at.labels == ("fold", "call", "raise 360", "all-in")
    assert parse_spot(spot.text()) == spot
