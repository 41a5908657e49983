"""A subgame in sequence form: two treeplexes that start with the players' root infosets, and the payoff below.

Every root infoset has one sequence of its own, as if its player had just moved there. So a value at the root is the
value of a sequence, and a subgame joins a gadget by another block in the place of the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.form.compile import Origin
from pokerlab.form.game import BilinearGame, Game, Tie
from pokerlab.form.payoff import Group, payoff_of
from pokerlab.form.public_tree import PublicTree, ending_matrix
from pokerlab.form.treeplex import Block, Treeplex


class Half(NamedTuple):
    """One player's half. Sequence 1 + s enters the subgame at the s-th of `roots` root infosets.

    `into` has the sequence of the whole game that each sequence is (0 at the root), `root_of` the root infoset that it
    is below (-1 for the empty sequence); `tie` the rows that a player who forgets must play alike.
    """

    tree: Treeplex
    roots: int
    into: np.ndarray
    root_of: np.ndarray
    tie: Tie | None

    def behaviour(self, whole: np.ndarray) -> np.ndarray:
        """What a behaviour of the whole game does here."""
        behaviour = whole[self.into]
        behaviour[: 1 + self.roots] = 1.0
        return behaviour

    def glue(self, behaviour: np.ndarray, whole: np.ndarray) -> np.ndarray:
        """A behaviour of the whole game with that of the subgame in its place."""
        glued = whole.copy()
        glued[self.into[1 + self.roots :]] = behaviour[1 + self.roots :]
        return glued

    def plan(self, behaviour: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """The realization plan of a behaviour whose player comes to its root infosets with `reach`."""
        entered = behaviour.copy()
        entered[1 : 1 + self.roots] = reach
        return self.tree.realize(entered)


class Terminals(NamedTuple):
    """A group of the payoff, and the root infosets that its rows and columns are below."""

    group: Group
    rows: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True, eq=False)
class Forest:
    """Both sides, and the payoff with chance's probabilities from the start of the hand."""

    sides: tuple[Half, Half]
    terminals: tuple[Terminals, ...]
    name: str

    @cached_property
    def game(self) -> Game:
        """The forest as a game in which both come to all of their root infosets."""
        return self.weighted(*(np.ones(side.roots) for side in self.sides))

    def weighted(self, first: np.ndarray, second: np.ndarray) -> BilinearGame:
        """The same with chance's probabilities times a weight for each root infoset of the players."""
        shape = self.sides[0].tree.sequences, self.sides[1].tree.sequences
        ties = self.sides[0].tie, self.sides[1].tie
        payoff = payoff_of(shape, self.groups(first, second))
        return BilinearGame(self.sides[0].tree, payoff, self.sides[1].tree, self.name, ties)

    def groups(self, first: np.ndarray, second: np.ndarray) -> list[Group]:
        """The payoff's groups, weighted."""
        groups = []
        for group, rows, columns in self.terminals:
            chance = sparse.csr_array(group.matrix)
            data = chance.data * np.repeat(first[rows], np.diff(chance.indptr)) * second[columns[chance.indices]]
            groups.append(group._replace(matrix=sparse.csr_array((data, chance.indices, chance.indptr), chance.shape)))
        return groups


class _Place(NamedTuple):
    """One player's states of a round below the root: which, where each is in that list (-1: not), and its root."""

    members: np.ndarray
    position: np.ndarray
    root: np.ndarray


def plant(game: Game, node: int, states: tuple[np.ndarray, np.ndarray]) -> Forest:
    """The forest below a public node, from these private states of the two players on."""
    assert game.origin is not None
    origin = game.origin
    root = origin.nodes[node].state.round
    places = tuple(
        {r: _place(origin, player, root, r, states[player]) for r in range(root, origin.rules.rounds)}
        for player in range(2)
    )
    grown = _Grown(game, node, places)
    sides = grown.side(0), grown.side(1)
    return Forest(sides, tuple(grown.terminals()), f"{game.name}, subgame {origin.nodes[node].text or 'start'}")


def _place(origin: Origin, player: int, root: int, round: int, states: np.ndarray) -> _Place:
    sight = origin.sights[player]
    number = np.full(sight.sizes[root], -1, dtype=np.int64)
    number[states] = np.arange(len(states))
    above = number[sight.ancestors(round, root)]
    # At the root itself the given order counts, below it the order of the states.
    members = np.asarray(states) if round == root else np.flatnonzero(above >= 0)
    position = np.full(sight.sizes[round], -1, dtype=np.int64)
    position[members] = np.arange(len(members))
    return _Place(members, position, above[members])


class _Grown:
    """The public nodes below the root, and the players' private states of each round there."""

    def __init__(self, game: Game, node: int, places: tuple[dict[int, _Place], ...]) -> None:
        assert game.origin is not None
        self.game, self.origin, self.places = game, game.origin, places
        rounds = range(game.origin.rules.rounds)
        widths = [[len(mine[r].members) if r in mine else 0 for r in rounds] for mine in places]
        self.public = PublicTree(game.origin.nodes, widths, node, entered=True)

    def side(self, player: int) -> Half:
        nodes, sight, places = self.origin.nodes, self.origin.sights[player], self.places[player]
        public, numbers = self.public, np.arange(self.game.trees[player].sequences)
        mine, top = public.mine[player], places[nodes[public.root].state.round]
        roots = len(top.members)
        parents, actions = [np.zeros(roots, dtype=np.int64)], [1]
        into, root_of = [np.zeros(1 + roots, dtype=np.int64)], [np.array([-1]), np.arange(roots)]
        rows = [np.arange(roots)]
        for here in mine:
            r, k = nodes[here].state.round, len(nodes[here].actions)
            place, last = places[r], public.round[here][player]
            above = sight.ancestors(r, last)[place.members]
            parents.append(public.corner[here][player] + places[last].position[above])
            actions.append(k)
            into.append(self.game.at_node(here, numbers)[:, place.members].ravel())
            root_of.append(np.tile(place.root, k))
            rows.append(np.unique(sight.rows[r][place.members], return_inverse=True)[1])
        root = nodes[public.root]
        blocks = [Block(root.text, [sight.labels[root.state.round][state] for state in top.members], ["enter"])]
        for here in mine:
            named = sight.labels[nodes[here].state.round]
            states = [named[state] for state in places[nodes[here].state.round].members]
            blocks.append(Block(nodes[here].text, states, nodes[here].names))
        tie = None if sight.recalls else Tie(np.concatenate(rows))
        grown = Treeplex(parents, actions, blocks.__getitem__)
        return Half(grown, roots, np.concatenate(into), np.concatenate(root_of), tie)

    def terminals(self) -> list[Terminals]:
        """As in `compile`: one group for each (fold or showdown, round, rounds of the players' last actions)."""
        terminals = []
        for ending, terms in self.public.terms().items():
            _, later, last = ending
            labels = [self._labels(player, later, earlier) for player, earlier in enumerate(last)]
            group = Group(sparse.csr_array(ending_matrix(self.origin.dealt, ending, labels)), *terms)
            terminals.append(Terminals(group, self.places[0][last[0]].root, self.places[1][last[1]].root))
        return terminals

    def _labels(self, player: int, later: int, earlier: int) -> tuple[np.ndarray, int]:
        """Of each of chance's states of a round, which of the subgame's states of an earlier one it is below."""
        sight, place = self.origin.sights[player], self.places[player][earlier]
        return place.position[sight.ancestors(later, earlier)[sight.seen[later]]], len(place.members)
