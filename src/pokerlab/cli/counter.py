"""`pokerlab counter`: a strategy that wins from a player, and what it can lose to others."""

from __future__ import annotations

import click

from pokerlab.bounds import HANDS, SHARE
from pokerlab.cli.match import AGENTS
from pokerlab.cli.number import Within
from pokerlab.cli.options import CHIPS, GAME, METHOD, exploitability_option, option
from pokerlab.cli.output import Output, interrupted, json_option, larger_option, show
from pokerlab.errors import PokerlabError

KINDS = ("restricted-nash", "data-biased", "frequentist")
CONFIDENCES = ("linear", "curve", "threshold")


@click.command(epilog=AGENTS)
@click.argument("game", type=GAME)
@click.option(
    "--against",
    required=True,
    multiple=True,
    metavar="AGENT|LOGS",
    help="Whom: an agent without memory, or files of hands (each with its own --against).",
)
@option("--expert", "Of files of hands.")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    help="By default restricted-nash where the player is known, data-biased where it was only seen.",
)
@click.option(
    "--p",
    type=Within(SHARE),
    default=0.5,
    show_default=True,
    help="How far the opponent is taken to play as believed: 0 is an equilibrium, 1 a best response.",
)
@click.option(
    "--confidence",
    type=click.Choice(CONFIDENCES),
    default="curve",
    show_default=True,
    help="Of data-biased: how trust grows with what was seen.",
)
@click.option("--observe", type=Within(HANDS), help="Watch the agent for so many hands instead of asking it.")
@click.option(
    "--cards", default="made-hands?count=6", show_default=True,
    help="How its cards are bucketed: a SPEC, a file of buckets, or your own, my_lab:Cards?count=3.",
)  # fmt: skip
@option("--method", "Of games that compile.", type=METHOD, default="lp")
@option("--iterations")
@exploitability_option(CHIPS, 1e-4)
@option("--seconds")
@option("--seed", "Of the hands that are watched.", default=0)
@option("--skip-bad")
@option("--out", "The counter-strategy's file, which plays as an agent.", type=Output())
@larger_option
@json_option
def counter(
    game: str, against: tuple[str, ...], expert: str | None, kind: str | None, p: float, confidence: str,
    observe: int | None, cards: str, method: str, iterations: int | None, exploitability: float | None,
    seconds: float | None, seed: int, skip_bad: bool, out: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Make a counter-strategy for GAME, a game for two that compiles, or limit hold'em for two, by sampling.

    Prints what it wins from the player, and what it can lose to one who knows it: safe as far as --p says. In hold'em
    the player is always watched, for 3,000 hands by default; --iterations (100,000) and --seconds are for each seat.
    """
    from pokerlab.agents.blueprint_file import save_blueprint
    from pokerlab.game.catalog import rules_of
    from pokerlab.opponents.counter import counter as make
    from pokerlab.opponents.counter_holdem import counter_holdem

    if (rules := rules_of(game)).holdem_family:
        if exploitability is not None:
            raise PokerlabError("in hold'em nobody knows the exploitability on the way: give --iterations or --seconds")
        sampled = counter_holdem(
            rules, against, kind=kind or "data-biased", p=p, confidence=confidence, observe=observe, expert=expert,
            skip_bad=skip_bad, cards=cards, iterations=iterations, seconds=seconds, seed=seed,
        )  # fmt: skip
        told = sampled.lines()
        if out:
            save_blueprint(sampled.blueprint, out)
            told.append(f"written to {out}")
        return show(sampled.summary() | {"out": out}, as_json, told)
    limits = {"iterations": iterations, "exploitability": exploitability, "seconds": seconds}
    made = make(
        game, against, kind=kind, p=p, confidence=confidence, observe=observe, expert=expert, skip_bad=skip_bad,
        method=method, seed=seed, **{key: value for key, value in limits.items() if value is not None},
    )  # fmt: skip
    lines = made.lines()
    if out:
        made.solution.save(out)
        lines.append(f"written to {out}")
    show(made.summary() | {"out": out}, as_json, lines)
    if made.solution.stopped == "interrupted":
        interrupted(f"{out} has what there is" if out else "nothing was kept without --out")
