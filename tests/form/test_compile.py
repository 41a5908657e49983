"""Compiled games against explicit trees of real cards and histories."""

from dataclasses import replace

import numpy as np
import pytest

import pokerlab
from explicit_tree import ExplicitGame, policy_of
from naive_maps import tie_map
from pokerlab.errors import AbstractionError, GameTooLarge, PokerlabError
from pokerlab.form.maps import restrict
from pokerlab.form.strategy import random_profile

GAMES = ["kuhn", "kuhn:ranks=5", "leduc", "leduc:ranks=4,suits=3", "leduc-nl:stack=5", "rhode-island:ranks=3,suits=2"]


@pytest.mark.parametrize("name", GAMES)
def test_value_and_best_responses_agree_with_the_explicit_tree(name):
    game = pokerlab.compile(name)
    explicit = ExplicitGame(game.origin.rules)
    profile = random_profile(game, np.random.default_rng(7))
    found = pokerlab.evaluate(profile)
    policy = policy_of(profile)
    assert found.value == pytest.approx(explicit.value(policy), abs=1e-10)
    for player in range(2):
        assert found.responses[player] == pytest.approx(explicit.best_response_value(policy, player), abs=1e-10)


def test_sizes_of_known_games():
    leduc = pokerlab.compile("leduc")
    assert (leduc.X.sequences, leduc.Y.sequences) == (337, 337)
    assert (leduc.X.infosets, leduc.Y.infosets) == (144, 144)
    kuhn = pokerlab.compile("kuhn")
    assert (kuhn.X.sequences, kuhn.X.infosets) == (13, 6)
    large = pokerlab.compile("leduc:ranks=13,suits=4")
    assert large.X.sequences == 1 + 13 * 7 + 5 * 169 * 7


def test_number_of_suits_changes_probabilities_but_not_sizes():
    two, four = pokerlab.compile("leduc"), pokerlab.compile("leduc:suits=4")
    assert two.X.sequences == four.X.sequences
    assert pokerlab.solve(two, "lp").value != pytest.approx(pokerlab.solve(four, "lp").value, abs=1e-3)


def test_suit_isomorphism_loses_nothing():
    """The equilibrium without suits is one of the game with suits: nobody gains by telling them apart."""
    game = pokerlab.compile("rhode-island:ranks=3,suits=2,raises=1")
    solution = pokerlab.solve(game, "lp")
    explicit = ExplicitGame(game.origin.rules)
    policy = policy_of(solution.strategy)
    assert explicit.best_response_value(policy, 0) == pytest.approx(solution.value, abs=1e-9)
    assert explicit.best_response_value(policy, 1) == pytest.approx(-solution.value, abs=1e-9)


@pytest.mark.parametrize("pair", ["JQ.K-FULL", "J.QK-JQK", "J.Q.K", "FULL-J.Q.K", "JQ.K/J.QK-J.Q.K/JQ.K"])
def test_an_abstract_game_is_the_full_one_between_maps(pair):
    """compile(rules, abstraction) has the payoff M1' A M2 of tie maps on the full game."""
    full, small = pokerlab.compile("leduc"), pokerlab.compile("leduc", pair)
    maps = []
    for player, tree in enumerate(full.trees):
        seen = small.origin.sights[player].seen
        rounds = [n.state.round for n in full.origin.nodes if n.state.actor == player]
        maps.append(tie_map(tree, np.concatenate([seen[r] for r in rounds])))
    between = restrict(full, *maps)
    assert [t.sequences for t in between.trees] == [t.sequences for t in small.trees]
    difference = between.A.to_sparse() - small.A.to_sparse()
    assert abs(difference).max() < 1e-14
    for mine, theirs in zip(between.trees, small.trees, strict=True):
        assert np.array_equal(mine.blocks.parent, theirs.blocks.parent)


def test_payoff_of_a_seat_swap():
    """With the same cards and bets for both, the sum of all joint probabilities is one and showdowns cancel."""
    deals = pokerlab.compile("leduc:ranks=5,suits=3").origin.deals
    for joint in deals.joint:
        assert joint.sum() == pytest.approx(1.0)
        assert abs(joint - joint.T).max() < 1e-15
    assert abs(deals.showdown + deals.showdown.T).max() < 1e-15


def test_labels_and_lookup():
    profile = pokerlab.uniform_profile(pokerlab.compile("leduc"))
    assert profile.at(0, "", "K") == {"c": 0.5, "r": 0.5}
    assert profile.at(1, "cc/r", "K/Q") == pytest.approx({"f": 1 / 3, "c": 1 / 3, "r": 1 / 3})
    with pytest.raises(PokerlabError, match="no infoset"):
        profile.at(0, "rrrr", "K")
    assert "cr/" not in str(profile)
    assert "K/Q" in str(profile)


def test_what_cannot_be_compiled_says_why():
    with pytest.raises(GameTooLarge, match="holdem-limit has about"):
        pokerlab.compile("holdem-limit")
    with pytest.raises(AbstractionError, match="abstractions are for two"):
        pokerlab.compile("kuhn-3p", "JQ.KA")
    with pytest.raises(AbstractionError, match="does not fit the deck"):
        pokerlab.compile("leduc:ranks=4", "J.Q.K")


def test_three_ranks_of_leduc_by_game_definition_file(tmp_path):
    path = tmp_path / "mine.game"
    path.write_text(pokerlab.rules_of("leduc").text())
    assert pokerlab.solve(str(path), "lp").value == pytest.approx(pokerlab.solve("leduc", "lp").value, abs=1e-12)


def test_who_has_not_acted_has_one_sequence():
    """The first may fold to the second's larger blind, who then has done nothing."""
    rules = replace(pokerlab.rules_of("leduc"), blinds=(1, 2))
    shapes = [group.matrix.shape for group in pokerlab.compile(rules).A.groups]
    assert (3, 1) in shapes
    assert all(height in (3, 9) for height, _ in shapes)


def test_ancestors_over_three_rounds():
    sight = pokerlab.compile("rhode-island:ranks=3,suits=2").origin.sights[0]
    last, second, first = np.arange(sight.sizes[2]), sight.parents[2], sight.parents[1]
    assert sight.ancestors(2, 2).tolist() == last.tolist()
    assert sight.ancestors(2, 1).tolist() == second.tolist()
    assert sight.ancestors(2, 0).tolist() == first[second].tolist()
    assert sight.ancestors(2, -1).tolist() == [0] * len(last)
