"""The layout of sequences over public nodes, of whole games and below a node, against walking the betting."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import pokerlab
from pokerlab.form.public_tree import PublicTree, ending_matrix

GAME = pokerlab.compile("leduc-nl:stack=5", "JQ.K-FULL")
NODES, WIDTHS = GAME.origin.nodes, [sight.sizes for sight in GAME.origin.sights]
ROOTS = [i for i, node in enumerate(NODES) if not node.state.finished][::7]


def below(root):
    """The nodes from a root down, in order."""
    kept = {root}
    for here in range(root + 1, len(NODES)):
        if NODES[here].parent in kept:
            kept.add(here)
    return sorted(kept)


@pytest.mark.parametrize("entered", [False, True])
@pytest.mark.parametrize("root", ROOTS)
def test_layout(root, entered):
    tree = PublicTree(NODES, WIDTHS, root, entered)
    top = NODES[root].state.round
    assert sorted(tree.corner) == sorted(tree.round) == below(root)
    for player in range(2):
        mine = [here for here in below(root) if NODES[here].state.actor == player]
        assert tree.mine[player] == mine
        used = 1 + (WIDTHS[player][top] if entered else 0)
        place = {root: (1, top) if entered else (0, -1)}
        for here in below(root):
            assert (tree.corner[here][player], tree.round[here][player]) == place[here]
            round = NODES[here].state.round
            for child in NODES[here].children:
                place[child] = place[here]
                if NODES[here].state.actor == player:
                    place[child], used = (used, round), used + WIDTHS[player][round]
        assert [tree.block[here] for here in mine] == [i + entered for i in range(len(mine))]
    assert [here for here, _ in tree.terminals()] == [here for here in below(root) if NODES[here].state.finished]
    assert all(node is NODES[here] for here, node in tree.terminals())
    deepest = below(root)[-1]
    way = [deepest]
    while way[-1] != root:
        way.append(NODES[way[-1]].parent)
    assert list(tree.steps_to(deepest)) == [(b, a) for a, b in pairwise(way)]
    assert list(tree.steps_to(root)) == []


@pytest.mark.parametrize("root", [0, ROOTS[2]])
def test_terms_are_the_terminals(root):
    tree, seen = PublicTree(NODES, WIDTHS, root), []
    for (showdown, round, last), (rows, columns, stakes) in tree.terms().items():
        assert len(rows) == len(columns) == len(stakes)
        seen += [(showdown, round, last, *each) for each in zip(rows, columns, stakes, strict=True)]
    assert sorted(seen) == sorted(
        (node.state.showdown, node.state.round, tree.round[here], *tree.corner[here], node.state.stake)
        for here, node in tree.terminals()
    )


def test_matrices_are_added_up_by_label():
    deals = pokerlab.compile("leduc").origin.deals
    rng = np.random.default_rng(1)
    for showdown in (False, True):
        whole = (deals.showdown if showdown else deals.joint[1]).toarray()
        rows, columns = rng.integers(-1, 4, 9), rng.integers(-1, 3, 9)
        rows[:3], columns[:3] = (0, -1, 3), (2, 0, -1)
        expected = np.zeros((4, 3))
        for i, j in np.ndindex(9, 9):
            if rows[i] >= 0 and columns[j] >= 0:
                expected[rows[i], columns[j]] += whole[i, j]
        ours = ending_matrix(deals, (showdown, 1, (1, 1)), [(rows, 4), (columns, 3)])
        assert ours.toarray() == pytest.approx(expected, abs=1e-15)
        assert np.all(ours.data != 0)
    same = np.arange(9)
    assert ending_matrix(deals, (False, 1, (1, 1)), [(same, 9), (same, 9)]).toarray() == pytest.approx(
        deals.joint[1].toarray()
    )
    swapped = same[::-1].copy()
    assert ending_matrix(deals, (False, 1, (1, 1)), [(swapped, 9), (same, 9)]).toarray() == pytest.approx(
        deals.joint[1].toarray()[::-1]
    )


def test_matrices_of_buckets_stay_whole():
    dealt = SimpleNamespace(showdown=np.eye(3) - 0.5, joint=[np.ones((3, 3)) / 9])
    labels = [(np.array([0, 0, 1]), 2), (np.arange(3), 3)]
    ours = ending_matrix(dealt, (True, 0, (0, 0)), labels)
    assert isinstance(ours, np.ndarray)
    assert ours.tolist() == [[0.0, 0.0, -1.0], [-0.5, -0.5, 0.5]]
