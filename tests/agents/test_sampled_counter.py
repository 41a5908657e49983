"""Counter-strategies by sampling: against exact ones in Leduc, and in abstract hold'em."""

import numpy as np
import pytest

import pokerlab
from pokerlab.abstraction.made_hands import MadeHands
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.agents.sampled_counter import Counted, sampled_counter, styled, uniform_blueprint
from pokerlab.agents.simple import Call
from pokerlab.errors import AgentError, SolverError
from pokerlab.form.strategy import random_profile
from pokerlab.match.blueprints import drawn_hands, expected_match
from pokerlab.match.play import play_match
from pokerlab.solvers.counter import biased_game, restricted_game
from pokerlab.solvers.sampling.held_kernels import Held
from pokerlab.solvers.sampling.sampler import Sampler, plan_of
from pokerlab.solvers.sampling.solver import SamplingSolver


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("whole", "share"), [(0.6, 0.0), (0.0, 0.5), (1.0, 0.0)])
def test_sampled_walks_come_to_what_programs_find(seat, whole, share):
    """Restricted Nash, data biased and best responses of Leduc: what a response is sure of in the modified game."""
    game = pokerlab.compile("leduc")
    target = random_profile(game, np.random.default_rng(7))
    solver = SamplingSolver(game, "external-sampling", weighting="linear", seed=3)
    graph, source = solver.sampler.graph, solver.sampler.source
    model, least = (np.zeros(graph.cells // 2, dtype=np.float32) for _ in range(2))
    trusted = np.where(np.arange(game.trees[seat].infosets) % 3, share, 0.0)  # not everywhere
    slots = solver._slots[seat][1:]
    model[slots] = target[seat][1:]
    least[slots] = (trusted[game.trees[seat].infoset_of[1:]] * target[seat][1:]).astype(np.float32)
    solver.sampler = Sampler(graph, source, plan_of("external", seed=3), Held(seat, whole, model, least))
    solver.step(60_000)
    modified = restricted_game(game, seat, target[seat], whole) if whole else biased_game(
        game, seat, target[seat], trusted
    )  # fmt: skip
    mine = [tree.realize(b) for tree, b in zip(game.trees, solver.profile().behaviours, strict=True)]
    worst = -modified.trees[seat].best_response(modified.gradient(seat, mine))[0]
    exact = pokerlab.solve(modified, "lp").value * (1 if seat == 1 else -1)
    assert worst == pytest.approx(exact, abs=0.06)
    assert worst <= exact + 1e-6


def test_holding_needs_plain_external_sampling():
    solver = SamplingSolver(pokerlab.compile("kuhn"), "external-sampling")
    nothing = np.zeros(solver.sampler.graph.cells // 2, dtype=np.float32)
    for plan in (plan_of("outcome"), plan_of("external", weighting="cfr+"), plan_of("external", prune=5.0)):
        with pytest.raises(SolverError, match="players are held by external sampling"):
            Sampler(solver.sampler.graph, solver.sampler.source, plan, Held(0, 0.5, nothing, nothing))


@pytest.fixture(scope="module")
def anything():
    return uniform_blueprint(pokerlab.rules_of("holdem-limit"), "all", MadeHands(3), "made-hands?count=3")


def test_styles_are_those_of_simple_players(anything):
    rules, caller = anything.rules, styled(anything, 0, 1, 0)
    by_table = play_match(rules, [BlueprintAgent(caller), BlueprintAgent(styled(anything, 0, 0, 1))], 30, seed=4)
    plain = play_match(rules, [Call(), pokerlab.agent_of("raise")], 30, seed=4)
    assert np.array_equal(by_table.winnings, plain.winnings)
    assert np.array_equal(styled(anything, 1, 1, 1).strategy, _even(anything))


def _even(blueprint):
    """Equal bytes in every row."""
    expected, stack, graph = np.zeros(len(blueprint.strategy), np.uint8), [(0, 0)], blueprint.graph
    while stack:
        node, at = stack.pop()
        k = len(graph.actions[node])
        if k:
            expected[at // 2 : at // 2 + k * int(graph.arrays.buckets[node])] = round(255 / k)
            first = int(graph.arrays.first[node])
            stack += [(int(graph.arrays.child[e]), at + int(graph.arrays.skip[e])) for e in range(first, first + k)]
    return expected


def test_hands_are_counted_by_betting_and_bucket(anything):
    seen = Counted(anything.graph, anything.cards)
    hands = list(drawn_hands(styled(anything, 0, 1, 0), anything, 60))
    seen.add((hand, number % 2) for number, hand in enumerate(hands))
    counts = {}
    for number, hand in enumerate(hands):
        played, betting = anything.rules, []
        for action in hand.actions:
            node, base = anything.graph.follow(betting)
            state = anything.graph.states[node]
            if state.actor == number % 2:
                shown = sum(played.board_cards[: state.round + 1])
                high, low = max(hand.holes[number % 2]), min(hand.holes[number % 2])
                bucket = int(anything.cards.board_buckets(hand.board[:shown])[high * (high - 1) // 2 + low])
                actions = anything.graph.actions[node]
                at = base // 2 + len(actions) * bucket + actions.index(action)
                counts[at] = counts.get(at, 0) + 1
            betting.append(action)
    assert {at: seen.counts[at] for at in np.flatnonzero(seen.counts)} == counts
    model, trust = seen.model(0.8, "linear")
    for at in list(counts)[:20]:
        assert model[at] == 1  # it always calls
        assert trust[at] == pytest.approx(0.8 * min(counts[at] / 10, 1))
    with pytest.raises(AgentError, match="confidence in hold'em is one of linear, curve"):
        seen.model(0.5, "threshold")


def test_a_response_wins_from_its_target_and_robust_ones_lose_less_to_others(anything):
    target, probe, other = styled(anything, 0, 1, 0), styled(anything, 0, 1, 1), styled(anything, 0, 0, 1)
    seen = Counted(anything.graph, anything.cards)
    seen.add((hand, number % 2) for number, hand in enumerate(drawn_hands(target, probe, 1500)))
    made = {kind: sampled_counter(seen, anything, kind, 0.75, iterations=15_000, progress=False)
            for kind in ("frequentist", "restricted-nash", "data-biased")}  # fmt: skip
    won = {kind: expected_match(each, target, 600, progress=False).mean[0] for kind, each in made.items()}
    lost = {kind: expected_match(each, other, 600, progress=False).mean[0] for kind, each in made.items()}
    assert won["frequentist"] > 500
    assert all(value > 300 for value in won.values())
    assert lost["frequentist"] < -1000
    assert min(lost["restricted-nash"], lost["data-biased"]) > lost["frequentist"] + 1000
    with pytest.raises(AgentError, match="no counter-strategy 'best'"):
        sampled_counter(seen, anything, "best", iterations=1)
