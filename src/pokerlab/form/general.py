"""Games by name: of the catalogue, a Gambit file, or `openspiel:` and a game of OpenSpiel."""

from __future__ import annotations

from pokerlab.errors import AbstractionError
from pokerlab.form.compile import compile
from pokerlab.form.efg import read_efg
from pokerlab.form.game import Game
from pokerlab.form.openspiel import PREFIX, from_openspiel


def game_from(spec: str) -> Game | None:
    """The game of a path that ends in `.efg` or of `openspiel:NAME(...)`; None if `spec` is neither.

    The game's name is such a spec again, so a strategy's file can say where its game comes from.
    """
    if spec.startswith(PREFIX):
        return from_openspiel(spec.removeprefix(PREFIX))
    if spec.lower().endswith(".efg"):
        return read_efg(spec)
    return None


def named_game(spec: str, abstraction: str = "FULL") -> Game:
    """The game of any spec: one of those of `game_from`, or rules by name or file, which take an abstraction."""
    game = game_from(spec)
    if game is None:
        return compile(spec, abstraction)
    if abstraction != "FULL":
        raise AbstractionError(f"{spec} was not compiled from rules: it takes no abstraction")
    return game
