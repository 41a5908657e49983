"""Children that obey permissions, also where tests run as root: it gives up the right to ignore them."""

import ctypes
import os
import subprocess
import sys

import pytest

_DROP_FROM_BOUNDING_SET, _RIGHTS = 24, (1, 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
_REFUSED = 77


def obedient_run(*command, **options):
    """Run Python with these arguments under permissions that hold; the finished process, its output as text."""
    libc = ctypes.CDLL(None) if os.geteuid() == 0 else None

    def give_up():
        if libc is not None and any(libc.prctl(_DROP_FROM_BOUNDING_SET, right, 0, 0, 0) for right in _RIGHTS):
            os._exit(_REFUSED)

    done = subprocess.run(
        [sys.executable, *command], preexec_fn=give_up, capture_output=True, text=True, timeout=120, **options
    )
    if done.returncode == _REFUSED:
        pytest.skip("root cannot give up its right to ignore permissions here")
    return done
