"""What a resolving agent gains on its blueprint: river values against a twin that plays hand against hand."""

import random

import numpy as np
import pytest

from far_away import far_away
from pokerlab.agents.resolving import ResolvingAgent
from pokerlab.agents.simple import Call, Probe
from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import COUNT, HOLES
from pokerlab.errors import PokerlabError
from pokerlab.game.hand import new_hand
from pokerlab.match.gain import gain_on_blueprint, river_of, river_value
from pokerlab.match.play import deals, play_hand
from small_blueprint import small_agent

BLUEPRINT = small_agent()
RULES = BLUEPRINT.blueprint.rules


def river_views(count):
    found = []
    for cards in deals(RULES, 4, 50):
        view = river_of(play_hand(RULES, [Call(), Call()], cards, random.Random(0)))
        found.append(view)
        if len(found) == count:
            return found
    return found


def naive_value(view, agents, ranges):
    """Every hand against every hand, each played out by asking for that hand alone."""
    total = mass = 0.0
    for first in np.flatnonzero(ranges[0]):
        for second in np.flatnonzero(ranges[1]):
            holes = tuple(map(int, HOLES[first])), tuple(map(int, HOLES[second]))
            if len({*holes[0], *holes[1], *view.board}) < 9:
                continue
            weight = ranges[0][first] * ranges[1][second]
            mass += weight
            hand = new_hand(RULES)._replace(
                holes=holes, board=view.board, actions=view.actions, ends=view.ends, betting=view.betting
            )
            total += weight * played_out(hand, agents)
    return total / mass


def played_out(hand, agents):
    if hand.finished:
        return hand.payoffs()[0]
    odds = agents[hand.actor].act(hand.view(hand.actor))
    return sum(chance * played_out(hand.act(action), agents) for action, chance in odds.items())


@pytest.mark.parametrize("agents", [(BLUEPRINT, BLUEPRINT), (BLUEPRINT, Call()), (Probe(), BLUEPRINT)])
def test_river_values_against_the_twin(agents):
    rng, view = np.random.default_rng(0), river_views(1)[0]
    free = np.flatnonzero(~np.isin(HOLES, view.board).any(axis=1))
    ranges = np.zeros(COUNT), np.zeros(COUNT)
    for weights in ranges:
        weights[rng.choice(free, 2, replace=False)] = rng.random(2)
    assert river_value(view, agents, ranges) == pytest.approx(naive_value(view, agents, ranges), abs=1e-6)


def test_values_of_hands_that_only_call_are_showdowns():
    view = river_views(1)[0]
    everything = (~np.isin(HOLES, view.board).any(axis=1)).astype(float)
    assert river_value(view, (Call(), Call()), (everything, everything)) == pytest.approx(0)
    best = np.zeros(COUNT)
    values = [evaluate([[*hole, *view.board]])[0] if free else 0 for hole, free in zip(HOLES, everything, strict=True)]
    best[int(np.argmax(values))] = 1.0
    assert river_value(view, (Call(), Call()), (best, everything)) > 0.9 * view.betting.pot / 2


def test_rivers_that_were_not_bet_on_are_none():
    hand = new_hand(RULES).dealt((0, 1, 2, 3)).act(2000).act(0)
    assert river_of(hand.dealt((10, 20, 30, 40, 50))) is None
    assert river_of(new_hand(RULES).dealt((0, 1, 2, 3)).act(-1)) is None


def test_comparing_elsewhere_changes_nothing():
    agent = ResolvingAgent(BLUEPRINT, iterations=3, threads=1)
    here, there = (gain_on_blueprint(agent, 150, seed=3, executor=executor) for executor in (None, far_away))
    assert np.array_equal(here.winnings, there.winnings)
    assert len(here.by_river) == np.count_nonzero(here.winnings) > 1


def test_ctrl_c_keeps_the_deals_before_the_first_that_is_missing():
    agent = ResolvingAgent(BLUEPRINT, iterations=3, threads=1)
    whole = gain_on_blueprint(agent, 150, seed=3)
    rivers = np.flatnonzero(whole.winnings)

    def interrupted(function, tasks):
        yield from map(function, [tasks[0], *tasks[2:]])
        raise KeyboardInterrupt

    some = gain_on_blueprint(agent, 150, seed=3, executor=interrupted)
    assert some.winnings.tolist() == whole.winnings[: rivers[1]].tolist()
    assert len(some.by_river) == 1


@pytest.mark.slow
def test_an_agent_that_refines_gains():
    agent = ResolvingAgent(BLUEPRINT, iterations=60)
    found = gain_on_blueprint(agent, 60, seed=1, progress=False)
    assert len(found.winnings) == 60
    assert 0 < len(found.by_river) == np.count_nonzero(found.winnings)
    assert found.mean > 0
    summary = found.summary()
    assert summary["unit"] == "mbb/h"
    assert summary["rivers"] == len(found.by_river)
    assert gain_on_blueprint(agent, 60, seed=1, progress=False).mean == found.mean


def test_bad_input_is_refused():
    with pytest.raises(PokerlabError, match="from the river on"):
        gain_on_blueprint(ResolvingAgent(BLUEPRINT, from_round="turn", iterations=1), 10)
    with pytest.raises(PokerlabError, match="two deals"):
        gain_on_blueprint(ResolvingAgent(BLUEPRINT, iterations=1), 1)
