"""Runs that are stopped at random and go on: a program that is told a case, and says whether it ended as it should.

It loads a case's kernels but solves nothing itself, so that a fork of it is a run at the cost of some milliseconds. A
run is stopped by a limit, by Ctrl-C or by kill -9 and goes on from its file, again and again, until it ends; then its
file must be that of the run that was never stopped, but for times. `python tests/stopped_runs.py 200 omd fp` makes 200
stops of each of two cases, without a name of all.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import pokerlab
from pokerlab import threads
from pokerlab.cards.holes import COUNT
from pokerlab.form.evaluate import evaluate, evaluate_plans
from pokerlab.form.payoff import DensePayoff
from pokerlab.game.deals import deals_of
from pokerlab.refine.spots.engine import SCHEMES as SPOT_SCHEMES
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.run import solve_spot
from pokerlab.solvers import runner
from pokerlab.solvers.run import METHODS, stepper_of
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import ListedDeals
from pokerlab.solvers.sampling.public import ListedPublics
from pokerlab.solvers.sampling.sampler import SAMPLINGS, Sampler, plan_of
from pokerlab.solvers.sampling.solver import SAMPLERS
from pokerlab.solvers.sampling.train import train
from random_spots import random_spot, spot_of

ENDED, PRESSED, FAILED = 0, 130, 1  # how a run's process exits
KINDS = ("iterations", "seconds", "SIGINT", "SIGKILL")
Go = Callable[..., str]  # (file, iterations, seconds) -> why it stopped


@dataclass(frozen=True)
class Case:
    """What is run: `prepare` loads what it needs and gives the run; `iterations` is where it ends, or about where."""

    prepare: Callable[[], Go]
    iterations: int


def solving(name: str, method: str, iterations: int, *, abstraction="FULL", dense=False, goal=None, **parameters: Any):
    def prepare() -> Go:
        game = pokerlab.compile(name, abstraction)
        if dense:
            game = replace(game, A=DensePayoff(game.A.shape, game.A.groups))
        stepper = stepper_of(game, method, **parameters)
        stepper.step(0 if "oracle" in method or "skill" in method else 1)  # HiGHS has threads, which no fork would have
        evaluate_plans(game, stepper.plans())
        evaluate(stepper.profile())

        def go(file: Path, **limits: Any) -> str:
            limits = {"exploitability": goal} | limits if goal is not None else limits
            return pokerlab.solve(
                game, method, checkpoint=file, resume=file if file.exists() else None, progress=False, **limits,
                **parameters,
            ).stopped  # fmt: skip

        return go

    return Case(prepare, iterations)


def training(sampling: str, iterations: int, **changes: Any) -> Case:
    def prepare() -> Go:
        rules = pokerlab.rules_of("leduc")
        listed = ListedDeals(deals_of(rules))
        source = ListedPublics(listed) if sampling == "public" else listed

        def sampler() -> Sampler:
            return Sampler(BettingGraph(rules, source.buckets), source, plan_of(sampling, **changes))

        sampler().step(0)

        def go(file: Path, **limits: Any) -> str:
            return train(sampler(), checkpoint=file, resume=True, progress=False, **limits).stopped

        return go

    return Case(prepare, iterations)


def spot(make: Callable[[], Any], iterations: int, **options: Any) -> Case:
    def prepare() -> Go:
        one = make()
        solve_spot(one, iterations=1, **options | {"threads": 1})

        def go(file: Path, **limits: Any) -> str:
            resume = file if file.exists() else None
            return solve_spot(one, checkpoint=file, resume=resume, progress=False, **limits, **options).stopped

        return go

    return Case(prepare, iterations)


def river() -> Any:
    return random_spot(np.random.default_rng(4), 2, (30, 30))


def turn() -> Any:
    return spot_of("As Ks 7s 2s", ("AA,KK,QJs,76s", "QQ,JJ,AK,87s"), bet="75%", raise_="")


def gadget() -> Gadget:
    rng = np.random.default_rng(1)
    return Gadget("re-solving", 1, rng.uniform(0, 100, COUNT), 0.3, rng.random(COUNT))


_LENGTH = {"double-oracle": 30, "range-of-skill": 20, "egt": 60, "fp": 120, "omd": 120}
CASES = {
    **{
        method: solving("leduc", method, _LENGTH.get(method, 400), **({"step_size": 4.0} if method == "omd" else {}))
        for method in METHODS
        if method != "lp"
    },
    **{method: solving("leduc", method, 8000 if "public" not in method else 1500) for method in SAMPLERS},
    "range-of-skill by half an oracle": solving("leduc", "range-of-skill", 8, response=1),
    "range-of-skill by regrets": solving("kuhn", "range-of-skill", 11, response=3),  # in which some strategies rest
    "double-oracle to the end": solving("kuhn", "double-oracle", 1000),
    "to a goal": solving("leduc", "dcfr", 300, goal=0.01),
    "three players": solving("kuhn-3p", "cfr+", 60),
    "forgetting": solving("leduc", "cfr+", 300, abstraction="J.Q.K/~pair.nopair"),
    "single precision": solving("leduc", "dcfr", 100, single=True),
    "dense": solving("leduc", "pcfr+", 60, dense=True),
    "dense double-oracle": solving("leduc", "double-oracle", 20, dense=True),
    "dense range-of-skill": solving("leduc", "range-of-skill", 10, dense=True),
    **{f"train {sampling}": training(sampling, 1500 if sampling == "public" else 12000) for sampling in SAMPLINGS},
    "train in single precision": training("external", 12000, single=True, prune=20.0),
    "train with baselines": training("outcome", 12000, baselines=True),
    **{f"spot {method}": spot(river, 150, method=method) for method in SPOT_SCHEMES},
    "spot behind a gadget": spot(river, 150, gadget=gadget()),
    "spot on two threads": spot(turn, 60, threads=2),
}  # fmt: skip


class Runs:
    """Runs of a case in a folder, each in a process of its own."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.go, self.iterations = case.prepare(), case.iterations
        self.whole, self.file = folder / "whole", folder / "stopped"
        self.seconds = {}  # that a run takes which nobody stops, by how often it keeps what it has
        for keep_every, file in ((0.0, self.whole), (math.inf, self.file)):
            began = time.perf_counter()
            self.end(file, keep_every)
            self.seconds[keep_every] = time.perf_counter() - began
        self.length = self.reached(self.whole)
        compare(self.whole, self.file)
        self.file.unlink()

    def fork(self, file: Path, keep_every: float, **limits: float) -> int:
        """Start a run that goes on from a file, if there is one, to the end or to nearer limits; its process.

        Ctrl-C waits until the process is about to run: before, it would end as this program does.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        if process := os.fork():
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            return process
        code = FAILED
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            threads._pool.cache_clear()  # whose threads stayed behind
            runner.CHECKPOINT_SECONDS = keep_every
            self.go(file, **{"iterations": self.iterations} | limits)
            code = ENDED
        except KeyboardInterrupt:  # before the run had begun, or when it was over
            code = PRESSED
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def reached(self, file: Path) -> int:
        """How many iterations a file holds."""
        if not file.exists():
            return 0
        with np.load(file, allow_pickle=False) as arrays:
            return json.loads(arrays["header"].tobytes())["iterations"]

    def stop(self, kind: str, rng: np.random.Generator) -> tuple[str, bool]:
        """Go on and stop: what happened, in words, and whether that was before the end."""
        at, keep_every = self.reached(self.file), float(rng.choice([*self.seconds]))
        moment, delay = at + 1 + int(rng.integers(self.length // 4 + 1)), self.seconds[keep_every] * rng.random()
        limits = {"iterations": min(moment, self.iterations)} if kind == "iterations" else {}
        limits |= {"seconds": delay / 4} if kind == "seconds" else {}
        process = self.fork(self.file, keep_every, **limits)
        if kind in ("SIGINT", "SIGKILL"):
            time.sleep(delay)
            os.kill(process, getattr(signal, kind))
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code not in (ENDED, PRESSED, -signal.SIGKILL):
            raise AssertionError(f"a run that went on from {at} and was stopped by {kind} failed: {code}")
        now = self.reached(self.file)
        return f"{kind} from {at} to {now}", code == -signal.SIGKILL or now < self.length

    def end(self, file: Path, keep_every: float = 0.0) -> None:
        """Go on to the end."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.fork(file, keep_every), 0)[1])
        if code != ENDED:
            raise AssertionError(f"a run that nobody stopped failed: {code}")


def compare(whole: Path, other: Path) -> None:
    """AssertionError unless two files are the same but for times."""
    with np.load(whole, allow_pickle=False) as one, np.load(other, allow_pickle=False) as two:
        headers = [_timeless(json.loads(file["header"].tobytes())) for file in (one, two)]
        assert set(one.files) == set(two.files), sorted(set(one.files) ^ set(two.files))
        for key in sorted({*headers[0], *headers[1]}):
            assert headers[0].get(key) == headers[1].get(key), (key, headers[0].get(key), headers[1].get(key))
        for key in set(one.files) - {"header"}:
            mine, theirs = one[key], two[key]
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape), key
            assert mine.tobytes() == theirs.tobytes(), (key, np.abs(mine - theirs).max())


def _timeless(header: dict[str, Any]) -> dict[str, Any]:
    trace = [[iteration, figure] for iteration, _, figure in header["trace"]]
    return {key: value for key, value in header.items() if key != "seconds"} | {"trace": trace}


def tried(name: str, stops: int, folder: Path) -> dict[str, Any]:
    """Stop runs of a case so many times, by each kind as often; what was made of them, and what was wrong."""
    rng, told, made = np.random.default_rng([stops, *name.encode()]), [], dict.fromkeys(KINDS, 0)
    left = [KINDS[i % len(KINDS)] for i in rng.permutation(stops)]
    try:
        runs = Runs(CASES[name], folder)
        while left and len(told) < 20 * stops:
            kind = left[-1]
            words, stopped = runs.stop(kind, rng)
            told.append(words)
            if stopped:
                made[left.pop()] += 1
            if not left or runs.reached(runs.file) > 0.9 * runs.length:
                runs.end(runs.file)
                compare(runs.whole, runs.file)
                runs.file.unlink()
                told.append("the end")
    except Exception as problem:  # what is wrong, or a file that cannot be read
        return {"case": name, "made": made, "told": told, "wrong": f"{type(problem).__name__}: {problem}"}
    return {"case": name, "made": made, "told": told, "wrong": None}


def main() -> None:
    """Cases of the command line, or one after the other from standard input, a JSON object each way."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell takes from what it runs in the background
    with tempfile.TemporaryDirectory() as folder:

        def answer(name: str, stops: int) -> dict[str, Any]:
            place = Path(tempfile.mkdtemp(dir=folder))
            return tried(name, stops, place)

        if len(sys.argv) > 1:
            results = [answer(name, int(sys.argv[1])) for name in sys.argv[2:] or CASES]
            for result in results:
                print(f"{result['case']}: {result['wrong'] or 'as never stopped'}")
            sys.exit(any(result["wrong"] for result in results))
        for line in sys.stdin:
            asked = json.loads(line)
            print(json.dumps(answer(asked["case"], asked["stops"])), flush=True)


if __name__ == "__main__":
    main()
