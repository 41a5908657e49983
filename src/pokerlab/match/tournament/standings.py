"""What a round robin says: crosstable, total bankroll and both instant run-offs (Rubin 2013, section 1.2.2).

Every figure is a mean over deals with its variance. Matches are independent (each has its own seed), so that means
over several matches add their variances, with the degrees of freedom of Welch and Satterthwaite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from pokerlab.notebook import Table, Tabular

LEVEL = 0.05  # of the tests behind stars and the series run-off
_EXACT = 1e-12  # a variance this far below the mean square is rounding: the agent always won the same
_POINTS = 100  # of a curve over hands


class Estimate(NamedTuple):
    """A mean, the variance of that mean and its degrees of freedom."""

    mean: float
    variance: float
    freedom: float

    @property
    def ci95(self) -> float:
        """Half the width of the 95 % interval (Student's t); infinite where one deal or none was played."""
        if not self.freedom > 0:
            return math.inf
        return float(stdtrit(self.freedom, 0.975)) * math.sqrt(self.variance) if self.variance else 0.0

    @property
    def p(self) -> float:
        """Of the two-sided t-test that the mean is zero."""
        if not self.freedom > 0 or not self.mean:
            return 1.0
        return 2 * float(stdtr(self.freedom, -abs(self.mean) / math.sqrt(self.variance))) if self.variance else 0.0


def pooled(estimates: Iterable[Estimate]) -> Estimate:
    """The mean of independent means."""
    listed = list(estimates)
    if not listed:
        return Estimate(math.nan, math.nan, 0.0)
    count, variance = len(listed), sum(e.variance for e in listed)
    if min(e.freedom for e in listed) <= 0:
        freedom = 0.0
    elif variance > 0:
        freedom = variance**2 / sum(e.variance**2 / e.freedom for e in listed)
    else:
        freedom = sum(e.freedom for e in listed)
    return Estimate(sum(e.mean for e in listed) / count, variance / count**2, freedom)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values: reject those below a level, and any false rejection is no likelier than that (Holm 1979)."""
    adjusted, worst = [0.0] * len(p_values), 0.0
    for done, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        worst = adjusted[i] = min(1.0, max(worst, (len(p_values) - done) * p_values[i]))
    return adjusted


def stars(p: float) -> str:
    """`*` below 5 %, `**` below 1 %, `***` below 0.1 %."""
    return "*" * sum(p < level for level in (0.05, 0.01, 0.001))


@dataclass(frozen=True, eq=False)
class Record:
    """One match: sums, and sums of squares, of what each player won in the first `deals[t]` deals, in chips.

    `players` are the agents' numbers; the arrays have a row a point of the curve and a column a player.
    """

    players: tuple[int, ...]
    deals: np.ndarray
    sums: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, players: tuple[int, ...], hands: int, chunks: Iterable[tuple[int, np.ndarray]]) -> Record:
        """From chunks of winnings with the number of their first deal."""
        grid = np.unique(np.linspace(0, hands, min(hands, _POINTS) + 1).round().astype(np.int64)[1:])
        sums, squares = np.zeros((2, len(grid), len(players)))
        counts = np.zeros(len(grid), dtype=np.int64)
        for start, winnings in chunks:
            at = np.searchsorted(grid, np.arange(start, start + len(winnings)), side="right")
            np.add.at(counts, at, 1)
            np.add.at(sums, at, winnings)
            np.add.at(squares, at, winnings**2)
        return cls(players, counts.cumsum(), sums.cumsum(axis=0), squares.cumsum(axis=0))

    def estimate(self, player: int, chips: float, point: int = -1) -> Estimate:
        """What the player at this place of `players` won a hand, in units of so many chips."""
        n, total, squares = int(self.deals[point]), float(self.sums[point, player]), float(self.squares[point, player])
        if n == 0:
            return Estimate(math.nan, math.nan, 0.0)
        spread = squares - total**2 / n
        if n < 2:
            return Estimate(total / n / chips, math.inf, 0.0)
        spread = 0.0 if spread <= _EXACT * squares else spread
        return Estimate(total / n / chips, spread / (n - 1) / n / chips**2, n - 1)


class Cell(NamedTuple):
    """An entry of a crosstable; `adjusted` is the p-value after Holm's correction over the whole table."""

    mean: float
    ci95: float
    p: float
    adjusted: float

    @property
    def stars(self) -> str:
        return stars(self.adjusted)

    @property
    def outcome(self) -> int:
        """+1 for a significant win, -1 for a significant loss, else 0."""
        return int(math.copysign(1, self.mean)) if self.adjusted < LEVEL else 0


class Round(NamedTuple):
    """One round of a run-off: who was in, their scores, who left, who had the same score, and what decided then."""

    pool: tuple[int, ...]
    scores: dict[int, float]
    removed: int
    tied: tuple[int, ...]
    decided_by: str


@dataclass(frozen=True)
class RunOff:
    """`order` is best first."""

    order: tuple[int, ...]
    rounds: tuple[Round, ...]

    def rank(self, agent: int) -> int:
        return 1 + self.order.index(agent)

    def ties(self, names: Sequence[str], kind: str) -> list[str]:
        """A sentence for each round that a tie-break decided."""
        return [
            f"{kind}, round {number}: {names[r.removed]} left; {', '.join(names[a] for a in r.tied)} had "
            f"the same score ({r.scores[r.removed]:g}), and the {r.decided_by} decided"
            for number, r in enumerate(self.rounds, 1)
            if r.tied
        ]


Score = Callable[[tuple[int, ...]], dict[int, float]]  # what each agent of a pool has against the rest of it


def run_off(agents: int, players: int, scores: Sequence[tuple[str, Score]]) -> RunOff:
    """Remove the lowest agent of the pool until one is left.

    Ties of the first score are decided by the next ones, and at last by the order in which the agents were listed:
    the later one leaves. A pool smaller than a table of `players` plays no match, so that its last scores decide.
    """
    pool, gone, rounds = tuple(range(agents)), [], []
    values: list[dict[int, float]] = []
    while len(pool) > 1:
        if len(pool) >= players:
            values = [{a: round(score(pool)[a], 9) for a in pool} for _, score in scores]
        keys = {a: tuple(score[a] for score in values) for a in pool}
        removed = min(pool, key=lambda a: (keys[a], -a))
        tied = tuple(a for a in pool if a != removed and keys[a][0] == keys[removed][0])
        level = max((_agreement(keys[a], keys[removed]) for a in tied), default=0)
        decided = "" if not tied else scores[level][0] if level < len(scores) else "order of listing"
        rounds.append(Round(pool, {a: values[0][a] for a in pool}, removed, tied, decided))
        gone.append(removed)
        pool = tuple(a for a in pool if a != removed)
    return RunOff((*pool, *reversed(gone)), tuple(rounds))


def _agreement(first: tuple[float, ...], second: tuple[float, ...]) -> int:
    """How many leading entries are equal."""
    return next((i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b), len(first))


class Curve(NamedTuple):
    """An agent's bankroll after so many deals of each of its matches, in thousands of the unit, with its interval."""

    deals: np.ndarray
    bankroll: np.ndarray
    ci95: np.ndarray


@dataclass(frozen=True, eq=False)
class Standings(Tabular):
    """The results of a round robin among `agents`, in `unit` of `chips` chips; `exact[i, j]` where it is known."""

    agents: tuple[str, ...]
    players: int
    unit: str
    chips: float
    records: tuple[Record, ...]
    exact: np.ndarray | None = None

    @property
    def bets(self) -> str:
        """What a thousand of the unit are."""
        return "small bets" if self.unit == "mb/h" else "big blinds"

    def table(self) -> Table:
        """A row an agent, best first: what it won a hand in all, with its 95 % interval, and against each other one."""
        numbers = range(len(self.agents))
        rows = [
            (self.ranks[a], self.agents[a], self.bankroll[a].mean, self.bankroll[a].ci95,
             *(None if a == b else self.crosstable[a, b].mean for b in numbers))
            for a in sorted(numbers, key=self.ranks.__getitem__)
        ]  # fmt: skip
        columns = ("rank", "agent", "mean", "ci95", *(f"against {name}" for name in self.agents))
        return Table(f"{len(self.agents)} agents, {self.unit}", columns, rows)

    @cached_property
    def matches(self) -> list[tuple[tuple[int, ...], list[Cell]]]:
        """For each match its players and a cell for each: what it won a hand.

        Two players win what the other loses, so that a match is one test; three are three tests.
        """
        by_record = [[r.estimate(i, self.chips) for i in range(self.players)] for r in self.records]
        tested = 1 if self.players == 2 else self.players
        adjusted = iter(holm([e.p for estimates in by_record for e in estimates[:tested]]))
        cells = []
        for record, estimates in zip(self.records, by_record, strict=True):
            ps = [next(adjusted) for _ in range(tested)] * (self.players // tested)
            row = [Cell(e.mean, e.ci95, e.p, p) for e, p in zip(estimates, ps, strict=True)]
            cells.append((record.players, row))
        return cells

    @cached_property
    def crosstable(self) -> dict[tuple[int, int], Cell]:
        """(agent, opponent) -> what the agent won a hand; with more players, in the mean of their common matches."""
        if self.players == 2:
            return {(who[i], who[1 - i]): row[i] for who, row in self.matches for i in range(2)}
        pairs = [(a, b) for a in range(len(self.agents)) for b in range(len(self.agents)) if a != b]
        means = [self._mean(a, {b}, range(len(self.agents))) for a, b in pairs]
        adjusted = holm([e.p for e in means])
        return {k: Cell(e.mean, e.ci95, e.p, p) for k, e, p in zip(pairs, means, adjusted, strict=True)}

    def _mean(self, agent: int, against: set[int], pool: Iterable[int]) -> Estimate:
        """What an agent won a hand in its matches within the pool in which all of `against` played."""
        inside = set(pool)
        return pooled(
            record.estimate(record.players.index(agent), self.chips)
            for record in self.records
            if agent in record.players and against <= set(record.players) <= inside
        )

    @cached_property
    def bankroll(self) -> list[Estimate]:
        """By agent, a hand, in the mean of all its matches."""
        return list(self.within(range(len(self.agents))).values())

    @cached_property
    def ranks(self) -> list[int]:
        """By total bankroll; equal bankrolls share a rank."""
        means = [round(e.mean, 9) for e in self.bankroll]
        return [1 + sum(other > mean for other in means) for mean in means]

    def within(self, pool: Sequence[int]) -> dict[int, Estimate]:
        """What each agent won a hand against the others of a pool."""
        return {a: self._mean(a, set(), pool) for a in pool}

    def bankroll_in(self, pool: tuple[int, ...]) -> dict[int, float]:
        return {a: estimate.mean for a, estimate in self.within(pool).items()}

    def series_in(self, pool: tuple[int, ...]) -> dict[int, float]:
        """Matches significantly won less those significantly lost, within a pool."""
        inside, score = set(pool), dict.fromkeys(pool, 0.0)
        for who, row in self.matches:
            if inside.issuperset(who):
                for a, cell in zip(who, row, strict=True):
                    score[a] += cell.outcome
        return score

    @cached_property
    def bankroll_run_off(self) -> RunOff:
        return run_off(len(self.agents), self.players, [("bankroll", self.bankroll_in)])

    @cached_property
    def series_run_off(self) -> RunOff:
        """Each match counts +1, 0 or -1; equal series are decided by the bankroll in the pool."""
        return run_off(
            len(self.agents), self.players, [("series", self.series_in), ("bankroll", self.bankroll_in)]
        )  # fmt: skip

    @cached_property
    def curves(self) -> list[Curve]:
        """By agent, its matches side by side."""
        curves = []
        for agent in range(len(self.agents)):
            mine = [(record, record.players.index(agent)) for record in self.records if agent in record.players]
            deals = mine[0][0].deals
            points = [pooled(r.estimate(i, self.chips, t) for r, i in mine) for t in range(len(deals))]
            # A mean over matches and hands, times both, is what was won in all of them together.
            scale = deals * len(mine) / 1000
            half = np.array([e.ci95 for e in points])
            curves.append(Curve(deals, np.array([e.mean for e in points]) * scale, half * scale))
        return curves
