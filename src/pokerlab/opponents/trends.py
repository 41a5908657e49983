"""What more or less aggression wins from opponents that are known: Rubin (2013), section 5.2.

Against each, an agent plays the same deals once for every factor from -0.10 to 0.10; what it wins is the opponent's
*aggression response trend*. With the opponent's type beside each trend this is the model by which `adapting` plays.

    trends = learn_trends("holdem-limit", ["smallbot-3", "call"], "holdem-limit", 2000, "mine.trends")
    trends.nearest(type)

The file is written after every factor of every opponent, with nothing where a figure is still missing: asked for again,
what it has is not played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.agents.spec import agent_of
from pokerlab.bounds import HANDS, SEED
from pokerlab.errors import TrendsError
from pokerlab.files import write_arrays
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules, parse_rules
from pokerlab.match.play import play_match
from pokerlab.match.scores import SCORES
from pokerlab.opponents.aggression import Aggressified
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar
from pokerlab.reading import Damage, of_kind, read_arrays, reading
from pokerlab.records.types import KINDS, action_counts, type_of
from pokerlab.registry import others_code

FORMAT, VERSION = "pokerlab trends", 1
FACTORS = tuple(round(0.01 * step, 2) for step in range(-10, 11))
NULL = FACTORS.index(0.0)


@dataclass(frozen=True)
class Trends:
    """An agent's trends against opponents: `means` and `ci95` [opponents, factors], their `counts` of actions.

    What was not played yet is not a number.
    """

    rules: Rules
    agent: str
    opponents: tuple[str, ...]
    hands: int  # deals a figure, each in both seats
    seed: int
    score: str
    means: np.ndarray
    ci95: np.ndarray
    counts: np.ndarray  # [opponents, rounds, kinds of action]

    @property
    def complete(self) -> bool:
        return not np.isnan(self.means).any()

    def nearest(self, type: np.ndarray) -> int:
        """The opponent whose type is nearest to one, as `distance` has it."""
        return int(np.abs(type_of(self.counts) - type).sum(axis=(1, 2)).argmin())

    def save(self, path: str | Path) -> None:
        """Write it; an existing file is replaced only once the new one is complete."""
        header = {
            "format": FORMAT, "version": VERSION, "game": self.rules.text(), "name": self.rules.name,
            "agent": self.agent, "opponents": list(self.opponents), "hands": self.hands, "seed": self.seed,
            "score": self.score,
        }  # fmt: skip
        write_arrays(path, header, {"means": self.means, "ci95": self.ci95, "counts": self.counts}, error=TrendsError)

    def as_json(self) -> dict[str, Any]:
        """As plain JSON; figures that are missing are null."""
        rows = []
        for i, name in enumerate(self.opponents):
            means = [None if np.isnan(mean) else mean for mean in self.means[i].tolist()]
            rows.append({"opponent": name, "mean": means, "type": type_of(self.counts[i]).tolist()})
        return {
            "agent": self.agent, "game": self.rules.name, "hands": self.hands, "score": self.score,
            "factors": list(FACTORS), "opponents": rows,
        }  # fmt: skip


def load_trends(path: str | Path) -> Trends:
    """Read trends; the arrays are checked against what they must be."""
    header, arrays = read_arrays(path, FORMAT, VERSION, error=TrendsError)
    with reading(path, TrendsError):
        rules = parse_rules(header.text("game"), header.text("name"))
        names = tuple(header.texts("opponents"))
        shape = len(names), len(FACTORS)
        means, ci95 = (of_kind(arrays, name, np.float64, *shape) for name in ("means", "ci95"))
        counts = of_kind(arrays, "counts", np.int64, len(names), rules.rounds, len(KINDS))
        if not names or counts.min() < 0 or np.isinf(means).any():
            raise Damage("it has no opponents, or figures that are none")
        return Trends(
            rules, header.text("agent"), names, header.whole("hands"), header.whole("seed", most=2**64 - 1),
            header.text("score"), means, ci95, counts,
        )  # fmt: skip


@dataclass(frozen=True)
class _Task:
    agent: str
    opponent: str
    rules: Rules
    factor: int
    hands: int
    seed: int
    score: str
    row: int


def learn_trends(
    agent: str,
    opponents: Sequence[str],
    game: str | Rules,
    hands: int,
    out: str | Path,
    *,
    seed: int = 0,
    score: str = "aivat",
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Trends:
    """Play `agent` with every factor against each opponent: `hands` deals in duplicate, the same ones always.

    Agents are specs. What `out` has of the same question is kept.
    """
    HANDS.check(hands, error=TrendsError)
    SEED.check(seed, error=TrendsError)
    rules = rules_of(game)
    if rules.players != 2 or not opponents:
        raise TrendsError(f"trends are of an agent against others in a game for two, not for {rules.players}")
    for spec in (agent, *opponents):
        agent_of(spec, rules)
    SCORES[score]
    shape = len(opponents), len(FACTORS)
    trends = Trends(
        rules, agent, tuple(opponents), hands, seed, score, np.full(shape, np.nan), np.full(shape, np.nan),
        np.zeros((len(opponents), rules.rounds, len(KINDS)), np.int64),
    )  # fmt: skip
    trends = _with_kept(trends, Path(out))
    tasks = list(_tasks(trends))
    with at_work(executor, _played, tasks) as results, Bar("trends", progress) as bar:
        for done, (row, factor, mean, ci95, counts) in enumerate(results, 1):
            trends.means[row, factor], trends.ci95[row, factor] = mean, ci95
            if factor == NULL:
                trends.counts[row] = counts
            trends.save(out)
            bar.show(done / len(tasks), f"{done} of {len(tasks)} matches")
    trends.save(out)
    return trends


def _with_kept(trends: Trends, path: Path) -> Trends:
    """With the figures that a file has already; another question's file is refused."""
    if not path.exists():
        return trends
    kept = load_trends(path)
    asked = [(each.rules, each.agent, each.opponents, each.hands, each.seed, each.score) for each in (kept, trends)]
    if asked[0] != asked[1]:
        raise TrendsError(f"{path} has trends of other agents, opponents, deals, seed or score: name another file")
    return replace(trends, means=kept.means.copy(), ci95=kept.ci95.copy(), counts=kept.counts.copy())


def _tasks(trends: Trends) -> Iterator[_Task]:
    for row, factor in np.argwhere(np.isnan(trends.means)).tolist():
        yield _Task(
            trends.agent, trends.opponents[row], trends.rules, factor, trends.hands, trends.seed, trends.score, row
        )


def _played(task: _Task) -> tuple[int, int, float, float, np.ndarray]:
    """One figure: winnings with one factor, and what the opponent did."""
    rules, counts = task.rules, np.zeros((task.rules.rounds, len(KINDS)), np.int64)
    base, opponent = agent_of(task.agent, rules), agent_of(task.opponent, rules)
    mine = Aggressified(base, FACTORS[task.factor], name=base.name)

    def watch(number: int, seating: int, hand: Hand, seats: Sequence[int]) -> None:
        counts[:] += action_counts(rules, hand.actions)[seats.index(1)]

    agents = [mine, opponent]
    scoring = SCORES[task.score]
    with others_code(f"score {task.score!r} failed", TrendsError, scoring):
        score = scoring(rules, agents)
        result = play_match(rules, agents, task.hands, duplicate=True, seed=task.seed, score=score, watch=watch)
    if len(result.winnings) < task.hands:
        raise KeyboardInterrupt
    return task.row, task.factor, float(result.mean[0]), float(result.ci95[0]), counts


def trend_lines(trends: Trends) -> list[str]:
    """As text: a line an opponent, with the best factor and what it gains."""
    lines = [f"{trends.agent}, {trends.rules.name}: {trends.hands:,} deals in duplicate a factor, by {trends.score}"]
    wide = max(map(len, trends.opponents))
    for i, name in enumerate(trends.opponents):
        means = trends.means[i]
        best = int(np.argmax(means))
        gain = means[best] - means[NULL]
        lines.append(
            f"  {name:<{wide}}  {means[NULL]:+9.1f} ± {trends.ci95[i, NULL]:.1f}   best at {FACTORS[best]:+.2f}: "
            f"{gain:+.1f} more"
        )
    return lines
