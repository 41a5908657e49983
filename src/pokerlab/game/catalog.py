"""The catalogue: games as data.

A game is named by its catalogue name, with changes after a colon (`leduc:ranks=13,suits=4`), by the path of a
game-definition file, or by where a user's own lies (`my_lab:WAR`, `my_lab:WAR:ranks=6`).
"""

from __future__ import annotations

import dataclasses
import difflib
import os.path

from pokerlab.cards.deck import Deck, rank_names, suit_names
from pokerlab.errors import CardError, GameDefinitionError, UnknownGame
from pokerlab.game.rules import Rules, parse_rules
from pokerlab.reading import read_text
from pokerlab.registry import Registry, is_place

_LONGEST = 1 << 20  # bytes of a game definition
_HOLDEM = "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3 1 1\nEND GAMEDEF\n"

CATALOG: Registry[tuple[str, str]] = Registry(  # what a game is, and its definition
    "game",
    {
        "kuhn": (
            "Kuhn poker: three cards, one bet",
            "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 1\nblind = 1 1\nraiseSize = 1\nfirstPlayer = 1\n"
            "maxRaises = 1\nnumSuits = 1\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0\nranks = JQK\n"
            "END GAMEDEF\n",
        ),
        "kuhn-3p": (
            "Kuhn poker for three, as in the competition",
            "GAMEDEF\nlimit\nnumPlayers = 3\nnumRounds = 1\nstack = 2 2 2\nblind = 1 1 1\nraiseSize = 1\n"
            "firstPlayer = 1\nmaxRaises = 1\nnumSuits = 1\nnumRanks = 4\nnumHoleCards = 1\n"
            "numBoardCards = 0\nEND GAMEDEF\n",
        ),
        "leduc": (
            "Leduc hold'em, limit",
            "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 2\nblind = 1 1\nraiseSize = 2 4\nfirstPlayer = 1 1\n"
            "maxRaises = 2 2\nnumSuits = 2\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0 1\nranks = JQK\n"
            "END GAMEDEF\n",
        ),
        "leduc-nl": (
            "Leduc hold'em, no-limit: 12 chips, twelve bet sizes (Waugh et al. 2009)",
            "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 2\nstack = 12 12\nblind = 1 1\nfirstPlayer = 1 1\n"
            "numSuits = 2\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0 1\nranks = JQK\n"
            "betSizes = 25 50 75 100 125 150 175 200 300 400 500 allin\nEND GAMEDEF\n",
        ),
        "rhode-island": (
            "Rhode Island hold'em: one hole card, two board cards, three-card hands",
            "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 3\nblind = 5 5\nraiseSize = 10 20 20\n"
            "firstPlayer = 1 1 1\nmaxRaises = 4 4 4\nnumSuits = 4\nnumRanks = 13\nnumHoleCards = 1\n"
            "numBoardCards = 0 1 1\nhandRanking = three-card\nEND GAMEDEF\n",
        ),
        "holdem-limit": (
            "Texas hold'em, heads-up limit (reverse blinds)",
            "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 4\nblind = 10 5\nraiseSize = 10 10 20 20\n"
            "firstPlayer = 2 1 1 1\nmaxRaises = 3 4 4 4\n" + _HOLDEM,
        ),
        "holdem-limit-3p": (
            "Texas hold'em, limit for three",
            "GAMEDEF\nlimit\nnumPlayers = 3\nnumRounds = 4\nblind = 5 10 0\nraiseSize = 10 10 20 20\n"
            "firstPlayer = 3 1 1 1\nmaxRaises = 3 4 4 4\n" + _HOLDEM,
        ),
        "holdem-nolimit": (
            "Texas hold'em, heads-up no-limit, 200 big blinds (Doyle's game)",
            "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 4\nstack = 20000 20000\nblind = 100 50\n"
            "firstPlayer = 2 1 1 1\n" + _HOLDEM,
        ),
    },
    error=UnknownGame,
    wrong=lambda row: (
        ""
        if isinstance(row, tuple) and [type(part) for part in row] == [str, str]
        else "is no pair of texts: what the game is, and its definition"
    ),
)

_CHANGES = "ranks, suits, raises, stack"


def rules_of(game: str | Rules, *, own: bool = True) -> Rules:
    """The rules of a catalogue name or a user's own game (with changes), a game-definition file, or rules as they are.

    A name that was found in a file must not import what it names: it cannot be one's `own`.
    """
    if isinstance(game, Rules):
        return game
    base, _, changes = game.partition(":")
    if base in CATALOG:
        return _changed(parse_rules(CATALOG[base][1], base), changes, game)
    if os.path.exists(game):
        return parse_rules(read_text(game, most=_LONGEST, error=GameDefinitionError), game)
    module, _, rest = game.partition(":")
    name, _, changes = rest.partition(":")
    if own and is_place(place := f"{module}:{name}"):
        return _changed(parse_rules(CATALOG[place][1], place), changes, game)
    hint = "".join(f"did you mean {name!r}?" for name in difflib.get_close_matches(base, CATALOG, n=1))
    raise UnknownGame(f"no game or game-definition file {game!r}; {hint or 'see `pokerlab games`'}")


def _changed(rules: Rules, changes: str, name: str) -> Rules:
    """`rules` with `ranks=13,suits=4` and the like applied."""
    ranks, suits = len(rules.deck.ranks), len(rules.deck.suits)
    for change in filter(None, changes.split(",")):
        key, _, value = change.partition("=")
        if not (value.isascii() and value.isdigit() and len(value) <= 10 and int(value) >= 1):
            raise UnknownGame(f"{name}: {change!r} should be one of {_CHANGES}, '=', and a number above 0")
        number = int(value)
        if key == "ranks":
            ranks = number
        elif key == "suits":
            suits = number
        elif key == "raises":
            rules = dataclasses.replace(rules, max_raises=(number,) * rules.rounds)
        elif key == "stack":
            rules = dataclasses.replace(rules, stacks=(number,) * rules.players)
        else:
            raise UnknownGame(f"{name}: cannot change {key!r}; only {_CHANGES}")
    top = rules.deck.ranks[-1]
    if (ranks, suits) != (len(rules.deck.ranks), len(rules.deck.suits)):
        try:
            deck = Deck(rank_names(ranks, top), suit_names(suits))
        except CardError as error:
            raise UnknownGame(f"{name}: {error}") from None
        rules = dataclasses.replace(rules, deck=deck)
    return dataclasses.replace(rules, name=name)
