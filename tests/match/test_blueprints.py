"""Two blueprints with cards of their own: by all betting they win what their agents do, and drawn hands are theirs."""

from collections import Counter

import numpy as np
import pytest

from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent, graph_of
from pokerlab.errors import PokerlabError
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.blueprints import Dealer, drawn_hands, expected_match
from rank_cards import RankCards

RULES = rules_of("holdem-limit:raises=1")


def any_blueprint(cards, seed, game="holdem-limit:raises=1", bets="all"):
    rules = rules_of(game)
    graph = graph_of(rules, bets, "hand", cards.counts)
    rng = np.random.default_rng(seed)
    return Blueprint(rules, bets, "hand", cards, rng.integers(1, 256, graph.cells // 2).astype(np.uint8))


@pytest.fixture(scope="module")
def two():
    return any_blueprint(RankCards(), 1), any_blueprint(MadeHands(7), 2)


def worth(agents, hand, board):
    """What seat 0 wins on average over everything that two agents may do, the board being this one."""
    if hand.pending:
        hand = hand.dealt(board[len(hand.board) : len(hand.board) + hand.pending])
    if hand.finished:
        return hand.payoffs()[0]
    odds = agents[hand.actor].act(hand.view(hand.actor))
    return sum(part * worth(agents, hand.act(action), board) for action, part in odds.items())


def test_all_betting_is_that_of_the_agents(two):
    result = expected_match(*two, 3, seed=5)
    cards, _, _ = Dealer(*two, 5).deal(3)
    agents = [BlueprintAgent(each) for each in two]
    for won, row in zip(result.winnings[:, 0].tolist(), cards.tolist(), strict=True):
        hand, board = new_hand(RULES).dealt(tuple(row[:4])), tuple(row[4:])
        expected = (worth(agents, hand, board) - worth(agents[::-1], hand, board)) / 2
        assert won == pytest.approx(expected)
    assert (result.winnings.sum(axis=1) == 0).all()
    assert result.passes == 2


def test_who_plays_itself_wins_nothing(two):
    assert expected_match(two[0], two[0], 100).winnings == pytest.approx(0.0, abs=1e-9)


def test_drawn_hands_are_dealt_alike_and_played_by_the_rules(two):
    hands = list(drawn_hands(*two, 1100, seed=5, names=("a", "b")))
    cards, _, _ = Dealer(*two, 5).deal(3)
    for number, (hand, row) in enumerate(zip(hands, cards.tolist(), strict=False)):
        assert hand.holes == (tuple(row[:2]), tuple(row[2:4]))
        assert hand.board == tuple(row[4 : 4 + len(hand.board)])
        assert hand.names == (("a", "b"), ("b", "a"))[number % 2]
    for hand in hands[-200:]:
        again = new_hand(RULES, hand.names).dealt(sum(hand.holes, ()))
        board = iter(hand.board)
        for action in hand.actions:
            again = again.act(action)
            again = again.dealt(tuple(next(board) for _ in range(again.pending)))
        assert again == hand
        assert hand.finished
    assert hands == list(drawn_hands(*two, 1100, seed=5, names=("a", "b")))


def test_drawn_actions_are_as_likely_as_the_agents_say(two):
    """First decisions of both seats, against what the blueprint of whose turn it is says."""
    agents = {name: BlueprintAgent(each) for name, each in zip("ab", two, strict=True)}
    taken, expected = Counter(), Counter()
    for hand in drawn_hands(*two, 6000, seed=1, names=("a", "b")):
        state = new_hand(RULES, hand.names).dealt(sum(hand.holes, ()))
        for action in hand.actions[:2]:
            if state.pending:
                break
            who = hand.names[state.actor]
            for choice, odds in agents[who].act(state.view(state.actor)).items():
                expected[who, len(state.actions), choice] += odds
            taken[who, len(state.actions), action] += 1
            state = state.act(action)
    assert len(taken) > 8
    for key, count in taken.items():
        assert abs(count - expected[key]) < 5 * np.sqrt(expected[key]), key


def test_what_cannot_meet_is_refused(two):
    with pytest.raises(PokerlabError, match="different games"):
        expected_match(two[0], any_blueprint(RankCards(), 1, "holdem-limit"), 10)
    with pytest.raises(PokerlabError, match="different bets"):
        expected_match(two[0], any_blueprint(RankCards(), 1, bets="cap 1 1 1 0"), 10)
    three = any_blueprint(RankCards(), 1, "holdem-limit-3p:raises=1")
    with pytest.raises(PokerlabError, match="a game for two"):
        next(drawn_hands(three, three, 10))
