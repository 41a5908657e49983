"""Two solutions at the same decision: what changes from the first to the second, the hands that change most first.

    changes = compare(before, after, "check, bet 100")              # another spot, or the same with a lock
    changes.frame["hand"], changes.frame["moved"], changes.frame["call change"], changes.frame["ev change"]

Lines and actions that only one of them has are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.cards.chart import chart_lines
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import class_name
from pokerlab.errors import SpotError
from pokerlab.notebook import Table, Tabular
from pokerlab.refine.spots.frames import Frame, frame_json, frame_table, node_frame
from pokerlab.refine.spots.locks import find_decision
from pokerlab.refine.spots.solution import SpotNode, SpotSolution
from pokerlab.refine.spots.spot import PLAYERS, Spot
from pokerlab.refine.spots.tree import BettingTree
from pokerlab.refine.spots.view import frequencies_of, number, plain_list, weighed
from pokerlab.terminal import Line, columns

VIEWS = ("strategy", "ev", "equity", "range")
_MOST = 12  # hands that are printed
_DECK = Deck()
_KINDS = {class_name(kind): kind for kind in range(169)}


def lacking(first: BettingTree, second: BettingTree) -> tuple[list[str], list[str]]:
    """The lines that only the first tree has, and those that only the second has: of what follows such a line nothing
    is listed.
    """
    only: tuple[list[str], list[str]] = [], []
    stack = [(0, 0)]
    while stack:
        here = stack.pop()
        one, two = first[here[0]], second[here[1]]
        for mine, theirs, tree, told in ((one, two, first, only[0]), (two, one, second, only[1])):
            told += [", ".join((*tree.line(mine.index), a)) for a in mine.labels if a not in theirs.labels]
        for label, child in zip(one.labels, one.children, strict=True):
            if label in two.labels:
                stack.append((child, two.children[two.labels.index(label)]))
    return only


@dataclass(frozen=True)
class Comparison(Tabular):
    """`frame` has a row for each hand that both have there: for `share`, `equity`, `ev`, each action that both have and
    its `ev`, the value `before`, `after` and their `change`; `moved` is how much probability went from one action to
    another, half the sum of all changes, also of actions that only one has. The hand that moved most is first.
    """

    first: SpotNode
    second: SpotNode
    names: tuple[str, str]
    frame: Frame
    unit: str
    lines_lacking: tuple[list[str], list[str]]
    hands_lacking: tuple[list[str], list[str]]
    hands: np.ndarray | None = None
    view: str = "strategy"

    @property
    def actions(self) -> list[str]:
        """Those that both have."""
        return [action for action in self.first.actions if action in self.second.actions]

    def frequencies(self) -> dict[str, tuple[float | None, float | None]]:
        """How often each action is taken, before and after; None where there is none such, or nobody comes there."""
        often = [
            dict(zip(node.actions, plain_list(frequencies_of(node, self.hands)), strict=True))
            for node in (self.first, self.second)
        ]
        names = dict.fromkeys((*self.first.actions, *self.second.actions))
        return {name: (often[0].get(name), often[1].get(name)) for name in names}

    def table(self) -> Table:
        return frame_table(f"{self.names[0]} and {self.names[1]}: {self.first.title}", self.frame)

    def _column(self, view: str) -> np.ndarray:
        name = {"strategy": "moved", "range": "share change"}.get(view, f"{view} change")
        values = self.frame[name]
        return values if view.startswith("ev") else 100 * values

    def lines(self) -> list[Line]:
        """Frequencies before and after, a chart of the changes that `view` names, and the hands that change most."""
        before, after = self.names
        rows: list[tuple[str, ...]] = [("", "before", "after", "change")]
        for action, both in self.frequencies().items():
            change = "" if None in both else f"{100 * (both[1] - both[0]) + 0:+.1f}"  # type: ignore[operator]
            rows.append((action, *("-" if p is None else f"{100 * p:.1f} %" for p in both), change))
        return [
            f"before: {before}   after: {after}",
            self.first.title,
            *columns(rows),
            *self._chart(self.view),
            *self._largest(self.view),
            *self._lacking(),
        ]

    def by_kind(self, view: str) -> np.ndarray:
        """(169) the change that a view shows of each kind of hand, in per cent or in the unit; nan where not both have
        such a hand, or where it is not known.
        """
        kinds = np.array([_KINDS[kind] for kind in self.frame["kind"]], dtype=np.int64)
        values = self._column(view)
        if view == "range":
            return np.where(np.bincount(kinds, minlength=169) > 0, np.bincount(kinds, values, 169), np.nan)
        return weighed(values, self.frame["share before"] + self.frame["share after"] + 1e-12, kinds)

    def _chart(self, view: str) -> list[Line]:
        says = {
            "strategy": "per cent of such hands' play that goes to another action",
            "range": "change of how much of the range such hands are, in per cent of it",
            "equity": "change of such hands' equity, in per cent of the pot",
        }.get(view, f"change of the value of such hands, {self.unit}" if view.startswith("ev") else
              f"change of how often such hands take {view}, in per cent")  # fmt: skip
        sign = "" if view == "strategy" else "+"
        cells = ["." if np.isnan(mean) else f"{round(mean, 1) + 0:{sign}.1f}" for mean in self.by_kind(view)]
        return [*chart_lines(cells), f"{says}; a dot: no such hand in both, or not known"]

    def _largest(self, view: str) -> list[Line]:
        """The hands that change most by what is looked at."""
        order = np.argsort(-np.nan_to_num(np.abs(self._column(view))), kind="stable")[:_MOST]
        rows = [("hand", "moved", "ev before", "ev after", *(f"{a} before, after" for a in self.actions))]
        for i in order:
            took = [f"{100 * self.frame[f'{a} before'][i]:.0f}, {100 * self.frame[f'{a} after'][i]:.0f}"
                    for a in self.actions]  # fmt: skip
            evs = [number(self.frame[f"ev {when}"][i]) for when in ("before", "after")]
            rows.append((self.frame["hand"][i], f"{100 * self.frame['moved'][i]:.1f} %", *evs, *took))
        return [f"the {len(order)} hands that change most, of {len(self.frame['hand']):,}", *columns(rows)]

    def _lacking(self) -> list[Line]:
        told: list[Line] = []
        for who, lines, hands in zip(("before", "after"), self.lines_lacking, self.hands_lacking, strict=True):
            if lines:
                told.append(f"only {who} has {len(lines):,} lines: {_some(lines, '; ')}")
            if hands:
                told.append(f"only {who} has {len(hands):,} hands here: {_some(hands, ', ')}")
        return told

    def summary(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "before": self.names[0],
            "after": self.names[1],
            "board": _DECK.text(self.first.board),
            "line": list(self.first.line),
            "player": PLAYERS[self.first.player],
            "unit": self.unit,
            "frequencies": {
                action: {"before": both[0], "after": both[1]} for action, both in self.frequencies().items()
            },
            "hands": frame_json(self.frame),
            "lines_only_before": self.lines_lacking[0],
            "lines_only_after": self.lines_lacking[1],
            "hands_only_before": self.hands_lacking[0],
            "hands_only_after": self.hands_lacking[1],
        }


def _some(names: Sequence[str], between: str) -> str:
    return between.join(names[:8]) + (f"{between}..." if len(names) > 8 else "")


def check_comparison(
    first: Spot, second: Spot, line: str, view: str, names: tuple[str, str] = ("the first", "the second")
) -> None:
    """Raise SpotError unless solutions of two spots can be compared at the decision after a line, in this view."""
    nodes = []
    for spot, name in zip((first, second), names, strict=True):
        try:
            nodes.append(find_decision(spot, line)[0])
        except SpotError as error:
            raise SpotError(f"{name} has no such decision: {error}") from None
    one, two = nodes
    if {*first.board} != {*second.board}:
        raise SpotError(f"{names[0]} and {names[1]} are on different boards: {_DECK.text(first.board)} and "
                        f"{_DECK.text(second.board)}")  # fmt: skip
    if one.player != two.player:
        raise SpotError(f"{PLAYERS[one.player]} acts there in {names[0]}, and {PLAYERS[two.player]} in {names[1]}")
    both = [action for action in one.labels if action in two.labels]
    views = (*VIEWS, *both, *(f"ev {action}" for action in both))
    if view not in views:
        raise SpotError(f"no view {view!r} of two solutions; there are {', '.join(views)}")


def compare(
    first: SpotSolution,
    second: SpotSolution,
    line: str = "",
    *,
    view: str = "strategy",
    unit: str = "chips",
    hands: np.ndarray | None = None,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Two solutions at the decision after a line, on one board. `view` is what `lines` shows as a chart: `strategy`,
    `ev`, `equity`, `range`, an action, or `ev` and an action. `hands` (1,326) looks at some hands only; `names` are
    what the solutions are called, by default by their spots.
    """
    called = names or (first.spot.name, second.spot.name)
    check_comparison(first.spot, second.spot, line, view, called)
    nodes = [first.node(line), second.node(line)]
    one, two = nodes
    frames = [node_frame(node, unit=unit, hands=hands) for node in nodes]
    places = [{hand: i for i, hand in enumerate(frame["hand"])} for frame in frames]
    shared = [hand for hand in frames[0]["hand"] if hand in places[1]]
    at = [np.array([place[hand] for hand in shared], dtype=np.int64) for place in places]
    told: Frame = {name: frames[0][name][at[0]] for name in ("hand", "kind", "made", "draw")}
    every = dict.fromkeys((*one.actions, *two.actions))
    both = [action for action in one.actions if action in two.actions]
    odds = [
        np.stack([frame[a][rows] if a in frame else np.zeros(len(rows)) for a in every])
        for frame, rows in zip(frames, at, strict=True)
    ]
    told["moved"] = np.abs(odds[1] - odds[0]).sum(axis=0) / 2
    for name in ("share", "equity", "ev", *both, *(f"ev {action}" for action in both)):
        before, after = (frame[name][rows] for frame, rows in zip(frames, at, strict=True))
        told |= {f"{name} before": before, f"{name} after": after, f"{name} change": after - before}
    order = np.lexsort((-np.nan_to_num(np.abs(told["ev change"])), -told["moved"]))
    lost = tuple([hand for hand in mine if hand not in theirs] for mine, theirs in (places, places[::-1]))
    return Comparison(
        one, two, called, {name: column[order] for name, column in told.items()}, unit,
        lacking(first.tree, second.tree), (lost[0], lost[1]), hands, view,
    )  # fmt: skip
