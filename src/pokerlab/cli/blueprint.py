"""`pokerlab train` and `pokerlab ask`: agents built by name, and what they do in a spot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from pokerlab.cli.output import json_option, show

if TYPE_CHECKING:
    from pokerlab.agents.blueprint import Blueprint


@click.command()
@click.argument("name", required=False)
@click.option("--seconds", type=float, help="How long to sample, in all; each recipe has a default.")
@click.option("--threads", type=int, help="By default one a core; only one is reproducible.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write here; by default where the name finds it.")
@click.option("--resume", is_flag=True, help="Go on from the checkpoint that lies beside the file.")
@json_option
def train(
    name: str | None, seconds: float | None, threads: int | None, out: str | None, resume: bool, as_json: bool
) -> None:
    """Build the agent NAME from nothing: cards, sampling, file. Without NAME, list the recipes.

    A checkpoint is written every minute. Ctrl-C stops early: what there is plays, and --resume goes on from it.
    """
    from pokerlab.agents.recipes import RECIPES, recipe_of

    if name is None:
        table = {key: {"about": recipe.about, "seconds": recipe.seconds} for key, recipe in RECIPES.items()}
        lines = [f"{key:<17} {recipe.about} ({recipe.seconds / 60:g} minutes)" for key, recipe in RECIPES.items()]
        return show({"recipes": table}, as_json, lines)
    recipe = recipe_of(name)
    from pokerlab.agents.training import train_recipe

    done = train_recipe(recipe, seconds=seconds, threads=threads, out=out, resume=resume)
    summary = _figures(done.blueprint) | {
        "file": str(done.path), "bytes": os.path.getsize(done.path), "stopped": done.run.stopped,
        "iterations_per_second": done.run.iterations_per_second, "touched_per_second": done.run.touched_per_second,
    }  # fmt: skip
    lines = [
        *_lines(done.blueprint),
        f"speed            {done.run.iterations_per_second:,.0f} iterations and "
        f"{done.run.touched_per_second:,.0f} infosets a second",
        f"written to {done.path} ({summary['bytes'] / 1e6:.1f} MB)",
    ]
    show(summary, as_json, lines)
    if done.run.stopped == "interrupted":
        click.echo("interrupted: --resume goes on from here", err=True)
        raise click.exceptions.Exit(130)


@click.command()
@click.argument("agent")
@click.option("--hand", "hole", required=True, help="The cards of the player to act, such as AsKd.")
@click.option("--board", default="", help='Such as "Qs Jh 2h".')
@click.option("--betting", default="", help="So far, as the competition writes it, such as cr300c/.")
@json_option
def ask(agent: str, hole: str, board: str, betting: str, as_json: bool) -> None:
    """What AGENT does in a spot: a blueprint's file, or the name of an agent that was trained."""
    from pokerlab.agents.asking import choices, spot_view
    from pokerlab.agents.blueprint_file import load_blueprint
    from pokerlab.agents.recipes import recipe_of
    from pokerlab.agents.spec import agent_of
    from pokerlab.game.catalog import rules_of

    path = agent.partition("?")[0]
    if os.path.isfile(path):
        rules, spec = load_blueprint(path).rules, f"blueprint:{agent}"
    else:
        rules, spec = rules_of(recipe_of(path).game), agent
    view = spot_view(rules, hole, board, betting)
    found = choices(agent_of(spec, rules), view)
    summary = {
        "agent": agent, "game": rules.name, "seat": view.seat, "cards": view.cards_text(),
        "betting": view.betting_text(), "pot": view.betting.pot, "actions": [choice._asdict() for choice in found],
    }  # fmt: skip
    lines = [f"{view.cards_text()}  pot {view.betting.pot}  betting {view.betting_text() or '-'}"]
    show(summary, as_json, lines + [f"  {choice.words:<16} {choice.probability:7.1%}" for choice in found])


def show_blueprint(file: str, game: str | None, deals: int, response: float | None, as_json: bool) -> None:
    """Print what is known of a blueprint, and estimates of its exploitability; `response` is seconds to learn one."""
    from pokerlab.agents.blueprint import BlueprintAgent
    from pokerlab.agents.blueprint_file import load_blueprint
    from pokerlab.errors import StrategyFileError
    from pokerlab.game.catalog import rules_of
    from pokerlab.match.local_best_response import local_best_response

    blueprint = load_blueprint(file)
    if game is not None and rules_of(game) != blueprint.rules:
        raise StrategyFileError(f"{file} is a strategy of {blueprint.rules.name}, not of {game}")
    summary = {"file": file, "bytes": os.path.getsize(file), **_figures(blueprint), "local_best_response": None}
    lines = [f"{file}: {summary['bytes'] / 1e6:.1f} MB", *_lines(blueprint)]
    if blueprint.rules.players == 2:
        found = local_best_response(BlueprintAgent(blueprint, name=file), blueprint.rules, deals)
        summary["local_best_response"] = found.summary()
        lines.append(
            f"exploitability   at least {found.mean:.0f} ± {found.ci95:.0f} {found.unit}, "
            f"what local best response wins ({len(found.winnings):,} deals in both seats)"
        )
    else:
        lines.append("exploitability   not estimated: local best response is for two players")
    if response is not None:
        summary["response"], line = _response(blueprint, response)
        lines.append(line)
    show(summary, as_json, lines)


def _response(blueprint: Blueprint, seconds: float) -> tuple[dict[str, Any], str]:
    """What a learnt response wins in the abstract game: figures and a line."""
    from pokerlab.agents.response import respond
    from pokerlab.match.result import MatchResult

    found = respond(blueprint, seconds)
    result = MatchResult.of(blueprint.rules, ["response", "blueprint"], found.winnings, 2, 0)
    mean, ci95 = float(result.mean[0]), float(result.ci95[0])
    figures = {
        "unit": result.unit, "mean": mean, "ci95": ci95, "deals": len(found.winnings), "seconds": found.seconds,
        "learnt": found.learnt,
    }  # fmt: skip
    how = f"found in {found.seconds:.0f} s on {found.learnt:,} deals (played on {len(found.winnings):,}, in both seats)"
    if mean > ci95:
        return figures, f"in its own game  at least {mean:.1f} ± {ci95:.1f} {result.unit}, what a response wins, {how}"
    return figures, f"in its own game  not known: a response wins {mean:.1f} ± {ci95:.1f} {result.unit}, {how}"


def _figures(blueprint: Blueprint) -> dict[str, Any]:
    return {
        "game": blueprint.rules.name, "bets": blueprint.bets, "memory": blueprint.memory,
        "buckets": list(blueprint.cards.counts), "probabilities": len(blueprint.strategy), **blueprint.about,
    }  # fmt: skip


def _lines(blueprint: Blueprint) -> list[str]:
    about = blueprint.about
    return [
        f"game             {blueprint.rules.name}, bets {blueprint.bets}",
        f"cards            {about.get('cards', '-')}: {' / '.join(f'{n:,}' for n in blueprint.cards.counts)} buckets",
        f"infosets         {about['infosets']:,}, of which {about['met'] / about['infosets']:.1%} were met",
        f"sampled          {about['iterations']:,} iterations in {about.get('seconds', 0):,.0f} s",
    ]
