"""Simple kinds among the opponents of a sampler: how often, what they do, and that they never learn."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pokerlab
from pokerlab.agents.blueprint import BlueprintAgent, blueprint_of, graph_of
from pokerlab.agents.blueprint_file import load_blueprint, save_blueprint
from pokerlab.agents.company import KINDS, MixedDeals
from pokerlab.agents.recipes import Recipe
from pokerlab.agents.simple import Call, Probe, Raise, Random
from pokerlab.agents.training import sampler_of
from pokerlab.errors import SolverError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.match.play import play_match
from pokerlab.solvers.sampling.holdem import HoldemDeals
from pokerlab.solvers.sampling.randomness import streams
from randomly import hand_states
from rank_cards import RankCards

THREE = pokerlab.rules_of("holdem-limit-3p")


def recipe(memory, company):
    return Recipe("three", "", "holdem-limit-3p", "cap 2 1 1 1", memory, "", 1.0, company)


def test_who_is_of_a_kind():
    plain = HoldemDeals(THREE, RankCards())
    mixed = MixedDeals(plain, 0.3)
    assert mixed.buckets == [[10] * 4] * 3
    found, same, codes = np.zeros((6000, 3, 4), np.int32), np.zeros((6000, 3, 4), np.int32), np.zeros(6000, np.int32)
    mixed.fill(streams(1, 1)[0], found, codes)
    plain.fill(streams(1, 1)[0], same, codes)
    simple = found[:, :, 0] >= 6
    walker = np.arange(6000)[:, None] % 3 == np.arange(3)
    assert not simple[walker].any()
    assert simple[~walker].mean() == pytest.approx(0.3, abs=0.02)
    assert (found[simple] == found[simple][:, :1]).all()  # for the whole hand
    assert np.bincount(found[simple][:, 0])[6:] / simple.sum() == pytest.approx(np.full(4, 0.25), abs=0.03)
    assert np.array_equal(found[~simple], same[~simple])
    with pytest.raises(SolverError, match="above 0 and below 1"):
        MixedDeals(plain, 1.0)


@pytest.mark.parametrize("memory", ["hand", "round"])
def test_kinds_do_what_simple_agents_do_and_never_learn(memory):
    sampler = sampler_of(recipe(memory, 0.5), RankCards())
    sampler.step(3000)
    graph, agents = sampler.graph, (Call(), Raise(), Probe(), Random())
    assert len(agents) == len(KINDS)
    met = 0
    for seed in range(30):
        for hand in hand_states(THREE, seed):
            if hand.actor is None:
                continue
            try:
                node, base = graph.follow(hand.actions)
            except SolverError:
                break
            legal = graph.states[node].legal()
            choices = graph.actions[node]
            for kind, agent in enumerate(agents):
                at = base + 2 * len(choices) * (6 + kind)
                regrets = sampler.cells[at : at + len(choices)].astype(float)
                view = hand.view(hand.actor)._replace(
                    legal=legal._replace(raises=tuple(c for c in choices if c > CALL))
                )
                expected = agent.act(view)
                assert regrets / regrets.sum() == pytest.approx([expected.get(c, 0.0) for c in choices], abs=1e-6)
                met += 1
    assert met > 400


def test_the_blueprint_has_rows_for_hands_only_where_hands_fall():
    sampler = sampler_of(recipe("round", 0.2), RankCards())
    sampler.step(2000)
    blueprint = blueprint_of(sampler, "cap 2 1 1 1", "round", RankCards(), {})
    assert blueprint.spare == len(KINDS)
    assert blueprint.graph.cells == sampler.graph.cells
    result = play_match(THREE, [BlueprintAgent(blueprint), Random(), Raise()], 30, duplicate=True)
    assert np.isfinite(result.mean).all()
    assert FOLD in blueprint.graph.actions[0]


def test_a_blueprint_with_company_is_read_again(tmp_path):
    """Its file says how many kinds there were: the loader takes as many as there are."""
    path = Path(__file__).parents[1] / "files" / "limit.blueprint"
    plain = load_blueprint(path)
    counts = [count + len(KINDS) for count in plain.cards.counts]
    size = graph_of(plain.rules, plain.bets, plain.memory, counts).cells // 2
    company = replace(plain, strategy=np.ones(size, np.uint8), spare=len(KINDS), path="")
    save_blueprint(company, tmp_path / "company.blueprint")
    again = load_blueprint(tmp_path / "company.blueprint")
    assert again.spare == len(KINDS)
    assert (again.strategy == company.strategy).all()
