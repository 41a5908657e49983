"""Every method, stopped by a limit, by Ctrl-C or by kill -9 at random times, ends as if it had never been stopped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stopped_runs
from pokerlab.refine.spots.engine import SCHEMES as SPOT_METHODS
from pokerlab.solvers.run import STEPPERS
from pokerlab.solvers.sampling.sampler import SAMPLINGS
from stopped_runs import CASES, KINDS

STOPS = int(os.environ.get("POKERLAB_STOPS", "20"))  # of each method; more for who has the time
PROMISED = [*STEPPERS, *(f"train {sampling}" for sampling in SAMPLINGS), *(f"spot {method}" for method in SPOT_METHODS)]
WAYS = [name for name in CASES if name.startswith("range-of-skill by")]


@pytest.fixture(scope="module")
def stop():
    """Ask a process that has no threads, and so can fork, for stops of a case."""
    program = Path(stopped_runs.__file__)
    paths = os.pathsep.join([str(program.parent), *sys.path])
    process = subprocess.Popen(
        [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip

    def asked(case, stops):
        process.stdin.write(json.dumps({"case": case, "stops": stops}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield asked
    process.stdin.close()
    assert process.wait(60) == 0


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_was_stopped_ends_as_one_that_was_not(stop, case):
    stops = STOPS if case in PROMISED + WAYS else 2 * len(KINDS)  # of variants some
    answer = stop(case, stops)
    assert answer["wrong"] is None, "\n".join([*answer["told"], answer["wrong"]])
    assert answer["made"] == {kind: stops // len(KINDS) for kind in KINDS}


def test_no_method_is_missing():
    assert set(PROMISED) <= set(CASES)


def test_what_differs_is_seen(tmp_path):
    """But for times: a bit of an array, an array more, an iteration, a figure of the trace."""

    def written(name, header, **arrays):
        file = tmp_path / name
        text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        with open(file, "wb") as out:
            np.savez(out, header=text, **arrays)
        return file

    header = {"iterations": 3, "seconds": 1.0, "trace": [[1, 0.5, 0.25]]}
    whole = written("whole", header, state=np.zeros(2))
    stopped_runs.compare(
        whole, written("late", header | {"seconds": 2.0, "trace": [[1, 9.5, 0.25]]}, state=np.zeros(2))
    )
    for other, arrays in (
        (header, {"state": np.array([0.0, -0.0])}),
        (header, {"state": np.zeros(2, np.float32)}),
        (header, {"state": np.zeros(2), "more": np.zeros(1)}),
        (header | {"iterations": 4}, {"state": np.zeros(2)}),
        (header | {"trace": [[1, 0.5, 0.26]]}, {"state": np.zeros(2)}),
        (header | {"trace": []}, {"state": np.zeros(2)}),
    ):
        with pytest.raises(AssertionError):
            stopped_runs.compare(whole, written("other", other, **arrays))
