"""The benchmarks run and print what they promise; how fast they find us is for `make bench` to judge."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"

pytestmark = pytest.mark.slow


def quick(script: str) -> dict[str, Any]:
    """The one JSON object of a quick run."""
    command = [sys.executable, str(BENCHMARKS / script), "--quick", "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def positive(*figures: float) -> bool:
    return all(math.isfinite(figure) and figure > 0 for figure in figures)


def test_leduc_cfr() -> None:
    report = quick("leduc_cfr.py")
    assert set(report) == {"quick", "target", "claim", "met", "confirmed", "ratios", "leduc", "kuhn"}
    assert report["quick"]
    assert report["confirmed"]
    assert positive(*report["ratios"].values())
    assert set(report["leduc"]) == {"OpenSpiel C++", "OpenSpiel C++, suits forgotten", "pokerlab"}
    for row in report["leduc"].values():
        assert positive(row["iteration_us"], row["seconds"], row["iterations"])
        assert 0 < row["exploitability"] <= report["target"]
    mine = report["leduc"]["pokerlab"]
    assert mine["confirmed"] == pytest.approx(mine["exploitability"], abs=1e-9)
    assert positive(*(row["iteration_us"] for row in report["kuhn"].values()))


def test_scaling() -> None:
    report = quick("scaling.py")
    assert set(report) == {
        "quick", "tolerance", "met", "base", "largest", "growth", "games", "target", "solved",
    }  # fmt: skip
    names = [row["game"] for row in report["games"]]
    assert names[-1] == "leduc-nl"
    assert {report["base"], report["largest"]} <= set(names)
    for row in report["games"]:
        assert set(row) == {
            "game", "compile_seconds", "sequences", "payoff_entries", "bytes", "iteration_us", "unit_ns", "unit_bytes",
        }  # fmt: skip
        assert positive(*(figure for key, figure in row.items() if key != "game"))
    sizes = [row["sequences"] for row in report["games"] if row["game"] != "leduc-nl"]
    assert sizes == sorted(set(sizes))
    assert positive(*report["growth"].values())
    for row in report["solved"]:
        assert positive(row["seconds"], row["iterations"])
        assert 0 < row["exploitability"] <= report["target"]


def test_match() -> None:
    report = quick("match.py")["hands_a_second"]
    assert set(report["hold'em, limit"]) >= {"pokerlab", "OpenSpiel", "pokerkit"}
    for rates in report.values():
        assert positive(*rates.values())


def test_solvers(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(BENCHMARKS / "solvers.py"),
        "--quick",
        "--json",
        "--plot",
        str(tmp_path / "plot.svg"),
    ]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout)
    assert {"lp", "cfr+", "egt", "double-oracle"} <= set(report["methods"])
    assert all(row["exploitability"] < 0.5 for row in report["methods"].values())
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_variance() -> None:
    report = quick("variance.py")
    assert report["quick"]
    for table in report["measured"]:
        assert table["hands"] > 0 or table["log"] == "exact"
        assert table["rows"]


def test_rhode_island() -> None:
    report = quick("rhode_island.py")
    assert report["peak_bytes"] > 0
    for row in report["games"]:
        assert positive(row["tree_nodes"], row["infosets"], row["compile_seconds"], row["seconds"], row["iterations"])
        assert 0 < row["single"]["bytes"] < row["double"]["bytes"]
        assert positive(row["single"]["seconds"], row["double"]["seconds"])
        assert 0 < row["exploitability_mb"] <= report["target_mb"]
        low, high = row["bounds"]
        assert low <= row["value"] <= high
        assert 1000 * (high - low) / 2 / 10 == pytest.approx(row["exploitability_mb"], rel=1e-6)
        assert row["trace"][-1][0] == row["iterations"]


def test_cards() -> None:
    report = quick("cards.py")
    assert positive(*report["hands a second"].values(), *report["preflop equity seconds"].values())
    assert positive(report["board us"], report["board indices us"], report["river indices a second"])
    assert "phevaluator" in report["hands a second"]


def test_sampling() -> None:
    report = quick("sampling.py")
    assert report["quick"]
    assert report["confirmed"]
    assert {"OpenSpiel C++", "OpenSpiel C++, suits forgotten", "pokerlab"} <= set(report["leduc"])
    for row in (*report["leduc"].values(), *report["methods"].values()):
        assert row["iteration_us"] > 0
        assert 0 < row["exploitability"] < 2
    assert len(report["methods"]) == 13
    assert report["bytes_per_infoset"]["double"] == 2 * report["bytes_per_infoset"]["single"]


def test_spot() -> None:
    report = quick("spot.py")
    assert report["quick"]
    for row in report["spots"]["river"]["pokerlab"]:
        assert positive(row["iterations_per_second"], row["memory_mib"])
        assert 0 < row["exploitability_percent"] <= 0.1
