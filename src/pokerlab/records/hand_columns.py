"""Hands as flat columns, one row a hand, a seat and an action: the form in which they are stored and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules
from pokerlab.records.money import stakes
from pokerlab.records.record import LoggedHand

KINDS = ("fold", "check", "call", "bet", "raise")

# Column -> type, of the three tables. `hand` counts from 0 in each block of columns. A payoff of NaN is unknown.
HANDS = {
    "game": object, "hand": np.int64, "number": np.int64, "players": np.uint8, "pot": np.int64, "showdown": bool,
    "adjusted": bool, "betting": object, "cards": object, "stacks": object, "stakes": object, "currency": object,
    "scale": np.int64,
}  # fmt: skip
SEATS = {
    "game": object, "hand": np.int64, "position": np.uint8, "agent": object, "payoff": np.float64, "vpip": bool,
    "pfr": bool, "showdown": bool, "won": bool,
}  # fmt: skip
ACTIONS = {
    "game": object, "hand": np.int64, "step": np.uint16, "round": np.uint8, "position": np.uint8, "agent": object,
    "kind": object, "chips": np.int64,
}  # fmt: skip

Columns = dict[str, np.ndarray]


def columns(
    records: Iterable[LoggedHand], block: int, game_of: Callable[[Rules], str]
) -> Iterator[tuple[int, Columns, Columns, Columns]]:
    """Blocks of up to `block` hands: their number, and the columns of hands, seats and actions."""
    hands: list[tuple] = []
    seats: list[tuple] = []
    actions: list[tuple] = []
    rules, game = None, ""
    for record in records:
        if record.hand.rules is not rules:
            rules = record.hand.rules
            game = game_of(rules)
        _add(record, game, len(hands), hands, seats, actions)
        if len(hands) == block:
            yield len(hands), _arrays(hands, HANDS), _arrays(seats, SEATS), _arrays(actions, ACTIONS)
            hands, seats, actions = [], [], []
    if hands:
        yield len(hands), _arrays(hands, HANDS), _arrays(seats, SEATS), _arrays(actions, ACTIONS)


def _arrays(rows: list[tuple], types: dict[str, Any]) -> Columns:
    columns = zip(types, zip(*rows, strict=True), strict=True)
    return {name: np.array(column, dtype=types[name]) for name, column in columns}


def _add(
    record: LoggedHand, game: str, index: int, hands: list[tuple], seats: list[tuple], actions: list[tuple]
) -> None:
    hand, names = record.hand, record.names
    betting = hand.betting
    hands.append((
        game, index, record.number, hand.rules.players, betting.pot, betting.showdown, record.adjusted,
        hand.betting_text(), hand.cards_text(), " ".join(map(str, hand.rules.stacks)), stakes(hand.rules, record.money),
        record.money.currency, record.money.scale,
    ))  # fmt: skip
    willing, raised = set(), set()
    for step, (round_, seat, kind, chips) in enumerate(steps(hand)):
        actions.append((game, index, step, round_, seat, names[seat], kind, chips))
        if round_ == 0 and kind in ("call", "bet", "raise"):
            willing.add(seat)
            if kind != "call":
                raised.add(seat)
    winners = showdown_winners(hand, record.payoffs)
    for seat, name in enumerate(names):
        shown = betting.showdown and not betting.folded[seat]
        seats.append((
            game, index, seat, name, record.payoffs[seat], seat in willing, seat in raised, shown, seat in winners,
        ))  # fmt: skip


def steps(hand: Hand) -> Iterator[tuple[int, int, str, int]]:
    """Round, seat, kind and chips of every action; chips are what the seat has put in over the whole hand after it.

    The first bet of a round is a bet, also where all put in an equal ante; against blinds it is a raise.
    """
    rules = hand.rules
    state, antes_only = start_betting(rules), len(set(rules.blinds)) == 1
    for action in hand.actions:
        seat, round_ = state.actor, state.round
        assert seat is not None
        if action == FOLD:
            kind = "fold"
        elif action == CALL:
            kind = "call" if state.spent[seat] < state.highest else "check"
        else:
            kind = "bet" if state.raises == 0 and (round_ > 0 or antes_only) else "raise"
        state = state.act(action)
        yield round_, seat, kind, state.spent[seat]


def showdown_winners(hand: Hand, told: tuple[float, ...] = ()) -> set[int]:
    """Seats that took a pot, or a share of one, at showdown; chips that nobody called are not won.

    The cards decide or, where some are hidden, the payoffs that were `told`.
    """
    spent = hand.betting.spent
    if not hand.betting.showdown:
        return set()
    called = sorted(spent)[-2]
    paid = hand.payoffs() if all(hand.holes[seat] for seat in hand.betting.survivors) else told
    if not paid:
        return set()
    return {seat for seat in hand.betting.survivors if paid[seat] > -min(spent[seat], called)}
