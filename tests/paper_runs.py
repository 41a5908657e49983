"""Papers reproduced as a user would, for tests of their reports."""

import json
import subprocess
import sys
from pathlib import Path


def reproduced(name: str, folder: Path, *options: str) -> dict:
    """The report that `pokerlab paper` prints; its files are those that it names, and one of them is the report."""
    command = [sys.executable, "-m", "pokerlab", "paper", name, "--json", "--out", str(folder), *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert {*map(Path, report.pop("files"))} == {*folder.iterdir()}
    assert json.loads((folder / f"{name}.json").read_text()) == report
    return report
