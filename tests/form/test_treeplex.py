"""Treeplexes: constraints, normalisation, and complaints."""

import numpy as np
import pytest

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
    assert tree.normalize(plan, other).tolist() == [1, 1, 0, 0.3, 0.9, 0.7, 0.1]


def test_blocks_must_follow_their_parents():
    with pytest.raises(PokerlabError, match="parents before children"):
        Treeplex([np.array([3]), np.array([0])], [2, 2])


@pytest.mark.parametrize("bad", [[1, 0.5, 0.6], [1, 1.5, -0.5], [1, 1.0], [1, np.nan, 1.0]])
def test_check_refuses_what_is_no_distribution(bad):
    with pytest.raises(PokerlabError, match="behaviour"):
        simplex(["a", "b"]).check(np.array(bad))
