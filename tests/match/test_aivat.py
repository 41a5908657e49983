"""AIVAT is unbiased, whatever the values and whoever is known; with good values little luck is left."""

import numpy as np
import pytest

import pokerlab
from every_hand import moments, setting
from pokerlab.errors import CardError, PokerlabError
from pokerlab.form.strategy import Profile, random_profile
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.match.aivat import Aivat, Values, history_values
from pokerlab.match.all_hands import exact_moments
from pokerlab.match.variance import money


def random_values(values, seed=0):
    rng = np.random.default_rng(seed)
    return Values(*([rng.normal(scale=5, size=a.shape) for a in arrays] for arrays in values))


@pytest.mark.parametrize("known", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "no-limit", "one round"])
@pytest.mark.parametrize("kind", ["own", "another's", "noise"])
def test_aivat_is_unbiased(name, known, kind):
    profile, value, hands = setting(name)
    values = history_values(profile)
    if kind == "another's":
        values = history_values(random_profile(profile.game, np.random.default_rng(50)))
    elif kind == "noise":
        values = random_values(values)
    mean, deviation, found = moments(hands, Aivat(profile, known, values))
    assert mean == pytest.approx([value, -value], abs=1e-9)
    assert np.abs(found.sum(axis=1)).max() < 1e-9
    assert (deviation.max() < 1e-9) == (known == (0, 1) and kind == "own")


@pytest.mark.slow
@pytest.mark.parametrize(("known", "noise"), [((0,), True), ((0, 1), False)])
def test_aivat_where_suits_matter(known, noise):
    profile, value, hands = setting("three-card")
    values = history_values(profile)
    mean, _, _ = moments(hands, Aivat(profile, known, random_values(values) if noise else values))
    assert mean == pytest.approx([value, -value], abs=1e-9)


def test_aivat_of_an_abstract_strategy():
    game = pokerlab.compile("leduc", "JQ.K-J.QK")
    profile = random_profile(game, np.random.default_rng(2))
    found = exact_moments(profile, Aivat(profile, (0,)))
    assert found.mean == pytest.approx(exact_moments(profile, money).mean, abs=1e-9)


def test_history_values_at_the_root():
    for name in ("kuhn", "leduc", "no-limit"):
        profile, value, _ = setting(name)
        joint = profile.game.origin.deals.joint[0].tocoo()
        order = np.lexsort((joint.col, joint.row))
        assert joint.data[order] @ history_values(profile).at[0] == pytest.approx(value, abs=1e-12)


def test_aivat_leaves_nothing_of_an_equilibrium():
    """At the equilibrium what the opponent may do there is worth the same: one known side is enough."""
    profile, value, hands = setting("leduc", "equilibrium")
    for known in ((0,), (1,), (0, 1)):
        _, _, found = moments(hands, Aivat(profile, known))
        assert found[:, 0] == pytest.approx(value, abs=1e-6)


def always_call(tree):
    behaviour = np.zeros(tree.sequences)
    behaviour[0] = 1.0
    for b, (start, _, n, _) in enumerate(zip(*tree.blocks[:4], strict=True)):
        call = tree.describe(b).actions.index("c")
        behaviour[start + call * n : start + (call + 1) * n] = 1.0
    return behaviour


def test_what_cannot_be_estimated_is_refused():
    leduc = rules_of("leduc")
    folded = parse_hand(leduc, "rf", "Jh|")
    profile, _, _ = setting("leduc")
    with pytest.raises(CardError, match="player 2"):
        Aivat(profile, (0,))(folded)
    assert np.isfinite(Aivat(profile, (1,))(folded)).all()
    with pytest.raises(PokerlabError, match="finished"):
        Aivat(profile)(new_hand(leduc))
    with pytest.raises(PokerlabError, match="among 0 and 1"):
        Aivat(profile, (2,))
    never = Profile(profile.game, (always_call(profile.game.X), profile[1]))
    with pytest.raises(PokerlabError, match="never does"):
        Aivat(never, (0,))(parse_hand(leduc, "rf", "Jh|Js"))
