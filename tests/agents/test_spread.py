"""A distribution with a rule for amounts is the one with all of them written out, for everybody who reads one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pokerlab
from pokerlab.agents.agent import Agent, Spread, choose
from pokerlab.agents.asking import choices
from pokerlab.agents.simple import Random, Uniform
from pokerlab.agents.table import tabulate
from pokerlab.errors import IllegalAction
from pokerlab.game.betting import CALL, FOLD, Legal
from pokerlab.match.client import deal_to_agents
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.play import play_match
from randomly import hand_states

NO_LIMIT = pokerlab.rules_of("holdem-nolimit")


class WrittenOut(Agent):
    """The naive twin: every amount in a dictionary, by the agents' descriptions and not by their code."""

    def __init__(self, kind):
        self.kind, self.name = kind, kind.name

    def act(self, view):
        legal = view.legal
        if self.kind is Uniform:
            actions = list(legal.actions())
            return {action: 1 / len(actions) for action in actions}
        kinds = [[FOLD]] * legal.fold + [[CALL]] + [list(legal.raises)] * bool(legal.raises)
        return {action: 1 / len(kinds) / len(kind) for kind in kinds for action in kind}


@st.composite
def spreads(draw):
    """A legal distribution and what is legal: few or many raises, all of them or some, with or without names."""
    low, count = draw(st.integers(1, 500)), draw(st.integers(1, 2000))
    raises = draw(st.sampled_from([range(low, low + count), tuple(range(low, low + 7 * (count % 40 + 1), 7))]))
    first = draw(st.integers(0, len(raises) - 1))
    some = raises[first : first + draw(st.integers(0, len(raises)))]
    names = [FOLD, CALL, *(amount for amount in raises[-1:] if amount not in some)]
    named = draw(st.dictionaries(st.sampled_from(names), st.floats(0.01, 1), min_size=not some))
    share = draw(st.floats(0, 1)) if named and some else 1.0 if some else 0.0
    scale = (1 - share) / sum(named.values()) if named else 0.0
    named = {action: weight * scale for action, weight in named.items()}
    return Spread(named, some, share / max(1, len(some))), Legal(True, raises)


@given(spreads(), st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=20))
def test_it_is_the_mapping_that_it_stands_for(spread_legal, uniforms):
    spread, legal = spread_legal
    written = {**spread.named, **dict.fromkeys(spread.raises, spread.each)}
    assert list(spread.items()) == list(written.items())
    assert len(spread) == len(written)
    assert spread == written
    for action in (FOLD, CALL, *legal.raises[:3], *legal.raises[-3:], 10**6):
        assert (action in spread, spread.get(action, -1.0)) == (action in written, written.get(action, -1.0))
    borders = np.cumsum(list(written.values()))
    for uniform in uniforms:
        if np.abs(borders - uniform).min() > 1e-9:
            assert choose(spread, legal, uniform) == choose(written, legal, uniform)


def test_the_ends_of_every_part():
    legal = Legal(True, range(200, 210))
    spread = Spread({FOLD: 0.25, CALL: 0.25}, legal.raises, 0.05)
    picked = [choose(spread, legal, uniform) for uniform in (0, 0.249, 0.25, 0.499, 0.501, 0.549, 0.551, 0.999)]
    assert picked == [FOLD, FOLD, CALL, CALL, 200, 200, 201, 209]
    assert choose(Spread({CALL: 1 - 1e-7}, (10, 20), 1e-320), Legal(True, (10, 20)), 1 - 1e-8) == 20
    assert choose(Spread({CALL: 1.0}, (), 0.0), Legal(True, ()), 0.99) == CALL


@pytest.mark.parametrize(
    ("named", "raises", "each"),
    [
        ({CALL: 0.5}, range(200, 300), 0.004),  # sums to 0.9
        ({CALL: 0.5}, range(200, 300), -0.005),
        ({CALL: 0.5}, range(200, 300), float("nan")),
        ({CALL: 0.5}, range(199, 299), 0.005),  # below the least
        ({CALL: 0.5}, range(300, 402), 0.5 / 102),  # above the most
        ({CALL: 0.5}, range(200, 300, 2), 0.01),  # not neighbours
        ({150: 0.5}, range(200, 300), 0.005),
        ({CALL: 1.5, FOLD: -1.0}, range(200, 300), 0.005),
        ({}, (), 0.0),
    ],
)
def test_what_is_no_distribution_over_legal_actions_is_refused(named, raises, each):
    with pytest.raises(IllegalAction):
        choose(Spread(named, raises, each), Legal(True, range(200, 401)), 0.1)


def test_an_amount_has_one_probability():
    with pytest.raises(IllegalAction, match=r"raises to \[250\]"):
        Spread({CALL: 0.5, 250: 0.1}, range(200, 300), 0.004)


def views(rules):
    for seed in range(4):
        yield from (hand.view(hand.actor) for hand in hand_states(rules, seed) if hand.actor is not None)


@pytest.mark.parametrize("kind", [Random, Uniform])
@pytest.mark.parametrize("game", ["holdem-limit-3p", "leduc-nl", "holdem-nolimit"])
def test_agents_answer_as_if_all_amounts_were_written_out(kind, game):
    rules, asked = pokerlab.rules_of(game), 0
    for view in views(rules):
        assert kind().act(view) == WrittenOut(kind).act(view)
        asked += 1
    assert asked > 10
    assert choices(kind(), view) == choices(WrittenOut(kind), view)
    mine, theirs = kind().answers(view), WrittenOut(kind).act(view)
    assert list(mine) == list(theirs)
    assert all(set(mine[action]) == {odds} for action, odds in theirs.items())


@pytest.mark.parametrize("kind", [Random, Uniform])
def test_the_same_seed_plays_the_same_hands(kind):
    def hands(*agents):
        seen = []
        play_match(NO_LIMIT, agents, 15, seed=3, watch=lambda number, turn, hand, seats: seen.append(hand))
        return seen

    assert hands(kind(), kind()) == hands(WrittenOut(kind), WrittenOut(kind))


def test_a_dealer_tables_and_local_best_response_read_it():
    agents = [Random(), Uniform()], [WrittenOut(Random), WrittenOut(Uniform)]
    scores = [deal_to_agents(NO_LIMIT, pair, 10, 5).scores for pair in agents]
    assert scores[0] == scores[1]
    game = pokerlab.compile("leduc-nl")
    for mine, twin in zip(*agents, strict=True):
        assert np.array_equal(tabulate(mine, game, 1), tabulate(twin, game, 1))
    rules = pokerlab.rules_of("leduc-nl")
    lines = [local_best_response(agent, rules, 20).line() for agent in (Random(), WrittenOut(Random))]
    assert lines[0] == lines[1]
