"""Learning from hands whose cards were hidden at folds: likelihood never falls, and the truth is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pokerlab
from pokerlab.errors import PokerlabError
from pokerlab.form.strategy import random_profile, uniform_profile
from pokerlab.solvers.hidden import HiddenHands
from pokerlab.solvers.observed import UNKNOWN, Endings, action_counts, play_out


@pytest.fixture(scope="module")
def leduc():
    return pokerlab.compile("leduc")


def hands_of(game, player, target, count, seed=1):
    """Of a player against one who does everything: all that happened."""
    both = list(uniform_profile(game).behaviours)
    both[player] = target[player]
    return play_out(game, both, count, np.random.default_rng(seed))


def naive_expected(game, player, endings, behaviour):
    """Every hidden hand shared out among the states that its player may have had, one by one."""
    origin, whole, plan = game.origin, [], game.trees[player].realize(behaviour)
    for node, first, second, times in zip(endings.node, *endings.state, endings.times, strict=True):
        mine, theirs = (first, second)[player], (first, second)[1 - player]
        if mine != UNKNOWN:
            whole.append((node, mine, times))
            continue
        joint = origin.deals.joint[origin.nodes[node].state.round].toarray()
        joint = joint if player == 0 else joint.T
        to = origin.sequences_to(int(node), player)
        odds = [joint[state, theirs] * plan[to[state]] for state in range(len(joint))]
        whole += [(node, state, times * part / sum(odds)) for state, part in enumerate(odds)]
    nodes, states, times = (np.array(column) for column in zip(*whole, strict=True))
    both = np.zeros((2, len(nodes)), dtype=np.int64)
    both[player] = states
    return action_counts(game, player, Endings(nodes, both, times))


@settings(max_examples=6)
@given(st.integers(0, 10**6))
def test_expectations_are_those_of_plain_loops_and_likelihood_never_falls(leduc, seed):
    rng = np.random.default_rng(seed)
    for player in range(2):
        endings = hands_of(leduc, player, random_profile(leduc, rng), 300, seed).hiding(leduc, player)
        hidden, behaviour = HiddenHands(leduc, player, endings), random_profile(leduc, rng)[player]
        assert hidden.expected(behaviour)[0] == pytest.approx(naive_expected(leduc, player, endings, behaviour))
        prior, weight = uniform_profile(leduc)[player], 0.01
        likelihood = []
        for rounds in (1, 2, 3, 10):
            learnt, _ = hidden.learn(prior, weight, rounds)
            penalty = weight * float(prior[1:] @ np.log(learnt[1:]))
            likelihood.append(hidden.likelihood(learnt) + penalty)
        assert np.all(np.diff(likelihood) >= -1e-6)


def test_the_truth_is_found_where_treating_the_unknown_as_absent_never_folds(leduc):
    target = pokerlab.solve(leduc, "cfr", iterations=10).strategy
    prior = uniform_profile(leduc)
    for player, tree in enumerate(leduc.trees):
        errors = []
        for count in (10**3, 10**5):
            endings = hands_of(leduc, player, target, count)
            full, seen = action_counts(leduc, player, endings), endings.hiding(leduc, player)
            weights = np.bincount(tree.infoset_of[1:], full[1:], tree.infosets)[tree.infoset_of[1:]]
            learnt, counts = HiddenHands(leduc, player, seen).learn(prior[player])
            absent = tree.normalize(action_counts(leduc, player, seen) + prior[player])
            assert counts[1:].sum() == pytest.approx(full[1:].sum(), rel=0.02)
            errors.append([np.abs(b - target[player])[1:] @ weights / weights.sum() for b in (learnt, absent)])
        (few, absent_few), (many, absent_many) = errors
        assert many < few / 5
        assert many < 0.01
        assert few < absent_few
        assert absent_many > 10 * many


def test_hands_without_any_cards_and_priors_without_weight_are_refused(leduc):
    nothing = Endings(np.array([1]), np.full((2, 1), UNKNOWN), np.ones(1))
    with pytest.raises(PokerlabError, match="nobody's cards are known"):
        HiddenHands(leduc, 0, nothing)
    endings = hands_of(leduc, 0, uniform_profile(leduc), 20)
    with pytest.raises(PokerlabError, match="more than 0 decisions, not 0"):
        HiddenHands(leduc, 0, endings).learn(uniform_profile(leduc)[0], 0.0)
