"""What the stored hands say of each agent: winnings with intervals, how it plays before and after, showdowns.

Definitions, of which the field knows several:

- VPIP: share of its hands in which it called, bet or raised in the first round; PFR: in which it bet or raised there;
- aggression factor: bets and raises for each call, over all rounds; after the first round in `aggression_later`;
- a showdown is won by whoever takes a pot or a share of one;
- rates are shares of the agent's own actions in a round.
"""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scipy.special import stdtrit

from pokerlab.errors import StoreError
from pokerlab.records.hand_columns import KINDS
from pokerlab.records.money import Money
from pokerlab.terminal import columns

_MOST_ROUNDS = 10

Query = Callable[[str, list[Any] | None], list[tuple]]


@dataclass(frozen=True)
class AgentStats:
    """One agent in one game. None: there was nothing to divide by."""

    agent: str
    game: str
    hands: int
    unit: str
    mean: float | None
    ci95: float | None  # half the width of the 95 % interval, hands taken as independent
    vpip: float
    pfr: float
    aggression: float | None
    aggression_later: float | None
    showdowns: int
    showdowns_won: int
    rounds: tuple[dict[str, int], ...]  # a round, how often each kind of action
    stakes: str = ""  # of these two only what figures were kept apart by
    position: str = ""
    currency: str = ""
    winnings: float | None = None  # in all, in the currency or in chips
    unknown: int = 0  # hands whose payoff nobody can tell; they are in no figure of money
    showdowns_unknown: int = 0

    @property
    def label(self) -> str:
        """What the row is of, beside the agent."""
        return " ".join(part for part in (self.game, self.stakes, self.position) if part) or "all"

    @property
    def won_at_showdown(self) -> float | None:
        known = self.showdowns - self.showdowns_unknown
        return self.showdowns_won / known if known else None

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
        figures["won_at_showdown"] = self.won_at_showdown
        return figures | {"rounds": self.rates}


# The names of positions, by who acts when: the blinds first, the button last.
_PLACE = """CASE WHEN players = 2 THEN CASE seats.position WHEN 0 THEN 'BB' ELSE 'BTN' END
    WHEN seats.position = 0 THEN 'SB' WHEN seats.position = 1 THEN 'BB' WHEN seats.position = players - 1 THEN 'BTN'
    WHEN seats.position = players - 2 THEN 'CO' WHEN seats.position = players - 3 THEN 'HJ'
    WHEN seats.position = 2 THEN 'UTG' ELSE 'UTG+' || (seats.position - 2) END"""
_KEYS = {"game": "game", "stakes": "stakes", "position": "place"}
APART = tuple(_KEYS)  # what figures can be kept apart by


@dataclass(frozen=True)
class Choice:
    """Which hands are counted, and apart by what; names in any case of letters."""

    agent: str | None = None
    game: str | None = None
    stakes: str | None = None
    position: str | None = None
    least: int = 1  # hands of an agent, or its row is left out
    by: tuple[str, ...] = ("game",)

    def chosen(self, payoff: str, also: str) -> tuple[str, list[Any]]:
        """The chosen seats as a table, and its parameters."""
        columns = {"agent": "seats.agent", "game": "seats.game", "stakes": "stakes", "position": _PLACE}
        given = {name: getattr(self, name) for name in columns if getattr(self, name) is not None}
        where = " AND ".join(f"lower({columns[name]}) = lower(?)" for name in given)
        return (
            f"WITH chosen AS (SELECT seats.hand, seats.position, seats.agent, seats.game, stakes, {_PLACE} AS place, "
            f"unit, currency, {payoff} / chips_a_unit AS units, {payoff} / scale AS money, vpip, pfr, "
            "seats.showdown, won FROM seats JOIN hands ON hands.hand = seats.hand "
            "JOIN games ON games.game = seats.game "
            f"{also} {'WHERE ' + where if where else ''}) "
        ), list(given.values())


def agent_stats(query: Query, choice: Choice, payoff: str = "payoff", also: str = "") -> list[AgentStats]:
    """Figures of the chosen hands; `query` runs SQL over the tables of a store.

    `payoff` is the column to take payoffs from, where `also` joins another table to the seats.
    """
    chosen, parameters = choice.chosen(payoff, also)
    keys = ["agent", *(_KEYS[name] for name in APART if name in choice.by), "unit", "currency"]
    key = ", ".join(f"chosen.{name}" for name in keys)
    counts: dict[tuple, dict[int, dict[str, int]]] = defaultdict(dict)
    for *group, number, kind, count in query(
        f"{chosen} SELECT {key}, round, kind, count(*) FROM actions JOIN chosen ON chosen.hand = actions.hand AND "
        "chosen.position = actions.position GROUP BY ALL",
        parameters,
    ):
        if number not in range(_MOST_ROUNDS) or kind not in KINDS:
            raise StoreError(f"an action of round {number} is none that is known")
        counts[tuple(group)].setdefault(number, dict.fromkeys(KINDS, 0))[kind] = count
    rows = query(
        f"{chosen} SELECT {key}, count(*) AS seats, count(units), avg(units), stddev_samp(units), sum(money), "
        "avg(vpip::INTEGER), avg(pfr::INTEGER), sum(showdown::INTEGER), coalesce(sum((showdown AND won)::INTEGER), 0), "
        f"count(*) FILTER (showdown AND won IS NULL) FROM chosen GROUP BY ALL HAVING count(*) >= {int(choice.least)} "
        f"ORDER BY seats DESC, {key}",
        parameters,
    )
    made = []
    for row in rows:
        told, figures = row[: len(keys)], row[len(keys) :]
        made.append(_row(counts.get(told, {}), dict(zip(keys, told, strict=True)), *figures))
    return made


def _row(
    counts: dict[int, dict[str, int]], group: dict[str, Any], hands: int, known: int, mean: float | None,
    deviation: float | None, money: float | None, vpip: float, pfr: float, showdowns: int, won: int, hidden: int,
) -> AgentStats:  # fmt: skip
    rounds = tuple(counts.get(number, dict.fromkeys(KINDS, 0)) for number in range(max(counts, default=-1) + 1))
    half = None
    if deviation is not None:
        half = float(stdtrit(known - 1, 0.975)) * deviation / math.sqrt(known)
    return AgentStats(
        group["agent"], group.get("game", ""), hands, group["unit"], mean, half, vpip, pfr, _aggression(rounds),
        _aggression(rounds[1:]), int(showdowns), int(won), rounds, group.get("stakes") or "", group.get("place", ""),
        group["currency"], money, hands - known, int(hidden),
    )  # fmt: skip


def _aggression(rounds: tuple[dict[str, int], ...]) -> float | None:
    calls = sum(counts["call"] for counts in rounds)
    return sum(counts["bet"] + counts["raise"] for counts in rounds) / calls if calls else None


def stats_lines(rows: list[AgentStats]) -> list[str]:
    """A row an agent and game, as text."""
    paid = any(row.currency for row in rows)
    head = ["agent", "game", "hands", "won a hand", "VPIP", "PFR", "AF", "showdowns", "won", *["in all"] * paid]
    table = [head]
    for row in rows:
        half = "-" if row.ci95 is None else f"{row.ci95:.1f}"
        money = Money(row.currency).text(row.winnings, signed=True) if row.winnings is not None else "-"
        table.append([
            row.agent, row.label, f"{row.hands:,}", f"{_or_dash(row.mean, '+.1f')} ± {half} {row.unit}",
            f"{row.vpip:.1%}", f"{row.pfr:.1%}", _or_dash(row.aggression, ".2f"), f"{row.showdowns / row.hands:.1%}",
            _or_dash(row.won_at_showdown, ".1%"), *[money] * paid,
        ])  # fmt: skip
    return columns(table, left=2)


def stats_csv(rows: list[AgentStats]) -> list[str]:
    """A row an agent, as comma-separated values under their names; what there is nothing to say of is empty."""
    plain = [{name: value for name, value in row.as_json().items() if name != "rounds"} for row in rows]
    return csv_lines(list(plain[0]) if plain else ["agent"], [list(row.values()) for row in plain])


def csv_lines(names: list[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Lines of comma-separated values."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *rows])
    return text.getvalue().splitlines()


def round_lines(row: AgentStats) -> list[str]:
    """What an agent does, round by round."""
    lines = [
        f"{row.agent} in {row.label}, by round",
        f"{'round':>5} {'actions':>10} " + " ".join(f"{k:>6}" for k in KINDS),
    ]
    for rates in row.rates:
        shares = " ".join(f"{rates[kind]:>6.1%}" for kind in KINDS)
        lines.append(f"{rates['round']:>5} {rates['actions']:>10,} {shares}")
    return lines


def _or_dash(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
