"""Settings for all tests."""

import importlib
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from pokerlab import progress
from pokerlab.processes import cores
from web_browser import CHROMIUM, WAIT

# Machines differ and are shared: no example fails for its time, and every run tries the same ones.
settings.register_profile("pokerlab", deadline=None, derandomize=True)
settings.load_profile("pokerlab")

# A shell ignores Ctrl-C for what it runs in the background; tests that send it need it to work all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Steps that a busy machine makes slow do not say so: messages would depend on the machine.
progress.SILENCE = 120.0

# Files that take longest start first, those that run whole programs among their like, so that no worker is left with a
# long one at the end; and neighbours here need other kernels, which else would be compiled by several workers at once.
# Pages that solve, in a process that lets others go first, come when its kernels are there.
LONGEST = (
    "buckets/real_buckets", "papers/moravcik2016_max_margin", "spots/cpu", "papers/rubin2013_experts", "match/gain",
    "web/browser", "papers/waugh2009_grafting", "spots/cuda", "match/dealer_faults", "papers/rubin2013_cases",
    "papers/waugh2009_pathologies", "spots/page", "web/browser_look", "papers/waugh2009_holdem", "web/hidden",
    "papers/zinkevich2007_range_of_skill", "agents/blueprint_file", "papers/rubin2013_adaptation",
)  # fmt: skip
PROGRAMS = ("docs_commands", "benchmarks", "fuzz_options", "docs", "clusters", "figures", "installed", "tour")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests that wait for a process, a socket or a browser leave theirs idle."""
    return cores() + 1


def pytest_collection_modifyitems(items):
    """Workers take whole files, in this order; those of no room run whole programs and come last."""

    def turn(item):
        room, name = item.path.parent, item.path.stem.removeprefix("test_")
        if room == Path(__file__).parent:
            return 1, _place(PROGRAMS, name)
        return 0, _place(LONGEST, f"{room.name}/{name}")

    items.sort(key=turn)


def _place(order, name):
    return order.index(name) if name in order else len(order)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """One cache folder for all workers of a run, so that tests leave the user's alone; $POKERLAB_CACHE if it is set."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pokerlab-cache"
    os.environ.setdefault("POKERLAB_CACHE", str(folder))


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests of pages."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the page was not tried in a browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: no browser was started")
    with playwright.sync_playwright() as tools:
        started = tools.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=2 * WAIT
        )
        yield started
        started.close()


@pytest.fixture
def benchmark(monkeypatch):
    """A script of benchmarks as a module, beside those that it imports."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return importlib.import_module
