"""Agents by name, as on the command line.

call                        one of fold, call, raise, probe, random, uniform
raise?size=100              with options
table:leduc.strategy        a solved strategy
holdem-limit                an agent that `pokerlab train holdem-limit` has built; see `recipes.py`
blueprint:mine.blueprint    one that was written elsewhere; blueprint:FILE?translation=soft&threshold=0.1
resolving:holdem-nolimit    a blueprint, by name or file, that refines subgames as it plays;
                            resolving:FILE?from=turn&technique=re-solving&seconds=5, see `resolving.py`
human                       you, at the terminal
my_bots:Maniac?level=3      class Maniac of the module my_bots, called with level=3
"""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from pokerlab.agents.agent import Agent
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.simple import SIMPLE
from pokerlab.errors import AgentError
from pokerlab.game.rules import Rules


def agent_of(spec: str, rules: Rules) -> Agent:
    """The agent that a spec names, fit to play `rules`."""
    base, _, query = spec.partition("?")
    try:
        options = {key: _value(text) for key, text in parse_qsl(query, strict_parsing=bool(query))}
    except ValueError:
        raise AgentError(f"agent {spec!r}: options are written as ?key=value&key=value") from None
    agent = _make(base, options, spec)
    agent.name = agent.name or spec
    if hasattr(agent, "profile") and agent.profile.game.origin.rules != rules:
        raise AgentError(f"agent {spec!r} plays {agent.profile.game.name}, not {rules.name or 'this game'}")
    if hasattr(agent, "blueprint") and agent.blueprint.rules != rules:
        raise AgentError(f"agent {spec!r} plays {agent.blueprint.rules.name}, not {rules.name or 'this game'}")
    played = getattr(agent, "rules", rules)
    if played != rules:
        raise AgentError(f"agent {spec!r} plays {played.name}, not {rules.name or 'this game'}")
    return agent


def _make(base: str, options: dict[str, Any], spec: str) -> Agent:
    if base in SIMPLE:
        return _called(SIMPLE[base], options, spec)
    if base == "human":
        from pokerlab.agents.human import Human

        return _called(Human, options, spec)
    kind, colon, rest = base.partition(":")
    if kind == "table" and colon:
        from pokerlab.agents.table import TableAgent

        return _called(TableAgent, {"strategy": rest, "name": base, **options}, spec)
    if kind == "blueprint" and colon:
        return _blueprint(Path(rest), options, spec)
    if kind == "resolving" and colon:
        return _resolving(rest, options, spec)
    if base in RECIPES:
        return _blueprint(_trained(base), options, spec)
    if colon:
        return _called(_imported(kind, rest, spec), options, spec)
    close = difflib.get_close_matches(base, [*SIMPLE, *RECIPES, "human", "table", "blueprint", "resolving"], n=1)
    hint = f"did you mean {close[0]!r}?" if close else "see the names in `pokerlab match --help`"
    raise AgentError(f"no agent {spec!r}; {hint}")


def _blueprint(path: Path, options: dict[str, Any], spec: str) -> Agent:
    from pokerlab.agents.blueprint import BlueprintAgent
    from pokerlab.agents.blueprint_file import load_blueprint

    return _called(BlueprintAgent, {"blueprint": load_blueprint(path), "name": spec, **options}, spec)


def _resolving(blueprint: str, options: dict[str, Any], spec: str) -> Agent:
    from pokerlab.agents.resolving import ResolvingAgent

    path = _trained(blueprint) if blueprint in RECIPES else Path(blueprint)
    renamed = {"from_round" if key == "from" else key: value for key, value in options.items()}
    return _called(ResolvingAgent, {"blueprint": _blueprint(path, {}, blueprint), "name": spec, **renamed}, spec)


def _trained(name: str) -> Path:
    """The file of a recipe's agent."""
    from pokerlab.agents.blueprint_file import blueprint_path

    path = blueprint_path(name)
    if not path.exists():
        raise AgentError(f"agent {name!r} is not trained yet: run `pokerlab train {name}` (see docs/agents.md)")
    return path


def _imported(module: str, name: str, spec: str) -> Callable[..., Agent]:
    if "" not in sys.path:
        sys.path.insert(0, "")  # a user's own agent lies beside them
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:
        raise AgentError(f"agent {spec!r}: cannot import {name} from {module}: {error}") from None
    return found


def _called(maker: Callable[..., Agent], options: dict[str, Any], spec: str) -> Agent:
    try:
        agent = maker(**options)
    except TypeError as error:
        raise AgentError(f"agent {spec!r}: {error}") from None
    if not isinstance(agent, Agent):
        raise AgentError(f"agent {spec!r} is not a pokerlab.Agent: derive its class from it")
    return agent


def _value(text: str) -> Any:
    """Numbers as numbers, true and false as such, anything else as text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
