"""What was seen of a player: hands that ended, how often each action was taken, and the model that follows from it.

Johanson, Zinkevich and Bowling (2007) learn a model by counting, from hands in which all cards are known: where
nothing was seen, a default policy stands in. `play_out` draws hands of two strategies exactly, however many; logs are
read in `agents/watching.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from pokerlab.errors import PokerlabError
from pokerlab.form.compile import Origin
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.game.betting import CALL

UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Endings:
    """Hands of a compiled game for two by how they ended, a row each way.

    `node` is the terminal of the betting tree, `state[p]` player p's private state in its round, as p tells them apart,
    or UNKNOWN where its cards were not shown; `times` is how many hands ended so.
    """

    node: np.ndarray
    state: np.ndarray  # [2, rows]
    times: np.ndarray

    @property
    def hands(self) -> int:
        return int(self.times.sum())

    def hiding(self, game: Game, player: int) -> Endings:
        """The same hands as the other player saw them: the player's cards are known from showdowns only."""
        nodes = origin_of(game).nodes
        shown = np.array([nodes[node].state.showdown for node in self.node], dtype=bool)
        state = self.state.copy()
        state[player, ~shown] = UNKNOWN
        return Endings(self.node, state, self.times)


def origin_of(game: Game) -> Origin:
    """Where a game for two was compiled from, for it has hands to look at; PokerlabError if it was not."""
    if game.origin is None or len(game.trees) != 2:
        raise PokerlabError(f"hands are looked at in games for two that were compiled from rules; {game.name} is none")
    return game.origin


def play_out(game: Game, behaviours: Sequence[np.ndarray], hands: int, rng: np.random.Generator) -> Endings:
    """So many hands between two behaviours, drawn all at once: deals first, then actions node by node."""
    origin = origin_of(game)
    last, joint = origin.rules.rounds - 1, sparse.coo_array(origin.dealt.joint[-1])
    seen = [
        [sight.ancestors(last, r)[sight.seen[last][dealt]] for r in range(last + 1)]
        for sight, dealt in zip(origin.sights, (joint.row, joint.col), strict=True)
    ]
    arrived = {0: rng.multinomial(hands, joint.data / joint.data.sum())}
    rows: list[np.ndarray] = []
    for here, node in enumerate(origin.nodes):
        count, round = arrived.pop(here), node.state.round
        if node.state.finished:
            came = np.flatnonzero(count)
            rows.append(np.stack([np.full(len(came), here), seen[0][round][came], seen[1][round][came], count[came]]))
            continue
        actor = node.state.actor
        assert actor is not None
        odds = game.at_node(here, behaviours[actor])[:, seen[actor][round]].T
        taken = rng.multinomial(count, odds / odds.sum(axis=1, keepdims=True))
        arrived.update(zip(node.children, taken.T, strict=True))
    return merged(np.concatenate(rows, axis=1))


def merged(rows: np.ndarray) -> Endings:
    """Endings of rows (node, two states, times), with those that are alike put together."""
    kinds, at = np.unique(rows[:3], axis=1, return_inverse=True)
    return Endings(kinds[0], kinds[1:], np.bincount(at.ravel(), rows[3], kinds.shape[1]))


def counted(game: Game, player: int, node: int, weights: np.ndarray, counts: np.ndarray) -> None:
    """Add the player's actions on the way to a node to `counts`; `weights` are hands by its state there."""
    origin = origin_of(game)
    later = origin.nodes[node].state.round
    for above, child in origin.public.steps_to(node):
        here = origin.nodes[above]
        if here.state.actor == player:
            before = origin.sights[player].ancestors(later, here.state.round)
            table = game.at_node(above, counts)
            table[here.children.index(child)] += np.bincount(before, weights, table.shape[1])


def action_counts(game: Game, player: int, endings: Endings) -> np.ndarray:
    """How often the player took each sequence's last action, in hands whose cards are known; others are absent."""
    origin, counts = origin_of(game), np.zeros(game.trees[player].sequences)
    for node in np.unique(endings.node):
        here = (endings.node == node) & (endings.state[player] != UNKNOWN)
        states = origin.sights[player].sizes[origin.nodes[node].state.round]
        counted(game, player, int(node), np.bincount(endings.state[player][here], endings.times[here], states), counts)
    return counts


def calling(game: Game) -> Profile:
    """Both check and call: the usual default where nothing is known of a player."""
    origin, behaviours = origin_of(game), [np.zeros(tree.sequences) for tree in game.trees]
    for here, node in enumerate(origin.nodes):
        if not node.state.finished:
            assert node.state.actor is not None
            game.at_node(here, behaviours[node.state.actor])[node.actions.index(CALL)] = 1.0
    for behaviour in behaviours:
        behaviour[0] = 1.0
    return Profile(game, (behaviours[0], behaviours[1]))


@dataclass(frozen=True, eq=False)
class Model:
    """What is believed of a player in both seats, and how often it was seen at each infoset.

    `seen[p]` is an array over infosets of its decisions as player p; where they are none, `behaviour` is a default.
    A player whose strategy is known is seen without end.
    """

    behaviour: Profile
    seen: tuple[np.ndarray, np.ndarray]

    @property
    def game(self) -> Game:
        return self.behaviour.game

    @classmethod
    def known(cls, behaviour: Profile) -> Model:
        """Of a player whose strategy is known."""
        first, second = (np.full(tree.infosets, np.inf) for tree in behaviour.game.trees)
        return cls(behaviour, (first, second))

    @classmethod
    def of_counts(cls, game: Game, counts: Sequence[np.ndarray], default: Profile | None = None) -> Model:
        """By counting; `default` (calling) where nothing was seen."""
        default = calling(game) if default is None else default
        pairs = list(zip(game.trees, counts, default.behaviours, strict=True))
        behaviour = Profile(game, tuple(tree.normalize(count, otherwise) for tree, count, otherwise in pairs))
        first, second = (np.bincount(tree.infoset_of[1:], count[1:], tree.infosets) for tree, count, _ in pairs)
        return cls(behaviour, (first, second))

    @classmethod
    def of_endings(cls, game: Game, endings: Sequence[Endings], default: Profile | None = None) -> Model:
        """By counting hands in which the player was player 0, and hands in which it was player 1."""
        return cls.of_counts(game, [action_counts(game, p, hands) for p, hands in enumerate(endings)], default)


def watch(target: Profile, other: Profile, hands: int, rng: np.random.Generator) -> tuple[Endings, Endings]:
    """Hands of a player against another: half of them as player 0, then the others as player 1."""
    game = target.game
    first = play_out(game, (target[0], other[1]), hands - hands // 2, rng)
    return first, play_out(game, (other[0], target[1]), hands // 2, rng)
