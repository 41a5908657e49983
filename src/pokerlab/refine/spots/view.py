"""A decision as text or HTML: the chart of 13 by 13 kinds of hands; and its figures as plain JSON."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from pokerlab import page
from pokerlab.cards.deck import STANDARD_RANKS, Deck
from pokerlab.cards.holes import class_name, classes
from pokerlab.errors import SpotError
from pokerlab.refine.spots.solution import SpotNode
from pokerlab.refine.spots.spot import PLAYERS
from pokerlab.refine.spots.tree import ALL_IN, CALL, CHECK, FOLD

VIEWS = ("strategy", "ev", "range")
_RANKS = STANDARD_RANKS[::-1]
_SYMBOLS = {FOLD: "f", CHECK: "x", CALL: "c", ALL_IN: "a"}


def symbols(actions: tuple[str, ...]) -> list[str]:
    """A letter for each action: f, x, c and a for fold, check, call and all-in; b, d, e, ... for the sizes between."""
    sizes = iter("bdeghijklmnopqrstuvwyz")
    return [_SYMBOLS.get(action) or next(sizes, "?") for action in actions]


def check_view(actions: tuple[str, ...], view: str) -> None:
    """Raise SpotError unless there is such a view of a decision between these actions."""
    if view not in (*VIEWS, *actions):
        raise SpotError(f"no view {view!r}; there are {', '.join((*VIEWS, *actions))}")


def chart(node: SpotNode) -> dict[str, np.ndarray]:
    """By kind of hand (169, as on the usual chart): its share of the range, strategy (169, actions) and value; nan
    where the player has no such hand.
    """
    kinds, shares = classes()[node.hands], node.shares
    share = np.bincount(kinds, shares, 169)
    combos = np.bincount(kinds, minlength=169)
    even = np.divide(1, combos, out=np.zeros(169), where=combos > 0)[kinds]
    weights = np.where(share[kinds] > 0, shares / np.where(share[kinds] > 0, share[kinds], 1), even)
    strategy = np.stack([np.bincount(kinds, weights * column, 169) for column in node.strategy.T], axis=1)
    ev = np.bincount(kinds, np.nan_to_num(weights * node.ev), 169)
    strategy[combos == 0], ev[combos == 0] = np.nan, np.nan
    return {"share": share, "strategy": strategy, "ev": ev}


def grid_lines(node: SpotNode, view: str = "strategy") -> list[str]:
    """The chart with a legend. `strategy` shows each kind's commonest action with its percentage, an action's name how
    often it is taken, `ev` chips, and `range` how much of the range each kind is.
    """
    check_view(node.actions, view)
    kinds, signs = chart(node), symbols(node.actions)
    if view == "strategy":
        cells = [_commonest(row, signs) for row in kinds["strategy"]]
    elif view == "ev":
        cells = ["." if np.isnan(value) else f"{round(value) + 0:d}" for value in kinds["ev"]]
    elif view == "range":
        cells = [f"{100 * share:.1f}" if share else "." for share in kinds["share"]]
    else:
        column = kinds["strategy"][:, node.actions.index(view)]
        cells = ["." if np.isnan(value) else f"{100 * value:.0f}" for value in column]
    wide = max(4, *(len(cell) for cell in cells)) + 1
    lines = ["  " + "".join(rank.rjust(wide) for rank in _RANKS)]
    for row, rank in enumerate(_RANKS):
        lines.append(f"{rank} " + "".join(cell.rjust(wide) for cell in cells[13 * row : 13 * row + 13]))
    legend = [
        f"{sign} {action} {100 * often:.1f} %"
        for sign, action, often in zip(signs, node.actions, node.frequencies, strict=True)
    ]
    return [*lines, "   ".join(legend)]


def _commonest(row: np.ndarray, signs: list[str]) -> str:
    if np.isnan(row[0]):
        return "."
    best = int(np.argmax(row))
    return f"{signs[best]}{100 * row[best]:.0f}"


def chart_html(node: SpotNode) -> str:
    """The chart in colours, each kind of hand cut by its strategy, with a legend."""
    kinds, colours = chart(node), page.action_colours(node.actions)
    mixes = [None if np.isnan(row[0]) else row.tolist() for row in kinds["strategy"]]
    tips = ["" if mix is None else _told(node, mix, ev) for mix, ev in zip(mixes, kinds["ev"], strict=True)]
    often = [f"{action} {100 * p:.1f} %" for action, p in zip(node.actions, node.frequencies, strict=True)]
    return f"<p>{escape(node.title)}</p>{page.legend(often, colours)}{page.chart(mixes, colours, tips)}"


def _told(node: SpotNode, mix: Sequence[float], ev: float) -> str:
    actions = [f"{action} {100 * p:.0f} %" for action, p in zip(node.actions, mix, strict=True)]
    return f"{', '.join(actions)}; {ev:.1f} chips"


def node_json(node: SpotNode) -> dict[str, Any]:
    """The decision as plain JSON, by kind of hand."""
    by_kind = chart(node)
    kinds = {
        class_name(kind): {
            "share": float(by_kind["share"][kind]),
            "ev": float(by_kind["ev"][kind]),
            "strategy": [float(p) for p in by_kind["strategy"][kind]],
        }
        for kind in range(169)
        if not np.isnan(by_kind["ev"][kind])
    }
    return {
        "board": Deck().text(node.board),
        "line": list(node.line),
        "player": PLAYERS[node.player],
        "pot": node.pot,
        "actions": list(node.actions),
        "frequencies": [float(often) for often in node.frequencies],
        "hands": kinds,
    }
