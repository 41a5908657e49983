"""Running a sampler on a game of any size: limits, progress, checkpoints, Ctrl-C and resume.

For games that can be compiled, `solve` does this and knows their exploitability. Here nothing is known but what the
caller can measure: `measure(sampler)` is called now and then, and may end the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pokerlab.errors import SolverError, StrategyFileError
from pokerlab.solvers.checkpoint import keeper, load_checkpoint
from pokerlab.solvers.runner import Gauge, Limits, Point, Record, run
from pokerlab.solvers.sampling.sampler import Sampler
from pokerlab.writing import check_output


@dataclass(frozen=True)
class Run:
    """How a run went. `seconds` is the time of walks and checkpoints, without that of measuring.

    `stopped` is `iterations`, `seconds`, `goal` or `interrupted`; rates are those of this run, not of earlier ones.
    """

    sampler: Sampler
    iterations: int
    seconds: float
    stopped: str
    iterations_per_second: float
    touched_per_second: float
    trace: tuple[Point, ...] = ()


def train(
    sampler: Sampler,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    measure: Callable[[Sampler], float] | None = None,
    measure_every: float = 60.0,
    goal: float | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_every: float | None = None,
    resume: bool = False,
    progress: bool | None = None,
    watch: Callable[[Record], bool] | None = None,
) -> Run:
    """Walk until `iterations` in all, `seconds` in all, or until what `measure` returns is at most `goal`.

    `checkpoint` is a file kept up to date every `checkpoint_every` seconds (50), with the one before beside it; with
    `resume` the run goes on from it if it is there. Ctrl-C ends the run, and what there is is kept;
    so does `watch`, as in `runner.run`.
    """
    limits = Limits(iterations, goal, seconds)
    Limits(iterations, seconds=seconds).check(SolverError)
    if limits.none:
        raise SolverError("give a limit: iterations, seconds, or a goal for what is measured")
    if goal is not None and measure is None:
        raise SolverError("a goal needs something to measure")
    if resume and checkpoint is None:
        raise SolverError("to resume, name the checkpoint")
    if checkpoint is not None:
        check_output(checkpoint, StrategyFileError)
    began = load_checkpoint(sampler, checkpoint) if resume and checkpoint and Path(checkpoint).exists() else Record()
    touched = sampler.touched
    gauge = (
        Gauge(lambda: measure(sampler), "goal", "measured {:.3g}".format, seconds=measure_every) if measure else None
    )

    keep = keeper(sampler, checkpoint)
    record = run(
        sampler, limits, gauge, title=f"{sampler.plan.sampling} sampling on {sampler.graph.rules.name or 'rules'}",
        resumed=began, keep=keep, keep_every=checkpoint_every, progress=progress,
        watch=watch,
    )  # fmt: skip
    if keep is not None:
        keep(record)
    took = max(record.seconds - began.seconds, 1e-9)
    return Run(
        sampler, record.iterations, record.seconds, record.stopped, (record.iterations - began.iterations) / took,
        (sampler.touched - touched) / took, record.trace,
    )  # fmt: skip
