"""Counter-strategies: what they promise on random games, and what they win and risk in Leduc."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import pokerlab
from pokerlab.errors import ImperfectRecall, PokerlabError, SolverError
from pokerlab.form.evaluate import best_response, evaluate, evaluate_plans
from pokerlab.form.lift import lift
from pokerlab.form.strategy import random_profile
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.solvers.counter import (
    CONFIDENCES,
    biased_game,
    confidence,
    data_biased,
    frequentist_response,
    restricted_game,
    restricted_nash,
    standing,
)
from pokerlab.solvers.observed import UNKNOWN, Model, action_counts, calling, play_out, watch
from random_games import random_game

PS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


def against(strategy, target):
    """By player, what a strategy wins from a target, and in the worst case."""
    game, mine, theirs = strategy.game, strategy.plans(), target.plans()
    won = (
        evaluate_plans(game, (mine[0], theirs[1])).values[0],
        evaluate_plans(game, (theirs[0], mine[1])).values[1],
    )
    return won, tuple(-worst for worst in evaluate(strategy).responses[::-1])


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_nothing_wins_more_at_the_same_risk_than_a_restricted_nash_response(seed):
    """x_p maximises p won + (1 - p) worst case: none is above the line through it, and the frontier is concave."""
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    target = random_profile(game, rng)
    responses = [restricted_nash(Model.known(target), p).strategy for p in PS]
    points = [against(response, target) for response in [*responses, random_profile(game, rng)]]
    for player in range(2):
        for p, (won, worst) in zip(PS, points, strict=False):
            best = p * won[player] + (1 - p) * worst[player]
            assert all(p * w[player] + (1 - p) * v[player] <= best + 1e-7 for w, v in points)
        assert points[0][1][player] == pytest.approx(pokerlab.solve(game, "lp").value * (1, -1)[player], abs=1e-7)
        assert points[5][0][player] == pytest.approx(best_response(target, player)[0], abs=1e-7)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.floats(0, 1))
def test_restricted_games_are_worth_their_mixture_by_programs_and_by_regret(seed, p):
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    target = random_profile(game, rng)
    for player in range(2):
        mixed = restricted_game(game, player, target[player], p)
        free = random_profile(mixed, rng)
        values = []
        for theirs in (target[player], free[player]):
            both = [*free.behaviours]
            both[player] = theirs
            values.append(evaluate_plans(game, [t.realize(b) for t, b in zip(game.trees, both, strict=True)]).value)
        assert evaluate(free).value == pytest.approx(p * values[0] + (1 - p) * values[1], abs=1e-9)
    exact = restricted_nash(Model.known(target), p)
    steps = restricted_nash(Model.known(target), p, "cfr+", iterations=300)
    for player in range(2):
        (won, worst), (other, case) = against(exact.strategy, target), against(steps.strategy, target)
        mine, theirs = p * won[player] + (1 - p) * worst[player], p * other[player] + (1 - p) * case[player]
        assert theirs <= mine + 1e-7
        assert theirs == pytest.approx(mine, abs=0.1)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_data_biased_responses_are_equilibria_and_best_responses_at_their_ends(seed):
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    target = random_profile(game, rng)
    value = pokerlab.solve(game, "lp").value
    known, unknown = Model.known(target), Model(target, tuple(np.zeros(tree.infosets) for tree in game.trees))
    for model, p in ((known, 0.0), (unknown, 1.0)):
        assert data_biased(model, p).exploitability == pytest.approx(0, abs=1e-7)
    won, _ = against(data_biased(known, 1.0).strategy, target)
    assert won == pytest.approx([best_response(target, player)[0] for player in range(2)], abs=1e-7)
    share = rng.uniform(0, 1, game.Y.infosets)
    biased = biased_game(game, 1, target[1], share)
    exact, steps = pokerlab.solve(biased, "lp"), pokerlab.solve(biased, "cfr+", iterations=400)
    assert steps.value == pytest.approx(exact.value, abs=1e-7 + 2 * steps.exploitability)
    assert exact.value >= value - 1e-7  # an opponent who is not free is worth no less


def bucketed(rng):
    """Leduc's betting on made-up buckets: three and two a player, each with two children on the board."""
    sizes = [(3, 6), (2, 4)]
    parents = tuple((np.zeros(first, int), np.arange(last) // (last // first)) for first, last in sizes)
    joint = rng.random((6, 4)) + 0.1
    joint /= joint.sum()
    before = np.zeros((3, 2))
    np.add.at(before, np.ix_(parents[0][1], parents[1][1]), joint)
    return pokerlab.compile(
        "leduc", deals=BucketDeals("made up", parents, (before, joint), joint * rng.uniform(-1, 1, (6, 4)))
    )


def sure(game, player, weight, fixed, held):
    """By a program of its own: the most that the other seat is sure of against an opponent who is not free.

    Of a hand the part `weight` is against the plan `fixed`, the rest against the worst plan y with `held` y >= 0.
    """
    payoff = game.A.to_sparse().toarray()
    mine, theirs, gain = (game.X, game.Y, payoff) if player == 1 else (game.Y, game.X, -payoff.T)
    (equal, right), (rows, start) = ((matrix.toarray(), e) for matrix, e in (mine.constraints(), theirs.constraints()))
    # max over x, v, w: weight x'A fixed + (1 - weight) start'v with x a plan, rows'v + held'w <= A'x and w >= 0
    costs = np.concatenate([-weight * gain @ fixed, -(1 - weight) * start, np.zeros(len(held))])
    least = np.hstack([-gain.T, rows.T, held.T])
    equals = np.hstack([equal, np.zeros((len(equal), len(start) + len(held)))])
    free = [(0, None)] * mine.sequences + [(None, None)] * len(start) + [(0, None)] * len(held)
    program = linprog(costs, least, np.zeros(len(least)), equals, right, free)
    assert program.status == 0
    return -program.fun


def worst_case(game, player, plan, held):
    """What a plan of the other seat wins from the worst opponent of whom `held` y >= 0."""
    payoff = game.A.to_sparse().toarray()
    gain = plan @ payoff if player == 1 else -(payoff @ plan)
    rows, start = game.trees[player].constraints()
    program = linprog(gain, -held, np.zeros(len(held)), rows.toarray(), start)
    assert program.status == 0
    return program.fun


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("method", ["lp", "cfr+"])
def test_counter_strategies_of_a_bucketed_game_by_programs_of_their_own(seed, method):
    """Restricted Nash and data biased responses are sure of what those programs say, and of no more."""
    rng = np.random.default_rng(seed)
    game, p = bucketed(rng), 0.6
    target = random_profile(game, rng)
    model = Model(target, tuple(rng.integers(0, 6, tree.infosets).astype(float) for tree in game.trees))
    limits = {} if method == "lp" else {"iterations": 1500}
    close = 1e-7 if method == "lp" else 0.01
    restricted, biased = restricted_nash(model, p, method, **limits), data_biased(model, p, "curve", method, **limits)
    won, worst = against(restricted.strategy, target)
    for player in range(2):
        tree, other = game.trees[player], 1 - player
        plan, nothing = tree.realize(target[player]), np.zeros((0, tree.sequences))
        best = sure(game, player, p, plan, nothing)
        assert p * won[other] + (1 - p) * worst[other] == pytest.approx(best, abs=close)
        assert worst[other] == pytest.approx(worst_case(game, player, restricted.strategy.plans()[other], nothing))
        share = confidence(model.seen[player], p, "curve")
        held = np.eye(tree.sequences)[1:]
        above = tree.blocks.parent[tree.infoset_of[1:]]
        held[np.arange(len(held)), above] -= share[tree.infoset_of[1:]] * target[player][1:]
        best = sure(game, player, 0.0, plan, held)
        mine = worst_case(game, player, biased.strategy.plans()[other], held)
        assert mine == pytest.approx(best, abs=close)
        assert mine <= best + 1e-7


def test_confidence_grows_with_observations_up_to_p():
    seen = np.array([0.0, 1.0, 5.0, 10.0, 1000.0, np.inf])
    assert confidence(seen, 0.5, "linear") == pytest.approx([0, 0.05, 0.25, 0.5, 0.5, 0.5])
    assert confidence(seen, 1.0, "curve") == pytest.approx([0, 1 / 2, 5 / 6, 10 / 11, 1000 / 1001, 1])
    assert confidence(seen, 0.8, "threshold") == pytest.approx([0, 0.8, 0.8, 0.8, 0.8, 0.8])
    assert list(CONFIDENCES) == ["linear", "curve", "threshold"]
    with pytest.raises(SolverError, match="no confidence 'cubic'; there are linear, curve, threshold"):
        confidence(seen, 0.5, "cubic")
    with pytest.raises(SolverError, match="p: a number from 0 to 1 is needed, not"):
        confidence(seen, 1.5)


@pytest.fixture(scope="module")
def leduc():
    return pokerlab.compile("leduc")


@pytest.fixture(scope="module")
def weak(leduc):
    """Who does not tell a Jack from a Queen."""
    return lift(pokerlab.solve(pokerlab.compile("leduc", "JQ.K"), "lp").strategy, leduc)


def test_the_frontier_of_leduc_goes_from_the_equilibrium_to_the_best_response(leduc, weak):
    points = [standing(restricted_nash(Model.known(weak), p).strategy, weak) for p in np.linspace(0, 1, 11)]
    risk, won = np.array([(point.exploitability, point.won) for point in points]).T
    assert risk[0] == pytest.approx(0, abs=1e-9)
    assert won[-1] == pytest.approx(evaluate(weak).exploitability)
    assert np.all(np.diff(won) > -1e-9)
    assert np.all(np.diff(risk) > -1e-9)
    slopes = np.diff(won) / np.maximum(np.diff(risk), 1e-12)
    assert np.all(np.diff(slopes[np.diff(risk) > 1e-6]) < 1e-6)
    # For 0.02 chips of risk there is more than twice as much to be won as for none.
    assert won[3] > 2 * won[0]
    assert risk[3] < 0.02


def test_little_data_misleads_a_frequentist_and_what_was_never_seen_a_restricted_nash_response(leduc, weak):
    """Seen in its own matches: there are betting lines that the player never takes, and calls by default."""
    nothing = standing(pokerlab.solve(leduc, "lp").strategy, weak).won
    for hands in (100, 10**4, 10**6):
        model = Model.of_endings(leduc, watch(weak, weak, hands, np.random.default_rng(5)))
        assert standing(frequentist_response(model).strategy, weak).won < nothing
        restricted = [standing(restricted_nash(model, p).strategy, weak) for p in (0, 0.2, 0.5, 0.8)]
        biased = standing(data_biased(model, 0.5, "curve").strategy, weak)
        safer = [point.won for point in restricted if point.exploitability <= biased.exploitability]
        assert biased.won > 1.2 * max(safer)
    probe = lift(pokerlab.Profile(leduc, tuple(tree.uniform() for tree in leduc.trees)))
    seen = Model.of_endings(leduc, watch(weak, probe, 10**6, np.random.default_rng(5)))
    won = standing(frequentist_response(seen).strategy, weak).won
    assert won == pytest.approx(evaluate(weak).exploitability, abs=0.01)


def test_hands_are_drawn_as_the_strategies_play_them(leduc):
    rng = np.random.default_rng(1)
    profile = random_profile(leduc, rng)
    hands = play_out(leduc, profile.behaviours, 10**6, rng)
    assert hands.hands == 10**6
    assert hands.state.min() >= 0
    won, nodes, sights = 0.0, leduc.origin.nodes, leduc.origin.sights
    for node, first, second, times in zip(hands.node, *hands.state, hands.times, strict=True):
        state = nodes[node].state
        if state.showdown:
            mine, theirs = (sights[p].labels[1][s] for p, s in enumerate((first, second)))
            order = [(hand[0] == hand[2], "JQK".index(hand[0])) for hand in (mine, theirs)]
            won += times * state.stake * ((order[0] > order[1]) - (order[0] < order[1]))
        else:
            won += times * state.stake
    assert won / 10**6 == pytest.approx(evaluate(profile).value, abs=0.02)
    for player, tree in enumerate(leduc.trees):
        counts = action_counts(leduc, player, hands)
        seen = np.bincount(tree.infoset_of[1:], counts[1:], tree.infosets)
        sure = seen[tree.infoset_of[1:]] > 2000
        frequency = tree.normalize(counts)[1:][sure]
        assert sure.sum() > 50
        assert frequency == pytest.approx(profile[player][1:][sure], abs=0.06)


def test_actions_are_counted_hand_by_hand(leduc):
    """Each hand once more, walked up from its end."""
    rng = np.random.default_rng(2)
    hands = play_out(leduc, random_profile(leduc, rng).behaviours, 50, rng)
    for player in range(2):
        counts = np.zeros(leduc.trees[player].sequences)
        for node, state, times in zip(hands.node, hands.state[player], hands.times, strict=True):
            child = int(node)
            while child:
                parent = leduc.origin.nodes[child].parent
                above = leduc.origin.nodes[parent]
                last = leduc.origin.nodes[child].state.round
                if last > above.state.round:
                    state = leduc.origin.sights[player].parents[last][state]
                if above.state.actor == player:
                    leduc.at_node(parent, counts)[above.children.index(child), state] += times
                child = parent
        assert action_counts(leduc, player, hands) == pytest.approx(counts)


def test_models_count_and_call_where_nothing_was_seen(leduc):
    rng = np.random.default_rng(3)
    hidden = play_out(leduc, random_profile(leduc, rng).behaviours, 40, rng)
    seen = hidden.hiding(leduc, 1)
    folds = np.array([not leduc.origin.nodes[n].state.showdown for n in seen.node])
    assert np.all((seen.state[1] == UNKNOWN) == folds)
    assert np.all(seen.state[0] == hidden.state[0])
    counts = action_counts(leduc, 1, hidden)
    model = Model.of_counts(leduc, (np.zeros(leduc.X.sequences), counts))
    assert model.behaviour[0] == pytest.approx(calling(leduc)[0])
    assert model.seen[0].sum() == 0
    assert model.seen[1].sum() == counts.sum()
    where = model.seen[1][leduc.Y.infoset_of[1:]] == 0
    assert model.behaviour[1][1:][where] == pytest.approx(calling(leduc)[1][1:][where])
    assert model.behaviour.at(0, "", "K")["c"] == 1.0


def test_games_that_forget_or_have_no_hands_are_refused(leduc):
    forgets = pokerlab.load(Path(__file__).parents[1] / "files" / "leduc-forgets.strategy").game
    with pytest.raises(ImperfectRecall, match="forgets"):
        restricted_game(forgets, 0, forgets.X.uniform(), 0.5)
    with pytest.raises(PokerlabError, match="compiled from rules; random is none"):
        calling(random_game(np.random.default_rng(0)))
    with pytest.raises(SolverError, match="p: a number from 0 to 1"):
        restricted_game(leduc, 0, leduc.X.uniform(), -0.1)
