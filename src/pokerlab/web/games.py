"""Which games the page offers, and which agents it suggests for each: those that need nothing, those that were trained,
and files of strategies, blueprints and case bases of the game in the current folder; and which can be trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pokerlab.agents.blueprint_file import blueprint_path
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.spec import FIELD
from pokerlab.errors import PokerlabError
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.rules import Rules, parse_rules, unit_of
from pokerlab.reading import Stamp, header_of, is_file, stamp_of

GAMES = ("holdem-limit", "holdem-nolimit", "holdem-limit-3p", "leduc", "kuhn")
_ANYWHERE = ("random", "call", "raise", "probe", "uniform")
_FILES = ("*.strategy", "*.blueprint", "*.cases")
_MOST_FILES = 50


def games_told(trusted: Sequence[str]) -> list[dict[str, Any]]:
    """The games as plain JSON, each with agents to choose from."""
    return [_told(name, rules_of(name), trusted) for name in GAMES]


@lru_cache(maxsize=4 * _MOST_FILES)
def _rules_in(stamp: Stamp) -> str:
    """The rules that a strategy, a blueprint or a case base is made for; "" where that is not to be told."""
    try:
        told = header_of(stamp.path, PokerlabError)
        return parse_rules(str(told.get("rules") or told.get("game"))).text()
    except PokerlabError:
        return ""


def _told(name: str, rules: Rules, trusted: Sequence[str]) -> dict[str, Any]:
    recipes = [
        {"agent": recipe.name, "about": recipe.about, "seconds": recipe.seconds,
         "trained": is_file(blueprint_path(recipe.name))}
        for recipe in RECIPES.values() if recipe.game == name
    ]  # fmt: skip
    ready = [recipe["agent"] for recipe in recipes if recipe["trained"]]
    field = [kind for kind in FIELD if kind not in ("network", "bpp")] if name == "holdem-limit" else []
    files = sorted(str(path) for pattern in _FILES for path in Path().glob(pattern))[:_MOST_FILES]
    files = [file for file in files if _rules_in(stamp_of(file)) == rules.text()]
    return {
        "game": name, "about": CATALOG[name][0], "players": rules.players, "limit": rules.limit,
        "unit": unit_of(rules)[0], "bet": rules.small_bet, "agents": [*trusted, *ready, *_ANYWHERE, *field],
        "files": files, "recipes": recipes,
    }  # fmt: skip
