"""Abstract strategies in the full game."""

import numpy as np
import pytest

import pokerlab
from explicit_tree import ExplicitGame, policy_of
from pokerlab.errors import AbstractionError
from pokerlab.form.lift import lift


@pytest.mark.parametrize(
    ("game", "pair"),
    [("leduc", "JQ.K-J.QK"), ("leduc", "JQ.K/~pair.nopair"), ("leduc", "JQK-FULL"), ("leduc-nl", "hpa"),
     ("leduc-nl", "JQ.K+pa-a"), ("leduc-nl", "FULL-hpda")],
)  # fmt: skip
def test_two_lifted_players_meet_as_in_the_abstract_game(game, pair):
    """Real play between them stays where both understand it, so its value is the abstract one."""
    small, full = pokerlab.compile(game, pair), pokerlab.compile(game)
    profile = pokerlab.random_profile(small, np.random.default_rng(2))
    lifted = lift(profile, full)
    assert pokerlab.evaluate(lifted).value == pytest.approx(pokerlab.evaluate(profile).value, abs=1e-12)


def test_the_explicit_tree_agrees():
    small = pokerlab.compile("leduc", "JQ.K-FULL")
    profile = pokerlab.random_profile(small, np.random.default_rng(4))
    explicit = ExplicitGame(small.origin.rules)
    policy = policy_of(profile)
    found = pokerlab.evaluate(lift(profile))
    assert found.responses[1] == pytest.approx(explicit.best_response_value(policy, 1), abs=1e-10)


def test_a_full_profile_is_its_own_lift():
    profile = pokerlab.uniform_profile(pokerlab.compile("kuhn"))
    assert lift(profile) is profile


def test_a_player_who_thinks_the_hand_is_over_checks_and_calls():
    """Against an opponent believed to bet all-in only, a small real bet that is called leaves no plan."""
    small, full = pokerlab.compile("leduc-nl", "FULL-a"), pokerlab.compile("leduc-nl")
    behaviour = [small.X.uniform(), small.Y.uniform()]
    lifted = lift(pokerlab.Profile(small, tuple(behaviour)), full)
    # Player 1 checks, player 2 bets 1 chip (taken for all-in); calling it means all the chips.
    odds = lifted.at(0, "cr2", "K")
    assert odds["c"] == 0
    assert odds["r12"] == pytest.approx(0.5)
    assert odds["f"] == pytest.approx(0.5)


def test_lift_refuses_another_game():
    profile = pokerlab.uniform_profile(pokerlab.compile("leduc", "JQ.K"))
    with pytest.raises(AbstractionError, match="not the full game"):
        lift(profile, pokerlab.compile("kuhn"))
    with pytest.raises(AbstractionError, match="not compiled from rules"):
        lift(pokerlab.uniform_profile(pokerlab.matrix_game([[1.0, 2.0]])))
