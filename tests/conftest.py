"""Settings for all tests."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Machines differ and are shared: no example fails for its time, and every run tries the same ones.
settings.register_profile("pokerlab", deadline=None, derandomize=True)
settings.load_profile("pokerlab")

# A shell ignores Ctrl-C for what it runs in the background; tests that send it need it to work all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Rooms that take longest: they start first, so that no worker is left with one of them at the end.
LONGEST = ("buckets", "match", "solvers", "agents", "cards", "sampling", "refine", "spots")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests of a room go to one worker, which compiles its kernels and makes what they share, once.

    Those of no room run whole programs: they come last, one by one, the long ones first, with kernels from the cache.
    """

    def turn(item):
        group = item.get_closest_marker("xdist_group")
        if group is None:
            return (len(LONGEST) + 1, item.get_closest_marker("slow") is None)
        return (LONGEST.index(group.args[0]) if group.args[0] in LONGEST else len(LONGEST), False)

    tests = Path(__file__).parent
    for item in items:
        if item.path.parent != tests and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.parent.name))
    items.sort(key=turn)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """One cache folder for all workers of a run, so that tests leave the user's alone; $POKERLAB_CACHE if it is set."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pokerlab-cache"
    os.environ.setdefault("POKERLAB_CACHE", str(folder))
