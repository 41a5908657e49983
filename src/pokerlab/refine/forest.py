"""A subgame in sequence form: two treeplexes that start with the players' root infosets, and the payoff below.

Every root infoset has one sequence of its own, as if its player had just moved there. So a value at the root is the
value of a sequence, and a subgame joins a gadget by another block in the place of the first.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.form.compile import Origin
from pokerlab.form.game import Game, Tie
from pokerlab.form.payoff import Group, Payoff
from pokerlab.form.treeplex import Block, Treeplex
from pokerlab.game.deals import merger


class Side(NamedTuple):
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
        found = whole[self.into]
        found[: 1 + self.roots] = 1.0
        return found

    def glue(self, found: np.ndarray, whole: np.ndarray) -> np.ndarray:
        """A behaviour of the whole game with that of the subgame in its place."""
        glued = whole.copy()
        glued[self.into[1 + self.roots :]] = found[1 + self.roots :]
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

    sides: tuple[Side, Side]
    terminals: tuple[Terminals, ...]
    name: str

    @cached_property
    def game(self) -> Game:
        """The forest as a game in which both come to all of their root infosets."""
        return self.weighted(*(np.ones(side.roots) for side in self.sides))

    def weighted(self, first: np.ndarray, second: np.ndarray) -> Game:
        """The same with chance's probabilities times a weight for each root infoset of the players."""
        shape = self.sides[0].tree.sequences, self.sides[1].tree.sequences
        ties = self.sides[0].tie, self.sides[1].tie
        payoff = Payoff(shape, self.groups(first, second))
        return Game(self.sides[0].tree, payoff, self.sides[1].tree, self.name, ties)

    def groups(self, first: np.ndarray, second: np.ndarray) -> list[Group]:
        """The payoff's groups, weighted."""
        found = []
        for group, rows, columns in self.terminals:
            chance = sparse.csr_array(group.matrix)
            data = chance.data * np.repeat(first[rows], np.diff(chance.indptr)) * second[columns[chance.indices]]
            found.append(group._replace(matrix=sparse.csr_array((data, chance.indices, chance.indptr), chance.shape)))
        return found


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
    """The walk over the public nodes below the root: where each player's last sequence starts, and of which round."""

    def __init__(self, game: Game, node: int, places: tuple[dict[int, _Place], ...]) -> None:
        assert game.origin is not None
        self.game, self.origin, self.node, self.places = game, game.origin, node, places
        nodes = self.origin.nodes
        self.root = nodes[node].state.round
        self.corner = {node: (1, 1)}
        self.round = {node: (self.root, self.root)}
        sequences = [1 + len(places[player][self.root].members) for player in range(2)]
        self.mine: tuple[list[int], list[int]] = ([], [])
        start: dict[int, int] = {}
        stack = [node]
        while stack:
            here = stack.pop()
            actor = nodes[here].state.actor
            if actor is None:
                continue
            r = nodes[here].state.round
            start[here], n = sequences[actor], len(places[actor][r].members)
            sequences[actor] += n * len(nodes[here].actions)
            self.mine[actor].append(here)
            for a, child in enumerate(nodes[here].children):
                corner, last = list(self.corner[here]), list(self.round[here])
                corner[actor], last[actor] = start[here] + a * n, r
                self.corner[child], self.round[child] = (corner[0], corner[1]), (last[0], last[1])
            stack += reversed(nodes[here].children)

    def side(self, player: int) -> Side:
        nodes, sight, places = self.origin.nodes, self.origin.sights[player], self.places[player]
        tree = self.game.trees[player]
        top = places[self.root]
        roots = len(top.members)
        parents, actions = [np.zeros(roots, dtype=np.int64)], [1]
        into, root_of = [np.zeros(1 + roots, dtype=np.int64)], [np.array([-1]), np.arange(roots)]
        rows = [np.arange(roots)]
        for here in self.mine[player]:
            r, k, b = nodes[here].state.round, len(nodes[here].actions), self.origin.blocks[here]
            place, last = places[r], self.round[here][player]
            above = sight.ancestors(r, last)[place.members]
            parents.append(self.corner[here][player] + places[last].position[above])
            actions.append(k)
            corners = tree.blocks.start[b] + tree.blocks.n[b] * np.arange(k)
            into.append((corners[:, None] + place.members).ravel())
            root_of.append(np.tile(place.root, k))
            rows.append(np.unique(sight.rows[r][place.members], return_inverse=True)[1])
        labels = [sight.labels[self.root][state] for state in top.members]
        blocks = [Block(nodes[self.node].text, labels, ["enter"])]
        for here in self.mine[player]:
            named = sight.labels[nodes[here].state.round]
            states = [named[state] for state in places[nodes[here].state.round].members]
            blocks.append(Block(nodes[here].text, states, nodes[here].names))
        tie = None if sight.recalls else Tie(np.concatenate(rows))
        grown = Treeplex(parents, actions, blocks.__getitem__)
        return Side(grown, roots, np.concatenate(into), np.concatenate(root_of), tie)

    def terminals(self) -> list[Terminals]:
        """As in `compile`: one group for each (fold or showdown, round, rounds of the players' last actions)."""
        terms: dict[tuple[bool, int, int, int], list[tuple[int, int, float]]] = defaultdict(list)
        for here, corner in self.corner.items():
            state = self.origin.nodes[here].state
            if state.finished:
                terms[state.showdown, state.round, *self.round[here]].append((*corner, float(state.stake)))
        found = []
        for (showdown, later, *last), placed in terms.items():
            rows, columns, scales = (np.array(part) for part in zip(*placed, strict=True))
            group = Group(self._matrix(showdown, later, last), rows, columns, scales)
            found.append(Terminals(group, self.places[0][last[0]].root, self.places[1][last[1]].root))
        return found

    def _matrix(self, showdown: bool, later: int, last: list[int]) -> sparse.csr_array:
        """Chance's matrix over the deals of the subgame, aggregated to the states in which the players last acted."""
        dealt = self.origin.dealt
        chance = dealt.showdown if showdown else dealt.joint[later]
        for player, earlier in enumerate(last):
            sight, place = self.origin.sights[player], self.places[player][earlier]
            label = place.position[sight.ancestors(later, earlier)[sight.seen[later]]]
            inside = np.flatnonzero(label >= 0)
            chance = (merger(label[inside], len(place.members)).T @ chance[inside]).T
        found = sparse.csr_array(chance)
        found.eliminate_zeros()
        return found
