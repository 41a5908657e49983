"""Blueprints at the table: what the table says on known paths, and something legal on all others."""

import random
from dataclasses import replace

import numpy as np
import pytest

import pokerlab
from graph_places import places
from pokerlab.abstraction.translation import pseudo_harmonic
from pokerlab.agents.agent import Agent
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent, blueprint_of, graph_of
from pokerlab.agents.blueprint_kernels import fill_bytes
from pokerlab.agents.recipes import RECIPES, Recipe
from pokerlab.agents.simple import Random
from pokerlab.agents.training import sampler_of
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.errors import AgentError, StrategyFileError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.match.play import play_hand, play_match
from randomly import any_action
from rank_cards import RankCards

LIMIT, THREE, NOLIMIT = (pokerlab.rules_of(f"holdem-{name}") for name in ("limit", "limit-3p", "nolimit"))
SIZES = "50 100 allin / 50 100 allin | allin / 100 allin / 100"
CARDS = RankCards()


def any_blueprint(rules, bets, memory="hand", seed=0):
    """A blueprint with random numbers in it: it goes everywhere."""
    size = graph_of(rules, bets, memory, CARDS.counts).cells // 2
    return Blueprint(rules, bets, memory, CARDS, np.random.default_rng(seed).integers(1, 256, size).astype(np.uint8))


def view_of(rules, betting, cards):
    hand = parse_hand(rules, betting, cards)
    return hand.view(hand.actor)


class Odd(Agent):
    """Does anything legal, the smallest and the largest raises above all; seldom folds."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def act(self, view):
        return {any_action(view.legal, self.rng, fold=0.05, raising=0.5): 1.0}


def three_stacks():
    """No-limit for three with stacks of different sizes."""
    return replace(NOLIMIT, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(2000, 700, 5000), name="three")


ODD_GAMES = {
    "limit": (LIMIT, "all", "hand"),
    "limit, capped": (LIMIT, "cap 1 0 1 2", "hand"),
    "limit, forgetful": (LIMIT, "all", "round"),
    "three": (THREE, "cap 1 1 1 1", "hand"),
    "three, forgetful": (THREE, "cap 2 1 2 1", "round"),
    "no-limit": (NOLIMIT, SIZES, "hand"),
    "no-limit, no all-in": (NOLIMIT, "100 / 100 | 200 / 100 / 50", "hand"),
    "short": (pokerlab.rules_of("holdem-nolimit:stack=350"), SIZES, "hand"),
    "three stacks": (three_stacks(), "100 allin | allin / 100 allin | allin / allin / allin", "hand"),
}


@pytest.mark.parametrize(
    "options", [{}, {"translation": "soft", "vary": 0.3, "threshold": 0.2}, {"translation": "hard"}]
)
@pytest.mark.parametrize("game", ODD_GAMES)
def test_whatever_the_others_do_it_answers_with_legal_actions(game, options):
    rules, bets, memory = ODD_GAMES[game]
    agent = BlueprintAgent(any_blueprint(rules, bets, memory), **options)
    rng = random.Random(7)
    needed = 2 * rules.players + 5
    for deal in range(60):
        cards = np.random.default_rng(deal).permutation(52)[:needed].tolist()
        seated = [Odd(deal * 10 + seat) for seat in range(rules.players)]
        seated[deal % rules.players] = agent
        hand = play_hand(rules, seated, cards, rng)  # `choose` refuses what is no distribution of legal actions
        assert hand.finished


@pytest.mark.parametrize("game", ["three, forgetful", "three", "three stacks"])
def test_two_of_them_and_one_who_is_odd(game):
    rules, bets, memory = ODD_GAMES[game]
    agents = [BlueprintAgent(any_blueprint(rules, bets, memory, seed), name=str(seed)) for seed in range(2)]
    assert play_match(rules, [*agents, Odd(1)], 20, duplicate=True).winnings.sum() == pytest.approx(0)


@pytest.mark.parametrize("game", ["limit", "three, forgetful"])
def test_in_limit_the_shadow_is_the_real_betting(game):
    """On every path the answer is the table's row."""
    rules, bets, memory = ODD_GAMES[game]
    if memory == "round":
        bets = "all"
    agent = BlueprintAgent(any_blueprint(rules, bets, memory))
    graph, rng, seen = agent.blueprint.graph, random.Random(3), 0
    for deal in range(40):
        cards = np.random.default_rng(deal).permutation(52)[: 2 * rules.players + 5].tolist()
        hand, dealt = new_hand(rules), 0
        while not hand.finished:
            if hand.pending:
                hand, dealt = hand.dealt(tuple(cards[dealt : dealt + hand.pending])), dealt + hand.pending
                continue
            view = hand.view(hand.actor)
            node, base = graph.follow(hand.actions)
            bucket = CARDS.board_buckets(hand.board)[[hole_number(view.hole)]]
            expected = agent.blueprint.odds(node, base, bucket)[0]
            assert agent.act(view) == pytest.approx(dict(zip(graph.actions[node], expected, strict=True)))
            hand, seen = hand.act(any_action(view.legal, rng)), seen + 1
    assert seen > 200


def test_all_hands_at_once_are_each_by_itself():
    agent = BlueprintAgent(any_blueprint(NOLIMIT, SIZES), vary=0.1)
    for betting, cards in (("", "|AsKd"), ("r270", "7h7c|"), ("r270c/r400r1600", "7h7c|/2c3c4d")):
        view = view_of(NOLIMIT, betting, cards)
        found = agent.answers(view)
        assert sum(found.values()) == pytest.approx(np.ones(1326))
        for number in (5, 700, 1325):
            hole = tuple(HOLES[number].tolist())
            if set(hole) & set(view.board):
                continue
            holes = tuple(hole if seat == view.seat else () for seat in range(2))
            alone = agent.act(view._replace(holes=holes))
            assert alone == pytest.approx({a: odds[number] for a, odds in found.items() if odds[number] > 0})


def test_shadows_are_told_apart_by_what_one_did():
    """A raise of 75 % is half pot or pot; what the player did since, with these cards, changes the odds (Bayes)."""
    blueprint = any_blueprint(NOLIMIT, SIZES)
    agent, graph = BlueprintAgent(blueprint), blueprint.graph
    view = view_of(NOLIMIT, "r250c/", "AsKd|/2c3c4d")
    before, now = (CARDS.board_buckets(board)[[hole_number(view.hole)]] for board in ((), view.board))
    half = pseudo_harmonic(0.75, 0.5, 1.0)
    weights, rows = [], []
    for chance, size in ((half, 200), (1 - half, 300)):
        node, base = graph.follow((size,))
        weights.append(chance * blueprint.odds(node, base, before)[0, graph.actions[node].index(CALL)])
        node, base = graph.follow((size, CALL))
        rows.append(blueprint.odds(node, base, now)[0])
    weights = np.array(weights) / sum(weights)
    mixed = weights[0] * rows[0] + weights[1] * rows[1]
    found = agent.act(view)
    # The pot is 500: half of it, all of it, and all-in, whatever each shadow believes the pot to be.
    assert found == pytest.approx({CALL: mixed[0], 500: mixed[1], 750: mixed[2], 20_000: mixed[3]})


def test_a_raise_beyond_the_cap_is_called_and_forgotten():
    agent = BlueprintAgent(any_blueprint(LIMIT, "cap 1 4 4 4"))
    assert agent.act(view_of(LIMIT, "rr", "|AsKd")) == {CALL: 1}
    after, plain = (agent.act(view_of(LIMIT, betting, "|AsKd/2c3c4d")) for betting in ("rrc/c", "rc/c"))
    raised = {("raise" if action > 0 else action): odds for action, odds in after.items()}
    assert raised == pytest.approx({("raise" if action > 0 else action): odds for action, odds in plain.items()})


def test_calling_what_is_taken_for_all_in_commits_the_stack():
    agent = BlueprintAgent(any_blueprint(NOLIMIT, SIZES), translation="hard")
    assert set(agent.act(view_of(NOLIMIT, "r15000", "AsKd|"))) == {FOLD, 20_000}
    assert set(agent.act(view_of(NOLIMIT, "r20000", "AsKd|"))) == {FOLD, CALL}


def test_a_folded_third_player_is_let_out_of_the_shadow():
    """The third folds to a raise that the shadow does not know, and so is still in there: it checks, then folds."""
    agent = BlueprintAgent(any_blueprint(THREE, "cap 1 1 1 1"))
    for betting in ("rcrfc/", "rcrfc/c", "rcrfc/cr", "rcrfc/crc/", "rcrrcf/rc/r"):
        answer = agent.act(view_of(THREE, betting, _seated(THREE, betting)))
        assert sum(answer.values()) == pytest.approx(1)


def _seated(rules, betting):
    """Cards for whoever is to act."""
    board = "/".join(["", "2c3c4d", "9h", "Js"][: betting.count("/") + 1])
    hand = parse_hand(rules, betting, "AsKd||" + board)
    seat = hand.actor
    return "|".join("AsKd" if s == seat else "" for s in range(3)) + board


def test_thresholds():
    blueprint = any_blueprint(LIMIT, "all")
    view = view_of(LIMIT, "r", "AsKd|")
    plain, pure = (BlueprintAgent(blueprint, threshold=t).act(view) for t in (0, 1))
    assert pure == {max(plain, key=plain.get): 1}
    least = sorted(plain.values())[0]
    some = BlueprintAgent(blueprint, threshold=least + 1e-6).act(view)
    assert len(some) == len(plain) - 1
    assert sum(some.values()) == pytest.approx(1)


def test_a_sampler_becomes_a_blueprint():
    recipe = Recipe("small", "", "holdem-limit", "cap 1 1 1 1", "hand", "", 1.0)
    sampler = sampler_of(recipe, CARDS)
    sampler.step(4000)
    blueprint = blueprint_of(sampler, recipe.bets, recipe.memory, CARDS, {"recipe": "small"})
    average, rows = sampler.average(np.float64), 0
    for actions in ((), (CALL,), (CALL, CALL)):
        node, base = sampler.graph.follow(actions)
        k = len(sampler.graph.actions[node])
        for bucket in range(6):
            found = blueprint.odds(node, base, np.array([bucket]))[0]
            at = base // 2 + k * bucket
            assert found == pytest.approx(average[at : at + k], abs=0.01)
            rows += 1
    assert blueprint.about["met"] <= blueprint.about["infosets"] == sampler.graph.infosets
    assert blueprint.about["iterations"] == 4000
    result = play_match(LIMIT, [BlueprintAgent(blueprint), Random()], 300, duplicate=True, seed=1)
    assert result.mean[0] > result.ci95[0]


@pytest.mark.parametrize("memory", ["hand", "round"])
def test_bytes_of_a_table(memory):
    """Against a walk over the nodes in Python: rows never met play the node's mean, or call."""
    rules, bets = THREE, "cap 0 1 0 0"
    graph = graph_of(rules, bets, memory, CARDS.counts)
    rng = np.random.default_rng(5)
    cells = rng.random(graph.cells) * (rng.random(graph.cells) < 0.4)
    found = np.zeros(graph.cells // 2, np.uint8)
    call = np.array([actions.index(CALL) if actions else 0 for actions in graph.actions])
    arrays = graph.sweep if memory == "round" else graph.arrays
    expected, met = np.zeros(graph.cells // 2), 0
    for node, base in places(graph):
        k, n = len(graph.actions[node]), int(graph.arrays.buckets[node])
        if node % 3 == 0:
            cells[base : base + 2 * k * n] = 0  # nothing is known here
        sums = cells[base : base + 2 * k * n].reshape(n, 2, k)[:, 1]
        mean = sums.sum(axis=0) if sums.any() else np.eye(k)[graph.actions[node].index(CALL)]
        for row, sum_ in enumerate(sums):
            odds = sum_ if sum_.any() else mean
            expected[base // 2 + k * row : base // 2 + k * row + k] = odds / odds.sum()
            met += sum_.any()
    assert fill_bytes(arrays, call, cells, *graph.stack(), np.zeros(graph.most_actions), found) == met
    assert np.abs(found / 255 - expected).max() <= 0.5 / 255 + 1e-9


def test_errors():
    blueprint = any_blueprint(LIMIT, "cap 0 0 0 0")
    with pytest.raises(StrategyFileError, match="does not fit a game with"):
        replace(blueprint, strategy=blueprint.strategy[1:])
    with pytest.raises(AgentError, match="vary is from 0"):
        BlueprintAgent(blueprint, vary=1.0)
    with pytest.raises(AgentError, match="plays holdem-limit, not holdem-nolimit"):
        BlueprintAgent(blueprint).act(view_of(NOLIMIT, "", "|AsKd"))
    with pytest.raises(AgentError, match="of the hand or the round"):
        graph_of(LIMIT, "all", "week", CARDS.counts)


def test_three_players_with_little_training():
    """The recipe as it is, on cards that tell little apart."""
    recipe = RECIPES["holdem-limit-3p"]
    sampler = sampler_of(recipe, CARDS)
    sampler.step(5000)
    agent = BlueprintAgent(blueprint_of(sampler, recipe.bets, recipe.memory, CARDS, {}))
    result = play_match(THREE, [agent, Random(), Random()], 60, duplicate=True, seed=2)
    assert result.mean[0] > result.ci95[0]
