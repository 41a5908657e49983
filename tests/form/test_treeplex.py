"""Treeplexes: constraints, normalisation, and complaints."""

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import PokerlabError
from pokerlab.form.treeplex import Treeplex, simplex
from random_games import random_treeplex


@pytest.mark.parametrize("seed", range(10))
def test_plans_satisfy_the_constraints_and_come_back_as_behaviour(seed):
    rng = np.random.default_rng(seed)
    tree = random_treeplex(rng)
    behaviour = tree.random(rng)
    plan = tree.realize(behaviour)
    rows, right = tree.constraints()
    assert rows @ plan == pytest.approx(right, abs=1e-12)
    assert tree.normalize(plan) == pytest.approx(behaviour, abs=1e-9)


def test_unreached_infosets_keep_the_given_behaviour():
    tree = Treeplex([np.array([0]), np.array([1, 2])], [2, 2])
    plan = np.array([1, 1.0, 0.0, 0.3, 0.0, 0.7, 0.0])
    other = np.array([1, 0.5, 0.5, 0.5, 0.9, 0.5, 0.1])
    with np.errstate(all="raise"):  # nothing is divided by nothing on the way
        assert tree.normalize(plan, other).tolist() == [1, 1, 0, 0.3, 0.9, 0.7, 0.1]


def test_a_block_is_a_view_of_actions_by_infosets():
    tree = Treeplex([np.array([0]), np.array([1, 2])], [2, 3])
    array = np.arange(tree.sequences)
    assert len(tree) == 2
    assert tree.block(0, array).tolist() == [[1], [2]]
    assert tree.block(1, array).tolist() == [[3, 4], [5, 6], [7, 8]]
    tree.block(1, array)[2] = 0, -1
    assert array.tolist() == [0, 1, 2, 3, 4, 5, 6, 0, -1]
    assert tree.above(1).tolist() == [1, 2]
    assert np.arange(3)[tree.span(1)].tolist() == [1, 2]


def test_a_public_node_is_its_actors_block():
    game = pokerlab.compile("leduc", "JQ.K-FULL")
    profile = pokerlab.random_profile(game, np.random.default_rng(0))
    node = next(i for i, node in enumerate(game.origin.nodes) if node.text == "cc/")
    table = profile.at_node(node)
    states = [game.origin.deals.label(state) for state in game.origin.deals.states[1]]
    for state, seen in (("J/K", "J/Q,J/K,Q/J,Q/K"), ("Q/J", "J/Q,J/K,Q/J,Q/K"), ("Q/Q", "J/J,Q/Q")):
        shown = profile.at(0, "cc/", seen)
        assert table[:, states.index(state)].tolist() == list(shown.values())
        assert profile.at_node(node, states.index(state)).tolist() == list(shown.values())


def test_blocks_must_follow_their_parents():
    with pytest.raises(PokerlabError, match="parents before children"):
        Treeplex([np.array([3]), np.array([0])], [2, 2])


@pytest.mark.parametrize("bad", [[1, 0.5, 0.6], [1, 1.5, -0.5], [1, 1.0], [1, np.nan, 1.0], [1, 0.5, 0.500010001050]])
def test_check_refuses_what_is_no_distribution(bad):
    with pytest.raises(PokerlabError, match="behaviour"):
        simplex(["a", "b"]).check(np.array(bad))


@pytest.mark.parametrize("fine", [[1, 0.5, 0.5], [1, 1.0, 0.0], [1, 0.5, 0.50001], [1, 0.49999, 0.5]])
def test_check_takes_what_rounding_leaves(fine):
    simplex(["a", "b"]).check(np.array(fine))
