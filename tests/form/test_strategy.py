"""Profiles: what they say of each infoset, as text and as tables."""

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import PokerlabError
from pokerlab.form.strategy import Profile, profile_of_plans, raising_profile, random_profile, uniform_profile

KUHN = pokerlab.compile("kuhn")


def test_rows_and_text():
    profile = uniform_profile(KUHN)
    rows = list(profile.rows(0))
    assert rows[0] == ("", "J", {"c": 0.5, "r": 0.5})
    assert [(betting, state) for betting, state, _ in rows] == [(b, s) for b in ("", "cr") for s in "JQK"]
    lines = str(profile).splitlines()
    assert lines[0] == "player 1"
    assert lines[1] == f"  {'-':<12} {'J':<12} c 0.500  r 0.500"
    assert lines[7] == "player 2"
    assert lines[8] == f"  {'c':<12} {'J':<12} c 0.500  r 0.500"
    assert len(lines) == 14
    table = profile.table()
    assert table.caption == "a strategy of kuhn"
    assert table.columns == ("player", "betting", "cards", "c", "r", "f")
    assert list(table.rows)[3] == (1, "cr", "J", 0.5, None, 0.5)
    assert list(profile.table().rows)[6][:3] == (2, "c", "J")


def test_infosets_by_name():
    profile = random_profile(KUHN, np.random.default_rng(0))
    assert profile.at(1, "r", "Q") == next(odds for b, s, odds in profile.rows(1) if (b, s) == ("r", "Q"))
    with pytest.raises(PokerlabError, match="player 1 has no infoset with betting 'r' and state 'Q'"):
        profile.at(0, "r", "Q")
    with pytest.raises(PokerlabError, match="betting '' and state 'A'"):
        profile.at(0, "", "A")


def test_behaviour_is_checked():
    x, y = (tree.uniform() for tree in KUHN.trees)
    assert np.array_equal(Profile(KUHN, (x, y))[1], y)
    with pytest.raises(PokerlabError, match="not a probability distribution"):
        Profile(KUHN, (x, 2 * y))
    with pytest.raises(ValueError):
        Profile(KUHN, (x,))


def test_plans_come_back_and_are_never_negative():
    profile = random_profile(KUHN, np.random.default_rng(1))
    again = profile_of_plans(KUHN, profile.plans())
    assert all(a == pytest.approx(b) for a, b in zip(again.behaviours, profile.behaviours, strict=True))
    x, y = profile.plans()
    x = x.copy()
    x[1], x[4] = -1e-12, x[1] + x[4]  # what a linear program leaves behind
    assert profile_of_plans(KUHN, (x, y)).at(0, "", "J") == {"c": 0.0, "r": 1.0}


def test_random_profiles_differ_and_are_repeatable():
    a, b, c = (random_profile(KUHN, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(a[0], b[0])
    assert not np.array_equal(a[0], c[0])
    assert a[0].min() >= 0


def test_who_always_raises_raises_the_least():
    game = pokerlab.compile("leduc-nl:stack=7", "JQ.K-FULL")
    for player in range(2):
        for _, _, odds in raising_profile(game).rows(player):
            raises = [name for name in odds if name.startswith("r")]
            chosen = min(raises, key=lambda name: int(name[1:]), default="c")
            assert odds == {name: float(name == chosen) for name in odds}
    assert [behaviour[0] for behaviour in raising_profile(game).behaviours] == [1.0, 1.0]
    with pytest.raises(PokerlabError, match="pennies was not made from the rules of poker: it has no raises"):
        raising_profile(pokerlab.matrix_game(np.eye(2), name="pennies"))
    with pytest.raises(PokerlabError, match="this game was not made"):
        raising_profile(pokerlab.matrix_game(np.eye(2), name=""))
