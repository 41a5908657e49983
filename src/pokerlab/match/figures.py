"""What is said of an agent, or of its blueprint: figures as plain JSON, and the same as lines of text."""

from __future__ import annotations

import os
from typing import Any

from pokerlab.agents.asking import asked_agent
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent
from pokerlab.agents.blueprint_file import load_blueprint
from pokerlab.agents.response import respond
from pokerlab.agents.spec import player_of
from pokerlab.agents.table import profile_of
from pokerlab.agents.training import Trained
from pokerlab.errors import PokerlabError, StrategyFileError
from pokerlab.form.evaluate import evaluate
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import unit_of
from pokerlab.match.exact.run import exploitability
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.result import MatchResult
from pokerlab.match.tables import compiled_game
from pokerlab.processes import Executor
from pokerlab.solvers.figures import of_file
from pokerlab.solvers.solution import load

_FLOPS = 40  # where nobody says how many
_RESPONSE = "best.response"

Figures = tuple[dict[str, Any], list[str]]


def of_spec(
    spec: str, game: str | None, deals: int, response: float | None = None, *, abstraction: str | None = None,
    with_strategy: bool = False,
) -> Figures:  # fmt: skip
    """Of whatever a spec names: a strategy exactly, a blueprint with its sizes, any other agent as one.

    `abstraction` is that of a strategy, where it is a user's own code.
    """
    kind, colon, rest = spec.partition(":")
    file = rest if colon and kind in ("table", "blueprint") else spec
    if not os.path.isfile(file):
        return of_agent(spec, game, deals, response)
    kind = player_of(file)
    if kind == "table" and response is not None:
        raise PokerlabError("--response is for blueprints: what is printed of other strategies is exact")
    if kind != "table" and (abstraction is not None or with_strategy):
        raise PokerlabError(f"--abstraction and --strategy are for strategies of small games; {file} is none")
    if kind == "table":
        return of_file(load(file, abstraction=abstraction), file, game, with_strategy)
    if kind == "blueprint":
        return of_blueprint(load_blueprint(file), file, game, deals, response)
    return of_agent(spec, game, deals, response)


def of_agent(spec: str, game: str | None, deals: int, response: float | None = None) -> Figures:
    """Of any agent without memory: how exploitable it is, exactly where it is a table, and at least.

    `response` is seconds to learn one to an agent that plays a blueprint.
    """
    agent, rules = asked_agent(spec, game)
    compiled, (unit, size) = compiled_game(rules), unit_of(rules)
    if response is not None and not isinstance(agent, BlueprintAgent):
        raise PokerlabError(f"--response is for agents that play a blueprint; {spec} does not")
    won = local_best_response(agent, rules, deals)
    lines, exact = [f"{spec} in {rules.name}", f"exploitability   {won.line()}"], None
    if compiled is not None:
        exact = evaluate(profile_of(agent, agent, compiled)).exploitability / size
        lines.append(f"                 {exact:.3f} {unit} exactly (mean of the seats)")
    summary: dict[str, Any] = {"agent": spec, "game": rules.name, "unit": unit, "exploitability": exact}
    summary["local_best_response"] = won.summary()
    if response is not None and isinstance(agent, BlueprintAgent):
        summary["response"], line = _response(agent.blueprint, response)
        lines.append(line)
    return summary, lines


def of_exact(
    spec: str, game: str | None, flops: int | str | None, seconds: float | None, folder: str | None, seed: int,
    device: str, executor: Executor | None,
) -> Figures:  # fmt: skip
    """Of any agent without memory, what a best response on the public tree wins."""
    agent, rules = asked_agent(spec, game)
    if flops is None and seconds is None:
        flops = _FLOPS
    result = exploitability(
        agent, rules, flops=flops, seconds=seconds, folder=folder, seed=seed, device=device, executor=executor
    )
    summary, lines = result.summary() | {"agent": spec, "response": None}, result.lines()
    if folder is not None:
        file = os.path.join(folder, _RESPONSE)
        result.response.save(file)
        summary["response"] = file
        lines.append(f"response         plays as response:{file}?to={spec}")
    return summary, lines


def of_training(done: Trained) -> Figures:
    """Of a blueprint that was just made."""
    size, run = os.path.getsize(done.path), done.run
    summary = _figures(done.blueprint) | {
        "file": str(done.path), "bytes": size, "stopped": run.stopped,
        "iterations_per_second": run.iterations_per_second, "touched_per_second": run.touched_per_second,
    }  # fmt: skip
    lines = [
        *_lines(done.blueprint),
        f"speed            {run.iterations_per_second:,.0f} iterations and "
        f"{run.touched_per_second:,.0f} infosets a second",
        f"written to {done.path} ({size / 1e6:.1f} MB)",
    ]
    return summary, lines


def of_blueprint(
    blueprint: Blueprint, file: str, game: str | None = None, deals: int = 1000, response: float | None = None
) -> Figures:
    """Of a blueprint from a file, with estimates of its exploitability; `response` is seconds to learn one.

    Refuses one of another game than `game`.
    """
    if game is not None and rules_of(game) != blueprint.rules:
        raise StrategyFileError(f"{file} is a strategy of {blueprint.rules.name}, not of {game}")
    summary = {"file": file, "bytes": os.path.getsize(file), **_figures(blueprint), "local_best_response": None}
    lines = [f"{file}: {summary['bytes'] / 1e6:.1f} MB", *_lines(blueprint)]
    if blueprint.rules.players == 2:
        won = local_best_response(BlueprintAgent(blueprint, name=file), blueprint.rules, deals)
        summary["local_best_response"] = won.summary()
        lines.append(f"exploitability   {won.line()}")
    else:
        lines.append("exploitability   not estimated: local best response is for two players")
    if response is not None:
        summary["response"], line = _response(blueprint, response)
        lines.append(line)
    return summary, lines


def _response(blueprint: Blueprint, seconds: float) -> tuple[dict[str, Any], str]:
    """What a learnt response wins in the abstract game: figures and a line."""
    learnt = respond(blueprint, seconds)
    result = MatchResult.of(blueprint.rules, ["response", "blueprint"], learnt.winnings, 2, 0)
    mean, ci95 = float(result.mean[0]), float(result.ci95[0])
    figures = {
        "unit": result.unit, "mean": mean, "ci95": ci95, "deals": len(learnt.winnings), "seconds": learnt.seconds,
        "learnt": learnt.learnt,
    }  # fmt: skip
    how = (
        f"found in {learnt.seconds:.0f} s on {learnt.learnt:,} deals "
        f"(played on {len(learnt.winnings):,}, in both seats)"
    )
    if mean > ci95:
        return figures, f"in its own game  at least {mean:.1f} ± {ci95:.1f} {result.unit}, what a response wins, {how}"
    return figures, f"in its own game  not known: a response wins {mean:.1f} ± {ci95:.1f} {result.unit}, {how}"


def _figures(blueprint: Blueprint) -> dict[str, Any]:
    return {
        "game": blueprint.rules.name, "bets": blueprint.bets, "memory": blueprint.memory,
        "buckets": list(blueprint.cards.counts), "probabilities": len(blueprint.strategy), **blueprint.about,
    }  # fmt: skip


def _lines(blueprint: Blueprint) -> list[str]:
    about, infosets = blueprint.about, blueprint.graph.infosets
    met = f", of which {about['met'] / infosets:.1%} were met" if "met" in about else ""
    return [
        f"game             {blueprint.rules.name}, bets {blueprint.bets}",
        f"cards            {about.get('cards', '-')}: {' / '.join(f'{n:,}' for n in blueprint.cards.counts)} buckets",
        f"infosets         {infosets:,}{met}",
        f"sampled          {about.get('iterations', 0):,} iterations in {about.get('seconds', 0):,.0f} s",
    ]
