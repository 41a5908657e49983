"""Card abstractions by text, for any game that is played as hold'em is.

    169/potential:200/potential:200/kmeans:200     how to bucket each round (buckets/spec.py; buckets/any_deck.py
                                                   for other decks and rounds than hold'em's)
    range-of-skill.buckets                         a file that `pokerlab buckets build --out` wrote
    made-hands?count=20                            a row of `CARDS`: what a hand has made
    my_lab:Cards?count=3                           the class Cards of the module my_lab, called with count=3

An abstraction of one's own has `counts`, the buckets in each round, `board_buckets(board)` for all holes on a board,
and `deal_buckets(deals, players)` (see `solvers.sampling.holdem.Cards`). A file of it keeps its text, not its code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pokerlab.abstraction.buckets.any_deck import deck_buckets
from pokerlab.abstraction.buckets.build import build_buckets
from pokerlab.abstraction.buckets.lookup import load_buckets
from pokerlab.errors import AbstractionError
from pokerlab.game.rules import Rules
from pokerlab.processes import Executor
from pokerlab.reading import is_file
from pokerlab.registry import Registry, is_place, options_of, others_code

NEEDED = ("board_buckets", "deal_buckets")


def _no_cards(row: Any) -> str:
    """What is wrong with a user's class of card abstractions, if anything."""
    fine = isinstance(row, type) and all(callable(getattr(row, name, None)) for name in NEEDED)
    return "" if fine else f"is no class of card abstractions: it needs counts, {' and '.join(NEEDED)}"


CARDS: Registry[Callable[..., Any]] = Registry(
    "card abstraction",
    {"made-hands": "pokerlab.abstraction.made_hands:MadeHands"},
    error=AbstractionError,
    wrong=_no_cards,
)


class Named(NamedTuple):
    """A card abstraction, and the text that makes it again where its file could not hold it."""

    cards: Any
    text: str = ""


def is_own(text: str) -> bool:
    """Whether an abstraction is made by a class, ours or another's, and not by a spec or a file."""
    base = text.partition("?")[0]
    return is_place(base) or base in CARDS


def names_code(text: str) -> bool:
    """Whether the class is one of a user's own modules, which no file may import by itself."""
    return is_place(text.partition("?")[0])


def own_cards(text: str, rules: Rules) -> Any:
    """The card abstraction of a class, checked."""
    base, options = options_of(text, "card abstraction", AbstractionError)
    make = CARDS[base]
    with others_code(f"card abstraction {text!r}: it cannot be made", AbstractionError, make):
        cards = make(**options)
        counts = [int(count) for count in cards.counts]
    if len(counts) != rules.rounds or min(counts) < 1:
        raise AbstractionError(
            f"card abstraction {text!r} has {counts} buckets, and {rules.name or 'this game'} {rules.rounds} rounds"
        )
    return cards


def cards_of(text: str, rules: Rules, *, recall: bool = False, executor: Executor | None = None) -> Named:
    """The card abstraction that a text names, built where it has to be; with `recall` buckets know their past."""
    if is_own(text):
        return Named(own_cards(text, rules), text)
    if rules.holdem:
        if is_file(text):
            return Named(load_buckets(text))
        return Named(build_buckets(text, perfect_recall=recall, executor=executor))
    if recall:
        raise AbstractionError("buckets that know their past are for hold'em with 52 cards and four rounds")
    return Named(deck_buckets(text, rules))
