"""pokerlab: understand, build and field strategies for poker and other games of hidden information."""

from pokerlab.abstraction.small import refines
from pokerlab.agents.agent import Agent
from pokerlab.errors import PokerlabError
from pokerlab.form.compile import compile
from pokerlab.form.efg import read_efg
from pokerlab.form.evaluate import best_response, evaluate
from pokerlab.form.extensive import extensive_game
from pokerlab.form.game import Game, matrix_game
from pokerlab.form.openspiel import from_openspiel
from pokerlab.form.strategy import Profile, random_profile, uniform_profile
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.rules import Rules, parse_rules
from pokerlab.solvers.run import METHODS, solve
from pokerlab.solvers.solution import Solution, load

__version__ = "0.1.0"

__all__ = [
    "CATALOG",
    "METHODS",
    "Agent",
    "Game",
    "PokerlabError",
    "Profile",
    "Rules",
    "Solution",
    "best_response",
    "compile",
    "evaluate",
    "extensive_game",
    "from_openspiel",
    "load",
    "matrix_game",
    "parse_rules",
    "random_profile",
    "read_efg",
    "refines",
    "rules_of",
    "solve",
    "uniform_profile",
]  # fmt: skip
