"""pokerlab: understand, build and field strategies for poker and other games of hidden information.

One small vocabulary for both halves: games and what solves them, spots, agents and what they play. A name is imported
when it is first used, so that `import pokerlab` takes no time; the rooms (docs/architecture.md) have the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for readers, type checkers and editors; `_PLACES` says the same to Python, and a test compares them
    # ruff: noqa: F401
    from pokerlab.abstraction.buckets.build import build_buckets
    from pokerlab.abstraction.small import refines
    from pokerlab.agents.agent import Agent
    from pokerlab.agents.spec import agent_of
    from pokerlab.cards.equity import range_equity
    from pokerlab.cards.ranges import Range
    from pokerlab.errors import PokerlabError
    from pokerlab.every_file import load
    from pokerlab.form.compile import compile
    from pokerlab.form.efg import read_efg
    from pokerlab.form.evaluate import best_response, evaluate
    from pokerlab.form.extensive import extensive_game
    from pokerlab.form.game import Game, matrix_game
    from pokerlab.form.openspiel import from_openspiel
    from pokerlab.form.strategy import Profile, random_profile, uniform_profile
    from pokerlab.game.betting import CALL, FOLD
    from pokerlab.game.catalog import CATALOG, rules_of
    from pokerlab.game.rules import Rules, parse_rules
    from pokerlab.match.play import play_match
    from pokerlab.match.tournament.play import plan_tournament, run_tournament
    from pokerlab.papers import reproduce
    from pokerlab.refine.spots.run import solve_spot
    from pokerlab.refine.spots.spot import Spot, parse_spot, read_spot
    from pokerlab.solvers.full import evaluate_in_full
    from pokerlab.solvers.run import METHODS, solve
    from pokerlab.solvers.solution import Solution

__version__ = "0.1.0"

_PLACES = {
    name: f"pokerlab.{module}"
    for module, names in {
        "abstraction.buckets.build": "build_buckets",
        "abstraction.small": "refines",
        "agents.agent": "Agent",
        "agents.spec": "agent_of",
        "cards.equity": "range_equity",
        "cards.ranges": "Range",
        "errors": "PokerlabError",
        "every_file": "load",
        "form.compile": "compile",
        "form.efg": "read_efg",
        "form.evaluate": "best_response evaluate",
        "form.extensive": "extensive_game",
        "form.game": "Game matrix_game",
        "form.openspiel": "from_openspiel",
        "form.strategy": "Profile random_profile uniform_profile",
        "game.betting": "CALL FOLD",
        "game.catalog": "CATALOG rules_of",
        "game.rules": "Rules parse_rules",
        "match.play": "play_match",
        "match.tournament.play": "plan_tournament run_tournament",
        "papers": "reproduce",
        "refine.spots.run": "solve_spot",
        "refine.spots.spot": "Spot parse_spot read_spot",
        "solvers.full": "evaluate_in_full",
        "solvers.run": "METHODS solve",
        "solvers.solution": "Solution",
    }.items()
    for name in names.split()
}
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"pokerlab has no {name!r}; it has {', '.join(__all__)}")
    globals()[name] = value = getattr(import_module(_PLACES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
