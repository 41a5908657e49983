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
FILE, LOCK = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S)

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
    assert len(commands) == 11
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
