"""Reports of many spots as tables: by board, by texture and by class of hands, and weighted means over all of them.

Means are over deals: a board counts for what it stands for, times the pairs of hands that it leaves, times how likely
play comes to the decision. So a mean frequency is how often an action is taken, among all times that the decision comes
up; and a class of hands counts where, and as often as, it is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pokerlab.abstraction.flop_subsets import flops_of
from pokerlab.cards.flops import KINDS, FlopTexture, texture_of
from pokerlab.errors import SpotError, shown
from pokerlab.notebook import Table, Tabular
from pokerlab.refine.spots.batch import Batch, of_files, on_boards, weights_of
from pokerlab.refine.spots.report import CLASSES, BoardReport, Figures, first_lines
from pokerlab.refine.spots.spot import PLAYERS, line_words

_ALL = "all"
FIGURES = ("reach", *(f"ev {who}" for who in PLAYERS), *(f"equity {who}" for who in PLAYERS))  # columns
_NAMED = 20  # lines of a message


def batch_of(files: Sequence[str | Path], flops: str | None) -> Batch:
    """The spots of files and folders, or one template on the flops that a text names."""
    if flops is None:
        return of_files(files)
    if len(files) != 1 or Path(files[0]).is_dir():
        raise SpotError("--flops puts one spot file on many boards: give one file, or leave --flops out")
    return on_boards(files[0], flops_of(flops))


def check_lines(batch: Batch, lines: Sequence[str]) -> None:
    """Refuse a line that leads to no decision of the first street of any spot."""
    for line in lines:
        known: set[str] = set()
        for case in batch.cases:
            tree = case.spot.tree()
            first = [node for node in tree if node.kind == "decision" and node.street == case.spot.street]
            here = {", ".join(tree.line(node.index)) for node in first}
            known |= here
            if ", ".join(line_words(line)) in here:
                break
        else:
            told = "; ".join(sorted(filter(None, known))[:_NAMED])
            raise SpotError(f"no decision of the first street after {shown(line)}; there is the start, {told}")


class Row(NamedTuple):
    """A decision on a board, with the board's weight; all boards' add up to 1."""

    name: str
    board: tuple[int, ...]
    weight: float
    texture: FlopTexture
    figures: Figures


class Mean(NamedTuple):
    """Weighted means over some boards."""

    boards: int
    weight: float
    reach: float
    ev: tuple[float, float]
    equity: tuple[float, float]
    frequencies: tuple[float, ...]


class ClassMean(NamedTuple):
    """Weighted means over some boards of a class of hands: its share of the range, value, equity and what it does."""

    name: str
    share: float
    ev: float
    equity: float
    frequencies: tuple[float, ...]


@dataclass(frozen=True)
class Decision(Tabular):
    """One decision of one player on many boards. `actions` are those of all boards; where one is not possible, it is
    never taken.
    """

    line: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def player(self) -> int:
        return self.rows[0].figures.player

    @property
    def title(self) -> str:
        return f"{', '.join(self.line) or 'the start'}: {PLAYERS[self.player]} to act"

    @cached_property
    def actions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(action for row in self.rows for action in row.figures.actions))

    def frequencies(self, row: Row) -> np.ndarray:
        """(actions) how often each is taken on a board."""
        often = dict(zip(row.figures.actions, row.figures.frequencies.tolist(), strict=True))
        return np.array([often.get(action, 0.0) for action in self.actions])

    def mean(self, rows: Iterable[Row] | None = None) -> Mean:
        """Over some boards, by default all."""
        some = list(self.rows if rows is None else rows)
        weights = np.array([row.weight for row in some])
        often = weights * [row.figures.reach for row in some]
        ev = [_mean([row.figures.ev[player] for row in some], often) for player in range(2)]
        equity = [_mean([row.figures.equity[player] for row in some], often) for player in range(2)]
        taken = [_mean([self.frequencies(row)[i] for row in some], often) for i in range(len(self.actions))]
        return Mean(
            len(some), float(weights.sum()), float(often.sum() / weights.sum()), (ev[0], ev[1]), (equity[0], equity[1]),
            tuple(taken),
        )  # fmt: skip

    def spread(self, figure: str) -> float:
        """The standard deviation among boards, as they are weighed, of `ev oop`, `ev ip` or an action's frequency."""
        if figure in self.actions:
            values = np.array([self.frequencies(row)[self.actions.index(figure)] for row in self.rows])
        else:
            values = np.array([row.figures.ev[PLAYERS.index(figure.removeprefix("ev "))] for row in self.rows])
        weights = np.array([row.weight * row.figures.reach for row in self.rows])
        mean = _mean(values, weights)
        return float(np.sqrt(_mean((values - mean) ** 2, weights)))

    def by_texture(self) -> Iterator[tuple[str, str, Mean]]:
        """Each kind of words, each word, and the mean over the boards that have it."""
        for kind, words in KINDS.items():
            for word in words:
                some = [row for row in self.rows if getattr(row.texture, kind) == word]
                if some:
                    yield kind, word, self.mean(some)

    def by_class(self, rows: Iterable[Row] | None = None) -> Iterator[ClassMean]:
        """The classes of hands that are held on any of the boards."""
        some = list(self.rows if rows is None else rows)
        often = np.array([row.weight * row.figures.reach for row in some])
        for number, name in enumerate(CLASSES):
            share = np.array([row.figures.classes[number, 0] for row in some])
            held = often * share
            if held.sum() > 0:
                ev, equity = (_mean([row.figures.classes[number, i] for row in some], held) for i in (1, 2))
                taken = (self._class_often(some, number, action, held) for action in self.actions)
                yield ClassMean(name, _mean(share, often), ev, equity, tuple(taken))

    def _class_often(self, rows: Sequence[Row], number: int, action: str, held: np.ndarray) -> float:
        values = [
            row.figures.classes[number, 3 + row.figures.actions.index(action)] if action in row.figures.actions else 0.0
            for row in rows
        ]
        return _mean(values, held)

    def table(self) -> Table:
        """A row a board."""
        columns = ("board", "weight", *KINDS, *FIGURES, *self.actions)
        rows = (
            (
                row.name, row.weight, *row.texture, row.figures.reach, *row.figures.ev, *row.figures.equity,
                *self.frequencies(row).tolist(),
            )
            for row in self.rows
        )  # fmt: skip
        return Table(self.title, columns, rows)

    def texture_table(self) -> Table:
        """A row a word, and one of all boards."""
        columns = ("kind", "texture", "boards", "weight", *FIGURES, *self.actions)
        every = [(_ALL, _ALL, self.mean()), *self.by_texture()]
        rows = (
            (kind, word, mean.boards, mean.weight, mean.reach, *mean.ev, *mean.equity, *mean.frequencies)
            for kind, word, mean in every
        )
        return Table(self.title, columns, rows)

    def class_table(self) -> Table:
        """A row a class of hands."""
        columns = ("hands", "share", "ev", "equity", *self.actions)
        rows = ((each.name, each.share, each.ev, each.equity, *each.frequencies) for each in self.by_class())
        return Table(self.title, columns, rows)


def _mean(values: Sequence[float] | np.ndarray, weights: np.ndarray) -> float:
    """Where anything counts; values that count for nothing may be nan."""
    total = weights.sum()
    return float(np.where(weights > 0, values, 0.0) @ weights / total) if total > 0 else np.nan


@dataclass(frozen=True)
class Aggregate(Tabular):
    """The decisions that are told of, each on all boards that have it; and boards that were left out of the batch."""

    reports: tuple[BoardReport, ...]
    decisions: tuple[Decision, ...]
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, batch: Batch, reports: Sequence[BoardReport], lines: Sequence[str] = ()) -> Aggregate:
        """Of lines such as `check, bet 36`; by default of each player's first decision. Where a line leads to oop in
        some spots and to ip in others, these are two decisions.
        """
        check_lines(batch, lines)
        weights = weights_of(batch, reports).tolist()
        asked = [line_words(line) for line in lines] or list(
            dict.fromkeys(line for report in reports for line in first_lines(report))
        )
        decisions = dict[tuple[tuple[str, ...], int], list[Row]]()
        for line in dict.fromkeys(asked):
            for report, weight in zip(reports, weights, strict=True):
                if (figures := report.decisions.get(line)) is not None:
                    row = Row(report.name, report.board, weight, texture_of(report.board), figures)
                    decisions.setdefault((line, figures.player), []).append(row)
        told = (Decision(line, tuple(rows)) for (line, _), rows in decisions.items())
        return cls(tuple(reports), tuple(told), batch.left_out)

    def table(self) -> Table:
        """That of the first decision."""
        return self.decisions[0].table()

    def summary(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        worst = max(report.exploitability for report in self.reports)
        return {
            "spots": len(self.reports),
            "left_out": list(self.left_out),
            "unit": "chips",
            "worst_exploitability_percent": worst,
            "iterations": sum(report.iterations for report in self.reports),
            "seconds": sum(report.seconds for report in self.reports),
            "decisions": [
                {
                    "line": list(each.line),
                    "player": PLAYERS[each.player],
                    "actions": list(each.actions),
                    "mean": plain(each.mean()._asdict()),
                    "boards": _records(each.table()),
                    "textures": _records(each.texture_table()),
                    "classes": _records(each.class_table()),
                }
                for each in self.decisions
            ],
        }

    @property
    def told_left_out(self) -> str:
        """Which boards were left out, as text; empty if none was."""
        some = ", ".join(self.left_out[:_NAMED]) + (", ..." if len(self.left_out) > _NAMED else "")
        return f"left out, as they leave a player no hand: {some}" if some else ""

    def lines(self) -> list[str]:
        """Means, and tables by texture and by class, as text."""
        worst = max(report.exploitability for report in self.reports)
        seconds = sum(report.seconds for report in self.reports)
        lines = [f"{len(self.reports):,} spots, {seconds:,.0f} s of solving, none above {worst:.2f} % of its pot"]
        lines += filter(None, [self.told_left_out])
        for each in self.decisions:
            mean = each.mean()
            came = f", which comes up {100 * mean.reach:.1f} % of the time" if mean.reach < 0.9995 else ""
            lines += ["", f"{each.title}{came}", *text_of(each.texture_table()), "", *text_of(each.class_table())]
        return lines


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """For JSON, which knows no nan."""

    def known(value: Any) -> Any:
        if isinstance(value, tuple):
            return [known(each) for each in value]
        return None if value != value else value

    return {key: known(value) for key, value in record.items()}


def _records(table: Table) -> list[dict[str, Any]]:
    return [plain(dict(zip(table.columns, row, strict=True))) for row in table.rows]


def told(column: str, value: Any) -> str:
    """A figure of these tables as a person reads it: chips to two places, parts in per cent."""
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if column.startswith("ev") else f"{100 * value:.1f}"


def text_of(table: Table) -> list[str]:
    """A table in columns; `kind` is left out, its words tell it."""
    rows = [list(row) for row in table.rows]
    shown = [i for i, column in enumerate(table.columns) if column not in ("kind", "reach")]
    cells = [[table.columns[i] for i in shown], *([told(table.columns[i], row[i]) for i in shown] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(shown))]
    return [
        "  ".join([line[0].ljust(widths[0]), *(text.rjust(w) for text, w in zip(line[1:], widths[1:], strict=True))])
        for line in cells
    ]
