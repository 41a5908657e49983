"""Which games the page offers, and which agents it suggests for each: those that need nothing, those that were trained,
and files of strategies, blueprints and case bases in the current folder; and which can be trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pokerlab.agents.blueprint_file import blueprint_path
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.spec import FIELD
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.rules import Rules, unit_of
from pokerlab.reading import is_file

GAMES = ("holdem-limit", "holdem-nolimit", "holdem-limit-3p", "leduc", "kuhn")
_ANYWHERE = ("random", "call", "raise", "probe", "uniform")
_FILES = ("*.strategy", "*.blueprint", "*.cases")
_MOST_FILES = 50


def games_told(trusted: Sequence[str]) -> list[dict[str, Any]]:
    """The games as plain JSON, each with agents to choose from."""
    return [_told(name, rules_of(name), trusted) for name in GAMES]


def _told(name: str, rules: Rules, trusted: Sequence[str]) -> dict[str, Any]:
    recipes = [
        {"agent": recipe.name, "about": recipe.about, "seconds": recipe.seconds,
         "trained": is_file(blueprint_path(recipe.name))}
        for recipe in RECIPES.values() if recipe.game == name
    ]  # fmt: skip
    ready = [recipe["agent"] for recipe in recipes if recipe["trained"]]
    field = [kind for kind in FIELD if kind not in ("network", "bpp")] if name == "holdem-limit" else []
    files = sorted(str(path) for pattern in _FILES for path in Path().glob(pattern))[:_MOST_FILES]
    return {
        "game": name, "about": CATALOG[name][0], "players": rules.players, "limit": rules.limit,
        "unit": unit_of(rules)[0], "bet": rules.small_bet, "agents": [*trusted, *ready, *_ANYWHERE, *field],
        "files": files, "recipes": recipes,
    }  # fmt: skip
