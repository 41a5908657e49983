"""How exploitable an agent is in the real game: exactly, or from a sample of flops with an interval.

    exploitability(agent_of("holdem-limit"), rules_of("holdem-limit"), flops=40, folder="limit-flops")

Flops are tasks of their own, for any executor. Finished ones stay in the folder, and are never computed twice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.bounds import FLOPS, SECONDS, SEED
from pokerlab.errors import PokerlabError
from pokerlab.game.rules import Rules, unit_of
from pokerlab.match.exact.folder import Folder
from pokerlab.match.exact.response import BestResponse
from pokerlab.match.exact.sample import Estimate, drawn, mean_of_all, mean_of_sample, of_all, of_sample
from pokerlab.match.exact.tree import PublicTree
from pokerlab.notebook import Table, Tabular
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar

_SINGLE = 1000  # hole cards from which numbers are in single precision: half the time, and 1e-4 mb/h in hold'em
_STRATA = 10  # of a sample that goes on as long as there is time
_MOST_DRAWS = 200  # of each stratum: more flops than hold'em has


@dataclass(frozen=True)
class Exploitability(Tabular):
    """What best responses win of an agent; `whole` if every flop was looked at, and nothing is estimated.

    `least` is by responses that were chosen on other flops than they are judged on, `most` by one on the same: the
    truth lies between them, but for their intervals.
    """

    agent: str
    rules: Rules
    least: Estimate
    most: Estimate
    flops: int
    whole: bool
    seconds: float
    core_seconds: float
    response: BestResponse = field(repr=False)  # what wins it

    def summary(self) -> dict[str, Any]:
        """As plain JSON; the interval goes from where that of `least` begins to where that of `most` ends."""
        (unit, size), both = unit_of(self.rules), (self.least, self.most)
        ends = (self.least.mean - self.least.ci95) / size, (self.most.mean + self.most.ci95) / size
        told = [{"mean": each.mean / size, "ci95": each.ci95 / size} for each in both]
        return {
            "agent": self.agent, "game": self.rules.name, "unit": unit,
            "exploitability": sum(ends) / 2, "ci95": (ends[1] - ends[0]) / 2,
            "seats": [sum(seat) / 2 / size for seat in zip(*(each.seats for each in both), strict=True)],
            "chosen_apart": told[0], "chosen_together": told[1],
            "flops": self.flops, "all": self.whole, "seconds": self.seconds, "core_seconds": self.core_seconds,
        }  # fmt: skip

    def lines(self) -> list[str]:
        """In words."""
        told = self.summary()
        seats, unit = " and ".join(f"{won:.2f}" for won in told["seats"]), told["unit"]
        lines = [f"{self.agent} in {self.rules.name}"]
        if self.whole:
            lines.append(f"exploitability   {told['exploitability']:.2f} {unit} exactly (mean of the seats)")
        else:
            low, high = (
                f"{told[key]['mean']:.2f} ± {told[key]['ci95']:.2f}" for key in ("chosen_apart", "chosen_together")
            )
            lines += [
                f"exploitability   {told['exploitability']:.2f} ± {told['ci95']:.2f} {unit} from {self.flops:,} flops",
                f"                 {low} if the response before the flop is judged on flops that it was not chosen on, "
                f"{high} on the same",
            ]
        lines.append(f"seats            a best response wins {seats} in the first and in the second")
        return [*lines, f"took             {self.seconds:.0f} s, {self.core_seconds:.0f} s of processors for new flops"]

    def table(self) -> Table:
        told = self.summary()
        caption = f"{self.rules.name}, {self.flops:,} flops, {told['unit']}"
        return Table(caption, ("agent", "exploitability", "ci95"), [(self.agent, told["exploitability"], told["ci95"])])


class FlopTask:
    """What one flop is worth; the tree is made once a process, and never sent."""

    def __init__(self, agent: Agent, rules: Rules, alike: bool, dtype: type, device: str = "cpu") -> None:
        self.given = agent, rules, alike, dtype, device

    @cached_property
    def tree(self) -> PublicTree:
        agent, rules, alike, dtype, device = self.given
        return PublicTree(agent, rules, alike=alike, dtype=dtype, device=device)

    def __call__(self, number: int) -> tuple[int, np.ndarray, float]:
        began = time.process_time()
        worth = self.tree.flop(self.tree.flops[number])
        return number, worth, time.process_time() - began

    def __getstate__(self) -> dict[str, Any]:
        return {"given": self.given}


class Work:
    """Flops that are worth something, finished before or now."""

    def __init__(self, tree: PublicTree, folder: Folder | None, executor: Executor | None, ends: float) -> None:
        self.tree, self.folder, self.executor, self.ends = tree, folder, executor, ends
        self.worth: dict[int, np.ndarray] = {}
        self.core_seconds = 0.0

    def do(self, numbers: Sequence[int], bar: Bar, of: int) -> bool:
        """Work on these; False if the time was up before all were finished."""
        missing = []
        for number in dict.fromkeys(numbers):
            if number not in self.worth:
                kept = None if self.folder is None else self.folder.read(number)
                if kept is None:
                    missing.append(number)
                else:
                    self.worth[number] = kept
        tree = self.tree
        task = FlopTask(tree.agent, tree.rules, len(tree.suits.cards) > 1, tree.dtype, tree.device)
        if self.executor is None:
            task.__dict__["tree"] = self.tree
        if missing and time.monotonic() >= self.ends:
            return False
        with at_work(self.executor, task, missing) as results:
            for done, (number, worth, seconds) in enumerate(results, 1):
                self.worth[number] = worth
                self.core_seconds += seconds
                if self.folder is not None:
                    self.folder.write(number, worth, seconds)
                bar.show(min(1.0, len(self.worth) / of), f"{len(self.worth):,} flops")
                if done < len(missing) and time.monotonic() >= self.ends:
                    return False
        return True


def exploitability(
    agent: Agent,
    rules: Rules,
    *,
    flops: int | str | None = "all",
    seconds: float | None = None,
    folder: str | Path | None = None,
    seed: int = 0,
    device: str = "cpu",
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Exploitability:
    """What best responses win of a stateless agent in a limit game of two players.

    From `flops`, which are "all" or so many, or without a number from as many as can be done in so many `seconds`.
    Every flop in the `folder` is taken from there, and every new one is kept there. The `device` is `cpu`, `cuda` or
    `auto`, a GPU where there is one and the game is large enough to gain.
    """
    if flops != "all":
        FLOPS.check(flops)
    if flops is None and seconds is None:
        raise PokerlabError("say how many flops, or how many seconds")
    SECONDS.check(seconds)
    SEED.check(seed)
    began = time.monotonic()
    ends = np.inf if seconds is None else began + seconds
    holes = comb(len(rules.deck), rules.hole_cards)
    dtype = np.float32 if holes >= _SINGLE else np.float64
    tree = PublicTree(agent, rules, dtype=dtype, device=device)
    work = Work(tree, None if folder is None else Folder(folder, tree), executor, ends)
    every = len(tree.flops)
    wanted = every if flops == "all" or (flops is None and every <= 2 * _STRATA) else flops
    sampled = wanted is None or int(wanted) < every
    with Bar(f"best response to {agent.title}", progress) as bar:
        if not sampled:
            if not work.do(range(every), bar, every):
                raise PokerlabError(
                    f"{len(work.worth):,} of {every:,} flops were finished in {seconds:g} s"
                    + ("" if folder is None else f" and are in {folder}: the same command goes on from there")
                )
            least = most = of_all(tree, work.worth)
            count, leaves = every, mean_of_all(tree, work.worth)
        else:
            numbers = _sampled(work, None if wanted is None else int(wanted), seed, bar)
            least, most = (of_sample(tree, numbers, work.worth, apart=apart) for apart in (True, False))
            count, leaves = numbers.size, mean_of_sample(tree, numbers, work.worth)
    return Exploitability(
        agent.title,
        rules,
        least,
        most,
        count,
        not sampled,
        time.monotonic() - began,
        work.core_seconds,
        BestResponse(tree, leaves, f"response to {agent.title}"),
    )


def _sampled(work: Work, flops: int | None, seed: int, bar: Bar) -> np.ndarray:
    """The numbers of flops that were drawn and finished, (draws, strata)."""
    if flops is not None:
        numbers = drawn(work.tree, flops // 2, 2, seed)
        if not work.do(numbers.ravel().tolist(), bar, len(np.unique(numbers))):
            raise PokerlabError(f"{len(work.worth):,} of {numbers.size:,} flops were finished in time: give it more")
        return numbers
    numbers = drawn(work.tree, _STRATA, _MOST_DRAWS, seed)
    work.do(numbers.ravel().tolist(), bar, len(work.tree.flops))
    missing = np.flatnonzero(~np.isin(numbers, list(work.worth)).all(axis=1))
    finished = int(missing[0]) if len(missing) else len(numbers)  # draws before the first that is not whole
    if finished < 2:
        raise PokerlabError(f"{len(work.worth):,} flops were finished in time, and {2 * _STRATA} are needed at least")
    return numbers[:finished]
