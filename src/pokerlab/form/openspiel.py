"""Games of OpenSpiel (https://github.com/google-deepmind/open_spiel) as `BilinearGame(X, A, Y)`, when it is installed.

Nodes are walked one by one through its Python module; infosets are its information states. Where players move at
once, the second simply does not see the first one's move (OpenSpiel's own turn-based form).
"""

from __future__ import annotations

import difflib
import importlib
import random
from typing import Any

from pokerlab.bounds import raising, room
from pokerlab.errors import GameTooLarge, NotTwoPlayers, OpenSpielError
from pokerlab.form.extensive import Chance, Decision, Node, Terminal, distinct, extensive_game
from pokerlab.form.game import Game

PREFIX = "openspiel:"
MAX_NODES = 1_000_000  # some ten seconds of walking
MAX_TEXT = 200_000_000  # characters of information states, which tell whole histories: long games have long ones


def from_openspiel(game: Any, limit: int | None = None) -> Game:
    """The sequence form of an OpenSpiel game: its text such as `goofspiel(num_cards=4)`, or the game itself.

    It must be for two players, of constant sum, with perfect recall, and have at most `limit` nodes.
    """
    limit = room(MAX_NODES) if limit is None else limit
    pyspiel = _pyspiel()
    loaded = _load(pyspiel, game) if isinstance(game, str) else game
    if not isinstance(loaded, pyspiel.Game):
        raise OpenSpielError(f"expected the name of an OpenSpiel game, or a game, not {type(loaded).__name__}")
    kind, name = loaded.get_type(), f"{PREFIX}{loaded}"
    if loaded.num_players() != 2:
        raise NotTwoPlayers(f"{name}, players: {loaded.num_players()}; only two-player games can be solved")
    if kind.dynamics not in (pyspiel.GameType.Dynamics.SEQUENTIAL, pyspiel.GameType.Dynamics.SIMULTANEOUS):
        raise OpenSpielError(f"{name} is a {kind.dynamics.name} game; only sequential and simultaneous ones have trees")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise OpenSpielError(f"{name} only samples chance (SAMPLED_STOCHASTIC); its probabilities cannot be known")
    if not kind.provides_information_state_string:
        raise OpenSpielError(f"{name} has no information states (information_state_string)")
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        loaded = pyspiel.convert_to_turn_based(loaded)
    try:
        if _is_far_larger(loaded, limit):
            raise GameTooLarge(f"{name} has far more than {limit:,} nodes; take a smaller game")
        # A player who sees everything may forget how it came about (goofspiel): telling pasts apart changes no value.
        split = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        return extensive_game((loaded.new_initial_state(), None), name, look=_Look(name), split=split, limit=limit)
    except pyspiel.SpielError as error:
        raise OpenSpielError(f"OpenSpiel cannot walk {name}: {_first_line(error)}") from None


class _Look:
    """Turns a state and an action of it into the node that follows, so that no state is made before its turn."""

    def __init__(self, name: str) -> None:
        self._name, self._text = name, 0
        self._known: dict[tuple[int, str], tuple[list[int], tuple[str, ...]]] = {}

    def __call__(self, step: tuple[Any, int | None]) -> Node:
        before, action = step
        state = before if action is None else before.child(action)
        if state.is_terminal():
            return Terminal(*state.returns())
        if state.is_chance_node():
            actions, odds = zip(*state.chance_outcomes(), strict=True)
            return Chance(odds, [(state, a) for a in actions])
        player, infoset, legal = state.current_player(), state.information_state_string(), state.legal_actions()
        return Decision(player, infoset, self._names(state, player, infoset, legal), [(state, a) for a in legal])

    def _names(self, state: Any, player: int, infoset: str, legal: list[int]) -> tuple[str, ...]:
        """The actions' names, asked for once an infoset: they are half of the cost."""
        known = self._known.get((player, infoset))
        if known is not None and known[0] == legal:
            return known[1]
        names = distinct([state.action_to_string(action) for action in legal])
        if known is None:
            self._known[player, infoset] = legal, names
            self._text += len(infoset)
            if self._text > room(MAX_TEXT):
                raise GameTooLarge(
                    f"{self._name} has {len(self._known):,} infosets so far, with names of {self._text / 1e6:,.0f} MB; "
                    f"take a smaller game{raising()}"
                )
        return names


def _is_far_larger(game: Any, limit: int) -> bool:
    """Whether the tree has, beyond reasonable doubt, more than `limit` nodes: chess should not be walked to find out.

    The product of the numbers of children along a random path is on average the number of ends (Knuth 1975), so
    each of the five exceeds a hundred times that number with a probability of at most 1 %.
    """
    rng = random.Random(0)
    for _ in range(5):
        state, product = game.new_initial_state(), 1
        while product <= 100 * limit:
            if state.is_terminal():
                return False
            legal = state.legal_actions()
            product *= len(legal)
            state.apply_action(rng.choice(legal))
    return True


def _pyspiel() -> Any:
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        raise OpenSpielError("games of OpenSpiel need its package: pip install open_spiel") from None


def _load(pyspiel: Any, text: str) -> Any:
    base = text.partition("(")[0].strip()
    names = pyspiel.registered_names()
    if base not in names:
        # Asked here: OpenSpiel itself would answer with its whole list.
        hint = "".join(f"; did you mean {name!r}?" for name in difflib.get_close_matches(base, names, n=1))
        raise OpenSpielError(f"OpenSpiel has no game {base!r}{hint}")
    try:
        return pyspiel.load_game(text)
    except (RuntimeError, LookupError, ValueError, TypeError) as error:  # its own SpielError, and C++ ones as they come
        raise OpenSpielError(f"OpenSpiel cannot load {text!r}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0][:200]
