"""What a player of abstract hold'em does, from hands in which its cards are known from showdowns only."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import pokerlab
from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.sampled_counter import Counted, styled, uniform_blueprint
from pokerlab.cards.holes import HOLES
from pokerlab.match.blueprints import drawn_hands

CARDS = MadeHands(3)


@pytest.fixture(scope="module")
def played():
    """A player who does anything, but not with every hand as often, and hands of it, each with its seat."""
    base = uniform_blueprint(pokerlab.rules_of("holdem-limit"), "all", CARDS)
    odds = np.random.default_rng(1).integers(1, 255, len(base.strategy)).astype(np.uint8)
    player = replace(base, strategy=odds)
    return player, [(hand, n % 2) for n, hand in enumerate(drawn_hands(player, styled(base, 0, 1, 1), 3000))]


def without_folded_cards(hands):
    """The same hands as the other player saw them."""
    for hand, seat in hands:
        holes = list(hand.holes)
        if not hand.betting.showdown:
            holes[seat] = ()
        yield hand._replace(holes=tuple(holes)), seat


def counted(player, hands):
    seen = Counted(player.graph, CARDS)
    seen.add(hands)
    return seen


def test_expectations_are_those_of_plain_loops(played):
    """Every hole that shares no card with the board and the other hand, by how likely it is played so."""
    player, hands = played
    some = [(hand, seat) for hand, seat in without_folded_cards(hands[:25]) if not hand.holes[seat]]
    seen, graph = counted(player, some), player.graph
    model = seen._rates(np.random.default_rng(2).random(len(seen.counts)))
    expected, total, buckets_on = np.zeros(len(model)), 0.0, cache(CARDS.board_buckets)
    for hand, seat in some:
        ways = []
        for hole in range(len(HOLES)):
            if {*HOLES[hole].tolist()} & {*hand.holes[1 - seat], *hand.board}:
                continue
            node, base, chance, cells = 0, 0, 1.0, []
            for action in hand.actions:
                choice, state = graph.actions[node].index(action), graph.states[node]
                if state.actor == seat:
                    bucket = buckets_on(hand.board[: (0, 3, 4, 5)[state.round]])[hole]
                    cells.append(base // 2 + len(graph.actions[node]) * int(bucket) + choice)
                    chance *= model[cells[-1]]
                edge = int(graph.arrays.first[node]) + choice
                node, base = int(graph.arrays.child[edge]), base + int(graph.arrays.skip[edge])
            ways.append((chance, cells))
        all_ways = sum(chance for chance, _ in ways)
        total += np.log(all_ways / len(ways)) if ways[0][1] else 0.0
        for chance, cells in ways:
            expected[cells] += chance / all_ways
    counts, likelihood = seen.hidden.expected(model)
    assert counts == pytest.approx(expected, abs=1e-9)
    assert likelihood == pytest.approx(total)
    assert counts.sum() == pytest.approx(sum(len([*seen._decisions(*each)]) for each in some))


def test_the_truth_is_nearer_than_from_showdowns_alone(played):
    player, hands = played
    hidden = [*without_folded_cards(hands)]
    shown = [(hand, seat) for hand, seat in hidden if hand.holes[seat]]
    assert len(shown) < len(hands) / 2
    known, learnt, biased = (counted(player, these) for these in (hands, hidden, shown))
    likelihoods = learnt.settle()
    assert np.diff(likelihoods).min() > -1e-3  # rates are of single precision
    assert likelihoods[-1] > likelihoods[0] + 100
    assert learnt.hands == known.hands == 3000
    assert learnt.counts.sum() == pytest.approx(known.counts.sum())
    assert not len(learnt.hidden)
    truth, rates = known._rates(player.strategy.astype(float)), known._rates(known.counts)
    times = np.divide(known.counts, rates, out=np.zeros_like(rates), where=known.counts > 0)
    often = times > 20
    errors = [np.average(np.abs(seen.model()[0] - truth)[often], weights=times[often])
              for seen in (known, learnt, biased)]  # fmt: skip
    assert errors[0] < errors[1] < errors[2] * 0.75
