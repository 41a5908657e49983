"""Agents by name, as on the command line.

call                        one of fold, call, raise, probe, random, uniform
raise?size=100              with options
table:leduc.strategy        a solved strategy
holdem-limit                an agent that `pokerlab train holdem-limit` has built; see `recipes.py`
blueprint:mine.blueprint    one that was written elsewhere; blueprint:FILE?translation=soft&threshold=0.1
resolving:holdem-nolimit    a blueprint, by name or file, that refines subgames as it plays;
                            resolving:FILE?from=turn&technique=re-solving&seconds=5, see `resolving.py`
cases:mine.cases            plays as the expert did whose hands the case base has; cases:FILE?reuse=max-frequency
human                       you, at the terminal
my_bots:Maniac?level=3      class Maniac of the module my_bots, called with level=3; its code runs

`AGENTS` has a row for each, to which rooms above and users' packages add theirs: a class of agents, or any function
that makes one. It is called with the options and, before them, with what follows the colon.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from pokerlab.agents.agent import Agent
from pokerlab.agents.recipes import RECIPES
from pokerlab.errors import AgentError, PokerlabError, shown
from pokerlab.game.rules import Rules
from pokerlab.registry import Registry

Maker = Callable[..., Agent]


def agent_of(spec: str, rules: Rules | None = None) -> Agent:
    """The agent that a spec names, fit to play `rules`, or whatever game is its own."""
    base, _, query = spec.partition("?")
    try:
        given = parse_qsl(query, strict_parsing=bool(query))
    except ValueError:
        raise AgentError(f"agent {spec!r}: options are written as ?key=value&key=value") from None
    options = {key: _value(text) for key, text in given}
    kind, colon, rest = base.partition(":")
    make: Maker
    if kind in AGENTS:
        make = partial(AGENTS[kind], *[rest] * bool(colon))
    elif colon:
        make = _imported(kind, rest, spec)
    else:
        raise AgentError(AGENTS.unknown(spec))
    try:
        agent = make(**options)
    except PokerlabError:
        raise
    except (Exception, SystemExit) as error:  # whatever the class of a user does
        raise AgentError(f"agent {spec!r}: it cannot be made: {_problem(error)}") from error
    if not isinstance(agent, Agent):
        raise AgentError(f"agent {spec!r} is not a pokerlab.Agent: derive its class from it")
    agent.name = agent.name or spec
    if rules is not None:
        agent.must_play(rules)
    return agent


def _table(path: str, name: str = "") -> Agent:
    from pokerlab.agents.table import TableAgent

    return TableAgent(path, name)


def _blueprint(path: str | Path, name: str = "", **options: Any) -> Agent:
    from pokerlab.agents.blueprint import BlueprintAgent
    from pokerlab.agents.blueprint_file import load_blueprint

    return BlueprintAgent(load_blueprint(path), name=name, **options)


def _resolving(blueprint: str, name: str = "", **options: Any) -> Agent:
    from pokerlab.agents.resolving import ResolvingAgent

    trunk = _trained(blueprint, name=blueprint) if blueprint in RECIPES else _blueprint(blueprint, name=blueprint)
    renamed = {"from_round" if key == "from" else key: value for key, value in options.items()}
    return ResolvingAgent(trunk, name=name, **renamed)


def _trained(recipe: str, **options: Any) -> Agent:
    """The agent that a recipe has made."""
    from pokerlab.agents.blueprint_file import blueprint_path

    path = blueprint_path(recipe)
    if not path.exists():
        raise AgentError(f"agent {recipe!r} is not trained yet: run `pokerlab train {recipe}` (see docs/agents.md)")
    return _blueprint(path, **options)


def _imported(module: str, name: str, spec: str) -> type[Agent]:
    """A class of agents from a module of the user's; importing it runs it, and nothing else of it is called.

    Modules of the current folder are found after all that are installed: a `random.py` there is nobody's `random`.
    """
    folder = os.getcwd()
    if folder not in sys.path and "" not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    try:
        there = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise AgentError(f"agent {spec!r}: cannot import {name} from {module}: {_problem(error)}") from error
    kind = getattr(there, name, None)
    if kind is None:
        place = getattr(there, "__file__", None) or "a part of Python"
        raise AgentError(f"agent {spec!r}: cannot import {name} from {module}: {place} has no such class")
    if not isinstance(kind, type) or not issubclass(kind, Agent):
        raise AgentError(f"agent {spec!r} is not a pokerlab.Agent: derive its class from it")
    return kind


def _problem(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it called sys.exit({error.code!r})"
    return str(error) if isinstance(error, (ImportError, TypeError)) else f"{type(error).__name__}: {error}"


def _value(text: str) -> Any:
    """Numbers as numbers, true and false as such, anything else as text."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if not math.isfinite(number):
            raise AgentError(f"options of agents are finite numbers, or text, not {shown(text)}")
        return number
    return {"true": True, "false": False}.get(text.lower(), text)


_SIMPLE = ("fold", "call", "raise", "probe", "random", "uniform")

AGENTS: Registry[Maker] = Registry(
    "agent",
    {
        **{name: f"pokerlab.agents.simple:{name.title()}" for name in _SIMPLE},
        "human": "pokerlab.agents.human:Human",
        "table": _table,
        "blueprint": _blueprint,
        "resolving": _resolving,
        "cases": "pokerlab.cases.compiled:cases_agent",
        **{name: partial(_trained, name) for name in RECIPES},
    },
    error=AgentError,
)
