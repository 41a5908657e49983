"""Chance of small games, listed: tables of Walker, codes, buckets, and public outcomes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pokerlab
from pokerlab.abstraction.small import parse_abstraction
from pokerlab.errors import SolverError
from pokerlab.game.deals import deals_of
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import ListedDeals, alias_table, showdown_codes
from pokerlab.solvers.sampling.public import ListedPublics
from pokerlab.solvers.sampling.randomness import streams
from pokerlab.solvers.sampling.sampler import Sampler, plan_of


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=50))
def test_walkers_table_gives_every_outcome_its_chance(weights):
    keep, other = alias_table(np.array(weights))
    chances = np.zeros(len(weights))
    for i, (probability, instead) in enumerate(zip(keep, other, strict=True)):
        assert -1e-9 <= probability <= 1
        chances[i] += probability / len(weights)
        chances[instead] += (1 - probability) / len(weights)
    assert chances == pytest.approx(np.array(weights) / sum(weights), abs=1e-9)


def test_codes_count_who_is_beaten():
    strengths = np.array([[5, 5, 5], [9, 1, 5], [1, 7, 7]])
    assert showdown_codes(strengths).tolist() == [0, 2 + 0 * 3 + 1 * 9, 0 + 1 * 3 + 1 * 9]


@pytest.mark.parametrize("name", ["kuhn", "leduc", "kuhn-3p", "leduc:ranks=13,suits=4"])
def test_deals_come_as_often_as_they_should(name):
    deals = deals_of(pokerlab.rules_of(name))
    source = ListedDeals(deals)
    n, (players, rounds) = 200_000, source.listed.shape[1:]
    buckets, codes = np.zeros((n, players, rounds), np.int32), np.zeros(n, np.int32)
    source.fill(streams(1, 1)[0], buckets, codes)
    keys, counts = np.unique(np.column_stack((buckets.reshape(n, -1), codes)), axis=0, return_counts=True)
    expected = {}
    for listed, code, chance in zip(
        source.listed.reshape(len(deals.chance), -1), source.codes, deals.chance, strict=True
    ):
        key = (*listed.tolist(), int(code))
        expected[key] = expected.get(key, 0) + chance
    chi = sum(n * (count / n - expected[tuple(key)]) ** 2 / expected[tuple(key)] for key, count in
              zip(keys.tolist(), counts, strict=True))  # fmt: skip
    assert abs(chi - len(expected)) < 6 * np.sqrt(2 * len(expected)) + 6


def test_buckets_are_those_of_the_abstraction():
    rules = pokerlab.rules_of("leduc")
    view, deals = parse_abstraction("JQ.K/~pair.nopair-FULL", rules), deals_of(rules)
    source = ListedDeals(deals, view)
    assert source.buckets == [[2, 2], [3, 9]]
    for d, seats in enumerate(deals.dealt):
        for player, last in enumerate(seats):
            buckets = view.of(player).buckets(deals)
            assert source.listed[d, player].tolist() == [buckets[0][deals.parents[1][last]], buckets[1][last]]


@pytest.mark.parametrize("name", ["kuhn-3p", "leduc", "rhode-island:ranks=3,suits=2"])
def test_public_outcomes_divide_the_deals(name):
    source = ListedDeals(deals_of(pokerlab.rules_of(name)))
    publics, players = ListedPublics(source).publics, source.listed.shape[1]
    outcomes = len(publics.keep)
    chances = np.zeros(outcomes)
    for g in range(outcomes):  # of the outcomes, by Walker's table
        chances[g] += publics.keep[g] / outcomes
        chances[publics.other[g]] += (1 - publics.keep[g]) / outcomes
    again, listed = {}, {}
    for g in range(outcomes):
        at = slice(publics.deal_start[g], publics.deal_start[g + 1])
        assert publics.chance[at].sum() == pytest.approx(1)
        for d in range(at.start, at.stop):
            hands = [publics.start[g * players + p] + publics.dealt[d, p] for p in range(players)]
            key = (*publics.bucket[:, hands].T.ravel().tolist(), int(publics.code[d]))
            again[key] = again.get(key, 0) + chances[g] * publics.chance[d]
        for p in range(players):
            mine = slice(publics.start[g * players + p], publics.start[g * players + p + 1])
            assert publics.prior[mine].sum() == pytest.approx(1)
    for row, code, chance in zip(source.listed, source.codes, source.deals.chance, strict=True):
        key = (*row.ravel().tolist(), int(code))
        listed[key] = listed.get(key, 0) + chance
    assert again == pytest.approx(listed)
    assert outcomes == {"kuhn-3p": 1, "leduc": 3}.get(name, outcomes)


def test_a_sampler_refuses_deals_of_another_game():
    leduc, kuhn = (ListedDeals(deals_of(pokerlab.rules_of(name))) for name in ("leduc", "kuhn"))
    with pytest.raises(SolverError, match="do not fit a graph"):
        Sampler(BettingGraph(pokerlab.rules_of("kuhn"), kuhn.buckets), leduc, plan_of("external"))
