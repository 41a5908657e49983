"""Rows of the ledger as hands: who sat where, and what the person at the table saw.

The person is player 0 of a table and its agents are players 1 and 2. Seats rotate from hand to hand, as in matches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from pokerlab.agents.asking import words_of
from pokerlab.errors import LedgerError, PokerlabError, shown
from pokerlab.game.betting import CALL, Betting
from pokerlab.game.hand import Hand, View, new_hand
from pokerlab.game.rules import Rules, parse_rules
from pokerlab.match.loop import Table
from pokerlab.reading import Damage, reading
from pokerlab.records.record import LoggedHand, cut_comment, parse_names
from pokerlab.web.ledger import HandRow, TableRow

_MOST_NAME = 40  # characters
_SPLITS = re.compile(r"[:|\s]")


@lru_cache(maxsize=64)
def _parsed(text: str, name: str) -> Rules:
    return parse_rules(text, name)


def rules_at(table: TableRow) -> Rules:
    """The game of a table, as it was when it was opened."""
    with reading(f"table {table.id}", LedgerError):
        rules = _parsed(table.rules, table.game)
        if len(table.agents) != rules.players - 1:
            raise Damage(f"{rules.players} players, {len(table.agents)} of them agents")
        return rules


def players_in_seats(table: TableRow, number: int) -> list[int]:
    """Which player sits in each seat in a hand."""
    players = 1 + len(table.agents)
    return [(seat + number) % players for seat in range(players)]


def seat_of(table: TableRow, number: int) -> int:
    """Where the person sits in a hand."""
    return players_in_seats(table, number).index(0)


def names_of(table: TableRow) -> list[str]:
    """The names of the players, all different."""
    return _distinct([table.player, *(cut_comment(spec.replace("|", "/"))[0] for spec in table.agents)], " ")


def names_in_log(table: TableRow) -> list[str]:
    """The same for a log, whose lines and names readers split at colons, bars and spaces."""
    return _distinct([_SPLITS.sub("_", name) for name in names_of(table)], "")


def _distinct(names: Sequence[str], gap: str) -> list[str]:
    return [f"{name}{gap}({n + 1})" if name in names[:n] else name for n, name in enumerate(names)]


def in_seats(names: Sequence[str], table: TableRow, number: int) -> tuple[str, ...]:
    """The names of players as the seats have them in a hand."""
    return tuple(names[who] for who in players_in_seats(table, number))


def checked_name(name: str) -> str:
    """A person's name, which logs can hold."""
    name = name.strip()
    if len(name) > _MOST_NAME or not name.isprintable() or "|" in name or cut_comment(name)[0] != name:
        raise PokerlabError(
            f"a name has up to {_MOST_NAME} printable characters, none of them | or #, not {shown(name)}"
        )
    return parse_names(name or "you", 1)[0]


def dealt(table: TableRow, number: int) -> HandRow:
    """A new hand: its cards follow from the table's secret."""
    rules = rules_at(table)
    needed = rules.players * rules.hole_cards + sum(rules.board_cards)
    return HandRow(number, tuple(Random(f"{table.seed}/{number}").sample(range(len(rules.deck)), needed)), ())


def choices_from(table: TableRow, hand: HandRow) -> Random:
    """What picks the agents' actions from here to the person's next."""
    return Random(f"{table.seed}/{hand.number}/{len(hand.actions)}")


def hand_of(table: TableRow, row: HandRow) -> Hand:
    """A hand with all that the server knows of it."""
    rules = rules_at(table)
    with reading(f"hand {row.number} of table {table.id}", LedgerError):
        needed = rules.players * rules.hole_cards + sum(rules.board_cards)
        if len({*row.cards}) < max(needed, len(row.cards)) or not all(
            0 <= card < len(rules.deck) for card in row.cards
        ):
            raise Damage("its cards are not those of a deal")
        play = Table(
            rules, row.cards, [None] * (1 + len(table.agents)), names=in_seats(names_of(table), table, row.number)
        )
        play.resume(row.actions)
        if play.hand.finished != row.over:
            raise Damage("its actions do not lead to where it is")
        return play.hand


def view_of(table: TableRow, row: HandRow) -> View:
    """A hand as the person sees it."""
    return hand_of(table, row).view(seat_of(table, row.number))


def record_of(table: TableRow, row: HandRow) -> LoggedHand:
    """A hand that is over as the person may keep it: cards that were not shown are not there."""
    hand = hand_of(table, row)
    seen = hand.view(seat_of(table, row.number))
    return LoggedHand(row.number, hand._replace(holes=seen.holes), hand.payoffs())


def table_words(betting: Betting, action: int) -> str:
    """An action as people say it at a table, where bets are counted anew in each round."""
    if action <= CALL:
        return words_of(betting, action)
    to = action - betting.before
    return f"raise to {to}" if betting.highest > betting.before else f"bet {to}"


def story_of(hand: Hand | View) -> list[dict[str, Any]]:
    """What was done, in order: the seat, the round, the action as the competition writes it, and in words."""
    betting, story = new_hand(hand.rules).betting, list[dict[str, Any]]()
    for action in hand.actions:
        told = {"seat": betting.actor, "round": betting.round, "action": betting.text_of(action)}
        story.append(told | {"words": table_words(betting, action)})
        betting = betting.act(action)
    return story
