"""The compiled walks against recursive twins, on the same deals and random numbers."""

import dataclasses
import math

import numpy as np
import pytest

import naive_sampling as naive
import pokerlab
from pokerlab.abstraction.bets import parse_bets
from pokerlab.abstraction.small import parse_abstraction
from pokerlab.game.betting import start_betting
from pokerlab.game.deals import deals_of
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import ListedDeals
from pokerlab.solvers.sampling.public import ListedPublics
from pokerlab.solvers.sampling.randomness import streams
from pokerlab.solvers.sampling.sampler import Sampler, plan_of

LEDUC_3P = dataclasses.replace(
    pokerlab.rules_of("leduc"), blinds=(1, 1, 1), stacks=(2**31 - 1,) * 3, max_raises=(1, 1), name="leduc-3p"
)
SHORT = dataclasses.replace(pokerlab.rules_of("kuhn-3p"), stacks=(3, 2, 4), max_raises=(2,))
GAMES = {
    "kuhn": ("kuhn", "FULL", None),
    "leduc": ("leduc", "FULL", None),
    "forgetful": ("leduc", "J.QK/~pair.nopair-FULL", None),
    "suited": ("rhode-island:ranks=3,suits=2,raises=1", "FULL", None),
    "no-limit": ("leduc-nl", "FULL", parse_bets("50 allin / 100", pokerlab.rules_of("leduc-nl"))),
    "kuhn-3p": ("kuhn-3p", "FULL", None),
    "side-pots": (SHORT, "FULL", None),
    "leduc-3p": (LEDUC_3P, "FULL", None),
}


def made(name, sampling, **changes):
    """A compiled sampler and its twin."""
    game, abstraction, choose = GAMES[name]
    rules = pokerlab.rules_of(game)
    view = parse_abstraction(abstraction, rules)
    choose = choose or view
    listed = ListedDeals(deals_of(rules), view)
    graph = BettingGraph(rules, listed.buckets, choose)
    source = ListedPublics(listed) if sampling == "public" else listed
    sampler = Sampler(graph, source, plan_of(sampling, **changes))
    return sampler, naive.NaiveSampler(rules, choose, sampler._rule)


def same_tables(sampler, twin):
    """Every row of the twin is in the table, and nothing else."""
    seen = np.zeros(len(sampler.cells), dtype=bool)
    for (history, _, bucket), regret in twin.regret.items():
        at, k = sampler.row(history, bucket), len(regret)
        assert not seen[at : at + 2 * k].any()
        seen[at : at + 2 * k] = True
        average = twin.average[history, _, bucket]
        assert sampler.cells[at : at + k] == pytest.approx(regret, rel=1e-9, abs=1e-9)
        assert sampler.cells[at + k : at + 2 * k] == pytest.approx(average, rel=1e-9, abs=1e-9)
    assert not sampler.cells[~seen].any()
    total = sampler._winnings.sum(axis=0)
    assert total == pytest.approx(twin.winnings, rel=1e-9, abs=1e-9)


def walk_both(sampler, twin, walk, iterations):
    players, rounds = sampler.graph.players, sampler.graph.rules.rounds
    random = streams(sampler.plan.seed, 2)
    buckets = np.zeros((iterations * players, players, rounds), dtype=np.int32)
    codes = np.zeros(iterations * players, dtype=np.int32)
    sampler.source.fill(random[0], buckets, codes)
    rng = naive.Xoshiro(random[1])
    for i in range(0, len(codes), players):
        walk(twin, list(zip(buckets[i : i + players], codes[i : i + players].tolist(), strict=True)), rng)
    sampler.step(iterations)
    same_tables(sampler, twin)
    assert sampler.touched == twin.touched


@pytest.mark.parametrize("changes", [{}, {"weighting": "cfr+"}, {"prune": 5.0}, {"weighted": True}], ids=str)
@pytest.mark.parametrize("name", GAMES)
def test_external(name, changes):
    options = {"weighting": "cfr", "seed": 3} | changes
    walk_both(*made(name, "external", epoch=10**9, **options), naive.external, 60)


@pytest.mark.parametrize("changes", [{}, {"weighting": "cfr+"}, {"baselines": True}, {"weighted": True}], ids=str)
@pytest.mark.parametrize("name", GAMES)
def test_outcome(name, changes):
    options = {"weighting": "cfr", "seed": 4, "explore": 0.3} | changes
    sampler, twin = made(name, "outcome", epoch=10**9, **options)
    walk_both(sampler, twin, naive.outcome, 200)
    for (walker, (history, _, bucket), a), value in twin.baseline.items():
        assert sampler.baselines[walker, sampler.row(history, bucket) // 2 + a] == pytest.approx(value, abs=1e-9)


def start_anywhere(sampler, twin):
    """Random regrets for both: from none, equal values would leave regrets of rounding errors, whose signs decide."""
    rng = np.random.default_rng(7)

    def visit(state, history):
        for bucket in range(sampler.graph.buckets[state.actor][state.round]) if not state.finished else ():
            actions = twin.choose(state)
            at = sampler.row(history, bucket)
            regrets = np.maximum(rng.normal(size=len(actions)), sampler._rule.floor)
            sampler.cells[at : at + len(actions)] = twin.regret[history, state.actor, bucket] = regrets
            twin.average[history, state.actor, bucket] = np.zeros(len(actions))
        for action in twin.choose(state):
            visit(state.act(action), (*history, action))

    visit(start_betting(sampler.graph.rules), ())


@pytest.mark.parametrize("weighting", ["cfr", "cfr+"])
@pytest.mark.parametrize("name", GAMES)
def test_public(name, weighting):
    sampler, twin = made(name, "public", epoch=10**9, weighting=weighting, seed=5)
    publics, players = sampler.source.publics, sampler.graph.players
    start_anywhere(sampler, twin)
    rng = naive.Xoshiro(streams(5, 2)[0])
    for _ in range(4):
        outcomes = []
        for _ in range(players):
            g = int(rng.uniform() * len(publics.keep))
            if rng.uniform() >= publics.keep[g]:
                g = int(publics.other[g])
            deals = []
            for d in range(publics.deal_start[g], publics.deal_start[g + 1]):
                hands = [publics.start[g * players + p] + publics.dealt[d, p] for p in range(players)]
                deals.append((publics.bucket[:, hands].T, int(publics.code[d]), publics.chance[d]))
            outcomes.append(deals)
        naive.public(twin, outcomes)
    sampler.step(4)
    same_tables(sampler, twin)


@pytest.mark.parametrize("weighting", ["linear", "dcfr", "cfr+"])
def test_discounts_at_the_end_of_epochs(weighting):
    plain, _ = made("leduc", "external", weighting=weighting, epoch=10**9)
    sampler, _ = made("leduc", "external", weighting=weighting, epoch=20)
    plain.step(20)
    sampler.step(20)
    scheme = sampler.plan.scheme
    expected = plain.cells.copy()
    for here, base, k, rows in blocks(sampler.graph):
        assert here >= 0
        table = expected[base : base + 2 * k * rows].reshape(rows, 2, k)
        positive = 0.5 if scheme.alpha < math.inf else 1.0  # 1 ** alpha / (1 ** alpha + 1)
        table[:, 0] *= np.where(table[:, 0] > 0, positive, 0.5 if scheme.beta > -math.inf else 1.0)
        table[:, 1] *= 0.5**scheme.gamma
    assert sampler.cells == pytest.approx(expected, abs=1e-12)
    sampler.step(20)  # and goes on from there: 2 ** 1 / (2 ** 1 + 1) and so on
    assert np.isfinite(sampler.cells).all()


def blocks(graph):
    """(node, base, actions, rows) of every path, by recursion."""

    def walk(here, base):
        k = len(graph.actions[here])
        if not k:
            return
        yield here, base, k, int(graph.arrays.buckets[here])
        for a in range(k):
            edge = int(graph.arrays.first[here]) + a
            yield from walk(int(graph.arrays.child[edge]), base + int(graph.arrays.skip[edge]))

    return walk(0, 0)


def test_blocks_fill_the_table_without_overlap():
    for name in GAMES:
        graph = made(name, "external")[0].graph
        used = np.zeros(graph.cells, dtype=int)
        for _, base, k, rows in blocks(graph):
            used[base : base + 2 * k * rows] += 1
        assert (used == 1).all()


def test_the_average_is_normalised_and_falls_back_to_regrets():
    sampler, _ = made("leduc", "external", weighting="cfr")
    rng = np.random.default_rng(1)
    sampler.cells[:] = rng.normal(size=len(sampler.cells))
    expected = np.zeros(len(sampler.cells) // 2)
    for _, base, k, rows in blocks(sampler.graph):
        table = sampler.cells[base : base + 2 * k * rows].reshape(rows, 2, k)
        table[:, 1] = np.abs(table[:, 1])
        table[rng.random(rows) < 0.5, 1] = 0.0
        for row in range(rows):
            weights = table[row, 1] if table[row, 1].sum() > 0 else np.maximum(table[row, 0], 0)
            odds = weights / weights.sum() if weights.sum() > 0 else np.full(k, 1 / k)
            expected[base // 2 + row * k : base // 2 + (row + 1) * k] = odds
    assert sampler.average(np.float64) == pytest.approx(expected, abs=1e-12)
    assert sampler.average().dtype == np.float32
