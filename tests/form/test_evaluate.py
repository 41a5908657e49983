"""Exact invariants of value, best response and exploitability."""

import numpy as np
import pytest

import pokerlab
from pokerlab.form.strategy import profile_of_plans
from random_games import random_game


@pytest.mark.parametrize("seed", range(10))
def test_a_best_response_is_never_worse_and_its_value_is_attained(seed):
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    profile = pokerlab.random_profile(game, rng)
    found = pokerlab.evaluate(profile)
    assert found.responses[0] >= found.value - 1e-12
    assert found.responses[1] >= -found.value - 1e-12
    assert found.exploitability >= -1e-12
    for player in range(2):
        value, behaviour = pokerlab.best_response(profile, player)
        pair = [profile[0], profile[1]]
        pair[player] = behaviour
        attained = pokerlab.evaluate(pokerlab.Profile(game, tuple(pair))).value
        assert (attained if player == 0 else -attained) == pytest.approx(value, abs=1e-12)


def test_by_seat_adds_up_to_twice_the_mean():
    game = pokerlab.compile("leduc")
    value = pokerlab.solve(game, "lp").value
    found = pokerlab.evaluate(pokerlab.uniform_profile(game))
    first, second = found.by_seat(value)
    assert first + second == pytest.approx(2 * found.exploitability)
    assert min(first, second) > 0


def test_kuhn_equilibrium_of_the_textbook():
    """Player 1 bets a King three times as often as a Jack (alpha), and calls with a Queen at alpha + 1/3."""
    strategy = pokerlab.solve("kuhn", "lp").strategy
    alpha = strategy.at(0, "", "J")["r"]
    assert 0 <= alpha <= 1 / 3 + 1e-9
    assert strategy.at(0, "", "K")["r"] == pytest.approx(3 * alpha, abs=1e-9)
    assert strategy.at(0, "", "Q")["r"] == pytest.approx(0, abs=1e-9)
    assert strategy.at(0, "cr", "Q")["c"] == pytest.approx(alpha + 1 / 3, abs=1e-9)
    assert strategy.at(1, "c", "J")["r"] == pytest.approx(1 / 3, abs=1e-9)
    assert strategy.at(1, "r", "Q")["c"] == pytest.approx(1 / 3, abs=1e-9)


def test_behaviour_where_a_plan_never_goes_is_a_best_response():
    """A player who always bets still answers a bet after a check sensibly: Kuhn's King calls, the Jack folds."""
    game = pokerlab.compile("kuhn")
    always = game.X.uniform()
    for public, state, _ in pokerlab.uniform_profile(game).rows(0):
        if public == "":
            i = "JQK".index(state)
            always[1 + i], always[4 + i] = 0.0, 1.0
    plans = (game.X.realize(always), game.Y.realize(game.Y.uniform()))
    profile = profile_of_plans(game, plans)
    assert profile.at(0, "", "J") == {"c": 0.0, "r": 1.0}
    assert profile.at(0, "cr", "K") == {"f": 0.0, "c": 1.0}
    assert profile.at(0, "cr", "J") == {"f": 1.0, "c": 0.0}
