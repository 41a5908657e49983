"""Claim: as many hands a second as a bare dealer in C with the same players, and half as many with two of our own.

Heads-up hold'em over loopback, every player calling or raising the minimum with equal probability: bare players in C at
a bare dealer in C (`dealer_twin.c`), the same players at ours, and two of our clients at ours. A figure is the best of
a match's stretches, by the clock, since waiting for each other is most of a match; the matches take turns, twice.
The bare dealer shuffles, checks answers, ranks showdowns and logs, but reads no game files and prints nothing. The
official dealer is not there to be run: its rates are quoted, of another machine on a quiet day.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from _command import FULL, Table, command
from pokerlab.game.catalog import rules_of
from pokerlab.match.dealer import Dealer
from pokerlab.records.logs import LogWriter

GAMES = {"limit": "holdem-limit", "no-limit": "holdem-nolimit"}
QUOTED = {"limit": 2200, "no-limit": 3050}  # hands a second of the official dealer with its example players
BARE, PLAIN, OWN = "C dealer, C players", "our dealer, C players", "our dealer, our players"
CLAIMS = {PLAIN: 1.0, OWN: 0.5}  # of the bare dealer's rate
SOURCE = Path(__file__).with_name("dealer_twin.c")


class Timed(Dealer):
    """Looks at the clock after every hand."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.clock: list[float] = []

    def _play_hand(self, number: int, cards: tuple[int, ...], log: LogWriter | None) -> None:
        super()._play_hand(number, cards, log)
        self.clock.append(time.monotonic())


def rate(clock: list[float], stretch: int) -> float:
    """Hands a second in the best stretch of so many."""
    return max(stretch / (end - start) for start, end in pairwise(clock[::stretch]))


def ours(game: str, hands: int, folder: Path, twin: str | None) -> list[float]:
    """When our dealer was done with each hand, with players of the twin or, without one, two of ours."""
    rules = rules_of(game)
    dealer = Timed(rules, hands, 1, log=folder / "ours.log")
    players = [
        subprocess.Popen(
            [twin, "player", str(port), str(int(not rules.limit)), str(seat)] if twin is not None else
            [sys.executable, "-m", "pokerlab", "join", "127.0.0.1", str(port), "--agent=probe", f"--game={game}"],
            stdout=subprocess.DEVNULL,
        )
        for seat, port in enumerate(dealer.ports)
    ]  # fmt: skip
    result = dealer.run()
    for player in players:
        player.wait()
    if not result.finished:
        raise SystemExit(f"the match ended before its end: {result.reason}")
    return dealer.clock


def bare(game: str, hands: int, folder: Path, twin: str) -> list[float]:
    """When the twin was done with each hand, with its own players."""
    nolimit = str(int(not rules_of(game).limit))
    command = [twin, "dealer", str(hands), nolimit, str(folder / "bare.log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dealer:
        assert dealer.stdout is not None
        ports = dealer.stdout.readline().split()
        players = [
            subprocess.Popen([twin, "player", port, nolimit, str(seat)], stdout=subprocess.DEVNULL)
            for seat, port in enumerate(ports)
        ]
        clock = [float(line) for line in dealer.stdout]
    for player in players:
        player.wait()
    return clock


def measure(quick: bool) -> dict[str, Any]:
    hands, stretch, turns = (100, 20, 1) if quick else (3000, 250, 2)
    compiler = shutil.which("cc")
    rates: dict[str, dict[str, float]] = {}
    with TemporaryDirectory() as name:
        folder, twin = Path(name), None
        if compiler is None:
            print("left out, there is no C compiler: the bare dealer and players", file=sys.stderr)
        else:
            twin = str(folder / "twin")
            subprocess.run([compiler, "-O2", "-o", twin, str(SOURCE)], check=True)
        for title, game in GAMES.items():
            best = rates[title] = dict.fromkeys([OWN] if twin is None else [BARE, PLAIN, OWN], 0.0)
            for _ in range(turns):
                if twin is not None:
                    best[BARE] = max(best[BARE], rate(bare(game, hands, folder, twin), stretch))
                    best[PLAIN] = max(best[PLAIN], rate(ours(game, hands, folder, twin), stretch))
                best[OWN] = max(best[OWN], rate(ours(game, hands, folder, None), stretch))
    ratios = {
        title: {row: best[row] / best[BARE] for row in CLAIMS} for title, best in rates.items() if BARE in best
    }  # fmt: skip
    return {"claims": CLAIMS, "quoted": QUOTED, "hands_a_second": rates, "ratios": ratios}


def tables(report: dict[str, Any]) -> dict[str, Table]:
    def cell(row: str, title: str) -> str:
        if report["quick"] or row not in report["hands_a_second"][title]:
            return FULL
        ratio = f" ({report['ratios'][title][row]:.2f})" if row in CLAIMS else ""
        return f"{round(report['hands_a_second'][title][row], -2):,.0f}{ratio}"

    rows = [(row, *(cell(row, title) for title in GAMES)) for row in (BARE, PLAIN, OWN)]
    quoted = "official dealer, its example players (quoted)", *(f"{QUOTED[title]:,}" for title in GAMES)
    return {"dealer": [("hands a second (of the C dealer's)", *GAMES), *rows, quoted]}


def show(report: dict[str, Any]) -> None:
    for title, rates in report["hands_a_second"].items():
        for row, rate in rates.items():
            ratio = report["ratios"].get(title, {}).get(row)
            print(f"{title:<9} {row:<24} {rate:7,.0f} hands/s" + (f"   x {ratio:.2f}" if ratio is not None else ""))
        print(f"{title:<9} {'official (quoted)':<24} {report['quoted'][title]:7,} hands/s")


def failed(report: dict[str, Any]) -> list[str]:
    if not report["ratios"]:
        return ["without a C compiler there is nothing to compare with"]
    return [
        f"{title}, {row}: {ratio:.2f} of the bare dealer's hands a second, at least {CLAIMS[row]:g}"
        for title, ratios in report["ratios"].items()
        for row, ratio in ratios.items()
        if ratio < CLAIMS[row]
    ]


if __name__ == "__main__":
    sys.exit(command(__doc__, "100 hands", measure, show, failed, tables))
