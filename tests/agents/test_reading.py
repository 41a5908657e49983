"""Hand reading against a twin that asks hand by hand, and the rest of a hand as a spot."""

import numpy as np
import pytest

from pokerlab.agents.agent import Agent
from pokerlab.agents.reading import likelihood, narrowed, read_hands, view_at
from pokerlab.agents.rest import Rest, Translated, parse_street
from pokerlab.cards.holes import COUNT, HOLES
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.refine.spot_refinement import weights_range
from small_blueprint import small_agent

AGENT = small_agent()
RULES = AGENT.blueprint.rules
SIZES = {2: parse_street("50 allin | 100"), 3: parse_street("100 allin")}


def view_of(betting, seat=None, board="2c7dKh/4s/Ac", hole="QcJc"):
    rounds = betting.count("/")
    cards = "/".join(["", *board.split("/")[:rounds]])
    hand = parse_hand(RULES, betting, f"|{cards}")
    seat = hand.actor if seat is None else seat
    holes = [hole if s == seat else "" for s in range(2)]
    return parse_hand(RULES, betting, "|".join(holes) + cards).view(seat)


def naive_reading(agent, view, seat):
    """The probability that an agent does, with each hand, what was done; asked one hand after the other."""
    weights = np.ones(COUNT)
    for number, hole in enumerate(HOLES.tolist()):
        if set(hole) & set(view.board):
            weights[number] = 0
            continue
        hand, dealt = new_hand(RULES)._replace(holes=tuple(tuple(hole) if s == seat else () for s in range(2))), 0
        for action in view.actions:
            if hand.pending:
                hand, dealt = hand.dealt(view.board[dealt : dealt + hand.pending]), dealt + hand.pending
            if hand.betting.actor == seat:
                weights[number] *= agent.act(hand.view(seat)).get(action, 0.0)
            hand = hand.act(action)
    return weights


@pytest.mark.parametrize("betting", ["cc/cr300c/cc/", "r300c/r900c/", "cr300c/cc/cr900c/c"])
@pytest.mark.parametrize("seat", [0, 1])
def test_reading_on_the_tree(betting, seat):
    view = view_of(betting, seat)
    found, expected = read_hands(AGENT, view, seat), naive_reading(AGENT, view, seat)
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), atol=1e-12)


def test_bets_off_the_tree_are_read_as_their_neighbours():
    view = view_of("cc/cc/cc/r250", 0)
    before = view_at(view, len(view.actions) - 1, 0)
    answer = AGENT.answers(before)
    amounts = sorted(action for action in answer if action > CALL)
    assert amounts[:2] == [200, 300]
    assert 250 not in answer
    between = likelihood(answer, before.betting, 250)
    low, high = answer[200], answer[300]
    part = np.linalg.lstsq(np.stack([low, high], axis=1), between, rcond=None)[0]
    assert part.sum() == pytest.approx(1)
    assert 0 < part[0] < 1
    np.testing.assert_allclose(between, part[0] * low + part[1] * high, atol=1e-12)


def test_what_nobody_would_do_tells_nothing():
    weights = np.random.default_rng(0).random(COUNT)
    assert np.array_equal(narrowed(weights, np.zeros(COUNT)), weights)
    assert narrowed(weights, np.full(COUNT, 0.5)).max() == 1


def test_views_of_the_past_are_those_of_the_hand():
    hand, rng = new_hand(RULES), np.random.default_rng(1)
    cards, seen, dealt = rng.permutation(52).tolist(), [], 0
    line = iter([CALL, 300, CALL, CALL, 600, CALL, CALL, CALL, CALL, CALL])
    while not hand.finished:
        if hand.pending:
            hand, dealt = hand.dealt(tuple(cards[dealt : dealt + hand.pending])), dealt + hand.pending
        else:
            seen.append(hand.view(hand.actor))
            hand = hand.act(next(line))
    for count, past in enumerate(seen):
        assert view_at(hand.view(past.seat), count, past.seat) == past


@pytest.mark.parametrize("betting", ["cc/cc/cc/", "cr270c/cr550c/cr700c/r950", "cc/cc/cr250"])
def test_asked_on_many_boards_at_once(betting):
    view = view_of(betting)
    before = view.board[:-1]
    boards = [(*before, card) for card in range(52) if card not in before][::7]
    for agent in (AGENT, small_agent(translation="soft", threshold=0.3, vary=0.1)):
        found, slow = agent.on_boards(boards)(view), Plain(agent).on_boards(boards)(view)
        assert set(found) == set(slow)
        for number, board in enumerate(boards):
            free = ~np.isin(HOLES, board).any(axis=1)
            for action, odds in found.items():
                np.testing.assert_allclose(odds[number][free], slow[action][number][free], atol=1e-12)


class Plain(Agent):
    """An agent of which nothing is known but that it answers for all hands."""

    name = "plain"

    def __init__(self, agent):
        self.agent = agent

    def act(self, view):
        return self.agent.act(view)

    def answers(self, view):
        return self.agent.answers(view)


def spot_of(view):
    rest, everything = Rest(view), weights_range(np.ones(COUNT), view.board)
    return rest, rest.spot(everything, everything, SIZES)


@pytest.mark.parametrize(
    ("betting", "pot", "bets", "to_act", "stacks"),
    [
        ("r300c/cc/cc/", 600, (0, 0), 0, (1700, 1700)),
        ("r300c/cc/cc/c", 600, (0, 0), 1, (1700, 1700)),
        ("r317c/cr651c/cc/r1000", 1302, (349, 0), 1, (1000, 1349)),
        ("cc/cc/cr250", 200, (0, 150), 0, (1900, 1750)),
        ("cc/cc/r300r2000", 200, (200, 1900), 0, (1700, 0)),  # all-in
    ],
)
def test_the_rest_of_a_hand(betting, pot, bets, to_act, stacks):
    view = view_of(betting)
    rest, spot = spot_of(view)
    assert (spot.pot, spot.bets, spot.to_act, spot.stacks) == (pot, bets, to_act, stacks)
    assert spot.board == view.board
    for node in spot.tree():
        if node.kind == "decision":
            real = Translated(AGENT, rest, spot.tree()).view(node).betting
            for number, child in enumerate(node.children):
                action = rest.action(node, number, real)
                assert action in real.legal()
                after = rest.child(spot.tree(), node, action)
                reached = spot.tree()[child]
                assert after.index == (reached.children[0] if reached.kind == "deal" else child)
    if 0 in stacks:
        assert spot.tree()[0].labels == ("fold", "call")


def test_bets_off_the_tree_have_no_child():
    rest, spot = spot_of(view_of("cc/cc/cc/"))
    tree = spot.tree()
    assert rest.child(tree, tree[0], 237) is None
    assert rest.child(tree, tree[0], 300).put == (200, 0)
    assert rest.child(tree, tree[0], FOLD) is None


def test_small_bets_are_made_legal():
    view = view_of("cc/cc/cc/")
    rest, everything = Rest(view), weights_range(np.ones(COUNT), view.board)
    tree = rest.spot(everything, everything, {3: parse_street("10 20 100 | 50")}).tree()
    assert [tree[child].put[0] for child in tree[0].children] == [0, 100, 200]


def test_a_translated_strategy_is_the_blueprint_where_the_bets_are_the_same():
    view = view_of("cc/cc/cc/")
    rest, everything = Rest(view), weights_range(np.ones(COUNT), view.board)
    tree = rest.spot(everything, everything, {3: parse_street("50 100 allin | 100 allin")}).tree()
    translated = Translated(AGENT, rest, tree)
    for node in tree:
        if node.kind == "decision" and node.player == rest.player:
            (odds,) = translated(node, [view.board])
            there = translated.view(node)
            expected = AGENT.answers(there._replace(legal=there.betting.legal()))
            for number in range(len(node.labels)):
                action = rest.action(node, number, there.betting)
                np.testing.assert_allclose(odds[number], expected.get(action, np.zeros(COUNT)))


def test_a_translated_strategy_is_one_where_they_are_not():
    view = view_of("cc/cr270c/cr600")
    rest, spot = spot_of(view)
    tree = spot.tree()
    translated = Translated(AGENT, rest, tree)
    for node in tree:
        if node.kind == "decision" and node.player == rest.player:
            boards = [view.board] if node.street == 1 else [(*view.board, card) for card in (1, 20, 45)]
            odds = translated(node, boards)
            free = ~np.isin(HOLES, boards[0]).any(axis=1)
            assert odds.shape == (len(boards), len(node.labels), COUNT)
            assert (odds >= 0).all()
            np.testing.assert_allclose(odds[0].sum(axis=0)[free], 1.0)


@pytest.mark.parametrize("text", ["", "50 |", "half", "-5", "50 x | 100"])
def test_sizes_that_cannot_be_read(text):
    with pytest.raises(AgentError, match="bets"):
        parse_street(text)


def test_sizes():
    sizes = parse_street("50 allin | 100 allin | allin")
    assert [str(size) for size in sizes.bets] == ["50%", "all-in"]
    assert [str(size) for size in sizes.raises] == ["100%", "all-in"]
    assert parse_street("75").raises == parse_street("75").bets
