"""A decision as text or HTML: the chart of 13 by 13 kinds of hands, a hand, a list of blockers; and as plain JSON.

What the command prints is here as functions: `view_lines`, or `grid_lines`, `hand_lines` and `blocker_lines`, for text,
`node_json` for figures by kind of hand and by hand. Columns of numbers are in `frames`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from pokerlab import page
from pokerlab.cards.chart import chart_lines, legend_lines, mixed_cells
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import class_name, classes
from pokerlab.errors import SpotError
from pokerlab.refine.spots.frames import (
    UNITS,
    blocked,
    blockers,
    equity_of,
    frame_json,
    hand_json,
    losses,
    node_frame,
    shares_of,
    unit_size,
)
from pokerlab.refine.spots.solution import SpotNode
from pokerlab.refine.spots.spot import PLAYERS
from pokerlab.terminal import Line, columns

VIEWS = ("strategy", "ev", "equity", "range", "loss", "blockers")
_ANYBODY = ("ev", "equity", "range")  # what there is to see of the player who waits, too


def views_of(actions: tuple[str, ...], *, acting: bool = True) -> tuple[str, ...]:
    """What `view_lines` can show of a decision between these actions, of who acts or of who waits."""
    if not acting:
        return _ANYBODY
    return (*VIEWS, *actions, *(f"{what} {action}" for what in ("ev", "loss") for action in actions))


def check_view(actions: tuple[str, ...], view: str, *, acting: bool = True) -> None:
    """Raise SpotError unless there is such a view of a decision between these actions."""
    views = views_of(actions, acting=acting)
    if view not in views:
        whose = "" if acting else " of the player who waits"
        raise SpotError(f"no view {view!r}{whose}; there are {', '.join(views)}")


def view_lines(
    node: SpotNode,
    view: str = "strategy",
    *,
    hand: str = "",
    unit: str = "chips",
    player: int | None = None,
    hands: np.ndarray | None = None,
) -> list[Line]:
    """What `pokerlab spot` prints of a decision: a chart, what cards block, or all that is known of one hand."""
    check_view(node.actions, view, acting=player in (None, node.player))
    if view == "blockers":
        return blocker_lines(node, hand)
    if hand:
        return hand_lines(node, hand, unit)
    return grid_lines(node, view, unit=unit, player=player, hands=hands)


def chart(node: SpotNode, player: int | None = None, hands: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """By kind of hand (169, as on the usual chart): its share of the range, value and equity; of who acts also
    strategy, value and loss of each action (169, actions), and `lost`: what it loses by its own mix. Nan where there is
    no hand.

    A kind's figures are means over its hands by how likely they are held; `hands` (1,326) counts some only.
    """
    player = node.player if player is None else player
    numbers, shares = node.hands_of(player), shares_of(node, player)
    kept = np.arange(len(numbers)) if hands is None else np.flatnonzero(hands[numbers])
    kinds, shares = classes()[numbers[kept]], shares[kept]
    share = np.bincount(kinds, shares, 169)
    combos = np.bincount(kinds, minlength=169)
    even = np.divide(1, combos, out=np.zeros(169), where=combos > 0)[kinds]
    weights = np.where(share[kinds] > 0, shares / np.where(share[kinds] > 0, share[kinds], 1), even)

    def mean(values: np.ndarray) -> np.ndarray:
        rows = values[kept].reshape(len(kept), -1)
        by_kind = [np.bincount(kinds, np.nan_to_num(weights * column), 169) for column in rows.T]
        told = np.stack(by_kind, axis=1).reshape(169, *values.shape[1:])
        told[combos == 0] = np.nan
        return told

    told = {"share": share}
    if player != node.player:
        return told | {"ev": mean(node.other_ev()[1]), "equity": mean(equity_of(node, player))}
    lost = losses(node)
    return told | {
        "strategy": mean(node.strategy), "ev": mean(node.ev), "equity": mean(equity_of(node)),
        "action_ev": mean(node.action_ev), "loss": mean(lost), "lost": mean((node.strategy * lost).sum(axis=1)),
    }  # fmt: skip


def grid_lines(
    node: SpotNode,
    view: str = "strategy",
    *,
    unit: str = "chips",
    player: int | None = None,
    hands: np.ndarray | None = None,
) -> list[Line]:
    """The chart, what its cells say in words, and how often each action is taken, in the actions' colours.

    `strategy` shows each kind's two commonest actions with their percentages, an action's name how often it is taken,
    `ev` values in a unit, `equity` shares of the pot in per cent, `range` how much of the range each kind is, `loss`
    what its mix is worth less than its best action; `ev ACTION` and `loss ACTION` those of one action. `player` is by
    default who acts, of whom alone all of these are known; `hands` (1,326) shows some only.
    """
    player = node.player if player is None else player
    acting = player == node.player
    check_view(node.actions, view, acting=acting)
    kinds = chart(node, player, hands)
    if view == "strategy":
        cells: list[Line] = mixed_cells(kinds["strategy"], node.actions)
        says = "the two commonest actions of such hands, each in per cent"
    else:
        values, places, says = _seen(node, kinds, view, unit)
        cells = ["." if np.isnan(value) else f"{round(value, places) + 0:.{places}f}" for value in values]
    lines = [*chart_lines(cells), f"{says}; a dot: no such hand"]
    if hands is not None:
        lines.append(f"hands like these are {100 * kinds['share'].sum():.1f} % of the range")
    return [*lines, *(legend_lines(node.actions, frequencies_of(node, hands)) if acting else [])]


def _seen(node: SpotNode, kinds: dict[str, np.ndarray], view: str, unit: str) -> tuple[np.ndarray, int, str]:
    """The 169 numbers of a view, the places after the point that they are shown with, and what they are."""
    size, many = unit_size(node.spot, unit), UNITS[unit]
    fine = 2 if node.pot < 100 * size else 1 if node.pot < 1000 * size else 0
    if view == "ev":
        return kinds["ev"] / size, fine, f"{many} that such a hand expects from here on"
    if view == "equity":
        return 100 * kinds["equity"], 0, "the share of the pot that such a hand would get at a showdown, in per cent"
    if view == "range":
        share = np.where(kinds["share"] > 0, 100 * kinds["share"], np.nan)
        return share, 1, "how much of the range such hands are, in per cent"
    if view == "loss":
        return kinds["lost"] / size, fine + 1, f"{many} that such a hand's mix is worth less than its best action"
    if view in node.actions:
        return 100 * kinds["strategy"][:, node.actions.index(view)], 0, f"how often such hands take {view}, in per cent"
    what, _, action = view.partition(" ")
    column = kinds["action_ev" if what == "ev" else "loss"][:, node.actions.index(action)] / size
    if what == "ev":
        return column, fine, f"{many} that such a hand expects by {action}"
    return column, fine, f"{many} that such a hand loses by {action}: the best action's value less its own"


def frequencies_of(node: SpotNode, hands: np.ndarray | None = None) -> np.ndarray:
    """(actions) how often each action is taken, over all hands or over some (1,326) of them."""
    shares = node.shares if hands is None else node.shares * hands[node.hands]
    return np.asarray(shares @ node.strategy / (shares.sum() if shares.sum() > 0 else 1))


def hand_lines(node: SpotNode, cards: str, unit: str = "chips") -> list[Line]:
    """One hand of who acts, as `frames.hand_json` has it."""
    told = hand_json(node, cards, unit)
    rows = [("", "probability", unit, "loss")]
    for action, each in told["actions"].items():
        rows.append((action, f"{100 * each['probability']:.1f} %", _number(each["ev"]), _number(each["loss"])))
    has = " + ".join(filter(None, (told["made"], told["draw"])))
    equity = "-" if told["equity"] is None else f"{100 * told['equity']:.1f} %"
    return [
        f"{told['hand']}: {has}; weight {told['weight']:.3f}, {100 * told['share']:.2f} % of the range",
        f"equity {equity}   expects {_number(told['ev'])} {unit}",
        *columns(rows),
        *_blocked_lines(told["blocks"]),
    ]


def blocker_lines(node: SpotNode, cards: str = "") -> list[Line]:
    """What the waiting player's cards do to the range and the play of who acts: of one or two cards, or of every card
    those that move an action's frequency most.
    """
    if cards:
        told = blocked(node, cards)
        return [f"{PLAYERS[1 - node.player]} holds {cards}", *_blocked_lines(told)]
    frame = blockers(node)
    changes = np.stack([frame[f"change {action}"] for action in node.actions])
    order = np.argsort(-np.nan_to_num(np.abs(changes).max(axis=0)), kind="stable")
    rows = [(f"{PLAYERS[1 - node.player]} holds", "removes", *node.actions)]
    for i in order:
        moved = [f"{100 * frame[a][i]:.1f} ({100 * frame[f'change {a}'][i] + 0:+.1f})" for a in node.actions]
        rows.append((str(frame["card"][i]), f"{100 * frame['removed'][i]:.1f} %", *moved))
    says = f"how often {PLAYERS[node.player]} takes each action then, in per cent, and the change against all its hands"
    return [*columns(rows), says]


def _blocked_lines(told: dict[str, Any]) -> list[Line]:
    removed = "-" if told["removed"] is None else f"{100 * told['removed']:.1f} %"
    rows = [(f"of {told['range']}'s range", "before", "after", "change")]
    for name, both in (*told.get("actions", {}).items(), *told["made"].items()):
        if both["before"] is not None and both["after"] is not None:
            change = both["after"] - both["before"]
            rows.append(
                (name, f"{100 * both['before']:.1f} %", f"{100 * both['after']:.1f} %", f"{100 * change + 0:+.1f}")
            )
    return [f"blocks {removed} of {told['range']}'s range", *columns(rows)]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


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


def node_json(node: SpotNode, *, unit: str = "chips", hands: np.ndarray | None = None) -> dict[str, Any]:
    """The decision as plain JSON: `hands` by kind of hand, `combos` every hand of both players as columns.

    A filter (1,326) keeps some of the acting player's hands.
    """
    by_kind, size = chart(node, hands=hands), unit_size(node.spot, unit)
    kinds = {
        class_name(kind): {
            "share": float(by_kind["share"][kind]),
            "ev": float(by_kind["ev"][kind] / size),
            "equity": float(by_kind["equity"][kind]),
            "strategy": [float(p) for p in by_kind["strategy"][kind]],
            "action_ev": [float(ev / size) for ev in by_kind["action_ev"][kind]],
            "loss": [float(lost / size) for lost in by_kind["loss"][kind]],
        }
        for kind in range(169)
        if not np.isnan(by_kind["ev"][kind])
    }
    whole = node_frame(node, unit=unit, hands=hands), node_frame(node, player=1 - node.player, unit=unit)
    mine, theirs = whole
    return {
        "board": Deck().text(node.board),
        "line": list(node.line),
        "player": PLAYERS[node.player],
        "pot": node.pot,
        "unit": unit,
        "actions": list(node.actions),
        "frequencies": [float(often) for often in frequencies_of(node, hands)],
        "equity": {PLAYERS[p]: _mean(node, p) for p in range(2)},
        "hands": kinds,
        "combos": {PLAYERS[node.player]: frame_json(mine), PLAYERS[1 - node.player]: frame_json(theirs)},
    }


def _mean(node: SpotNode, player: int) -> float | None:
    """A player's equity over its whole range."""
    shares, equity = shares_of(node, player), equity_of(node, player)
    return float(np.nansum(shares * equity)) if shares.sum() > 0 else None
