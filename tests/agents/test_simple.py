"""The simple agents do what their names say, at every decision of random hands."""

import numpy as np
import pytest

import pokerlab
from pokerlab.agents.agent import Agent, choose
from pokerlab.agents.simple import SIMPLE, Raise
from pokerlab.errors import IllegalAction
from pokerlab.game.betting import CALL, FOLD, Legal
from randomly import hand_states

GAMES = ["kuhn-3p", "leduc", "leduc-nl", "holdem-limit", "holdem-nolimit"]


def views(name):
    for seed in range(10):
        for hand in hand_states(pokerlab.rules_of(name), seed):
            if hand.actor is not None:
                yield hand.view(hand.actor)


@pytest.mark.parametrize("game", GAMES)
def test_answers_are_distributions_over_legal_actions(game):
    for view in views(game):
        for maker in SIMPLE.values():
            answer = maker().act(view)
            assert sum(answer.values()) == pytest.approx(1.0)
            assert all(action in view.legal for action in answer)


@pytest.mark.parametrize("game", GAMES)
def test_each_is_true_to_its_name(game):
    answers = {name: maker() for name, maker in SIMPLE.items()}
    for view in views(game):
        legal = view.legal
        assert answers["call"].act(view) == {CALL: 1.0}
        assert answers["fold"].act(view) == ({FOLD: 1.0} if legal.fold else {CALL: 1.0})
        assert answers["raise"].act(view) == ({legal.raises[0]: 1.0} if legal.raises else {CALL: 1.0})
        assert FOLD not in answers["probe"].act(view)
        uniform = answers["uniform"].act(view)
        assert set(uniform) == set(legal.actions())
        assert len(set(uniform.values())) == 1
        random = answers["random"].act(view)
        kinds = [random.get(FOLD, 0), random[CALL], sum(random[r] for r in legal.raises)]
        assert {round(kind, 9) for kind in kinds} <= {0, round(random[CALL], 9)}


def test_raise_by_a_fraction_of_the_pot():
    rules = pokerlab.rules_of("holdem-nolimit")
    hand = next(h for h in hand_states(rules, 1) if h.actor is not None)
    view = hand.view(hand.actor)
    assert Raise(size=100).act(view) == {300: 1.0}  # pot after calling is 200
    assert Raise(size=10**6).act(view) == {20000: 1.0}


def test_choose_follows_the_probabilities():
    legal = Legal(True, (10, 20))
    rng = np.random.default_rng(0)
    odds = {FOLD: 0.2, CALL: 0.5, 20: 0.3}
    picks = [choose(odds, legal, u) for u in rng.random(20_000)]
    for action, chance in odds.items():
        assert picks.count(action) / 20_000 == pytest.approx(chance, abs=0.02)
    assert choose({CALL: 0.7, 10: 0.3 - 1e-9}, legal, 1 - 1e-12) == 10


@pytest.mark.parametrize(
    "odds", [{CALL: 0.5}, {CALL: 1.2, FOLD: -0.2}, {15: 1.0}, {CALL: float("nan")}, {}, {CALL: 0.9, 15: 0.1}]
)
def test_choose_refuses_what_is_no_distribution_over_legal_actions(odds):
    with pytest.raises(IllegalAction):
        choose(odds, Legal(True, (10, 20)), 0.99)


def test_an_agent_must_say_how_it_acts():
    with pytest.raises(IllegalAction, match="does not say"):
        Agent().act(next(views("leduc")))
