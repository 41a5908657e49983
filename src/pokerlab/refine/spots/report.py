"""What is told of a solved spot beside others: every decision of its first street in figures, by class of hands too.

A decision's figures are values of both players, their equities, how often each action is taken and how likely play
comes there; of each class of the acting player's hands (what is made of the board, and what is drawn to: a hand may be
in several) how much of the range it is, its value and equity, and what it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.equity import range_equity
from pokerlab.cards.holes import compatible
from pokerlab.cards.ranges import Range
from pokerlab.cards.texture import FLUSH_DRAWS, MADE, PARTS, STRAIGHT_DRAWS
from pokerlab.errors import RangeError
from pokerlab.reading import Damage, Header, of_kind
from pokerlab.refine.spots.categories import categories_on
from pokerlab.refine.spots.solution import SpotNode, SpotSolution
from pokerlab.refine.spots.spot import PLAYERS, Spot
from pokerlab.refine.spots.tree import CHECK

_DECK = Deck()
CLASSES = (*MADE[::-1], *FLUSH_DRAWS[:0:-1], *STRAIGHT_DRAWS[:0:-1])  # the best first, then draws
_FIGURES = 5  # reach, values and equities


class Figures(NamedTuple):
    """Of a decision. Values are chips from here on, nan where play never comes; classes are rows of `CLASSES`, each its
    share of the range, value, equity, and how often it takes each action.
    """

    line: tuple[str, ...]
    player: int
    pot: int
    actions: tuple[str, ...]
    reach: float
    ev: tuple[float, float]
    equity: tuple[float, float]
    frequencies: np.ndarray  # (actions)
    classes: np.ndarray  # (classes, 3 + actions)


@dataclass(frozen=True)
class BoardReport:
    """A solved spot; `matchups` is the weight of all pairs of hands, by which boards are weighed with card removal."""

    name: str
    board: tuple[int, ...]
    pot: int
    matchups: float
    exploitability: float  # per cent of the pot
    iterations: int
    seconds: float
    decisions: Mapping[tuple[str, ...], Figures]

    def stored(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """As a header and arrays."""
        header = {
            "board": _DECK.text(self.board), "pot": self.pot, "matchups": self.matchups, "seconds": self.seconds,
            "exploitability": self.exploitability, "iterations": self.iterations,
            "decisions": [
                {"line": each.line, "player": PLAYERS[each.player], "pot": each.pot, "actions": each.actions}
                for each in self.decisions.values()
            ],
        }  # fmt: skip
        arrays = {}
        for number, each in enumerate(self.decisions.values()):
            arrays[f"figures_{number}"] = np.array([each.reach, *each.ev, *each.equity])
            arrays[f"frequencies_{number}"], arrays[f"classes_{number}"] = each.frequencies, each.classes
        return header, arrays


def read_report(name: str, header: Header, arrays: Mapping[str, np.ndarray]) -> BoardReport:
    """A report as it was stored; what is wrong with it is damage."""
    board = _DECK.cards(header.text("board"))
    decisions = {}
    for number, entry in enumerate(header.entries("decisions")):
        told = Header(entry)
        line, actions = tuple(told.texts("line")), tuple(told.texts("actions"))
        if told.text("player") not in PLAYERS:
            raise Damage(f"there is no player {told['player']!r}")
        reach, ev0, ev1, equity0, equity1 = of_kind(arrays, f"figures_{number}", np.float64, _FIGURES).tolist()
        decisions[line] = Figures(
            line, PLAYERS.index(told.text("player")), told.whole("pot"), actions, reach, (ev0, ev1),
            (equity0, equity1), of_kind(arrays, f"frequencies_{number}", np.float64, len(actions)),
            of_kind(arrays, f"classes_{number}", np.float64, len(CLASSES), 3 + len(actions)),
        )  # fmt: skip
    return BoardReport(
        name, board, header.whole("pot"), header.number("matchups"), header.number("exploitability"),
        header.whole("iterations"), header.number("seconds"), decisions,
    )  # fmt: skip


def report_of(solved: SpotSolution) -> BoardReport:
    """The report of a solved spot."""
    spot = solved.spot
    first = [node for node in solved.tree if node.kind == "decision" and node.street == spot.street]
    figures = [figures_at(solved.node(solved.tree.line(node.index))) for node in first]
    return BoardReport(
        spot.name, spot.board, spot.total, spot.matchups, 100 * solved.exploitability / spot.total,
        solved.iterations, solved.seconds, {each.line: each for each in figures},
    )  # fmt: skip


def figures_at(node: SpotNode) -> Figures:
    """The figures of a decision of a spot; after cards, `reach` is how likely its betting comes with these cards."""
    weights = node.weights(0), node.weights(1)
    joint = [weights[player] * compatible(weights[1 - player]) for player in range(2)]
    other, other_ev = node.other_ev()
    ev = [0.0, 0.0]
    ev[node.player] = _mean(node.ev, joint[node.player][node.hands])
    ev[1 - node.player] = _mean(other_ev, joint[1 - node.player][other])
    equity, by_hand = _equities(weights, node.board)
    classes = _by_class(node, joint[node.player][node.hands], by_hand[node.player][node.hands])
    reach = float(joint[0].sum()) / _meetings(node.spot)
    return Figures(
        node.line, node.player, node.pot, node.actions, reach, (ev[0], ev[1]), equity, node.frequencies, classes
    )


def _meetings(spot: Spot) -> float:
    """The weight of all pairs of hands, as nodes weigh them: the largest weight of each player is 1."""
    return spot.matchups / float(spot.weights(0).max() * spot.weights(1).max())


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    total = weights.sum()
    return float(np.nan_to_num(values) @ weights / total) if total > 0 else np.nan


def _equities(
    weights: tuple[np.ndarray, np.ndarray], board: tuple[int, ...]
) -> tuple[tuple[float, float], tuple[np.ndarray, np.ndarray]]:
    """Of the ranges here and of each of their hands, as if no more were bet; nan where they cannot meet."""
    try:
        met = range_equity(Range(weights[0]), Range(weights[1]), board, progress=False)
    except RangeError:
        return (np.nan, np.nan), (np.full_like(weights[0], np.nan), np.full_like(weights[1], np.nan))
    return met.equity, met.by_hand


def _by_class(node: SpotNode, joint: np.ndarray, equity: np.ndarray) -> np.ndarray:
    """(classes, 3 + actions); nan where a class is not held."""
    total, rows = joint.sum(), np.full((len(CLASSES), 3 + len(node.actions)), np.nan)
    rows[:, 0] = 0.0
    for row, held in zip(rows, _classes_on(node.board), strict=True):
        weights = joint * held[node.hands]
        if weights.sum() > 0:
            shares = weights / weights.sum()
            row[:] = weights.sum() / total, _mean(node.ev, weights), _mean(equity, weights), *shares @ node.strategy
    return rows


@lru_cache(maxsize=2)
def _classes_on(board: tuple[int, ...]) -> np.ndarray:
    """(classes, 1,326): which hands are in each class."""
    parts = [PARTS[kind] if kind >= 0 else () for kind in categories_on(board).tolist()]
    return np.array([[name in part for part in parts] for name in CLASSES])


def first_lines(report: BoardReport) -> Iterator[tuple[str, ...]]:
    """The first decision, and the other player's after a check, where there is a choice; or else the first."""
    both = [line for line in ((), (CHECK,)) if line in report.decisions]
    yield from [line for line in both if len(report.decisions[line].actions) > 1] or both[:1]
