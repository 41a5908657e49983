"""All hands that two strategies can play, with their probabilities: exact means and deviations of any estimator.

For Kuhn, Leduc and their like: Leduc has 5,520 hands, suits told apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile
from pokerlab.game.deals import private_state
from pokerlab.game.hand import Hand, new_hand
from pokerlab.match.variance import Estimator, all_deals


class Moments(NamedTuple):
    """Per seat, in chips a hand."""

    mean: np.ndarray
    deviation: np.ndarray


def all_hands(profile: Profile) -> Iterator[tuple[float, Hand]]:
    """Every finished hand that `profile` can play, and its probability."""
    profile = lift(profile)
    origin = profile.game.origin
    if origin is None:
        raise PokerlabError(f"{profile.game.name} was not compiled from rules: its strategies play no hands")
    stack = [(1.0, new_hand(origin.rules), 0)]
    while stack:
        chance, hand, here = stack.pop()
        if hand.finished:
            yield chance, hand
            continue
        if hand.pending:
            dealt = list(all_deals(hand))
            stack += [(chance / len(dealt), hand.dealt(cards), here) for cards in dealt]
            continue
        node = origin.nodes[here]
        seat, round = node.state.actor, node.state.round
        assert seat is not None
        state = origin.deals.number(round, private_state(origin.rules, round, hand.holes[seat], hand.board))
        for odds, action, child in zip(profile.at_node(here, state).tolist(), node.actions, node.children, strict=True):
            if odds > 0:
                stack.append((chance * odds, hand.act(action), child))


def exact_moments(profile: Profile, estimator: Estimator) -> Moments:
    """The mean and standard deviation of an estimator when these strategies play."""
    rows = [(chance, estimator(hand)) for chance, hand in all_hands(profile)]
    chances, estimates = np.array([chance for chance, _ in rows]), np.array([estimate for _, estimate in rows])
    mean = chances @ estimates
    return Moments(mean, np.sqrt(chances @ (estimates - mean) ** 2))
