"""From retrieved cases to an action: the reuse policies of Rubin (2013), section 3.3.2, over what is legal.

probabilistic    as often as the expert
max-frequency    what it did most often
best-outcome     what came out best on average; what it never did there is unknown and loses
"""

from __future__ import annotations

import numpy as np

from pokerlab.cases.sequences import SIZES
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD, Betting

POLICIES = ("probabilistic", "max-frequency", "best-outcome")


def check_policy(policy: str) -> None:
    if policy not in POLICIES:
        raise AgentError(f"no reuse policy {policy!r}; there are {', '.join(POLICIES)}")


def weighed(counts: np.ndarray, outcomes: np.ndarray, legal: np.ndarray, policy: str) -> np.ndarray:
    """Weights [n, actions] of the legal actions, from counts and sums of outcomes [n, actions]; each row has some.

    Actions that are equally good share. Where nothing that was done is legal, it is a call.
    """
    known = np.where(legal, counts, 0.0)
    if policy == "probabilistic":
        weights = known
    elif policy == "max-frequency":
        weights = ((known >= known.max(axis=1, keepdims=True)) & (known > 0)).astype(np.float64)
    else:
        means = np.divide(outcomes, known, out=np.full(known.shape, -np.inf), where=known > 0)
        weights = ((means >= means.max(axis=1, keepdims=True)) & (known > 0)).astype(np.float64)
    return np.where(weights.any(axis=1, keepdims=True), weights, call_of(counts.shape[1]))


def decide(counts: np.ndarray, outcomes: np.ndarray, legal: np.ndarray, policy: str) -> np.ndarray:
    """The same as probabilities."""
    return shares(weighed(counts, outcomes, legal, policy))


def shares(weights: np.ndarray) -> np.ndarray:
    """Rows of weights as probabilities."""
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def call_of(width: int) -> np.ndarray:
    """A sure check or call."""
    call: np.ndarray = np.zeros(width)
    call[1] = 1.0
    return call


def legal_letters(state: Betting, letters: str) -> np.ndarray:
    """Which of the letters can be carried out in a betting state."""
    legal = state.legal()
    return np.array([legal.fold if letter == "f" else letter == "c" or bool(legal.raises) for letter in letters])


def carried_out(state: Betting, letter: str, vary: float) -> dict[int, float]:
    """The real actions that carry out a letter, and how likely each is.

    With `vary`, every whole amount up to that part of a bet below or above it is as likely: equation (3.6).
    """
    if letter in "fc":
        return {FOLD if letter == "f" else CALL: 1.0}
    raises = state.legal().raises
    if letter == "r" or not isinstance(raises, range):
        wanted = raises[-1] if letter == "r" else state.raise_to(SIZES[letter])
        return {next((amount for amount in raises if amount >= wanted), raises[-1]): 1.0}
    wanted = min(max(state.raise_to(SIZES[letter]), raises[0]), raises[-1])
    spread = 0 if letter == "a" else int(vary * (wanted - state.highest))
    amounts = range(max(raises[0], wanted - spread), min(raises[-1], wanted + spread) + 1)
    return dict.fromkeys(amounts, 1 / len(amounts))
