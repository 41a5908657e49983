"""Abstract strategies in the full game."""

from itertools import pairwise

import numpy as np
import pytest

import pokerlab
from explicit_tree import ExplicitGame, policy_of
from pokerlab.abstraction.translation import into_shadow, out_of_shadow
from pokerlab.errors import AbstractionError
from pokerlab.form.lift import lift
from pokerlab.game.betting import CALL


@pytest.mark.parametrize(
    ("game", "pair"),
    [("leduc", "JQ.K-J.QK"), ("leduc", "JQ.K/~pair.nopair"), ("leduc", "JQK-FULL"), ("leduc-nl", "hpa"),
     ("leduc-nl", "JQ.K+pa-a"), ("leduc-nl", "FULL-hpda")],
)  # fmt: skip
def test_two_lifted_players_meet_as_in_the_abstract_game(game, pair):
    """Real play between them stays where both understand it, so its value is the abstract one."""
    small, full = pokerlab.compile(game, pair), pokerlab.compile(game)
    profile = pokerlab.random_profile(small, np.random.default_rng(2))
    lifted = lift(profile, full)
    assert pokerlab.evaluate(lifted).value == pytest.approx(pokerlab.evaluate(profile).value, abs=1e-12)


def test_the_explicit_tree_agrees():
    small = pokerlab.compile("leduc", "JQ.K-FULL")
    profile = pokerlab.random_profile(small, np.random.default_rng(4))
    explicit = ExplicitGame(small.origin.rules)
    policy = policy_of(profile)
    found = pokerlab.evaluate(lift(profile))
    assert found.responses[1] == pytest.approx(explicit.best_response_value(policy, 1), abs=1e-10)


def test_a_full_profile_is_its_own_lift():
    profile = pokerlab.uniform_profile(pokerlab.compile("kuhn"))
    assert lift(profile) is profile


def test_a_player_who_thinks_the_hand_is_over_checks_and_calls():
    """Against an opponent believed to bet all-in only, a small real bet that is called leaves no plan."""
    small, full = pokerlab.compile("leduc-nl", "FULL-a"), pokerlab.compile("leduc-nl")
    behaviour = [small.X.uniform(), small.Y.uniform()]
    lifted = lift(pokerlab.Profile(small, tuple(behaviour)), full)
    # Player 1 checks, player 2 bets 1 chip (taken for all-in); calling it means all the chips.
    odds = lifted.at(0, "cr2", "K")
    assert odds["c"] == 0
    assert odds["r12"] == pytest.approx(0.5)
    assert odds["f"] == pytest.approx(0.5)


def test_behaviour_is_lifted_where_the_player_never_goes():
    """A player who never bets still knows what it would do after having bet, with any cards."""
    small, full = pokerlab.compile("leduc", "JQ.K"), pokerlab.compile("leduc")
    profile = pokerlab.random_profile(small, np.random.default_rng(7))
    small.X.block(0, profile[0])[:] = [[1.0], [0.0]]
    with np.errstate(all="raise"):  # nothing is divided by nothing on the way
        lifted = lift(profile, full)
    for number, node in enumerate(full.origin.nodes):
        if not node.state.finished:
            assert lifted.at_node(number) == pytest.approx(profile.at_node(number), abs=1e-12)


def beliefs(profile, full, player, number, state):
    """The abstract nodes that a player may believe in at a real node with one private state, and its reach of them."""
    nodes, parents, small = full.origin.nodes, full.origin.deals.parents, profile.game.origin
    path = [number]
    while path[0]:
        path.insert(0, nodes[path[0]].parent)
    states = {nodes[number].state.round: state}
    for r in range(nodes[number].state.round, 0, -1):
        states[r - 1] = int(parents[r][states[r]])
    shadows = [(0, 1.0)]
    for here, child in pairwise(path):
        real, now = nodes[here].state, nodes[child].state
        action, after = nodes[here].actions[nodes[here].children.index(child)], []
        for shadow, reach in shadows:
            node = small.nodes[shadow]
            sizes, same = small.abstraction.players[node.state.actor].bets, node.state == real
            for a, choice in enumerate(node.actions):
                if real.actor == player:
                    chance = profile.at_node(shadow)[a, states[real.round]]
                    taken = action == (choice if same else out_of_shadow(node.state, choice, real, sizes))
                else:
                    raises, chance = [each for each in node.actions if each > CALL], 1.0
                    known = same and action in node.actions
                    taken = choice == (action if known else into_shadow(real, action, node.state, sizes, raises))
                if taken:
                    after.append((node.children[a], reach * chance))
        shadows = [s for s in after if _at(small, s[0]) == (now.actor, now.round)]
    return shadows


def _at(origin, node):
    state = origin.nodes[node].state
    return state.actor, state.round


@pytest.mark.parametrize(("stack", "pair"), [(12, "JQ.K+pda-FULL+hpa"), (16, "FULL-FULL+hpa")])
def test_shadows_hand_by_hand_agree(stack, pair):
    """Also where the player never goes: there all shadows count alike, and without any it calls."""
    small, full = (pokerlab.compile(f"leduc-nl:stack={stack}", each) for each in (pair, "FULL"))
    rng = np.random.default_rng(8)
    weights = [tree.random(rng) * (rng.random(tree.sequences) < 0.5) for tree in small.trees]
    profile = pokerlab.Profile(small, tuple(t.normalize(w) for t, w in zip(small.trees, weights, strict=True)))
    lifted, kinds = lift(profile, full), {"reached": 0, "several": 0, "never": 0, "lost": 0}
    decisions = [number for number, node in enumerate(full.origin.nodes) if not node.state.finished]
    for number in decisions:
        real = full.origin.nodes[number].state
        state = int(rng.integers(len(full.origin.deals.states[real.round])))
        shadows = beliefs(profile, full, real.actor, number, state)
        total = sum(reach for _, reach in shadows)
        odds = dict.fromkeys(full.origin.nodes[number].actions, 0.0)
        for shadow, reach in shadows:
            node, sizes = small.origin.nodes[shadow], small.origin.abstraction.players[real.actor].bets
            for a, choice in enumerate(node.actions):
                action = choice if node.state == real else out_of_shadow(node.state, choice, real, sizes)
                share = reach / total if total else 1 / len(shadows)
                odds[action] += share * profile.at_node(shadow)[a, state]
        if not shadows:
            odds[CALL] = 1.0
        kinds["lost" if not shadows else "never" if not total else "reached"] += 1
        kinds["several"] += len(shadows) > 1
        assert lifted.at_node(number)[:, state] == pytest.approx(list(odds.values()), abs=1e-12)
    assert kinds["reached"] > 100
    assert kinds["never"] > 100
    assert kinds["lost"] > 100
    assert kinds["several"] or stack == 12  # two of its bets come out as one: that takes deeper stacks


def test_lift_refuses_another_game():
    profile = pokerlab.uniform_profile(pokerlab.compile("leduc", "JQ.K"))
    with pytest.raises(AbstractionError, match="not the full game"):
        lift(profile, pokerlab.compile("kuhn"))
    with pytest.raises(AbstractionError, match="not compiled from rules"):
        lift(pokerlab.uniform_profile(pokerlab.matrix_game([[1.0, 2.0]])))
