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
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def positive(*figures: float) -> bool:
    return all(math.isfinite(figure) and figure > 0 for figure in figures)


def test_leduc_cfr() -> None:
    found = quick("leduc_cfr.py")
    assert set(found) == {"quick", "target", "claim", "met", "confirmed", "ratios", "leduc", "kuhn"}
    assert found["quick"]
    assert found["confirmed"]
    assert positive(*found["ratios"].values())
    assert set(found["leduc"]) == {"OpenSpiel C++", "OpenSpiel C++, suits forgotten", "pokerlab"}
    for row in found["leduc"].values():
        assert positive(row["iteration_us"], row["seconds"], row["iterations"])
        assert 0 < row["exploitability"] <= found["target"]
    mine = found["leduc"]["pokerlab"]
    assert mine["confirmed"] == pytest.approx(mine["exploitability"], abs=1e-9)
    assert positive(*(row["iteration_us"] for row in found["kuhn"].values()))


def test_scaling() -> None:
    found = quick("scaling.py")
    assert set(found) == {
        "quick", "tolerance", "met", "base", "largest", "growth", "games", "target", "solved",
    }  # fmt: skip
    names = [row["game"] for row in found["games"]]
    assert names[-1] == "leduc-nl"
    assert {found["base"], found["largest"]} <= set(names)
    for row in found["games"]:
        assert set(row) == {
            "game", "compile_seconds", "sequences", "payoff_entries", "bytes", "iteration_us", "unit_ns", "unit_bytes",
        }  # fmt: skip
        assert positive(*(figure for key, figure in row.items() if key != "game"))
    sizes = [row["sequences"] for row in found["games"] if row["game"] != "leduc-nl"]
    assert sizes == sorted(set(sizes))
    assert positive(*found["growth"].values())
    for row in found["solved"]:
        assert positive(row["seconds"], row["iterations"])
        assert 0 < row["exploitability"] <= found["target"]


def test_match() -> None:
    found = quick("match.py")["hands_a_second"]
    assert set(found["hold'em, limit"]) >= {"pokerlab", "OpenSpiel", "pokerkit"}
    for rates in found.values():
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
    found = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout)
    assert {"lp", "cfr+", "egt", "double-oracle"} <= set(found["methods"])
    assert all(row["exploitability"] < 0.5 for row in found["methods"].values())
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_variance() -> None:
    found = quick("variance.py")
    assert found["quick"]
    for table in found["measured"]:
        assert table["hands"] > 0 or table["log"] == "exact"
        assert table["rows"]


def test_rhode_island() -> None:
    found = quick("rhode_island.py")
    assert found["peak_bytes"] > 0
    for row in found["games"]:
        assert positive(row["tree_nodes"], row["infosets"], row["compile_seconds"], row["seconds"], row["iterations"])
        assert 0 < row["single"]["bytes"] < row["double"]["bytes"]
        assert positive(row["single"]["seconds"], row["double"]["seconds"])
        assert 0 < row["exploitability_mb"] <= found["target_mb"]
        low, high = row["bounds"]
        assert low <= row["value"] <= high
        assert 1000 * (high - low) / 2 / 10 == pytest.approx(row["exploitability_mb"], rel=1e-6)
        assert row["trace"][-1][0] == row["iterations"]


def test_cards() -> None:
    found = quick("cards.py")
    assert positive(*found["hands a second"].values(), *found["preflop equity seconds"].values())
    assert positive(found["board us"], found["board indices us"], found["river indices a second"])
    assert "phevaluator" in found["hands a second"]


def test_sampling() -> None:
    found = quick("sampling.py")
    assert found["quick"]
    assert found["confirmed"]
    assert {"OpenSpiel C++", "OpenSpiel C++, suits forgotten", "pokerlab"} <= set(found["leduc"])
    for row in (*found["leduc"].values(), *found["methods"].values()):
        assert row["iteration_us"] > 0
        assert 0 < row["exploitability"] < 2
    assert len(found["methods"]) == 13
    assert found["bytes_per_infoset"]["double"] == 2 * found["bytes_per_infoset"]["single"]


def test_spot() -> None:
    found = quick("spot.py")
    assert found["quick"]
    for row in found["spots"]["river"]["pokerlab"]:
        assert positive(row["iterations_per_second"], row["memory_mib"])
        assert 0 < row["exploitability_percent"] <= 0.1
