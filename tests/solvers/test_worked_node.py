"""The thesis's example of one node of CFR (Rubin 2013, section 2.3.3): its value, regrets, and the next strategy."""

import numpy as np
import pytest

from pokerlab.form.extensive import Chance, Decision, Terminal, extensive_game
from pokerlab.solvers.regret import SCHEMES, Learner


def node(values, current):
    """B raises two times in five; then A folds, calls or raises. One iteration of CFR from a current strategy."""
    answers = Decision(0, "A", ("fold", "call", "raise"), [Terminal(value) for value in values])
    game = extensive_game(Chance((0.4, 0.6), (answers, Terminal(0.0))))
    learner = Learner(game.trees[0], np.float64)
    learner.behaviour[1:] = current
    learner.realize()
    learner.gradient[:] = game.gradient(0, [learner.x, np.ones(1)])
    expected = learner.x @ learner.gradient
    learner.improve(SCHEMES["cfr"], 1.0, 1.0)
    return expected, learner.regret[1:], learner.behaviour[1:]


def test_the_example():
    """Values -4, 1, 6 with (0.2, 0.4, 0.4) are worth 2; regrets -6, -1, 4, times B's two fifths; then always raise."""
    expected, regrets, following = node((-4.0, 1.0, 6.0), (0.2, 0.4, 0.4))
    assert expected / 0.4 == pytest.approx(2)
    assert regrets == pytest.approx([-2.4, -0.4, 1.6])
    assert regrets / 0.4 == pytest.approx([-6, -1, 4])
    assert following.tolist() == [0, 0, 1]


def test_without_positive_regret_it_is_even():
    _, regrets, following = node((-1.0, -1.0, -1.0), (0.2, 0.4, 0.4))
    assert regrets == pytest.approx([0, 0, 0])
    assert following == pytest.approx([1 / 3] * 3)
