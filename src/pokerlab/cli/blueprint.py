"""`pokerlab train` and `pokerlab ask`: agents built by name, and what they do in a spot."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.cli.match import AGENTS
from pokerlab.cli.options import AGENT, RECIPE, executor_for, option
from pokerlab.cli.output import Output, interrupted, json_option, show


@click.command()
@click.argument("name", required=False, type=RECIPE)
@option("--game", "Instead of NAME: any that is played as hold'em is.")
@click.option(
    "--cards", help="How its cards are bucketed: a SPEC, a file of buckets, or your own, my_lab:Cards?count=3."
)
@click.option("--bets", help="Its bets: all, cap 3 2 2 2, or sizes by round such as '100 allin / 50 100 allin'.")
@click.option("--memory", type=click.Choice(["hand", "round"]), help="What it remembers of the betting; hand.")
@option("--seconds", "Of sampling, in all; each recipe has a default.")
@option("--threads", "By default one a core; only one is reproducible.")
@option("--out", "By default where the name finds it.", type=Output())
@option("--resume", "From the checkpoint that lies beside the file.")
@option("--cluster", "It makes the strengths of all hands, where they are not kept yet.")
@json_option
def train(
    name: str | None, game: str | None, cards: str | None, bets: str | None, memory: str | None, seconds: float | None,
    threads: int | None, out: str | None, resume: bool, cluster: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Build the agent NAME from nothing: cards, sampling, file. Without NAME or --game, list the recipes.

    With --game it is an agent of any game that is played as hold'em is, with any deck, stacks and rounds:
    `train --game holdem-limit:ranks=5 --cards 169/percentile:10/percentile:10/percentile:10 --out royal.blueprint`.
    It plays as blueprint:FILE.

    A checkpoint is written every minute. Ctrl-C stops early: what there is plays, and --resume goes on from it.
    """
    from pokerlab.agents.recipes import RECIPES, changed, recipe_of

    if name is None and game is None:
        table = {key: {"about": recipe.about, "seconds": recipe.seconds} for key, recipe in RECIPES.items()}
        lines = [f"{key:<17} {recipe.about} ({recipe.seconds / 60:g} minutes)" for key, recipe in RECIPES.items()]
        return show({"recipes": table}, as_json, lines)
    if game is not None:
        recipe = recipe_of(name, game, cards, bets, memory, out)
    else:
        recipe = changed(RECIPES[name or ""], cards, bets, memory)
    from pokerlab.agents.training import train_recipe
    from pokerlab.match.figures import of_training

    executor = executor_for(None, cluster) if cluster else None  # else threads of this process
    done = train_recipe(recipe, seconds=seconds, threads=threads, out=out, resume=resume, executor=executor)
    summary, lines = of_training(done)
    show(summary, as_json, lines)
    if done.run.stopped == "interrupted":
        interrupted(f"{done.path} has what there is, and --resume goes on from its checkpoint")


@click.command(epilog=AGENTS)
@click.argument("agent", type=AGENT)
@option("--game", "By default the agent's own.")
@option("--hand", "Of the player to act.", "hole", required=True)
@option("--board")
@click.option("--betting", default="", help="So far, as the competition writes it, such as cr300c/.")
@json_option
def ask(agent: str, game: str | None, hole: str, board: str, betting: str, as_json: bool) -> None:
    """What AGENT does in a spot, and why where it can tell."""
    from pokerlab.agents.asking import asked_agent, choices, spot_view

    player, rules = asked_agent(agent, game)
    view = spot_view(rules, hole, board, betting)
    answer, why = choices(player, view), player.explain(view)
    summary: dict[str, Any] = {
        "agent": agent, "game": rules.name, "player": view.seat + 1, "cards": view.cards_text(),
        "betting": view.betting_text(), "pot": view.betting.pot, "actions": [choice._asdict() for choice in answer],
    }  # fmt: skip
    lines = [f"{view.cards_text()}  pot {view.betting.pot}  betting {view.betting_text() or '-'}"]
    lines += [f"  {choice.words:<16} {choice.probability:7.1%}" for choice in answer]
    if why is not None:
        summary["why"] = why.as_json()
        lines += ["", *why.lines()]
    show(summary, as_json, lines)
