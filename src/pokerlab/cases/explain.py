"""Why a case-based agent does what it does: the cases that it retrieved, how similar they are and in what.

    why = agent.explain(view)
    print("\\n".join(why.lines()))

Found by going through all cases of the round, so that it is also a check of `retrieve.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.cases.base import CaseBase
from pokerlab.cases.features import Cells, street_name
from pokerlab.cases.similarity import FEATURES, Similarity
from pokerlab.game.hand import View

_LISTED = 8  # cases told of, the most decisions first


@dataclass(frozen=True)
class RetrievedCase:
    """A case that was used: its features in words, local and global similarity, decisions and mean outcomes.

    Outcomes are in small bets or big blinds, None for what was never done.
    """

    betting: str
    hand: str
    texture: str
    commitment: int
    local: dict[str, float]
    similarity: float
    counts: dict[str, int]
    outcomes: dict[str, float | None]


@dataclass(frozen=True)
class Reading:
    """One way to read the betting: how likely it is, the cases nearest to it, and how often the expert was there.

    `identical` decisions were taken in the very situation, `same_betting` after this betting with any hand; `used` and
    `pooled` are the cases and decisions that the answer is made of.
    """

    betting: str
    chance: float
    similarity: float
    cases: tuple[RetrievedCase, ...]
    used: int
    pooled: int
    identical: int
    same_betting: int


@dataclass(frozen=True)
class Explanation:
    """The situation as a case has it, and what was retrieved for each reading of the betting."""

    round: str
    hand: str
    texture: str
    commitment: int | None
    reuse: str
    experts: tuple[str, ...]
    unit: str
    decisions: int  # of the round, in the base
    readings: tuple[Reading, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "round": self.round, "hand": self.hand, "texture": self.texture, "commitment": self.commitment,
            "reuse": self.reuse, "experts": list(self.experts), "unit": self.unit, "decisions": self.decisions,
            "readings": [{**vars(each), "cases": [vars(case) for case in each.cases]} for each in self.readings],
        }  # fmt: skip

    def lines(self) -> list[str]:
        """As text."""
        parts = [self.hand, self.texture, f"commitment {self.commitment}" if self.commitment else ""]
        who = " and ".join(self.experts) or "the expert"
        lines = [f"on the {self.round}: {', '.join(filter(None, parts))}; {self.reuse} reuse of what {who} did"]
        for each in self.readings:
            read = f" (read so with {each.chance:.0%})" if each.chance < 1 else ""
            lines.append(
                f"betting {each.betting or 'none yet'}{read}: {who} was in this very spot {each.identical:,} times, "
                f"after this betting {each.same_betting:,} times, of {self.decisions:,} decisions here"
            )
            lines.append(f"  {each.used:,} case{'s' * (each.used != 1)} with {each.pooled:,} decisions:")
            lines += [_case_line(case, self.unit) for case in each.cases]
            if each.used > len(each.cases):
                lines.append(f"    and {each.used - len(each.cases):,} more")
        return lines


def _case_line(case: RetrievedCase, unit: str) -> str:
    local = " ".join(f"{name} {value:.2f}" for name, value in case.local.items())
    done = " ".join(
        f"{letter} {count} ({outcome:+.2f} {unit})"
        for (letter, count), outcome in zip(case.counts.items(), case.outcomes.values(), strict=True)
        if count and outcome is not None
    )
    features = ", ".join(filter(None, (case.hand, case.texture)))
    return f"    {case.similarity:.3f}  {case.betting or 'none yet'}; {features}  [{local}]  {done}"


def explain(base: CaseBase, reuse: str, view: View, read: dict[str, float]) -> Explanation:
    """What a base has for a view whose betting is read in these ways."""
    number, seat = view.betting.round, view.seat
    cells = base.cells[number]
    cell = cells.of(view.hole, view.board, view.betting.spent[seat], view.rules.stacks[seat])
    hand, look, committed = cells.split(cell)
    readings = tuple(_reading(base, number, sequence, chance, cell) for sequence, chance in read.items())
    return Explanation(
        street_name(base.rules, number), cells.hand_text(hand), cells.texture_text(look),
        committed + 1 if cells.shape[2] > 1 else None, reuse, base.experts, "sb" if base.rules.limit else "bb",
        base.rounds[number].decisions, readings,
    )  # fmt: skip


def _reading(base: CaseBase, number: int, sequence: str, chance: float, cell: int) -> Reading:
    cases, cells, how = base.rounds[number], base.cells[number], base.similarities[number]
    if not len(cases.rows):
        return Reading(sequence, chance, 0.0, (), 0, 0, 0, 0)
    names = [name.decode() for name in cases.sequences.tolist()]
    betting = np.array([how.betting(base.rules, sequence, name) for name in names])[cases.rows[:, 0]]
    local = _local(cells, how, cell, cases.rows[:, 1])
    weights = np.array(how.weights) * [1.0, 1.0, cells.shape[1] > 1, cells.shape[2] > 1]
    parts = np.array([local[0], betting, local[1], local[2]])
    similar = weights @ parts / weights.sum()
    decisions = cases.counts.sum(axis=1)
    used = _nearest(similar, cases.rows[:, 1], decisions, how.neighbours, how.ties)
    order = used[np.lexsort((used, -decisions[used], -similar[used].round(9)))]
    own = np.array([name == sequence for name in names])[cases.rows[:, 0]]
    listed = tuple(_told(base, number, int(row), parts[:, row], float(similar[row]), names) for row in order[:_LISTED])
    return Reading(
        sequence, chance, float(similar.max()), listed, len(used), int(decisions[used].sum()),
        int(decisions[own & (cases.rows[:, 1] == cell)].sum()), int(decisions[own].sum()),
    )  # fmt: skip


def _local(cells: Cells, how: Similarity, cell: int, others: np.ndarray) -> list[np.ndarray]:
    """The similarities of hands, textures and commitments of a cell and others."""
    tables = cells.similarities(how)
    mine, theirs = cells.split(cell), cells.split(others)
    return [table[one, many] for table, one, many in zip(tables, mine, theirs, strict=True)]


def _nearest(similar: np.ndarray, cells: np.ndarray, decisions: np.ndarray, neighbours: int, ties: str) -> np.ndarray:
    """The cases that are used, going down by similarity until there are enough decisions."""
    used: list[np.ndarray] = []
    total = 0
    levels = similar.round(9)
    for level in np.unique(levels)[::-1]:
        rows = np.flatnonzero(levels == level)
        if ties == "weaker":
            rows = rows[cells[rows] == cells[rows].min()]
        used.append(rows)
        total += int(decisions[rows].sum())
        if total >= neighbours:
            break
    return np.concatenate(used)


def _told(
    base: CaseBase, number: int, row: int, parts: np.ndarray, similarity: float, names: list[str]
) -> RetrievedCase:
    cases, cells = base.rounds[number], base.cells[number]
    hand, look, committed = cells.split(int(cases.rows[row, 1]))
    counts, outcomes = cases.counts[row].tolist(), cases.outcomes[row].tolist()
    there = (True, True, cells.shape[1] > 1, cells.shape[2] > 1)
    return RetrievedCase(
        names[cases.rows[row, 0]],
        cells.hand_text(hand),
        cells.texture_text(look),
        committed + 1,
        {name: float(part) for name, part, has in zip(FEATURES, parts, there, strict=True) if has},
        similarity,
        dict(zip(base.letters, counts, strict=True)),
        {
            letter: won / count / base.unit if count else None
            for letter, count, won in zip(base.letters, counts, outcomes, strict=True)
        },
    )
