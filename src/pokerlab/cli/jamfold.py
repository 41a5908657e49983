"""`pokerlab jamfold`: all-in or fold before the flop, with charts."""

from __future__ import annotations

import click

from pokerlab.bounds import DRAWN, ROUNDS, STACK
from pokerlab.cli.number import Within
from pokerlab.cli.options import METHOD, option
from pokerlab.cli.output import json_option, show
from pokerlab.errors import PokerlabError, shown


def _numbers(text: str, count: int, what: str) -> list[int]:
    words = text.replace("/", ",").split(",")
    if len(words) != count or not all(word.strip().isascii() and word.strip().isdigit() for word in words):
        example = "/".join(["300"] * count)
        raise PokerlabError(
            f"{what}: {count} whole number{'s' * (count > 1)} such as {example} needed, not {shown(text)}"
        )
    if any(len(word.strip()) > 10 for word in words):
        raise PokerlabError(f"{what}: {shown(text)} are too many chips")
    return [int(word) for word in words]


@click.command()
@click.option("--stack", type=Within(STACK), help="Two players with so many big blinds each.")
@click.option("--chips", help="The last two of a tournament with so many chips in all, such as 8000.")
@click.option("--stacks", help="Three players: chips of button, small and big blind, such as 4500/4500/4500.")
@click.option("--blinds", default="300/600", show_default=True, help="Of --chips and --stacks.")
@click.option("--prizes", default="50/30/20", show_default=True, help="Of --stacks: for the first, second and third.")
@click.option(
    "--draws", type=Within(DRAWN), help="Of --stacks: random deals, by default 1000000, or 100000 with --rounds."
)
@click.option(
    "--rounds",
    type=Within(ROUNDS),
    help="Of --stacks: at most so many rounds over all stacks, in which later hands come to be worth what playing them "
    "brings; without it one hand, and the Independent Chip Model.",
)
@option("--method", "Of --stack.", type=METHOD, default="lp")
@option("--iterations", "Of --stacks by default 200, 60 a round; of --stack for a method other than lp.")
@option("--seed", "Of the deals.", default=0)
@json_option
def jamfold(
    stack: float | None, chips: str | None, stacks: str | None, blinds: str, prizes: str, draws: int | None,
    rounds: int | None, method: str, iterations: int | None, seed: int, as_json: bool,
) -> None:  # fmt: skip
    """All-in or fold before the flop: charts of two players, chances of the last two, charts of three for prizes.

    One of --stack, --chips and --stacks says which.
    """
    from pokerlab.form.jam_three import Tournament
    from pokerlab.solvers.jamfold import of_heads_up, of_last_three, of_last_two, of_three

    if sum(given is not None for given in (stack, chips, stacks)) != 1:
        raise PokerlabError("one of --stack (two players), --chips (the last two) and --stacks (three) is needed")
    limits = {} if iterations is None else {"iterations": iterations}
    small, big = _numbers(blinds, 2, "--blinds")
    if stack is not None:
        summary, lines = of_heads_up(stack, method, **limits)
    elif chips is not None:
        (whole,) = _numbers(chips, 1, "--chips")
        summary, lines = of_last_two(whole, (small, big))
    else:
        first, second, third = _numbers(stacks or "", 3, "--stacks")
        one, two, three = _numbers(prizes, 3, "--prizes")
        table = Tournament((first, second, third), (small, big), (float(one), float(two), float(three)))
        if draws is not None:
            limits["deals"] = draws
        if rounds is None:
            summary, lines = of_three(table, seed=seed, **limits)
        else:
            summary, lines = of_last_three(table, rounds, seed=seed, **limits)
    show(summary, as_json, lines)
