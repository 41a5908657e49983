"""AIVAT of one known seat: without bias, by all hands of small games; and of hold'em by its parts and by many hands."""

import random

import numpy as np
import pytest

from every_hand import setting
from pokerlab.agents.simple import Call, Probe, Random
from pokerlab.agents.table import TableAgent
from pokerlab.cards.equity import showdown_equity
from pokerlab.cards.holes import holes_of
from pokerlab.errors import PokerlabError
from pokerlab.form.strategy import uniform_profile
from pokerlab.game.betting import CALL
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.aivat_seat import SeatAivat
from pokerlab.match.play import play_hand
from small_blueprint import small_agent


class Remembering(TableAgent):
    """Asked once for each point."""

    def __init__(self, profile):
        super().__init__(profile)
        self.known = {}

    def answers(self, view):
        key = view.actions, view.board, view.seat
        if key not in self.known:
            self.known[key] = super().answers(view)
        return self.known[key]


def without_cards(hand, seat):
    """What is left of a hand for who must not see the cards in a seat."""
    return hand._replace(holes=tuple(() if s == seat else hole for s, hole in enumerate(hand.holes)))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "no-limit", "one round"])
def test_its_mean_is_the_exact_value(name, seat):
    """Over all hands between two random strategies, of which one is known; its cards are not looked at."""
    profile, value, hands = setting(name)
    estimator = SeatAivat(hands[0][1].rules, Remembering(profile))
    chances = np.array([chance for chance, _ in hands])
    free = np.array([estimator(without_cards(hand, 1 - seat), seat) for _, hand in hands])
    money = np.array([hand.payoffs()[seat] for _, hand in hands])
    assert chances @ free == pytest.approx(value if seat == 0 else -value, abs=1e-9)
    deviation, of_money = (np.sqrt(chances @ (one - chances @ one) ** 2) for one in (free, money))
    assert deviation < 0.95 * of_money


def test_a_strategy_that_is_not_played_is_biased():
    """The test above can fail: the estimator is told that another strategy is played."""
    profile, value, hands = setting("kuhn")
    estimator = SeatAivat(hands[0][1].rules, Remembering(uniform_profile(profile.game)))
    mean = sum(chance * estimator(hand, 0) for chance, hand in hands)
    assert abs(mean - value) > 0.01


@pytest.mark.parametrize("game", ["holdem-limit", "holdem-nolimit:stack=2000"])
def test_who_only_calls_leaves_the_cards_alone_to_luck(game):
    """Both check and call: an estimate of nothing at all."""
    rules, rng = rules_of(game), random.Random(3)
    estimator = SeatAivat(rules, Call())
    for seat in (0, 1):
        hand = play_hand(rules, [Call(), Call()], rng.sample(range(52), 9), rng)
        assert estimator(hand, seat) == pytest.approx(0, abs=1e-9)


def test_signs_are_those_of_all_boards():
    rules = rules_of("holdem-limit")
    estimator, holes = SeatAivat(rules, Call()), holes_of(52, 2)
    for board in ((0, 5, 10), (0, 5, 10, 20), (0, 5, 10, 20, 31)):
        signs = estimator._signs(holes.index((34, 37)), board)
        for other in ((1, 2), (40, 51), (7, 36)):
            share = showdown_equity([(34, 37), other], board, 5)[0]
            assert signs[holes.index(other)] == pytest.approx(2 * share - 1)


@pytest.mark.parametrize("agent", [small_agent(1), Probe()], ids=["blueprint", "probe"])
def test_of_many_hands_the_mean_is_that_of_the_money(agent):
    rules = getattr(agent, "rules", None) or rules_of("holdem-limit")
    estimator, rng, money, free = SeatAivat(rules, agent), random.Random(8), [], []
    person = Random() if rules.limit else small_agent(2)
    for number in range(120):
        seat = number % 2
        agents = [person, agent] if seat == 0 else [agent, person]
        hand = play_hand(rules, agents, rng.sample(range(52), 9), rng)
        money.append(hand.payoffs()[seat])
        free.append(estimator(without_cards(hand, 1 - seat), seat))
    difference = np.subtract(money, free)
    assert abs(difference.mean()) < 4 * difference.std() / len(difference) ** 0.5
    assert np.std(free) < 0.8 * np.std(money)


def test_what_it_cannot_tell_is_refused():
    leduc = rules_of("leduc")
    with pytest.raises(PokerlabError, match="for two players"):
        SeatAivat(rules_of("kuhn-3p"), Call())
    with pytest.raises(PokerlabError, match="finished hand"):
        SeatAivat(leduc, Call())(new_hand(leduc).deal((0, 1)), 0)
    raised = new_hand(rules_of("kuhn")).deal((0, 1)).act(CALL).act(2).act(CALL)
    with pytest.raises(PokerlabError, match="as its strategy never does"):
        SeatAivat(rules_of("kuhn"), Call())(raised, 0)
