"""Hold'em dealt for samplers: cards, buckets and showdowns by other means."""

import numpy as np
import pytest

import pokerlab
from pokerlab.abstraction.bets import parse_bets
from pokerlab.cards.holes import HOLES
from pokerlab.cards.ranking import strength
from pokerlab.errors import AbstractionError, SolverError
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.holdem import HoldemDeals, shuffle
from pokerlab.solvers.sampling.randomness import streams
from pokerlab.solvers.sampling.sampler import Sampler, plan_of


class OddCards:
    """Card abstractions that are easy to check: by the sum of all cards seen."""

    def __init__(self, *counts):
        self.counts = counts

    def bucket(self, hole, board):
        street = (0, 3, 4, 5).index(len(board))
        return int(sum(map(int, hole)) + sum(map(int, board))) % self.counts[street]

    def deal_buckets(self, deals, players=2):
        buckets = np.empty((len(deals), players, 4), np.int32)
        for d, deal in enumerate(deals):
            for p in range(players):
                board = deal[2 * players :]
                buckets[d, p] = [self.bucket(deal[2 * p : 2 * p + 2], board[:n]) for n in (0, 3, 4, 5)]
        return buckets

    def board_buckets(self, board):
        return np.array([self.bucket(hole, board) for hole in HOLES], np.int32)


@pytest.fixture
def cards():
    return OddCards(7, 6, 5, 4)


def test_cards_are_different_and_fair():
    deals = np.zeros((26_000, 9), np.uint8)
    shuffle(streams(1, 1)[0], 52, deals)
    assert (np.diff(np.sort(deals, axis=1), axis=1) > 0).all()
    for column in deals.T:
        assert np.bincount(column, minlength=52).min() > 380


def test_deals_do_not_depend_on_how_they_are_divided(cards):
    """What was interrupted goes on as if it had not been."""
    source = HoldemDeals(pokerlab.rules_of("holdem-limit"), cards)
    samplers = []
    for steps in ((300,), (1, 120, 7, 172)):
        graph = BettingGraph(source.rules, source.buckets, parse_bets("cap 1 1 1 1", source.rules))
        samplers.append(Sampler(graph, source, plan_of("external", weighting="linear", single=True, epoch=100)))
        for count in steps:
            samplers[-1].step(count)
    assert (samplers[0].cells == samplers[1].cells).all()
    assert samplers[0].cells.any()


@pytest.mark.parametrize("name", ["holdem-limit", "holdem-limit-3p"])
def test_buckets_and_showdowns(cards, name):
    rules = pokerlab.rules_of(name)
    players, n = rules.players, 40
    source = HoldemDeals(rules, cards)
    buckets, codes = np.zeros((n, players, 4), np.int32), np.zeros(n, np.int32)
    random = streams(3, 1)[0]
    deals = np.zeros((n, 2 * players + 5), np.uint8)
    shuffle(random.copy(), 52, deals)
    source.fill(random, buckets, codes)
    for d in range(n):
        holes = [deals[d, 2 * p : 2 * p + 2].tolist() for p in range(players)]
        board = deals[d, 2 * players :].tolist()
        for p in range(players):
            expected = [cards.bucket(holes[p], board[:size]) for size in (0, 3, 4, 5)]
            assert buckets[d, p].tolist() == expected
        ranks = [strength([divmod(card, 4) for card in hole + board]) for hole in holes]
        beats = [sum(other < mine for other in ranks) for mine in ranks]
        assert codes[d] == sum(beat * players**p for p, beat in enumerate(beats))


def test_an_abstraction_for_each_player(cards):
    other = OddCards(3, 3, 2, 2)
    rules = pokerlab.rules_of("holdem-limit-3p")
    dealt = {}
    for name, given in {"same": cards, "mixed": (cards, other, cards), "others": other}.items():
        dealt[name], codes = np.zeros((50, 3, 4), np.int32), np.zeros(50, np.int32)
        HoldemDeals(rules, given).fill(streams(3, 1)[0], dealt[name], codes)
    assert np.array_equal(dealt["mixed"][:, [0, 2]], dealt["same"][:, [0, 2]])
    assert np.array_equal(dealt["mixed"][:, 1], dealt["others"][:, 1])
    assert not np.array_equal(dealt["same"], dealt["others"])


def test_walks_on_holdem(cards):
    for name in ("holdem-limit", "holdem-limit-3p"):
        rules = pokerlab.rules_of(name)
        source = HoldemDeals(rules, cards)
        graph = BettingGraph(rules, source.buckets, parse_bets("cap 1 1 1 1", rules))
        sampler = Sampler(graph, source, plan_of("external", single=True, threads=2))
        sampler.step(300)
        assert np.isfinite(sampler.cells).all()
        assert sampler.touched > 0
        average = sampler.average()
        at = sampler.row([], 0)
        assert average[at // 2 : at // 2 + len(graph.actions[0])].sum() == pytest.approx(1, abs=1e-5)
        assert abs(sum(sampler.values)) < 30


def test_wrong_games(cards):
    with pytest.raises(SolverError, match="leduc is not played as hold'em is"):
        HoldemDeals(pokerlab.rules_of("leduc"), cards)
    with pytest.raises(AbstractionError, match="2 players need as many"):
        HoldemDeals(pokerlab.rules_of("holdem-limit"), [cards])
