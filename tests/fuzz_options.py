"""Every option of every command, with values that make sense and values that do not.

Cases (`option_cases.py`) run one after another in a child process with little memory and under a clock
(`option_child.py`):

    python tests/fuzz_options.py --seconds 600       random cases for ten minutes; those of the test suite come first

A case fails by an exit code other than 0, 1, 2 and 130, an exception that escapes, exit code 1 or 2 without exactly one
line of complaint, memory that runs out, JSON that is none, figures that overflow, escape codes on their way to a
terminal, or by not ending: whoever asks for much gets Ctrl-C, and has some seconds to end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from option_cases import Case, all_cases, commands, random_case

PATIENCE = 0.5  # seconds until Ctrl-C
LONG = 40.0  # the same for a case that failed when it was interrupted: libraries that are still loading take it ill
GRACE = 60.0  # seconds to end after it, on a busy machine
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Outcome:
    """What became of a case; `failure` says in what way it failed, if it did."""

    case: Case
    code: int | None
    failure: str


class Child:
    """The process that runs cases; a new one when one had to be killed."""

    def __init__(self) -> None:
        self.process: subprocess.Popen | None = None

    def _start(self) -> subprocess.Popen:
        paths = os.pathsep.join([str(HERE), *sys.path])
        process = subprocess.Popen(
            [sys.executable, str(HERE / "option_child.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": paths}, process_group=0,
        )  # fmt: skip
        line = process.stdout.readline()
        assert line == "ready\n", f"the child did not start: it said {line!r} and ended with {process.poll()}"
        return process

    def run(self, case: Case, patience: float = PATIENCE) -> dict | None:
        """What the child says of a case; None: it had to be killed, or has died."""
        self.process = self.process or self._start()
        self.process.stdin.write(json.dumps([list(case.words), case.files, patience]) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], patience + GRACE)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.close()
        return None

    def close(self) -> None:
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


_COMPLAINT = re.compile(r"^pokerlab: (?!warning: )", re.M)
_OVERFLOW = re.compile(r"encountered in|overflow|divide by zero")


def judged(case: Case, told: dict | None) -> Outcome:
    """Whether a case went as it must."""
    if told is None:
        return Outcome(case, None, "it hangs, or killed its process")
    code, out, err = told["code"], told["out"], told["err"]
    failure = ""
    if told["escaped"]:
        failure = f"escaped: {told['escaped']}"
    elif code not in (0, 1, 2, 130):
        failure = f"exit code {code}"
    elif code in (1, 2) and len(_COMPLAINT.findall(err)) != 1 and "Usage:" not in err:
        failure = f"exit code {code} and not one line of complaint: {err!r}"
    elif code == 130 and len(re.findall(r"^interrupted: ", err, re.M)) != 1:
        failure = f"Ctrl-C, and not one line that says what was kept: {err!r}"
    elif "Traceback" in err or "out of memory" in err:
        failure = err
    elif _OVERFLOW.search(err):
        failure = f"figures overflow: {err!r}"
    elif re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", out + err.replace("\r", "")):
        failure = f"control characters: {(out + err)!r}"
    elif code == 0 and "--json" in case.words:
        failure = _no_json(out)
    return Outcome(case, code, failure[-3000:])


def _no_json(text: str) -> str:
    def no_number(word: str) -> float:
        raise ValueError(f"{word} is no number of JSON")

    try:
        return "" if isinstance(json.loads(text, parse_constant=no_number), dict) else f"no object: {text[:300]!r}"
    except ValueError as error:
        return f"{error}: {text[:300]!r}"


def tried(runner: Child, case: Case) -> Outcome:
    """Run a case and judge it; one that failed when it was interrupted once more, with more time."""
    outcome = judged(case, told := runner.run(case))
    return judged(case, runner.run(case, LONG)) if outcome.failure and told and told["interrupted"] else outcome


def fuzz(cases: list[Case]) -> list[Outcome]:
    """Run cases and judge them."""
    runner, outcomes = Child(), []
    try:
        for case in cases:
            outcomes.append(tried(runner, case))
    finally:
        runner.close()
    return outcomes


def show(outcome: Outcome) -> str:
    words = " ".join(repr(word if len(word) < 80 else word[:80] + "...") for word in outcome.case.words)
    return f"{outcome.case.option}: pokerlab {words}\n    {outcome.failure}" + "".join(
        f"\n    {name}: {text!r}" for name, text in outcome.case.files.items()
    )


def run_long(seconds: float, seed: int) -> int:
    """Every option with every value, then random cases until the time is up."""
    rng, began, runner, count, failures = random.Random(seed), time.monotonic(), Child(), 0, 0
    waiting = all_cases()[::-1]
    options = {case.option for case in waiting}
    while time.monotonic() - began < seconds:
        case = waiting.pop() if waiting else random_case(rng)
        outcome = tried(runner, case)
        count += 1
        if outcome.failure:
            failures += 1
            print(show(outcome), flush=True)
    runner.close()
    told = f"{count:,} cases over {len(options)} options of {len(commands())} commands"
    print(f"{told}, {failures} failures, {len(waiting):,} cases not run, seed {seed}")
    return int(failures > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    sys.exit(run_long(asked.seconds, asked.seed))
