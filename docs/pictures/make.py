"""The pictures of docs/tour.md: what its commands print, as a terminal shows it.

python docs/pictures/make.py FOLDER     where the commands of the tour were run, in order
"""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

SHOWN = {
    "competitor": [
        "pokerlab match royal.blueprint call --game holdem-limit:ranks=5 --hands 200 --duplicate",
        'pokerlab ask royal.blueprint --hand AsKs --board "Qs Js Th" --betting "cc/"',
    ],
    "analyst": ["pokerlab hands stats --store hands.duckdb"],
    "student": ['pokerlab spot river.solution --line "check, bet 100"'],
    "researcher": [
        "pokerlab solve leduc --method lp",
        "pokerlab evaluate coarse.strategy",
        "pokerlab evaluate court.strategy --abstraction my_lab:court-FULL",
    ],
}
_FONTS = re.compile(r"@font-face \{.*?\}\s*", flags=re.S)  # from elsewhere: a picture needs no network


def picture(commands: list[str], folder: Path) -> str:
    """What commands print, under themselves, as SVG."""
    lines = []
    for line in commands:
        words = [sys.executable, "-m", "pokerlab", *shlex.split(line)[1:]]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
        lines += [f"$ {line}", *done.stdout.rstrip().splitlines(), ""]
    width = min(110, max(map(len, lines)) + 1)
    console = Console(record=True, width=width, file=io.StringIO())
    for line in lines[:-1]:
        console.print(Text(line, style="bold" if line.startswith("$ ") else ""), soft_wrap=False)
    return _FONTS.sub("", console.export_svg(title="pokerlab", unique_id="tour"))


if __name__ == "__main__":
    for name, commands in SHOWN.items():
        Path(__file__).with_name(f"{name}.svg").write_text(picture(commands, Path(sys.argv[1])))
