"""Gadgets before a spot, against linear programs of the same gadgets as game trees."""

import numpy as np
import pytest

from naive_spots import payoff
from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import COUNT, HOLES, compatible
from pokerlab.errors import SpotError
from pokerlab.form.extensive import Chance, Decision, Terminal, extensive_game
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.run import solve_spot
from pokerlab.solvers.lp import equilibrium
from random_spots import random_spot


def gadget_value(spot, kind, player, alternatives):
    """What the gadget's player gets of its game, exactly; a river."""
    tree, other = spot.tree(), 1 - player
    mine, theirs = np.flatnonzero(spot.weights(player)), spot.weights(other)

    def deal(hand):
        hands = [h for h in np.flatnonzero(theirs) if not set(HOLES[h]) & set(HOLES[hand])]
        return hands, theirs[hands]

    def end(chips):
        return Terminal(chips if player == 0 else -chips)

    def look(item):
        what, *rest = item
        if what == "start" and kind == "max-margin":
            able = [hand for hand in mine if len(deal(hand)[0])]
            return Decision(player, "start", [str(h) for h in able], [("hand", h, -alternatives[h]) for h in able])
        if what == "start":
            joint = np.array([spot.weights(player)[hand] * deal(hand)[1].sum() for hand in mine])
            return Chance(joint / joint.sum(), [("ask", hand) for hand in mine])
        if what == "ask":
            (hand,) = rest
            options = [("end", alternatives[hand]), ("hand", hand, 0.0)]
            return Decision(player, f"ask {hand}", ["take", "enter"], options)
        if what == "hand":
            hands, weights = deal(rest[0])
            return Chance(weights / weights.sum(), [("play", 0, rest[0], h, rest[1]) for h in hands])
        if what == "end":
            return end(rest[0])
        index, hand, against, extra = rest
        node = tree[index]
        if node.kind == "decision":
            name = f"{index}/{hand if node.player == player else against}"
            return Decision(node.player, name, node.labels, [("play", c, hand, against, extra) for c in node.children])
        values = evaluate([[*HOLES[h], *spot.board] for h in (hand, against)]).astype(int)
        return end(payoff(spot, node, player, (np.sign(values[0] - values[1]) + 1) / 2) + extra)

    value = equilibrium(extensive_game(("start",), "gadget", look=look)).value
    return value if player == 0 else -value


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_against_linear_programming(player, seed):
    rng = np.random.default_rng(seed)
    spot = random_spot(rng, 2, (7, 6), bet="60%, all-in", raise_="100%", cards=12)
    alternatives = rng.uniform(0, spot.pot, COUNT)
    refined = solve_spot(spot, iterations=3000, gadget=Gadget("max-margin", player, alternatives))
    value = gadget_value(spot, "max-margin", player, alternatives)
    assert np.nanmin(refined.margins) == pytest.approx(-value, abs=0.2)
    resolved = solve_spot(spot, iterations=3000, gadget=Gadget("re-solving", player, alternatives))
    value = gadget_value(spot, "re-solving", player, alternatives)
    weights = spot.weights(player) * compatible(spot.weights(1 - player))
    taken = np.maximum(alternatives, np.nan_to_num(alternatives - resolved.margins))
    assert weights @ taken / weights.sum() == pytest.approx(value, abs=0.2)


def test_a_solved_spot_can_be_solved_again_safely():
    spot = random_spot(np.random.default_rng(5), 2, (30, 30))
    found = solve_spot(spot, exploitability=0.05)
    for kind in ("re-solving", "max-margin"):
        again = solve_spot(spot, iterations=1000, gadget=Gadget(kind, 1, found.best_response(1)))
        assert np.nanmin(again.margins) > -0.3


@pytest.mark.slow
def test_on_a_turn():
    spot = random_spot(np.random.default_rng(6), 1, (20, 20), bet="100%", raise_="")
    found = solve_spot(spot, exploitability=0.1)
    again = solve_spot(spot, iterations=300, gadget=Gadget("re-solving", 0, found.best_response(0)))
    assert np.nanmin(again.margins) > -1


def test_bad_gadgets():
    spot = random_spot(np.random.default_rng(5), 2, (3, 3))
    right = np.zeros(COUNT)
    for gadget, message in (
        (("safe", 0, right), "no gadget 'safe'"),
        (("re-solving", 2, right), "before player 0 or 1"),
        (("re-solving", 0, right[:5]), "needs 1326 alternatives"),
    ):
        with pytest.raises(SpotError, match=message):
            Gadget(*gadget)
    with pytest.raises(SpotError, match="needs a finite alternative"):
        solve_spot(spot, iterations=1, gadget=Gadget("re-solving", 0, right * np.nan))
    with pytest.raises(SpotError, match="iterations or seconds"):
        solve_spot(spot, gadget=Gadget("re-solving", 0, right))
    found = solve_spot(spot, iterations=1, gadget=Gadget("re-solving", 0, right))
    with pytest.raises(SpotError, match="has no expected chips"):
        found.figures  # noqa: B018
    with pytest.raises(SpotError, match="only a spot behind a gadget"):
        solve_spot(spot, iterations=1).margins  # noqa: B018
