"""BigBot, on games small enough to look at every node."""

import numpy as np
import pytest

import pokerlab
from pokerlab.form.strategy import Profile, random_profile
from pokerlab.papers.zinkevich2007_holdem import big_bot, fewer_bets


@pytest.fixture(scope="module")
def games():
    whole = pokerlab.rules_of("leduc:ranks=4")
    return pokerlab.compile(fewer_bets(whole)), pokerlab.compile(whole)


def believed(text, player):
    """The betting that BigBot believes in: without the raises beyond the first of a round; None if it must just call.

    Plain words instead of a walk: a raise beyond SmallBot's one is a call if the other made it, and BigBot's call of
    it never happened.
    """
    rounds = []
    for word in text.split("/"):
        seen, raises, waiting = "", 0, False
        for i, letter in enumerate(word):
            own = i % 2 == player
            if waiting:
                if not own or letter != "c":
                    return "lost"
                waiting = False
            elif letter == "r" and raises == 1:
                if own:
                    return "lost"
                seen, waiting = seen + "c", True
            else:
                raises += letter == "r"
                seen += letter
        if waiting:
            return "call"
        rounds.append(seen)
    return "/".join(rounds)


@pytest.mark.parametrize("player", [0, 1])
def test_every_node(games, player):
    small, whole = games
    profile = random_profile(small, np.random.default_rng(3))
    behaviours = [tree.uniform() for tree in whole.trees]
    behaviours[player] = big_bot(profile, player, whole)
    glued = Profile(whole, tuple(behaviours))  # also checks that it is a behaviour everywhere
    known = {(betting, state): actions for betting, state, actions in profile.rows(player)}
    surprised = 0
    for betting, state, actions in glued.rows(player):
        thought = believed(betting, player)
        if thought in ("lost", "call"):
            surprised += thought == "call"
            assert actions["c"] == 1.0
        else:
            assert {name: p for name, p in actions.items() if p} == known[thought, state]
    assert surprised


def test_same_value_against_those_who_never_raise_that_much(games):
    small, whole = games
    profile = random_profile(small, np.random.default_rng(4))
    both = Profile(whole, tuple(big_bot(profile, player, whole) for player in range(2)))
    assert pokerlab.evaluate(both).value == pytest.approx(pokerlab.evaluate(profile).value, abs=1e-12)
    assert pokerlab.evaluate(both).exploitability >= pokerlab.evaluate(profile).exploitability - 1e-12
