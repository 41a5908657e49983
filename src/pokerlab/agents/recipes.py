"""Agents that can be built by name: recipes as data. `training.py` carries them out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from pokerlab.errors import AgentError
from pokerlab.game.catalog import rules_of
from pokerlab.registry import Registry


@dataclass(frozen=True)
class Recipe:
    """How an agent is built. `cards` is a spec of `abstraction.buckets`, `bets` one of `abstraction.bets`.

    `memory` is what is remembered of the betting (see `blueprint.MEMORIES`), `seconds` how long to sample by default.
    With `recall` buckets remember the buckets before.
    """

    name: str
    about: str
    game: str
    bets: str
    memory: str
    cards: str
    seconds: float
    company: float = 0.0  # the share of opponents who are of a simple kind
    recall: bool = False
    epoch: int = 20_000  # short, so that linear weights soon count the first walks for little

    @property
    def plan(self) -> dict[str, Any]:
        """The options of the sampler."""
        return {"weighting": "linear", "single": True, "epoch": self.epoch}


def changed(recipe: Recipe, cards: str | None = None, bets: str | None = None, memory: str | None = None) -> Recipe:
    """A recipe with other cards, bets or memory, where they are given."""
    return replace(
        recipe, cards=recipe.cards if cards is None else cards, bets=recipe.bets if bets is None else bets,
        memory=recipe.memory if memory is None else memory,
    )  # fmt: skip


def recipe_of(
    name: str | None, game: str, cards: str | None, bets: str | None, memory: str | None, out: str | None
) -> Recipe:
    """A recipe for any game that is played as hold'em is."""
    rules = rules_of(game)
    if name is not None:
        raise AgentError(f"the recipe {name!r} has a game of its own: give a name or a game, not both")
    if not rules.holdem_family:
        raise AgentError(
            f"{rules.name} is not played as hold'em is, with two cards each and a board: `pokerlab solve` it"
        )
    if out is None:
        raise AgentError("an agent of a game of your own needs a file: --out FILE, and it plays as blueprint:FILE")
    usual = "/".join("percentile:20" if shown else "169" for shown in accumulate(rules.board_cards))
    plain = Recipe(rules.name, f"an agent for {rules.name}", game, "all", "hand", usual, seconds=300)
    return changed(plain, cards, bets, memory)


def _smallbot(k: int, seconds: float) -> Recipe:
    """SmallBot of Zinkevich, Bowling and Burch (2007) with k buckets a round in the place of five."""
    cards = "/".join([f"percentile:{k}"] * 4)
    return Recipe(
        f"smallbot-{k}", f"heads-up limit hold'em, {k} buckets a round and one bet fewer", "holdem-limit",
        bets="cap 2 3 3 3", memory="hand", cards=cards, seconds=seconds, recall=True,
    )  # fmt: skip


_OURS = (
    Recipe(
        "holdem-limit", "heads-up limit hold'em, all bets", "holdem-limit",
        bets="all", memory="hand", cards="169/potential:200/potential:200/kmeans:200", seconds=900,
    ),
    Recipe(
        "holdem-limit-3p", "limit hold'em for three, all bets, earlier rounds' betting as chips", "holdem-limit-3p",
        bets="all", memory="round", cards="169/potential:200/potential:200/kmeans:200", seconds=1800, company=0.12,
    ),
    Recipe(
        "holdem-nolimit", "heads-up no-limit hold'em, 200 big blinds, up to four bet sizes", "holdem-nolimit",
        bets="50 100 allin | 100 allin" + 3 * " / 50 100 200 allin | 100 allin | allin",
        memory="hand", cards="169/potential:200/potential:200/kmeans:200", seconds=900,
    ),
    _smallbot(3, 120), _smallbot(4, 240), _smallbot(5, 480),
)  # fmt: skip
RECIPES: Registry[Recipe] = Registry(
    "recipe", {recipe.name: recipe for recipe in _OURS}, error=AgentError,
    wrong=lambda row: "" if isinstance(row, Recipe) else "is no pokerlab.agents.recipes.Recipe",
)  # fmt: skip
