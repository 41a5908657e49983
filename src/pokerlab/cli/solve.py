"""`pokerlab solve` and `pokerlab evaluate`."""

from __future__ import annotations

import os
from typing import Any

import click

from pokerlab.bounds import DEALS, EXPLOITABILITY, EXPONENT, ITERATIONS, RESPONSE, SECONDS, SEED, STEP_SIZE, THREADS
from pokerlab.cli.number import Within
from pokerlab.cli.output import Output, json_option, larger_option, show


@click.command()
@click.argument("game")
@click.option(
    "--abstraction",
    default="FULL",
    show_default=True,
    help="Such as JQ.K-FULL, the player's first; or your own, my_lab:court-FULL.",
)
@click.option(
    "--method",
    default="cfr+",
    show_default=True,
    help="lp, cfr, cfr+, linear, dcfr, pcfr+, fp, egt, omd, double-oracle, range-of-skill, external-sampling, "
    "outcome-sampling or public-chance-sampling; or your own, my_lab:InTurns?speed=2.",
)
@click.option("--iterations", type=Within(ITERATIONS), help="Stop after so many iterations.")
@click.option("--exploitability", type=Within(EXPLOITABILITY), help="Stop at this mean exploitability, in chips.")
@click.option("--seconds", type=Within(SECONDS), help="Stop after so much time.")
@click.option("--averaging", type=click.Choice(["uniform", "linear", "quadratic"]), help="Of a regret method.")
@click.option("--alpha", type=Within(EXPONENT), help="Discount exponent of positive regret.")
@click.option("--beta", type=Within(EXPONENT), help="Discount exponent of negative regret.")
@click.option("--step-size", type=Within(STEP_SIZE), help="Of omd; without it a few are tried.")
@click.option("--response", type=Within(RESPONSE), help="Of range-of-skill: generalized best response 1, 2 or 3.")
@click.option("--start", type=click.Choice(["raise", "uniform"]), help="Of oracles: what their sets begin with.")
@click.option("--weighting", help="Of sampling: cfr, cfr+, linear or dcfr.")
@click.option("--threads", type=Within(THREADS), help="Of sampling: walks at once; only one is reproducible.")
@click.option("--seed", type=Within(SEED), help="Of sampling.")
@click.option("--simultaneous", is_flag=True, help="Update both players at once instead of in turn.")
@click.option("--single", is_flag=True, help="Regret methods in single precision: half the memory, less time.")
@click.option("--out", type=Output(), help="Write the solution here; kept up to date on the way.")
@click.option("--resume", type=click.Path(dir_okay=False), help="Go on from a file written by --out.")
@larger_option
@json_option
def solve(
    game: str, abstraction: str, method: str, iterations: int | None, exploitability: float | None,
    seconds: float | None, averaging: str | None, alpha: float | None, beta: float | None, step_size: float | None,
    response: int | None, start: str | None, weighting: str | None, threads: int | None, seed: int | None,
    simultaneous: bool, single: bool, out: str | None, resume: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Solve GAME: a name from `pokerlab games`, a game definition, a Gambit file, openspiel:GAME or my_lab:GAME."""
    from pokerlab.form.general import named_game
    from pokerlab.solvers.figures import of_run
    from pokerlab.solvers.run import solve as run

    parameters: dict[str, Any] = {
        "averaging": averaging,
        "alpha": alpha,
        "beta": beta,
        "step_size": step_size,
        "response": response,
        "start": start,
        "weighting": weighting,
        "threads": threads,
        "seed": seed,
    }
    if simultaneous:
        parameters["alternating"] = False
    if single:
        parameters["single"] = True
    given = {key: value for key, value in parameters.items() if value is not None}
    solution = run(
        named_game(game, abstraction), method, iterations=iterations, exploitability=exploitability, seconds=seconds,
        checkpoint=out, resume=resume, **given,
    )  # fmt: skip
    summary, lines = of_run(solution)
    if out:
        lines.append(f"written to {out}")
    show(summary, as_json, lines)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--game", help="Refuse the file unless it is a strategy of this game; of an agent, what it plays.")
@click.option("--abstraction", help="That of the strategy, where it is your own code: no file runs it by itself.")
@click.option("--strategy", "with_strategy", is_flag=True, help="Print the strategy itself too.")
@click.option(
    "--deals",
    type=Within(DEALS),
    default=1000,
    show_default=True,
    help="Of local best response to a blueprint or agent.",
)
@click.option(
    "--response",
    type=Within(SECONDS),
    help="Seconds to find a response to a blueprint in its own abstract game too.",
)
@larger_option
@json_option
def evaluate(
    file: str, game: str | None, abstraction: str | None, with_strategy: bool, deals: int, response: float | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Value and exploitability of the strategy in FILE, recomputed; or, with --game, of any agent without memory.

    For a blueprint written by `pokerlab train`: its sizes, and what local best response wins from it; with --response
    also what a response wins that is found within the blueprint's own abstraction, in so many seconds. The same of
    agents that play one, such as cases:FILE?compiled=true.
    """
    from pokerlab.agents.blueprint_file import FORMAT, load_blueprint
    from pokerlab.errors import PokerlabError, StrategyFileError
    from pokerlab.reading import format_of
    from pokerlab.solvers.figures import of_file
    from pokerlab.solvers.solution import load

    if game is not None and not os.path.exists(file):
        from pokerlab.match.figures import of_agent

        summary, lines = of_agent(file, game, deals, response)
    elif format_of(file, StrategyFileError) == FORMAT:
        if abstraction is not None:
            raise PokerlabError("--abstraction is for strategies of small games: a blueprint's file has its own")
        from pokerlab.match.figures import of_blueprint

        summary, lines = of_blueprint(load_blueprint(file), file, game, deals, response)
    elif response is not None:
        raise PokerlabError("--response is for blueprints: what is printed of other strategies is exact")
    else:
        summary, lines = of_file(load(file, abstraction=abstraction), file, game, with_strategy)
    show(summary, as_json, lines)
