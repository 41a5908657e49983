"""The benchmarks run and print what they promise; how fast they find us is for `make bench` to judge.

A claim that is not met ends a script with 1: every claim is put out of reach here, in a report of its script. Tables of
README and docs have the rows and columns of a quick run of their scripts and, where it has them, the figures.
"""

from __future__ import annotations

import importlib
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

from figures import MARKED, agrees
from shared_data import shared_data

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
SCRIPTS = sorted(path.stem for path in BENCHMARKS.glob("[a-z]*.py"))

pytestmark = pytest.mark.slow


FOLDER = TemporaryDirectory()  # where the scripts run: they leave plots


@cache
def quick(script: str, *options: str) -> dict[str, Any]:
    """The one JSON object of a quick run, made once."""
    command = [sys.executable, str(BENCHMARKS / script), "--quick", "--json", *options]
    ended = subprocess.run(command, cwd=FOLDER.name, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture
def benchmark(monkeypatch):
    """A script as a module, beside those that it imports."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


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


def test_precision() -> None:
    report = quick("precision.py")
    for row in report["spots"].values():
        assert positive(*row["single"].values(), *row["half"].values())
        assert row["half"]["bytes"] < row["single"]["bytes"]
        assert 0 < row["single"]["exploitability"] <= 0.1


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


# A figure of each script's report that is put out of the claim; agents need training, and are made up.
WON = {"against": "call", "mean": 5.0, "ci95": 4.0, "unit": "mb/h", "above_zero": True}
TOLD = {"round": "flop", "thesis": 0.9, "fitted": 0.8, "prior": 1.0, "always_call": 2.0, "classifier": 0.75}
STORED = {"hands": 10, "stored": 10, "left_out": 2, "reasons": {"no end": 2}, "hands_a_minute": 1.1e5}
SEEN = {"frequentist": -55.0, "at_risk": {"restricted Nash": 8.0, "data biased, curve": 9.0}}
FIELD = {
    game: {"rows": {f"kind {n}": {"ms": 5.0} for n in range(18)}}
    for game in ("holdem-limit", "holdem-nolimit", "holdem-limit-3p")
}
RESPONSE = {"flop": "2c3c4c", "ready": 0.3, "walk": 0.39, "difference": 1e-6}
KEPT = {"bytes": 2**29, "exploitability": 0.1}
PRECISE = {
    "river": {"single": KEPT | {"bytes": 1000}, "half": KEPT | {"bytes": 900}},
    "flop": {"single": KEPT, "half": KEPT | {"bytes": 0.55 * 2**29, "exploitability": 0.104}},
}
SOLVED = {"times": 200.0, "share": 0.31, "seconds": 9.0, "ev_difference": 1e-6, "exploitability_difference": 1e-6}


def _response(won: float, exploitability: float) -> dict[str, Any]:
    exploited = {"mean": exploitability, "ci95": 9.0}
    return {"target": "calls", "won": {"calls": {"mean": won, "ci95": 9.0}}, "exploitability": exploited}


BRITTLE = {
    "equilibrium": _response(100.0, 9.0), "calls: frequentist": _response(200.0, 1000.0),
    "calls: restricted-nash": _response(150.0, 99.0), "calls: data-biased": _response(150.0, 99.0),
}  # fmt: skip
FLOP_OF = {"agent": "", "flops": [{"seconds": 59.0}], "core_hours": 10.0}
PIECE = {"piece": "", "expected": 1.0, "seconds": 1.0}
FLOPS = {"match": "x", "figure": "equity", "flops": 49, "mean": 0.4, "error": 0.002, "random": 0.006}
SPOILT = {
    "agents": [("three_players", [WON | {"above_zero": False}]), ("two_players", [])],
    "buckets": [("processor_seconds", {"flop": 1e4})],
    "cards": [("hands a second", {"pokerlab": 1e6}), ("board us", 1e3), ("equity ratio", 1.0), ("equity ratio", None)],
    "cases": [
        ("training", {"seconds_a_million": 301.0, "gib": 1.0}), ("training", {"seconds_a_million": 1.0, "gib": 3.1}),
        ("batch", {"pokerlab, a second of one core": 1e5}), ("alone", {"holdem-limit": {"median_ms": 0.21}}),
        ("alone", {"holdem-nolimit": {"median_ms": 1.1}}), ("deepstack", [TOLD | {"thesis": 1.1}]),
        ("deepstack", [TOLD | {"fitted": 0.95}]), ("deepstack", [TOLD | {"classifier": 0.5}]),
    ],
    "counter": [
        ("known", [[1.0, 31.0]] * 13 + [[9.0, 285.0]]), ("best_response", 286.0), ("equilibrium", -60.0),
        ("seen", {"own": {"100": SEEN | {"at_risk": {"restricted Nash": 9.0, "data biased, curve": 8.0}}}}),
    ],
    "counter_holdem": [
        ("rows", BRITTLE | {"calls: frequentist": _response(105.0, 1000.0)}),
        ("rows", BRITTLE | {"calls: restricted-nash": _response(150.0, 501.0)}),
        ("rows", BRITTLE | {"calls: data-biased": _response(150.0, 501.0)}),
    ],
    "cost": [("pieces", [PIECE | {"seconds": 1.6}]), ("pieces", [PIECE, PIECE | {"seconds": 0.6}])],
    "dealer": [
        ("ratios", {"limit": {"our dealer, C players": 0.99}}), ("ratios", {}),
        ("ratios", {"no-limit": {"our dealer, our players": 0.49}}),
    ],
    "field": [
        ("spiral", {"loki": 0.4, "poki": 0.45}),
        ("games", FIELD | {"holdem-limit": {"rows": {f"kind {n}": {"ms": 5.0} for n in range(14)}}}),
        ("games", FIELD | {"holdem-limit-3p": {"rows": {f"kind {n}": {"ms": 101.0 * n} for n in range(8)}}}),
    ],
    "flops": [("rows", [FLOPS, FLOPS, FLOPS | {"error": 0.0061}]), ("rows", [FLOPS | {"error": 0.004}])],
    "gpu": [
        ("device", None), ("spots", {"flop, one size": SOLVED | {"times": 59.0}}),
        ("spots", {"single-raised pot": SOLVED | {"times": 99.0}}),
        ("spots", {"single-raised pot": SOLVED | {"share": 0.29}}),
        ("spots", {"single-raised pot": SOLVED | {"seconds": 10.1}}),
        ("spots", {"river": SOLVED | {"ev_difference": 2e-4}}),
        ("spots", {"river": SOLVED | {"exploitability_difference": 2e-4}}),
        ("responses", [RESPONSE | {"walk": 0.41}]), ("responses", [RESPONSE | {"difference": 2e-4}]),
        ("buckets", {"times": 19.0, "difference": 1e-6}), ("buckets", {"times": 21.0, "difference": 1e-3}),
        ("precision", {"flop": {"single": KEPT, "half": KEPT | {"bytes": 2**28, "exploitability": 0.106}}}),
        ("precision", {"flop": {"single": KEPT, "half": KEPT | {"bytes": 0.57 * 2**29}}}),
    ],
    "precision": [
        ("rainbow", {"single": 2**35, "half": 2**34 + 1}),
        ("spots", {"flop": {"single": KEPT, "half": KEPT | {"bytes": 2**28, "exploitability": 0.106}}}),
        ("spots", {"flop": {"single": KEPT, "half": KEPT | {"bytes": 0.57 * 2**29}}}),
    ],
    "exploitability": [
        ("memory_mb", 1025.0), ("agents", [FLOP_OF, FLOP_OF, FLOP_OF | {"core_hours": 16.0}]),
        ("agents", [FLOP_OF, FLOP_OF, FLOP_OF, FLOP_OF | {"flops": [{"seconds": 61.0}]}]),
    ],
    "grafting": [("strategies", [{"strategy": "", "opponent": "", "size": 9, "largest": 9, "judged": True}])],
    "hands": [
        ("sources", {"Pluribus": STORED}), ("sources", {"people (handhq)": STORED, "Pluribus": STORED | {"stored": 9}}),
        ("sources", {"people (handhq)": STORED | {"hands_a_minute": 9e4}, "Pluribus": STORED}),
        ("sources", {"people (handhq)": STORED | {"left_out": 3}, "Pluribus": STORED}),
    ],
    "leduc_cfr": [("ratios", {"iteration": 399.0, "target": 500.0}), ("ratios", {"iteration": 500.0, "target": 399.0})],
    "match": [
        ("hands_a_second", {"hold'em, limit: call": {"pokerlab": 9e3}}),
        ("hands_a_second", {"hold'em, no-limit: random": {"pokerlab": 9e3}}),
        ("hands_a_second", {"Leduc: tables": {"pokerlab": 4e5}}),
    ],
    "resolving": [
        ("dealer", {"longest_seconds": 2.1, "finished": True}),
        ("turns", {"longest_seconds": 2.1}),
        ("dealer", {"longest_seconds": 1.0, "finished": False}),
        ("aivat", {"mean": 5.0, "ci95": 6.0, "unit": "mbb/h"}),
    ],
    "rhode_island": [("games", [{"game": "", "seconds": 2e3, "exploitability_mb": 0.5}])],
    "sampling": [("ratios", {"OpenSpiel C++": 9.0})],
    "scaling": [("growth", {"unit_ns": 1.6}), ("growth", {"unit_bytes": 1.6})],
    "solvers": [
        ("methods", {"egt": {"exploitability": 2e-3, "seconds": 20.0}}),
        ("methods", {"fp": {"exploitability": 2e-2, "seconds": 20.0}}),
        ("programs", {"leduc": {"exploitability": 2e-9}}),
    ],
    "spot": [
        ("spots", {"river": {"ratios": {"0.1 %, 1 thread": 0.9}}}),
        ("spots", {"turn": {"ratios": {"two threads": 1.59}}}),
        ("spots", {"turn, narrow": {"ratios": {"iterations, 2 thread": 0.99}}}),
    ],
    "web": [
        ("p95_ms", 101.0), ("solving_times", 1.51), ("decision_ms", 50.1), ("page_bytes", 300_001),
        ("first_paint_ms", 1001.0), ("at_once", 199),
    ],
    "variance": [
        ("measured", [{"log": "", "rows": [{}, {"estimator": "MIVAT", "deviation_kept": 1.01}]}]),
        ("agents", [{"match": "", "deviation": {"money": 2.0, "AIVAT": 2.0}}]),
    ],
}  # fmt: skip
FINE = {
    "agents": {"three_players": [WON], "two_players": [WON]},
    "cards": {"hands a second": {"pokerlab": 6e7}, "board us": 20.0, "equity ratio": 50.0},
    "flops": {"rows": [FLOPS]},
    "resolving": {
        "dealer": {"longest_seconds": 1.9, "finished": True}, "turns": {"longest_seconds": 1.9},
        "dealer, odd bets": {"longest_seconds": 1.9, "finished": True},
        "aivat": {"mean": 5.0, "ci95": 4.0, "unit": "mbb/h"},
    },
    "buckets": {"processor_seconds": {"flop": 1.0}},
    "cases": {
        "training": {"seconds_a_million": 100.0, "gib": 1.0}, "batch": {"pokerlab, a second of one core": 3e5},
        "alone": {"holdem-limit": {"median_ms": 0.1}, "holdem-nolimit": {"median_ms": 0.9}}, "deepstack": [TOLD],
    },
    "counter": {
        "known": [[0.0, 285.0]] * 14, "best_response": 285.0, "equilibrium": 31.0,
        "seen": {"own": {"100": SEEN}},
    },
    "counter_holdem": {"rows": BRITTLE, "pool": ["calls"]},
    "cost": {"pieces": [PIECE | {"seconds": 1.4}, PIECE | {"seconds": 0.7}]},
    "dealer": {"ratios": {"limit": {"our dealer, C players": 1.0, "our dealer, our players": 0.5}}},
    "field": {"games": FIELD, "spiral": {"loki": 0.4, "poki": 0.9}},
    "gpu": {
        "device": "a GPU", "why": "", "responses": [RESPONSE, RESPONSE | {"difference": None}],
        "buckets": {"times": 20.5, "difference": 1e-6},
        "spots": {"river": SOLVED | {"times": 0.5}, "turn": SOLVED | {"share": 0.1}, "single-raised pot": SOLVED},
        "precision": PRECISE,
    },
    "precision": {"spots": PRECISE, "rainbow": {"single": 2**35, "half": 2**34}},
    "exploitability": {"memory_mb": 1000.0, "agents": [FLOP_OF] * 3},
    "grafting": {"strategies": []},
    "hands": {"sources": {"people (handhq)": STORED, "Pluribus": STORED}},
    "leduc_cfr": {"target": 1e-4, "ratios": {"iteration": 500.0, "target": 500.0}},
    "match": {"hands_a_second": {"hold'em, limit: raise": {"pokerlab": 1.0}}},
    "rhode_island": {"target_mb": 1.0, "games": []},
    "sampling": {"ratios": {"OpenSpiel C++": 11.0}},
    "scaling": {"growth": {"unit_ns": 1.4, "unit_bytes": 1.0}},
    "spot": {
        "spots": {
            "river": {"ratios": {"0.1 %, 1 thread": 1.1, "0.1 %, 2 thread": 0.9}},
            "turn, narrow": {"ratios": {"iterations, 2 thread": 1.0, "two threads": 1.6}},
        }
    },
    "solvers": {"methods": {"cfr+": {"exploitability": 1e-5, "seconds": 1.0}}, "programs": {}},
    "variance": {"measured": [], "agents": []},
    "web": {
        "at_once": 200, "p95_ms": 100.0, "solving_times": 1.5, "decision_ms": 50.0, "page_bytes": 300_000,
        "first_paint_ms": None,
    },
}  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_opens_with_its_claim(script, benchmark):
    assert benchmark(script).__doc__.startswith("Claim: ")


def test_spots_weighted_worse_by_default_are_noticed(benchmark):
    script = benchmark("spot_weights")
    rows = {title: {board: [1.0, 1.0, 1.0] for board in script.BOARDS} for title in script.WEIGHTS}
    assert script.failed({"exploitability_percent": rows}) == []
    rows[script.DEFAULT] = rows[script.DEFAULT] | {"river": [1.0, 1.0, 1.1]}
    assert len(script.failed({"exploitability_percent": rows})) == 1


@pytest.mark.parametrize(("script", "key", "figure"), [(name, *spoilt) for name in SPOILT for spoilt in SPOILT[name]])
def test_a_claim_that_is_not_met_is_said(script, key, figure, benchmark):
    assert benchmark(script).failed(FINE[script]) == []
    assert benchmark(script).failed(FINE[script] | {key: figure})


def test_every_script_has_a_claim_that_can_be_missed():
    assert {*SPOILT, "spot_weights"} == set(SCRIPTS)


@pytest.mark.parametrize(("more", "unmet", "code"), [([], ["slow"], 1), ([], [], 0), (["--quick"], ["slow"], 0)])
def test_a_claim_that_is_not_met_ends_with_1(more, unmet, code, benchmark, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["it.py", *more])
    shown = []
    assert benchmark("_command").command("", "", lambda quick: {}, shown.append, lambda report: unmet) == code
    assert shown == [{"quick": bool(more)}]
    assert ("claim not met: slow" in capsys.readouterr().err) == bool(code)
