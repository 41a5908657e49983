"""Games of three players: gradients against plain recursion, regret methods, and clear refusals."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import naive
import pokerlab
from pokerlab.agents.table import TableAgent, tabulate
from pokerlab.errors import SolverError
from pokerlab.form.game import ManyPlayerGame
from pokerlab.game.hand import new_hand
from pokerlab.match.play import play_match
from pokerlab.solvers.regret import SCHEMES, RegretSolver, scheme_of

NAMES = ["kuhn-3p", "kuhn-3p:ranks=5,suits=2"]


def expected_payoffs(rules, profile):
    """Every deal of real cards and every history, by recursion over hands."""
    tables = [{(betting, state): odds for betting, state, odds in profile.rows(p)} for p in range(3)]

    def walk(hand):
        if hand.finished:
            return np.array(hand.payoffs())
        seat = hand.actor
        odds = tables[seat][hand.betting_text(), rules.deck.ranks[rules.deck.rank(hand.holes[seat][0])]]
        moves = {hand.betting.text_of(action): action for action in hand.legal().actions()}
        return sum(chance * walk(hand.act(moves[name])) for name, chance in odds.items())

    deals = list(permutations(range(len(rules.deck)), 3))
    return sum(walk(new_hand(rules).deal(cards)) for cards in deals) / len(deals)


@pytest.mark.parametrize("name", NAMES)
def test_values_and_best_responses_agree_with_plain_recursion(name):
    game = pokerlab.compile(name)
    profile = pokerlab.random_profile(game, np.random.default_rng(3))
    found = pokerlab.evaluate(profile)
    assert np.array(found.values) == pytest.approx(expected_payoffs(game.origin.rules, profile), abs=1e-12)
    assert sum(found.values) == pytest.approx(0, abs=1e-12)
    for player in range(3):
        value, behaviour = pokerlab.best_response(profile, player)
        pair = [behaviour if p == player else profile[p] for p in range(3)]
        assert pokerlab.evaluate(pokerlab.Profile(game, tuple(pair))).values[player] == pytest.approx(value, abs=1e-12)
        rng = np.random.default_rng(player)
        for _ in range(20):
            pair[player] = game.trees[player].random(rng)
            assert pokerlab.evaluate(pokerlab.Profile(game, tuple(pair))).values[player] <= value + 1e-12


@pytest.mark.parametrize("method", ["cfr", "cfr+", "linear", "dcfr", "pcfr+"])
def test_regret_methods_find_an_equilibrium_of_kuhn(method):
    solution = pokerlab.solve("kuhn-3p", method, exploitability=2e-3, iterations=20_000)
    assert solution.stopped == "exploitability"
    assert pokerlab.evaluate(solution.strategy).exploitability <= 2e-3


def by_outcomes(game):
    """A two-player game without its operator: an outcome for each entry of the payoff."""
    entries = game.A.to_sparse().tocoo()
    payoffs = np.column_stack((entries.data, -entries.data))
    return ManyPlayerGame(game.trees, np.column_stack((entries.row, entries.col)), payoffs, game.name)


def test_two_players_through_the_same_solver():
    """Step by step, from gradients of outcomes, a two-player game takes the steps of the compiled loop."""
    game = pokerlab.compile("leduc")
    for scheme in (*SCHEMES.values(), scheme_of("cfr+", alternating=False)):
        many, two = RegretSolver(by_outcomes(game), scheme), RegretSolver(game, scheme)
        many.step(15)
        two.step(15)
        for p in range(2):
            assert many.plans()[p] == pytest.approx(two.plans()[p], abs=1e-9)


LEDUC_3P = """GAMEDEF
limit
numPlayers = 3
numRounds = 2
blind = 1 1 1
raiseSize = 2 4
firstPlayer = 1 1
maxRaises = 1 1
numSuits = 2
numRanks = 3
numHoleCards = 1
numBoardCards = 0 1
END GAMEDEF
"""


def test_two_rounds_for_three_players_are_the_naive_steps():
    """Many ways into the last round hang from one sequence, so that no two may be worked on at once."""
    game = pokerlab.compile(pokerlab.parse_rules(LEDUC_3P, "leduc-3p"))
    noise = np.random.default_rng(1).normal(size=game.payoffs.shape)  # so that no two actions are worth the same
    game = replace(game, payoffs=game.payoffs * (1 + noise))
    trees, solver = game.trees, RegretSolver(game, SCHEMES["cfr+"])
    assert all(len(tree.parts) == 0 for tree in trees)
    behaviour = [tree.uniform() for tree in trees]
    regret = [np.zeros(tree.sequences) for tree in trees]
    average = [np.zeros(tree.sequences) for tree in trees]
    for t in range(1, 6):
        for p, tree in enumerate(trees):
            gradient = game.gradient(p, [tree.realize(b) for tree, b in zip(trees, behaviour, strict=True)])
            instant = np.array(naive.instant_regrets(tree, behaviour[p], gradient))
            regret[p] = np.maximum(regret[p] + instant, 0.0)
            behaviour[p] = np.array(naive.match_regrets(tree, regret[p]))
            average[p] += t * np.array(naive.realize(tree, behaviour[p]))
    solver.step(5)
    for p, plan in enumerate(solver.plans()):
        assert plan == pytest.approx(average[p] / average[p][0], abs=1e-9)


def test_everything_else_refuses_clearly():
    for method in ("lp", "egt", "omd", "double-oracle", "range-of-skill"):
        with pytest.raises(SolverError, match="3"):
            pokerlab.solve("kuhn-3p", method)


def test_fictitious_play_of_three():
    few, many = (pokerlab.solve("kuhn-3p", "fp", iterations=count).exploitability for count in (20, 2000))
    assert many < few / 10
    assert many < 0.01


def test_files_and_agents(tmp_path):
    solution = pokerlab.solve("kuhn-3p", iterations=200)
    solution.save(tmp_path / "k.strategy")
    again = pokerlab.load(tmp_path / "k.strategy")
    assert all(np.array_equal(again.strategy[p], solution.strategy[p]) for p in range(3))
    more = pokerlab.solve("kuhn-3p", iterations=300, resume=again)
    assert np.array_equal(more.strategy[2], pokerlab.solve("kuhn-3p", iterations=300).strategy[2])
    agent = TableAgent(solution)
    assert tabulate(agent, solution.game, 2) == pytest.approx(solution.strategy[2])
    result = play_match(solution.game.origin.rules, [agent] * 3, 200, duplicate=True)
    assert np.abs(result.winnings.sum(axis=1)).max() < 1e-9
