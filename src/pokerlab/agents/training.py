"""From a recipe to a blueprint's file.

The card abstraction is built (and kept in the cache folder), the abstract game is walked for so many seconds with a
checkpoint a minute, and the blueprint is written.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pokerlab.abstraction.bets import parse_bets
from pokerlab.abstraction.cards import Named, cards_of
from pokerlab.agents.blueprint import Blueprint, blueprint_of, graph_of
from pokerlab.agents.blueprint_file import blueprint_path, must_be_kept, save_blueprint
from pokerlab.agents.company import MixedDeals, settle_kinds
from pokerlab.agents.recipes import Recipe
from pokerlab.bounds import SECONDS, THREADS
from pokerlab.errors import AgentError, StrategyFileError
from pokerlab.game.catalog import rules_of
from pokerlab.processes import Executor, cores
from pokerlab.solvers.checkpoint import previous
from pokerlab.solvers.runner import Record
from pokerlab.solvers.sampling.holdem import Cards, HoldemDeals
from pokerlab.solvers.sampling.sampler import Sampler, plan_of
from pokerlab.solvers.sampling.train import Run, train
from pokerlab.writing import check_folder, check_output, written_through


@dataclass(frozen=True)
class Trained:
    """A blueprint, its file, and the run that made it."""

    blueprint: Blueprint
    path: Path
    run: Run


def sampler_of(recipe: Recipe, cards: Cards, threads: int = 1) -> Sampler:
    """The sampler of a recipe, at its start."""
    rules = rules_of(recipe.game)
    dealt = HoldemDeals(rules, cards)
    deals = MixedDeals(dealt, recipe.company) if recipe.company else dealt
    graph = graph_of(rules, recipe.bets, recipe.memory, deals.buckets[0])
    plan = plan_of("external", threads=threads, **recipe.plan)
    sampler = Sampler(graph, deals, plan)
    if recipe.company:
        settle_kinds(sampler)
    return sampler


def checkpoint_of(path: Path) -> Path:
    """Where the training of a blueprint goes on from."""
    return path.with_name(f"{path.name}.checkpoint")


def train_recipe(
    recipe: Recipe,
    *,
    seconds: float | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    cards: Cards | str | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    watch: Callable[[Record], bool] | None = None,
) -> Trained:
    """Build an agent: `seconds` of walks in all, on `threads` (by default one a core), written to `out`.

    By default the file is where the agent's name finds it. Beside it lies a checkpoint, from which `resume` goes on;
    interrupted by Ctrl-C, or by `watch` (as in `solvers.runner.run`), what there is is written all the same. `cards`
    replaces the recipe's card abstraction: text (`abstraction.cards`), or one that a file can hold. Its strengths an
    `executor` makes; walks share their table, hence stay in one process.
    """
    if isinstance(cards, str):
        recipe, cards = replace(recipe, cards=cards), None
    if cards is not None:
        must_be_kept(cards, "")
    rules = rules_of(recipe.game)
    parse_bets(recipe.bets, rules)
    SECONDS.check(seconds, error=AgentError)
    THREADS.check(threads, error=AgentError)
    path = blueprint_path(recipe.name) if out is None else Path(out)
    if out is None:
        check_folder(path.parent)
    check_output(path, StrategyFileError)
    checkpoint = checkpoint_of(path)
    if written_through(path):
        raise StrategyFileError(f"cannot write {path}: a blueprint needs a file, beside which its checkpoint lies")
    check_output(checkpoint, StrategyFileError)
    threads = cores() if threads is None else threads
    began = time.perf_counter()
    seen = cards_of(recipe.cards, rules, recall=recipe.recall, executor=executor) if cards is None else Named(cards)
    took = time.perf_counter() - began
    sampler = sampler_of(recipe, seen.cards, threads)
    run = train(
        sampler, seconds=recipe.seconds if seconds is None else seconds, checkpoint=checkpoint, resume=resume,
        progress=progress, watch=watch,
    )  # fmt: skip
    about = {
        "recipe": recipe.name, "cards": recipe.cards, "seconds": run.seconds, "card_seconds": took, "threads": threads,
        "plan": recipe.plan,
    }  # fmt: skip
    blueprint = blueprint_of(sampler, recipe.bets, recipe.memory, seen.cards, about, seen.text)
    save_blueprint(blueprint, path)
    previous(checkpoint).unlink(missing_ok=True)
    return Trained(blueprint, path, run)
