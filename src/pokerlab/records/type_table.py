"""Which players are alike: the type of each in a store, and the nearest of the others or of types that are known.

A type is that of `records.types`, frequencies of fold, check, call and bet in each round; the distance is Manhattan's.
Whoever has few hands has a type by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.records.hand_stats import AgentStats, csv_lines
from pokerlab.records.types import KINDS, distance, type_of
from pokerlab.terminal import columns


@dataclass(frozen=True)
class PlayerType:
    """A player in one game, and who is nearest, nearest first: names and distances."""

    agent: str
    game: str
    hands: int
    type: np.ndarray  # [rounds, kinds]
    nearest: tuple[tuple[str, float], ...]

    def as_json(self) -> dict[str, Any]:
        near = [{"name": name, "distance": away} for name, away in self.nearest]
        rounds = [dict(zip(KINDS, row, strict=True)) for row in self.type.tolist()]
        return {"agent": self.agent, "game": self.game, "hands": self.hands, "type": rounds, "nearest": near}


def counts_of(stats: AgentStats, rounds: int = 0) -> np.ndarray:
    """How often a player folded, checked, called, and bet or raised: [rounds, kinds], of at least so many rounds."""
    counts: np.ndarray = np.zeros((max(rounds, len(stats.rounds)), len(KINDS)), np.int64)
    for number, told in enumerate(stats.rounds):
        counts[number] = told["fold"], told["check"], told["call"], told["bet"] + told["raise"]
    return counts


def player_types(
    rows: Sequence[AgentStats], count: int, known: Mapping[str, np.ndarray] | None = None
) -> list[PlayerType]:
    """The type of each, with the `count` nearest of those known, or else of the other players of its game."""
    rounds = max([len(row.rounds) for row in rows] + [len(each) for each in (known or {}).values()], default=0)
    types = [type_of(counts_of(row, rounds)) for row in rows]
    told = []
    for number, row in enumerate(rows):
        if known is None:
            others = [(other.agent, types[i]) for i, other in enumerate(rows) if i != number and other.game == row.game]
        else:
            others = [
                (name, np.vstack([each, np.zeros((rounds - len(each), len(KINDS)))])) for name, each in known.items()
            ]
        away = sorted(((distance(types[number], each), name) for name, each in others))
        own = types[number][: max(1, len(row.rounds))]
        nearest = tuple((name, far) for far, name in away[:count])
        told.append(PlayerType(row.agent, row.label, row.hands, own, nearest))
    return told


def type_lines(rows: Sequence[PlayerType], by_round: bool = False) -> list[str]:
    """A line a player and who is nearest; and what each does, round by round."""
    if not rows:
        return ["nobody has so many hands"]
    table = [["agent", "game", "hands", "nearest, with distances"]]
    for row in rows:
        near = ", ".join(f"{name} {away:.2f}" for name, away in row.nearest) or "-"
        table.append([row.agent, row.game, f"{row.hands:,}", near])
    lines = columns(table, left=2)
    for row in rows if by_round else ():
        lines += [f"{row.agent} in {row.game}, by round", f"{'round':>5} " + " ".join(f"{kind:>6}" for kind in KINDS)]
        for number, shares in enumerate(row.type.tolist(), 1):
            lines.append(f"{number:>5} " + " ".join(f"{share:>6.1%}" for share in shares))
    return lines


def type_csv(rows: Sequence[PlayerType]) -> list[str]:
    """A row a player and one that is near to it; and its frequencies."""
    rounds = max((len(row.type) for row in rows), default=0)
    shares = [f"{kind}_{number + 1}" for number in range(rounds) for kind in KINDS]
    cells = []
    for row in rows:
        own = row.type.ravel().tolist()
        own += [""] * (len(shares) - len(own))
        cells += [[row.agent, row.game, row.hands, name, away, *own] for name, away in row.nearest or (("", ""),)]
    return csv_lines(["agent", "game", "hands", "near", "distance", *shares], cells)
