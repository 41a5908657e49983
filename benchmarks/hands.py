"""Claim: 100,000 recorded hands a minute go into the store, of people and of Pluribus, on one core.

By processor time, all threads together. The hands are those of `../shared/data`, PHH files of no-limit with two to
nine seats, again and again: each time under other numbers and with all amounts multiplied by another factor, so that no
hand's stacks were met before. Every hand is in the store, or its reason is. pokerkit, in the same run, reads and
replays some of them, and stores nothing.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from _command import FULL, Table, command
from pokerlab.records.store import HandStore

CLAIM = 100_000  # hands a minute
COUNT = 50_000  # of each source
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SOURCES = {"people (handhq)": "handhq/*.phhs", "Pluribus": "pluribus/*/*.phh"}
_AMOUNTS = ("antes", "blinds_or_straddles", "min_bet", "starting_stacks", "finishing_stacks", "winnings")
_NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w.])")
_RAISE = re.compile(r"(?<=cbr )[0-9]+(?:\.[0-9]+)?")


def hands_of(pattern: str) -> list[str]:
    """The texts of a source's hands, without their numbers in the file."""
    files = [path.read_text() for path in sorted(DATA.glob(pattern))]
    return [hand.strip() for text in files for hand in re.split(r"^\[\d+\]\n", text, flags=re.M) if hand.strip()]


def multiplied(hand: str, factor: int, number: int) -> str:
    """A hand with all its amounts multiplied, under another number."""

    def more(match: re.Match[str]) -> str:
        cents = round(float(match[0]) * 100) * factor
        return f"{cents // 100}.{cents % 100:02d}" if cents % 100 else str(cents // 100)

    lines = []
    for line in hand.splitlines():
        key, _, value = line.partition(" = ")
        if key == "hand":
            value = str(number)
        elif key in _AMOUNTS:
            value = _NUMBER.sub(more, value)
        elif key == "actions":
            value = _RAISE.sub(more, value)
        lines.append(f"{key} = {value}")
    return "\n".join(lines)


def many(hands: list[str], count: int) -> str:
    """So many hands in one text."""
    return "".join(f"[{i + 1}]\n{multiplied(hands[i % len(hands)], 1 + i // len(hands), i)}\n\n" for i in range(count))


def stored(path: Path, store: Path) -> dict[str, Any]:
    """Take a file in, and say how many hands that were, why others were left out, and how long it took."""
    with HandStore(store) as opened:
        clock, began = time.perf_counter(), time.process_time()
        taken = opened.ingest(path, skip_bad=True)
        cpu, wall = time.process_time() - began, time.perf_counter() - clock
        ((count,),) = opened.query("SELECT count(*) FROM hands")
    return {
        "hands": taken.hands, "stored": count, "left_out": taken.bad, "reasons": taken.reasons,
        "processor_seconds": cpu, "seconds": wall, "hands_a_minute": 60 * (taken.hands + taken.bad) / cpu,
    }  # fmt: skip


def pokerkit_rate(text: str) -> float:
    """Hands a minute that pokerkit reads and replays; those that it refuses count."""
    from pokerkit import HandHistory

    began, hands = time.process_time(), re.split(r"^\[\d+\]\n", text, flags=re.M)[1:]
    for hand in hands:
        try:
            for _ in HandHistory.loads(hand):
                pass
        except ValueError:
            continue
    return 60 * len(hands) / (time.process_time() - began)


def measure(quick: bool) -> dict[str, Any]:
    count, report = 500 if quick else COUNT, dict[str, Any]()
    with TemporaryDirectory() as folder:
        for title, pattern in SOURCES.items():
            hands = hands_of(pattern)
            if not hands:
                print(f"left out, there is nothing at {DATA / pattern}", file=sys.stderr)
                continue
            print(f"{title}: {count:,} hands from {len(hands)} ...", file=sys.stderr)
            path = Path(folder, "many.phhs")
            path.write_text(many(hands, count))
            with HandStore(Path(folder, "warm.duckdb")):  # DuckDB is loaded
                pass
            report[title] = {"different": len(hands)} | stored(path, Path(folder, f"{len(report)}.duckdb"))
            try:
                report[title]["pokerkit"] = pokerkit_rate(many(hands, 40 if quick else 2 * len(hands)))
            except ImportError:
                print("left out, pokerkit is not installed", file=sys.stderr)
    return {"claim": CLAIM, "sources": report}


def show(report: dict[str, Any]) -> None:
    for title, row in report["sources"].items():
        rate = f"{row['hands_a_minute']:,.0f} hands a minute of processor time"
        print(f"{title}: {row['stored']:,} hands stored, {row['left_out']:,} left out, {rate} ({row['seconds']:.0f} s)")
        for why, count in row["reasons"].items():
            print(f"    {count:,}: {why}")
        if "pokerkit" in row:
            print(f"    pokerkit reads and replays {row['pokerkit']:,.0f} a minute")


def failed(report: dict[str, Any]) -> list[str]:
    """The claims that were not met."""
    unmet = [f"no hands of {title}: the data are not there" for title in SOURCES if title not in report["sources"]]
    for title, row in report["sources"].items():
        if row["hands_a_minute"] < CLAIM:
            unmet.append(f"{title}: {row['hands_a_minute']:,.0f} hands a minute, not {CLAIM:,}")
        if row["stored"] != row["hands"] or sum(row["reasons"].values()) != row["left_out"]:
            unmet.append(f"{title}: hands are neither stored nor given a reason")
    return unmet


def tables(report: dict[str, Any]) -> dict[str, Table]:
    header = [
        "hands a minute of processor time",
        "stored",
        "left out, with reasons",
        "pokerlab",
        "pokerkit, not stored",
    ]
    rows = []
    for title in SOURCES:
        row = report["sources"].get(title, {})
        cells = [f"{row.get('stored', 0):,}", f"{row.get('left_out', 0):,}"]
        cells += [f"{row[key]:,.0f}" if key in row else "" for key in ("hands_a_minute", "pokerkit")]
        rows.append([title, *([FULL] * 4 if report["quick"] else cells)])
    return {"hands": [header, *rows]}


if __name__ == "__main__":
    sys.exit(command(__doc__, f"500 hands of each source instead of {COUNT:,}", measure, show, failed, tables))
