"""OpenSpiel as referee: an implementation nobody here wrote sees the same games, values and exploitability.

Its tree is walked once; each of its information states is named as ours (betting, ranks without suits), so
that any profile of ours becomes a policy of its, which its C++ code then evaluates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyspiel
import pytest

import pokerlab

TOLERANCE = 1e-9
SUITS = {"kuhn": 1, "leduc": 2}


class Infoset(NamedTuple):
    """One of our infosets, as `Profile.rows` names it."""

    player: int
    betting: str
    state: str


class Referee:
    """One game in both libraries. `infosets` maps OpenSpiel's information states to ours, and its actions to ours."""

    def __init__(self, name: str) -> None:
        self.name, self.ours, self.theirs = name, pokerlab.compile(name), pyspiel.load_game(f"{name}_poker")
        self.infosets: dict[str, tuple[Infoset, dict[int, str]]] = {}
        for key, infoset, actions in self._walk(self.theirs.new_initial_state(), (), ""):
            assert self.infosets.setdefault(key, (infoset, actions)) == (infoset, actions)

    def _walk(
        self, state: pyspiel.State, cards: tuple[int, ...], betting: str
    ) -> Iterator[tuple[str, Infoset, dict[int, str]]]:
        """Every decision below `state`; `cards` are the first player's, the second's and the public one."""
        if state.is_terminal():
            return
        if state.is_chance_node():
            for card, _ in state.chance_outcomes():
                yield from self._walk(state.child(card), (*cards, card), betting + "/" * (len(cards) == 2))
            return
        player, legal = state.current_player(), state.legal_actions()
        ranks = ["JQK"[card // SUITS[self.name]] for card in (cards[player], *cards[2:])]
        # Kuhn's two actions are pass and bet, Leduc's three fold, call and raise.
        texts = "fcr" if self.name == "leduc" else "fc" if betting.endswith("r") else "cr"
        actions = {action: texts[action] for action in legal}
        yield state.information_state_string(), Infoset(player, betting, "/".join(ranks)), actions
        for action, text in actions.items():
            yield from self._walk(state.child(action), cards, betting + text)

    def policy(self, profile: pokerlab.Profile) -> pyspiel.TabularPolicy:
        """Our profile as OpenSpiel's policy."""
        odds = odds_of(profile)
        return pyspiel.TabularPolicy({
            key: [(action, odds[infoset][text]) for action, text in actions.items()]
            for key, (infoset, actions) in self.infosets.items()
        })  # fmt: skip

    def exploitability(self, profile: pokerlab.Profile) -> float:
        return pyspiel.exploitability(self.theirs, self.policy(profile))

    def value(self, profile: pokerlab.Profile) -> float:
        first, second = pyspiel.expected_returns(self.theirs.new_initial_state(), self.policy(profile), -1, True)
        assert first == pytest.approx(-second, abs=TOLERANCE)
        return first


def odds_of(profile: pokerlab.Profile) -> dict[Infoset, dict[str, float]]:
    return {Infoset(player, *row[:2]): row[2] for player in range(2) for row in profile.rows(player)}


@pytest.fixture(scope="module", params=["kuhn", "leduc"])
def referee(request: pytest.FixtureRequest) -> Referee:
    return Referee(request.param)


def test_same_infosets_and_actions(referee: Referee) -> None:
    theirs: dict[Infoset, set[str]] = {}
    for infoset, actions in referee.infosets.values():
        assert theirs.setdefault(infoset, set(actions.values())) == set(actions.values())
    ours = {infoset: set(odds) for infoset, odds in odds_of(pokerlab.uniform_profile(referee.ours)).items()}
    assert ours == theirs
    assert len(ours) == {"kuhn": 12, "leduc": 288}[referee.name]


def test_equilibrium_by_linear_programming(referee: Referee) -> None:
    found = pokerlab.solve(referee.ours, "lp")
    assert referee.exploitability(found.strategy) < TOLERANCE
    assert referee.value(found.strategy) == pytest.approx(found.value, abs=TOLERANCE)
    if referee.name == "kuhn":
        assert found.value == pytest.approx(-1 / 18, abs=TOLERANCE)


@pytest.mark.slow  # OpenSpiel needs 55 ms for one Leduc profile
def test_random_profiles(referee: Referee) -> None:
    rng = np.random.default_rng(2009)
    for _ in range(100):
        profile = pokerlab.random_profile(referee.ours, rng)
        found = pokerlab.evaluate(profile)
        assert referee.exploitability(profile) == pytest.approx(found.exploitability, abs=TOLERANCE)
        assert referee.value(profile) == pytest.approx(found.value, abs=TOLERANCE)


def test_nash_conv_is_the_sum_over_seats(referee: Referee) -> None:
    profile = pokerlab.random_profile(referee.ours, np.random.default_rng(1))
    theirs = pyspiel.nash_conv(referee.theirs, referee.policy(profile))
    assert theirs == pytest.approx(2 * pokerlab.evaluate(profile).exploitability, abs=TOLERANCE)


@pytest.mark.parametrize("iterations", [1, 10, 300])
def test_exploitability_reported_by_cfr_plus(referee: Referee, iterations: int) -> None:
    found = pokerlab.solve(referee.ours, "cfr+", iterations=iterations)
    assert referee.exploitability(found.strategy) == pytest.approx(found.exploitability, abs=TOLERANCE)
    assert referee.value(found.strategy) == pytest.approx(found.value, abs=TOLERANCE)


@pytest.mark.parametrize(("method", "solver"), [("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)])
def test_same_iterates(referee: Referee, method: str, solver: type[pyspiel.CFRSolver]) -> None:
    """Not only the destination: after ten alternating iterations both play the same."""
    theirs = solver(referee.theirs)
    for _ in range(10):
        theirs.evaluate_and_update_policy()
    state = pokerlab.solve(referee.ours, method, iterations=10).state
    odds = odds_of(pokerlab.Profile(referee.ours, (state["behaviour0"], state["behaviour1"])))
    now = theirs.current_policy()
    for key, (infoset, actions) in referee.infosets.items():
        expected = {actions[action]: p for action, p in now.get_state_policy(key)}
        assert odds[infoset] == pytest.approx(expected, abs=TOLERANCE), infoset
