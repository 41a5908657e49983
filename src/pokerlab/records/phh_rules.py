"""The fields of a PHH table and the rules that they tell, which are a hand's own: at a table of people seats, stacks
and what is posted change from hand to hand.

Amounts become whole chips: cents where there is a currency, or else a fraction. An ante that all pay is part of every
blind; straddles are blinds, with the least bet beside them; a negative blind is posted out of turn.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pokerlab.cards.deck import STANDARD_RANKS, STANDARD_SUITS, Deck
from pokerlab.errors import LogError, shown
from pokerlab.game.rules import UNLIMITED_RAISES, UNLIMITED_STACK, Rules, parse_rules
from pokerlab.records.money import Money, stakes_text

DECK = Deck(STANDARD_RANKS, STANDARD_SUITS)
GAME = "_pokerlab_game"  # the field for what the format has none for
_BOARD = (0, 3, 1, 1)
_FIXED_RAISES = 4  # a round, as pokerkit has it in fixed limit
_BETS = ("small_bet", "small_bet", "big_bet", "big_bet")  # of the four rounds
_MOST_PLACES = 8  # decimals of an amount
_CENTS = 2


class Fields:
    """The fields of a hand, with their names in every complaint; amounts are whole chips of `money`."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.table = table
        self.money = _money(table)

    def get(self, key: str) -> Any:
        if key not in self.table:
            raise LogError(f"{key} is missing")
        return self.table[key]

    def chips(self, key: str) -> int:
        return self._chips(key, self.get(key))

    def many(self, key: str, count: int, least: int = 0) -> tuple[int, ...]:
        values = self.get(key)
        if not isinstance(values, list) or len(values) != count:
            raise LogError(f"{key}: {count} numbers expected, got {shown(values)}")
        return tuple([self._chips(key, value, least) for value in values])

    def texts(self, key: str) -> list[str]:
        values = self.get(key)
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise LogError(f"{key}: a list of texts expected, got {shown(values)}")
        return values

    def paid(self, key: str, count: int) -> list[float] | None:
        """Amounts that may be fractions of a chip, after pots were split; None if they are not told."""
        if key not in self.table:
            return None
        values = self.table[key]
        if not isinstance(values, list) or len(values) != count or not all(map(is_number, values)):
            raise LogError(f"{key}: {count} numbers expected, got {shown(values)}")
        return [float(value * self.money.scale) for value in values]

    def _chips(self, key: str, value: Any, least: int = 0) -> int:
        if value == math.inf and key == "starting_stacks":
            return UNLIMITED_STACK
        if is_number(value):
            chips = value * self.money.scale
            if least <= chips <= UNLIMITED_STACK and chips == int(chips):
                return int(chips)
        raise LogError(f"{key}: amounts from {least} to {UNLIMITED_STACK} chips expected, got {shown(value)}")


def is_number(value: object) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite() and value.adjusted() < 16
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


def _money(table: dict[str, Any]) -> Money:
    """The currency, and how many chips make one of it: a hundred, or one where no currency and no fraction is told."""
    currency = table.get("currency_symbol") or table.get("currency") or ""
    if not isinstance(currency, str) or not currency.isprintable():
        raise LogError(f"currency: a text expected, got {shown(currency)}")
    places = _CENTS if currency else 0
    for key in ("starting_stacks", "blinds_or_straddles", "antes", "min_bet", "small_bet", "big_bet"):
        values = table.get(key)
        for value in values if isinstance(values, list) else (values,):
            if isinstance(value, Decimal) and value.is_finite() and value != value.to_integral_value():
                places = max(places, _CENTS, -int(value.normalize().as_tuple().exponent))
    actions = table.get("actions")
    for action in actions if isinstance(actions, list) else ():
        if isinstance(action, str) and "." in action and " cbr " in action:
            decimals = action.partition("#")[0].rstrip().rpartition(".")[2].rstrip("0")
            places = max(places, _CENTS, len(decimals))
    if places > _MOST_PLACES:
        raise LogError(f"amounts have {places} decimals; {_MOST_PLACES} are known")
    return Money(currency.strip(), 10**places)


def rules_told(fields: Fields) -> Rules:
    """The rules of a hand's table."""
    variant = fields.get("variant")
    if variant not in ("FT", "NT"):
        raise LogError(f"variant {shown(variant)} is not known: only FT and NT, hold'em, are")
    told = fields.get("starting_stacks")
    if not isinstance(told, list) or len(told) < 2:
        raise LogError(f"starting_stacks: those of two players and more expected, got {shown(told)}")
    players = len(told)
    antes = fields.many("antes", players)
    blinds = fields.many("blinds_or_straddles", players, -UNLIMITED_STACK)
    if len(set(antes)) > 1:
        raise LogError(f"antes {shown(fields.get('antes'))}: only equal ones are known")
    (ante,) = set(antes)
    if players == 2:  # the format lists the small blind first, and the second player posts it
        blinds = blinds[::-1]
    last = max(range(players), key=lambda seat: (blinds[seat], seat))
    limit = variant == "FT"
    posted = tuple([ante + abs(blind) for blind in blinds])
    bets = tuple([fields.chips(bet) for bet in _BETS]) if limit else ()
    table = stakes_text(bets or posted, 0 if limit else ante, fields.money)
    rules = Rules(
        limit=limit,
        blinds=posted,
        first=((last + 1) % players, 0, 0, 0),
        raise_sizes=bets,
        max_raises=(_FIXED_RAISES if limit else UNLIMITED_RAISES,) * 4,
        stacks=fields.many("starting_stacks", players),
        hole_cards=2,
        board_cards=_BOARD,
        deck=DECK,
        name=f"{variant}-{players}p-{table}",
        ante=ante,
        min_bet=0 if limit else _least_bet(fields, max(map(abs, blinds))),
    )
    if GAME in fields.table:
        known = parse_rules(str(fields.get(GAME)), GAME)
        if plain(known) != rules:
            raise LogError(f"{GAME} and the other fields tell of different games")
        return known
    return rules


def _least_bet(fields: Fields, largest: int) -> int:
    """`min_bet` where it is not the largest amount posted."""
    least = fields.chips("min_bet")
    if least == 0:
        raise LogError("min_bet: more than 0 expected")
    return 0 if least == largest else least


def signed_blinds(rules: Rules) -> tuple[int, ...]:
    """Blinds without the ante; those that seats behind the first to act have posted are negative."""
    first, ante = rules.first[0], rules.ante
    return tuple(
        ante - blind if 0 < first <= seat and rules.players > 2 else blind - ante
        for seat, blind in enumerate(rules.blinds)
    )


def plain(rules: Rules) -> Rules | None:
    """What the format's own fields can say of these rules; None if it is not enough to play them."""
    blinds = signed_blinds(rules)
    last = max(range(rules.players), key=lambda seat: (blinds[seat], seat))
    if not rules.holdem or rules.first != ((last + 1) % rules.players, 0, 0, 0):
        return None
    if rules.limit and (rules.raise_sizes[0], rules.raise_sizes[2]) != (rules.raise_sizes[1], rules.raise_sizes[3]):
        return None
    most = _FIXED_RAISES if rules.limit else UNLIMITED_RAISES
    if any(raises > most for raises in rules.max_raises):
        return None
    return replace(rules, max_raises=(most,) * 4, bet_sizes=())
