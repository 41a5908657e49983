"""Claim: with 200 tables at once against a blueprint an action is answered within 100 ms 19 times of 20, and while a
turn is being solved beside them that grows by less than half; any decision of the solved turn is answered within 50 ms;
the page has at most 300 kB, and is painted within a second.

Every table is a socket of its own whose player thinks for about a second, so that some 200 actions a second come in;
the answer has the blueprint's own actions in it. The server is `pokerlab web` in a process of its own, with the players
on the same machine. The blueprint is one of the recipe, trained for a moment: how well it plays does not change how
fast it looks its answers up. The turn is that of docs/spots.md with wide ranges, solved by the server's own process;
decisions are those on random walks, asked for over HTTP, each by the shortest of three questions. The first paint is
that of Chromium without a screen, where it is installed.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from websockets.asyncio.client import connect

from _command import FULL, Table, command
from pokerlab.agents.recipes import RECIPES, changed
from pokerlab.agents.training import train_recipe
from pokerlab.web.api import page_files

TABLES, THINK = 200, 1.0  # tables, and seconds between two actions of a player
CLAIMS = {"p95_ms": 100.0, "solving_times": 1.5, "decision_ms": 50.0, "page_bytes": 300_000, "first_paint_ms": 1000.0}
TURN = """board = "Qs Jh 2h 4c"
pot = 200
stacks = 900
[oop]
range = "99-22, AQ, AJs-A2s, KQ, KTs+, QJ, QTs, JTs, T9s, 98s, 87s, 76s"
[ip]
range = "AA-22, AK, AQs, AQo:0.75, A9s-A2s, KQs, QJs:0.75, T9s:0.5"
[bets]
bet = "50%, 100%, all-in"
raise = "60%, all-in"
"""
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server of its own."""
    words = [sys.executable, "-m", "pokerlab", "web", "--json", "--ledger", str(folder / "web.sqlite")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.send_signal(signal.SIGINT)


def asked(url: str, path: str, **body: Any) -> dict[str, Any]:
    """What is answered; a body makes it a POST."""
    told = json.dumps(body).encode() if body else None
    with urlopen(Request(f"{url}{path}", told, {"content-type": "application/json"}), timeout=120) as answer:
        return json.load(answer)


def decisions(url: str, file: str, walks: int) -> float:
    """Milliseconds for the slowest of the decisions on random walks, each by the shortest of three questions."""
    rng, slowest = random.Random(3), 0.0
    for _ in range(walks):
        line: list[str] = []
        while True:
            path, waits = f"api/spots/look?{urlencode({'file': file, 'line': ', '.join(line)})}", []
            for _ in range(3):
                began = time.perf_counter()
                told = asked(url, path)
                waits.append(time.perf_counter() - began)
            if told["kind"] == "end":
                break
            if told["kind"] == "decision":
                slowest = max(slowest, 1000 * min(waits))
            line.append(rng.choice(told["cards"] if told["kind"] == "deal" else told["node"]["actions"]))
    return slowest


@contextmanager
def solving(url: str) -> Iterator[None]:
    """While a turn is being solved."""
    number = asked(url, "api/solves", name="turn", spot=TURN, exploitability=0.0, seconds=3600)["number"]
    while not asked(url, f"api/solves/{number}")["iterations"]:
        time.sleep(0.1)
    yield
    told = asked(url, f"api/solves/{number}")
    assert told["state"] == "solving", told
    asked(url, f"api/solves/{number}/stop", stop=True)
    while asked(url, f"api/solves/{number}")["state"] == "solving":
        time.sleep(0.1)


async def played(url: str, table: str, until: float, rng: random.Random, stack: AsyncExitStack) -> list[float]:
    """Play at a table until a time; the seconds that each action took to be answered."""
    socket = await stack.enter_async_context(connect(f"{url.replace('http', 'ws')}api/tables/{table}/live"))
    state, waits = json.loads(await socket.recv())["state"], []
    while time.perf_counter() < until:
        await asyncio.sleep(THINK * rng.uniform(0.5, 1.5))
        message: dict[str, Any] = {"deal": {"hand": state["hand"]}}
        if not state["over"]:
            may = ["c", "c", *["f"] * state["view"]["legal"]["fold"], *["r"] * bool(state["view"]["legal"]["raises"])]
            message = {"act": {"hand": state["hand"], "at": state["at"], "action": rng.choice(may)}}
        began = time.perf_counter()
        await socket.send(json.dumps(message))
        state = json.loads(await socket.recv())["state"]
        waits.append(time.perf_counter() - began)
    return waits


async def crowd(url: str, tables: list[str], seconds: float) -> list[float]:
    until = time.perf_counter() + seconds
    async with AsyncExitStack() as stack:
        tasks = [played(url, table, until, random.Random(n), stack) for n, table in enumerate(tables)]
        return sorted(wait for waits in await asyncio.gather(*tasks) for wait in waits)


def first_paint(url: str) -> float | None:
    """Milliseconds to the first paint of the lobby, the second time that the browser shows it."""
    if CHROMIUM is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(2):
            page = browser.new_context().new_page()
            page.goto(url)
            page.wait_for_selector(".lobby")
            painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        browser.close()
    return float(painted)


def _p95(waits: list[float]) -> float:
    return 1000 * waits[int(0.95 * len(waits))]


def measure(quick: bool) -> dict[str, Any]:
    tables, seconds = (10, 2.0) if quick else (TABLES, 30.0)
    recipe = replace(RECIPES["holdem-limit"], seconds=1.0)
    if quick:
        recipe = changed(recipe, cards="made-hands?count=3", bets="cap 1 1 1 1")
    with TemporaryDirectory() as name:
        path = str(Path(name) / "holdem.blueprint")
        train_recipe(recipe, seconds=1.0 if quick else 5.0, threads=1, out=path)
        with serving(Path(name)) as url:
            new = {"game": "holdem-limit", "agents": [f"blueprint:{path}"]}
            named = [asked(url, "api/tables", **new)["table"] for _ in range(tables)]
            asyncio.run(crowd(url, named, 1.0))  # what is made once is made
            waits = asyncio.run(crowd(url, named, seconds))
            with solving(url):
                beside = asyncio.run(crowd(url, named, seconds))
            slowest = decisions(url, "turn.solution", 2 if quick else 20)
            painted = None if quick else first_paint(url)
    return {
        "at_once": tables, "actions": len(waits), "actions_a_second": len(waits) / seconds,
        "median_ms": 1000 * waits[len(waits) // 2], "p95_ms": _p95(waits), "longest_ms": 1000 * waits[-1],
        "p95_solving_ms": _p95(beside), "solving_times": _p95(beside) / _p95(waits), "decision_ms": slowest,
        "page_bytes": sum(len(content) for content, _ in page_files().values()),
        "first_paint_ms": painted,
    }  # fmt: skip


def tables(report: dict[str, Any]) -> dict[str, Table]:
    def cell(text: str) -> str:
        return FULL if report["quick"] else text

    painted = report["first_paint_ms"]
    return {"web": [
        ("what", "measured", "at most"),
        ("answer to an action, median", cell(f"{report['median_ms']:.0f} ms"), ""),
        ("19 of 20 answers", cell(f"{report['p95_ms']:.0f} ms"), "100 ms"),
        ("the same while a turn is solved", cell(f"{report['p95_solving_ms']:.0f} ms"), "1.5 times that"),
        ("any decision of a solved turn", cell(f"{report['decision_ms']:.0f} ms"), "50 ms"),
        ("the page, all its files", cell(f"{report['page_bytes'] / 1000:.0f} kB"), "300 kB"),
        ("its first paint", cell("not known" if painted is None else f"{painted:.0f} ms"), "1,000 ms"),
    ]}  # fmt: skip


def show(report: dict[str, Any]) -> None:
    for name, figure in report.items():
        print(f"{name:<18} {figure if isinstance(figure, str | None) else f'{figure:,.1f}'}")


def failed(report: dict[str, Any]) -> list[str]:
    unmet = [
        f"{name} is {report[name]:,.1f}, more than {most:,.1f}"
        for name, most in CLAIMS.items()
        if report[name] is not None and report[name] > most
    ]
    if report["at_once"] < TABLES:
        unmet.append(f"{report['at_once']} tables are fewer than {TABLES}")
    return unmet


if __name__ == "__main__":
    raise SystemExit(command(__doc__, "few tables and seconds", measure, show, failed, tables))
