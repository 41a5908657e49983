"""Models of the first rounds only, and models glued together: how equilibria of whole games were once stood in for.

Selby (1999) solved hold'em before the flop as if all cards were then shown: no more betting, payoffs by roll-out.
PsOpti (Billings et al. 2003) put such a model of the first round before models of the rest, one for each way in which
the first round may be bet, that each deal afresh. What is glued so is no equilibrium (Billings 2006): a model of the
first round does not know what the rest is worth, and models of the rest do not know who comes there. On small games
both are exact here, so that the price can be told.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from pokerlab.cards.matchups import class_matchups
from pokerlab.errors import SubgameError
from pokerlab.form.compile import compile
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile, uniform_profile
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.catalog import rules_of
from pokerlab.game.deals import merger
from pokerlab.game.rules import Rules
from pokerlab.refine.refining import refine_all
from pokerlab.refine.subgame import origin_of, subgames
from pokerlab.solvers.run import solve


def first_rounds(rules: Rules, rounds: int) -> Rules:
    """The betting of the first rounds; after it all cards are shown."""
    if not 0 < rounds < rules.rounds:
        raise SubgameError(f"{rules.name} has {rules.rounds} rounds: a model of the first has 1 to {rules.rounds - 1}")
    return replace(
        rules, first=rules.first[:rounds], raise_sizes=rules.raise_sizes[:rounds], max_raises=rules.max_raises[:rounds],
        board_cards=rules.board_cards[:rounds], name=f"{rules.name}, {rounds} of {rules.rounds} rounds",
    )  # fmt: skip


def truncated_game(full: Game, rounds: int) -> Game:
    """The first rounds of a game of cards, whose showdowns are rolled out over what would have come."""
    origin = origin_of(full)
    deals, last = origin.deals, origin.rules.rounds - 1
    shown = deals.showdown
    for r in range(last, rounds - 1, -1):
        up = merger(deals.parents[r], len(deals.states[r - 1]))
        shown = up.T @ shown @ up
    parents = tuple(deals.parents[:rounds])
    dealt = BucketDeals(
        f"{rounds} rounds of {origin.rules.name}", (parents, parents),
        tuple(joint.toarray() for joint in deals.joint[:rounds]), shown.toarray(),
    )  # fmt: skip
    return compile(first_rounds(origin.rules, rounds), deals=dealt)


@lru_cache(maxsize=1)
def selby_game() -> Game:
    """Limit hold'em before the flop, 169 kinds of hands, and then all five cards of the board: Selby's model."""
    dealt, won = class_matchups()
    above = (np.zeros(len(dealt), dtype=np.int64),)
    kinds = BucketDeals("169 kinds of hands before the flop", (above, above), (dealt,), won - won.T)
    return compile(first_rounds(rules_of("holdem-limit"), 1), deals=kinds)


def glued(full: Game, rounds: int = 1, method: str = "lp", **limits: Any) -> Profile:
    """A model of the first rounds, and after each way in which they may be bet a model of the rest, glued together.

    Models of the rest deal all hands as if the betting so far had told nothing.
    """
    trunk = uniform_profile(full)  # who plays alike with everything, and so brings every hand everywhere
    rest, _ = refine_all(trunk, subgames(full, rounds), technique="endgame", method=method, progress=False, **limits)
    return with_first_rounds(rest, solve(truncated_game(full, rounds), method, **limits).strategy)


def with_first_rounds(profile: Profile, model: Profile) -> Profile:
    """A profile whose first rounds are played as in a model of them."""
    full, small = profile.game, model.game
    origin, there = origin_of(full), origin_of(small)
    behaviours = [behaviour.copy() for behaviour in profile.behaviours]
    same = [(0, 0)]  # a decision of the whole game, and the model's
    for here, number in same:
        node, its = origin.nodes[here], there.nodes[number]
        assert node.state.actor is not None
        full.at_node(here, behaviours[node.state.actor])[:] = small.at_node(number, model[node.state.actor])
        for child, other in zip(node.children, its.children, strict=True):
            if not there.nodes[other].state.finished:
                same.append((child, other))
    return Profile(full, (behaviours[0], behaviours[1]))
