"""Players by search: the thesis's miximax tree whole, contexts and values by naive twins, beliefs that follow play."""

import dataclasses

import numpy as np
import pytest

from pokerlab.agents.asking import spot_view
from pokerlab.agents.spec import agent_of
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.cards.strength import hand_strength, strength_histogram
from pokerlab.errors import AgentError
from pokerlab.field import context_kernels as kernels
from pokerlab.field.betting_kernels import terms_of
from pokerlab.field.brennus import BASICS, BASIS, shares
from pokerlab.field.habits import PRIOR
from pokerlab.field.miximax import BINS, ROOM, Contexts, Tree, line_of
from pokerlab.field.player import CALLS, FOLDS, RAISES, Clock, deeds
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import parse_hand
from pokerlab.match.play import play_match
from random_cases import random_hands

DECK = Deck()
LIMIT, NO_LIMIT = rules_of("holdem-limit"), rules_of("holdem-nolimit")


class TestTheExample:
    """Figures 2.7 to 2.9: the river, five chips each, bets of two, B acts first; A's hand is in bucket 3."""

    def tree(self):
        """A sits second; B is known by what it did and showed in just these places, and nothing else counts."""
        rules = dataclasses.replace(LIMIT, raise_sizes=(2, 2, 2, 2), max_raises=(4, 4, 4, 2))
        start = np.array([3, 0, 2, 0, 7, 5, 5, 0, 0])  # B, in seat 0, is to act
        terms, line = terms_of(rules, 100.0), np.zeros(kernels.LINE, np.int64)
        known = Contexts((0,), bins=5)

        def after(*kinds):
            """The line in which B and A have acted so, B first."""
            told = line.copy()
            for number, kind in enumerate(kinds):
                kernels.advance(told, 3, number % 2 == 1, kind)
            return told

        known.act(line, 3, False, RAISES)
        for kind, times in ((FOLDS, 1), (CALLS, 9)):
            for _ in range(times):
                known.act(after(RAISES, RAISES), 3, True, kind)
        for bucket in (1, 2, 4, 4, 4):
            known.show(after(RAISES, CALLS), bucket - 1)
        for bucket in (2, 4, 4, 4):
            known.show(after(RAISES, RAISES, CALLS), bucket - 1)
        tree = Tree(terms, start, line, 1)
        own = np.eye(5)[2]
        tree.search(own, known, 1.0, 0.5, np.zeros((2, 3)), 0.0, 0.0)
        return tree, own, known

    def test_every_node(self):
        tree, _, _ = self.tree()
        first = tree.children[0, RAISES]
        two, three, four = tree.children[first]
        five, six, _ = tree.children[four]
        nodes = [tree.values[node] for node in (two, three, five, six, four, first)]
        assert nodes == pytest.approx([-5, -1.4, 7, -4.5, -3.35, -1.4])
        assert tree.values[0] == pytest.approx(-1.4)  # B always opens with a bet

    def test_then_call(self):
        """Of A's three actions calling is worth most; a mix plays it most often, and is worth less."""
        tree, own, known = self.tree()
        first = tree.children[0, RAISES]
        after = Tree(terms_of(dataclasses.replace(LIMIT, raise_sizes=(2, 2, 2, 2), max_raises=(4, 4, 4, 2)), 100.0),
                     tree.states[first], tree.lines[first], 1)  # fmt: skip
        values = after.search(own, known, 1.0, 0.5, np.zeros((2, 3)), 0.0, 0.0)
        assert values == pytest.approx([-5, -1.4, -3.35])
        assert int(np.argmax(values)) == CALLS
        after.search(own, known, 1.0, 0.5, np.zeros((2, 3)), 0.0, 2.0)
        assert min(values) < after.values[0] < max(values)


def naive_key(view_line, round, faced, leaf, level):
    """A place as a plain tuple; a line is a list of (round, own, kind)."""
    own = [sum(1 for r, o, k in view_line if o and k == RAISES and r == n) for n in range(4)]
    other = [sum(1 for r, o, k in view_line if not o and k == RAISES and r == n) for n in range(4)]
    told = {
        0: tuple(view_line),
        1: (*own, *other),
        2: (own[round], other[round], sum(own[:round]), sum(other[:round])),
        3: (sum(own[: round + 1]), sum(other[: round + 1])),
        4: (own[round] + other[round],),
    }[level]
    return level, round, faced, leaf, told


class NaiveContexts:
    def __init__(self, levels):
        self.levels, self.rows = levels, {}

    def add(self, line, round, faced, leaf, which, size):
        for level in self.levels:
            row = self.rows.setdefault(naive_key(line, round, faced, leaf, level), [0.0] * size)
            row[which] += 1

    def recall(self, line, round, faced, leaf, needed, fade, prior):
        told, weight, seen = list(prior), 1.0, 0.0
        for level in self.levels:
            row = self.rows.get(naive_key(line, round, faced, leaf, level), [0.0] * len(told))
            told = [a + weight * b for a, b in zip(told, row, strict=True)]
            seen += weight * sum(row)
            if seen >= needed:
                break
            weight *= fade
        return [each / sum(told) for each in told]


def learnt(levels, rules, count=120):
    """The same hands seen by a player and by the twin; the opponent sits in the other seat."""
    agent, twin = agent_of(f"brplayer?levels={len(levels)}", rules), NaiveContexts(levels)
    hands = random_hands(rules, count, seed=2)
    for number, hand in enumerate(hands):
        seat = number % 2
        agent.observe(hand.view(seat)._replace(names=()))
        line = []
        for deed in deeds(hand.view(seat)):
            if deed.seat != seat:
                twin.add(line, deed.before.round, deed.faced, False, deed.kind, 3)
            line = [*line, (deed.before.round, deed.seat == seat, deed.kind)]
        if hand.betting.showdown:
            strength = hand_strength(tuple(sorted(hand.holes[1 - seat])), hand.board)
            twin.add(line, 3, False, True, min(int(strength * BINS), BINS - 1), BINS)
    return agent, twin, hands


@pytest.mark.parametrize("levels", [(0, 1, 3), (0, 1, 2, 3, 4)])
@pytest.mark.parametrize("rules", [LIMIT, NO_LIMIT], ids=["limit", "no-limit"])
def test_contexts_by_a_twin(levels, rules):
    """In places that were seen, in new ones, and at showdowns; tables have grown meanwhile."""
    agent, twin, _ = learnt(levels, rules)
    known = agent.known[""]
    assert len(known.keys) > ROOM
    compared = 0
    for hand in random_hands(rules, 40, seed=9):
        line, told = np.zeros(kernels.LINE, np.int64), []
        for deed in deeds(hand.view(0)):
            row, prior = np.empty(3), PRIOR[0, int(deed.faced)]
            place = (line, deed.before.round, deed.faced, False)
            kernels.recalled(known.keys, known.rows, *place, known.levels, 20.0, 0.5, prior, row)
            assert row.tolist() == pytest.approx(twin.recall(told, *place[1:], 20.0, 0.5, prior))
            own = deed.seat == 0
            kernels.advance(line, deed.before.round, own, deed.kind)
            told = [*told, (deed.before.round, own, deed.kind)]
            compared += 1
        row, prior = np.empty(BINS), np.full(BINS, 0.1)
        kernels.recalled(known.shown_keys, known.shown, line, 3, False, True, known.levels, 20.0, 0.5, prior, row)
        assert row.tolist() == pytest.approx(twin.recall(told, 3, False, True, 20.0, 0.5, prior))
    assert compared > 100


def naive_value(agent, twin, betting, line, seat, own, size):
    """Expectimax by recursion over the table's own betting."""
    if betting.actor is None:
        invested = betting.spent[seat]
        if betting.folded[seat] or betting.folded[1 - seat]:
            return (0 if betting.folded[seat] else betting.pot) - invested
        raises = sum(1 for _, mine, kind in line if not mine and kind == RAISES)
        prior = ((np.arange(BINS) + 0.5) / BINS) ** (kernels.TILT * raises)
        bins = twin.recall(line, 3, False, True, agent.needed, agent.fade, 4.0 * prior / prior.sum())
        win = sum(o * (sum(bins[:i]) + bins[i] / 2) for i, o in enumerate(own))
        return win * betting.pot - invested
    faced = betting.spent[betting.actor] < betting.highest
    kinds = {CALLS: CALL, **({FOLDS: FOLD} if faced else {})}
    if betting.legal().raises:
        kinds[RAISES] = betting.legal().raises[0]
    mine, worth = betting.actor == seat, {}
    for kind, action in kinds.items():
        more = [*line, (betting.round, mine, kind)]
        worth[kind] = naive_value(agent, twin, betting.act(action), more, seat, own, size)
    if mine:
        return max(worth.values())
    row = twin.recall(line, betting.round, faced, False, agent.needed, agent.fade, PRIOR[0, int(faced)])
    total = sum(row[kind] for kind in worth)
    return sum(row[kind] * value for kind, value in worth.items()) / total


@pytest.mark.parametrize(("betting", "board"), [("cc/rc/", "Qc7h2d3s"), ("rrc/cc/rc/r", "Qc7h2d3s4s")])
def test_values_by_a_twin(betting, board):
    agent, twin, _ = learnt((0, 1, 2, 3, 4), LIMIT)
    view = spot_view(LIMIT, "QsTd", board, betting)
    values = agent.values(view)
    own = kernels.own_bins(
        tables(), HOLES, hole_number(view.hole), np.array(view.board, np.uint8), 60, BINS, agent.stream(view)
    )
    line = [(deed.before.round, deed.seat == view.seat, deed.kind) for deed in deeds(view)]
    for kind, action in ((FOLDS, FOLD), (CALLS, CALL), (RAISES, view.legal.raises[0])):
        if action in view.legal:
            more = [*line, (view.betting.round, True, kind)]
            expected = naive_value(agent, twin, view.betting.act(action), more, view.seat, own, 100.0)
            assert values[kind] == pytest.approx(expected)
        else:
            assert np.isnan(values[kind])


def test_own_strength_is_spread_as_it_is():
    """Over sampled boards near the exact histogram; on the river one bin."""
    hole, turn = DECK.cards("QsTd"), DECK.cards("Qc7h2d3s")
    rng = np.random.SeedSequence(1).generate_state(4, np.uint64)
    mine = hole_number(hole)
    sampled = kernels.own_bins(tables(), HOLES, mine, np.array(turn, np.uint8), 4000, BINS, rng)
    assert sampled == pytest.approx(strength_histogram(hole, turn, BINS), abs=0.03)
    river = (*turn, *DECK.cards("4s"))
    one = kernels.own_bins(tables(), HOLES, mine, np.array(river, np.uint8), 60, BINS, rng)
    assert np.flatnonzero(one).tolist() == [int(hand_strength(tuple(sorted(hole)), river) * BINS)]


def test_it_learns_to_call_and_to_bet():
    """After hands with one who calls everything it bets its good hands; with one who always raises it calls down."""
    for other, hole, board, betting, wanted in (
        ("call", "QsTd", "Qc7h2d3s4s", "crc/rc/rc/", RAISES),
        ("raise", "QsTd", "Qc7h2d3s4s", "rc/crc/crc/cr", CALLS),
    ):
        agent = agent_of("vexbot", LIMIT)
        play_match(LIMIT, [agent, agent_of(other, LIMIT)], 150, seed=1, progress=False)
        names = ("vexbot", other)
        view = spot_view(LIMIT, hole, board, betting)
        values = agent.values(view._replace(names=names if view.seat == 0 else names[::-1]))
        assert int(np.nanargmax(values)) in (wanted, RAISES)
        assert values[wanted] > -view.betting.spent[view.seat] + 30  # and not to fold
    with pytest.raises(AgentError, match="3 or 5, not 4"):
        agent_of("vexbot?levels=4")


def test_a_line_knows_whose_actions_they_are():
    view = parse_hand(LIMIT, "rc/crc/", "AsAh|KsKh/Qd7c2s/3h").view(0)
    other = parse_hand(LIMIT, "rc/crc/", "AsAh|KsKh/Qd7c2s/3h").view(1)
    assert line_of(view)[1:].tolist() == [0, 0, 0, 0, 1, 1, 0, 0]
    assert line_of(other)[1:].tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert line_of(view)[0] != line_of(other)[0]


class TestBrennus:
    def test_shares(self):
        board, mine = DECK.cards("Qc7h2d3s4s"), hole_number(DECK.cards("QsTd"))
        rng = np.random.SeedSequence(1).generate_state(4, np.uint64)
        share = shares(mine, board, Clock(2.0), rng)
        for hand, won in (("AcKc", 1.0), ("AsQh", 0.0), ("QdTc", 0.5), ("QsJs", 0.0)):
            assert share[hole_number(DECK.cards(hand))] == won

    def test_belief_follows_play(self):
        """It adds up to one, and a raise makes kings likelier than they were."""
        agent = agent_of("brennus", LIMIT)
        kings = hole_number(DECK.cards("KhKd"))
        before, after = (
            agent.belief(spot_view(LIMIT, "AsQd", "Kc7h2d", betting)).sum(axis=0) for betting in ("cc/", "rc/r")
        )
        assert before.sum() == pytest.approx(1)
        assert after.sum() == pytest.approx(1)
        assert after[kings] > 1.5 * before[kings] > 0
        assert after[hole_number(DECK.cards("AsKd"))] == 0

    def test_it_finds_out_who_plays(self):
        """After hands of a loose and aggressive player it believes in the basis player that is one."""
        agent, maniac = agent_of("brennus", LIMIT), agent_of("formula?tight=0.15&aggressive=0.85", LIMIT)
        play_match(LIMIT, [agent, maniac], 60, seed=1, names=["brennus", "maniac"], progress=False)
        trust = agent.trust["maniac"]
        assert trust.sum() == pytest.approx(1)
        assert BASIS[int(trust.argmax())].aggressive > 0.5
        assert trust[BASIS.index((0.15, 0.85))] > 0.5

    def test_a_river_by_hand(self):
        """Against every hand a call of the last bet is worth its share of the pot less its price."""
        agent = agent_of("brennus", LIMIT)
        view = spot_view(LIMIT, "QsTd", "Qc7h2d3s4s", "cc/cc/cc/rrrr")
        weights = agent.belief(view).sum(axis=0)
        share = shares(hole_number(view.hole), view.board, Clock(2.0), agent.stream(view))
        owed = view.betting.highest - view.betting.spent[view.seat]
        pot = view.betting.pot + owed
        assert agent.values(view)[CALLS] == pytest.approx((weights * share).sum() * pot - owed)
        assert agent.values(view)[FOLDS] == 0
        assert agent.values(view)[RAISES] == -np.inf

    def test_without_time_the_rest_is_checked_down(self, monkeypatch):
        """A bet of the river: as with a call, and the bet comes back, where the clock is over at once."""
        view = spot_view(LIMIT, "QsTd", "Qc7h2d3s4s", "cc/cc/cc/")
        agent = agent_of("brennus?seconds=1", LIMIT)
        weights = agent.belief(view).sum(axis=0)
        searched = agent.values(view)
        now = iter(range(0, 1000, 2))
        monkeypatch.setattr("pokerlab.field.player.perf_counter", lambda: float(next(now)))
        share = shares(hole_number(view.hole), view.board, Clock(2.0), agent.stream(view))
        down = (weights * share).sum() * view.betting.pot
        hurried = agent.values(view)
        assert hurried[[CALLS, RAISES]] == pytest.approx([down, down])
        assert searched[RAISES] != pytest.approx(down)

    def test_each_strategy_once_then_the_best_hope(self):
        agent, view = agent_of("brennus", LIMIT), spot_view(LIMIT, "QsTd", "", "")
        over = parse_hand(LIMIT, "f", "|QsTd").view(1)
        for number in range(len(BASICS)):
            assert agent.chosen(view) == number
            agent.observe(over)
        assert [arm.pulls for arm in agent.arms[""]] == [1] * len(BASICS)
        assert {arm.mean for arm in agent.arms[""]} == {-0.5}
