"""Bridges: strategies at the table, agents as tables."""

import numpy as np
import pytest

import pokerlab
from explicit_tree import ExplicitGame, policy_of
from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Call, Fold, Random, Uniform
from pokerlab.agents.table import TableAgent, profile_of, tabulate
from pokerlab.errors import PokerlabError
from pokerlab.form.lift import lift
from pokerlab.game.betting import CALL


@pytest.mark.parametrize(
    ("name", "pair"),
    [("kuhn", "FULL"), ("leduc", "FULL"), ("leduc", "JQ.K"), ("leduc:ranks=5,suits=3", "FULL"),
     ("leduc-nl", "pa-hpda"), ("rhode-island:ranks=3,suits=2,raises=1", "FULL")],
)  # fmt: skip
def test_there_and_back(name, pair):
    """A table agent, tabulated, is the (lifted) table."""
    profile = pokerlab.random_profile(pokerlab.compile(name, pair), np.random.default_rng(1))
    agent = TableAgent(profile)
    full = pokerlab.compile(name)
    expected = lift(profile, full)
    for player in range(2):
        assert tabulate(agent, full, player) == pytest.approx(expected[player], abs=1e-12)


def test_simple_agents_as_tables():
    game = pokerlab.compile("leduc")
    assert tabulate(Uniform(), game, 0) == pytest.approx(game.X.uniform())
    profile = profile_of(Call(), Call(), game)
    assert pokerlab.evaluate(profile).value == pytest.approx(0, abs=1e-12)
    assert pokerlab.evaluate(profile_of(Fold(), Call(), "kuhn")).value == pytest.approx(0, abs=1e-12)
    random = profile_of(Random(), Random(), game)
    assert pokerlab.evaluate(random).value == pytest.approx(ExplicitGame(game.origin.rules).value(policy_of(random)))


class Rememberer(Agent):
    stateless = False


class Wrong(Agent):
    name = "wrong"

    def act(self, view):
        return {CALL: 0.5}


def test_what_cannot_be_tabulated():
    game = pokerlab.compile("leduc")
    with pytest.raises(PokerlabError, match="remembers"):
        tabulate(Rememberer(), game, 0)
    with pytest.raises(PokerlabError, match=r"agent 'wrong' failed .* add up to 0\.5"):
        tabulate(Wrong(), game, 0)
    with pytest.raises(PokerlabError, match="unabstracted"):
        tabulate(Call(), pokerlab.compile("leduc", "JQ.K"), 0)


def test_a_table_refuses_another_game():
    from pokerlab.game.hand import deal_random, new_hand

    agent = TableAgent(pokerlab.solve("kuhn", "lp"))
    hand = deal_random(new_hand(pokerlab.rules_of("leduc")), np.random.default_rng(0))
    with pytest.raises(PokerlabError, match="plays kuhn, not leduc"):
        agent.act(hand.view(0))
    with pytest.raises(PokerlabError, match="not compiled from rules"):
        TableAgent(pokerlab.Profile(pokerlab.matrix_game([[0.0]]), (np.ones(2), np.ones(2))))
