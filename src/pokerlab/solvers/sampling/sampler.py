"""A table that Monte Carlo CFR fills: sampling x weighting, on one thread or several.

Sampling is external, outcome (Lanctot et al. 2009) or public chance (Johanson et al. 2012); weighting is one of the
schemes of `regret.py`. Schemes discount once an iteration, which would cost a sweep of the table; here iterations are
taken together in *epochs* and the table is discounted at the end of each (as in Brown and Sandholm 2019). Only flooring
(a beta of minus infinity, as in CFR+) happens at every update.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from pokerlab.bounds import ITERATIONS, SEED, THREADS
from pokerlab.errors import GameTooLarge, SolverError
from pokerlab.form.kernels import discount as discount_factor
from pokerlab.solvers.regret import SCHEMES, Scheme, scheme_of
from pokerlab.solvers.runner import put_back
from pokerlab.solvers.sampling import kernels
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import DealSource
from pokerlab.solvers.sampling.held_kernels import Held, external_held
from pokerlab.solvers.sampling.public import PublicSource, vector_work
from pokerlab.solvers.sampling.public_kernels import VectorWork
from pokerlab.solvers.sampling.randomness import streams
from pokerlab.threads import spread

SAMPLINGS = ("external", "outcome", "public")
BATCH = 2048  # iterations whose deals are made at once
_SWEEP = 64  # by default an epoch has as many iterations as the table has cells, divided by this
_LEAST_EPOCH, _LEAST_PUBLIC_EPOCH = 1000, 50
_WEIGHTS = ("alpha", "beta", "gamma", "averaging")
_TRY_CHANCE = 0.05  # of a walk that also tries what others prune


@dataclass(frozen=True)
class Plan:
    """What a sampler does; see the module's text.

    `epoch` is how many iterations are discounted together (None: by the size of the table). `prune` skips actions
    whose regret is below minus so many chips in 19 of 20 walks. `explore` and `baselines` are for outcome sampling:
    how much of the walker's policy is uniform, and whether learnt values of actions take variance out (step `learn`).
    With three and more players a walk meets an opponent also in proportion to what the third does; `weighted` counts
    that out of the average strategy, which is exact but for what the third never does, and noisier.
    Single precision halves the memory and rounds at random.
    """

    sampling: str = "external"
    scheme: Scheme = field(default_factory=lambda: SCHEMES["linear"])
    seed: int = 0
    threads: int = 1
    single: bool = False
    epoch: int | None = None
    prune: float | None = None
    explore: float = 0.6
    baselines: bool = False
    learn: float = 0.1
    weighted: bool = False

    def __post_init__(self) -> None:
        THREADS.check(self.threads, error=SolverError)
        SEED.check(self.seed, error=SolverError)
        ITERATIONS.check(self.epoch, "epoch", SolverError)
        checks = [
            (self.sampling in SAMPLINGS, f"sampling must be one of {', '.join(SAMPLINGS)}, not {self.sampling!r}"),
            (not self.scheme.predictive and self.scheme.alternating, "sampling is neither predictive nor simultaneous"),
            (self.prune is None or self.prune > 0, f"prune must be a positive number of chips, not {self.prune}"),
            (self.prune is None or self.sampling == "external", "prune is for external sampling"),
            (self.prune is None or self.scheme.beta != -math.inf, "cfr+ keeps no negative regret to prune by"),
            (0 < self.explore <= 1, f"explore must be above 0 and at most 1, not {self.explore}"),
            (not self.baselines or self.sampling == "outcome", "baselines are for outcome sampling"),
            (0 < self.learn <= 1, f"learn must be above 0 and at most 1, not {self.learn}"),
        ]
        for fine, message in checks:
            if not fine:
                raise SolverError(message)

    def parameters(self) -> dict[str, Any]:
        """As plain JSON; what does not change the result is left out."""
        scheme = self.scheme.parameters()
        weighting: dict[str, Any] = {key: scheme[key] for key in ("alpha", "beta", "gamma")}
        keys = ["seed", "threads", "single", "epoch"]
        keys += ["weighted"] if self.sampling != "public" else []
        keys += ["prune"] if self.sampling == "external" else []
        keys += ["explore", "baselines", "learn"] if self.sampling == "outcome" else []
        return weighting | {key: getattr(self, key) for key in keys}


def plan_of(sampling: str, /, weighting: str = "linear", **changes: Any) -> Plan:
    """A plan by the names of its parts; `changes` are fields of Plan, or alpha, beta and gamma of the weighting."""
    if weighting not in SCHEMES or SCHEMES[weighting].predictive:
        known = [name for name, scheme in SCHEMES.items() if not scheme.predictive]
        raise SolverError(f"weighting must be one of {', '.join(known)}, not {weighting!r}")
    weights = {key: changes.pop(key) for key in _WEIGHTS if key in changes}
    fields = set(Plan.__dataclass_fields__) - {"sampling", "scheme"}
    if unknown := set(changes) - fields:
        names = ", ".join(sorted({"weighting", *_WEIGHTS, *fields}))
        raise SolverError(f"{sampling} sampling has no parameter {min(unknown)!r}; it has {names}")
    return Plan(sampling, scheme_of(weighting, **weights), **changes)


class Sampler:
    """Regrets and average strategy of every row of a betting graph, and the walks that fill them.

    With `held` one of two players is held to a model (see `held_kernels.py`).
    One thread is deterministic: the same seed and number of iterations give the same table, however they are divided
    into steps. Several threads share the table without locks and are not.
    """

    finished = False

    def __init__(
        self, graph: BettingGraph, source: DealSource | PublicSource, plan: Plan, held: Held | None = None
    ) -> None:
        if tuple(map(tuple, source.buckets)) != graph.buckets:
            raise SolverError(f"deals into {source.buckets} buckets do not fit a graph for {graph.buckets}")
        if held is not None and (
            plan.sampling != "external" or plan.scheme.beta == -math.inf or plan.prune is not None
        ):
            raise SolverError("players are held by external sampling without floors and pruning")
        self.graph, self.source, self.plan, self.held = graph, source, plan, held
        kind = np.float32 if plan.single else np.float64
        _check_memory(graph, plan)
        self.cells: np.ndarray = np.zeros(graph.cells, dtype=kind)
        width = graph.cells // 2 if plan.baselines else 0
        self.baselines: np.ndarray = np.zeros((graph.players, width), dtype=kind)
        self._clock = np.zeros(1, dtype=np.int64)
        self._random = _apart(streams(plan.seed, 2 * plan.threads))
        self._winnings = _apart(np.zeros((plan.threads, graph.players)))
        self._touched = _apart(np.zeros((plan.threads, 1), dtype=np.int64))
        self._rule = self._make_rule()
        self._workers = [self._worker(i) for i in range(plan.threads)]

    def _make_rule(self) -> kernels.Rule:
        plan = self.plan
        return kernels.Rule(
            floor=0.0 if plan.scheme.beta == -math.inf else -math.inf,
            prune_below=-math.inf if plan.prune is None else -float(plan.prune),
            try_chance=_TRY_CHANCE,
            explore=float(plan.explore),
            learn=float(plan.learn) if plan.baselines else 0.0,
            weighted=plan.weighted and self.graph.players > 2,
            single=plan.single,
        )

    def _worker(self, i: int) -> _Worker:
        deals, walks = self._random[2 * i], self._random[2 * i + 1]
        counts = self._winnings[i], self._touched[i]
        if isinstance(self.source, PublicSource):
            return _PublicWorker(self, self.source, deals, walks, vector_work(self.graph, self.source.hands, *counts))
        return _DealWorker(self, self.source, deals, walks, path_work(self.graph, *counts))

    @property
    def iteration(self) -> int:
        return int(self._clock[0])

    @property
    def epoch(self) -> int:
        """Iterations that are discounted together."""
        if self.plan.epoch is not None:
            return self.plan.epoch
        least = _LEAST_PUBLIC_EPOCH if self.plan.sampling == "public" else _LEAST_EPOCH
        return max(least, self.graph.cells // _SWEEP)

    @property
    def touched(self) -> int:
        """Rows met by all walks so far."""
        return int(self._touched.sum())

    @property
    def values(self) -> tuple[float, ...]:
        """What the players won in a walk, on average over all so far."""
        return tuple((self._winnings.sum(axis=0) / max(self.iteration, 1)).tolist())

    @property
    def nbytes(self) -> int:
        """Bytes of the table."""
        return self.cells.nbytes + self.baselines.nbytes

    def step(self, count: int = 1) -> None:
        """Advance by `count` iterations, each a walk for every player."""
        if not count:  # only compiles the kernels
            self._run(0)
            kernels.discount(self.graph.sweep, self.cells, 1.0, 1.0, 1.0, *self.graph.stack())
        goal = self.iteration + count
        while self.iteration < goal:
            epoch = self.epoch
            most = min(goal - self.iteration, epoch - self.iteration % epoch, self.source.chunk * self.plan.threads)
            self._run(most)
            self._clock[0] += most
            if self.iteration % epoch == 0:
                self._discount(self.iteration // epoch)

    def _run(self, count: int) -> None:
        threads = self.plan.threads
        shares = [count // threads + (i < count % threads) for i in range(threads)]
        tasks = list(zip(self._workers, shares, strict=True))
        spread(lambda task: task[0].run(task[1]), [task for task in tasks if task[1]] or tasks[:1])

    def _discount(self, epoch: int) -> None:
        scheme = self.plan.scheme
        keep = discount_factor(float(epoch), float(scheme.alpha))
        # With a floor there is nothing below it to forgive.
        forgive = 1.0 if scheme.beta == -math.inf else discount_factor(float(epoch), float(scheme.beta))
        fade = (epoch / (epoch + 1.0)) ** scheme.gamma
        if (keep, forgive, fade) != (1.0, 1.0, 1.0):
            kernels.discount(self.graph.sweep, self.cells, keep, forgive, fade, *self.graph.stack())

    def average(self, kind: type = np.float32) -> np.ndarray:
        """The average strategy, cells // 2 probabilities: those of a row at cell c begin at c // 2.

        Where the average has never been, it is the current strategy.
        """
        average: np.ndarray = np.empty(self.graph.cells // 2, dtype=kind)
        kernels.average(self.graph.sweep, self.cells, average, *self.graph.stack())
        return average

    def row(self, actions: Sequence[int], bucket: int) -> int:
        """The cell at which the row of a betting sequence and a bucket begins."""
        node, base = self.graph.follow(actions)
        if not 0 <= bucket < self.graph.arrays.buckets[node]:
            raise SolverError(f"bucket {bucket} is none of {self.graph.arrays.buckets[node]}")
        return base + 2 * len(self.graph.actions[node]) * bucket

    def state(self) -> dict[str, np.ndarray]:
        """Everything that the walks change, not copied: what a checkpoint holds."""
        return {
            "cells": self.cells, "baselines": self.baselines, "clock": self._clock, "random": self._random,
            "winnings": self._winnings, "touched": self._touched,
        }  # fmt: skip

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to what `state` held."""
        put_back(self.state(), state)

    def subject(self) -> dict[str, Any]:
        """What must be the same for a run to go on from a checkpoint."""
        digest = hashlib.sha256()
        for array in self.graph.arrays:
            digest.update(array.tobytes())
        return {
            "game": self.graph.rules.text(),
            "buckets": [list(row) for row in self.graph.buckets],
            "betting": digest.hexdigest()[:16],
            "plan": {"sampling": self.plan.sampling, **self.plan.parameters()},
        }


class _Worker(Protocol):
    def run(self, count: int) -> None: ...


class _DealWorker:
    """A thread of external or outcome sampling: its generators, its scratch and a batch of deals."""

    def __init__(
        self, sampler: Sampler, source: DealSource, deals: np.ndarray, walks: np.ndarray, work: kernels.Work
    ) -> None:
        players, rounds = sampler.graph.players, sampler.graph.rules.rounds
        self._sampler, self._source, self._deals, self._walks, self._work = sampler, source, deals, walks, work
        self._buckets = np.zeros((BATCH * players, players, rounds), dtype=np.int32)
        self._codes = np.zeros(BATCH * players, dtype=np.int32)

    def run(self, count: int) -> None:
        """`count` iterations, batch by batch."""
        s, players = self._sampler, self._sampler.graph.players
        graph, rule = s.graph.arrays, s._rule
        while True:
            here = min(count, BATCH)
            buckets, codes = self._buckets[: here * players], self._codes[: here * players]
            self._source.fill(self._deals, buckets, codes)
            if s.held is not None:
                external_held(graph, s.cells, buckets, codes, here, s.held, rule.single, self._walks, self._work)
            elif s.plan.sampling == "external":
                kernels.external(graph, s.cells, buckets, codes, here, rule, self._walks, self._work)
            else:
                kernels.outcome(graph, s.cells, s.baselines, buckets, codes, here, rule, self._walks, self._work)
            count -= here
            if not count:
                return


class _PublicWorker:
    """A thread of public-chance sampling."""

    def __init__(
        self, sampler: Sampler, source: PublicSource, deals: np.ndarray, walks: np.ndarray, work: VectorWork
    ) -> None:
        self._sampler, self._source, self._deals, self._walks, self._work = sampler, source, deals, walks, work

    def run(self, count: int) -> None:
        s = self._sampler
        self._source.walk(s.graph.arrays, s.cells, count, s._rule, self._deals, self._walks, self._work)


def path_work(graph: BettingGraph, winnings: np.ndarray, touched: np.ndarray) -> kernels.Work:
    """Scratch for walks of external and outcome sampling."""
    stack, rows = graph.depth * graph.most_actions + 1, max(graph.widest, graph.depth)
    slots = 1 + rows * graph.most_actions

    def whole(size: int) -> np.ndarray:
        return np.zeros(size, dtype=np.int64)

    return kernels.Work(
        node=whole(stack), base=whole(stack), slot=whole(stack), lead=np.ones((stack + 1, graph.players)),
        at=whole(rows), choices=whole(rows), into=whole(rows), value=np.zeros(slots), gain=np.zeros(slots),
        odds=np.zeros(slots), chance=np.ones((rows, 2)), chosen=whole(rows),
        winnings=winnings, touched=touched,
    )  # fmt: skip


def _apart(rows: np.ndarray) -> np.ndarray:
    """The same rows, 128 bytes from one to the next: threads that write to neighbours would slow each other down."""
    room = np.zeros((len(rows), 16), dtype=rows.dtype)
    room[:, : rows.shape[1]] = rows
    return room[:, : rows.shape[1]]


def _check_memory(graph: BettingGraph, plan: Plan) -> None:
    item = 4 if plan.single else 8
    need = graph.cells * item * (1 + graph.players / 2 * plan.baselines)
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need > have:
        raise GameTooLarge(
            f"{graph.rules.name or 'this game'} with {graph.infosets:,} infosets needs {need / 2**30:.1f} GiB, this "
            f"machine has {have / 2**30:.1f}; take fewer buckets or bets, or single precision"
        )
