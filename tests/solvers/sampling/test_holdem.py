"""Hold'em dealt for samplers: cards, buckets and showdowns by other means; vectors of hands against listed deals."""

from itertools import pairwise

import numpy as np
import pytest

import pokerlab
from pokerlab.abstraction.bets import parse_bets
from pokerlab.cards.holes import HOLES
from pokerlab.cards.ranking import strength
from pokerlab.errors import AbstractionError, SolverError
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.holdem import HoldemDeals, HoldemPublics, shuffle
from pokerlab.solvers.sampling.public import ListedPublics
from pokerlab.solvers.sampling.public_kernels import Publics
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
        found = np.empty((len(deals), players, 4), np.int32)
        for d, deal in enumerate(deals):
            for p in range(players):
                board = deal[2 * players :]
                found[d, p] = [self.bucket(deal[2 * p : 2 * p + 2], board[:n]) for n in (0, 3, 4, 5)]
        return found

    def board_buckets(self, board):
        return np.array([self.bucket(hole, board) for hole in HOLES], np.int32)


@pytest.fixture
def cards():
    return OddCards(7, 6, 5, 4)


def test_cards_are_different_and_fair():
    deals = np.zeros((26_000, 9), np.uint8)
    shuffle(streams(1, 1)[0], deals)
    assert (np.diff(np.sort(deals, axis=1), axis=1) > 0).all()
    for column in deals.T:
        assert np.bincount(column, minlength=52).min() > 380


@pytest.mark.parametrize("name", ["holdem-limit", "holdem-limit-3p"])
def test_buckets_and_showdowns(cards, name):
    rules = pokerlab.rules_of(name)
    players, n = rules.players, 40
    source = HoldemDeals(rules, cards)
    buckets, codes = np.zeros((n, players, 4), np.int32), np.zeros(n, np.int32)
    random = streams(3, 1)[0]
    deals = np.zeros((n, 2 * players + 5), np.uint8)
    shuffle(random.copy(), deals)
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
    found = {}
    for name, given in {"same": cards, "mixed": (cards, other, cards), "others": other}.items():
        buckets, codes = np.zeros((50, 3, 4), np.int32), np.zeros(50, np.int32)
        HoldemDeals(rules, given).fill(streams(3, 1)[0], buckets, codes)
        found[name] = buckets
    assert np.array_equal(found["mixed"][:, [0, 2]], found["same"][:, [0, 2]])
    assert np.array_equal(found["mixed"][:, 1], found["others"][:, 1])
    assert not np.array_equal(found["same"], found["others"])


def test_publics_of_a_board(cards):
    source = HoldemPublics(pokerlab.rules_of("holdem-limit"), cards)
    board = np.array([50, 3, 17, 22, 41], np.uint8)
    publics = source.publics(board)
    assert publics.start.tolist() == [0, 1081, 2162]
    numbers = [int(high) * (int(high) - 1) // 2 + int(low) for low, high in publics.cards]
    assert sorted(numbers) == [i for i, hole in enumerate(HOLES) if not {*hole.tolist()} & {*board.tolist()}]
    for street, size in enumerate((0, 3, 4, 5)):
        expected = cards.board_buckets(board[:size])[numbers]
        assert np.array_equal(publics.bucket[street], np.concatenate((expected, expected)))
    ranks = [strength([divmod(int(card), 4) for card in [*hole, *board]]) for hole in publics.cards]
    assert (np.diff(publics.strength) >= 0).all()
    assert [a == b for a, b in pairwise(ranks)] == (np.diff(publics.strength) == 0).tolist()
    assert ranks == sorted(ranks)
    assert publics.chance[0] * 1081 * 990 == pytest.approx(1)


class Given:
    """A public source of one outcome."""

    chunk = 1

    def __init__(self, publics, buckets):
        self.publics, self.buckets = publics, buckets
        self.hands = int(np.diff(publics.start).max())

    walk = ListedPublics.walk


def test_sorted_showdowns_are_those_of_listed_deals():
    """The same forty hands as pairs of cards, and as a list of all deals in which they do not share one."""
    rng = np.random.default_rng(5)
    rules = pokerlab.rules_of("holdem-limit")
    n, buckets = 40, [[3, 4, 5, 6]] * 2
    hands = HOLES[rng.choice(300, n, replace=False)].astype(np.int64)  # of few cards, so that many share one
    strengths = np.sort(rng.integers(0, 15, n))
    bucket = np.concatenate([rng.integers(0, 3 + np.arange(4)[:, None], (4, n)) for _ in range(2)], axis=1)
    dealt, code = [], []
    for i in range(n):
        for j in range(n):
            if not {*hands[i].tolist()} & {*hands[j].tolist()}:
                dealt.append((i, j))
                code.append(int(strengths[i] > strengths[j]) + 2 * int(strengths[j] > strengths[i]))
    assert len(dealt) < 0.95 * n * n
    pairs = Publics(
        start=np.array([0, n, 2 * n]), bucket=bucket.astype(np.int32), prior=np.full(2 * n, 1 / n), keep=np.ones(1),
        other=np.zeros(1, np.int64), deal_start=np.zeros(2, np.int64), dealt=np.zeros((1, 2), np.int32),
        chance=np.array([1 / len(dealt)]), code=np.zeros(1, np.int32), cards=hands, strength=strengths,
        order=np.arange(n),
    )  # fmt: skip
    listed = pairs._replace(
        deal_start=np.array([0, len(dealt)]), dealt=np.array(dealt, np.int32),
        chance=np.full(len(dealt), 1 / len(dealt)), code=np.array(code, np.int32), cards=np.zeros((0, 2), np.int64),
    )  # fmt: skip
    graph = BettingGraph(rules, buckets, parse_bets("cap 1 1 1 1", rules))
    found = []
    for publics in (pairs, listed):
        sampler = Sampler(graph, Given(publics, buckets), plan_of("public", weighting="cfr"))
        sampler.cells[:] = np.random.default_rng(6).normal(size=graph.cells)
        sampler.step(2)
        found.append((sampler.cells, sampler.values))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-9)
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-9)


def test_walks_on_holdem(cards):
    for name, sampling in (("holdem-limit", "external"), ("holdem-limit-3p", "external"), ("holdem-limit", "public")):
        rules = pokerlab.rules_of(name)
        source = (HoldemPublics if sampling == "public" else HoldemDeals)(rules, cards)
        graph = BettingGraph(rules, source.buckets, parse_bets("cap 1 1 1 1", rules))
        sampler = Sampler(graph, source, plan_of(sampling, single=True, threads=2))
        sampler.step(3 if sampling == "public" else 300)
        assert np.isfinite(sampler.cells).all()
        assert sampler.touched > 0
        average = sampler.average()
        at = sampler.row([], 0)
        assert average[at // 2 : at // 2 + len(graph.actions[0])].sum() == pytest.approx(1, abs=1e-5)
        if sampling == "external":
            assert abs(sum(sampler.values)) < 30


def test_wrong_games(cards):
    with pytest.raises(SolverError, match="is not hold'em"):
        HoldemDeals(pokerlab.rules_of("leduc"), cards)
    with pytest.raises(SolverError, match="for two players"):
        HoldemPublics(pokerlab.rules_of("holdem-limit-3p"), cards)
    with pytest.raises(AbstractionError, match="2 players need as many"):
        HoldemDeals(pokerlab.rules_of("holdem-limit"), [cards])
