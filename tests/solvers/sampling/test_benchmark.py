"""The benchmark runs and prints what it promises; how fast it finds us is for `make bench` to judge."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "sampling.py"


@pytest.mark.slow
def test_quick_run():
    command = [sys.executable, str(SCRIPT), "--quick", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["confirmed"]
    assert {"OpenSpiel C++", "OpenSpiel C++, suits forgotten", "pokerlab"} <= set(found["leduc"])
    for row in (*found["leduc"].values(), *found["methods"].values()):
        assert row["iteration_us"] > 0
        assert 0 < row["exploitability"] < 2
    assert len(found["methods"]) == 13
    assert found["bytes_per_infoset"]["double"] == 2 * found["bytes_per_infoset"]["single"]
