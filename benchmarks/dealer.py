"""Claim: at least the hands a second of a bare dealer in C with the same players, and half with two of our clients.

Heads-up hold'em over loopback, every player calling or raising the minimum with equal probability: bare players in C at
a bare dealer in C (`dealer_twin.c`), the same players at ours, and two of our clients at ours. Seconds are those of
processor time of dealer and players together, which is what a busy machine gives; on an idle one they partly wait for
each other. Matches take turns; the best of each counts. The bare dealer shuffles, checks answers, ranks showdowns and
logs, but reads no game files and knows no bad input. The official dealer is not there to be run: its rates are quoted,
by the clock, of another machine on a quiet day, and are not compared with ours.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from _command import FULL, Table, command
from pokerlab.game.catalog import rules_of
from pokerlab.match.dealer import Dealer

GAMES = {"limit": "holdem-limit", "no-limit": "holdem-nolimit"}
QUOTED = {"limit": 2200, "no-limit": 3050}  # hands a second of the official dealer with its example players
BARE, PLAIN, OWN = "C dealer, C players", "our dealer, C players", "our dealer, our players"
CLAIMS = {PLAIN: 1.0, OWN: 0.5}  # of the bare dealer's rate
SOURCE = Path(__file__).with_name("dealer_twin.c")


# One of our clients: `pokerlab join` without its start, which a match of any length has once.
CLIENT = """
import random, sys, time
from pokerlab.agents.simple import Probe
from pokerlab.game.catalog import rules_of
from pokerlab.match.client import join
from pokerlab.match.loop import rehearse

rules = rules_of(sys.argv[1])
rehearse(rules, Probe())
began = time.process_time()
join("127.0.0.1", int(sys.argv[2]), Probe(), rules, random.Random(int(sys.argv[3])))
print(time.process_time() - began)
"""


def seated(ports: Sequence[object], game: str, twin: str | None) -> list[subprocess.Popen[str]]:
    """Players at these ports: the twin's or, without one, ours."""
    nolimit, client = str(int(not rules_of(game).limit)), [sys.executable, "-c", CLIENT, game]
    return [
        subprocess.Popen(
            [*client, str(port), str(seat)] if twin is None else [twin, "player", str(port), nolimit, str(seat)],
            stdout=subprocess.PIPE, text=True,
        )
        for seat, port in enumerate(ports)
    ]  # fmt: skip


def used(players: list[subprocess.Popen[str]]) -> float:
    """Seconds of processor time that players say they took."""
    return sum(float(player.communicate()[0]) for player in players)


def ours(game: str, hands: int, folder: Path, twin: str | None) -> float:
    """Hands a second of our dealer, with players of the twin or, without one, two of ours."""
    dealer = Dealer(rules_of(game), hands, 1, log=folder / "ours.log")
    players = seated(dealer.ports, game, twin)
    began = time.process_time()
    result = dealer.run()
    seconds = time.process_time() - began
    if not result.finished:
        raise SystemExit(f"the match ended before its last hand: {result.reason}")
    return hands / (seconds + used(players))


def bare(game: str, hands: int, folder: Path, twin: str) -> float:
    """Hands a second of the twin with its own players."""
    command = [twin, "dealer", str(hands), str(int(not rules_of(game).limit)), str(folder / "bare.log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dealer:
        assert dealer.stdout is not None
        players = seated(dealer.stdout.readline().split(), game, twin)
        seconds = float(dealer.stdout.read())
    return hands / (seconds + used(players))


def measure(quick: bool) -> dict[str, Any]:
    hands, turns = (100, 1) if quick else (2000, 9)
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
                    best[BARE] = max(best[BARE], bare(game, hands, folder, twin))
                    best[PLAIN] = max(best[PLAIN], ours(game, hands, folder, twin))
                best[OWN] = max(best[OWN], ours(game, hands, folder, None))
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
    quoted = "official dealer, its example players (quoted, by the clock)", *(f"{QUOTED[title]:,}" for title in GAMES)
    return {"dealer": [("hands a second of processor time (of the C dealer's)", *GAMES), *rows, quoted]}


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
