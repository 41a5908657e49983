"""The public nodes of a game or of a subgame: where the players' sequences lie, and what the terminals contribute.

`compile` walks the whole betting tree, a subgame the part of it below one node; both are laid out here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from pokerlab.form.dense import Matrix
from pokerlab.game.betting_tree import Node
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.deals import Deals, merger

Ending = tuple[bool, int, tuple[int, ...]]  # showdown or not, round, and the round of each player's last sequence
Corners = tuple[np.ndarray, np.ndarray, np.ndarray]  # rows, columns, and the chips at stake there


class PublicTree:
    """The nodes from `root` down, with each player's sequences at them.

    `nodes` are those of the whole betting tree, depth first; `widths[p][r]` is how many private states player p has in
    round r. `mine[p]` are p's decision nodes, in the order of its blocks. At each node `corner[here][p]` is the
    sequence by which p's first state has come there, the other states' follow, and `round[here][p]` the round that
    those states are of (-1: none, the sequence is empty). With `entered` every player has a first block of its own,
    with one sequence for each of its states at the root.
    """

    def __init__(
        self, nodes: Sequence[Node], widths: Sequence[Sequence[int]], root: int = 0, entered: bool = False
    ) -> None:
        self.nodes, self.root = nodes, root
        self._after: dict[tuple[int, ...], int] = {(): root}
        players, top = range(len(widths)), nodes[root].state.round
        self.mine: list[list[int]] = [[] for _ in players]
        self.corner = {root: tuple(int(entered) for _ in players)}
        self.round = {root: tuple(top if entered else -1 for _ in players)}
        self.block: dict[int, int] = {}
        used = [1 + (widths[p][top] if entered else 0) for p in players]
        for here in range(root, len(nodes)):
            node = nodes[here]
            if here not in self.corner:
                break  # not below the root any more
            if (actor := node.state.actor) is None:
                continue
            self.block[here] = len(self.mine[actor]) + entered
            self.mine[actor].append(here)
            r = node.state.round
            for child in node.children:
                self.corner[child] = _changed(self.corner[here], actor, used[actor])
                self.round[child] = _changed(self.round[here], actor, r)
                used[actor] += widths[actor][r]

    def after(self, actions: tuple[int, ...]) -> int:
        """The node that actions lead to from the root; shorter ones are met first, so that one step is enough."""
        node = self._after.get(actions)
        if node is None:
            above = self.nodes[self.after(actions[:-1])]
            node = self._after[actions] = above.children[above.actions.index(actions[-1])]
        return node

    def steps_to(self, node: int) -> Iterator[tuple[int, int]]:
        """The nodes above `node`, nearest first, each with its child on the way."""
        while (parent := self.nodes[node].parent) >= self.root:
            yield parent, node
            node = parent

    def terminals(self) -> Iterator[tuple[int, Node]]:
        """All nodes where the hand ends."""
        return ((here, self.nodes[here]) for here in sorted(self.corner) if self.nodes[here].state.finished)

    def terms(self) -> dict[Ending, Corners]:
        """Of two players: the terminals that share a matrix, as the places where it stands in the payoff."""
        places: dict[Ending, list[tuple[int, int, float]]] = defaultdict(list)
        for here, node in self.terminals():
            first, second = self.corner[here]
            ending = node.state.showdown, node.state.round, self.round[here]
            places[ending].append((first, second, float(node.state.stake)))
        return {
            ending: (np.array(rows), np.array(columns), np.array(stakes))
            for ending, (rows, columns, stakes) in ((e, zip(*placed, strict=True)) for e, placed in places.items())
        }


def _changed(places: tuple[int, ...], player: int, place: int) -> tuple[int, ...]:
    return (*places[:player], place, *places[player + 1 :])


def ending_matrix(dealt: Deals | BucketDeals, ending: Ending, labels: Sequence[tuple[np.ndarray, int]]) -> Matrix:
    """Chance's matrix of a fold or showdown, added up by a label for each player's private states.

    Labels come with their number; states of label -1 are left out.
    """
    showdown, round, _ = ending
    matrix: Matrix = dealt.showdown if showdown else dealt.joint[round]
    for label, count in labels:
        matrix = _added_up(matrix, label, count).T
    if isinstance(matrix, np.ndarray):
        return matrix
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    return matrix


def _added_up(matrix: Matrix, labels: np.ndarray, count: int) -> Matrix:
    """The rows of each label, added up."""
    if len(labels) == count and np.array_equal(labels, np.arange(count)):
        return matrix
    inside = np.flatnonzero(labels >= 0)
    if len(inside) < len(labels):
        labels, matrix = labels[inside], matrix[inside]
    return merger(labels, count).T @ matrix
