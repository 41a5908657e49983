"""Behaviour strategies: what each player does at every infoset, reached or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.form.game import Game
from pokerlab.game.betting import CALL
from pokerlab.notebook import Table, Tabular


@dataclass(frozen=True, eq=False)
class Profile(Tabular):
    """One behaviour a player of `game`; `profile[p]` is the array over p's sequences."""

    game: Game
    behaviours: tuple[np.ndarray, ...]

    def __post_init__(self) -> None:
        for tree, behaviour in zip(self.game.trees, self.behaviours, strict=True):
            tree.check(behaviour)

    def __getitem__(self, player: int) -> np.ndarray:
        return self.behaviours[player]

    def plans(self) -> tuple[np.ndarray, ...]:
        """The players' realization plans."""
        return tuple(tree.realize(b) for tree, b in zip(self.game.trees, self.behaviours, strict=True))

    def at_node(self, node: int, states: int | slice | np.ndarray = slice(None)) -> np.ndarray:
        """The actor's behaviour at a public node of a compiled game: actions by private states of the full game."""
        origin = self.game.origin
        assert origin is not None
        actor, round = origin.nodes[node].state.actor, origin.nodes[node].state.round
        assert actor is not None
        return self.game.at_node(node, self.behaviours[actor])[:, origin.sights[actor].seen[round][states]]

    def rows(self, player: int) -> Iterator[tuple[str, str, dict[str, float]]]:
        """Betting so far, private state, and the probability of each action, for every infoset."""
        tree = self.game.trees[player]
        for b in range(len(tree)):
            block, table = tree.describe(b), tree.block(b, self.behaviours[player])
            for i, state in enumerate(block.states):
                yield block.public, state, dict(zip(block.actions, table[:, i].tolist(), strict=True))

    def at(self, player: int, public: str, state: str) -> dict[str, float]:
        """The probability of each action at one infoset: `at(0, "cr", "K")`, `at(1, "cc/r", "K/Q")`."""
        for betting, private, actions in self.rows(player):
            if betting == public and private == state:
                return actions
        raise PokerlabError(f"player {player + 1} has no infoset with betting {public!r} and state {state!r}")

    def table(self) -> Table:
        """A row an infoset: whose it is, the betting, the cards, and how often each action is taken."""
        trees = self.game.trees
        actions = dict.fromkeys(name for tree in trees for b in range(len(tree)) for name in tree.describe(b).actions)
        rows = (
            (player + 1, public, state, *map(odds.get, actions))
            for player in range(len(trees))
            for public, state, odds in self.rows(player)
        )
        return Table(f"a strategy of {self.game.name}", ("player", "betting", "cards", *actions), rows)

    def __str__(self) -> str:
        lines = []
        for player in range(len(self.behaviours)):
            lines.append(f"player {player + 1}")
            for public, state, actions in self.rows(player):
                odds = "  ".join(f"{name} {p:.3f}" for name, p in actions.items())
                lines.append(f"  {public or '-':<12} {state:<12} {odds}")
        return "\n".join(lines)


def uniform_profile(game: Game) -> Profile:
    """Both players play every action equally often."""
    return Profile(game, tuple(tree.uniform() for tree in game.trees))


def raising_profile(game: Game) -> Profile:
    """Everybody raises whenever the game has a raise, the least that it has, and calls otherwise."""
    if game.origin is None:
        raise PokerlabError(f"{game.name or 'this game'} was not made from the rules of poker: it has no raises")
    behaviours = tuple(np.zeros(tree.sequences) for tree in game.trees)
    for at, node in enumerate(game.origin.nodes):
        if not node.state.finished:
            actor = node.state.actor
            assert actor is not None
            raises = [action for action in node.actions if action > CALL]
            game.at_node(at, behaviours[actor])[node.actions.index(min(raises, default=CALL))] = 1.0
    for behaviour in behaviours:
        behaviour[0] = 1.0
    return Profile(game, behaviours)


def random_profile(game: Game, rng: np.random.Generator) -> Profile:
    """Random behaviour at every infoset."""
    return Profile(game, tuple(tree.random(rng) for tree in game.trees))


def profile_of_plans(game: Game, plans: Sequence[np.ndarray]) -> Profile:
    """The profile of realization plans.

    Where a plan never goes it says nothing; there each player best-responds to the other's plan, so that
    stored behaviour is sensible everywhere (actions worth the same share).
    """
    behaviours = []
    for player, tree in enumerate(game.trees):
        _, response = tree.best_response(game.gradient(player, plans))
        behaviours.append(tree.normalize(np.maximum(plans[player], 0.0), response))
    return Profile(game, tuple(behaviours))
