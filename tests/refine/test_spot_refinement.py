"""Spots refined: values and borders against the slow twin, and what the paper says of margins."""

import numpy as np
import pytest

from naive_spots import NaiveSpot, payoff
from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import COUNT, HOLES, compatible
from pokerlab.errors import SpotError
from pokerlab.form.extensive import Chance, Decision, Terminal, extensive_game
from pokerlab.refine.spot_refinement import LEAST, SpotRefinement, weights_range
from pokerlab.solvers.lp import equilibrium
from random_spots import random_spot


def random_behaviour(rng):
    known = {}

    def behaviour(node, boards):
        for board in boards:
            if (node.index, board) not in known:
                known[node.index, board] = rng.dirichlet(np.ones(len(node.labels)), COUNT).T
        return np.stack([known[node.index, board] for board in boards])

    behaviour.known = known
    return behaviour


class NaiveRefinement:
    """The opponent's best responses to a behaviour, by recursion over matrices of hands."""

    def __init__(self, spot, player, behaviour):
        self.spot, self.player, self.opponent = spot, player, 1 - player
        self.naive = NaiveSpot(spot)
        mine = self.naive.holes[player]
        for (index, board), odds in behaviour.known.items():
            self.naive.average[index, board] = odds[:, mine]
        self.earned = self.naive.walk(self.opponent, "best")

    def chips(self, earned, weights, board, put):
        """(1,326) earned by the opponent's hands, as chips from a node on where the player has these weights."""
        found = np.full(COUNT, np.nan)
        theirs = self.naive.holes[self.opponent]
        every = np.zeros(COUNT)
        every[self.naive.holes[self.player]] = weights
        every[np.isin(HOLES, board).any(axis=1)] = 0
        met = compatible(every)[theirs] / (44 if len(board) > len(self.spot.board) else 1)
        able = (met > 0) & ~np.isin(HOLES[theirs], board).any(axis=1)
        found[theirs[able]] = earned[able] / met[able]
        return found + self.spot.total / 2 + put - self.spot.bets[self.opponent]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("street", [1, 2])
def test_values_against_a_behaviour(street, player):
    rng = np.random.default_rng(street)
    spot = random_spot(
        rng, street, (5, 6) if street == 1 else (30, 25), bet="60%", raise_="100%", cards=12 + 20 * (street - 1)
    )
    behaviour, found = random_behaviour(rng), SpotRefinement(spot, player)
    values = found.values_against(behaviour)
    twin = NaiveRefinement(spot, player, behaviour)
    weights = twin.naive.weights[player]
    expected = twin.chips(twin.earned, weights, spot.board, spot.bets[1 - player])
    hands = np.isfinite(expected)
    assert hands.sum() > 3
    np.testing.assert_allclose(values[hands], expected[hands], atol=2e-3)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("street", [1, 2])
def test_borders_against_the_twin(street, player):
    rng = np.random.default_rng(10 + street)
    spot = random_spot(rng, street, (5, 6) if street == 1 else (12, 12), bet="60%", raise_="100%", cards=14)
    behaviour, found = random_behaviour(rng), SpotRefinement(spot, player)
    found.follow(behaviour)
    twin = NaiveRefinement(spot, player, behaviour)
    tree, checked = found.tree, 0
    for node in tree:
        if node.kind != "decision" or (street == 1 and rng.random() < 0.6):
            continue
        boards = found.engine.shape.boards[node.street].boards
        board = boards[rng.integers(len(boards))]
        border = found.border(node, board)
        weights = naive_reach(tree, node, board, twin, behaviour)
        np.testing.assert_allclose(border.mine[twin.naive.holes[player]], weights, atol=1e-6)
        earned = naive_value(tree, node, board, twin, weights)
        expected = twin.chips(earned, weights, board, node.put[1 - player])
        hands = np.isfinite(expected) & np.isfinite(border.cbv)
        assert hands.sum() > 0
        np.testing.assert_allclose(border.cbv[hands], expected[hands], atol=2e-2)
        checked += 1
    assert checked > 3


def naive_reach(tree, node, board, twin, behaviour):
    """The player's weights at a node, following the line from the root."""
    weights = twin.naive.weights[twin.player].copy()
    weights[np.isin(HOLES[twin.naive.holes[twin.player]], board).any(axis=1)] = 0
    while node.index:
        parent = tree[node.parent]
        if parent.kind == "decision" and parent.player == twin.player:
            shown = board[: parent.street + 3]
            number = parent.children.index(node.index)
            weights = weights * behaviour.known[parent.index, shown][number][twin.naive.holes[twin.player]]
        node = parent
    return weights


def naive_value(tree, node, board, twin, weights):
    """What the opponent's hands earn from a node on by a best response, summed over these weights and the chance of
    the board."""
    chance = 1 / 44 if len(board) > len(twin.spot.board) else 1.0
    return twin.naive.walk(twin.opponent, "best", index=node.index, board=board, reach=weights * chance)


def test_safe_techniques_have_no_negative_margins():
    rng, least = np.random.default_rng(3), {}
    for _ in range(6):
        spot = random_spot(rng, 2, (60, 60), bet="60%, all-in", raise_="100%", cards=30)
        behaviour, found = random_behaviour(rng), SpotRefinement(spot, 0)
        had = found.values_against(behaviour)
        margins = {}
        for technique in ("endgame", "re-solving", "max-margin"):
            found.start(technique, had)
            found.step(600)
            assert found.iterations == 600
            margins[technique] = found.margin
            least[technique] = min(least.get(technique, np.inf), found.margin)
        assert margins["max-margin"] >= max(margins.values()) - 0.3
    assert least["max-margin"] > -0.3
    assert least["re-solving"] > -0.3
    assert least["endgame"] < -1


def gadget_with_a_range(spot, player, had, likely, belief, declines):
    """What the opponent gets of Gadget 3 that its range passes by to a part, exactly; a river."""
    tree, other = spot.tree(), 1 - player
    mine, theirs = spot.weights(player), np.flatnonzero(spot.weights(other))

    def deal(hand):
        hands = [h for h in np.flatnonzero(mine) if not set(HOLES[h]) & set(HOLES[hand])]
        return hands, mine[hands]

    def end(chips):
        return Terminal(chips if other == 0 else -chips)

    def look(item):
        what, *rest = item
        if what == "root":
            return Chance([belief, 1 - belief], [("range",), ("choose",)])
        if what == "range":
            joint = np.array([likely[hand] * deal(hand)[1].sum() for hand in theirs])
            return Chance(joint / joint.sum(), [("hand", hand, 0.0, "range") for hand in theirs])
        if what == "choose":
            options = [("hand", hand, -had[hand], "gadget") for hand in theirs] + [("end", 0.0)] * declines
            return Decision(other, "choose", [str(i) for i in range(len(options))], options)
        if what == "hand":
            hands, weights = deal(rest[0])
            return Chance(weights / weights.sum(), [("play", 0, rest[0], h, *rest[1:]) for h in hands])
        if what == "end":
            return end(rest[0])
        index, hand, against, extra, way = rest
        node = tree[index]
        if node.kind == "decision":
            name = f"{index}/{way}/{hand}" if node.player == other else f"{index}/{against}"
            after = [("play", child, hand, against, extra, way) for child in node.children]
            return Decision(node.player, name, node.labels, after)
        values = evaluate([[*HOLES[h], *spot.board] for h in (hand, against)]).astype(int)
        return end(payoff(spot, node, other, (np.sign(values[0] - values[1]) + 1) / 2) + extra)

    value = equilibrium(extensive_game(("root",), "gadget", look=look)).value
    return value if other == 0 else -value


@pytest.mark.parametrize("technique", ["max-margin", "re-solving"])
@pytest.mark.parametrize("player", [0, 1])
def test_belief_against_linear_programming(technique, player):
    rng = np.random.default_rng(8 + player)
    spot = random_spot(rng, 2, (7, 6), bet="60%, all-in", raise_="100%", cards=14)
    behaviour, found = random_behaviour(rng), SpotRefinement(spot, player)
    had, likely, belief = found.values_against(behaviour), rng.random(COUNT), 0.3
    found.start(technique, had, belief=belief, likely=likely)
    found.step(3000)
    joint = likely * spot.weights(1 - player).astype(bool) * compatible(spot.weights(player))
    able = np.isfinite(found.had)
    earned = joint[able] @ found.values()[able] / joint[able].sum()
    margin = found.margin if technique == "max-margin" else min(found.margin, 0.0)
    value = gadget_with_a_range(spot, player, had, likely, belief, technique == "re-solving")
    assert belief * earned - (1 - belief) * margin == pytest.approx(value, abs=0.2)


def test_belief_gives_up_margin_for_the_range():
    rng = np.random.default_rng(11)
    spot = random_spot(rng, 2, (60, 60), bet="60%, all-in", raise_="100%", cards=30)
    found = SpotRefinement(spot, 0)
    had, likely = found.values_against(random_behaviour(rng)), rng.random(COUNT) ** 4
    joint = np.where(np.isfinite(had), likely * compatible(spot.weights(0)), 0.0)
    margins, earned = [], []
    for belief in (0.0, 0.2, 0.8):
        found.start("max-margin", had, belief=belief, likely=likely)
        found.step(1000)
        margins.append(found.margin)
        earned.append(np.nansum(joint * found.values()) / joint.sum())
    assert margins[0] + 0.2 > margins[1] > margins[2] - 0.2
    assert earned[0] > earned[1] - 0.2 > earned[2] - 0.4


def test_what_is_followed_has_margin_zero():
    rng = np.random.default_rng(4)
    spot = random_spot(rng, 2, (40, 40), bet="60%, all-in", raise_="100%")
    behaviour, found = random_behaviour(rng), SpotRefinement(spot, 1)
    found.start("re-solving", found.values_against(behaviour))
    found.follow(behaviour)
    assert abs(np.nanmax(found.margins())) < 1e-3
    assert abs(found.margin) < 1e-3


def test_cleared_between_techniques():
    spot = random_spot(np.random.default_rng(5), 2, (20, 20))
    had = np.full(COUNT, 50.0)
    once, again = SpotRefinement(spot, 0), SpotRefinement(spot, 0)
    again.start("endgame", had)
    again.step(20)
    for found in (once, again):
        found.start("max-margin", had)
        found.step(20)
    assert once.margin == again.margin
    node = once.tree[0]
    assert np.array_equal(once.strategy(node, spot.board), again.strategy(node, spot.board))


def test_strategies_are_distributions():
    spot = random_spot(np.random.default_rng(6), 1, (15, 15), bet="60%", raise_="100%")
    found = SpotRefinement(spot, 0)
    found.start("re-solving", np.full(COUNT, 40.0))
    found.step(5)
    for node in found.tree:
        if node.kind == "decision":
            boards = found.engine.shape.boards[node.street].boards
            strategy = found.strategy(node, boards[-1])
            held = strategy.sum(axis=0) > 0
            np.testing.assert_allclose(strategy.sum(axis=0)[held], 1.0)
            assert not held[np.isin(HOLES, boards[-1]).any(axis=1)].any()


def test_ranges_have_every_hand():
    weights = np.zeros(COUNT)
    weights[100] = 4.0
    board = (0, 1, 2, 3, 51)
    found = weights_range(weights, board).weights
    free = ~np.isin(HOLES, board).any(axis=1)
    assert found[100] == 1
    assert (found[free] >= LEAST).all()
    assert not found[~free].any()
    assert (weights_range(np.zeros(COUNT), board).weights[free] == 1).all()


def test_bad_input_is_refused():
    rng = np.random.default_rng(7)
    river, flop = random_spot(rng, 2, (9, 9)), random_spot(rng, 0, (9, 9))
    with pytest.raises(SpotError, match="player must be 0 or 1"):
        SpotRefinement(river, 2)
    with pytest.raises(SpotError, match="turn or the river"):
        SpotRefinement(flop, 0)
    with pytest.raises(SpotError, match="GiB"):
        SpotRefinement(river, 0, memory=1e-6)
    with pytest.raises(SpotError, match="no technique 'magic'"):
        SpotRefinement(river, 0).start("magic", np.zeros(COUNT))
    with pytest.raises(SpotError, match="a range to believe in"):
        SpotRefinement(river, 0).start("max-margin", np.zeros(COUNT), belief=0.5)


def test_a_warm_start_begins_where_it_is_told():
    rng = np.random.default_rng(12)
    spot = random_spot(rng, 2, (60, 60), bet="60%, all-in", raise_="100%", cards=30)
    mine, theirs, found = random_behaviour(rng), random_behaviour(rng), SpotRefinement(spot, 0)
    had = found.values_against(mine)
    found.follow(theirs, 1)
    found.start("max-margin", had, warm=True)
    assert found.iterations == 0
    assert abs(found.margin) < 1e-3
    found.step(1)
    soon, node = found.margin, found.tree[0]
    asked = mine(node, [spot.board])[0]
    held = found.strategy(node, spot.board)
    hands = held.sum(axis=0) > 0
    assert np.abs(held - asked)[:, hands].max() < 0.5
    found.step(999)
    assert found.iterations == 1000
    late = found.margin
    found.start("max-margin", had)
    found.step(1)
    assert found.margin < soon
    found.step(999)
    assert late == pytest.approx(found.margin, abs=0.3)
