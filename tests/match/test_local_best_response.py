"""Local best response: chances against each hand, what simple agents lose to it, and that it is not biased."""

import numpy as np
import pytest

import pokerlab
from far_away import far_away
from pokerlab.agents.agent import Agent
from pokerlab.agents.blueprint import BlueprintAgent, blueprint_of
from pokerlab.agents.recipes import Recipe
from pokerlab.agents.simple import SIMPLE, Call, Fold, Raise
from pokerlab.agents.training import sampler_of
from pokerlab.cards.equity import showdown_equity
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.errors import PokerlabError
from pokerlab.game.bet_sizes import Size
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.match import kernels
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.play import play_match
from pokerlab.match.showdowns import showdowns_of
from rank_cards import RankCards

LIMIT, NOLIMIT = pokerlab.rules_of("holdem-limit"), pokerlab.rules_of("holdem-nolimit")


@pytest.fixture(scope="module")
def agent():
    recipe = Recipe("small", "", "holdem-limit", "all", "hand", "", 1.0)
    sampler = sampler_of(recipe, RankCards())
    sampler.step(3000)
    return BlueprintAgent(blueprint_of(sampler, recipe.bets, recipe.memory, RankCards(), {}))


@pytest.mark.parametrize("size", [3, 4, 5])
def test_chances_against_each_hand(size):
    """The kernel against equities of two hands, on all boards to come."""
    cards = np.random.default_rng(size).permutation(52).tolist()
    hole, board = tuple(cards[:2]), tuple(cards[2 : 2 + size])
    found = showdowns_of(LIMIT).share(hole_number(hole), board)
    for number in np.random.default_rng(1).integers(0, 1326, 12):
        other = tuple(HOLES[number].tolist())
        if set(other) & {*hole, *board}:
            assert found[number] == 0
        else:
            assert found[number] == pytest.approx(showdown_equity([hole, other], board, 5)[0])


def test_boards_with_our_cards_do_not_count():
    won, met = np.zeros(1326), np.zeros(1326)
    boards = np.array([[0, 10, 20, 30, 40], [1, 11, 21, 31, 41]], np.uint8)
    kernels.hand_shares(tables(), boards, HOLES, hole_number((0, 51)), won, met)
    assert met.max() == 1
    assert met[hole_number((1, 50))] == 0
    assert (won <= met).all()


def test_asking_hand_by_hand_is_asking_at_once(agent):
    class Slow(Agent):
        def act(self, view):
            return agent.act(view)

    view = parse_hand(LIMIT, "rc/r", "|AsKd/2c3c4d").view(0)
    at_once, slowly = agent.answers(view), Slow().answers(view)
    free = sum(slowly.values()) > 0
    assert free.sum() == 49 * 48 // 2
    for action, odds in at_once.items():
        assert odds[free] == pytest.approx(slowly[action][free])


@pytest.mark.parametrize("rules", [LIMIT, NOLIMIT])
def test_one_who_folds_loses_his_blinds(rules):
    """A raise wins the big blind in one seat, and the small blind folds in the other: 750."""
    found = local_best_response(Fold(), rules, 30, seed=3)
    assert abs(found.mean - 750) < 2 * found.ci95
    assert found.summary()["deals"] == 30


def test_one_who_calls_loses_more_with_more_to_bet():
    """The best response to a caller bets whenever it is ahead."""
    small, large = (local_best_response(Call(), LIMIT, 25, first_round=first, seed=1) for first in (4, 0))
    assert abs(small.mean) < 3 * small.ci95
    assert large.mean > small.mean
    wild = local_best_response(Call(), NOLIMIT, 10, seed=1, sizes=(Size(100),))
    assert wild.unit == "mbb/h"


@pytest.mark.slow
def test_it_wins_what_it_says(agent):
    """A player who only calls wins the same from the agent hand by hand at the table."""
    found = local_best_response(agent, LIMIT, 500, first_round=4, seed=5)
    played = play_match(LIMIT, [Call(), agent], 2000, duplicate=True, seed=9)
    assert abs(found.mean - played.mean[0]) < 1.5 * (found.ci95 + played.ci95[0])
    assert local_best_response(agent, LIMIT, 150, seed=5).mean > found.mean


def test_same_seed_same_estimate(agent):
    first, second = (local_best_response(agent, LIMIT, 4, seed=7) for _ in range(2))
    assert np.array_equal(first.winnings, second.winnings)


def test_pieces_of_deals_elsewhere(agent, monkeypatch):
    """The same on any executor; the first piece is as without one."""
    monkeypatch.setattr("pokerlab.match.local_best_response._DEALS_A_TASK", 3)
    here, there = (local_best_response(agent, LIMIT, 7, seed=7, executor=executor) for executor in (map, far_away))
    assert np.array_equal(here.winnings, there.winnings)
    alone = local_best_response(agent, LIMIT, 7, seed=7).winnings
    assert np.array_equal(here.winnings[:3], alone[:3])
    assert not np.array_equal(here.winnings, alone)

    def interrupted(function, tasks):
        yield function(tasks[1])
        raise KeyboardInterrupt

    some = local_best_response(agent, LIMIT, 7, seed=7, executor=interrupted)
    assert np.array_equal(some.winnings, here.winnings[3:6])


def test_errors():
    with pytest.raises(PokerlabError, match="two players, not for holdem-limit-3p"):
        local_best_response(Raise(), pokerlab.rules_of("holdem-limit-3p"))
    with pytest.raises(PokerlabError, match="deals: a whole number from 1"):
        local_best_response(Raise(), LIMIT, 0)
    remembers = Raise()
    remembers.stateless = False
    with pytest.raises(PokerlabError, match="remembers past hands"):
        local_best_response(remembers, LIMIT)


@pytest.mark.parametrize("name", SIMPLE)
def test_simple_agents_answer_alike_for_all_hands(name):
    hand = new_hand(NOLIMIT)._replace(holes=((), ()))
    view, agent = hand.view(hand.actor), SIMPLE[name]()
    answers = {action: set(odds.tolist()) for action, odds in agent.answers(view).items()}
    assert answers == {action: {odds} for action, odds in agent.act(view).items()}
