"""Graphs that forget earlier rounds: one place a state at a round's start and path since, and the walks stay right."""

from collections import defaultdict

import numpy as np
import pytest

import pokerlab
from pokerlab.abstraction.bets import parse_bets
from pokerlab.form.compile import compile
from pokerlab.game.betting import CALL, start_betting
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import ListedDeals
from pokerlab.solvers.sampling.forgetful import ForgetfulGraph
from pokerlab.solvers.sampling.sampler import Sampler, plan_of

THREE = pokerlab.rules_of("holdem-limit-3p")


def paths(rules, choose):
    """Every betting sequence with a decision; what opened its round, who raised last before, actions since."""
    start = start_betting(rules)
    stack = [((), start, (start, -1, ()), -1)]
    while stack:
        actions, state, since, raiser = stack.pop()
        if state.actor is None:
            continue
        yield actions, since
        for action in choose(state):
            after, last = state.act(action), state.actor if action > CALL else raiser
            if after.round == state.round:
                stack.append(((*actions, action), after, (*since[:2], (*since[2], action)), last))
            else:
                stack.append(((*actions, action), after, (after, last, ()), -1))


def test_one_place_for_each_way_through_a_round():
    choose = parse_bets("cap 1 1 1 1", THREE)
    graph = ForgetfulGraph(THREE, [[5, 4, 3, 2]] * 3, choose)
    places = defaultdict(set)
    for actions, since in paths(THREE, choose):
        node, base = graph.follow(actions)
        places[since].add((node, base))
        assert graph.states[node].spent == since[0].spent or since[2]
    assert all(len(found) == 1 for found in places.values())
    found = sorted(next(iter(place)) for place in places.values())
    assert len(set(found)) == len(places)
    at = 0
    for node, base in found:  # in order they fill the table without a gap
        assert base == at
        at += 2 * len(graph.actions[node]) * graph.arrays.buckets[node]
    assert at == graph.cells
    assert graph.infosets == sum(graph.arrays.buckets[node] for node, _ in found)


def test_one_round_is_all_remembered():
    rules = pokerlab.rules_of("kuhn-3p")
    assert ForgetfulGraph(rules, [[4]] * 3).cells == BettingGraph(rules, [[4]] * 3).cells


def test_parents_come_before_children_and_sweeps_meet_every_row_once():
    source = ListedDeals(compile("leduc").origin.deals)
    graph = ForgetfulGraph(pokerlab.rules_of("leduc"), source.buckets)
    first = graph.arrays.first
    for node, k in enumerate(graph.arrays.actions):
        assert (graph.arrays.child[first[node] : first[node] + k] > node).all()
    sampler = Sampler(graph, source, plan_of("external", weighting="linear"))
    sampler.cells[:] = np.random.default_rng(1).normal(size=graph.cells)
    before = sampler.cells.copy()
    sampler._discount(3)
    assert sampler.cells == pytest.approx(before * 3 / 4)
    for row in _rows(graph, sampler.average(np.float64)):
        assert row.sum() == pytest.approx(1)


def _rows(graph, average):
    for node, k in enumerate(graph.arrays.actions):
        if k:
            base = 2 * int(np.cumsum([0, *(graph.arrays.actions * graph.arrays.buckets)])[node])
            yield from average[base // 2 : base // 2 + k * graph.arrays.buckets[node]].reshape(-1, k)


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_where_nothing_is_forgotten_the_walks_are_the_same(game):
    """Chips and the last raiser tell all there is to know of Leduc's first round; the rows only have other places."""
    origin = compile(game).origin
    source, plan = ListedDeals(origin.deals), plan_of("external", seed=4)
    plain = Sampler(BettingGraph(origin.rules, source.buckets), source, plan)
    other = Sampler(ForgetfulGraph(origin.rules, source.buckets), source, plan)
    assert plain.graph.cells == other.graph.cells
    for sampler in (plain, other):
        sampler.step(3000)
    for actions, _ in paths(origin.rules, lambda state: state.legal().actions()):
        node, _ = plain.graph.follow(actions)
        for bucket in range(plain.graph.arrays.buckets[node]):
            a, b, width = plain.row(actions, bucket), other.row(actions, bucket), 2 * plain.graph.arrays.actions[node]
            assert plain.cells[a : a + width] == pytest.approx(other.cells[b : b + width])
