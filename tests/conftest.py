"""Settings for all tests."""

import os
import signal

import pytest
from hypothesis import settings

# Machines differ and are shared: no example fails for its time, and every run tries the same ones.
settings.register_profile("pokerlab", deadline=None, derandomize=True)
settings.load_profile("pokerlab")

# A shell ignores Ctrl-C for what it runs in the background; tests that send it need it to work all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """One cache folder for all workers of a run, so that tests leave the user's alone; $POKERLAB_CACHE if it is set."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pokerlab-cache"
    os.environ.setdefault("POKERLAB_CACHE", str(folder))
