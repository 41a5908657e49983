"""The benchmarks run and print what they promise; how fast they find us is for `make bench` to judge.

Tables of README and docs have the rows and columns of a quick run of their scripts and, where it has them, the figures.
That claims can be missed is shown in `test_benchmark_claims.py`.
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from cuda_twin import COMPILER
from figures import MARKED, agrees
from shared_data import shared_data

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
FOLDER = TemporaryDirectory()  # where the scripts run: they leave plots

pytestmark = pytest.mark.slow


@cache
def quick(script: str, *options: str) -> dict[str, Any]:
    """The one JSON object of a quick run, made once."""
    command = [sys.executable, str(BENCHMARKS / script), "--quick", "--json", *options]
    ended = subprocess.run(command, cwd=FOLDER.name, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def positive(*figures: float) -> bool:
    return all(math.isfinite(figure) and figure > 0 for figure in figures)


def test_leduc_cfr() -> None:
    report = quick("leduc_cfr.py")
    assert set(report) == {"quick", "target", "claim", "ratios", "leduc", "kuhn", "tables"}
    assert report["quick"]
    assert positive(*report["ratios"].values())
    assert set(report["leduc"]) == {"OpenSpiel C++", "OpenSpiel C++, suits forgotten", "pokerlab"}
    for row in report["leduc"].values():
        assert positive(row["iteration_us"], row["seconds"], row["iterations"])
        assert 0 < row["exploitability"] <= report["target"]
    mine = report["leduc"]["pokerlab"]
    assert mine["confirmed"] == pytest.approx(mine["exploitability"], abs=1e-9)
    assert positive(*(row["iteration_us"] for row in report["kuhn"].values()))


def test_counter() -> None:
    report = quick("counter.py")
    assert set(report) == {"quick", "known", "equilibrium", "best_response", "seen", "pieces", "plot", "tables"}
    assert report["known"][0] == pytest.approx([0, report["equilibrium"]], abs=1e-6)
    assert positive(report["equilibrium"], report["best_response"] - report["equilibrium"])
    assert set(report["seen"]) == {"own", "probe"}
    assert all(set(rows) == {"100"} for rows in report["seen"].values())


def test_field() -> None:
    report = quick("field.py")
    assert set(report) == {"quick", "games", "spiral", "page", "tables"}
    assert set(report["games"]) == {"holdem-limit", "holdem-nolimit", "holdem-limit-3p"}
    page = (Path(FOLDER.name) / report["page"]).read_text()
    for game in report["games"]:
        assert page.count(f"<h2>{game}</h2>") == 1
    assert page.count("<h3>Standings</h3>") == page.count("<h3>Bankroll run-off</h3>") == 3
    for told in report["games"].values():
        assert len(told["rows"]) == 4
        assert sum(row["mean"] for row in told["rows"].values()) == pytest.approx(0, abs=1e-6)
        assert sorted(row["place"] for row in told["rows"].values()) == [1, 2, 3, 4]
        assert positive(*(row["ms"] for row in told["rows"].values()))
    assert set(report["spiral"]) == {"loki", "poki"}


@pytest.mark.parametrize("pool", ["abstract", "field"])
def test_counter_holdem(pool) -> None:
    report = quick("counter_holdem.py", *["--pool", "field"] * (pool == "field"))
    assert ("formula" in report["pool"]) == (pool == "field")
    assert set(report) == {"quick", "rows", "pool", "hands", "tables"}
    assert len(report["rows"]) == 1 + 3 * len(report["pool"]) == 16
    for row in report["rows"].values():
        assert set(row["won"]) == set(report["pool"])
        assert positive(row["exploitability"]["ci95"], *(figure["ci95"] for figure in row["won"].values()))


def test_exploitability() -> None:
    report = quick("exploitability.py")
    assert set(report) == {"quick", "quoted_days", "agents", "memory_mb", "tables"}
    (row,) = report["agents"]
    assert [flop["flops"] for flop in row["flops"]] == [4, 24, 20]
    assert positive(report["memory_mb"], row["core_hours"], *(flop["seconds"] for flop in row["flops"]))


def test_scaling() -> None:
    report = quick("scaling.py")
    assert set(report) == {
        "quick", "tolerance", "base", "largest", "growth", "games", "target", "solved", "tables",
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
    assert set(report["hold'em, limit: call"]) >= {"pokerlab", "OpenSpiel", "pokerkit"}
    assert {title.split(": ")[1] for title in report} == {"call", "raise", "random", "uniform", "tables"}
    for rates in report.values():
        assert positive(*rates.values())


def test_dealer() -> None:
    report = quick("dealer.py")
    for rates in report["hands_a_second"].values():
        assert positive(*rates.values())
    for title, ratios in report["ratios"].items():
        rates = report["hands_a_second"][title]
        assert ratios == {row: rates[row] / rates["C dealer, C players"] for row in report["claims"]}
    assert set(report["quoted"]) == set(report["hands_a_second"]) == {"limit", "no-limit"}


def test_web() -> None:
    report = quick("web.py")
    assert positive(report["median_ms"], report["actions_a_second"])
    assert report["median_ms"] <= report["p95_ms"] <= report["longest_ms"]
    assert report["page_bytes"] < 300_000


def test_solvers() -> None:
    report = quick("solvers.py")
    assert {"lp", "cfr+", "egt", "double-oracle"} <= set(report["methods"])
    assert all(row["exploitability"] < 0.5 for row in report["methods"].values())
    assert report["programs"]["leduc"]["value"] == pytest.approx(-0.0856064, abs=1e-6)
    assert "<svg" in Path(FOLDER.name, report["plot"]).read_text()


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


def test_flops() -> None:
    report = quick("flops.py")
    assert len(report["rows"]) == 16
    assert positive(*(row["mean"] for row in report["rows"]), *(row["random"] for row in report["rows"]))


def test_sampling() -> None:
    report = quick("sampling.py")
    assert report["quick"]
    assert report["confirmed"] > 0
    assert {"OpenSpiel C++", "OpenSpiel C++, suits forgotten", "pokerlab"} <= set(report["leduc"])
    for row in (*report["leduc"].values(), *report["methods"].values()):
        assert row["iteration_us"] > 0
        assert 0 < row["exploitability"] < 2
    assert len(report["methods"]) == 13
    assert report["bytes_per_infoset"]["double"] == 2 * report["bytes_per_infoset"]["single"]


def test_cases() -> None:
    report = quick("cases.py")
    assert report["quick"]
    assert positive(report["training"]["seconds"], report["training"]["gib"], *report["batch"].values())
    assert {"pokerlab", "scikit-learn, brute force", "scikit-learn, ball tree", "DuckDB"} <= set(report["batch"])
    assert all(positive(row["median_ms"], row["p99_ms"]) for row in report["alone"].values())


def test_spot() -> None:
    report = quick("spot.py")
    assert report["quick"]
    for row in report["spots"]["river"]["pokerlab"]:
        assert positive(row["iterations_per_second"], row["memory_mib"])
        assert 0 < row["exploitability_percent"] <= 0.1


def test_gpu() -> None:
    report = quick("gpu.py")
    assert report["quick"]
    assert positive(*report["bytes"].values())
    assert report["device"] or "cuda" in report["why"]  # no GPU, or no CuPy: that is said, and nothing judged
    for row in report["spots"].values():
        assert positive(row["thread"], row["device"], row["share"])


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here to compile the kernels with")
def test_gpu_languages() -> None:
    report = quick("gpu_languages.py")
    assert {"CUDA C"} <= set(report["languages"])  # and others where these are installed, which is said
    assert len(report["languages"]) == 3 or "pip install" in report["why"]
    for row in report["languages"].values():
        assert row["error"] < 1e-6
        assert positive(row["seconds"])


def test_precision() -> None:
    report = quick("precision.py")
    for row in report["spots"].values():
        assert positive(*row["single"].values(), *row["half"].values())
        assert row["half"]["bytes"] < row["single"]["bytes"]
        assert 0 < row["single"]["exploitability"] <= 0.1


def test_solution() -> None:
    report = quick("solution.py")
    assert positive(report["solving"], report["seconds"], report["size"])
    assert report["saving"] >= report["solving"]
    for row in report["looks"].values():
        assert positive(*row["seconds"], row["bytes"])


def test_resolving() -> None:
    report = quick("resolving.py")
    assert report["dealer"]["finished"]
    assert positive(*(report[name]["longest_seconds"] for name in ("dealer", "dealer, odd bets", "turns")))
    assert [row["technique"] for row in report["beliefs"]] == ["max-margin"] * 3 + ["re-solving", "endgame"]


def test_cost(benchmark) -> None:
    report = quick("cost.py")
    assert len(report["pieces"]) == 5
    for row in report["pieces"]:
        assert positive(row["expected"], row["seconds"], row["size"], row["times"])
    for row in report["costs"]:
        assert positive(row["core_hours"], *row["seconds"])
        assert len(row["held_back_by"]) == len(row["seconds"]) == 3


def test_cost_of_what_cannot_be_run(benchmark) -> None:
    """Schedules against a naive one, laws against what they were made of, tables that do not fit."""
    cost, rng = benchmark("cost"), random.Random(1)
    for _ in range(50):
        tasks, workers = [rng.random() for _ in range(rng.randint(1, 30))], rng.randint(1, 40)
        free = [0.0] * workers
        for each in tasks:
            free[free.index(min(free))] += each
        assert cost.makespan(tasks, workers) == pytest.approx(max(free))
    law = cost.law_of(cost.Point(10, 3.0), cost.Point(1000, 300.0))
    assert (law.power, law(50)) == (pytest.approx(1), pytest.approx(15))
    walked, linear = {"bytes": 20.0, "rows": 10.0}, cost.Law(1e-9, 1.0)
    small, large = (cost.blueprint(size, walked, cost.Law(1e-2, 0.0), linear) for size in (1e6, 1e11))
    assert small["core_hours"] == pytest.approx(1e6 * cost.VISITS / 10 * 1e-5 / 3600)
    assert small["held_back_by"] == ["cores", "cores", "network"]
    assert large["held_back_by"] == ["memory: a table is 16 machines"] * 3
    few = cost.tasks("few", [1.0] * 32)
    assert few["seconds"] == [2.0, 1.0, 1.0]
    assert few["held_back_by"] == ["cores", "tasks: 80% of the cores wait", "tasks: 100% of the cores wait"]


def test_hands() -> None:
    shared_data("handhq"), shared_data("pluribus")
    report = quick("hands.py")["sources"]
    for row in report.values():
        assert row["stored"] + row["left_out"] == 500
        assert positive(row["hands_a_minute"], row["pokerkit"])
    assert report["people (handhq)"]["left_out"] == 4  # each of the two that break off, twice


def test_buckets() -> None:
    assert quick("buckets.py")["hands"] == {"flop": 1_286_792, "turn": 13_960_050}


TABLES = [
    (*block.mark["command"].removeprefix("benchmarks/").split(" --table "), block)
    for block in MARKED
    if block.table and " --table " in block.mark["command"]
]


@pytest.mark.parametrize(("script", "name", "block"), TABLES, ids=[f"{script} {name}" for script, name, _ in TABLES])
def test_tables_of_the_pages_are_those_of_the_scripts(script, name, block):
    printed = quick(script)["tables"][name]
    assert len(block.table) == len(printed)
    for row, expected in zip(block.table, printed, strict=True):
        assert len(row) == len(expected)
        for cell, other in zip(row, expected, strict=True):
            assert agrees(cell, other), f"{block} has {cell!r}, and {script} prints {other!r}"


@pytest.mark.parametrize("script", sorted({script for script, _, _ in TABLES}))
def test_every_table_of_a_script_is_on_a_page(script):
    assert set(quick(script)["tables"]) == {name for other, name, _ in TABLES if other == script}
