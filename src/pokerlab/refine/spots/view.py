"""A decision as text or HTML: the chart of 13 by 13 kinds of hands, a hand, a list of blockers; and as plain JSON.

What the command prints is here as functions: `view_lines`, or `grid_lines`, `hand_lines` and `blocker_lines`, for text,
`node_json` for figures by kind of hand and by hand. Columns of numbers are in `frames`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import prod
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
    blocked_frame,
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

BLOCKERS = "blockers"
VIEWS = ("strategy", "ev", "equity", "range", "loss", BLOCKERS)
_ANYBODY = ("ev", "equity", "range")  # what there is to see of the player who waits, too


def views_of(actions: tuple[str, ...], *, acting: bool = True) -> tuple[str, ...]:
    """What `view_lines` can show of a decision between these actions, of who acts or of who waits; the usual first."""
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
    never = [] if is_reached(node) else ["this decision is never reached; a dash: not known"]
    if view == BLOCKERS:
        return [*blocker_lines(node, hand), *never]
    if hand:
        return [*hand_lines(node, hand, unit, player), *never]
    return [*grid_lines(node, view, unit=unit, player=player, hands=hands), *never]


def is_reached(node: SpotNode) -> bool:
    """Whether play comes to a decision at all."""
    return bool(node.shares.any())


def chart(node: SpotNode, player: int | None = None, hands: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """By kind of hand (169, as on the usual chart): how many `combos` there are, its share of the range, value and
    equity; of who acts also strategy, value and loss of each action (169, actions), and `lost`: what it loses by its
    own mix. Nan where there is no hand, or none of which it is known.

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
        rows = values[kept].reshape(len(kept), prod(values.shape[1:]))  # also where no hand is kept
        by_kind = [weighed(column, weights, kinds) for column in rows.T]
        return np.stack(by_kind, axis=1).reshape(169, *values.shape[1:])

    told = {"combos": combos, "share": share}
    if player != node.player:
        return told | {"ev": mean(node.other_ev()[1]), "equity": mean(equity_of(node, player))}
    lost = losses(node)
    return told | {
        "strategy": mean(node.strategy), "ev": mean(node.ev), "equity": mean(equity_of(node)),
        "action_ev": mean(node.action_ev), "loss": mean(lost), "lost": mean((node.strategy * lost).sum(axis=1)),
    }  # fmt: skip


def weighed(values: np.ndarray, weights: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """(169) the mean of those of a kind's hands that are known; nan where none is."""
    counted = np.where(np.isnan(values), 0.0, weights)
    total = np.bincount(kinds, counted, 169)
    sums = np.bincount(kinds, counted * np.nan_to_num(values), 169)
    return np.divide(sums, total, out=np.full(169, np.nan), where=total > 0)


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
        there = kinds["share" if view == "range" else "combos"] > 0
        cells = [_cell(value, places) if held else "." for value, held in zip(values, there, strict=True)]
    lines = [*chart_lines(cells), f"{says}; a dot: no such hand"]
    if hands is not None:
        lines.append(_like_these(kinds))
    return [*lines, *(legend_lines(node.actions, frequencies_of(node, hands)) if acting else [])]


def _cell(value: float, places: int) -> str:
    return "-" if np.isnan(value) else f"{round(value, places) + 0:.{places}f}"


def _like_these(kinds: dict[str, np.ndarray]) -> str:
    if not kinds["combos"].any():
        return "no hand of the range is like these"
    return f"hands like these are {100 * kinds['share'].sum():.1f} % of the range"


def _seen(node: SpotNode, kinds: dict[str, np.ndarray], view: str, unit: str) -> tuple[np.ndarray, int, str]:
    """The 169 numbers of a view, the places after the point that they are shown with, and what they are."""
    size, many = unit_size(node.spot, unit), UNITS[unit]
    fine = 2 if node.pot < 100 * size else 1 if node.pot < 1000 * size else 0
    if view == "ev":
        return kinds["ev"] / size, fine, f"{many} that such a hand expects from here on"
    if view == "equity":
        return 100 * kinds["equity"], 0, "the share of the pot that such a hand would get at a showdown, in per cent"
    if view == "range":
        return 100 * kinds["share"], 1, "how much of the range such hands are, in per cent"
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
    """(actions) how often each action is taken, over all hands or over some (1,326) of them; nan where none is held."""
    shares = node.shares if hands is None else node.shares * hands[node.hands]
    if not shares.any():
        return np.full(len(node.actions), np.nan)
    return np.asarray(shares @ node.strategy / shares.sum())


def hand_lines(node: SpotNode, cards: str, unit: str = "chips", player: int | None = None) -> list[Line]:
    """One hand of a player (by default who acts), as `frames.hand_json` has it."""
    told = hand_json(node, cards, unit, player)
    rows = [("", "probability", unit, "loss")]
    for action, each in told["actions"].items():
        rows.append((action, f"{100 * each['probability']:.1f} %", number(each["ev"]), number(each["loss"])))
    has = " + ".join(filter(None, (told["made"], told["draw"])))
    return [
        f"{told['hand']}: {has}; weight {told['weight']:.3f}, {100 * told['share']:.2f} % of the range",
        f"equity {_percent(told['equity'])}   expects {number(told['ev'])} {unit}",
        *(columns(rows) if told["actions"] else []),
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
        moved = [_moved(frame[action][i], frame[f"change {action}"][i]) for action in node.actions]
        rows.append((str(frame["card"][i]), _percent(frame["removed"][i]), *moved))
    says = f"how often {PLAYERS[node.player]} takes each action then, in per cent, and the change against all its hands"
    return [*columns(rows), says]


def _moved(often: float, change: float) -> str:
    return "-" if np.isnan(often) else f"{100 * often:.1f} ({100 * change + 0:+.1f})"


def _blocked_lines(told: dict[str, Any]) -> list[Line]:
    frame = blocked_frame(told)
    rows = [(f"of {told['range']}'s range", "before", "after", "change")]
    for name, before, after, change in zip(*(frame[key] for key in ("part", *rows[0][1:])), strict=True):
        if not np.isnan(change):
            rows.append((name, _percent(before), _percent(after), f"{100 * change + 0:+.1f}"))
    return [f"blocks {_percent(told['removed'])} of {told['range']}'s range", *columns(rows)]


def number(value: float | None) -> str:
    """A value as text; a dash where it is not known."""
    return "-" if value is None or np.isnan(value) else f"{value:.3f}"


def _percent(part: float | None) -> str:
    return "-" if part is None or np.isnan(part) else f"{100 * part:.1f} %"


def chart_html(node: SpotNode) -> str:
    """The chart in colours, each kind of hand cut by its strategy, with a legend."""
    kinds, colours = chart(node), page.action_colours(node.actions)
    mixes = [None if np.isnan(row[0]) else row.tolist() for row in kinds["strategy"]]
    tips = ["" if mix is None else _told(node, mix, ev) for mix, ev in zip(mixes, kinds["ev"], strict=True)]
    often = [f"{action} {_percent(p)}" for action, p in zip(node.actions, frequencies_of(node), strict=True)]
    return f"<p>{escape(node.title)}</p>{page.legend(often, colours)}{page.chart(mixes, colours, tips)}"


def _told(node: SpotNode, mix: Sequence[float], ev: float) -> str:
    actions = [f"{action} {100 * p:.0f} %" for action, p in zip(node.actions, mix, strict=True)]
    return f"{', '.join(actions)}; {'-' if np.isnan(ev) else f'{ev:.1f}'} chips"


def node_json(
    node: SpotNode, *, unit: str = "chips", player: int | None = None, hands: np.ndarray | None = None
) -> dict[str, Any]:
    """The decision as plain JSON: `hands` by kind of hand, of a player (by default who acts), `combos` every hand of
    both players as columns. What is not known is None.

    A filter (1,326) keeps some of the player's hands.
    """
    player = node.player if player is None else player
    by_kind, size = chart(node, player, hands), unit_size(node.spot, unit)
    sizes = {"share": 1.0, "ev": size, "equity": 1.0, "strategy": 1.0, "action_ev": size, "loss": size}
    told = {name: plain_list(by_kind[name] / each) for name, each in sizes.items() if name in by_kind}
    kinds = {
        class_name(kind): {name: values[kind] for name, values in told.items()}
        for kind in np.flatnonzero(by_kind["combos"]).tolist()
    }
    kept = [hands if each == player else None for each in range(2)]
    return {
        "board": Deck().text(node.board),
        "line": list(node.line),
        "player": PLAYERS[node.player],
        "reached": is_reached(node),
        "pot": node.pot,
        "unit": unit,
        "actions": list(node.actions),
        "frequencies": plain_list(frequencies_of(node, kept[node.player])),
        "equity": {PLAYERS[p]: _mean(node, p) for p in range(2)},
        "whose": PLAYERS[player],
        "hands": kinds,
        "combos": {
            PLAYERS[p]: frame_json(node_frame(node, player=p, unit=unit, hands=kept[p]))
            for p in (node.player, 1 - node.player)
        },
    }


def plain_list(values: np.ndarray) -> Any:
    """An array as plain lists, for JSON, which knows no nan."""
    told = values.astype(object)
    told[np.isnan(values)] = None
    return told.tolist()


def _mean(node: SpotNode, player: int) -> float | None:
    """A player's equity over its whole range."""
    shares, equity = shares_of(node, player), equity_of(node, player)
    return float(np.nansum(shares * equity)) if shares.sum() > 0 else None
