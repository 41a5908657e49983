"""Agents by name, as on the command line.

call                        one of fold, call, raise, probe, random, uniform
raise?size=100              with options
leduc.strategy              who plays this file, by its kind: a strategy, a blueprint or a case base
table:leduc.strategy        a solved strategy; ?abstraction=my_lab:court-FULL where it sees cards by code of one's own
holdem-limit                an agent that `pokerlab train holdem-limit` has built; see `recipes.py`
blueprint:mine.blueprint    one that was written elsewhere; blueprint:FILE?translation=soft&threshold=0.1, and
                            ?cards=my_lab:Cards where it sees cards by code of one's own
resolving:holdem-nolimit    a blueprint, by name or file, that refines subgames as it plays;
                            resolving:FILE?from=turn&technique=re-solving&seconds=5, see `resolving.py`
cases:mine.cases            plays as the expert did whose hands the case base has; cases:FILE?reuse=max-frequency
ensemble:A|B|C              takes a vote; agents with options of their own stand in parentheses, as everywhere
dynamic:A|B|C               one of them for each hand, by what they have won; ?chooser=thompson&credit=luck
adapting:AGENT?model=FILE   more or less aggressive, as it suits the opponent; FILE by `pokerlab trends`
switching:THREE|TWO         three players, and two once somebody has folded
changing:A|B?at=3000        first the one and after so many hands the other: for seeing who notices
rules, formula, ...         the kinds of players of docs/field.md, with options: formula?tight=0.9&aggressive=0.2
response:FILE?to=AGENT      the best response to an agent, as `pokerlab evaluate AGENT --exact --out` has found it
human                       you, at the terminal
my_bots:Maniac?level=3      class Maniac of the module my_bots, called with level=3; its code runs

`AGENTS` has a row for each, to which rooms above and users' packages add theirs: a class of agents, or any function
that makes one. It is called with the options and, before them, with what follows the colon.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pokerlab.agents.agent import Agent
from pokerlab.agents.recipes import RECIPES
from pokerlab.errors import AgentError, PokerlabError
from pokerlab.game.rules import Rules
from pokerlab.reading import format_of, is_file
from pokerlab.registry import Registry, is_class_of, is_place, options_of, problem_of

Maker = Callable[..., Agent]


def agent_of(spec: str, rules: Rules | None = None) -> Agent:
    """The agent that a spec names, fit to play `rules`, or whatever game is its own."""
    base, options = options_of(spec, "agent", AgentError)
    kind, colon, rest = base.partition(":")
    make: Maker
    if kind in AGENTS:
        make = partial(AGENTS[kind], *[rest] * bool(colon))
    elif is_file(base):
        make = partial(AGENTS[player_of(base)], base)
    elif is_place(base):
        make = AGENTS[base]
    else:
        raise AgentError(f"{AGENTS.unknown(spec)}; and there is no such file")
    try:
        agent = make(**options)
    except PokerlabError:
        raise
    except (Exception, SystemExit) as error:  # whatever the class of a user does
        raise AgentError(f"agent {spec!r}: it cannot be made: {problem_of(error)}") from error
    if not isinstance(agent, Agent):
        raise AgentError(f"agent {spec!r} is not a pokerlab.Agent: derive its class from it")
    agent.name = agent.name or spec
    if rules is not None:
        agent.must_play(rules)
    return agent


_PLAYERS = {"pokerlab blueprint": "blueprint", "pokerlab strategy": "table", "pokerlab cases": "cases",
            "pokerlab network": "network"}  # fmt: skip


def player_of(path: str) -> str:
    """The kind of agent that plays a file of ours."""
    kind = _PLAYERS.get(format_of(path, AgentError))
    if kind is None:
        raise AgentError(f"{path} is not a blueprint, strategy, cases or network file, or it is damaged or cut short")
    return kind


def _table(path: str, name: str = "", **options: Any) -> Agent:
    from pokerlab.agents.table import TableAgent

    return TableAgent(path, name, **options)


def _blueprint(path: str | Path, name: str = "", cards: str | None = None, **options: Any) -> Agent:
    from pokerlab.agents.blueprint import BlueprintAgent
    from pokerlab.agents.blueprint_file import load_blueprint

    return BlueprintAgent(load_blueprint(path, cards), name=name, **options)


def _resolving(blueprint: str, name: str = "", **options: Any) -> Agent:
    from pokerlab.agents.resolving import ResolvingAgent

    trunk = _trained(blueprint, name=blueprint) if blueprint in RECIPES else _blueprint(blueprint, name=blueprint)
    renamed = {"from_round" if key == "from" else key: value for key, value in options.items()}
    return ResolvingAgent(trunk, name=name, **renamed)


def _trained(recipe: str, **options: Any) -> Agent:
    """The agent that a recipe has made."""
    from pokerlab.agents.blueprint_file import blueprint_path

    path = blueprint_path(recipe)
    if not is_file(path):
        raise AgentError(f"agent {recipe!r} is not trained yet: run `pokerlab train {recipe}` (see docs/agents.md)")
    return _blueprint(path, **options)


_SIMPLE = ("fold", "call", "raise", "probe", "random", "uniform")

FIELD = {  # docs/field.md
    "rules": "pokerlab.field.rules:RulePlayer",
    "formula": "pokerlab.field.formula:FormulaPlayer",
    "rollout": "pokerlab.field.rollout:RollOutPlayer",
    "loki": "pokerlab.field.simulation:Loki",
    "poki": "pokerlab.field.simulation:Poki",
    "aki": "pokerlab.field.simulation:Aki",
    "mcts": "pokerlab.field.mcts:TreeSearch",
    "vexbot": "pokerlab.field.miximax:Vexbot",
    "brplayer": "pokerlab.field.miximax:BRPlayer",
    "brennus": "pokerlab.field.brennus:Brennus",
    "bpp": "pokerlab.field.bpp:BayesPlayer",
    "network": "pokerlab.field.networks:NetworkPlayer",
}

AGENTS: Registry[Maker] = Registry(
    "agent",
    {
        **{name: f"pokerlab.agents.simple:{name.title()}" for name in _SIMPLE},
        "human": "pokerlab.agents.human:Human",
        "table": _table,
        "blueprint": _blueprint,
        "resolving": _resolving,
        "response": "pokerlab.match.exact.response:load_response",
        "cases": "pokerlab.cases.compiled:cases_agent",
        "ensemble": "pokerlab.opponents.ensemble:ensemble",
        "dynamic": "pokerlab.opponents.dynamic:dynamic",
        "adapting": "pokerlab.opponents.adapting:adapting",
        "switching": "pokerlab.opponents.switching:switching",
        "changing": "pokerlab.opponents.changing:changing",
        **FIELD,
        **{name: partial(_trained, name) for name in RECIPES},
    },
    error=AgentError,
    wrong=is_class_of(Agent, "pokerlab.Agent"),
)
