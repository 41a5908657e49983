"""A decision as columns: every hand with its weight, equity, values and probabilities; and what a held card blocks.

    frame = node_frame(solved.node("check, bet 100"), unit="pot")
    frame["hand"], frame["equity"], frame["call"], frame["ev call"], frame["loss call"]       # arrays, a row a hand

A frame is a dictionary of arrays of one length. `SpotNode.to_pandas` gives the same as a data frame, `frame_table` as
rows, `frame_json` as plain lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.equity import range_equity
from pokerlab.cards.holes import COUNT, HOLES, class_name, classes, compatible, hole_number, possible
from pokerlab.cards.ranges import Range
from pokerlab.cards.texture import MADE, PARTS
from pokerlab.errors import CardError, SpotError, shown
from pokerlab.notebook import Table
from pokerlab.refine.spots.categories import categories_on
from pokerlab.refine.spots.spot import PLAYERS, Spot

if TYPE_CHECKING:
    from pokerlab.refine.spots.solution import SpotNode

Frame = dict[str, np.ndarray]
UNITS = {"chips": "chips", "bb": "big blinds", "pot": "starting pots"}
_DECK = Deck()


def unit_size(spot: Spot, unit: str) -> float:
    """How many chips a unit has: `chips`, `bb` (the spot's `blind`), or `pot` (what is in the middle at its start)."""
    if unit not in UNITS:
        raise SpotError(f"no unit {shown(unit)}; there are {', '.join(UNITS)}")
    if unit == "bb" and not spot.blind:
        raise SpotError("big blinds can be told only where the spot has one: write blind = 10, say, into its file")
    return float({"chips": 1, "bb": spot.blind, "pot": spot.total}[unit])


def equity_of(node: SpotNode, player: int | None = None) -> np.ndarray:
    """(hands) the share of the pot that each hand of a player (by default who acts) gets at a showdown against the
    other's range as it is at this decision, all cards to come, card removal exact; nan where it can meet no hand.
    """
    player = node.player if player is None else player
    mine, theirs = node.hands_of(player), node.weights(1 - player)
    every = np.zeros(COUNT)
    every[mine] = 1.0  # a hand's equity does not depend on how likely it is
    if not every @ compatible((theirs > 0) * 1.0) > 0:  # in whole numbers, hence exact
        return np.full(len(mine), np.nan)
    versus = range_equity(Range(every), Range(theirs / theirs.max()), node.board, progress=False)
    return versus.by_hand[0][mine]


def shares_of(node: SpotNode, player: int) -> np.ndarray:
    """(hands) how likely a player is to hold each of its hands at a decision."""
    mine = node.hands_of(player)
    joint = node.weights(player)[mine] * compatible(node.weights(1 - player))[mine]
    return joint / joint.sum() if joint.sum() > 0 else joint


def losses(node: SpotNode) -> np.ndarray:
    """(hands, actions) chips that an action is worth less than the best one: max over actions minus its value."""
    return np.asarray(node.action_ev.max(axis=1, keepdims=True) - node.action_ev)


def node_frame(
    node: SpotNode, *, player: int | None = None, unit: str = "chips", hands: np.ndarray | None = None
) -> Frame:
    """Every hand of a player (by default who acts) at a decision, in the order of the chart.

    `weight` is the hand's reach (the largest at the spot's start is 1), `share` how likely it is held here, `equity`
    its share of the pot at showdown, `ev` its value; of who acts also, for each action, the probability (under the
    action's name), `ev ACTION` and `loss ACTION`. `hands` (1,326) keeps some only; values are in a `unit` of `UNITS`.
    """
    player, size = node.player if player is None else player, unit_size(node.spot, unit)
    numbers = node.hands_of(player)
    kept = np.arange(len(numbers)) if hands is None else np.flatnonzero(hands[numbers])
    order = kept[np.argsort(classes()[numbers[kept]], kind="stable")]
    acting = player == node.player
    parts = [PARTS[category] for category in categories_on(node.board)[numbers[order]].tolist()]
    frame = {
        "hand": np.array([_DECK.text(HOLES[hand][::-1]) for hand in numbers[order]], dtype=object),
        "kind": np.array([class_name(kind) for kind in classes()[numbers[order]]], dtype=object),
        "made": np.array([made for made, _, _ in parts], dtype=object),
        "draw": np.array([" + ".join(filter(None, draws)) for _, *draws in parts], dtype=object),
        "weight": node.weights(player)[numbers][order],
        "share": shares_of(node, player)[order],
        "equity": equity_of(node, player)[order],
        "ev": (node.ev if acting else node.other_ev()[1])[order] / size,
    }
    if acting:
        lost = losses(node)
        frame |= {action: node.strategy[order, a] for a, action in enumerate(node.actions)}
        frame |= {f"ev {action}": node.action_ev[order, a] / size for a, action in enumerate(node.actions)}
        frame |= {f"loss {action}": lost[order, a] / size for a, action in enumerate(node.actions)}
    return frame


def frame_table(caption: str, frame: Mapping[str, np.ndarray]) -> Table:
    """A frame as rows."""
    return Table(caption, tuple(frame), zip(*(column.tolist() for column in frame.values()), strict=True))


def frame_json(frame: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """A frame as plain lists; what is not known is None."""
    return {name: [None if value != value else value for value in column.tolist()] for name, column in frame.items()}


def hand_json(node: SpotNode, cards: str, unit: str = "chips", player: int | None = None) -> dict[str, Any]:
    """Of one hand, such as `AsKd`, of a player (by default who acts): weight, equity, value, and what it takes from the
    other; of who acts also each action.
    """
    player = node.player if player is None else player
    only = one_hand(node.spot, node.board, player, cards)
    frame = frame_json(node_frame(node, player=player, unit=unit, hands=only))
    row = {name: column[0] for name, column in frame.items()}
    actions = {
        action: {"probability": row.pop(action), "ev": row.pop(f"ev {action}"), "loss": row.pop(f"loss {action}")}
        for action in (node.actions if player == node.player else ())
    }
    return row | {"actions": actions, "blocks": blocked(node, cards, 1 - player)}


def one_hand(spot: Spot, board: Sequence[int], player: int, cards: str) -> np.ndarray:
    """(1,326) which hand the cards are; SpotError unless a player may hold them on a board of the spot."""
    try:
        number = hole_number(_DECK.cards(cards))
    except CardError as error:
        raise SpotError(f"a hand is two cards, such as AsKd: {error}") from None
    if not (spot.weights(player) * possible(board))[number] > 0:
        raise SpotError(f"{cards} is not in the range of {PLAYERS[player]}, or has a card of the board")
    return np.arange(COUNT) == number


def blocking_cards(board: Sequence[int], cards: str) -> tuple[int, ...]:
    """One or two cards that are not on the board."""
    try:
        held = _DECK.cards(cards)
    except CardError as error:
        raise SpotError(f"one or two cards can block, such as As or AsKd: {error}") from None
    if not 1 <= len(held) <= 2 or {*held} & {*board}:
        raise SpotError(f"one or two cards that are not on the board can block, not {shown(cards)}")
    return held


def blockers(node: SpotNode, by: str = "card") -> Frame:
    """How what the *waiting* player holds changes the range and the play of the one who acts.

    Of the acting player's hands h with weights w(h) and probabilities s(a, h), holding the cards K leaves those without
    a card of K. `removed` is 1 - sum of w over these / sum of w over all; under each action's name is its frequency
    then, sum of w s(a) over these / sum of w over these; `change ACTION` is that less the frequency with all hands.
    `by` is `card` (K is a card) or `hand` (K is each hand of the waiting player).
    """
    if by not in ("card", "hand"):
        raise SpotError(f"blockers are told by card or by hand, not by {shown(by)}")
    held = np.zeros((1 + len(node.actions), COUNT))
    held[0] = node.weights(node.player)
    held[1:, node.hands] = held[0, node.hands] * node.strategy.T
    total = held.sum(axis=1)
    if by == "card":
        names = [_DECK.text((card,)) for card in range(52) if card not in node.board]
        left = np.stack([held @ possible((card,)) for card in range(52) if card not in node.board], axis=1)
    else:
        other = node.hands_of(1 - node.player)
        names = [_DECK.text(HOLES[hand][::-1]) for hand in other]
        left = np.stack([compatible(row)[other] for row in held])
    return {by: np.array(names, dtype=object)} | _changes(node.actions, total, left)


def _changes(actions: Sequence[str], total: np.ndarray, left: np.ndarray) -> Frame:
    """`removed`, frequencies and changes, of weights in all (1 + actions) and of those that are left (.., n)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        removed, often, before = 1 - left[0] / total[0], left[1:] / left[0], total[1:] / total[0]
    frame = {"removed": removed} | {action: often[a] for a, action in enumerate(actions)}
    return frame | {f"change {action}": often[a] - before[a] for a, action in enumerate(actions)}


def blocked(node: SpotNode, cards: str, player: int | None = None) -> dict[str, Any]:
    """What holding one or two cards does to a player's range (by default to that of who acts): how much it removes, and
    what is left by what hands have made, before and after; of who acts also how often each action is taken.
    """
    player, held = node.player if player is None else player, blocking_cards(node.board, cards)
    weights, free = node.weights(player), possible(held)
    made = np.array([-1, *(MADE.index(part[0]) for part in PARTS)])[categories_on(node.board) + 1]
    shown_made = [name for i, name in enumerate(MADE) if weights[made == i].any()]
    rows = {name: weights * (made == MADE.index(name)) for name in shown_made}
    told: dict[str, Any] = {
        "range": PLAYERS[player],
        "removed": _part(weights.sum() - weights @ free, weights.sum()),
        "made": _both(rows, weights, free),
    }
    if player == node.player:
        taken = np.zeros((len(node.actions), COUNT))
        taken[:, node.hands] = weights[node.hands] * node.strategy.T
        told["actions"] = _both(dict(zip(node.actions, taken, strict=True)), weights, free)
    return told


def blocked_frame(told: Mapping[str, Any]) -> Frame:
    """What `blocked` tells as columns: each `part` of the range, an action or what is made, before and after."""
    parts: dict[str, dict[str, float | None]] = {**told.get("actions", {}), **told["made"]}
    before, after = (np.array([both[when] for both in parts.values()], dtype=float) for when in ("before", "after"))
    removed = np.array([told["removed"]] * len(parts), dtype=float)
    names = np.array(list(parts), dtype=object)
    return {"part": names, "before": before, "after": after, "change": after - before, "removed": removed}


def _both(rows: Mapping[str, np.ndarray], weights: np.ndarray, free: np.ndarray) -> dict[str, dict[str, float | None]]:
    """The part of a range that each row is, with all hands and with those that are free."""
    return {
        name: {"before": _part(row.sum(), weights.sum()), "after": _part(row @ free, weights @ free)}
        for name, row in rows.items()
    }


def _part(some: float, total: float) -> float | None:
    return float(some / total) if total > 0 else None
