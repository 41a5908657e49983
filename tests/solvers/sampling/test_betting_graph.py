"""Betting graphs against betting trees: same paths, same payoffs, rows of their own."""

import dataclasses

import numpy as np
import pytest

import pokerlab
from naive import payoffs_chip_by_chip
from pokerlab.abstraction.bets import parse_bets
from pokerlab.abstraction.small import FULL
from pokerlab.errors import AbstractionError, GameTooLarge, SolverError
from pokerlab.game.bet_sizes import Size
from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.betting_tree import betting_tree
from pokerlab.solvers.sampling.betting_graph import BettingGraph

GAMES = ["kuhn", "kuhn-3p", "leduc", "leduc-nl", "rhode-island", "holdem-limit"]


def graph_of(name, buckets=5, choose=FULL):
    rules = pokerlab.rules_of(name)
    return BettingGraph(rules, [[buckets] * rules.rounds] * rules.players, choose)


@pytest.mark.parametrize("name", GAMES)
def test_every_path_of_the_tree_is_in_the_graph(name):
    graph, nodes = graph_of(name), betting_tree(pokerlab.rules_of(name), FULL)
    place, bases = [0], [0]
    owned = np.zeros(graph.cells, dtype=np.int8)
    for here, node in enumerate(nodes):
        if here:
            edge = int(graph.arrays.first[place[node.parent]]) + nodes[node.parent].children.index(here)
            place.append(int(graph.arrays.child[edge]))
            bases.append(bases[node.parent] + int(graph.arrays.skip[edge]))
        assert graph.states[place[here]] == node.state
        assert graph.actions[place[here]] == node.actions
        if node.actions:
            owned[bases[here] : bases[here] + 2 * 5 * len(node.actions)] += 1
    assert (owned == 1).all()
    assert graph.decisions == sum(bool(node.actions) for node in nodes)
    assert graph.infosets == 5 * graph.decisions
    assert graph.depth == max(node.text.replace("/", "").count("c") + node.text.count("r") + node.text.count("f")
                              for node in nodes)  # fmt: skip


def test_few_states_stand_for_many_paths():
    graph = graph_of("holdem-limit-3p", buckets=1)
    assert graph.decisions == 90 + 4412 + 205_962 + 9_501_342
    assert len(graph.states) < 20_000
    assert "infosets" in repr(graph)


def test_payoffs_with_side_pots():
    rules = dataclasses.replace(pokerlab.rules_of("kuhn-3p"), stacks=(3, 2, 4), max_raises=(3,))
    graph = BettingGraph(rules, [[4]] * 3)
    checked = 0
    for here, state in enumerate(graph.states):
        if not state.finished:
            assert graph.arrays.payoff[here] == -1
            continue
        for strengths in np.ndindex(3, 3, 3):
            beats = [sum(other < mine for other in strengths) for mine in strengths]
            code = sum(beat * 3**seat for seat, beat in enumerate(beats))
            alive = {seat: (strengths[seat],) for seat in state.survivors}
            expected = payoffs_chip_by_chip(state.spent, alive)
            found = graph.arrays.pay[graph.arrays.payoff[here], code]
            assert found == pytest.approx([float(chips) for chips in expected])
            checked += len(alive) > 1 and len(set(state.spent)) == 3
    assert checked > 0


def test_widest_bounds_the_rows_of_a_walk():
    """A walk of external sampling meets at most `widest` rows of its walker; a pure strategy of the others meets it."""
    for name in ("kuhn", "leduc", "kuhn-3p"):
        graph = graph_of(name)

        def most(state, walker, graph=graph):
            if state.finished:
                return 0
            here = graph.actions[graph.states.index(state)]
            below = [most(state.act(action), walker) for action in here]
            return 1 + sum(below) if state.actor == walker else max(below)

        assert graph.widest == max(most(start_betting(graph.rules), p) for p in range(graph.players))


def test_follow():
    graph = graph_of("leduc")
    assert graph.follow([]) == (0, 0)
    node, base = graph.follow([CALL, CALL])
    assert graph.states[node].round == 1
    assert base > 0
    with pytest.raises(SolverError, match="-1 is not among the actions"):
        graph.follow([FOLD])


def test_bets_by_round_are_pot_fractions():
    choose = parse_bets("50 100 / allin / 100 / 100", pokerlab.rules_of("holdem-nolimit"))
    graph = graph_of("holdem-nolimit", 2, choose)
    start = graph.states[0]
    assert graph.actions[0] == (FOLD, CALL, start.raise_to(Size(50)), start.raise_to(Size(100)))
    for state, actions in zip(graph.states, graph.actions, strict=True):
        raises = [action for action in actions if action > CALL]
        assert all(action in state.legal().raises for action in raises)
        assert not raises or state.round != 1 or raises == [20_000]


def test_a_cap_on_raises():
    rules = pokerlab.rules_of("holdem-limit")
    full, few = graph_of("holdem-limit", 1), graph_of("holdem-limit", 1, parse_bets("cap 2 1 1 1", rules))
    assert few.decisions < full.decisions / 10
    assert max(state.raises for state in few.states) == 2


def test_wrong_graphs():
    rules = pokerlab.rules_of("leduc")
    with pytest.raises(AbstractionError, match="need as many numbers of buckets"):
        BettingGraph(rules, [[3, 9]])
    with pytest.raises(AbstractionError, match="need as many numbers of buckets"):
        BettingGraph(rules, [[3, 0], [3, 9]])
    with pytest.raises(GameTooLarge, match="give bet sizes"):
        graph_of("holdem-nolimit")
    deck = pokerlab.rules_of("leduc:ranks=13").deck
    five = dataclasses.replace(pokerlab.rules_of("kuhn-3p"), blinds=(1,) * 5, stacks=(2,) * 5, deck=deck)
    with pytest.raises(SolverError, match="2 to 4 players"):
        BettingGraph(five, [[6]] * 5)
