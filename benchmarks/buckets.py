"""Claim: a potential-aware abstraction of hold'em with 1,000 buckets a street takes ten minutes of processor time.

Everything from an empty cache folder, in processor time, which two cores share: the strengths of all hands on flop and
turn, which every abstraction needs and which are kept, and then the abstraction `potential-1000`, which is
169/potential:1000/potential:1000/kmeans:1000 without recall. A quick run only counts the hands.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

from _command import FULL, Table, command
from pokerlab.abstraction.buckets.build import build_buckets
from pokerlab.cards.sweep import forgetful, strength_moments

CLAIM = 600.0
SPEC = "potential-1000"


def measure(quick: bool) -> dict[str, Any]:
    hands = {"flop": forgetful(1).sizes[-1], "turn": forgetful(2).sizes[-1]}
    works: dict[str, Callable[[], object]] = {
        "turn": lambda: strength_moments(2),
        "flop": lambda: strength_moments(1),  # added up from those on the turn
        SPEC: lambda: build_buckets(SPEC),
    }
    took: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        os.environ["POKERLAB_CACHE"] = folder
        for name, work in () if quick else works.items():
            print(f"{name} ...", file=sys.stderr)
            began = time.process_time()
            work()
            took[name] = time.process_time() - began
    return {"hands": hands, "processor_seconds": took, "claim": CLAIM}


def tables(report: dict[str, Any]) -> dict[str, Table]:
    hands, took = report["hands"], report["processor_seconds"]
    titles = {
        "turn": f"E[HS] and E[HS²] of all {hands['turn']:,} hands on the turn",
        "flop": f"the same of all {hands['flop']:,} hands on the flop, from there",
        SPEC: "169/potential:1000/potential:1000/kmeans:1000, without recall",
    }
    rows = [(title, f"{took[name]:.0f} s" if name in took else FULL) for name, title in titles.items()]
    return {"buckets": [("card abstraction, from an empty cache folder", "processor time"), *rows]}


def show(report: dict[str, Any]) -> None:
    for title, seconds in tables(report)["buckets"]:
        print(f"{title:<64}{seconds:>16}")


def failed(report: dict[str, Any]) -> list[str]:
    took = sum(report["processor_seconds"].values())
    return [f"{took:.0f} s, at most {CLAIM:.0f}"] if took > CLAIM else []


if __name__ == "__main__":
    sys.exit(command(__doc__, "counts only", measure, show, failed, tables))
