"""A decision as text or HTML: the chart of 13 by 13 kinds of hands; and its figures as plain JSON."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from pokerlab import page
from pokerlab.cards.chart import chart_lines
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import class_name, classes
from pokerlab.errors import SpotError
from pokerlab.refine.spots.solution import SpotNode
from pokerlab.refine.spots.spot import PLAYERS
from pokerlab.refine.spots.tree import ALL_IN, CALL, CHECK, FOLD
from pokerlab.terminal import WIDTH, Line, Piece

VIEWS = ("strategy", "ev", "range")
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


def grid_lines(node: SpotNode, view: str = "strategy") -> list[Line]:
    """The chart, what its cells say in words, and how often each action is taken, in the actions' colours.

    `strategy` shows each kind's two commonest actions with their percentages, an action's name how often it is taken,
    `ev` chips, and `range` how much of the range each kind is.
    """
    check_view(node.actions, view)
    kinds, signs, colours = chart(node), symbols(node.actions), page.action_colours(node.actions)
    cells: list[Line]
    if view == "strategy":
        cells = [_commonest(row, signs, colours) for row in kinds["strategy"]]
        says = "the two commonest actions of such hands, each in per cent"
    elif view == "ev":
        places = 2 if node.pot < 100 else 1 if node.pot < 1000 else 0
        cells = ["." if np.isnan(value) else f"{round(value, places) + 0:.{places}f}" for value in kinds["ev"]]
        says = "chips that such a hand expects from here on"
    elif view == "range":
        cells = [f"{100 * share:.1f}" if share else "." for share in kinds["share"]]
        says = "how much of the range such hands are, in per cent"
    else:
        column = kinds["strategy"][:, node.actions.index(view)]
        cells = ["." if np.isnan(value) else f"{100 * value:.0f}" for value in column]
        says = f"how often such hands take {view}, in per cent"
    return [*chart_lines(cells), f"{says}; a dot: no such hand", *_legend(node, signs, colours)]


def _commonest(row: np.ndarray, signs: list[str], colours: list[str]) -> Line:
    """The two commonest actions, the commonest first; what rounds to nothing is left out."""
    if np.isnan(row[0]):
        return "."
    two = [int(action) for action in np.argsort(-row, kind="stable")[:2] if round(100 * row[action]) > 0]
    return [Piece(f"{signs[action]}{100 * row[action]:.0f}", colours[action]) for action in two]


def _legend(node: SpotNode, signs: list[str], colours: list[str]) -> list[Line]:
    """The letters in words, each with how often the whole range takes that action; on as many lines as it takes."""
    lines: list[list[Piece]] = [[]]
    for sign, action, often, colour in zip(signs, node.actions, node.frequencies, colours, strict=True):
        words = f"{sign} {action} {100 * often:.1f} %"
        if sum(len(piece.text) for piece in lines[-1]) + 3 + len(words) > WIDTH:
            lines.append([])
        lines[-1] += [Piece("   ")] * bool(lines[-1]) + [Piece(words, colour)]
    return list(lines)


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
