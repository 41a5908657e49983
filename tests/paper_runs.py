"""Papers reproduced as a user would, for tests of their reports."""

import json
import subprocess
import sys
from pathlib import Path

# Stopped where all is finished and nothing is cleared away.
STOPPED = (
    "from pokerlab.papers.pieces import Pieces\nPieces.clear = lambda self: None\nfrom pokerlab.cli import main\nmain()"
)
SHORT = ("waugh2009-grafting", "waugh2009-pathologies")  # begin anew
BY_THE_CLOCK = "tiny-blueprint"  # of pieces: is trained for some seconds, and never the same


def reproduced(name: str, folder: Path, *options: str) -> dict:
    """The report that `pokerlab paper` prints; its files are those that it names, and one of them is the report.

    A second run, which finds two pieces of three of the first, prints the same to the last digit.
    """
    arguments = ["paper", name, "--json", "--out", str(folder), *options]
    printed = _run("-c", STOPPED, *arguments)
    pieces = sorted(folder.glob("*.pieces/*.piece"), key=lambda file: file.stat().st_mtime_ns)
    for file in pieces[1::3]:
        if BY_THE_CLOCK not in file.name:
            file.unlink()
    if name not in SHORT:
        assert pieces
        assert _run("-m", "pokerlab", *arguments) == printed
    report = json.loads(printed)
    assert {*map(Path, report.pop("files"))} == {*folder.iterdir()}
    assert json.loads((folder / f"{name}.json").read_text()) == report
    return report


def _run(*command: str) -> str:
    result = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stderr
    return result.stdout
