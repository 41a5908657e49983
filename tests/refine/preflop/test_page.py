"""docs/preflop.md says what is true: its file and commands run as they stand there, with few boards."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pokerlab.refine.preflop.game import parse_preflop
from pokerlab.refine.preflop.run import solve_preflop
from pokerlab.refine.spots.spot import read_spot

PAGE = (Path(__file__).parents[3] / "docs" / "preflop.md").read_text()
FILE, *_ = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S)
FEWER = ('"subset:12"', '"As 7d 2c"'), ("turns = 4", "turns = 1"), ("rivers = 4", "rivers = 1")

pytestmark = pytest.mark.slow


def small():
    text = FILE
    for whole, few in FEWER:
        assert whole in text
        text = text.replace(whole, few)
    return text


def test_the_file_is_the_usual_one():
    """But for the sizes before the flop: what may be left out is what is left out."""
    asked = parse_preflop(FILE)
    raises = FILE[FILE.index("[raises]") : FILE.index("[bets]")]
    assert asked == parse_preflop(f"stack = 2000\n{raises}")


def test_commands(tmp_path):
    (tmp_path / "twenty.toml").write_text(small())
    for line in re.findall(r"^\$ pokerlab (.*)$", PAGE, flags=re.M):
        words = [sys.executable, "-m", "pokerlab", *shlex.split(line)]
        result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert result.returncode == 0, result.stderr
        assert result.stdout.strip()
    assert read_spot(tmp_path / "flop.toml").pot == 400


def test_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("twenty.toml").write_text(small())
    solve_preflop(parse_preflop(small()), iterations=2).save("twenty.preflop")
    for code in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S):
        exec(code, {})
        assert capsys.readouterr().out.strip()
