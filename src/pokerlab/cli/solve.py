"""`pokerlab solve` and `pokerlab evaluate`."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.bounds import DEALS, EXPONENT, FLOPS, RESPONSE, SECONDS, STEP_SIZE
from pokerlab.cli.match import AGENTS
from pokerlab.cli.number import Within
from pokerlab.cli.options import (
    AGENT,
    CHIPS,
    GAME,
    METHOD,
    METHODS,
    either,
    executor_for,
    exploitability_option,
    option,
)
from pokerlab.cli.output import Output, interrupted, json_option, keeping, larger_option, show
from pokerlab.errors import PokerlabError


@click.command()
@click.argument("game", type=GAME)
@option("--abstraction", "Or your own, my_lab:court-FULL.", default="FULL", show_default=True)
@option("--method", f"One of {either(METHODS)}; or your own, my_lab:InTurns?speed=2.", type=METHOD,
        default="cfr+")  # fmt: skip
@option("--iterations")
@exploitability_option(CHIPS, 1e-4)
@option("--seconds")
@click.option("--averaging", type=click.Choice(["uniform", "linear", "quadratic"]), help="Of a regret method.")
@click.option("--alpha", type=Within(EXPONENT), help="Discount exponent of positive regret.")
@click.option("--beta", type=Within(EXPONENT), help="Discount exponent of negative regret.")
@click.option("--step-size", type=Within(STEP_SIZE), help="Of omd; without it a few are tried.")
@click.option("--best-response", type=Within(RESPONSE), help="Of range-of-skill: generalized best response 1, 2 or 3.")
@click.option("--start", type=click.Choice(["raise", "uniform"]), help="Of oracles: what their sets begin with.")
@click.option("--weighting", help="Of sampling: cfr, cfr+, linear or dcfr.")
@option("--threads", "Of sampling: walks at once; only one is reproducible.")
@option("--seed", "Of sampling.")
@click.option("--simultaneous", is_flag=True, help="Update both players at once instead of in turn.")
@click.option("--single", is_flag=True, help="Regret methods in single precision: half the memory, less time.")
@option("--out", "The solution's file, kept up to date on the way.", type=Output())
@option("--resume", "From the file --out, which it then writes anew.")
@option("--device")
@larger_option
@json_option
def solve(
    game: str, abstraction: str, method: str, iterations: int | None, exploitability: float | None,
    seconds: float | None, averaging: str | None, alpha: float | None, beta: float | None, step_size: float | None,
    best_response: int | None, start: str | None, weighting: str | None, threads: int | None, seed: int | None,
    simultaneous: bool, single: bool, out: str | None, resume: bool, device: str, as_json: bool,
) -> None:  # fmt: skip
    """Solve GAME: a name from `pokerlab games`, a game definition, a Gambit file, openspiel:GAME or my_lab:GAME."""
    from pokerlab.form.general import named_game
    from pokerlab.solvers.figures import of_run
    from pokerlab.solvers.run import solve as run

    if resume and out is None:
        raise PokerlabError("--resume needs --out: the file to go on from, and to write to")
    parameters: dict[str, Any] = {
        "averaging": averaging,
        "alpha": alpha,
        "beta": beta,
        "step_size": step_size,
        "response": best_response,
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
        checkpoint=out, resume=out if resume else None, device=device, **given,
    )  # fmt: skip
    summary, lines = of_run(solution)
    if out:
        lines.append(f"written to {out}")
    show(summary, as_json, lines)
    if solution.stopped == "interrupted":
        interrupted(
            f"{out} has what there is, and --resume goes on from it" if out else "nothing was kept without --out"
        )


def _drawn(context: click.Context, parameter: click.Parameter, given: str | None) -> int | str | None:
    """`all`, or a number of flops."""
    return None if given is None else Within(FLOPS, "all").convert(given, parameter, context)


@click.command(epilog=AGENTS)
@click.argument("agent", type=AGENT)
@option("--game", "By default the agent's own; a file of another one is refused.")
@option("--abstraction", "Of a strategy, where it is your own code: no file runs that by itself.")
@click.option("--strategy", "with_strategy", is_flag=True, help="Print the strategy itself too.")
@click.option("--deals", type=Within(DEALS), default=1000, show_default=True, help="Of local best response.")
@click.option(
    "--response", type=Within(SECONDS), help="Find a response to a blueprint in its own game too, in so many seconds."
)
@click.option("--exact", is_flag=True, help="By a best response on the public tree: any agent of a limit game for two.")
@option("--flops", "Drawn by strata; by default what --seconds allow, or 40.", callback=_drawn)
@option("--seconds", "With --flops all the flops that were finished are in --out, and the same command goes on.")
@option("--seed", "Which flops are drawn.", default=0)
@option("--processes", "Flops at once.", default=1, show_default=True)
@option("--cluster")
@option("--device", "Of --exact.")
@option("--out", "A folder for finished flops: none is computed twice.", type=click.Path(file_okay=False))
@larger_option
@json_option
def evaluate(
    agent: str, game: str | None, abstraction: str | None, with_strategy: bool, deals: int, response: float | None,
    exact: bool, flops: int | str | None, seconds: float | None, seed: int, processes: int,
    cluster: str | None, device: str, out: str | None, as_json: bool,
) -> None:  # fmt: skip
    """How exploitable AGENT is; of a strategy's file also its value, both recomputed.

    Strategies of games that compile are measured exactly, other agents without memory by what local best response wins
    from them. Of a blueprint written by `pokerlab train` its sizes are told, and with --response what a response wins
    that is found within its own abstraction, in so many seconds.

    With --exact it is what a best response wins that looks at every hand on every board of a limit game for two, as
    hold'em: from all flops exactly, from some with a 95 % interval.
    """
    from pokerlab.match.figures import of_exact, of_spec

    if not exact and (flops is not None or seconds is not None or out is not None or device != "cpu"):
        raise PokerlabError("--flops, --seconds, --device and --out are for --exact")
    if exact:
        if response is not None or with_strategy or abstraction is not None:
            raise PokerlabError("--exact prints one figure: --response, --strategy and --abstraction are not for it")
        kept = (
            f"{out} has the finished flops, and the same command goes on" if out else "nothing was kept without --out"
        )
        with keeping(kept):
            executor = executor_for(None if cluster else processes, cluster) if cluster or processes > 1 else None
            summary, lines = of_exact(agent, game, flops, seconds, out, seed, device, executor)
        show(summary, as_json, lines)
        return
    summary, lines = of_spec(agent, game, deals, response, abstraction=abstraction, with_strategy=with_strategy)
    show(summary, as_json, lines)
