"""Settings for all tests."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from pokerlab import progress

# Machines differ and are shared: no example fails for its time, and every run tries the same ones.
settings.register_profile("pokerlab", deadline=None, derandomize=True)
settings.load_profile("pokerlab")

# A shell ignores Ctrl-C for what it runs in the background; tests that send it need it to work all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Steps that a busy machine makes slow do not say so: messages would depend on the machine.
progress.SILENCE = 120.0

# Rooms that take longest: their files start first, so that no worker is left with a long one at the end.
LONGEST = ("buckets", "papers", "match", "solvers", "agents", "cards", "sampling", "refine", "spots")


def pytest_collection_modifyitems(items):
    """Workers take whole files, in this order; those of no room run whole programs and come last."""

    def turn(item):
        room = item.path.parent
        if room == Path(__file__).parent:
            return len(LONGEST) + 1
        return LONGEST.index(room.name) if room.name in LONGEST else len(LONGEST)

    items.sort(key=turn)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """One cache folder for all workers of a run, so that tests leave the user's alone; $POKERLAB_CACHE if it is set."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pokerlab-cache"
    os.environ.setdefault("POKERLAB_CACHE", str(folder))
