"""What the stored hands say of each agent: winnings with intervals, how it plays before and after, showdowns.

Definitions, of which the field knows several:

- VPIP: share of its hands in which it called, bet or raised in the first round; PFR: in which it bet or raised there;
- aggression factor: bets and raises for each call, over all rounds; after the first round in `aggression_later`;
- a showdown is won by whoever takes a pot or a share of one;
- rates are shares of the agent's own actions in a round.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from scipy.stats import t as student

from pokerlab.errors import StoreError
from pokerlab.records.hand_columns import KINDS

_MOST_ROUNDS = 10

Query = Callable[[str, list[Any] | None], list[tuple]]


@dataclass(frozen=True)
class AgentStats:
    """One agent in one game. None: there was nothing to divide by."""

    agent: str
    game: str
    hands: int
    unit: str
    mean: float
    ci95: float | None  # half the width of the 95 % interval, hands taken as independent
    vpip: float
    pfr: float
    aggression: float | None
    aggression_later: float | None
    showdowns: int
    showdowns_won: int
    rounds: tuple[dict[str, int], ...]  # a round, how often each kind of action

    @property
    def rates(self) -> list[dict[str, Any]]:
        """By round: the number of actions and the share of each kind."""
        return [
            {"round": number, "actions": sum(counts.values())}
            | {kind: counts[kind] / max(1, sum(counts.values())) for kind in KINDS}
            for number, counts in enumerate(self.rounds, 1)
        ]

    def as_json(self) -> dict[str, Any]:
        figures = asdict(self)
        del figures["rounds"]
        figures["showdown_rate"] = self.showdowns / self.hands
        figures["won_at_showdown"] = self.showdowns_won / self.showdowns if self.showdowns else None
        return figures | {"rounds": self.rates}


def agent_stats(query: Query, agent: str | None) -> list[AgentStats]:
    """Figures of an agent, or of all, by game; `query` runs SQL over the tables of a store."""
    chosen, parameters = ("WHERE agent = ?", [agent]) if agent is not None else ("", None)
    counts: dict[tuple[str, str], dict[int, dict[str, int]]] = defaultdict(dict)
    for name, game, number, kind, count in query(
        f"SELECT agent, game, round, kind, count(*) FROM actions {chosen} GROUP BY ALL", parameters
    ):
        if number not in range(_MOST_ROUNDS) or kind not in KINDS:
            raise StoreError(f"an action of round {number} is none that is known")
        counts[name, game].setdefault(number, dict.fromkeys(KINDS, 0))[kind] = count
    rows = query(
        "SELECT agent, game, count(*), avg(payoff), stddev_samp(payoff), avg(vpip::INTEGER), avg(pfr::INTEGER), "
        f"sum(showdown::INTEGER), sum(won::INTEGER), any_value(unit), any_value(chips_a_unit) "
        f"FROM seats JOIN games USING (game) {chosen} GROUP BY ALL ORDER BY 3 DESC, agent, game",
        parameters,
    )
    return [_row(counts.get((row[0], row[1]), {}), *row) for row in rows]


def _row(
    counts: dict[int, dict[str, int]], agent: str, game: str, hands: int, mean: float, deviation: float | None,
    vpip: float, pfr: float, showdowns: int, won: int, unit: str, chips: float,
) -> AgentStats:  # fmt: skip
    rounds = tuple(counts.get(number, dict.fromkeys(KINDS, 0)) for number in range(max(counts, default=-1) + 1))
    half = None
    if deviation is not None:
        half = float(student.ppf(0.975, hands - 1)) * deviation / math.sqrt(hands) / chips
    return AgentStats(
        agent, game, hands, unit, mean / chips, half, vpip, pfr, _aggression(rounds), _aggression(rounds[1:]),
        int(showdowns), int(won), rounds,
    )  # fmt: skip


def _aggression(rounds: tuple[dict[str, int], ...]) -> float | None:
    calls = sum(counts["call"] for counts in rounds)
    return sum(counts["bet"] + counts["raise"] for counts in rounds) / calls if calls else None


def stats_lines(rows: list[AgentStats]) -> list[str]:
    """A row an agent and game, as text."""
    wide = max([5, *(len(row.agent) for row in rows)])
    games = max([4, *(len(row.game) for row in rows)])
    lines = [
        f"{'agent':<{wide}}  {'game':<{games}} {'hands':>10} {'won a hand':>28} {'VPIP':>6} {'PFR':>6} {'AF':>6} "
        f"{'showdowns':>10} {'won':>6}"
    ]
    for row in rows:
        half = "-" if row.ci95 is None else f"{row.ci95:.1f}"
        won = row.showdowns_won / row.showdowns if row.showdowns else None
        lines.append(
            f"{row.agent:<{wide}}  {row.game:<{games}} {row.hands:>10,} {f'{row.mean:+.1f} ± {half} {row.unit}':>28} "
            f"{row.vpip:>6.1%} {row.pfr:>6.1%} {_or_dash(row.aggression, '.2f'):>6} "
            f"{row.showdowns / row.hands:>10.1%} {_or_dash(won, '.1%'):>6}"
        )
    return lines


def round_lines(row: AgentStats) -> list[str]:
    """What an agent does, round by round."""
    lines = [
        f"{row.agent} in {row.game}, by round",
        f"{'round':>5} {'actions':>10} " + " ".join(f"{k:>6}" for k in KINDS),
    ]
    for rates in row.rates:
        shares = " ".join(f"{rates[kind]:>6.1%}" for kind in KINDS)
        lines.append(f"{rates['round']:>5} {rates['actions']:>10,} {shares}")
    return lines


def _or_dash(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
