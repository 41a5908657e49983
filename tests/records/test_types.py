"""Frequencies of a player's actions, counted by hand."""

import numpy as np
import pytest

from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.records.types import KINDS, WINDOW, Window, action_counts, distance, type_of


def actions_of(game, text):
    rules, actions = rules_of(game), []
    state = start_betting(rules)
    for letter in text.replace("/", ""):
        actions.append(FOLD if letter == "f" else CALL if letter == "c" else state.legal().raises[0])
        state = state.act(actions[-1])
    return rules, tuple(actions)


@pytest.mark.parametrize(
    ("game", "text", "expected"),
    [
        ("leduc", "", {}),
        ("leduc", "crrc/cc", {(0, 0, "check"): 1, (0, 0, "bet"): 1, (1, 0, "bet"): 1, (1, 0, "call"): 1,
                              (0, 1, "check"): 1, (1, 1, "check"): 1}),
        ("leduc", "cc/rf", {(0, 0, "check"): 1, (1, 0, "check"): 1, (0, 1, "bet"): 1, (1, 1, "fold"): 1}),
        ("leduc", "crf", {(0, 0, "check"): 1, (1, 0, "bet"): 1, (0, 0, "fold"): 1}),
        ("holdem-limit", "cc/", {(1, 0, "call"): 1, (0, 0, "check"): 1}),
        ("holdem-limit-3p", "rfc/", {(2, 0, "bet"): 1, (0, 0, "fold"): 1, (1, 0, "call"): 1}),
        ("holdem-limit", "rrrc/", {(1, 0, "bet"): 2, (0, 0, "bet"): 1, (0, 0, "call"): 1}),
    ],
)  # fmt: skip
def test_counts(game, text, expected):
    rules, actions = actions_of(game, text)
    counts = action_counts(rules, actions)
    assert counts.shape == (rules.players, rules.rounds, 4)
    assert {(int(s), int(r), KINDS[k]): int(counts[s, r, k]) for s, r, k in np.argwhere(counts)} == expected


def test_frequencies():
    counts = np.array([[1, 0, 2, 1], [0, 0, 0, 0], [0, 3, 0, 0]])
    assert type_of(counts).tolist() == [[0.25, 0.0, 0.5, 0.25], [0.0] * 4, [0.0, 1.0, 0.0, 0.0]]


def test_distances():
    one, other = np.array([[0.25, 0.75], [0.0, 0.0]]), np.array([[0.75, 0.25], [1.0, 0.0]])
    assert distance(one, other) == distance(other, one) == 2.0
    assert distance(one, one) == 0.0


def test_a_window_forgets_the_oldest():
    window = Window(2)
    assert (len(window), window.full) == (0, False)
    for number, (share, full) in enumerate([(1.0, False), (0.5, True), (0.0, True)]):
        window.add(np.array([[1, 0, 0, 0] if not number else [0, 0, 0, 1]]))
        assert (len(window), window.full) == (min(number + 1, 2), full)
        assert window.type.tolist() == [[share, 0.0, 0.0, 1.0 - share]]
    assert Window()._last.maxlen == WINDOW == 300
