"""Responses in the abstract game: exact best responses on Leduc, walks against slow twins, and hold'em."""

import json

import numpy as np
import pytest

import pokerlab
from graph_places import places
from pokerlab.agents import response as responses
from pokerlab.agents.blueprint import Blueprint, graph_of
from pokerlab.agents.blueprint_kernels import improve, play_out
from pokerlab.agents.response import Table, respond, walk_of
from pokerlab.errors import AgentError
from pokerlab.form.evaluate import evaluate
from pokerlab.form.strategy import Profile
from pokerlab.game.betting import start_betting
from pokerlab.game.hand import split_pot
from pokerlab.match.result import interval
from pokerlab.solvers.sampling.randomness import streams
from pokerlab.solvers.sampling.solver import SamplingSolver
from rank_cards import RankCards

LIMIT, THREE = pokerlab.rules_of("holdem-limit"), pokerlab.rules_of("holdem-limit-3p")
CARDS = RankCards()


def blocks(graph):
    """Every node with a decision, where its rows begin among the probabilities, and their shape."""
    for node, base in places(graph):
        yield node, base // 2, (int(graph.arrays.buckets[node]), len(graph.actions[node]))


def any_bytes(graph, seed):
    """Random strategies, some of whose actions are never taken."""
    rng = np.random.default_rng(seed)
    found = rng.integers(1, 256, graph.cells // 2) * (rng.random(graph.cells // 2) < 0.7)
    for _, start, (rows, k) in blocks(graph):
        block = found[start : start + k * rows].reshape(rows, k)
        block[block.sum(axis=1) == 0] = 1
    return found.astype(np.uint8)


@pytest.fixture(scope="module")
def leduc():
    """A table of Leduc, and a function from bytes to a profile of the exact half."""
    solver = SamplingSolver(pokerlab.compile("leduc"), "external-sampling")
    graph, cells = solver.sampler.graph, solver.sampler.cells

    def profile(strategy):
        for _, start, (rows, k) in blocks(graph):
            block = cells[2 * start : 2 * (start + k * rows)].reshape(rows, 2 * k)
            block[:, k:] = strategy[start : start + k * rows].reshape(rows, k)
        return solver.profile()

    return Table(graph, solver.sampler.source), profile


@pytest.mark.parametrize("least", [0.0, 0.05])
def test_on_leduc_it_becomes_the_best_response(leduc, least, monkeypatch):
    monkeypatch.setattr(responses, "LEAST", least)
    table, profile = leduc
    strategy = any_bytes(table.graph, 1)
    theirs = profile(strategy)
    found, count = strategy, 0
    for _ in range(4):
        found, count = table.improved(found, strategy, 20_000)
    assert count >= 20_000
    ours = profile(found)
    seats = [Profile(theirs.game, (ours[0], theirs[1])), Profile(theirs.game, (theirs[0], ours[1]))]
    for seat, played in enumerate(seats):
        best, value = evaluate(theirs).responses[seat], evaluate(played).values[seat]
        assert value <= best + 1e-9
        assert value == pytest.approx(best, abs=0.005)
        assert evaluate(theirs).values[seat] < best - 1  # which had much to gain
    mean = sum(evaluate(played).values[seat] for seat, played in enumerate(seats)) / 2
    won = table.play(found, strategy, 50_000)
    assert won.mean() == pytest.approx(mean, abs=1.5 * interval(won[:, None])[0])
    assert interval(won[:, None])[0] < 0.02


def test_nobody_wins_from_itself(leduc):
    table, _ = leduc
    strategy = any_bytes(table.graph, 2)
    assert table.play(strategy, strategy, 100) == pytest.approx(np.zeros(100), abs=1e-9)


class Naive:
    """Expected values by recursion over betting states."""

    def __init__(self, graph, pair, seat, buckets, code, explore):
        self.graph, self.pair, self.seat, self.buckets, self.code = graph, pair, seat, buckets, code
        self.explore, self.gain = explore, np.zeros((graph.cells // 2, 2))

    def value(self, state, actions=(), reach=1.0):
        if state.finished:
            beaten = {seat: self.code // 2**seat % 2 for seat in range(2) if not state.folded[seat]}
            return split_pot(state.spent, beaten)[self.seat]
        node, base = self.graph.follow(actions)
        choices, own = self.graph.actions[node], state.actor == self.seat
        at = base // 2 + len(choices) * self.buckets[state.actor, state.round]
        odds = self.pair[0 if own else 1][at : at + len(choices)].astype(float)
        odds /= odds.sum()
        goes = (1 - self.explore) * odds + self.explore / len(odds) if own else odds
        values = [
            self.value(state.act(choice), (*actions, choice), reach * part)
            for choice, part in zip(choices, goes, strict=True)
        ]
        if own:
            more = reach * (np.array(values) - odds @ values)
            self.gain[at : at + len(choices)] += np.stack([more, more**2], axis=1)
        return odds @ values


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("memory", ["hand", "round"])
def test_all_betting_of_a_deal(memory, seat):
    graph = graph_of(LIMIT, "cap 1 1 0 1", memory, CARDS.counts)
    pair = np.stack([any_bytes(graph, 1), any_bytes(graph, 2)])
    buckets = np.random.default_rng(3).integers(0, 6, (3, 2, 4)).astype(np.int32)
    codes, won, gain = np.arange(3, dtype=np.int32), np.empty(3), np.zeros((graph.cells // 2, 2))
    naive = [Naive(graph, pair, seat, buckets[d], d, 0.1) for d in range(3)]
    expected = [each.value(start_betting(LIMIT)) for each in naive]
    rng, work = streams(1, 1)[0], walk_of(graph)
    play_out(graph.arrays, pair, seat, buckets, codes, work, won, gain, 0.0, 0.1, rng)
    assert won == pytest.approx(expected, rel=1e-9)
    assert gain == pytest.approx(sum(each.gain for each in naive), rel=1e-9, abs=1e-12)
    won[:] = 0
    play_out(graph.arrays, pair, seat, buckets, codes, work, won, np.zeros((0, 2)), 0.0, 0.0, rng)
    assert won == pytest.approx(expected, rel=1e-9)


def test_what_is_drawn_is_right_on_average():
    graph = graph_of(LIMIT, "cap 1 1 0 0", "hand", CARDS.counts)
    pair = np.random.default_rng(1).integers(1, 256, (2, graph.cells // 2)).astype(np.uint8)
    deals = 20_000
    buckets = np.tile(np.random.default_rng(3).integers(0, 6, (1, 2, 4)).astype(np.int32), (deals, 1, 1))
    codes, rng, work = np.ones(deals, np.int32), streams(1, 1)[0], walk_of(graph)
    exact, drawn = (np.zeros((graph.cells // 2, 2)) for _ in range(2))
    won, same = np.empty(deals), np.empty(1)
    play_out(graph.arrays, pair, 0, buckets[:1], codes[:1], work, same, exact, 0.0, 0.1, rng)
    play_out(graph.arrays, pair, 0, buckets, codes, work, won, drawn, 0.2, 0.1, rng)
    assert won.std() > 0
    assert won.mean() == pytest.approx(same[0], abs=2 * interval(won[:, None])[0])
    error = np.sqrt(np.maximum(drawn[:, 1] / deals - (drawn[:, 0] / deals) ** 2, 0) / deals)
    assert (np.abs(drawn[:, 0] / deals - exact[:, 0]) <= 4.5 * error + 1e-9).all()


@pytest.mark.parametrize("memory", ["hand", "round"])
def test_rows_change_where_the_gain_is_sure(memory):
    graph = graph_of(LIMIT, "cap 1 0 1 1", memory, CARDS.counts)
    strategy = any_bytes(graph, 1)
    rng = np.random.default_rng(1)
    gain = np.stack([rng.normal(size=len(strategy)), rng.random(len(strategy))], axis=1)
    found = strategy.copy()
    improve(graph.sweep, 1, 1.5, gain, *graph.stack(), found)
    changed = 0
    for node, start, (rows, k) in blocks(graph):
        for at in range(start, start + rows * k, k):
            best = at + int(gain[at : at + k, 0].argmax())
            expected = strategy[at : at + k]
            if graph.states[node].actor == 1 and gain[best, 0] > 1.5 * gain[best, 1] ** 0.5:
                expected, changed = 255 * (np.arange(at, at + k) == best), changed + 1
            assert np.array_equal(found[at : at + k], expected)
    assert 0 < changed < len(strategy) / 4


@pytest.mark.parametrize("spare", [0, 2])
def test_a_response_to_a_blueprint(spare):
    bets = "cap 1 1 1 1"
    graph = graph_of(LIMIT, bets, "hand", [count + spare for count in CARDS.counts])
    blueprint = Blueprint(LIMIT, bets, "hand", CARDS, any_bytes(graph, 5), {"recipe": "any"}, spare)
    found = respond(blueprint, 1.0, deals=3000)
    assert found.winnings.shape == (3000, 2)
    assert not found.winnings.sum(axis=1).any()
    assert found.winnings.mean(axis=0)[0] > 10 * interval(found.winnings)[0]
    assert found.seconds >= 1
    assert found.learnt >= responses.SWEEPS * 512
    assert found.blueprint.graph.cells == graph.cells
    assert json.dumps(found.blueprint.about)


def test_wrong_questions():
    graph = graph_of(THREE, "cap 0 0 0 0", "hand", CARDS.counts)
    three = Blueprint(THREE, "cap 0 0 0 0", "hand", CARDS, any_bytes(graph, 0))
    with pytest.raises(AgentError, match="for two players, and holdem-limit-3p has 3"):
        respond(three, 1.0)
    graph = graph_of(LIMIT, "cap 0 0 0 0", "hand", CARDS.counts)
    two = Blueprint(LIMIT, "cap 0 0 0 0", "hand", CARDS, any_bytes(graph, 0))
    for name, value in (("seconds", 0.0), ("deals", 0), ("seed", -1)):
        with pytest.raises(AgentError, match=f"{name}: .* is needed, not {value:g}"):
            respond(two, **{"seconds": 1.0, name: value})
